"""Metrics of a whole class table: accuracy, balanced accuracy, Matthews' correlation, kappa."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arith import determinant, ratio
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix
from baserate.metrics import agreement, rates, shares
from baserate.metrics._class_metric import Cells, ClassMetric, Counts, one_vs_rest
from baserate.metrics.class_averages import average


def _hit_rate(hits: Counts, class_counts: Counts, predicted_counts: Counts) -> Any:
    del predicted_counts
    return ratio(hits.sum(-1), class_counts.sum(-1))


def _miss_rate(every: ConfusionMatrix) -> Any:
    missed, found = every.fn.sum(-1), every.tp.sum(-1)
    return ratio(missed, found + missed)


def _correlation(every: ConfusionMatrix) -> Any:
    truth = (every.n_positive * every.n_negative).sum(-1)
    prediction = (every.n_predicted * (every.n_predicted_negative)).sum(-1)
    # The root of a square is exact, so that a table without errors has exactly 1.
    return ratio(_covariance(every), np.sqrt(truth * prediction))


def _kappa(every: ConfusionMatrix) -> Any:
    return ratio(_covariance(every), (every.n_positive * (every.n_predicted_negative)).sum(-1))


def _covariance(every: ConfusionMatrix) -> Any:
    """Return n² times the covariance of truth and prediction, summed over classes.

    n Σ hits - Σ t p, as a sum of determinants: zero, not a rounding error, in tables in which truth
    and prediction are independent.
    """
    return determinant(*every).sum(-1)


@dataclass(frozen=True, slots=True)
class _OfMargins:
    """A formula of the tables of each class against the rest; a class, to be pickled."""

    formula: Callable[[ConfusionMatrix], Any]

    def __call__(self, hits: Counts, class_counts: Counts, predicted_counts: Counts) -> Any:
        return self.formula(one_vs_rest(hits, class_counts, predicted_counts))


@dataclass(frozen=True, slots=True)
class _AgreementOfCells:
    """The same of whole tables, for weights: differences of their margins lose what is small."""

    formula: Callable[[ConfusionMatrix], Any]

    def __call__(self, cells: Cells) -> Any:
        return self.formula(ClassTable(cells).one_vs_rest())


def right(n_classes: int) -> NDArray[np.float64]:
    """Return 1 for a right prediction, 0 for a wrong one."""
    return np.eye(n_classes)


def wrong(n_classes: int) -> NDArray[np.float64]:
    """Return 1 for a wrong prediction, 0 for a right one."""
    return 1 - np.eye(n_classes)


accuracy = ClassMetric(
    name="accuracy",
    # Each equals the accuracy if all cases count, in whichever class they are.
    synonyms=("acc", "micro_f1", "micro_recall", "micro_precision", "weighted_recall"),
    definition="Σ n[c, c] / n",
    meaning="Share of cases that are called what they are.",
    of_margins=_hit_rate,
    two_classes=shares.accuracy,
    weights=right,
)

error_rate = ClassMetric(
    name="error_rate",
    definition="1 - Σ n[c, c] / n",
    meaning="Share of cases that are called something else.",
    of_margins=_OfMargins(_miss_rate),
    of_cells=_AgreementOfCells(_miss_rate),
    two_classes=shares.error_rate,
    weights=wrong,
    best=0.0,
    direction="lower",
)

balanced_accuracy = replace(
    average(rates.recall, "macro"),
    name="balanced_accuracy",
    synonyms=("bacc", "balanced_acc", "macro_recall"),
    definition="mean over classes of n[c, c] / n[c, .]",
    meaning="Mean over the classes of the share of their cases that are found.",
    two_classes=agreement.balanced_accuracy,
)

matthews_correlation = ClassMetric(
    name="matthews_correlation",
    synonyms=("mcc", "r_k", "phi", "matthews_corrcoef"),
    definition="(n Σ n[c, c] - Σ t p) / sqrt((n² - Σ t²)(n² - Σ p²)), t and p the class totals",
    meaning="Correlation of truth and prediction over all classes.",
    of_margins=_OfMargins(_correlation),
    of_cells=_AgreementOfCells(_correlation),
    two_classes=agreement.matthews_correlation,
    bounds=(-1.0, 1.0),
    chance=0.0,
    reference="Gorodkin (2004), Computational Biology and Chemistry 28:367-374, "
    "doi:10.1016/j.compbiolchem.2004.09.006",
)

cohen_kappa = ClassMetric(
    name="cohen_kappa",
    synonyms=("kappa",),
    definition="(n Σ n[c, c] - Σ t p) / (n² - Σ t p), t and p the class totals",
    meaning="Agreement beyond that of a guess with the same class totals.",
    of_margins=_OfMargins(_kappa),
    of_cells=_AgreementOfCells(_kappa),
    two_classes=agreement.cohen_kappa,
    bounds=(-1.0, 1.0),
    chance=0.0,
    reference="Cohen (1960), Educational and Psychological Measurement 20:37-46, "
    "doi:10.1177/001316446002000104",
)

"""Metrics of a whole class table: accuracy, balanced accuracy, Matthews' correlation, kappa."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arith import ratio
from baserate.metrics import agreement, shares
from baserate.metrics._class_metric import ClassMetric, Counts


def _hit_rate(hits: Counts, class_counts: Counts, predicted_counts: Counts) -> Any:
    del predicted_counts
    return ratio(hits.sum(-1), class_counts.sum(-1))


def _miss_rate(hits: Counts, class_counts: Counts, predicted_counts: Counts) -> Any:
    del predicted_counts
    n = class_counts.sum(-1)
    return ratio(n - hits.sum(-1), n)


def _mean_recall(hits: Counts, class_counts: Counts, predicted_counts: Counts) -> Any:
    del predicted_counts
    return np.mean(ratio(hits, class_counts), -1)


def _covariances(
    hits: Counts, class_counts: Counts, predicted_counts: Counts
) -> tuple[Any, Any, Any]:
    """Return n² times the covariance of truth and prediction, and the variances of both.

    Each is summed over the indicators of the classes.
    """
    n = class_counts.sum(-1)
    both = n * hits.sum(-1) - (class_counts * predicted_counts).sum(-1)
    truth, prediction = (
        (side * (n[..., None] - side)).sum(-1) for side in (class_counts, predicted_counts)
    )
    return both, truth, prediction


def _correlation(hits: Counts, class_counts: Counts, predicted_counts: Counts) -> Any:
    both, truth, prediction = _covariances(hits, class_counts, predicted_counts)
    return ratio(both, np.sqrt(truth) * np.sqrt(prediction))


def _kappa(hits: Counts, class_counts: Counts, predicted_counts: Counts) -> Any:
    n = class_counts.sum(-1)
    expected = (class_counts * predicted_counts).sum(-1)
    return ratio(n * hits.sum(-1) - expected, n * n - expected)


def right(n_classes: int) -> NDArray[np.float64]:
    """Return 1 for a right prediction, 0 for a wrong one."""
    return np.eye(n_classes)


def wrong(n_classes: int) -> NDArray[np.float64]:
    """Return 1 for a wrong prediction, 0 for a right one."""
    return 1 - np.eye(n_classes)


accuracy = ClassMetric(
    name="accuracy",
    synonyms=("acc", "micro_f1", "micro_recall", "micro_precision"),
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
    of_margins=_miss_rate,
    two_classes=shares.error_rate,
    weights=wrong,
    best=0.0,
    direction="lower",
)

balanced_accuracy = ClassMetric(
    name="balanced_accuracy",
    synonyms=("macro_recall",),
    definition="mean over classes of n[c, c] / n[c, .]",
    meaning="Mean over the classes of the share of their cases that are found.",
    of_margins=_mean_recall,
    two_classes=agreement.balanced_accuracy,
)

matthews_correlation = ClassMetric(
    name="matthews_correlation",
    synonyms=("mcc", "r_k"),
    definition="(n Σ n[c, c] - Σ t p) / sqrt((n² - Σ t²)(n² - Σ p²)), t and p the class totals",
    meaning="Correlation of truth and prediction over all classes.",
    of_margins=_correlation,
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
    of_margins=_kappa,
    two_classes=agreement.cohen_kappa,
    bounds=(-1.0, 1.0),
    chance=0.0,
    reference="Cohen (1960), Educational and Psychological Measurement 20:37-46, "
    "doi:10.1177/001316446002000104",
)

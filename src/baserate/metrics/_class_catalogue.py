"""The metrics of class tables: those of the whole table, families, averages by name, look-up."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from baserate._arith import determinant, ratio
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnknownNameError
from baserate.metrics import agreement, shares
from baserate.metrics._catalogue import KNOWN_NAMES, binary_metric, from_call
from baserate.metrics._class_metric import Cells, ClassMetric, Counts, one_vs_rest
from baserate.metrics._metric import Metric
from baserate.metrics.class_averages import AVERAGE, average, is_of_classes
from baserate.metrics.class_weights import NAMED, class_utility, weighted_kappa


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
    of_hits=True,
    transpose="accuracy",
    weights=right,
)

error_rate = ClassMetric(
    name="error_rate",
    definition="1 - Σ n[c, c] / n",
    meaning="Share of cases that are called something else.",
    of_margins=_OfMargins(_miss_rate),
    of_cells=_AgreementOfCells(_miss_rate),
    two_classes=shares.error_rate,
    of_hits=True,
    transpose="error_rate",
    weights=wrong,
    best=0.0,
    direction="lower",
)

balanced_accuracy = replace(
    average(shares.recall, "macro"),
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
    of_hits=True,
    transpose="matthews_correlation",
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
    of_hits=True,
    transpose="cohen_kappa",
    bounds=(-1.0, 1.0),
    chance=0.0,
    reference="Cohen (1960), Educational and Psychological Measurement 20:37-46, "
    "doi:10.1177/001316446002000104",
)


CLASS_CATALOGUE: tuple[ClassMetric, ...] = (
    accuracy,
    error_rate,
    balanced_accuracy,
    matthews_correlation,
    cohen_kappa,
    average("f1", "macro"),
    average("f1", "weighted"),
    average("precision", "macro"),
    average("precision", "weighted"),
)

# What people read of several classes, in the order in which they read it.
CLASS_HEADLINES = (
    "accuracy", "balanced_accuracy", "macro_f1", "weighted_f1", "macro_precision",
    "matthews_correlation", "cohen_kappa",
)  # fmt: skip

CLASS_FAMILIES: dict[str, Callable[..., ClassMetric]] = {
    "weighted_kappa": weighted_kappa,
    "utility": class_utility,
}
_EXAMPLES = {
    "weighted_kappa": "weighted_kappa(quadratic)",
    "utility": "utility([[1, 0, 0], [0, 1, 0], [-5, 0, 1]])",
}

# Kappa of ordered classes has its names, but no place among metrics that fit any classes.
_NAMED = (*CLASS_CATALOGUE, *map(weighted_kappa, NAMED))
BY_NAME = {name: metric for metric in _NAMED for name in (metric.name, *metric.synonyms)}
_OF_TWO = {form: m for m in CLASS_CATALOGUE if (form := m.form_of(2)) is not None}
_CALL = re.compile(r"(?P<family>\w+)\((?P<arguments>.*)\)")


def class_metric(metric: str | Metric | ClassMetric) -> ClassMetric:
    """Return the metric of class tables with this name; a ClassMetric passes through.

    Parameters
    ----------
    metric : str, Metric or ClassMetric
        "accuracy", "mcc", "kappa" or "balanced_accuracy"; a family with its parameters, such as
        "weighted_kappa(quadratic)"; or an average of any metric of four counts, such as "macro_f1",
        "micro_jaccard", "weighted_robust_mcc(d=0.05)"; ".defined" after it averages over the
        classes in which it is defined. A metric of four counts that has a form for several classes
        stands for that form.

    Raises
    ------
    UnknownNameError
        There is no such metric; or it is one of four counts, which needs an average.
    InvalidArgumentError
        Parameters of a family are lacking or wrong.

    Examples
    --------
    >>> from baserate.metrics import class_metric
    >>> class_metric("mcc").name, class_metric("Macro-F1").name
    ('matthews_correlation', 'macro_f1')
    """
    if isinstance(metric, ClassMetric):
        return metric
    if isinstance(metric, Metric):
        return _of_metric(metric)
    if not isinstance(metric, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        return _of_metric(binary_metric(metric))
    written = metric.strip()
    name = re.sub(r"[\s-]+", "_", written.lower())
    if name in BY_NAME:
        return BY_NAME[name]
    if name in CLASS_FAMILIES:
        remedy = f'write for example "{_EXAMPLES[name]}"'
        raise InvalidArgumentError.from_rule("metric", "needs its parameters", metric, remedy)
    return _called(written) or _averaged(written) or _of_metric(binary_metric(metric))


@overload
def get(metric: ClassMetric) -> ClassMetric: ...
@overload
def get(metric: Metric) -> Metric: ...
@overload
def get(metric: str | Metric | ClassMetric, table: Any = None) -> Any: ...
def get(metric: str | Metric | ClassMetric, table: Any = None) -> Metric | ClassMetric:
    """Return the metric with this name, synonym or call; a metric passes through.

    Parameters
    ----------
    metric : str, Metric or ClassMetric
        A canonical name ("matthews_correlation"), a synonym ("mcc"), a family with its parameters
        ("robust_mcc(d=0.05)"), or any of them restated ("f1.at_base_rate(0.5)"): of two classes. An
        average ("macro_f1", "weighted_jaccard") or a family of class tables
        ("weighted_kappa(linear)"): of several. Upper case, spaces and hyphens do not matter.
    table : ConfusionMatrix or ClassTable, optional
        Return the form that a metric has for such tables.

    Returns
    -------
    Metric or ClassMetric
        For a type checker a name may be of either; `class_metric` returns a ClassMetric, and
        `binary_metric` a Metric.

    Raises
    ------
    UnknownNameError
        With the nearest known name.

    Examples
    --------
    >>> from baserate.metrics import get
    >>> get("MCC").name, get("tpr.at_base_rate(0.5)").name, get("Macro-F1").name
    ('matthews_correlation', 'recall.at_base_rate(0.5)', 'macro_f1')
    """
    if table is not None:
        return class_metric(metric) if isinstance(table, ClassTable) else binary_metric(metric)  # pyright: ignore[reportArgumentType]
    if isinstance(metric, Metric | ClassMetric):
        return metric
    try:
        return binary_metric(metric)
    except InvalidArgumentError:
        if not is_of_classes(metric):
            raise
        return class_metric(metric)
    except UnknownNameError as unknown:
        try:
            return class_metric(metric)
        except UnknownNameError:
            raise unknown from None


def _called(written: str) -> ClassMetric | None:
    """Return a metric of a family of class tables."""
    call = _CALL.fullmatch(written.lower())
    if call is None or call["family"] not in CLASS_FAMILIES:
        return None
    family = call["family"]
    return from_call(CLASS_FAMILIES[family], call["arguments"], written, _EXAMPLES[family])


def _averaged(written: str) -> ClassMetric | None:
    """Return an average, unless a metric of four counts is called so, as `weighted_accuracy` is."""
    found = AVERAGE.fullmatch(written)
    if found is None or ("(" in written and written.partition("(")[0].lower() in KNOWN_NAMES):
        return None
    kind, part, omit = found.groups()
    return average(part, kind.lower(), undefined="omit" if omit else "propagate")  # pyright: ignore[reportArgumentType]


def _of_metric(metric: Metric) -> ClassMetric:
    """Return the form that a metric of four counts has for several classes."""
    if metric in _OF_TWO:
        return _OF_TWO[metric]
    by_name = metric.made_by is not None or metric.name in KNOWN_NAMES
    example = f'"macro_{metric.name}"' if by_name else f"baserate.metrics.average({metric.name})"
    raise UnknownNameError(
        f"{metric.name} is a metric of two classes. For several classes average it, for example "
        f"{example}, or ask it of one class, table.one_vs_rest(label)."
    )

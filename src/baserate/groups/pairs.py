"""Metrics of two tables: the difference or the ratio of any metric, undefined cases included."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from baserate._arith import plain
from baserate._arith import ratio as divide
from baserate.counts import ConfusionMatrix
from baserate.errors import UnknownNameError
from baserate.metrics import Metric, binary_metric
from baserate.metrics import error_ratio as _error_ratio
from baserate.metrics import marginal_benefit as _marginal_benefit

Operation = Literal["difference", "ratio"]
_APPLY: dict[str, Callable[[Any, Any], Any]] = {"difference": np.subtract, "ratio": divide}
_SIGN = {"difference": "-", "ratio": "/"}
# On which both are differences, and the way back.
SCALES: dict[Operation, tuple[np.ufunc, np.ufunc]] = {
    "difference": (np.positive, np.positive),
    "ratio": (np.log, np.exp),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PairMetric:
    """A metric of two tables: one metric at each, subtracted or divided.

    Call it on two tables: ``pair(first, second)`` is a float, or an array for batches of tables,
    and nan exactly where the metric is undefined at either, or a ratio's second value is 0.

    Attributes
    ----------
    name, synonyms : str, tuple of str
    metric : Metric
        Evaluated at each of the two tables.
    operation : {"difference", "ratio"}
        First minus second, or first over second.
    meaning, reference : str
    """

    name: str
    metric: Metric
    operation: Operation
    meaning: str = ""
    synonyms: tuple[str, ...] = ()
    reference: str = field(default="", repr=False)

    def __call__(self, first: ConfusionMatrix, second: ConfusionMatrix) -> Any:
        """Return the value at two tables."""
        return plain(np.asarray(_APPLY[self.operation](self.metric(first), self.metric(second))))

    def __repr__(self) -> str:
        return f"<PairMetric {self.name} = {self.definition}>"

    @property
    def definition(self) -> str:
        """The formula as text: the index says which table."""
        return f"m₁ {_SIGN[self.operation]} m₂, m = {self.metric.definition}"

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest possible value."""
        low, high = self.metric.bounds
        if self.operation == "difference":
            return low - high, high - low
        return (0.0 if low >= 0 else -np.inf), np.inf

    @property
    def equal(self) -> float:
        """The value if both tables score the same."""
        return 0.0 if self.operation == "difference" else 1.0

    def undefined(self, first: ConfusionMatrix, second: ConfusionMatrix) -> Any:
        """Return where the metric is undefined, decided on the counts alone."""
        holes = np.asarray(self.metric.undefined(first)) | self.metric.undefined(second)
        if self.operation == "ratio":
            holes = holes | zero_at(self.metric)(second)
        return plain(holes)

    def undefined_reason(self, first: ConfusionMatrix, second: ConfusionMatrix) -> str | None:
        """Say in words why two tables have no value, or return None if they have one."""
        for which, table in (("first", first), ("second", second)):
            reason = self.metric.undefined_reason(table)
            if reason is not None:
                return f"in the {which} table, {reason}"
        if self.undefined(first, second):
            return f"{self.metric.name} of the second table is 0"
        return None


def difference(metric: str | Metric) -> PairMetric:
    """Return the metric of two tables that is m(first) - m(second).

    Range from low - high to high - low of the metric; undefined where either value is.

    Examples
    --------
    The false positive rates of Black and White defendants in COMPAS (ProPublica, violent
    recidivism):

    >>> from baserate import ConfusionMatrix
    >>> from baserate.groups import difference
    >>> black = ConfusionMatrix(tp=273, fn=170, fp=1043, tn=1692)
    >>> white = ConfusionMatrix(tp=77, fn=129, fp=380, tn=1679)
    >>> round(difference("false_positive_rate")(black, white), 3)
    0.197
    """
    return _pair(
        binary_metric(metric), "difference", "How far the first table is above the second."
    )


def ratio(metric: str | Metric) -> PairMetric:
    """Return the metric of two tables that is m(first) / m(second).

    Undefined where either value is, and where the second is 0. For the predicted positive rate it
    is the disparate impact ratio.

    Examples
    --------
    >>> from baserate import ConfusionMatrix
    >>> from baserate.groups import ratio
    >>> black = ConfusionMatrix(tp=273, fn=170, fp=1043, tn=1692)
    >>> white = ConfusionMatrix(tp=77, fn=129, fp=380, tn=1679)
    >>> round(ratio("false_positive_rate")(black, white), 3)
    2.066
    """
    return _pair(
        binary_metric(metric), "ratio", "How many times the second table's value the first has."
    )


objective_fairness_index = PairMetric(
    name="objective_fairness_index",
    synonyms=("ofi",),
    metric=_marginal_benefit,
    operation="difference",
    meaning="Marginal benefit (fp - fn)/n of the first table minus that of the second.",
    reference="Briscoe et al., Algorithmic Accountability in Small Data, AISTATS 2025",
)

treatment_equality = PairMetric(
    name="treatment_equality",
    synonyms=("te",),
    metric=_error_ratio,
    operation="difference",
    meaning="False negatives per false positive in the first table minus those in the second.",
    reference="Berk et al. (2021), Sociological Methods & Research 50:3, "
    "doi:10.1177/0049124118782533",
)

PAIRS: tuple[PairMetric, ...] = (objective_fairness_index, treatment_equality)
_BY_NAME = {name: pair for pair in PAIRS for name in (pair.name, *pair.synonyms)}
_CALL = re.compile(r"(?P<operation>difference|ratio)\((?P<metric>.+)\)", re.IGNORECASE)


def get_pair(pair: Any) -> PairMetric:
    """Return the metric of two tables with this name or call; a PairMetric passes through."""
    found = find_pair(pair)
    if found is None:
        remedy = 'Write "difference(recall)" or "ratio(recall)", with any metric'
        raise UnknownNameError.from_name("metric of two tables", pair, _BY_NAME, remedy)
    return found


def find_pair(pair: Any) -> PairMetric | None:
    """Return what `get_pair` does, or None if nothing about the name speaks of two tables."""
    if isinstance(pair, PairMetric):
        return pair
    if not isinstance(pair, str):
        return None
    name = re.sub(r"[\s-]+", "_", str(pair).strip().lower())
    if name in _BY_NAME:
        return _BY_NAME[name]
    if call := _CALL.fullmatch(str(pair).strip()):
        build = {"difference": difference, "ratio": ratio}[call["operation"].lower()]
        return build(call["metric"])
    return None


def _pair(metric: Metric, operation: Operation, meaning: str) -> PairMetric:
    return PairMetric(
        name=f"{operation}({metric.name})",
        metric=metric,
        operation=operation,
        meaning=meaning,
        reference=metric.reference,
    )


def zero_at(metric: Metric) -> Callable[[ConfusionMatrix], Any]:
    """Return the function that says at which tables a metric is 0."""
    return lambda table: np.equal(metric(table), 0)

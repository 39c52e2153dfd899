"""Which usual metrics rank classifiers wrongly, given what decisions are worth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import isnan
from typing import Any

from baserate._arith import TIE
from baserate._result import Result
from baserate.counts import ConfusionMatrix
from baserate.errors import UnsupportedError
from baserate.metrics import Metric, get
from baserate.utilities._exact import Rates, common_base_rate, exact, rates
from baserate.utilities.utility import UtilityMatrix

USUAL = (
    "accuracy",
    "balanced_accuracy",
    "precision",
    "recall",
    "specificity",
    "f1",
    "matthews_correlation",
    "cohen_kappa",
)

Pair = tuple[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking(Result):
    """How a metric orders pairs of classifiers, against how their yields do.

    Attributes
    ----------
    metric : str
    wrong : tuple of (name, name)
        Pairs that the metric puts the wrong way round; the one that yields more comes first.
    undecided : tuple of (name, name)
        Pairs with different yields, whose metric is equal or undefined.
    right : tuple of (name, name)
    """

    metric: str
    wrong: tuple[Pair, ...]
    undecided: tuple[Pair, ...]
    right: tuple[Pair, ...]


def rankings(
    tables: Mapping[Any, ConfusionMatrix],
    u: UtilityMatrix,
    metrics: Sequence[str | Metric] = USUAL,
    *,
    base_rate: float | None = None,
) -> tuple[Ranking, ...]:
    """Return, for each metric, the pairs of classifiers that it ranks wrongly.

    Yields are compared in fractions. Pairs that yield the same are left out.

    Parameters
    ----------
    tables : mapping of name to ConfusionMatrix
        Single tables with both classes.
    u : UtilityMatrix
        2x2.
    metrics : sequence of Metric or str
        Metrics of which more is better, or less.
    base_rate : float, optional
        Share of positives at which yields and metrics are compared. Default: the one at which all
        were tested.

    Returns
    -------
    tuple of Ranking

    Raises
    ------
    InvalidArgumentError
        Class shares differ and no base rate is stated.
    UnsupportedError
        Of a metric neither more nor less is better, or the matrix is not 2x2.

    Examples
    --------
    >>> a = ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
    >>> b = ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)
    >>> found = rankings({"A": a, "B": b}, UtilityMatrix([[15, -335], [-35, 165]]))
    >>> [ranking.metric for ranking in found if not ranking.wrong]
    ['specificity']
    """
    known = {name: rates(str(name), table) for name, table in tables.items()}
    if not known:
        return tuple(Ranking(metric=get(m).name, wrong=(), undecided=(), right=()) for m in metrics)
    pi = common_base_rate({str(name): r.base_rate for name, r in known.items()}, base_rate)
    worth = {name: _worth(r, u, pi) for name, r in known.items()}
    pairs = [
        (x, y) if worth[x] > worth[y] else (y, x)
        for x, y in combinations(tables, 2)
        if worth[x] != worth[y]
    ]
    if base_rate is not None:
        tables = {name: table.at_base_rate(base_rate) for name, table in tables.items()}
    return tuple(_ranking(_directed(get(metric)), tables, pairs) for metric in metrics)


def _worth(r: Rates, u: UtilityMatrix, pi: Fraction) -> Fraction:
    """Return the yield less what class shares alone contribute."""
    return exact(u.benefit) * pi * r.recall + exact(u.cost) * (1 - pi) * r.specificity


def _directed(metric: Metric) -> Metric:
    if metric.direction == "neither":
        raise UnsupportedError(
            f"{metric.name} ranks nothing, because of it neither more nor less is better: pass "
            "metrics with a direction."
        )
    return metric


def _ranking(
    metric: Metric, tables: Mapping[Any, ConfusionMatrix], pairs: Sequence[Pair]
) -> Ranking:
    sign = -1 if metric.direction == "lower" else 1
    values = {name: sign * float(metric(table)) for name, table in tables.items()}
    found: dict[str, list[Pair]] = {"wrong": [], "undecided": [], "right": []}
    for better, worse in pairs:
        found[_verdict(values[better], values[worse])].append((better, worse))
    return Ranking(metric=metric.name, **{verdict: tuple(of) for verdict, of in found.items()})


def _verdict(better: float, worse: float) -> str:
    gap = better - worse
    if isnan(gap) or abs(gap) <= TIE * max(abs(better), abs(worse)):
        return "undecided"
    return "right" if gap > 0 else "wrong"

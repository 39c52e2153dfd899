"""A metric is a function of four counts with its facts attached."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations
from math import comb
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from baserate._arith import TIE, in_range, plain, refuse_far_apart
from baserate._checks import number_in, one_of, whole_number
from baserate.class_counts import ClassTable
from baserate.counts import (
    CELLS,
    ConfusionMatrix,
    as_float,
    cells_from_rates,
    reweighted,
    single_table,
    some_table,
)
from baserate.errors import InvalidArgumentError, UnknownNameError
from baserate.metrics._identity import ByFacts, Call, is_exported, made_by, reduced

Formula = Callable[[Any, Any, Any, Any], Any]
Direction = Literal["higher", "lower", "neither"]
Shape = Literal[
    "constant",
    "increasing",
    "decreasing",
    "affine",
    "concave",
    "monotone",
    "unimodal",
    "unknown",
]
Trend = Literal["increasing", "decreasing", "constant", "unknown"]
Lumps = tuple[tuple[str, ...], tuple[str, ...]]
CHOICES = MappingProxyType({"direction": Direction, "chance_shape": Shape, "trend_in_fp": Trend})

# What it means that a sum of counts is zero, in the order in which reasons are given.
EMPTY = MappingProxyType(
    {
        "tp+fn+fp+tn": "no cases",
        "tp+fn": "no positives",
        "fp+tn": "no negatives",
        "tp+fp": "nothing predicted positive",
        "fn+tn": "nothing predicted negative",
        "tp": "no true positives",
        "fn": "no false negatives",
        "fp": "no false positives",
        "tn": "no true negatives",
        "fn+fp": "no errors",
        "tp+tn": "no right predictions",
        "tp+fn+fp": "no positives, neither true nor predicted",
        "fn+fp+tn": "no negatives, neither true nor predicted",
    }
)
# Sums that both margins tell; any three cells contain one of them.
_MARGINS = [{"tp", "fn"}, {"fp", "tn"}, {"tp", "fp"}, {"fn", "tn"}]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Metric(ByFacts):
    """A function of four counts, and what is known about it.

    Call it on a table: ``metric(table)`` is a float, or an array for a batch of tables, and nan
    exactly where a denominator of its definition is zero. Every fact below is measured by a law
    over all tables with up to twelve cases.

    Attributes
    ----------
    name, synonyms : str, tuple of str
        The field's full term; letters and other fields' names are synonyms that `get` accepts.
    definition, meaning : str
        The formula as text; what it measures, in one line.
    formula : callable of (tp, fn, fp, tn)
        Only + - * / sqrt and `ratio`, so that complex steps differentiate it.
    bounds : (float, float)
    best : float or None
        The value of the perfect table; None if it depends on the table, nan if undefined there.
    direction : {"higher", "lower", "neither"}
    undefined_if_zero : tuple of str
        Sums of counts such as "tp+fp"; where one of them is zero, the metric is undefined.
    undefined_also : callable or None
        A further undefined set that no sum describes. For a user's metric without declared sums it
        is where the formula is nan.
    undefined_multiples : callable or None
        What that further set is, where it is regular: takes both class totals and gives (k, tp),
        such that the undefined tables are those with j k predicted positives and j tp true
        positives, j = 0, 1, 2, ...
    undefined_count : callable or None
        Closed form of the number of undefined tables of size n, if sums do not give it.
    increases_with_rates : bool
        Strictly increasing in recall and in specificity, while both lie strictly between 0 and 1.
    linear_in_rates : bool
        a recall + b specificity + c with coefficients that depend on the class totals only.
    affine_in_tp : bool
        a tp + b once both margins are held fixed, wherever the metric is defined.
    chance : float or None
        Expected value under guessing, if that is the same number for all class totals and guesses.
    chance_shape : str
        Shape of the expected value under guessing, as a function of the number predicted positive;
        "monotone" rises or falls depending on the base rate, and has its extremes at the ends;
        "unimodal" rises to its top, and falls from there.
    trend_in_fp : {"increasing", "decreasing", "constant", "unknown"}
        With tp, fn and fp + tn held fixed.
    scale_invariant : bool
        Multiplying all counts by one number changes nothing.
    depends_on_base_rate : bool
        Whether the base rate matters once recall and specificity are given.
    proportion : (tuple of str, tuple of str) or None
        Cells counted as successes and as failures, if the metric is successes / (both).
    lumps : (tuple of str, tuple of str) or None
        Two sets of cells whose sums decide the value, given the number of cases: it never falls
        as cases move from the second to the first, and can be undefined only where one of the two
        is empty, or for all ways to split their total. A proportion has its own cells as lumps.
    class_swap, transpose : str or None
        The metric with this one's value when classes, or truth and prediction, trade places.
    parameters : mapping
    reference : str
    made_by : tuple or None
        The function that made the metric and its arguments by name, if these make it again.
    several : ClassMetric or None
        The form that it has for several classes.
    """

    name: str
    definition: str
    meaning: str
    formula: Formula
    bounds: tuple[float, float]
    direction: Direction
    undefined_if_zero: tuple[str, ...] = ()
    undefined_also: Formula | None = None
    undefined_multiples: Callable[[int, int], tuple[int, int]] | None = field(
        default=None, repr=False
    )
    undefined_count: Callable[[int], int] | None = None
    best: float | None = None
    increases_with_rates: bool = False
    linear_in_rates: bool = False
    affine_in_tp: bool = False
    chance: float | None = None
    chance_shape: Shape = "unknown"
    trend_in_fp: Trend = "unknown"
    scale_invariant: bool = True
    depends_on_base_rate: bool = True
    proportion: Lumps | None = None
    lumps: Lumps | None = None
    class_swap: str | None = None
    transpose: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    synonyms: tuple[str, ...] = ()
    reference: str = ""
    made_by: Call | None = field(default=None, init=False)
    several: Any = field(default=None, init=False)

    def __post_init__(self) -> None:
        for fact, choices in CHOICES.items():
            one_of(fact, getattr(self, fact), choices)
        cells = {cell for total in self.undefined_if_zero for cell in total.split("+")}
        if not cells <= set(CELLS):
            rule = "must hold sums of tp, fn, fp, tn"
            remedy = 'write for example ("tp+fp",)'
            raise InvalidArgumentError.from_rule(
                "undefined_if_zero", rule, self.undefined_if_zero, remedy
            )
        if self.lumps is None:
            object.__setattr__(self, "lumps", self.proportion)
        elif not _apart(self.lumps):
            rule = "must be two sets of cells that share none of tp, fn, fp, tn"
            remedy = 'write for example (("tp",), ("fn", "fp"))'
            raise InvalidArgumentError.from_rule("lumps", rule, self.lumps, remedy)

    def __call__(self, table: ConfusionMatrix | ClassTable) -> Any:
        """Return the value at a table; a float, or an array for a batch.

        Of a table of several classes too, if the metric has a form for these, as the accuracy has.
        """
        if isinstance(table, ClassTable):
            return self.for_classes()(table)
        some_table("table", table)
        # Scalars, of one table, are added and divided faster than arrays without a dimension.
        cells = [np.float64(x) if isinstance(x, int | float) else as_float(x) for x in table]
        try:
            with np.errstate(under="raise", over="raise"):
                return plain(np.asarray(self._of_cells(cells)))
        except FloatingPointError:
            refuse_far_apart(self.name, cells)
        return plain(np.asarray(self._of_cells(cells)))

    def _of_cells(self, cells: list[Any]) -> Any:
        return self.formula(*(in_range(cells) if self.scale_invariant else cells))

    def __copy__(self) -> "Metric":
        return self

    def __deepcopy__(self, memo: Any) -> "Metric":
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        return reduced(self, protocol)

    @property
    def decided_by_margins(self) -> bool:
        """Whether both margins together decide if it is defined."""
        return self.undefined_also is None and _by_margins(self.undefined_if_zero)

    def for_classes(self) -> Any:
        """Return the form that it has for several classes, or say how to average it."""
        if self.several is not None:
            return self.several
        named = self.made_by is not None or is_exported(self)
        example = f'"macro_{self.name}"' if named else f"baserate.metrics.average({self.name})"
        raise UnknownNameError(
            f"{self.name} is a metric of two classes. For several classes average it, for example "
            f"{example}, or ask it of one class, table.one_vs_rest(label)."
        )

    def at_rates(self, *, recall: Any, specificity: Any, base_rate: Any, n: Any = 1) -> Any:
        """Return the value in the coordinates recall, specificity and base rate (broadcast)."""
        return self(
            ConfusionMatrix.from_rates(
                recall=recall, specificity=specificity, base_rate=base_rate, n=n
            )
        )

    def on_rates(self, recall: Any, false_positive_rate: Any, base_rate: Any, n: Any = 1) -> Any:
        """Return the formula at unchecked rates, complex ones included."""
        return self.formula(*cells_from_rates(recall, false_positive_rate, base_rate, n))

    def perfect(self, n_positive: Any, n_negative: Any) -> Any:
        """Return the value of the table without errors, for these class totals."""
        return self(ConfusionMatrix(tp=n_positive, fn=0, fp=0, tn=n_negative))

    def undefined(self, table: ConfusionMatrix) -> Any:
        """Return where the metric is undefined, decided on the counts alone."""
        some_table("table", table)
        cells: dict[str, Any] = dict(zip(CELLS, table, strict=True))
        if not table.shape and self.undefined_also is None:  # as asked most often
            sums = (sum(cells[c] for c in total.split("+")) for total in self.undefined_if_zero)
            return any(found == 0 for found in sums)
        where = np.zeros(table.shape, dtype=bool)
        for total in self.undefined_if_zero:
            where = where | np.equal(sum(cells[c] for c in total.split("+")), 0)
        if self.undefined_also is not None:
            where = where | self.undefined_also(*(np.asarray(c, dtype=np.float64) for c in table))
        return plain(where)

    def undefined_reason(self, table: ConfusionMatrix) -> str | None:
        """Say in words why a single table has no value, or return None if it has one."""
        if not self.undefined(single_table("table", table)):
            return None
        cells: dict[str, Any] = dict(zip(CELLS, table, strict=True))
        zero = {t for t in self.undefined_if_zero if not sum(cells[c] for c in t.split("+"))}
        if not table.n:
            return "no cases"
        words = [f"{EMPTY[t]} ({t.replace('+', ' + ')} = 0)" for t in EMPTY if t in zero]
        return words[0] if words else f"a denominator of {self.definition} is 0"

    def count_undefined(self, n: int) -> int | None:
        """Return how many of the tables of size n are undefined; None if no closed form is known.

        By inclusion and exclusion over `undefined_if_zero`: C(n + z - 1, z - 1) tables of size n
        have only z given cells that may be non-zero.
        """
        n = whole_number("n", n)
        if self.undefined_count is not None:
            return self.undefined_count(n)
        if self.undefined_also is not None:
            return None
        return sum(sign * _tables(n, free) for sign, free in self._overlaps())

    def at_base_rate(self, base_rate: float) -> "Metric":
        """Derive the metric restated at another base rate; 1/2 gives the balanced metrics.

        Its value is this metric's at the table whose classes are reweighted to the base rate, so it
        is also undefined where a class is empty. A metric on which the base rate has no influence,
        such as recall, or one that is restated already, stays as it is. Facts are derived.

        Parameters
        ----------
        base_rate : float
            In (0, 1).

        Examples
        --------
        >>> from baserate import ConfusionMatrix, metrics
        >>> t = ConfusionMatrix(tp=6, fn=4, fp=18, tn=72)
        >>> metrics.precision(t), metrics.precision.at_base_rate(0.5)(t)
        (0.25, 0.75)
        """
        return _at_base_rate(self, number_in("base_rate", base_rate, "(0, 1)", "pass a share"))

    def _overlaps(self) -> list[tuple[int, int]]:
        """Return (sign, number of cells left free) for every non-empty set of undefined sums."""
        sums = [frozenset(total.split("+")) for total in self.undefined_if_zero]
        return [
            ((-1) ** (size + 1), 4 - len(frozenset[str]().union(*chosen)))
            for size in range(1, len(sums) + 1)
            for chosen in combinations(sums, size)
        ]


def _apart(lumps: Lumps) -> bool:
    """Whether these are two non-empty sets of cells without one in common."""
    cells = [cell for lump in lumps for cell in lump]
    return len(lumps) == 2 and all(lumps) and len(set(cells) & set(CELLS)) == len(cells)


@cache
def _by_margins(totals: tuple[str, ...]) -> bool:
    sums = [set(total.split("+")) for total in totals]
    return all(len(cells) > 2 or cells in _MARGINS for cells in sums)


def show(number: float) -> str:
    """Write a parameter as short as it round-trips: 2.0 as 2."""
    return repr(int(number)) if number == int(number) else repr(number)


def _tables(n: int, free: int) -> int:
    return comb(n + free - 1, free - 1) if free else int(n == 0)


def _at_base_rate(metric: Metric, base_rate: float) -> Metric:
    if "base_rate" in metric.parameters:  # restated already: only recall and specificity are left
        return metric
    restated = _restated(metric, base_rate)
    return made_by(restated, _at_base_rate, {"metric": metric, "base_rate": base_rate})


def _restated(metric: Metric, pi: float) -> Metric:
    facts: dict[str, Any] = {
        "name": f"{metric.name}.at_base_rate({show(pi)})",
        "synonyms": (),
        "parameters": {**metric.parameters, "base_rate": pi},
        "class_swap": metric.class_swap
        and f"{metric.class_swap}.at_base_rate({show(round(1 - pi, 15))})",
        "transpose": None,
    }
    if not metric.depends_on_base_rate:
        return replace(metric, **facts)
    also, linear = metric.undefined_also, metric.linear_in_rates
    chance = _constant_chance(metric, pi) if linear else None
    return replace(
        metric,
        **facts,
        definition=f"{metric.definition}, at base rate {show(pi)}",
        meaning=f"{metric.meaning.rstrip('.')}, restated at a base rate of {show(pi)}.",
        formula=_reweighting(metric.formula, pi),
        undefined_if_zero=tuple(dict.fromkeys((*metric.undefined_if_zero, "tp+fn", "fp+tn"))),
        undefined_also=also and _reweighting(also, pi),
        undefined_multiples=None,
        undefined_count=None,
        best=_best_at(metric, pi),
        affine_in_tp=linear,
        chance=chance,
        chance_shape=_shape_at(metric, chance),
        depends_on_base_rate=not metric.scale_invariant,
        proportion=None,
        lumps=None,
    )


def _shape_at(metric: Metric, chance: float | None) -> Shape:
    """Return the shape of what guessing scores once the classes are reweighted.

    A share of one margin, such as precision, becomes a ratio of two linear functions of itself,
    convex or concave; and the share among cases drawn blindly is a reverse martingale, so that the
    mean of a convex function of it falls as more are drawn, and that of a concave one rises.
    """
    if metric.linear_in_rates:
        return "affine" if chance is None else "constant"
    margins = {frozenset({"tp", "fp"}), frozenset({"fn", "tn"})}
    share = metric.proportion and frozenset(metric.proportion[0] + metric.proportion[1])
    return "monotone" if share in margins else "unknown"


def _reweighting(formula: Formula, pi: float) -> Formula:
    return lambda tp, fn, fp, tn: formula(*reweighted(tp, fn, fp, tn, pi))


def _constant_chance(metric: Metric, pi: float) -> float | None:
    """Return what guessing scores if it is the same for every guess, judged by the two extremes."""
    ends = metric.at_rates(recall=[0, 1, 0, 1], specificity=[1, 0, 0, 1], base_rate=pi)
    never, always, *_ = map(float, ends)
    same = metric.scale_invariant and abs(never - always) <= TIE * np.abs(ends).max()
    return never if same else None


def _best_at(metric: Metric, pi: float) -> float | None:
    if metric.best is not None or not metric.scale_invariant:
        return metric.best
    return float(metric.perfect(pi, 1 - pi))

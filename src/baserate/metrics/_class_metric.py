"""A metric of several classes: a function of a class table with its facts attached."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arith import EXTREME, plain, ratio
from baserate.cases.values import in_order
from baserate.class_counts import ClassTable, single_class_table, some_class_table
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError
from baserate.metrics._identity import ByFacts
from baserate.metrics._metric import Direction, Metric

WHOLE = 2**53  # up to here floats hold every whole number

Cells = NDArray[np.float64]  # of shape (..., K, K), truth in rows
Counts = NDArray[np.float64]  # of shape (..., K), one number per class
OfCells = Callable[[Cells], Any]
OfMargins = Callable[[Counts, Counts, Counts], Any]
Weights = Callable[[int], NDArray[np.float64]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ClassMetric(ByFacts):
    """A function of the counts of several classes, and what is known about it.

    Call it on a class table: ``metric(table)`` is a float, or an array for a batch of tables, and
    nan where it is undefined. Every fact is measured by a law over all tables of up to six cases
    and three classes.

    Attributes
    ----------
    name, synonyms : str, tuple of str
    definition, meaning : str
        The formula as text; what it measures, in one line.
    of_cells : callable of an array of shape (..., K, K), or None
    of_margins : callable of (hits, class counts, predicted counts), each of shape (..., K), or None
        Nearly all metrics need nothing but `of_margins`, which costs K numbers instead of K². Where
        both are there, sums of weights and counts beyond 2^53 are read cell by cell: differences of
        rounded margins lose small parts of the table, or hide that they are empty.
    two_classes : Metric or None
        The metric of four counts that it is where there are two classes, whichever is positive.
    part, kind, undefined_classes : Metric, str, str; or None
        Of an average over classes: of what, "macro", "micro" or "weighted", and what becomes of
        classes in which that is undefined: "propagate" (no value) or "omit".
    weights : callable of K, or None
        The array w of shape (K, K) of a metric that is Σ w[i, j] n[i, j] / n, a mean over cases.
    prior : callable of K, or None
        What the law of such a mean adds to the counts, of shape (K, K), where some cells hold no
        cases whatever happens; None for half a case for all hits and half a case for all errors.
    weighs_errors : bool
        Whether some errors count more than others, as in weighted kappa: then the prior of its law
        is half a case for all errors together, and not for those of each class.
    of_hits : bool
        Whether the class totals of truth and prediction leave nothing open but how many cases are
        right in all; where it is no average, each more of these is better.
    chance : float or None
        What guessing scores in expectation, if that is one number for all classes and guesses.
    bounds : (float, float)
    best : float
        The value of a table without errors in which all classes occur; nan if that depends on the
        table.
    direction : {"higher", "lower", "neither"}
    scale_invariant : bool
        Multiplying all counts by one number changes nothing.
    transpose : str or None
        The metric that it is when truth and prediction trade places.
    parameters : mapping of plain values
    reference : str
    """

    name: str
    definition: str
    meaning: str
    of_cells: OfCells | None = None
    of_margins: OfMargins | None = None
    two_classes: Metric | None = None
    part: Metric | None = None
    kind: str | None = None
    undefined_classes: str | None = None
    weights: Weights | None = None
    prior: Weights | None = None
    weighs_errors: bool = False
    of_hits: bool = False
    chance: float | None = None
    bounds: tuple[float, float] = (0.0, 1.0)
    best: float = 1.0
    direction: Direction = "higher"
    scale_invariant: bool = True
    transpose: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    synonyms: tuple[str, ...] = ()
    reference: str = ""

    @property
    def linear_in_rates(self) -> bool:
        """Whether sums of weights tell what guessing scores: a mean, or one number."""
        return self.chance is not None or self.weights is not None or self.of_lines

    @property
    def of_lines(self) -> bool:
        """Whether it averages what is linear in the rates of each class, as recall is."""
        return self.part is not None and self.part.linear_in_rates and self.kind != "micro"

    def __call__(self, table: ClassTable) -> Any:
        """Return the value at a table; a float, or an array for a batch."""
        some_class_table("table", table)
        if self.weighs_errors and _by_alphabet(tuple(table.labels)):
            rule = f"must have its classes in order for {self.name}"
            remedy = (
                'name them so that the alphabet orders them ("grade 02"), or pass table.reorder'
            )
            raise InvalidArgumentError.from_rule("table", rule, list(table.labels), remedy)
        if self.scale_invariant:
            table = _in_range(table)
        two = self.form_of(table.n_classes)
        if two is not None:
            return two(_second_class(table))
        if self.of_cells is not None and (self.of_margins is None or _margins_round(table)):
            return plain(np.asarray(self.of_cells(np.asarray(table.counts, dtype=float))))
        return self.at_margins(table.hits, table.class_counts, table.predicted_counts)

    def at_margins(self, hits: Any, class_counts: Any, predicted_counts: Any) -> Any:
        """Return the value at these hits and margins, each of shape (..., K).

        Of metrics with `of_margins` only.
        """
        assert self.of_margins is not None
        sides = [np.asarray(x, dtype=float) for x in (hits, class_counts, predicted_counts)]
        two = self.form_of(sides[0].shape[-1])
        if two is not None:
            return two(_of_two(*sides[:2]))
        return plain(np.asarray(self.of_margins(*sides)))

    def for_classes(self) -> "ClassMetric":
        """Return the metric itself, as a metric of two classes returns its form."""
        return self

    def form_of(self, n_classes: int) -> Metric | None:
        """Return the metric of four counts that it is of so many classes, if it is one."""
        return self.two_classes if n_classes == 2 else None

    def undefined_reason(self, table: ClassTable) -> str | None:
        """Say in words why a single table has no value, or return None if it has one."""
        if not np.isnan(self(single_class_table("table", table))):
            return None
        if not table.n:
            return "no cases"
        if self.part is not None and self.kind == "micro":
            tp, fn, fp, tn = (np.sum(cell) for cell in table.one_vs_rest())
            summed = ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn)
            return f"{self.part.undefined_reason(summed)}, over all classes"
        if self.part is not None:
            return _undefined_in(self.part, table, of_weight=self.kind == "weighted")
        some = _one_class(table) or _lacking(table)
        return some or f"a denominator of {self.definition} is 0"


def one_vs_rest(hits: Counts, class_counts: Counts, predicted_counts: Counts) -> ConfusionMatrix:
    """Return the tables of each class against the rest, a batch of shape (..., K)."""
    n = class_counts.sum(-1, keepdims=True)
    fn, fp = (np.maximum(side - hits, 0) for side in (class_counts, predicted_counts))
    tn = np.maximum(n - class_counts - fp, 0)
    return ConfusionMatrix(tp=hits, fn=fn, fp=fp, tn=tn)


def listed(labels: list[str]) -> str:
    """Write labels for a reason, no more than five of them."""
    shown = ", ".join(labels[:5])
    return shown if len(labels) <= 5 else f"{shown} and {len(labels) - 5} more"


@lru_cache(64)
def _by_alphabet(labels: tuple[Any, ...]) -> bool:
    """Whether numbers in the labels stand in another order, that of the alphabet."""
    texts = all(isinstance(label, str) for label in labels)
    in_turn = [label for (label,) in in_order((label,) for label in labels)]
    return texts and list(labels) == sorted(labels) and list(labels) != in_turn


def _margins_round(table: ClassTable) -> bool:
    return table.counts.dtype.kind == "f" or bool(np.any(np.asarray(table.n) > WHOLE))


def _in_range(table: ClassTable) -> ClassTable:
    """Scale tables of huge or tiny weights by a power of two, so that no product overflows."""
    if table.counts.dtype.kind != "f":
        return table
    _, power = np.frexp(table.counts.max((-2, -1), keepdims=True))
    power = np.where(np.abs(power) > EXTREME, power, 0)
    return ClassTable(np.ldexp(table.counts, -power), table.labels) if np.any(power) else table


def _second_class(table: ClassTable) -> ConfusionMatrix:
    """Return the table of two classes with its own cells; the second is positive, as 1 of 0, 1."""
    cells = table.counts
    return ConfusionMatrix(
        tp=cells[..., 1, 1], fn=cells[..., 1, 0], fp=cells[..., 0, 1], tn=cells[..., 0, 0]
    )


def _of_two(hits: Counts, class_counts: Counts) -> ConfusionMatrix:
    """Return that table from hits: differences of all class totals would lose digits."""
    tn, tp = np.moveaxis(hits, -1, 0)
    fp, fn = np.moveaxis(np.maximum(class_counts - hits, 0), -1, 0)
    return ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn)


def _undefined_in(part: Metric, table: ClassTable, *, of_weight: bool) -> str:
    every = table.one_vs_rest()
    lacking = np.asarray(part.undefined(every))
    if of_weight:
        lacking = lacking & (table.class_counts > 0)
    reasons: dict[str, list[str]] = {}
    for k in np.flatnonzero(lacking).tolist():
        why = part.undefined_reason(every[..., k]) or "undefined"
        reasons.setdefault(why, []).append(str(table.labels[k]))
    each = (f"{why} in {listed(labels)}" for why, labels in reasons.items())
    return f"{part.name} is undefined: {'; '.join(each)}"


def _one_class(table: ClassTable) -> str | None:
    """Say on which side there is one class only."""
    found: list[str] = []
    for side, counts in (("true", table.class_counts), ("predicted", table.predicted_counts)):
        there = np.flatnonzero(counts)
        if len(there) == 1:
            found.append(f"only class {table.labels[int(there[0])]} is {side}")
    return " and ".join(found) or None


def _lacking(table: ClassTable) -> str | None:
    """Say which classes have no cases, and which are never predicted."""
    found: list[str] = []
    for counts, what in (
        (table.class_counts, "no cases of class"),
        (table.predicted_counts, "no predictions of class"),
    ):
        labels = [str(table.labels[k]) for k in np.flatnonzero(counts == 0).tolist()]
        if labels:
            found.append(f"{what}{'es' if len(labels) > 1 else ''} {listed(labels)}")
    return " and ".join(found) or None


MEANINGS = {
    "macro": "Mean over the classes, each counting the same, of: {}",
    "micro": "Of all classes' tables added up: {}",
    "weighted": "Mean over the classes, each counting as often as it occurs, of: {}",
}


def averaged(part: Metric, how: str, policy: str) -> ClassMetric:
    """Return the average over classes of a metric of four counts."""
    formula, named = _Average(part, how, policy), ".defined" if policy == "omit" else ""
    turned = part.transpose if how != "weighted" else None  # by class counts, not by predictions
    return ClassMetric(
        name=f"{how}_{part.name}{named}",
        definition=_definition(part, how, policy),
        meaning=MEANINGS[how].format(part.meaning),
        of_margins=OneVsRest(formula),
        of_cells=OneVsRestCells(formula),
        part=part,
        kind=how,
        undefined_classes=None if how == "micro" else policy,
        of_hits=how == "micro",
        bounds=part.bounds,
        best=float("nan") if part.best is None else part.best,
        direction=part.direction,
        chance=_chance(part, how),
        scale_invariant=part.scale_invariant,
        transpose=f"{how}_{turned}{named}" if turned else None,
        parameters={} if policy == "propagate" else {"undefined": policy},
    )


def for_two_and_several(form: ClassMetric) -> ClassMetric:
    """Let the metric of two classes that a metric of several is of two know it."""
    object.__setattr__(form.two_classes, "several", form)
    return form


def _definition(part: Metric, kind: str, policy: str) -> str:
    if kind == "micro":
        return f"{part.definition}, of the sums over classes"
    weight = "each class alike" if kind == "macro" else "by class counts"
    left_out = ", where it is defined" if policy == "omit" else ""
    return f"mean over classes{left_out}, {weight}, of {part.definition}"


@dataclass(frozen=True, slots=True)
class _Average:
    """The formula of an average; a class, so that it can be pickled."""

    part: Metric
    kind: str
    policy: str

    def __call__(self, every: ConfusionMatrix) -> Any:
        if self.kind == "micro":
            tp, fn, fp, tn = (np.sum(cell, -1) for cell in every)
            return self.part(ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn))
        values = np.asarray(self.part(every))
        weight = np.ones_like(values) if self.kind == "macro" else _scaled(every.n_positive)
        counts = weight > 0
        if self.policy == "omit":
            counts = counts & ~np.isnan(values)
        used = np.where(counts, weight, 0.0)
        return ratio(np.where(counts, values * weight, 0.0).sum(-1), used.sum(-1))


def _scaled(class_counts: Counts) -> Counts:
    """Scale weights by a power of two, so that their products with values do not overflow."""
    _, power = np.frexp(class_counts.max(-1, keepdims=True))
    return np.ldexp(class_counts, -power)


def _chance(part: Metric, kind: str) -> float | None:
    """Return the mean of constant chances, if the class totals decide which classes have a value.

    Of a micro average the totals are those of all classes, of which no chance is known.
    """
    return part.chance if part.decided_by_margins and kind != "micro" else None


@dataclass(frozen=True, slots=True)
class OneVsRest:
    """A formula of the tables of each class against the rest; a class, to be pickled."""

    formula: Callable[[ConfusionMatrix], Any]

    def __call__(self, hits: Counts, class_counts: Counts, predicted_counts: Counts) -> Any:
        return self.formula(one_vs_rest(hits, class_counts, predicted_counts))


@dataclass(frozen=True, slots=True)
class OneVsRestCells:
    """The same of whole tables, for weights: differences of their margins lose what is small."""

    formula: Callable[[ConfusionMatrix], Any]

    def __call__(self, cells: Cells) -> Any:
        return self.formula(ClassTable(cells).one_vs_rest())

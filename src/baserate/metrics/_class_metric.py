"""A metric of several classes: a function of a class table with its facts attached."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arith import plain
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix
from baserate.metrics._metric import Direction, Metric

Cells = NDArray[np.float64]  # of shape (..., K, K), truth in rows
Counts = NDArray[np.float64]  # of shape (..., K), one number per class
OfCells = Callable[[Cells], Any]
OfMargins = Callable[[Counts, Counts, Counts], Any]
Weights = Callable[[int], NDArray[np.float64]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassMetric:
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
        One of the two is there; nearly all metrics need nothing but `of_margins`, which costs K
        numbers instead of K².
    two_classes : Metric or None
        The metric of four counts that it is where there are two classes, whichever is positive.
    part, kind, undefined_classes : Metric, str, str; or None
        Of an average over classes: of what, "macro", "micro" or "weighted", and what becomes of
        classes in which that is undefined: "propagate" (no value) or "omit".
    weights : callable of K, or None
        The array w of shape (K, K) of a metric that is Σ w[i, j] n[i, j] / n, a mean over cases.
    chance : float or None
        What guessing scores in expectation, if that is one number for all classes and guesses.
    bounds : (float, float)
    best : float
        The value of a table without errors in which all classes occur.
    direction : {"higher", "lower", "neither"}
    parameters : mapping
    reference : str
    """

    name: str
    definition: str
    meaning: str
    of_cells: OfCells | None = field(default=None, repr=False)
    of_margins: OfMargins | None = field(default=None, repr=False)
    two_classes: Metric | None = field(default=None, repr=False)
    part: Metric | None = field(default=None, repr=False)
    kind: str | None = None
    undefined_classes: str | None = None
    weights: Weights | None = field(default=None, repr=False)
    chance: float | None = None
    bounds: tuple[float, float] = (0.0, 1.0)
    best: float = 1.0
    direction: Direction = "higher"
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    synonyms: tuple[str, ...] = ()
    reference: str = ""

    def __call__(self, table: ClassTable) -> Any:
        """Return the value at a table; a float, or an array for a batch."""
        if self.two_classes is not None and table.n_classes == 2:
            return self.two_classes(table.one_vs_rest(table.labels[0]))
        if self.of_margins is not None:
            return self.at_margins(table.hits, table.class_counts, table.predicted_counts)
        assert self.of_cells is not None
        return plain(np.asarray(self.of_cells(np.asarray(table.counts, dtype=float))))

    def at_margins(self, hits: Any, class_counts: Any, predicted_counts: Any) -> Any:
        """Return the value at these hits and margins, each of shape (..., K).

        Of metrics with `of_margins` only.
        """
        assert self.of_margins is not None
        sides = (np.asarray(x, dtype=float) for x in (hits, class_counts, predicted_counts))
        return plain(np.asarray(self.of_margins(*sides)))

    def undefined_reason(self, table: ClassTable) -> str | None:
        """Say in words why a single table has no value, or return None if it has one."""
        if not np.isnan(self(table)):
            return None
        if not table.n:
            return "no cases"
        if self.part is not None and self.kind != "micro":
            return _undefined_in(self.part, table)
        side = "true" if (table.class_counts > 0).sum() < 2 else "predicted"
        return f"only one class is {side}"

    def __repr__(self) -> str:
        return f"<ClassMetric {self.name} = {self.definition}>"

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClassMetric):
            return NotImplemented
        same = (self.name, self.part, self.kind) == (other.name, other.part, other.kind)
        return same and _equal(self.parameters, other.parameters)


def one_vs_rest(hits: Counts, class_counts: Counts, predicted_counts: Counts) -> ConfusionMatrix:
    """Return the tables of each class against the rest, a batch of shape (..., K)."""
    n = class_counts.sum(-1, keepdims=True)
    fn, fp = (np.maximum(side - hits, 0) for side in (class_counts, predicted_counts))
    tn = np.maximum(n - class_counts - fp, 0)
    return ConfusionMatrix(tp=hits, fn=fn, fp=fp, tn=tn)


def _undefined_in(part: Metric, table: ClassTable) -> str:
    every = table.one_vs_rest()
    where = np.flatnonzero(part.undefined(every))
    reasons: dict[str, list[str]] = {}
    for k in where.tolist():
        why = part.undefined_reason(every[..., k]) or "undefined"
        reasons.setdefault(why, []).append(str(table.labels[k]))
    each = (f"{why} in {_listed(labels)}" for why, labels in reasons.items())
    return f"{part.name} is undefined: {'; '.join(each)}"


def _listed(labels: list[str]) -> str:
    shown = ", ".join(labels[:5])
    return shown if len(labels) <= 5 else f"{shown} and {len(labels) - 5} more"


def _equal(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(one[k], other[k]) for k in one)

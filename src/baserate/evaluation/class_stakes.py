"""Utilities of several classes as the data have them, and what tables of decisions earn.

Yields and constant decisions are summed in fractions and rounded once, so that a classifier that
decides as a constant decision does is worth the same float.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import lcm, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate.cases.cases import Cases
from baserate.cases.labels import Codes, likeliest
from baserate.cases.scores import SUM
from baserate.cases.several_classes import ClassCases, ClassCounted
from baserate.cases.values import distinct, from_text, listed
from baserate.errors import InvalidArgumentError, LabelError
from baserate.evaluation.stakes import GivenStakes, same_label
from baserate.facts.stakes import ClassStakesFact, ClassWorthFact
from baserate.inference.bounded_law import DirichletLinear
from baserate.inference.class_comparison import yield_prior
from baserate.inference.class_design import class_laws
from baserate.inference.intervals import class_intervals
from baserate.metrics import ClassMetric
from baserate.metrics.class_weights import mean_utility, utility_of_decisions
from baserate.utilities.constant_decisions import best_rows
from baserate.utilities.exact_yields import exact

Floats = NDArray[np.float64]


class ClassStakes(NamedTuple):
    """Utilities whose columns are the classes of the data, in their order."""

    matrix: Floats
    decisions: tuple[Any, ...]
    classes: tuple[Any, ...]
    kind: Any = "utility"
    named: bool = False  # whether decisions have names of their own

    @classmethod
    def of(cls, given: GivenStakes, classes: Sequence[Any]) -> "ClassStakes":
        """Put the columns, and rows that are classes, into the order of the classes.

        Without utilities, every right decision counts 1.
        """
        labels = tuple(classes)
        if given.kind == "accuracy":
            return cls(np.eye(len(labels)), labels, labels, "accuracy")
        u = given.matrix
        matrix = u.one_matrix("a comparison")
        if u.n_classes != len(labels):
            shape = " x ".join(map(str, matrix.shape))
            rule = f"must have a column for each of the {len(labels)} classes {listed(labels)}"
            remedy = "write a row per decision and a column per class"
            raise InvalidArgumentError.about("utility", f"{rule}, got {shape}: {remedy}.")
        columns = list(range(u.n_classes)) if u.classes is None else _places(u.classes, labels)
        if own_names(given):
            return cls(matrix[:, columns], u.decision_names, labels, named=True)
        return cls(matrix[np.ix_(columns, columns)], labels, labels)

    def decide(self, scores: Floats, of: str = "score") -> Codes:
        """Decide for the highest expected utility, or the highest score; the first among equals."""
        if self.kind == "accuracy":
            return likeliest(scores)
        wrong = (scores < 0).any(axis=1) | (np.abs(scores.sum(axis=1) - 1) > SUM)
        if wrong.any():
            given = ", ".join(f"{one:g}" for one in scores[wrong][0])
            rule = f"needs probabilities that sum to one, to decide by expected utility ({of})"
            remedy = "pass such, or predictions"
            raise InvalidArgumentError.from_rule("utility", rule, given, remedy)
        return best_rows(scores @ (self.matrix - self.matrix.min(axis=0)).T)  # equal within 1e-12

    def fact(self, class_counts: Floats) -> ClassStakesFact:
        """Return the facts, with what constant decisions are worth at these counts of classes."""
        worth = [yield_of(row, class_counts) for row in self.matrix]
        best = worth.index(max(worth))
        shown = self.kind != "accuracy"
        return ClassStakesFact(
            kind=self.kind,
            matrix=tuple(map(tuple, self.matrix.tolist())) if shown else None,
            decisions=self.decisions,
            classes=self.classes,
            named=self.named,
            constants=dict(zip(self.decisions, worth, strict=True)),
            constant=self.decisions[best],
            constant_value=worth[best],
            perfect=yield_of(self.matrix.max(axis=0), class_counts),
        )

    def worth(self, cells: Floats, level: float, *, each: float = 1.0) -> ClassWorthFact:
        """Return what one classifier is worth, beside the best constant decision on its cases.

        A weight of one stands for so many effective cases as `each`.
        """
        value, alpha = yield_of(self.matrix, cells), cells * each + yield_prior(self.matrix)
        law = DirichletLinear(self.matrix.ravel(), alpha.ravel())
        low, high = law.interval(level)
        found = self.fact(cells.sum(axis=0))
        row = self.decisions.index(found.constant)
        gap, lead = found.perfect - found.constant_value, value - found.constant_value
        beats, reason = nan, "decides_constantly"
        if cells[row].sum() != cells.sum():
            gain = (self.matrix - self.matrix[row]).ravel()
            reason = None
            beats = float(DirichletLinear(gain, alpha.ravel()).sf(0.0))
        return ClassWorthFact(
            value=value,
            low=float(low),
            high=float(high),
            skill=lead / gap if gap > 0 else nan,
            beats_constant=beats,
            beats_reason=reason,
        )

    def worth_of(self, counted: ClassCounted, level: float) -> ClassWorthFact:
        """Return the same of counted cases, by their weights and by their clusters.

        With clusters, or replicate weights, the interval is that of the mean utility, and how
        surely the classifier earns more is Student's law of what it earns beyond the constant.
        """
        table, design = counted.table, counted.design
        each = counted.effective_n / table.n if table.n else 1.0
        cells = table.counts.T[np.ix_(*self._places(table.labels))]
        found = self.worth(cells, level, each=each)
        if design is None:
            return found
        row = self.decisions.index(self.fact(cells.sum(axis=0)).constant)
        beyond = self._replace(matrix=self.matrix - self.matrix[row])
        own, gain = self.metric(table.labels), beyond.metric(table.labels)
        [ends] = class_intervals(own, counted, confidence_level=level).values()
        beats, reason = nan, found.beats_reason
        if reason is None:
            [law], _ = class_laws([gain], table, design)
            beats, reason = law.above, law.reason
        return replace(
            found, low=ends.low, high=ends.high, beats_constant=beats, beats_reason=reason
        )

    def metric(self, labels: Sequence[Any]) -> ClassMetric:
        """Return the mean utility as a metric of tables of these labels, classes and decisions."""
        if not self.named:
            return mean_utility(self.matrix)
        return utility_of_decisions(
            self.matrix, *self._places(labels), prior=yield_prior(self.matrix)
        )

    def _places(self, labels: Sequence[Any]) -> tuple[list[int], list[int]]:
        """Return where decisions and classes stand among the labels of a table."""
        rows, columns = ([labels.index(x) for x in one] for one in (self.decisions, self.classes))
        return rows, columns


def yield_of(worth: Any, cells: Any) -> float:
    """Return the mean of utilities over cells, summed in fractions and rounded once; nan if empty.

    Examples
    --------
    >>> from baserate.evaluation.class_stakes import yield_of
    >>> yield_of([[0.1, 0.7], [0.2, 0.0]], [[1, 1], [1, 0]])
    0.3333333333333333
    """
    values, place = np.unique(np.asarray(worth, dtype=float), return_inverse=True)
    every = np.asarray(cells, dtype=float).ravel()
    sums: Floats = np.bincount(place.ravel(), every, len(values)).astype(float)
    known = sums != 0
    if not known.any():
        return nan
    prices, price_unit = _whole(values[known])
    amounts, _ = _whole(sums[known])
    total = sum(u * x for u, x in zip(prices, amounts, strict=True))
    return float(Fraction(total, price_unit * sum(amounts)))


def _whole(values: Floats) -> tuple[list[int], int]:
    """Return multiples of one unit fraction that are these numbers, which adds up fast."""
    if (values == np.rint(values)).all():
        return [int(x) for x in values.tolist()], 1
    parts = [exact(x).as_integer_ratio() for x in values.tolist()]
    unit = lcm(*(below for _, below in parts))
    return [above * (unit // below) for above, below in parts], unit


def fitted_to_counts(given: GivenStakes, counted: ClassCounted) -> tuple[ClassStakes, ClassCounted]:
    """Return utilities of the classes of a table, and the table with all classes they name."""
    u = given.matrix
    labels: tuple[Any, ...] = counted.table.labels
    if u.classes is not None:
        _refuse_strangers(u.classes, labels)
        labels = tuple(next((x for x in labels if same_label(x, c)), c) for c in u.classes)
    stakes = ClassStakes.of(given, labels)
    if len(stakes.decisions) != len(labels):
        shape = " x ".join(map(str, stakes.matrix.shape))
        rule = "must have a row for each class, since predictions hold classes here"
        remedy = "compare takes columns of decisions"
        raise InvalidArgumentError.about("utility", f"{rule}, got {shape}: {remedy}.")
    return stakes, counted.reorder(labels)


def own_names(given: GivenStakes) -> bool:
    """Whether decisions are no classes: other names, or another number of them."""
    u = given.matrix
    return u.n_decisions != u.n_classes or (u.decisions is not None and u.decisions != u.classes)


def classes_of(cases: Cases, given: GivenStakes) -> ClassCases:
    """Tell all classes apart, and decisions if utilities name such."""
    u = given.matrix
    if given.kind == "accuracy":
        return cases.classes()
    own = own_names(given) and not _all_classes(cases, given)
    if u.classes is not None:
        named = [cases.truth, *([] if own else cases.predictions.values())]
        _refuse_strangers(u.classes, (x for column in named for x in column.found().values()))
    names, truth = None, list(cases.truth.found().values())
    if u.classes is not None:  # in the order of the utilities, as the data write them
        names = tuple(next((x for x in truth if same_label(x, c)), c) for c in u.classes)
    try:
        return cases.classes(names, decisions=u.decision_names if own else None)
    except LabelError as error:
        raise LabelError(f"The utilities do not fit the labels: {error}") from None


def _refuse_strangers(names: Sequence[Any], labels: Iterable[Any]) -> None:
    """Refuse labels that the utilities do not name; 1.0 and "1" may be one label yet."""
    read = {from_text(name) for name in names} - {None}
    lost = [
        label
        for label in distinct(labels)
        if from_text(label) not in read and not any(same_label(label, name) for name in names)
    ]
    if lost:
        raise LabelError(
            f"The utilities name the classes {listed(names)}, but the data also hold "
            f"{listed(lost)}: name every class."
        )


def _all_classes(cases: Cases, given: GivenStakes) -> bool:
    """Whether predictions name classes, so that each stands for the decision in its row."""
    u = given.matrix
    if u.n_decisions != u.n_classes:
        return False
    truth = set(cases.truth.found().values()) | set(u.classes or ())
    every = {x for column in cases.predictions.values() for x in column.found().values()}
    return every <= truth


def _places(names: Sequence[Any], labels: Sequence[Any]) -> list[int]:
    found = [next((i for i, x in enumerate(names) if same_label(y, x)), -1) for y in labels]
    if -1 in found or len(set(found)) < len(found):
        raise LabelError(
            f"The utilities name the classes {listed(names)}, but the data hold {listed(labels)}: "
            "name the classes as the data do."
        )
    return found

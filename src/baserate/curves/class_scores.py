"""Cases with a score for each of several classes, and the areas under their ROC curves."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from math import nan, sqrt
from typing import Any, Literal, NamedTuple, Self, TypeVar

import numpy as np

from baserate._arrays import Array, Index, Mask
from baserate._checks import one_of, same_length
from baserate.cases.columns import check_order, column, is_device_array, to_host
from baserate.cases.counted import effective_size
from baserate.cases.encoder import Encoder
from baserate.cases.labels import Labels
from baserate.cases.scores import EDGE, SUM, has_columns
from baserate.cases.values import listed, order, plain_labels
from baserate.curves.area_spread import (
    AreaSpread,
    FurtherCase,
    ScoredSample,
    Sides,
    area_limits,
    placed,
)
from baserate.curves.bounded_means import compared_by
from baserate.curves.cut_points import Sweep, as_sweep, sweep
from baserate.curves.estimates import Estimate, ScoreComparison
from baserate.curves.scored_labels import read_weights
from baserate.errors import InvalidArgumentError, LabelError, MissingValueError

Answer = TypeVar("Answer")

RIGHT = "right"  # of cases that are what they are called

# What arguments have no meaning beside, and what to do instead.
ONE_COLUMN = ("the scores of one class", "pass one column of scores per class, or leave it out")
COLUMNS = ("scores of several classes", "leave it out, or pass the scores of one class")


@dataclass(frozen=True, slots=True, eq=False)
class ClassScores:
    """Cases with a score for each class."""

    labels: tuple[Any, ...]  # the classes, in the order of the columns
    truth: Index  # place of each case's class among the labels
    scores: Array  # (n, K)
    weights: Array  # ones without weights
    is_weighted: bool

    @classmethod
    def of(cls, y_true: Any, y_score: Any, labels: Any = None, sample_weight: Any = None) -> Self:
        """Read and align them, or say which labels, scores or columns do not fit."""
        check_order([("y_true", y_true), ("y_score", y_score), ("sample_weight", sample_weight)])
        told, scores = _labels(y_true), _numbers(y_score)
        same_length("y_score", len(scores), "y_true", len(told.codes))
        occurring = dict(sorted(told.found().items()))
        found = [*occurring.values()]
        names = _names_of_columns(labels, found, y_score, scores.shape[1])
        place = {label: k for k, label in enumerate(names)}
        if lost := [label for label in found if label not in place]:
            rule, remedy = "must hold every label that occurs", f"add {listed(lost)}"
            raise LabelError.from_rule("labels", rule, list(names), remedy)
        truth = np.zeros(len(told.labels), dtype=np.intp)
        truth[[*occurring]] = [place[label] for label in found]
        truth = truth[told.codes]
        weighted = sample_weight is not None
        weights = read_weights(sample_weight, len(truth)) if weighted else np.ones(len(truth))
        return cls(names, truth, scores, weights, weighted)

    @property
    def n_classes(self) -> int:
        """Number of classes, K."""
        return len(self.labels)

    @property
    def class_counts(self) -> Array:
        """Cases of each class, or the sum of their weights."""
        return np.asarray(np.bincount(self.truth, self.weights, self.n_classes), dtype=float)

    @property
    def shares(self) -> Array:
        """Share of each class among the cases."""
        return self.class_counts / self.weights.sum()

    @property
    def effective_n(self) -> float:
        """Kish's effective number of cases."""
        w = self.weights
        return effective_size(float(w.sum()), float(w @ w) if self.is_weighted else None)

    @property
    def of_truth(self) -> Array:
        """The score that each case has for its own class."""
        return self.scores[np.arange(len(self.truth)), self.truth]

    @property
    def absent(self) -> str | None:
        """Say which classes have no case of any weight."""
        none = [x for x, n in zip(self.labels, self.class_counts.tolist(), strict=True) if not n]
        return f"no cases of {listed(none)}" if none else None

    @property
    def are_probabilities(self) -> bool:
        """Whether the scores of every case are probabilities that sum to one."""
        p = self.scores
        inside = bool(((p >= -EDGE) & (p <= 1 + EDGE)).all())
        return inside and bool((np.abs(p.sum(axis=1) - 1) <= SUM).all())

    @property
    def confidence(self) -> tuple[Mask, Array]:
        """Whether the class of the highest score (the first of equals) is right, and that score."""
        highest = np.argmax(self.scores, axis=1)
        return highest == self.truth, self.scores[np.arange(len(highest)), highest]

    def against_the_rest(self, k: int) -> Sweep:
        """Return every cut of the scores of one class, which is positive."""
        return self._sweep(self.truth == k, self.scores[:, k])

    def of_confidence(self) -> Sweep:
        """Return every cut of the highest scores; positive are the cases that they are right of."""
        return replace(self._sweep(*self.confidence), positive=RIGHT)

    def _sweep(self, truth: Mask, scores: Array) -> Sweep:
        weights = self.weights if self.is_weighted else None
        return sweep(truth, scores, pos_label=True, sample_weight=weights)

    def check_probabilities(self) -> Self:
        """Return the same with rounding beyond 0 and 1 cut off, or say what is no probability."""
        p = self.scores
        wrong = (p < -EDGE) | (p > 1 + EDGE)
        if wrong.any():
            remedy = "pass probabilities, not scores"
            given = p[wrong].flat[0].item()
            raise InvalidArgumentError.from_rule("y_score", "must lie in [0, 1]", given, remedy)
        total = p.sum(axis=1)
        wrong = np.abs(total - 1) > SUM
        if wrong.any():
            rule, given = "must sum to one in each row", total[wrong][0].item()
            remedy = "pass the probabilities of all classes"
            raise InvalidArgumentError.from_rule("y_score", rule, given, remedy)
        return type(self)(
            self.labels, self.truth, np.clip(p, 0.0, 1.0), self.weights, self.is_weighted
        )


def refuse(scores: str, remedy: str, **given: Any) -> None:
    """Refuse arguments that have no meaning beside such scores."""
    for name, value in given.items():
        if value is not None:
            shown = value if isinstance(value, str) else type(value).__name__
            raise InvalidArgumentError.from_rule(
                name, f"has no meaning beside {scores}", shown, remedy
            )


def answer_of(
    of_one: Callable[[Sweep], Answer],
    of_several: Callable[[ClassScores], Any],
    data: tuple[Any, Any, Any, Any, Any],
) -> Answer | Any:
    """Answer by the scores of one class, which is the second of two columns, or of several.

    `data` are labels, scores, the classes of the columns, the positive label and weights.
    """
    y_true, y_score, labels, pos_label, sample_weight = data
    if not has_columns(y_score):
        refuse(*ONE_COLUMN, labels=labels)
        return of_one(as_sweep(y_true, y_score, pos_label, sample_weight))
    refuse(*COLUMNS, pos_label=pos_label)
    cases = ClassScores.of(y_true, y_score, labels, sample_weight)
    if cases.n_classes == 2:
        return of_one(cases.check_probabilities().against_the_rest(1))
    return of_several(cases)


def _labels(y_true: Any) -> Labels:
    """Return the label of each case, none of them missing."""
    labels = Encoder("y_true", column("y_true", y_true)).whole()
    if not len(labels.codes):
        raise LabelError("y_true holds no cases: pass at least one labelled case.")
    if gaps := int(np.count_nonzero(labels.missing())):
        raise MissingValueError.in_column("y_true", gaps)
    return labels


def _numbers(y_score: Any) -> Array:
    host = to_host("y_score", y_score) if is_device_array(y_score) else y_score
    try:
        given = np.asarray(host)  # numbers as text too
        scores = np.empty((0, 0)) if given.dtype.kind == "c" else given.astype(float)
    except Exception:  # noqa: BLE001  rows of other lengths, or a foreign object
        scores = np.empty((0, 0))
    if scores.ndim != 2 or scores.shape[1] < 2:
        rule = "must be an array of numbers with one column per class"
        given, remedy = type(y_score).__name__, "pass what predict_proba returns"
        raise InvalidArgumentError.from_rule("y_score", rule, given, remedy)
    gaps = int(np.isnan(scores).sum())
    if gaps:
        raise MissingValueError.in_column("y_score", gaps)
    return scores


def _names_of_columns(
    labels: Any, found: list[Any], y_score: Any, n_columns: int
) -> tuple[Any, ...]:
    """Return the label of each column: as given, as the frame calls them, or in order."""
    if labels is not None:
        names = plain_labels("labels", labels)
        if len(names) != n_columns or len(set(names)) != n_columns:
            rule = f"must name the {n_columns} columns of y_score, each once"
            raise LabelError.from_rule("labels", rule, list(names), "pass model.classes_")
        return names
    columns = tuple(getattr(y_score, "columns", ()))
    if columns and set(found) <= set(columns):
        return columns
    if len(found) != n_columns:
        rule = f"must name the {n_columns} columns of y_score"
        given = f"none, and y_true holds {listed(sorted(found, key=order))}"
        raise LabelError(f"labels {rule}, got {given}: pass labels, such as model.classes_.")
    return tuple(sorted(found, key=order))


Average = Literal["macro", "weighted"]
Contests = Literal["ovr", "ovo"]


def class_roc_auc(
    cases: ClassScores, level: float, average: str = "macro", multi_class: str = "ovr"
) -> Estimate:
    """Return the mean of the areas of several classes, and its interval; see `roc_auc`."""
    how, which = one_of("average", average, Average), one_of("multi_class", multi_class, Contests)
    known: dict[str, Any] = {"confidence_level": level, "chance": 0.5, "perfect": 1.0}
    if absent := cases.absent:
        return Estimate(value=nan, reason=absent, **known)
    contests = _against_the_rest if which == "ovr" else _of_pairs
    areas = contests(cases, weighted=how == "weighted")
    value, *reached = _reached(areas, cases, (1 - level) / 2)
    down, up = map(_length, reached)
    low, high = max(0.0, value - down), min(1.0, value + up)
    return Estimate(value=value, low=low, high=high, route="asymptotic", **known)


def compare_class_areas(a: ClassScores, b: ClassScores, level: float) -> ScoreComparison:
    """Compare the mean areas, each class against the rest, of two scores of the same cases.

    As Zou and Donner (2008), doi:10.1002/sim.3095, join two intervals: down to where A reaches down
    and B up, less what both do of the same cases. What an unseen case does to A says nothing of
    what it does to B.
    """
    if absent := a.absent:
        return ScoreComparison(
            difference=nan, reason=absent, p_value_reason=absent, confidence_level=level
        )
    first, second = ([*_against_the_rest(x, weighted=False)] for x in (a, b))
    n = len(a.truth)

    def apart(one: Array, other: Array) -> float:
        unseen = np.concatenate((one[n:], other[n:]))
        return sqrt(_length(one[:n] - other[:n]) ** 2 + _length(unseen) ** 2)

    def interval(tail: float) -> tuple[float, float]:
        value_a, down_a, up_a = _reached(first, a, tail)
        value_b, down_b, up_b = _reached(second, b, tail)
        gap = value_a - value_b
        return max(-1.0, gap - apart(down_a, up_b)), min(1.0, gap + apart(up_a, down_b))

    value_a, value_b = (sum(x.part * x.spread.area for x in areas) for areas in (first, second))
    route = "asymptotic" if a.is_weighted else "conservative"  # in simulations, few cases too
    return compared_by(interval, (value_a, value_b), level, route, value_a - value_b)


def _against_the_rest(cases: ClassScores, *, weighted: bool) -> Iterator["_ClassArea"]:
    """Give each class against the rest, with its part in the mean."""
    parts = cases.shares if weighted else np.full(cases.n_classes, 1 / cases.n_classes)
    rows, own = np.arange(len(cases.truth)), np.eye(cases.n_classes)
    for c, part in enumerate(parts.tolist()):
        rest = np.where(own[c], 0.0, cases.class_counts)
        yield _area_of(part, _sample(cases, rows, c), rows, np.stack((own[c], rest / rest.sum())))


def _of_pairs(cases: ClassScores, *, weighted: bool) -> Iterator["_ClassArea"]:
    """Give each pair of classes twice, by the scores for the one and for the other."""
    pairs = list(combinations(range(cases.n_classes), 2))
    sizes = [float(cases.shares[i] + cases.shares[j]) if weighted else 1.0 for i, j in pairs]
    order, ends = np.argsort(cases.truth, kind="stable"), np.cumsum(np.bincount(cases.truth))
    of_class, own = np.split(order, ends[:-1]), np.eye(cases.n_classes)
    for (i, j), size in zip(pairs, sizes, strict=True):
        rows = np.concatenate((of_class[i], of_class[j]))
        for pair in ((i, j), (j, i)):
            sample = _sample(cases, rows, pair[0])
            yield _area_of(size / sum(sizes) / 2, sample, rows, own[list(pair)])


def _sample(cases: ClassScores, rows: Index, c: int) -> ScoredSample:
    """Return these cases by their scores for one class, which is positive."""
    truth, weights = cases.truth[rows] == c, None
    if cases.is_weighted:
        of_rows = cases.weights[rows]
        weights = of_rows[truth], of_rows[~truth]
    return ScoredSample(truth, cases.scores[rows, c], weights)


class _ClassArea(NamedTuple):
    """One area, how much the cases move it, and an unseen case of each class."""

    part: float  # weight of the area in the mean
    rows: Index  # which of all cases these are
    spread: AreaSpread
    influence: Array
    unseen: Array


def _area_of(part: float, sample: ScoredSample, rows: Index, classes: Array) -> _ClassArea:
    """Return the area of some rows, given how either side is made up of the classes, (2, K)."""
    spread, apart = placed(sample)
    sizes = spread.n_positive, spread.n_negative
    kept = [FurtherCase.beside(size, 0.5).variance for size in sizes]
    return _ClassArea(part, rows, spread, _influence(sample, apart), np.sqrt(kept @ classes))


def _reached(
    areas: Iterable[_ClassArea], cases: ClassScores, tail: float
) -> tuple[float, Array, Array]:
    """Return a weighted mean of areas of the same cases, and how far its limits reach.

    Each area has limits of its own, with an error of `tail` each, and reaches a below itself. With
    the correlations ρ of the areas the mean reaches sqrt(Σ ρ[c, d] w[c] a[c] w[d] a[d]) below (Zou
    and Donner). That is the length of Σ w[c] a[c] φ[c], with φ[c] the influences on area c, of
    length one, so that no table of correlations is needed. Influences are those of the n cases
    (DeLong's placements), and of one unseen case of each of K classes: it wins or loses all its
    pairs, in all contests of its class. Without these the areas of a class with two cases would
    look independent. The sums down and up, of n + K, are what is returned.
    """
    n, value = len(cases.truth), 0.0
    down, up = np.zeros((2, n + cases.n_classes))
    for part, rows, spread, influence, unseen in areas:
        area, (low, high) = spread.area, area_limits(spread, tail)
        value += part * area
        for reach, total, lost in ((area - low, down, area), (high - area, up, 1 - area)):
            length = sqrt(float(influence @ influence + lost * lost * (unseen @ unseen)))
            if length > 0:
                total[rows] += influence * (part * reach / length)
                total[n:] += unseen * (lost * part * reach / length)
    return value, down, up


def _length(of: Array) -> float:
    return sqrt(float(of @ of))


def _influence(sample: ScoredSample, apart: Sides) -> Array:
    """Return how much each case moves the area."""
    found = np.empty(len(sample.truth))
    for k, side in enumerate((sample.truth, ~sample.truth)):
        if sample.weights is None:
            found[side] = apart[k] / len(apart[k])
        else:
            found[side] = apart[k] * sample.weights[k] / sample.weights[k].sum()
    return found

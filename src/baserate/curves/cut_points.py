"""Every cut point of real scores: the confusion matrix at each distinct one, from one sort."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, nan
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._arith import ratio
from baserate._arrays import Array, Mask, Whole
from baserate._checks import float_array
from baserate._figures import count, joined
from baserate._result import Drawable
from baserate.cases.columns import check_order
from baserate.cases.counted import effective_size
from baserate.cases.scores import EXACT, least_float
from baserate.cases.two_classes import BinaryCases
from baserate.counts import ConfusionMatrix, unchecked
from baserate.curves._merge import Steps, count_cases, pieces, sum_weights
from baserate.curves.scored_labels import read_scores, read_truth, read_weights
from baserate.errors import InvalidArgumentError, UnsupportedError

WEIGHTED = (
    "weights have no law under random labels: pass the cases without weights, to answer for this "
    "sample alone"
)


class ScoreRanges(NamedTuple):
    """Cases of one class each, of whose scores a range is known; aligned arrays, in no order."""

    positive: Mask
    lowest: Array
    highest: Array
    cases: Whole


@dataclass(frozen=True, kw_only=True)
class Sweep(Drawable):
    """Every rule "positive if score >= threshold" that the data can tell apart.

    With k distinct scores there are k + 1 rules, from "call nothing positive" to "call everything
    positive". All arrays are aligned with `thresholds` and cannot be written to.

    Attributes
    ----------
    thresholds : array of shape (k + 1,)
        In descending order. The first calls nothing positive: it is infinity, or nan if infinity is
        itself a score (no score is >= nan). Floats; Python integers (objects) where the scores are
        integers beyond 2^53, which floats would merge.
    true_positives, false_positives : array of shape (k + 1,)
        Positive and negative cases at or above each threshold: int64, or float64 sums of weights.
    positive : label
        The label that counts as positive.
    squared_weights : pair of arrays of shape (k + 1,), or None
        Sums of squared weights of positives and of negatives at or above each threshold; None for
        cases without weights.
    highest : array of shape (k + 1,), or None
        The highest score among those counted together from each threshold on (nan for the first,
        which has none); None where every distinct score has a threshold of its own. The tables are
        exact all the same: what is lost is the order of the scores within such a bin.
    rows : ScoreRanges, or None
        With `highest`, what was counted together, of which a bin holds all that overlap.
    """

    thresholds: NDArray[Any]
    true_positives: NDArray[Any]
    false_positives: NDArray[Any]
    positive: Any
    squared_weights: tuple[Array, Array] | None = None
    highest: Array | None = None
    rows: ScoreRanges | None = field(default=None, repr=False)
    display: ClassVar[str] = "RocDisplay"

    def __hash__(self) -> int:
        """Return what equal sweeps share, without looking at their arrays."""
        return hash((len(self.thresholds), self.n_positive, self.n_negative))

    def __repr__(self) -> str:
        sizes = f"{count(self.n_positive)} positives, {count(self.n_negative)} negatives"
        weighted = ", weighted" if self.is_weighted else ""
        steps = "distinct scores" if self.highest is None else "bins of scores"
        return f"<Sweep: {sizes}, {count(len(self.thresholds) - 1)} {steps}{weighted}>"

    @property
    def n_positive(self) -> int | float:
        """Cases that are positive, or the sum of their weights."""
        return self.true_positives[-1].item()

    @property
    def n_negative(self) -> int | float:
        """Cases that are negative, or the sum of their weights."""
        return self.false_positives[-1].item()

    @property
    def is_weighted(self) -> bool:
        """Whether cases came with weights, even if these are all whole numbers."""
        return self.squared_weights is not None

    @property
    def effective_sizes(self) -> tuple[float, float]:
        """Kish's effective number of positives and of negatives: the cases, without weights."""
        positive, negative = self.squared_weights or (None, None)
        return (
            effective_size(self.n_positive, None if positive is None else float(positive[-1])),
            effective_size(self.n_negative, None if negative is None else float(negative[-1])),
        )

    @property
    def effective_n(self) -> float:
        """Kish's effective number of cases: the cases, without weights."""
        squares, total = self.squared_weights, self.n_positive + self.n_negative
        return effective_size(total, squares and float(squares[0][-1] + squares[1][-1]))

    @property
    def base_rate(self) -> float:
        """Share of positive cases, also called prevalence."""
        return self.n_positive / (self.n_positive + self.n_negative)

    @property
    def by_score(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Positive and negative cases, or weights, at each distinct score; the highest first."""
        return np.diff(self.true_positives), np.diff(self.false_positives)

    @property
    def absent(self) -> str | None:
        """Why nothing can be ranked: "no positives" or "no negatives"; None with both classes."""
        if not self.n_positive:
            return "no positives"
        return None if self.n_negative else "no negatives"

    @cached_property
    def tables(self) -> ConfusionMatrix:
        """The confusion matrix at each threshold, as one batch."""
        return tables_above(self.true_positives, self.false_positives)

    def rules_at(self, thresholds: Any) -> Any:
        """Return which rules these thresholds stand for: how many distinct scores reach each.

        No score reaches nan, nor a threshold above them all: that is rule 0. Whole numbers beyond
        2^53 are compared as such.
        """
        ascending = self.thresholds[:0:-1]
        if isinstance(thresholds, int) and ascending.dtype.kind == "f":
            thresholds = least_float(thresholds)
        floats = float_array("thresholds", thresholds)
        fine = ascending.dtype.kind == "f"  # else scores are whole, and thresholds stay as they are
        at = floats if fine else np.asarray(thresholds, dtype=ascending.dtype)
        unknown = at != at  # noqa: PLR0124  only nan differs from itself
        below = np.searchsorted(ascending, np.where(unknown, inf, at))
        return np.where(unknown, 0, len(ascending) - below)

    def rules_around(self, thresholds: Any) -> tuple[Any, Any]:
        """Return the rules that surely call no more positive than these thresholds, and no fewer.

        They differ where a threshold lies between the scores of a bin, of which nobody knows how
        many reach it.
        """
        fewest = self.rules_at(thresholds)
        if self.highest is None:
            return fewest, fewest
        tops = replace(self, thresholds=np.append(self.thresholds[:1], self.highest[1:]))
        return fewest, tops.rules_at(thresholds)

    def roc_auc(self) -> float:
        """Return the area under the ROC curve; nan if a class is empty.

        It is the share of pairs of a positive and a negative in which the positive has the higher
        score, ties counting one half. `baserate.roc_auc` adds an interval and a test.

        Raises
        ------
        UnsupportedError
            Scores were counted in bins: then only bounds are known.
        """
        if self.highest is not None:
            raise UnsupportedError(
                "The area is not known of counted scores, whose order within a bin is lost: ask "
                "baserate.roc_auc, which has bounds, or pass the scores themselves."
            )
        return self.tied_area

    @property
    def tied_area(self) -> float:
        """The area under the ROC curve if scores that were counted together were tied."""
        if not (self.n_positive and self.n_negative):
            return nan
        tp, fp = self.true_positives, self.false_positives
        twice = sum(np.dot(np.diff(fp[k]), tp[k][1:] + tp[k][:-1]).item() for k in pieces(tp))
        return min(1.0, float(ratio(twice, 2 * self.n_positive * self.n_negative)))


def tables_above(tp: NDArray[Any], fp: NDArray[Any]) -> ConfusionMatrix:
    """Return the table of each rule, from cases at or above it; the last rule reaches all."""
    return unchecked(tp=tp, fn=tp[..., -1:] - tp, fp=fp, tn=fp[..., -1:] - fp)


def sweep(y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None) -> Sweep:
    """Count the confusion matrix at every distinct cut point of real scores.

    A case is called positive if score >= threshold, so tied scores fall together. Scores are sorted
    once: O(n log n).

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels, as `confusion_matrix` takes them.
    y_score : array-like of shape (n,)
        Real scores, higher for the positive class: floats of any width, integers of any size that
        NumPy holds, booleans. Infinite scores are taken, -0.0 equals 0.0, and distinct scores are
        never merged.
    pos_label : label, optional
        The positive label. Default: True, or 1 of {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights; the tables then hold their sums. A case of weight 0 is left out, and
        with it the cut point that only it would make.

    Raises
    ------
    LabelError
        Nothing says which label is positive, there are no cases, all weights are 0, or the columns
        differ in length.
    MissingValueError
        Labels, scores or weights are missing (None, nan, null, masked).
    InvalidArgumentError
        Scores are no real numbers, or weights are negative, infinite, or too large or too small to
        be squared.

    Examples
    --------
    >>> from baserate import sweep
    >>> s = sweep([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> s.thresholds
    array([ inf, 0.8 , 0.4 , 0.35, 0.1 ])
    >>> s.tables.tp, s.tables.fp
    (array([0, 1, 1, 2, 2]), array([0, 0, 1, 1, 2]))
    >>> s.roc_auc()
    0.75

    Every metric takes the batch of tables; this one is undefined where all or nothing is flagged:

    >>> from baserate import metrics
    >>> metrics.matthews_correlation(s.tables).round(3)
    array([  nan, 0.577, 0.   , 0.577,   nan])
    """
    check_order([("y_true", y_true), ("y_score", y_score), ("sample_weight", sample_weight)])
    positive, label = read_truth(y_true, pos_label)
    scores = read_scores("y_score", y_score, len(positive))
    if sample_weight is None:
        return _swept(count_cases(scores, positive), None, label)
    weights = read_weights(sample_weight, len(positive))
    if not weights.all():
        counts = weights > 0
        scores, positive, weights = scores[counts], positive[counts], weights[counts]
    return _swept(*sum_weights(scores, positive, weights), label)


def sweeps_of(cases: BinaryCases) -> dict[str, Sweep]:
    """Return the sweep of every score by its name."""
    return {name: _of_cases(cases, name) for name in cases.scores}


def sweeps_by_group(cases: BinaryCases) -> dict[str, Sweep]:
    """Return the sweep of one score in every group, by the group's labels."""
    [name] = cases.scores
    parts = ((key, cases.within(k)) for k, key in enumerate(cases.groups))
    return {joined(key): _of_cases(part, name) for key, part in parts}


def sweeps_by_fold(cases: BinaryCases) -> dict[Any, Sweep] | None:
    """Return the sweep of one score in every fold, by the fold's label; None without folds."""
    if cases.fold is None:
        return None
    [name] = cases.scores
    return {label: _of_cases(part, name) for label, part in cases.folds()}


def sweep_of_bins(cases: BinaryCases, name: str) -> Sweep:
    """Return the sweep of rows that are many cases each, with one score or a range of scores.

    Rows whose ranges overlap, of either class, make one step, at whose ends the tables are exact.
    What is known of the order within is kept beside them: a narrow row lies above another one even
    where a wide row lies across both.
    """
    lowest = cases.scores[name]
    highest = cases.highest.get(name, lowest)
    order = np.argsort(lowest, kind="stable")
    low, high = lowest[order], np.maximum.accumulate(highest[order])
    starts = np.flatnonzero(np.append(True, low[1:] > high[:-1]))
    ends = high[np.append(starts[1:], len(high)) - 1]
    steps = _steps(low[starts], starts, cases.truth[order], cases.count[order])
    made = _swept(steps, None, cases.positive)
    if (ends == low[starts]).all():
        return made
    rows = ScoreRanges(cases.truth, lowest, highest, cases.count)
    return replace(made, highest=_lead(np.nan, ends[::-1], ends.dtype), rows=rows)


def sweep_of_rows(rows: ScoreRanges, scores: Array, label: Any) -> Sweep:
    """Return the sweep of rows if all cases of each had this score."""
    order = np.argsort(scores, kind="stable")
    scores = scores[order]
    starts = np.flatnonzero(np.append(True, scores[1:] != scores[:-1]))
    steps = _steps(scores[starts], starts, rows.positive[order], rows.cases[order])
    return _swept(steps, None, label)


def _steps(scores: Array, starts: Any, truth: Any, cases: Any) -> Steps:
    """Return cases at or above ascending scores, whose rows begin at these places."""
    counts = (np.where(side, cases, 0) for side in (truth, ~truth))
    above = (np.append(0, np.cumsum(np.add.reduceat(count, starts)[::-1])) for count in counts)
    return Steps(scores[::-1], *above)


def _of_cases(cases: BinaryCases, name: str) -> Sweep:
    score = cases.scores[name]
    if cases.weight is None and (name in cases.highest or cases.count.strides != (0,)):
        return sweep_of_bins(cases, name)
    return replace(sweep(cases.truth, score, sample_weight=cases.weight), positive=cases.positive)


def as_sweep(
    y_true: Any, y_score: Any = None, pos_label: Any = None, sample_weight: Any = None
) -> Sweep:
    """Return the sweep of labels and scores; one that is given alone is it.

    What every measure of real scores reads: ``roc_auc(y_true, y_score)``, or ``roc_auc(sweep)``. A
    `ScoreHistogram` is read as its sweep. More data beside a sweep are an InvalidArgumentError, as
    is one argument alone that is no sweep.

    Examples
    --------
    >>> from baserate.curves.cut_points import as_sweep
    >>> swept = as_sweep([0, 0, 1], [0.2, 0.4, 0.9])
    >>> swept.thresholds.tolist(), as_sweep(swept) is swept
    ([inf, 0.9, 0.4, 0.2], True)
    """
    y_true = y_true.sweep() if hasattr(y_true, "sweep") else y_true
    if not isinstance(y_true, Sweep):
        if y_score is not None:
            return sweep(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
        rule, remedy = "must be given beside labels", "pass y_true and y_score, or a sweep alone"
        raise InvalidArgumentError.from_rule("y_score", rule, None, remedy)
    beside = {"y_score": y_score, "pos_label": pos_label, "sample_weight": sample_weight}
    for name, value in beside.items():
        if value is not None:
            rule = "has no meaning beside a sweep, which holds labels, scores and weights already"
            given = type(value).__name__
            raise InvalidArgumentError.from_rule(name, rule, given, "pass the sweep alone")
    return y_true


def need_both_classes(argument: str, swept: Any) -> Sweep:
    """Return the sweep if it holds both classes, without which it has no curve."""
    if not isinstance(swept, Sweep):
        rule, remedy = "must be a sweep", "pass baserate.sweep(y_true, y_score)"
        raise InvalidArgumentError.from_rule(argument, rule, type(swept).__name__, remedy)
    if swept.absent:
        rule, remedy = "must hold both classes", "collect cases of both classes"
        raise InvalidArgumentError.from_rule(argument, rule, swept.absent, remedy)
    return swept


def _swept(steps: Steps, squares: Steps | None, label: Any) -> Sweep:
    squared = None if squares is None else (squares.positive, squares.negative)
    for array in (steps.positive, steps.negative, *(squared or ())):
        array.flags.writeable = False
    return Sweep(
        thresholds=_thresholds(steps.scores),
        true_positives=steps.positive,
        false_positives=steps.negative,
        positive=label,
        squared_weights=squared,
    )


def _thresholds(scores: NDArray[Any]) -> NDArray[Any]:
    """Put the rule that calls nothing positive before the scores themselves."""
    if scores.dtype.kind == "f":
        first = np.nan if scores[0] == np.inf else np.inf
        return _lead(first, scores, np.result_type(scores.dtype, np.float64))
    exact = int(scores[-1]) >= -EXACT and int(scores[0]) <= EXACT
    return _lead(np.inf, scores, np.float64 if exact else object)


def _lead(first: Any, rest: NDArray[Any], dtype: Any) -> NDArray[Any]:
    """Prepend one value, in memory of its own that cannot be written to; -0.0 becomes 0.0."""
    array = np.empty(len(rest) + 1, dtype=dtype)
    array[0] = first
    np.add(rest, 0, out=array[1:], casting="unsafe")
    array.flags.writeable = False
    return array

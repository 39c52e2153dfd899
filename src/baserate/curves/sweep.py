"""A sweep: the confusion matrix at every distinct cut point of real scores, from one sort."""

from dataclasses import dataclass
from functools import cached_property
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arith import ratio
from baserate._result import Result
from baserate.counts import ConfusionMatrix, unchecked
from baserate.curves._columns import read_scores, read_truth, read_weights
from baserate.curves._merge import Steps, count_cases, sum_weights

EXACT = 2**53  # whole numbers up to here are floats


@dataclass(frozen=True, kw_only=True, eq=False)
class Sweep(Result):
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
    """

    thresholds: NDArray[Any]
    true_positives: NDArray[Any]
    false_positives: NDArray[Any]
    positive: Any
    squared_weights: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None

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
    def base_rate(self) -> float:
        """Share of positive cases, also called prevalence."""
        return self.n_positive / (self.n_positive + self.n_negative)

    @cached_property
    def tables(self) -> ConfusionMatrix:
        """The confusion matrix at each threshold, as one batch."""
        tp, fp = self.true_positives, self.false_positives
        return unchecked(tp=tp, fn=tp[-1] - tp, fp=fp, tn=fp[-1] - fp)

    def rules_at(self, thresholds: Any) -> Any:
        """Return which rules these thresholds stand for: how many distinct scores reach each.

        No score reaches nan, nor a threshold above them all: that is rule 0. Whole numbers beyond
        2^53 are compared as such.
        """
        ascending = self.thresholds[:0:-1]
        at = np.asarray(thresholds, dtype=ascending.dtype)
        unknown = at != at  # noqa: PLR0124  only nan differs from itself
        below = np.searchsorted(ascending, np.where(unknown, inf, at))
        return np.where(unknown, 0, len(ascending) - below)

    def roc_auc(self) -> float:
        """Return the area under the ROC curve; nan if a class is empty.

        It is the share of pairs of a positive and a negative in which the positive has the higher
        score, ties counting one half. `baserate.roc_auc` adds an interval and a test.
        """
        if not (self.n_positive and self.n_negative):
            return nan
        tp = self.true_positives
        twice = np.dot(np.diff(self.false_positives), tp[1:] + tp[:-1])
        return float(ratio(twice.item(), 2 * self.n_positive * self.n_negative))


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

    Returns
    -------
    Sweep

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
    positive, label = read_truth(y_true, pos_label)
    scores = read_scores(y_score, len(positive))
    if sample_weight is None:
        return _swept(count_cases(scores, positive), None, label)
    weights = read_weights(sample_weight, len(positive))
    if not weights.all():
        counts = weights > 0
        scores, positive, weights = scores[counts], positive[counts], weights[counts]
    return _swept(*sum_weights(scores, positive, weights), label)


def _swept(steps: Steps, squares: Steps | None, label: Any) -> Sweep:
    squared = None if squares is None else (_lead(0, squares.positive), _lead(0, squares.negative))
    return Sweep(
        thresholds=_thresholds(steps.scores),
        true_positives=_lead(0, steps.positive),
        false_positives=_lead(0, steps.negative),
        positive=label,
        squared_weights=squared,
    )


def _thresholds(scores: NDArray[Any]) -> NDArray[Any]:
    """Put the rule that calls nothing positive before the scores themselves."""
    if scores.dtype.kind == "f":
        wide = scores.astype(np.result_type(scores.dtype, np.float64), copy=False)
        return _lead(np.nan if np.isinf(scores[0]) and scores[0] > 0 else np.inf, wide + 0.0)
    exact = int(scores[-1]) >= -EXACT and int(scores[0]) <= EXACT
    return _lead(np.inf, scores.astype(np.float64 if exact else object))


def _lead(first: Any, rest: NDArray[Any]) -> NDArray[Any]:
    """Prepend one value, in memory of its own that cannot be written to."""
    array = np.empty(len(rest) + 1, dtype=rest.dtype)
    array[0], array[1:] = first, rest
    array.flags.writeable = False
    return array

"""Two scores: which has the larger area under its ROC curve, on the same or on separate cases."""

from math import nan, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._checks import number_in
from baserate.cases.two_classes import effective_size
from baserate.curves._swapped_scores import two_sided
from baserate.curves.auc import Kept, Spread, area_limits, limit_variance
from baserate.curves.cut_points import read_scores, read_truth, read_weights
from baserate.curves.estimates import ScoreComparison
from baserate.errors import InvalidArgumentError

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

FEW = 20  # cases of the rarer class up to which a normal law of the difference is not trusted
ROUNDING = 1e-24  # a variance of shares of pairs that is no more than rounding
NO_SPREAD = "every case of a class shows the same difference: no spread is known"
SINGLE = "a single case of a class does not show how much its cases differ"


def compare_auc(
    y_true: Any,
    score_a: Any,
    score_b: Any,
    *,
    y_true_b: Any = None,
    confidence_level: float = 0.95,
    pos_label: Any = None,
    sample_weight: Any = None,
    sample_weight_b: Any = None,
) -> ScoreComparison:
    """Compare the areas under the ROC curves of two scores, of the same cases or of separate ones.

    The interval joins those of the two areas (`roc_auc`), and so holds with few cases as they do,
    and stays within [-1, 1]: from A - B it reaches √(l² + u² - 2 ρ l u) down, where A's interval
    reaches l down and B's reaches u up, and likewise upwards (Zou and Donner). On the same cases
    hard ones are hard for both scores: ρ is the correlation of the two areas, from the shares of
    pairs that each case wins (DeLong), over the variances that the two limits have. On separate
    cases it is 0. `route` is "conservative"; it tends to DeLong's interval as cases grow.

    Per cent of 95% intervals that lie above the true difference, and below it, with five positives;
    the worst of five laws of scores, areas from .5 to .99, and correlations 0 and .7
    (``benchmarks/bench_auc.py``): TABLE.

    The p-value, of equal areas, by `p_value_route`:

    - "normal": DeLong's z, the difference over √(the variance of the mean of v⁺(A) - v⁺(B) over
      positives, plus that of v⁻(A) - v⁻(B) over negatives), with v⁺ the share of negatives that a
      positive beats and v⁻ the share of positives that a negative loses to, ties one half.
    - "exact", where the rarer class has at most 20 cases: P(|difference| >= the one found) over
      all 2^n ways to swap the two scores of each case, once each is replaced by its rank. It is
      exact where the two scores are exchangeable, and so have the same curve; areas that agree by
      curves that cross are rejected more often than stated.
    - "t": separate cases; and few cases with weights, or with so many of the other class that the
      exact law would take more than half a second. The same ratio, with Satterthwaite's degrees of
      freedom from the variance and the number of cases of each class.

    Parameters
    ----------
    y_true : array-like of shape (n,)
    score_a, score_b : array-like of shape (n,)
        Real scores, higher for the positive class.
    y_true_b : array-like of shape (m,), optional
        Labels of the cases of `score_b`, then of shape (m,), where these are others than those of
        `score_a`. Default: the same cases.
    confidence_level : float
        In (0, 1).
    pos_label : optional
        As in `sweep`.
    sample_weight, sample_weight_b : optional
        As in `sweep`; the latter for separate cases. Each class is worth Kish's effective number of
        cases.

    Returns
    -------
    ScoreComparison
        nan where a class is absent; without p-value where nothing shows how much cases differ.

    Raises
    ------
    InvalidArgumentError
        The confidence level lies outside (0, 1); `sample_weight_b` without `y_true_b`, or one of
        two separate samples has weights; or as in `sweep`.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44:837, doi:10.2307/2531595. Zou and Donner
    (2008), Statistics in Medicine 27:1693, doi:10.1002/sim.3095. Bandos, Rockette and Gur (2005),
    Statistics in Medicine 24:2873, doi:10.1002/sim.2149, for the swaps.

    Examples
    --------
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> a, b = [1, 2, 3, 5, 4, 6, 7, 8], [1, 4, 6, 2, 5, 3, 7, 8]
    >>> found = compare_auc(y, a, b)
    >>> round(found.difference, 4), round(found.low, 3), round(found.high, 3)
    (0.125, -0.3, 0.5)
    >>> found.p_value_route, found.p_value * 2**8
    ('exact', 200.0)
    """
    level = number_in("confidence_level", confidence_level, "(0, 1)", "0.95 is usual")
    first, second = _read(
        y_true, y_true_b, (score_a, score_b), pos_label, (sample_weight, sample_weight_b)
    )
    for sample in (first, second):
        if absent := sample.absent:
            return ScoreComparison(
                difference=nan, confidence_level=level, reason=absent, p_value_reason=absent
            )
    paired = y_true_b is None
    a, b = _Shares.of(first), _Shares.of(second)
    low, high = _limits(a, b, (1 - level) / 2, paired=paired)
    p_value, how, why = _p_value(first, second, a, b) if paired else _p_value_of_separate(a, b)
    return ScoreComparison(
        difference=a.spread.area - b.spread.area,
        low=low,
        high=high,
        p_value=p_value,
        value_a=a.spread.area,
        value_b=b.spread.area,
        confidence_level=level,
        route="conservative",
        p_value_route=how,
        p_value_reason=why,
    )


class _Sample(NamedTuple):
    truth: Mask
    scores: NDArray[Any]
    weights: Array | None

    @property
    def absent(self) -> str | None:
        """Say which class has no case of any weight."""
        for side, which in ((self.truth, "positives"), (~self.truth, "negatives")):
            if not (side if self.weights is None else self.weights[side]).any():
                return f"no {which}"
        return None


def _read(
    y_true: Any, y_true_b: Any, scores: tuple[Any, Any], pos_label: Any, weights: tuple[Any, Any]
) -> tuple[_Sample, _Sample]:
    if y_true_b is None and weights[1] is not None:
        rule, remedy = "is for separate cases", "pass sample_weight alone, or y_true_b as well"
        given = type(weights[1]).__name__
        raise InvalidArgumentError.from_rule("sample_weight_b", rule, given, remedy)
    if y_true_b is not None and (weights[0] is None) != (weights[1] is None):
        rule, remedy = "must be given for both samples or none", "pass weights of 1 for the other"
        lacking = "sample_weight" if weights[0] is None else "sample_weight_b"
        raise InvalidArgumentError.from_rule(lacking, rule, None, remedy)
    truth, label = read_truth(y_true, pos_label)
    first = _sample(truth, "score_a", scores[0], weights[0])
    if y_true_b is None:
        return first, _Sample(truth, read_scores("score_b", scores[1], len(truth)), first.weights)
    truth_b, _ = read_truth(y_true_b, label)
    return first, _sample(truth_b, "score_b", scores[1], weights[1])


def _sample(truth: Mask, name: str, scores: Any, weights: Any) -> _Sample:
    n = len(truth)
    kept = None if weights is None else read_weights(weights, n)
    return _Sample(truth, read_scores(name, scores, n), kept)


class _Shares(NamedTuple):
    """An area, and the share of pairs that each positive wins, and each negative loses."""

    spread: Spread
    sides: tuple[Array, Array]
    weights: tuple[Array, Array] | None

    @classmethod
    def of(cls, sample: _Sample) -> "_Shares":
        truth, weights = sample.truth, sample.weights
        shares = shares_won(truth, sample.scores, weights)
        sides = shares[truth], shares[~truth]
        apart = None if weights is None else (weights[truth], weights[~truth])
        means = [_mean(side, None if apart is None else apart[k]) for k, side in enumerate(sides)]
        varied = (
            _mean((side - mean) ** 2, None if apart is None else apart[k])
            for k, (side, mean) in enumerate(zip(sides, means, strict=True))
        )
        sizes = (_cases(side, None if apart is None else apart[k]) for k, side in enumerate(sides))
        return cls(Spread(means[0], *varied, *sizes), sides, apart)

    @property
    def sizes(self) -> tuple[float, float]:
        return self.spread.n_positive, self.spread.n_negative


def shares_won(truth: Mask, scores: NDArray[Any], weights: Array | None) -> Array:
    """Return the share of pairs with the other class in which the positive has the higher score.

    One sort of all scores: what each case has below it is a running total, taken where its ties
    begin and where they end.
    """
    order = np.argsort(scores)
    ordered, labels = scores[order], truth[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    ends = np.append(starts[1:], len(ordered))
    sizes = ends - starts
    shares = np.empty(len(scores))
    by_order = np.empty(len(scores))
    for side in (True, False):
        rivals = labels != side
        amount = rivals if weights is None else np.where(rivals, weights[order], 0.0)
        below = np.concatenate(([0], np.cumsum(amount)))
        share = (below[starts] + below[ends]) / (2 * below[-1])
        by_order[~rivals] = np.repeat(share if side else 1 - share, sizes)[~rivals]
    shares[order] = by_order
    return shares


def _mean(values: Array, weights: Array | None) -> float:
    return float(np.mean(values) if weights is None else np.average(values, weights=weights))


def _cases(values: Array, weights: Array | None) -> float:
    if weights is None:
        return float(len(values))
    return effective_size(float(weights.sum()), float(np.dot(weights, weights)))


def _covariance(a: _Shares, b: _Shares) -> float:
    """Return that of the two areas if the cases of each class have uniform Dirichlet weights."""
    total = 0.0
    for k, size in enumerate(a.sizes):
        weights = None if a.weights is None else a.weights[k]
        first, second = a.sides[k], b.sides[k]
        apart = (first - _mean(first, weights)) * (second - _mean(second, weights))
        total += _mean(apart, weights) / (size + 1)
    return total


def _limits(a: _Shares, b: _Shares, tail: float, *, paired: bool) -> tuple[float, float]:
    """Join the limits of two areas: as far as both reach, less what they have in common."""
    common = _covariance(a, b) if paired else 0.0
    (a_down, a_up), (b_down, b_up) = _reaches(a.spread, tail), _reaches(b.spread, tail)
    difference = a.spread.area - b.spread.area
    return difference - _joined(a_down, b_up, common), difference + _joined(a_up, b_down, common)


class _Reach(NamedTuple):
    """How far a limit lies from the area, and the variance that it comes from."""

    distance: float
    variance: float


def _reaches(spread: Spread, tail: float) -> tuple[_Reach, _Reach]:
    low, high = area_limits(spread, tail)
    kept = Kept.beside(spread.fewer, tail)
    down, up = (limit_variance(x, spread.variance, kept) for x in (spread.area, 1 - spread.area))
    return _Reach(spread.area - low, down), _Reach(high - spread.area, up)


def _joined(first: _Reach, second: _Reach, common: float) -> float:
    correlation = common / sqrt(first.variance * second.variance)
    product = first.distance * second.distance
    squares = first.distance**2 + second.distance**2 - 2 * correlation * product
    return sqrt(max(0.0, squares))


Tested = tuple[float, str | None, str | None]


def _p_value(first: _Sample, second: _Sample, a: _Shares, b: _Shares) -> Tested:
    few = a.spread.fewer <= FEW
    if few and first.weights is None:
        exact = two_sided(first.truth, first.scores, second.scores)
        if exact is not None:
            return exact, "exact", None
    apart = [one - other for one, other in zip(a.sides, b.sides, strict=True)]
    parts = [
        (_variance_of_mean(side, None if a.weights is None else a.weights[k], size), size)
        for k, (side, size) in enumerate(zip(apart, a.sizes, strict=True))
    ]
    return _tested(a.spread.area - b.spread.area, parts, normal=not few)


def _p_value_of_separate(a: _Shares, b: _Shares) -> Tested:
    parts = [
        (_variance_of_mean(side, None if s.weights is None else s.weights[k], s.sizes[k]), size)
        for s in (a, b)
        for k, (side, size) in enumerate(zip(s.sides, s.sizes, strict=True))
    ]
    return _tested(a.spread.area - b.spread.area, parts, normal=False)


def _variance_of_mean(values: Array, weights: Array | None, size: float) -> float:
    """Return the unbiased variance of a mean; nan if the cases are worth a single one."""
    if size <= 1:
        return nan
    return _mean((values - _mean(values, weights)) ** 2, weights) / (size - 1)


def _tested(difference: float, parts: list[tuple[float, float]], *, normal: bool) -> Tested:
    from scipy.special import ndtr, stdtr

    if any(size <= 1 for _, size in parts):
        return nan, None, SINGLE
    variance = sum(part for part, _ in parts)
    if variance <= ROUNDING:
        return nan, None, NO_SPREAD
    ratio = -abs(difference) / sqrt(variance)
    if normal:
        return 2 * float(ndtr(ratio)), "normal", None
    freedom = variance**2 / sum(part**2 / (size - 1) for part, size in parts)
    return 2 * float(stdtr(freedom, ratio)), "t", None

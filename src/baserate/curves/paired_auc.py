"""Two scores: which has the larger area under its ROC curve, on the same or on separate cases."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isnan, nan, sqrt
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from baserate._checks import confidence, one_of
from baserate.cases.clusters import read_clusters
from baserate.curves.auc import Kept, Spread, area_limits, limit_variance
from baserate.curves.bounded_means import difference_limits
from baserate.curves.clustered_auc import ROUNDING, ClusteredArea, limits_of_difference
from baserate.curves.estimates import ScoreComparison
from baserate.curves.placements import Mask, Sample, Sides, shares_won
from baserate.curves.random_signs import tails_of_steps
from baserate.curves.scored_labels import read_scores, read_truth
from baserate.errors import InvalidArgumentError

Codes = NDArray[np.intp]
Limits = tuple[float, float]
Tested = tuple[float, str, str | None]  # a p-value, its route, and why there is none
Method = Literal["delong", "conservative", "exact"]

FEW = 20  # cases of the rarer class up to which a normal law of the difference is not trusted
NO_SPREAD = "the cases do not show how much they differ: ask for method conservative"
USUAL = 0.025  # error to either side of the interval whose reach tells a conservative p-value


def compare_auc(
    y_true: Any,
    score_a: Any,
    score_b: Any,
    *,
    y_true_b: Any = None,
    method: Method | None = None,
    confidence_level: float = 0.95,
    pos_label: Any = None,
    sample_weight: Any = None,
    sample_weight_b: Any = None,
    cluster: Any = None,
) -> ScoreComparison:
    """Compare the areas under the ROC curves of two scores, of the same cases or of separate ones.

    The interval joins those of the two areas (`roc_auc`), and so holds with few cases as they do,
    and stays within [-1, 1]: from A - B it reaches √(l² + u² - 2 ρ l u) down, where A's interval
    reaches l down and B's reaches u up, and likewise upwards (Zou and Donner). On the same cases
    hard ones are hard for both scores: ρ is the correlation of the two areas, from the shares of
    pairs that each case wins (DeLong), over the variances that the two limits have. On separate
    cases it is 0. `route` is "conservative"; it tends to DeLong's interval as cases grow.

    Per cent of 95% intervals that lie above the true difference / below it, with five positives of
    20, 100 and 500 cases: at most 2.3/1.6, 3.4/2.2 and 2.8/3.2, and 6.0 on both sides together; the
    worst of five laws of scores, areas from .5 to .99, and correlations 0 and .7. Of DeLong's up to
    61 lie on one side (areas .99 and .95). See ``benchmarks/bench_auc.py``.

    The p-value is that of equal areas, by one of three methods (`p_value_route`):

    - "delong", the default with more than 20 cases of each class: DeLong's z, the difference over
      √(the variance of the mean of v⁺(A) - v⁺(B) over positives, plus that of v⁻(A) - v⁻(B) over
      negatives), with v⁺ the share of negatives that a positive beats and v⁻ the share of positives
      that a negative loses to, ties one half (`p_value_route` "asymptotic"). On separate cases each
      area has its own variance, and Student's law has Satterthwaite's degrees of freedom, with one
      less than the cases of each sample.
    - "conservative", the default with fewer: the error of z is that of the 95% interval, which is
      the distance from A - B to its limit on the side of 0, over 1.96. So p < .05 where that
      interval leaves 0 out, and it holds where the interval does. DeLong's z, at a level of 5%,
      rejects equal areas in up to 17% of samples of 5 to 20 positives, and still in 8% of those of
      50, where one area comes from a curve of another shape.
    - "exact", on the same cases only: P(``|difference|`` >= the one found) over all 2^n ways to
      swap the two scores of a case. It is exact if the two scores of every case are
      exchangeable, which takes one scale, such as probabilities, and curves that agree: where areas
      agree and curves cross, it rejects too often (up to 31% at a level of 5%). Hence it is not a
      default.

    With clusters, whole clusters are what is independent, and what is swapped. The interval joins
    those that `roc_auc` has for clusters, with the correlation of what clusters add to the two
    areas (`route` "asymptotic"); "delong" is Student's test with Obuchowski's variance of the
    difference, and the default however few clusters there are; "conservative" goes with the
    interval as above; "exact" swaps the two scores of all cases of a cluster at once.

    Parameters
    ----------
    y_true : array-like of shape (n,)
    score_a, score_b : array-like of shape (n,)
        Real scores, higher for the positive class.
    y_true_b : array-like of shape (m,), optional
        Labels of the cases of `score_b`, then of shape (m,), where these are others than those of
        `score_a`. Default: the same cases.
    method : {None, "delong", "conservative", "exact"}
        That of the p-value.
    confidence_level : float
        In (0, 1).
    pos_label : optional
        As in `sweep`.
    sample_weight, sample_weight_b : optional
        As in `sweep`; the latter for separate cases. Each class is worth Kish's effective number of
        cases.
    cluster : array-like of shape (n,), optional
        As in `roc_auc`; for scores of the same cases.

    Returns
    -------
    ScoreComparison
        nan where a class is absent.

    Raises
    ------
    InvalidArgumentError
        The confidence level lies outside (0, 1); `sample_weight_b` without `y_true_b`, or one of
        two separate samples has weights; method "exact" for separate or weighted cases, or for more
        than a second's work (some 5,000 cases with five positives, 800 of two even classes, more
        than 36 large clusters); clusters of separate samples; or as in `sweep`.
    UnknownNameError
        No such method.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44:837, doi:10.2307/2531595. Zou and Donner
    (2008), Statistics in Medicine 27:1693, doi:10.1002/sim.3095. Bandos, Rockette and Gur (2005),
    Statistics in Medicine 24:2873, doi:10.1002/sim.2149, for the swaps. Obuchowski (1997),
    Biometrics 53:567, doi:10.2307/2533958, for clusters.

    Examples
    --------
    >>> from baserate import compare_auc
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> a, b = [1, 2, 3, 5, 4, 6, 7, 8], [1, 4, 6, 2, 5, 3, 7, 8]
    >>> found = compare_auc(y, a, b)
    >>> round(found.difference, 4), round(found.low, 3), round(found.high, 3)
    (0.125, -0.488, 0.672)

    Half of the 2^8 ways to swap the two scores of each case part the areas as far:

    >>> compare_auc(y, a, b, method="exact").p_value * 2**8
    128.0
    """
    level = confidence(confidence_level)
    if method is not None:
        one_of("method", method, Method)
    first, second = _read(
        y_true, y_true_b, (score_a, score_b), pos_label, (sample_weight, sample_weight_b)
    )
    for sample in (first, second):
        if absent := sample.absent:
            return ScoreComparison(
                difference=nan, confidence_level=level, reason=absent, p_value_reason=absent
            )
    clusters = None if cluster is None else _clusters(cluster, y_true_b, len(first.truth))
    if clusters is None:
        contest = _Contest(_Area.of(first), _Area.of(second), paired=y_true_b is None)
        chosen = method or ("conservative" if contest.fewest <= FEW else "delong")
    else:
        contest = _ClusteredContest.of(first, second, clusters)
        chosen = "delong" if method is None else method
    (low, high), reason = contest.limits((1 - level) / 2)
    if chosen == "exact":
        found = _exact(first, second, clusters, paired=y_true_b is None), "exact", None
    else:
        found = _conservative(contest) if chosen == "conservative" else contest.delong()
    p_value, how, why = found
    return ScoreComparison(
        difference=contest.difference,
        low=low,
        high=high,
        p_value=p_value,
        value_a=contest.areas[0],
        value_b=contest.areas[1],
        confidence_level=level,
        route=None if reason else contest.route,
        reason=reason,
        p_value_route=None if isnan(p_value) else how,
        p_value_reason=why if isnan(p_value) else None,
        **contest.clustering,
    )


def _clusters(cluster: Any, y_true_b: Any, size: int) -> Codes:
    if y_true_b is not None:
        rule, remedy = "is for two scores of the same cases", "leave out y_true_b"
        raise InvalidArgumentError.from_rule("cluster", rule, "beside y_true_b", remedy)
    return read_clusters("cluster", cluster, size)


def _read(
    y_true: Any, y_true_b: Any, scores: tuple[Any, Any], pos_label: Any, weights: tuple[Any, Any]
) -> tuple[Sample, Sample]:
    if y_true_b is None and weights[1] is not None:
        rule, remedy = "is for separate cases", "pass sample_weight alone, or y_true_b as well"
        given = type(weights[1]).__name__
        raise InvalidArgumentError.from_rule("sample_weight_b", rule, given, remedy)
    if y_true_b is not None and (weights[0] is None) != (weights[1] is None):
        rule, remedy = "must be given for both samples or none", "pass weights of 1 for the other"
        lacking = "sample_weight" if weights[0] is None else "sample_weight_b"
        raise InvalidArgumentError.from_rule(lacking, rule, None, remedy)
    truth, label = read_truth(y_true, pos_label)
    first = Sample.of(truth, "score_a", scores[0], weights[0])
    if y_true_b is None:
        return first, replace(first, scores=read_scores("score_b", scores[1], len(truth)))
    truth_b, _ = read_truth(y_true_b, label)
    return first, Sample.of(truth_b, "score_b", scores[1], weights[1])


@dataclass(frozen=True, slots=True)
class _Area:
    """An area, and how much of its pairs each positive wins, and each negative loses."""

    sample: Sample
    sides: Sides
    spread: Spread

    @property
    def sizes(self) -> tuple[float, float]:
        return self.spread.n_positive, self.spread.n_negative

    @classmethod
    def of(cls, sample: Sample) -> "_Area":
        sides = shares_won(sample)
        means = [min(1.0, sample.mean(k, sides[k])) for k in (0, 1)]
        varied = [sample.mean(k, (sides[k] - means[k]) ** 2) for k in (0, 1)]
        sizes = [sample.cases(k) for k in (0, 1)]
        return cls(sample, sides, Spread(means[0], *varied, *sizes))


@dataclass(frozen=True, slots=True)
class _Contest:
    """Two areas, of the same cases or of separate ones."""

    a: _Area
    b: _Area
    paired: bool

    @property
    def difference(self) -> float:
        return self.a.spread.area - self.b.spread.area

    @property
    def fewest(self) -> float:
        return min(self.a.spread.fewer, self.b.spread.fewer)

    route = "conservative"
    clustering: ClassVar[dict[str, Any]] = {}

    @property
    def areas(self) -> tuple[float, float]:
        return self.a.spread.area, self.b.spread.area

    def limits(self, tail: float) -> tuple[Limits, str | None]:
        """Join the limits of two areas: as far as both reach, less what they have in common."""
        tails = [_tails_of(area.spread, tail) for area in (self.a, self.b)]
        (limits_a, (down_a, up_a)), (limits_b, (down_b, up_b)) = tails
        common = _covariance(self.a, self.b) if self.paired else 0.0
        shared = _correlation(common, down_a * up_b), _correlation(common, up_a * down_b)
        return difference_limits(self.areas, (limits_a, limits_b), shared), None

    def delong(self) -> Tested:
        """Return the p-value of equal areas, its route, and why there is none."""
        return (self._paired() if self.paired else self._separate()), "asymptotic", NO_SPREAD

    def _paired(self) -> float:
        """Return that of DeLong's z; nan if nothing shows how much cases differ."""
        from scipy.special import ndtr

        (a, a_lost), (b, b_lost) = self.a.sides, self.b.sides
        variance = self.a.sample.variance((a - b, a_lost - b_lost))
        return self._tail(variance, lambda z: float(ndtr(z)))

    def _separate(self) -> float:
        from scipy.special import stdtr

        samples = (self.a, self.b)
        parts = [area.sample.variance(area.sides) for area in samples]
        spread = sum(
            part**2 / (sum(area.sizes) - 1) for part, area in zip(parts, samples, strict=True)
        )
        freedom = sum(parts) ** 2 / spread if spread else nan
        return self._tail(sum(parts), lambda t: float(stdtr(freedom, t)))

    def _tail(self, variance: float, law: Callable[[float], float]) -> float:
        if variance > ROUNDING:
            return 2 * law(-abs(self.difference) / sqrt(variance))
        return 1.0 if self.difference**2 <= ROUNDING else nan


@dataclass(frozen=True, slots=True)
class _ClusteredContest:
    """Two areas of the same cases, which come in clusters."""

    a: ClusteredArea
    b: ClusteredArea
    apart: ClusteredArea
    route = "asymptotic"

    @classmethod
    def of(cls, first: Sample, second: Sample, codes: Codes) -> "_ClusteredContest":
        a, b = (ClusteredArea.of(sample, codes) for sample in (first, second))
        sides = [shares_won(sample) for sample in (first, second)]
        won, lost = (sides[0][k] - sides[1][k] for k in (0, 1))
        return cls(a, b, a.less(b, independent=first.variance((won, lost))))

    @property
    def difference(self) -> float:
        return self.apart.area

    @property
    def areas(self) -> tuple[float, float]:
        return self.a.area, self.b.area

    @property
    def clustering(self) -> dict[str, Any]:
        """Return what results say about clusters."""
        return {"n_clusters": self.a.n_clusters, "design_effect": self.apart.design_effect}

    def limits(self, tail: float) -> tuple[Limits, str | None]:
        return limits_of_difference(self.a, self.b, tail)

    def delong(self) -> Tested:
        tail, why = self.apart.two_sided()
        return tail, "asymptotic", why


def _conservative(contest: _Contest | _ClusteredContest) -> Tested:
    """Return the p-value of a z whose error is what the 95% interval reaches towards 0."""
    from scipy.special import ndtr, ndtri

    (low, high), why = contest.limits(USUAL)
    apart = abs(contest.difference)
    reach = contest.difference - low if contest.difference > 0 else high - contest.difference
    p_value = 2 * float(ndtr(apart * float(ndtri(USUAL)) / reach)) if apart else 1.0
    return p_value, "conservative", why


def _exact(first: Sample, second: Sample, clusters: Codes | None, *, paired: bool) -> float:
    remedy = "leave method out"
    if not paired or first.weights is not None:
        rule = "can be exact for unweighted scores of the same cases only"
        raise InvalidArgumentError.from_rule("method", rule, "exact", remedy)
    steps = swapped(first.truth, first.scores, second.scores)
    given = f"{len(steps):,} cases"
    if clusters is not None:
        ordered = np.concatenate((clusters[first.truth], clusters[~first.truth]))
        sums = np.zeros(int(clusters.max()) + 1, dtype=np.int64)
        np.add.at(sums, ordered, steps)
        steps, given = sums, f"{np.count_nonzero(sums):,} clusters of {given}"
    found = tails_of_steps(steps)
    if found is None:
        rule = "is exact for fewer cases only"
        raise InvalidArgumentError.from_rule("method", rule, given, remedy)
    return found


def swapped(truth: Mask, score_a: Any, score_b: Any) -> NDArray[np.int64]:
    """Return what each case adds to the difference of areas, or takes away if its scores swap.

    The difference is linear in the swaps: each case adds to it, in units of a quarter of a pair,
    how many more pairs its score A would win than its score B, among the scores A and B of the
    other class; for negatives the other way round.
    """
    kinds = {score_a.dtype.kind, score_b.dtype.kind}
    if np.result_type(score_a, score_b).kind == "f" and kinds != {"f"}:
        score_a, score_b = score_a.astype(object), score_b.astype(object)  # floats merge integers
    sides = []
    for own, sign in ((truth, 1), (~truth, -1)):
        others = np.sort(np.concatenate((score_a[~own], score_b[~own])))
        won = [
            np.searchsorted(others, scores[own], "left")
            + np.searchsorted(others, scores[own], "right")
            for scores in (score_a, score_b)
        ]
        sides.append(sign * (won[0] - won[1]))
    return np.concatenate(sides)


def _covariance(a: _Area, b: _Area) -> float:
    """Return that of the two areas if the cases of each class have uniform Dirichlet weights."""
    total = 0.0
    for k in (0, 1):
        apart = [area.sides[k] - a.sample.mean(k, area.sides[k]) for area in (a, b)]
        total += a.sample.mean(k, apart[0] * apart[1]) / (a.sample.cases(k) + 1)
    return total


def _tails_of(spread: Spread, tail: float) -> tuple[Limits, Limits]:
    """Return both limits of an area, and the variances that they come from."""
    kept = Kept.beside(spread.fewer, tail)
    down, up = (limit_variance(x, spread.variance, kept) for x in (spread.area, 1 - spread.area))
    return area_limits(spread, tail), (down, up)


def _correlation(common: float, product: float) -> float:
    """Return the correlation of two areas; 0 for a limit that an area of 0 or 1 is."""
    return max(-1.0, min(1.0, common / sqrt(product))) if product else 0.0

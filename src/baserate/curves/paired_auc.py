"""Two scores: which has the larger area under its ROC curve, on the same or on separate cases."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, isnan, nan, sqrt
from typing import Any, ClassVar, Literal

from baserate._arrays import Index
from baserate._checks import confidence, one_of
from baserate.cases.columns import check_order
from baserate.cases.strata import Jackknife, read_units
from baserate.cases.units import SCORES_APART
from baserate.curves.area_spread import (
    NO_SPREAD,
    AreaSpread,
    FurtherCase,
    ScoredSample,
    Sides,
    area_limits,
    limit_variance,
    placed,
    shares_won,
)
from baserate.curves.bounded_means import Limits, difference_limits, p_value_of
from baserate.curves.clustered_auc import ROUNDING, limits_of_difference
from baserate.curves.estimates import ScoreComparison
from baserate.curves.replicated_auc import area_by_units
from baserate.curves.scored_labels import read_scores, read_truth
from baserate.curves.swapped_scores import p_of_swaps
from baserate.errors import InvalidArgumentError

Method = Literal["delong", "conservative", "exact"]

NO_INTERVAL = "swaps tell whether areas are equal, not how far apart: leave method out"
HALF = 0.5  # the error of the shortest interval


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
    strata: Any = None,
    cluster: Any = None,
) -> ScoreComparison:
    """Compare the areas under the ROC curves of two scores, of the same cases or of separate ones.

    The interval joins those of the two areas (`roc_auc`), and so holds with few cases as they do,
    and stays within [-1, 1]: from A - B it reaches √(l² + u² - 2 ρ l u) down, where A's interval
    reaches l down and B's reaches u up, and likewise upwards (Zou and Donner). On the same cases
    hard ones are hard for both scores: ρ is the correlation of the two areas, from the shares of
    pairs that each case wins (DeLong), over the variances that the two limits have. On separate
    cases it is 0. `route` is "conservative"; it tends to DeLong's interval as cases grow.

    With five positives of 20, 100 and 500 cases at most 6% of 95% intervals missed the true
    difference, at most 3.4% on one side; of DeLong's up to 61% (``benchmarks/bench_auc.py``).

    The p-value is that of equal areas, and goes with the interval. Three methods:

    - "conservative", the default: p is twice the error to either side at which the interval above
      just reaches 0. At a level of 5% it rejects equal areas of like curves in .1% of samples of
      10 positives and 15 negatives, .7% of 30 and 100, 2% of 100 and 400, 2.5% of 500 and 2,000,
      and finds in 9% of those of 30 positives what DeLong's finds in 36%.
    - "delong": DeLong's z and interval, the difference and its multiples of
      √(the variance of the mean of v⁺(A) - v⁺(B) over positives, plus that of v⁻(A) - v⁻(B) over
      negatives), with v⁺ the share of negatives that a positive beats and v⁻ the share of positives
      that a negative loses to, ties one half (`route` "asymptotic"), as pROC has them. On separate
      cases each area has its own variance, and Student's law has Satterthwaite's degrees of
      freedom, with one less than the cases of each sample. Where nothing varies, as of two
      perfect scores, there is neither. At a level of 5% it rejects equal areas
      in up to 17% of samples of 5 to 20 positives, and still in 8% of those of 50, where one area
      comes from a curve of another shape.
    - "exact", on the same cases only: P(``|difference|`` >= the one found) over all 2^n ways to
      swap the two scores of a case, which gives no interval. It is exact if the two scores of every
      case are exchangeable, which takes one scale, such as probabilities, and curves that agree:
      where areas agree and curves cross, it rejects too often (up to 31% at a level of 5%).

    With clusters, whole clusters are what is independent, and what is swapped. The interval is
    Student's (`route` "asymptotic"), of Obuchowski's variance of the difference or of that of cases
    as alike as so few clusters cannot rule out; where no cluster parts
    the areas it joins those that `roc_auc` has. "delong" has Student's law with Obuchowski's
    variance alone; "exact" swaps the two scores of all cases of a cluster at once.

    Parameters
    ----------
    y_true : array-like of shape (n,)
    score_a, score_b : array-like of shape (n,)
        Real scores, higher for the positive class.
    y_true_b : array-like of shape (m,), optional
        Labels of the cases of `score_b`, then of shape (m,), where these are others than those of
        `score_a`. Default: the same cases.
    method : {None, "delong", "conservative", "exact"}
        Of the interval and the p-value. Default: "conservative".
    confidence_level : float in (0, 1)
    pos_label : optional
        As in `sweep`.
    sample_weight, sample_weight_b : optional
        As in `sweep`; the latter for separate cases. Each class is worth Kish's effective number of
        cases.
    strata, cluster : array-like of shape (n,), optional
        As in `roc_auc`; for scores of the same cases.

    Returns
    -------
    ScoreComparison
        nan where a class is absent.

    Raises
    ------
    InvalidArgumentError, UnknownNameError
        `sample_weight_b` without `y_true_b`, or one of two separate samples has weights; clusters
        of separate samples; method "exact" for separate or weighted cases, or for more than a
        second's work (some 5,000 cases with five positives, 800 of two even classes, more than 36
        large clusters); no such method; or as in `sweep`.

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

    As R's pROC has it:

    >>> found = compare_auc(y, a, b, method="delong")
    >>> round(found.low, 3), round(found.high, 3), round(found.p_value, 3)
    (-0.275, 0.525, 0.54)

    Half of the 2^8 ways to swap the two scores of each case part the areas as far:

    >>> compare_auc(y, a, b, method="exact").p_value * 2**8
    128.0
    """
    level = confidence(confidence_level)
    if method is not None:
        one_of("method", method, Method)
    one = {"y_true": y_true, "score_a": score_a, "sample_weight": sample_weight}
    other = {"y_true_b": y_true_b, "score_b": score_b, "sample_weight_b": sample_weight_b}
    drawn = {"strata": strata, "cluster": cluster}
    together = [one | other | drawn] if y_true_b is None else [one, other]
    for columns in together:
        check_order(columns.items())
    first, second = _read(
        y_true, y_true_b, (score_a, score_b), pos_label, (sample_weight, sample_weight_b)
    )
    for sample in (first, second):
        if absent := sample.absent:
            return ScoreComparison(
                difference=nan, confidence_level=level, reason=absent, p_value_reason=absent
            )
    paired, units = y_true_b is None, None
    if given := [name for name, column in drawn.items() if column is not None]:
        if not paired:
            rule, remedy = "is for two scores of the same cases", "leave out y_true_b"
            raise InvalidArgumentError.from_rule(given[0], rule, "beside y_true_b", remedy)
        units = read_units(**drawn, amount=first.amount)
        contest = _ClusteredContest.of(first, second, units)
    else:
        a, b = (_Area(sample, *placed(sample)) for sample in (first, second))
        contest = _Contest(a, b, paired)
    usual = contest.route if isinstance(units, Jackknife) else "conservative"
    tail, route, how = (1 - level) / 2, contest.route, method or usual
    p_value, why = nan, None
    if method == "exact":
        (low, high), reason = (nan, nan), NO_INTERVAL
        p_value = p_of_swaps(first, second, units, paired=paired)
    elif method == "delong":
        route = how = "asymptotic"
        (low, high), p_value, reason = _delong(contest, tail)
        why = reason
    else:
        (low, high), reason = contest.limits(tail)
        _, why = contest.limits(HALF)
        if why is None:
            p_value = p_value_of(lambda tail: contest.limits(tail)[0], contest.difference)
    return ScoreComparison(
        difference=contest.difference,
        low=low,
        high=high,
        p_value=p_value,
        value_a=contest.areas[0],
        value_b=contest.areas[1],
        confidence_level=level,
        route=None if reason else route,
        reason=reason,
        p_value_route=None if isnan(p_value) else how,
        p_value_reason=why,
        **contest.clustering,
    )


def _read(
    y_true: Any, y_true_b: Any, scores: tuple[Any, Any], pos_label: Any, weights: tuple[Any, Any]
) -> tuple[ScoredSample, ScoredSample]:
    if y_true_b is None and weights[1] is not None:
        rule, remedy = "is for separate cases", "pass sample_weight alone, or y_true_b as well"
        given = type(weights[1]).__name__
        raise InvalidArgumentError.from_rule("sample_weight_b", rule, given, remedy)
    if y_true_b is not None and (weights[0] is None) != (weights[1] is None):
        rule, remedy = "must be given for both samples or none", "pass weights of 1 for the other"
        lacking = "sample_weight" if weights[0] is None else "sample_weight_b"
        raise InvalidArgumentError.from_rule(lacking, rule, None, remedy)
    truth, label = read_truth(y_true, pos_label)
    first = ScoredSample.of(truth, "score_a", scores[0], weights[0])
    if y_true_b is None:
        return first, replace(first, scores=read_scores("score_b", scores[1], len(truth)))
    truth_b, _ = read_truth(y_true_b, label)
    return first, ScoredSample.of(truth_b, "score_b", scores[1], weights[1])


@dataclass(frozen=True, slots=True)
class _Area:
    """An area, and how many more pairs than on average each positive wins, each negative loses."""

    sample: ScoredSample
    spread: AreaSpread
    apart: Sides


def joined_limits(spreads: tuple[AreaSpread, AreaSpread], common: float, tail: float) -> Limits:
    """Return limits of a difference: as far as both areas reach, less what they have in common."""
    varied = list[tuple[float, float]]()
    for each in spreads:  # the variances that both limits come from
        kept = FurtherCase.beside(each.fewer, tail)
        down, up = (limit_variance(x, each.variance, kept) for x in (each.area, 1 - each.area))
        varied.append((down, up))
    (down_a, up_a), (down_b, up_b) = varied
    shared = _correlation(common, down_a * up_b), _correlation(common, up_a * down_b)
    areas = spreads[0].area, spreads[1].area
    one, other = (area_limits(each, tail) for each in spreads)
    return difference_limits(areas, (one, other), shared)


@dataclass(frozen=True)
class _Contest:
    """Two areas, of the same cases or of separate ones."""

    a: _Area
    b: _Area
    paired: bool

    @property
    def difference(self) -> float:
        return self.a.spread.area - self.b.spread.area

    route = "conservative"
    clustering: ClassVar[dict[str, Any]] = {}

    @property
    def areas(self) -> tuple[float, float]:
        return self.a.spread.area, self.b.spread.area

    @cached_property
    def common(self) -> float:
        """The covariance of the two areas."""
        return _covariance(self.a, self.b) if self.paired else 0.0

    def limits(self, tail: float) -> tuple[Limits, str | None]:
        """Join the limits of two areas."""
        return joined_limits((self.a.spread, self.b.spread), self.common, tail), None

    @property
    def law(self) -> tuple[float, float, str | None]:
        """DeLong's variance of the difference, its degrees of freedom, and why there is none."""
        if self.paired:
            (a, a_lost), (b, b_lost) = self.a.apart, self.b.apart
            variance, freedom = self.a.sample.variance((a - b, a_lost - b_lost)), inf
        else:
            sizes = [each.spread.n_positive + each.spread.n_negative for each in (self.a, self.b)]
            parts = [each.sample.variance(each.apart) for each in (self.a, self.b)]
            variance = sum(parts)
            spread = sum(part**2 / (size - 1) for part, size in zip(parts, sizes, strict=True))
            freedom = variance**2 / spread if spread else nan
        return variance, freedom, None if variance > ROUNDING else NO_SPREAD


@dataclass(frozen=True, slots=True)
class _ClusteredContest:
    """Two areas of the same cases, which come in clusters."""

    a: Any  # `ClusteredArea` or `ReplicatedArea`, and so are the others
    b: Any
    apart: Any
    route = "asymptotic"

    @classmethod
    def of(
        cls, first: ScoredSample, second: ScoredSample, units: Index | Jackknife
    ) -> "_ClusteredContest":
        a, b = (area_by_units(sample, units) for sample in (first, second))
        sides = [shares_won(sample) for sample in (first, second)]
        won, lost = (sides[0][k] - sides[1][k] for k in (0, 1))
        return cls(a, b, a.less(b).floored(first, (won, lost), SCORES_APART))

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
        return limits_of_difference(self.a, self.b, self.apart, tail)

    @property
    def law(self) -> tuple[float, float, str | None]:
        return self.apart.student


def _delong(contest: _Contest | _ClusteredContest, tail: float) -> tuple[Limits, float, str | None]:
    """Return both ends and the p-value by Student's law, and why there are none."""
    from scipy.special import stdtr, stdtrit

    variance, freedom, why = contest.law
    if why is not None:
        return (nan, nan), nan, why
    apart, error = contest.difference, sqrt(variance)
    reach = float(stdtrit(freedom, 1 - tail)) * error
    limits = max(-1.0, apart - reach), min(1.0, apart + reach)
    return limits, 2 * float(stdtr(freedom, -abs(apart) / error)), None


def _covariance(a: _Area, b: _Area) -> float:
    """Return that of the two areas if the cases of each class have uniform Dirichlet weights."""
    total = 0.0
    for k in (0, 1):
        total += a.sample.mean(k, a.apart[k] * b.apart[k]) / (a.sample.cases(k) + 1)
    return total


def _correlation(common: float, product: float) -> float:
    """Return the correlation of two areas; 0 for a limit that an area of 0 or 1 is."""
    return max(-1.0, min(1.0, common / sqrt(product))) if product else 0.0

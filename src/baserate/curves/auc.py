"""The area under the ROC curve: an interval that holds with few cases, a test against chance."""

from dataclasses import replace
from fractions import Fraction
from math import exp, log, nan
from operator import add, mul
from typing import Any, Literal, NamedTuple

import numpy as np

from baserate._beta_limits import matching_beta
from baserate._checks import confidence
from baserate.cases.clusters import read_clusters
from baserate.curves._mann_whitney import upper_tail
from baserate.curves.class_scores import (
    COLUMNS,
    ONE_COLUMN,
    ClassScores,
    has_columns,
    refuse,
    second_column,
)
from baserate.curves.clustered_auc import ClusteredArea
from baserate.curves.cut_points import WEIGHTED, Sweep, as_sweep
from baserate.curves.estimates import Estimate
from baserate.curves.placements import Sample
from baserate.curves.score_bins import COUNTED, orders, rounded_outward, widened
from baserate.curves.scored_labels import read_truth
from baserate.errors import InvalidArgumentError


def roc_auc(
    y_true: Any,
    y_score: Any = None,
    *,
    confidence_level: float = 0.95,
    pos_label: Any = None,
    sample_weight: Any = None,
    cluster: Any = None,
    labels: Any = None,
    average: Literal["macro", "weighted"] | None = None,
    multi_class: Literal["ovr", "ovo"] | None = None,
) -> Estimate:
    """Return the area under the ROC curve, its interval, and how far chance would get.

    AUC = (Σ over positive-negative pairs of [s⁺ > s⁻] + [s⁺ = s⁻]/2) / (n_positive n_negative).
    Other names: AUROC, ROC AUC, c-statistic, concordance, Mann-Whitney U / (n_positive n_negative).
    Chance is 1/2, and the skill 2 AUC - 1 is also called Gini coefficient or Somers' D.

    The interval is that of Clopper and Pearson, carried over to pairs. Give the cases of each class
    random weights that are uniform on all that sum to one (a Bayesian bootstrap), and let a further
    case of the rarer class, of which there are m, lose every pair: the lower limit is a quantile of
    the area then. For the upper limit it wins every pair. The law is taken as the Beta law with the
    same mean A m/(m + 1) and the same variance, which is known exactly. It then agrees with Clopper
    and Pearson where each case of the rarer class wins all its pairs or none, and with the exact
    bound (α/2)^(1/m) where the classes are separated (`route` "exact"). Otherwise `route` is
    "conservative": there is no proof, but it held 95% or more in every simulation, where DeLong's
    interval, which it tends to as cases grow, holds far less with few cases.

    Per cent of 95% intervals that lie above the truth / below it, with five positives, and of
    DeLong's on the logit scale that do either; the worst of nine laws of scores
    (``benchmarks/bench_auc.py``):

    ==== ============== ============== ============== ============== ==============
    n    area .5        .7             .85            .95            .99
    ==== ============== ============== ============== ============== ==============
    20   0.0/0.0 (5.6)  0.0/0.7 (6.4)  0.0/0.7 (5.1)  0.0/2.5 (3.6)  0.0/0.7 (6.0)
    50   0.0/0.0 (8.0)  0.0/0.8 (10.1) 0.0/0.8 (14.7) 0.0/2.1 (7.6)  0.0/1.0 (7.4)
    100  0.0/0.0 (8.8)  0.0/0.7 (10.9) 0.0/0.9 (19.3) 0.0/2.7 (18.7) 0.0/0.6 (7.3)
    200  0.0/0.0 (10.1) 0.0/0.8 (11.0) 0.0/1.1 (21.3) 0.0/2.6 (27.0) 0.0/0.8 (6.8)
    500  0.0/0.0 (10.8) 0.0/0.8 (12.9) 0.0/1.5 (23.1) 0.0/2.0 (30.0) 0.0/0.8 (30.9)
    5000 0.0/0.0 (11.0) 0.0/0.9 (12.6) 0.0/1.8 (28.4) 0.0/2.6 (36.6) 0.0/0.8 (49.4)
    ==== ============== ============== ============== ============== ==============

    With ten positives of 200 or 500 neither side errs in more than 1.4%. It is the price of holding
    for any law that the interval is wide: a case of the rarer class that was not seen may lose all.
    With five positives `low` is never above 0.025^(1/5) = 0.48: five that beat all negatives are
    what 2.5% of samples show of positives of which half lose to all.

    The p-value is P(U >= u) over all ways to place the labels on the scores found, ties included:
    exact while n · min(n_positive, n_negative) · 2 n_positive n_negative is at most about 1e9 (125
    cases of each class, or 8 positives among 2,600 cases), and for a single positive or negative
    (`p_value_route` "exact"); else "asymptotic", by a normal law corrected for ties and continuity,
    which is rough far out in the tail if one class has only a handful of cases.

    Of a histogram, `bounds` are the areas if the negatives of every bin come first, and if its
    positives do, rounded away from each other. The interval holds those for either order and for
    ties, and there is no p-value, whose law depends on ties.

    With weights, a class is worth Kish's effective number of cases, the interval is approximate,
    and the p-value has no meaning.

    With clusters (images of a patient, runs of a question) the variance is Obuchowski's, which
    counts clusters: k₊/(k₊ - 1) Σ x² + k₋/(k₋ - 1) Σ y² + 2 k/(k - 1) Σ x y, with x what the
    positives of a cluster win beyond as many average ones, over all positives, y the same of its
    negatives, and k₊ and k₋ the clusters that have positives and negatives. The interval is
    Student's on the logit scale, with 1/Σ (share of the class)² - 1 degrees of freedom, of the
    class whose cases lie in fewer clusters (`route` "asymptotic"); an area of 1 has the limit
    (α/2)^(1/m), with m these effective clusters ("conservative"). The p-value is that of an area
    of 1/2, by the same law. `design_effect` is that variance over DeLong's for independent cases.
    With every case its own cluster the variance is DeLong's. Per cent of 95% intervals that hold
    the truth, with clusters of unequal size and intraclass correlation .3: 94 to 99 with 20
    clusters, 94 with 200, where DeLong's hold 63 to 84 (``benchmarks/bench_clusters_paired.py``).

    With a column of scores for each of several classes the area is a mean: of each class against
    the rest ("ovr"), whose value depends on the class shares; or of all pairs of classes ("ovo"),
    each the mean of the areas by the scores for the one class and for the other, among the cases of
    both, which is Hand and Till's M. "weighted" counts classes, or pairs, as often as their cases.
    The interval joins those of the single areas by the correlations that DeLong's placements, and
    an unseen case of each class, give them; it takes the class shares for known (`route`
    "asymptotic"). With three and six classes, of which one and two held 5% of 30 to 300 cases, the
    lower limit was above the truth in at most 1% of samples, and the upper one below it in at most
    6% ("ovr") and 8% ("ovo"), most with areas near 1 (``benchmarks/bench_class_areas.py``). Two
    columns are read as the second one.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n,)
        Labels and real scores; or a `Sweep` alone. For several classes `y_score` has shape (n, K),
        one column per class; other scores than probabilities will do for K of three or more.
    confidence_level : float
        In (0, 1).
    pos_label, sample_weight : optional
        As in `sweep`.
    cluster : array-like of shape (n,), optional
        What cases belong to: labels of any kind. Cases of different clusters are independent.
    labels : sequence of K labels, optional
        Of several classes, in the order of the columns. Default: the column names of a frame if
        these are labels, else those that occur, numbers by size and text by alphabet.
    average : {"macro", "weighted"}, optional
        Of several classes. Default: "macro".
    multi_class : {"ovr", "ovo"}, optional
        Of several classes. Default: "ovr", as scikit-learn calls it.

    Returns
    -------
    Estimate
        nan without cases of both classes (of every class); no interval where all of one class lie
        in one cluster.

    Raises
    ------
    InvalidArgumentError
        The confidence level lies outside (0, 1), or more data stand beside a sweep.
    MissingValueError, LabelError
        A cluster is missing; or as in `sweep`.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44:837, doi:10.2307/2531595. Gaffke (2005),
    Mathematical Methods of Statistics 14:451, for the further case. Hand and Till (2001), Machine
    Learning 45:171, doi:10.1023/A:1010920819831, for several classes. Learned-Miller and Thomas
    (2019), arXiv:1905.06208. Mann and Whitney (1947), Annals of Mathematical Statistics 18:50,
    doi:10.1214/aoms/1177730491. Obuchowski (1997), Biometrics 53:567, doi:10.2307/2533958, for
    clusters. Zou and Donner (2008), Statistics in Medicine 27:1693, doi:10.1002/sim.3095, for means
    of areas.

    Examples
    --------
    >>> from baserate import roc_auc
    >>> found = roc_auc([0, 0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6, 7])
    >>> round(found.value, 4), round(found.low, 3), round(found.high, 3), found.route
    (0.9167, 0.262, 1.0, 'conservative')

    Two of the C(7, 3) = 35 ways to place three positives do as well:

    >>> found.p_value_route, round(found.p_value * 35, 9)
    ('exact', 2.0)

    Three classes, each against the rest, and in pairs:

    >>> y, scores = [0, 0, 1, 1, 2, 2], [[.8, .1, .1], [.3, .4, .3], [.2, .6, .2], [.5, .4, .1],
    ...                                  [.1, .2, .7], [.1, .5, .4]]
    >>> round(roc_auc(y, scores).value, 4), round(roc_auc(y, scores, multi_class="ovo").value, 4)
    (0.8958, 0.8958)

    Four patients, two or three images of each:

    >>> y, score = [0, 1, 0, 1, 1, 0, 0, 1, 0], [2, 5, 1, 4, 3, 4, 2, 6, 3]
    >>> found = roc_auc(y, score, cluster=["a", "a", "b", "b", "b", "c", "c", "d", "d"])
    >>> round(found.value, 3), found.n_clusters, round(found.low, 3), round(found.high, 3)
    (0.9, 4, 0.071, 0.999)
    """
    level = confidence(confidence_level)
    if has_columns(y_score):
        refuse(*COLUMNS, pos_label=pos_label, cluster=cluster)
        how = (
            "macro" if average is None else average,
            "ovr" if multi_class is None else multi_class,
        )
        return _of_classes((y_true, y_score, labels), sample_weight, level, how)
    refuse(*ONE_COLUMN, labels=labels, average=average, multi_class=multi_class)
    if cluster is not None:
        return _clustered(y_true, y_score, cluster, level, pos_label, sample_weight)
    swept = as_sweep(y_true, y_score, pos_label, sample_weight)
    known: dict[str, Any] = {"confidence_level": level, "chance": 0.5, "perfect": 1.0}
    if absent := swept.absent:
        return Estimate(value=nan, reason=absent, p_value_reason=absent, **known)
    both = orders(swept)
    if both is None:
        return replace(_of_order(swept, level, test=True), **known)
    ends = [_of_order(one, level, test=False) for one in both]
    value = ends[0].value / 2 + ends[1].value / 2  # of one bin, that of tied scores
    found = replace(widened(*ends), value=value, bounds=_bounds(*both))
    return replace(found, p_value_reason=COUNTED, **known)


def _of_classes(
    data: tuple[Any, Any, Any], weight: Any, level: float, how: tuple[str, str]
) -> Estimate:
    """Return the same of scores in columns; two of them are those of the second class."""
    from baserate.curves.class_areas import class_roc_auc

    if _number_of_columns(data[1]) == 2:
        truth, scores = second_column(*data)
        return roc_auc(truth, scores, confidence_level=level, sample_weight=weight)
    return class_roc_auc(ClassScores.of(*data, weight), level, *how)


def _number_of_columns(scores: Any) -> int:
    """Return the columns of scores; 0 if the rows differ."""
    try:
        return np.shape(scores)[1]
    except ValueError:
        return 0


def _of_order(swept: Sweep, level: float, *, test: bool) -> Estimate:
    separated = not swept.is_weighted and _separated(swept)
    spread = spread_of(swept)
    low, high = area_limits(spread, (1 - level) / 2)
    tail, how = upper_tail(*swept.by_score) if test and not swept.is_weighted else (nan, None)
    return Estimate(
        value=spread.area,
        low=low,
        high=high,
        p_value=tail,
        route="exact" if separated else "conservative",
        p_value_route=how,
        p_value_reason=WEIGHTED if swept.is_weighted else None,
    )


def _clustered(
    y_true: Any, y_score: Any, cluster: Any, level: float, pos_label: Any, weight: Any
) -> Estimate:
    """Return the same for cases in clusters, which a sweep has forgotten."""
    if y_score is None:
        rule, remedy = "needs labels and scores case by case", "pass y_true and y_score"
        given = f"beside {type(y_true).__name__} alone"
        raise InvalidArgumentError.from_rule("cluster", rule, given, remedy)
    truth, _ = read_truth(y_true, pos_label)
    sample = Sample.of(truth, "y_score", y_score, weight)
    codes = read_clusters("cluster", cluster, len(truth))
    known: dict[str, Any] = {"confidence_level": level, "chance": 0.5, "perfect": 1.0}
    if absent := sample.absent:
        return Estimate(value=nan, reason=absent, p_value_reason=absent, **known)
    return estimate_of(ClusteredArea.of(sample, codes), known)


def estimate_of(area: ClusteredArea, known: dict[str, Any]) -> Estimate:
    """Return what is known of the area of cases in clusters."""
    (low, high), reason = area.limits((1 - known["confidence_level"]) / 2)
    tail, no_tail = area.above_chance()
    route = "conservative" if area.area in (0.0, 1.0) else "asymptotic"
    return Estimate(
        value=area.area,
        low=low,
        high=high,
        p_value=tail,
        route=None if reason else route,
        reason=reason,
        p_value_route=None if no_tail else "asymptotic",
        p_value_reason=no_tail,
        n_clusters=area.n_clusters,
        design_effect=area.design_effect,
        **known,
    )


def _bounds(worst: Sweep, best: Sweep) -> tuple[float, float]:
    """Return both areas, rounded away from each other."""
    return rounded_outward(_exactly(worst), _exactly(best))


def _exactly(swept: Sweep) -> Fraction:
    tp = swept.true_positives.tolist()  # whole numbers of any size
    twice = sum(map(mul, np.diff(swept.false_positives).tolist(), map(add, tp[1:], tp[:-1])))
    return Fraction(twice, 2 * int(swept.n_positive) * int(swept.n_negative))


def _separated(sweep: Sweep) -> bool:
    """Whether some cut makes no error, or nothing but errors."""
    tp, fp = sweep.true_positives, sweep.false_positives
    perfect, inverse = (tp == tp[-1]) & (fp == 0), (tp == 0) & (fp == fp[-1])
    return bool((perfect | inverse).any())


class Spread(NamedTuple):
    """An area, how much the cases of each class differ in it, and how many these are.

    Attributes
    ----------
    area : float
        Share of pairs won.
    positive, negative : float
        Variance of the share of pairs that a positive wins, and that a negative loses.
    n_positive, n_negative : float
        Cases, or Kish's effective number of cases.
    """

    area: float
    positive: float
    negative: float
    n_positive: float
    n_negative: float

    @property
    def fewer(self) -> float:
        """Cases of the rarer class."""
        return min(self.n_positive, self.n_negative)

    @property
    def variance(self) -> float:
        """Variance of the area if the cases of each class have uniform Dirichlet weights.

        (n₋ v₊ + n₊ v₋ + v)/((n₊ + 1)(n₋ + 1)), with v = A(1 - A) the variance of single pairs;
        with ties these vary less. At most v, which a part of the curve that holds less than one
        case would exceed.
        """
        p, q = self.n_positive, self.n_negative
        single = self.area * (1 - self.area)
        return min((q * self.positive + p * self.negative + single) / (p + 1) / (q + 1), single)


def spread_of(sweep: Sweep) -> Spread:
    """Return the area under the curve of a sweep with both classes, and its spread."""
    tp, fp = sweep.true_positives, sweep.false_positives
    area = sweep.tied_area
    won = 1 - (fp[1:] + fp[:-1]) / (2 * fp[-1])  # by a positive of each score
    lost = (tp[1:] + tp[:-1]) / (2 * tp[-1])  # by a negative of each score
    positive, negative = (
        float(np.dot(np.diff(cases), (share - area) ** 2) / cases[-1])
        for share, cases in ((won, tp), (lost, fp))
    )
    return Spread(area, positive, negative, *sweep.effective_sizes)


class Kept(NamedTuple):
    """The law of the share of an area that one further case, which loses all, leaves of it.

    Attributes
    ----------
    mean, lack, variance : float
        The mean, 1 less the mean, and the variance.
    quantile : float
        At the level of the limit.
    """

    mean: float
    lack: float
    variance: float
    quantile: float

    @classmethod
    def beside(cls, cases: float, tail: float) -> "Kept":
        """Return it for a case beside so many others: Beta(cases, 1)."""
        n = cases
        variance = n / (n + 2) / (n + 1) ** 2
        return cls(n / (n + 1), 1 / (n + 1), variance, exp(log(tail) / n))


def area_limits(spread: Spread, tail: float) -> tuple[float, float]:
    """Return the interval that errs with probability `tail` on either side."""
    kept = Kept.beside(spread.fewer, tail)
    area, rest, varies = spread.area, 1 - spread.area, spread.variance
    return lower_limit(area, varies, kept, tail), 1 - lower_limit(rest, varies, kept, tail)


def lower_limit(area: float, variance: float, kept: Kept, tail: float) -> float:
    """Return the quantile of a share of the area that is kept, as of a Beta law.

    No more than if the area did not vary, which the Beta law misses where nearly all is tied.
    """
    from scipy.special import betaincinv

    if area * kept.quantile <= 0:
        return 0.0
    mean, rest = area * kept.mean, (1 - area) + area * kept.lack
    law = matching_beta(mean, rest, limit_variance(area, variance, kept))
    return min(float(betaincinv(*law, tail)), area * kept.quantile)


def limit_variance(area: float, variance: float, kept: Kept) -> float:
    """Return the variance of what is kept of an area, the product of two independent factors."""
    return (kept.mean**2 + kept.variance) * variance + area * area * kept.variance

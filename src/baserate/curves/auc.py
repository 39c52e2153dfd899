"""The area under the ROC curve: an interval that holds with few cases, a test against chance."""

from dataclasses import replace
from fractions import Fraction
from math import nan, sqrt
from operator import add, mul
from statistics import fmean
from typing import Any, Literal

import numpy as np

from baserate._checks import confidence, one_of
from baserate.cases.columns import check_order
from baserate.cases.scores import has_columns
from baserate.cases.strata import read_clusters, read_units
from baserate.curves.area_spread import (
    NO_SPREAD,
    AreaSpread,
    ScoredSample,
    area_limits,
    spread_of,
    wilson_limits,
)
from baserate.curves.bounded_means import p_value_of
from baserate.curves.class_scores import COLUMNS, ONE_COLUMN, answer_of, class_roc_auc, refuse
from baserate.curves.clustered_auc import ROUNDING, ClusteredArea
from baserate.curves.cut_points import WEIGHTED, Sweep
from baserate.curves.estimates import Estimate
from baserate.curves.permutation_laws import upper_tail
from baserate.curves.replicated_auc import ReplicatedArea, area_by_units
from baserate.curves.score_bins import COUNTED, orders, rounded_outward
from baserate.curves.scored_labels import read_truth
from baserate.curves.within_folds import area_of_folds, lacking, read_folds
from baserate.errors import InvalidArgumentError

Method = Literal["wilson", "conservative", "delong", "exact"]
NO_INTERVAL = "random labels tell whether a score knows anything, not how much: leave method out"


def roc_auc(
    y_true: Any,
    y_score: Any = None,
    *,
    method: Method | None = None,
    confidence_level: float = 0.95,
    pos_label: Any = None,
    sample_weight: Any = None,
    strata: Any = None,
    cluster: Any = None,
    fold: Any = None,
    labels: Any = None,
    average: Literal["macro", "weighted"] | None = None,
    multi_class: Literal["ovr", "ovo"] | None = None,
) -> Estimate:
    """Return the area under the ROC curve, its interval, and how far chance would get.

    AUC = (Σ over positive-negative pairs of [s⁺ > s⁻] + [s⁺ = s⁻]/2) / (n_positive n_negative).
    Other names: AUROC, ROC AUC, c-statistic, concordance, Mann-Whitney U / (n_positive n_negative).
    Chance is 1/2, and the skill 2 AUC - 1 is also called Gini coefficient or Somers' D.

    The interval is Wilson's, of a share of N independent pairs (`route` "wilson"): its ends t lie z
    √(t(1 - t)/N) from the area. N is A(1 - A) over DeLong's variance, of the shares of pairs that
    cases win; where few cases, or few lost pairs, show less than luck alone (Mann and Whitney), the
    variance is brought towards that, and a further case of the rarer class is added, of which all
    pairs go the same way. As cases grow the interval tends to DeLong's. An area of 1 has the limit
    N/(N + z²). From 5 positives of 10 on, 95% intervals missed in at most 6% of samples of six
    usual laws of scores, and in up to 25% where some positives lie below all negatives, and the
    sample may have none of them (``benchmarks/README.md``).

    The p-value is that of an area of 1/2, and goes with the interval: twice the error to either
    side at which it just reaches 1/2.

    With ``method="conservative"`` the interval is that of Clopper and Pearson, carried over to
    pairs. Give the cases of each class random weights that are uniform on all that sum to one (a
    Bayesian bootstrap), and let a further case of the rarer class, of which there are m, lose every
    pair: the lower limit is a quantile of the area then, of the Beta law with the same mean A m/(m
    + 1) and variance. For the upper limit it wins every pair. Where the classes are separated the
    limit is exact, (α/2)^(1/m) (`route` "exact"). Otherwise `route` is "conservative": there is no
    proof, but it held 95% or more in every simulation, of whatever law of scores.

    With ``method="exact"`` the p-value is P(U >= u) over all ways to place the labels on the scores
    found, ties included, one-sided, and there is no interval. Its hypothesis is that scores know
    nothing. It is enumerated while n · min(n_positive, n_negative) · 2 n_positive n_negative is at
    most about 1e9 (125 cases of each class, or 8 positives among 2,600 cases), and for a single
    positive or negative (`p_value_route` "exact"); else "asymptotic", by a normal law corrected for
    ties and continuity, which is rough far out in the tail if one class has only a handful of
    cases. Weights and counted scores have none.

    With ``method="delong"`` interval and p-value are DeLong's, as R's pROC and most papers have
    them: the area and multiples of its standard error, no further than 0 and 1, and the two-sided
    p-value of an area of 1/2 by the same law (`route` "asymptotic"). Without spread there is none.

    Of a histogram, `bounds` are the areas if the negatives of every bin come first, and if its
    positives do, rounded away from each other. The interval holds those for either order and for
    ties, and so does the p-value. With weights, a class is worth Kish's effective number of cases,
    or as many as give its mean placement the linearised variance, if these are fewer; interval and
    p-value are approximate.

    With clusters (images of a patient, runs of a question) the variance is Obuchowski's, which
    counts clusters: k₊/(k₊ - 1) Σ x² + k₋/(k₋ - 1) Σ y² + 2 k/(k - 1) Σ x y, with x what the
    positives of a cluster win beyond as many average ones, over all positives, y the same of its
    negatives, and k₊ and k₋ the clusters that have positives and negatives; or that of cases as
    alike as so few clusters cannot rule out. The interval is Student's
    on the logit scale, with Satterthwaite's degrees of freedom of x + y and two more, but at most 2
    m - 1 and at least 1, with m = 1/Σ (share of the class)² of the class whose cases lie in fewer
    clusters (`route` "asymptotic"); an area of 1 has the limit (α/2)^(1/m) ("conservative").
    `design_effect` is Obuchowski's variance over DeLong's for independent cases.

    With strata, in each of which k clusters were drawn, the variance is Σ (k - 1)/k (A - A_c)²: A_c
    is the area without cluster c, for which the others of its stratum stand. Degrees of freedom are
    clusters less strata, of the strata that move the area. Within folds A - A_c is of first order.

    With a column of scores for each of several classes the area is a mean: of each class against
    the rest ("ovr"), whose value depends on the class shares; or of all pairs of classes ("ovo"),
    each the mean of the areas by the scores for the one class and for the other, among the cases of
    both, which is Hand and Till's M. "weighted" counts classes, or pairs, as often as their cases.
    The interval joins those of the single areas by the correlations that DeLong's placements, and
    an unseen case of each class, give them; it takes the class shares for known (`route`
    "asymptotic"). Two columns are read as the second one.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n,)
        Labels and real scores; or a `Sweep` alone. For several classes `y_score` has shape (n, K),
        one column per class; other scores than probabilities will do for K of three or more.
    method : {None, "wilson", "conservative", "delong", "exact"}
        Of the interval and the p-value of one score, of independent cases. Default: "wilson".
    confidence_level : float in (0, 1)
    pos_label, sample_weight : optional
        As in `sweep`.
    strata : array-like of shape (n,), optional
        What the clusters of a survey were drawn in, two or more in each.
    cluster : array-like of shape (n,), optional
        What cases belong to: labels of any kind. Cases of different clusters are independent.
    fold : array-like of shape (n,), optional
        Which held-out fold each case is of, scored by a model of its own: labels of any kind. The
        area is then the mean of those within folds, each of which needs both classes: pooled over
        folds, scores that know nothing rank worse than chance (``benchmarks/bench_held_out.py``).
        Folds share training cases: variances count twice.
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
    InvalidArgumentError, MissingValueError, LabelError, DataError
        More data stand beside a sweep; a cluster is missing; a stratum has a single cluster, which
        does not show how much clusters differ there; or as in `sweep`.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44:837, doi:10.2307/2531595. Forman and
    Scholz (2010), SIGKDD Explorations 12:49, doi:10.1145/1882471.1882479, for folds. Gaffke (2005),
    Mathematical Methods of Statistics 14:451, for the further case. Newcombe (2006), Statistics in
    Medicine 25:559, doi:10.1002/sim.2324, for score intervals of areas. Hand and Till (2001),
    Machine Learning 45:171, doi:10.1023/A:1010920819831, for several classes. Learned-Miller and
    Thomas (2019), arXiv:1905.06208. Mann and Whitney (1947), Annals of Mathematical Statistics
    18:50, doi:10.1214/aoms/1177730491. Obuchowski (1997), Biometrics 53:567, doi:10.2307/2533958,
    for clusters. Wilson (1927), JASA 22:209, doi:10.1080/01621459.1927.10502953. Zou and Donner
    (2008), Statistics in Medicine 27:1693, doi:10.1002/sim.3095, for means of areas. Wolter (2007),
    Introduction to Variance Estimation, doi:10.1007/978-0-387-35099-8, for strata.

    Examples
    --------
    >>> from baserate import roc_auc
    >>> found = roc_auc([0, 0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6, 7])
    >>> round(found.value, 4), round(found.low, 3), round(found.high, 3), found.route
    (0.9167, 0.382, 0.995, 'wilson')

    >>> round(found.p_value, 3)
    0.138

    Two of the C(7, 3) = 35 ways to place three positives do as well:

    >>> found = roc_auc([0, 0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6, 7], method="exact")
    >>> found.p_value_route, round(found.p_value * 35, 9)
    ('exact', 2.0)

    Two folds, of models whose scores lie apart: every positive beats the negatives of its fold.

    >>> y, score, fold = [0, 0, 1, 0, 1, 1], [1, 2, 3, 6, 7, 8], [1, 1, 1, 2, 2, 2]
    >>> round(roc_auc(y, score).value, 4), roc_auc(y, score, fold=fold).value
    (0.8889, 1.0)

    Three classes, each against the rest, and in pairs:

    >>> y, scores = [0, 0, 1, 1, 2, 2], [[.8, .1, .1], [.3, .4, .3], [.2, .6, .2], [.5, .4, .1],
    ...                                  [.1, .2, .7], [.1, .5, .4]]
    >>> round(roc_auc(y, scores).value, 4), round(roc_auc(y, scores, multi_class="ovo").value, 4)
    (0.8958, 0.8958)

    Four patients, two or three images of each:

    >>> y, score = [0, 1, 0, 1, 1, 0, 0, 1, 0], [2, 5, 1, 4, 3, 4, 2, 6, 3]
    >>> found = roc_auc(y, score, cluster=["a", "a", "b", "b", "b", "c", "c", "d", "d"])
    >>> round(found.value, 3), found.n_clusters, round(found.low, 3), round(found.high, 3)
    (0.9, 4, 0.164, 0.998)

    Two of them were drawn in each of two clinics:

    >>> patient, clinic = ["a", "a", "b", "b", "b", "c", "c", "d", "d"], [1, 1, 1, 1, 1, 2, 2, 2, 2]
    >>> found = roc_auc(y, score, cluster=patient, strata=clinic)
    >>> round(found.value, 3), found.n_clusters, round(found.low, 3), round(found.high, 3)
    (0.9, 4, 0.066, 0.999)
    """
    level = confidence(confidence_level)
    if method is not None:
        one_of("method", method, Method)
    plain = None if method == "conservative" else method  # what only single scores have
    drawn = {"strata": strata, "cluster": cluster}
    keys = {**drawn, "fold": fold}
    columns = {"y_true": y_true, "y_score": y_score, **keys, "sample_weight": sample_weight}
    check_order(columns.items())
    if has_columns(y_score):
        refuse(*COLUMNS, method=plain, pos_label=pos_label, **keys)
    else:
        refuse(*ONE_COLUMN, labels=labels, average=average, multi_class=multi_class)
    if plain is not None:
        refuse(f"method {plain}", "leave method out", **keys)
    if cluster is not None or strata is not None:
        return _clustered(y_true, y_score, drawn, fold, level, pos_label, sample_weight)
    if fold is not None:
        return area_of_folds(read_folds(y_true, y_score, fold, pos_label, sample_weight), level)
    how = "macro" if average is None else average, "ovr" if multi_class is None else multi_class
    return answer_of(
        lambda swept: _of_sweep(swept, level, method),
        lambda cases: class_roc_auc(cases, level, *how),
        (y_true, y_score, labels, pos_label, sample_weight),
    )


def _of_sweep(swept: Sweep, level: float, method: Method | None) -> Estimate:
    """Return the area of one score, of independent cases."""
    known: dict[str, Any] = {"confidence_level": level, "chance": 0.5, "perfect": 1.0}
    if absent := swept.absent:
        return Estimate(value=nan, reason=absent, p_value_reason=absent, **known)
    if method == "exact":
        return replace(_by_labels(swept), **known)
    both = orders(swept)
    spreads = [spread_of(each) for each in both or (swept,)]
    found = _of_spreads(spreads, (1 - level) / 2, method or "wilson")
    if both is not None:
        found = replace(found, bounds=rounded_outward(*map(_exactly, both)))
    elif method == "conservative" and not swept.is_weighted:
        tp, fp = swept.true_positives, swept.false_positives
        perfect, inverse = (tp == tp[-1]) & (fp == 0), (tp == 0) & (fp == fp[-1])
        if (perfect | inverse).any():  # some cut makes no error, or nothing but errors
            found = replace(found, route="exact")
    return replace(found, **known)


def _by_labels(swept: Sweep) -> Estimate:
    """Return the area, and how many ways to place the labels do as well."""
    value, reason = spread_of(swept).area, None
    if swept.is_weighted or orders(swept):
        reason, found = WEIGHTED if swept.is_weighted else COUNTED, (nan, None)
    else:
        found = upper_tail(*swept.by_score)
    tail, how = found
    about: dict[str, Any] = {"p_value_route": how, "p_value_reason": reason}
    return Estimate(value=value, reason=NO_INTERVAL, p_value=tail, **about)


def _of_spreads(spreads: list[AreaSpread], tail: float, how: str) -> Estimate:
    """Return what holds the intervals of all orders that scores may have, and its p-value."""
    if how == "delong":
        return _delong(spreads, tail)
    of_one = area_limits if how == "conservative" else wilson_limits

    def limits(tail: float) -> tuple[float, float]:
        lows, highs = zip(*(of_one(spread, tail) for spread in spreads), strict=True)
        return min(lows), max(highs)

    value = fmean(spread.area for spread in spreads)
    low, high = limits(tail)
    p_value = p_value_of(limits, value, 0.5)
    return Estimate(value=value, low=low, high=high, p_value=p_value, route=how, p_value_route=how)


def _delong(spreads: list[AreaSpread], tail: float) -> Estimate:
    """Return multiples of DeLong's standard error, and the p-value of an area of 1/2."""
    from scipy.special import ndtr, ndtri

    value, how = fmean(spread.area for spread in spreads), "asymptotic"
    if not all(spread.delong > ROUNDING for spread in spreads):
        return Estimate(value=value, reason=NO_SPREAD, p_value_reason=NO_SPREAD)
    errors, far = [sqrt(spread.delong) for spread in spreads], -float(ndtri(tail))
    each = list(zip(spreads, errors, strict=True))
    side = 1 if value > 0.5 else -1
    return Estimate(
        value=value,
        low=max(0.0, min(spread.area - far * error for spread, error in each)),
        high=min(1.0, max(spread.area + far * error for spread, error in each)),
        p_value=min(1.0, max(2 * float(ndtr(side * (0.5 - s.area) / error)) for s, error in each)),
        route=how,
        p_value_route=how,
    )


def _clustered(
    y_true: Any, y_score: Any, drawn: Any, fold: Any, level: float, pos_label: Any, weight: Any
) -> Estimate:
    """Return the same for cases in clusters, which a sweep has forgotten."""
    if y_score is None:
        rule, remedy = "needs labels and scores case by case", "pass y_true and y_score"
        given = f"beside {type(y_true).__name__} alone"
        named = next(name for name, column in drawn.items() if column is not None)
        raise InvalidArgumentError.from_rule(named, rule, given, remedy)
    truth, _ = read_truth(y_true, pos_label)
    sample = ScoredSample.of(truth, "y_score", y_score, weight)
    units = read_units(**drawn, amount=sample.amount)
    known: dict[str, Any] = {"confidence_level": level, "chance": 0.5, "perfect": 1.0}
    absent, folds = sample.absent, None
    if fold is not None and not absent:
        folds = read_clusters("fold", fold, len(truth))
        absent = lacking(read_folds(truth, y_score, folds, True, weight))
    if absent:
        return Estimate(value=nan, reason=absent, p_value_reason=absent, **known)
    return estimate_of(area_by_units(sample, units, folds), known)


def estimate_of(area: ClusteredArea | ReplicatedArea, known: dict[str, Any]) -> Estimate:
    """Return what is known of the area of cases in clusters."""
    (low, high), reason = area.limits((1 - known["confidence_level"]) / 2)
    p_value = nan if reason else p_value_of(lambda t: area.limits(t)[0], area.area, 0.5)
    route = "conservative" if area.area in (0.0, 1.0) else "asymptotic"
    return Estimate(
        value=area.area,
        low=low,
        high=high,
        p_value=p_value,
        route=None if reason else route,
        reason=reason,
        p_value_route=None if reason else route,
        p_value_reason=reason,
        n_clusters=area.n_clusters,
        design_effect=area.design_effect,
        **known,
    )


def _exactly(swept: Sweep) -> Fraction:
    tp = swept.true_positives.tolist()  # whole numbers of any size
    twice = sum(map(mul, np.diff(swept.false_positives).tolist(), map(add, tp[1:], tp[:-1])))
    return Fraction(twice, 2 * int(swept.n_positive) * int(swept.n_negative))

"""Areas of cases in clusters: by Obuchowski's sums in fractions, by DeLong, and as printed."""

from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.special import logit
from scipy.stats import norm
from scipy.stats import t as student

from baserate.curves import compare_auc, permutation_laws, roc_auc, sweep
from baserate.curves.area_spread import ScoredSample
from baserate.curves.clustered_auc import ClusteredArea
from baserate.errors import InvalidArgumentError, LabelError, MissingValueError
from oracles import area_twins
from oracles import curve_twins as twins

TRUTH = [True, True, True, False, False, False, True, False, True, False, False, True]
SCORES = st.lists(st.integers(0, 4), min_size=12, max_size=12)
CLUSTERS = st.lists(st.integers(0, 4), min_size=12, max_size=12)


@pytest.mark.slow
@given(SCORES, CLUSTERS)
def test_the_variance_is_obuchowskis_by_its_definition(scores, clusters):
    exact = area_twins.obuchowski_variance(TRUTH, scores, clusters)
    found = roc_auc(TRUTH, scores, cluster=clusters)
    assert found.value == pytest.approx(float(twins.area_under_roc(TRUTH, scores)), abs=1e-14)
    assert found.n_clusters == len(set(clusters))
    if exact is None:
        assert isnan(found.low)
        assert found.reason.endswith("lie in one cluster: collect more clusters")
        return
    independent = twins.delong_variance(TRUTH, scores)
    if independent:
        ratio = float(exact / independent)
        assert found.design_effect == pytest.approx(ratio, rel=1e-9, abs=1e-12)


@pytest.mark.slow
@given(SCORES, SCORES, CLUSTERS)
def test_so_is_that_of_a_difference(a, b, clusters):
    exact = area_twins.obuchowski_variance(TRUTH, a, clusters, b)
    assume(exact)
    found = compare_auc(TRUTH, a, b, cluster=clusters, method="delong")
    counts = [[clusters[i] for i, y in enumerate(TRUTH) if y is side] for side in (True, False)]
    effective = min(len(c) ** 2 / sum(c.count(k) ** 2 for k in set(c)) for c in counts)
    p_value = 2 * student.sf(abs(found.difference) / sqrt(exact), effective - 1)
    assert found.p_value == pytest.approx(p_value, rel=1e-9)
    assert found.p_value_route == "asymptotic"


@given(SCORES, SCORES)
def test_cases_that_are_their_own_clusters_have_delongs_variance(a, b):
    alone = list("abcdefghijkl")
    for others in (None, b):
        exact = area_twins.obuchowski_variance(TRUTH, a, alone, others)
        by_delong = (
            twins.delong_variance(TRUTH, a)
            if others is None
            else twins.delong_variance(TRUTH, a, b)
        )
        assert exact == by_delong
    found, paired = roc_auc(TRUTH, a, cluster=alone), compare_auc(TRUTH, a, b, cluster=alone)
    for one in (found, paired):
        assert isnan(one.design_effect) or one.design_effect == pytest.approx(1, rel=1e-12)
    assert roc_auc(TRUTH, a).value == pytest.approx(found.value, abs=1e-14)


def printed_areas():
    """Return two areas whose sums over clusters are those printed for 65 arteries of 36 patients.

    Obuchowski (1997), Table 3, magnetic resonance angiography by two readers, to the digits that
    the author's program clusteredROC prints (Cleveland Clinic, clusteredROC_help.pdf). Any vectors
    with these inner products have them.
    """
    m, n, k, k1, k0 = 29, 36, 36, 23, 27
    ones = [(k1 - 1) / (k1 * m), (k0 - 1) / (k0 * n), (k - 1) / (k * m * n)]
    s10 = np.array([[0.0013151307, 0.0008484357], [0.0008484357, 0.0009284122]])
    s01 = np.array([[0.0022375873, 0.0019241250], [0.0019241250, 0.0022598583]])
    s11 = np.array([[0.0051785478, 0.0028648340], [-0.0015136931, -0.0005015760]])
    products = np.block([[s10 * ones[0], s11 * ones[2]], [s11.T * ones[2], s01 * ones[1]]])
    rows = np.zeros((4, k))
    rows[:, 10:14] = np.linalg.cholesky(products)
    held = np.where(np.arange(k) < k1, 1 / k1, 0.0), np.where(np.arange(k) >= k - k0, 1 / k0, 0.0)
    areas = (0.9837, 0.9852)
    return [ClusteredArea(a, (rows[i], rows[2 + i]), held, 1.0) for i, a in enumerate(areas)]


def test_the_sums_that_are_printed_have_the_printed_standard_errors():
    first, second = printed_areas()
    apart = second.less(first)
    assert (round(sqrt(first.variance), 4), round(sqrt(second.variance), 4)) == (0.0108, 0.0097)
    assert round(sqrt(apart.variance), 4) == 0.0066
    low, high = (0.9837 + side * 1.959964 * sqrt(first.variance) for side in (-1, 1))
    assert (round(low, 4), round(high, 3)) == (0.9625, 1.005)
    assert 2 * norm.sf(0.00144 / sqrt(apart.variance)) == pytest.approx(0.8271, abs=2e-3)


@pytest.mark.slow
@given(SCORES, SCORES, CLUSTERS)
def test_whole_clusters_are_swapped(a, b, clusters):
    found = compare_auc(TRUTH, a, b, cluster=clusters, method="exact")
    exact = area_twins.swapped_p_value(TRUTH, a, b, clusters)
    assert found.p_value_route == "exact"
    assert found.p_value == pytest.approx(float(exact), rel=1e-13)


def test_few_large_clusters_are_enumerated(monkeypatch):
    rng = np.random.default_rng(0)
    y, cluster = rng.random(300) < 0.4, rng.integers(0, 14, 300)
    a, b = rng.normal(size=(2, 300)) + y
    whole = compare_auc(y, a, b, cluster=cluster, method="exact").p_value
    monkeypatch.setattr(permutation_laws, "BUDGET", 0)
    assert compare_auc(y, a, b, cluster=cluster, method="exact").p_value == pytest.approx(whole)


def test_weights_are_repeated_cases_of_a_cluster():
    y, score, cluster = [1, 0, 1, 0, 1, 0], [3, 1, 2, 2, 5, 4], list("aabbcc")
    times = np.array([2, 1, 3, 1, 1, 2])
    weighted = roc_auc(y, score, cluster=cluster, sample_weight=times)
    repeated = roc_auc(
        np.repeat(y, times), np.repeat(score, times), cluster=np.repeat(cluster, times)
    )
    assert weighted.value == pytest.approx(repeated.value, rel=1e-12)
    samples = ScoredSample(np.array(y) > 0, np.array(score), None), np.array([0, 0, 1, 1, 2, 2])
    laws = [
        ClusteredArea.of(
            ScoredSample.of(samples[0].truth, "score", samples[0].scores, times), samples[1]
        ),
        ClusteredArea.of(
            ScoredSample(np.repeat(samples[0].truth, times), np.repeat(score, times), None),
            np.repeat(samples[1], times),
        ),
    ]
    assert laws[0].variance == pytest.approx(laws[1].variance, rel=1e-12)


def test_a_case_without_weight_makes_no_cluster():
    y, score, cluster = [1, 0, 1, 0, 1], [3, 1, 2, 2, 5], list("aabbc")
    dropped = roc_auc(y[:4], score[:4], cluster=cluster[:4])
    found = roc_auc(y, score, cluster=cluster, sample_weight=[1, 1, 1, 1, 0])
    assert found.n_clusters == dropped.n_clusters == 2
    assert (found.low, found.high) == pytest.approx((dropped.low, dropped.high))


def test_separated_clusters_have_a_bound():
    found = roc_auc([1, 0] * 5, [2, 1] * 5, cluster=[0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    assert (found.value, found.high, found.route) == (1.0, 1.0, "conservative")
    assert found.low == pytest.approx(0.025**0.2, rel=1e-12)
    assert found.p_value == pytest.approx(2 / 2**5, rel=1e-9)  # 1/2 is where five clusters win all
    turned = roc_auc([0, 1] * 5, [2, 1] * 5, cluster=[0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    assert (turned.low, turned.high) == pytest.approx((0.0, 1 - found.low))
    apart = compare_auc([1, 0] * 5, [2, 1] * 5, [1, 2] * 5, cluster=[0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    assert -1 <= apart.low < apart.difference == apart.high == 1


@given(SCORES, SCORES, CLUSTERS, st.permutations(range(12)))
@settings(max_examples=30)
def test_order_and_names_of_clusters_do_not_matter(a, b, clusters, order):
    found = compare_auc(TRUTH, a, b, cluster=clusters)
    columns = [[column[i] for i in order] for column in (TRUTH, a, b)]
    named = compare_auc(*columns, cluster=[f"c{9 - clusters[i]}" for i in order])
    for name in ("difference", "low", "high", "p_value", "design_effect"):
        assert getattr(named, name) == pytest.approx(getattr(found, name), abs=1e-9, nan_ok=True)
    turned = compare_auc(TRUTH, b, a, cluster=clusters)
    ends = found.low, found.high
    assert (-turned.high, -turned.low) == pytest.approx(ends, abs=1e-9, nan_ok=True)


@pytest.mark.slow
def test_a_cluster_with_nearly_all_of_a_class_leaves_few_degrees_of_freedom():
    """Leaving it out hardly moves the area: so the jackknife does not see what it decides."""
    rng = np.random.default_rng(4)
    cluster = np.repeat(np.arange(21), [300, *[6] * 20])
    y = rng.random(len(cluster)) < np.where(cluster == 0, 0.95, 0.05)
    score = rng.normal(size=len(y)) + 1.5 * y
    held = np.bincount(cluster[y]) / y.sum()
    m = 1 / (held**2).sum()
    assert 1 < m < 1.1
    found = roc_auc(y, score, cluster=cluster)
    variance = float(area_twins.obuchowski_variance(y.tolist(), score.tolist(), cluster.tolist()))
    reach = student.ppf(0.975, 2 * m - 1) * sqrt(variance) / (found.value * (1 - found.value))
    for end, sign in ((found.low, -1), (found.high, 1)):
        assert sign * logit(end) >= sign * logit(found.value) + reach


def test_what_is_refused():
    y, score = [1, 0, 1, 0], [3, 1, 2, 2]
    with pytest.raises(InvalidArgumentError, match="cluster needs labels and scores case by case"):
        roc_auc(sweep(y, score), cluster=list("aabb"))
    with pytest.raises(LabelError, match=r"cluster must have as many cases as y_true \(4\), got 3"):
        roc_auc(y, score, cluster=list("aab"))
    with pytest.raises(MissingValueError, match="cluster must not hold missing values, found 1"):
        roc_auc(y, score, cluster=["a", None, "b", "b"])
    with pytest.raises(InvalidArgumentError, match="cluster is for two scores of the same cases"):
        compare_auc(y, score, score, y_true_b=y, cluster=list("aabb"))
    empty = roc_auc([1, 1], [1, 2], pos_label=1, cluster=["a", "b"])
    assert (isnan(empty.value), empty.reason) == (True, "no negatives")


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("k", "area"), [(20, 0.7), (100, 0.85)])
def test_intervals_hold_where_those_of_independent_cases_do_not(k, area):
    rng, runs = np.random.default_rng(8), 200
    held = np.zeros(2)
    for _ in range(runs):
        cluster = np.repeat(np.arange(k), 1 + rng.negative_binomial(1.3, 0.16, size=k))
        y = (np.arange(k) % 2 == 0)[cluster]
        noise = sqrt(0.3) * rng.normal(size=k)[cluster] + sqrt(0.7) * rng.normal(size=len(y))
        score = noise + sqrt(2) * norm.ppf(area) * y
        found = roc_auc(y, score, cluster=cluster)
        naive = 1.96 * sqrt(ClusteredArea.of(ScoredSample(y, score, None), cluster).independent)
        held += found.low <= area <= found.high, abs(found.value - area) <= naive
    assert held[0] / runs > 0.92
    assert held[1] / runs < 0.8

"""Two areas: of the same cases, by the placements of DeLong's paper, and of separate ones."""

import json
from math import isnan, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from scipy.stats import t as student

from baserate.curves import compare_auc, permutation_laws, roc_auc
from baserate.errors import InvalidArgumentError, LabelError, UnknownNameError
from oracles import area_twins
from oracles import curve_twins as twins

SCORES = st.lists(st.integers(0, 4), min_size=12, max_size=12)
TRUTH = [True] * 5 + [False] * 7
ASAH = json.loads((Path(__file__).parents[1] / "golden" / "asah.json").read_text("utf-8"))


@pytest.mark.parametrize("names", ASAH["expected"]["paired"])
def test_proc_prints_this_comparison_of_the_same_patients(names):
    printed, (first, second) = ASAH["expected"]["paired"][names], names.split(", ")
    found = compare_auc(ASAH["poor"], ASAH[first], ASAH[second], method="delong")
    low, high = printed["interval"]
    assert (found.route, found.p_value_route) == ("asymptotic", "asymptotic")
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-11)
    assert found.p_value == pytest.approx(printed["p_value"], rel=1e-11)
    assert norm.isf(found.p_value / 2) == pytest.approx(abs(printed["z"]), rel=1e-11)
    assert found.difference == pytest.approx((low + high) / 2, rel=1e-11)
    plain = compare_auc(ASAH["poor"], ASAH[first], ASAH[second])
    assert plain.low < low < high < plain.high < plain.low + 1.3 * (high - low)
    assert (plain.p_value < 0.05) == (plain.low > 0 or plain.high < 0)


def test_the_areas_that_proc_prints():
    found = compare_auc(ASAH["poor"], ASAH["wfns"], ASAH["s100b"])
    assert (found.value_a, found.value_b) == pytest.approx((0.8236789, 0.7313686), abs=5e-8)


@pytest.mark.parametrize("names", ASAH["expected"]["unpaired"])
def test_proc_prints_this_p_value_as_if_patients_were_separate(names):
    printed, (first, second) = ASAH["expected"]["unpaired"][names], names.split(", ")
    how = {"y_true_b": ASAH["poor"], "method": "delong"}
    found = compare_auc(ASAH["poor"], ASAH[first], ASAH[second], **how)
    assert found.p_value_route == "asymptotic"
    assert found.p_value == pytest.approx(printed["p_value"], rel=1e-11)


@given(SCORES, SCORES)
def test_the_normal_p_value_is_delongs_by_its_definition(a, b):
    variance = twins.delong_variance(TRUTH, a, b)
    assume(variance)
    found = compare_auc(TRUTH, a, b, method="delong")
    areas = [twins.area_under_roc(TRUTH, scores) for scores in (a, b)]
    assert float(found) == pytest.approx(float(areas[0] - areas[1]), abs=1e-14)
    assert (found.value_a, found.value_b) == pytest.approx(list(map(float, areas)), abs=1e-14)
    z = abs(float(areas[0] - areas[1])) / sqrt(variance)
    assert found.p_value == pytest.approx(2 * norm.sf(z), rel=1e-12)


@pytest.mark.slow
@given(SCORES, SCORES)
def test_separate_cases_add_their_variances(a, b):
    parts = [float(twins.delong_variance(TRUTH, scores)) for scores in (a, b)]
    assume(sum(parts))
    found = compare_auc(TRUTH, a, b, y_true_b=TRUTH, method="delong")
    freedom = sum(parts) ** 2 / sum(part**2 / 11 for part in parts)
    ratio = abs(found.difference) / sqrt(sum(parts))
    assert found.p_value == pytest.approx(2 * student.sf(ratio, freedom), rel=1e-10)


@given(
    st.lists(st.integers(0, 4), min_size=6, max_size=6),
    st.lists(st.integers(0, 4), min_size=6, max_size=6),
    st.integers(1, 5),
)
@settings(max_examples=40)
def test_swaps_are_counted_one_by_one(a, b, n_positive):
    truth = [i < n_positive for i in range(6)]
    found = compare_auc(truth, a, b, method="exact")
    assert found.p_value_route == "exact"
    assert found.p_value == pytest.approx(float(area_twins.swapped_p_value(truth, a, b)), rel=1e-13)


def test_the_interval_of_separate_cases_joins_two_intervals():
    rng = np.random.default_rng(4)
    y, z = np.arange(40) < 9, np.arange(70) < 30
    a, b = rng.normal(size=40) + y, rng.normal(size=70) + z
    found = compare_auc(y, a, b, y_true_b=z)
    one, two = (roc_auc(*data, method="conservative") for data in ((y, a), (z, b)))
    down = sqrt((one.value - one.low) ** 2 + (two.high - two.value) ** 2)
    up = sqrt((one.high - one.value) ** 2 + (two.value - two.low) ** 2)
    assert found.difference == pytest.approx(one.value - two.value, rel=1e-12)
    assert found.difference - found.low == pytest.approx(down, rel=1e-11)
    assert found.high - found.difference == pytest.approx(up, rel=1e-11)


def test_the_interval_of_many_cases_is_delongs():
    rng = np.random.default_rng(6)
    y = np.arange(300_000) < 100_000
    hard = rng.normal(size=len(y))
    a, b = (hard + rng.normal(size=len(y)) + shift * y for shift in (1.0, 0.9))
    found = compare_auc(y, a, b)
    error = found.difference / norm.isf(found.p_value / 2)
    assert found.high - found.difference == pytest.approx(1.96 * error, rel=0.01)
    assert found.difference - found.low == pytest.approx(1.96 * error, rel=0.01)


@pytest.mark.slow
@given(SCORES, SCORES)
def test_the_conservative_p_value_goes_with_the_interval(a, b):
    found = compare_auc(TRUTH, a, b)
    assert -1 <= found.low <= found.difference <= found.high <= 1
    assert found.p_value_route == "conservative"
    assert (found.p_value < 0.05) == (found.low > 0 or found.high < 0)
    turned = compare_auc(TRUTH, b, a)
    assert (-turned.high, -turned.low) == pytest.approx((found.low, found.high), abs=1e-12)
    assert turned.p_value == pytest.approx(found.p_value, rel=1e-9)


@pytest.mark.sweep(6, start=5)
@pytest.mark.parametrize("method", ["conservative", "delong"])
@pytest.mark.parametrize("way", ["same", "separate", "clusters"])
def test_an_interval_holds_0_where_p_exceeds_alpha_and_only_there(way, method):
    rng = np.random.default_rng(12)
    for _ in range(12):
        y, hard = np.arange(60) < rng.integers(8, 30), rng.normal(size=60)
        a, b = (hard + rng.normal(size=60) + shift * y for shift in rng.uniform(0, 2.5, size=2))
        how = {"separate": {"y_true_b": y}, "clusters": {"cluster": np.arange(60) % 20}}.get(
            way, {}
        )
        p_value = compare_auc(y, a, b, method=method, **how).p_value
        for alpha in (0.9, 1.01, 0.99, 1.2):
            level = 1 - p_value * alpha if alpha > 0.95 else 0.95
            if not 0 < level < 1 - 1e-9:
                continue
            found = compare_auc(y, a, b, method=method, confidence_level=level, **how)
            assert (found.low <= 0 <= found.high) == (p_value > 1 - level)


def test_swaps_give_no_interval():
    found = compare_auc(TRUTH, range(12), [3, 1, 2] * 4, method="exact")
    assert isnan(found.low)
    assert found.reason.startswith("swaps tell whether areas are equal")


@pytest.mark.sweep(4, start=2)
@pytest.mark.parametrize(("first", "second"), [(0.99, 0.9), (0.8, 0.8)])
@pytest.mark.parametrize("separate", [False, True])
def test_few_cases_keep_their_word(first, second, separate):
    rng, missed, rejected, runs = np.random.default_rng(11), [0, 0], 0, 400
    y = np.repeat([True, False], [5, 45])
    shifts = [sqrt(2) * norm.ppf(area) for area in (first, second)]
    for _ in range(runs):
        hard = np.zeros(50) if separate else rng.normal(size=50)
        a, b = (
            0.6 * hard + 0.8 * rng.normal(size=50) + shift * y * (0.8 if separate else 1)
            for shift in shifts
        )
        found = compare_auc(y, a, b, y_true_b=y if separate else None)
        missed[0] += first - second < found.low
        missed[1] += first - second > found.high
        rejected += found.p_value <= 0.05
    assert max(missed) / runs < 0.04
    assert rejected / runs < 0.07 or first != second


def test_weights_that_are_equal_change_nothing_and_zeros_leave_out():
    rng = np.random.default_rng(0)
    y, a, b = rng.random(60) < 0.4, rng.normal(size=60), np.round(rng.normal(size=60))
    weights = np.where(np.arange(60) < 50, 0.25, 0.0)
    for method in ("delong", "conservative"):
        plain = compare_auc(y[:50], a[:50], b[:50], method=method)
        weighted = compare_auc(y, a, b, sample_weight=weights, method=method)
        for name in ("difference", "low", "high", "p_value"):
            assert getattr(weighted, name) == pytest.approx(getattr(plain, name), rel=1e-11)


def test_weights_of_separate_cases_are_those_of_a_repeated_case():
    rng = np.random.default_rng(1)
    y, a, b = np.arange(30) < 12, rng.normal(size=30), rng.normal(size=30)
    times = rng.integers(1, 4, size=30)
    found = compare_auc(y, a, b, y_true_b=y, sample_weight=np.ones(30), sample_weight_b=times * 0.5)
    repeated = roc_auc(np.repeat(y, times), np.repeat(b, times))
    assert found.value_b == pytest.approx(repeated.value, rel=1e-12)
    assert found.value_a == pytest.approx(roc_auc(y, a).value, rel=1e-12)


def test_equal_rankings_do_not_differ():
    rng = np.random.default_rng(5)
    y, a = np.arange(90) < 30, rng.normal(size=90)
    found = compare_auc(y, a, np.exp(a))
    assert (found.difference, found.p_value) == (0.0, 1.0)
    assert found.low < 0 < found.high
    assert compare_auc(y, a, a, method="exact").p_value == 1.0


def test_one_class_has_no_difference():
    found = compare_auc([1, 1], [1, 2], [2, 1], pos_label=1)
    assert isnan(found.difference)
    assert (found.reason, found.p_value_reason) == ("no negatives", "no negatives")
    assert found.to_dict()["difference"] is None
    unweighed = compare_auc([1, 1, 0], [1, 2, 3], [2, 1, 3], sample_weight=[0, 0, 1])
    assert unweighed.reason == "no positives"
    apart = compare_auc([1, 0], [1, 2], [2, 1, 3], y_true_b=[0, 0, 0])
    assert apart.reason == "no positives"


def test_refusals(monkeypatch):
    y, a, b = [1, 0], [1, 2], [2, 1]
    with pytest.raises(LabelError, match=r"score_b must have as many cases as y_true \(2\), got 1"):
        compare_auc(y, a, [1])
    with pytest.raises(UnknownNameError, match="method"):
        compare_auc(y, a, b, method="bootstrap")
    with pytest.raises(InvalidArgumentError, match="sample_weight_b is for separate cases"):
        compare_auc(y, a, b, sample_weight_b=[1, 1])
    with pytest.raises(InvalidArgumentError, match="sample_weight must be given for both"):
        compare_auc(y, a, b, y_true_b=y, sample_weight_b=[1, 1])
    for how in ({"y_true_b": y}, {"sample_weight": [1, 1]}):
        with pytest.raises(InvalidArgumentError, match="method can be exact for unweighted"):
            compare_auc(y, a, b, method="exact", **how)
    monkeypatch.setattr(permutation_laws, "BUDGET", 0)
    monkeypatch.setattr(permutation_laws, "MOST_BITS", 0)
    with pytest.raises(InvalidArgumentError, match="method is exact for fewer cases only"):
        compare_auc(y, a, b, method="exact")


def test_areas_that_fall_as_the_other_rises_keep_their_difference_within_1():
    """The correlation is at least -1: both reaches together never pass 1."""
    for level in (0.5, 0.8, 0.95, 0.999):
        found = compare_auc([0, 1, 1], [0, 0, 3], [2, 3, 1], confidence_level=level)
        assert -1 <= found.low <= found.difference <= found.high <= 1


@pytest.mark.parametrize("others", [np.array([1, 2, 1, 2]), np.array([0.5, 1.5, 0.5, 1.5])])
def test_swaps_do_not_merge_integers_that_floats_would(others):
    """Both rank perfectly, so that no swap parts the areas less than they are: not at all."""
    large = np.array([2**63, 2**63 + 1, 2**63, 2**63 + 1], dtype=np.uint64)
    found = compare_auc([0, 1, 0, 1], large, others, method="exact")
    assert (found.difference, found.p_value) == (0.0, 1.0)


@pytest.mark.parametrize("cluster", [None, [0, 1, 2, 3, 0, 1, 2, 3]])
@pytest.mark.parametrize("turned", [1, -1])
def test_delongs_law_says_nothing_where_nothing_varies(cluster, turned):
    """Two perfect scores, or one perfect and one reversed: no variance, so no width to tell."""
    y, score = [0] * 4 + [1] * 4, np.arange(8)
    found = compare_auc(y, score, turned * score**2, method="delong", cluster=cluster)
    assert found.difference == (0 if turned == 1 else 1)
    assert np.isnan([found.low, found.high, found.p_value]).all()
    assert (found.route, found.p_value_route) == (None, None)
    assert found.reason
    assert found.p_value_reason

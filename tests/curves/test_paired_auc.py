"""Two areas of the same cases, by the placements of DeLong's paper."""

from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import norm

from baserate.curves import compare_auc, roc_auc
from baserate.errors import InvalidArgumentError, LabelError
from oracles import curve_twins as twins

SCORES = st.lists(st.integers(0, 4), min_size=12, max_size=12)
TRUTH = [True] * 5 + [False] * 7


@given(SCORES, SCORES, st.sampled_from([0.8, 0.95]))
def test_interval_and_p_value_are_delongs(a, b, level):
    variance = twins.delong_variance(TRUTH, a, b)
    assume(variance)
    found = compare_auc(TRUTH, a, b, confidence_level=level)
    difference = float(twins.area_under_roc(TRUTH, a) - twins.area_under_roc(TRUTH, b))
    error = sqrt(variance)
    reach = norm.ppf((1 + level) / 2) * error
    assert float(found) == pytest.approx(difference, abs=1e-14)
    assert found.low == pytest.approx(max(-1, difference - reach), rel=1e-12, abs=1e-14)
    assert found.high == pytest.approx(min(1, difference + reach), rel=1e-12, abs=1e-14)
    assert found.p_value == pytest.approx(2 * norm.sf(abs(difference) / error), rel=1e-11)
    assert (found.auc_a, found.auc_b) == pytest.approx(
        (roc_auc(TRUTH, a).value, roc_auc(TRUTH, b).value), abs=1e-14
    )


def test_weights_that_are_equal_change_nothing_and_zeros_leave_out():
    rng = np.random.default_rng(0)
    y, a, b = rng.random(60) < 0.4, rng.normal(size=60), rng.normal(size=60)
    plain = compare_auc(y[:50], a[:50], b[:50])
    weights = np.where(np.arange(60) < 50, 0.25, 0.0)
    weighted = compare_auc(y, a, b, sample_weight=weights)
    for name in ("difference", "low", "high", "p_value"):
        assert getattr(weighted, name) == pytest.approx(getattr(plain, name), rel=1e-11)


def test_interval_covers_as_often_as_it_says():
    rng, hits, runs = np.random.default_rng(11), 0, 2000
    y = np.repeat([True, False], [40, 60])
    truth = norm.cdf(1 / sqrt(2)) - 0.5
    for _ in range(runs):
        hard = rng.normal(size=100)  # what both scores have in common
        a = (hard + rng.normal(size=100)) / sqrt(2) + y
        b = (hard + rng.normal(size=100)) / sqrt(2)
        found = compare_auc(y, a, b)
        hits += found.low <= truth <= found.high
    assert 0.93 < hits / runs < 0.97


@pytest.mark.parametrize(
    ("y", "a", "b", "reason"),
    [
        ([1, 1, 0, 0], [1, 2, 3, 4], [2, 4, 6, 8], "every case of a class shows the same"),
        ([1, 1, 0, 0], [3, 4, 1, 2], [1, 2, 3, 4], "every case of a class shows the same"),
        ([1, 0, 0], [2, 1, 3], [1, 2, 3], "a single case of a class"),
    ],
)
def test_no_interval_without_spread(y, a, b, reason):
    found = compare_auc(y, a, b)
    assert found.reason.startswith(reason)
    assert isnan(found.low)
    assert isnan(found.p_value)
    assert found.difference == pytest.approx(roc_auc(y, a).value - roc_auc(y, b).value)


def test_one_class_has_no_difference():
    found = compare_auc([1, 1], [1, 2], [2, 1], pos_label=1)
    assert isnan(found.difference)
    assert found.reason == "no negatives"
    assert found.to_dict()["difference"] is None
    unweighed = compare_auc([1, 1, 0], [1, 2, 3], [2, 1, 3], sample_weight=[0, 0, 1])
    assert unweighed.reason == "no positives"


def test_refusals():
    with pytest.raises(LabelError, match=r"score_b must have as many cases as y_true \(2\), got 1"):
        compare_auc([1, 0], [1, 2], [1])
    with pytest.raises(InvalidArgumentError, match="confidence_level must lie in"):
        compare_auc([1, 0], [1, 2], [2, 1], confidence_level=95)

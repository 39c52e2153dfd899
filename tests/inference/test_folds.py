"""The corrected resampled t test, beside SciPy's plain one and by simulation."""

import numpy as np
import pytest
from scipy import stats

from baserate.errors import InvalidArgumentError, LabelError
from baserate.inference import difference


@pytest.mark.parametrize("k", [2, 5, 50])
@pytest.mark.parametrize("ratio", [1 / 9, 1 / 4, 1.0])
def test_is_the_plain_test_with_a_larger_variance(k, ratio):
    a, b = np.random.default_rng(k).normal(0.8, 0.05, (2, k))
    found = difference("accuracy", a, b, folds=(900, round(900 * ratio)))
    shrunk = np.sqrt((1 / k) / (1 / k + ratio))
    plain = stats.ttest_rel(a, b)
    t = plain.statistic * shrunk
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(t), k - 1), rel=1e-10)
    assert found.p_better == pytest.approx(stats.t.cdf(t, k - 1), rel=1e-10)
    own = plain.confidence_interval(0.95)
    assert (found.high - found.low) * shrunk == pytest.approx(own.high - own.low, rel=1e-10)
    assert (found.low + found.high) / 2 == pytest.approx(found.value, abs=1e-12)


def test_without_spread_or_scores_there_is_a_reason():
    same = difference("accuracy", [0.8, 0.9], [0.7, 0.8], folds=(10, 5))
    assert np.isnan(same.p_value)
    assert "differ by the same amount" in same.reason
    assert "no score" in difference("accuracy", [0.8, np.nan], [0.7, 0.8], folds=(10, 5)).reason


def test_errors_finish_the_sentence():
    with pytest.raises(InvalidArgumentError, match="at least two folds, got 1"):
        difference("accuracy", [1], [2], folds=(10, 5))
    with pytest.raises(LabelError, match="b must have as many cases"):
        difference("accuracy", [1, 2], [2], folds=(10, 5))
    with pytest.raises(InvalidArgumentError, match="folds must be a whole number"):
        difference("accuracy", [1, 2], [2, 3], folds=(10, 0))


@pytest.mark.slow
def test_folds_that_share_training_cases_are_not_taken_for_independent():
    """Scores with the correlation n_test/(n_train + n_test) that the correction assumes."""
    k, rng, rho = 10, np.random.default_rng(3), 0.1
    shared, own = rng.normal(size=(4000, 1)), rng.normal(size=(4000, k))
    apart = np.sqrt(rho) * shared + np.sqrt(1 - rho) * own
    zero = np.zeros(k)
    found = [difference("accuracy", d, zero, folds=(900, 100)).p_value for d in apart]
    assert np.mean(np.array(found) < 0.05) == pytest.approx(0.05, abs=0.011)
    plain = stats.ttest_1samp(apart, 0, axis=1).pvalue
    assert np.mean(plain < 0.05) > 0.1


@pytest.mark.parametrize("unit", [1e-30, 1e-12, 1e20])
def test_the_unit_of_scores_does_not_matter(unit):
    a, b = np.array([0.8, 0.9, 0.7]), np.array([0.6, 0.8, 0.75])
    plain = difference("accuracy", a, b, folds=(10, 5))
    found = difference("accuracy", a * unit, b * unit, folds=(10, 5))
    assert found.p_value == pytest.approx(plain.p_value, rel=1e-10)
    assert found.low == pytest.approx(plain.low * unit, rel=1e-10)

"""The simultaneous band: exact limits, all intervals by brute force, exact coverage."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom
from statsmodels.stats.proportion import proportion_confint

from baserate._beta import lower_limit
from baserate.curves import sweep
from baserate.curves.confidence_band import (
    Family,
    calibration_band,
    cumulated,
    families,
    family,
    limits,
    may_exceed,
)
from oracles import calibration_twins as twins

LEVELS = (0.8, 0.95)


def sample(seed, n, digits=12):
    rng = np.random.default_rng(seed)
    p = rng.random(n).round(digits)
    return sweep(rng.random(n) < 0.3 + 0.5 * p, p, pos_label=True)


def counts(swept):
    cases, positives = cumulated(swept)
    return np.diff(positives).tolist(), np.diff(cases).tolist()


def all_intervals(size):
    start, end, share = map(np.array, zip(*twins.every_interval(size), strict=True))
    return Family(start, end, share.astype(float), np.array([0, len(start)]))


@pytest.mark.sweep(4, start=2)
@pytest.mark.parametrize(("n", "digits"), [(1, 12), (4, 12), (8, 12), (30, 1)])
@pytest.mark.parametrize("level", LEVELS)
def test_all_intervals_give_the_published_band(n, digits, level):
    swept = sample(n, n, digits)
    positives, sizes = counts(swept)
    sides = (all_intervals(len(sizes)),) * 2
    error = (1 - level) / 2
    own = limits(*cumulated(swept), sides, error)
    low, high = twins.band(positives, sizes, twins.every_interval(len(sizes)), error)
    np.testing.assert_allclose(own[0], np.array(low, dtype=float), atol=1e-12)
    np.testing.assert_allclose(own[1], np.array(high, dtype=float), atol=1e-12)


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize("n", [12, 60, 500])
@pytest.mark.parametrize("digits", [1, 2, 12])
def test_band_is_that_of_its_intervals_none_left_out(n, digits):
    swept = sample(n, n, digits)
    (cases, positives), sides = cumulated(swept), families(cumulated(swept)[0])

    def interval(k, m, error):
        return proportion_confint(k, m, alpha=2 * error, method="beta")

    low, high = np.zeros(len(cases) - 1), np.ones(len(cases) - 1)
    for side, (start, end, share, _) in enumerate(sides):
        for i, j, part in zip(start, end, share, strict=True):
            found = interval(positives[j] - positives[i], cases[j] - cases[i], 0.025 * part)
            if side == 0:
                low[j - 1 :] = np.maximum(low[j - 1 :], found[0])
            else:
                high[: i + 1] = np.minimum(high[: i + 1], found[1])
    own = limits(cases, positives, sides, 0.025)
    np.testing.assert_allclose(own, (low, high), atol=1e-12)
    band = calibration_band(swept)
    np.testing.assert_allclose(band.at(swept.thresholds[:0:-1]), own, rtol=1e-12)
    assert band.n_intervals == sum(len(side.share) for side in sides)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 50, 1000, 4321])
@pytest.mark.parametrize("digits", [1, 3, 12])
def test_families_divide_the_error_among_whole_ties(n, digits):
    cases, _ = cumulated(sample(1, n, digits))
    for start, end, share, lengths in families(cases):
        assert share.sum() == pytest.approx(1, abs=1e-12)
        assert (share > 0).all()
        assert ((start >= 0) & (end > start) & (end < len(cases))).all()
        assert len(set(zip(start, end, strict=True))) == len(start) == lengths[-1]
        sizes = cases[end] - cases[start]
        assert sizes.max() == n
        assert sizes.min() >= min(n // 2, int(0.75 * np.log2(20 * n)))


def test_family_is_of_the_order_of_n():
    assert len(family(np.arange(10**5 + 1)).start) < 10**5


def test_lower_limit_leaves_the_error_above_itself():
    k, m, error = 7, 40, 1e-7
    found = float(lower_limit(k, m - k, error))
    assert binom.sf(k - 1, m, found) == pytest.approx(error, rel=1e-9)
    ends = lower_limit(np.array([0, 40]), np.array([40, 0]), error)
    np.testing.assert_allclose(ends, [0, error ** (1 / 40)], rtol=1e-12)


def test_nothing_that_could_win_is_passed_over():
    m = np.repeat(np.arange(1, 60), 60)
    k = np.minimum(np.tile(np.arange(60), 59), m)
    for error in (0.2, 1e-3, 1e-8):
        limit = lower_limit(k, m - k, error)
        for level in (0.0, 1e-9, 0.03, 0.4, 0.97):
            passed = ~may_exceed(k, m, error, np.full(len(m), level))
            assert (limit[passed] <= level).all()
            assert passed.any()


TRUTHS = [(0.1, 0.5, 0.9), (0.02, 0.02, 0.02), (0, 0.3, 1), (0.6, 0.65, 0.7)]


@pytest.mark.sweep(5, start=2)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("sizes", [(4, 4, 4), (1, 9, 3)])
@pytest.mark.parametrize("truth", TRUTHS)
def test_coverage_by_enumeration(sizes, truth, level):
    at, c = np.arange(len(sizes)), np.array(truth[: len(sizes)])
    laws = [binom.pmf(np.arange(m + 1), m, p) for m, p in zip(sizes, c, strict=True)]
    covered = 0.0
    for found in product(*(range(m + 1) for m in sizes)):
        y = np.concatenate([np.arange(m) < k for k, m in zip(found, sizes, strict=True)])
        swept = sweep(y, np.repeat(at, sizes), pos_label=True)
        low, high = calibration_band(swept, confidence_level=level).at(at)
        if ((low <= c) & (c <= high)).all():
            covered += np.prod([law[k] for law, k in zip(laws, found, strict=True)])
    assert covered >= level


def test_the_mirror_image_has_the_mirrored_band():
    n, rng = 300, np.random.default_rng(300)
    p = (rng.random(n) * 64).round() / 64  # 1 - p is exact
    y = rng.random(n) < p
    band, mirrored = calibration_band(sweep(y, p)), calibration_band(sweep(~y, 1 - p))
    at = np.arange(-4, 133) / 128
    (low, high), (low_back, high_back) = band.at(at), mirrored.at(1 - at)
    np.testing.assert_allclose(low, 1 - high_back, atol=1e-14)
    np.testing.assert_allclose(high, 1 - low_back, atol=1e-14)


def test_limits_between_scores_are_those_of_the_neighbours():
    swept = sample(3, 200)
    band, scores = calibration_band(swept), swept.thresholds[:0:-1]
    (low, high), between = band.at(scores), (scores[1:] + scores[:-1]) / 2
    np.testing.assert_array_equal(band.at(between), (low[:-1], high[1:]))
    assert (band.at(-1.0), band.at(2.0)) == ((0.0, high[0]), (low[-1], 1.0))
    assert len(band.scores) < len(scores) / 2
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) >= 0).all()


def test_a_falling_curve_is_refuted():
    rng = np.random.default_rng(0)
    p = rng.random(300)
    band = calibration_band(sweep(rng.random(300) < 1 - p, p))
    assert band.crosses
    assert band.reason.startswith("no curve that never falls fits: at score 0.")
    assert calibration_band(sweep(rng.random(300) < p, p)).crosses is False


def test_weights_have_no_band():
    weighted = calibration_band(sweep([0, 1], [0.1, 0.2], sample_weight=[1.0, 1.0]))
    assert weighted.reason.startswith("weights have no binomial law: pass the cases without")
    assert np.isnan(weighted.at([0.1, 0.3])).all()
    assert (len(weighted.scores), weighted.route, weighted.crosses) == (0, None, False)


@pytest.mark.parametrize("scores", [[-np.inf, 0.0, np.inf], [2**53, 2**53 + 1, 2**60]])
def test_scores_of_any_kind(scores):
    swept = sweep([0, 1, 1] * 20, scores * 20)
    band = calibration_band(swept)
    assert band.scores.tolist() == scores
    low, high = band.at(scores[1])
    assert 0 < low < high == band.high[1]

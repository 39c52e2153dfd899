"""Distances from the calibration curve: by their definitions, and their exact coverage."""

from itertools import product

import numpy as np
import pytest

from baserate.curves import sweep
from baserate.curves.confidence_band import calibration_band
from baserate.curves.isotonic import isotonic_curve
from baserate.curves.miscalibration import (
    _disjoint,
    calibration_distances,
    miscalibrated_regions,
)
from oracles.count_twins import poisson_binomial

MEASURES = ("ici", "e50", "e90", "eci")


def measured(distances):
    """Return ICI, E50, E90 and ECI of one distance per case."""
    ordered, n = sorted(distances), len(distances)
    half, most = ordered[-(-n // 2) - 1], ordered[-(-9 * n // 10) - 1]
    return np.mean(distances), half, most, 100 * np.mean(np.square(distances))


def sample(seed, n=400, digits=3, truth=lambda p: p):
    rng = np.random.default_rng(seed)
    p = rng.random(n).round(digits)
    return rng.random(n) < truth(p), p


@pytest.mark.parametrize("digits", [1, 2, 6, 15])
def test_values_and_chance_are_means_over_cases(digits):
    y, p = sample(1, digits=digits)
    s = sweep(y, p)
    found = calibration_distances(s, calibration_band(s))
    values = measured(np.abs(isotonic_curve(s).at(p) - p))
    chances = measured(np.abs(y.mean() - p))
    for name, value, chance in zip(MEASURES, values, chances, strict=True):
        own = found[name]
        assert (own.value, own.chance) == pytest.approx((value, chance), rel=1e-12)
        assert own.skill == pytest.approx(1 - value / chance, abs=1e-12)
        assert (own.perfect, own.route, own.reason) == (0.0, "band", None)


@pytest.mark.parametrize("seed", range(6))
def test_intervals_are_nearest_and_farthest_points_of_the_band(seed):
    y, p = sample(seed, digits=1 + seed % 3, truth=lambda p: np.clip(p + 0.15, 0, 1))
    s = sweep(y, p)
    band = calibration_band(s, confidence_level=0.8)
    found = calibration_distances(s, band)
    low, high = band.at(p)
    nearest = measured(
        np.where((low <= p) & (p <= high), 0, np.minimum(abs(low - p), abs(high - p)))
    )
    farthest = measured(np.maximum(abs(low - p), abs(high - p)))
    for name, least, most in zip(MEASURES, nearest, farthest, strict=True):
        own = found[name]
        assert own.high == pytest.approx(most, rel=1e-12)
        assert own.confidence_level == 0.8
        if name in {"e50", "e90"}:
            assert own.low == pytest.approx(least, rel=1e-12)
        else:
            assert own.low >= least - 1e-14
        assert own.low <= own.value <= own.high


def test_a_shift_that_no_single_score_shows_is_found_by_intervals():
    y, p = sample(3, n=500, digits=12, truth=lambda p: 0.15 + 0.85 * p)
    s = sweep(y, p)
    band = calibration_band(s)
    assert miscalibrated_regions(s, band) == ()
    found = calibration_distances(s, band)
    assert 0.02 < found["ici"].low < 0.075  # the true mean distance
    assert 0.04 < found["eci"].low < 0.75


@pytest.mark.sweep(3, start=2)
@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize(
    ("stated", "truth"),
    [
        ((0.2, 0.5, 0.8), ((0.1, 0.3, 0.2), (0.5, 0.5, 0.5), (0.9, 0.9, 0.6))),
        ((0.2, 0.5, 0.8), ((0.9, 0.1, 0.9), (0.1, 0.9, 0.1), (0.4, 0.4, 0.4))),  # it falls
        ((0.0, 0.01, 0.9), ((0.0, 0.0, 0.02), (0.0, 0.01, 0.0), (1.0, 0.9, 0.8))),
        ((0.1, 0.1, 0.1), ((0.0, 0.0, 0.3), (0.3, 0.0, 0.0), (0.0, 0.3, 0.0))),
    ],
)
def test_lower_limits_hold_for_any_outcomes_by_enumeration(stated, truth, level):
    """Three cases at each score (nine if stated alike), of unequal probabilities."""
    laws = [list(map(float, poisson_binomial(three))) for three in truth]
    scores = np.repeat(stated, 3)
    if len(set(stated)) == 1:
        distance = abs(np.mean(truth) - stated[0])
    else:
        distance = np.mean([abs(np.mean(t) - p) for t, p in zip(truth, stated, strict=True)])
    held = 0.0
    for found in product(range(4), repeat=3):
        y = np.concatenate([np.arange(3) < k for k in found])
        s = sweep(y, scores, pos_label=True)
        band = calibration_band(s, confidence_level=level)
        low = 0.0 if band.crosses else calibration_distances(s, band)["ici"].low
        held += (low <= distance + 1e-12) * np.prod(
            [law[k] for law, k in zip(laws, found, strict=True)]
        )
    assert held >= level


@pytest.mark.parametrize("seed", range(30))
def test_sums_of_disjoint_intervals(seed):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(1, 14))
    end = np.sort(rng.choice(np.arange(5, 30), m, replace=False))[::-1]
    start = np.minimum.accumulate(np.maximum(end - rng.integers(1, 6, m), 0))
    worth = rng.random((2, m))
    best = {m: worth[0, 0] * 0}
    for i in range(m - 1, -1, -1):  # the best sum among intervals i, ..., each taken or not
        after = next((j for j in range(i + 1, m) if end[j] <= start[i]), m)
        best[i] = max(best[i + 1], worth[0, i] + best[after])
    found = _disjoint(start, end, worth)
    assert worth[0].max() <= found[0] <= best[0] + 1e-12
    assert worth[1].max() <= found[1]


def test_regular_intervals_are_summed_whole():
    end = np.arange(40, 9, -3)  # ten long, three apart: each fourth is disjoint
    found = _disjoint(end - 10, end, np.ones((2, len(end))))
    assert found.tolist() == [3, 3]


@pytest.mark.parametrize("digits", [1, 2, 12])
def test_regions_are_runs_of_excluded_probabilities(digits):
    y, p = sample(5, n=3000, digits=digits, truth=lambda p: 0.25 + 0.5 * p)
    s = sweep(y, p)
    band = calibration_band(s)
    low, high = band.at(p)
    regions = miscalibrated_regions(s, band)
    assert {r.direction for r in regions} == {"underestimates", "overestimates"}
    inside = np.zeros(len(p), dtype=int)
    for region in regions:
        here = (p >= region.low_score) & (p <= region.high_score)
        under = region.direction == "underestimates"
        apart = low - p if under else p - high
        proven = apart[here]
        assert (proven > 0).all()
        assert (region.n, region.positives) == (here.sum(), y[here].sum())
        assert (
            region.at_least == proven.max() == (low - p if under else p - high)[p == region.at][0]
        )
        assert region.mean_at_least == pytest.approx(proven.mean(), rel=1e-12)
        inside += here
    assert ((inside > 0) == ((low > p) | (high < p))).all()
    assert inside.max() == 1


def test_weights_have_values_and_say_why_no_interval():
    y, p = sample(2, n=60, digits=1)
    w = np.random.default_rng(0).integers(1, 4, 60)
    s = sweep(y, p, sample_weight=w)
    band = calibration_band(s)
    found, copies = (
        calibration_distances(one, calibration_band(one))
        for one in (s, sweep(np.repeat(y, w), np.repeat(p, w)))
    )
    for name in MEASURES:
        own = found[name]
        assert own.value == pytest.approx(copies[name].value, rel=1e-12)
        assert np.isnan([own.low, own.high]).all()
        assert own.reason.startswith("weights have no binomial law: pass the cases without")
    assert miscalibrated_regions(s, band) == ()


def test_a_crossed_band_gives_no_interval():
    y, p = sample(2, truth=lambda p: 1 - p)
    s = sweep(y, p)
    band = calibration_band(s)
    found = calibration_distances(s, band)["ici"]
    assert np.isnan(found.low)
    assert found.value > 0.2
    assert found.reason == band.reason
    assert miscalibrated_regions(s, band) == ()


@pytest.mark.parametrize(("seed", "digits"), [(35, 1), (46, 1), (58, 1), (40, 6), (155, 6)])
def test_intervals_contain_their_values_where_the_curve_all_but_falls(seed, digits):
    rng = np.random.default_rng(seed)
    p = rng.random(200).round(digits)
    s = sweep(rng.random(200) < 0.8 - 0.4 * p, p)
    band = calibration_band(s, confidence_level=0.8)
    assert not band.crosses
    for name in MEASURES:
        own = calibration_distances(s, band)[name]
        assert own.low <= own.value <= own.high


def test_a_level_below_one_half_keeps_to_the_band():
    y, p = sample(3, truth=lambda p: np.clip(p + 0.2, 0, 1))
    s = sweep(y, p)
    band = calibration_band(s, confidence_level=0.3)
    low, high = band.at(p)
    least = np.maximum(np.maximum(low - p, p - high), 0).mean()
    assert calibration_distances(s, band)["ici"].low == pytest.approx(least, rel=1e-12)

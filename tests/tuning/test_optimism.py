"""What a chosen cut is expected to do anew: the model world, its gap, and the bias that is left."""

import math

import numpy as np
import pytest
from scipy.special import ndtr

from baserate import metrics
from baserate.curves import sweep
from baserate.tuning import optimal_threshold, threshold_spread
from baserate.tuning.bagging import threshold_spreads
from baserate.tuning.optimism import World, bootstrap, calibrated


def test_the_model_world_has_the_area_the_totals_and_the_ties_of_the_data():
    truth = [1, 1, 0, 1, 0, 0, 1, 0, 0, 0]
    swept = sweep(truth, [9, 8, 7, 6, 5, 5, 5, 5, 2, 1])
    world = World.like(swept)
    assert (world.n_positive, world.n_negative) == (4, 6)
    pooled = (4 * world.recall + 6 * world.false_positive_rate) / 10
    assert not np.any((pooled > 0.4 + 1e-9) & (pooled < 0.8 - 1e-9))  # four cases share a score
    assert len(pooled) == 6 * 8 + 1 + 1
    finer = World.like(sweep(np.tile(truth, 40), np.arange(400.0)[::-1]))
    area = np.trapezoid(finer.recall, finer.false_positive_rate)
    known = sweep(np.tile(truth, 40), np.arange(400.0)[::-1]).roc_auc()
    assert area == pytest.approx(known, abs=0.002)
    drawn = world.sample(4000, np.random.default_rng(0))
    np.testing.assert_allclose(drawn.tp.mean(0), world.tables.tp, atol=0.08)
    np.testing.assert_allclose(drawn.fp.mean(0), world.tables.fp, atol=0.1)


def test_no_sample_lacks_a_class():
    """Drawn within each class: with two positives in ten, a ninth of samples of all would."""
    swept = sweep(np.arange(10) < 2, [5, 9, 1, 2, 3, 4, 6, 7, 8, 10])
    random = np.random.default_rng(0)
    drawn, model = bootstrap(swept.tables, 500, random), World.like(swept).sample(500, random)
    for sample in (drawn, model, bootstrap(model, None, random)):
        assert sample.shape[0] == 500
        np.testing.assert_array_equal(sample.tp[:, -1], 2)
        np.testing.assert_array_equal(sample.fp[:, -1], 8)
        np.testing.assert_array_equal(sample.tp + sample.fn, 2)
        np.testing.assert_array_equal(sample.fp + sample.tn, 8)


def test_the_gap_is_scaled_within_limits():
    one = np.array([1.0])
    assert calibrated(0.2 * one, 0.3 * one, 0.6 * one) == pytest.approx(0.4)
    noisy = np.array([0.1, 0.5])  # mean 0.3, squared error of the mean 0.04 / 2
    assert calibrated(0.2 * one, noisy, 0.6 * one) == pytest.approx(0.4 * 0.09 / 0.11)
    assert calibrated(0.9 * one, 0.3 * one, 0.6 * one) == pytest.approx(1.2)
    assert calibrated(-0.1 * one, 0.3 * one, 0.6 * one) == pytest.approx(0.3)
    assert calibrated(0.2 * one, -0.1 * one, 0.6 * one) == pytest.approx(0.6)
    assert math.isnan(calibrated(0.2 * one, one[:0], 0.6 * one))


@pytest.mark.slow
def test_what_is_expected_anew_is_what_the_population_has():
    """Five positives among fifty: means over left-out cases are off by -0.09, +0.07 and -0.02."""
    chosen = tuple(map(metrics.get, ("f1", "mcc", "balanced_accuracy")))
    rng, n, positives, distance, times = np.random.default_rng(4), 50, 5, 2.0, 80
    truth, errors = np.arange(n) < positives, []
    for _ in range(times):
        swept = sweep(truth, rng.normal(distance * truth))
        spreads = threshold_spreads(chosen, swept, rng=rng, n_resamples=60)
        cuts = [float(optimal_threshold(metric, swept)) for metric in chosen]
        known = [
            at_cut(metric, cut, distance, positives / n)
            for metric, cut in zip(chosen, cuts, strict=True)
        ]
        errors.append([spread.corrected for spread in spreads] - np.array(known))
    assert np.all(abs(np.mean(errors, 0)) < 2.5 * np.std(errors, 0) / times**0.5)


def at_cut(metric, cut, distance, base_rate):
    """Return what a cut has in a population of two normal classes."""
    rates = {"recall": ndtr(distance - cut), "specificity": ndtr(cut), "base_rate": base_rate}
    return metric.at_rates(**rates)


@pytest.mark.parametrize("scale", [2.0**-47, 2.0**-300, 2.0**60])
def test_nothing_of_a_chosen_cut_depends_on_the_unit_of_utility(scale):
    rng = np.random.default_rng(0)
    truth = rng.random(120) < 0.25
    swept = sweep(truth, np.round(rng.normal(size=120) + truth, 1))
    plain = np.array([[3.0, -1.0], [-2.0, 0.5]])
    one, other = metrics.utility(plain), metrics.utility(plain * scale)
    spreads = [threshold_spread(u, swept, rng=0, n_resamples=40) for u in (one, other)]
    assert spreads[0].optimism > 0
    assert spreads[1].corrected == pytest.approx(spreads[0].corrected * scale, rel=1e-9, abs=0)
    assert spreads[1].thresholds.tolist() == spreads[0].thresholds.tolist()
    bagged = [optimal_threshold(u, swept, method="bagged", rng=0) for u in (one, other)]
    assert bagged[0].threshold == bagged[1].threshold


@pytest.mark.parametrize(
    ("lower", "higher", "limit"),
    [
        ("error_rate", "accuracy", None),
        ("false_negative_rate", "recall", "specificity >= 0.6"),
        ("false_discovery_rate", "precision", "recall >= 0.5"),
    ],
)
def test_what_is_better_when_lower_is_corrected_upwards(lower, higher, limit):
    """A complement chooses the same cuts of the same samples, and flatters by as much."""
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], [40, 20])
    score = rng.normal(size=60) + 0.5 * y
    how = {"rng": 7, "n_resamples": 100, "constraint": limit}
    less, more = (threshold_spread(name, y, score, **how) for name in (lower, higher))
    assert less.value == pytest.approx(1 - more.value)
    assert less.corrected == pytest.approx(1 - more.corrected)
    assert less.optimism == pytest.approx(more.optimism)
    assert less.corrected > less.value
    assert less.optimism > 0

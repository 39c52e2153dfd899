"""Intervals of average precision: their rule by other means, and coverage."""

from itertools import pairwise
from math import isnan

import numpy as np
import pytest
from scipy.stats import beta, gamma, norm
from sklearn.metrics import average_precision_score

from baserate.curves import average_precision, sweep
from baserate.curves.precision_areas import _quantile

FAR = 1e9


def moments(measure, y, scores, base_rate, *, up):
    """Return mean and variance of the Bayesian bootstrap, with one more case of either class.

    `measure` takes labels, scores and weights; the derivative by each weight is a difference.
    """
    y = np.append(y, [1, 0])
    scores = np.append(scores, [FAR, -FAR] if up else [-FAR, FAR])
    rates = np.where(y == 1, base_rate / (y == 1).sum(), (1 - base_rate) / (y == 0).sum())

    def at(weights):
        for label, rate in ((1, base_rate), (0, 1 - base_rate)):
            weights = np.where(y == label, weights * rate / weights[y == label].sum(), weights)
        return measure(y, scores, weights)

    variance = 0.0
    for label in (0, 1):
        of_class = np.flatnonzero(y == label)
        size, step = len(of_class), 1e-5 / len(of_class)
        gains = []
        for i in of_class:
            moved = [rates.copy(), rates.copy()]
            moved[0][i] *= 1 + step * size
            moved[1][i] *= 1 - step * size
            gains.append((at(moved[0]) - at(moved[1])) / (2 * step))
        variance += np.mean(np.square(gains)) / (size + 1)
    return at(rates), variance


def beta_quantile(mean, variance, least, level):
    width = 1 - least
    x, size = (mean - least) / width, (mean - least) * (1 - mean) / variance - 1
    return least + width * beta.ppf(level, x * size, (1 - x) * size)


def weighted_average_precision(y, scores, weights):
    return average_precision_score(y, scores, sample_weight=weights)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("ties", [None, 1])
@pytest.mark.parametrize(("n", "p"), [(12, 3), (30, 20), (40, 5)])
def test_limits_are_quantiles_of_the_bootstrap_of_two_more_cases(n, p, ties):
    rng = np.random.default_rng(n)
    y = np.arange(n) < p
    scores = rng.normal(y * 1.0, 1)
    scores = scores if ties is None else np.round(scores * ties)
    pi = p / n
    found = average_precision(y, scores, base_rate=pi, confidence_level=0.9)
    least = 1 + (1 - pi) * np.log(1 - pi) / pi
    low, high = (
        beta_quantile(*moments(weighted_average_precision, y, scores, pi, up=up), least, level)
        for up, level in ((False, 0.05), (True, 0.95))
    )
    assert found.low == pytest.approx(low, rel=1e-5)
    assert found.high == pytest.approx(high, rel=1e-5)
    assert found.route == "conservative"


def test_the_upper_limit_is_that_of_clopper_and_pearson_where_precision_is_1_or_0():
    """Seven of ten positives above a million negatives, three below: 7/10 has 34.8% to 93.3%."""
    n = 1_000_000
    scores = np.concatenate((np.full(7, 3.0), np.full(3, 1.0), np.full(n, 2.0)))
    found = average_precision(np.arange(n + 10) < 10, scores)
    assert found.high == pytest.approx(0.9333, abs=1e-4)


def population(distance, pi):
    """Return the average precision of two normal classes by quadrature."""
    u = (np.arange(20_000) + 0.5) / 20_000
    fpr = norm.sf(norm.isf(u) + distance)
    return np.mean(pi * u / (pi * u + (1 - pi) * fpr))


@pytest.mark.sweep(9, start=8)
@pytest.mark.parametrize(("p", "q"), [(5, 15), (5, 195), (40, 8)])
@pytest.mark.parametrize("distance", [0.0, 1.2, 3.3])
def test_the_interval_covers(p, q, distance):
    rng, y = np.random.default_rng(p + q), np.arange(p + q) < p
    truth = population(distance, p / (p + q))
    found = [average_precision(sweep(y, rng.normal(y * distance, 1))) for _ in range(60)]
    assert np.mean([each.low <= truth <= each.high for each in found]) >= 0.96
    assert all(each.low <= each.value <= each.high for each in found)


def test_more_confidence_is_wider_and_any_level_holds_the_value():
    y, scores = [1, 0, 1, 0, 0, 1, 0], [7, 6, 5, 4, 3, 2, 1]
    ends = [average_precision(y, scores, confidence_level=c) for c in (0.01, 0.5, 0.9, 0.999)]
    assert all(a.low >= b.low and a.high <= b.high for a, b in pairwise(ends))
    assert all(each.low <= each.value <= each.high for each in ends)


def test_no_population_is_below_the_worst_ranking():
    y = [0] * 400 + [1] * 2
    pi = 2 / 402
    worst = average_precision(y, list(range(402, 0, -1)), base_rate=pi)
    assert 1 + (1 - pi) * np.log1p(-pi) / pi <= worst.low <= worst.value


def test_perfect_scores_have_a_lower_limit_that_knows_how_few_they_are():
    few, many = (average_precision(np.arange(n) < n // 2, -np.arange(n)) for n in (10, 2000))
    assert (few.value, many.value) == (1.0, 1.0)
    assert (few.high, many.high) == (1.0, 1.0)
    assert few.low < 0.6
    # None of 1,000 negatives above all positives: at most a share e of them is, by Clopper and
    # Pearson; then the average precision is the mean of u / (u + e).
    e = 1 - 0.025 ** (1 / 1000)
    assert many.low == pytest.approx(1 - e * np.log1p(1 / e), abs=0.002)


def test_equal_weights_are_no_weights_and_unequal_ones_count_as_kish_says():
    rng = np.random.default_rng(8)
    y = np.arange(60) < 20
    scores = rng.normal(y * 1.0, 1)
    plain = average_precision(y, scores)
    equal = average_precision(y, scores, sample_weight=np.full(60, 0.3))
    assert (equal.low, equal.high) == pytest.approx((plain.low, plain.high), rel=1e-12)
    # Half the cases of either class weigh 3, half 1: effectively 4/5 of them.
    unequal = average_precision(y, scores, sample_weight=np.tile([1.0, 3.0], 30))
    assert 1.02 < (unequal.high - unequal.low) / (plain.high - plain.low) < 1.3


def test_where_there_is_no_interval():
    only = average_precision([1, 1], [1, 2])
    assert (only.value, only.perfect) == (1.0, 1.0)
    assert only.reason == "no negatives: precision is 1 whatever the scores"
    assert isnan(only.low)


def test_one_tie_of_all_is_the_base_rate():
    found = average_precision([1] * 30 + [0] * 70, [5] * 100)
    assert found.value == pytest.approx(0.3, rel=1e-14)
    assert found.low < 0.3 < found.high


def test_a_narrow_law_near_zero_keeps_its_shape():
    """Beta(2, b) times b is Gamma(2) for large b: far from its mean, though all of it is near 0."""
    b = 4e16
    mean, variance = 2 / b, 2 / b**2
    found = _quantile((mean, variance), (0.0, 1.0), 0.975)
    assert found == pytest.approx(gamma.ppf(0.975, 2) / b, rel=1e-9, abs=0)

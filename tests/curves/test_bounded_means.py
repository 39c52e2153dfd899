"""Limits of the mean of a bounded quantity, against exact fractions and other packages."""

from math import nan

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr, ndtri
from statsmodels.stats.proportion import proportion_confint

from baserate.curves import bounded_means
from baserate.curves.bounded_means import (
    difference_limits,
    few,
    mean_limits,
    p_value_of,
    tail_limits,
)
from oracles.dirichlet_twins import exceeds


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize(("wrong", "n"), [(0, 5), (1, 8), (5, 10), (40, 1000), (7, 7)])
def test_of_zeros_and_ones_they_are_clopper_and_pearsons(wrong, n, level):
    found = mean_limits([0.0, 1.0], [n - wrong, wrong], (0, 1), level)
    wanted = proportion_confint(wrong, n, alpha=1 - level, method="beta")
    assert found == pytest.approx(wanted, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("level", [0.2, 0.95])
def test_each_limit_leaves_its_share_of_the_dirichlet_mean_beyond(seed, level):
    rng = np.random.default_rng(seed)
    values = rng.permutation(200)[: rng.integers(2, 14)] / 256
    low, high = mean_limits(values, np.ones(len(values)), (-0.5, 1.0), level)
    tail = (1 - level) / 2
    assert float(exceeds([*values, 1.0], high)) == pytest.approx(tail, rel=1e-9)
    assert float(1 - exceeds([*values, -0.5], low)) == pytest.approx(tail, rel=1e-9)


def test_counts_are_repeated_values_and_order_means_nothing():
    counts = np.array([3, 1, 0, 4])
    values = np.array([0.4, 0.1, 0.7, 0.2])
    found = mean_limits(values, counts, (0, 1))
    assert found == pytest.approx(mean_limits(np.repeat(values, counts), np.ones(8), (0, 1)))
    assert found == pytest.approx(mean_limits(values[::-1], counts[::-1], (0, 1)))


def test_mirrored_values_have_mirrored_limits():
    values = np.array([0.1, 0.15, 0.6])
    low, high = mean_limits(values, [1, 1, 1], (0, 1))
    assert mean_limits(1 - values, [1, 1, 1], (0, 1)) == pytest.approx((1 - high, 1 - low))


def test_equal_values_leave_the_further_observation_alone():
    """Ten times 0.3: the upper limit is that of 0 errors in 10, between 0.3 and 1."""
    bound = stats.beta.ppf(0.975, 1, 10)
    low, high = mean_limits([0.3], [10], (0, 1))
    assert (low, high) == pytest.approx((0.3 - 0.3 * bound, 0.3 + 0.7 * bound))
    assert mean_limits([1.0], [10], (0, 1))[1] == 1


SHAPES = {
    "skewed": lambda rng, n: rng.beta(0.3, 2, n),
    "rare": lambda rng, n: np.where(rng.random(n) < 0.01, 1 - rng.beta(1, 20, n), 1e-3),
    "an outlier": lambda rng, n: np.append(rng.normal(0.5, 1e-4, n - 1), 1.0),
    "powers of ten": lambda rng, n: np.exp(-rng.exponential(8, n)),
    "ties": lambda rng, n: np.round(rng.random(n), 3),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_pooling_hardly_moves_them(shape, monkeypatch):
    n = 1500
    values = SHAPES[shape](np.random.default_rng(4), n)
    pooled = np.array(mean_limits(values, np.ones(n), (0, 1)))
    monkeypatch.setattr(bounded_means, "MANY", n)
    exact = np.array(mean_limits(values, np.ones(n), (0, 1)))
    assert np.abs(pooled - exact).max() <= 1e-9 * np.abs(exact - values.mean()).min()
    assert exact[0] < values.mean() < exact[1]


def test_pooled_values_keep_three_moments_and_stay_between():
    rng = np.random.default_rng(5)
    values, counts = rng.beta(0.4, 3, 5000), rng.integers(0, 4, 5000)
    nodes, sizes = few(values, counts)
    assert len(nodes) <= 4 * bounded_means.CELLS
    assert nodes.min() >= values.min()
    assert nodes.max() <= values.max()
    for power in range(4):
        assert sizes @ nodes**power == pytest.approx(counts @ values**power, rel=1e-12)


def test_small_tails_keep_their_digits():
    values, tail = np.array([0.2, 0.5, 0.7]), 1e-40
    low, high = tail_limits(values, np.ones(3), (0.0, 1.0), tail)
    assert float(exceeds([*values, 1.0], high)) == pytest.approx(tail, rel=1e-6)
    assert float(1 - exceeds([*values, 0.0], low)) == pytest.approx(tail, rel=1e-6)


def test_a_limit_without_a_bound_is_infinite():
    low, high = mean_limits([1.0, 2.0], [3, 4], (0.0, np.inf))
    assert low == pytest.approx(mean_limits([1.0, 2.0], [3, 4], (0.0, 9.0))[0])
    assert high == np.inf


def test_limits_of_a_difference_are_newcombes():
    """Newcombe (1998), Statistics in Medicine 17:873, table II: 56/70 - 48/80, method 10."""
    shares = (56 / 70, 48 / 80)
    wilson = [
        proportion_confint(x, n, alpha=0.05, method="wilson") for x, n in ((56, 70), (48, 80))
    ]
    found = difference_limits(shares, (wilson[0], wilson[1]))
    assert found == pytest.approx((0.0524, 0.3339), abs=5e-5)


@pytest.mark.slow
def test_they_hold_where_students_t_does_not():
    """One case in thirty loses nearly all: more than half of the samples have not seen one."""
    n, rng = 15, np.random.default_rng(15)
    values = np.where(rng.random((400, n)) < 1 / 30, 0.9, 0.01)
    truth = 0.9 / 30 + 0.01 * 29 / 30
    limits = np.array([mean_limits(x, np.ones(n), (0, 1)) for x in values])
    held = ((limits[:, 0] <= truth) & (truth <= limits[:, 1])).mean()
    reach = stats.t.ppf(0.975, n - 1) * values.std(axis=1, ddof=1) / n**0.5
    by_t = (np.abs(values.mean(axis=1) - truth) <= reach).mean()
    assert held >= 0.935
    assert by_t < 0.9


@pytest.mark.parametrize(
    ("values", "counts"),
    [
        ([1.0, 1e-8, 0.0], [0.01, 1.0, 1e4]),  # a first guess of 1e-160
        ([1e-300, 1e-12, 1e-20], [1e4, 0.01, 5.0]),
        ([0.25, 1e-20], [0.174, 1.636]),  # next to the bound, for all that floats can show
        ([1 - 2**-52, 0.25], [20 / 17, 5 / 17]),  # a first guess at the end itself
    ],
)
def test_limits_beside_an_end_are_found_without_a_warning(values, counts):
    mean = np.average(values, weights=counts)
    last = mean, mean
    for level in (0.5, 0.95, 0.999999):
        low, high = mean_limits(values, counts, (0.0, 1.0), level)
        assert 0 <= low <= mean <= high <= 1
        assert low <= last[0] + 1e-12
        assert high >= last[1] - 1e-12
        last = low, high


def test_a_quantile_too_far_out_is_no_error():
    # An interval value -+ z that has no ends beyond z = 6, as old quantiles of Student's law.
    def limits(tail):
        z = -ndtri(tail)
        return (nan, nan) if z > 6 else (1 - z / 10, 1 + z / 10)

    assert p_value_of(limits, 1.0, 0.8) == pytest.approx(2 * ndtr(-2))
    assert p_value_of(limits, 1.0, 0.0) == pytest.approx(2 * ndtr(-6), rel=1e-6)

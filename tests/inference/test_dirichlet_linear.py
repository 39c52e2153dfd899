"""Weighted sums of Dirichlet shares, against exact fractions, 30-digit integrals and Beta laws."""

from fractions import Fraction
from math import prod

import mpmath as mp
import numpy as np
import pytest
from scipy import stats

from baserate.errors import InvalidArgumentError
from baserate.inference.bounded_law import DirichletLinear
from quick import one_in

STORY = ([15, -335, -35, 165], [28, 16, 24, 36])


def reference(weights, alpha, c):
    """P(Y <= c) to 20 digits: the integral as published, u = exp(v), ever shorter steps."""
    with mp.workdps(30):
        x = [mp.mpf(w) - mp.mpf(c) for w in weights]
        scale = 1 / mp.sqrt(sum(mp.mpf(a) * v * v for a, v in zip(alpha, x, strict=True)))

        def term(v):
            u = scale * mp.exp(v)
            logs = (a * mp.log(mp.mpc(1, -u * y)) for a, y in zip(alpha, x, strict=True))
            return mp.exp(-sum(logs)).imag

        step, last = mp.mpf(1) / 4, None
        for _ in range(6):
            up = both_ways(term, step, 1) + both_ways(term, -step, 0)
            total = mp.mpf(1) / 2 - step * up / mp.pi
            if last is not None and abs(total - last) < mp.mpf(10) ** -20:
                return total
            step, last = step / 2, total
    message = "the oracle did not converge"
    raise AssertionError(message)


def both_ways(term, step, start):
    total, small, k = mp.mpf(0), 0, start
    while small < 12:
        value = term(k * step)
        total, k = total + value, k + 1
        small = small + 1 if abs(value) < mp.mpf(10) ** -25 else 0
    return total


def random_case(seed):
    """Weights over many powers of ten, few counts and many, a point up to 4 sd from the mean."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(3, 7))
    alpha = np.round(10 ** rng.uniform(0, rng.choice([1, 2, 4]), k)) + rng.choice([-0.5, 0.0, 1.0])
    weights = rng.normal(size=k) * 10 ** rng.uniform(-1, rng.choice([0, 1, 6]), k)
    mean = weights @ alpha / alpha.sum()
    sd = ((weights - mean) ** 2 @ alpha / alpha.sum() / (alpha.sum() + 1)) ** 0.5
    return weights.tolist(), np.maximum(alpha, 0.5).tolist(), float(mean + sd * rng.normal() * 2)


CASES = [
    (*STORY, -31.3),
    (*STORY, 0.0),
    ([0, -50, -20, 100, -5, 40], [3.5, 1.5, 2.5, 5.5, 0.5, 4.5], 15.0),
    ([50, -50, 500, -500], [3, 19, 8, 5], 0.0),
    ([-3, 0, 0.5, 2], [0.5, 0.5, 0.5, 0.5], 0.25),
    ([-1e-6, 1.0, 1e6], [1.5, 2.5, 3.5], 3e5),
    ([0.0, 1.0, 2.0], [400.0, 2.5, 0.5], 0.01),
    # Beside a weight that carries most cases halving the step says too little about the error.
    ([-0.08, -0.06, 0.59], [3.5, 200.5, 0.5], -0.060049452463132695),
]


@pytest.mark.sweep(3, start=1)
@pytest.mark.parametrize(("weights", "alpha", "c"), one_in(3, CASES))
def test_cdf_agrees_with_a_thirty_digit_integral(weights, alpha, c):
    expected = reference(weights, alpha, c)
    law = DirichletLinear(weights, alpha)
    assert law.cdf(c) == pytest.approx(float(expected), abs=1e-12)
    assert law.sf(c) == pytest.approx(float(1 - expected), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_cdf_of_random_laws_agrees_with_a_thirty_digit_integral(seed):
    weights, alpha, c = random_case(seed)
    expected = 1.0 if c >= max(weights) else 0.0 if c <= min(weights) else None
    if expected is None:
        expected = float(reference(weights, alpha, c))
    assert DirichletLinear(weights, alpha).cdf(c) == pytest.approx(expected, abs=1e-12)


def spline_tail(weights, c):
    """P(Y > c) for uniform shares: a sum of powers (Hermite and Genocchi), in fractions."""
    w, c, k = [Fraction(x) for x in weights], Fraction(c), len(weights)
    return sum((x - c) ** (k - 1) / prod(x - y for y in w if y != x) for x in w if x > c)


@pytest.mark.parametrize("weights", [[-3, 1, 2], [0, 1, 5, 7], [-335, -35, 15, 165, 200, 1000]])
@pytest.mark.parametrize("share", [Fraction(1, 1000), Fraction(1, 3), Fraction(999, 1000)])
def test_uniform_shares_give_exact_splines(weights, share):
    c = min(weights) + share * (max(weights) - min(weights))
    exact = spline_tail(weights, c)
    law = DirichletLinear(weights, [1] * len(weights))
    assert law.sf(float(c)) == pytest.approx(float(exact), rel=1e-11)
    assert law.cdf(float(c)) == pytest.approx(float(1 - exact), rel=1e-11)


def test_a_point_that_is_itself_a_weight_is_no_exception():
    weights = [-3, 0, 1, 5]
    exact = spline_tail(weights, 1)
    assert DirichletLinear(weights, [1] * 4).sf(1.0) == pytest.approx(float(exact), abs=1e-14)


def test_a_far_tail_keeps_its_digits():
    law = DirichletLinear([0, 1, 2], [1, 1, 1])
    for distance in (1e-3, 1e-5, 1e-7):
        # near the end the spline is (2 - c)² / 2
        end = 2 - distance
        assert law.sf(end) == pytest.approx((2 - end) ** 2 / 2, rel=1e-10)


def test_tails_of_a_million_cases_keep_their_digits():
    # Merged by hand: the third weight carries nothing, so the law is nearly Beta(3e5, 7e5).
    law = DirichletLinear([0.0, 1.0, 0.5], [7e5, 3e5, 1e-3])
    beta = stats.beta(3e5, 7e5)
    for level in (1e-30, 1e-12, 0.3):
        c = beta.ppf(level)
        assert law.cdf(c) == pytest.approx(level, rel=1e-4)


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (3, 0.5), (40, 7), (2e5, 9e5)])
def test_two_weights_are_a_beta_law(a, b):
    law, beta = DirichletLinear([5, -3, 5], [a / 2, b, a / 2]), stats.beta(a, b)
    x = np.array([0.001, 0.2, 0.5, 0.97])
    np.testing.assert_allclose(law.cdf(-3 + 8 * x), beta.cdf(x), rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(law.pdf(-3 + 8 * x), beta.pdf(x) / 8, rtol=1e-8, atol=1e-300)
    np.testing.assert_allclose(law.quantile(x), -3 + 8 * beta.ppf(x), rtol=1e-12)


@pytest.mark.parametrize(
    ("weights", "alpha"),
    [STORY, ([0, 1, 2], [0.5, 0.5, 0.5]), ([-1, 0, 3], [1e6, 3.0, 0.5]), ([0, 1, 9], [2, 900, 4])],
)
def test_quantiles_invert_the_distribution_function(weights, alpha):
    law = DirichletLinear(weights, alpha)
    levels = np.array([1e-12, 1e-4, 0.025, 0.5, 0.975, 0.9999])
    np.testing.assert_allclose(law.cdf(law.quantile(levels)), levels, rtol=2e-8, atol=1e-12)


def test_density_is_the_derivative():
    law = DirichletLinear(*STORY)
    c, step = np.array([-40.0, -1.0, 30.0]), 1e-3
    slope = (law.cdf(c + step) - law.cdf(c - step)) / (2 * step)
    np.testing.assert_allclose(law.pdf(c), slope, rtol=1e-7)


def test_the_published_story():
    # A under utilities (4), one pseudo-count per cell, 100 cases: theory page B7.
    law = DirichletLinear(*STORY)
    assert law.mean == pytest.approx(1.54, abs=0.005)
    assert law.sd == pytest.approx(16.0, abs=0.05)
    np.testing.assert_allclose(law.interval(0.95), [-31.3, 31.5], atol=0.05)


def test_moments_are_those_of_the_dirichlet_law():
    weights, alpha = [15, -335, -35, 165], [28, 16, 24, 36]
    total = Fraction(sum(alpha))
    mean = sum(Fraction(w) * a for w, a in zip(weights, alpha, strict=True)) / total
    square = sum(Fraction(w) ** 2 * a for w, a in zip(weights, alpha, strict=True)) / total
    law = DirichletLinear(weights, alpha)
    assert law.mean == pytest.approx(float(mean), rel=1e-14)
    assert law.variance == pytest.approx(float((square - mean**2) / (total + 1)), rel=1e-13)


def test_density_at_a_weight():
    # Three uniform shares with weights 0, 1, 2 have the triangular density, whose top is at 1.
    law = DirichletLinear([0, 1, 2], [1, 1, 1])
    np.testing.assert_allclose(law.pdf([0.25, 1.0, 1.5]), [0.25, 1.0, 0.5], rtol=1e-10)
    # With halves it grows like a logarithm there.
    assert DirichletLinear([0, 1, 2], [0.5, 0.5, 0.5]).pdf(1.0) == np.inf


def test_one_weight_is_a_certainty():
    law = DirichletLinear([2.0, 2.0], [1, 3])
    assert (law.mean, law.variance, law.quantile(0.3)) == (2.0, 0.0, 2.0)
    assert (law.cdf(1.999), law.cdf(2.0), law.sf(2.0), law.pdf(2.0)) == (0.0, 1.0, 0.0, np.inf)


def test_outside_the_weights_nothing_is_possible():
    law = DirichletLinear(*STORY)
    np.testing.assert_array_equal(law.cdf([-335.0, -400.0, 165.0, 1e9]), [0, 0, 1, 1])
    assert np.isnan(law.cdf(np.nan))


@pytest.mark.slow
def test_tiny_parameters_are_no_exception():
    alpha = [0.05, 0.05, 0.05]
    expected = reference([0, 1, 2], alpha, 0.5)
    assert DirichletLinear([0, 1, 2], alpha).cdf(0.5) == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize(
    ("weights", "alpha", "message"),
    [
        ([], [], "weights must be finite numbers, at least one"),
        ([1.0, np.inf], [1, 1], "weights must be finite"),
        ([1, 2], [1, 0], r"concentration must lie in \(0, inf\), got 0.0: add a prior count"),
        ([1, 2], [1, 1, 1], "concentration must have as many numbers as weights, 2, got 3"),
    ],
)
def test_what_is_no_law_is_refused(weights, alpha, message):
    with pytest.raises(InvalidArgumentError, match=message):
        DirichletLinear(weights, alpha)

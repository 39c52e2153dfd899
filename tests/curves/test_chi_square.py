"""Tails of quadratic forms in normal variables, against closed forms and other packages."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from baserate.curves import _chi_square
from baserate.curves._chi_square import QuadraticForm
from baserate.errors import UnsupportedError
from quick import one_in


def form(weights, shifts=None):
    weights = np.array(weights, dtype=float)
    return QuadraticForm(weights, np.zeros_like(weights) if shifts is None else np.array(shifts))


def test_difference_of_exponentials_is_laplace_in_both_tails():
    """χ²₂ - χ²₂ has the density exp(-|x|/2)/4."""
    x = np.array([-1300.0, -200, -7, -0.1, 0, 1e-8, 0.3, 5, 60, 900, 1400])
    small = np.exp(-np.abs(x) / 2) / 2
    both = form([1, 1, -1, -1])
    assert_allclose(both.sf(x), np.where(x >= 0, small, 1 - small), rtol=3e-14)
    assert_allclose(both.cdf(x), np.where(x <= 0, small, 1 - small), rtol=3e-14)


def test_hypoexponential_differences():
    """a χ²₂ - b χ²₂ is above x > 0 with probability a exp(-x/(2a))/(a + b)."""
    for a, b in ((3.0, 0.01), (1e-3, 20.0), (5.0, 5.0), (1e4, 1e-4)):
        x = a * np.array([1e-6, 0.5, 4, 80, 1000])
        assert_allclose(form([a, a, -b, -b]).sf(x), a / (a + b) * np.exp(-x / (2 * a)), rtol=5e-13)


@pytest.mark.parametrize("degrees", [1, 2, 3, 7, 20])
def test_equal_weights_are_chi_square(degrees):
    x = np.array([1e-6, 0.02, 0.7, 3, 12, 55, 300])
    for scale in (1.0, 0.03):
        ours = form([scale] * degrees)
        assert_allclose(ours.cdf(scale * x), stats.chi2.cdf(x, degrees), rtol=1e-12)
        assert_allclose(ours.sf(scale * x), stats.chi2.sf(x, degrees), rtol=1e-12)
        assert_allclose(
            form([-scale] * degrees).cdf(-scale * x), stats.chi2.sf(x, degrees), rtol=1e-12
        )


@pytest.mark.parametrize("degrees", [1, 2, 5])
@pytest.mark.parametrize("shift", [0.3, 2.0, 4.0])
def test_shifted_equal_weights_are_non_central_chi_square(degrees, shift):
    """λ Σ z² + 2a Σ z = λ Σ (z + a/λ)² - Σ a²/λ."""
    weight = 0.8
    noncentrality = degrees * (shift / weight) ** 2
    x = np.array([0.5, 2, 6, 15, 40])
    ours = form([weight] * degrees, [shift] * degrees)
    limit = weight * x - degrees * shift**2 / weight
    for tail, other in ((ours.cdf, stats.ncx2.cdf), (ours.sf, stats.ncx2.sf)):
        theirs = other(x, degrees, noncentrality)
        held = theirs > 1e-9  # SciPy loses the far tails
        assert_allclose(tail(limit)[held], theirs[held], rtol=2e-10, atol=1e-13)


def test_single_variable_with_shift_is_an_interval_of_a_normal():
    """λ z² + 2a z <= x holds between two numbers, in relative error down to 1e-250."""
    x = np.array([-0.6, 0.0, 5.0, 100.0, 900.0])
    ours = form([1.0], [0.8])
    root = np.sqrt(0.64 + x)
    assert_allclose(ours.sf(x), stats.norm.sf(root - 0.8) + stats.norm.cdf(-root - 0.8), rtol=1e-12)
    assert_allclose(
        ours.cdf(x), stats.norm.cdf(root - 0.8) - stats.norm.cdf(-root - 0.8), rtol=1e-12
    )


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize("u", one_in(3, [0.7, 0.01, 3.0, 90.0, 15.0]))
def test_product_of_normals(u):
    """(z₁² - z₂²)/2 is a product of two normal variables, with density K₀(|u|)/π."""
    with mp.workdps(20):
        ends = [u, u + 1, u + 4, u + 12, u + 50]
        exact = mp.quad(lambda v: mp.besselk(0, v) * mp.exp(u), ends) / mp.exp(u) / mp.pi
    assert_allclose(form([1, -1]).sf([2 * u]), [float(exact)], rtol=1e-13)
    assert_allclose(form([1, -1]).cdf([-2 * u]), [float(exact)], rtol=1e-13)


def test_without_weights_it_is_normal():
    x = np.array([-30.0, -2, 0, 1, 25])
    assert_allclose(form([0, 0], [1.5, 2.0]).cdf(x), stats.norm.cdf(x / 5), rtol=1e-14)
    assert_allclose(form([0, 0], [1.5, 2.0]).sf(x), stats.norm.sf(x / 5), rtol=1e-14)


@pytest.mark.parametrize("tiny", [1e-17, -1e-12, 1e-8])
def test_tiny_weights_are_no_trouble(tiny):
    """Near-equal variances in one direction give weights of the size of rounding errors."""
    x = np.array([-4.0, -1, 0.5, 3, 20])
    with_it, without = (
        form([tiny, 0.7, -1.2], [0.9, 0.1, 0.4]),
        form([0, 0.7, -1.2], [0.9, 0.1, 0.4]),
    )
    assert_allclose(with_it.cdf(x), without.cdf(x), rtol=1e-12 + 20 * abs(tiny))
    assert_allclose(with_it.sf(x), without.sf(x), rtol=1e-12 + 20 * abs(tiny))


def test_outside_the_support_the_tails_are_zero_and_one():
    positive = form([1.0, 2.0], [1.0, -2.0])  # least value: -(1/1 + 4/2) = -3
    assert positive.cdf([-3.0, -4.0, -np.inf]).tolist() == [0, 0, 0]
    assert positive.sf([-3.0, -4.0, -np.inf]).tolist() == [1, 1, 1]
    assert form([-1.0]).cdf([0.0, 1.0, np.inf]).tolist() == [1, 1, 1]
    assert form([1.0, -1.0]).sf([-np.inf, np.inf]).tolist() == [1, 0]


def test_near_the_edge_of_the_support():
    """(z + 8)² - 64 <= x is an interval whose length goes to zero with x + 64."""
    gap = 2.0 ** -np.arange(2, 40, 3)  # exact beside 64
    root = np.sqrt(gap)
    ours = form([1.0], [8.0])
    exact = [float(mp.ncdf(r - 8) - mp.ncdf(-r - 8)) for r in root]
    assert_allclose(ours.cdf(gap - 64), exact, rtol=1e-10)
    assert_allclose(ours.sf(gap - 64), 1.0, rtol=1e-13)
    assert_allclose(form([-1.0], [8.0]).sf(64 - gap), exact, rtol=1e-10)


def test_tails_below_the_smallest_float_are_zero():
    assert form([1.0, -1e-14], [7e-3, 2e-5]).cdf([-1.4]).tolist() == [0.0]
    assert form([1.0, -1e-14], [7e-3, 2e-5]).sf([-1.4]).tolist() == [1.0]


weights = st.floats(-3, 3).map(lambda e: 10.0**e)
signed = st.tuples(weights, st.sampled_from([-1, 1])).map(lambda pair: pair[0] * pair[1])
terms = st.lists(st.tuples(signed, signed), min_size=1, max_size=8)


@pytest.mark.slow
@given(terms=terms, where=st.floats(-5, 5))
def test_tails_add_up_and_mirror(terms, where):
    ours = form(*zip(*terms, strict=True))
    mirrored = form(-ours.weights, -ours.shifts)
    spread = np.sqrt(np.sum(2 * ours.weights**2 + 4 * ours.shifts**2))
    x = np.array([ours.weights.sum() + where * spread])
    assert_allclose(ours.cdf(x) + ours.sf(x), [1.0], rtol=0, atol=1e-12)
    assert_allclose(ours.sf(x), mirrored.cdf(-x), rtol=1e-12)


@pytest.mark.slow
@given(terms=terms, where=st.floats(-3, 3))
@example(terms=[(-1.0, -0.1), (-1.0, -0.1)], where=1.1)
def test_adding_an_exponential_variable(terms, where):
    """F of W + c χ²₂ solves F + 2c F' = F of W."""
    ours = form(*zip(*terms, strict=True))
    spread = np.sqrt(np.sum(2 * ours.weights**2 + 4 * ours.shifts**2))
    more = form([*ours.weights, spread, spread], [*ours.shifts, 0.0, 0.0])
    x, step = ours.weights.sum() + where * spread, 2e-3 * spread
    with np.errstate(divide="ignore", invalid="ignore"):
        end = -np.sum(ours.shifts**2 / ours.weights)  # of a law whose weights have one sign
    assume(not abs(x - end) < 4 * step)  # there F' has a corner, which no difference follows
    values = more.cdf(x + step * np.arange(-2, 3))
    slope = values @ np.array([1, -8, 0, 8, -1]) / (12 * step)
    assert_allclose(values[2] + 2 * spread * slope, ours.cdf([x])[0], atol=1e-5)


def test_an_integral_that_does_not_converge_is_refused(monkeypatch):
    monkeypatch.setattr(_chi_square, "_STEPS", (2.0,))
    with pytest.raises(UnsupportedError, match=r"does not converge at 1\.5"):
        form([1.0, -2.0], [0.5, 0.5]).sf([1.5])

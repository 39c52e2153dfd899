"""The beta-binomial count against exact fractions, its moments, scipy and mpmath."""

from fractions import Fraction
from math import exp

import mpmath
import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.stats import betabinom

from baserate import _windows as w
from baserate.errors import UnsupportedError
from baserate.models.factors import BetaBinomialCount, _log_gap
from oracles.count_twins import beta_binomial as exact

parameters = st.fractions(Fraction(1, 64), 400, max_denominator=64)


@pytest.mark.slow
@given(st.integers(0, 60), parameters, parameters)
@example(60, Fraction(1, 64), Fraction(1, 64))
@example(60, Fraction(1, 64), Fraction(400))
@example(60, Fraction(1), Fraction(1))
@example(60, Fraction(1), Fraction(1, 2))
@example(60, Fraction(3, 2), Fraction(1, 2))
def test_window_is_exact(n, a, b):
    pmf = list(map(float, exact(n, float(a), float(b))))
    window = BetaBinomialCount(n, float(a), float(b)).window()
    end = window.start + len(window.pmf)
    np.testing.assert_allclose(window.pmf, pmf[window.start : end], rtol=1e-13)
    assert sum(pmf[: window.start]) + sum(pmf[end:]) < 1e-18


@pytest.mark.parametrize(("a", "b"), [(1e-100, 1e-100), (1e-9, 1e-12), (1e-100, 1), (1e-30, 1e30)])
def test_window_of_extreme_parameters(a, b):
    pmf = list(map(float, exact(20, a, b)))
    window = BetaBinomialCount(20, a, b).window(depth=w.DEEP)
    np.testing.assert_allclose(window.pmf, pmf[: len(window.pmf)], rtol=1e-13)
    assert max(pmf[len(window.pmf) :], default=0) < 1e-300 or a > 1e-50


def test_a_window_with_two_peaks():
    window = BetaBinomialCount(1000, 0.25, 0.5).window()
    assert len(window.pmf) == 1001
    lowest = int(np.argmin(window.pmf))
    assert 0 < lowest < 1000
    assert window.pmf[0] > window.pmf[lowest] < window.pmf[-1]
    np.testing.assert_allclose(
        window.pmf, betabinom.pmf(np.arange(1001), 1000, 0.25, 0.5), rtol=1e-9
    )


LONG = [
    (10**5, 0.5, 0.5),
    (10**5, 13.5, 306.5),
    (10**5, 207.0, 2060.0),
    (10**5, 0.3, 4000.0),
    (10**6, 1e6, 3e6),
    (10**6, 1e12, 3e12),
    (99_999, 1.0, 1.0),
]


@pytest.mark.parametrize(("n", "a", "b"), LONG)
def test_long_windows_have_the_mean_and_the_variance(n, a, b):
    count = BetaBinomialCount(n, a, b)
    window = count.window()
    mean = n * a / (a + b)
    assert window.pmf @ window.values == pytest.approx(mean, rel=1e-12)
    assert window.pmf @ (window.values - mean) ** 2 == pytest.approx(count.variance, rel=1e-11)


SHAPES = (0.01, 0.3, 1, 1.5, 4, 20, 100, 1e3, 1e4, 1e6)


@pytest.mark.parametrize("depth", [5, 20, 45, 200])
@pytest.mark.parametrize("n", [10, 100, 1000, 10_000])
def test_windows_leave_out_no_more_than_they_say(n, depth):
    cut = 0
    for a in SHAPES:
        for b in SHAPES:
            whole = BetaBinomialCount(n, a, b).window(depth=1e9).pmf
            low, high = w.beta_binomial_span(n, a, b, depth=depth)
            assert len(whole) == n + 1
            assert whole[:low].sum() + whole[high + 1 :].sum() <= 2 * exp(-depth), (a, b)
            cut += high - low < n
    assert cut or n < 100 or depth == 200


def test_spans_are_not_needlessly_wide():
    """Within a third of the width of a normal law that leaves out as much."""
    n, a, b = 10**5, 443.0, 2735.0
    low, high = w.beta_binomial_span(n, a, b)
    reach = (2 * w.DEPTH * BetaBinomialCount(n, a, b).variance) ** 0.5
    assert high - low < 2 * reach * 4 / 3


FADING = [
    (10**5, 300.0, 900.0),
    (10**5, 2060.0, 207.0),
    (10**6, 1e5, 2e6),
    (10**6, 1e9, 1e9),
    (2000, 400.0, 401.0),
    (10**9, 300.0, 900.0),
    (10**12, 1e4, 2e6),
]


@pytest.mark.parametrize(("n", "a", "b"), FADING)
def test_both_rules_have_the_moments(n, a, b):
    count = BetaBinomialCount(n, a, b)
    first, second = count.rules()
    assert not set(first.values) & set(second.values)
    assert len(second.values) == count.n_nodes() < 70
    for values, weights in (first, second):
        assert np.array_equal(values, np.round(values))
        mean = weights @ values
        assert mean == pytest.approx(n * a / (a + b), rel=1e-13)
        assert weights @ (values - mean) ** 2 == pytest.approx(count.variance, rel=1e-11)
        third = weights @ (values - mean) ** 3 / count.variance**1.5
        assert third == pytest.approx(betabinom.stats(n, a, b, moments="s"), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(
    ("n", "a", "b"), [(1000, 0.5, 0.5), (10**4, 5, 3), (60, 30, 30), (9, 1, 0)]
)
def test_rules_of_laws_that_reach_their_ends_are_whole_windows(n, a, b):
    count = BetaBinomialCount(n, a, b)
    first, second = count.rules()
    assert first is second
    window = count.window()
    np.testing.assert_array_equal(first.weights, window.pmf)
    assert count.n_nodes() == len(window.pmf)


NONE = [
    (5, 0.5, 0.25),
    (1000, 0.5, 3.0),
    (1001, 0.5, 3.0),
    (5000, 13.75, 306.5),
    (10**5, 0.5, 1e-3),
    (20_000, 206.9, 2060.0),
    (10**5, 300.25, 1e9),
    (10**5, 1e9, 1e13),
    (10**7, 12.5, 3e6),
    (10**12, 0.5, 0.5),
    (10**15, 3.7, 1e12),
    (100, 1e-100, 1e-100),
]


@pytest.mark.parametrize(("n", "a", "b"), NONE)
def test_probability_of_none(n, a, b):
    with mpmath.workdps(60):
        a_, b_ = mpmath.mpf(a), mpmath.mpf(b)
        logs = (
            mpmath.loggamma(b_ + n)
            + mpmath.loggamma(a_ + b_)
            - mpmath.loggamma(b_)
            - mpmath.loggamma(a_ + b_ + n)
        )
        truth = float(mpmath.exp(logs))
    assert truth > 0
    assert BetaBinomialCount(n, a, b).none == pytest.approx(truth, rel=2e-13)


@pytest.mark.parametrize("x", [1000.0, 1234.5, 1e5, 1e9])
@pytest.mark.parametrize("r", [0.0, 0.25, 0.9])
def test_ratios_of_gamma_functions_keep_their_digits(x, r):
    with mpmath.workdps(40):
        truth = float(mpmath.loggamma(mpmath.mpf(x) + r) - mpmath.loggamma(x))
    assert _log_gap(x, r) == pytest.approx(truth, rel=1e-14, abs=1e-14)


def test_probability_of_none_is_refused_where_it_takes_too_long():
    with pytest.raises(UnsupportedError, match=r"product of 1,000,000,000 terms.*use Multinomial"):
        _ = BetaBinomialCount(10**9, 1e9, 1e16).none


def test_a_product_too_small_for_a_double_is_not_multiplied():
    """Each of its terms is below 1 / (1 + a / (a + b + n)): here 0.9991 to the power of 10^9."""
    assert BetaBinomialCount(10**9, 1e12, 1e15).none == 0.0


def test_a_zero_parameter_leaves_one_value():
    never, always = BetaBinomialCount(7, 0, 2), BetaBinomialCount(7, 2, 0)
    assert (never.support, always.support) == ((0, 0), (7, 7))
    assert (never.none, always.none) == (1.0, 0.0)
    assert (never.variance, always.variance) == (0.0, 0.0)
    assert (never.window().start, always.window().start) == (0, 7)


@pytest.mark.slow
@given(st.integers(2, 500), parameters, parameters)
def test_a_huge_concentration_is_a_binomial(n, a, b):
    assume(a / (a + b) * n > Fraction(1, 10))
    share = float(a / (a + b))
    scale = 1e18
    window = BetaBinomialCount(n, scale * float(a), scale * float(b)).window(depth=w.DEEP)
    other = w.binomial(n, share, float(b / (a + b)))
    inside = window.pmf[other.start - window.start :][: len(other.pmf)]
    np.testing.assert_allclose(inside, other.pmf, rtol=1e-11, atol=1e-290)

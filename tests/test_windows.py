"""Windows against exact fractions, against arithmetic of fifty digits, and against each other."""

import tracemalloc
from decimal import Decimal, getcontext
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baserate import ConfusionMatrix, beats_chance
from baserate import _saddlepoint as saddle
from baserate import _windows as w

counts = st.integers(0, 60)


def exact_hypergeometric(p, q, k):
    low, high = max(0, k - q), min(p, k)
    total = comb(p + q, k)
    return low, [float(Fraction(comb(p, t) * comb(q, k - t), total)) for t in range(low, high + 1)]


@pytest.mark.slow
@given(counts, counts, st.floats(0, 1))
def test_hypergeometric_window_is_exact(p, q, share):
    k = round(share * (p + q))
    low, pmf = exact_hypergeometric(p, q, k)
    window = w.hypergeometric(p, q, k)
    inside = slice(window.start - low, window.start - low + len(window.pmf))
    np.testing.assert_allclose(window.pmf, pmf[inside], rtol=1e-13)
    assert sum(pmf[: inside.start]) + sum(pmf[inside.stop :]) < 1e-18


@pytest.mark.slow
@given(st.integers(0, 400), st.fractions(0, 1, max_denominator=64))
def test_binomial_window_is_exact(n, p):
    exact = [float(comb(n, t) * p**t * (1 - p) ** (n - t)) for t in range(n + 1)]
    window = w.binomial(n, float(p))
    end = window.start + len(window.pmf)
    np.testing.assert_allclose(window.pmf, exact[window.start : end], rtol=1e-12, atol=1e-290)
    assert sum(exact[: window.start]) + sum(exact[end:]) < 1e-18


@pytest.mark.parametrize(
    ("n", "p"), [(10**4, 1e-7), (10**4, 1 - 1e-7), (10**12, 1e-12), (5, 1e-300)]
)
def test_binomial_window_of_rare_events(n, p):
    window = w.binomial(n, p)
    assert window.pmf @ window.values == pytest.approx(n * p, rel=1e-12)


def test_a_deep_window_reaches_where_doubles_end():
    low, pmf = exact_hypergeometric(300, 700, 400)
    window = w.hypergeometric(300, 700, 400, depth=w.DEEP)
    assert len(window.pmf) == 301
    far = np.array(pmf) > 1e-290
    np.testing.assert_allclose(window.pmf[far], np.array(pmf)[far], rtol=1e-12)
    assert window.start == low


@pytest.mark.parametrize(
    ("p", "q", "k"), [(10**5, 9 * 10**5, 500_001), (10**7, 9 * 10**7, 3 * 10**7)]
)
def test_strided_weights_are_those_of_the_window(p, q, k):
    tp, weights = saddle.strided_hypergeometric(p, q, k)
    window = w.hypergeometric(p, q, k)
    at = window.pmf[(tp - window.start).astype(int)]
    np.testing.assert_allclose(weights, at / at.sum(), rtol=1e-9)
    assert 40 < len(tp) < 90
    assert weights @ tp == pytest.approx(k * p / (p + q), rel=1e-14)


# E[sqrt(recall specificity)] at its best k, from sums in arithmetic of sixty digits (mpmath):
# M, P, k*, value.
G_MEANS = [
    (100, 10, 51, 0.49507601478860995),
    (10**4, 10**3, 5001, 0.49995552030785500),
    (10**6, 10**5, 500001, 0.49999955555203697),
    (10**6, 7, 524654, 0.48941961413387328),
    (10**8, 10**7, 50000001, 0.49999999555555520),
    (10**8, 3, 57631108, 0.46559761686783647),
    (10**10, 10**9, 5000000001, 0.49999999995555556),
    (10**12, 10**11, 500000000001, 0.49999999999955556),
]


@pytest.mark.parametrize(("m", "p", "k", "value"), G_MEANS)
def test_thinned_sums_of_the_geometric_mean(m, p, k, value):
    tp, weights = saddle.thinned_hypergeometric(p, m - p, k)
    assert len(tp) <= 1001
    mean = weights @ np.sqrt(tp / p * ((m - p - k + tp) / (m - p)))
    assert mean == pytest.approx(value, rel=1e-14)


def test_strided_sums_are_refused_where_counts_are_small():
    assert saddle.strided_hypergeometric(40, 10**6, 5 * 10**5) is None
    assert saddle.strided_hypergeometric(150, 150, 150) is None


@pytest.mark.parametrize(("n", "p"), [(10**4, 0.5), (10**6, 0.125), (10**7, 1 - 1e-4)])
def test_strided_binomial_weights_are_those_of_the_window(n, p):
    step = int((n * p * (1 - p)) ** 0.5 / 3)
    values, weights = saddle.strided_binomial(n, p, step=step)
    window = w.binomial(n, p)
    at = window.pmf[(values - window.start).astype(int)]
    np.testing.assert_allclose(weights, at / at.sum(), rtol=1e-9)
    assert 40 < len(values) < 90


@settings(deadline=None, max_examples=40)
@given(st.integers(10**4, 10**15), st.floats(0.1, 0.9))
def test_strided_binomial_moments_at_any_size(n, p):
    spread = n * p * (1 - p)
    for start in range(2):  # each half of the values is a rule of its own
        values, weights = (
            x[start::2] for x in saddle.strided_binomial(n, p, step=int(spread**0.5 / 3))
        )
        weights = weights / weights.sum()
        mean = weights @ values
        assert mean == pytest.approx(n * p, rel=1e-14)
        assert weights @ (values - mean) ** 2 == pytest.approx(spread, rel=1e-12)


def test_a_chance_near_one_keeps_the_digits_of_its_complement():
    """Both windows are one law seen from either side; 1 - (1 - 1e-9) has lost nine digits."""
    few, most = w.binomial(10**9, 1e-9), w.binomial(10**9, 1 - 1e-9, 1e-9)
    np.testing.assert_allclose(most.pmf[::-1], few.pmf, rtol=1e-12)
    assert np.max(np.abs(w.binomial(10**9, 1 - 1e-9).pmf[::-1] / few.pmf - 1)) > 1e-9


def test_windows_at_a_trillion_do_not_overflow():
    low, high = w.hypergeometric_span(10**11, 9 * 10**11, 4 * 10**11)
    tp, weights = saddle.strided_hypergeometric(10**11, 9 * 10**11, 4 * 10**11)
    assert low <= tp[0] < tp[-1] <= high
    getcontext().prec = 50
    n, k, p = Decimal(10) ** 12, Decimal(4) * 10**11, Decimal(10) ** 11
    spread = k * p * (n - p) * (n - k) / n / n / (n - 1)
    assert weights @ (tp - 4e10) ** 2 == pytest.approx(float(spread), rel=1e-12)


def test_a_window_too_long_for_memory_is_refused():
    from baserate._windows import hypergeometric
    from baserate.errors import UnsupportedError

    with pytest.raises(UnsupportedError, match="are summed one by one"):
        hypergeometric(10**19, 10**19, 10**19)


@given(st.integers(1, 60), st.integers(1, 60), st.data())
def test_logarithms_and_rows_of_the_hypergeometric_law_are_exact(p, q, data):
    k = data.draw(st.integers(1, p + q - 1))
    low, pmf = exact_hypergeometric(p, q, k)
    t = np.arange(low, low + len(pmf))
    logs = saddle.hypergeometric_log_pmf(p, q, np.full(len(t), k), t)
    np.testing.assert_allclose(np.exp(logs), pmf, rtol=1e-12)
    values, weights = w.hypergeometric_rows(p, q, np.array([k, k + 1]), depth=np.inf)
    row = dict(zip(values[0][weights[0] > 0].astype(int), weights[0][weights[0] > 0], strict=True))
    assert sorted(row) == list(t)
    np.testing.assert_allclose([row[one] for one in t], pmf, rtol=1e-12)


def test_logarithms_of_large_counts_keep_their_digits():
    """Against the window, whose weights come from ratios alone."""
    p, q, k = 10**5, 9 * 10**5, 3 * 10**5
    window = w.hypergeometric(p, q, k)
    t = window.start + np.arange(0, len(window.pmf), 97)
    logs = saddle.hypergeometric_log_pmf(p, q, k, t)
    np.testing.assert_allclose(np.exp(logs), window.pmf[::97], rtol=1e-11)


@pytest.mark.parametrize("block", [1, 7, 100])
@pytest.mark.parametrize(
    ("p", "q", "k", "least"), [(30, 70, 50, 20), (3, 7, 9, 3), (40, 10, 45, 36), (300, 70, 50, 49)]
)
def test_tails_block_by_block_are_those_of_fractions(p, q, k, least, block, monkeypatch):
    monkeypatch.setattr(w, "BLOCK", block)
    span = w.hypergeometric_span(p, q, k, depth=w.DEEP)
    ways = sum(comb(p, x) * comb(q, k - x) for x in range(least, min(p, k) + 1))
    found = w.Urn(k, p, q, -1).upper_tail(*span, least)
    assert found == pytest.approx(float(Fraction(ways, comb(p + q, k))), rel=1e-12)


def test_a_test_of_a_trillion_cases_fits_in_memory():
    """Its window of 36 million values took 1.5 GB."""
    tracemalloc.start()
    p = beats_chance(
        ConfusionMatrix(tp=475_000_300_000, fn=524_999_700_000, fp=475 * 10**9, tn=525 * 10**9)
    ).p_value
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 200e6
    assert 0 < p < 1

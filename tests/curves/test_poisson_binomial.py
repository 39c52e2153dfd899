"""The law of the number of positives under stated risks, beside fractions and other laws."""

from itertools import product
from math import comb, exp, log

import mpmath
import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom

from baserate.curves import poisson_binomial
from baserate.curves.poisson_binomial import PoissonBinomial, tilt_holding
from oracles import count_twins

RNG = np.random.default_rng(5)


def law_of(risks, size=None):
    risks = np.asarray(risks, dtype=float)
    order = np.argsort(risks)
    sizes = np.ones(len(risks)) if size is None else np.asarray(size, dtype=float)
    return PoissonBinomial(risks[order], sizes[order])


CASES = {
    "few": ([0.1, 0.25, 0.3, 0.5, 0.9], None),
    "uniform": (RNG.random(40).tolist(), None),
    "rare": ((RNG.random(30) * 1e-3).tolist(), None),
    "pooled": ([0.01, 0.2, 0.5, 0.77], [9, 7, 8, 6]),
    "certain": ([0.0, 0.2, 0.5, 1.0], [2, 3, 4, 2]),
    "apart": ([1e-12, 1e-8, 0.3, 1 - 1e-9], [5, 5, 2, 3]),
    "even length": (RNG.beta(0.3, 3, 31).tolist(), None),
}


@pytest.mark.parametrize("case", CASES)
def test_tails_are_those_of_fractions(case):
    risks, size = CASES[case]
    law, exact = law_of(risks, size), count_twins.poisson_binomial(risks, size)
    for k in range(len(exact)):
        for found, true in zip(law.tails(k), count_twins.tails(exact, k), strict=True):
            assert found == pytest.approx(float(true), rel=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_the_whole_law_sums_the_same(case):
    risks, size = CASES[case]
    window, exact = law_of(risks, size).pmf(), count_twins.poisson_binomial(risks, size)
    found = np.zeros(len(exact))
    found[window.start : window.start + len(window.pmf)] = window.pmf
    np.testing.assert_allclose(found, [float(p) for p in exact], atol=1e-14, rtol=0)


@pytest.mark.slow
def test_far_tails_keep_their_digits():
    """A binomial tail near 1e-200, and one of 2,000 unequal risks by 50-digit arithmetic."""
    n, k = 3_000, 2_300
    exact = sum(comb(n, j) * 3**j * 7 ** (n - j) for j in range(k, n + 1)) / mpmath.mpf(10) ** n
    found = law_of([0.3], [n]).tails(k).upper
    assert found == pytest.approx(float(exact), rel=1e-12)
    risks = np.sort(RNG.beta(1, 4, 400))
    with mpmath.workdps(50):
        law = [mpmath.mpf(1)]
        for p in map(float, risks):
            law = [
                (law[i] * (1 - p) if i < len(law) else 0) + (law[i - 1] * p if i else 0)
                for i in range(len(law) + 1)
            ]
        for k in (0, 5, 30, 80, 120, 200, 300, 399, 400):
            lower, upper = sum(law[: k + 1]), sum(law[k:])
            tails = law_of(risks).tails(k)
            assert tails.lower == pytest.approx(float(lower), rel=1e-12)
            assert tails.upper == pytest.approx(float(upper), rel=1e-12)


@pytest.mark.slow
def test_a_million_equal_risks_are_binomial():
    law = PoissonBinomial(np.full(10**6, 0.2), np.ones(10**6))
    for k in (198_000, 199_900, 200_000, 201_500):
        peer = binom(10**6, 0.2)
        assert law.tails(k).lower == pytest.approx(peer.cdf(k), rel=1e-9)
        assert law.tails(k).upper == pytest.approx(peer.sf(k - 1), rel=1e-9)


@pytest.mark.parametrize("risks", [RNG.random(30_000), RNG.beta(0.01, 1, 30_000)])
def test_pooled_power_sums_agree_with_products(risks, monkeypatch):
    law = law_of(risks)
    k = round(law.mean + 4 * law.variance**0.5)
    pooled = law.tails(k)
    monkeypatch.setattr(poisson_binomial, "FEW", len(risks) + 1)
    assert pooled.upper == pytest.approx(law.tails(k).upper, rel=1e-10)
    assert pooled.lower == pytest.approx(law.tails(k).lower, rel=1e-12)


def test_power_sums_run_until_nothing_is_left():
    """Thousands of tiny risks and a few larger ones, so that the last terms of the series count."""
    risks = np.append(np.linspace(1e-9, 2e-9, 2_500), np.linspace(0.049, 0.05, 24))
    exact = [1.0]
    for p in risks.tolist():  # counts from 12 on have next to no probability
        exact = [a * (1 - p) + b * p for a, b in zip([*exact, 0], [0, *exact], strict=True)][:12]
    window = law_of(risks).pmf()
    assert window.start == 0
    np.testing.assert_allclose(window.pmf[:12], exact, rtol=0, atol=1e-14)


def test_tilting_multiplies_odds():
    law = law_of([0.2, 0.5, 0.9])
    tilted = law.tilted(log(3)).risks
    np.testing.assert_allclose(tilted / (1 - tilted), 3 * law.risks / (1 - law.risks), rtol=1e-14)
    back = law.tilted(log(3)).tilted(-log(3)).risks
    np.testing.assert_allclose(back, law.risks, rtol=1e-14)
    by = law.tilt_to(2.25)
    assert law.tilted(by).mean == pytest.approx(2.25, rel=1e-12)
    window, plain = law.tilted(by).pmf().pmf, law.pmf().pmf
    np.testing.assert_allclose(window[1:] / window[:-1], exp(by) * plain[1:] / plain[:-1])


def test_impossible_counts_have_no_probability():
    law = law_of([0.0, 0.5, 1.0])
    assert law.support == (1, 2)
    assert tuple(law.tails(0)) == (0.0, 1.0)
    assert tuple(law.tails(3)) == (1.0, 0.0)
    assert law.tails(3).p_value == 0
    assert law.tails(1).p_value == 1
    certain = law_of([0.0, 1.0])
    assert tuple(certain.tails(1)) == (1.0, 1.0)
    assert certain.pmf().pmf.tolist() == [1.0]


def test_many_risks_are_pooled_without_a_digit_that_anyone_reads(monkeypatch):
    odds = np.sort(np.random.default_rng(1).normal(-1, 1.5, 30_000))
    law = PoissonBinomial(1 / (1 + np.exp(-odds)), np.ones(30_000))
    count = round(law.mean + 1.5 * law.variance**0.5)
    pooled = law.limits(count, 0.95)
    assert len(law.pooled.risks) < 10_000
    assert law.pooled.mean == pytest.approx(law.mean, rel=1e-12)
    assert law.pooled.variance == pytest.approx(law.variance, rel=1e-7)
    monkeypatch.setattr("baserate.curves.poisson_binomial.MANY", 30_000)
    assert pooled == pytest.approx(law.limits(count, 0.95), rel=1e-8)


@pytest.mark.parametrize("start", [0.0, 5.0, -20.0])
@pytest.mark.parametrize(
    ("n", "risk", "k"), [(3, 0.2, 3), (8, 0.01, 1), (50, 0.3, 20), (400, 0.9, 399)]
)
def test_a_tilt_is_found_from_anywhere(n, risk, k, start):
    """Of equal risks the tilt of a binomial law is the log odds of its chance, by SciPy's roots."""
    law = PoissonBinomial(np.array([risk]), np.array([float(n)]))
    tails = {1: lambda p: binom.sf(k - 1, n, p), -1: lambda p: binom.cdf(k - 1, n, p)}
    for probability, (side, tail) in product((0.001, 0.025, 0.8), tails.items()):
        chance = brentq(lambda p, f=tail, q=probability: f(p) - q, 1e-15, 1 - 1e-15, xtol=1e-15)
        by = tilt_holding(law, lambda x, up=side > 0: (x >= k) == up, probability, side, start)
        expected = log(chance / (1 - chance)) - log(risk / (1 - risk))
        assert by == pytest.approx(expected, rel=1e-9, abs=1e-9)

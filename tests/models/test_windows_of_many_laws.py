"""Windows of many laws at once, against exact fractions."""

from fractions import Fraction
from math import comb

import pytest

from baserate.models.factors import (
    BetaBinomialCount,
    BinomialCount,
    FixedCount,
    HypergeometricCount,
    windows,
)
from oracles.count_twins import beta_binomial

SIZES = range(18, 27)


def binomial(n, u, p):
    return comb(n, u) * p**u * (1 - p) ** (n - u)


def hypergeometric(n, u, a, b):
    return Fraction(comb(a, u) * comb(b, n - u), comb(a + b, n))


FAMILIES = {
    "coin": (lambda n: BinomialCount(n, 0.5), lambda n, u: binomial(n, u, Fraction(1, 2))),
    "rare": (
        lambda n: BinomialCount(n, 2.0**-40),
        lambda n, u: binomial(n, u, Fraction(1, 2**40)),
    ),
    "draws": (lambda n: HypergeometricCount(30, 12, n), lambda n, u: hypergeometric(n, u, 30, 12)),
    "few left": (lambda n: HypergeometricCount(3, 23, n), lambda n, u: hypergeometric(n, u, 3, 23)),
    "urn": (lambda n: BetaBinomialCount(n, 3.5, 8.25), lambda n, u: beta_binomial(n, 3.5, 8.25)[u]),
    "bimodal": (
        lambda n: BetaBinomialCount(n, 0.5, 0.25),
        lambda n, u: beta_binomial(n, 0.5, 0.25)[u],
    ),
    "falling": (lambda n: BetaBinomialCount(n, 0.5, 4.0), lambda n, u: beta_binomial(n, 0.5, 4)[u]),
    "rising": (lambda n: BetaBinomialCount(n, 4.0, 1.0), lambda n, u: beta_binomial(n, 4, 1)[u]),
    "uniform": (lambda n: BetaBinomialCount(n, 1, 1), lambda n, u: Fraction(1, n + 1)),
}


def compared(laid, sizes, exact):
    for start, row, n in zip(laid.start, laid.pmf, sizes, strict=True):
        for u, value in enumerate(row.tolist(), int(start)):
            possible = 0 <= u <= n
            expected = float(exact(n, u)) if possible else 0.0
            assert value == pytest.approx(expected, rel=1e-13, abs=0), (n, u)
        assert row.sum() == pytest.approx(1, abs=1e-14)


@pytest.mark.parametrize("family", FAMILIES)
def test_windows_of_neighbouring_sizes(family):
    make, exact = FAMILIES[family]
    factors = [make(n) for n in SIZES]
    compared(windows(factors, [700.0] * len(factors)), SIZES, exact)


def test_parameters_may_differ_from_row_to_row():
    rates = [0.125, 0.5, 0.75]
    factors = [BinomialCount(20, p) for p in rates]
    laid = windows(factors, [700.0] * 3)
    for i, p in enumerate(rates):
        one = type(laid)(laid.start[i : i + 1], laid.pmf[i : i + 1])
        compared(one, [20], lambda n, u, p=Fraction(p): binomial(n, u, p))


@pytest.mark.parametrize("size", [0, 1])
@pytest.mark.parametrize("family", FAMILIES)
def test_sizes_of_hardly_any_case(family, size):
    make, exact = FAMILIES[family]
    if family != "few left":
        compared(windows([make(size), make(size + 1)], [45.0] * 2), [size, size + 1], exact)


@pytest.mark.parametrize(
    "factors",
    [
        [FixedCount(3), FixedCount(4)],
        [FixedCount(0), BinomialCount(5, 0.5)],
        [BinomialCount(5, 0.0), BinomialCount(6, 1.0)],
        [BetaBinomialCount(4, 0.0, 2.0), BetaBinomialCount(4, 2.0, 0.0)],
    ],
)
def test_other_laws_are_laid_out_one_by_one(factors):
    laid = windows(factors, [45.0] * len(factors))
    for factor, start, row in zip(factors, laid.start, laid.pmf, strict=True):
        window = factor.window()
        assert start == window.start
        assert row[: len(window.pmf)].tolist() == window.pmf.tolist()
        assert not row[len(window.pmf) :].any()


def test_windows_are_as_deep_as_asked_for():
    factors = [BinomialCount(n, 0.3) for n in range(10_000, 10_040)]
    shallow, deep = (windows(factors, [d] * len(factors)) for d in (10.0, 45.0))
    low, high = factors[0].span(depth=45.0)
    assert deep.start[0] <= low
    assert deep.start[0] + deep.pmf.shape[1] > high
    assert shallow.pmf.shape[1] < deep.pmf.shape[1] / 1.8


def test_laws_that_fall_away_from_an_end_neither_vanish_nor_overflow():
    falling = [BetaBinomialCount(n, 0.5, 400.0) for n in range(3000, 3003)]
    rising = [BetaBinomialCount(n, 400.0, 0.5) for n in range(3000, 3003)]
    for factors, low in ((falling, 0), (rising, None)):
        laid = windows(factors, [700.0] * 3)
        assert laid.pmf.sum(axis=1) == pytest.approx(1)
        for factor, start, row in zip(factors, laid.start, laid.pmf, strict=True):
            end = -int(start) if low == 0 else factor.n - int(start)
            # one of n + 1 values by B(1/2, 400 + n) / B(1/2, 400), about sqrt(400 / (400 + n))
            assert row[end] == pytest.approx((400 / (400 + factor.n)) ** 0.5, rel=1e-3)

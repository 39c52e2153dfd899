"""Incomplete beta functions of counts up to 1e16, against integrals at 50 digits."""

import re
from pathlib import Path

import mpmath as mp
import numpy as np
import pytest
from scipy import special

import baserate
from baserate._beta import LARGE, betainc, betaincc, betainccinv, betaincinv

EPS = float(np.finfo(float).eps)
LAWS = [
    (LARGE, LARGE), (LARGE, 1e16), (1e16, LARGE), (3e7, 1e9), (1e12, 1e12), (3e11, 7e12),
    (1e15, 1e8), (1e16, 3e15),
]  # fmt: skip
SCORES = [-30.0, -9.0, -1.9, -0.001, 0.7, 8.0]


def exact(a, b, x):
    """Return both tails and the density by panels as long as the tail, or a standard deviation."""
    with mp.workdps(50):
        a, b, x = mp.mpf(a), mp.mpf(b), mp.mpf(x)
        whole = mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)

        def density(at):
            return mp.exp((a - 1) * mp.log(at) + (b - 1) * mp.log(1 - at) - whole)

        sd = mp.sqrt(a * b / (a + b + 1)) / (a + b)
        away = -1 if x < a / (a + b) else 1
        step = away * sd / (1 + abs(x - a / (a + b)) / sd)
        cuts = [x + step * k for k in range(40)]
        tail = abs(mp.quad(density, cuts, method="gauss-legendre", maxdegree=4))
        return (tail, 1 - tail, density(x)) if away < 0 else (1 - tail, tail, density(x))


@pytest.mark.sweep(8, start=4)
@pytest.mark.parametrize(("a", "b"), LAWS)
def test_tails_and_quantiles_are_those_of_an_integral_at_50_digits(a, b):
    sd = (a * b / (a + b)) ** 0.5 / (a + b)
    for score in SCORES:
        x = a / (a + b) + score * sd
        lower, upper, density = exact(a, b, x)
        slack = 2 * EPS * x * float(density)  # the last digit of x
        assert abs(betainc(a, b, x) - lower) <= slack + 3e-12 * lower
        assert abs(betaincc(a, b, x) - upper) <= slack + 3e-12 * upper
        inverse, tail = (betaincinv, lower) if score < 0 else (betainccinv, upper)
        assert abs(inverse(a, b, float(tail)) - x) <= 2 * EPS * x + 1e-12 * sd


@pytest.mark.parametrize("a", [LARGE, 3e6])
def test_where_it_begins_scipys_values_are_the_same(a):
    b = np.array([LARGE, 2e6, 1e7])
    x = a / (a + b) + np.array([[-5.0], [-1.0], [0.2], [4.0]]) * (a * b / (a + b) ** 3) ** 0.5
    np.testing.assert_allclose(betainc(a, b, x), special.betainc(a, b, x), rtol=1e-11)
    np.testing.assert_allclose(betaincc(a, b, x), special.betaincc(a, b, x), rtol=1e-11)
    share = np.array([[1e-8], [0.025], [0.5], [0.975]])
    np.testing.assert_allclose(betaincinv(a, b, share), special.betaincinv(a, b, share), rtol=1e-12)


def test_small_and_large_parameters_may_come_together():
    a, b, x = np.array([3.0, 1e12, 0.5]), np.array([[2.0], [1e12]]), 0.3
    found = betainc(a, b, x)
    for i, j in np.ndindex(found.shape):
        assert found[i, j] == betainc(a[j], b[i, 0], x)
    assert found[0, 0] == special.betainc(3.0, 2.0, 0.3)
    assert found[1, 1] == 0


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_the_ends_are_exact(share):
    assert betainc(1e12, 1e12, share) == betaincinv(1e12, 1e12, share) == share
    assert betaincc(1e12, 1e12, share) == betainccinv(1e12, 1e12, share) == 1 - share
    assert np.isnan(betainc(1e12, 1e12, np.nan))
    assert np.isnan(betaincinv(1e12, 1e12, np.nan))


def test_no_other_file_asks_scipy():
    """There it would be wrong without a word, of many cases."""
    wanted = re.compile(r"from scipy\.special import .*\b(betainc|betaln|bdtri?\b)")
    for file in Path(baserate.__file__).parent.rglob("*.py"):
        assert not wanted.search(file.read_text(encoding="utf-8")), file

"""Differences and ratios of two independent shares, against one integral by SciPy."""

import numpy as np
import pytest
from scipy import integrate, special, stats

from baserate import ConfusionMatrix
from baserate.inference import interval
from baserate.inference.beta import below_odds
from baserate.inference.metric_limits import credible_given, two_shares
from baserate.inference.posterior import evidence
from baserate.metrics import get

FIRST = [(7.5, 3.5), (0.5, 9.5), (28.5, 23.5), (150.5, 28.5), (1.5, 0.5)]
SECOND = [(4.5, 2.5), (3.5, 0.5), (72.5, 2680.5), (60.5, 30.5), (0.5, 1.5)]
BELOW = {
    "difference": lambda x, s, y: x.cdf(s + y),
    "ratio": lambda x, s, y: x.cdf(s * y),
}


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize("operation", BELOW)
def test_the_limits_leave_the_tails_outside(operation):
    sides = (tuple(np.array(side).T) for side in (FIRST, SECOND))
    found = two_shares(operation, *sides, confidence_level=0.9, tolerance=1e-9)
    for i, laws in enumerate(zip(FIRST, SECOND, strict=True)):
        x, y = (stats.beta(*law) for law in laws)
        for end, wanted in ((found.low[i], 0.05), (found.high[i], 0.95)):
            reached, _ = integrate.quad(
                lambda u, s=end, x=x, y=y: BELOW[operation](x, s, y.ppf(u)),
                0,
                1,
                epsabs=1e-10,
                limit=400,
            )
            assert reached == pytest.approx(wanted, abs=2e-7)
    assert found.low.shape == (len(FIRST),)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("level", [0.999, 0.99999, 0.999999, 0.9999999])
def test_a_ratio_ends_where_the_last_share_of_its_denominators_begins(level):
    """P(X/Y > r) = E[2 asin(sqrt(X/r))]/π = 2 E[sqrt(X)]/(π sqrt(r)) for Y ~ Beta(1/2, 1/2).

    The rest is smaller by X/(6 r). E[sqrt(X)] is B(2, 5/2)/B(3/2, 5/2) after one of three positives
    was found.
    """
    root = special.beta(2, 2.5) / special.beta(1.5, 2.5)
    expected = (2 * root / np.pi / ((1 - level) / 2)) ** 2
    found = two_shares("ratio", (1.5, 2.5), (0.5, 0.5), confidence_level=level)
    assert found.high[0] == pytest.approx(expected, rel=1e-4)
    table = ConfusionMatrix(tp=1, fn=2, fp=0, tn=0)
    same = credible_given(get("positive_likelihood_ratio"), evidence(table), level)
    assert same.high == pytest.approx(expected, rel=1e-4)
    other = credible_given(get("negative_likelihood_ratio"), evidence(table), level)
    root = special.beta(3, 1.5) / special.beta(2.5, 1.5)
    expected = (2 * root / np.pi / ((1 - level) / 2)) ** 2
    assert other.high == pytest.approx(expected, rel=1e-4)


@pytest.mark.sweep(3, start=1)
@pytest.mark.parametrize(
    ("metric", "cells"),
    [
        ("lift", (0.13, 6.065, 0.155, 0.011)),
        ("lift", (7, 4, 3, 0)),
        ("prevalence_threshold", (0.013, 13.643, 3.946, 0.025)),
        ("negative_likelihood_ratio", (0.684, 0.818, 11.396, 0.017)),
        ("positive_likelihood_ratio", (0.013, 2.113, 0.894, 0.012)),
    ],
)
def test_with_next_to_no_case_in_a_cell_the_stated_error_holds(metric, cells):
    table = ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True)))
    found, finer = (interval(metric, table, tolerance=within) for within in (1e-6, 1e-10))
    assert abs(found.low - finer.low) <= found.error
    assert abs(found.high - finer.high) <= found.error


def test_odds_of_large_counts_have_the_probabilities_of_their_beta_laws():
    a = np.array([613.0, 2000.5, 0.5, 80.5, 7e4, 12.0, 3e9])
    b = np.array([246.0, 800.5, 3.5, 4000.5, 1e5, 9.5, 50.0])
    share = np.array([1e-9, 1e-3, 0.2, 0.5, 0.9, 1 - 1e-6])
    x = stats.beta.ppf(share, a[:, None], b[:, None])
    found = below_odds((a, b), x / stats.beta.isf(share, b[:, None], a[:, None]), 1e-12)
    np.testing.assert_allclose(found[:-1], np.broadcast_to(share, (6, 6)), atol=1e-11, rtol=1e-9)
    np.testing.assert_allclose(found[-1], share, atol=1e-6)
    assert below_odds((a, b), np.zeros((7, 1)), 1e-12).max() <= 1e-15
    assert below_odds((a, b), np.full((7, 1), np.inf), 1e-12).min() >= 1 - 1e-15

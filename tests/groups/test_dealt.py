"""The test of an audit deals all cases out: how often it errs, and what it would see."""

import numpy as np
import pytest
from scipy.stats import betabinom, binom, hypergeom

from baserate import ConfusionMatrix, audit, metrics
from baserate.groups.count_laws import Chances, dealt_laws
from baserate.groups.rejection_regions import rejection
from baserate.groups.trials import tail_model
from docs.error_rates import match_error_rate


def fisher(n, m):
    """Every doubled tail of x of n beside y of m: a row for every y."""
    found = np.empty((m + 1, n + 1))
    for y in range(m + 1):
        for x in range(n + 1):
            law = hypergeom(n + m, x + y, n)
            found[y, x] = min(1, 2 * min(law.cdf(x), law.sf(x - 1)))
    return found


def chance(rejected, rate, other):
    m, n = (size - 1 for size in rejected.shape)
    return binom.pmf(np.arange(m + 1), m, other) @ rejected @ binom.pmf(np.arange(n + 1), n, rate)


def test_an_audit_deals_out_all_cases():
    """0.066 at 5% where a large group was drawn like a small reference (rate .06, 1,000 and 50)."""
    group = ConfusionMatrix(tp=90, fn=910, fp=0, tn=0)
    rest = ConfusionMatrix(tp=1, fn=49, fp=0, tn=0)
    both = audit({"a": group, "b": rest}, metrics="recall").facts.groups
    [found, other] = (each.findings[0] for each in both)
    law = hypergeom(1050, 91, 1000)
    assert found.p_value == pytest.approx(min(1, 2 * law.sf(89)), rel=1e-9)
    assert other.p_value == pytest.approx(found.p_value, rel=1e-9)


@pytest.mark.sweep(4)
@pytest.mark.parametrize(("n", "m"), [(60, 7), (7, 60), (30, 30), (100, 20)])
def test_its_size_is_that_of_fisher_s_test_and_below_the_level(n, m):
    p = fisher(n, m)
    for level in (0.05, 0.005):
        for rate in (0.03, 0.2, 0.5, 0.9):
            expected = chance(p <= level * (1 + 1e-9), rate, rate)
            found = match_error_rate(rate=rate, n=n, n_reference=m, alpha=level, dealt=True)
            assert found == pytest.approx(expected, rel=1e-8, abs=1e-13)
            assert found <= level


def test_a_large_group_beside_a_small_reference():
    asked = {"rate": 0.06, "n": 1000, "n_reference": 50}
    assert match_error_rate(**asked) == pytest.approx(0.0663, abs=5e-5)
    assert match_error_rate(**asked, dealt=True) < 0.05


def test_tails_of_fisher_s_test_are_beta_binomial():
    for x, n, y, m in ((3, 9, 0, 4), (0, 5, 2, 3), (4, 6, 5, 5), (2, 7, 3, 8)):
        law = hypergeom(n + m, x + y, n)
        windows = [one.window() for one in dealt_laws(n, y, m - y)]
        below, above = (dict(zip(w.values, w.pmf, strict=True)) for w in windows)
        assert sum(p for k, p in below.items() if k <= x) == pytest.approx(law.cdf(x), rel=1e-12)
        assert sum(p for k, p in above.items() if k >= x) == pytest.approx(law.sf(x - 1), rel=1e-12)


# Reference taken as the truth: .713, .636, .601 and .593.
@pytest.mark.parametrize(
    ("n", "m", "rate"), [(100, 100, 0.7), (300, 60, 0.7), (500, 50, 0.5), (1000, 100, 0.3)]
)
def test_what_would_have_been_seen_would_have_been(n, m, rate):
    """Group and reference are both drawn: what goes unseen is said for the two together."""
    x, hits = np.arange(n + 1), round(m * rate)
    p = np.empty((m + 1, n + 1))
    for y in range(m + 1):
        below = betabinom.pmf(x, n, y, m - y + 1) if y else np.eye(1, n + 1)[0]
        above = betabinom.pmf(x, n, y + 1, m - y) if y < m else np.eye(1, n + 1, n)[0]
        p[y] = 2 * np.minimum(np.cumsum(below), np.cumsum(above[::-1])[::-1])
    tables = {
        "a": ConfusionMatrix(tp=round(n * rate), fn=n - round(n * rate), fp=0, tn=0),
        "b": ConfusionMatrix(tp=hits, fn=m - hits, fp=0, tn=0),
    }
    found = audit(tables, metrics="recall").facts.groups[0].findings[0].unseen
    seen = [chance(p <= 0.05, rate + way * found, rate) for way in (-1, 1)]
    assert 0.76 < min(seen) < 0.84


def test_both_classes_are_seen_as_often():
    """F1 of 30 and 40 cases beside 12 and 15, by the regions that deals leave at the rates."""
    rng = np.random.default_rng(3)
    group = ConfusionMatrix(tp=21, fn=9, fp=8, tn=32)
    rest = ConfusionMatrix(tp=8, fn=4, fp=3, tn=12)
    f1 = metrics.get("f1")
    laws = (tail_model(group, rest, wrong=wrong) for wrong in (True, False))
    region = rejection(f1, *laws, group, 0.1)
    rates = Chances.drawn(np.array([0.7]), np.array([0.02]), 13.0)
    alarms = Chances.drawn(np.array([0.2]), np.array([0.01]), 16.0)
    found = float(region.probabilities(rates, alarms)[0])
    size = 20_000
    tp = rng.binomial(30, rng.beta(rates.a[0], rates.b[0], size))
    fp = rng.binomial(40, rng.beta(alarms.a[0], alarms.b[0], size))
    rejected = np.any([(fp >= start[tp]) & (fp < stop[tp]) for start, stop in region.spans], axis=0)
    assert found == pytest.approx(rejected.mean(), abs=0.015)


@pytest.mark.parametrize("n", [0, 1, 40, 1000, 1500])
def test_laws_of_drawn_chances(n):
    chances = Chances.drawn(np.array([0.0, 0.3, 0.8, 1.0]), np.array([0.0, 0.01, 0.002, 0.0]), 9.0)
    a, b = chances.a, chances.b
    assert np.all(a + b >= 9 - 1e-9)
    expected = np.zeros((4, n + 1))
    expected[[0, 3], [0, n]] = 1
    expected[1:3] = betabinom(n, a[1:3, None], b[1:3, None]).pmf(np.arange(n + 1))
    np.testing.assert_allclose(chances.rows(n), expected, rtol=1e-8, atol=1e-14)
    few, many = n // 4, n // 2
    outside = expected[:, :few].sum(1) + expected[:, many + 1 :].sum(1)
    np.testing.assert_allclose(chances.outside(n, few, many), outside, rtol=1e-8, atol=1e-12)

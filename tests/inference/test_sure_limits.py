"""Limits that hold at least as often as they say: sizes enumerated by scipy's binomial law."""

import numpy as np
import pytest
from scipy.stats import beta, binom

from baserate import ClassTable, ConfusionMatrix, metrics
from baserate.inference.intervals import as_sure, sure_limits

T = ConfusionMatrix(tp=9, fn=3, fp=2, tn=11)


@pytest.mark.parametrize("limit", [0.3, 0.8, 0.9, 0.99])
def test_a_gate_opens_in_2_5_percent_of_samples_at_most(limit):
    for m in range(1, 61):
        hits = np.arange(m + 1)
        tables = ConfusionMatrix(tp=hits, fn=m - hits, fp=1, tn=1)
        low, high = sure_limits(metrics.recall, tables, 0.95)
        chance = binom.pmf(hits, m, limit)
        assert chance[low > limit].sum() <= 0.025
        assert chance[high < limit].sum() <= 0.025


def test_what_a_share_decides_has_that_shares_limits():
    j = sure_limits(metrics.get("jaccard"), T, 0.9)
    f1 = sure_limits(metrics.get("f1"), T, 0.9)
    assert f1 == pytest.approx([2 * x / (1 + x) for x in j], rel=1e-12)
    mine = metrics.define("my_f1", lambda tp, fn, fp, tn: 2 * tp / (2 * tp + fn + fp))
    assert sure_limits(mine, T, 0.9) == pytest.approx(f1, rel=1e-12)


def test_where_no_limit_is_known_there_is_none():
    assert sure_limits(metrics.matthews_correlation, T, 0.95) is None
    assert sure_limits(metrics.recall, ConfusionMatrix(tp=0.5, fn=1, fp=1, tn=1), 0.95) is None
    several = ClassTable([[4, 1, 0], [1, 3, 1], [0, 1, 5]])
    assert sure_limits(metrics.get("macro_f1"), several, 0.95) is None
    low, high = sure_limits(metrics.get("accuracy"), several, 0.95)
    as_two = sure_limits(metrics.recall, ConfusionMatrix(tp=12, fn=4, fp=0, tn=1), 0.95)
    assert (low, high) == pytest.approx(as_two, rel=1e-12)


@pytest.mark.sweep(12, start=4)
@pytest.mark.parametrize(("hits", "misses"), [(24, 0), (13, 3), (0, 9), (41, 160)])
@pytest.mark.parametrize("name", ["recall", "jaccard", "f1"])
def test_limits_of_weighted_cases_are_those_of_as_many_as_their_interval_is_worth(
    name, hits, misses
):
    """Ends by Jeffreys' law of m cases become Clopper and Pearson's of m, whatever the weights."""
    x = np.array(
        [beta.ppf(0.025, hits + 0.5, misses + 0.5), beta.ppf(0.975, hits + 0.5, misses + 0.5)]
    )
    sure = np.array([beta.ppf(0.025, hits, misses + 1), beta.ppf(0.975, hits + 1, misses)])
    x, sure = (np.where([hits == 0, misses == 0], [0.0, 1.0], ends) for ends in (x, sure))
    to = (lambda j: 2 * j / (1 + j)) if name == "f1" else (lambda j: j)
    table = ConfusionMatrix(tp=3.5 * hits, fn=3.5 * misses, fp=0, tn=77)
    found = as_sure(metrics.get(name), table, 0.95, tuple(to(x)))
    assert found == pytest.approx(to(sure), rel=1e-6)


def test_who_has_no_share_or_no_number_has_no_such_limits():
    assert as_sure(metrics.matthews_correlation, T, 0.95, (0.1, 0.9)) is None
    assert as_sure(metrics.recall, T, 0.95, (np.nan, 1.0)) is None
    several = ClassTable([[4, 1, 0], [1, 3, 1], [0, 1, 5]])
    assert as_sure(metrics.get("macro_f1"), several, 0.95, (0.1, 0.9)) is None


@pytest.mark.slow
def test_fewer_cases_never_have_a_closer_limit():
    """From many cases down to none at all, without a jump where few are left."""
    share = ConfusionMatrix(tp=0.7, fn=0.3, fp=0.0, tn=1.0)
    found = []
    for cases in np.geomspace(100, 0.01, 15):
        ends = beta(0.7 * cases + 0.5, 0.3 * cases + 0.5).ppf([0.025, 0.975])
        found.append(as_sure(metrics.recall, share, 0.95, tuple(ends.tolist())))
    low, high = np.transpose(found)
    assert (np.diff(low) <= 0).all()
    assert (np.diff(high) >= 0).all()
    at = beta(0.7, 1.3).ppf(0.025)  # of one case that is right by seven tenths
    one = beta(1.2, 0.8).ppf([0.025, 0.975])
    assert as_sure(metrics.recall, share, 0.95, tuple(one.tolist()))[0] == pytest.approx(
        at, rel=1e-6
    )
    assert as_sure(metrics.recall, share, 0.95, (0.0, 1.0)) == pytest.approx((0, 1), abs=1e-9)

"""Whole clusters dealt out anew: deal by deal, against the law of single cases, and its size."""

from fractions import Fraction
from itertools import combinations
from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test

from baserate import ConfusionMatrix, metrics
from baserate.groups import cluster_permutation, match_test
from baserate.groups.cluster_permutation import dealt, tails_of_deals

CELLS = st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4), min_size=3, max_size=9)


def batch(rows):
    tp, fn, fp, tn = np.array(rows, dtype=int).reshape(-1, 4).sum(axis=0).tolist()
    return ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn)


def of_clusters(metric, group, rest, condition="auto", alternative="two-sided"):
    """Return the test of a group by whole clusters, a row each."""
    how = {"condition": condition, "alternative": alternative}
    test = match_test(metric, batch(group), batch(rest), law="permutation", **how)
    [found] = dealt([test], *(np.array(rows, dtype=float) for rows in (group, rest)))
    return found


def share(name, cells):
    """Return successes and denominator of a proportion in one cluster."""
    tp, fn, fp, tn = (Fraction(int(c)) for c in cells)
    return {
        "accuracy": (tp + tn, tp + fn + fp + tn),
        "recall": (tp, tp + fn),
        "precision": (tp, tp + fp),
        "false_positive_rate": (fp, fp + tn),
    }[name]


@pytest.mark.sweep(4, start=1)
@pytest.mark.parametrize("name", ["accuracy", "recall", "precision", "false_positive_rate"])
@given(CELLS, st.data())
@settings(max_examples=40)
def test_every_deal_is_counted(name, rows, data):
    rows = [row for row in rows if any(row)]
    if len(rows) < 2:
        return
    size = data.draw(st.integers(1, len(rows) - 1))
    found = of_clusters(name, rows[:size], rows[size:], "denominator")
    pairs = [share(name, row) for row in rows]
    if not all(sum(whole for _, whole in side) for side in (pairs[:size], pairs[size:])):
        assert isnan(found.p_value)
        assert found.reason
        return
    whole = sum(d for _, d in pairs)
    rate = sum(s for s, _ in pairs) / whole
    scores = [s - rate * d for s, d in pairs]
    at = sum(scores[:size])
    sums = [sum(deal) for deal in combinations(scores, size)]
    assert found.lower == pytest.approx(sum(s <= at for s in sums) / len(sums), rel=1e-11)
    assert found.upper == pytest.approx(sum(s >= at for s in sums) / len(sums), rel=1e-11)
    assert found.p_value == min(1, 2 * min(found.lower, found.upper))


def test_cases_that_are_their_own_clusters_are_dealt_out_as_match_does():
    group, rest = ConfusionMatrix(tp=4, fn=3, fp=2, tn=6), ConfusionMatrix(tp=9, fn=2, fp=1, tn=20)
    single = [np.repeat(np.eye(4), list(table), axis=0) for table in (group, rest)]
    found = of_clusters("accuracy", *single, condition="none")
    known = match_test("accuracy", group, rest, law="permutation", condition="none")
    for name in ("lower", "upper", "p_value", "mid_p"):
        assert getattr(found, name) == pytest.approx(getattr(known, name), rel=1e-11)


def test_scipy_counts_the_same_deals():
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 6, (11, 4))
    right, whole = rows[:, 0] + rows[:, 3], rows.sum(axis=1)
    scores = right - right.sum() / whole.sum() * whole

    def total(group, _, axis):
        return np.round(group.sum(axis=axis), 9)

    for side in ("less", "greater"):
        found = of_clusters("accuracy", rows[:4], rows[4:], "none", side)
        theirs = permutation_test(
            (scores[:4], scores[4:]), total, alternative=side, n_resamples=10_000, vectorized=True
        )
        assert found.p_value == pytest.approx(theirs.pvalue, rel=1e-11)


VALUES = st.lists(st.integers(-9, 9), min_size=2, max_size=12)


@given(VALUES, st.data())
@settings(max_examples=60)
def test_routes_agree(values, data):
    size = data.draw(st.integers(1, len(values) - 1))
    x = np.array(values, dtype=float)
    counted = tails_of_deals(x, size)
    halves = cluster_permutation._enumerated(x, size)
    assert (counted.route, halves.route) == ("convolution", "enumeration")
    assert counted[:3] == pytest.approx(halves[:3], abs=1e-12)


@pytest.mark.slow
def test_scores_that_are_not_whole_are_counted_in_steps():
    rng = np.random.default_rng(4)
    x = rng.normal(size=60)
    found = tails_of_deals(x, 25)
    drawn = [rng.permutation(x)[:25].sum() for _ in range(40_000)]
    assert found.route == "convolution"
    assert found.below == pytest.approx(np.mean(drawn < x[:25].sum()), abs=6 * sqrt(0.25 / 40_000))


def test_what_cannot_be_counted_is_not_tested():
    values = np.random.default_rng(5).integers(1, 900, 4000).astype(float)
    assert tails_of_deals(values, 2000) is None
    rows = np.random.default_rng(5).integers(1, 9, (4000, 4)).astype(float)
    test = match_test("accuracy", batch(rows[:2000]), batch(rows[2000:]), law="permutation")
    assert dealt([test], rows[:2000], rows[2000:]) is None


@pytest.mark.slow
def test_the_size_of_the_test_is_held_where_that_of_single_cases_is_not():
    rng, runs, rejected = np.random.default_rng(6), 200, np.zeros(3)
    for _ in range(runs):
        rows = [patient(rng) for _ in range(20)]
        group, rest = rows[:8], rows[8:]
        for i, name in enumerate(("accuracy", "f1")):
            rejected[i] += of_clusters(name, group, rest).p_value <= 0.05
        whole = batch(group), batch(rest)
        rejected[2] += match_test("accuracy", *whole, law="permutation").p_value <= 0.05
    assert (rejected[:2] / runs < 0.05 + 2.5 * sqrt(0.05 / runs)).all()
    assert rejected[2] / runs > 0.2


def patient(rng, icc=0.3):
    """Draw the table of a cluster of unequal size, with intraclass correlation of right answers."""
    n = 1 + rng.negative_binomial(1.3, 0.16)
    strength = (1 - icc) / icc
    right = rng.random(n) < rng.beta(0.7 * strength, 0.3 * strength)
    y = rng.random(n) < 0.4
    return np.array([np.sum(c) for c in (y & right, y & ~right, ~y & ~right, ~y & right)])


def test_every_metric_has_an_answer():
    rows = np.random.default_rng(7).integers(1, 6, (9, 4))
    for metric in metrics.CATALOGUE:
        found = of_clusters(metric, rows[:4], rows[4:])
        turned = of_clusters(metric, rows[4:], rows[:4])
        assert found.p_value == pytest.approx(turned.p_value, rel=1e-9)


@pytest.mark.parametrize("name", ["f1", "mcc", "jaccard", "geometric_mean"])
def test_the_better_clusters_are_on_the_upper_side(name):
    """Of the 8! / (4! 4!) = 70 deals of eight clusters one gives the group the four better ones."""
    found = of_clusters(name, [[4, 1, 1, 4]] * 4, [[1, 4, 4, 1]] * 4, alternative="greater")
    assert (found.upper, found.lower) == pytest.approx((1 / 70, 1), rel=1e-12)
    assert found.p_value == found.upper


def test_a_group_without_a_value_has_no_test():
    none = of_clusters("recall", [[0, 0, 1, 1]], [[1, 1, 1, 1]])
    assert (isnan(float(none)), none.reason) == (True, "no positives (tp + fn = 0)")

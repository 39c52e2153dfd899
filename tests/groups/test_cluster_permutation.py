"""Whole clusters dealt out anew: deal by deal, against the law of single cases, and its size."""

from fractions import Fraction
from itertools import combinations
from math import comb, isnan, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, permutation_test

from baserate import ConfusionMatrix, metrics
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.groups import cluster_permutation_test, dealt_sums, match_test
from baserate.groups.dealt_sums import tails_of_deals

CELLS = st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4), min_size=3, max_size=9)


def batch(rows):
    tp, fn, fp, tn = np.array(rows, dtype=float).reshape(-1, 4).T
    return ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn)


def share(name, cells):
    """Return successes and denominator of a proportion in one cluster."""
    tp, fn, fp, tn = (Fraction(int(c)) for c in cells)
    return {
        "accuracy": (tp + tn, tp + fn + fp + tn),
        "recall": (tp, tp + fn),
        "precision": (tp, tp + fp),
        "false_positive_rate": (fp, fp + tn),
    }[name]


@pytest.mark.parametrize("name", ["accuracy", "recall", "precision", "false_positive_rate"])
@given(CELLS, st.data())
@settings(max_examples=40)
def test_every_deal_is_counted(name, rows, data):
    rows = [row for row in rows if any(row)]
    if len(rows) < 2:
        return
    size = data.draw(st.integers(1, len(rows) - 1))
    found = cluster_permutation_test(name, batch(rows[:size]), batch(rows[size:]))
    pairs = [share(name, row) for row in rows]
    if not sum(whole for _, whole in pairs[:size]):
        assert isnan(found.p_value)
        assert found.reason
        return
    whole = sum(d for _, d in pairs)
    rate = sum(s for s, _ in pairs) / whole
    scores = [s - rate * d for s, d in pairs]
    at = sum(scores[:size])
    sums = [sum(deal) for deal in combinations(scores, size)]
    assert found.n_arrangements == len(sums) == comb(len(rows), size)
    assert found.lower == pytest.approx(sum(s <= at for s in sums) / len(sums), rel=1e-11)
    assert found.upper == pytest.approx(sum(s >= at for s in sums) / len(sums), rel=1e-11)
    assert found.p_value == min(1, 2 * min(found.lower, found.upper))


def test_cases_that_are_their_own_clusters_are_dealt_out_as_match_does():
    group, rest = ConfusionMatrix(tp=4, fn=3, fp=2, tn=6), ConfusionMatrix(tp=9, fn=2, fp=1, tn=20)
    single = [np.repeat(np.eye(4), list(table), axis=0) for table in (group, rest)]
    found = cluster_permutation_test("accuracy", *map(batch, single))
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
        found = cluster_permutation_test(
            "accuracy", batch(rows[:4]), batch(rows[4:]), alternative=side
        )
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
    counted = tails_of_deals(x, size, None, 1)
    halves = dealt_sums._enumerated(x, size)
    assert (counted.route, halves.route) == ("convolution", "enumeration")
    assert counted[:3] == pytest.approx(halves[:3], abs=1e-12)
    drawn = dealt_sums._simulated(x, size, np.random.default_rng(1), 2000)
    assert drawn[:3] == pytest.approx(counted[:3], abs=0.06)
    assert sum(drawn[:3]) == pytest.approx(1)
    errors = binom(2000, [drawn.below, drawn.above]).std() / 2000
    assert drawn.error == pytest.approx(errors.max(), rel=1e-9)


@pytest.mark.slow
def test_scores_that_are_not_whole_are_counted_in_steps():
    rng = np.random.default_rng(4)
    x = rng.normal(size=60)
    found = tails_of_deals(x, 25, None, 1)
    drawn = dealt_sums._simulated(x, 25, rng, 40_000)
    assert found.route == "convolution"
    assert found[0] == pytest.approx(drawn[0], abs=6 * drawn.error)


def test_the_error_of_simulated_tails_is_that_of_a_share():
    drawn = dealt_sums._simulated(np.arange(40.0) ** 2, 15, np.random.default_rng(2), 400)
    shares = np.array([drawn.below, drawn.above])
    assert drawn.error == pytest.approx(np.sqrt(shares * (1 - shares) / 400).max(), rel=1e-12)


def test_what_cannot_be_counted_is_refused_or_simulated():
    rng = np.random.default_rng(5)
    rows = rng.integers(1, 9, (4000, 4))
    group, rest = batch(rows[:2000]), batch(rows[2000:])
    with pytest.raises(UnsupportedError, match=r"4,000 clusters can be dealt out in 10\^\d+ ways"):
        cluster_permutation_test("f1", group, rest)
    found = cluster_permutation_test("f1", group, rest, rng=0, n_resamples=999)
    assert found.route == "simulation"
    assert 0 < found.error < 0.02
    assert found.p_value >= 1 / 1000


@pytest.mark.slow
def test_the_size_of_the_test_is_held_where_that_of_single_cases_is_not():
    rng, runs, rejected = np.random.default_rng(6), 400, np.zeros(3)
    for _ in range(runs):
        rows = [patient(rng) for _ in range(20)]
        group, rest = batch(rows[:8]), batch(rows[8:])
        for i, name in enumerate(("accuracy", "f1")):
            rejected[i] += cluster_permutation_test(name, group, rest).p_value <= 0.05
        whole = [
            ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), map(int, sum(part)), strict=True)))
            for part in (rows[:8], rows[8:])
        ]
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
        found = cluster_permutation_test(metric, batch(rows[:4]), batch(rows[4:]))
        turned = cluster_permutation_test(metric, batch(rows[4:]), batch(rows[:4]))
        assert found.p_value == pytest.approx(turned.p_value, rel=1e-9)


def test_what_is_refused():
    table = ConfusionMatrix(tp=1, fn=1, fp=1, tn=1)
    with pytest.raises(InvalidArgumentError, match="group must hold one table per cluster"):
        cluster_permutation_test("recall", table, batch([[1, 1, 1, 1]]))
    with pytest.raises(InvalidArgumentError, match="reference must hold one table per cluster"):
        cluster_permutation_test("recall", batch([[1, 1, 1, 1]]), [1, 2, 3, 4])
    with pytest.raises(InvalidArgumentError, match="got 'no case'"):
        cluster_permutation_test("recall", batch([[1, 1, 1, 1]]), batch([[0, 0, 0, 0]]))
    none = cluster_permutation_test("recall", batch([[0, 0, 1, 1]]), batch([[1, 1, 1, 1]]))
    assert (isnan(float(none)), none.reason) == (True, "no positives (tp + fn = 0)")


def test_dealt_sums_have_the_error_of_the_share_nearest_one_half():
    values = np.array([3.0, 1.0, 1.0, 2.0, 5.0, 0.0, 2.0, 1.0])
    dealt = dealt_sums._simulated(values, 3, np.random.default_rng(1), 4000)
    exact = dealt_sums._enumerated(values, 3)
    wanted = max((p * (1 - p) / 4000) ** 0.5 for p in (dealt.below, dealt.above))
    assert dealt.error == pytest.approx(wanted, rel=1e-12)
    assert abs(dealt.below - exact.below) < 5 * dealt.error

"""Dominance of ROC curves: its definition at every base rate, and the points where they cross."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baserate import metrics
from baserate.curves import sweep
from baserate.curves.cut_points import Sweep
from baserate.curves.dominance import convex_hull, roc_dominance
from baserate.errors import InvalidArgumentError

SCORES = st.lists(st.integers(0, 6), min_size=10, max_size=10)
Y = [1, 0, 1, 0, 0, 1, 0, 0, 0, 1]
Z = [1, 0, 0, 0, 1, 0, 0]


def height(s, x):
    """Return the lowest and the highest recall of a ROC curve at a false positive rate."""
    path = list(
        zip(
            [Fraction(int(v), s.n_negative) for v in s.tables.fp],
            [Fraction(int(v), s.n_positive) for v in s.tables.tp],
            strict=True,
        )
    )
    found = []
    for (x0, y0), (x1, y1) in pairwise(path):
        if x0 == x1 == x:
            found += [y0, y1]
        elif x0 <= x <= x1 and x0 < x1:
            found.append(y0 + (y1 - y0) * (x - x0) / (x1 - x0))
    return min(found), max(found)


def relation(a, b):
    """Compare at every breakpoint of either curve, and half-way between them."""
    xs = {Fraction(int(v), s.n_negative) for s in (a, b) for v in s.tables.fp}
    xs = sorted(xs | {(p + q) / 2 for p, q in pairwise(sorted(xs))})
    signs = set()
    for x in xs:
        for mine, other in zip(height(a, x), height(b, x), strict=True):
            signs.add((mine > other) - (mine < other))
    if {1, -1} <= signs:
        return "crossing"
    return "a" if 1 in signs else "b" if -1 in signs else "equal"


@pytest.mark.parametrize("labels", [Y, Z])
@given(SCORES, SCORES)
@settings(max_examples=25)
def test_relation_is_that_of_the_heights(labels, first, second):
    a, b = sweep(Y, first), sweep(labels, second[: len(labels)])
    found = roc_dominance(a, b)
    assert found.relation == relation(a, b)
    mirrored = {"a": "b", "b": "a"}.get(found.relation, found.relation)
    back = roc_dominance(b, a)
    assert back.relation == mirrored
    assert back.crossings == pytest.approx(found.crossings, abs=1e-14)
    for x, y in found.crossings:
        for s in (a, b):
            low, high = height(s, Fraction(x).limit_denominator(10_000))
            assert low - Fraction(1, 10**9) <= Fraction(y) <= high + Fraction(1, 10**9)


@pytest.mark.slow
@given(SCORES, SCORES)
@settings(max_examples=40)
def test_a_dominating_curve_is_best_at_every_base_rate(first, second):
    a, b = sweep(Y, first), sweep(Y, second)
    found = roc_dominance(a, b)
    if found.relation != "a":
        return
    assert found.hull_relation in {"a", "equal"}
    for name in ("accuracy", "f1", "matthews_correlation", "net_benefit", "balanced_accuracy"):
        metric = metrics.get(name) if name != "net_benefit" else metrics.net_benefit(threshold=0.2)
        for pi in (0.01, 0.3, 0.5, 0.9):
            at = metric.at_base_rate(pi)
            tables = [s.tables[convex_hull(s)] for s in (a, b)]
            best = [np.nan_to_num(at(t)).max() for t in tables]  # 0 for the trivial rules
            assert best[0] >= best[1] - 1e-12


def test_a_crossing_between_cut_points_has_its_exact_place():
    # a: (0, 0) (0, 1/2) (1, 1); b: (0, 0) (1/2, 1) (1, 1). The segments y = (1 + x)/2 and y = 2x
    # meet at x = 1/3, y = 2/3.
    a = sweep([1, 1, 0, 0], [3, 1, 1, 1])
    b = sweep([1, 1, 0, 0], [3, 3, 3, 1])
    found = roc_dominance(a, b)
    assert found.relation == found.hull_relation == "crossing"
    assert found.crossings == pytest.approx(np.array([[1 / 3, 2 / 3]]), abs=1e-14)
    assert found.hull_crossings == pytest.approx(np.array([[1 / 3, 2 / 3]]), abs=1e-14)


def test_hulls_may_agree_where_curves_cross():
    a = sweep([1, 0, 0, 1, 1, 0], [6, 5, 4, 3, 2, 1])
    b = sweep([1, 0, 1, 0, 1, 0], [6, 5, 4, 3, 2, 1])
    found = roc_dominance(a, b)
    assert (found.relation, found.hull_relation) == ("b", "equal")
    c = sweep([1, 1, 0, 0, 1, 0], [6, 5, 4, 3, 2, 1])
    d = sweep([0, 1, 1, 1, 0, 0], [6, 5, 4, 3, 2, 1])
    assert roc_dominance(c, d).relation == "crossing"
    assert roc_dominance(a, a).relation == "equal"


def test_weights_compare_up_to_rounding():
    rng = np.random.default_rng(0)
    y, scores, weights = rng.random(400) < 0.4, rng.normal(size=400), rng.random(400)
    s = sweep(y, scores, sample_weight=weights)
    order = rng.permutation(400)
    shuffled = sweep(y[order], scores[order], sample_weight=3 * weights[order])
    assert roc_dominance(s, shuffled).relation == "equal"
    better = sweep(y, scores + 0.5 * y, sample_weight=weights)
    assert roc_dominance(better, s).relation == "a"
    plain, ones = sweep(y, scores), sweep(y, scores, sample_weight=np.full(400, 0.1))
    assert roc_dominance(plain, ones).relation == "equal"


def by_hand(tp, fp):
    thresholds = np.append(np.inf, np.arange(len(tp) - 1, 0, -1.0))
    return Sweep(
        thresholds=thresholds,
        true_positives=np.array(tp),
        false_positives=np.array(fp),
        positive=1,
    )


def test_billions_of_cases_are_told_apart():
    n, m = 1_909_925_047, 670_521_900
    # (m - 1, m) lies above the chord from the origin to (m, m + 1) by the least that it can.
    a = by_hand([0, m, m + 1, n], [0, m - 1, m, n])
    b = by_hand([0, m + 1, n], [0, m, n])
    assert roc_dominance(a, b).relation == "a"
    assert roc_dominance(b, a).hull_relation == "b"


def test_one_class_has_no_curve():
    with pytest.raises(InvalidArgumentError, match="must hold both classes, got 'no negatives'"):
        roc_dominance(sweep([1, 0], [1, 2]), sweep([1, 1], [1, 2]))

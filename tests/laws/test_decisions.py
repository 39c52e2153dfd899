"""Utilities, costs and comparisons: in another unit, of the other class, the other way round."""

import numpy as np

import baserate as br
from baserate.inference.separate_samples import compare_separate
from baserate.metrics import utility
from laws.cases import BINARY, CLASSES, CLUSTERED, WEIGHTED
from laws.subjects import QUICK, batch
from laws.sweep import law

A, B = batch((14, 5, 3, 28)), batch((11, 8, 1, 30))
MATRICES = [[[15, -335], [-35, 165]], [[1, 0], [0, 1]], [[0, -1], [-20, 0]], [[3, -2], [0, 1]]]
UNITS = [(2.0, 0.0), (0.01, 5.0), (1e6, -3.0)]


def same(one, other, rtol=1e-9, atol=1e-12):
    np.testing.assert_allclose(one, other, rtol=rtol, atol=atol)


@law(MATRICES, UNITS)
def test_a_unit_of_utility_decides_nothing(matrix, unit):
    """a U + b: the same decisions, thresholds, rankings and probabilities; yields in that unit."""
    a, b = unit
    u, v = br.UtilityMatrix(matrix), br.UtilityMatrix(a * np.array(matrix, dtype=float) + b)
    one, other = (br.compare_utilities(A, B, m) for m in (u, v))
    same(a * np.array([one.yield_a, one.yield_b, one.yield_constant]) + b,
         [other.yield_a, other.yield_b, other.yield_constant])  # fmt: skip
    for field in ("a_better", "best_constant", "dominant"):
        assert getattr(one, field) == getattr(other, field)
    same([one.tau_star, one.probability_a_better], [other.tau_star, other.probability_a_better])
    same(u.threshold, v.threshold)
    first, second = (utility(m)(A) for m in (u.matrix, v.matrix))
    same(a * first + b, second)
    assert br.admissible(utility(u.matrix)).answer == br.admissible(utility(v.matrix)).answer


@law(MATRICES)
def test_utilities_of_the_other_class(matrix):
    """Rows and columns reversed, tables swapped: the same question."""
    reverse = np.array(matrix, dtype=float)[::-1, ::-1]
    one = br.compare_utilities(A, B, br.UtilityMatrix(matrix))
    other = br.compare_utilities(A.swap_classes(), B.swap_classes(), br.UtilityMatrix(reverse))
    same([one.yield_a, one.yield_b, one.yield_constant],
         [other.yield_a, other.yield_b, other.yield_constant])  # fmt: skip
    same(one.probability_a_better, other.probability_a_better, rtol=1e-6)


@law(MATRICES)
def test_two_classifiers_the_other_way_round(matrix):
    u = br.UtilityMatrix(matrix)
    one, other = br.compare_utilities(A, B, u), br.compare_utilities(B, A, u)
    same([one.yield_a, one.yield_b], [other.yield_b, other.yield_a])
    same(one.probability_a_better + other.probability_a_better, 1, rtol=1e-6)
    assert one.a_better == (not other.a_better)
    same(one.tau_star, other.tau_star)


@law(QUICK, few=8)
def test_a_comparison_the_other_way_round(metric):
    """The difference and both ends change sign; the better one is the same."""
    one, other = (compare_separate(metric, *pair) for pair in ((A, B), (B, A)))
    width = max(1e-9, one.high - one.low)
    same(one.difference, -other.difference)
    same([one.low, one.high], [-other.high, -other.low], atol=3e-6 * width)
    same(one.higher + other.higher, 1, rtol=1e-5)


@law(["two", "weighted", "clustered", "several"], few=2)
def test_a_door_that_compares_the_other_way_round(kind):
    cases = {"two": BINARY, "weighted": WEIGHTED, "clustered": CLUSTERED, "several": CLASSES}[kind]
    names = ["accuracy", "balanced_accuracy"]
    predictions = {"first": cases.called, "second": cases.other}
    turned = {name: predictions[name] for name in reversed(predictions)}
    one, other = (
        br.compare(cases.truth, p, metrics=names, **cases.design).to_dict()
        for p in (predictions, turned)
    )
    (pair,), (mirror,) = one["pairs"], other["pairs"]
    assert (pair["a"], pair["b"]) == (mirror["a"], mirror["b"]) or (
        (pair["a"], pair["b"]) == (mirror["b"], mirror["a"])
    )
    sign = 1 if pair["a"] == mirror["a"] else -1
    same(pair["difference"], sign * mirror["difference"])
    for field in ("p_accuracy", "p_recall", "p_specificity", "p_difference", "flip"):
        if pair.get(field) is not None:
            same(pair[field], mirror[field])


SHARES = np.array([0.0, 0.01, 0.3, 0.5, 0.97, 1.0])


@law([0.02, 0.3, 0.5], [0.1, 0.5, 0.9], [0.25, 0.7])
def test_probabilities_move_between_base_rates_and_back(source, target, third):
    """Downsampling undone, in one step or two, of either class."""

    def move(p, a, b):
        return br.shift_base_rate(p, source=a, target=b)

    moved = move(SHARES, source, target)
    same(move(moved, target, source), SHARES)
    same(move(moved, target, third), move(SHARES, source, third))
    same(move(SHARES, source, source), SHARES)
    same(move(1 - SHARES, 1 - source, 1 - target), 1 - moved)
    assert (np.diff(moved) > 0).all()
    assert (moved[0], moved[-1]) == (0, 1)


@law([(2.0,), (0.05,), (1e5,)])
def test_a_unit_of_costs_changes_no_ranking(unit):
    (factor,) = unit
    predictions = {"first": BINARY.called, "second": BINARY.other}
    found = [
        br.compare(
            BINARY.truth, predictions, positive="yes", cost={"fp": f, "fn": 20 * f}
        ).to_dict()
        for f in (1, factor)
    ]
    one, other = (r["pairs"][0] for r in found)
    assert (one["a"], one["b"]) == (other["a"], other["b"])
    same(one["difference"] * factor, other["difference"])
    same(one["a_better"], other["a_better"], rtol=1e-6)
    same(*(r["stakes"]["tau"] for r in found))

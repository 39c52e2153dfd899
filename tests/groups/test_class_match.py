"""MATCH of several classes: against sums in fractions over every table, and the binary test."""

from fractions import Fraction
from itertools import product
from math import comb, factorial, prod

import pytest

from baserate import ClassTable, ConfusionMatrix, match_test
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.groups import family_adjust
from oracles.class_chance_twins import compositions
from oracles.count_twins import rising

GROUP = ClassTable([[1, 1, 0], [0, 0, 2], [0, 1, 1]], ["a", "b", "c"])
OTHERS = ClassTable([[6, 2, 1], [1, 5, 3], [0, 2, 7]], ["a", "b", "c"])
LARGE = ClassTable([[100, 20, 10], [10, 110, 10], [5, 5, 120]], ["a", "b", "c"])


def chance(law, counts, weights):
    """Return the probability of some counts under a law of these weights, in fractions."""
    n, whole = sum(counts), sum(weights)
    ways = Fraction(factorial(n), prod(map(factorial, counts)))
    if law == "permutation":
        return Fraction(prod(map(comb, weights, counts)), comb(whole, n))
    if law == "known":
        return ways * prod(Fraction(w, whole) ** x for w, x in zip(weights, counts, strict=True))
    half = [w + Fraction(1, 2) for w in weights]
    return ways * prod(map(rising, half, counts)) / rising(sum(half), n)


def macro_f1(cells):
    scores = []
    for k in range(3):
        both = sum(cells[3 * k : 3 * k + 3]) + sum(cells[k::3])
        if not both:
            return None
        scores.append(Fraction(2 * cells[4 * k], both))
    return sum(scores) / 3


def accuracy(cells):
    return Fraction(sum(cells[::4]), sum(cells))


def p_value(measure, law, *, held):
    """Return the two-sided p-value given that the metric is defined."""
    own, other = (tuple(t.counts.ravel().tolist()) for t in (GROUP, OTHERS))
    weights = tuple(map(sum, zip(own, other, strict=True))) if law == "permutation" else other
    cut = (slice(0, 3), slice(3, 6), slice(6, 9)) if held else (slice(0, 9),)
    parts = [[(x, chance(law, x, weights[s])) for x in compositions(sum(own[s]), len(own[s]))]
             for s in cut]  # fmt: skip
    tables = ((sum((x for x, _ in t), ()), prod(p for _, p in t)) for t in product(*parts))
    values = [(measure(cells), p) for cells, p in tables]
    known, seen = [(v, p) for v, p in values if v is not None], measure(own)
    low = sum(p for v, p in known if v <= seen)
    high = sum(p for v, p in known if v >= seen)
    return float(min(1, 2 * min(low, high) / sum(p for _, p in known)))


@pytest.mark.sweep(3)
@pytest.mark.parametrize("held", [True, False])
@pytest.mark.parametrize("law", ["permutation", "known", "dirichlet"])
def test_every_law_in_fractions(law, held):
    how = {"law": law} if law == "permutation" else {"uncertain_reference": law != "known"}
    how["condition"] = "classes" if held else "none"
    test = match_test("macro_f1", GROUP, OTHERS, **how)
    assert test.p_value == pytest.approx(p_value(macro_f1, law, held=held), rel=1e-11)
    assert test.route == "enumeration"
    if held or law != "dirichlet":  # with nothing held, right cases are one count, 1/2 either side
        right = match_test("accuracy", GROUP, OTHERS, **how)
        assert right.p_value == pytest.approx(p_value(accuracy, law, held=held), rel=1e-11)
        wrong = match_test("error_rate", GROUP, OTHERS, **how)
        assert (wrong.lower, wrong.upper) == pytest.approx((right.upper, right.lower))


@pytest.mark.parametrize("condition", ["auto", "none"])
@pytest.mark.parametrize("law", [None, "permutation"])
@pytest.mark.parametrize("metric", ["accuracy", "mcc", "kappa"])
def test_two_classes_are_the_binary_test(metric, law, condition):
    two = [ClassTable(t, ["no", "yes"]) for t in ([[8, 2], [1, 4]], [[80, 40], [11, 44]])]
    four = ConfusionMatrix(tp=4, fn=1, fp=2, tn=8), ConfusionMatrix(tp=44, fn=11, fp=40, tn=80)
    how = {"law": law, "condition": condition}
    assert match_test(metric, *two, **how) == match_test(metric, *four, **how)


def test_simulation_is_asked_for_and_near_the_sum():
    exact = match_test("macro_f1", GROUP, OTHERS)
    drawn = match_test("macro_f1", GROUP, OTHERS, method="simulation", rng=1, n_samples=20_000)
    assert drawn.route == "simulation"
    assert drawn.p_value != exact.p_value
    assert abs(drawn.p_value - exact.p_value) < 4 * drawn.error < 0.05
    assert match_test("accuracy", LARGE, OTHERS).route == "convolution"


def test_where_there_is_no_law():
    empty = ClassTable([[0, 0, 0], [1, 2, 3], [1, 2, 3]], ["a", "b", "c"])
    assert match_test("macro_f1", GROUP, empty).reason == "the reference has no cases of 'a'"
    free = match_test("macro_f1", GROUP, empty, condition="none")
    assert 0 < free.p_value <= 1


@pytest.mark.parametrize(
    ("tables", "how", "error", "message"),
    [
        ((LARGE, OTHERS), {}, UnsupportedError, "method='simulation' with rng="),
        ((GROUP, OTHERS), {"condition": "denominator"}, InvalidArgumentError, "one_vs_rest"),
        ((GROUP, OTHERS), {"method": "simulation"}, InvalidArgumentError, "rng must be given"),
        ((LARGE, OTHERS), {"law": "contained"}, InvalidArgumentError, "must contain the group"),
        ((GROUP, OTHERS), {"uncertain_reference": "yes"}, InvalidArgumentError, "uncertain_ref"),
        ((GROUP, [[1]]), {}, InvalidArgumentError, "reference must be a ClassTable"),
        ((GROUP, ClassTable([[0.5] * 3] * 3, ["a", "b", "c"])), {}, UnsupportedError, "weights"),
    ],
)
def test_refusals(tables, how, error, message):
    with pytest.raises(error, match=message):
        match_test("macro_f1", *tables, **how)


def test_what_is_of_four_counts_refuses_class_tests():
    test = match_test("macro_f1", GROUP, OTHERS)
    with pytest.raises(InvalidArgumentError, match=r"groups\.adjust"):
        family_adjust([test], ["g"])
    with pytest.raises(UnsupportedError, match="one_vs_rest"):
        test.plot()
    four = GROUP.one_vs_rest("a")
    with pytest.raises(InvalidArgumentError, match="leave it out: their law"):
        match_test("recall", four, four, method="simulation", rng=1)

"""Who is best where: exact envelopes against brute force in fractions."""

import warnings
from fractions import Fraction
from itertools import pairwise
from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baserate import ConfusionMatrix
from baserate.errors import InvalidArgumentError, InvalidCountError, UnsupportedError
from baserate.utilities import UtilityMatrix, best_by_base_rate, best_by_threshold
from oracles import utility_twins as twin

A = ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
B = ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)
U4 = UtilityMatrix([[15, -335], [-35, 165]])

CELLS = st.tuples(*[st.integers(0, 12)] * 4).filter(lambda c: c[0] + c[1] and c[2] + c[3])


def table(cells):
    return ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True)))


def test_the_story_over_base_rates():
    """B is best between 180/223 and 320/327, a constant decision outside, A nowhere."""
    found = best_by_base_rate({"A": A, "B": B}, U4)
    low, high = float(Fraction(180, 223)), float(Fraction(320, 327))
    assert found.intervals["B"] == (low, high)
    assert found.intervals["always 1"] == (0, low)
    assert found.intervals["always 0"] == (high, 1)
    assert found.never_best == ("A",)
    assert found.flips == (low, high)
    assert found.best_at(0.9) == ("B",)
    assert found.best_at(low) == ("always 1", "B")
    assert isnan(found.base_rate)


def test_the_lottery_turns_at_a_win_share_of_one_eleventh():
    u = UtilityMatrix([[10, -1], [0, 0]], ["buy", "pass"], ["win", "lose"])
    found = best_by_base_rate({}, u)
    assert found.flips == (float(Fraction(1, 11)),)
    assert found.best_at(0.01) == ("always pass",)
    assert found.best_at(0.2) == ("always buy",)


def test_the_story_over_thresholds():
    """At equal shares: 43 s > 18 t + 50 s - 50 t, so tau > 7/39, and 43 s > 18 t, tau < 43/61."""
    found = best_by_threshold({"A": A, "B": B})
    assert found.flips == (float(Fraction(7, 39)), float(Fraction(43, 61)))
    assert [piece.best for piece in found.pieces] == [
        ("always positive",),
        ("B",),
        ("always negative",),
    ]
    assert found.never_best == ("A",)
    assert found.base_rate == 0.5


@pytest.mark.slow
@given(st.lists(CELLS, min_size=1, max_size=4), st.fractions(Fraction(1, 20), Fraction(19, 20)))
def test_thresholds_equal_brute_force(tables, pi):
    found = best_by_threshold(dict(enumerate(map(table, tables))), base_rate=pi)
    cells = {i: twin.at_base_rate(*c, pi) for i, c in enumerate(tables)}
    cells["always positive"] = (pi, 0, 1 - pi, 0)
    cells["always negative"] = (0, pi, 0, 1 - pi)
    for k in range(41):
        tau = Fraction(k, 40)
        worth = {name: (1 - tau) * tp + tau * tn for name, (tp, _, _, tn) in cells.items()}
        check(found, tau, worth)


@pytest.mark.slow
@given(
    st.lists(CELLS, max_size=4),
    st.lists(st.lists(st.integers(-9, 9), min_size=2, max_size=2), min_size=2, max_size=2),
    st.integers(0, 1),
)
def test_base_rates_equal_brute_force(tables, matrix, positive):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        u = UtilityMatrix(matrix, ["x", "y"], positive=positive)
    found = best_by_base_rate(dict(enumerate(map(table, tables))), u)
    turned = matrix if positive == 0 else [row[::-1] for row in matrix[::-1]]
    first, second = ("x", "y") if positive == 0 else ("y", "x")
    for k in range(41):
        pi = Fraction(k, 40)
        cells = {i: twin.at_base_rate(*c, pi) for i, c in enumerate(tables)}
        cells[f"always {first}"] = (pi, 0, 1 - pi, 0)
        cells[f"always {second}"] = (0, pi, 0, 1 - pi)
        worth = {
            name: sum(
                u * c for u, c in zip((*turned[0], *turned[1]), (tp, fp, fn, tn), strict=True)
            )
            for name, (tp, fn, fp, tn) in cells.items()
        }
        check(found, pi, worth)


def check(found, x, worth):
    best = {name for name, value in worth.items() if value == max(worth.values())}
    inside = {n for n, (low, high) in found.intervals.items() if low <= float(x) <= high}
    assert best == inside or best < inside  # an end that was rounded may lie on either side of x
    for name in inside - best:
        assert min(abs(float(x) - end) for end in found.intervals[name]) < 1e-14
    assert set(found.best_at(float(x))) <= inside
    assert found.pieces[0].low == 0
    assert found.pieces[-1].high == 1
    assert all(p.high == q.low for p, q in pairwise(found.pieces))


def test_more_decisions_than_classes():
    u = UtilityMatrix(
        [[0, -50], [-20, 100], [-5, 40]], ["discard", "promote", "examine"], ["bad", "good"], 1
    )
    found = best_by_base_rate({"rule": [[90, 2], [2, 60], [8, 38]]}, u)
    # Mean utility in bad cases (-40 - 40)/100, in good ones (-100 + 6000 + 1520)/100.
    bad, good = Fraction(-80, 100), Fraction(7420, 100)
    low = -bad / (good - bad + 50)
    high = (bad + 20) / (bad + 20 + 100 - good)
    assert found.intervals["rule"] == (float(low), float(high))
    assert found.never_best == ("always examine",)


def test_equal_classifiers_share_their_interval():
    found = best_by_threshold({"B": B, "again": B})
    assert found.intervals["B"] == found.intervals["again"]
    assert found.pieces[1].best == ("B", "again")


def test_different_class_shares_need_a_base_rate():
    other = ConfusionMatrix(tp=5, fn=3, fp=20, tn=90)
    with pytest.raises(
        InvalidArgumentError,
        match=r"base_rate must be stated .* got A 0.5, C 0.0677966: pass the share",
    ):
        best_by_threshold({"A": A, "C": other})
    assert best_by_threshold({"A": A, "C": other}, base_rate=0.1).base_rate == 0.1
    with pytest.raises(InvalidArgumentError, match="must not be empty without a base rate"):
        best_by_threshold({})
    assert best_by_threshold({}, base_rate=0.3).flips == (0.3,)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(UnsupportedError, match="needs two classes, got 3"):
        best_by_base_rate({}, UtilityMatrix([[1, 0, 0], [0, 1, 0], [0, 0, 1]]))
    with pytest.raises(InvalidCountError, match="A must be a single table with both classes"):
        best_by_base_rate({"A": [[1, 0], [2, 0]]}, U4)
    with pytest.raises(
        InvalidArgumentError, match="name of a constant decision, got 'always 1': rename"
    ):
        best_by_base_rate({"always 1": A}, U4)
    with pytest.raises(InvalidArgumentError, match=r"base_rate must lie in \[0, 1\], got 1.5"):
        best_by_base_rate({}, U4).best_at(1.5)

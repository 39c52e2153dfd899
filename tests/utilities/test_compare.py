"""Two classifiers under given utilities."""

from fractions import Fraction
from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baserate import ConfusionMatrix
from baserate.errors import InvalidArgumentError, InvalidCountError, UnsupportedError
from baserate.inference.utility_posterior import probability_a_better_separate
from baserate.utilities import UtilityMatrix, compare_utilities
from oracles import utility_twins as twin

A = ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
B = ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)
U4 = UtilityMatrix([[15, -335], [-35, 165]])
U5 = UtilityMatrix([[45, -335], [-65, 165]])

ACCURACY = UtilityMatrix([[1, 0], [0, 1]])


def test_the_story():
    four, five = compare_utilities(A, B, U4), compare_utilities(A, B, U5)
    assert (four.yield_a, four.yield_b, four.a_better) == (3.5, -3.5, True)
    assert (five.yield_a, five.yield_b) == pytest.approx((4.7, 7.3), rel=1e-14)
    assert not five.a_better
    assert four.tau_star == five.tau_star == float(Fraction(16, 19))
    assert four.region.contains(U4.threshold)
    assert not four.region.contains(U5.threshold)
    assert (four.yield_constant, four.best_constant) == (65, 1)
    assert four.base_rate == 0.5
    # Theory page, B7: 0.616 and 0.459, separate test sets.
    assert four.probability_a_better == pytest.approx(0.6157, abs=5e-5)
    assert five.probability_a_better == pytest.approx(0.459, abs=5e-4)


def test_more_cases_make_it_surer():
    """Theory page, B7: 1000 and 10000 cases for each classifier."""
    for factor, sure in ((10, 0.8259), (100, 0.9985)):
        a, b = (ConfusionMatrix(**{k: factor * v for k, v in t.to_dict().items()}) for t in (A, B))
        assert compare_utilities(a, b, U4).probability_a_better == pytest.approx(sure, abs=5e-5)


def test_paired_discordants():
    """Theory page, B7: with (2, 18, 7, 4) 0.650 under (4), 0.435 under (5), 0.0122 by accuracy."""
    for u, sure in ((U4, 0.650), (U5, 0.435), (ACCURACY, 0.0122)):
        found = compare_utilities(A, B, u, paired=(2, 18, 7, 4))
        assert found.probability_a_better == pytest.approx(sure, abs=5e-4)
        assert found.paired
        assert found.yield_a == compare_utilities(A, B, u).yield_a


RARE = [ConfusionMatrix(tp=tp, fn=10 - tp, fp=fp, tn=1000 - fp) for tp, fp in ((8, 320), (3, 300))]


@pytest.mark.parametrize(
    ("tables", "paired", "pi", "prior"),
    [
        ((A, B), (2, 18, 7, 4), 0.5, 1),
        ((A, B), (2, 18, 7, 4), 0.8, 1),
        (RARE, (6, 1, 10, 30), 0.8, 20),
    ],
)
def test_paired_at_a_stated_base_rate_against_simulation(tables, paired, pi, prior):
    """The classes have four cells each: only A right, only B, both, none."""
    rng, gap = np.random.default_rng(5), 0
    sizes, weights = (tables[0].n_positive, tables[0].n_negative), (50 * pi, 500 * (1 - pi))
    for (x, y), n, weight in zip((paired[:2], paired[2:]), sizes, weights, strict=True):
        share = rng.dirichlet([x + prior, y + prior, n - x - y + 2 * prior], 400_000)
        gap = gap + weight * (share[:, 0] - share[:, 1])
    found = compare_utilities(*tables, U4, base_rate=pi, paired=paired, prior=prior)
    assert found.probability_a_better == pytest.approx(np.mean(gap > 0), abs=0.004)


def test_separate_test_sets_at_a_stated_base_rate():
    found = compare_utilities(A, B, U5, base_rate=0.2, prior=0.5).probability_a_better
    known = probability_a_better_separate(A, B, U5, class_shares=[0.2, 0.8], prior=0.5)
    assert found == pytest.approx(known, abs=1e-9)


def test_the_other_class_may_be_positive():
    """Swapping the names of the classes in tables and utilities changes nothing."""
    u = UtilityMatrix(U4.matrix, positive=1)
    a, b = A.swap_classes(), B.swap_classes()
    found = compare_utilities(a, b, u, paired=(2, 18, 7, 4))
    assert (found.yield_a, found.yield_b) == (3.5, -3.5)
    assert found.tau_star == float(1 - Fraction(16, 19))
    assert found.yield_constant == 65  # half of 165 - 35
    assert found.probability_a_better == pytest.approx(0.650, abs=5e-4)
    assert found.paired
    plain = compare_utilities(a, b, u)
    assert plain.probability_a_better == pytest.approx(
        compare_utilities(A, B, U4).probability_a_better, abs=1e-9
    )


CELLS = st.tuples(*[st.integers(0, 30)] * 4).filter(lambda c: c[0] + c[1] and c[2] + c[3])


@pytest.mark.slow
@settings(max_examples=40)
@given(CELLS, CELLS, st.fractions(Fraction(1, 20), Fraction(19, 20)))
def test_yields_at_a_stated_base_rate_are_exact(a, b, pi):
    tables = [ConfusionMatrix(tp=c[0], fn=c[1], fp=c[2], tn=c[3]) for c in (a, b)]
    found = compare_utilities(*tables, U4, base_rate=pi)
    exact = [twin.table_yield([[15, -335], [-35, 165]], *twin.at_base_rate(*c, pi)) for c in (a, b)]
    assert [found.yield_a, found.yield_b] == [float(x) for x in exact]
    assert found.a_better == (exact[0] > exact[1])
    assert 0 <= found.probability_a_better <= 1


def test_dominance():
    better = ConfusionMatrix(tp=44, fn=6, fp=10, tn=40)
    found = compare_utilities(better, B, U4)
    assert (found.dominant, found.a_better) == ("a", True)
    assert isnan(found.tau_star)
    assert compare_utilities(B, better, U4).dominant == "b"
    same = compare_utilities(A, A, U4)
    assert (same.dominant, same.a_better) == ("equal", False)
    assert same.probability_a_better == pytest.approx(0.5)


def test_different_class_shares_need_a_base_rate():
    other = ConfusionMatrix(tp=5, fn=3, fp=20, tn=90)
    with pytest.raises(InvalidArgumentError, match=r"base_rate must be stated .* a 0.5, b 0.0677"):
        compare_utilities(A, other, U4)
    assert compare_utilities(A, other, U4, base_rate=0.1).base_rate == 0.1


@pytest.mark.parametrize(
    ("paired", "message"),
    [
        ((3, 18, 7, 4), r"paired must differ by the leads \(-16, 3\)"),
        ((7, 4, 2, 18), r"paired must differ by the leads"),
        ((2, 18, 7), "class1_only_b"),
        ((2, 18, 7, -4), "whole number of at least 0, got -4"),
        ((30, 46, 7, 4), "paired must leave no class with more"),
    ],
)
def test_discordant_counts_must_fit_the_tables(paired, message):
    with pytest.raises(InvalidArgumentError, match=message):
        compare_utilities(A, B, U4, paired=paired)


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(UnsupportedError, match="two decisions and two classes"):
        compare_utilities(A, B, UtilityMatrix([[1, 0], [0, 1], [0.9, 0.9]]))
    with pytest.raises(InvalidArgumentError, match="to have a threshold"):
        compare_utilities(A, B, UtilityMatrix([[0, 1], [1, 0]], ["x", "y"]))
    with pytest.raises(InvalidCountError, match="b must contain both classes"):
        compare_utilities(A, ConfusionMatrix(tp=1, fn=1, fp=0, tn=0), U4)
    with pytest.raises(InvalidArgumentError, match=r"prior must lie in \(0, inf\)"):
        compare_utilities(A, B, U4, prior=0)
    with pytest.raises(InvalidArgumentError, match="a must be a single table, got 'a batch"):
        compare_utilities(ConfusionMatrix(tp=[1, 2], fn=1, fp=1, tn=1), B, U4)
    two = ConfusionMatrix(tp=2 * 27, fn=2 * 23, fp=2 * 15, tn=2 * 35)
    with pytest.raises(InvalidArgumentError, match="one test set"):
        compare_utilities(two, B, U4, paired=(30, 19, 7, 4))

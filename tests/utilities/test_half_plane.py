"""Half-planes of utilities, envelopes over thresholds and base rates: against exact brute force."""

from fractions import Fraction
from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baserate import ConfusionMatrix, metrics
from baserate.errors import InvalidArgumentError, InvalidCountError
from baserate.utilities import UtilityMatrix
from baserate.utilities.exact_yields import exact_rates
from baserate.utilities.two_classifiers import base_rate_flip
from baserate.utilities.two_classifiers import half_plane as half_plane_of_rates
from oracles import utility_twins as twin

A = ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
B = ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)
U4 = UtilityMatrix([[15, -335], [-35, 165]])

CELLS = st.tuples(*[st.integers(0, 30)] * 4).filter(lambda c: c[0] + c[1] and c[2] + c[3])


def table(cells):
    return ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True)))


def half_plane(a, b, base_rate=None):
    return half_plane_of_rates(exact_rates("a", a, base_rate), exact_rates("b", b, base_rate))


def random_utilities(n, rng):
    """Utilities of any sign with benefit + cost > 0."""
    stack = rng.integers(-40, 40, (3 * n, 2, 2))
    s = stack[:, 0, 0] - stack[:, 1, 0]
    t = stack[:, 1, 1] - stack[:, 0, 1]
    return stack[s + t > 0][:n]


@pytest.mark.slow
def test_the_half_plane_equals_brute_force_over_ten_thousand_utilities():
    """Also for test sets with different class shares, where nu matters."""
    rng = np.random.default_rng(1)
    pairs = [(A, B), (A, ConfusionMatrix(tp=5, fn=3, fp=20, tn=90))]
    pairs += [tuple(table(rng.integers(0, 40, 4).tolist()) for _ in "ab") for _ in range(8)]
    wrong = 0
    for a, b in pairs:
        u = random_utilities(1000, rng)
        assert len(u) == 1000
        s, t = u[:, 0, 0] - u[:, 1, 0], u[:, 1, 1] - u[:, 0, 1]
        tau, nu = t / (s + t), (u[:, 0, 0] - u[:, 1, 1]) / (s + t)
        found = half_plane(a, b)
        exact = [twin.table_yield(m, *a) - twin.table_yield(m, *b) for m in u.tolist()]
        gap = np.array([float(x / y) for x, y in zip(exact, (s + t).tolist(), strict=True)])
        assert found.advantage(tau, nu) == pytest.approx(gap, abs=1e-12)
        clear = np.array([x != 0 for x in exact])
        wrong += int((found.contains(tau, nu) != (gap > 0))[clear].sum())
    assert wrong == 0


def test_the_story():
    """tau* = 0.8421; (4) lies above, (5) below."""
    found = half_plane(A, B)
    assert found.tau_star == float(Fraction(16, 19))
    assert (found.a_better, found.b_better) == (
        (float(Fraction(16, 19)), 1),
        (0, float(Fraction(16, 19))),
    )
    assert found.dominant is None
    assert found.nu_slope == 0
    assert found.contains(10 / 11)
    assert not found.contains(50 / 61)
    assert found.contains([0.9, 0.8]).tolist() == [True, False]
    # At another base rate the same errors weigh differently: 4/5 of the cases are positive.
    moved = half_plane(A, B, base_rate=0.8)
    lead, loss = (
        Fraction(4, 5) * (Fraction(27, 50) - Fraction(43, 50)),
        Fraction(1, 5) * Fraction(3, 50),
    )
    assert moved.tau_star == float(lead / (lead - loss))


@settings(max_examples=30)
@given(CELLS, CELLS, st.fractions(Fraction(1, 50), Fraction(49, 50)))
def test_tau_star_dominance_and_intervals(a, b, pi):
    found = half_plane(table(a), table(b), base_rate=pi)
    x, y = twin.at_base_rate(*a, pi), twin.at_base_rate(*b, pi)
    positives, negatives = x[0] - y[0], x[3] - y[3]
    for k in range(21):
        tau = Fraction(k, 20)
        gap = (1 - tau) * positives + tau * negatives
        inside = found.a_better[0] <= tau <= found.a_better[1]
        assert not gap > 0 or inside
        other = found.b_better[0] <= tau <= found.b_better[1]
        assert not gap < 0 or other
    if positives * negatives < 0:
        assert found.tau_star == float(positives / (positives - negatives))
        assert found.dominant is None
    else:
        total = positives + negatives
        assert isnan(found.tau_star)
        assert found.dominant == ("a" if total > 0 else "b" if total < 0 else "equal")


def test_different_class_shares_leave_no_single_threshold():
    found = half_plane(A, ConfusionMatrix(tp=5, fn=3, fp=20, tn=90))
    assert isnan(found.tau_star)
    assert found.dominant is None
    assert all(map(isnan, (*found.a_better, *found.b_better)))
    assert found.nu_slope == pytest.approx(0.5 - 8 / 118)


def test_what_has_no_rates_is_refused():
    with pytest.raises(InvalidCountError, match="b must contain both classes"):
        half_plane(A, ConfusionMatrix(tp=1, fn=1, fp=0, tn=0))
    with pytest.raises(InvalidArgumentError, match="a must be a single table, got 'a batch"):
        half_plane(ConfusionMatrix(tp=[1, 2], fn=1, fp=1, tn=1), B)
    with pytest.raises(InvalidArgumentError, match=r"base_rate must lie in \[0, 1\]"):
        half_plane(A, B, base_rate=2)


def test_base_rate_flip():
    """500 (1 - pi) 0.06 = 50 pi 0.32 at pi = 15/23."""
    assert base_rate_flip(A, B, U4) == float(Fraction(15, 23))
    assert base_rate_flip(B, A, U4) == float(Fraction(15, 23))
    assert isnan(base_rate_flip(A, A, U4))
    better = ConfusionMatrix(tp=44, fn=6, fp=10, tn=40)
    assert isnan(base_rate_flip(better, B, U4))
    second = UtilityMatrix(np.flip(U4.matrix), positive=1)
    assert base_rate_flip(A, B, second) == float(Fraction(15, 23))


def test_balanced_accuracy_ranks_exactly_as_tau_equal_to_the_base_rate():
    """On one test set; with different test sets it does not."""
    rng = np.random.default_rng(3)
    checked = 0
    for _ in range(300):
        positives, negatives = rng.integers(1, 60, 2).tolist()
        pair = []
        for _ in "ab":
            tp, fp = int(rng.integers(0, positives + 1)), int(rng.integers(0, negatives + 1))
            pair.append((tp, positives - tp, fp, negatives - fp))
        a, b = map(table, pair)
        exact = [Fraction(tp, positives) + Fraction(tn, negatives) for tp, _, _, tn in pair]
        region = half_plane(a, b)
        tau = positives / (positives + negatives)
        if exact[0] != exact[1]:
            checked += 1
            assert region.contains(tau) == (exact[0] > exact[1])
            better = metrics.balanced_accuracy(a) > metrics.balanced_accuracy(b)
            assert better == (exact[0] > exact[1])
    assert checked > 250


def test_nan_is_never_inside():
    assert not half_plane(A, B).contains(nan)

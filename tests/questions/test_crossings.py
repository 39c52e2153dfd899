"""Where numbers part rows of tables, against looking at every table."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baserate import metrics
from baserate.models import UniformTables
from baserate.questions.law import InheritedLaw
from baserate.questions.listed_laws import Pivot
from baserate.questions.thresholds import TableRows, crossings, roots

N = 40


def staircase(*, rising):
    """A metric with long stretches of equal values, rising or falling with fp."""
    sign = 1 if rising else -1

    def formula(tp, fn, fp, tn):
        return tp + sign * np.floor(fp / 3)

    return metrics.define("stairs", formula, direction="neither")


@st.composite
def some_rows(draw):
    rising = draw(st.booleans())
    totals = np.array(draw(st.lists(st.integers(0, N), min_size=1, max_size=6)), dtype=float)
    count = len(totals)
    tp = np.array(draw(st.lists(st.integers(0, 5), min_size=count, max_size=count)), dtype=float)
    start = np.array([draw(st.integers(0, int(total) + 1)) for total in totals], dtype=float)
    stop = np.array(
        [draw(st.integers(int(s), int(t) + 1)) for s, t in zip(start, totals, strict=True)],
        dtype=float,
    )
    return TableRows(
        law=InheritedLaw(staircase(rising=rising), UniformTables(n=N)),
        tp=tp,
        fn=0 * tp,
        n_negative=totals,
        start=start,
        stop=stop,
        rising=rising,
    )


def values(rows, i):
    """All values of one row, by fp."""
    t = np.arange(rows.start[i], rows.stop[i])
    sign = 1 if rows.rising else -1
    return t, rows.tp[i] + sign * np.floor(t / 3)


numbers = st.integers(-16, 16).map(lambda k: k / 2)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(some_rows(), numbers, st.data())
def test_rows_are_parted_whatever_the_guess(rows, x, data):
    pivot = Pivot.at(rows.law.metric, x)
    guess = None
    if data.draw(st.booleans()):
        some = st.floats(-50, 50).map(np.floor)
        guess = np.array([data.draw(some) for _ in rows.n_negative])
    low, past = crossings(rows, pivot, guess)
    for i in range(len(rows.n_negative)):
        _, value = values(rows, i)
        before = value < x if rows.rising else value > x
        assert low[i] == rows.start[i] + before.sum()
        assert past[i] == rows.start[i] + before.sum() + (value == x).sum()


@pytest.mark.parametrize("rising", [True, False])
def test_roots_lie_where_the_formula_crosses(rising):
    sign = 1 if rising else -1
    smooth = metrics.define(
        "smooth", lambda tp, fn, fp, tn: sign * np.sqrt(fp + tp), direction="neither"
    )
    tp = np.array([0.0, 1.0, 2.5, 30.0])
    rows = TableRows(
        law=InheritedLaw(smooth, UniformTables(n=N)),
        tp=tp,
        fn=0 * tp,
        n_negative=np.full(4, 20.0),
        start=np.zeros(4),
        stop=np.full(4, 21.0),
        rising=rising,
    )
    found = roots(rows, Pivot.at(smooth, sign * np.sqrt(9.5)))
    # a chord of sqrt between two whole numbers near 9 is off by less than 1/100
    np.testing.assert_allclose(found, [9.5, 8.5, 7.0, 0.0], atol=0.01)

"""Where numbers part lines of tables, against looking at every position."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baserate import metrics
from baserate.models import UniformTables
from baserate.questions._law import Law
from baserate.questions._lines import Lines
from baserate.questions._search import roots, split
from baserate.questions._ties import Cut

N = 40


def staircase(*, rising):
    """A metric with long stretches of equal values, rising or falling with fp."""
    sign = 1 if rising else -1

    def formula(tp, fn, fp, tn):
        return tp + sign * np.floor(fp / 3)

    return metrics.define("stairs", formula, direction="neither")


@st.composite
def some_lines(draw):
    rising = draw(st.booleans())
    totals = np.array(draw(st.lists(st.integers(0, N), min_size=1, max_size=6)), dtype=float)
    count = len(totals)
    tp = np.array(draw(st.lists(st.integers(0, 5), min_size=count, max_size=count)), dtype=float)
    start = np.array([draw(st.integers(0, int(total) + 1)) for total in totals], dtype=float)
    stop = np.array(
        [draw(st.integers(int(s), int(t) + 1)) for s, t in zip(start, totals, strict=True)],
        dtype=float,
    )
    return Lines(
        law=Law(staircase(rising=rising), UniformTables(n=N)),
        gaining=2,
        losing=3,
        total=totals,
        still=(tp, 0 * tp),
        start=start,
        stop=stop,
        rising=rising,
    )


def values(lines, i):
    """All values of one line, by position."""
    t = np.arange(lines.start[i], lines.stop[i])
    sign = 1 if lines.rising else -1
    return t, lines.still[0][i] + sign * np.floor(t / 3)


numbers = st.integers(-16, 16).map(lambda k: k / 2)


@settings(max_examples=300, deadline=None)
@given(some_lines(), numbers, st.data())
def test_lines_are_parted_whatever_the_guess(lines, x, data):
    cut = Cut.at(lines.law.metric, x)
    guess = None
    if data.draw(st.booleans()):
        some = st.floats(-50, 50).map(np.floor)
        guess = np.array([data.draw(some) for _ in lines.total])
    low, past = split(lines, cut, guess)
    for i in range(len(lines.total)):
        _, value = values(lines, i)
        before = value < x if lines.rising else value > x
        assert low[i] == lines.start[i] + before.sum()
        assert past[i] == lines.start[i] + before.sum() + (value == x).sum()


@pytest.mark.parametrize("rising", [True, False])
def test_roots_lie_where_the_formula_crosses(rising):
    sign = 1 if rising else -1
    smooth = metrics.define(
        "smooth", lambda tp, fn, fp, tn: sign * np.sqrt(fp + tp), direction="neither"
    )
    tp = np.array([0.0, 1.0, 2.5, 30.0])
    lines = Lines(
        law=Law(smooth, UniformTables(n=N)),
        gaining=2,
        losing=3,
        total=np.full(4, 20.0),
        still=(tp, 0 * tp),
        start=np.zeros(4),
        stop=np.full(4, 21.0),
        rising=rising,
    )
    found = roots(lines, Cut.at(smooth, sign * np.sqrt(9.5)))
    # a chord of sqrt between two whole numbers near 9 is off by less than 1/100
    np.testing.assert_allclose(found, [9.5, 8.5, 7.0, 0.0], atol=0.01)

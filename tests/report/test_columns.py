"""Tables by columns: a heading and what stands below it are declared once and stay together."""

import math
from operator import itemgetter
from types import SimpleNamespace as Row

import pytest

from baserate import _figures as figures
from baserate.report.columns import Column, each, exactly, grid, number, span, text, within

ROWS = [
    Row(name="a\nb", n=1234, low=0.1, high=0.25, part=Row(share=0.5), sizes=(1, 2)),
    Row(name=None, n=5, low=math.nan, high=0.3, part=Row(share=math.nan), sizes=(3, 4)),
]


def test_a_column_that_says_nothing_of_any_row_has_neither_heading_nor_cells():
    nothing = text("none", "n", lambda _: figures.NOTHING)
    columns = (nothing, text("name"), False, text("empty", "n", lambda _: ""), span())
    found = grid("T", ROWS, *columns, labels=2, below=[("–", "all", "", "0 to 1")])
    assert found.headings == ("name", "interval")
    rows = (("a\\nb", "0.100 to 0.250"), ("(missing)", "–"), ("all", "0 to 1"))
    assert found.rows == rows
    assert (found.title, found.labels) == ("T", 1)


def test_numbers_are_held_in_full_where_there_are_any():
    found = grid("", ROWS, number("n", write=figures.count), span(), number("share", "part.share"))
    assert [cell.exact for cell in found.rows[0]] == [(1234,), (0.1, 0.25), (0.5,)]
    assert [cell.exact for cell in found.rows[1]] == [(5,), (), ()]


def test_columns_of_several_and_of_parts_stand_in_their_order():
    found = grid(
        "",
        enumerate(ROWS),
        Column("place", lambda row: str(row[0])),
        *within(itemgetter(1), text("name"), *each(("one", "two"), "sizes", str)),
        below=[("all", "", "4", exactly(6, write=figures.count))],
        labels=2,
        note="read it so",
    )
    assert found.headings == ("place", "name", "one", "two")
    assert [row[0] + row[2] + row[3] for row in found.rows] == ["012", "134", "all46"]
    assert (found.labels, found.note) == (2, "read it so")


def test_every_row_is_as_wide_as_the_headings():
    with pytest.raises(IndexError):
        grid("", ROWS, *each(("one", "two", "three"), "sizes", str))

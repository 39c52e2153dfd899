"""Tables of text that fit a page, whatever they hold."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len as cells_by_rich

from baserate.report.text import Panel, cell_len, fitted, wrapped

NUMBERS = ("0.364", "-0.0123", "1,234,567", "0.354 to 0.376", "< 0.001")


def lines(block: Panel):
    for column in block.columns:
        for cell in (column.heading, *column.cells):
            yield from ((column, line) for line in cell.splitlines())


def test_a_table_that_fits_stays_as_it_is():
    rows = [("negative_predictive_value", "0.5", "a sentence")]
    [block] = fitted(("metric", "adjusted p", "verdict"), rows, labels=1, width=80, last=True)
    assert [c.heading for c in block.columns] == ["metric", "adjusted p", "verdict"]
    assert list(zip(*(c.cells for c in block.columns), strict=True)) == rows


def test_headings_are_wrapped_before_labels_are():
    rows = [("recall", "0.5", "0.25")] * 2
    headings = ("metric", "expected anew", "adjusted p value")
    [block] = fitted(headings, rows, labels=1, width=30)
    assert [c.heading for c in block.columns] == ["metric", "expected\nanew", "adjusted\np value"]
    assert block.width <= 30


def test_identifiers_are_broken_between_their_parts():
    rows = [("negative_predictive_value", "0.5")]
    [block] = fitted(("metric", "value"), rows, labels=1, width=20)
    assert block.columns[0].cells == ("negative_\npredictive_\nvalue",)


def test_what_is_too_wide_goes_below_with_the_labels():
    rows = [("recall", *NUMBERS), ("precision", *NUMBERS)]
    headings = ("metric", "a", "b", "c", "d", "e")
    blocks = fitted(headings, rows, labels=1, width=34)
    assert len(blocks) > 1
    assert all(block.columns[0].cells == ("recall", "precision") for block in blocks)
    shown = [c.heading for block in blocks for c in block.columns[1:]]
    assert shown == list(headings[1:])


def test_columns_are_shared_out_evenly():
    rows = [("recall", *["0.123"] * 4)]
    blocks = fitted(("metric", *"abcd"), rows, labels=1, width=30)  # there is room for three
    assert [len(block.columns) - 1 for block in blocks] == [2, 2]


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize("last", [True, False])
@given(
    names=st.lists(st.from_regex(r"[a-z_ ]{1,60}", fullmatch=True), min_size=1, max_size=4),
    size=st.integers(1, 12),
    width=st.integers(48, 120),
)
def test_nothing_is_wider_than_the_page_and_no_number_is_cut(last, names, size, width):
    numbers = [NUMBERS[i % len(NUMBERS)] for i in range(size)]
    said = "too small to tell: a gap under 0.13 would go unseen"
    rows = [(name, *numbers, *((said,) if last else ())) for name in names]
    headings = ("metric", *(f"heading {i}" for i in range(size)), *(("verdict",) if last else ()))
    blocks = fitted(headings, rows, labels=1, width=width, last=last)
    cut = any(len(word) > 24 for name in names for word in re.split(r"[_ ]", name))
    for block in blocks:
        assert block.width <= width
        assert all(cut or cell_len(line) <= column.width for column, line in lines(block))
    whole = [c.cells[0] for block in blocks for c in block.columns if c.kind == "number"]
    assert whole == numbers


def test_wide_letters_count_twice():
    [block] = fitted(("group", "n"), [("日本語のラベル", "12")], labels=1, width=80)
    assert block.columns[0].width == 14


@given(st.text(st.sampled_from("ab é-日本ラｱ한ü\u0301αЖ🙂"), max_size=40), st.integers(2, 30))
def test_lines_fit_and_hold_all_signs(text, width):
    assert cell_len(text.replace("🙂\u0301", "")) == cells_by_rich(text.replace("🙂\u0301", ""))
    lines = wrapped(text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_words_stay_whole_where_they_fit():
    assert wrapped("a classifier of\ntwo lines", 12) == ["a classifier", "of", "two lines"]
    assert wrapped("", 5) == [""]

"""The page of what every call takes says what calls do."""

import re

import pytest

from baserate import evaluate
from baserate.errors import UnsupportedError
from docs.scripts import module

PAGES = module("capability_pages")
WHAT_BOTH_TAKE = (
    "groups", "weights", "clusters", "items that come again", "replicate weights",
    "strata and their clusters",
)  # fmt: skip


def rows(page):
    """Return the cells of each line of the table by its name."""
    lines = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    return {name: cells for name, *cells in lines[1:]}


@pytest.mark.slow
def test_every_number_is_a_refusal_below_and_the_reverse():
    page = PAGES.capability_pages()["capabilities.md"]
    found = {cell for cells in rows(page).values() for cell in cells}
    numbers = sorted(int(cell) for cell in found - {PAGES.ANSWERED, PAGES.ABSENT})
    told = [int(n) for n in re.findall(r"^(\d+)\. ", page, flags=re.MULTILINE)]
    assert numbers == told == list(range(1, len(told) + 1))
    assert "not yet" not in page.lower()
    assert "no column" not in page  # what is tried is there
    for given in ("strata and their clusters", "scores in strata"):
        assert {*rows(page)[given]} == {PAGES.ANSWERED}
    assert set(rows(page)) == set(PAGES.GIVEN)


@pytest.mark.slow
def test_two_and_several_classes_take_the_same():
    for given in WHAT_BOTH_TAKE:
        for door in ("evaluate", "audit", "compare"):
            assert [PAGES.tried(door, k, given) for k in (2, 3)] == ["yes", "yes"], (door, given)


def test_a_refusal_is_told_as_it_was_made(monkeypatch):
    def refusing(data, **given):
        message = "no."
        raise UnsupportedError(message)

    refusing.__signature__ = PAGES.inspect.signature(evaluate)
    monkeypatch.setitem(PAGES.DOORS, "evaluate", refusing)
    assert PAGES.tried("evaluate", 2, "weights") == "no."

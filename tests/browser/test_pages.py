"""Every report, opened: silent, offline, accessible, as wide as the window, and fit to print."""

from itertools import pairwise

import pytest

from browser.reports import LEADING, PAGES, leading_first, page
from browser.visit import PHONE

EVERY = pytest.mark.parametrize("name", PAGES)
FEW = pytest.mark.parametrize("name", leading_first(PAGES, LEADING))
DARK = pytest.mark.parametrize("name", leading_first(PAGES, ("audit",)))
ALIKE = ("scores", "utility", "threshold")  # made of the parts of "groups"
SEEN = pytest.mark.parametrize("name", leading_first(PAGES, set(PAGES) - set(ALIKE)))
UNFOLD = "document.querySelectorAll('details').forEach(part => part.open = true)"
OUTLINE = "[...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map(part => Number(part.tagName[1]))"
# Boxes that scroll by themselves, and whether the keyboard reaches them.
BOXES = """[...document.querySelectorAll('*')]
    .filter(part => part.scrollWidth > part.clientWidth && part.clientWidth > 1
        && ['auto', 'scroll'].includes(getComputedStyle(part).overflowX))
    .map(part => part.tabIndex)"""
# Where the names of rows begin once every box is scrolled to its end, from the left of the box.
SCROLLED = """[...document.querySelectorAll('.wide')]
    .filter(part => part.scrollWidth > part.clientWidth + 1)
    .map(part => {
        part.scrollLeft = part.scrollWidth
        const name = part.querySelector('tbody th[scope=row]')
        const gap = name && name.getBoundingClientRect().left - part.getBoundingClientRect().left
        return [part.scrollLeft > 0, gap]
    })"""
A4 = 718  # CSS pixels between margins of 10 mm
CUT_OFF = """[...document.querySelectorAll('th, td, p, dt, dd, svg, figcaption, caption')]
    .filter(part => part.clientWidth > 1 && part.getBoundingClientRect().right > innerWidth + 1)
    .map(part => part.outerHTML.slice(0, 120))"""
BROKEN = """[...document.querySelectorAll('td data')]
    .filter(part => !/\\s/.test(part.innerText.trim()) && part.getClientRects().length > 1)
    .map(part => part.innerText)"""
SHOWN = "[...document.querySelectorAll('details tr')].map(row => row.checkVisibility())"


@pytest.mark.sweep(9, start=8)
@SEEN
def test_axe_finds_nothing_even_in_what_is_folded(violations, name):
    assert violations(page(name), width=PHONE, before=UNFOLD) == []


@pytest.mark.slow
@DARK
def test_colours_contrast_in_the_dark(violations, name):
    assert violations(page(name), dark=True, before=UNFOLD, rules=["color-contrast"]) == []


@pytest.mark.sweep(12, start=4)
@EVERY
def test_a_phone_scrolls_boxes_and_never_the_page(open_page, name):
    """Opened with its policy in force: the fixture fails for whatever breaks it."""
    visit = open_page(page(name), width=PHONE)
    assert visit.overhang == 0
    visit.page.evaluate(UNFOLD)
    assert visit.overhang == 0
    assert set(visit.page.evaluate(BOXES)) <= {0}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["threshold", "scores", "audit"])
def test_who_scrolls_a_table_on_a_phone_sees_whose_row_it_is(open_page, name):
    boxes = open_page(page(name), width=PHONE).page.evaluate(SCROLLED)
    assert boxes
    for has_scrolled, gap in boxes:
        assert has_scrolled
        assert gap is None or abs(gap) < 1


@pytest.mark.sweep(3, start=1)
@FEW
def test_headings_are_in_order_below_one_title(open_page, name):
    levels = open_page(page(name)).page.evaluate(OUTLINE)
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(deeper <= level + 1 for level, deeper in pairwise(levels))


@pytest.mark.sweep(3)
@FEW
def test_paper_cuts_nothing_off(open_page, name):
    """A4 within margins of 10 mm; numbers stay in one piece."""
    opened = open_page(page(name), width=A4)
    opened.page.emulate_media(media="print")
    assert opened.overhang == 0
    assert opened.page.evaluate(CUT_OFF) == []
    assert opened.page.evaluate(BROKEN) == []


@pytest.mark.slow
@FEW
def test_paper_shows_what_a_screen_folds(open_page, name):
    opened = open_page(page(name)).page
    assert not any(opened.evaluate(SHOWN))
    assert opened.pdf(format="A4").startswith(b"%PDF-")
    opened.emulate_media(media="print")
    assert all(opened.evaluate(SHOWN))

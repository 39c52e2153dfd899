"""Names that would be markup, in a browser: no dialog, no element of theirs, no wide page."""

import pytest

from browser.reports import leading_first
from browser.visit import PHONE
from laws.named_reports import REPORTS

ATTACK = (
    "</title></style></svg><script>alert(1)</script><img src=x onerror=alert(2)>"
    "\"'onmouseover=alert(3) x=\u202e{{7*7}}-->"
)
LONG = "W" * 10_000
# Every element with the names of its attributes; how many lines a picture has depends on its names.
SHAPE = """[...document.querySelectorAll('*:not(svg *)')].map(part =>
    [part.tagName, ...[...part.attributes].map(own => own.name).sort()].join(' '))"""
LEADING = ("evaluate scores", "audit", "compare scores")
FEW = pytest.mark.parametrize("report", leading_first(REPORTS, LEADING))


@pytest.mark.slow
@FEW
def test_names_make_no_element_and_open_no_dialog(open_page, report):
    attacked = open_page(REPORTS[report](lambda name: ATTACK + name)("html"), width=PHONE)
    usual = open_page(REPORTS[report](lambda name: "x" + name)("html"), width=PHONE)
    assert attacked.page.evaluate(SHAPE) == usual.page.evaluate(SHAPE)
    attacked.page.mouse.move(100, 200)
    assert attacked.overhang == 0


@pytest.mark.sweep(3, start=1)
@FEW
def test_very_long_names_keep_within_a_phone(open_page, report):
    visit = open_page(REPORTS[report](lambda name: LONG + name)("html"), width=PHONE)
    assert visit.overhang == 0

"""Names in Hebrew or Arabic leave the digits that follow them where a sentence has them."""

import pytest

from baserate import _figures as figures
from baserate.displays.picture import Axis, Picture
from baserate.displays.svg_writer import style_sheet, svg
from baserate.report.documents import sheet_as_html
from baserate.report.sheet import Figure, Sheet

NAMES = (
    "\u05d1\u05d9\u05ea \u05d7\u05d5\u05dc\u05d9\u05dd",
    "\u0645\u0633\u062a\u0634\u0641\u0649",
)
# Left ends of two pieces of the text of the first element that holds both.
PLACES = """([where, first, second]) => {
    const inside = [...document.querySelectorAll(where)].find(e => e.textContent.includes(second));
    const walker = document.createTreeWalker(inside, NodeFilter.SHOW_TEXT);
    const node = walker.nextNode();
    return [first, second].map(piece => {
        const range = document.createRange();
        const at = node.data.indexOf(piece);
        range.setStart(node, at);
        range.setEnd(node, at + piece.length);
        return range.getBoundingClientRect().left;
    });
}"""


def page_of(name):
    said = f"{name}, 0.25 of 1,000"
    side = Axis(label="", low=0.0, high=1.0)
    picture = Picture(title=said, description=said, x=side, y=side, marks=())
    figure = Figure(title="Curve", svg=svg(picture, alone=False), note="")
    sheet = Sheet(title="Scores", answer=(said,), parts=(figure,), style=style_sheet())
    return sheet_as_html(sheet)


@pytest.mark.sweep(4, start=1)
@pytest.mark.parametrize("where", [".answer p", "svg text"])
@pytest.mark.parametrize("name", NAMES)
def test_what_follows_a_name_stands_to_its_right(open_page, name, where):
    page = open_page(page_of(figures.label(name))).page
    named, number = page.evaluate(PLACES, [where, name, "0.25"])
    assert number > named
    unmarked, number = open_page(page_of(name)).page.evaluate(PLACES, [where, name, "0.25"])
    assert number < unmarked  # as browsers have it without the mark

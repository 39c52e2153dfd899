"""Figures: a page shows them where they belong, other formats leave them out."""

from dataclasses import replace
from html.parser import HTMLParser

import pytest

from baserate.report.documents import framed
from baserate.report.opening import Pictures, captioned, drawn_of
from baserate.report.sheet import Figure, Grid, Remarks, Sheet, render_sheet

TABLE = Grid(title="Counts", headings=("", "n"), rows=(("all", "3"),), labels=1)
REASONS = Remarks("Undefined", (("precision", "no alarms"),))


def figure(title, note=""):
    svg = f'<svg viewBox="0 0 10 5" role="img"><title>of {title}</title></svg>'
    return Figure(title=title, svg=svg, note=note)


def sheet(*parts):
    about = (("Cases", "3"),)
    return Sheet(title="Evaluation", answer=("Yes.",), about=about, parts=parts)


def places(text, *words):
    found = [text.index(word) for word in words]
    assert all(text.count(word) == 1 for word in words)
    return found


def test_first_pictures_then_what_the_data_are_then_tables_and_later_pictures_in_their_place():
    page = render_sheet(sheet(figure("A"), figure("B"), TABLE, figure("C"), REASONS), "html")
    order = ("<p>Yes.</p>", "of A", "of B", 'class="about"', "<h2>Counts", "of C", "<h2>Undefined")
    found = places(page, *order)
    assert found == sorted(found)


def test_neighbours_share_a_grid():
    page = render_sheet(sheet(figure("A"), figure("B"), TABLE, figure("C"), REASONS), "html")
    assert page.count('<div class="figures">') == 2
    assert page.count("<figure>") == page.count("</figure>") == 3


def test_a_caption_is_escaped_and_a_picture_taken_as_it_is():
    page = render_sheet(sheet(figure("A"), TABLE), "html")
    assert '<svg viewBox="0 0 10 5" role="img"><title>of A</title></svg>' in page
    odd = Figure(title="<b>R&D</b>", svg="<svg></svg>", note="a < b")
    page = render_sheet(sheet(odd), "html")
    assert "&lt;b&gt;R&amp;D&lt;/b&gt;" in page
    assert "a &lt; b" in page


def test_a_picture_that_was_not_drawn_leaves_no_trace():
    page = render_sheet(sheet(Figure(title="Nothing", svg=""), TABLE), "html")
    assert "Nothing" not in page
    assert "<figure>" not in page


@pytest.mark.parametrize("written", ["table", "markdown"])
def test_text_has_no_pictures(written):
    with_pictures = render_sheet(sheet(figure("A"), TABLE, figure("B"), REASONS), written)
    assert with_pictures == render_sheet(sheet(TABLE, REASONS), written)


def test_the_rules_of_colours_stand_once_on_a_page():
    drawn = Pictures(
        {"roc": "<svg><g>1</g></svg>", "confusion": "<svg></svg>"}, "svg.own{--ink:red}"
    )
    page = render_sheet(replace(sheet(*captioned(drawn), TABLE), style=drawn.style), "html")
    assert page.count("svg.own{--ink:red}") == 1
    assert page.count("<figure>") == 2
    assert drawn_of((), "svg.own{--ink:red}").style == ""


def test_a_notebook_gets_a_frame_that_leaves_its_own_style_alone():
    """What the frame holds is the page, and none of it stands in the notebook's document."""
    page = render_sheet(sheet(TABLE), "html")
    outer = HTMLParser()
    found = []
    outer.handle_starttag = lambda tag, attributes: found.append((tag, dict(attributes)))
    outer.feed(framed(page))
    [(tag, attributes)] = found
    assert tag == "iframe"
    assert attributes["srcdoc"] == page
    assert attributes["sandbox"] == "allow-scripts"  # not allow-same-origin
    assert attributes["title"]

"""Names that would be markup, code of a terminal or a formula are plain text in every report."""

import json
import re
from functools import cache
from html.parser import HTMLParser
from itertools import product

import pytest
from markdown_it import MarkdownIt

from laws.named_reports import REPORTS
from quick import one_in

# Each in front of every name; short enough to be shown whole, but for the last.
HOSTILE = {
    "script": """</title></svg><script>alert(1)</script>--><!--"onclick=alert(1) x="'<i>{{7*7}}""",
    "markdown": "- 1. # ](javascript:alert(1))|`c`**b**_i_~~s~~![p](q)[l](http://x.example)$x$<u>",
    "formula": '=HYPERLINK("http://x.example")',
    "terminal": "1) \x1b[2J\x1b]8;;http://x.example\x1b\\\x07\x9b31m\x00\x7f\x85\r\n\t\u2028",
    "leftward": "\u05d0\u05d1 \u0661\u202e",  # Hebrew letters and an Arabic digit
    "bidi": "\u200e\u202e\u2066\u200f\ufeff\xad\u3000\udc80\N{PILE OF POO}",
    "piled": "a" + "\N{COMBINING ACUTE ACCENT}" * 9,
    "long": "<b>" + "x" * 10_000,
}
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
FOREIGN = {"script", "img", "image", "a", "foreignobject", "use", "href", "xlink:href"}
NAMES = {"yes", "no", "north", "south", "ward", "one", "risk", "first", "second", "treat"}


@cache
def made(report, kind):
    prefix = HOSTILE.get(kind, "x")
    return REPORTS[report](lambda name: prefix + name)


@cache
def rendered(report, kind, form):
    return made(report, kind)(form)


def plain(text, kind=""):
    """Return what is not printable; of names in Hebrew each is followed by a mark that is not."""
    kept = {"\n", "\u200e"} if kind == "leftward" else {"\n"}
    return [sign for sign in text if not (sign.isprintable() or sign in kept)]


def strings(value):
    """Return every text in a document of JSON."""
    if isinstance(value, dict):
        return [*value, *(found for part in value.values() for found in strings(part))]
    if isinstance(value, list):
        return [found for part in value for found in strings(part)]
    return [value] if isinstance(value, str) else []


class Tags(HTMLParser):
    """Tags with the names of their attributes; those within pictures apart, in no order.

    How many lines of text a picture has depends on how long its names are.
    """

    def __init__(self, text):
        super().__init__()
        self.tags, self.drawn, self.depth = [], set(), 0
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.depth += tag == "svg"
        if self.depth:
            self.drawn |= {tag, *(name for name, _ in attrs)}
        else:
            self.tags.append((tag, *sorted(name for name, _ in attrs)))

    def handle_endtag(self, tag):
        if not self.depth:
            self.tags.append((f"/{tag}",))
        self.depth -= tag == "svg"

    def handle_comment(self, data):
        self.tags.append(("comment",))


@pytest.mark.parametrize(("kind", "report"), one_in(4, product(HOSTILE, REPORTS)))
class TestNames:
    @pytest.mark.sweep(18, start=8)
    def test_a_page_has_the_elements_that_it_has_with_harmless_names(self, report, kind):
        page = rendered(report, kind, "html")
        page.encode("utf-8")
        found = Tags(page)
        assert found.tags == Tags(rendered(report, "harmless", "html")).tags
        assert not [word for word in found.drawn if word in FOREIGN or word.startswith("on")]
        assert plain(page, kind) == []

    @pytest.mark.sweep(2)
    def test_a_terminal_is_shown_printable_signs_only(self, report, kind):
        text = rendered(report, kind, "table")
        assert plain(text, kind) == []
        assert len(text) < 60_000

    @pytest.mark.sweep(5, start=4)
    def test_markdown_reads_as_with_harmless_names(self, report, kind):
        text = rendered(report, kind, "markdown")
        reader = MarkdownIt("commonmark").enable(["table", "strikethrough"])
        usual = reader.render(rendered(report, "harmless", "markdown"))
        assert Tags(reader.render(text)).tags == Tags(usual).tags
        assert plain(text, kind) == []

    def test_json_holds_the_very_names_in_printable_signs(self, report, kind):
        text = rendered(report, kind, "json")
        text.encode("utf-8")
        assert plain(text) == []
        usual = strings(json.loads(rendered(report, "harmless", "json")))
        names = {text[1:] for text in usual if text.startswith("x") and text[1:] in NAMES}
        assert names or report == "baseline"  # which names nothing but a metric
        assert {HOSTILE[kind] + name for name in names} <= set(strings(json.loads(text)))


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize("report", ["evaluate scores", "thresholds"])
def test_colours_are_the_only_codes(report):
    coloured = REPORTS[report](lambda name: HOSTILE["terminal"] + name)("table", color=True)
    assert COLOURS.search(coloured)
    assert plain(COLOURS.sub("", coloured)) == []

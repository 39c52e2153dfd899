"""HTML reports: right, escaped, offline."""

import json
import math
import re
from functools import partial
from html.parser import HTMLParser
from pathlib import Path

import pytest

from baserate.metrics import HEADLINES
from baserate.report import evaluation as evaluation_report
from baserate.report.evaluation_rows import KEY_RATES
from baserate.report.opening import render as rendered

render = partial(rendered, evaluation_report.sheet_of)

VOID = {"meta", "link", "br", "img", "hr", "input"}
FIELDS = ("value", "low", "high", "chance", "skill")


class Page(HTMLParser):
    """Tags with attributes, visible text, and the exact numbers of every row of every table."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.text = [], [], [], []
        self.title, self.tables = "", []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.append(tag)
        self.attributes.append((tag, attributes))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag == "data":
            self.tables[-1][-1] += map(float, attributes["value"].split())

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}> closes nothing"

    def handle_data(self, data):
        if "title" in self.open:
            self.title += data
        if not {"style", "title"} & set(self.open):
            self.text.append(data)

    @property
    def words(self):
        return " ".join(" ".join(self.text).split())


@pytest.fixture
def page(odd):
    return Page(render(odd, "html"))


def test_every_tag_is_closed_and_no_label_became_a_tag(page):
    assert page.open == []
    assert not {"b", "i", "script", "img", "link", "iframe"} & set(page.tags)


def test_labels_are_shown_as_they_are(page, odd):
    assert odd.positive in page.words
    assert "<i>job</i>" in page.words
    assert page.title.startswith("Evaluation of <script>alert(1)</script>.csv")


def test_nothing_is_fetched(odd):
    text = render(odd, "html")
    assert not re.search(r"https?:|//\w|@import|url\(", text)
    outward = {"src", "href", "srcset", "action", "data", "xlink:href", "poster"}
    assert not [a for _, attributes in Page(text).attributes for a in attributes if a in outward]
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    assert ("meta", {"http-equiv": "Content-Security-Policy", "content": policy}) in Page(
        text
    ).attributes


def test_every_number_is_that_of_the_json(page, odd):
    """Fisher's p is one number for the table, which the answer tells."""
    document = json.loads(render(odd, "json"))
    known = {m["name"]: [m[f] for f in FIELDS if m[f] is not None] for m in document["metrics"]}
    dozen, others, groups, counted = (table[1:] for table in page.tables[1:])
    assert dozen == [known.pop(name) for name in HEADLINES]
    assert others == list(known.values())
    for row, part in zip(groups, [document, *document["groups"]], strict=True):
        found = {m["name"]: m for m in part["metrics"]}
        rates = [found[name][f] for name in KEY_RATES for f in FIELDS[:3]]
        assert row[2:] == [x for x in rates if x is not None]
    cells = ("tp", "fn", "fp", "tn")
    assert counted == [[part["table"][cell] for cell in cells] for part in document["groups"]]


def test_the_counts_are_those_of_the_table(page, odd):
    t = odd.table
    assert page.tables[0][1:] == [
        [t.tp, t.fn, t.n_positive],
        [t.fp, t.tn, t.n_negative],
        [t.n_predicted, t.n_predicted_negative, t.n],
    ]
    shares = [a["style"] for tag, a in page.attributes if tag == "td" and "style" in a]
    assert shares == [
        f"--share: {share:.4f}".rstrip("0")
        for share in (
            t.tp / t.n_positive, t.fn / t.n_positive, t.fp / t.n_negative, t.tn / t.n_negative
        )
    ]  # fmt: skip


def test_tables_have_captions_and_headings_have_scopes(page):
    assert page.tags.count("table") == page.tags.count("caption") == 5
    assert {a.get("scope") for tag, a in page.attributes if tag == "th"} == {"row", "col"}


def test_a_bar_shows_value_interval_and_chance_between_the_bounds(make, fact):
    metric = fact("informedness", 0.5, low=0.2, high=0.6, chance=0.0, skill=0.5)
    text = render(make(metrics=(metric,)), "html")
    rects = {
        attributes["class"]: attributes
        for tag, attributes in Page(text).attributes
        if tag == "rect"
    }
    assert (rects["band"]["x"], rects["band"]["width"]) == ("60.0", "20.0")
    assert float(rects["value"]["x"]) + 0.8 == pytest.approx(75)
    assert float(rects["mark"]["x"]) + 0.6 == pytest.approx(50)
    assert (
        'aria-label="0.500, interval 0.200 to 0.600, the best guess 0.000, on a scale from -1 to 1"'
        in text
    )


@pytest.mark.parametrize(
    ("name", "value", "more"),
    [
        ("diagnostic_odds_ratio", 4.7, {}),
        ("recall", math.nan, {}),
        ("my_own", 0.5, {}),
        ("my_own", 0.5, {"bounds": (0, math.inf)}),
    ],
)
def test_no_bar_without_value_or_finite_bounds(make, fact, name, value, more):
    page = Page(render(make(metrics=(fact(name, value, **more),)), "html"))
    assert "svg" not in page.tags


def test_a_metric_of_ones_own_brings_its_definition_and_bounds(make, fact):
    own = fact("cost", 2.5, bounds=(0, 10), definition="10 fn / n", meaning="Cost <per> case.")
    page = Page(render(make(metrics=(own,)), "html"))
    assert "10 fn / n" in page.words
    assert "Cost <per> case." in page.words
    assert "svg" in page.tags


STYLE = Path(__file__).parents[2] / "src/baserate/report/templates/style.css"
DEEPEST = 0.38 + 0.03  # the shade of a cell that holds its whole row


def _colours(block):
    found = dict(re.findall(r"--(\w+): (#[0-9a-f]{6}|\d+ \d+ \d+);", block))
    return {
        name: [int(v[i : i + 2], 16) for i in (1, 3, 5)]
        if v[0] == "#"
        else list(map(int, v.split()))
        for name, v in found.items()
    }


def _luminance(rgb):
    """Relative luminance, as WCAG 2.2 defines it."""
    shares = (c / 255 for c in rgb)
    linear = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares)
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _contrast(first, second):
    low, high = sorted(map(_luminance, (first, second)))
    return (high + 0.05) / (low + 0.05)


def test_captions_in_shaded_cells_are_legible_in_light_and_dark():
    css = STYLE.read_text(encoding="utf-8")
    [rule] = re.findall(r"\.right \.small, \.wrong \.small { color: var\(--(\w+)\); }", css)
    light, dark = map(_colours, re.findall(r":root {(.*?)}", css, re.DOTALL))
    for theme in (light, dark):
        for side in ("right", "wrong"):
            mixed = zip(theme[side], theme["ground"], strict=True)
            shade = [DEEPEST * a + (1 - DEEPEST) * b for a, b in mixed]
            assert _contrast(theme[rule], shade) >= 4.5
            assert _contrast(theme["ink"], shade) >= 4.5
        for ground in ("ground", "raised"):
            assert _contrast(theme["faint"], theme[ground]) >= 4.5

"""Strips: what is best from where to where."""

from math import nan

import pytest

from baserate.displays.strip import StripDisplay
from baserate.facts.comparison import SpanFact

SPANS = (
    SpanFact(low=0.0, high=0.2, best=("always yes",)),
    SpanFact(low=0.2, high=0.5, best=("A", "B")),
    SpanFact(low=0.5, high=0.6, best=("a classifier with a rather long name",)),
    SpanFact(low=0.6, high=0.9, best=("B",)),
    SpanFact(low=0.9, high=1.0, best=("always no",)),
)
NAMES = ("A", "B", "a classifier with a rather long name")


def strip(along="threshold", here=0.3):
    constants = ("always yes", "always no")
    return StripDisplay(SPANS, names=NAMES, constants=constants, along=along, here=here)


def test_every_span_has_its_place_and_the_colour_of_its_first_classifier():
    regions = strip().picture.of("best")
    assert [region.x[:2] for region in regions] == [[s.low, s.high] for s in SPANS]
    assert [region.color for region in regions] == ["grey", "C0", "C2", "C1", "grey"]
    assert [region.hatch for region in regions] == [True, False, False, False, False]
    assert regions[1].name == "A and B"


def test_names_are_written_where_they_have_room_and_beside_the_place_here():
    words = {text.text: text.x for text in strip().picture.of("name")}
    assert words == {"A and B": pytest.approx(0.4), "B": pytest.approx(0.75)}


def test_the_threshold_is_read_as_a_ratio_of_costs_too():
    picture = strip().picture
    ratios = {text: at for at, text in picture.top.ticks}
    assert ratios["1"] == 0.5
    assert (1 - ratios["5"]) / ratios["5"] == pytest.approx(5)
    assert (1 - ratios["1/5"]) / ratios["1/5"] == pytest.approx(1 / 5)
    assert strip("base_rate").picture.top is None


def test_where_one_stands():
    [rule] = strip().picture.of("here")
    assert (rule.at, rule.of) == (0.3, "x")
    assert strip(here=nan).picture.of("here") == ()


def test_a_name_is_in_the_legend_once():
    again = (*SPANS[:2], SpanFact(low=0.5, high=1.0, best=("A", "B")))
    display = StripDisplay(again, names=NAMES, along="base_rate", here=0.1)
    assert [region.name for region in display.picture.of("best")] == ["always yes", "A and B", ""]


def test_both_renderers_and_a_frame():
    display = strip().plot()
    assert len(display.artists_["best"]) == 5
    assert "<svg" in display.to_svg()
    assert display.to_frame("pandas")["best"].tolist()[1] == "A and B"

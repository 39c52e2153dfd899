"""Forests of an audit: what was found group by group, and what would have gone unseen."""

import math
from dataclasses import replace

import pytest

from baserate.counts import ConfusionMatrix
from baserate.displays import AuditForestDisplay
from baserate.facts import AuditedGroup, Finding

HIGH = Finding(
    name="recall", direction="higher", value=0.8, low=0.7, high=0.9, smoothed=0.79, reference=0.5,
    verdict="higher", bounds=(0, 1),
)  # fmt: skip
SAME = replace(
    HIGH, value=0.55, low=0.4, high=0.7, smoothed=0.54, unseen=0.08, verdict="consistent"
)
SMALL = replace(HIGH, value=0.4, low=0.2, high=0.7, smoothed=0.45, unseen=0.3, verdict="too_small")
BLIND = replace(SMALL, unseen=math.inf)
EMPTY = Finding(name="recall", direction="higher", value=math.nan, verdict="undefined")


def forest(*findings, labels="abcdefgh"):
    table = ConfusionMatrix(tp=600, fn=400, fp=100, tn=900)
    groups = [
        AuditedGroup(group={"g": label}, table=table, reference=table, findings=(finding,))
        for label, finding in zip(labels, findings, strict=False)
    ]
    return AuditForestDisplay(groups, metric="recall")


def test_a_zone_holds_the_gaps_that_would_go_unseen_and_is_hatched_where_all_would():
    picture = forest(SAME, SMALL, BLIND).picture
    same, small, blind = picture.of("unseen")
    assert same.x[:2] == [pytest.approx(0.42), pytest.approx(0.58)]
    low, high = picture.x.low, picture.x.high
    assert (low, high) == (pytest.approx(0.17), pytest.approx(0.73))  # 0.2 to 0.7 and a margin
    assert small.x[:2] == [pytest.approx(0.2), high]  # 0.5 - 0.3, and cut off at the end
    assert blind.x[:2] == [low, high]
    assert [zone.hatch for zone in (same, small, blind)] == [False, False, True]


def test_what_differs_has_no_zone_and_a_colour_and_a_shape_of_its_own():
    picture = forest(HIGH, replace(HIGH, verdict="lower", value=0.1), SAME, SMALL).picture
    assert len(picture.of("unseen")) == 2
    signs = {mark.name: (mark.color, mark.shape, mark.hollow) for mark in picture.of("value")}
    assert signs == {
        "higher by more than luck": ("C0", "triangle", False),
        "lower by more than luck": ("C1", "square", False),
        "consistent": ("ink", "circle", False),
        "too small to tell": ("grey", "circle", True),
    }


def test_values_and_intervals_stand_in_the_row_of_their_group():
    first, second = forest(HIGH, SAME).picture.of("value")
    assert (first.x, first.x_low, first.x_high, first.y) == ([0.8], [0.7], [0.9], [0.7])
    assert (second.x, second.y) == ([0.55], [1.7])
    reference, _ = forest(HIGH, SAME).picture.of("reference")
    assert sum(reference.x[:2]) / 2 == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("finding", "words"),
    [
        (HIGH, "higher than 0.50"),
        (SAME, "consistent"),
        (SMALL, "too small to see 0.30"),
        (BLIND, "too small to see any gap"),
        (EMPTY, "undefined"),
        (replace(SMALL, verdict="unresolved"), "no difference seen"),
    ],
)
def test_verdicts_in_words(finding, words):
    [verdict] = forest(finding).picture.of("verdict")
    assert verdict.text == words
    assert words in forest(finding).picture.description


def test_long_names_keep_their_ends():
    [name] = forest(SAME, labels=["Ward " + "x" * 1000 + " 17"]).picture.of("group")
    assert name.text.startswith("Ward x")
    assert name.text.endswith("x 17, n = 2,000")
    assert len(name.text) < 60


def test_nothing_known_at_all_is_still_a_picture():
    picture = forest(EMPTY, EMPTY).picture
    assert picture.x.low < picture.x.high
    assert [text.text for text in picture.of("group")] == ["a, n = 2,000", "b, n = 2,000"]
    assert "<svg" in forest(EMPTY).to_svg()


def test_its_numbers_as_a_frame():
    frame = forest(HIGH, SMALL).to_frame("pandas")
    assert frame["group"].tolist() == ["a", "b"]
    assert frame["unseen"].tolist()[1] == 0.3
    assert frame["verdict"].tolist() == ["higher", "too_small"]


def test_both_renderers_draw_it():
    display = forest(HIGH, SAME, SMALL, BLIND).plot()
    assert len(display.artists_["value"]) == 3
    assert len(display.artists_["unseen"]) == 3
    assert display.to_svg().count("<circle") >= 3

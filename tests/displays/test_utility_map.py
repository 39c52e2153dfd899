"""The map of the paper's story: where A yields more, how surely, and where neither is worth it."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from numpy.testing import assert_allclose

from baserate import ConfusionMatrix, UtilityMatrix, compare_utilities
from baserate.displays import UtilityMapDisplay
from baserate.displays.utility_map import _polyline
from baserate.errors import InvalidArgumentError

# Dyrland, Lundervold and Porta Mana: both tested on 50 positives and 50 negatives.
A = ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
B = ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)
STORY = {"A": A, "B": B}
EQUATIONS = {
    "eq. 4": UtilityMatrix([[15, -335], [-35, 165]]),
    "eq. 5": UtilityMatrix([[45, -335], [-65, 165]]),
}


def inside(x, y, region):
    """Whether a point lies in a polygon, by the number of its edges to the right."""
    xs, ys = np.append(region.x, region.x[0]), np.append(region.y, region.y[0])
    passed = 0
    for k in range(len(xs) - 1):
        if (ys[k] > y) != (ys[k + 1] > y):
            at = xs[k] + (y - ys[k]) / (ys[k + 1] - ys[k]) * (xs[k + 1] - xs[k])
            passed += at > x
    return passed % 2 == 1


def winner(picture, x, y):
    found = [r.name for r in picture.of("best") if inside(x, y, r)]
    return found[0].removesuffix(" yields more") if len(found) == 1 else found


@pytest.fixture(scope="module")
def stakes():
    return UtilityMapDisplay(STORY, probabilities=False, utilities=EQUATIONS)


def test_the_threshold_at_which_the_story_turns(stakes):
    rows = stakes.to_frame("polars").to_dicts()
    turns = [(r["best"], r["tau_low"], r["tau_high"]) for r in rows if r["among"] == "classifiers"]
    assert [name for name, *_ in turns] == ["B", "A"]
    assert turns[0][2] == turns[1][1] == pytest.approx(16 / 19, abs=1e-14)  # 0.8421
    assert turns[0][1] == 0
    assert turns[1][2] == 1


@pytest.mark.parametrize("seed", range(40))
def test_regions_are_where_yields_are_larger(stakes, seed):
    tau, pi = np.random.default_rng(seed).uniform(0.02, 0.98, 2)
    hits, rests = pi * (1 - tau), (1 - pi) * tau
    yields = {n: hits * t.tp / 50 + rests * t.tn / 50 for n, t in STORY.items()}
    assert winner(stakes.picture, tau, pi) == max(yields, key=yields.get)
    constant = max(hits, rests) > max(yields.values())
    assert constant == any(inside(tau, pi, r) for r in stakes.picture.of("constant"))


def test_in_the_story_no_classifier_is_worth_using(stakes):
    """Under both matrices to decide always the same yields more (chance_and_utility, B2)."""
    for point in stakes.picture.of("utilities"):
        assert any(inside(point.x[0], point.y[0], r) for r in stakes.picture.of("constant"))
    thresholds = [point.x[0] for point in stakes.picture.of("utilities")]
    assert thresholds == pytest.approx([10 / 11, 500 / 610])


def test_base_rate_at_which_the_ranking_flips(stakes):
    """Under equation 4 A and B yield the same at a base rate of 0.652174."""
    assert winner(stakes.picture, 10 / 11, 0.654) == "B"
    assert winner(stakes.picture, 10 / 11, 0.650) == "A"


def test_published_coordinates_lie_in_a_hexagon():
    """Their difference is one of two benefits, which lie between 0 and 1 as utilities do."""
    display = UtilityMapDisplay(STORY, coordinates="published", probabilities=False)
    [frame] = display.picture.of("frame")
    corners = {*zip(frame.x, frame.y, strict=True)}
    assert corners == {(1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1), (1, 0)}


@pytest.mark.slow
def test_the_published_coordinates():
    display = UtilityMapDisplay(
        STORY, coordinates="published", utilities=EQUATIONS, probabilities=False
    )
    points = [(p.x[0], p.y[0]) for p in display.picture.of("utilities")]
    assert_allclose(points, [(0.3, -0.6), (0.24, -0.54)], atol=1e-12)
    assert [winner(display.picture, *point) for point in points] == ["A", "B"]
    rng = np.random.default_rng(7)
    for _ in range(60):
        (missed, hit), (alarm, rest) = np.sort(rng.uniform(size=(2, 2)))
        u = UtilityMatrix([[hit, alarm], [missed, rest]])
        asked = compare_utilities(A, B, u).a_better
        assert winner(display.picture, *map(float, u.published)) == ("A" if asked else "B")


@pytest.mark.slow
def test_lines_of_probability_pass_where_it_is_what_they_say():
    display = UtilityMapDisplay(STORY).plot()
    labels = [text.text for text in display.picture.of("contour_label")]
    assert labels == ["5%", "25%", "50%"]
    for label, line in zip(labels, display.artists_["contour"], strict=True):
        tau, pi = (part[40] for part in line.get_data())
        found = compare_utilities(A, B, UtilityMatrix.from_canonical(tau), base_rate=pi, prior=0.5)
        assert 100 * found.probability_a_better == pytest.approx(float(label[:-1]), abs=1e-4)


def test_several_classifiers_and_one_alone():
    both = ConfusionMatrix(tp=30, fn=20, fp=18, tn=32)
    picture = UtilityMapDisplay(STORY | {"C": both}, base_rate=0.1).picture
    assert not picture.of("contour")
    assert {region.name[0] for region in picture.of("best")} == {"A", "B"}  # C never
    alone = UtilityMapDisplay(B).picture
    [region] = alone.of("best")
    assert winner(alone, 0.3, 0.7) == region.name == "the classifier"


def test_hatching_stays_within_its_region():
    """Slanting lines of the corner toward which a miss costs most do not leave it."""
    text = UtilityMapDisplay(STORY, probabilities=False).to_svg(width=500, height=500)
    root = ET.fromstring(text)  # noqa: S314
    lines = [p.get("d") for p in root.iter() if p.get("stroke-opacity") == ".6"]
    lengths = [float(s.split("L")[1].split()[0]) - float(s.split("L")[0].split()[0])
               for d in lines for s in d.split("M")[1:]]  # fmt: skip
    assert 0 < np.mean(lengths) < 150


def test_different_base_rates_of_the_tests():
    other = ConfusionMatrix(tp=9, fn=1, fp=18, tn=32)
    picture = UtilityMapDisplay({"A": A, "B": other}, probabilities=False).picture
    assert not picture.of("base_rate")
    with pytest.raises(InvalidArgumentError, match="base_rate must be stated"):
        UtilityMapDisplay({"A": A, "B": other}, coordinates="published")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"tables": {"A": ConfusionMatrix(tp=0, fn=0, fp=1, tn=1)}}, "A must"),
        ({"base_rate": 0}, r"base_rate must lie in \(0, 1\)"),
        ({"tables": A, "probabilities": True}, "probabilities need two classifiers"),
        ({"utilities": 3}, "utilities must be a UtilityMatrix"),
    ],
)
def test_refusals(wrong, message):
    with pytest.raises(InvalidArgumentError, match=message):
        UtilityMapDisplay(**({"tables": STORY} | wrong))


def test_the_line_of_a_threshold_holds_every_matrix_that_has_it():
    rng = np.random.default_rng(8)
    for _ in range(40):
        (missed, hit), (alarm, rest) = np.sort(rng.uniform(size=(2, 2)))
        u = UtilityMatrix([[hit, alarm], [missed, rest]])
        tau = (rest - alarm) / (rest - alarm + hit - missed)
        x, y = _polyline(tau)
        assert (x[0], y[0], x[-1], y[-1]) == (1, 1, -1, -1)
        at = float(u.published[0])
        assert np.interp(-at, -x, y) == pytest.approx(float(u.published[1]), abs=1e-12)

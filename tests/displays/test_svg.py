"""SVG by hand: well-formed, legible, the same bytes again, extremes kept."""

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from baserate.displays.layout import folded, text_width
from baserate.displays.picture import (
    COLORS,
    Axis,
    Band,
    Histogram,
    Line,
    Picture,
    Points,
    Region,
    Rule,
    Text,
)
from baserate.displays.svg_writer import escape, style_sheet, svg, thinned

NAMESPACE = "{http://www.w3.org/2000/svg}"
UNIT = Axis(label="x", low=0, high=1)
EVIL = ["<script>alert(1)</script>", '"onmouseover="x', "\u202eback", "\x1b[31m", "a&b", "\x00"]


def pictured(*marks, **about):
    given = {"title": "Title", "description": "In words.", "x": UNIT, "y": UNIT, **about}
    return Picture(marks=marks, **given)


def parsed(picture, **how):
    return ET.fromstring(svg(picture, **how))  # noqa: S314 - our own text


def line_of(picture):
    """Return the points of the only line, and in how many parts it is."""
    drawn = parsed(picture).iter(f"{NAMESPACE}path")
    [path] = [e.get("d") for e in drawn if e.get("stroke-linejoin")]
    return points(path), path.count("M")


def texts(root):
    return ["".join(e.itertext()) for e in root.iter(f"{NAMESPACE}text")]


def points(path):
    """Return the points of a path of straight lines."""
    return np.array(
        [[float(v) for v in p.split(",")] for p in re.findall(r"[-\d.]+,[-\d.]+", path)]
    )


ALL = (
    Line(key="line", x=[0, 1], y=[0, 1], name="a line", style="dashed"),
    Band(key="band", x=[0, 1], low=[0, 0.1], high=[0.2, 0.9], name="a band"),
    Points(
        key="points", x=[0.2, 0.5], y=[0.3, 0.4], y_low=[0.1, 0.2], y_high=[0.4, 0.8],
        x_low=[0.1, 0.4], x_high=[0.3, 0.6], name="points", shape="square",
    ),
    Points(key="best", x=0.5, y=0.5, hollow=True, shape="diamond", name="best"),
    Points(key="other", x=0.5, y=0.2, shape="triangle"),
    Rule(key="rule", at=0.5, of="x", name="a rule"),
    Rule(key="level", at=0.5),
    Region.box((0, 0.2), (0, 0.2), key="zone", hatch=True, name="undefined"),
    Histogram(key="bars", edges=[0, 0.5, 1], heights=[0.2, -0.1], name="bars", base=0.2),
    Text(key="text", x=0.5, y=0.5, text="words", bold=True, anchor="end", color="ink"),
)  # fmt: skip


@pytest.mark.parametrize("width", [200, 390, 480, 1200])
def test_every_mark_is_well_formed_and_named(width):
    root = parsed(pictured(*ALL), width=width)
    for name in ("a line", "a band", "points", "best", "a rule", "undefined", "bars", "words"):
        assert name in texts(root)
    numbers = re.findall(r"nan|inf", svg(pictured(*ALL), width=width).split("</style>")[1])
    assert not numbers


def test_it_has_a_role_a_title_and_a_description():
    root = parsed(pictured())
    assert root.get("role") == "img"
    title, description = root.find(f"{NAMESPACE}title"), root.find(f"{NAMESPACE}desc")
    assert (title.text, description.text) == ("Title", "In words.")
    assert root.get("aria-labelledby").split() == [title.get("id"), description.get("id")]


@pytest.mark.parametrize("text", EVIL)
def test_whatever_a_name_holds_is_text(text):
    mark = Line(key="line", x=[0, 1], y=[0, 1], name=text)
    words = Text(key="text", x=0.5, y=0.5, text=text)
    axis = Axis(label=text, low=0, high=1, ticks=((0.5, text),))
    root = parsed(pictured(mark, words, title=text, description=text, x=axis, y=axis), width=2000)
    assert {e.tag.removeprefix(NAMESPACE) for e in root.iter()} <= {
        "svg", "title", "desc", "style", "rect", "path", "text", "circle",
    }  # fmt: skip
    assert not any(name.startswith("on") for e in root.iter() for name in e.attrib)
    shown = [t for t in texts(root) if t]
    assert shown
    assert all(sign.isprintable() for t in shown for sign in t)


def test_no_font_or_script_is_fetched():
    text = svg(pictured(*ALL)).replace("http://www.w3.org/2000/svg", "")
    assert "http" not in text
    assert "url(" not in text
    assert "<script" not in text


def test_the_same_picture_gives_the_same_bytes():
    assert svg(pictured(*ALL)) == svg(pictured(*ALL))
    assert svg(pictured(*ALL)) != svg(pictured(*ALL[1:]))


def test_a_page_brings_the_colours_once():
    inner = svg(pictured(*ALL), alone=False)
    assert "<style" not in inner
    used = set(re.findall(r'class="[sf]-(\w+)', inner))
    assert used <= COLORS.keys()
    assert all(f".s-{name}{{" in style_sheet() for name in used)


def test_a_line_is_interrupted_at_nan():
    line = Line(key="line", x=[0, 0.2, 0.4, 0.6, 0.8], y=[0.1, 0.2, np.nan, 0.4, 0.9])
    path, parts = line_of(pictured(line))
    assert (len(path), parts) == (4, 2)


def test_a_band_is_interrupted_at_nan_of_either_limit():
    x = np.linspace(0, 1, 6)
    low, high = np.full(6, 0.1), np.full(6, 0.5)
    low[2] = high[4] = np.nan
    text = svg(pictured(Band(key="band", x=x, low=low, high=high)))
    [path] = re.findall(r'<path class="f-C0"[^>]* d="([^"]*)"', text)
    assert path.count("M") == path.count("z") == 3


def test_infinite_values_run_off_the_picture():
    line = Line(key="line", x=[0, 0.5, 1], y=[0, np.inf, 0])
    assert line_of(pictured(line))[0][1][1] == -1e5


def test_logarithmic_axes_place_by_ratio():
    axis = Axis(label="n", low=1, high=100, scale="log")
    path, _ = line_of(pictured(Line(key="line", x=[1, 10, 100], y=[0, 1, 0]), x=axis))
    x = path[:, 0]
    assert x[1] - x[0] == pytest.approx(x[2] - x[1], abs=0.11)


def test_thinning_keeps_what_can_be_seen():
    random = np.random.default_rng(0)
    x, y = np.sort(random.random(100_000)) * 400, random.random(100_000) * 300
    y[54_321], y[12_345] = -50.0, 999.0
    kept_x, kept_y = thinned(x, y)
    assert len(kept_x) <= 4 * 1600
    assert (kept_y.min(), kept_y.max()) == (-50.0, 999.0)
    assert (kept_x[0], kept_x[-1]) == (round(x[0], 1), round(x[-1], 1))
    assert (kept_y[0], kept_y[-1]) == (round(y[0], 1), round(y[-1], 1))
    for column in range(0, 400, 7):  # the outline is that of all points
        inside, kept = (a[0][(a[0] >= column) & (a[0] < column + 1)] for a in ((x,), (kept_x,)))
        assert len(kept) > 0 or len(inside) == 0


def test_thinning_leaves_out_points_on_straight_lines_but_no_turn():
    x, y = thinned(np.array([0.0, 1, 2, 3, 2]), np.array([0.0, 1, 2, 3, 2]))
    assert x.tolist() == [0, 3, 2]
    assert y.tolist() == [0, 3, 2]


def test_a_turn_that_is_written_twice_stays():
    """Both sides of a band of steps have every corner twice."""
    x, y = thinned(np.array([0.0, 0, 5, 5, 9, 9]), np.array([0.0, 0, 8, 8, 9, 9]))
    assert x.tolist() == [0, 5, 9]
    assert y.tolist() == [0, 8, 9]


def test_a_square_is_square_and_an_aspect_is_kept():
    def sides(**how):
        root = parsed(pictured(**how), width=390)
        inner = next(e for e in root.iter(f"{NAMESPACE}svg") if e is not root)
        return float(inner.get("width")), float(inner.get("height"))

    wide, tall = sides(square=True)
    assert tall == pytest.approx(wide, abs=0.5)
    wide, tall = sides(aspect=1.25)
    assert tall == pytest.approx(1.25 * wide, abs=0.5)


@pytest.mark.parametrize("width", [390, 1200])
def test_nothing_lies_beyond_the_picture(width):
    long = [
        Line(key="c", x=[0, 1], y=[0, 1], name=f"curve {k} " + "of many words " * k)
        for k in range(9)
    ]
    root = parsed(pictured(*ALL, *long, title="A title of many words " * 9), width=width)
    _, _, wide, tall = map(float, root.get("viewBox").split())
    for e in root.iter(f"{NAMESPACE}text"):
        if e.get("x"):
            x, y, reach = float(e.get("x")), float(e.get("y")), text_width("".join(e.itertext()))
            left = x - {"middle": reach / 2, "end": reach}.get(e.get("text-anchor"), 0)
            assert left >= -1
            assert left + reach <= wide + 1
            assert 0 < y < tall


def test_long_names_fold_before_they_are_shortened():
    lines = folded("one two three four five six seven", 60)
    assert len(lines) == 3
    assert lines[-1].endswith("…")
    assert all(text_width(line) <= 60 for line in lines)
    assert folded("short", 200) == ["short"]
    assert len(folded("x" * 10_000, 100)[0]) < 20


def test_characters_that_cannot_be_seen_are_spelled_out():
    assert escape("a\u202eb\n") == "a\\u202eb\\n"
    assert escape("<&>\"'") == "&lt;&amp;&gt;&quot;&#39;"


def rows_of(names, told, **how):
    """Return a picture of rows as a forest has them, drawn."""
    x = Axis(label="recall", low=0, high=1)
    ends = {"low": len(names) - 0.5, "high": -0.5}
    ticks = [tuple((float(i), text) for i, text in enumerate(each)) for each in (names, told)]
    left = Axis(label="positives of cases", ticks=ticks[0], **ends)
    right = Axis(label="", ticks=ticks[1], **ends)
    dots = Points(key="curve", x=[0.2] * len(names), y=list(range(len(names))))
    about = {"title": "", "x": x, "y": left, "right": right, "height": 37.0 * len(names)}
    return parsed(pictured(dots, **about), **how)


NAMES = ("teacher, nurse, skilled\n480 of 1,834", "white-collar\n965 of 2,783")
TOLD = ("0.15 (0.13 to 0.16)\nlower, adjusted p < 0.001", "0.22 (0.20 to 0.23)\nhigher")


def dots_of(root):
    return [(float(e.get("cx")), float(e.get("cy"))) for e in root.iter(f"{NAMESPACE}circle")]


def test_rows_in_little_room_have_whole_names_above_them():
    root = rows_of(NAMES, TOLD, width=440)
    words = {"".join(e.itertext()): float(e.get("y")) for e in root.iter(f"{NAMESPACE}text")
             if e.get("y")}  # fmt: skip
    assert "480 of 1,834 (positives of cases)" in words
    (left, first), (_, second) = dots_of(root)
    assert words["teacher, nurse, skilled"] == words["0.15 (0.13 to 0.16)"] < first
    assert first < words["white-collar"] < words["965 of 2,783"] < second
    assert left < 0.2 * 440 + 20  # 0.2 of almost the whole width


def test_rows_with_room_have_names_beside_them():
    root = rows_of(NAMES, TOLD, width=900)
    assert "480 of 1,834" in texts(root)
    assert dots_of(root)[0][0] > text_width("teacher, nurse, skilled")
    long = "lower, adjusted p < 0.001"
    [begun] = [float(e.get("x")) for e in root.iter(f"{NAMESPACE}text") if e.text == long]
    assert 900 - 20 < begun + text_width(long) <= 900  # no more room than the longest needs


@pytest.mark.parametrize(("x", "anchor"), [(0.99, "start"), (0.01, "end"), (0.98, "middle")])
def test_words_within_a_picture_do_not_run_off_it(x, anchor):
    text = "a name of some length"
    found = parsed(pictured(Text(key="t", x=x, y=0.5, text=text, anchor=anchor)), width=440)
    [word] = [e for e in found.iter(f"{NAMESPACE}text") if "".join(e.itertext()) == text]
    share = {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor]
    left = float(word.get("x")) - share * text_width(text)
    assert 0 <= left <= 440 - text_width(text)


def test_names_above_rows_break_the_lines_that_cross_them():
    root = rows_of(NAMES, TOLD, width=440)
    parts = [(e.tag.removeprefix(NAMESPACE), e.get("class") or "") for e in root.iter()]
    named = [i for i, (tag, kind) in enumerate(parts) if tag == "text" and "halo" in kind]
    assert named
    assert min(named) > max(i for i, (tag, _) in enumerate(parts) if tag == "circle")


def test_hatching_runs_at_half_a_right_angle_and_stays_within_its_box_and_that_of_the_legend():
    root = parsed(pictured(Region.box((0, 0.2), (0, 0.2), key="zone", hatch=True, name="none")))
    paths = root.iter(f"{NAMESPACE}path")
    hatches = [path.get("d") for path in paths if path.get("stroke-opacity")]
    assert len(hatches) == 2  # the region, and what stands for it in the legend
    [box] = [r for r in root.iter(f"{NAMESPACE}rect") if r.get("width") == "22"]
    for path in hatches:
        ends = np.array(re.findall(r"[ML](\S+?) ([-\d.]+)", path), dtype=float).reshape(-1, 2, 2)
        assert len(ends) > 1
        across, down = (ends[:, 1] - ends[:, 0]).T
        np.testing.assert_allclose(across, -down, atol=0.11)  # coordinates are rounded
        assert (across > 0).all()
    left, top = float(box.get("x")), float(box.get("y"))
    inside = ends.reshape(-1, 2)
    assert left - 0.06 <= inside[:, 0].min() < inside[:, 0].max() <= left + 22.06
    assert top - 0.06 <= inside[:, 1].min() < inside[:, 1].max() <= top + 10.06

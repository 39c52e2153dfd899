"""Pictures on matplotlib axes: every mark, no setting touched, what was there stays."""

from io import BytesIO

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from baserate import sweep
from baserate.displays import RocDisplay
from baserate.displays.matplotlib_axes import draw
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

mpl.use("Agg")

UNIT = Axis(label="x", low=0, high=1)
ALL = (
    Line(key="line", x=[0, 1], y=[0, 1], name="a line", style="dashed"),
    Band(key="band", x=[0, 1], low=[0, 0.1], high=[0.2, 0.9], name="a band"),
    Points(key="points", x=[0.2, 0.5], y=[0.3, 0.4], y_low=[0.1, 0.2], y_high=[0.4, 0.8]),
    Points(key="best", x=0.5, y=0.5, hollow=True, shape="diamond", name="best"),
    Rule(key="rule", at=0.5, of="x", name="a rule"),
    Rule(key="level", at=0.25),
    Region.box((0, 0.2), (0, 0.2), key="zone", hatch=True, name="undefined"),
    Histogram(key="bars", edges=[0, 0.5, 1], heights=[0.2, -0.1], base=0.2, name="bars"),
    Text(key="text", x=0.5, y=0.5, text="words $x^2$", bold=True),
)


def pictured(*marks, **about):
    given = {"title": "Title", "description": "", "x": UNIT, "y": UNIT, **about}
    return Picture(marks=marks, **given)


def axes():
    return Figure().subplots()


def color_of(line):
    return line.get_color()


def test_every_mark_is_drawn_with_its_data():
    ax = axes()
    found = draw(pictured(*ALL), ax, {})
    assert set(found) == {mark.key for mark in ALL}
    [line], [band], [points], [bars] = (found[k] for k in ("line", "band", "points", "bars"))
    assert line.get_xydata().tolist() == [[0, 0], [1, 1]]
    corners = band.get_paths()[0].vertices
    assert {(1.0, 0.1), (1.0, 0.9), (0.0, 0.2)} <= set(map(tuple, corners.tolist()))
    assert points.lines[0].get_xydata().tolist() == [[0.2, 0.3], [0.5, 0.4]]
    [reach] = points.lines[2]
    assert [segment[:, 1].tolist() for segment in reach.get_segments()] == [[0.1, 0.4], [0.2, 0.8]]
    assert [bar.get_height() for bar in bars] == [0.2, -0.1]
    assert found["rule"][0].get_xdata() == [0.5, 0.5]
    assert found["level"][0].get_ydata() == [0.25, 0.25]
    assert found["zone"][0].get_hatch()
    assert found["best"][0].lines[0].get_markerfacecolor() == "white"
    file = BytesIO()
    ax.figure.savefig(file, format="png")
    assert file.getvalue().startswith(b"\x89PNG")


def test_text_is_verbatim():
    ax = axes()
    [text] = draw(pictured(*ALL, title="costs $5 and $6"), ax, {})["text"]
    assert text.get_text() == r"words \$x^2\$"
    assert ax.get_title(loc="left") == r"costs \$5 and \$6"
    ax.figure.canvas.draw()


def test_settings_are_untouched():
    before = dict(mpl.rcParams)
    swept = sweep([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    RocDisplay(swept).plot().figure_.canvas.draw()
    assert dict(mpl.rcParams) == before


def test_ends_and_ticks_are_those_of_the_picture():
    ax = axes()
    draw(
        pictured(
            *ALL,
            y=Axis(label="up", low=-1, high=2),
            x=Axis(label="n", low=1, high=100, scale="log"),
        ),
        ax,
        {},
    )
    assert ax.get_xlim() == (1, 100)
    assert ax.get_ylim() == (-1, 2)
    assert ax.get_xscale() == "log"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("n", "up")
    assert ax.get_xticklabels()[0].get_text() == "1"


def test_data_of_the_user_stay():
    ax = axes()
    [own] = ax.plot([-3, 5], [2, 7], label="mine")
    ax.set_title("my title", loc="left")
    ax.set_xlabel("my label")
    draw(pictured(*ALL), ax, {})
    assert own in ax.lines
    assert ax.get_xlim()[0] <= -3 < 5 <= ax.get_xlim()[1]
    assert ax.get_ylim()[1] >= 7
    assert (ax.get_title(loc="left"), ax.get_xlabel()) == ("my title", "my label")
    assert "mine" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_displays_on_the_same_axes_get_the_colours_that_follow():
    ax = axes()
    first = draw(pictured(Line(key="curve", x=[0, 1], y=[0, 1], name="first")), ax, {})
    marks = [Line(key="curve", x=[0, 1], y=[1, 0], name=f"more {k}", color=f"C{k}") for k in (0, 1)]
    chance = Line(key="chance", x=[0, 1], y=[0, 0], name="chance", color="grey")
    second = draw(pictured(*marks, chance), ax, {})
    third = draw(pictured(marks[0], chance), ax, {})
    lines = [*first["curve"], *second["curve"], *third["curve"]]
    assert [color_of(line) for line in lines] == [COLORS[f"C{k}"][0] for k in range(4)]
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["first", "more 0", "more 1", "chance", "more 0"]


def test_axes_that_were_cleared_begin_again():
    ax = axes()
    draw(pictured(Line(key="curve", x=[0, 1], y=[0, 1])), ax, {})
    ax.clear()
    [line] = draw(pictured(Line(key="curve", x=[0, 1], y=[0, 1])), ax, {})["curve"]
    assert color_of(line) == COLORS["C0"][0]


def test_keywords_of_matplotlib_win():
    ax = axes()
    marks = Line(key="curve", x=[0, 1], y=[0, 1], name="ours"), Rule(key="chance", at=0.5)
    styles = {"curve": {"color": "red", "label": "theirs", "zorder": 9}, "chance": {"alpha": 0.5}}
    found = draw(pictured(*marks), ax, styles)
    [line], [rule] = found["curve"], found["chance"]
    assert (color_of(line), line.get_label(), line.get_zorder()) == ("red", "theirs", 9)
    assert rule.get_alpha() == 0.5


def test_names_that_begin_with_an_underscore_are_in_the_legend():
    ax = axes()
    draw(pictured(Line(key="curve", x=[0, 1], y=[0, 1], name="_hidden")), ax, {})
    [text] = ax.get_legend().get_texts()
    assert text.get_text().endswith("_hidden")


def test_a_gap_is_a_gap_and_infinity_is_far_away():
    ax = axes()
    line = Line(key="curve", x=[0, 0.2, 0.4, 0.6], y=[0.1, np.nan, np.inf, 0.3])
    [drawn] = draw(pictured(line), ax, {})["curve"]
    y = drawn.get_ydata()
    assert np.isnan(y[1])
    assert 100 < y[2] < np.inf
    assert ax.get_ylim() == (0, 1)


def test_bars_of_unknown_reach_are_not_drawn():
    ax = axes()
    points = Points(key="points", x=[0.5], y=[0.5], y_low=[np.nan], y_high=[np.nan])
    [drawn] = draw(pictured(points), ax, {})["points"]
    [reach] = drawn.lines[2]
    assert [segment[:, 1].tolist() for segment in reach.get_segments()] == [[0.5, 0.5]]


@pytest.mark.parametrize("aspect", [0.5, 1.25])
def test_the_box_has_the_aspect_of_the_picture(aspect):
    ax = axes()
    draw(pictured(*ALL, aspect=aspect), ax, {})
    assert ax.get_box_aspect() == aspect


def test_axes_of_their_own_hold_title_and_legend():
    from matplotlib import pyplot as plt

    names = {
        f"classifier number {k} of the long names": sweep([0, 1, 0, 1], [k, 2, 3, 4])
        for k in range(9)
    }
    display = RocDisplay(names).plot()
    figure = display.figure_
    figure.canvas.draw()
    outer = figure.bbox
    for artist in (display.ax_.get_legend(), display.ax_.xaxis.label):
        box = artist.get_window_extent()
        assert box.y0 >= outer.y0 - 1
        assert box.x1 <= outer.x1 + 1
    assert display.ax_.get_tightbbox().y1 <= outer.y1 + 1
    plt.close(figure)


def test_a_long_title_is_folded_and_keeps_its_middle():
    title = " ".join(f"word{k}" for k in range(20))
    ax = Figure(figsize=(8, 4)).subplots()
    draw(pictured(*ALL, title=title), ax, {})
    assert ax.get_title(loc="left").split() == title.split()

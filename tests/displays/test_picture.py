"""Pictures as records: axes, their ticks, legends."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from baserate.displays.picture import (
    Axis,
    Line,
    Picture,
    Region,
    Rule,
    flat,
    series_color,
    series_style,
)


@pytest.mark.parametrize(
    ("low", "high", "written"),
    [
        (0, 1, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (0, 0.05, ["0.00", "0.01", "0.02", "0.03", "0.04", "0.05"]),
        (-1, 1, ["-1.0", "-0.5", "0.0", "0.5", "1.0"]),
        (0, 1200, ["0", "200", "400", "600", "800", "1,000", "1,200"]),
        (0, 1e-9, ["0", "2e-10", "4e-10", "6e-10", "8e-10", "1e-09"]),
        (-1e300, 1e300, ["-1e+300", "-5e+299", "0", "5e+299", "1e+300"]),
        (1, 0, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
    ],
)
def test_ticks_are_few_and_round(low, high, written):
    ticks = Axis(label="x", low=low, high=high).marked()
    assert [text for _, text in ticks] == written
    assert [float(text.replace(",", "")) for text in written] == pytest.approx(
        [at for at, _ in ticks]
    )


@pytest.mark.parametrize("step", [0.1, 0.25, 1, 2.5, 1000])
@pytest.mark.parametrize("start", [-7.3, 0.0, 0.11, 12345.0])
def test_ticks_lie_within_and_say_where(start, step):
    axis = Axis(label="x", low=start, high=start + 5 * step)
    for at, text in axis.marked():
        assert axis.low - 1e-9 <= at <= axis.high + 1e-9
        assert float(text.replace(",", "")) == pytest.approx(at, rel=1e-9, abs=1e-9)


def test_an_axis_without_length_has_no_ticks():
    assert Axis(label="x", low=1, high=1).marked() == ()
    assert Axis(label="x", low=float("nan"), high=1).marked() == ()


def test_logarithmic_ticks_are_powers_of_ten_with_two_and_five_where_there_is_room():
    few = Axis(label="n", low=10, high=300, scale="log").marked()
    assert [at for at, _ in few] == [10, 20, 50, 100, 200]
    many = Axis(label="n", low=1, high=1e6, scale="log").marked()
    assert [at for at, _ in many] == [10.0**k for k in range(7)]
    tiny = Axis(label="n", low=1e-30, high=1.0, scale="log").marked()
    assert 3 <= len(tiny) <= 8


def test_places_are_shares_of_the_axis():
    assert Axis(label="x", low=-1, high=3).place([-1, 0, 3]).tolist() == [0, 0.25, 1]
    assert Axis(label="x", low=3, high=-1).place([-1, 3]).tolist() == [1, 0]
    log = Axis(label="x", low=1, high=100, scale="log").place([1, 10, 100])
    assert log == pytest.approx([0, 0.5, 1])


def test_what_has_no_logarithm_has_no_place_and_no_warning():
    axis = Axis(label="x", low=1, high=100, scale="log")
    assert axis.place([0.0]).tolist() == [-np.inf]
    assert np.isnan(axis.place([-1.0])).all()


def test_ticks_given_are_kept_within_the_ends():
    axis = Axis(label="x", low=0, high=1, ticks=((-1, "a"), (0.5, "b"), (2, "c")))
    assert axis.marked() == ((0.5, "b"),)


def test_the_legend_names_each_name_once():
    marks = flat([Line(key="a", x=[0], y=[0], name="one"), [Rule(key="b", at=0.5, name="one")]])
    axis = Axis(label="", low=0, high=1)
    picture = Picture(title="", description="", x=axis, y=axis, marks=marks)
    assert picture.legend == marks[:1]
    assert picture.of("b") == marks[1:]


def test_a_square_has_sides_of_the_same_length():
    axis = Axis(label="", low=0, high=1)
    about = {"title": "", "description": "", "x": axis, "y": axis, "marks": ()}
    assert Picture(**about, square=True).proportion == 1
    assert Picture(**about, aspect=1.25).proportion == 1.25
    assert Picture(**about).proportion is None


def test_a_box_is_a_polygon_of_four_corners():
    box = Region.box((0, 1), (2, 3), key="zone")
    assert sorted(zip(box.x, box.y, strict=True)) == [(0, 2), (0, 3), (1, 2), (1, 3)]


def test_neighbouring_series_differ_in_colour_and_no_series_is_dashed_like_chance():
    looks = [(series_color(k), series_style(k)) for k in range(8)]
    assert len(set(looks)) == 8
    assert "dashed" not in {style for _, style in looks}
    assert len({style for _, style in looks[:6]}) == 6


def test_shares_near_both_ends_are_placed_by_their_odds():
    """Odds of 1/9999, 1/99, 1, 99 and 9999."""
    axis = Axis(label="", low=1e-4, high=1 - 1e-4, scale="logit")
    places = np.log([1 / 9999, 1 / 99, 1, 99, 9999]) / np.log(9999) / 2 + 0.5
    assert_allclose(axis.place([1e-4, 0.01, 0.5, 0.99, 1 - 1e-4]), places, rtol=1e-10, atol=1e-10)
    assert [text for _, text in axis.marked()] == [
        "0.0001", "0.001", "0.01", "0.1", "0.5", "0.9", "0.99", "0.999", "0.9999",
    ]  # fmt: skip

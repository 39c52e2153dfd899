"""Confusion matrices as pictures: what is in the cells, and whether it can be read."""

from fractions import Fraction
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from scipy.stats import beta

import baserate as br
from baserate.displays import ConfusionDisplay
from baserate.displays.picture import COLORS
from baserate.errors import InvalidArgumentError

SVG = "{http://www.w3.org/2000/svg}"
WHITE = br.ConfusionMatrix(tp=77, fn=129, fp=380, tn=1679)
BLACK = br.ConfusionMatrix(tp=273, fn=170, fp=1043, tn=1692)
GROUNDS = "#ffffff", "#12171e"


def texts(display, **sizes):
    tree = ET.fromstring(display.to_svg(**sizes))  # noqa: S314 - our own
    return [element.text for element in tree.iter(f"{SVG}text")]


def test_cells_are_shares_of_their_row_with_intervals_of_jeffreys():
    found = {cell.cell: cell for cell in ConfusionDisplay(WHITE).cells}
    assert found["tp"].share == float(Fraction(77, 206))
    assert found["tn"].share == float(Fraction(1679, 2059))
    ends = beta.ppf([0.025, 0.975], 380 + 0.5, 1679 + 0.5)
    np.testing.assert_allclose((found["fp"].low, found["fp"].high), ends, rtol=1e-9)


def test_shades_follow_shares_and_places_have_truth_in_rows():
    shades = ConfusionDisplay(WHITE).picture.of("cell")
    assert [shade.color for shade in shades] == ["good", "bad", "bad", "good"]
    shares = [77 / 206, 129 / 206, 380 / 2059, 1679 / 2059]
    np.testing.assert_allclose([shade.opacity for shade in shades], 0.06 + 0.39 * np.array(shares))
    middles = [(np.mean(shade.x), np.mean(shade.y)) for shade in shades]
    np.testing.assert_allclose(middles, [(0, 0.5), (1, 0.5), (0, 1.5), (1, 1.5)])


def test_svg_says_what_is_in_the_cells():
    shown = texts(ConfusionDisplay(WHITE, labels=("re-arrest", "none")))
    for text in ("1,679", "not flagged", "missed", "37% (31% to 44%)", "predicted re-arrest"):
        assert text in shown
    assert "Confusion matrix: 2,265 cases, 206 positive" in " ".join(shown)


def test_axes_of_matplotlib_say_the_same():
    pytest.importorskip("matplotlib").use("Agg")
    display = ConfusionDisplay.from_table({"white": WHITE, "black": BLACK})
    words = {text.get_text() for text in display.ax_.texts}
    assert {"white", "black", "77", "1,692", "62% (57% to 66%)"} <= words
    assert [mark.text for mark in display.picture.of("name") if mark.bold] == ["white", "black"]
    assert len(display.artists_["cell"]) == 8
    assert display.ax_.get_ylim() == (5.0, 0.0)


def luminance(color):
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def blended(color, ground, opacity):
    pairs = ((int(color[i : i + 2], 16), int(ground[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(opacity * a + (1 - opacity) * b):02x}" for a, b in pairs)


@pytest.mark.parametrize("color", ["good", "bad"])
@pytest.mark.parametrize("theme", [0, 1])
@pytest.mark.parametrize("share", [0, 0.5, 1])
def test_words_contrast_with_every_shade(color, theme, share):
    table = br.ConfusionMatrix(tp=100 * share, fn=100 - 100 * share, fp=1, tn=1)
    shade = ConfusionDisplay(table).picture.of("cell")[0]
    ground = luminance(blended(COLORS[color][theme], GROUNDS[theme], shade.opacity))
    ink = luminance(COLORS["ink"][theme])
    light, dark = max(ground, ink), min(ground, ink)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_rows_without_cases_are_hatched():
    display = ConfusionDisplay(br.ConfusionMatrix(tp=0, fn=0, fp=3, tn=9))
    assert len(display.picture.of("undefined")) == 2
    assert all(mark.hatch for mark in display.picture.of("undefined"))
    assert "no such cases" in texts(display)


def test_weights_have_no_intervals_and_the_title_says_so():
    display = ConfusionDisplay(br.ConfusionMatrix(tp=1.5, fn=0.5, fp=2, tn=2))
    assert "no intervals: weights" in display.picture.title
    assert "75%" in texts(display)


def test_long_and_hostile_names_stay_text():
    display = ConfusionDisplay({"<script>" * 2000: WHITE, "a\nb": BLACK})
    shown = texts(display)
    assert max(map(len, shown)) < 200
    assert "a\\nb" in shown


def test_frame_holds_the_numbers_drawn():
    frame = ConfusionDisplay(WHITE).to_frame("pandas")
    assert frame["cases"].tolist() == [77, 129, 380, 1679]
    assert frame["share"].tolist() == [77 / 206, 129 / 206, 380 / 2059, 1679 / 2059]


def test_too_many_tables_are_refused():
    with pytest.raises(InvalidArgumentError, match="12 at most"):
        ConfusionDisplay({str(k): WHITE for k in range(13)})

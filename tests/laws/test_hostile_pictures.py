"""Names of classifiers and groups are plain text in every display, by both renderers."""

import io
import re
from itertools import product
from xml.etree import ElementTree as ET

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt
from matplotlib.text import Text

import baserate as br
from baserate import displays
from baserate.displays import ScoreDisplay, TableDisplay
from quick import one_in

mpl.use("Agg")

NAMES = {
    "mathematics": r"$\frac{$ $x_1^2$ \$5 {",
    "hidden": "_under_score_",
    "markup": "<script>alert(1)</script>\"onmouseover='x'&amp;]]>",
    "control": "\x00a\x1b[2J\x9b31m\r\n\t\x7f\u2028\udc80",
    "bidi": "\u202eab\u2066\u200f\u061c",
    "leftward": "\u05d0\u05d1 1",
    "long": "<b>" + "x" * 10_000,
    "empty": " ",
}
TABLES = [
    br.ConfusionMatrix(tp=27, fn=23, fp=15, tn=35),
    br.ConfusionMatrix(tp=43, fn=7, fp=18, tn=32),
]
SWEEPS = [
    br.sweep([0, 1, 0, 1, 1, 0] * 4, [k / 30 + 0.1 * (k % 3) for k in range(24)]),
    br.sweep([0, 1, 0, 1, 1, 0] * 4, [k / 24 for k in range(24)]),
]
DRAWN = [
    name
    for name in displays.__all__
    if isinstance(found := getattr(displays, name), type)
    and issubclass(found, ScoreDisplay | TableDisplay)
    and found not in (ScoreDisplay, TableDisplay)
]
PAIRS = [("mathematics", "hidden"), ("control", "markup"), ("leftward", "bidi"), ("long", "empty")]
ALONE = {"ChanceDisplay"}  # of one table
ELEMENTS = {"svg", "title", "desc", "style", "rect", "path", "text", "circle", "g", "tspan"}


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def made(display, kinds):
    kept = getattr(displays, display)
    held = SWEEPS if issubclass(kept, ScoreDisplay) else TABLES
    names = [NAMES[kind] for kind in kinds[: 1 if display in ALONE else 2]]
    return kept(dict(zip(names, held, strict=False)))


def unprintable(text):
    return [sign for sign in text if not (sign.isprintable() or sign in "\n\u200b\u200e")]


def test_all_twelve_are_here():
    assert len(DRAWN) == 12, DRAWN


@pytest.mark.parametrize(("display", "kinds"), one_in(3, product(DRAWN, PAIRS)))
class TestNames:
    @pytest.mark.sweep(16, start=12)
    def test_svg_is_whole_and_has_no_element_of_theirs(self, display, kinds):
        text = made(display, kinds).to_svg()
        text.encode("utf-8")
        root = ET.fromstring(text)  # noqa: S314 - our own text
        assert {part.tag.partition("}")[2] for part in root.iter()} <= ELEMENTS
        assert not [key for part in root.iter() for key in part.attrib if key.startswith("on")]
        assert unprintable("".join(root.itertext())) == []
        assert len(text) < 400_000

    @pytest.mark.sweep(16, start=13)
    def test_matplotlib_draws_them_as_they_are(self, display, kinds):
        drawn = made(display, kinds).plot()
        drawn.figure_.savefig(io.BytesIO(), format="png", dpi=40)
        written = [part.get_text() for part in drawn.figure_.findobj(Text)]
        assert unprintable("".join(written)) == []
        assert not [text for text in written if re.sub(r"\\\$", "", text).count("$")]
        assert max(map(len, written)) < 1000


def test_a_name_that_begins_with_an_underscore_is_in_the_legend():
    legend = made("RocDisplay", ["hidden"]).plot().ax_.get_legend()
    assert any("_under_score_" in text.get_text() for text in legend.get_texts())

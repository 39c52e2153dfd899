"""Every picture of the docs as pixels: by the browser from SVG, and by matplotlib from the code."""

import io
import re
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt
from PIL import Image

from quick import one_in

mpl.use("Agg")

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "displays.md").read_text(encoding="utf-8")
BLOCKS = {
    name: code
    for code, name in re.findall(r"```python\n(.*?)```.*?pictures/(\w+)\.svg", PAGE, re.DOTALL)
}


def colours(png):
    """Return how many pixels are not of the ground, and how many shades of grey there are."""
    grey = Image.open(io.BytesIO(png)).convert("L")
    counts = grey.histogram()
    ground = max(counts)
    return sum(counts) - ground, sum(n > 5 for n in counts)


def test_every_picture_of_the_page_is_here():
    assert BLOCKS.keys() == {path.stem for path in (DOCS / "pictures").glob("*.svg")}


@pytest.mark.slow
@pytest.mark.parametrize(("width", "dark"), [(480, False), (300, True)])
def test_the_browser_draws_them(open_page, width, dark):
    for name in BLOCKS:
        text = (DOCS / "pictures" / f"{name}.svg").read_text(encoding="utf-8")
        visit = open_page(f"<!DOCTYPE html><title>{name}</title>{text}", width=width, dark=dark)
        drawn, shades = colours(visit.page.locator("svg").first.screenshot())
        assert drawn > 2000, name
        assert shades > 10, name


@pytest.mark.sweep(5, start=2)
@pytest.mark.parametrize("name", one_in(3, BLOCKS))
def test_matplotlib_draws_them(name):
    exec(compile(BLOCKS[name], f"{name} in displays.md", "exec"), space := {})  # noqa: S102
    display = next(v for v in reversed(space.values()) if hasattr(v, "picture"))
    for narrower in (1.0, 0.7):
        figure = display.plot().figure_
        figure.set_figwidth(narrower * figure.get_figwidth())
        figure.savefig(file := io.BytesIO(), format="png", dpi=60)
        plt.close("all")
        drawn, shades = colours(file.getvalue())
        assert drawn > 2000
        assert shades > 10

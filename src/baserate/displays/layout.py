"""Where everything of a picture lies, in pixels, and what room its texts take.

Widths of letters are estimated, so that the same picture is laid out alike on every machine.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from baserate._figures import spelled as plain
from baserate.displays.picture import Axis, Floats, Mark, Picture

FONT = 12.0
TITLE = 13.5
BOLD = 1.1  # width of bold letters beside others
LINE = 1.35  # height of a line of text over the size of its letters
LETTER = 0.54  # mean width of a letter over its size, in the fonts of systems
WIDE = 1.0  # of signs that fill a square, such as Chinese ones
TALLEST = 560.0  # pixels between the ends of the y axis, unless a height is given
CROWDED = 0.5  # of the width: rows with longer texts at their sides have them above instead
STACKED = 62.0, 49.0, 24.0  # pixels: of such a row, down to its middle, and of what is drawn


def text_width(text: str, size: float = FONT) -> float:
    """Return about how wide text is, in pixels."""
    return size * sum(WIDE if ord(sign) > 0x2E7F else LETTER for sign in text)


def folded(text: str, width: float, size: float = FONT, most: int = 3) -> list[str]:
    """Return lines of words no wider than this, an ellipsis in place of what does not fit."""
    lines = [""]
    for word in plain(text).split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer, size) <= width or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    shown = [shortened(line, width, size) for line in lines[:most]]
    if len(lines) > most:
        shown[-1] = shortened(f"{shown[-1]} \N{HORIZONTAL ELLIPSIS}", width, size)
    return shown


def shortened(text: str, width: float, size: float) -> str:
    """Return the beginning of a text that is too wide, with an ellipsis."""
    if text_width(text, size) <= width:
        return text
    fits = max(1, int(width / (size * LETTER)) - 1)
    while fits > 1 and text_width(text[:fits], size) > width:
        fits -= 1
    return f"{text[:fits]}\N{HORIZONTAL ELLIPSIS}"


@dataclass(frozen=True, kw_only=True, eq=False)
class PlotFrame:
    """Where everything lies, in pixels: the plot between its four sides, text around it."""

    picture: Picture
    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float
    title: list[str]
    legend: list[tuple[Mark, list[str], float, float]]
    stacked: bool

    @classmethod
    def around(cls, picture: Picture, width: float, height: float | None) -> "PlotFrame":
        """Lay a picture out; as high as it needs, if no height is given."""
        left = min(_widest(picture.y), (0.3 if picture.right else 0.4) * width) + 14
        left += FONT * LINE if picture.y.label else 0
        right = width - 14.0
        stacked = _is_crowded(picture, width)
        tall_rows = picture.height
        if stacked:
            left, tall_rows = 14.0, STACKED[0] * len(picture.y.marked())
        elif picture.right:
            right -= min(_widest(picture.right), 0.38 * width)
        title = folded(picture.title, width - 16, BOLD * TITLE) if picture.title else []
        top = 10 + len(title) * TITLE * LINE + (2.4 * FONT * LINE if picture.top else 4)
        below = 12 + FONT * LINE * (2 if picture.x.label else 1)
        entries, tall = _legend_places(picture, 8.0 if picture.height else left, width - 8)
        if height is None:
            inner = (picture.proportion or 0.62) * (right - left)
            height = top + (tall_rows or min(inner, TALLEST)) + below + tall + 8
        bottom = height - below - tall - 8
        if picture.proportion:
            right = min(right, left + max(40.0, bottom - top) / picture.proportion)
        return cls(
            picture=picture, width=width, height=round(height, 1), left=left, right=right,
            top=top, bottom=max(bottom, top + 40), title=title, legend=entries, stacked=stacked,
        )  # fmt: skip

    def x(self, values: Any) -> Floats:
        """Return how far from the left values lie."""
        return self.left + (self.right - self.left) * self.picture.x.place(values)

    def y(self, values: Any) -> Floats:
        """Return how far from the top values lie."""
        if self.stacked:
            return self._below_names(np.asarray(values, dtype=float))
        return self.bottom - (self.bottom - self.top) * self.picture.y.place(values)

    def _below_names(self, values: Floats) -> Floats:
        """Place rows, which are counted from above, in the lower part of the room of each."""
        n = len(self.picture.y.marked())
        row = np.clip(np.floor(values + 0.5), 0, n - 1)
        tall = (self.bottom - self.top) / n
        _, middle, drawn = (part * tall / STACKED[0] for part in STACKED)
        return self.top + row * tall + middle + (values - row) * drawn


def _is_crowded(picture: Picture, width: float) -> bool:
    """Whether texts at both sides of rows would leave too little to draw in."""
    if picture.right is None or not picture.height:
        return False
    return _widest(picture.y) + _widest(picture.right) > CROWDED * width


def _widest(axis: Axis) -> float:
    lines = (line for _, text in axis.marked() for line in text.split("\n"))
    return max((text_width(plain(line)) for line in lines), default=0.0)


def _legend_places(
    picture: Picture, left: float, right: float
) -> tuple[list[tuple[Mark, list[str], float, float]], float]:
    """Return marks, the lines of their names, places from the upper left, and the height of all."""
    found, x, row, deep = [], 0.0, 0, 0
    for mark in picture.legend:
        lines = folded(mark.name, right - left - 34)
        wide = 34 + max(map(text_width, lines))
        if x and x + wide > right - left:
            x, row, deep = 0.0, row + deep, 0
        found.append((mark, lines, x, row * FONT * LINE))
        x, deep = x + wide + 8, max(deep, len(lines))
    return found, (row + deep) * FONT * LINE + 4 if found else 0.0


def spread(frame: PlotFrame, axis: Axis) -> list[tuple[float, str]]:
    """Return ticks along the bottom, or the top, that do not run into each other."""
    shown: list[tuple[float, str]] = []
    end = -np.inf
    for at, text in sorted((float(frame.x(at)), text) for at, text in axis.marked()):
        half = text_width(text) / 2
        if at - half > end + 4:
            shown.append((at, text))
            end = at + half
    return shown


def within(x: float, wide: float, anchor: str, width: float) -> float:
    """Move words that would run off a side."""
    before = {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
    return max(min(x, width - 4 - wide + before), 4 + before)

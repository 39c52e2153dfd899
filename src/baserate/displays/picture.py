"""A picture as plain records: axes, and marks upon them. Renderers draw it, whatever they draw on.

Colours are names: "C0" to "C7" for one series after the other, and what a mark stands for ("grey"
for chance and references, "positive", "negative", "good", "bad", "zone", "ink").
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import floor, isfinite, log10
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Style = Literal[
    "solid", "dashed", "dotted", "dashdot", "longdash", "dashdotdot", "longshort"
]  # fmt: skip
Shape = Literal["circle", "square", "diamond", "triangle"]
Ticks = tuple[tuple[float, str], ...]

# Light and dark. After Okabe and Ito (2008), Color Universal Design, darkened until lines are told
# from white (3 : 1); series differ in their dashes as well, so that they survive grey print.
COLORS = {
    "C0": ("#14508f", "#8ec1ff"),
    "C1": ("#d55e00", "#fb923c"),
    "C2": ("#00815d", "#4fd1a5"),
    "C3": ("#a8518a", "#e8a6cf"),
    "C4": ("#2a86bd", "#7cc8f5"),
    "C5": ("#8a6d00", "#e6cf4e"),
    "C6": ("#444b55", "#c3cad4"),
    "C7": ("#7a3e00", "#d9a066"),
    "grey": ("#5b6675", "#9aa6b5"),
    "ink": ("#1b2430", "#e4e9f0"),
    "zone": ("#8a94a3", "#8a94a3"),
    "positive": ("#d55e00", "#fb923c"),
    "negative": ("#14508f", "#8ec1ff"),
    "good": ("#14508f", "#8ec1ff"),
    "bad": ("#c2410c", "#fb923c"),
}
STYLES: tuple[Style, ...] = (
    "solid", "longdash", "dashdot", "dotted", "dashdotdot", "longshort"
)  # fmt: skip
SERIES = 8
LONG = 7  # digits before or after the point, from which powers of ten are written


def series_color(index: int) -> str:
    """Return the colour of the series of this number; after eight they begin again.

    Examples
    --------
    >>> from baserate.displays import series_color
    >>> series_color(0), series_color(1), series_color(8)
    ('C0', 'C1', 'C0')
    """
    return f"C{index % SERIES}"


def series_style(index: int) -> Style:
    """Return how the line of this series is dashed: six ways; short dashes are for chance.

    Examples
    --------
    >>> from baserate.displays import series_style
    >>> series_style(0)
    'solid'
    """
    return STYLES[index % len(STYLES)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """What is measured along one side of a picture, and from where to where.

    Attributes
    ----------
    low, high : float
        Ends; `high` may be the smaller one.
    ticks : tuple of (float, str), optional
        Places and what is written there, lines parted by line breaks, of which all but the first
        are fainter. Default: about five round numbers.
    grid : bool
        Whether faint lines cross the picture at the ticks.
    scale : {"linear", "log", "logit"}
        "logit", log(x/(1 - x)), for shares that go to 0 and to 1.
    """

    label: str
    low: float
    high: float
    scale: Literal["linear", "log", "logit"] = "linear"
    ticks: Ticks | None = None
    grid: bool = True

    def marked(self) -> Ticks:
        """Return the ticks within the ends."""
        ends = sorted((self.low, self.high))
        if self.ticks is None:
            return TICKS[self.scale](ends[0], ends[1])
        return tuple((at, text) for at, text in self.ticks if ends[0] <= at <= ends[1])

    def place(self, values: ArrayLike) -> Floats:
        """Return where values lie: 0 at the low end, 1 at the high one."""
        x, ends = np.asarray(values, dtype=float), np.array([self.low, self.high])
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.scale == "logit":
                x, ends = x / (1 - x), ends / (1 - ends)
            if self.scale != "linear":
                x, ends = np.log(x), np.log(ends)
        return (x - ends[0]) / (ends[1] - ends[0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mark:
    """What lies upon the axes.

    Attributes
    ----------
    key : str
        What it is ("curve", "chance", "band"), for whoever restyles or tests it.
    name : str
        Its entry in the legend; empty for none.
    """

    key: str
    name: str = ""
    color: str = "C0"

    def named(self, name: str) -> Self:
        """Return it under another name."""
        return replace(self, name=name)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Line(Mark):
    """A line through points, interrupted at nan."""

    x: Any
    y: Any
    style: Style = "solid"
    width: float = 2.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Band(Mark):
    """All between `low` and `high` at every x, interrupted at nan."""

    x: Any
    low: Any
    high: Any
    opacity: float = 0.2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Points(Mark):
    """Points, hollow or filled, and what they reach to either side: arrays, or None for nothing."""

    x: Any
    y: Any
    shape: Shape = "circle"
    hollow: bool = False
    size: float = 4.5
    x_low: Any = None
    x_high: Any = None
    y_low: Any = None
    y_high: Any = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rule(Mark):
    """A straight line across the whole picture at one value of the axis `of`."""

    at: float
    of: Literal["x", "y"] = "y"
    color: str = "grey"
    style: Style = "dashed"
    width: float = 1.25


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Region(Mark):
    """A filled polygon; hatched where nothing is defined."""

    x: Any
    y: Any
    opacity: float = 0.2
    hatch: bool = False

    @classmethod
    def box(cls, x: tuple[float, float], y: tuple[float, float], **how: Any) -> Self:
        """Return the rectangle between these ends."""
        return cls(x=[x[0], x[1], x[1], x[0]], y=[y[0], y[0], y[1], y[1]], **how)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Histogram(Mark):
    """Bars between neighbouring edges, from `base` up, or down for negative heights."""

    edges: Any
    heights: Any
    base: float = 0.0
    opacity: float = 0.75


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Text(Mark):
    """Words at a point, which they begin at ("start"), lie around ("middle") or end at ("end")."""

    x: float
    y: float
    text: str
    anchor: Literal["start", "middle", "end"] = "start"
    color: str = "grey"
    size: float = 12.0
    bold: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Picture:
    """Axes and marks.

    Attributes
    ----------
    title : str
        What was found, if facts say it; n and events.
    description : str
        The picture in words, for who cannot see it.
    marks : tuple of Mark
        The first lies lowest.
    top : Axis or None
        Another way to read the x axis, with ticks at values of x.
    right : Axis or None
        What is written at the right of places on the y axis.
    height : float or None
        Of the plot itself, in pixels, for pictures made of rows; a line of text is 16 high. The
        legend then lies below.
    square : bool
        Whether both axes have the same length.
    aspect : float or None
        Height of the axes over their width where neither a square nor whatever looks well will do,
        such as for a unit that is as long on both axes of unequal reach.
    """

    title: str
    description: str
    x: Axis
    y: Axis
    marks: tuple[Mark, ...] = field(repr=False)
    top: Axis | None = None
    right: Axis | None = None
    height: float | None = None
    square: bool = False
    aspect: float | None = None

    def of(self, key: str) -> tuple[Any, ...]:
        """Return the marks with this key."""
        return tuple(mark for mark in self.marks if mark.key == key)

    @property
    def proportion(self) -> float | None:
        """Height of the axes over their width; None for whatever looks well."""
        return 1.0 if self.square else self.aspect

    @property
    def legend(self) -> tuple[Mark, ...]:
        """The first mark of every name."""
        first = {mark.name: mark for mark in reversed(self.marks) if mark.name}
        return tuple(mark for mark in self.marks if first.get(mark.name) is mark)


def flat(marks: Iterable[Mark | Sequence[Mark]]) -> tuple[Mark, ...]:
    """Return marks, and those within sequences of marks, in their order."""
    return tuple(mark for item in marks for mark in ((item,) if isinstance(item, Mark) else item))


def _round_numbers(low: float, high: float, most: int = 6) -> Ticks:
    if not (isfinite(low) and isfinite(high) and high > low):
        return ()
    rough = (high - low) / most
    power = 10.0 ** floor(log10(rough))
    step = next(power * m for m in (1, 2, 2.5, 5, 10) if power * m >= rough * (1 - 1e-9))
    first, last = -floor(-low / step + 1e-9), floor(high / step + 1e-9)
    digits = max(0, -floor(log10(step) + 1e-9) + (1 if step / power == 2.5 else 0))
    values = [k * step + 0.0 for k in range(first, last + 1)]
    size = max(map(abs, values), default=0.0)
    if digits > LONG or size >= 10.0**LONG:
        digits = min(16, max(1, floor(log10(size / step) + 1e-9) + 2))
        return tuple((value, f"{value:.{digits}g}") for value in values)
    return tuple((value, f"{value:,.{digits}f}") for value in values)


def _decades(low: float, high: float) -> Ticks:
    """Return powers of ten between the ends, with 2 and 5 between them where these are few."""
    first, last = floor(log10(low)), floor(log10(high))
    digits = (1, 2, 5) if last - first < 3 else (1,)
    apart = 1 + (last - first) // 7
    found = (m * 10.0**k for k in range(first, last + 1) if not (k - first) % apart for m in digits)
    return tuple(
        (at, f"{at:,.12g}" if 1e-4 <= at < 1e6 else f"{at:.0e}")
        for at in found
        if low * (1 - 1e-9) <= at <= high * (1 + 1e-9)
    )


def _shares(low: float, high: float) -> Ticks:
    """Return one half and tenths, hundredths, ... of either end."""
    rare = [10.0**k for k in range(floor(log10(low)), 0)]
    common = [round(1 - 10.0**-k, k) for k in range(1, 1 - floor(log10(1 - high)))]
    ends = low * (1 - 1e-9), 1 - (1 - high) * (1 - 1e-9)
    return tuple((at, f"{at:g}") for at in (*rare, 0.5, *common) if ends[0] <= at <= ends[1])


TICKS = {"linear": _round_numbers, "log": _decades, "logit": _shares}

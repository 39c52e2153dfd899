"""Pictures on matplotlib axes: plain artists, and none of matplotlib's settings touched."""

from collections.abc import Mapping
from functools import singledispatch
from typing import Any

import numpy as np

from baserate._figures import label as plain
from baserate.displays.picture import (
    COLORS,
    Axis,
    Band,
    Histogram,
    Line,
    Mark,
    Picture,
    Points,
    Region,
    Rule,
    Text,
)
from baserate.errors import MissingDependencyError

STYLES = {"solid": "-", "dashed": (0, (5, 3)), "dotted": ":", "dashdot": "-."}
SHAPES = {"circle": "o", "square": "s", "diamond": "D", "triangle": "^"}
WIDTH = 6.4  # inches
LONGEST = 40  # letters in a line of a tick
AROUND = 1.3  # inches above and below a plot made of rows
SCALE = 0.75  # points to a pixel
BELOW = 0.45  # inches from the axes to a legend below them


def new_axes(*, square: bool, height: float | None = None) -> Any:
    """Return axes of a figure of their own, of so many pixels' height if it is given.

    Raises
    ------
    MissingDependencyError
        matplotlib is not installed.
    """
    try:
        from matplotlib import pyplot as plt
    except ModuleNotFoundError as error:
        raise MissingDependencyError.from_extra("matplotlib", "plot()", "plot") from error
    if height is not None:
        size = 1.2 * WIDTH, SCALE * height / 72 + AROUND
    else:
        size = WIDTH, WIDTH if square else 0.72 * WIDTH
    _, ax = plt.subplots(figsize=size, layout="constrained")
    return ax


def draw(
    picture: Picture, ax: Any, styles: Mapping[str, Mapping[str, Any]]
) -> dict[str, list[Any]]:
    """Draw a picture on axes; return its artists by the key of their mark.

    Parameters
    ----------
    picture : Picture
    ax : matplotlib.axes.Axes
        What is drawn on it already stays; the ends of its axes then hold both.
    styles : mapping of key to mapping
        Keywords of matplotlib for the marks with this key, in place of ours.
    """
    crowded = ax.has_data()
    artists: dict[str, list[Any]] = {}
    for order, mark in enumerate(picture.marks):
        own = {"zorder": 2 + order / 1000} | dict(styles.get(mark.key, {}))
        artists.setdefault(mark.key, []).append(_drawn(mark, ax, own))
    _set_axis(ax, "x", picture.x, crowded=crowded)
    _set_axis(ax, "y", picture.y, crowded=crowded)
    if picture.square:
        ax.set_box_aspect(1)
    if picture.top is not None and not crowded:
        _set_top(ax, picture.top)
    if picture.right is not None and not crowded:
        _set_right(ax, picture.right)
    if picture.title and not ax.get_title(loc="left"):
        ax.set_title(_verbatim(picture.title), loc="left", fontsize="medium", wrap=True)
    if not crowded:
        ax.grid(visible=True, color="#e3e8ee", linewidth=0.8, zorder=0)
        ax.set_axisbelow(True)
        ax.spines[["top", "right"]].set_visible(False)
    if picture.height is not None:
        ax.tick_params(axis="y", labelsize="small")
    if handles := ax.get_legend_handles_labels()[0]:
        below: dict[str, Any] = {
            "loc": "upper left", "bbox_to_anchor": (0, 0), "borderaxespad": 5, "frameon": False,
            "ncols": min(3, len(handles)),
        }  # fmt: skip
        inside: dict[str, Any] = {"loc": "best", "frameon": True}
        ax.legend(fontsize="small", **(inside if picture.height is None else below))
    return artists


def flat_axes(height: float) -> Any:
    """Return axes of a figure of their own that is as high as so many pixels of SVG."""
    ax = new_axes(square=False)
    ax.figure.set_size_inches(WIDTH, max(2.0, height * WIDTH / 480))
    return ax


def legend_below(ax: Any) -> None:
    """Move the legend below the axes, where it hides nothing."""
    if ax.get_legend() is None:
        return
    from matplotlib.transforms import ScaledTranslation

    below = ax.transAxes + ScaledTranslation(0, -BELOW, ax.figure.dpi_scale_trans)
    place = {"loc": "upper center", "bbox_to_anchor": (0.5, 0), "bbox_transform": below}
    ax.legend(fontsize="small", frameon=False, ncols=3, **place)


def _set_axis(ax: Any, side: str, axis: Axis, *, crowded: bool) -> None:
    ends = axis.low, axis.high
    if crowded:
        low, high = getattr(ax, f"get_{side}lim")()
        if (high > low) == (axis.high > axis.low):
            joined = sorted((low, high, *ends))
            ends = (joined[0], joined[-1]) if high > low else (joined[-1], joined[0])
    if axis.scale == "log":
        getattr(ax, f"set_{side}scale")("log")
    ticks = axis.marked()
    set_ticks = getattr(ax, f"set_{side}ticks")
    set_ticks([at for at, _ in ticks], [_lines(text) for _, text in ticks])
    if axis.scale == "log":
        set_ticks([], minor=True)
    getattr(ax, f"set_{side}lim")(*ends)
    if not getattr(ax, f"get_{side}label")():
        getattr(ax, f"set_{side}label")(_verbatim(axis.label))


def _set_top(ax: Any, axis: Axis) -> None:
    top = ax.secondary_xaxis("top")
    ticks = axis.marked()
    top.set_xticks([at for at, _ in ticks], [_verbatim(text) for _, text in ticks])
    top.set_xlabel(_verbatim(axis.label))


def _set_right(ax: Any, axis: Axis) -> None:
    right = ax.secondary_yaxis("right")
    ticks = axis.marked()
    right.set_yticks([at for at, _ in ticks], [_lines(text) for _, text in ticks])
    right.tick_params(length=0, labelsize="small")
    right.spines["right"].set_visible(False)
    right.set_ylabel(_verbatim(axis.label))


def _verbatim(text: str) -> str:
    """Keep matplotlib from reading mathematics, and names that begin with _ in the legend."""
    return plain(text).replace("$", r"\$")


def _lines(text: str) -> str:
    """Return the lines of a tick, none so long that it takes all the room."""
    lines = (plain(line) for line in text.split("\n"))
    short = (line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…" for line in lines)
    return "\n".join(map(_verbatim, short))


def _named(mark: Mark) -> dict[str, Any]:
    """Return the label of the legend; names that begin with _ would be left out."""
    name = _verbatim(mark.name)
    return {"label": f"\N{ZERO WIDTH SPACE}{name}" if name[:1] == "_" else name} if name else {}


def _color(mark: Mark) -> str:
    return COLORS[mark.color][0]


@singledispatch
def _drawn(mark: Mark, ax: Any, own: dict[str, Any]) -> Any:  # noqa: ARG001 - of its registered ones
    raise TypeError(type(mark).__name__)


@_drawn.register
def _(mark: Line, ax: Any, own: dict[str, Any]) -> Any:
    how = {"color": _color(mark), "linestyle": STYLES[mark.style], "linewidth": SCALE * mark.width}
    [line] = ax.plot(mark.x, mark.y, **(_named(mark) | how | own))
    return line


@_drawn.register
def _(mark: Rule, ax: Any, own: dict[str, Any]) -> Any:
    how = {"color": _color(mark), "linestyle": STYLES[mark.style], "linewidth": SCALE * mark.width}
    along = ax.axhline if mark.of == "y" else ax.axvline
    return along(mark.at, **(_named(mark) | how | own))


@_drawn.register
def _(mark: Band, ax: Any, own: dict[str, Any]) -> Any:
    how = {"color": _color(mark), "alpha": mark.opacity, "linewidth": 0}
    low, high = np.asarray(mark.low, dtype=float), np.asarray(mark.high, dtype=float)
    return ax.fill_between(mark.x, low, high, **(_named(mark) | how | own))


@_drawn.register
def _(mark: Region, ax: Any, own: dict[str, Any]) -> Any:
    how: dict[str, Any] = {"facecolor": _color(mark), "alpha": mark.opacity, "linewidth": 0}
    if mark.hatch:
        how |= {"hatch": "///", "edgecolor": _color(mark)}
    [filled] = ax.fill(mark.x, mark.y, **(_named(mark) | how | own))
    return filled


@_drawn.register
def _(mark: Histogram, ax: Any, own: dict[str, Any]) -> Any:
    how = {"color": _color(mark), "alpha": mark.opacity, "linewidth": 0}
    edges = np.asarray(mark.edges, dtype=float)
    return ax.bar(
        edges[:-1], mark.heights, np.diff(edges), bottom=mark.base, align="edge",
        **(_named(mark) | how | own),
    )  # fmt: skip


@_drawn.register
def _(mark: Points, ax: Any, own: dict[str, Any]) -> Any:
    x, y = np.broadcast_arrays(np.atleast_1d(mark.x), np.atleast_1d(mark.y))
    how = {
        "fmt": SHAPES[mark.shape],
        "color": _color(mark),
        "markersize": 2 * SCALE * mark.size,
        "markerfacecolor": "white" if mark.hollow else _color(mark),
        "linewidth": 1.2,
    }
    return ax.errorbar(
        x, y, xerr=_reach(x, mark.x_low, mark.x_high), yerr=_reach(y, mark.y_low, mark.y_high),
        **(_named(mark) | how | own),
    )  # fmt: skip


@_drawn.register
def _(mark: Text, ax: Any, own: dict[str, Any]) -> Any:
    sides = {"start": "left", "middle": "center", "end": "right"}
    how = {
        "color": _color(mark),
        "ha": sides[mark.anchor],
        "va": "center",
        "fontsize": SCALE * mark.size,
        "fontweight": "bold" if mark.bold else "normal",
    }
    return ax.text(mark.x, mark.y, _verbatim(mark.text), **(how | own))


def _reach(at: Any, low: Any, high: Any) -> Any:
    """Return how far bars reach to either side: never less than nothing, nothing where unknown."""
    if low is None:
        return None
    sides = np.array([at - np.asarray(low, dtype=float), np.asarray(high, dtype=float) - at])
    return np.nan_to_num(np.maximum(sides, 0.0))

"""Pictures on matplotlib axes: plain artists, and none of matplotlib's settings touched."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import singledispatch
from typing import Any
from weakref import WeakSet

import numpy as np

from baserate._figures import label as plain
from baserate.displays.layout import folded
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
    series_color,
    series_style,
)
from baserate.errors import MissingDependencyError

STYLES = {"solid": "-", "dashed": (0, (5, 3)), "dotted": ":", "dashdot": "-.",
          "longdash": (0, (7, 1.7)), "dashdotdot": (0, (6, 2, 1.3, 2, 1.3, 2)),
          "longshort": (0, (9, 2, 3.3, 2))}  # fmt: skip
SHAPES = {"circle": "o", "square": "s", "diamond": "D", "triangle": "^"}
ALIASES = {"c": "color", "ls": "linestyle", "lw": "linewidth", "ms": "markersize",
           "mfc": "markerfacecolor", "fc": "facecolor", "ec": "edgecolor"}  # fmt: skip
WIDTH = 6.4  # inches
LONGEST = 40  # letters in a line of a tick
SCALE = 0.75  # points to a pixel
BELOW = 36.0  # points from the axes to a legend below them: ticks and a label
AROUND = 0.75  # inches: ticks, a label and margins
ROW = 0.2  # inches of a line of the title or of a legend
LETTERS = 8.6  # points of a name in a legend
SWATCH = 40.0  # points beside it
PLOT = 0.775, 0.92  # of the width of a figure are its axes: before layout, and at most after it
SERIES = "baserate_series"  # of an artist: the number of its series
ENTRY = "baserate_entry"  # of an artist: its place in the legend
FAR = 1e3  # times the length of an axis: where infinite values are drawn

_OURS: WeakSet[Any] = WeakSet()  # axes that are not shared, with room for a legend below


def new_axes(picture: Picture) -> Any:
    """Return axes of a figure of their own, with room for a legend below."""
    try:
        from matplotlib import pyplot as plt
    except ModuleNotFoundError as error:
        raise MissingDependencyError.from_extra("matplotlib", "plot()", "plot") from error
    _, ax = plt.subplots(figsize=figure_size(picture), layout="constrained")
    _OURS.add(ax)
    return ax


def figure_size(picture: Picture) -> tuple[float, float]:
    """Return width and height in inches of a figure in which rows and legend have their room."""
    wide = WIDTH if picture.height is None else 1.2 * WIDTH
    width = PLOT[0] * wide * 72
    rows = sum(len(_name_lines(mark.name, width)) for mark in picture.legend)
    rows += len(folded(picture.title, width)) if picture.title else 0
    inner = PLOT[1] * WIDTH * (picture.proportion or 0.62)
    if picture.height is not None:
        inner = SCALE * picture.height / 72
    return wide, inner + AROUND + ROW * rows


def draw(
    picture: Picture, ax: Any, styles: Mapping[str, Mapping[str, Any] | Sequence[Mapping[str, Any]]]
) -> dict[str, list[Any]]:
    """Draw a picture on axes; return its artists by the key of their mark.

    What is drawn on the axes already stays: their ends then hold both, and the series get the
    colours that follow. `styles` are keywords of matplotlib by key, or a list with one for each.
    """
    crowded = ax.has_data()
    taken, named = _series_on(ax), set(ax.get_legend_handles_labels()[1])
    told = {id(mark) for mark in picture.legend}
    artists: dict[str, list[Any]] = {}
    for order, given in enumerate(picture.marks):
        drawn, how = artists.setdefault(given.key, []), styles.get(given.key, {})
        how = how if isinstance(how, Mapping) else how[len(drawn)]
        mark = _within_reach(_continued(given, taken), picture)
        again = _named(mark, ax).get("label") in named and _series(mark) is None
        if again or id(given) not in told:  # one entry for the references of several displays
            mark = mark.named("")
        own = {ALIASES.get(key, key): value for key, value in how.items()}
        artist = _drawn(mark, ax, {"zorder": 2 + order / 1000, **own})
        setattr(artist, SERIES, _series(mark))
        setattr(artist, ENTRY, len(named) + order)
        drawn.append(artist)
    _set_axis(ax, "x", picture.x, crowded=crowded)
    _set_axis(ax, "y", picture.y, crowded=crowded)
    if picture.proportion:
        ax.set_box_aspect(picture.proportion)
    if picture.top is not None and not crowded:
        _set_top(ax, picture.top)
    if picture.right is not None and not crowded:
        _set_right(ax, picture.right)
    if picture.title and not ax.get_title(loc="left"):
        ax.set_title(_title(picture.title, ax), loc="left", fontsize="medium")
    if not crowded:
        _set_ground(ax, picture)
    if picture.height is not None:
        ax.tick_params(axis="y", labelsize="small")
    _set_legend(ax)
    return artists


def _series(mark: Mark) -> int | None:
    """Return the number of the series that a mark belongs to; None for what belongs to none."""
    return int(mark.color[1:]) if mark.color[0] == "C" and mark.color[1:].isdigit() else None


def _series_on(ax: Any) -> int:
    """Return how many series displays have drawn on these axes."""
    drawn = (getattr(artist, SERIES, None) for artist in (*ax.get_children(), *ax.containers))
    return max((number + 1 for number in drawn if number is not None), default=0)


def _continued(mark: Mark, taken: int) -> Mark:
    """Return a mark in the colour and dashes that follow those taken."""
    own = _series(mark)
    if not taken or own is None:
        return mark
    number = own + taken
    if isinstance(mark, Line) and mark.style == series_style(own):
        return replace(mark, color=series_color(number), style=series_style(number))
    return replace(mark, color=series_color(number))


def _within_reach(mark: Mark, picture: Picture) -> Mark:
    """Put infinite places far beyond the ends; matplotlib would leave a gap."""
    if not isinstance(mark, Line | Band):
        return mark
    axes = {"x": picture.x, "y": picture.y, "low": picture.y, "high": picture.y}
    places = {
        side: _far(getattr(mark, side), axis) for side, axis in axes.items() if hasattr(mark, side)
    }
    return replace(mark, **places)


def _far(values: Any, axis: Axis) -> Any:
    values = np.asarray(values, dtype=float)
    if not np.isinf(values).any():
        return values
    reach = FAR * abs(axis.high - axis.low)
    low, high = min(axis.low, axis.high) - reach, max(axis.low, axis.high) + reach
    if axis.scale == "log":
        low, high = min(axis.low, axis.high) / FAR, max(axis.low, axis.high) * FAR
    return np.clip(values, low, high)


def _set_legend(ax: Any) -> None:
    """Put the legend below the axes wherever room is made for it; else where it hides least."""
    handles, names = ax.get_legend_handles_labels()
    if not handles:
        return
    order = sorted(range(len(names)), key=lambda i: getattr(handles[i], ENTRY, -1))
    handles, names = ([each[i] for i in order] for each in (handles, names))
    how: dict[str, Any] = {"loc": "best", "frameon": True}
    if ax in _OURS or ax.get_figure(root=True).get_layout_engine() is not None:
        from matplotlib.transforms import offset_copy

        below = offset_copy(ax.transAxes, fig=ax.figure, y=-BELOW, units="points")
        how = {
            "loc": "upper left", "bbox_to_anchor": (0, 0), "bbox_transform": below,
            "frameon": False, "borderaxespad": 0.0, "borderpad": 0.0,
        }  # fmt: skip
    ax.legend(handles, names, fontsize="small", **how)


def _name_lines(name: str, width: float) -> list[str]:
    return folded(_verbatim(name), width - SWATCH, LETTERS) if name else []


def _points(ax: Any) -> float:
    return float(ax.get_window_extent().width * 72 / ax.get_figure(root=True).dpi)


def _title(text: str, ax: Any) -> str:
    from matplotlib.font_manager import FontProperties

    width = _points(ax)
    size = FontProperties(size="medium").get_size_in_points()
    return "\n".join(folded(text.replace("$", r"\$"), width, size))


def _set_axis(ax: Any, side: str, axis: Axis, *, crowded: bool) -> None:
    ends = axis.low, axis.high
    if crowded:
        low, high = getattr(ax, f"get_{side}lim")()
        if (high > low) == (axis.high > axis.low):
            joined = sorted((low, high, *ends))
            ends = (joined[0], joined[-1]) if high > low else (joined[-1], joined[0])
    if axis.scale != "linear":
        getattr(ax, f"set_{side}scale")(axis.scale)
    ticks = axis.marked()
    set_ticks = getattr(ax, f"set_{side}ticks")
    set_ticks([at for at, _ in ticks], [_lines(text) for _, text in ticks])
    if axis.scale != "linear":
        set_ticks([], minor=True)
    getattr(ax, f"set_{side}lim")(*ends)
    if not getattr(ax, f"get_{side}label")():
        getattr(ax, f"set_{side}label")(_verbatim(axis.label))


def _set_ground(ax: Any, picture: Picture) -> None:
    for side, axis in (("x", picture.x), ("y", picture.y)):
        if axis.grid:
            ax.grid(visible=True, axis=side, color="#e3e8ee", linewidth=0.8, zorder=0)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


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


def _named(mark: Mark, ax: Any) -> dict[str, Any]:
    """Return the label of the legend; names that begin with _ would be left out."""
    name = "\n".join(_name_lines(mark.name, _points(ax)))
    return {"label": f"\N{ZERO WIDTH SPACE}{name}" if name[:1] == "_" else name} if name else {}


def _color(mark: Mark) -> str:
    return COLORS[mark.color][0]


@singledispatch
def _drawn(mark: Mark, ax: Any, own: dict[str, Any]) -> Any:  # noqa: ARG001 - of its registered ones
    raise TypeError(type(mark).__name__)


@_drawn.register
def _drawn_line(mark: Line, ax: Any, own: dict[str, Any]) -> Any:
    how = {"color": _color(mark), "linestyle": STYLES[mark.style], "linewidth": SCALE * mark.width}
    [line] = ax.plot(mark.x, mark.y, **(_named(mark, ax) | how | own))
    return line


@_drawn.register
def _drawn_rule(mark: Rule, ax: Any, own: dict[str, Any]) -> Any:
    how = {"color": _color(mark), "linestyle": STYLES[mark.style], "linewidth": SCALE * mark.width}
    along = ax.axhline if mark.of == "y" else ax.axvline
    return along(mark.at, **(_named(mark, ax) | how | own))


@_drawn.register
def _drawn_band(mark: Band, ax: Any, own: dict[str, Any]) -> Any:
    how = {"color": _color(mark), "alpha": mark.opacity, "linewidth": 0}
    low, high = np.asarray(mark.low, dtype=float), np.asarray(mark.high, dtype=float)
    return ax.fill_between(mark.x, low, high, **(_named(mark, ax) | how | own))


@_drawn.register
def _drawn_region(mark: Region, ax: Any, own: dict[str, Any]) -> Any:
    how: dict[str, Any] = {"facecolor": (_color(mark), mark.opacity), "linewidth": 0}
    if mark.hatch:
        how |= {"hatch": "///", "edgecolor": (_color(mark), 0.6)}
    [filled] = ax.fill(mark.x, mark.y, **(_named(mark, ax) | how | own))
    return filled


@_drawn.register
def _drawn_histogram(mark: Histogram, ax: Any, own: dict[str, Any]) -> Any:
    how = {"color": _color(mark), "alpha": mark.opacity, "linewidth": 0}
    edges = np.asarray(mark.edges, dtype=float)
    return ax.bar(
        edges[:-1], mark.heights, np.diff(edges), bottom=mark.base, align="edge",
        **(_named(mark, ax) | how | own),
    )  # fmt: skip


@_drawn.register
def _drawn_points(mark: Points, ax: Any, own: dict[str, Any]) -> Any:
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
        **(_named(mark, ax) | how | own),
    )  # fmt: skip


@_drawn.register
def _drawn_text(mark: Text, ax: Any, own: dict[str, Any]) -> Any:
    sides = {"start": "left", "middle": "center", "end": "right"}
    how = {
        "color": _color(mark),
        "ha": sides[mark.anchor],
        "va": "center",
        "fontsize": SCALE * mark.size,
        "fontweight": "bold" if mark.bold else "normal",
    }
    return ax.text(mark.x, mark.y, _lines(mark.text), **(how | own))


def _reach(at: Any, low: Any, high: Any) -> Any:
    """Return how far bars reach to either side: never less than nothing, nothing where unknown."""
    if low is None:
        return None
    sides = np.array([at - np.asarray(low, dtype=float), np.asarray(high, dtype=float) - at])
    return np.nan_to_num(np.maximum(sides, 0.0))

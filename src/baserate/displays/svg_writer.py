"""Pictures as SVG, written by hand: text that any browser shows, with no font or script to fetch.

Everything is placed from widths of letters that are estimated, so that the same picture gives the
same bytes on every machine. Colours are classes: a page that embeds pictures sets them for light
and dark grounds (`style_sheet`), a file of its own brings them along.
"""

import zlib
from collections.abc import Iterator
from functools import singledispatch
from typing import Any

import numpy as np

from baserate._figures import spelled as plain
from baserate.displays.layout import (
    BOLD,
    FONT,
    LINE,
    STACKED,
    TITLE,
    PlotFrame,
    shortened,
    spread,
    text_width,
    within,
)
from baserate.displays.picture import (
    COLORS,
    Band,
    Floats,
    Histogram,
    Line,
    Mark,
    Picture,
    Points,
    Region,
    Rule,
    Text,
)

DASHES = {
    "solid": "", "dashed": "6 4", "dotted": "1.5 3.5", "dashdot": "9 3 2 3", "longdash": "10 2.5",
    "dashdotdot": "9 3 2 3 2 3", "longshort": "16 2.5 3.5 2.5",
}  # fmt: skip
COARSE = 0.05  # pixels: places are written to one decimal


def style_sheet() -> str:
    """Return the rules that give the classes their colours, in light and dark."""
    scope = "svg.baserate"
    light, dark = ([f"--{n}:{both[i]}" for n, both in COLORS.items()] for i in (0, 1))
    grounds = ["--ground:#ffffff", "--grid:#e3e8ee"], ["--ground:#12171e", "--grid:#2c3643"]
    return (
        f"{scope}{{{';'.join([*light, *grounds[0]])};font:{FONT:g}px system-ui,-apple-system,"
        "'Segoe UI',Roboto,'Noto Sans','Liberation Sans',Arial,sans-serif}"
        "@media screen and (prefers-color-scheme:dark){"
        f"{scope}{{{';'.join([*dark, *grounds[1]])}}}}}"
        f"{scope} text{{fill:var(--ink)}}{scope} .grid{{stroke:var(--grid);stroke-width:1}}"
        f"{scope} .frame{{stroke:var(--grey);fill:none}}{scope} .faint{{fill:var(--grey)}}"
        f"{scope} .hollow{{fill:var(--ground)}}"
        f"{scope} .halo{{stroke:var(--ground);stroke-width:4;paint-order:stroke}}"
        + "".join(
            f"{scope} .s-{n}{{stroke:var(--{n});fill:none}}{scope} .f-{n}{{fill:var(--{n})}}"
            for n in COLORS
        )
    )


def svg(
    picture: Picture, *, width: float = 480, height: float | None = None, alone: bool = True
) -> str:
    """Return a picture as SVG text, `alone` with its colours; a page has them once.

    Sizes are in pixels of 12 pixel letters; unless given, the height grows with title and legend.
    """
    frame = PlotFrame.around(picture, width, height)
    body = "".join((
        _title(frame), _axes(frame), *_clipped(frame), *_above_rows(frame), _legend(frame),
    ))  # fmt: skip
    key = f"p{zlib.crc32(body.encode()):08x}"
    size = f'viewBox="0 0 {frame.width:g} {frame.height:g}"'
    sized = f' width="{frame.width:g}" height="{frame.height:g}"' if alone else ""
    style = f"<style>{style_sheet()}</style>" if alone else ""
    ground = '<rect width="100%" height="100%" style="fill:var(--ground)"/>' if alone else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="baserate" role="img" {size}{sized} '
        f'aria-labelledby="{key}-t {key}-d"><title id="{key}-t">{escape(picture.title)}</title>'
        f'<desc id="{key}-d">{escape(picture.description)}</desc>{style}{ground}{body}</svg>'
    )


def escape(text: Any) -> str:
    """Return text that stands in markup as it is, unprintable signs spelled out."""
    ends = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
    return "".join(ends.get(sign, sign) for sign in plain(text))


def _title(frame: PlotFrame) -> str:
    lines = (
        _words(8, 8 + (i + 0.8) * TITLE * LINE, line, size=TITLE, bold=True)
        for i, line in enumerate(frame.title)
    )
    return "".join(lines)


def _axes(frame: PlotFrame) -> str:
    x, y, top = frame.picture.x, frame.picture.y, frame.picture.top
    middle = (frame.left + frame.right) / 2
    parts = [_grid(frame)]
    parts += [
        _words(
            within(at, text_width(text), "middle", frame.width),
            frame.bottom + FONT * LINE,
            text,
            "middle",
        )
        for at, text in spread(frame, x)
    ]
    if x.label:
        name = shortened(plain(x.label), frame.width - 8, FONT)
        parts.append(_words(middle, frame.bottom + 2 * FONT * LINE + 2, name, "middle"))
    if frame.stacked:
        return "".join(parts)
    beside = 12 + FONT * LINE if y.label else 8
    for at, text in y.marked():
        parts.append(_lines(frame.left - 6, frame.y(at), text, frame.left - beside, "end"))
    for at, text in frame.picture.right.marked() if frame.picture.right else ():
        room = frame.width - frame.right - 8
        parts.append(_lines(frame.right + 6, frame.y(at), text, room, "start"))
    if y.label:
        name = shortened(plain(y.label), frame.bottom - frame.top + 40, FONT)
        at = f"{_n(FONT)} {_n((frame.top + frame.bottom) / 2)}"
        parts.append(
            f'<text transform="translate({at}) rotate(-90)" text-anchor="middle">'
            f"{escape(name)}</text>"
        )
    if top:
        parts += [_words(at, frame.top - 5, text, "middle") for at, text in spread(frame, top)]
        parts.append(_words(middle, frame.top - 5 - FONT * LINE, plain(top.label), "middle"))
    return "".join(parts)


def _above_rows(frame: PlotFrame) -> Iterator[str]:
    """Yield the texts above stacked rows, names at the left; they break lines that cross them."""
    if not frame.stacked:
        return
    left, right = frame.left + 5, frame.right
    found = dict(frame.picture.right.marked() if frame.picture.right else ())
    for i, (at, text) in enumerate(frame.picture.y.marked()):
        names, told = text.split("\n"), found.get(at, "").split("\n")
        if i == 0 and names[1:] and frame.picture.y.label:
            names[1] = f"{names[1]} ({frame.picture.y.label})"
        first = float(frame.y(at)) - STACKED[1] + FONT
        for row in range(max(len(names), len(told))):
            name, word = ("".join(part[row : row + 1]) for part in (names, told))
            y, kind = first + row * FONT * LINE, "faint halo" if row else "halo"
            word = shortened(plain(word), right - left, FONT)
            name = shortened(plain(name), right - left - text_width(word) - FONT, FONT)
            yield _words(left, y, name, kind=kind)
            yield _words(right, y, word, "end", kind=kind)


def _lines(x: float, y: Any, text: str, room: float, anchor: str) -> str:
    """Write lines around a height, all but the first fainter."""
    lines = [shortened(plain(line), room, FONT) for line in text.split("\n")]
    first = float(y) + 0.35 * FONT - (len(lines) - 1) * FONT * LINE / 2
    return "".join(
        _words(x, first + i * FONT * LINE, line, anchor, kind="faint" if i else "")
        for i, line in enumerate(lines)
    )


def _grid(frame: PlotFrame) -> str:
    across = (
        f"M{_n(frame.left)} {_n(frame.y(at))}H{_n(frame.right)}"
        for at, _ in (frame.picture.y.marked() if frame.picture.y.grid else ())
    )
    up = (
        f"M{_n(frame.x(at))} {_n(frame.top)}V{_n(frame.bottom)}"
        for at, _ in (frame.picture.x.marked() if frame.picture.x.grid else ())
    )
    box = f"M{_n(frame.left)} {_n(frame.top)}V{_n(frame.bottom)}H{_n(frame.right)}"
    return f'<path class="grid" d="{"".join((*across, *up))}"/><path class="frame" d="{box}"/>'


def _clipped(frame: PlotFrame) -> list[str]:
    """Return the marks, cut off at the frame; words may reach beyond it."""
    box = " ".join(
        map(_n, (frame.left, frame.top, frame.right - frame.left, frame.bottom - frame.top))
    )
    x, y, w, h = box.split(" ")
    drawn = (_drawn(m, frame) for m in frame.picture.marks if not isinstance(m, Text))
    words = (_drawn(m, frame) for m in frame.picture.marks if isinstance(m, Text))
    within = f'<svg x="{x}" y="{y}" width="{w}" height="{h}" viewBox="{box}">{"".join(drawn)}</svg>'
    return [within, *words]


def _legend(frame: PlotFrame) -> str:
    top = frame.bottom + 10 + FONT * LINE * (2 if frame.picture.x.label else 1)
    left = 8 if frame.picture.height else frame.left
    parts = []
    for mark, lines, x, y in frame.legend:
        at = left + x, top + y + 0.6 * FONT
        parts.append(_swatch(mark, *at))
        for row, line in enumerate(lines):
            parts.append(_words(at[0] + 28, at[1] + (0.35 + row * LINE) * FONT, line))
    return "".join(parts)


def _swatch(mark: Mark, x: float, y: float) -> str:
    if isinstance(mark, Points):
        return _shape(mark, x + 11, y)
    if isinstance(mark, Line | Rule):
        return f'<path class="s-{mark.color}"{_stroke(mark)} d="M{_n(x)} {_n(y)}h22"/>'
    opacity = getattr(mark, "opacity", 0.75)
    box = f'<rect class="f-{mark.color}" x="{_n(x)}" y="{_n(y - 5)}" width="22" height="10"'
    hatch = _hatched(mark, [x, x + 22, x + 22, x], [y - 5, y - 5, y + 5, y + 5])
    return f'{box} fill-opacity="{opacity:g}"/>{hatch}'


@singledispatch
def _drawn(mark: Mark, frame: PlotFrame) -> str:  # noqa: ARG001 - of its registered ones
    raise TypeError(type(mark).__name__)


@_drawn.register
def _drawn_line(mark: Line, frame: PlotFrame) -> str:
    path = "".join(_path(*thinned(x, y)) for x, y in _runs(frame.x(mark.x), frame.y(mark.y)))
    return f'<path class="s-{mark.color}"{_stroke(mark)} stroke-linejoin="round" d="{path}"/>'


@_drawn.register
def _drawn_rule(mark: Rule, frame: PlotFrame) -> str:
    if mark.of == "y":
        path = f"M{_n(frame.left)} {_n(frame.y(mark.at))}H{_n(frame.right)}"
    else:
        path = f"M{_n(frame.x(mark.at))} {_n(frame.top)}V{_n(frame.bottom)}"
    return f'<path class="s-{mark.color}"{_stroke(mark)} d="{path}"/>'


@_drawn.register
def _drawn_band(mark: Band, frame: PlotFrame) -> str:
    both = np.broadcast_arrays(frame.x(mark.x), frame.y(mark.low), frame.y(mark.high))
    paths = []
    for x, low, high in _runs(*both):
        up, down = thinned(x, high), thinned(x, low)
        sides = np.concatenate((up[0], down[0][::-1])), np.concatenate((up[1], down[1][::-1]))
        paths.append(_path(*sides, close=True))
    return f'<path class="f-{mark.color}" fill-opacity="{mark.opacity:g}" d="{"".join(paths)}"/>'


@_drawn.register
def _drawn_region(mark: Region, frame: PlotFrame) -> str:
    x, y = frame.x(mark.x), frame.y(mark.y)
    if not len(x):
        return ""
    filled = f'<path class="f-{mark.color}" fill-opacity="{mark.opacity:g}"'
    return f'{filled} d="{_path(x, y, close=True)}"/>{_hatched(mark, x, y)}'


@_drawn.register
def _drawn_histogram(mark: Histogram, frame: PlotFrame) -> str:
    edges, base = frame.x(mark.edges), float(frame.y(mark.base))
    ends = frame.y(mark.base + np.asarray(mark.heights, dtype=float))
    bars = "".join(
        f"M{_n(a)} {_n(base)}V{_n(end)}H{_n(b)}V{_n(base)}z"
        for a, b, end in zip(edges, edges[1:], ends, strict=False)
        if abs(end - base) >= COARSE
    )
    return f'<path class="f-{mark.color}" fill-opacity="{mark.opacity:g}" d="{bars}"/>'


@_drawn.register
def _drawn_points(mark: Points, frame: PlotFrame) -> str:
    x, y = np.broadcast_arrays(np.atleast_1d(frame.x(mark.x)), np.atleast_1d(frame.y(mark.y)))
    reach = ""
    if mark.x_low is not None:
        reach += _reaches(
            y, np.atleast_1d(frame.x(mark.x_low)), np.atleast_1d(frame.x(mark.x_high)), "H"
        )
    if mark.y_low is not None:
        reach += _reaches(
            x, np.atleast_1d(frame.y(mark.y_low)), np.atleast_1d(frame.y(mark.y_high)), "V"
        )
    lines = f'<path class="s-{mark.color}" stroke-width="1.5" d="{reach}"/>' if reach else ""
    shapes = (_shape(mark, a, b) for a, b in zip(x, y, strict=True) if np.isfinite(a + b))
    return lines + "".join(shapes)


@_drawn.register
def _drawn_text(mark: Text, frame: PlotFrame) -> str:
    x, y = float(frame.x(mark.x)), float(frame.y(mark.y)) + 0.35 * mark.size
    kind = f"f-{mark.color}" if mark.color != "ink" else ""
    size = mark.size * (BOLD if mark.bold else 1.0)
    text = shortened(plain(mark.text), frame.width - 8, size)
    x = within(x, text_width(text, size), mark.anchor, frame.width)
    return _words(x, y, text, mark.anchor, size=mark.size, bold=mark.bold, kind=kind)


def _reaches(across: Floats, low: Floats, high: Floats, letter: str) -> str:
    low, high = np.atleast_1d(low), np.atleast_1d(high)
    known = np.isfinite(across + low + high)
    rows = zip(across[known], low[known], high[known], strict=True)
    if letter == "H":
        return "".join(f"M{_n(a)} {_n(c)}H{_n(b)}" for c, a, b in rows)
    return "".join(f"M{_n(c)} {_n(a)}V{_n(b)}" for c, a, b in rows)


def _shape(mark: Points, x: float, y: float) -> str:
    r = mark.size
    kind = f's-{mark.color} hollow" stroke-width="2' if mark.hollow else f"f-{mark.color}"
    if mark.shape == "circle":
        return f'<circle class="{kind}" cx="{_n(x)}" cy="{_n(y)}" r="{r:g}"/>'
    corners = {
        "square": [(-r, -r), (r, -r), (r, r), (-r, r)],
        "diamond": [(0, -1.3 * r), (1.3 * r, 0), (0, 1.3 * r), (-1.3 * r, 0)],
        "triangle": [(0, -1.2 * r), (1.15 * r, 0.8 * r), (-1.15 * r, 0.8 * r)],
    }[mark.shape]
    xs, ys = np.array(corners).T
    return f'<path class="{kind}" d="{_path(x + xs, y + ys, close=True)}"/>'


def _hatched(mark: Mark, x: Any, y: Any) -> str:
    """Return slanting lines within a polygon."""
    if not getattr(mark, "hatch", False):
        return ""
    x, y = (np.append(np.asarray(part, dtype=float), part[0]) for part in (x, y))
    along = x + y
    lines = []
    for c in np.arange(along.min() + 6, along.max(), 8.0):  # x + y = c
        edges = np.flatnonzero((along[:-1] < c) != (along[1:] < c))
        share = (c - along[edges]) / (along[edges + 1] - along[edges])
        ends = np.sort(x[edges] + share * (x[edges + 1] - x[edges])).tolist()
        pairs = zip(ends[::2], ends[1::2], strict=True)
        lines += [
            f"M{_n(left)} {_n(c - left)}L{_n(right)} {_n(c - right)}" for left, right in pairs
        ]
    return (
        f'<path class="s-{mark.color}" stroke-width="1" stroke-opacity=".6" d="{"".join(lines)}"/>'
    )


def _runs(*arrays: Any) -> list[tuple[Floats, ...]]:
    """Split aligned arrays where any of them is nan; infinite places become far ones."""
    rows = np.vstack([np.atleast_1d(np.asarray(a, dtype=float)) for a in arrays])
    known = ~np.isnan(rows).any(axis=0)
    rows = np.clip(rows, -1e5, 1e5)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], known, [False])).astype(np.int8)))
    return [tuple(rows[:, a:b]) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def thinned(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return the points of a line that can be seen: first, lowest, highest and last of each column.

    Columns are a quarter of a pixel wide; points on a straight line between others are left out.
    """
    if len(x) > 400:
        column = np.floor(4 * x).astype(np.int64)
        start = np.flatnonzero(np.concatenate(([True], column[1:] != column[:-1])))
        end = np.concatenate((start[1:], [len(x)]))
        order = np.lexsort((y, np.repeat(np.arange(len(start)), end - start)))
        kept = np.unique(np.concatenate((start, end - 1, order[start], order[end - 1])))
        x, y = x[kept], y[kept]
    x, y = np.round(x, 1), np.round(y, 1)
    moved = np.concatenate(([True], (np.diff(x) != 0) | (np.diff(y) != 0)))
    x, y = x[moved], y[moved]  # of a point written twice neither would seem to turn
    if len(x) < 3:
        return x, y
    cross = (x[1:-1] - x[:-2]) * (y[2:] - y[1:-1]) - (y[1:-1] - y[:-2]) * (x[2:] - x[1:-1])
    ahead = (x[1:-1] - x[:-2]) * (x[2:] - x[1:-1]) + (y[1:-1] - y[:-2]) * (y[2:] - y[1:-1])
    turns = np.concatenate(([True], (np.abs(cross) > 1e-9) | (ahead < 0), [True]))
    return x[turns], y[turns]


def _path(x: Any, y: Any, *, close: bool = False) -> str:
    points = " ".join(f"{_n(a)},{_n(b)}" for a, b in zip(x, y, strict=True))
    return f"M{points}{'z' if close else ''}"


def _stroke(mark: Line | Rule) -> str:
    dashes = DASHES[mark.style]
    return f' stroke-width="{mark.width:g}"' + (f' stroke-dasharray="{dashes}"' if dashes else "")


def _words(
    x: float, y: float, text: str, anchor: str = "start", *, size: float = FONT,
    bold: bool = False, kind: str = "",
) -> str:  # fmt: skip
    how = f' text-anchor="{anchor}"' if anchor != "start" else ""
    how += f' font-size="{size:g}"' if size != FONT else ""
    how += ' font-weight="600"' if bold else ""
    how += f' class="{kind}"' if kind else ""
    return f'<text x="{_n(x)}" y="{_n(y)}"{how}>{escape(text)}</text>'


def _n(value: Any) -> str:
    written = f"{float(value):.1f}".removesuffix(".0")
    return "0" if written == "-0" else written

"""Rows of a forest plot and their picture: an interval each, and what it is compared with."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf, isfinite, isnan, nan

from baserate._figures import count, label, number, short
from baserate.displays.picture import Axis, Line, Mark, Picture, Points, Region, Shape, Ticks

ROW = 37.0  # pixels: two lines of text, and some air
HALF = 0.42  # of a row, to either side of its middle
REACH = 0.49  # of its reference; where names lie above, beyond half would be the next row's
WHOLE = 0.6  # where rows take up so much of what is possible, all that is possible is shown
LONGEST = 60  # letters of a name
Bounds = tuple[float, float]
# Colour says harm: a lower false positive rate is no alarm. Colour, shape, and what they say.
SHADES: dict[str, tuple[str, Shape, str]] = {
    "": ("good", "circle", ""),
    "better": ("good", "square", "better than"),
    "apart": ("ink", "square", "differs from"),
    "worse": ("bad", "square", "worse than"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestRow:
    """One row of a forest plot, as it is drawn; nan where something is unknown or undefined.

    Attributes
    ----------
    value, low, high : float
        What was found, and its interval. A row without a value is hatched.
    n, events : float
        Cases that the value is a share of, and how many were counted; of a value that is no share,
        all cases and the positives among them.
    reference : float
        What the value is judged by.
    unseen_low, unseen_high : float
        True values between these would have gone unseen; infinite where every value would.
    differs : bool
        Whether the row stands out by more than luck.
    shade : str
        "worse" or "better", by the metric's direction, or "apart" where neither way is; of others
        the verdict of an audit, if there is one.
    verdict : str
        A few words, which stand at the right.
    reason : str
        Why there is no value.
    """

    name: str
    value: float
    low: float = nan
    high: float = nan
    n: float = nan
    events: float = nan
    smoothed: float = nan
    reference: float = nan
    unseen_low: float = nan
    unseen_high: float = nan
    differs: bool = False
    shade: str = ""
    verdict: str = ""
    reason: str = ""

    @property
    def named(self) -> str:
        """What stands at the left: the name, and below it positives and cases."""
        name = label(self.name, LONGEST)
        if isnan(self.n):
            return name
        events = "" if isnan(self.events) else f"{count(self.events)} of "
        return f"{name}\n{events}{count(self.n)}"

    @property
    def told(self) -> str:
        """What stands at the right: value and interval, and below them the verdict."""
        if isnan(self.value):
            return f"undefined\n{self.reason}" if self.reason else "undefined"
        ends = "" if isnan(self.low + self.high) else f" ({short(self.low)} to {short(self.high)})"
        return f"{short(self.value)}{ends}" + (f"\n{self.verdict}" if self.verdict else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestNames:
    """What the parts of a forest plot are called in its legend, and along its axes."""

    value: str
    interval: str
    reference: str
    rows: str


def forest(rows: Sequence[ForestRow], title: str, named: ForestNames, bounds: Bounds) -> Picture:
    """Return the picture of rows, the first one uppermost; `bounds` hold all possible values."""
    x = _across(rows, named.value, bounds)
    lowest = len(rows) - 0.5
    return Picture(
        title=title,
        description=_described(rows, named),
        x=x,
        y=Axis(
            label=named.rows,
            low=lowest,
            high=-0.5,
            ticks=_ticks([row.named for row in rows]),
        ),
        right=Axis(label="", low=lowest, high=-0.5, ticks=_ticks([row.told for row in rows])),
        marks=(
            *_zones(rows, x),
            *_hatches(rows, x),
            *_references(rows, named.reference),
            *_values(rows, named),
            *_smoothed(rows),
        ),
        height=ROW * len(rows),
    )


def _ticks(texts: Sequence[str]) -> Ticks:
    return tuple((float(at), text) for at, text in enumerate(texts))


def _across(rows: Sequence[ForestRow], name: str, bounds: Bounds) -> Axis:
    drawn = [v for r in rows for v in (r.value, r.low, r.high, r.smoothed, r.reference)]
    zones = [v for r in rows for v in (r.unseen_low, r.unseen_high) if isfinite(v)]
    return axis_of(name, [*drawn, *(min(max(v, bounds[0]), bounds[1]) for v in zones)], bounds)


def axis_of(name: str, values: Iterable[float], bounds: Bounds) -> Axis:
    """Return an axis of all possible values, or of the part of it that the given ones take up."""
    known = [v for v in values if isfinite(v)]
    known = known or [v for v in bounds if isfinite(v)] or [0.0, 1.0]
    low, high = min(known), max(known)
    whole = bounds[1] - bounds[0]
    if bounds[0] == 0 and whole == inf and low > 0 and high > 8 * low:
        return Axis(label=name, low=low / 1.25, high=high * 1.25, scale="log")
    if isfinite(whole) and high - low >= WHOLE * whole:
        return Axis(label=name, low=bounds[0], high=bounds[1])
    air = 0.08 * (high - low) or 0.05 * abs(high) or 0.5
    return Axis(label=name, low=max(low - air, bounds[0]), high=min(high + air, bounds[1]))


def _zones(rows: Sequence[ForestRow], x: Axis) -> Iterator[Mark]:
    name = "a gap that would go unseen"
    for at, row in enumerate(rows):
        if not (isnan(row.unseen_low) or isnan(row.unseen_high)):
            ends = max(row.unseen_low, x.low), min(row.unseen_high, x.high)
            if ends[0] < ends[1]:
                box = (at - HALF, at + HALF)
                yield Region.box(ends, box, key="zone", color="zone", opacity=0.28, name=name)
                name = ""


def _hatches(rows: Sequence[ForestRow], x: Axis) -> Iterator[Mark]:
    name = "undefined"
    for at, row in enumerate(rows):
        if isnan(row.value):
            ends, box = (x.low, x.high), (at - HALF, at + HALF)
            yield Region.box(
                ends, box, key="undefined", color="grey", opacity=0.0, hatch=True, name=name
            )
            name = ""


def _references(rows: Sequence[ForestRow], name: str) -> Iterator[Mark]:
    """Yield one line, broken where rows are judged by different values."""
    xs: list[float] = []
    ys: list[float] = []
    for at, row in enumerate(rows):
        if xs and xs[-1] != row.reference:
            xs, ys = [*xs, nan], [*ys, nan]
        xs, ys = [*xs, row.reference, row.reference], [*ys, at - REACH, at + REACH]
    if any(map(isfinite, xs)):
        yield Line(key="chance", x=xs, y=ys, color="grey", style="dashed", width=1.5, name=name)


def _values(rows: Sequence[ForestRow], named: ForestNames) -> Iterator[Mark]:
    """Yield values and intervals, those that stand out in a shape of their own."""
    for shade, (color, shape, said) in SHADES.items():
        some = [
            (at, row)
            for at, row in enumerate(rows)
            if not isnan(row.value) and (_shade(row) if row.differs else "") == shade
        ]
        if some:
            differs = bool(shade)
            yield Points(
                key="differs" if differs else "curve",
                x=[row.value for _, row in some],
                y=[float(at) for at, _ in some],
                x_low=[row.low for _, row in some],
                x_high=[row.high for _, row in some],
                shape=shape,
                color=color,
                name=f"{said} {named.reference}" if differs else named.interval,
            )


def _shade(row: ForestRow) -> str:
    return row.shade if row.shade and row.shade in SHADES else "apart"


def _smoothed(rows: Sequence[ForestRow]) -> Iterator[Mark]:
    some = [(at, row) for at, row in enumerate(rows) if isfinite(row.smoothed)]
    if some:
        yield Points(
            key="smoothed",
            x=[row.smoothed for _, row in some],
            y=[at + 0.24 for at, _ in some],
            shape="diamond",
            hollow=True,
            size=3.5,
            color="ink",
            name="smoothed",
        )


def _described(rows: Sequence[ForestRow], named: ForestNames) -> str:
    each = (
        f"{row.named}: {row.told}"
        + ("" if isnan(row.reference) else f", {named.reference} {number(row.reference)}")
        for row in rows
    )
    return f"{named.value}, a row each. " + "; ".join(" ".join(e.split("\n")) for e in each)

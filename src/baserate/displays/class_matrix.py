"""The table of several classes as a picture: who is called what, a row per class."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import Any, Literal, NamedTuple

import numpy as np

from baserate._figures import count, label, percent
from baserate._figures import level as level_told
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix
from baserate.displays.layout import text_width
from baserate.displays.picture import Axis, Floats, Mark, Picture, Region, Text, Ticks
from baserate.inference import interval

Normalize = Literal["true", "pred", "all"]

OF = {
    "true": "percent of each row",
    "pred": "percent of each column",
    "all": "percent of all cases",
    None: "numbers of cases",
}
MOST_CLASSES = 40  # of which all are drawn
CONFUSED = 20  # that are drawn of more
# Of how many classes cells have room for all intervals, for those of the diagonal, for numbers.
ALL_ENDS, SOME_ENDS, NUMBERS = 4, 6, 12
ROWS = {
    SOME_ENDS: 58.0,
    NUMBERS: 34.0,
    MOST_CLASSES: 16.0,
}  # pixels of a row, of so many classes at most
NARROW = 440.0  # pixels: the least width that a picture has
SIDES = 44.0  # pixels of it around names and cells
SHORTEST = 24  # letters of a class beside its row
PALEST, DARKEST = 0.1, 0.45  # on darker shades words would be hard to read
TOLD = 10  # confusions that the description names
STEPS = (1, 2, 5, 10, 20)


class ClassCell(NamedTuple):
    """Cases of one class that are called one, their share, and the interval of that share."""

    truth: Any
    prediction: Any
    cases: float
    share: float
    low: float
    high: float


class CellShares(NamedTuple):
    """Shares of cells and their intervals; arrays of one shape."""

    value: Floats
    low: Floats
    high: Floats


def shares_of(
    cells: Any, of: Any, confidence_level: float, *, independent: bool = True
) -> CellShares:
    """Return what share the cells are of so many cases, with Jeffreys' intervals.

    Weights, and cases that are not independent, have shares without intervals; of None, nothing has
    a share.
    """
    if of is None:
        return CellShares(*(np.full(np.shape(cells), nan) for _ in range(3)))
    cells, of = np.broadcast_arrays(np.asarray(cells, dtype=float), np.asarray(of, dtype=float))
    table = ConfusionMatrix(tp=cells, fn=np.maximum(of - cells, 0), fp=0, tn=0)
    found = interval("recall", table, confidence_level=confidence_level)
    value, low, high = (np.asarray(x, dtype=float) for x in (found.value, found.low, found.high))
    if table.is_weighted or not independent:
        low, high = np.full_like(value, nan), np.full_like(value, nan)
    return CellShares(value, low, high)


def lacking(*, independent: bool, weighted: bool) -> str:
    """Say why shares have no intervals; "" if they have."""
    if weighted:
        return "no intervals: weights"
    return "" if independent else "no intervals: weights or clusters"


def denominators(counts: Any, normalize: str | None) -> Floats | None:
    """Return what cells are shares of, as scikit-learn's `normalize` names it."""
    if normalize is None:
        return None
    cells = np.asarray(counts, dtype=float)
    axis = {"true": 1, "pred": 0, "all": None}[normalize]
    return np.broadcast_to(cells.sum(axis=axis, keepdims=True), cells.shape)


def most_confused(table: ClassTable, most: int = CONFUSED) -> list[int]:
    """Return the places of the classes between which most cases go wrong, partners side by side."""
    wrong = np.array(table.counts, dtype=float)
    np.fill_diagonal(wrong, 0)
    both = np.triu(wrong + wrong.T)
    found: dict[int, None] = {}
    for flat in np.argsort(-both, axis=None, kind="stable")[: 4 * most**2]:
        pair = divmod(int(flat), table.n_classes)
        if len(found) >= most or not both[pair]:
            break
        if len(found | dict.fromkeys(pair)) <= most:
            found |= dict.fromkeys(pair)
    first = np.argsort(-table.class_counts, kind="stable")[:most].tolist()
    return list(found) if len(found) > 1 else first


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassMatrix:
    """The classes of a table that are drawn, and what is said of each cell."""

    table: ClassTable
    chosen: Sequence[int]  # places of the classes that are drawn, in the order of rows and columns
    normalize: str | None
    level: float  # of the intervals
    confused: bool = False  # whether they were chosen because most cases go wrong between them
    # whether cases are independent, and count once each: else there are no intervals
    independent: bool = True

    @property
    def size(self) -> int:
        """Number of classes that are drawn."""
        return len(self.chosen)

    def cells(self) -> Iterator[ClassCell]:
        """Yield the cells row by row; their shares are those of the whole table."""
        at, of = np.ix_(self.chosen, self.chosen), denominators(self.table.counts, self.normalize)
        counts = self.table.counts[at]
        shares = shares_of(
            counts, None if of is None else of[at], self.level, independent=self.independent
        )
        names = [self.table.labels[k] for k in self.chosen]
        pairs = ((one, other) for one in names for other in names)
        rows = zip(counts.flat, *(part.flat for part in shares), strict=True)
        for pair, (n, *share) in zip(pairs, rows, strict=True):
            yield ClassCell(*pair, n.item(), *map(float, share))

    def picture(self, cells: Sequence[ClassCell]) -> Picture:
        """Return the picture of the cells."""
        names = [label(self.table.labels[k], SHORTEST) for k in self.chosen]
        numbered = not _fits(names, names)
        rows = [f"{k}: {name}" for k, name in enumerate(names, 1)] if numbered else names
        columns = _numbers(rows) if numbered else tuple(enumerate(names))
        beside = ", numbered as the rows" if numbered else ""
        return Picture(
            title=self._told(),
            description=self._described(cells),
            x=Axis(label=f"predicted{beside}", low=-0.5, high=self.size - 0.5, ticks=columns,
                   grid=False),
            y=Axis(label="truth", low=self.size - 0.5, high=-0.5, ticks=self._rows(rows),
                   grid=False),
            marks=tuple(self._marks(cells)),
            height=self.size * self._height,
        )  # fmt: skip

    @property
    def _height(self) -> float:
        return next(tall for most, tall in ROWS.items() if self.size <= most)

    def _rows(self, names: Sequence[str]) -> Ticks:
        """Return the names of rows, with their cases where there is room."""
        totals = self.table.class_counts[list(self.chosen)].tolist()
        if self.size > NUMBERS:
            return tuple((float(at), name) for at, name in enumerate(names))
        pairs = zip(names, totals, strict=True)
        return tuple((float(at), f"{name}\n{count(n)}") for at, (name, n) in enumerate(pairs))

    def _marks(self, cells: Sequence[ClassCell]) -> Iterator[Mark]:
        largest = max((cell.cases for cell in cells), default=0) or 1
        words = list[Text]()
        for k, cell in enumerate(cells):
            y, x = divmod(k, self.size)
            ends = (x - 0.5, x + 0.5), (y - 0.5, y + 0.5)
            if isnan(cell.share) and self.normalize is not None:
                yield Region.box(
                    *ends, key="undefined", color="grey", opacity=0.0, hatch=self.size <= NUMBERS
                )
            elif cell.cases:
                share = cell.cases / largest if self.normalize is None else cell.share
                opacity = round(PALEST + (DARKEST - PALEST) * share**0.5, 3)
                color = "good" if x == y else "bad"
                yield Region.box(*ends, key="cell", color=color, opacity=opacity)
            if self.size <= NUMBERS:
                words += self._words(cell, float(x), float(y))
        yield from words

    def _words(self, cell: ClassCell, x: float, y: float) -> Iterator[Text]:
        """Yield share, interval and cases; of many classes only where there are any."""
        roomy, shared = self.size <= SOME_ENDS, not isnan(cell.share)
        if not (roomy or cell.cases):
            return
        ends = self.size <= ALL_ENDS or (roomy and cell.truth == cell.prediction)
        lines = [(count(cell.cases), 10.0 if shared else 13.0)]
        if shared and ends and not isnan(cell.low):
            lines.insert(0, (_span(cell), 10.0))
        if shared:
            large = roomy or self.size < NUMBERS - 1
            lines.insert(0, (percent(cell.share) if roomy else _brief(cell.share), 13.0 if large
                             else 11.0))  # fmt: skip
        for at, (text, size) in enumerate(lines):
            down = (at - (len(lines) - 1) / 2) * 16 / self._height
            yield Text(
                key="words" if at else "share", x=x, y=y + down, text=text, anchor="middle",
                color="ink", size=size, bold=not at,
            )  # fmt: skip

    def _told(self) -> str:
        """Return the title: how many cases, of which classes, and what the cells show."""
        table = self.table
        cases = f"weights of {count(table.n)}" if table.is_weighted else f"{count(table.n)} cases"
        every = f"{cases} of {count(table.n_classes)} classes"
        if self.size < table.n_classes:
            which = "confused most " if self.confused else ""
            of = f"{count(self.size)} of {count(table.n_classes)} classes"
            every = f"{of} {which}({cases} in all)"
        if self.normalize is not None and self.size <= SOME_ENDS:
            where = "" if self.size <= ALL_ENDS else " on the diagonal"
            ends = f"{level_told(self.level)} intervals{where}"
            ends = f" ({lacking(independent=self.independent, weighted=table.is_weighted) or ends})"
        else:
            ends = ", the darker the more" if self.size > NUMBERS else ""
        return f"Confusion matrix: {every}, {OF[self.normalize]}{ends}"

    def _described(self, cells: Sequence[ClassCell]) -> str:
        """Name what is right in each class, and the largest confusions."""
        right = [cell for cell in cells if cell.truth == cell.prediction]
        wrong = [cell for cell in cells if cell.truth != cell.prediction and cell.cases]
        worst = sorted(wrong, key=lambda cell: -cell.cases)[:TOLD]
        told = (
            f"{label(c.truth, SHORTEST)} called {label(c.prediction, SHORTEST)} {count(c.cases)}"
            + ("" if isnan(c.share) else f", {percent(c.share)}")
            for c in (*right, *worst)
        )
        return f"Truth in rows, predictions in columns, {OF[self.normalize]}: {'; '.join(told)}"


def _fits(columns: Sequence[str], rows: Sequence[str]) -> bool:
    return max(map(text_width, columns)) + 4 <= _room(rows)


def _room(rows: Sequence[str]) -> float:
    """Return the width of a cell beside names of rows, in the narrowest picture."""
    beside = min(max(map(text_width, rows)), 0.4 * NARROW)
    return (NARROW - SIDES - beside) / len(rows)


def _numbers(rows: Sequence[str]) -> Ticks:
    """Return numbers of columns: all of them, or every second, fifth, tenth one."""
    wide, room = text_width(str(len(rows))) + 4, _room(rows)
    step = next((k for k in STEPS if k * room >= wide), STEPS[-1])
    shown = [k for k in range(1, len(rows) + 1) if step == 1 or not k % step or k == 1]
    return tuple((float(k - 1), str(k)) for k in shown)


def _brief(share: float) -> str:
    """Write a percentage without its sign in the room of two digits."""
    if 0 < share < 0.01:
        return "<1"
    return ">99" if 0.99 < share < 1 else f"{100 * share:.0f}"


def _span(cell: ClassCell) -> str:
    low, high = (percent(x).removeprefix("over ").rstrip("%") for x in (cell.low, cell.high))
    return f"{low.replace(' ', '')}\N{EN DASH}{high}%"

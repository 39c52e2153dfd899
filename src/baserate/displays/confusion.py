"""Confusion matrices: truth in rows, each cell with its share of the row and an interval."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from math import isnan, nan
from typing import Any, NamedTuple

from baserate._figures import count, label, level, percent
from baserate.counts import CELLS, ConfusionMatrix, single_table
from baserate.displays.case_counts import cases_told
from baserate.displays.display import TableDisplay
from baserate.displays.picture import Axis, Mark, Picture, Region, Text
from baserate.errors import InvalidArgumentError
from baserate.inference import interval

FOUND = {"tp": "found", "fn": "missed", "fp": "false alarms", "tn": "left in peace"}
RATE = {
    "tp": "recall",
    "fn": "false_negative_rate",
    "fp": "false_positive_rate",
    "tn": "specificity",
}
RIGHT = ("tp", "tn")
# Where words of the colour of text stand upon it, 4.5 : 1 is left on light and dark grounds.
DARKEST = 0.45
PALEST = 0.06
ROW = 66.0  # pixels
HEAD = 0.5  # of a row: the space for a table's name
MOST = 12
LONGEST = 60  # letters of a table's name


class Cell(NamedTuple):
    """A cell of one table: its cases, their share of the row, and the interval of that share."""

    table: str
    cell: str
    cases: float
    share: float
    low: float
    high: float


class ConfusionDisplay(TableDisplay):
    """A confusion matrix, shaded by the share that a cell has of its row.

    Truth is in rows: true positives and false negatives above, false positives and true negatives
    below. The shares of a row are recall tp/(tp + fn) and its complement, false positive rate
    fp/(fp + tn) and its complement, with Jeffreys' intervals (see `interval`). Right decisions are
    blue and errors orange, the darker the larger their share; a row without cases is hatched. Of
    several tables each has two rows, one below the other.

    Parameters
    ----------
    tables : ConfusionMatrix, or mapping of name to ConfusionMatrix
        At most twelve.
    labels : (str, str), optional
        What positive and negative cases are called.
    confidence_level : float

    Raises
    ------
    InvalidArgumentError
        More than twelve tables, or a batch of tables.

    Notes
    -----
    Weighted tables have shares without intervals, which count cases.

    References
    ----------
    Brown, Cai and DasGupta (2001), Statistical Science 16:101, doi:10.1214/ss/1009213286, for the
    intervals.

    Examples
    --------
    Violent recidivism, COMPAS, White defendants (ProPublica; in Briscoe et al., AISTATS 2025):

    >>> import baserate as br
    >>> white = br.ConfusionMatrix(tp=77, fn=129, fp=380, tn=1679)
    >>> for cell in br.displays.ConfusionDisplay(white).cells:
    ...     print(cell.cell, cell.cases, round(cell.share, 3), round(cell.low, 3))
    tp 77 0.374 0.31
    fn 129 0.626 0.559
    fp 380 0.185 0.168
    tn 1679 0.815 0.798
    """

    def __init__(
        self,
        tables: ConfusionMatrix | Mapping[str, ConfusionMatrix],
        *,
        labels: tuple[str, str] = ("positive", "negative"),
        confidence_level: float = 0.95,
    ) -> None:
        super().__init__(tables, confidence_level=confidence_level)
        for name, table in self.tables.items():
            single_table(f"tables[{name!r}]", table)
        if len(self.tables) > MOST:
            rule, remedy = f"must be {MOST} at most", "draw the ones that matter"
            raise InvalidArgumentError.from_rule("tables", rule, len(self.tables), remedy)
        positive, negative = map(label, labels)
        self.labels = (positive, negative)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The four cells of every table."""
        return tuple(
            self._cell(name, table, cell) for name, table in self.tables.items() for cell in CELLS
        )

    def _cell(self, name: str, table: ConfusionMatrix, cell: str) -> Cell:
        found = interval(RATE[cell], table, confidence_level=self.confidence_level)
        ends = (nan, nan) if table.is_weighted else (float(found.low), float(found.high))
        return Cell(name, cell, getattr(table, cell), float(found.value), *ends)

    def _drawn(self) -> Picture:
        rows, lowest = self._places()
        ticks = tuple(
            (at, f"{self.labels[i]}\n{count(total)}")
            for table, tops in zip(self.tables.values(), rows, strict=True)
            for i, (at, total) in enumerate(
                zip((tops + 0.5, tops + 1.5), (table.n_positive, table.n_negative), strict=True)
            )
        )
        columns = tuple((at, f"predicted {name}") for at, name in enumerate(self.labels))
        return Picture(
            title=self._told(),
            description=self._described(),
            x=Axis(label="", low=-0.5, high=1.5, ticks=columns, grid=False),
            y=Axis(label="truth", low=lowest, high=0, ticks=ticks, grid=False),
            marks=tuple(self._marks(rows)),
            height=ROW * lowest,
        )

    def _places(self) -> tuple[list[float], float]:
        """Return where the rows of each table begin, from above, and where the last one ends."""
        head = HEAD if any(self.tables) else 0.0
        each = 2 + head
        return [k * each + head for k in range(len(self.tables))], each * len(self.tables)

    def _marks(self, rows: list[float]) -> Iterator[Mark]:
        for top, name in zip(rows, self.tables, strict=True):
            if name:
                yield Text(
                    key="name",
                    x=-0.5,
                    y=top - HEAD / 2,
                    text=label(name, LONGEST),
                    color="ink",
                    bold=True,
                )
        for k, cell in enumerate(self.cells):
            x, y = float(k % 2), rows[k // 4] + (k // 2) % 2
            yield _shade(cell, x, y)
            yield from _words(cell, x, y)

    def _told(self) -> str:
        several = "Confusion matrices" if len(self.tables) > 1 else "Confusion matrix"
        shown = "no intervals: weights" if self._weighted else f"{self._level} intervals"
        return f"{several}: {cases_told([sum(self.tables.values())])} ({shown})"

    @property
    def _weighted(self) -> bool:
        return any(table.is_weighted for table in self.tables.values())

    @property
    def _level(self) -> str:
        return level(self.confidence_level)

    def _described(self) -> str:
        each = (
            f"{label(c.table, LONGEST)} {count(c.cases)} {FOUND[c.cell]}, {_share(c)}"
            for c in self.cells
        )
        return "Truth in rows, predictions in columns: " + "; ".join(map(str.strip, each))

    def _rows(self) -> list[dict[str, Any]]:
        return [cell._asdict() for cell in self.cells]


def _shade(cell: Cell, x: float, y: float) -> Region:
    color, ends = ("good" if cell.cell in RIGHT else "bad"), ((x - 0.49, x + 0.49), (y, y + 1))
    if isnan(cell.share):
        return Region.box(*ends, key="undefined", color="grey", opacity=0.0, hatch=True)
    opacity = PALEST + (DARKEST - PALEST) * cell.share
    ends = ends[0], (y + 0.015, y + 0.985)
    return Region.box(*ends, key="cell", color=color, opacity=opacity)


def _words(cell: Cell, x: float, y: float) -> Iterator[Text]:
    lines = (
        (count(cell.cases), 17.0, True),
        (FOUND[cell.cell], 12.0, False),
        (_share(cell), 12.0, False),
    )
    for (text, size, bold), down in zip(lines, (0.26, 0.52, 0.76), strict=True):
        yield Text(
            key="count" if bold else "words", x=x, y=y + down, text=text, anchor="middle",
            color="ink", size=size, bold=bold,
        )  # fmt: skip


def _share(cell: Cell) -> str:
    """Write a share and its interval."""
    if isnan(cell.share):
        return "no such cases"
    ends = "" if isnan(cell.low) else f" ({percent(cell.low)} to {percent(cell.high)})"
    return f"{percent(cell.share)}{ends}"

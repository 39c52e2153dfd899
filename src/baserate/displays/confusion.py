"""Confusion matrices: truth in rows, each cell with its share and an interval."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import isnan
from typing import Any, ClassVar, NamedTuple

from baserate._checks import one_of
from baserate._figures import count, label, level, percent
from baserate.class_counts import ClassTable, single_class_table
from baserate.counts import CELLS, ConfusionMatrix, single_table
from baserate.displays.class_matrix import (
    MOST_CLASSES,
    OF,
    ClassMatrix,
    Normalize,
    denominators,
    lacking,
    most_confused,
    shares_of,
)
from baserate.displays.contract import cases_told
from baserate.displays.display import TableDisplay
from baserate.displays.picture import Axis, Mark, Picture, Region, Text
from baserate.errors import InvalidArgumentError

FOUND = {"tp": "found", "fn": "missed", "fp": "false alarms", "tn": "not flagged"}
RIGHT = ("tp", "tn")
# Where words of the colour of text stand upon it, 4.5 : 1 is left on light and dark grounds.
DARKEST = 0.45
PALEST = 0.06
ROW = 66.0  # pixels
HEAD = 0.5  # of a row: the space for a table's name
MOST = 12
LONGEST = 60  # letters of a table's name


class Square(NamedTuple):
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

    A table of several classes has a row and a column for each. Up to four classes have intervals in
    every cell, up to six on the diagonal, up to twelve numbers; the shade grows with the square
    root of the share, so that rare confusions are seen, and cells without cases are empty. Of more
    than forty classes the twenty are drawn between which most cases go wrong; shares stay those of
    the whole table.

    Parameters
    ----------
    tables : ConfusionMatrix, mapping of name to ConfusionMatrix, or ClassTable
        At most twelve of two classes.
    labels : sequence, optional
        Of two classes: what positive and negative cases are called. Of several: those that are
        drawn, in this order.
    normalize : {"true", "pred", "all"} or None
        What a cell is a share of, as scikit-learn names it: its row, its column, all cases; None
        shows counts alone, shaded beside the largest.
    confidence_level : float
    independent : bool
        False for cases in clusters or with weights, whose shares then have no intervals: a table
        does not say what these are.

    Raises
    ------
    InvalidArgumentError
        More than twelve tables, a batch of tables, several tables of several classes, or labels
        that are no classes.

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

    Three of Fisher's 150 irises are taken for others by linear discriminant analysis:

    >>> names = ["setosa", "versicolor", "virginica"]
    >>> iris = br.ClassTable([[50, 0, 0], [0, 48, 2], [0, 1, 49]], names)
    >>> display = br.displays.ConfusionDisplay(iris, normalize="pred")
    >>> [round(cell.share, 3) for cell in display.cells if cell.truth == "virginica"]
    [0.0, 0.02, 0.961]
    """

    kinds: ClassVar[tuple[type, ...]] = (ConfusionMatrix, ClassTable)
    several: ClassVar[bool] = True

    def __init__(
        self,
        tables: ConfusionMatrix | Mapping[str, ConfusionMatrix] | ClassTable,
        *,
        labels: Sequence[Any] | None = None,
        normalize: Normalize | None = "true",
        confidence_level: float = 0.95,
        independent: bool = True,
    ) -> None:
        super().__init__(tables, confidence_level=confidence_level)
        self.independent = independent
        self.normalize = None if normalize is None else one_of("normalize", normalize, Normalize)
        self.matrix: ClassMatrix | None = None
        self.labels: tuple[Any, ...]
        if any(isinstance(table, ClassTable) for table in self.tables.values()):
            self.matrix = self._of_classes(labels)
            self.labels = tuple(self.matrix.table.labels[k] for k in self.matrix.chosen)
            return
        for name, table in self.tables.items():
            single_table(f"tables[{name!r}]", table)
        if len(self.tables) > MOST:
            rule, remedy = f"must be {MOST} at most", "draw the ones that matter"
            raise InvalidArgumentError.from_rule("tables", rule, len(self.tables), remedy)
        named = ("positive", "negative") if labels is None else tuple(map(label, labels))
        if len(named) != 2:
            rule, remedy = "must be 2, of positive and of negative cases", "pass two names"
            raise InvalidArgumentError.from_rule("labels", rule, len(named), remedy)
        self.labels = named

    def _of_classes(self, labels: Sequence[Any] | None) -> ClassMatrix:
        """Choose the classes that are drawn: those asked for, else all, or the most confused."""
        if len(self.tables) > 1:
            rule, remedy = "must be one, if it has several classes", "draw one after the other"
            raise InvalidArgumentError.from_rule("tables", rule, list(self.tables), remedy)
        [table] = self.tables.values()
        single_class_table("tables", table)
        chosen: Sequence[int] = range(table.n_classes)
        if labels is not None:
            chosen = [table.index(name) for name in dict.fromkeys(labels)]
        elif table.n_classes > MOST_CLASSES:
            chosen = most_confused(table)
        if not 2 <= len(chosen) <= MOST_CLASSES:
            rule, remedy = f"must be 2 to {MOST_CLASSES} classes", "name those that matter"
            raise InvalidArgumentError.from_rule("labels", rule, len(chosen), remedy)
        return ClassMatrix(
            table=table, chosen=chosen, normalize=self.normalize, level=self.confidence_level,
            confused=labels is None and len(chosen) < table.n_classes, independent=self.independent,
        )  # fmt: skip

    @cached_property
    def cells(self) -> tuple[Any, ...]:
        """The cells of every table, row by row: named by letters of two classes, else by label."""
        if self.matrix is not None:
            return tuple(self.matrix.cells())
        return tuple(
            cell for name, table in self.tables.items() for cell in self._four(name, table)
        )

    def _four(self, name: str, table: ConfusionMatrix) -> Iterator[Square]:
        counts = [[table.tp, table.fn], [table.fp, table.tn]]
        of = denominators(counts, self.normalize)
        found = shares_of(counts, of, self.confidence_level, independent=self.independent)
        shares = zip(*(part.flat for part in found), strict=True)
        for cell, share in zip(CELLS, shares, strict=True):
            yield Square(name, cell, getattr(table, cell), *map(float, share))

    def _drawn(self) -> Picture:
        if self.matrix is not None:
            return self.matrix.picture(self.cells)
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
        largest = max(cell.cases for cell in self.cells) or 1
        for k, cell in enumerate(self.cells):
            x, y = float(k % 2), rows[k // 4] + (k // 2) % 2
            share = cell.cases / largest if self.normalize is None else cell.share
            yield _shade(cell, share, x, y)
            yield from self._words(cell, x, y)

    def _words(self, cell: Square, x: float, y: float) -> Iterator[Text]:
        lines = (
            (count(cell.cases), 17.0, True),
            (FOUND[cell.cell], 12.0, False),
            (self._share(cell), 12.0, False),
        )
        for (text, size, bold), down in zip(lines, (0.26, 0.52, 0.76), strict=True):
            if text:
                yield Text(
                    key="count" if bold else "words", x=x, y=y + down, text=text, anchor="middle",
                    color="ink", size=size, bold=bold,
                )  # fmt: skip

    def _share(self, cell: Square) -> str:
        """Write a share and its interval; nothing where counts alone are asked for."""
        if self.normalize is None:
            return ""
        if isnan(cell.share):
            return "no such cases"
        ends = "" if isnan(cell.low) else f" ({percent(cell.low)} to {percent(cell.high)})"
        return f"{percent(cell.share)}{ends}"

    def _told(self) -> str:
        several = "Confusion matrices" if len(self.tables) > 1 else "Confusion matrix"
        cases = cases_told([sum(self.tables.values())])
        if self.normalize is None:
            return f"{several}: {cases}"
        without = lacking(independent=self.independent, weighted=self._weighted)
        shown = without or f"{self._level} intervals"
        of = "" if self.normalize == "true" else f", {OF[self.normalize]}"
        return f"{several}: {cases}{of} ({shown})"

    @property
    def _weighted(self) -> bool:
        return any(table.is_weighted for table in self.tables.values())

    @property
    def _level(self) -> str:
        return level(self.confidence_level)

    def _described(self) -> str:
        each = (
            f"{label(c.table, LONGEST)} {count(c.cases)} {FOUND[c.cell]}, {self._share(c)}"
            for c in self.cells
        )
        return "Truth in rows, predictions in columns: " + "; ".join(e.strip(" ,") for e in each)

    def _rows(self) -> list[dict[str, Any]]:
        return [cell._asdict() for cell in self.cells]


def _shade(cell: Square, share: float, x: float, y: float) -> Region:
    color, ends = ("good" if cell.cell in RIGHT else "bad"), ((x - 0.49, x + 0.49), (y, y + 1))
    if isnan(share):
        return Region.box(*ends, key="undefined", color="grey", opacity=0.0, hatch=True)
    opacity = PALEST + (DARKEST - PALEST) * share
    ends = ends[0], (y + 0.015, y + 0.985)
    return Region.box(*ends, key="cell", color=color, opacity=opacity)

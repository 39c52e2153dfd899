"""A column of labels as codes, and what several columns say together."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from baserate.cases.values import label_of, order

Codes = NDArray[np.intp]
Mask = NDArray[np.bool_]

FEW = 1000  # rows whose codes Python collects faster than NumPy counts them
SPARSE = 1 << 40  # possible combinations beyond which they are renumbered


class Labels(NamedTuple):
    """A column of labels: `labels[code]` of each row; None is a missing label.

    Several codes may stand for equal labels, such as 1 and True. `decided` labels are booleans that
    already say "positive?", because a score was cut. `name` is what messages call the column, where
    that is not what it is kept under.
    """

    codes: Codes
    labels: Sequence[Any]
    decided: bool = False
    name: str | None = None

    @classmethod
    def of(cls, values: Iterable[Any], *, decided: bool = False) -> Self:
        """Give labels numbers as they come; 1 and True stay apart until they are compared."""
        index: dict[Any, int] = {}
        codes = [index.setdefault((type(value), value), len(index)) for value in values]
        labels = [label_of(value) for _, value in index]
        return cls(np.array(codes, dtype=np.intp), labels, decided)

    def missing(self) -> Mask:
        """Say which rows have no label."""
        return np.array([value is None for value in self.labels], dtype=bool)[self.codes]

    def found(self) -> dict[int, Any]:
        """Return the labels that occur, by code."""
        few = len(self.codes) < FEW
        codes = (
            set(self.codes.tolist()) if few else np.flatnonzero(np.bincount(self.codes)).tolist()
        )
        return {code: self.labels[code] for code in codes}

    def take(self, rows: Any) -> "Labels":
        """Return the labels of some rows."""
        return self._replace(codes=self.codes[rows])


class Grouping(NamedTuple):
    """Which group each row belongs to: every combination of labels that occurs.

    Attributes
    ----------
    names : tuple of str
        The columns.
    codes : array of int
        Index into `keys`.
    keys : tuple of tuple
        One label per column, in order: numbers by size, then text by alphabet.
    """

    names: tuple[str, ...]
    codes: Codes
    keys: tuple[tuple[Any, ...], ...]

    def take(self, rows: Any) -> "Grouping":
        """Return the groups of some rows; a group that has none left keeps its place."""
        return self._replace(codes=self.codes[rows])


def grouped(columns: Mapping[str, Labels]) -> Grouping | None:
    """Combine the labels of several columns; None without a column.

    Examples
    --------
    >>> from baserate.cases.labels import grouped, Labels
    >>> found = grouped({"sex": Labels.of("fmf"), "age": Labels.of([60, 60, 20])})
    >>> found.keys, found.codes.tolist()
    ((('f', 20), ('f', 60), ('m', 60)), [1, 2, 0])
    """
    if not columns:
        return None
    sides = list(columns.values())
    rows, place = combinations([side.codes for side in sides], [len(s.labels) for s in sides])
    keys = [tuple(side.labels[int(side.codes[row])] for side in sides) for row in rows.tolist()]
    sort = sorted(dict.fromkeys(keys), key=lambda key: [order(label) for label in key])
    index = {key: code for code, key in enumerate(sort)}
    to = np.array([index[key] for key in keys], dtype=np.intp)
    return Grouping(tuple(map(str, columns)), to[place], tuple(sort))


def combinations(
    codes: Sequence[NDArray[Any]], sizes: Sequence[int]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return one row for every combination of codes that occurs, and the number of each row's own.

    Parameters
    ----------
    codes : sequence of arrays of shape (m,)
    sizes : sequence of int
        How many codes each column may have.
    """
    flat, size = codes[0].astype(np.intp), max(sizes[0], 1)
    for more, radix in zip(codes[1:], sizes[1:], strict=True):
        if size * radix > SPARSE:
            flat = np.unique(flat, return_inverse=True)[1]
            size = int(flat.max()) + 1
        flat = flat * radix + more
        size *= radix
    if size > len(flat):
        _, rows, flat = np.unique(flat, return_index=True, return_inverse=True)
        return rows, flat
    shown = np.full(size, -1, dtype=np.intp)
    shown[flat] = np.arange(len(flat))
    occurs = shown >= 0
    return shown[occurs], (np.cumsum(occurs) - 1)[flat]

"""A column of labels as codes, and what several columns say together."""

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from baserate.cases.values import NUMBERS, from_text, label_of, order
from baserate.errors import DataError, shown

Codes = NDArray[np.intp]
Key = tuple[Any, ...]
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
    """Which group each row belongs to: every combination of labels that occurs."""

    names: tuple[str, ...]  # the columns
    codes: Codes  # index into `keys`
    # one label per column, in order: numbers by size, then text by alphabet
    keys: tuple[tuple[Any, ...], ...]

    def take(self, rows: Any) -> "Grouping":
        """Return the groups of some rows; a group that has none left keeps its place."""
        return self._replace(codes=self.codes[rows])


def grouped(columns: Mapping[str, Labels]) -> Grouping | None:
    """Combine the labels of several columns; None without a column."""
    if not columns:
        return None
    sides = list(columns.values())
    rows, place = combinations([side.codes for side in sides], [len(s.labels) for s in sides])
    keys = [tuple(side.labels[int(side.codes[row])] for side in sides) for row in rows.tolist()]
    sort = sorted(dict.fromkeys(keys), key=lambda key: [order(label) for label in key])
    index = {key: code for code, key in enumerate(sort)}
    to = np.array([index[key] for key in keys], dtype=np.intp)
    return Grouping(tuple(map(str, columns)), to[place], tuple(sort))


def read_alike(names: Sequence[str], *places: Iterable[Key]) -> dict[Key, Key]:
    """Return how the keys of several places read once they stand beside each other.

    A place that keeps text calls 0 and 1 "0" and "1". Beside numbers, text that is all numbers is
    read as such, as that of true labels is.
    """
    keys = [list(place) for place in places]
    found = [_read_column(name, [[k[i] for k in place] for place in keys])
             for i, name in enumerate(names)]  # fmt: skip
    return {
        key: tuple(map(_read, found, key))
        for key in dict.fromkeys(k for place in keys for k in place)
    }


def _read(read: Mapping[str, Any], label: Any) -> Any:
    return read.get(label, label) if isinstance(label, str) else label


def _read_column(name: str, places: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """Return the numbers that the texts of a column stand for, if they do."""
    texts = [{label for label in place if isinstance(label, str)} for place in places]
    others = [{label for label in place if not isinstance(label, str)} for place in places]
    if not (any(texts) and any(others)):
        return {}
    read = {text: from_text(text) for text in sorted(set[str]().union(*texts))}
    pure = not any(text and other for text, other in zip(texts, others, strict=True))
    numbers = all(isinstance(label, NUMBERS) for other in others for label in other)
    if pure and numbers and None not in read.values() and len({*read.values()}) == len(read):
        return read
    for i, place in enumerate(texts):
        elsewhere = {label for j, other in enumerate(others) if j != i for label in other}
        written = {str(label): label for label in elsewhere}
        for text in sorted(place):
            if read[text] in elsewhere or text in written:
                label = shown(written.get(text, read[text]))
                raise DataError(
                    f"Group column {name!r} must hold labels of one type, got the text {text!r} "
                    f"beside {label}, which is no text, in another file: count one of them again, "
                    "with that column stored as in the other."
                )
    return {}


def combinations(
    codes: Sequence[NDArray[Any]], sizes: Sequence[int]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return one row for every combination of codes that occurs, and which one each row has."""
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


def adder(amount: NDArray[Any]) -> Any:
    """Return the function (place, amount, size) that adds up such amounts without loss."""
    return _whole_sums if amount.dtype.kind == "i" else _exact_sums


def _whole_sums(place: NDArray[Any], count: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    if count.strides == (0,):  # every row is one case
        return np.bincount(place, minlength=size) * count[:1].sum()
    sums = np.zeros(size, dtype=np.int64)
    np.add.at(sums, place, count)
    return sums


def _exact_sums(place: NDArray[Any], amount: NDArray[Any], size: int) -> NDArray[np.float64]:
    order = np.argsort(place, kind="stable")
    counts = np.bincount(place, minlength=size)
    used = np.flatnonzero(counts)
    parts = np.split(amount[order], np.cumsum(counts[used])[:-1]) if len(used) else []
    sums = np.zeros(size)
    sums[used] = [fsum(part.tolist()) for part in parts]
    return sums

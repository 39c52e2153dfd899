"""A column of labels in whatever library holds it, read in blocks and compared with a key.

Comparing a block with the two labels that it usually holds is far cheaper than sorting or hashing
it, so every kind of column says what a row's key is and which rows equal a key.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Mask
from baserate.cases.values import is_missing


class AnyColumn(Protocol):
    """What the counting loop needs to know about a column."""

    def __len__(self) -> int: ...

    def block(self, low: int, high: int) -> Any:
        """Return rows low to high, without a copy where the library allows."""
        ...

    def key(self, block: Any, row: int) -> Any:
        """Return what rows with the same label as this one compare equal to."""
        ...

    def equal(self, block: Any, key: Any) -> Mask:
        """Say which rows hold this key."""
        ...

    def objects(self, block: Any) -> Sequence[Any]:
        """Return the labels as Python objects."""
        ...


class Numbers:
    """Booleans, numbers, times and variable-width strings: NumPy compares them quickly itself."""

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array

    def __len__(self) -> int:
        return len(self.array)

    def block(self, low: int, high: int) -> NDArray[Any]:
        return self.array[low:high]

    def key(self, block: NDArray[Any], row: int) -> Any:
        return block[row]

    def equal(self, block: NDArray[Any], key: Any) -> Mask:
        return block != block if is_missing(key) else block == key  # noqa: PLR0124  nan and NaT

    def objects(self, block: NDArray[Any]) -> Sequence[Any]:
        return list(block) if block.dtype.kind in "mM" else block.tolist()


class Words:
    """Fixed-width strings, compared as the machine words they are made of."""

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array
        size = array.dtype.itemsize
        self.word = np.dtype(f"u{next(width for width in (8, 4, 2, 1) if size % width == 0)}")

    def __len__(self) -> int:
        return len(self.array)

    def block(self, low: int, high: int) -> NDArray[Any]:
        return np.ascontiguousarray(self.array[low:high])

    def key(self, block: NDArray[Any], row: int) -> NDArray[Any]:
        return self._words(block[row : row + 1])[0].copy()

    def equal(self, block: NDArray[Any], key: NDArray[Any]) -> Mask:
        words = self._words(block)
        same = words[:, 0] == key[0]
        for place in range(1, len(key)):
            same &= words[:, place] == key[place]
        return same

    def objects(self, block: NDArray[Any]) -> Sequence[Any]:
        return block.tolist()

    def _words(self, block: NDArray[Any]) -> NDArray[Any]:
        return block.view(self.word).reshape(len(block), -1)


class Objects:
    """Python objects, first compared by identity: a column usually repeats a few objects.

    A key is the address of an object. The object is kept alive, also where a block was made on the
    fly, so that no address can come to mean something else.
    """

    def __init__(self, values: Any) -> None:
        self.values = values
        self._alive: list[Any] = []

    def __len__(self) -> int:
        return len(self.values)

    def block(self, low: int, high: int) -> NDArray[np.object_]:
        part: Any = self.values[low:high]
        if isinstance(part, np.ndarray):
            hidden = np.ma.getmask(part)
            copy = hidden is not np.ma.nomask
            block = np.ascontiguousarray(np.asarray(part).astype(object, copy=copy))
            if copy:
                block[hidden] = None
            return block
        objects = part if isinstance(part, (list, tuple)) else part.to_list()
        return np.fromiter(objects, dtype=object, count=len(objects))

    def key(self, block: NDArray[np.object_], row: int) -> int:
        self._alive.append(block[row])
        return id(block[row])

    def equal(self, block: NDArray[np.object_], key: int) -> Mask:
        return np.asarray(_Addresses(block)) == key

    def objects(self, block: NDArray[np.object_]) -> Sequence[Any]:
        return block.tolist()


class _Addresses:
    """Show the addresses of the objects in an array as whole numbers."""

    def __init__(self, block: NDArray[np.object_]) -> None:
        self.block = block  # keeps the memory alive
        self.__array_interface__ = {
            **block.__array_interface__,
            "typestr": np.dtype(np.intp).str,
            "descr": [("", np.dtype(np.intp).str)],
        }


class Frame:
    """A column of any data frame library, through narwhals."""

    def __init__(self, series: Any) -> None:
        self.series = series

    def __len__(self) -> int:
        return len(self.series)

    def block(self, low: int, high: int) -> Any:
        return self.series[low:high]

    def key(self, block: Any, row: int) -> Any:
        return block[row]

    def equal(self, block: Any, key: Any) -> Mask:
        if is_missing(key):
            same = block.is_null()
            same = same | block.is_nan() if block.dtype.is_float() else same
        else:
            same = (block == key).fill_null(False)
        return np.asarray(same.to_numpy(), dtype=bool)

    def objects(self, block: Any) -> Sequence[Any]:
        return block.to_list()

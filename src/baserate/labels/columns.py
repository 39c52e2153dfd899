"""A column of labels in whatever library holds it, read in blocks and compared with a key.

Every kind of column answers four questions about a block of rows: which rows equal this key, what is the
key of this row, which label does this row hold, and which objects are in it. Comparing a block with the
two labels it usually holds is far cheaper than sorting or hashing it.
"""

import sys
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from baserate.errors import DataError, LabelError
from baserate.labels.values import is_missing, python_value

Mask = NDArray[np.bool_]


class Column(Protocol):
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

    A key is the address of an object that the caller's column keeps alive, and `_alive` keeps it alive for
    blocks that are made on the fly, so no address can come to mean something else.
    """

    def __init__(self, values: Any) -> None:
        self.values = values
        self._alive: list[Any] = []

    def __len__(self) -> int:
        return len(self.values)

    def block(self, low: int, high: int) -> NDArray[np.object_]:
        part = self.values[low:high]
        if isinstance(part, np.ma.MaskedArray):
            return part.astype(object).filled(None)
        if isinstance(part, np.ndarray):
            return np.ascontiguousarray(part.astype(object, copy=False))
        block = np.empty(len(part), dtype=object)
        block[:] = part
        return block

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
            same = (block == key).fill_null(False)  # noqa: FBT003  narwhals takes the value by position
        return np.asarray(same.to_numpy(), dtype=bool)

    def objects(self, block: Any) -> Sequence[Any]:
        return block.to_list()


def column(argument: str, values: Any) -> Column:
    """Wrap a list, an array or the column of a frame; nothing is copied and nothing is changed.

    Raises
    ------
    LabelError
        The values are text, a mapping, a set, a frame, or not one-dimensional.
    """
    if isinstance(values, (list, tuple)):
        return Objects(values)
    if isinstance(values, np.ndarray):
        return _from_array(argument, values)
    if isinstance(values, (str, bytes, dict, set, frozenset)) or values is None:
        raise _not_a_column(argument, type(values).__name__)
    if is_device_array(values):
        return _from_array(argument, to_host(argument, values))
    return _from_frame(argument, values)


def one_dimensional(argument: str, shape: tuple[int, ...]) -> None:
    """Refuse an array that is not a column."""
    if len(shape) != 1:
        raise LabelError.from_rule(
            argument,
            "must be one-dimensional",
            shape,
            "pass one label per case, such as array.ravel()",
        )


def is_device_array(values: Any) -> bool:
    """Whether these are arrays of another library that speaks the array API, or torch tensors."""
    if isinstance(values, np.ndarray):
        return False
    return hasattr(values, "__array_namespace__") or type(values).__module__.startswith("torch")


def to_host(argument: str, values: Any) -> NDArray[Any]:
    """Move an array-API array or a tensor to the memory of the processor."""
    if hasattr(values, "detach"):
        return values.detach().cpu().numpy()
    try:
        return np.from_dlpack(values, device="cpu")
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        given = type(values).__name__
        remedy = f"move it to the processor first ({error})"
        raise DataError.from_rule(argument, "must be readable by NumPy", given, remedy) from error


def _from_array(argument: str, array: NDArray[Any]) -> Column:
    one_dimensional(argument, array.shape)
    if isinstance(array, np.ma.MaskedArray):
        if array.mask is not np.ma.nomask:
            return Objects(array)
        array = array.data
    if array.dtype.kind in "US" and array.dtype.itemsize:
        return Words(np.asarray(array))
    if array.dtype.kind in "biufmM" or _compares_quickly(array.dtype):
        return Numbers(np.asarray(array))
    if array.dtype.kind in "OTUS":
        return Objects(np.asarray(array))
    remedy = "pass booleans, whole numbers or text"
    raise LabelError.from_rule(argument, "must hold labels", f"dtype {array.dtype}", remedy)


def _compares_quickly(dtype: np.dtype[Any]) -> bool:
    return dtype.kind == "T" and not hasattr(dtype, "na_object")


def _from_frame(argument: str, values: Any) -> Column:
    import narwhals.stable.v2 as nw  # noqa: PLC0415  only a frame's column needs it

    series = nw.from_native(_as_series(values), series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        raise _not_a_column(argument, type(values).__name__)
    native = series.to_native()
    plain = getattr(native, "dtype", None)
    if series.implementation.is_pandas_like() and isinstance(plain, np.dtype):
        return _from_array(argument, native.to_numpy())
    if series.dtype.is_numeric() and not series.dtype.is_decimal() and not series.null_count():
        return _from_array(argument, series.to_numpy())
    return Frame(series)


def _as_series(values: Any) -> Any:
    """Turn what narwhals does not take as a column into what it takes."""
    package = type(values).__module__.partition(".")[0]
    if package == "pyarrow" and not hasattr(values, "num_chunks"):
        pa = sys.modules["pyarrow"]
        return pa.chunked_array([values]) if isinstance(values, pa.Array) else values
    if package == "pandas" and getattr(values, "ndim", 0) == 1 and not hasattr(values, "iloc"):
        return sys.modules["pandas"].Series(values)
    return values


def _not_a_column(argument: str, given: str) -> LabelError:
    remedy = "pass a list, an array, or one column of a data frame"
    return LabelError.from_rule(argument, "must be a column of labels", given, remedy)

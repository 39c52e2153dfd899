"""A column of labels, opened from whatever library holds it; nothing is copied or changed."""

import sys
import warnings
from array import array as machine_array
from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate.cases._kinds import AnyColumn, Frame, Numbers, Objects, Words
from baserate.errors import DataError, LabelError

PROBE = 1 << 16  # rows searched at a time for one that is not null


def column(argument: str, values: Any) -> AnyColumn:
    """Wrap a list, an array or the column of a frame; nothing is copied and nothing is changed."""
    if isinstance(values, (list, tuple)):
        return Objects(values if type(values) in (list, tuple) else _as_list(argument, values))
    if isinstance(values, np.ndarray):
        return _from_array(argument, values)
    kinds = (str, bytes, dict, set, frozenset, np.generic, ModuleType, type)
    if isinstance(values, kinds) or values is None:
        raise _not_a_column(argument, type(values).__name__)
    if is_device_array(values):
        return _from_array(argument, to_host(argument, values))
    if isinstance(values, (machine_array, memoryview)):
        return _from_array(argument, np.asarray(values))
    return _from_frame(argument, values)


def check_order(columns: Iterable[tuple[Any, Any]]) -> None:
    """Refuse columns and frames of pandas that name the same rows in another order."""
    flat = [
        each
        for name, values in columns
        for each in (values.items() if isinstance(values, Mapping) else [(name, values)])
    ]
    indexed = [(name, values.index) for name, values in flat if _has_index(values)]
    for name, index in indexed[1:]:
        first, own = indexed[0]
        if index is own or len(index) != len(own) or index.equals(own):
            continue
        if index.isin(own).all() and own.isin(index).all():
            raise DataError(
                f"{name} has the rows of {first} in another order, by their labels (index): "
                f"align them, as {name}.loc[{first}.index] does, or pass .to_numpy() of both if "
                "they belong together as they stand."
            )


def _has_index(values: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return any(isinstance(values, getattr(pandas, kind, ())) for kind in ("Series", "DataFrame"))


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
    if isinstance(values, (np.ndarray, np.generic)):
        return False
    return hasattr(values, "__array_namespace__") or type(values).__module__.startswith("torch")


def to_host(argument: str, values: Any) -> NDArray[Any]:
    """Move an array-API array or a tensor to the memory of the processor.

    Narrow floats that NumPy does not know, such as bfloat16, are widened, which changes none.
    """
    read = _from_tensor if hasattr(values, "detach") else _from_namespace
    try:
        return read(values)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        given = type(values).__name__
        remedy = f"move it to the processor in a type that NumPy knows ({error})"
        raise DataError.from_rule(argument, "must be readable by NumPy", given, remedy) from error


def _from_tensor(values: Any) -> NDArray[Any]:
    here = values.detach().cpu()
    try:
        return here.numpy()
    except TypeError:
        if not here.is_floating_point():
            raise
        return here.double().numpy()


def _from_namespace(values: Any) -> NDArray[Any]:
    try:
        return np.from_dlpack(values, device="cpu")
    except (TypeError, ValueError, RuntimeError, BufferError):
        xp = values.__array_namespace__()
        if values.dtype in {xp.float32, xp.float64} or not xp.isdtype(
            values.dtype, "real floating"
        ):
            raise
        return np.from_dlpack(xp.astype(values, xp.float32), device="cpu")


def _from_array(argument: str, array: NDArray[Any]) -> AnyColumn:
    if array.ndim == 2 and array.shape[1] == 1:
        array = _unfolded(argument, array)
    one_dimensional(argument, array.shape)
    if isinstance(array, np.ma.MaskedArray):
        if np.any(array.mask):
            return Objects(array)
        array = array.data
    if _is_narrow_float(array.dtype):
        array = array.astype(np.float64)
    if array.dtype.kind in "US" and array.dtype.itemsize:
        return Words(np.asarray(array))
    if array.dtype.kind in "biufmM" or _compares_quickly(array.dtype):
        return Numbers(np.asarray(array))
    if array.dtype.kind in "OTUS":
        return Objects(np.asarray(array))
    remedy = "pass booleans, whole numbers or text"
    raise LabelError.from_rule(argument, "must hold labels", f"dtype {array.dtype}", remedy)


def _unfolded(argument: str, array: NDArray[Any]) -> NDArray[Any]:
    """Take a column vector for a column, with scikit-learn's warning, if it is there."""
    message = (
        f"{argument} is a column vector of shape {array.shape}, taken as one entry per case: pass "
        f"{argument}.ravel()."
    )
    loaded = sys.modules.get("sklearn.exceptions")  # who filters its warnings has imported it
    kind = UserWarning if loaded is None else loaded.DataConversionWarning
    warnings.warn(message, kind, stacklevel=2)
    return array[:, 0]


def _is_narrow_float(dtype: np.dtype[Any]) -> bool:
    """Whether these are floats of another package, such as bfloat16, that doubles hold exactly."""
    is_foreign = (
        dtype.kind in "Vf" and dtype.fields is None and dtype.isbuiltin == 2
    )  # registered by another package
    return is_foreign and dtype.itemsize < 8 and np.can_cast(dtype, np.float64, "safe")


def _compares_quickly(dtype: np.dtype[Any]) -> bool:
    return dtype.kind == "T" and not hasattr(dtype, "na_object")


def _from_frame(argument: str, values: Any) -> AnyColumn:
    import narwhals.stable.v2 as nw

    series = nw.from_native(_as_series(values), series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        if isinstance(values, Sequence) and not isinstance(values, bytearray):
            return Objects(_listed(values))
        raise _not_a_column(argument, type(values).__name__)
    native = series.to_native()
    plain = getattr(native, "dtype", None)
    if series.implementation.is_pandas_like() and isinstance(plain, np.dtype):
        return _from_array(argument, native.to_numpy())
    if series.dtype.is_numeric() and not series.dtype.is_decimal() and not series.null_count():
        return _from_numbers(argument, series)
    if (times := exact_times(argument, series)) is not None:
        return times
    if series.dtype.is_nested():
        raise _not_a_column(argument, f"a column of {series.dtype}")
    return Frame(series) if _compares(series) else Objects(series)


def _from_numbers(argument: str, series: Any) -> AnyColumn:
    try:
        array = series.to_numpy()
    except Exception:  # noqa: BLE001  NumPy has no whole numbers of 128 bits
        return Objects(series.to_list())
    return _from_array(argument, array)


def exact_times(argument: str, series: Any) -> Numbers | None:
    """Return times of nanoseconds as such: Python's datetimes would cut them to microseconds.

    None if the column holds anything else.
    """
    if getattr(series.dtype, "time_unit", None) != "ns":
        return None
    array = series.to_numpy()
    zone = getattr(series.dtype, "time_zone", None)
    if zone is None:
        return Numbers(array) if array.dtype.kind in "mM" else None
    if array.dtype.kind == "M" and np.any(array.astype("M8[us]") != array):
        rule = "must hold times of whole microseconds where they have a time zone"
        given, remedy = f"a column of {series.dtype}", "cast it to text, or round it"
        raise LabelError.from_rule(argument, rule, given, remedy)
    return None


def _compares(series: Any) -> bool:
    """Whether the library can compare this column with one of its own values."""
    try:
        for low in range(0, len(series), PROBE):
            present = series[low : low + PROBE].drop_nulls()
            if len(present):
                return len(present[:1] == present[0]) == 1
    except Exception:  # noqa: BLE001  every library has exceptions of its own
        return False
    return True


def _as_series(values: Any) -> Any:
    """Turn what narwhals does not take as a column into what it takes."""
    package = type(values).__module__.partition(".")[0]
    if package == "pyarrow" and not hasattr(values, "num_chunks"):
        pa = sys.modules["pyarrow"]
        return pa.chunked_array([values]) if isinstance(values, pa.Array) else values
    if package == "pandas" and getattr(values, "ndim", 0) == 1 and not hasattr(values, "iloc"):
        return sys.modules["pandas"].Series(list(values) if hasattr(values, "levels") else values)
    return values


def _listed(values: Sequence[Any]) -> list[Any]:
    """Read a sequence of any kind, at once where it can be sliced."""
    try:
        return list(values[:])
    except TypeError:
        return list(values)


def _as_list(argument: str, values: Any) -> list[Any]:
    """Return what a class of the user's own lists, which may be wrong about its length."""
    try:
        length, found = len(values), [*iter(values)]
    except Exception as error:  # whatever its methods raise
        raise _not_a_column(argument, type(values).__name__) from error
    if len(found) != length:
        raise _not_a_column(argument, f"{type(values).__name__} of {len(found)} for {length}")
    return found


def _not_a_column(argument: str, given: str) -> LabelError:
    remedy = "pass a list, an array, or one column of a data frame"
    rule = f"must be a column of {'numbers' if 'weight' in argument else 'labels'}"
    return LabelError.from_rule(argument, rule, given, remedy)

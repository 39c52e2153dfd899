"""Counted rows that an engine hands back: labels as codes, and numbers as arrays.

A score in many groups comes back as a million cells, and a Python object for each number of each
would take more memory than all else.
"""

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from baserate.adapters._counts import ColumnRange
from baserate.cases.columns import exact_times
from baserate.cases.labels import Labels
from baserate.cases.values import label_of

MISSING = -1  # code of a missing prediction; 0 and 1 are the decisions
WIDE = (nw.Int128, nw.UInt128)  # NumPy knows no such numbers


def labels_of(series: Any, column: Any) -> Labels:
    """Return the labels of a series of narwhals as codes; None, for a missing label, is last.

    Text, whole numbers and booleans never become one Python object for each row.
    """
    times = exact_times(repr(column), series)
    if times is not None:
        return Labels.of(times.array)
    is_text = isinstance(series.dtype, nw.String) or _are_texts(series)
    is_whole = series.dtype.is_integer() and series.dtype not in WIDE
    if not (is_text or is_whole or isinstance(series.dtype, nw.Boolean)):
        return Labels.of(series.to_list())
    present = ~series.is_null().to_numpy().astype(bool)
    held = series if present.all() else series.filter(present.tolist())
    # Categories become text without their gaps, which pandas 2.2 calls "nan".
    values, codes = _numbered(held.cast(nw.String) if is_text else held)
    found = np.full(len(present), len(values), dtype=np.intp)
    found[present] = codes
    return Labels(found, [*map(label_of, values), None])


def _are_texts(series: Any) -> bool:
    """Whether these are categories, and all of them text."""
    is_categorical = isinstance(series.dtype, nw.Categorical | nw.Enum)
    return is_categorical and isinstance(series.cat.get_categories().dtype, nw.String)


def _numbered(series: Any) -> tuple[list[Any], NDArray[Any]]:
    if not isinstance(series.dtype, nw.String):
        values, codes = np.unique(series.to_numpy(), return_inverse=True)
        return values.tolist(), codes
    values = series.unique().to_list()
    if not values:
        return values, np.zeros(0, dtype=np.intp)
    codes = series.replace_strict(values, list(range(len(values))), return_dtype=nw.Int64)
    return values, codes.to_numpy()


def decisions_of(series: Any) -> Labels:
    """Return what was decided of each row: 0, 1, or MISSING."""
    codes = series.to_numpy()
    return Labels(np.where(codes == MISSING, 2, codes).astype(np.intp), (False, True, None))


def spread_of(low: NDArray[Any], high: NDArray[Any]) -> ColumnRange:
    """Return the range of all rows from the ends of each."""
    return ColumnRange.of([low.min()], [high.max()]) if len(low) else ColumnRange()

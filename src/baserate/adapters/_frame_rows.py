"""What a frame's own library counts: the cells of scores, and the rows that come back.

Cells are those of `baserate.curves.score_grid`, so that what is counted here merges with what is
counted elsewhere. Which number a cell has does not matter: the rows that come back hold the lowest
and the highest score of each.

A score in many groups comes back as a million cells, and a Python object for each number of each
would take more memory than all else: labels come as codes, and numbers as arrays.
"""

from math import inf
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from baserate.adapters._counts import ColumnRange
from baserate.cases.columns import exact_times
from baserate.cases.labels import Labels
from baserate.cases.scores import EXACT
from baserate.cases.values import label_of
from baserate.curves.score_grid import (
    BEYOND,
    MIRRORED,
    NEAR_ONE,
    STRETCH,
    STRETCHES,
    USUAL,
    end_of,
    first_of,
    scale_of,
)

MISSING = -1  # code of a missing prediction; 0 and 1 are the decisions
WIDE = (nw.Int128, nw.UInt128)  # NumPy knows no such numbers
HALF, SMALLER = 10, (5, 3, 2, 1)  # by how many stretches scores are moved to the usual one


def with_cells(data: Any, score: str) -> Any:
    """Add a column "cell": a number that scores of a frame share in one cell of the grid.

    Zero and infinity have their own; below 2^-60 and from 2^60 on, one cell holds all of a sign. No
    score may be missing.

    The stretch of a score is found by halving, in columns of its own: one expression that names
    every stretch is computed twenty times by pandas, and compiled for seconds by Spark.
    """
    data = data.with_columns(whole=_as_double(data, score).abs())
    near, whole = (nw.col("whole") > NEAR_ONE) & (nw.col("whole") < 1), nw.col("whole")
    data = data.with_columns(size=nw.when(near).then(1 - whole).otherwise(whole))
    data = data.with_columns(part=nw.col("size"), stretch=nw.lit(float(USUAL)))
    data = _moved(data, nw.col("part") >= 1, -HALF)
    for stretches in SMALLER:
        data = _moved(data, nw.col("part") < end_of(USUAL - stretches), stretches)
    coarse, usual = scale_of(0) * end_of(0), nw.col("stretch") == USUAL
    data = data.with_columns(
        width=nw.when(usual).then(nw.lit(scale_of(USUAL))).otherwise(nw.lit(coarse))
    )
    place = (nw.col("part") * nw.col("width")).floor()
    data = data.with_columns(
        number=place + (nw.col("stretch") * (first_of(1) - first_of(0)) + first_of(0))
    )
    size = nw.col("size")
    for where, number in (
        (size < end_of(STRETCHES[0] - 1), 1.0),
        (size == 0, 0.0),
        (size >= end_of(STRETCHES[-1]), BEYOND),
        (size == inf, BEYOND + 1),
    ):
        data = data.with_columns(
            number=nw.when(where).then(nw.lit(number)).otherwise(nw.col("number"))
        )
    mirrored = nw.when(near).then(nw.lit(MIRRORED)).otherwise(nw.lit(0.0))
    number = (nw.col("number") + mirrored).cast(nw.Int64)
    return data.with_columns(cell=nw.when(nw.col(score) < 0).then(-number).otherwise(number))


def _as_double(data: Any, score: str) -> Any:
    """Return scores as doubles; whole numbers that these would merge are refused afterwards."""
    if not data.collect_schema()[score].is_integer():
        return nw.col(score).cast(nw.Float64)
    held = (nw.col(score) >= -EXACT) & (nw.col(score) <= EXACT)  # pyarrow casts no others
    return nw.when(held).then(nw.col(score)).otherwise(nw.lit(0)).cast(nw.Float64)


def _moved(data: Any, where: Any, stretches: int) -> Any:
    """Multiply some scores by a power of 64, and say that they lie so many stretches lower."""
    scale = nw.when(where).then(nw.lit(2.0 ** (STRETCH * stretches))).otherwise(nw.lit(1.0))
    data = data.with_columns(scale=scale)
    lower = nw.when(nw.col("scale") == 1).then(nw.lit(0.0)).otherwise(nw.lit(float(stretches)))
    return data.with_columns(
        part=nw.col("part") * nw.col("scale"), stretch=nw.col("stretch") - lower
    )


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

"""The cells that scores are counted in where they lie: columns of narwhals, or SQL.

They are cells of `baserate.curves.score_grid`, so that what is counted here merges with what is
counted elsewhere. Which number a cell has does not matter: the rows that come back hold the lowest
and the highest score of each.
"""

from math import inf
from typing import Any

import narwhals.stable.v2 as nw

from baserate.cases.scores import EXACT
from baserate.curves.score_grid import (
    BEYOND,
    LEVEL,
    MIRRORED,
    NEAR_ONE,
    STRETCH,
    STRETCHES,
    USUAL,
    end_of,
    first_of,
    scale_of,
)

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


def cell_in_sql(name: str, level: int = LEVEL) -> str:
    """Write the same for a column of doubles, null where it is null, on any level."""
    size, lack = f"abs({name})", f"(1 - abs({name}))"
    usual = f"{name} >= {end_of(USUAL - 1)!r} AND {name} <= {NEAR_ONE!r}"  # what most are
    cases = [(f"{size} = 0", "0"), (f"{size} < {end_of(STRETCHES[0] - 1)!r}", "1")]
    places = [(at, _place_in_sql(size, at, level)) for at in sorted((*STRETCHES, USUAL))]
    near = [(at, _place_in_sql(lack, at, level)) for at in STRETCHES if at < USUAL]
    mirrored = " ".join(f"WHEN {lack} < {end_of(at)!r} THEN {place}" for at, place in near)
    between = f"{size} > {NEAR_ONE!r} AND {size} < 1"
    cases.append((between, f"{MIRRORED!r} + CASE {mirrored} END"))
    cases += [(f"{size} < {end_of(at)!r}", place) for at, place in places]
    cases += [(f"{size} = 'inf'::DOUBLE", f"{BEYOND + 1!r}"), (f"{size} > 0", f"{BEYOND!r}")]
    number = " ".join(f"WHEN {condition} THEN {value}" for condition, value in cases)
    others = f"CASE {number} END * sign({name})"
    return (
        f"(CASE WHEN {usual} THEN {_place_in_sql(name, USUAL, level)} ELSE {others} END)::INTEGER"
    )


def _place_in_sql(size: str, stretch: int, level: int) -> str:
    return f"floor({size} * {scale_of(stretch, level)!r}::DOUBLE) + {first_of(stretch)!r}"

"""The cells that scores are counted in where they lie: an expression of narwhals, or SQL.

They are cells of `baserate.curves.score_grid`, so that what is counted here merges with what is
counted elsewhere. Which number a cell has does not matter: the rows that come back hold the lowest
and the highest score of each.
"""

from math import inf
from typing import Any

import narwhals.stable.v2 as nw

from baserate.curves.score_grid import BEYOND, STRETCHES, USUAL, end_of, first_of, scale_of


def cell_of(score: Any) -> Any:
    """Write a number that scores share in one cell of the grid, and no others.

    Zero and infinity have their own; below 2^-60 and from 2^60 on, one cell holds all of a sign.
    """
    size = score.abs()
    number = nw.when(size == inf).then(nw.lit(BEYOND + 1)).otherwise(nw.lit(BEYOND))
    for stretch in reversed(STRETCHES):
        below = nw.when(size < end_of(stretch))
        number = below.then(_place(size, stretch)).otherwise(number)
    number = nw.when(size < end_of(STRETCHES[0] - 1)).then(nw.lit(1.0)).otherwise(number)
    number = nw.when(size == 0).then(nw.lit(0.0)).otherwise(number)
    usual = (size >= end_of(USUAL - 1)) & (size < 1)  # asked first: most engines stop there
    number = nw.when(usual).then(_place(size, USUAL)).otherwise(number)
    return nw.when(score < 0).then(-number).otherwise(number).cast(nw.Int64)


def cell_in_sql(name: str) -> str:
    """Write the same for a column of doubles, null where it is null."""
    size = f"abs({name})"
    usual = f"{size} >= {end_of(USUAL - 1)!r} AND {size} < 1"
    cases = [(usual, _place_in_sql(size, USUAL)), (f"{size} = 0", "0")]
    cases += [(f"{size} < {end_of(STRETCHES[0] - 1)!r}", "1")]
    cases += [(f"{size} < {end_of(at)!r}", _place_in_sql(size, at)) for at in STRETCHES]
    cases += [(f"{size} = 'inf'::DOUBLE", f"{BEYOND + 1!r}"), (f"{size} > 0", f"{BEYOND!r}")]
    number = " ".join(f"WHEN {condition} THEN {value}" for condition, value in cases)
    return f"(CASE {number} END * sign({name}))::BIGINT"


def _place_in_sql(size: str, stretch: int) -> str:
    return f"floor({size} * {scale_of(stretch)!r}::DOUBLE) + {first_of(stretch)!r}"


def _place(size: Any, stretch: int) -> Any:
    return (size * scale_of(stretch)).floor() + first_of(stretch)

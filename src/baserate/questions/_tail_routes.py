"""Routes to the masses below, at and above a number."""

from collections.abc import Callable
from math import exp, fsum
from typing import NamedTuple

import numpy as np

from baserate._windows import DEEP, DEPTH
from baserate.errors import UnsupportedError
from baserate.questions._law import BUDGET, Law
from baserate.questions._lumps import Lumps
from baserate.questions._masses import Sides
from baserate.questions._routes import Route
from baserate.questions._rows import Rows, has_rows
from baserate.questions._slices import slices
from baserate.questions._ties import Cut

# So many tables are compared one by one before thresholds are looked for.
_CHEAP = 20_000
# Laws of so few tables are summed whole, down to 1e-300.
_WHOLE = 50_000
# What the windows of up to three counts leave out, of either tail.
_LEFT_OUT = 6 * exp(-DEPTH)
# With less than this defined, what windows leave out would count.
_RARE = 1e-6


class Parted(NamedTuple):
    """The masses on both sides of a number, and by how much each may be short."""

    sides: Sides
    error: float


def tail_routes(cut: Cut) -> tuple[Route, ...]:
    """Return the routes to the masses on both sides of x."""

    def lumped(law: Law) -> Parted | None:
        lumps = Lumps.of(law)
        if lumps is None:
            return None
        return _deep_enough(law, lambda depth: lumps.sides(cut, depth), lumps.fits)

    def by_threshold(law: Law) -> Parted | None:
        return _deep_enough(
            law,
            lambda depth: Rows(law, slices(law, depth) or []).sides(cut),
            lambda depth: has_rows(law, depth),
        )

    def enumerated(law: Law) -> Parted | None:
        found = _deep_enough(
            law,
            lambda depth: _enumerated(law, cut, depth),
            lambda depth: law.n_atoms(depth=depth) <= BUDGET,
        )
        if found is None and not has_rows(law, DEEP):
            raise _too_rare(law)
        return found

    return (
        Route("lumps", lambda law: law.metric.lumps is not None, lumped),
        Route("enumeration", lambda law: law.n_atoms() <= _CHEAP, enumerated),
        Route("threshold", has_rows, by_threshold),
        Route("enumeration", lambda law: law.n_atoms() <= BUDGET, enumerated),
    )


def _deep_enough(
    law: Law, sides_at: Callable[[float], Sides], fits: Callable[[float], bool]
) -> Parted | None:
    """Sum windows: the deepest of a short law, or of one with hardly any table defined."""
    if law.model.n_tables > _WHOLE:
        if not fits(DEPTH):
            return None
        sides = sides_at(DEPTH)
        if sides.defined > _RARE:
            return Parted(sides, _LEFT_OUT)
    return Parted(sides_at(DEEP), 0.0) if fits(DEEP) else None


def _too_rare(law: Law) -> UnsupportedError:
    return UnsupportedError(
        f"{law.metric.name} is so rarely defined under {type(law.model).__name__} that windows "
        f"which leave out {_LEFT_OUT:.0e} say too little, and there are "
        f"{law.n_atoms(depth=DEEP):,} tables to sum in deeper ones, more than {BUDGET:,}: declare "
        f"trend_in_fp and undefined_if_zero, which opens the threshold route."
    )


def _enumerated(law: Law, cut: Cut, depth: float) -> Sides:
    sums: list[tuple[float, ...]] = [(0.0, 0.0, 0.0, 0.0)]
    for block in law.blocks(depth=depth):
        below, above = cut.sides(block.values, block.cells)
        nowhere = np.isnan(block.values)
        parts = below, ~(below | above | nowhere), above, nowhere
        sums.append(tuple(float(block.weights[part].sum()) for part in parts))
    return Sides(*map(fsum, zip(*sums, strict=True)))

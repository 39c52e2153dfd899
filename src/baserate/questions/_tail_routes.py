"""Routes to the masses below, at and above a number, in deeper windows where one is faint."""

from collections.abc import Callable, Sequence
from math import exp, fsum
from typing import Literal

import numpy as np

from baserate._arith import slack
from baserate._windows import DEEP, DEPTH
from baserate.errors import UnsupportedError
from baserate.questions._law import BUDGET, Law
from baserate.questions._lumps import Lumps
from baserate.questions._masses import FAINT, Sides
from baserate.questions._routes import Route
from baserate.questions._rows import Rows, has_rows
from baserate.questions._scout import far_sides
from baserate.questions._slices import slices
from baserate.questions._ties import Cut

Tail = Literal["below", "up to", "from", "above"]

# So many tables are compared one by one before thresholds are looked for.
_CHEAP = 20_000
# Where that is too much to sum, a tail must be so many times the mass that the windows of up to
# three counts leave out.
_FAR = 1e6
_CUT = 6 * exp(-DEPTH)


def tail_routes(cut: Cut, asked: Sequence[Tail]) -> tuple[Route, ...]:
    """Return the routes to the masses on both sides of x; the tails `asked` for keep their digits.

    A tail that the bounds of the metric rule out is not looked for in deeper windows.
    """
    possible: list[Tail] = [tail for tail in asked if _is_possible(cut, tail)]

    def lumped(law: Law) -> Sides | None:
        lumps = Lumps.of(law)
        if lumps is None or not lumps.fits():
            return None
        sides = lumps.sides(cut)
        return _clear(sides, possible, lambda: lumps.far_sides(cut, sides))

    def enumerated(law: Law) -> Sides | None:
        sides = _enumerated(law, cut, DEPTH)

        def deeper() -> Sides | None:
            if law.n_atoms(depth=DEEP) <= BUDGET:
                return _enumerated(law, cut, DEEP)
            if _faintest(sides, possible) > _FAR * _CUT:
                return sides
            if has_rows(law):
                return None
            raise _too_faint(law)

        return _clear(sides, possible, deeper)

    def by_threshold(law: Law) -> Sides | None:
        sides, _ = Rows(law, slices(law) or []).part(cut)
        return _clear(sides, possible, lambda: far_sides(law, cut, sides))

    return (
        Route("lumps", lambda law: law.metric.lumps is not None, lumped),
        Route("enumeration", lambda law: law.n_atoms() <= _CHEAP, enumerated),
        Route("threshold", has_rows, by_threshold),
        Route("enumeration", lambda law: law.n_atoms() <= BUDGET, enumerated),
    )


def _clear(sides: Sides, asked: Sequence[Tail], deeper: Callable[[], Sides | None]) -> Sides | None:
    """Return the masses, or those of deeper windows where these cut off too much of a tail."""
    return deeper() if _faintest(sides, asked) < FAINT else sides


def _faintest(sides: Sides, asked: Sequence[Tail]) -> float:
    """Return the smallest mass that is asked for; 0 if there is none at all."""
    masses = {
        "below": sides.below,
        "up to": sides.below + sides.equal,
        "from": sides.equal + sides.above,
        "above": sides.above,
    }
    return min((masses[tail] for tail in asked), default=1.0) if sides.defined > 0 else 0.0


def _is_possible(cut: Cut, tail: Tail) -> bool:
    x = float(cut.x)
    low, high = cut.metric.bounds
    width = slack(x) if tail in {"below", "above"} else -slack(x)
    return low < x - width if tail in {"below", "up to"} else high > x + width


def _too_faint(law: Law) -> UnsupportedError:
    return UnsupportedError(
        f"This tail of {law.metric.name} under {type(law.model).__name__} is too faint for windows "
        f"that leave out {_CUT:.0e}, and there are {law.n_atoms(depth=DEEP):,} tables to sum in "
        f"deeper ones, more than {BUDGET:,}: declare trend_in_fp and undefined_if_zero, which "
        f"opens the threshold route."
    )


def _enumerated(law: Law, cut: Cut, depth: float) -> Sides:
    sums: list[tuple[float, float, float]] = [(0.0, 0.0, 0.0)]
    for block in law.blocks(depth=depth):
        below, above = cut.sides(block.values, block.cells)
        equal = ~(below | above | np.isnan(block.values))
        low, level, high = (float(block.weights[part].sum()) for part in (below, equal, above))
        sums.append((low, level, high))
    return Sides(*map(fsum, zip(*sums, strict=True)))

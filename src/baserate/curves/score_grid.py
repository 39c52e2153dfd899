"""The grid on which scores are counted: cells that the number alone decides, level within level.

Two histograms merge only if their bins are cut at the same places, whoever counts them and wherever
the scores lie. So the places depend on nothing but the number. Every level halves the cells of the
one before, so that a finer histogram can be counted again as a coarser one, exactly.

Zero, infinity and minus infinity are cells of their own, and minus s lies as s does. On [1/64,
63/64] the cells of level k have width 2^-k. Every other stretch [64^r, 64^(r + 1)), r from -179 to
170, is cut into cells of width 64^(r + 1) / 2^(k - 4): uniform for probabilities, with room for
rare events and for scores of any size. Between 63/64 and 1 a score lies as 1 - s does, for those
who are nearly sure: the difference is exact. A cell is found by that, by multiplications by powers
of two, which no float rounds, and by one floor, so that every engine finds the same.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

FINEST, COARSEST = 20, 4  # levels; beyond the finest, distinct scores are kept apart
RARER = 4  # levels by which the stretches outside [1/64, 1) are coarser
STRETCH = 6  # the exponents of two in one stretch
FIRST = 200  # stretches are numbered from here, so that all numbers are positive
CELLS = 1 << FINEST  # the numbers that each stretch has for its cells
ONE = 2 * FIRST * CELLS  # the number from which those of 1 and above are counted

# What engines and devices count in, that know neither exponents nor levels chosen afterwards.
LEVEL, COARSER = 14, 2  # of the cells on [1/64, 1); how much coarser others are
USUAL = -1  # the stretch [1/64, 1), up to 63/64
NEAR_ONE = 63 / 64  # above, and below 1, a score lies as what it lacks to 1
STRETCHES = (*range(-10, USUAL), *range(10))  # the others, from 2^-60 to 2^60
BEYOND = float(2 * FIRST * CELLS)  # the number of what lies beyond
MIRRORED = 2 * BEYOND  # what is added to the number of what 1 - s lies in


def cells_of(scores: NDArray[np.float64], level: int | NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the cell that each score lies in, which may be infinite; cells ascend as scores do.

    They are ±(1 + (stretch + 200) 2^20 + place in the stretch), and 0 for zero; numbers of 1 and
    more are raised by 200 · 2^20, below which those above 63/64 are counted downwards from 1. Of a
    probability the place is floor(s 2^level).
    """
    scores = np.asarray(scores, dtype=np.float64)
    return np.sign(scores).astype(np.int64) * (1 + _unfolded(*_places(np.abs(scores), level)))


def _places(
    size: NDArray[np.float64], level: int | NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return on which side sizes lie, and (stretch + 200) 2^20 + place of what they are there.

    0 up to 63/64, 1 below 1, where a size is what it lacks to 1, and 2 from there on.
    """
    near = _near_one(size)
    fraction, exponent = np.frexp(np.where(near, 1 - size, size))
    stretch = (exponent - 1) // STRETCH
    bits = np.where(stretch == USUAL, level, level - RARER)
    place = np.ldexp(fraction, exponent - STRETCH * (stretch + 1) + bits)
    infinite = np.isinf(size)
    place = np.where(infinite, 0, place).astype(np.int64)  # towards zero, so down
    stretch = np.where(infinite, FIRST, stretch).astype(np.int64)
    side = near.astype(np.int64) + 2 * (size >= 1)
    return side, (stretch + FIRST) * CELLS + place


def _near_one(size: NDArray[np.float64]) -> NDArray[np.bool_]:
    return (size > NEAR_ONE) & (size < 1)


def _unfolded(side: NDArray[np.int64], number: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return numbers that ascend with sizes."""
    return np.choose(side, [number, ONE - 1 - number, number + ONE // 2])


def starts_of(scores: NDArray[np.float64], level: int) -> NDArray[np.float64]:
    """Return the end nearest to zero of the cell that each score lies in; it tells cells apart.

    Between 63/64 and 1 it is the end nearest to one.
    """
    scores = np.asarray(scores, dtype=np.float64)
    size = np.abs(scores)
    other = np.flatnonzero((size < end_of(USUAL - 1)) | (size > NEAR_ONE))
    usual = size if not len(other) else np.where(size < 1, size, 0.0)  # the others may overflow
    found = np.maximum(np.floor(usual * 2.0**level) * 0.5**level, end_of(USUAL - 1))
    if len(other):
        rest = size[other]
        near = _near_one(rest)
        start = _starts_elsewhere(np.where(near, 1 - rest, rest), level - RARER)
        found[other] = np.where(near, 1 - start, start)
    return np.copysign(found, scores, out=found) + 0.0


def _starts_elsewhere(size: NDArray[np.float64], level: int) -> NDArray[np.float64]:
    fraction, exponent = np.frexp(size)
    stretch = (exponent - 1) // STRETCH
    up = level - STRETCH * (stretch + 1)
    start = np.ldexp(np.floor(np.ldexp(fraction, exponent + up)), -up)
    start = np.maximum(start, np.ldexp(1.0, STRETCH * stretch))
    return np.where((size == 0) | np.isinf(size), size, start)


def finest_together(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the finest level on which each score shares its cell with the next; else -1.

    Two numbers lie in one cell once their places, halved so many times, are one.
    """
    side, number = _places(np.abs(scores), FINEST)
    apart = np.bitwise_xor(number[1:], number[:-1])
    _, bits = np.frexp(apart.astype(np.float64))  # how many bits they have
    level = FINEST - bits.astype(np.int64)
    sign = np.sign(scores)
    share = (sign[1:] == sign[:-1]) & (side[1:] == side[:-1]) & (apart < CELLS) & (sign[1:] != 0)
    return np.where(share, level, -1)


def edges_of(
    scores: NDArray[np.float64], level: int | NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the smallest and the largest float in the cell of each score."""
    size = np.abs(scores)
    side, number = _places(size, level)
    stretch, place = np.divmod(number, CELLS)
    stretch = stretch - FIRST
    bits = np.where(stretch == USUAL, level, level - RARER)
    exponent = (STRETCH * (stretch + 1) - bits).astype(np.intc)
    with np.errstate(over="ignore"):
        first = np.ldexp(1.0, (STRETCH * stretch).astype(np.intc))
        begin = np.maximum(np.ldexp(place * 1.0, exponent), first)
        end = np.ldexp(place + 1.0, exponent)
    near, far = begin, np.where(stretch == USUAL, np.minimum(end, _after(NEAR_ONE)), end)
    below_one = np.minimum(1 - begin, np.nextafter(1, 0))
    near, far = np.where(side == 1, _after(1 - end), near), np.where(side == 1, below_one, far)
    near = np.where(side == 1, np.maximum(near, _after(NEAR_ONE)), near)
    far = np.where(side == 1, far, np.nextafter(far, 0))
    near, far = np.minimum(near, size), np.maximum(far, size)  # floats farther apart than cells
    known = np.isinf(scores) | (scores == 0)
    low = np.where(known, scores, np.where(scores > 0, near, -far))
    high = np.where(known, scores, np.where(scores > 0, far, -near))
    return low, high


def _after(value: Any) -> Any:
    return np.nextafter(value, np.inf)


def end_of(stretch: int) -> float:
    """Return the end of a stretch, a power of 64."""
    return 2.0 ** (STRETCH * (stretch + 1))


def scale_of(stretch: int, level: int = LEVEL) -> float:
    """Return what scores of a stretch are multiplied by, before the floor."""
    bits = level if stretch == USUAL else level - COARSER
    return 2.0**bits / end_of(stretch)


def first_of(stretch: int) -> float:
    """Return the number that the cells of a stretch begin from."""
    return float((stretch + FIRST) * CELLS)

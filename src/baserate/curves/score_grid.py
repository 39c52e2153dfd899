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

Scores that live on a device are sorted and counted there; only bins of them leave it.
Whatever array library holds them: torch, CuPy, JAX and others that speak the array API. Narrow
floats are widened first, which changes none.
"""

from collections.abc import Iterator
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array, Mask, Whole
from baserate._checks import same_length
from baserate.cases.cases import Cases
from baserate.cases.columns import one_dimensional, to_host
from baserate.cases.devices import labels_on_device, live_together, namespace_of
from baserate.cases.labels import Labels
from baserate.cases.values import label_of

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


def cells_of(scores: Array, level: int | Whole) -> Whole:
    """Return the cell that each score lies in, which may be infinite; cells ascend as scores do.

    They are ±(1 + (stretch + 200) 2^20 + place in the stretch), and 0 for zero; numbers of 1 and
    more are raised by 200 · 2^20, below which those above 63/64 are counted downwards from 1. Of a
    probability the place is floor(s 2^level).
    """
    scores = np.asarray(scores, dtype=np.float64)
    return np.sign(scores).astype(np.int64) * (1 + _unfolded(*_places(np.abs(scores), level)))


def _places(size: Array, level: int | Whole) -> tuple[Whole, Whole]:
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


def _near_one(size: Array) -> Mask:
    return (size > NEAR_ONE) & (size < 1)


def _unfolded(side: Whole, number: Whole) -> Whole:
    """Return numbers that ascend with sizes."""
    return np.choose(side, [number, ONE - 1 - number, number + ONE // 2])


def starts_of(scores: Array, level: int) -> Array:
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


def _starts_elsewhere(size: Array, level: int) -> Array:
    fraction, exponent = np.frexp(size)
    stretch = (exponent - 1) // STRETCH
    up = level - STRETCH * (stretch + 1)
    start = np.ldexp(np.floor(np.ldexp(fraction, exponent + up)), -up)
    start = np.maximum(start, np.ldexp(1.0, STRETCH * stretch))
    return np.where((size == 0) | np.isinf(size), size, start)


def finest_together(scores: Array) -> Whole:
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


def edges_of(scores: Array, level: int | Whole) -> tuple[Array, Array]:
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


def cases_on_device(y_true: Any, y_score: Any, most: int) -> Cases | None:
    """Return cases by label and score: every distinct one if they are at most so many, or cells.

    None unless both live on a device, scores are floats, and labels are few enough to tell apart by
    comparison.
    """
    if not live_together(y_true, y_score):
        return None
    if hasattr(y_score, "is_floating_point"):  # torch
        is_float = y_score.is_floating_point()
    else:
        is_float = namespace_of(y_score).isdtype(y_score.dtype, "real floating")
    if not is_float:
        return None
    for argument, array in (("y_true", y_true), ("y_score", y_score)):
        one_dimensional(argument, tuple(array.shape))
    same_length("y_score", int(y_score.shape[0]), "y_true", int(y_true.shape[0]))
    masks = labels_on_device(y_true)
    if masks is None:
        return None
    found = {label: _counted(y_score[mask], most) for label, mask in masks}
    sizes = [len(cases) for _, _, cases in found.values()]
    columns: Any = map(np.concatenate, zip(*found.values(), strict=True))
    lowest, highest, cases = columns
    return Cases(
        truth=Labels(np.repeat(np.arange(len(sizes)), sizes), [*map(label_of, found)]),
        scores={"y_score": lowest},
        highest={"y_score": highest},
        count=cases,
    )


def _counted(scores: Any, most: int) -> tuple[NDArray[Any], ...]:
    """Return lowest and highest scores of bins that ascend, and cases; nan last, if some are."""
    xp = namespace_of(scores)
    known = scores == scores  # noqa: PLR0124  all but nan
    n_missing = int(scores.shape[0]) - int(xp.count_nonzero(known))
    ascending = scores[known] if n_missing else scores
    if ascending.dtype not in {xp.float32, xp.float64}:
        widened = hasattr(ascending, "float")
        ascending = ascending.float() if widened else xp.astype(ascending, xp.float32)
    ascending = xp.sort(ascending)
    ascending = ascending[0] if isinstance(ascending, tuple) else ascending  # torch adds the order
    size = int(ascending.shape[0])
    starts = _starts(xp, ascending, most) if size else np.empty(0, dtype=np.int64)
    ends = np.append(starts[1:], size)[: len(starts)] - 1
    places = (xp.asarray(at, device=ascending.device) for at in (starts, ends))
    taken = (to_host("y_score", xp.take(ascending, place)) for place in places)
    lowest, highest = (part.astype(np.float64) + 0.0 for part in taken)
    cases = ends - starts + 1
    if n_missing:
        lowest, highest = np.append(lowest, np.nan), np.append(highest, np.nan)
        cases = np.append(cases, n_missing)
    return lowest, highest, cases


def _starts(xp: Any, ascending: Any, most: int) -> Whole:
    """Return where a new distinct score begins, or a new cell if there are too many."""
    changes = ascending[1:] != ascending[:-1]
    if int(xp.count_nonzero(changes)) >= most:
        changes = xp.zeros_like(changes)
        for part in _cell(xp, ascending):
            changes = changes | (part[1:] != part[:-1])
    places = xp.arange(1, int(ascending.shape[0]), device=ascending.device)
    return np.append(0, to_host("y_score", places[changes])).astype(np.int64)


def _cell(xp: Any, scores: Any) -> Iterator[Any]:
    """Yield what scores share in one cell of the grid: sign, side of 1, stretch, and place there.

    Part by part, because a narrow float cannot hold them as one number.
    """
    size, nothing = xp.abs(scores), xp.zeros_like(scores)
    near = (size > NEAR_ONE) & (size < 1)
    size = xp.where(near, 1 - size, size)
    low, high = float(xp.min(size)), float(xp.max(size))
    stretch = xp.where(size == inf, nothing + 3, xp.where(size > 1, nothing + 2, nothing + 1))
    stretch = xp.where(size == 0, nothing, stretch)
    place = nothing
    for at in (USUAL, *STRETCHES):
        begin, end = end_of(at - 1), end_of(at)
        if begin <= high and low < end:
            inside = (size >= begin) & (size < end)
            stretch = xp.where(inside, nothing + (at + 100), stretch)
            held = xp.where(inside, size, nothing)  # the others may overflow
            place = xp.where(inside, xp.floor(held * scale_of(at)), place)
    yield from (scores < 0, near, stretch, place)

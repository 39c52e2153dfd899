"""Scores that live on a device are sorted and counted there; only bins of them leave it.

Whatever array library holds them: torch, CuPy, JAX and others that speak the array API. Narrow
floats are widened first, which changes none.
"""

from collections.abc import Iterator
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._checks import same_length
from baserate.cases.cases import Cases
from baserate.cases.columns import one_dimensional, to_host
from baserate.cases.devices import labels_on_device, live_together, namespace_of
from baserate.cases.labels import Labels
from baserate.cases.values import label_of
from baserate.curves.score_grid import NEAR_ONE, STRETCHES, USUAL, end_of, scale_of


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


def _starts(xp: Any, ascending: Any, most: int) -> NDArray[np.int64]:
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

"""Facts that hold on all small tables, tried where small tables cannot go: at uneven large ones.

A metric that is recall, but half of it below one positive in a hundred, is recall on every table of
up to eight cases and at any multiple of those.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate.counts import CELLS
from baserate.metrics._metric import Metric

Array = NDArray[np.float64]

TRIED = 4_000  # tables of each kind
LARGEST = 5.0  # powers of ten
SAME = 1e-9  # relative to the largest value: of rounding at 10^5 cases a cell


@cache
def _drawn(kind: int) -> Array:
    """Return cells, a column a table: as often below ten as beyond ten thousand, a tenth 0."""
    rng = np.random.default_rng((20, kind))
    cells = np.floor(10 ** rng.uniform(0, LARGEST, (4, TRIED)))
    return np.where(rng.random(cells.shape) < 0.1, 0.0, cells)


def _at(metric: Metric, cells: Array) -> Array:
    return np.asarray(metric.formula(*cells), dtype=float)


def _differ(a: Array, b: Array) -> bool:
    size = float(np.max(np.abs(a), where=np.isfinite(a), initial=0.0))
    return not np.allclose(a, b, rtol=SAME, atol=SAME * size, equal_nan=True)


def _by_lumps(metric: Metric) -> bool:
    """Keep the sum of either lump, and draw all else anew; then order by the share."""
    if metric.lumps is None:
        return False
    cells, others = _drawn(0), _drawn(1).copy()
    sums: list[Array] = []
    for lump in metric.lumps:
        at = [CELLS.index(cell) for cell in lump]
        sums.append(cells[at].sum(axis=0))
        left = sums[-1]
        for i in at[1:]:
            others[i] = np.minimum(others[i], left)
            left = left - others[i]
        others[at[0]] = left
    value = _at(metric, cells)
    if _differ(value, _at(metric, others)):
        return True
    if not metric.scale_invariant:
        return False
    both = sums[0] + sums[1]
    share = np.divide(sums[0], both, out=np.full(TRIED, np.nan), where=both > 0)
    ordered = value[np.argsort(share)]
    ordered = ordered[~np.isnan(ordered)]
    size = float(np.abs(ordered).max(initial=0.0))
    return bool((np.diff(ordered) < -SAME * size).any())


def _as_proportion(metric: Metric) -> bool:
    if metric.proportion is None:
        return False
    cells = _drawn(0)
    x, y = (cells[[CELLS.index(cell) for cell in lump]].sum(axis=0) for lump in metric.proportion)
    with np.errstate(invalid="ignore"):
        return _differ(_at(metric, cells), x / (x + y))


def _by_base_rate(metric: Metric) -> bool:
    if metric.depends_on_base_rate:
        return False
    cells = _drawn(0)
    times = np.floor(_drawn(1)[:1] / 100) + 2
    return _differ(_at(metric, cells), _at(metric, np.concatenate([cells[:2], times * cells[2:]])))


def _in_line(metric: Metric) -> bool:
    """Compare two tables of the same classes with the one halfway."""
    if not metric.linear_in_rates:
        return False
    one, other = _same_classes()
    ends = _at(metric, one), _at(metric, other)
    middle = _at(metric, (one + other) / 2)
    known = np.isfinite(ends[0]) & np.isfinite(ends[1]) & np.isfinite(middle)
    return _differ(middle[known], (ends[0] + ends[1])[known] / 2)


def _by_trend(metric: Metric) -> bool:
    if metric.trend_in_fp == "unknown":
        return False
    one, other = _same_classes()
    other[:2] = one[:2]
    fewer, more = (np.where(one[2] <= other[2], *pair) for pair in ((one, other), (other, one)))
    before, after = _at(metric, fewer), _at(metric, more)
    change = (after - before)[np.isfinite(before) & np.isfinite(after)]
    room = SAME * float(np.max(np.abs(before), where=np.isfinite(before), initial=0.0))
    falls, rises = bool((change < -room).any()), bool((change > room).any())
    allowed = {"increasing": not falls, "decreasing": not rises, "constant": not (falls or rises)}
    return not allowed[metric.trend_in_fp]


def _same_classes() -> tuple[Array, Array]:
    """Return tables in pairs that have the same positives and negatives, even numbers of both."""
    one, shares = 2 * _drawn(0), _drawn(1)
    shares = np.array([shares[i] / np.maximum(shares[i] + shares[i + 1], 1) for i in (0, 2)])
    whole = one[::2] + one[1::2]
    first = 2 * np.floor(shares * whole / 2)
    return one, np.array([first[0], whole[0] - first[0], first[1], whole[1] - first[1]])


_WRONG: dict[str, Callable[[Metric], bool]] = {
    "lumps": _by_lumps,
    "proportion": _as_proportion,
    "depends_on_base_rate": _by_base_rate,
    "linear_in_rates": _in_line,
    "trend_in_fp": _by_trend,
}


def fails_far(metric: Metric, fact: str) -> Any:
    """Say whether a fact that was found on small tables is wrong at one of the others.

    Examples
    --------
    >>> import numpy as np
    >>> from dataclasses import replace
    >>> from baserate.metrics import define
    >>> from baserate.metrics._far_tables import fails_far
    >>> rare = define("rare", lambda tp, fn, fp, tn: np.where(
    ...     100 * (tp + fn) < fp + tn, 0.5, 1.0) * tp / (tp + fn))
    >>> fails_far(replace(rare, proportion=(("tp",), ("fn",))), "proportion")
    True
    """
    return _WRONG[fact](metric)

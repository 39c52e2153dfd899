"""Which values of a metric count as equal: formulas round, by the size of the metric's values."""

from functools import lru_cache
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._arith import ROUNDING, slack
from baserate._arrays import Array
from baserate.errors import UnsupportedError
from baserate.metrics._laws import all_tables
from baserate.metrics._metric import Metric

# Values of all tables with up to so many cases show a metric's size.
_UP_TO = 6
# Rounding that is more than this share of all differences hides too many of them.
_HIDDEN = 1e-6
# Values that differ by less are one value, computed in different ways.
_NOISE = 1e-15


class Size(NamedTuple):
    """How large the values of a metric are: half of them at least `typical`, `spread` apart."""

    typical: float
    most: float
    spread: float


@lru_cache(maxsize=1024)
def size_of(metric: Metric) -> Size:
    """Return the size of a metric's values at small tables."""
    with np.errstate(all="ignore"):
        values = np.asarray(metric(all_tables(_UP_TO)), dtype=float)
    values = values[np.isfinite(values)]
    sizes = np.abs(values[values != 0])
    if not sizes.size:
        return Size(1.0, 1.0, 0.0)
    return Size(float(np.median(sizes)), float(sizes.max()), float(np.ptp(values)))


def tie_width(metric: Metric, x: Any) -> Any:
    """Return the distance from x within which values of this metric count as equal to it.

    x may be an array. Refused where values differ by hardly more than their own rounding, as 1 +
    1e-14 fp does.
    """
    return slack(x, *_resolved(metric))


def steps_up(metric: Metric, ordered: Array) -> NDArray[np.bool_]:
    """Return where ascending values rise by more than their rounding, one fewer than values."""
    return np.diff(ordered) > tie_width(metric, ordered[1:])


def _resolved(metric: Metric) -> tuple[float, float]:
    """Return what is typical, and how far apart values lie if that is less than their size."""
    typical, most, spread = size_of(metric)
    if _NOISE * most < spread < ROUNDING * most / _HIDDEN:
        raise UnsupportedError(
            f"The values of {metric.name} lie around {most:.6g} and differ by {spread:.3g} at most:"
            f" floats do not tell them apart. Subtract from the metric what all tables share, or "
            f"pass x as a Fraction."
        )
    return typical, spread if spread < most else inf

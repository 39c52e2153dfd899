"""Whether a metric is a weighted sum of cell shares, or of recall and specificity, or one share."""

from typing import Any

import numpy as np

from baserate._arith import plain
from baserate._arrays import Array
from baserate.counts import CELLS, ConfusionMatrix, as_float
from baserate.errors import InvalidArgumentError
from baserate.metrics import Metric, binary_metric

Lumps = tuple[tuple[str, ...], tuple[str, ...]]

# Tables and rates at which a claim of linearity is tried; any generic numbers would do.
PROBES = np.array([[0.31, 0.11, 0.17, 0.41], [0.05, 0.22, 0.54, 0.19], [0.43, 0.37, 0.13, 0.07]])
CORNERS = (0.97, 0.02), (0.03, 0.99), (0.98, 0.97), (0.02, 0.01)
SAME = 1e-12
HALF = 0.5  # of a case, that a prior adds


def deciding_share(metric: Metric) -> Lumps | None:
    """Return the cells x and y whose share x/(x + y) decides the metric, or None.

    Two lumps do so, given the number of cases, if they hold all cells, or if the other cells change
    nothing: F1 is 2 s/(1 + s) of the share s that is the Jaccard index.
    """
    if metric.lumps is None:
        return None
    rest = [i for i, cell in enumerate(CELLS) if cell not in metric.lumps[0] + metric.lumps[1]]
    if not rest:
        return metric.lumps
    if not metric.scale_invariant:
        return None
    more = PROBES.copy()
    more[:, rest] *= 3
    here, there = (np.array([float(metric.formula(*row)) for row in t]) for t in (PROBES, more))
    same = np.abs(here - there) <= SAME * np.maximum(1.0, np.abs(here))
    return metric.lumps if same.all() else None


def table_of_share(argument: str, metric: Any, table: Any) -> Any:
    """Return the table; of two counts, such as 18 found and 2 missed, one that has this share."""
    if not isinstance(table, tuple | list) or len(table) != 2 or any(map(np.ndim, table)):
        return table
    share = binary_metric(metric).proportion
    if share is None:
        rule = "must be a table: two counts say what a share of cases is, such as recall"
        remedy = "pass ConfusionMatrix(tp=, fn=, fp=, tn=)"
        raise InvalidArgumentError.from_rule(argument, rule, table, remedy)
    return ConfusionMatrix(
        **dict.fromkeys(CELLS, 0) | {share[0][0]: table[0], share[1][0]: table[1]}
    )


def cell_prior(metric: Metric) -> Array:
    """Return the cases that `interval` adds to tp, fn, fp and tn.

    Half a case to either side of the share that decides the metric, evenly over the cells of that
    side; half a case to every other cell, and to each cell where no one share decides.
    """
    added, share = dict.fromkeys(CELLS, HALF), deciding_share(metric)
    for side in share or ():
        added |= dict.fromkeys(side, HALF / len(side))
    return np.array([*added.values()])


def at_share(metric: Metric, table: ConfusionMatrix, p: Any, q: Any) -> Any:
    """Return the metric where the first of two lumps has the share p of both, and the second q."""
    assert metric.lumps is not None
    cells: dict[str, Any] = dict(zip(CELLS, map(as_float, table), strict=True))
    both = sum(cells[cell] for lump in metric.lumps for cell in lump)
    for lump, share in zip(metric.lumps, (p, q), strict=True):
        whole = sum(cells[cell] for cell in lump)
        for cell in lump:
            own = np.where(whole > 0, cells[cell] / np.where(whole > 0, whole, 1.0), 1 / len(lump))
            cells[cell] = both * share * own
    return plain(np.asarray(metric.formula(*cells.values())))


def share_ends(metric: Metric, table: ConfusionMatrix) -> tuple[float, float] | None:
    """Return the values at a deciding share of 1 and of 0, if the metric is linear between them."""
    if metric.proportion is not None:
        return 1.0, 0.0
    first, middle, last = (at_share(metric, table, p, 1 - p) for p in (1.0, 0.5, 0.0))
    known = np.isfinite([first, middle, last]).all()
    close = abs((first + last) / 2 - middle) <= SAME * max(abs(first), abs(last))
    return (first, last) if known and close else None


def cell_weights(metric: Metric) -> Array | None:
    """Return w with metric = Σ w (cell/n) over tp, fn, fp, tn, or None if there is none."""
    if not (metric.linear_in_rates and metric.scale_invariant):
        return None
    with np.errstate(all="ignore"):
        weights = np.array([float(metric.formula(*row)) for row in np.eye(4)])
        values = np.array([float(metric.formula(*row)) for row in PROBES])
    if not np.isfinite(weights).all():
        return None
    close = np.abs(PROBES @ weights - values) <= SAME * np.abs(weights).max()
    return weights if close.all() else None


def rate_weights(metric: Metric) -> tuple[float, float] | None:
    """Return (a, b) with metric = a recall + b specificity + constant at any base rate, or None."""
    if metric.depends_on_base_rate or not (metric.linear_in_rates and metric.scale_invariant):
        return None
    low, more_recall, more_alarms = (
        float(metric.on_rates(*rates, 0.5)) for rates in ((0.25, 0.25), (0.75, 0.25), (0.25, 0.75))
    )
    a, b = 2 * (more_recall - low), 2 * (low - more_alarms)
    for recall, alarms in CORNERS:  # where a user's metric may have holes
        found = low + a * (recall - 0.25) - b * (alarms - 0.25)
        if not abs(float(metric.on_rates(recall, alarms, 0.5)) - found) <= SAME * (abs(a) + abs(b)):
            return None
    return a, b

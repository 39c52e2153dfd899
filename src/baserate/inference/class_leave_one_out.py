"""How much any metric of several classes changes with each cluster left out.

Nearly all metrics need the margins of a class table alone, so that a cluster costs K numbers
instead of K².
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from baserate.cases.class_designs import AT_ONCE, ClassDesign, UnitMargins
from baserate.cases.units import EMPTY, TABLES, Floor, Law
from baserate.class_counts import ClassTable
from baserate.inference.class_draws import Margins, at_draws
from baserate.inference.several_classes import of_hit_share
from baserate.inference.survey_design import (
    STEP,
    GuessingTest,
    effect_of,
    guessing_test,
    law_by,
    parts_of_kinds,
    tails_of_units,
)
from baserate.metrics import ClassMetric

Array = NDArray[np.float64]

MOST = 5_000_000_000  # cells that are read, some 20 s


def class_changes(
    metrics: Sequence[ClassMetric], table: ClassTable, design: ClassDesign
) -> list[Law]:
    """Return how much metrics change with each cluster left out, or with replicated weights."""
    values = [np.full(len(design.units), np.nan) for _ in metrics]
    whole = at_draws(metrics, _whole(design.total), table)[:, 0]
    of_cells = any(m.of_margins is None for m in metrics)
    for part in design.parts(with_cells=of_cells):
        left = _left(design, part)
        for place, at in enumerate(at_size(metrics, left, float(design.total.sum()), table)):
            values[place][part.at] = whole[place] - at
    found = zip(metrics, whole.tolist(), values, strict=True)
    return [law_by(design, value, moves, metric.bounds) for metric, value, moves in found]


def class_laws(
    metrics: Sequence[ClassMetric], table: ClassTable, design: ClassDesign
) -> tuple[list[Law], list[float]]:
    """Return the same with the least variance that so few clusters allow, and design effects."""
    laws, filled = class_changes(metrics, table, design), np.flatnonzero(design.total)
    total, every = design.total.ravel()[filled], slopes_at(metrics, table, design.total, filled)
    effects = _effects(every, filled, design)
    if design.scale is not None or not total.any():
        return laws, effects
    k, weight, counts = design.n_classes, total.sum() / design.n_cases, design.total.sum(axis=1)
    parts = np.array([parts_of_kinds(s, total, filled // k, k) for s in every])
    each = np.sqrt(np.divide(parts, counts, out=np.zeros_like(parts), where=counts > 0))
    shared = [of_hit_share(metric, k) for metric in metrics]
    each[shared] = np.sqrt(parts[shared].sum(axis=1, keepdims=True) / counts.sum())
    weighed = np.concatenate([part.class_counts @ each.T for part in design.parts()])
    found = list[Law]()
    for metric, law, part, sums in zip(metrics, laws, parts, weighed.T, strict=True):
        floor = Floor.weighed(sums, float(part.sum()) * weight, TABLES)
        known = {} if floor is None else {"centre": centre_of(metric, table, floor.clusters)}
        found.append(replace(law, floor=floor, **known))
    return found, effects


def centre_of(metric: ClassMetric, table: ClassTable, clusters: float) -> float:
    """Return a metric with half a cluster all wrong and half a cluster all right.

    Wrong cases are called any other class, the more often the more there is of it.
    """
    total, k = np.asarray(table.counts, dtype=float), table.n_classes
    truth, amount = total.sum(axis=1), total.sum(axis=0) + total.sum(axis=1)
    others = amount.sum() - amount
    rate = np.divide(truth, others, out=np.zeros(k), where=others > 0) / (2 * clusters)
    right, wrong = truth / (2 * clusters), amount * (rate.sum() - rate)
    sides = np.diagonal(total) + right, truth + 2 * right, total.sum(axis=0) + right + wrong

    def cells() -> Array:
        more = rate[:, None] * amount[None]
        np.fill_diagonal(more, right)
        return (total + more)[None]

    at = Margins(*(side[None] for side in sides), cells=cells)
    return float(at_size([metric], at, float(total.sum()), table)[0][0])


def _whole(total: Array) -> Margins:
    """Return the margins of the whole table, as a single draw."""
    sides = np.diagonal(total), total.sum(axis=1), total.sum(axis=0)
    return Margins(*(side[None] for side in sides), cells=lambda: total[None])


def _left(design: ClassDesign, part: UnitMargins) -> Margins:
    """Return the margins without each of some clusters, or under some replicate weights."""
    if design.scale is not None:
        return Margins(*part[:3], cells=partial(design.cells, part.at))
    whole = _whole(design.total)
    sides = (_less(all_, mine) for all_, mine in zip(whole[:3], part[:3], strict=True))
    return Margins(*sides, cells=lambda: _less(design.total[None], design.cells(part.at)))


def _less(whole: Array, part: Array) -> Array:
    """Subtract; what rounding leaves of an emptied place is 0."""
    rest = whole - part
    return np.where(rest < EMPTY * whole, 0.0, rest)


def at_size(
    metrics: Sequence[ClassMetric], left: Margins, total: float, table: ClassTable
) -> list[Array]:
    """Return metrics at margins; counts among them at this total, that of the whole table."""
    with np.errstate(all="ignore"):
        if all(metric.scale_invariant for metric in metrics):
            return list(at_draws(metrics, left, table))
        size = left.class_counts.sum(axis=1)
        times = np.divide(total, size, out=np.zeros_like(size), where=size > 0)
        sides = (side * times[:, None] for side in left[:3])
        scaled = Margins(*sides, cells=lambda: left.cells() * times[:, None, None])
        return [at_draws([m], left if m.scale_invariant else scaled, table)[0] for m in metrics]


def class_guessing_test(design: ClassDesign) -> GuessingTest:
    """Return whether truth and prediction go together, if whole clusters are independent.

    The number of right cases beyond what independence has, Σ n_kk/n - Σ n_k. n_.k/n², is the sum
    over the classes of the covariances that `guessing_test` is about, and is tested in the same
    way: by its score in each cluster and by its jackknife, of which the larger p-value counts.
    """
    if design.n_classes == 2:
        return guessing_test(design.binary(1, 1))
    n, found, moves, scores = design.total.sum(), _whole(design.total), [], []
    covariance = float(_excess(found)[0])
    truth, called = (side[0] / n for side in found[1:3])
    if not (truth.max() < 1 and called.max() < 1):
        return GuessingTest(np.nan, np.nan)
    for part in design.parts():
        moves.append(covariance - _excess(_left(design, part)))
        sizes = part.class_counts.sum(axis=1)
        score = part.hits.sum(axis=1) - part.class_counts @ called
        scores.append((score - part.predicted_counts @ truth + sizes * (truth @ called)) / n)
    by_score = np.concatenate(scores) if design.scale is None else None
    return tails_of_units(by_score, law_by(design, covariance, np.concatenate(moves)))


def _excess(margins: Margins) -> Array:
    """Return the share of right cases beyond that of independence; nan without cases."""
    n = margins.class_counts.sum(axis=1)
    with np.errstate(all="ignore"):
        by_luck = (margins.class_counts * margins.predicted_counts).sum(axis=1) / n
        return (margins.hits.sum(axis=1) - by_luck) / n


def class_design_effects(
    metrics: Sequence[ClassMetric], table: ClassTable, design: ClassDesign
) -> list[float]:
    """Return how many times the variance of as many independent cases each metric has.

    Both variances are linearised in the cells; see `baserate.inference.survey_design`.
    """
    filled = np.flatnonzero(design.total)
    return _effects(slopes_at(metrics, table, design.total, filled), filled, design)


def _effects(slopes: Array, filled: NDArray[np.intp], design: ClassDesign) -> list[float]:
    """Return them by the variance of Σ slope × cell, of clusters or replicate weights."""
    at = np.minimum(np.searchsorted(filled, design.cell), len(filled) - 1)
    known = filled[at] == design.cell  # a replicate may weigh what has no weight
    total, m, found = design.total.ravel()[filled], design.n_units, list[float]()
    for slope in slopes:
        amount = np.where(known, slope[at] * design.amount, 0.0)
        each, whole = np.bincount(design.unit, amount, len(design.units)), slope @ total
        if design.scale is not None:
            variance = float(design.scale @ (each - whole) ** 2)
        else:
            variance = float(m / (m - 1) * (each @ each - whole**2 / m)) if m > 1 else np.nan
        found.append(effect_of(variance, slope, total, design.n_cases))
    return found


def slopes_at(
    metrics: Sequence[ClassMetric], table: ClassTable, total: Array, filled: NDArray[np.intp]
) -> Array:
    """Return the derivative of each metric in some cells that hold cases, by differences.

    `total` has the cells; of `table` only the classes count in which a metric is defined.
    """
    k, slopes = len(total), np.full((len(metrics), len(filled)), np.nan)
    wide = any(m.of_margins is None for m in metrics)
    if wide and len(filled) * k * k > MOST:
        return slopes
    step = max(1, AT_ONCE // (k * k if wide else 3 * k))
    for start in range(0, len(filled), step):
        cells = filled[start : start + step]
        move = STEP * total.ravel()[cells]
        up, down = (at_draws(metrics, _moved(total, cells, sign * move), table) for sign in (1, -1))
        slopes[:, start : start + step] = (up - down) / (2 * move)
    return slopes


def _moved(total: Array, cells: NDArray[np.intp], move: Array) -> Margins:
    """Return the margins with each of some cells moved by itself."""
    size, k = len(cells), len(total)
    (row, column), draw = np.divmod(cells, k), np.arange(size)
    hits, truth, called = (np.repeat(side, size, axis=0) for side in _whole(total)[:3])
    hits[draw, row] += np.where(row == column, move, 0.0)
    truth[draw, row] += move
    called[draw, column] += move

    def every() -> Array:
        found = np.repeat(total[None], size, axis=0)
        found[draw, row, column] += move
        return found

    return Margins(hits, truth, called, every)


def costly(metric: ClassMetric, design: ClassDesign) -> bool:
    """Return whether a metric that reads all K² cells would have to read them too often."""
    return metric.of_margins is None and len(design.units) * design.n_classes**2 > MOST

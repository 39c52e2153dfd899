"""What clusters and replicate weights make of any metric of several classes.

As for two classes (see `survey_design`): a metric is recomputed with each cluster left out, or
under each set of replicate weights, from the margins that nearly all metrics need, so that a
cluster costs K numbers instead of K². With two classes a metric that has a form for two has the
answer for two, to the last digit.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import isnan
from typing import Any

import numpy as np

from baserate._arrays import Array, Index
from baserate._checks import DRAWS, whole_number
from baserate.cases.clusters import AT_ONCE, ClassDesign, UnitMargins
from baserate.cases.units import EMPTY, TABLES, Floor, Law, spread
from baserate.class_counts import ClassTable
from baserate.inference.binary_intervals import (
    Interval,
    design_interval,
    for_clusters,
    generator_of,
    held,
)
from baserate.inference.class_draws import Margins, at_draws
from baserate.inference.several_classes import of_hit_share, percentiles, table_intervals
from baserate.inference.simulation import redrawn, resummed
from baserate.inference.survey_design import STEP, effect_of, law_by, parts_of_kinds, student_parts
from baserate.metrics import ClassMetric

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
    if not design.of_clusters or not total.any():
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
    if not design.of_clusters:
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


def class_design_effects(
    metrics: Sequence[ClassMetric], table: ClassTable, design: ClassDesign
) -> list[float]:
    """Return how many times the variance of as many independent cases each has, linearised."""
    filled = np.flatnonzero(design.total)
    return _effects(slopes_at(metrics, table, design.total, filled), filled, design)


def _effects(slopes: Array, filled: Index, design: ClassDesign) -> list[float]:
    """Return them by the variance of Σ slope × cell, of clusters or replicate weights."""
    at = np.minimum(np.searchsorted(filled, design.cell), len(filled) - 1)
    known = filled[at] == design.cell  # a replicate may weigh what has no weight
    total, m, found = design.total.ravel()[filled], design.n_units, list[float]()
    for slope in slopes:
        amount = np.where(known, slope[at] * design.amount, 0.0)
        each, whole = np.bincount(design.unit, amount, len(design.units)), slope @ total
        if design.scale is not None:
            variance = spread(design.scale, each - whole)
        else:
            variance = float(m / (m - 1) * (each @ each - whole**2 / m)) if m > 1 else np.nan
        found.append(effect_of(variance, slope, total, design.n_cases))
    return found


def slopes_at(
    metrics: Sequence[ClassMetric], table: ClassTable, total: Array, filled: Index
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


def _moved(total: Array, cells: Index, move: Array) -> Margins:
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


COSTLY = "it is found cell by cell, too often for so many classes and clusters"
JACKKNIFE = "jackknife"


def design_intervals(
    metrics: Sequence[ClassMetric],
    table: ClassTable,
    design: ClassDesign,
    confidence_level: float = 0.95,
    method: str = JACKKNIFE,
    rng: Any = None,
    n_resamples: int = 9999,
) -> dict[str, Interval]:
    """Return intervals of metrics of cases in clusters, or with replicate weights, by name.

    Where the value is a bound, or no cluster changes it, each cluster counts as one case. Averages
    over defined classes have none where one of these depends on a single cluster.
    """
    chosen = for_clusters(method, design)
    forms = {m: m.form_of(table.n_classes) for m in metrics}
    own = [m for m, form in forms.items() if form is None]
    found = _solved(own, table, design, confidence_level, chosen, rng, n_resamples) if own else {}
    how = (confidence_level, method, rng, n_resamples)
    for m, form in forms.items():
        if form is not None:
            two = design_interval(form, design.binary(1, 1), *how)
            found[m.name] = replace(two, metric=m.name)
    return {m.name: found[m.name] for m in metrics}


def _solved(
    metrics: Sequence[ClassMetric],
    table: ClassTable,
    design: ClassDesign,
    level: float,
    method: Any,
    rng: Any,
    n_resamples: int,
) -> dict[str, Interval]:
    value = {m.name: float(m(table)) for m in metrics}
    lost = {m.name: _undefined(m.undefined_reason(table)) for m in metrics if isnan(value[m.name])}
    lost |= {m.name: _undefined(COSTLY) for m in metrics if costly(m, design)}
    known = [m for m in metrics if m.name not in lost]
    solve: Callable[..., dict[str, dict[str, Any]]] = _by_jackknife
    if method != JACKKNIFE:
        solve = partial(_by_bootstrap, rng=rng, n_resamples=n_resamples)
    parts = lost | (solve(known, table, design, level) if known else {})
    found = dict[str, Interval]()
    for metric in metrics:
        one = {**parts[metric.name], "value": value[metric.name]}
        effect = one.get("design_effect", np.nan)
        one["effective_n"] = design.n_cases / effect if effect > 0 else np.nan
        found[metric.name] = held(metric, level, method, one)
    return found


def _undefined(reason: str | None) -> dict[str, Any]:
    return {"low": np.nan, "high": np.nan, "route": "undefined", "reason": reason}


def _by_jackknife(
    metrics: Sequence[ClassMetric], table: ClassTable, design: ClassDesign, level: float
) -> dict[str, dict[str, Any]]:
    laws, effects = class_laws(metrics, table, design)
    found, blind = dict[str, dict[str, Any]](), list[ClassMetric]()
    for metric, each, effect in zip(metrics, laws, effects, strict=True):
        parts = student_parts(each, level)
        if parts is None:
            blind.append(metric)
        else:
            found[metric.name] = {"design_effect": effect, **parts}
    return found | _one_case_each(blind, table, design, level)


def _one_case_each(
    metrics: Sequence[ClassMetric], table: ClassTable, design: ClassDesign, level: float
) -> dict[str, dict[str, Any]]:
    """Return intervals where nothing varies between clusters: each counts as one case."""
    found = dict[str, dict[str, Any]]()
    for share in (True, False):
        some = [m for m in metrics if of_hit_share(m, table.n_classes) == share]
        if not some:
            continue
        scale, n = _least_cases_per_weight(design, share=share), design.total.sum()
        for name, one in table_intervals(some, table, level, squared_weights=n / scale).items():
            parts = {k: getattr(one, k) for k in ("low", "high", "route", "error", "undefined")}
            found[name] = {**parts, "design_effect": float(design.n_cases / (scale * n))}
    return found


def _least_cases_per_weight(design: ClassDesign, *, share: bool) -> float:
    """Return Σ n_c/Σ n_c² over the cases of each cluster; of the true class where it is least."""
    found = list[Array]()
    for part in design.parts():
        sizes = part.class_counts
        found.append(sizes.sum(axis=1, keepdims=True) if share else sizes)
    size, square = (sum((x**p).sum(axis=0) for x in found) for p in (1, 2))
    met = np.asarray(size) > 0
    return float((np.asarray(size)[met] / np.asarray(square)[met]).min())


def _by_bootstrap(
    metrics: Sequence[ClassMetric],
    table: ClassTable,
    design: ClassDesign,
    level: float,
    *,
    rng: Any,
    n_resamples: int,
) -> dict[str, dict[str, Any]]:
    """Return percentiles over resamples of whole clusters."""
    size = whole_number("n_resamples", n_resamples, minimum=1, maximum=DRAWS)
    values = np.concatenate(
        [
            np.array(at_size(metrics, drawn, float(design.total.sum()), table))
            for drawn in _resampled(design, size, generator_of(rng))
        ],
        axis=1,
    )
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    effects = class_design_effects(metrics, table, design)
    return {
        m.name: {
            **percentiles(each, tails, "percentile")._asdict(),
            "error": percentiles(each, tails, "simulation").error,
            "design_effect": effect,
        }
        for m, each, effect in zip(metrics, values, effects, strict=True)
    }


def _resampled(design: ClassDesign, size: int, rng: np.random.Generator) -> Any:
    """Yield the margins of tables of as many clusters, drawn with replacement."""
    k = design.n_classes
    step = max(1, AT_ONCE // max(len(design.units), len(design.cell), k * k))
    for start in range(0, size, step):
        times, whole = redrawn(design, min(step, size - start), rng)
        drawn = times[:, design.unit] * design.amount
        place = (np.arange(len(times))[:, None] * k * k + design.cell).ravel()
        sums = np.bincount(place, drawn.ravel(), len(times) * k * k).astype(float)
        sums = resummed(sums.reshape(-1, k, k), whole, design.total)
        sides = np.diagonal(sums, axis1=1, axis2=2), sums.sum(axis=2), sums.sum(axis=1)
        yield Margins(*sides, cells=partial(np.asarray, sums))

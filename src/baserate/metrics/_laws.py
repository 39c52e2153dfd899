"""The laws: every fact that a metric declares, measured on every table of up to n cases.

`violations` is what the test-suite runs over the catalogue and what `define` runs on a user's
metric. A law returns None, or a sentence that names a counterexample.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from math import comb, isnan
from typing import Any

import numpy as np

from baserate.counts import ConfusionMatrix
from baserate.metrics._catalogue import binary_metric
from baserate.metrics._metric import Metric

TOLERANCE = 1e-11
Law = Callable[[Metric, int], str | None]


@cache
def all_tables(n_max: int) -> ConfusionMatrix:
    """Return the batch of all tables with at most `n_max` cases."""
    cells = [c for c in product(range(n_max + 1), repeat=4) if sum(c) <= n_max]
    tp, fn, fp, tn = np.array(cells).T
    return ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn)


def undefined_set(metric: Metric, n_max: int) -> str | None:
    """Be nan exactly where the undefined set says, and never infinite."""
    tables = all_tables(n_max)
    value = metric(tables)
    wrong = np.isinf(value) | (np.isnan(value) != metric.undefined(tables))
    return _first(wrong, tables, "undefined set", value)


def undefined_count(metric: Metric, n_max: int) -> str | None:
    """Its closed-form number of undefined tables is the number of undefined tables."""
    tables = all_tables(n_max)
    undefined = np.isnan(metric(tables))
    for n in range(n_max + 1):
        declared, counted = metric.count_undefined(n), int(undefined[tables.n == n].sum())
        if declared not in {None, counted} and n > 0:
            return f"count_undefined({n}) is {declared}, but {counted} tables are undefined"
    return None


def undefined_multiples(metric: Metric, n_max: int) -> str | None:
    """Be undefined, beside its sums, at the multiples of one margin that it declares."""
    if metric.undefined_multiples is None:
        return None
    t = all_tables(n_max)
    t = t[(t.n_positive > 0) & (t.n_negative > 0)]
    pairs = zip(t.n_positive.tolist(), t.n_negative.tolist(), strict=True)
    step, hits = np.array([metric.undefined_multiples(p, q) for p, q in pairs]).T
    there = (t.n_predicted % step == 0) & (t.tp == t.n_predicted // step * hits)
    sums = replace(metric, undefined_also=None).undefined(t)
    wrong = (there | sums) != metric.undefined(t)
    return _first(wrong, t, "undefined_multiples", metric(t))


def bounds(metric: Metric, n_max: int) -> str | None:
    """No value lies outside its bounds, up to rounding."""
    tables = all_tables(n_max)
    value = metric(tables)
    low, high = metric.bounds
    slack = 4 * np.finfo(float).eps * np.nanmax(np.abs(value), initial=1.0)
    return _first((value < low - slack) | (value > high + slack), tables, "bounds", value)


def best_value(metric: Metric, n_max: int) -> str | None:
    """Give a table without errors the best value."""
    if metric.best is None:
        return None
    tables = all_tables(n_max)
    value = metric(tables)
    perfect = (tables.fn == 0) & (tables.fp == 0) & (tables.tp > 0) & (tables.tn > 0)
    wrong = ~np.isnan(value) if isnan(metric.best) else ~_close(value, metric.best)
    return _first(perfect & wrong, tables, "best value", value)


def direction(metric: Metric, n_max: int) -> str | None:
    """Mending an error never moves a directional metric the wrong way."""
    if metric.direction == "neither":
        return None
    sign = 1 if metric.direction == "higher" else -1
    for before, after in _mended(n_max):
        change = sign * (metric(after) - metric(before))
        if (found := _first(change < -TOLERANCE, before, "direction", change)) is not None:
            return found
    return None


def increases_with_rates(metric: Metric, n_max: int) -> str | None:
    """Mending an error strictly increases it, wherever there were errors and hits of both kinds."""
    if not metric.increases_with_rates:
        return None
    for before, after in _mended(n_max):
        inside = np.logical_and.reduce([cell > 0 for cell in before])
        change = metric(after) - metric(before)
        flat = inside & (change <= TOLERANCE)
        if (found := _first(flat, before, "increases_with_rates", change)) is not None:
            return found
    return None


def linear_in_rates(metric: Metric, n_max: int) -> str | None:
    """Its second differences vanish when fn and fp are mended one by one within fixed classes."""
    if not metric.linear_in_rates:
        return None
    return _second_differences(metric, n_max, ((1, 0), (0, 1), (1, 1)), "linear_in_rates")


def affine_in_tp(metric: Metric, n_max: int) -> str | None:
    """Its second differences in tp vanish when both margins are held fixed."""
    if not metric.affine_in_tp:
        return None
    return _second_differences(metric, n_max, ((1, 1),), "affine_in_tp")


def trend_in_fp(metric: Metric, n_max: int) -> str | None:
    """Move with fp as declared, given tp, fn and fp + tn."""
    t = all_tables(n_max)
    t = t[t.tn > 0]
    change = metric(_shifted(t, 0, -1)) - metric(t)
    wrong = {
        "increasing": change < -TOLERANCE,
        "decreasing": change > TOLERANCE,
        "constant": np.abs(change) > TOLERANCE,
        "unknown": np.zeros(t.shape, dtype=bool),
    }[metric.trend_in_fp]
    return _first(wrong, t, "trend_in_fp", change)


def scale_invariance(metric: Metric, n_max: int) -> str | None:
    """Tripled counts have the same value, if so declared."""
    if not metric.scale_invariant:
        return None
    t = all_tables(n_max)
    tripled = ConfusionMatrix(tp=3 * t.tp, fn=3 * t.fn, fp=3 * t.fp, tn=3 * t.tn)
    return _first(~_close(metric(tripled), metric(t)), t, "scale_invariant", metric(tripled))


def base_rate_dependence(metric: Metric, n_max: int) -> str | None:
    """Doubling the negatives changes nothing, if the base rate is declared not to matter."""
    if metric.depends_on_base_rate:
        return None
    t = all_tables(n_max)
    more = ConfusionMatrix(tp=t.tp, fn=t.fn, fp=2 * t.fp, tn=2 * t.tn)
    return _first(~_close(metric(more), metric(t)), t, "depends_on_base_rate", metric(more))


def proportion(metric: Metric, n_max: int) -> str | None:
    """Be successes / (successes + failures), if a proportion is declared."""
    if metric.proportion is None:
        return None
    t = all_tables(n_max)
    x, y = (sum(getattr(t, cell) for cell in cells) for cells in metric.proportion)
    with np.errstate(invalid="ignore"):
        return _first(~_close(metric(t), x / (x + y)), t, "proportion", metric(t))


def lumps(metric: Metric, n_max: int) -> str | None:
    """Depend on its lumps and n only, and never fall as cases move to the first lump."""
    if metric.lumps is None:
        return None
    t = all_tables(n_max)
    first, second = (_summed(t, lump) for lump in metric.lumps)
    total: Any = first + second
    order = np.lexsort((first, total, t.n))
    t, first, total = t[order], first[order], total[order]
    before, after = _neighbours(metric(t))
    (low, high), (total, following) = _neighbours(first), _neighbours(total)
    together = (total == following) & np.equal(*_neighbours(t.n))
    same: Any = low == high
    # A gap in what is defined: nan between the ends, beside a value.
    leaves, enters = np.isnan(before) & (low > 0), np.isnan(after) & (high < total)
    gap = (leaves & ~np.isnan(after)) | (enters & ~np.isnan(before))
    apart = (same & ~_close(before, after)) | (~same & (gap | (after - before < -TOLERANCE)))
    return _first(together & apart, t[1:], "lumps", after)


def _summed(t: ConfusionMatrix, cells: tuple[str, ...]) -> Any:
    return sum(getattr(t, cell) for cell in cells)


def _neighbours(column: Any) -> tuple[Any, Any]:
    return column[:-1], column[1:]


def partners(metric: Metric, n_max: int) -> str | None:
    """Its partners have its value at the swapped and at the transposed table."""
    t = all_tables(n_max)
    for name, table in ((metric.class_swap, t.swap_classes()), (metric.transpose, t.transpose())):
        if name is None:
            continue
        value = binary_metric(name)(table)
        if (found := _first(~_close(value, metric(t)), t, f"partner {name}", value)) is not None:
            return found
    return None


def chance(metric: Metric, n_max: int) -> str | None:
    """Its expected value under guessing has the declared constant and shape, for all M <= n."""
    for n_positive, n_negative in _class_totals(n_max):
        expected = guessing_curve(metric, n_positive, n_negative)
        known = expected[~np.isnan(expected)]
        off = metric.chance is not None and not _close(known, metric.chance).all()
        if off or not _has_shape(known, metric.chance_shape):
            where = f"{n_positive} positives and {n_negative} negatives"
            return f"chance_shape or chance: with {where} guessing gives {expected.tolist()}"
    return None


LAWS: tuple[Law, ...] = (
    undefined_set,
    undefined_count,
    undefined_multiples,
    bounds,
    best_value,
    direction,
    increases_with_rates,
    linear_in_rates,
    affine_in_tp,
    trend_in_fp,
    scale_invariance,
    base_rate_dependence,
    proportion,
    lumps,
    partners,
    chance,
)


def guessing_curve(metric: Metric, n_positive: int, n_negative: int) -> Any:
    """Return E[metric] for every number predicted positive; nan where it may be undefined."""
    total = n_positive + n_negative
    k, tp = np.mgrid[0 : total + 1, 0 : n_positive + 1]
    fp = k - tp
    possible = (fp >= 0) & (fp <= n_negative)
    value = np.full(k.shape, 0.0)
    weight = np.where(possible, _choose(n_positive, tp) * _choose(n_negative, fp), 0.0)
    table = (c[possible] for c in (tp, n_positive - tp, fp, n_negative - fp))
    value[possible] = metric(
        ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), table, strict=True)))
    )
    return (value * weight).sum(axis=1) / weight.sum(axis=1)


def _choose(n: int, k: Any) -> Any:
    row = np.array([float(comb(n, i)) for i in range(n + 1)])
    return row[np.clip(k, 0, n)]


def _has_shape(values: Any, shape: str) -> bool:
    steps = np.diff(values)
    bends = np.diff(steps)
    fallen = np.logical_or.accumulate(steps < -TOLERANCE)
    rising, falling = bool((steps >= -TOLERANCE).all()), bool((steps <= TOLERANCE).all())
    return {
        "constant": rising and falling,
        "increasing": rising,
        "decreasing": falling,
        "monotone": rising or falling,
        "affine": bool((np.abs(bends) <= TOLERANCE).all()),
        "concave": bool((bends <= TOLERANCE).all()),
        "unimodal": not (fallen & (steps > TOLERANCE)).any(),
        "unknown": True,
    }[shape]


def _class_totals(n_max: int) -> Iterator[tuple[int, int]]:
    return ((p, m - p) for m in range(1, n_max + 1) for p in range(m + 1))


def _close(a: Any, b: Any) -> Any:
    return np.isclose(a, b, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True)


def _shifted(t: ConfusionMatrix, found: int, spared: int) -> ConfusionMatrix:
    """Mend `found` misses and `spared` false alarms (negative numbers break as many)."""
    return ConfusionMatrix(tp=t.tp + found, fn=t.fn - found, fp=t.fp - spared, tn=t.tn + spared)


def _mended(n_max: int) -> Iterator[tuple[ConfusionMatrix, ConfusionMatrix]]:
    t = all_tables(n_max)
    misses, alarms = t[t.fn > 0], t[t.fp > 0]
    yield misses, _shifted(misses, 1, 0)
    yield alarms, _shifted(alarms, 0, 1)


def _second_differences(
    metric: Metric, n_max: int, steps: tuple[tuple[int, int], ...], law: str
) -> str | None:
    for found, spared in steps:
        t = all_tables(n_max)
        t = t[(t.fn >= 2 * found) & (t.fp >= 2 * spared) & (t.tn >= -2 * spared)]
        start, middle, end = (metric(_shifted(t, i * found, i * spared)) for i in range(3))
        bend = end - 2 * middle + start
        if (hit := _first(np.abs(bend) > TOLERANCE * (1 + abs(middle)), t, law, bend)) is not None:
            return hit
    return None


def _first(wrong: Any, tables: ConfusionMatrix, law: str, value: Any) -> str | None:
    if not np.any(wrong):
        return None
    index = int(np.argmax(wrong))
    return f"{law}: contradicted by {tables[index]!r} ({np.asarray(value)[index]})"

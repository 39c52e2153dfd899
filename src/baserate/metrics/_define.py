"""A user's own metric, first-class everywhere."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, fields, replace
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from baserate._arrays import Array
from baserate._checks import numbers
from baserate.counts import CELLS
from baserate.errors import DefinitionError
from baserate.metrics._catalogue import KNOWN_NAMES
from baserate.metrics._laws import (
    LAWS,
    Law,
    all_tables,
    base_rate_dependence,
    linear_in_rates,
    lumps,
    proportion,
    scale_invariance,
    trend_in_fp,
)
from baserate.metrics._metric import Direction, Formula, Lumps, Metric

_MEASURED_UP_TO = 8
_TRIED, _LARGEST = 4_000, 5.0  # uneven tables of each kind, with counts up to that power of ten
# Relative: rounding at 10^5 cases a cell; and np.log differs in last digits by array length.
_SAME = 1e-9


def define(
    name: str,
    formula: Formula,
    *,
    direction: Direction = "higher",
    bounds: tuple[float, float] = (-np.inf, np.inf),
    **facts: Any,
) -> Metric:
    """Make a metric of your own; every question, model and report takes it.

    Parameters
    ----------
    name : str
    formula : callable of (tp, fn, fp, tn)
        Takes arrays. A result that is infinite or nan means undefined, so plain division will do;
        with `baserate.metrics` formulas in + - * / and ``np.sqrt``, thresholds can be derived too.
    direction : {"higher", "lower", "neither"}
    bounds : (float, float)
    **facts
        Any other fact of `Metric`, such as ``affine_in_tp=True``. Facts make answers faster, and
        are measured here on all tables with up to 8 cases; a false one is an error.
        Of those left out some are found there, and on uneven tables of up to 10^5 cases in a cell:
        the share of cases that decides the value, whether it is linear in recall and specificity,
        how it moves with false positives. So a formula of the catalogue has the intervals that it
        has there. What bites on none of these tables is not seen: ``lumps=None`` takes no share
        for the one that decides. Others are taken as unknown. What
        guessing scores is found at any number of cases for a metric with ``undefined_if_zero`` and
        ``chance_shape``, and else up to some thousands.

    Raises
    ------
    DefinitionError
        The formula does not take arrays, gives a table another value when other tables are in the
        batch, or contradicts a declared fact.

    Examples
    --------
    >>> from baserate.metrics import define
    >>> from baserate import ConfusionMatrix
    >>> cost = define("cost", lambda tp, fn, fp, tn: fn * 20 + fp, direction="lower",
    ...               affine_in_tp=True)
    >>> cost(ConfusionMatrix(tp=35, fn=5, fp=10, tn=50))
    110.0
    """
    spelled: Any = name
    if not isinstance(spelled, str) or name in KNOWN_NAMES or not name or set(name) & set(",()"):
        rule = "must be a name without commas or brackets that no metric of the catalogue has"
        raise DefinitionError.from_rule("name", rule, name, "choose another")
    known = {f.name for f in fields(Metric) if f.init} - {"name", "formula"}
    if unknown := sorted(set(facts) - known):
        rule = f"must be facts of a metric ({', '.join(sorted(known))})"
        raise DefinitionError.from_rule("facts", rule, unknown, "drop or rename them")
    limits = numbers(bounds)
    if limits is None or limits.shape != (2,) or not limits[0] <= limits[1]:
        rule, remedy = "must be (low, high)", "pass for example (0, 1)"
        raise DefinitionError.from_rule("bounds", rule, bounds, remedy)
    safe = _NeverInfinite(formula)
    _takes_arrays(name, safe)
    defaults: dict[str, Any] = {
        "definition": f"{name}(tp, fn, fp, tn)",
        "meaning": "Defined by the user.",
    }
    if not {"undefined_if_zero", "undefined_also"} & facts.keys():
        defaults["undefined_also"] = _IsNan(safe)
    metric = Metric(
        name=name,
        formula=safe,
        direction=direction,
        bounds=(float(limits[0]), float(limits[1])),
        **(defaults | facts),
    )
    if "scale_invariant" not in facts:
        small, same = [*all_tables(_MEASURED_UP_TO)], {"rtol": _SAME, "atol": _SAME}
        far = np.allclose(safe(*small), _Many(safe)(*small), **same, equal_nan=True)
        invariant = scale_invariance(metric, _MEASURED_UP_TO) is None
        metric = replace(metric, scale_invariant=invariant and far)
    return _with_found_facts(_measured(metric), facts.keys())


def _with_found_facts(metric: Metric, told: Collection[str]) -> Metric:
    """Add facts that hold on all small tables, on thousands as many cases, and on uneven ones."""
    for fact, (law, choices, wrong_far) in _FOUND.items():
        if fact in told or (fact == "lumps" and "proportion" in told):
            continue
        for choice in choices(metric):
            known = replace(metric, **{fact: choice})
            nearby = (law(replace(known, **far), _MEASURED_UP_TO) for far in _nearby(known))
            if not any(nearby) and not wrong_far(known):
                metric = known
                break
    return metric


def _nearby(metric: Metric) -> tuple[dict[str, Any], ...]:
    """Return what is replaced to measure a law: nothing, or counts by many times as large ones."""
    far: dict[str, Any] = {"formula": _Many(metric.formula)}
    if metric.undefined_also is not None:
        far["undefined_also"] = _Many(metric.undefined_also)
    return {}, far


def _shares(metric: Metric) -> list[Lumps]:
    """Return cells x and y such that x/(x + y) may decide the value: the others change nothing."""
    cells = np.array([*all_tables(_MEASURED_UP_TO)], dtype=float)
    value = metric.formula(*cells)
    if np.nanmin(value, initial=np.inf) >= np.nanmax(value, initial=-np.inf):
        return []  # one value, which everything decides
    idle = [
        i
        for i in range(4)
        if metric.scale_invariant
        and np.allclose(value, metric.formula(*_tripled(cells, i)), _SAME, _SAME, equal_nan=True)
    ]
    left = [cell for i, cell in enumerate(CELLS) if i not in idle]
    sides = [side for k in range(1, len(left)) for side in combinations(left, k)]
    return [(side, tuple(cell for cell in left if cell not in side)) for side in sides]


def _tripled(cells: Any, i: int) -> Any:
    more = cells.copy()
    more[i] *= 3
    return more


_MANY = 997.0


@cache
def _drawn(kind: int) -> Array:
    """Return cells, a column a table: as often below ten as beyond ten thousand, a tenth 0."""
    rng = np.random.default_rng((20, kind))
    cells = np.floor(10 ** rng.uniform(0, _LARGEST, (4, _TRIED)))
    return np.where(rng.random(cells.shape) < 0.1, 0.0, cells)


def _at(metric: Metric, cells: Array) -> Array:
    return np.asarray(metric.formula(*cells), dtype=float)


def _differ(a: Array, b: Array) -> bool:
    size = float(np.max(np.abs(a), where=np.isfinite(a), initial=0.0))
    return not np.allclose(a, b, rtol=_SAME, atol=_SAME * size, equal_nan=True)


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
    share = np.divide(sums[0], both, out=np.full(_TRIED, np.nan), where=both > 0)
    ordered = value[np.argsort(share)]
    ordered = ordered[~np.isnan(ordered)]
    size = float(np.abs(ordered).max(initial=0.0))
    return bool((np.diff(ordered) < -_SAME * size).any())


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
    room = _SAME * float(np.max(np.abs(before), where=np.isfinite(before), initial=0.0))
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


# Facts that are found: by which law on small tables, what may be true, and what shows on uneven
# large ones that it is wrong. A metric that is recall, but half of it below one positive in a
# hundred, is recall on every table of up to eight cases and at any multiple of those.
_FOUND: dict[str, tuple[Law, Callable[[Metric], Iterable[Any]], Callable[[Metric], bool]]] = {
    "lumps": (lumps, _shares, _by_lumps),
    "proportion": (proportion, lambda m: [m.lumps] if m.lumps else [], _as_proportion),
    "depends_on_base_rate": (base_rate_dependence, lambda _: [False], _by_base_rate),
    "linear_in_rates": (linear_in_rates, lambda _: [True], _in_line),
    "trend_in_fp": (trend_in_fp, lambda _: ["constant", "increasing", "decreasing"], _by_trend),
}


@dataclass(frozen=True, slots=True)
class _Many:
    """A formula of many times as large counts."""

    formula: Formula

    def __call__(self, tp: Any, fn: Any, fp: Any, tn: Any) -> Any:
        return self.formula(*(_MANY * np.asarray(cell) for cell in (tp, fn, fp, tn)))


@dataclass(frozen=True, slots=True)
class _NeverInfinite:
    """A user's formula, with nan for what is infinite."""

    formula: Formula

    def __call__(self, tp: Any, fn: Any, fp: Any, tn: Any) -> Any:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            cells = [np.asarray(c) for c in (tp, fn, fp, tn)]
            value = np.asarray(self.formula(*cells))
        if value.dtype.kind == "O" and any(c.dtype.kind == "O" for c in cells):
            # Numbers of many digits went in: they come out as they are.
            return np.where(np.isfinite(value.astype(float)), value, np.nan)
        value = value if value.dtype.kind == "c" else value.astype(float)
        return np.where(np.isinf(value), np.nan, value)


@dataclass(frozen=True, slots=True)
class _IsNan:
    formula: Formula

    def __call__(self, tp: Any, fn: Any, fp: Any, tn: Any) -> Any:
        return np.isnan(self.formula(tp, fn, fp, tn))


def _takes_arrays(name: str, formula: Formula) -> None:
    """Refuse a formula that does not give each table of a batch a value of its own."""
    cells = np.array([np.asarray(c, dtype=float) for c in all_tables(3)])
    subject, remedy = f"formula of {name!r}", "use NumPy operations instead of if, float() or math"
    rule = "must take four arrays of counts and return an array of their shape"
    try:
        value, others = formula(*cells.copy()), _in_other_batches(formula, cells)
    except Exception as error:
        given = f"{type(error).__name__}: {error}"
        raise DefinitionError.from_rule(subject, rule, given, remedy) from error
    if np.shape(value) != cells.shape[1:]:
        remedy = "compute from tp, fn, fp and tn, element by element (a constant: 0 * tp + 1)"
        raise DefinitionError.from_rule(subject, rule, f"shape {np.shape(value)}", remedy)
    atol = _SAME * float(np.max(np.abs(value), where=np.isfinite(value), initial=0.0))
    for other in others:
        differs = ~np.isclose(value, other, rtol=_SAME, atol=atol, equal_nan=True)
        if differs.any():
            i = int(np.argmax(differs))
            table = ", ".join(f"{c} = {n:g}" for c, n in zip(CELLS, cells[:, i], strict=True))
            rule = "must give a table the same value whatever other tables are in the batch"
            given = f"{value[i]:.6g} and {other[i]:.6g} for {table!r}"
            remedy = "replace np.mean, np.max, np.sum and the like by elementwise operations"
            raise DefinitionError.from_rule(subject, rule, given, remedy)


def _in_other_batches(formula: Formula, cells: Any) -> tuple[Any, Any]:
    """Return the values in another order and shape, and those of the tables one by one."""
    n = cells.shape[1]
    folded = np.broadcast_to(formula(*cells[:, ::-1].reshape(4, 5, -1)), (5, n // 5))
    alone = [np.broadcast_to(formula(*cells[:, i]), ()) for i in range(n)]
    return folded.reshape(-1)[::-1], np.array(alone)


def _measured(metric: Metric) -> Metric:
    for law in LAWS:
        if (found := law(metric, _MEASURED_UP_TO)) is not None:
            rule = "must agree with the metric's own formula"
            subject = f"facts of {metric.name!r}"
            raise DefinitionError.from_rule(subject, rule, found, "correct them")
    return metric

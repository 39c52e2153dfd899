"""What clusters and replicate weights make of any metric of several classes.

As for two classes (see `survey_design`): a metric is recomputed with each cluster left out, or
under each set of replicate weights, from the margins that nearly all metrics need. With two classes
a metric that has a form for two has the answer for two, to the last digit.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._checks import whole_number
from baserate.cases.class_designs import ClassDesign, Part
from baserate.class_counts import ClassTable
from baserate.errors import UnsupportedError
from baserate.inference.class_draws import Margins
from baserate.inference.intervals import DESIGN_METHODS, Interval, design_interval
from baserate.inference.several_classes import (
    at_draws,
    class_intervals,
    generator_of,
    of_hit_share,
    percentiles,
)
from baserate.inference.survey_design import (
    EMPTY,
    STEP,
    Changes,
    GuessingTest,
    effect_of,
    guessing_test,
    student_parts,
    tails_of_units,
)
from baserate.metrics import ClassMetric

Array = NDArray[np.float64]

AT_ONCE = 1 << 21  # numbers that are held at a time
MOST = 5_000_000_000  # cells that are read, some 20 s
COSTLY = "it is found cell by cell, too often for so many classes and clusters"
JACKKNIFE = "jackknife"


def design_intervals(
    metrics: Sequence[ClassMetric],
    table: ClassTable,
    design: ClassDesign,
    *,
    confidence_level: float = 0.95,
    method: str = JACKKNIFE,
    rng: Any = None,
    n_resamples: int = 9999,
) -> dict[str, Interval]:
    """Return intervals of metrics of cases in clusters, or with replicate weights, by name.

    Student's, from the jackknife over clusters or from the replicate weights, on the logit scale
    between the bounds of the metric; see `baserate.inference.survey_design.design_limits`. Where
    the value is a bound, or no cluster changes it, each cluster counts as one case. An average over
    the classes in which a metric is defined has an interval for its average over those classes, and
    none where one of them depends on a single cluster.

    Raises
    ------
    UnsupportedError
        Another method than "jackknife" or "bootstrap"; or a bootstrap of replicate weights.
    """
    check_design_method(method)
    two = table.n_classes == 2
    own = [m for m in metrics if not (two and m.two_classes is not None)]
    found = _solved(own, table, design, confidence_level, method, rng, n_resamples) if own else {}
    how = (confidence_level, method, rng, n_resamples)
    return {
        m.name: found[m.name]
        if m.name in found
        else replace(_of_two(m, design, *how), metric=m.name)
        for m in metrics
    }


def check_design_method(method: str) -> None:
    """Refuse what takes cases as independent."""
    if method not in DESIGN_METHODS:
        message = (
            f"method {method!r} takes cases as independent, and these lie in clusters: use "
            'method="jackknife", or "bootstrap" with rng.'
        )
        raise UnsupportedError(message)


def _of_two(metric: ClassMetric, design: ClassDesign, *how: Any) -> Interval:
    assert metric.two_classes is not None
    return design_interval(metric.two_classes, design.binary(1, 1), *how)


def class_changes(
    metrics: Sequence[ClassMetric], table: ClassTable, design: ClassDesign
) -> list[Changes]:
    """Return how much metrics change with each cluster left out, or with replicated weights.

    Examples
    --------
    >>> from baserate.cases import read_arrays
    >>> from baserate.metrics import class_metric
    >>> truth, prediction, patient = list("abcab"), list("abbab"), list("ppqqr")
    >>> cases = read_arrays(truth, {"m": prediction}, keys={"cluster": patient}).classes()
    >>> counted = cases.counted()
    >>> [found] = class_changes([class_metric("accuracy")], counted.table, counted.design)
    >>> found.values.round(3).tolist()  # 4/5 less 2/3, less 1, less 3/4
    [0.133, -0.2, 0.05]
    """
    values = [np.full(len(design.units), np.nan) for _ in metrics]
    whole = at_draws(metrics, _whole(design), table)[:, 0]
    of_cells = any(m.of_margins is None for m in metrics)
    for part in design.parts(with_cells=of_cells):
        left = _left(design, part)
        for place, at in enumerate(_at_size(metrics, left, design, table)):
            values[place][part.at] = whole[place] - at
    scale = np.ones(len(design.units)) if design.scale is None else design.scale
    known = design.known_degrees
    return [Changes(design.units, each, scale, known, design.n_units) for each in values]


def _whole(design: ClassDesign) -> Margins:
    """Return the margins of the whole table, as a single draw."""
    total = design.total
    sides = np.diagonal(total), total.sum(axis=1), total.sum(axis=0)
    return Margins(*(side[None] for side in sides), cells=lambda: total[None])


def _left(design: ClassDesign, part: Part) -> Margins:
    """Return the margins without each of some clusters, or under some replicate weights."""
    if design.scale is not None:
        return Margins(*part[:3], cells=partial(design.cells, part.at))
    whole = _whole(design)
    sides = (_less(all_, mine) for all_, mine in zip(whole[:3], part[:3], strict=True))
    return Margins(*sides, cells=lambda: _less(design.total[None], design.cells(part.at)))


def _less(whole: Array, part: Array) -> Array:
    """Subtract; what rounding leaves of an emptied place is 0."""
    rest = whole - part
    return np.where(rest < EMPTY * whole, 0.0, rest)


def _at_size(
    metrics: Sequence[ClassMetric], left: Margins, design: ClassDesign, table: ClassTable
) -> list[Array]:
    """Return metrics at margins; counts among them at the number of cases of the whole table."""
    with np.errstate(all="ignore"):
        if all(metric.scale_invariant for metric in metrics):
            return list(at_draws(metrics, left, table))
        size = left.class_counts.sum(axis=1)
        times = np.divide(design.total.sum(), size, out=np.zeros_like(size), where=size > 0)
        sides = (side * times[:, None] for side in left[:3])
        scaled = Margins(*sides, cells=lambda: left.cells() * times[:, None, None])
        return [at_draws([m], left if m.scale_invariant else scaled, table)[0] for m in metrics]


def class_guessing_test(design: ClassDesign) -> GuessingTest:
    """Return whether truth and prediction go together, if whole clusters are independent.

    The number of right cases beyond what independence has, Σ n_kk/n - Σ n_k. n_.k/n², is the sum
    over the classes of the covariances that `guessing_test` is about, and is tested in the same
    way: by its score in each cluster and by its jackknife, of which the larger p-value counts.

    Examples
    --------
    >>> from baserate.cases import read_arrays
    >>> truth, patient = list("abcabcabcabc"), list("ppppqqqqrrrr")
    >>> keys = {"cluster": patient}
    >>> counted = read_arrays(truth, {"m": list("abcabcabbabc")}, keys=keys).classes().counted()
    >>> round(class_guessing_test(counted.design).p_value, 2)
    0.03
    """
    if design.n_classes == 2:
        return guessing_test(design.binary(1, 1))
    n, found, moves, scores = design.total.sum(), _whole(design), [], []
    covariance = float(_excess(found)[0])
    truth, called = (side[0] / n for side in found[1:3])
    if not (truth.max() < 1 and called.max() < 1):
        return GuessingTest(np.nan, np.nan)
    for part in design.parts():
        moves.append(covariance - _excess(_left(design, part)))
        sizes = part.class_counts.sum(axis=1)
        score = part.hits.sum(axis=1) - part.class_counts @ called
        scores.append((score - part.predicted_counts @ truth + sizes * (truth @ called)) / n)
    scale = np.ones(len(design.units)) if design.scale is None else design.scale
    each = Changes(design.units, np.concatenate(moves), scale, design.known_degrees, design.n_units)
    by_score = np.concatenate(scores) if design.scale is None else None
    return tails_of_units(by_score, covariance, each)


def _excess(margins: Margins) -> Array:
    """Return the share of right cases beyond that of independence; nan without cases."""
    n = margins.class_counts.sum(axis=1)
    with np.errstate(all="ignore"):
        by_luck = (margins.class_counts * margins.predicted_counts).sum(axis=1) / n
        return (margins.hits.sum(axis=1) - by_luck) / n


def _solved(
    metrics: Sequence[ClassMetric],
    table: ClassTable,
    design: ClassDesign,
    level: float,
    method: str,
    rng: Any,
    n_resamples: int,
) -> dict[str, Interval]:
    value = {m.name: float(m(table)) for m in metrics}
    lost = {m.name: _undefined(m.undefined_reason(table)) for m in metrics if _nan(value[m.name])}
    lost |= {m.name: _undefined(COSTLY) for m in metrics if _costly(m, design)}
    known = [m for m in metrics if m.name not in lost]
    solve: Callable[..., dict[str, dict[str, Any]]] = _by_jackknife
    if method != JACKKNIFE:
        solve = partial(_by_bootstrap, rng=rng, n_resamples=n_resamples)
    parts = lost | (solve(known, table, design, level) if known else {})
    found = dict[str, Interval]()
    for metric in metrics:
        one, at = parts[metric.name], value[metric.name]
        effect = one.get("design_effect", np.nan)
        ends = {
            "low": float(np.minimum(one["low"], at)),
            "high": float(np.maximum(one["high"], at)),
        }
        size = {"effective_n": design.n_cases / effect if effect > 0 else np.nan}
        how: Any = {"value": at, "confidence_level": level, "method": method, **size}
        found[metric.name] = Interval(metric=metric.name, **how, **(one | ends))
    return found


def _nan(value: float) -> bool:
    return bool(np.isnan(value))


def _undefined(reason: str | None) -> dict[str, Any]:
    return {"low": np.nan, "high": np.nan, "route": "undefined", "reason": reason}


def _costly(metric: ClassMetric, design: ClassDesign) -> bool:
    """Whether a metric that reads all K² cells would have to read them too often."""
    return metric.of_margins is None and len(design.units) * design.n_classes**2 > MOST


def _by_jackknife(
    metrics: Sequence[ClassMetric], table: ClassTable, design: ClassDesign, level: float
) -> dict[str, dict[str, Any]]:
    moves = class_changes(metrics, table, design)
    effects = class_design_effects(metrics, table, design)
    found, blind = dict[str, dict[str, Any]](), list[ClassMetric]()
    for metric, each, effect in zip(metrics, moves, effects, strict=True):
        parts = student_parts(float(metric(table)), each, metric.bounds, level)
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
        how: Any = {"confidence_level": level, "squared_weights": n / scale}
        for name, one in class_intervals(some, table, **how).items():
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


def class_design_effects(
    metrics: Sequence[ClassMetric], table: ClassTable, design: ClassDesign
) -> list[float]:
    """Return how many times the variance of as many independent cases each metric has.

    Both variances are linearised in the cells; see `baserate.inference.survey_design`.
    """
    filled = np.flatnonzero(design.total)
    total, sums = design.total.ravel()[filled], _sums_of_slopes
    every = _slopes(metrics, table, design, filled)
    return [effect_of(sums(s, filled, design), s, total, design.n_cases) for s in every]


def _sums_of_slopes(slope: Array, filled: NDArray[np.intp], design: ClassDesign) -> float:
    """Return the variance of Σ slope × cell, by clusters or replicate weights."""
    at = np.minimum(np.searchsorted(filled, design.cell), len(filled) - 1)
    known = filled[at] == design.cell  # a replicate may weigh what has no weight
    amount = np.where(known, slope[at] * design.amount, 0.0)
    each = np.bincount(design.unit, amount, len(design.units))
    whole, m = slope @ design.total.ravel()[filled], design.n_units
    if design.scale is not None:
        return float(design.scale @ (each - whole) ** 2)
    return float(m / (m - 1) * (each @ each - whole**2 / m)) if m > 1 else np.nan


def _slopes(
    metrics: Sequence[ClassMetric],
    table: ClassTable,
    design: ClassDesign,
    filled: NDArray[np.intp],
) -> Array:
    """Return the derivative of each metric in each cell that holds cases, by differences."""
    k, slopes = design.n_classes, np.full((len(metrics), len(filled)), np.nan)
    wide = any(m.of_margins is None for m in metrics)
    if wide and len(filled) * k * k > MOST:
        return slopes
    step = max(1, AT_ONCE // (k * k if wide else 3 * k))
    for start in range(0, len(filled), step):
        cells = filled[start : start + step]
        move = STEP * design.total.ravel()[cells]
        up, down = (
            at_draws(metrics, _moved(design, cells, sign * move), table) for sign in (1, -1)
        )
        slopes[:, start : start + step] = (up - down) / (2 * move)
    return slopes


def _moved(design: ClassDesign, cells: NDArray[np.intp], move: Array) -> Margins:
    """Return the margins with each of some cells moved by itself."""
    size, k = len(cells), design.n_classes
    (row, column), draw = np.divmod(cells, k), np.arange(size)
    hits, truth, called = (np.repeat(side, size, axis=0) for side in _whole(design)[:3])
    hits[draw, row] += np.where(row == column, move, 0.0)
    truth[draw, row] += move
    called[draw, column] += move

    def every() -> Array:
        found = np.repeat(design.total[None], size, axis=0)
        found[draw, row, column] += move
        return found

    return Margins(hits, truth, called, every)


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
    if design.scale is not None:
        message = (
            "a bootstrap draws clusters, and there are replicate weights in their place: use "
            'method="jackknife", which takes what they say.'
        )
        raise UnsupportedError(message)
    size = whole_number("n_resamples", n_resamples, minimum=1)
    values = np.concatenate(
        [
            np.array(_at_size(metrics, drawn, design, table))
            for drawn in _resampled(design, size, generator_of(rng))
        ],
        axis=1,
    )
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    effects = class_design_effects(metrics, table, design)
    found = (percentiles(each, tails, "simulation") for each in values)
    return {
        m.name: {**end._replace(route="percentile")._asdict(), "design_effect": effect}
        for m, end, effect in zip(metrics, found, effects, strict=True)
    }


def _resampled(design: ClassDesign, size: int, rng: np.random.Generator) -> Any:
    """Yield the margins of tables of as many clusters, drawn with replacement."""
    k, m = design.n_classes, design.n_units
    lacking = max(1 - len(design.units) / m, 0.0)  # clusters without a case here
    shares = np.append(np.full(len(design.units), 1 / m), lacking)
    row, column = np.divmod(design.cell, k)
    step = max(1, AT_ONCE // max(len(design.units), len(design.cell), k * k))
    for start in range(0, size, step):
        times = rng.multinomial(m, shares, size=min(step, size - start))[:, :-1]
        drawn = times[:, design.unit] * design.amount
        sums = [np.zeros((len(times), k * k)) for _ in range(1)]
        place = (np.arange(len(times))[:, None] * k * k + design.cell).ravel()
        sums = np.bincount(place, drawn.ravel(), len(times) * k * k).reshape(-1, k, k)
        sides = np.diagonal(sums, axis1=1, axis2=2), sums.sum(axis=2), sums.sum(axis=1)
        yield Margins(*sides, cells=partial(np.asarray, sums))

"""What clusters and replicate weights make of any metric of several classes.

As for two classes (see `survey_design`): a metric is recomputed with each cluster left out, or
under each set of replicate weights, from the margins that nearly all metrics need. With two classes
a metric that has a form for two has the answer for two, to the last digit.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._checks import DRAWS, whole_number
from baserate.cases.class_designs import AT_ONCE, ClassDesign
from baserate.class_counts import ClassTable
from baserate.errors import UnsupportedError
from baserate.inference.class_draws import Margins
from baserate.inference.class_leave_one_out import at_size, class_design_effects, class_laws, costly
from baserate.inference.intervals import (
    Interval,
    design_interval,
    for_clusters,
    generator_of,
)
from baserate.inference.several_classes import class_intervals, of_hit_share, percentiles
from baserate.inference.survey_design import student_parts
from baserate.metrics import ClassMetric

Array = NDArray[np.float64]

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

    Student's, from the jackknife over clusters or from the replicate weights, on the logit scale
    between the bounds of the metric; see `baserate.inference.survey_design.student_parts`. Where
    the value is a bound, or no cluster changes it, each cluster counts as one case. An average over
    the classes in which a metric is defined has an interval for its average over those classes, and
    none where one of them depends on a single cluster.
    """
    chosen = for_clusters(method)
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
        one, at = parts[metric.name], value[metric.name]
        effect = one.get("design_effect", np.nan)
        one |= {
            "low": float(np.minimum(one["low"], at)),
            "high": float(np.maximum(one["high"], at)),
        }
        found[metric.name] = Interval(
            metric=metric.name,
            value=at,
            confidence_level=level,
            method=method,
            effective_n=design.n_cases / effect if effect > 0 else np.nan,
            **one,
        )
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
        raise UnsupportedError(
            "a bootstrap draws clusters, and there are replicate weights in their place: use "
            'method="jackknife", which takes what they say.'
        )
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
    k, m = design.n_classes, design.n_units
    lacking = max(1 - len(design.units) / m, 0.0)  # clusters without a case here
    shares = np.append(np.full(len(design.units), 1 / m), lacking)
    step = max(1, AT_ONCE // max(len(design.units), len(design.cell), k * k))
    for start in range(0, size, step):
        times = rng.multinomial(m, shares, size=min(step, size - start))[:, :-1]
        drawn = times[:, design.unit] * design.amount
        place = (np.arange(len(times))[:, None] * k * k + design.cell).ravel()
        sums = np.bincount(place, drawn.ravel(), len(times) * k * k).astype(float)
        sums = sums.reshape(-1, k, k)
        sides = np.diagonal(sums, axis1=1, axis2=2), sums.sum(axis=2), sums.sum(axis=1)
        yield Margins(*sides, cells=partial(np.asarray, sums))

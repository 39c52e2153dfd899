"""Scores of cases in clusters, or with replicate weights: how sure each measure of them is.

Losses and O:E are ratios of totals, which move with whole clusters or with every set of replicate
weights; so does the ROC area. What is fitted to all cases at once has no such law here.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from math import inf, isfinite, isnan, log, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate import curves
from baserate.cases.two_classes import BinaryCases
from baserate.cases.units import ALIKE as CLUSTERS_ALIKE
from baserate.cases.units import Law
from baserate.curves import sweep
from baserate.curves.cut_points import Sweep, sweeps_by_fold
from baserate.curves.within_folds import area_of_folds
from baserate.evaluation.score_facts import COMPARED, are_probabilities, measures_of, named
from baserate.facts.compared_scores import ScorePairFact
from baserate.facts.scores import EstimateFact
from baserate.inference.design_ratios import ALIKE, Units

Array = NDArray[np.float64]

ROUTE = "asymptotic"
FITTED = "fitted_to_clusters"  # why there is no interval; reports say it in words
FOLDED = "replicates of held-out cases would need models that were fitted to each of them"
INFINITE = "it is infinite: an outcome had a probability of 0"
BOUNDS = {"brier_score": (0.0, 1.0), "log_loss": (0.0, inf), "observed_expected": (0.0, inf)}


def measures_by_design(
    cases: BinaryCases, score: str, swept: Sweep, level: float
) -> Iterator[EstimateFact]:
    """Yield the ROC area, losses and O:E of one score; other measures with the reason why not."""
    for fact in measures_of(swept, level):
        if fact.name == "roc_auc":
            yield _area(cases, score, fact, level)
        elif fact.name in BOUNDS:
            yield _ratio(cases, score, fact, level)
        else:
            unsure = replace(fact, low=nan, high=nan, route=None, reason=FITTED)
            yield replace(unsure, p_value=nan, p_value_route=None)


def score_pairs_by_design(
    cases: BinaryCases, sweeps: Mapping[str, Sweep], level: float
) -> Iterator[ScorePairFact]:
    """Compare every two scores by ROC area and by losses, by whole clusters or replicates."""
    for a, b in combinations(cases.scores, 2):
        yield _areas_apart(cases, a, b, level)
        if are_probabilities(sweeps[a]) and are_probabilities(sweeps[b]):
            for measure in ("brier_score", "log_loss"):
                yield _losses_apart(cases, a, b, measure, level)


def _area(cases: BinaryCases, score: str, plain: EstimateFact, level: float) -> EstimateFact:
    if cases.cluster is not None:
        how = {"cluster": cases.cluster.codes, "sample_weight": cases.weight}
        how["fold"] = None if cases.fold is None else cases.fold.codes
        found = curves.roc_auc(cases.truth, cases.scores[score], confidence_level=level, **how)
        return named("roc_auc", found)
    if folds := sweeps_by_fold(cases):
        found = area_of_folds(folds, level)
        unsure = replace(found, low=nan, high=nan, reason=found.reason or FOLDED, route=None)
        return replace(named("roc_auc", unsure), p_value=nan, p_value_route=None)
    law = _sure_area(cases, score, plain.value)
    (low, high), reason = law.within(level), _lacking(law)
    known = replace(plain, low=low, high=high, reason=reason, route=None if reason else ROUTE)
    return replace(known, p_value=nan, p_value_route=None)


def _ratio(cases: BinaryCases, score: str, plain: EstimateFact, level: float) -> EstimateFact:
    loss = _amounts(cases, score, plain.name)
    found = _units(cases).of_ratio(*loss, BOUNDS[plain.name], _wrong(cases, score, plain.name))
    if not isfinite(found.value):
        unsure = replace(plain, low=nan, high=nan, route=None, reason=plain.reason or INFINITE)
        return replace(unsure, p_value=nan, p_value_route=None)
    (low, high), reason, p_value = found.within(level), _lacking(found), nan
    if plain.name == "observed_expected" and found.value > 0:
        p_value = found.p_value(found.value * log(found.value))
    return replace(
        plain,
        low=low,
        high=high,
        reason=reason,
        route=None if reason else ROUTE,
        p_value=p_value,
        p_value_route=None if isnan(p_value) else ROUTE,
        p_value_reason=None,
    )


def _areas_apart(cases: BinaryCases, a: str, b: str, level: float) -> ScorePairFact:
    if cases.cluster is not None:
        how = {"cluster": cases.cluster.codes, "sample_weight": cases.weight}
        scores = cases.scores[a], cases.scores[b]
        found = curves.compare_auc(cases.truth, *scores, confidence_level=level, **how)
        known = {name: getattr(found, name) for name in COMPARED}
        return ScorePairFact(a=a, b=b, measure="roc_auc", **known)
    areas = (_value_of_area(cases, name, _units(cases).weight) for name in (a, b))
    first, second = (_sure_area(cases, n, v) for n, v in zip((a, b), areas, strict=True))
    found = _apart(a, b, "roc_auc", first.minus(second), level)
    return replace(found, value_a=first.value, value_b=second.value)


def _losses_apart(cases: BinaryCases, a: str, b: str, measure: str, level: float) -> ScorePairFact:
    units = _units(cases)
    losses = [_amounts(cases, name, measure) for name in (a, b)]
    first, second = (units.of_ratio(*loss) for loss in losses)
    if not (isfinite(first.value) and isfinite(second.value)):
        return ScorePairFact(
            a=a, b=b, measure=measure, value_a=first.value, value_b=second.value, difference=nan,
            reason=INFINITE, p_value_reason=INFINITE,
        )  # fmt: skip
    found = _apart(a, b, measure, units.apart(first, second, losses[0][0] - losses[1][0]), level)
    return replace(found, value_a=first.value, value_b=second.value)


def _lacking(law: Law) -> str | None:
    return law.lacking or (ALIKE if law.blind else None)


def _apart(a: str, b: str, measure: str, found: Law, level: float) -> ScorePairFact:
    """Return the difference of two measures by Student's law."""
    (low, high), p_value, reason = found.around(level), found.p_value(), found.reason
    reason = ALIKE if reason == CLUSTERS_ALIKE else reason
    route = None if reason else ROUTE
    return ScorePairFact(
        a=a, b=b, measure=measure, value_a=nan, value_b=nan, difference=found.value,
        low=low, high=high, p_value=p_value, route=route, p_value_route=route, reason=reason,
        p_value_reason=reason,
    )  # fmt: skip


def _amounts(cases: BinaryCases, score: str, measure: str) -> tuple[Array, Array]:
    """Return what is added up over cases for a measure: numerator and denominator of each."""
    p, y = np.asarray(cases.scores[score], dtype=float), cases.truth.astype(float)
    if measure == "observed_expected":
        return y, p
    if measure == "brier_score":
        return (y - p) ** 2, np.ones(len(y))
    with np.errstate(divide="ignore"):
        return -np.log(np.where(cases.truth, p, 1 - p)), np.ones(len(y))


def _wrong(cases: BinaryCases, score: str, measure: str) -> float | None:
    """Return the mean loss in a cluster that is all wrong; None for O:E.

    The logarithm has no largest loss: that of the opposite probabilities, which are at most as sure
    as so many cases can tell.
    """
    if measure != "log_loss":
        return 1.0 if measure == "brier_score" else None
    p = np.asarray(cases.scores[score], dtype=float)
    with np.errstate(divide="ignore"):
        turned = -np.log(np.where(cases.truth, 1 - p, p))
    units, n = _units(cases), float(cases.count.sum())
    return float(np.average(np.minimum(turned, log(n + 1)), weights=units.weight))


def _units(cases: BinaryCases) -> Units:
    weight = np.asarray(cases.count if cases.weight is None else cases.weight, dtype=float)
    if cases.replicated is not None:
        return Units(weight, None, *cases.replicated)
    assert cases.cluster is not None
    return Units(weight, cases.cluster.codes, n_cases=float(cases.count.sum()))


def _sure_area(cases: BinaryCases, score: str, value: float) -> Law:
    """Return the ROC area, and how it changes under each set of replicate weights."""
    units = _units(cases)
    assert units.replicates is not None
    areas = [_value_of_area(cases, score, weight) for weight in units.replicates]
    return units.law(value, np.array(areas), (0.0, 1.0))


def _value_of_area(cases: BinaryCases, score: str, weight: Any) -> float:
    """Return the area of weighted cases: the trapezoids under the curve."""
    kept = weight > 0
    truth, scores = cases.truth[kept], np.asarray(cases.scores[score])[kept]
    if truth.all() or not truth.any():
        return nan
    tables = sweep(truth, scores, sample_weight=weight[kept]).tables
    recall, alarms = tables.tp / tables.tp[-1], tables.fp / tables.fp[-1]
    return float(np.diff(alarms) @ (recall[1:] + recall[:-1]) / 2)

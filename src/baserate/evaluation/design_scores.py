"""Scores of cases in clusters, or with replicate weights: how sure each measure of them is.

Losses and O:E are ratios of totals, which move with whole clusters or with every set of replicate
weights; so do the ROC area, and what is fitted to all cases at once.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from math import isfinite, isnan, log, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate import curves
from baserate._measures import MEASURES
from baserate.cases.scores import reaches
from baserate.cases.two_classes import BinaryCases
from baserate.cases.units import Law
from baserate.curves.auc import estimate_of
from baserate.curves.calibration_record import observed_expected
from baserate.curves.cut_points import Sweep, sweeps_by_fold, sweeps_of
from baserate.curves.logistic_recalibration import logits
from baserate.curves.smooth_curve import Spline
from baserate.curves.within_folds import lacking
from baserate.evaluation.score_facts import (
    POOLED,
    Judging,
    are_probabilities,
    measures_of,
    named,
    pooled,
    risks_shown,
    score_pair,
    smooth_fact,
)
from baserate.facts.comparison import ScorePairFact
from baserate.facts.scores import (
    EstimateFact,
    GroupCalibrationFact,
    NetBenefitFact,
    SmoothCurveFact,
)
from baserate.groups.multiplicity import adjust
from baserate.inference.binary_intervals import design_interval
from baserate.inference.design_ratios import (
    ALIKE,
    INFINITE,
    Fitted,
    amounts,
    area_by_design,
    areas_apart,
    losses_apart,
    precision_by_design,
    separation_by_design,
    told_apart,
    units_of,
)
from baserate.inference.survey_design import law_of
from baserate.metrics import net_benefit, utility

Array = NDArray[np.float64]

ROUTE = "asymptotic"
UNSEEN = "which errors would go unseen is known of independent cases only"
FITTED = "fitted_to_clusters"  # why there is no interval; reports say it in words


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignJudging(Judging):
    """What is asked of scores as such, of cases in clusters or with replicate weights."""

    cases: BinaryCases

    def _decisive(self, swept: Sweep) -> None:
        """Return nothing: how many cases decide depends on how they cluster."""

    def _no_list(self, swept: Sweep) -> str:
        return super(DesignJudging, self)._no_list(swept) or FITTED

    def _ranking(self, swept: Sweep) -> Iterator[EstimateFact]:
        [name] = self.cases.scores
        yield from measures_by_design(self.cases, name, swept, self.level)
        if self.cases.fold is not None or not (swept.n_positive and swept.n_negative):
            return
        ranks = named("average_precision", curves.average_precision(swept))
        yield _sure(ranks, precision_by_design(self.cases, name), self.level)
        if are_probabilities(swept):
            apart = named("discrimination_slope", curves.discrimination_slope(swept))
            yield _sure(apart, separation_by_design(self.cases, name), self.level)

    def _of_risks(self, swept: Sweep) -> dict[str, Any]:
        [name] = self.cases.scores
        return {
            "smooth_calibration": smooth_by_design(self.cases, name, swept, self.level),
            "net_benefit": net_benefit_by_design(
                self.cases, name, swept, self.acted_at, self.level, self.risks
            ),
            "group_calibration": tuple(self.of_groups(self.cases)),
            "absent": {"calibration": FITTED},
        }

    def of_groups(self, cases: BinaryCases) -> Iterator[GroupCalibrationFact]:
        """Yield whether the probabilities of each group are right, by its own clusters."""
        return groups_by_design(cases, self.level)


def measures_by_design(
    cases: BinaryCases, score: str, swept: Sweep, level: float
) -> Iterator[EstimateFact]:
    """Yield the ROC area, losses, O:E and calibration slope of one score."""
    for fact in measures_of(swept, level):
        if fact.name == "roc_auc":
            yield _area(cases, score, fact, level)
        elif fact.name != "calibration_slope":
            yield _ratio(cases, score, fact, level)
        elif cases.fold is not None:
            yield pooled(fact)
        else:
            yield fact if isnan(fact.value) else _slope(cases, score, fact, swept, level)


def smooth_by_design(
    cases: BinaryCases, score: str, swept: Sweep, level: float
) -> SmoothCurveFact | None:
    """Return the smooth calibration curve, limits by how it moves with clusters or replicates."""
    if not are_probabilities(swept):
        return None
    if cases.fold is not None:
        return SmoothCurveFact(reason=POOLED)
    risks, why = np.asarray(cases.scores[score], dtype=float), None

    def reaches(fit: Spline, design: Array) -> tuple[Array, Array]:
        nonlocal why
        fitted = _fitted(cases, fit.design(logits(risks)), fit.coefficients)
        laws = [fitted.law(float(at @ fit.coefficients), at) for at in design]
        why = _lacking(laws[0])
        ends = np.array([law.within(level) for law in laws]).T
        return design @ fit.coefficients - ends[0], ends[1] - design @ fit.coefficients

    found = smooth_fact(swept, level, reaches)
    return replace(found, reason=found.reason or why, route=None if why else found.route)


def groups_by_design(cases: BinaryCases, level: float) -> Iterator[GroupCalibrationFact]:
    """Yield whether the probabilities of each group are right on the whole, by its own clusters.

    Each as it is by itself; p-values are adjusted for the number of groups.
    """
    found = list[GroupCalibrationFact]()
    for index, key in enumerate(cases.groups):
        own = cases.within(index)
        [(name, swept)] = sweeps_of(own).items()
        if not are_probabilities(swept):
            return
        plain = named("observed_expected", observed_expected(swept, level))
        weight = np.asarray(own.amount, dtype=float)
        one = GroupCalibrationFact(
            group=dict(zip(cases.group_names, key, strict=True)),
            n=own.n,
            observed=float(swept.n_positive),
            expected=float(weight @ np.asarray(own.scores[name], dtype=float)),
            observed_expected=_ratio(own, name, plain, level),
            reason=UNSEEN,
        )
        found.append(one)
    adjusted = adjust([one.observed_expected.p_value for one in found])
    for one, p in zip(found, adjusted.tolist(), strict=True):
        yield replace(one, adjusted_p_value=p)


def net_benefit_by_design(
    cases: BinaryCases, score: str, swept: Sweep, acted_at: tuple[float, ...], level: float,
    ranged: tuple[float, ...] = (),
) -> tuple[NetBenefitFact, ...]:  # fmt: skip
    """Return what acting at some risks brings, and how surely that beats treating all and none.

    How surely is the product of two, each by how a difference moves with clusters or replicates, as
    if what is doubted of either were independent.
    """
    if not are_probabilities(swept):
        return ()
    shown = risks_shown(swept, acted_at, ranged)
    return tuple(_net_benefit(cases, score, at, level) for at in shown)


def _net_benefit(cases: BinaryCases, score: str, risk: float, level: float) -> NetBenefitFact:
    decisions = {score: reaches(cases.scores[score], risk)}
    found = replace(cases, decisions=decisions, grouping=None).counted()
    table, design, odds = found.table, found.design, risk / (1 - risk)
    assert design is not None
    over = net_benefit(risk), utility([[0.0, 0.0], [-1.0, odds]])  # no one, everyone treated
    laws = [law_of(metric, design) for metric in over]
    ends = design_interval(over[0], design, level)
    alike = not table.n_predicted or not table.tn + table.fn
    return NetBenefitFact(
        threshold=risk,
        value=laws[0].value,
        low=ends.low,
        high=ends.high,
        route=None if isnan(ends.low) else ROUTE,
        treat_all=float((table.n_positive - table.n_negative * odds) / table.n),
        useful=0.0 if alike else float(np.prod([law.above for law in laws])),
    )


def score_pairs_by_design(
    cases: BinaryCases, sweeps: Mapping[str, Sweep], level: float
) -> Iterator[ScorePairFact]:
    """Compare every two scores by ROC area and by losses, by whole clusters or replicates."""
    for a, b in combinations(cases.scores, 2):
        yield _areas_apart(cases, a, b, level)
        if are_probabilities(sweeps[a]) and are_probabilities(sweeps[b]):
            for measure in ("brier_score", "log_loss"):
                yield losses_told(a, b, measure, losses_apart(cases, a, b, measure), level)


def _area(cases: BinaryCases, score: str, plain: EstimateFact, level: float) -> EstimateFact:
    if cases.cluster is not None:
        how = {"cluster": cases.cluster.codes, "sample_weight": cases.weight}
        how["fold"] = None if cases.fold is None else cases.fold.codes
        found = curves.roc_auc(cases.truth, cases.scores[score], confidence_level=level, **how)
        return named("roc_auc", found)
    folds = sweeps_by_fold(cases)
    if absent := lacking(folds) if folds else plain.reason:
        return replace(plain, value=nan, reason=absent, p_value_reason=absent)
    known = {"confidence_level": level, "chance": plain.chance, "perfect": plain.perfect}
    return named("roc_auc", estimate_of(area_by_design(cases, score), known))


def _ratio(cases: BinaryCases, score: str, plain: EstimateFact, level: float) -> EstimateFact:
    loss, bounds = amounts(cases, score, plain.name), MEASURES[plain.name].bounds
    law = units_of(cases).of_ratio(*loss, bounds, _wrong(cases, score, plain.name))
    if not isfinite(law.value):
        unsure = replace(plain, low=nan, high=nan, route=None, reason=plain.reason or INFINITE)
        return replace(unsure, p_value=nan, p_value_route=None)
    of_one = plain.name == "observed_expected" and law.value > 0
    return _sure(plain, law, level, law.p_value(law.value * log(law.value)) if of_one else nan)


def _slope(
    cases: BinaryCases, score: str, plain: EstimateFact, swept: Sweep, level: float
) -> EstimateFact:
    """Return the calibration slope by how the fitted line moves with clusters or replicates."""
    line = np.array([curves.calibration(swept).joint_intercept, plain.value])
    x = logits(np.asarray(cases.scores[score], dtype=float))
    law = _fitted(cases, np.column_stack((np.ones(len(x)), x)), line).law(
        plain.value, np.array([0.0, 1.0])
    )
    return _sure(plain, law, level, law.p_value(plain.value - 1))


def _sure(plain: EstimateFact, law: Law, level: float, p_value: float = nan) -> EstimateFact:
    """Return a measure with the interval of its law, and the p-value if that has one."""
    (low, high), reason = law.within(level), _lacking(law)
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


def _fitted(cases: BinaryCases, x: Array, coefficients: Array) -> Fitted:
    from scipy.special import expit

    p = expit(x @ coefficients)
    return units_of(cases).of_fit(x, cases.truth - p, p * (1 - p))


def _areas_apart(cases: BinaryCases, a: str, b: str, level: float) -> ScorePairFact:
    if cases.drawn is not None:
        how = {"cluster": cases.drawn, "sample_weight": cases.weight}
        scores = cases.scores[a], cases.scores[b]
        found = curves.compare_auc(cases.truth, *scores, confidence_level=level, **how)
    else:
        found = told_apart(areas_apart(cases, a, b), level)
    return score_pair(a, b, "roc_auc", found)


def losses_told(
    a: str, b: str, measure: str, laws: tuple[Law, Law, Law | None], level: float
) -> ScorePairFact:
    """Return what is told of two mean losses and their difference."""
    first, second, law = laws
    if law is None:
        return ScorePairFact(
            a=a, b=b, measure=measure, value_a=first.value, value_b=second.value, difference=nan,
            reason=INFINITE, p_value_reason=INFINITE,
        )  # fmt: skip
    return score_pair(a, b, measure, told_apart((first, second, law), level))


def _lacking(law: Law) -> str | None:
    return law.lacking or (ALIKE if law.blind else None)


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
    units, n = units_of(cases), float(cases.count.sum())
    return float(np.average(np.minimum(turned, log(n + 1)), weights=units.weight))

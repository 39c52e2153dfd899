"""What is known about a score besides its cut points: rank, calibration, worth, risks."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from math import nan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from baserate import curves
from baserate._measures import MEASURES
from baserate.cases.two_classes import BinaryCases
from baserate.curves.calibration_record import Calibration
from baserate.curves.cut_points import Sweep
from baserate.curves.estimates import Estimate
from baserate.curves.score_bins import middle, score_ends, spread_out
from baserate.curves.smooth_curve import Reaches, fitted_curve
from baserate.curves.within_folds import Folds, area_of_folds, mean_of_folds
from baserate.errors import InvalidArgumentError
from baserate.evaluation.list_tops import DEFAULT, Top
from baserate.facts.comparison import ScorePairFact
from baserate.facts.numbers import records
from baserate.facts.scores import (
    BinFact,
    CalibrationFact,
    EstimateFact,
    GroupCalibrationFact,
    NetBenefitFact,
    RegionFact,
    RiskFact,
    ScoreBinsFact,
    SmoothCurveFact,
    SmoothPointFact,
    TopFact,
)
from baserate.facts.verdict import VerdictFact
from baserate.inference.validation_size import validation_sample_size
from baserate.utilities import net_benefit_curve
from baserate.utilities.useful_ranges import useful_thresholds

# Why a part is lacking; reports say it in words.
NO_PROBABILITIES, WEIGHTED_LIST = "no_probabilities", "weighted_list"
FOLDED_LIST = "scores_of_several_models"
POOLED = "risks_of_several_models"
COUNTED = "counted_scores"
OWN = {"a", "b", "measure", "adjusted_p"}  # of a pair of scores, whatever compares them
OF_DIFFERENCE = tuple(f.name for f in fields(ScorePairFact) if f.name not in OWN)
MOST_BINS, FEWEST_BINS, IN_A_BIN = 10, 3, 20
R_SQUARED: dict[Literal["brier", "mcfadden", "nagelkerke"], str] = {
    "brier": "scaled_brier_score",
    "mcfadden": "mcfadden_r2",
    "nagelkerke": "nagelkerke_r2",
}
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
# Where a smooth curve is told, of 90% of the cases; at their quantiles where these hold too few.
ROUND = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)
SHOWN_AT, FEW_RISKS = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95), 3
ACTED_AT = (0.05, 0.1, 0.2, 0.3, 0.5)  # probabilities whose net benefit is shown
MORE = 500  # cases whose worth is shown
NEGLIGIBLE = 5e-5  # net true positives per case: no cases are worth more than knowing all
RARE = 0.05  # base rate below which smaller ones are shown too
ALSO = (0.01, 0.02)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """What is asked of scores as such."""

    level: float
    # How many cases, or which share of them, count as the top of the list.
    tops: tuple[Top, ...] = DEFAULT
    # Probabilities whose net benefit is shown beside the usual ones, such as the default cut.
    acted_at: tuple[float, ...] = ()
    # Probabilities of a range, in place of the usual ones.
    risks: tuple[float, ...] = ()
    # Whether coefficients of determination are asked for: their intervals take the longest.
    in_full: bool = True
    # Each of which a model of its own scored: ranks are those within folds.
    folds: Folds | None = None

    def of_sweep(self, swept: Sweep, outcomes: tuple[Any, Any]) -> dict[str, Any]:
        """Return the parts of `ThresholdFacts` that need no cut; `outcomes` are the two labels."""
        parts = {
            "ranking": (ranking := tuple(self._ranking(swept))),
            "ranked_within": 0 if self.folds is None else len(self.folds),
            "ranks": ranks(ranking[0], self._decisive(swept)),
            "risks": tuple(_risks(swept, outcomes)),
            "score_range": score_range(swept),
        }
        absent: dict[str, str] = {}
        if why := self._no_list(swept):
            absent["top"] = why
        else:
            parts["top"] = tuple(self._top(swept))
        if are_probabilities(swept):
            parts |= self._of_risks(swept)
            absent |= parts.pop("absent", {})
        else:
            absent |= dict.fromkeys(("calibration", "net_benefit"), NO_PROBABILITIES)
        return {**parts, "absent": absent}

    def _decisive(self, swept: Sweep) -> Sweep | None:
        """Return the sweep if its size says how many cases would decide."""
        return swept if self.folds is None else None

    def _no_list(self, swept: Sweep) -> str | None:
        """Say why nothing is known of the highest scores, if nothing is."""
        if swept.is_weighted:
            return WEIGHTED_LIST
        return None if self.folds is None else FOLDED_LIST

    def _of_risks(self, swept: Sweep) -> dict[str, Any]:
        """Return what is known of probabilities only."""
        pooled_folds = SmoothCurveFact(reason=POOLED)
        curve = net_benefit_curve(swept, thresholds=ACTED_AT)
        return {
            "calibration": self._calibration(swept),
            "smooth_calibration": (
                smooth_fact(swept, self.level) if self.folds is None else pooled_folds
            ),
            "net_benefit": tuple(self._net_benefit(swept)),
            "useful": useful_thresholds(curve, confidence_level=self.level),
        }

    def _top(self, swept: Sweep) -> Iterator[TopFact]:
        n = swept.n_positive + swept.n_negative
        for top in self.tops:
            if top > n:
                rule = f"must be at most the number of cases, {n:,}"
                raise InvalidArgumentError.from_rule("top", rule, top, "ask for fewer")
            k, share = (top, None) if isinstance(top, int) else (None, top)
            found = curves.top_of_list(swept, k=k, share=share, confidence_level=self.level)
            yield TopFact(
                k=found.n_predicted,
                share=found.n_predicted / n,
                threshold=found.threshold,
                tied=found.n_tied if found.straddles else 0,
                precision=named("precision", found["precision"]),
                recall=named("recall", found["recall"]),
            )

    def _net_benefit(self, swept: Sweep) -> Iterator[NetBenefitFact]:
        """Return what acting at each probability brings, by one posterior."""
        taus = np.array(risks_shown(swept, self.acted_at, self.risks))
        curve = net_benefit_curve(swept, thresholds=taus)
        band = curve.band(taus, confidence_level=self.level)
        useful, perfect, more = np.full((3, len(taus)), nan)
        exact = np.equal(*swept.rules_around(taus))
        if exact.any():
            known = curve.information(taus[exact])
            useful[exact], perfect[exact] = known.probability_useful, known.perfect
        flagged = swept.tables[swept.rules_at(taus)].n_predicted
        constant = (flagged == 0) | (flagged == swept.n_positive + swept.n_negative)
        useful[constant], perfect[constant] = 0.0, nan  # it treats none, or all, as others do
        worth_asking = perfect >= NEGLIGIBLE
        if worth_asking.any():
            more[worth_asking] = curve.information(taus[worth_asking], m=MORE).sample
        bounds: list[Any] = [None] * len(taus)
        if curve.bounds is not None:
            bounds = list(zip(*(ends.tolist() for ends in curve.bounds), strict=True))
        return records(
            partial(NetBenefitFact, route="posterior", more_cases=MORE),
            threshold=taus,
            value=curve.net_benefit,
            low=band.low,
            high=band.high,
            treat_all=curve.treat_all,
            useful=useful,
            perfect_information=perfect,
            more_information=more,
            bounds=bounds,
        )

    def _calibration(self, swept: Sweep) -> CalibrationFact:
        """Return whether risks are right; of folds together, whose shape nobody's risks have."""
        found = curves.calibration(swept, confidence_level=self.level)
        band = found.band()
        size = (swept.n_positive + swept.n_negative) // IN_A_BIN
        bins = found.bins(int(min(MOST_BINS, max(FEWEST_BINS, size))))
        measures = {
            "observed_expected": found.observed_expected,
            "calibration_intercept": found.intercept,
            "calibration_slope": found.slope,
            "integrated_calibration_index": found.ici,
            "e50": found.e50,
            "e90": found.e90,
            "estimated_calibration_index": found.eci,
        }
        facts = {name: named(name, estimate) for name, estimate in measures.items()}
        if self.folds is not None:
            facts["calibration_slope"] = pooled(facts["calibration_slope"])
        regions = () if self.folds is not None else found.regions()
        return CalibrationFact(
            observed=found.observed,
            expected=found.expected,
            measures=tuple(facts.values()),
            regions=tuple(
                RegionFact(
                    direction=one.direction,
                    low=one.low_score,
                    high=one.high_score,
                    n=one.n,
                    at_least=one.at_least,
                    at=one.at,
                )
                for one in regions
            ),
            band_level=nan if band.route is None else band.confidence_level,
            band_reason=band.reason,
            bins=tuple(
                records(
                    BinFact,
                    low=bins.low_score,
                    high=bins.high_score,
                    n=bins.n,
                    n_positive=bins.positives,
                    mean=bins.mean_score,
                    observed=bins.share,
                    observed_low=bins.low,
                    observed_high=bins.high,
                )
            ),
            bins_route=bins.route,
            **_crossing(found),
        )

    def of_groups(self, cases: BinaryCases) -> Iterator[GroupCalibrationFact]:
        """Yield whether the probabilities of each group are right on the whole."""
        if cases.grouping is None:
            return
        from baserate.groups.calibration import compare_cases  # only groups need it

        names = cases.grouping.names
        for one in compare_cases(cases, alpha=1 - self.level).groups:
            key = (one.group,) if len(names) == 1 else one.group
            yield GroupCalibrationFact(
                group=dict(zip(names, key, strict=True)),
                n=one.n,
                observed=one.observed,
                expected=one.expected,
                observed_expected=named("observed_expected", one.observed_expected),
                adjusted_p_value=one.adjusted_p_value,
                below=one.below,
                above=one.above,
                reason=one.reason,
            )

    def _ranking(self, swept: Sweep) -> Iterator[EstimateFact]:
        level, folds = self.level, self.folds

        def ranked(measure: Callable[..., Estimate]) -> Estimate:
            if folds is None:
                return measure(swept, confidence_level=level)
            return mean_of_folds(partial(measure, confidence_level=level), folds, level)

        area = ranked(curves.roc_auc) if folds is None else area_of_folds(folds, level)
        yield named("roc_auc", area)
        yield named("average_precision", ranked(curves.average_precision))
        if are_probabilities(swept):
            yield named("brier_score", curves.brier_score(swept, confidence_level=level))
            yield named("log_loss", curves.log_loss(swept, confidence_level=level))
            yield named("discrimination_slope", ranked(curves.discrimination_slope))
            for kind, name in R_SQUARED.items() if self.in_full else ():
                found = curves.r_squared(swept, kind=kind, confidence_level=level)
                yield named(name, found)


def risks_shown(
    swept: Sweep, acted_at: tuple[float, ...], ranged: tuple[float, ...] = ()
) -> list[float]:
    """Return the risks at which the net benefit of acting is told: the usual ones and those.

    Those of a range that was named stand in place of the usual ones.
    """
    few = (*ALSO, *ACTED_AT) if swept.base_rate < RARE else ACTED_AT
    return sorted({*(ranged or few), *(tau for tau in acted_at if 0 < tau < 1)})


def ranks(area: EstimateFact, swept: Sweep | None) -> VerdictFact | None:
    """Say whether a score ranks better than chance: by its ROC area.

    Without a `swept`, it is not known how many cases would decide.
    """
    if math.isnan(area.value):
        return None
    judged = VerdictFact.of_area(area)
    if judged.answer != "cannot tell" or swept is None or swept.is_weighted:
        return judged
    width = 2 * max(area.value - 0.5, judged.smallest - area.value)
    try:
        n = validation_sample_size(
            base_rate=swept.base_rate, auc=area.value, auc_width=width, oe_width=None,
            slope_width=None, net_benefit_width=None,
        ).n  # fmt: skip
    except InvalidArgumentError:  # an area of 0 or 1
        return judged
    return replace(judged, enough=n if n > swept.n_positive + swept.n_negative else None)


def _crossing(found: Calibration) -> dict[str, Any]:
    slope = found.slope.value
    if math.isnan(found.joint_intercept + slope) or slope == 1 or found.sweep.highest is not None:
        return {}
    from scipy.special import expit

    at = float(expit(found.joint_intercept / (1 - slope)))
    scores = found.sweep.thresholds[1:].astype(float)
    positives, negatives = found.sweep.by_score
    cases = positives + negatives
    below, above = (cases[where].sum().item() for where in (scores < at, scores > at))
    return {"crossing": at, "n_below": below, "n_above": above}


def measures_of(swept: Sweep, level: float) -> Iterator[EstimateFact]:
    """Yield the area under the ROC curve, and losses and calibration of a probability."""
    yield named("roc_auc", curves.roc_auc(swept, confidence_level=level))
    if are_probabilities(swept):
        found = curves.calibration(swept, confidence_level=level)
        yield named("observed_expected", found.observed_expected)
        yield named("calibration_slope", found.slope)
        yield named("brier_score", curves.brier_score(swept, confidence_level=level))
        yield named("log_loss", curves.log_loss(swept, confidence_level=level))


def score_pair(a: str, b: str, measure: str, found: Any) -> ScorePairFact:
    """Return what is told of two scores that were compared by one measure."""
    return ScorePairFact(
        a=a, b=b, measure=measure, **{name: getattr(found, name) for name in OF_DIFFERENCE}
    )


def score_range(swept: Sweep) -> tuple[float, float]:
    """Return the lowest and the highest score."""
    return float(swept.thresholds[-1]), float(score_ends(swept)[1][0])


def are_probabilities(swept: Sweep) -> bool:
    """Whether every score lies in [0, 1]."""
    low, high = score_range(swept)
    return low >= 0 and high <= 1


def bins_of(swept: Sweep) -> ScoreBinsFact | None:
    """Say how scores were counted in bins, if they were."""
    apart = spread_out(swept)
    if not apart.any():
        return None
    lowest, highest = score_ends(swept)
    n = int(np.sum([side[apart].sum() for side in swept.by_score]))
    return ScoreBinsFact(n_bins=int(apart.sum()), n=n, widest=float((highest - lowest).max()))


def bins_of_rows(cases: BinaryCases, score: str) -> ScoreBinsFact | None:
    """Say the same of groups and classes, each of which was counted in bins of its own."""
    lowest = cases.scores[score]
    highest = cases.highest.get(score, lowest)
    apart = highest > lowest
    if not apart.any():
        return None
    n, widest = int(cases.count[apart].sum()), float((highest - lowest).max())
    return ScoreBinsFact(n_bins=int(apart.sum()), n=n, widest=widest)


def named(name: str, found: Any) -> EstimateFact:
    """Return an estimate under the name that reports know it by."""
    known = {f.name: getattr(found, f.name) for f in fields(EstimateFact) if hasattr(found, f.name)}
    return EstimateFact(name=name, **known)


def measures_in(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of all measures among the parts of `ThresholdFacts`."""
    calibration = found.get("calibration")
    for fact in (*found["ranking"], *(() if calibration is None else calibration.measures)):
        yield fact.name


def refuse_unnamed(
    asked: Iterable[str], known: Iterable[str], have: str = "these scores have", more: str = ""
) -> None:
    """Refuse a measure of scores that was asked for and that these scores do not have."""
    here = [*known]
    lost = next((name for name in asked if name in MEASURES and name not in here), None)
    if lost is not None:
        remedy = f"ask for one of {', '.join(here)}{more}"
        rule = f"must be measures that {have}"
        raise InvalidArgumentError.from_rule("metrics", rule, lost, remedy)


def outcomes(cases: BinaryCases) -> tuple[Any, Any]:
    """Name both classes, the positive one first; None for all other labels together."""
    others = [label for label in cases.labels if label != cases.positive]
    return cases.positive, others[0] if len(others) == 1 else None


def _risks(swept: Sweep, names: tuple[Any, Any]) -> Iterator[RiskFact]:
    swept = middle(swept)
    ascending = swept.thresholds[:0:-1].astype(float)
    for outcome, of_class in zip(names, swept.by_score, strict=True):
        found = of_class[::-1] > 0
        scores, sizes = ascending[found], of_class[::-1][found]
        if not len(sizes):
            continue
        with np.errstate(invalid="ignore"):  # infinite scores of both signs have no mean
            mean = float(np.dot(scores, sizes) / sizes.sum())
        yield RiskFact(
            outcome=outcome,
            is_positive=outcome is names[0],
            n=sizes.sum().item(),
            mean=mean,
            quantiles=tuple(_quantiles(scores, sizes, QUANTILES)),
        )


def smooth_fact(swept: Sweep, level: float, reaches: Reaches | None = None) -> SmoothCurveFact:
    """Return the smooth calibration curve at a few round probabilities among those of the cases."""
    ascending, sizes = swept.thresholds[:0:-1], np.add(*swept.by_score)[::-1]
    at = np.unique(list(_quantiles(ascending, sizes, SHOWN_AT)))
    among = np.array([risk for risk in ROUND if at[0] <= risk <= at[-1]])
    at = among if len(among) >= FEW_RISKS else at[(at > 0) & (at < 1)]
    found = fitted_curve(swept, level=level, scores=at, reaches=reaches)
    columns = {"score": found.scores, "level": found.level, "low": found.low, "high": found.high}
    return SmoothCurveFact(
        knots=found.knots,
        coefficients=tuple(found.coefficients.tolist()),
        points=tuple(records(SmoothPointFact, **columns)),
        ici=found.ici,
        e50=found.e50,
        e90=found.e90,
        route=found.route,
        reason=found.reason,
    )


def _quantiles(
    ascending: NDArray[Any], sizes: NDArray[Any], shares: tuple[float, ...]
) -> Iterator[float]:
    reached = np.cumsum(sizes)
    for share in shares:
        needed = share * reached[-1] * (1 - 1e-12)  # a share may be rounded up
        yield float(ascending[np.searchsorted(reached, needed)])


def pooled(slope: EstimateFact) -> EstimateFact:
    """Keep the slope of folds together without its interval and test.

    The more positives a fold holds, the fewer its model was trained on: where scores tell nothing
    their slope is below 0 (for areas the same: Airola and others, 2011, Computational Statistics &
    Data Analysis 55:1828).
    """
    unsure = {"low": nan, "high": nan, "p_value": nan, "route": None, "p_value_route": None}
    return replace(slope, **unsure, reason=slope.reason or POOLED, p_value_reason=None)

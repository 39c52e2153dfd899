"""What is known about a score besides its cut points: rank, calibration, worth, risks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import combinations
from math import nan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from baserate import curves
from baserate.cases import BinaryCases
from baserate.curves import CalibrationBins, MiscalibratedRegion, Sweep
from baserate.curves.score_bins import middle, score_ends, spread_out
from baserate.errors import InvalidArgumentError
from baserate.evaluation.list_tops import DEFAULT, Top
from baserate.facts import (
    BinFact,
    CalibrationFact,
    EstimateFact,
    GroupCalibrationFact,
    NetBenefitFact,
    RegionFact,
    RiskFact,
    ScoreBinsFact,
    TopFact,
)
from baserate.facts.compared_scores import ScorePairFact
from baserate.utilities import net_benefit_curve

# Why a part is lacking; reports say it in words.
NO_PROBABILITIES, WEIGHTED_LIST = "no_probabilities", "weighted_list"
COUNTED = "counted_scores"
COMPARED = tuple(f.name for f in fields(ScorePairFact) if f.name not in {"a", "b", "measure"})
MOST_BINS, FEWEST_BINS, IN_A_BIN = 10, 3, 20
R_SQUARED: dict[Literal["brier", "mcfadden", "nagelkerke"], str] = {
    "brier": "scaled_brier_score",
    "mcfadden": "mcfadden_r2",
    "nagelkerke": "nagelkerke_r2",
}
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
ACTED_AT = (0.05, 0.1, 0.2, 0.3, 0.5)  # probabilities whose net benefit is shown
MORE = 500  # cases whose worth is shown
NEGLIGIBLE = 5e-5  # net true positives per case: no cases are worth more than knowing all
RARE = 0.05  # base rate below which smaller ones are shown too
ALSO = (0.01, 0.02)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """What is asked of scores as such.

    Attributes
    ----------
    level : float
    tops : tuple of int or float
        How many cases, or which share of them, count as the top of the list.
    acted_at : tuple of float
        Probabilities whose net benefit is shown beside the usual ones, such as the default cut.
    in_full : bool
        Whether coefficients of determination are asked for: their intervals take the longest.
    """

    level: float
    tops: tuple[Top, ...] = DEFAULT
    acted_at: tuple[float, ...] = ()
    in_full: bool = True

    def of_sweep(self, swept: Sweep, outcomes: tuple[Any, Any]) -> dict[str, Any]:
        """Return the parts of `ThresholdFacts` that need no cut; `outcomes` are the two labels."""
        parts = {
            "ranking": tuple(self._ranking(swept)),
            "risks": tuple(_risks(swept, outcomes)),
            "score_range": (float(swept.thresholds[-1]), float(score_ends(swept)[1][0])),
        }
        absent: dict[str, str] = {}
        if swept.is_weighted:
            absent["top"] = WEIGHTED_LIST
        else:
            parts["top"] = tuple(self._top(swept))
        if are_probabilities(swept):
            parts["calibration"] = self._calibration(swept)
            parts["net_benefit"] = tuple(self._net_benefit(swept))
        else:
            absent |= dict.fromkeys(("calibration", "net_benefit"), NO_PROBABILITIES)
        return {**parts, "absent": absent}

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
        """Yield what acting at each probability brings, by one posterior."""
        few = (*ALSO, *ACTED_AT) if swept.base_rate < RARE else ACTED_AT
        taus = np.array(sorted({*few, *(tau for tau in self.acted_at if 0 < tau < 1)}))
        curve = net_benefit_curve(swept, thresholds=taus)
        band = curve.band(taus, confidence_level=self.level)
        useful, perfect, more = np.full((3, len(taus)), nan)
        exact = np.equal(*swept.rules_around(taus))
        if exact.any():
            known = curve.information(taus[exact])
            useful[exact], perfect[exact] = known.probability_useful, known.perfect
        worth_asking = perfect >= NEGLIGIBLE
        if worth_asking.any():
            more[worth_asking] = curve.information(taus[worth_asking], m=MORE).sample
        columns = (
            taus, curve.net_benefit, band.low, band.high, curve.treat_all, useful, perfect, more,
            *np.array(curve.bounds or np.full((2, len(taus)), nan)),
        )  # fmt: skip
        for tau, value, low, high, treat_all, sure, gain, gain_of_more, *bounds in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            yield NetBenefitFact(
                threshold=tau,
                value=value,
                low=low,
                high=high,
                route="posterior",
                treat_all=treat_all,
                useful=sure,
                perfect_information=gain,
                more_cases=MORE,
                more_information=gain_of_more,
                bounds=None if curve.bounds is None else (bounds[0], bounds[1]),
            )

    def _calibration(self, swept: Sweep) -> CalibrationFact:
        found = curves.calibration(swept, confidence_level=self.level)
        band = found.band()
        distances = curves.calibration_distances(swept, band)
        bins = found.bins(_n_bins(swept))
        measures = {
            "observed_expected": found.observed_expected,
            "calibration_intercept": found.intercept,
            "calibration_slope": found.slope,
            "integrated_calibration_index": distances.ici,
            "e50": distances.e50,
            "e90": distances.e90,
            "estimated_calibration_index": distances.eci,
        }
        return CalibrationFact(
            observed=found.observed,
            expected=found.expected,
            measures=tuple(named(name, estimate) for name, estimate in measures.items()),
            regions=tuple(_region(r) for r in curves.miscalibrated_regions(swept, band)),
            band_level=nan if band.route is None else band.confidence_level,
            band_reason=band.reason,
            bins=tuple(_bins(bins)),
            bins_route=bins.route,
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
        level = self.level
        yield named("roc_auc", curves.roc_auc(swept, confidence_level=level))
        yield named("average_precision", curves.average_precision(swept, confidence_level=level))
        if are_probabilities(swept):
            yield named("brier_score", curves.brier_score(swept, confidence_level=level))
            yield named("log_loss", curves.log_loss(swept, confidence_level=level))
            slope = curves.discrimination_slope(swept, confidence_level=level)
            yield named("discrimination_slope", slope)
            for kind, name in R_SQUARED.items() if self.in_full else ():
                found = curves.r_squared(swept, kind=kind, confidence_level=level)
                yield named(name, found)


def measures_of(swept: Sweep, level: float) -> Iterator[EstimateFact]:
    """Yield the area under the ROC curve, and losses and calibration of a probability."""
    yield named("roc_auc", curves.roc_auc(swept, confidence_level=level))
    if are_probabilities(swept):
        found = curves.calibration(swept, confidence_level=level)
        yield named("observed_expected", found.observed_expected)
        yield named("calibration_slope", found.slope)
        yield named("brier_score", curves.brier_score(swept, confidence_level=level))
        yield named("log_loss", curves.log_loss(swept, confidence_level=level))


def compared(
    cases: BinaryCases, sweeps: Mapping[str, Sweep], level: float
) -> Iterator[ScorePairFact]:
    """Compare every two scores of the same cases by each measure that both have."""
    losses = {"brier_score": curves.compare_brier, "log_loss": curves.compare_log_loss}
    scores, how = cases.scores, {"sample_weight": cases.weight, "confidence_level": level}
    for a, b in combinations(scores, 2):
        both = are_probabilities(sweeps[a]) and are_probabilities(sweeps[b])
        for measure, compare in {"roc_auc": curves.compare_auc, **(losses if both else {})}.items():
            found = compare(cases.truth, scores[a], scores[b], **how)
            known = {name: getattr(found, name) for name in COMPARED}
            yield ScorePairFact(a=a, b=b, measure=measure, **known)


def are_probabilities(swept: Sweep) -> bool:
    """Whether every score lies in [0, 1]."""
    return bool(swept.thresholds[-1] >= 0 and score_ends(swept)[1][0] <= 1)


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


def _n_bins(swept: Sweep) -> int:
    """Return ten bins, or fewer with some twenty cases each."""
    size = swept.n_positive + swept.n_negative
    return int(min(MOST_BINS, max(FEWEST_BINS, size // IN_A_BIN)))


def _region(found: MiscalibratedRegion) -> RegionFact:
    return RegionFact(
        direction=found.direction,
        low=found.low_score,
        high=found.high_score,
        n=found.n,
        at_least=found.at_least,
        at=found.at,
    )


def _bins(found: CalibrationBins) -> Iterator[BinFact]:
    columns = (
        found.low_score, found.high_score, found.n, found.positives, found.mean_score, found.share,
        found.low, found.high,
    )  # fmt: skip
    for low, high, n, positives, mean, share, least, most in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        yield BinFact(
            low=low,
            high=high,
            n=n,
            n_positive=positives,
            mean=mean,
            observed=share,
            observed_low=least,
            observed_high=most,
        )


def outcomes(cases: BinaryCases) -> tuple[Any, Any]:
    """Name both classes, the positive one first; None for all other labels together."""
    others = [label for label in cases.labels if label != cases.positive]
    return cases.positive, others[0] if len(others) == 1 else None


def _risks(swept: Sweep, names: tuple[Any, Any]) -> Iterator[RiskFact]:
    """Describe the scores of each class, the positive one first."""
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
            quantiles=tuple(_quantiles(scores, sizes)),
        )


def _quantiles(ascending: NDArray[Any], sizes: NDArray[Any]) -> Iterator[float]:
    """Yield the smallest score that each share of cases does not exceed."""
    reached = np.cumsum(sizes)
    for share in QUANTILES:
        needed = share * reached[-1] * (1 - 1e-12)  # a share may be rounded up
        yield float(ascending[np.searchsorted(reached, needed)])

"""Calibration of two classes: do as many cases turn out positive as the probabilities say.

The test of the O:E ratio asks whether as many cases may turn out positive at the stated risks:
twice the smaller tail of their Poisson-binomial law. The interval turns that test around, with all
odds times one factor, of which the number of positives tells all (Cox 1958): it holds 1 where the
p-value exceeds one less the level, and only there. The logarithm of that factor is the intercept of
the logistic recalibration, so that the two go together. The limits are those of risks that are
wrong by one factor. Of scores that are over-confident as well they are too narrow (at half the true
slope they hold 89% to 95%): the true risks then vary less than the scores, so that the number of
positives varies more. The slope has a test of its own.

Where a score is 0 or 1, which one case may refute, or scores were counted in bins, it is the
binomial law at the mean score, with Clopper and Pearson's limits. These hold whatever the true
risks: no law of independent cases spreads wider than the binomial one of the same mean (Hoeffding
1956). Of calibrated scores they are too wide, the more so the more these differ.

Where scores were counted in bins, every score lies between the ends of its bin, and so does the sum
between two sums. The tails are taken at the sum that makes them larger.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, nan
from typing import Any, ClassVar, Literal

import numpy as np

from baserate._arrays import Array
from baserate._beta import betainc, clopper_pearson
from baserate._result import HIDDEN, Drawable
from baserate.curves.binning import CalibrationBins, calibration_bins
from baserate.curves.confidence_band import CalibrationBand, calibration_band
from baserate.curves.cut_points import Sweep
from baserate.curves.estimates import Estimate
from baserate.curves.isotonic import (
    IsotonicCurve,
    ScoreDecomposition,
    decomposition,
    isotonic_curve,
)
from baserate.curves.logistic_recalibration import LogisticFit, logits
from baserate.curves.losses import probabilities
from baserate.curves.miscalibration import (
    MiscalibratedRegion,
    calibration_distances,
    miscalibrated_regions,
)
from baserate.curves.poisson_binomial import PoissonBinomial
from baserate.curves.recalibration_bounds import Binned, level_bounds, line_bounds
from baserate.curves.score_bins import REMEDY, known_ranges, middle, outward, score_ends
from baserate.curves.smooth_curve import SmoothCurve, fitted_curve

WEIGHTED = (
    "weights have no exact law of their positives: pass the cases without weights, to answer for "
    "this sample alone"
)

GIVEN_RISKS = "poisson_binomial"  # the route of a test at the stated risks


def binomial_p_value(positives: float, cases: float, least: float, most: float) -> float:
    """Return twice the smaller tail of so many positives, at most 1, the share being in between."""
    k, rest = positives, cases - positives
    upper = float(betainc(k, rest + 1, min(most, 1.0))) if k > 0 else 1.0
    lower = float(betainc(rest, k + 1, max(1 - least, 0.0))) if rest > 0 else 1.0
    return min(1.0, 2 * min(upper, lower))


def count_law(swept: Sweep) -> PoissonBinomial | None:
    """Return the law of the number of positives at the stated risks, if these leave one open."""
    if swept.is_weighted or swept.highest is not None:
        return None
    risks = probabilities(swept)
    if risks[-1] == 0 or risks[0] == 1:
        return None
    return PoissonBinomial(risks, np.add(*swept.by_score).astype(float))


def observed_expected(swept: Sweep, confidence_level: float) -> Estimate:
    """Return the O:E ratio with its interval and p-value, by the law that the scores have."""
    order = middle(swept)
    risks, size = probabilities(order), np.add(*order.by_score).astype(float)
    total, expected = float(size.sum()), float(size @ risks)
    about: dict[str, Any] = {"confidence_level": confidence_level, "perfect": 1.0}
    lowest, highest, cases = known_ranges(swept)
    held = cases.astype(float)
    ends = [float(held @ end) for end in (lowest, highest)]
    law, k = count_law(swept), swept.n_positive
    if swept.is_weighted:
        about |= {"p_value_reason": WEIGHTED}
    elif law is not None:
        about |= {"p_value": law.tails(int(k)).p_value, "p_value_route": GIVEN_RISKS}
    else:
        shares = (end / total for end in ends)
        about["p_value"] = binomial_p_value(float(k), total, *shares)
        about["p_value_route"] = "exact" if swept.highest is None else "conservative"
    share, scale = swept.base_rate, total / expected if expected else inf
    if scale == inf:
        reason = "every score is 0{}, so that no positive is expected: pass probabilities above 0"
        reason = reason.format(", or next to it" if expected else "")
        return Estimate(value=nan, reason=reason, **about)
    if law is not None:
        low, high = (end / expected for end in law.limits(int(k), confidence_level))
        return Estimate(value=k / expected, low=low, high=high, route=GIVEN_RISKS, **about)
    low, high = clopper_pearson(
        swept.effective_n * share, swept.effective_n * (swept.n_negative / total), confidence_level
    )
    scales = [total / end if end else inf for end in ends]
    if swept.highest is not None:
        about["bounds"] = outward(share * scales[1], share * scales[0], terms=len(cases))
    return Estimate(
        value=k / expected,
        low=float(low) * scales[1],
        high=float(high) * scales[0],
        route="asymptotic" if swept.is_weighted else "exact",
        **about,
    )


CERTAIN = (
    "a probability is 0 or 1, so its logit is infinite: pass the scores as they were before "
    "rounding, or clip them to [1e-6, 1 - 1e-6] and say so"
)
ONE_CLASS = "{}, so no finite {} fits best: collect cases of both classes, or read the O:E ratio"
SAME = "every score is the same{}, so no slope can be fitted: read the intercept"
ROUNDING = 1e-9  # logits closer together than this, beside their size, have lost their digits
APART = (
    "the scores separate the classes, so no finite slope fits best: collect more cases, or read "
    "the intercept and the O:E ratio"
)
TOO_WIDE = (
    f"the bins in which scores were counted are too wide for anything to be proved of it: {REMEDY}"
)
UNPROVED = "{} (as far as counted scores can tell: pass the scores themselves to be sure)"
LIKELIHOOD = "the likelihood of counted scores is known within bounds only"
EXTREME = (
    "the scores, or the weights, range too widely for the best {} to be found: round the scores, "
    "clip them to [1e-6, 1 - 1e-6], and say so"
)


@dataclass(frozen=True, kw_only=True)
class Calibration(Drawable):
    """Whether probabilities can be believed: on the whole, in their spread, and score by score.

    Attributes
    ----------
    observed, expected : float
        Positives, and the sum of the scores; of weights, if there are any.
    observed_expected : Estimate
        observed / expected; 1 is right, above 1 risks are underestimated. Its p-value is that of
        the test of calibration in the large. Other names: O:E ratio, O/E, inverse of the E:O
        ratio; mean calibration.
    intercept : Estimate
        a of logit P(positive) = a + logit(score); 0 is right, above 0 risks are underestimated.
        Other names: calibration intercept, calibration-in-the-large, weak calibration with the
        slope.
    slope : Estimate
        b of logit P(positive) = a + b logit(score); 1 is right. Below 1 the scores are too
        extreme, as overfitting makes them; above 1 they are too timid. Other names: calibration
        slope, Cox slope.
    joint_intercept : float
        a of that curve, fitted together with the slope; nan where the slope has a `reason`.
    joint_p_value : float
        Of a = 0 and b = 1 at once, by the likelihood ratio; nan with weights, too.
    expected_bounds, joint_intercept_bounds : pair of float or None
        What holds these of the scores themselves, where they were counted in bins.
    confidence_level : float
    sweep : Sweep
    """

    observed: float
    expected: float
    observed_expected: Estimate
    intercept: Estimate
    slope: Estimate
    joint_intercept: float = nan
    joint_p_value: float = nan
    expected_bounds: tuple[float, float] | None = None
    joint_intercept_bounds: tuple[float, float] | None = None
    confidence_level: float = 0.95
    sweep: Sweep = field(repr=False, metadata=HIDDEN)
    display: ClassVar[str] = "CalibrationDisplay"
    derived: ClassVar[tuple[str, ...]] = ("ici", "e50", "e90", "eci", "ece")

    @property
    def ici(self) -> Estimate:
        """Mean of ``|curve - score|``. Other names: integrated calibration index, ICI, Eavg.

        The value is the distance of the isotonic curve, `chance` that of a flat curve at the base
        rate; it is too high where cases are few. ICI, E50 and E90 are often taken from a loess
        curve, ECI from splines or loess: printed values may differ.

        The interval is for the true curve at the scores of these cases. All four hold at once with
        the band's level at least: the distance at a score lies between that to the band and that to
        its farther limit. Lower limits of ICI and ECI are raised by what intervals of scores say as
        a whole: in each, the mean of the curve is bounded by its positives, whatever its shape
        (Hoeffding), and disjoint intervals add up. There is none with weights, or if the band is
        crossed; of a histogram values have `bounds`.

        References
        ----------
        Austin and Steyerberg (2019), Statistics in Medicine 38:4051, doi:10.1002/sim.8281, for ICI,
        E50 and E90. Van Hoorde, Van Huffel, Timmerman, Bourne and Van Calster (2015), Journal of
        Biomedical Informatics 54:283, doi:10.1016/j.jbi.2014.12.016, for ECI. Hoeffding (1956),
        Annals of Mathematical Statistics 27:713, doi:10.1214/aoms/1177728178.

        Examples
        --------
        Everybody is given 0.2; 40 of 100 are positive: Clopper and Pearson's limits less 0.2.

        >>> import baserate as br
        >>> found = br.calibration([1] * 40 + [0] * 60, [0.2] * 100)
        >>> [round(limit, 4) for limit in (found.ici.value, found.ici.low, found.ici.high)]
        [0.2, 0.1033, 0.3028]
        >>> round(found.eci.value, 6)
        4.0
        """
        return self._distances["ici"]

    @property
    def e50(self) -> Estimate:
        """Median of ``|curve - score|``: what half of the cases do not exceed. Other names: E50."""
        return self._distances["e50"]

    @property
    def e90(self) -> Estimate:
        """90th percentile of ``|curve - score|``. Other names: E90."""
        return self._distances["e90"]

    @property
    def eci(self) -> Estimate:
        """100 times the mean of (curve - score)². Other names: estimated calibration index, ECI."""
        return self._distances["eci"]

    @property
    def ece(self) -> float:
        """Mean of ``|share - mean score|`` over ten bins of as many cases.

        Other names: expected calibration error, ECE. `bins` has other bins.
        """
        return self.bins().ece

    def curve(self) -> IsotonicCurve:
        """Return the calibration curve that fits best among all that never fall.

        Other names: CORP reliability curve, isotonic regression, calibration plot, moderate
        calibration.
        """
        return isotonic_curve(self.sweep)

    def smooth_curve(
        self,
        knots: int | None = None,
        confidence_level: float | None = None,
        *,
        scores: Any = None,
    ) -> SmoothCurve:
        """Return a smooth curve with limits at each score: a spline of the log odds.

        The curve and its limits are kept at `scores`, such as [0.1, 0.3]; by default at a hundred
        from the lowest to the highest.

        With 3 to 5 `knots`; default 5 from 100 cases of the smaller class on, 4 from 50 on, else 3,
        and fewer where scores are too few to tell that many apart. Other names: restricted cubic
        splines, natural splines, flexible calibration curve.
        """
        level = self._level(confidence_level)
        return fitted_curve(self.sweep, knots=knots, level=level, scores=scores)

    def band(self, confidence_level: float | None = None) -> CalibrationBand:
        """Return a band that holds the whole calibration curve at once, however few the cases."""
        if self._level(confidence_level) == self.confidence_level:
            return self._band
        return calibration_band(self.sweep, confidence_level=self._level(confidence_level))

    def regions(self, confidence_level: float | None = None) -> tuple[MiscalibratedRegion, ...]:
        """Return where scores are too low or too high, as far as the band proves it."""
        return miscalibrated_regions(self.sweep, self.band(confidence_level))

    def bins(
        self,
        n_bins: int = 10,
        kind: Literal["mass", "width"] = "mass",
        confidence_level: float | None = None,
    ) -> CalibrationBins:
        """Return cases and positives in bins of scores, each with its exact interval."""
        level = self._level(confidence_level)
        return calibration_bins(self.sweep, n_bins=n_bins, kind=kind, confidence_level=level)

    def decomposition(self, loss: Literal["brier", "log"] = "brier") -> ScoreDecomposition:
        """Return a mean loss as miscalibration - discrimination + uncertainty."""
        return decomposition(self.sweep, loss=loss)

    @cached_property
    def _band(self) -> CalibrationBand:
        return calibration_band(self.sweep, confidence_level=self.confidence_level)

    @cached_property
    def _distances(self) -> dict[str, Estimate]:
        return calibration_distances(self.sweep, self._band)

    def _level(self, given: float | None) -> float:
        return self.confidence_level if given is None else given


def calibration_of(swept: Sweep, level: float) -> Calibration:
    """Return how well the probabilities of two classes are calibrated; see `calibration`."""
    risks = probabilities(swept)
    intercept, slope, joint = _recalibrated(swept, risks, level)
    lowest, highest, cases = known_ranges(swept)
    size = cases.astype(float)
    joint_bounds = expected_bounds = None
    if swept.highest is not None:
        intercept, slope, joint, joint_bounds = _of_bins(swept, intercept, slope, joint[0])
        expected_bounds = outward(float(size @ lowest), float(size @ highest), terms=len(cases))
    return Calibration(
        expected_bounds=expected_bounds,
        joint_intercept_bounds=joint_bounds,
        observed=float(swept.n_positive),
        expected=float(size @ (lowest + (highest - lowest) / 2)),
        observed_expected=observed_expected(swept, level),
        intercept=intercept,
        slope=slope,
        joint_intercept=joint[0],
        joint_p_value=joint[1],
        confidence_level=level,
        sweep=swept,
    )


def _recalibrated(
    swept: Sweep, risks: Array, level: float
) -> tuple[Estimate, Estimate, tuple[float, float]]:
    """Return intercept, slope, and of their joint fit the intercept and the p-value."""

    def missing(what: str, reason: str) -> Estimate:
        perfect = float(what == "slope")
        text = reason.format(what)
        return Estimate(value=nan, confidence_level=level, perfect=perfect, reason=text)

    nothing = nan, nan
    reason, (lowest, highest) = None, score_ends(swept)
    if swept.absent:
        reason = ONE_CLASS.format(swept.absent, "{}")
    elif lowest[-1] == 0 or highest[0] == 1:  # a bin of other scores ends before
        reason = CERTAIN
    if reason:
        return missing("intercept", reason), missing("slope", reason), nothing
    x = logits(risks)
    positive, negative = (side.astype(float) for side in swept.by_score)
    unit, squares = 1.0, None
    if swept.squared_weights is not None:
        unit = 1 / float(swept.n_positive + swept.n_negative)
        squares = (swept.squared_weights[0] * unit**2, swept.squared_weights[1] * unit**2)
    fit = LogisticFit(x, positive * unit, negative * unit, squares, level)
    intercept = fit.intercept() or missing("intercept", EXTREME)
    if np.ptp(x) <= ROUNDING * max(1.0, np.abs(x).max()):
        spread = "" if len(x) == 1 else " up to rounding"
        return intercept, missing("slope", SAME.format(spread)), nothing
    up, down = np.flatnonzero(positive), np.flatnonzero(negative)
    if up[-1] <= down[0] or down[-1] <= up[0]:  # at most one score is shared
        return intercept, missing("slope", APART), nothing
    found = fit.slope()
    if found is None:
        return intercept, missing("slope", EXTREME), nothing
    return intercept, *found


def _of_bins(
    swept: Sweep, intercept: Estimate, slope: Estimate, joint: float
) -> tuple[Estimate, Estimate, tuple[float, float], Any]:
    """Return what is proved of scores that were counted in bins, or why nothing is."""
    if intercept.reason is not None:
        return intercept, slope, (nan, nan), None
    bins = Binned.of(score_ends(swept), *(side.astype(float) for side in swept.by_score))
    level = _shown(intercept, level_bounds(bins))
    if slope.reason is not None:
        return level, replace(slope, reason=UNPROVED.format(slope.reason)), (nan, nan), None
    centre = bins.centre(joint, slope.value)
    start = joint + slope.value * centre
    found = line_bounds(bins.shifted(centre), start, slope.value)
    if found is None:
        return level, _shown(slope, None), (nan, nan), None
    (low, high), (flat, steep) = found
    away = max(high - start, start - low)
    away += abs(centre) * max(steep - slope.value, slope.value - flat)
    bounds = outward(joint - away, joint + away)
    return level, _shown(slope, (flat, steep)), (joint, nan), bounds


def _shown(found: Estimate, bounds: tuple[float, float] | None) -> Estimate:
    """Return an estimate with its bounds, by which the interval grows; nan without."""
    about: dict[str, Any] = {"p_value": nan, "p_value_route": None}
    if bounds is None:
        nothing = {"value": nan, "low": nan, "high": nan, "route": None}
        return replace(found, reason=TOO_WIDE, **nothing, **about)
    below, above = max(0.0, found.value - bounds[0]), max(0.0, bounds[1] - found.value)
    about |= {"low": found.low - below, "high": found.high + above}
    return replace(found, bounds=bounds, p_value_reason=LIKELIHOOD, **about)

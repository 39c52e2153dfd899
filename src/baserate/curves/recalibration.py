"""Calibration: do as many cases turn out positive as the probabilities say."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

import numpy as np
from numpy.typing import NDArray

from baserate._checks import confidence
from baserate._result import HIDDEN, Drawable
from baserate.cases.scores import has_columns
from baserate.curves.binning import CalibrationBins, calibration_bins
from baserate.curves.calibration_in_the_large import observed_expected
from baserate.curves.class_scores import COLUMNS, ONE_COLUMN, ClassScores, refuse
from baserate.curves.confidence_band import CalibrationBand, calibration_band
from baserate.curves.cut_points import Sweep, as_sweep
from baserate.curves.estimates import Estimate
from baserate.curves.isotonic import (
    IsotonicCurve,
    ScoreDecomposition,
    decomposition,
    isotonic_curve,
)
from baserate.curves.logistic_recalibration import LogisticFit
from baserate.curves.miscalibration import (
    CalibrationDistances,
    MiscalibratedRegion,
    calibration_distances,
    miscalibrated_regions,
)
from baserate.curves.probability_scores import probabilities
from baserate.curves.recalibration_bounds import Binned, level_bounds, line_bounds
from baserate.curves.score_bins import REMEDY, known_ranges, outward, score_ends

if TYPE_CHECKING:
    from baserate.curves.calibrated_classes import ClassCalibration

Array = NDArray[np.float64]

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
        the exact test of calibration in the large. Other names: O:E ratio, O/E, inverse of the E:O
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

        The curve of all four distances is the isotonic one; ICI, E50 and E90 are often taken from a
        loess curve, ECI from splines or loess: printed values may differ.
        """
        return self._distances.ici

    @property
    def e50(self) -> Estimate:
        """Median of ``|curve - score|``. Other names: E50."""
        return self._distances.e50

    @property
    def e90(self) -> Estimate:
        """90th percentile of ``|curve - score|``. Other names: E90."""
        return self._distances.e90

    @property
    def eci(self) -> Estimate:
        """100 times the mean of (curve - score)². Other names: estimated calibration index, ECI."""
        return self._distances.eci

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

    def band(self, confidence_level: float | None = None) -> CalibrationBand:
        """Return a band that holds the whole calibration curve at once, however few the cases."""
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
    def _distances(self) -> CalibrationDistances:
        return calibration_distances(self.sweep, self.band())

    def _level(self, given: float | None) -> float:
        return self.confidence_level if given is None else given


@overload
def calibration(y_true: Sweep, *, confidence_level: float = 0.95) -> Calibration: ...
@overload
def calibration(
    y_true: Any,
    y_score: Any = None,
    *,
    confidence_level: float = 0.95,
    pos_label: Any = None,
    sample_weight: Any = None,
    labels: Any = None,
) -> "Calibration | ClassCalibration": ...
def calibration(
    y_true: Any,
    y_score: Any = None,
    *,
    confidence_level: float = 0.95,
    pos_label: Any = None,
    sample_weight: Any = None,
    labels: Any = None,
) -> "Calibration | ClassCalibration":
    """Return how well probabilities are calibrated, with intervals and tests.

    - O:E ratio: positives over the sum of scores. Its interval is Clopper-Pearson's for the number
      of positives, over that sum: with the scores as they are, it holds whatever the true risks, as
      no law of independent cases spreads wider than the binomial one (Hoeffding 1956). Its p-value
      is twice the smaller tail of that binomial law at the mean score, at most 1, so that the
      interval holds 1 where it exceeds one less the level, and only there.
    - Intercept and slope: logistic recalibration by maximum likelihood, without penalty; intervals
      by profile likelihood, p-values of intercept 0 and slope 1 by the likelihood ratio. They are
      asymptotic: with five positives the 95% intervals hold in 93 to 95% of samples.
    - Distances from the isotonic calibration curve, the curve and its band: see `Calibration`.

    Of a histogram, O:E and intercept have `bounds` from the ends of all bins, and slope and joint
    intercept from Krawczyk's operator, which proves that for all scores within their bins the best
    line lies between. Intervals grow by as much; of the tests only that of O:E is left, with its
    largest p-value.

    With weights, O:E has Clopper-Pearson's interval at Kish's effective number of cases, and the
    likelihood ratios are scaled by the ratio of robust to plain variance: all asymptotic.

    With a column of probabilities for each of several classes, each class is judged against the
    rest, its p-values adjusted for the number of classes (Holm), and so is the largest probability
    of each case: whether as many cases are right as it says. Two columns are the second one.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n,)
        Labels and probabilities; or a `Sweep` of them alone. Of several classes `y_score` has shape
        (n, K), and its rows sum to one.
    confidence_level : float in (0, 1)
    pos_label, sample_weight : optional
        As in `sweep`.
    labels : sequence of K labels, optional
        Of several classes, in the order of the columns, as in `roc_auc`.

    Returns
    -------
    Calibration or ClassCalibration
        An estimate that does not exist has its `reason`: a class is empty, every score is the same,
        the scores separate the classes, or a score is 0 or 1 (an infinite logit).

    Raises
    ------
    InvalidArgumentError
        Scores lie outside [0, 1].

    References
    ----------
    Van Calster et al. (2025), Lancet Digital Health 7:100916. Debray et al. (2017), BMJ 356:i6460,
    doi:10.1136/bmj.i6460 (O:E). Cox (1958), Biometrika 45:562, doi:10.1093/biomet/45.3-4.562
    (intercept and slope). Hoeffding (1956), Annals of Mathematical Statistics 27:713,
    doi:10.1214/aoms/1177728178.

    Examples
    --------
    Of four cases at 0.9 three are positive, of four at 0.1 one: as many as expected, but the scores
    are too extreme. The logits of 3/4 and 1/4 are half those of 0.9 and 0.1.

    >>> import numpy as np
    >>> from baserate import calibration
    >>> found = calibration([1] * 3 + [0] + [1] + [0] * 3, [0.9] * 4 + [0.1] * 4)
    >>> found.observed, round(found.expected, 9), round(float(found.observed_expected), 9)
    (4.0, 4.0, 1.0)
    >>> round(float(found.slope), 6), round(float(np.log(3) / np.log(9)), 6)
    (0.5, 0.5)
    >>> round(abs(float(found.intercept)), 6), round(abs(found.joint_intercept), 6)
    (0.0, 0.0)

    Three classes, of which 15 of 20 cases are what 0.9 was said of:

    >>> p = np.repeat(np.eye(3) * 0.85 + 0.05, 20, axis=0)
    >>> found = calibration(([0] * 15 + [1] * 5 + [1] * 15 + [2] * 5 + [2] * 15 + [0] * 5), p)
    >>> round(float(found.confidence.observed_expected), 4), found.miscalibrated
    (0.8333, (0, 1, 2))
    """
    level = confidence(confidence_level)
    if not has_columns(y_score):
        refuse(*ONE_COLUMN, labels=labels)
        return calibration_of(as_sweep(y_true, y_score, pos_label, sample_weight), level)
    from baserate.curves.calibrated_classes import class_calibration  # which stands on this

    refuse(*COLUMNS, pos_label=pos_label)
    cases = ClassScores.of(y_true, y_score, labels, sample_weight)
    if cases.n_classes == 2:
        return calibration_of(cases.check_probabilities().against_the_rest(1), level)
    return class_calibration(cases, level)


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
    x = _logits(risks)
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


def _logits(risks: Array) -> Array:
    """Return log(p / (1 - p)): around 1/2, where 2 p - 1 is exact, with all its digits."""
    x = np.log(risks) - np.log1p(-risks)
    even = np.abs(risks - 0.5) <= 0.25
    x[even] = 2 * np.arctanh(2 * risks[even] - 1)
    return x


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

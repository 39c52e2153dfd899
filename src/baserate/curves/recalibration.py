"""Calibration: of two classes, or of several, each against the rest and the largest probability."""

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, overload

import numpy as np

from baserate._checks import confidence
from baserate._holm import holm
from baserate._result import Drawable
from baserate.curves.calibration_record import Calibration, calibration_of
from baserate.curves.class_scores import ClassScores, answer_of
from baserate.curves.cut_points import Sweep
from baserate.errors import LabelError


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassCalibration(Drawable):
    """Whether the probabilities of several classes can be believed.

    Attributes
    ----------
    labels : tuple
        The classes, in the order of the columns.
    classes : tuple of Calibration
        Of each class against the rest, as if its probability had been all; their p-values and
        intervals are each by itself.
    p_in_the_large, p_slope : tuple of float
        The p-values of O:E and of the slope of each class, all of them adjusted together by Holm's
        method: while all probabilities are right, the chance that any is below 0.05 is at most 0.05
        (as far as the tests of slopes, which are asymptotic, hold). nan where a class has no test,
        as with weights; then there are fewer to adjust for.
    confidence : Calibration
        Of the largest probability of each case: "positive" are cases whose most probable class (the
        first of equals) is right. Its p-values are not adjusted. Other names: top-label or
        confidence calibration.
    confidence_level : float
    """

    labels: tuple[Any, ...]
    classes: tuple[Calibration, ...]
    p_in_the_large: tuple[float, ...]
    p_slope: tuple[float, ...]
    confidence: Calibration
    confidence_level: float = 0.95
    display: ClassVar[str] = "CalibrationDisplay"
    derived: ClassVar[tuple[str, ...]] = ("miscalibrated",)

    @property
    def miscalibrated(self) -> tuple[Any, ...]:
        """Classes with an adjusted p-value below 1 - confidence_level."""
        alpha = 1 - self.confidence_level
        tests = zip(self.labels, self.p_in_the_large, self.p_slope, strict=True)
        return tuple(label for label, *p in tests if any(one < alpha for one in p))

    @property
    def sweep(self) -> Sweep:
        """The largest probabilities, which `plot` draws; `of(label).plot()` draws a class."""
        return self.confidence.sweep

    def of(self, label: Any) -> Calibration:
        """Return the calibration of one class against the rest.

        Raises
        ------
        LabelError
            There is no such class.
        """
        if label not in self.labels:
            rule, remedy = "must be one of the classes", "pass one of `labels`"
            raise LabelError.from_rule("label", rule, label, remedy)
        return self.classes[self.labels.index(label)]


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
) -> Calibration | ClassCalibration: ...
def calibration(
    y_true: Any,
    y_score: Any = None,
    *,
    confidence_level: float = 0.95,
    pos_label: Any = None,
    sample_weight: Any = None,
    labels: Any = None,
) -> Calibration | ClassCalibration:
    """Return how well probabilities are calibrated, with intervals and tests.

    - O:E ratio: positives over the sum of scores. Its p-value is twice the smaller tail, at most 1,
      of the law of the number of positives at these scores (Poisson-binomial: Hong 2013), and its
      interval is of the scores with all odds times one factor that this test does not reject: it
      holds 1 where the p-value exceeds one less the level, and only there. Of scores that are too
      extreme as well it is too narrow. Where a score is 0 or 1, or they were counted in bins, both
      are Clopper and Pearson's, which hold whatever the true risks, as no law of independent cases
      spreads wider than the binomial one (Hoeffding 1956).
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
    (intercept and slope, and the factor). Hong (2013), Computational Statistics and Data Analysis
    59:41, doi:10.1016/j.csda.2012.10.006. Hoeffding (1956), Annals of Mathematical Statistics
    27:713, doi:10.1214/aoms/1177728178.

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
    return answer_of(
        partial(calibration_of, level=level),
        partial(class_calibration, level=level),
        (y_true, y_score, labels, pos_label, sample_weight),
    )


def class_calibration(cases: ClassScores, level: float) -> ClassCalibration:
    """Return how well the probabilities of several classes are calibrated; see `calibration`."""
    scored = cases.check_probabilities()
    classes = tuple(
        calibration_of(scored.against_the_rest(k), level) for k in range(scored.n_classes)
    )
    large = [one.observed_expected.p_value for one in classes]
    found = np.array(large + [one.slope.p_value for one in classes])
    known = ~np.isnan(found)
    found[known] = holm(found[known])
    size = scored.n_classes
    return ClassCalibration(
        labels=scored.labels,
        classes=classes,
        p_in_the_large=tuple(found[:size].tolist()),
        p_slope=tuple(found[size:].tolist()),
        confidence=calibration_of(scored.of_confidence(), level),
        confidence_level=level,
    )

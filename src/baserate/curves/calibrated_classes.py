"""Calibration of several classes: each class against the rest, and the largest probability."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from baserate._holm import holm
from baserate._result import Drawable
from baserate.curves.class_scores import ClassScores
from baserate.curves.cut_points import Sweep
from baserate.curves.recalibration import Calibration, calibration_of
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

"""Scores that somebody else computed, as a classifier that scikit-learn can calibrate."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator

# The scores are the same in every fold, and one calibrator is fitted on all of them: two folds ask
# for the fewest cases.
FOLDS = 2


class ScoresAsClassifier(ClassifierMixin, BaseEstimator):
    """A classifier whose decision function is its input."""

    def __init__(self, classes: Any) -> None:
        self.classes = classes
        self.classes_ = np.asarray(classes)

    def fit(self, x: Any, y: Any) -> "ScoresAsClassifier":
        """Learn nothing."""
        del x, y
        return self

    def decision_function(self, x: Any) -> Any:
        """Return the scores: one column for two classes, else one for each."""
        return x[:, 0] if len(self.classes_) == 2 else x

    def predict(self, x: Any) -> Any:
        """Return the class with the largest score."""
        scores = self.decision_function(x)
        place = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[place]


def fit_calibrator(scores: Any, codes: Any, n_classes: int, method: str) -> Any:
    """Return scikit-learn's calibrator, fitted on scores and classes coded 0, 1, ..."""
    frozen = FrozenEstimator(ScoresAsClassifier(range(n_classes)))
    calibrator = CalibratedClassifierCV(frozen, method=method, cv=FOLDS)
    return calibrator.fit(scores, codes)

"""Two normal classes with one covariance matrix: linear discriminant analysis."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from baserate._checks import number_in
from baserate.curves._moments import difference_of_means, lower_root
from baserate.curves._population import log_ratio, number
from baserate.errors import InvalidArgumentError


@dataclass(frozen=True, slots=True)
class LDA:
    """Normal classes that share their covariance matrix, at a Mahalanobis distance D.

    Recall Φ(D/2 - log δ/D) and specificity Φ(D/2 + log δ/D) at density ratio δ; D²/2 is the mean of
    log f₁/f₀ among positives. The area under the ROC curve is Φ(D/√2).

    Parameters
    ----------
    distance : float
        In (0, inf): sqrt((μ₁ - μ₀)ᵀ Σ⁻¹ (μ₁ - μ₀)). Of one variable, Cohen's d.

    References
    ----------
    Holzmann and Klar (2024), arXiv:2404.07661, eq. 4.5.

    Examples
    --------
    >>> p = LDA(distance=2.0)
    >>> round(p.recall(1.0), 4), round(p.specificity(1.0), 4)
    (0.8413, 0.8413)
    """

    distance: float = 2.0

    def __post_init__(self) -> None:
        remedy = "pass the Mahalanobis distance between the means"
        distance = number_in("distance", self.distance, "(0, inf)", remedy)
        object.__setattr__(self, "distance", distance)

    @classmethod
    def from_moments(cls, *, mean0: Any, mean1: Any, cov: Any) -> Self:
        """Build it from the two means and the common covariance matrix.

        Examples
        --------
        >>> LDA.from_moments(mean0=[0, 0], mean1=[2, 2], cov=[[4, 1], [1, 1]])
        LDA(distance=2.0)
        """
        shift = difference_of_means(mean0, mean1)
        distance = float(np.linalg.norm(np.linalg.solve(lower_root("cov", cov, shift.size), shift)))
        if distance == 0:
            rule = "must differ from mean0"
            raise InvalidArgumentError.from_rule("mean1", rule, mean1, "classes must differ")
        return cls(distance=distance)

    def recall(self, ratio: Any) -> Any:
        """Return the share of positives whose density ratio exceeds `ratio`."""
        return self._normal(-1.0, 1.0, ratio)

    def miss_rate(self, ratio: Any) -> Any:
        """Return the share of positives whose density ratio is at most `ratio`."""
        return self._normal(1.0, -1.0, ratio)

    def false_positive_rate(self, ratio: Any) -> Any:
        """Return the share of negatives whose density ratio exceeds `ratio`."""
        return self._normal(-1.0, -1.0, ratio)

    def specificity(self, ratio: Any) -> Any:
        """Return the share of negatives whose density ratio is at most `ratio`."""
        return self._normal(1.0, 1.0, ratio)

    def _normal(self, slope: float, side: float, ratio: Any) -> Any:
        from scipy.special import ndtr

        return number(ndtr(slope * log_ratio(ratio) / self.distance + side * self.distance / 2))

"""Two normal classes, each with its own covariance matrix: quadratic discriminant analysis."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from baserate.curves._chi_square import QuadraticForm
from baserate.curves._moments import difference_of_means, lower_root
from baserate.curves._population import Array, log_ratio, number
from baserate.errors import InvalidArgumentError


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QDA:
    """Normal classes with means and covariance matrices of their own, in any dimension.

    The log density ratio is a quadratic form in normal variables, so the rates are tails of
    generalised chi-square distributions with weights of both signs. Relative errors are of the
    order 1e-14, in far tails too.

    With the factors Σₖ = Lₖ Lₖᵀ, the singular values σ of L₀⁻¹ L₁ and β the difference of means in
    their left basis, log f₁/f₀ > log δ holds for a positive where
    Σ (1 - σ²) z² - 2 σ β z < Σ (β² - 2 log σ) - 2 log δ, and fails for a negative where
    Σ (1 - σ⁻²) z² + 2 β z/σ² <= Σ (β²/σ² + 2 log σ) + 2 log δ.

    Parameters
    ----------
    mean0, mean1 : vectors of d numbers
        Of the negative and the positive class.
    cov0, cov1 : d x d matrices
        Symmetric and positive definite; numbers will do for d = 1.

    References
    ----------
    Holzmann and Klar (2024), arXiv:2404.07661, example 7.

    Examples
    --------
    Scenario 1 of the paper:

    >>> p = QDA(mean0=[0, 0], cov0=[[2, 0.5], [0.5, 1]],
    ...         mean1=[2.5, 2.5], cov1=[[1, -0.5], [-0.5, 2]])
    >>> round(p.recall(1.0), 6), round(p.false_positive_rate(1.0), 6)
    (0.950575, 0.083038)
    """

    mean0: Any
    cov0: Any
    mean1: Any
    cov1: Any
    _scales: Array = field(init=False, repr=False)
    _shifts: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        shift = difference_of_means(self.mean0, self.mean1)
        root0 = lower_root("cov0", self.cov0, shift.size)
        root1 = lower_root("cov1", self.cov1, shift.size)
        basis, scales, _ = np.linalg.svd(np.linalg.solve(root0, root1))
        shifts = basis.T @ np.linalg.solve(root0, shift)
        if np.allclose(scales, 1, rtol=0, atol=1e-14) and not shift.any():
            rule = "must not give both classes one distribution"
            raise InvalidArgumentError.from_rule("QDA", rule, self, "change a mean or a covariance")
        object.__setattr__(self, "_scales", scales)
        object.__setattr__(self, "_shifts", shifts)

    def recall(self, ratio: Any) -> Any:
        """Return the share of positives whose density ratio exceeds `ratio`."""
        return number(self._positives().cdf(self._positive_limit(ratio)))

    def miss_rate(self, ratio: Any) -> Any:
        """Return the share of positives whose density ratio is at most `ratio`."""
        return number(self._positives().sf(self._positive_limit(ratio)))

    def false_positive_rate(self, ratio: Any) -> Any:
        """Return the share of negatives whose density ratio exceeds `ratio`."""
        return number(self._negatives().sf(self._negative_limit(ratio)))

    def specificity(self, ratio: Any) -> Any:
        """Return the share of negatives whose density ratio is at most `ratio`."""
        return number(self._negatives().cdf(self._negative_limit(ratio)))

    def _positives(self) -> QuadraticForm:
        scales = self._scales
        return QuadraticForm((1 - scales) * (1 + scales), -scales * self._shifts)

    def _positive_limit(self, ratio: Any) -> Array:
        constant = np.sum(self._shifts**2) - 2 * np.sum(np.log(self._scales))
        return constant - 2 * log_ratio(ratio)

    def _negatives(self) -> QuadraticForm:
        inverse = 1 / self._scales
        return QuadraticForm((1 - inverse) * (1 + inverse), inverse**2 * self._shifts)

    def _negative_limit(self, ratio: Any) -> Array:
        constant = np.sum((self._shifts / self._scales) ** 2) + 2 * np.sum(np.log(self._scales))
        return constant + 2 * log_ratio(ratio)

"""Populations: two classes seen through four rates at every cut of their density ratio."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np

from baserate._arith import plain
from baserate._arrays import Array
from baserate._calls import explained
from baserate._checks import float_array, instance_of, number_in
from baserate.counts import ConfusionMatrix, as_float
from baserate.curves._chi_square import QuadraticForm
from baserate.curves.cut_points import Sweep
from baserate.curves.dominance import convex_hull
from baserate.errors import InvalidArgumentError

__all__ = ["LDA", "QDA", "Empirical", "Population", "Rates", "rates_at"]


@runtime_checkable
class Population(Protocol):
    """Two classes with densities f₁ (positive) and f₀ (negative), seen through four rates.

    Each method takes density ratios δ >= 0 (a number or an array, inf included) and returns a rate
    of the rule "positive if f₁/f₀ > δ". The four are asked for separately because each must be
    computed directly: a miss rate of 1e-20 is lost in 1 - recall.

    Any object with these methods is a population, for example one made of fitted distributions.
    Recall and false positive rate must fall with δ.

    Examples
    --------
    Exponential waiting times with means 1 and 1/3; f₁/f₀ = exp(2 x/3)/3 exceeds δ where x is large:

    >>> import numpy as np
    >>> from baserate.curves import Population
    >>> class Waiting:
    ...     def _time(self, ratio):
    ...         with np.errstate(divide="ignore"):
    ...             return np.maximum(1.5 * np.log(3 * np.asarray(ratio, dtype=float)), 0)
    ...     def recall(self, ratio):
    ...         return np.exp(-self._time(ratio) / 3)
    ...     def miss_rate(self, ratio):
    ...         return -np.expm1(-self._time(ratio) / 3)
    ...     def false_positive_rate(self, ratio):
    ...         return np.exp(-self._time(ratio))
    ...     def specificity(self, ratio):
    ...         return -np.expm1(-self._time(ratio))
    >>> isinstance(Waiting(), Population)
    True
    """

    def recall(self, ratio: Any, /) -> Any:
        """Return P₁(f₁/f₀ > ratio)."""
        ...

    def miss_rate(self, ratio: Any, /) -> Any:
        """Return P₁(f₁/f₀ <= ratio)."""
        ...

    def false_positive_rate(self, ratio: Any, /) -> Any:
        """Return P₀(f₁/f₀ > ratio)."""
        ...

    def specificity(self, ratio: Any, /) -> Any:
        """Return P₀(f₁/f₀ <= ratio)."""
        ...


class Rates(NamedTuple):
    """The four rates of a rule, as arrays."""

    recall: Array
    miss_rate: Array
    false_positive_rate: Array
    specificity: Array

    def cells(self, base_rate: float | Array) -> tuple[Array, Array, Array, Array]:
        """Return (tp, fn, fp, tn) of one case at this base rate, or these: products only."""
        positive, negative = base_rate, 1 - base_rate
        return (
            positive * self.recall,
            positive * self.miss_rate,
            negative * self.false_positive_rate,
            negative * self.specificity,
        )


@explained
def rates_at(population: Population, ratio: Any) -> Rates:
    """Return the four rates at these density ratios, as arrays of at least one dimension.

    Examples
    --------
    >>> from baserate.curves.populations import LDA, rates_at
    >>> rates_at(LDA(distance=2.0), [1.0, 4.0]).recall.round(4).tolist()
    [0.8413, 0.6205]
    """
    population = population_of(population)
    ratio = np.atleast_1d(float_array("ratio", ratio))
    return Rates(
        *(
            np.asarray(rate(ratio), dtype=float)
            for rate in (
                population.recall,
                population.miss_rate,
                population.false_positive_rate,
                population.specificity,
            )
        )
    )


def population_of(given: Any) -> Population:
    """Return a population; a sweep is that of its sample."""
    if isinstance(given, Sweep):
        return Empirical(given)
    if not isinstance(given, Population):
        rule, remedy = "must be a population", "pass LDA(), QDA() or a sweep of scores"
        raise InvalidArgumentError.from_rule("population", rule, given, remedy)
    return given


class _FourRates:
    """The methods of a population, out of one that computes any of the four rates."""

    __slots__ = ()

    def recall(self, ratio: Any) -> Any:
        """Return the share of positives whose density ratio exceeds `ratio`."""
        return plain(np.asarray(self._rate(ratio, positive=True, above=True)))

    def miss_rate(self, ratio: Any) -> Any:
        """Return the share of positives whose density ratio is at most `ratio`."""
        return plain(np.asarray(self._rate(ratio, positive=True, above=False)))

    def false_positive_rate(self, ratio: Any) -> Any:
        """Return the share of negatives whose density ratio exceeds `ratio`."""
        return plain(np.asarray(self._rate(ratio, positive=False, above=True)))

    def specificity(self, ratio: Any) -> Any:
        """Return the share of negatives whose density ratio is at most `ratio`."""
        return plain(np.asarray(self._rate(ratio, positive=False, above=False)))

    def _rate(self, ratio: Any, *, positive: bool, above: bool) -> Any:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class LDA(_FourRates):
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
    >>> from baserate.curves import LDA
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
        >>> from baserate.curves import LDA
        >>> LDA.from_moments(mean0=[0, 0], mean1=[2, 2], cov=[[4, 1], [1, 1]])
        LDA(distance=2.0)
        """
        shift = _difference_of_means(mean0, mean1)
        distance = float(
            np.linalg.norm(np.linalg.solve(_lower_root("cov", cov, shift.size), shift))
        )
        if distance == 0:
            rule = "must differ from mean0"
            raise InvalidArgumentError.from_rule("mean1", rule, mean1, "classes must differ")
        return cls(distance=distance)

    def _rate(self, ratio: Any, *, positive: bool, above: bool) -> Any:
        from scipy.special import ndtr

        slope, side = -1.0 if above else 1.0, 0.5 if positive == above else -0.5
        return ndtr(slope * _log_ratio(ratio) / self.distance + side * self.distance)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QDA(_FourRates):
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

    >>> from baserate.curves import QDA
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
        shift = _difference_of_means(self.mean0, self.mean1)
        root0 = _lower_root("cov0", self.cov0, shift.size)
        root1 = _lower_root("cov1", self.cov1, shift.size)
        basis, scales, _ = np.linalg.svd(np.linalg.solve(root0, root1))
        shifts = basis.T @ np.linalg.solve(root0, shift)
        if np.allclose(scales, 1, rtol=0, atol=1e-14) and not shift.any():
            rule = "must not give both classes one distribution"
            raise InvalidArgumentError.from_rule("QDA", rule, self, "change a mean or a covariance")
        object.__setattr__(self, "_scales", scales)
        object.__setattr__(self, "_shifts", shifts)

    def _rate(self, ratio: Any, *, positive: bool, above: bool) -> Any:
        scales, shifts, log_ratio = self._scales, self._shifts, _log_ratio(ratio)
        logs = 2 * np.sum(np.log(scales))
        if positive:
            form = self._positives()
            limit = np.sum(shifts**2) - logs - 2 * log_ratio
        else:
            inverse = 1 / scales
            form = QuadraticForm((1 - inverse) * (1 + inverse), inverse**2 * shifts)
            limit = np.sum((shifts / scales) ** 2) + logs + 2 * log_ratio
        return form.cdf(limit) if positive == above else form.sf(limit)

    def _positives(self) -> QuadraticForm:
        scales = self._scales
        return QuadraticForm((1 - scales) * (1 + scales), -scales * self._shifts)


@dataclass(frozen=True, slots=True, eq=False)
class Empirical(_FourRates):
    """The population in which scores have exactly the distribution of a sample.

    Its density ratio is the slope of the convex hull of the ROC curve: within a segment of the hull
    scores carry no more order than chance, so they share one ratio. The rule "ratio > δ" is a
    vertex of the hull.

    Parameters
    ----------
    sweep : Sweep
        Every cut point of the scores, from ``br.sweep(y_true, y_score)``; with cases of both
        classes.

    Attributes
    ----------
    vertices : ConfusionMatrix
        Tables of the vertices, from nothing to everything predicted positive.
    slopes : array
        Density ratios of the segments between them, strictly falling; inf at a vertical one.

    References
    ----------
    Provost and Fawcett (2001), Machine Learning 42:203, doi:10.1023/A:1007601015854.

    Examples
    --------
    >>> from baserate.curves import Empirical, sweep
    >>> p = Empirical(sweep([1, 0, 1, 1, 0, 0], [6, 5, 4, 3, 2, 1]))
    >>> p.slopes
    array([inf,  2.,  0.])
    >>> round(p.recall(2.5), 4), p.recall(1.5)
    (0.3333, 1.0)
    """

    sweep: Sweep
    vertices: ConfusionMatrix = field(init=False, repr=False)
    slopes: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        instance_of("sweep", self.sweep, Sweep, "call baserate.sweep")
        vertices = self.sweep.tables[convex_hull(self.sweep)]
        found, alarms = np.diff(as_float(vertices.tp)), np.diff(as_float(vertices.fp))
        odds = float(self.sweep.n_negative) / float(self.sweep.n_positive)
        vertical = alarms == 0
        slopes = np.where(vertical, np.inf, odds * (found / np.where(vertical, 1, alarms)))
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "slopes", slopes)

    def _rate(self, ratio: Any, *, positive: bool, above: bool) -> Any:
        _log_ratio(ratio)  # refuses what is not a ratio
        v = self.vertices
        cells, total = ((v.tp, v.fn), v.n_positive) if positive else ((v.fp, v.tn), v.n_negative)
        shares = as_float(cells[0] if above else cells[1]) / as_float(total)
        return shares[np.searchsorted(-self.slopes, -np.asarray(ratio, dtype=float), side="left")]


def _difference_of_means(mean0: Any, mean1: Any) -> Array:
    """Return mean1 - mean0 as a vector."""
    means = [
        np.atleast_1d(float_array(name, m)) for name, m in (("mean0", mean0), ("mean1", mean1))
    ]
    for name, given, mean in zip(("mean0", "mean1"), (mean0, mean1), means, strict=True):
        if mean.ndim != 1 or mean.shape != means[0].shape or not np.isfinite(mean).all():
            rule = "must be a vector of finite numbers, as long as the other mean"
            raise InvalidArgumentError.from_rule(name, rule, given, "one number per variable")
    return means[1] - means[0]


def _lower_root(name: str, cov: Any, size: int) -> Array:
    """Return the Cholesky factor of a covariance matrix; a number will do for one variable."""
    matrix = float_array(name, cov)
    matrix = matrix.reshape(1, 1) if matrix.size == 1 else matrix
    rule = f"must be a symmetric positive definite {size} x {size} matrix"
    remedy = "pass a covariance matrix without redundant variables"
    right = matrix.shape == (size, size) and np.isfinite(matrix).all()
    if not right or not np.allclose(matrix, matrix.T, rtol=1e-12, atol=0):
        raise InvalidArgumentError.from_rule(name, rule, cov, remedy)
    try:
        return np.linalg.cholesky(matrix).astype(np.float64, copy=False)
    except np.linalg.LinAlgError:
        raise InvalidArgumentError.from_rule(name, rule, cov, remedy) from None


def _log_ratio(ratio: Any) -> Array:
    """Return log δ; -inf at 0 and inf at inf. Refuse negative numbers and nan."""
    array = np.asarray(ratio, dtype=float)
    if not (array >= 0).all():
        given = array[~(array >= 0)].flat[0].item()
        remedy = "pass a ratio of densities f1/f0"
        raise InvalidArgumentError.from_rule("ratio", "must lie in [0, inf]", given, remedy)
    with np.errstate(divide="ignore"):
        return np.log(array)

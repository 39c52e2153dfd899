"""What a population is: four rates at every cut of its density ratio."""

from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from baserate._arith import plain
from baserate.errors import InvalidArgumentError

Array = NDArray[np.float64]


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

    def cells(self, base_rate: float) -> tuple[Array, Array, Array, Array]:
        """Return (tp, fn, fp, tn) of one case at this base rate: products, never differences."""
        positive, negative = base_rate, 1 - base_rate
        return (
            positive * self.recall,
            positive * self.miss_rate,
            negative * self.false_positive_rate,
            negative * self.specificity,
        )


def rates_at(population: Population, ratio: Any) -> Rates:
    """Return the four rates at these density ratios, as arrays of at least one dimension."""
    ratio = np.atleast_1d(np.asarray(ratio, dtype=float))
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


def log_ratio(ratio: Any) -> Array:
    """Return log δ; -inf at 0 and inf at inf. Refuse negative numbers and nan."""
    array = np.asarray(ratio, dtype=float)
    if not (array >= 0).all():
        given = array[~(array >= 0)].flat[0].item()
        remedy = "pass a ratio of densities f1/f0"
        raise InvalidArgumentError.from_rule("ratio", "must lie in [0, inf]", given, remedy)
    with np.errstate(divide="ignore"):
        return np.log(array)


def number(rate: Any) -> Any:
    """Return a float for a single ratio, else the array."""
    return plain(np.asarray(rate))

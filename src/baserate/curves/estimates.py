"""What a measure of scores is worth: its value, its interval, and what chance would get."""

from dataclasses import dataclass
from math import nan
from typing import Any, ClassVar

from baserate._result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate(Result):
    """A number with its interval, beside chance and perfection; ``float()`` gives it.

    A measure of scores, or whatever a report was asked for by name.

    Attributes
    ----------
    value : float
        nan if `reason` says why.
    low, high : float
        Interval for the value in the population that the cases stand for; nan if `reason` says why.
    confidence_level : float
    chance : float
        What scores that know nothing would have; nan where `chance_reason` says why, or where the
        measure knows no chance.
    perfect : float
        What perfect scores would have.
    p_value : float
        Of the hypothesis that `p_value_route` belongs to; nan where there is none, or where
        `p_value_reason` says why.
    route, p_value_route : str or None
        How the interval and the p-value were computed.
    reason, chance_reason, p_value_reason : str or None
    bounds : pair of float or None
        What holds the value of the cases themselves, where their scores were counted in bins
        (`ScoreHistogram`): `value` takes the scores of a bin for equal. None if no score is lost.
    n_clusters : int or None
        Clusters that cases came in; None for independent cases.
    design_effect : float
        The variance, over that of as many independent cases; nan without clusters.
    metric : str or None
        The name by which a report was asked for it (``r["recall"]``); None otherwise.
    of : tuple
        The group, class or classifiers that it is of there; empty for all cases together.
    method : str or None
        What was asked for the interval there, such as "bayes"; None where `route` says all.
    """

    value: float
    low: float = nan
    high: float = nan
    confidence_level: float = 0.95
    chance: float = nan
    perfect: float = nan
    p_value: float = nan
    route: str | None = None
    p_value_route: str | None = None
    reason: str | None = None
    chance_reason: str | None = None
    p_value_reason: str | None = None
    bounds: tuple[float, float] | None = None
    n_clusters: int | None = None
    design_effect: float = nan
    metric: str | None = None
    of: tuple[Any, ...] = ()
    method: str | None = None
    derived: ClassVar[tuple[str, ...]] = ("skill",)

    @property
    def skill(self) -> float:
        """(value - chance) / (perfect - chance): 0 as chance, 1 perfect; nan if these are equal."""
        room = self.perfect - self.chance
        return (self.value - self.chance) / room + 0.0 if room else nan  # no -0.0

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreComparison(Result):
    """Two scores, or two classifiers, by one measure; ``float()`` gives the difference.

    Attributes
    ----------
    difference : float
        Value of A less that of B; nan if `reason` says why.
    low, high : float
        Its interval; nan if `reason` says why.
    p_value : float
        Two-sided, of no difference in the population; nan if `p_value_reason` says why.
    value_a, value_b : float
    confidence_level : float
    route, p_value_route : str or None
        How the interval and the p-value were computed.
    reason, p_value_reason : str or None
    n_clusters : int or None
        Clusters that cases came in; None for independent cases.
    design_effect : float
        The variance of the difference, over that of as many independent cases; nan without
        clusters, and for scores without them.
    """

    difference: float
    low: float = nan
    high: float = nan
    p_value: float = nan
    value_a: float = nan
    value_b: float = nan
    confidence_level: float = 0.95
    route: str | None = None
    p_value_route: str | None = None
    reason: str | None = None
    p_value_reason: str | None = None
    n_clusters: int | None = None
    design_effect: float = nan

    def __float__(self) -> float:
        return self.difference

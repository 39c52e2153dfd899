"""Facts of weights of classes: for each metric the best ones, and what they are worth."""

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

from baserate._result import Result, called
from baserate.class_counts import ClassTable
from baserate.facts.unverified import UnverifiedFact


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassWeightFact(Result):
    """The weight of one class.

    Attributes
    ----------
    label : label
    n : int
        Cases of the class.
    weight, low, high : float
        Weights have geometric mean 1; the interval holds those of bootstrap samples.
    called, called_unweighted : int
        Cases called so with these weights, and where the most probable class is called.
    """

    label: Any
    n: int
    weight: float
    low: float
    high: float
    called: int
    called_unweighted: int

    derived: ClassVar[tuple[str, ...]] = ("offset",)

    @property
    def offset(self) -> float:
        """Natural logarithm of the weight: what is added to the logarithm of a probability."""
        return math.log(self.weight)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassWeightsFact(Result):
    """The best weights of classes for one metric, and how far they can be trusted.

    Attributes
    ----------
    name, direction : str
    unweighted : float
        The metric where the most probable class is called; nan where it is undefined.
    value : float
        The metric with these weights, on the same cases.
    corrected, low, high : float
        What to expect of them on new cases: out of the bag, with its interval.
    difference, difference_low, difference_high : float
        `corrected` less `unweighted`, paired, with its interval.
    probability_better : float
        That these weights are better than none on new cases.
    table : ClassTable or None
        With these weights, on the same cases.
    classes : tuple of ClassWeightFact
    route : {"exact", "coordinate ascent"} or None
        Of two classes every cut point was looked at; of more the optimum is local.
    interval_route : str or None
        How the interval of `corrected` was found.
    reason : str or None
        Why there are no weights.
    corrected_reason : str or None
        Why it is not known what to expect of them.
    """

    name: str
    direction: str
    unweighted: float = math.nan
    value: float = math.nan
    corrected: float = math.nan
    low: float = math.nan
    high: float = math.nan
    difference: float = math.nan
    difference_low: float = math.nan
    difference_high: float = math.nan
    probability_better: float = math.nan
    table: ClassTable | None = None
    classes: tuple[ClassWeightFact, ...] = ()
    route: str | None = None
    interval_route: str | None = None
    reason: str | None = None
    corrected_reason: str | None = None

    @property
    def changes_nothing(self) -> bool:
        """Whether the weights are equal, so that the most probable class is called."""
        return all(one.weight == 1 for one in self.classes)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassThresholdFacts(Result):
    """Everything that `thresholds` found out about the probabilities of several classes.

    Attributes
    ----------
    labels : tuple
    n, missing : int
        Cases, and rows dropped because something was missing.
    tied : int
        Cases of which several classes are the most probable; they are called the first of these.
    confidence_level : float
    n_resamples : int
        Bootstrap samples behind intervals of weights and behind what to expect of them.
    metrics : tuple of ClassWeightsFact
    asked_for : bool
        Whether the user named the metrics to maximise: only these lead to advice.
    source, target : str or None
    scores : tuple of str
        Columns of probabilities, in the order of the classes; "score" of an array.
    unverified : UnverifiedFact or None
        Whether rows left out for want of a truth are called each class as often as the others.
    """

    schema: ClassVar[int | None] = 1
    labels: tuple[Any, ...]
    n: int
    missing: int
    tied: int = 0
    confidence_level: float
    n_resamples: int
    metrics: tuple[ClassWeightsFact, ...] = field(metadata=called("weights"))
    asked_for: bool = False
    source: str | None = None
    target: str | None = None
    scores: tuple[str, ...] = ()
    unverified: UnverifiedFact | None = None

    def metric(self, name: str) -> ClassWeightsFact | None:
        """Return the fact of this canonical name; None if it was not asked for."""
        return next((m for m in self.metrics if m.name == name), None)

"""What decisions are worth: the stakes, and the yield of one classifier."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from baserate._result import HIDDEN, Result
from baserate.facts.verdict import Answer, answer_of

Stakes = Literal["utility", "cost", "accuracy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StakesFact(Result):
    """What decisions are worth: rows decisions, columns classes, the positive first in both.

    Attributes
    ----------
    kind : {"utility", "cost", "accuracy"}
        Utilities as given, costs of the two errors, or none given: each right decision counts 1.
    matrix : ((float, float), (float, float))
    decisions, classes : (str, str)
        Names.
    named : bool
        Whether the decisions have names of their own, rather than those of the classes.
    tau : float
        Threshold: the positive decision is best where its probability exceeds tau; nan where
        nobody said what decisions are worth.
    """

    kind: Stakes
    matrix: tuple[tuple[float, float], tuple[float, float]]
    decisions: tuple[str, str]
    classes: tuple[str, str]
    named: bool = field(metadata=HIDDEN)
    tau: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassStakesFact(Result):
    """What decisions are worth: rows decisions, columns classes, as in `UtilityMatrix`.

    Attributes
    ----------
    kind : {"utility", "accuracy"}
        Utilities as given; or none given, so that each right decision counts 1.
    matrix : tuple of tuple of float, or None
        None for accuracy.
    decisions, classes : tuple of labels
    named : bool
        Whether the decisions have names of their own, rather than those of the classes.
    constants : mapping of label to float
        What each decision is worth if always taken, at the class shares of all cases.
    constant : label
        The best of them.
    constant_value : float
    perfect : float
        The yield of knowing every class.
    """

    kind: Literal["utility", "accuracy"]
    matrix: tuple[tuple[float, ...], ...] | None
    decisions: tuple[Any, ...]
    classes: tuple[Any, ...]
    named: bool = field(default=False, metadata=HIDDEN)
    constants: Mapping[Any, float]
    constant: Any
    constant_value: float
    perfect: float


@dataclass(frozen=True, slots=True, kw_only=True)
class YieldFact(Result):
    """What decisions of one classifier are worth.

    Attributes
    ----------
    value, low, high : float
        Yield: mean utility per case, and its credible interval.
    skill : float
        (yield - best constant decision) / (perfect - best constant decision).
    beats_constant : float
        Posterior probability that its expected yield exceeds that of the best constant decision.
    beats_reason : str or None
        Why that is nan.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    skill: float = math.nan
    beats_constant: float = math.nan
    beats_reason: str | None = None

    @property
    def worth_using(self) -> Answer:
        """Whether it surely earns more, or surely no more, than the best constant decision.

        Whether `beats_constant` is 0.95 at least, or 0.05 at most.
        """
        return answer_of(self.beats_constant)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassWorthFact(YieldFact):
    """The same of one classifier of several classes, whose document says if it is worth using."""

    derived: ClassVar[tuple[str, ...]] = ("worth_using",)

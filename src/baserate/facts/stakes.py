"""What decisions are worth: the stakes, and the yield of one classifier."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from baserate._result import HIDDEN, Result, json_ready
from baserate.facts.numbers import Number, Telling
from baserate.facts.verdict import Answer, answer_of

Stakes = Literal["utility", "cost", "accuracy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StakesFact(Result):
    """What decisions are worth: rows decisions, columns classes, the positive first in both.

    `named` says whether the decisions have names of their own, rather than those of the classes.
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

    `named` says whether the decisions have names of their own, rather than those of the classes.
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
class YieldFact(Telling):
    """What decisions of one classifier are worth."""

    value: float
    low: float = math.nan
    high: float = math.nan
    skill: float = math.nan
    beats_constant: float = math.nan
    beats_reason: str | None = None

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The yield."""
        return (Number("yield", self),)

    def at_stake(self, kind: Stakes) -> Number:
        """Return it by the name of what is at stake: a cost has the other sign."""
        return Number(kind, self, turned=kind == "cost")

    def row(self) -> dict[str, Any]:
        """Return what it has in common with metrics."""
        kept = {key: json_ready(getattr(self, key)) for key in ("value", "low", "high", "skill")}
        return {"name": "yield", **kept}

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

"""What decisions about several classes are worth: the stakes, and the yield of one classifier."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from baserate._result import HIDDEN, Result


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
class ClassWorthFact(Result):
    """What one classifier is worth.

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

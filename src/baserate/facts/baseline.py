"""Facts of a baseline: what guessing scores."""

import math
from dataclasses import dataclass
from typing import ClassVar

from baserate._result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineFact(Result):
    """What guessing scores by one metric."""

    name: str
    direction: str
    chance: float = math.nan
    p_defined: float = math.nan
    low: float = math.nan
    low_at: tuple[tuple[int, int], ...] = ()
    high: float = math.nan
    high_at: tuple[tuple[int, int], ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineFacts(Result):
    """What guessing scores by every metric asked for, given the class totals."""

    schema: ClassVar[int | None] = 1
    n_positive: float
    n_negative: float
    guess: str
    metrics: tuple[BaselineFact, ...]

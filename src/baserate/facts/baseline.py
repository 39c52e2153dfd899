"""Facts of a baseline: what guessing scores."""

import math
from dataclasses import dataclass
from typing import ClassVar

from baserate._result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineFact(Result):
    """What guessing scores by one metric.

    Over class totals any of which may be the true ones, `chance` lies between `chance_low` and
    `chance_high`, and `theta_star` are the shares that are best to flag whichever they are.
    """

    name: str
    direction: str
    chance: float = math.nan
    chance_low: float = math.nan
    chance_high: float = math.nan
    p_defined: float = math.nan
    low: float = math.nan
    low_at: tuple[tuple[int, int], ...] = ()
    high: float = math.nan
    high_at: tuple[tuple[int, int], ...] = ()
    theta_star: tuple[tuple[float, float], ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineFacts(Result):
    """What guessing scores by every metric asked for; None where a total is not known."""

    schema: ClassVar[int | None] = 1
    n_positive: float | None = None
    n_negative: float | None = None
    n: float | None = None
    base_rate: float | None = None
    guess: str
    metrics: tuple[BaselineFact, ...]

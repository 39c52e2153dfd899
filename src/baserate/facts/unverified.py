"""Rows whose truth is missing: whether they are alarms as often as those that were kept."""

import math
from dataclasses import dataclass
from typing import Any

from baserate._result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class UnverifiedFact(Result):
    """How often a classifier calls positive what has no truth, and what has one."""

    name: str | None = None
    label: Any = None
    n: int
    alarms: int
    kept: int
    kept_alarms: int
    p_value: float
    above: float = math.nan
    recall: float = math.nan
    corrected: float = math.nan

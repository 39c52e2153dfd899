"""Facts of a baseline: what guessing scores."""

import math
from dataclasses import dataclass
from typing import Any

from baserate.facts.plain import json_ready


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineFact:
    """What guessing scores by one metric.

    Attributes
    ----------
    name, direction : str
    chance : float
        Expected score of the guess; nan where it has none.
    p_defined : float
        Probability that the metric is defined under that guess.
    low, high : float
        Smallest and largest expected score among all blind draws.
    low_at, high_at : tuple of (int, int)
        All numbers predicted positive that attain it, as inclusive ranges.
    reason : str or None
        Why something is missing.
    """

    name: str
    direction: str
    chance: float = math.nan
    p_defined: float = math.nan
    low: float = math.nan
    low_at: tuple[tuple[int, int], ...] = ()
    high: float = math.nan
    high_at: tuple[tuple[int, int], ...] = ()
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the record with None for nan."""
        spans = ("low_at", "high_at")
        record = {f: json_ready(getattr(self, f)) for f in self.__slots__ if f not in spans}
        return record | {f: [list(span) for span in getattr(self, f)] for f in spans}


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineFacts:
    """What guessing scores by every metric asked for, given the class totals."""

    n_positive: float
    n_negative: float
    guess: str
    metrics: tuple[BaselineFact, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the versioned JSON document (schema 1) as plain values."""
        return {
            "schema": 1,
            "n_positive": json_ready(self.n_positive),
            "n_negative": json_ready(self.n_negative),
            "guess": self.guess,
            "metrics": [metric.to_dict() for metric in self.metrics],
        }

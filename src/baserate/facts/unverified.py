"""Rows whose truth is missing: whether they are alarms as often as those that were kept."""

import math
from dataclasses import dataclass
from typing import Any

from baserate._result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class UnverifiedFact(Result):
    """How often a classifier calls positive what has no truth, and what has one.

    Attributes
    ----------
    name : str or None
        The classifier, where there are several.
    label : label or None
        Of several classes, the one that is predicted: of all, that of which the shares differ most
        surely. An alarm is a row that is called so. p is adjusted for their number.
    n, alarms : int
        Rows left out because their truth is missing, and how many of them are alarms.
    kept, kept_alarms : int
        The same of the rows that were kept.
    p_value : float
        Two-sided, conditional (Fisher's); of cases in clusters as if a cluster were one case.
    above : float
        What counts as an alarm here, where no cut was named: the score from which on.
    recall, corrected : float
        Of the rows kept, and of all if what was verified depends on the alarm alone (Begg and
        Greenes 1983); nan for weighted rows and where no alarm is meant.
    """

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

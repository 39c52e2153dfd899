"""Facts of an audit: what is known about each group, metric by metric, beside its reference."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from baserate.counts import ConfusionMatrix
from baserate.facts.plain import json_ready

Verdict = Literal[
    "lower", "higher", "consistent", "too_small", "unresolved", "undefined", "untested"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One metric in one group; nan where something is unknown or undefined.

    Attributes
    ----------
    name, direction : str
    value : float
    low, high : float
        Credible interval of the group's own value.
    smoothed : float
        The value after Cross-Prior Smoothing toward the reference.
    reference : float
        What the value is judged by: the reference's value; where class totals are held fixed, what
        the reference would score with this group's own positives and negatives.
    reference_value : float
        The reference's own value.
    percentile : float
        P(M <= value | defined) under the null hypothesis.
    p_value, mid_p, adjusted_p : float
        Two-sided; adjusted for all comparisons of the audit.
    p_defined : float
        Probability that the metric is defined, under the null hypothesis.
    condition : str
        What the test holds fixed: "none", "denominator" or "classes".
    null : str
        The null hypothesis, in words.
    unseen : float
        A gap to the reference, either way, that this group would have shown with probability 0.8 or
        more; inf if it would show none but a fall below chance, nan if that is not known or not
        needed.
    verdict : {"lower", "higher", "consistent", "too_small", "unresolved", "undefined", "untested"}
        "unresolved": no difference seen, and it is not known what would have gone unseen.
    reason : str or None
        Why there is no value or no test, or why `unseen` is not known.
    bounds : (float, float) or None
        Smallest and largest possible value, for pictures.
    """

    name: str
    direction: str
    value: float
    low: float = math.nan
    high: float = math.nan
    smoothed: float = math.nan
    reference: float = math.nan
    reference_value: float = math.nan
    percentile: float = math.nan
    p_value: float = math.nan
    mid_p: float = math.nan
    adjusted_p: float = math.nan
    p_defined: float = math.nan
    condition: str = ""
    null: str = ""
    unseen: float = math.nan
    verdict: Verdict = "untested"
    reason: str | None = None
    bounds: tuple[float, float] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the record with None for nan."""
        names = (name for name in self.__slots__ if name != "bounds")
        return {name: json_ready(getattr(self, name)) for name in names}


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedGroup:
    """One group: its table, the reference's, its findings, and whether smoothing helps it.

    `smoothing` is one sentence: whether shrinking toward the reference helps or may hurt, and why.
    """

    group: Mapping[str, Any]
    table: ConfusionMatrix
    reference: ConfusionMatrix
    findings: tuple[Finding, ...]
    smoothing: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain JSON values."""
        return {
            "group": {key: json_ready(value) for key, value in self.group.items()},
            "table": self.table.to_dict(),
            "reference": self.reference.to_dict(),
            "metrics": [finding.to_dict() for finding in self.findings],
            "smoothing": self.smoothing,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class GapFact:
    """The largest difference of one metric between two groups, undefined groups left out.

    Attributes
    ----------
    name : str
    difference, low, high : float
        Largest value less smallest value, and the interval for those two groups.
    largest, smallest : mapping or None
        The two groups.
    undefined : tuple of (mapping, str)
        Groups left out, and why.
    """

    name: str
    difference: float
    low: float = math.nan
    high: float = math.nan
    largest: Mapping[str, Any] | None = None
    smallest: Mapping[str, Any] | None = None
    undefined: tuple[tuple[Mapping[str, Any], str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain JSON values."""
        numbers = ("name", "difference", "low", "high")
        return {
            **{name: json_ready(getattr(self, name)) for name in numbers},
            "largest": _named(self.largest),
            "smallest": _named(self.smallest),
            "undefined": [{"group": _named(g), "reason": reason} for g, reason in self.undefined],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFacts:
    """Everything that `audit` found out.

    Attributes
    ----------
    positive : object
        The label called positive.
    n : float
    missing : int
        Rows dropped because something was missing.
    table : ConfusionMatrix
        All cases.
    reference : str
        "rest", "overall", or the label of the group that the others are compared with.
    condition : str
        What was asked for: "auto", "none", "denominator" or "classes".
    alpha : float
        Chance of any false alarm that is accepted, over all comparisons.
    gap : float
        The smallest difference that matters.
    strength : float
        Pseudo-cases that smoothing borrows from the reference.
    confidence_level : float
    adjust : {"auto", "holm", "benjamini-hochberg"}
    adjustment : str
        How p-values were adjusted, in words.
    base_rate : float or None
        The base rate that metrics are restated at, if one was asked for.
    groups : tuple of AuditedGroup
    group_names : tuple of str
    gaps : tuple of GapFact
    source, target, prediction, score : str or None
    threshold : float or None
    """

    positive: Any
    n: float
    missing: int
    table: ConfusionMatrix
    reference: str
    condition: str
    alpha: float
    gap: float
    strength: float
    confidence_level: float
    adjust: str
    adjustment: str
    groups: tuple[AuditedGroup, ...]
    group_names: tuple[str, ...]
    gaps: tuple[GapFact, ...] = ()
    base_rate: float | None = None
    source: str | None = None
    target: str | None = None
    prediction: str | None = None
    score: str | None = None
    threshold: float | None = None

    @property
    def mirrored(self) -> bool:
        """Whether two groups are compared with each other: one comparison, from either side."""
        filled = [group for group in self.groups if group.table.n]
        return self.reference in {"rest", "overall"} and len(filled) == 2

    @property
    def n_comparisons(self) -> int:
        """How many comparisons were made; what is seen from either side counts once."""
        tested = [
            sum(not math.isnan(finding.adjusted_p) for finding in group.findings)
            for group in self.groups
        ]
        return max(tested, default=0) if self.mirrored else sum(tested)

    @property
    def differing(self) -> tuple[tuple[AuditedGroup, Finding], ...]:
        """The findings that cannot be luck, with their groups."""
        return tuple(
            (group, finding)
            for group in self.groups
            for finding in group.findings
            if finding.verdict in {"lower", "higher"}
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the versioned JSON document (schema 1) as plain values."""
        parts = ("table", "groups", "gaps", "group_names")
        plain = {f: json_ready(getattr(self, f)) for f in self.__slots__ if f not in parts}
        return {
            "schema": 1,
            **plain,
            "n_comparisons": self.n_comparisons,
            "table": self.table.to_dict(),
            "groups": [group.to_dict() for group in self.groups],
            "gaps": [gap.to_dict() for gap in self.gaps],
        }


def _named(group: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if group is None else {key: json_ready(value) for key, value in group.items()}

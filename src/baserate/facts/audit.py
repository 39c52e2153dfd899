"""Facts of an audit: its groups, its gaps, how it was tested, and what of it cannot be luck."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

from baserate._result import Result
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix
from baserate.facts.findings import AuditedGroup, AveragedGroup, AverageFinding, Finding, GapFact
from baserate.facts.report import SampledFacts
from baserate.facts.scores import GroupCalibrationFact, ScoreBinsFact, SuppressionFact

DEALT = {"convolution", "enumeration"}  # routes of a test of whole clusters
Adjustment = Literal["holm", "benjamini-hochberg", "min-p", "min-p or holm"]


class Judgement(NamedTuple):
    """A finding, its group, and the class that it is about.

    `label` is None, and `of_class` false, for a metric of all cases together.
    """

    group: AveragedGroup | AuditedGroup
    finding: AverageFinding | Finding
    label: Any = None
    of_class: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedFacts(SampledFacts):
    """What an audit says whatever the number of classes."""

    derived: ClassVar[tuple[str, ...]] = ("n_comparisons",)
    reference: str
    condition: str
    alpha: float
    gap: float
    adjust: str
    adjustment: Adjustment
    gaps: tuple[GapFact, ...] = ()
    prediction: str | None = None

    groups: tuple[Any, ...]

    @property
    def mirrored(self) -> bool:
        """Whether two groups are compared with each other: one comparison, from either side."""
        filled = [group for group in self.groups if group.table.n]
        return self.reference in {"rest", "overall"} and len(filled) == 2

    @property
    def judged(self) -> Iterator[Judgement]:
        """All findings, group by group."""
        return (Judgement(group, found) for group in self.groups for found in group.findings)

    def findings_of(self, place: int) -> tuple[AverageFinding | Finding, ...]:
        """Return all findings of the group at this place."""
        return self.groups[place].findings

    @property
    def n_tested(self) -> int:
        """How many findings have a test."""
        return sum(not math.isnan(one.finding.p_value) for one in self.judged)

    @property
    def n_dealt(self) -> int:
        """How many of them by dealing out whole clusters: every way, exactly."""
        if self.n_clusters is None:
            return 0
        tested = (one.finding for one in self.judged if not math.isnan(one.finding.p_value))
        return sum(finding.route in DEALT for finding in tested)

    @property
    def n_comparisons(self) -> int:
        """How many comparisons were made; what is seen from either side counts once."""
        tested = [
            sum(not math.isnan(found.adjusted_p) for found in self.findings_of(place))
            for place in range(len(self.groups))
        ]
        return max(tested, default=0) if self.mirrored else sum(tested)

    @property
    def differing(self) -> tuple[Judgement, ...]:
        """The findings that cannot be luck, with their groups."""
        return tuple(one for one in self.judged if one.finding.differs)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFacts(AuditedFacts):
    """Everything that `audit` found out."""

    positive: Any
    table: ConfusionMatrix
    strength: float
    groups: tuple[AuditedGroup, ...]
    calibration: tuple[GroupCalibrationFact, ...] = ()
    calibration_reason: str | None = None
    bins: ScoreBinsFact | None = None
    base_rate: float | None = None
    uncertain_reference: bool = True
    suppression: SuppressionFact | None = None
    score: str | None = None
    threshold: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedClass(Result):
    """One class against the rest: its groups and gaps, as in an audit of two classes."""

    label: Any
    groups: tuple[AuditedGroup, ...]
    gaps: tuple[GapFact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassAuditFacts(AuditedFacts):
    """Everything that `audit` found out about several classes."""

    table: ClassTable
    groups: tuple[AveragedGroup, ...]
    classes: tuple[AuditedClass, ...]
    n_deals: int = 0
    absent: tuple[Any, ...] = ()
    scores: tuple[str, ...] = ()
    tied: int | None = None

    def findings_of(self, place: int) -> tuple[AverageFinding | Finding, ...]:
        """Return all findings of the group at this place."""
        of_classes = (f for one in self.classes for f in one.groups[place].findings)
        return (*self.groups[place].findings, *of_classes)

    @property
    def judged(self) -> Iterator[Judgement]:
        """All findings: of averages, then class by class."""
        yield from super(ClassAuditFacts, self).judged  # slots make another class of this one
        for one in self.classes:
            for group in one.groups:
                yield from (Judgement(group, f, one.label, of_class=True) for f in group.findings)

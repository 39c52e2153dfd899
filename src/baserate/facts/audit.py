"""Facts of an audit: its groups, its gaps, how it was tested, and what of it cannot be luck."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, NamedTuple

from baserate._result import HIDDEN, Deferred, Result, called
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix
from baserate.facts.numbers import Number, Part, Telling, numbers_of
from baserate.facts.report import SampledFacts
from baserate.facts.scores import EstimateFact, GroupCalibrationFact, ScoreBinsFact, SuppressionFact
from baserate.facts.stakes import ClassStakesFact

UNKNOWN = (math.nan, math.nan)
# What groups are compared with unless one is named, and what it is called.
REFERENCES = {"rest": "the rest", "overall": "all cases"}
POWER = 0.8  # of which a gap is said to have been visible
Verdict = Literal[
    "lower", "higher", "consistent", "too_small", "unresolved", "undefined", "untested"
]


def shade_of(verdict: str, direction: str) -> str:
    """Return whether a difference is "better" or "worse" for the group by the metric's direction.

    "apart" where neither way is better; any other verdict is itself.

    Examples
    --------
    >>> from baserate.facts.audit import shade_of
    >>> shade_of("lower", "higher"), shade_of("lower", "lower"), shade_of("lower", "neither")
    ('worse', 'better', 'apart')
    """
    if verdict not in {"lower", "higher"}:
        return verdict
    return "apart" if direction == "neither" else "better" if verdict == direction else "worse"


def gap_that_matters(gap: float, metric: Any) -> float:
    """Return a gap in a metric's own units: it is a share of the way from its least to its largest.

    So that verdicts on costs do not depend on the currency, nor on what counts as zero. Of a
    correlation, from -1 to 1, it is a share of one; a metric without bounds takes the gap as it is.

    Examples
    --------
    >>> from baserate.facts.audit import gap_that_matters
    >>> from baserate.metrics import cost_per_case, informedness, utility
    >>> gap_that_matters(0.1, informedness), gap_that_matters(0.1, cost_per_case(fn=10, fp=1))
    (0.1, 1.0)
    >>> [gap_that_matters(0.1, utility(u)) for u in ([[1, -1], [-1, 1]], [[2, 0], [0, 2]])]
    [0.2, 0.2]
    """
    low, high = metric.bounds
    correlation = (low, high) == (-1, 1) and "matrix" not in metric.parameters  # of utilities
    size = 1.0 if correlation else high - low
    return gap * size if 0 < size < math.inf else gap


@dataclass(frozen=True, slots=True, kw_only=True)
class BesideReference(Telling):
    """A value in one group beside that of a reference; nan where something is unknown or undefined.

    The intervals of the value and of the difference are found when first looked at, since a report
    of many groups shows few of them. `bounds` are the smallest and the largest possible value, for
    pictures; `gap` is the smallest difference that matters, in the metric's own units.
    """

    reasons: ClassVar[tuple[str, ...]] = ("reason",)
    of_table: ClassVar[bool] = True
    derived: ClassVar[tuple[str, ...]] = ("low", "high", "difference_low", "difference_high")

    name: str
    direction: str
    value: float
    reference: float = math.nan
    reference_value: float = math.nan
    p_value: float = math.nan
    adjusted_p: float = math.nan
    condition: str = ""
    route: str = ""
    reason: str | None = None
    gap: float = field(default=math.nan, metadata=HIDDEN)
    span: Sequence[float] = field(default=UNKNOWN, metadata=HIDDEN)
    bounds: tuple[float, float] | None = field(default=None, metadata=HIDDEN)
    difference_span: Sequence[float] = field(default=UNKNOWN, metadata=HIDDEN)

    @property
    def low(self) -> float:
        """Lower end of the interval of the value."""
        return self.span[0]

    @property
    def high(self) -> float:
        """Upper end of the interval of the value."""
        return self.span[1]

    @property
    def has_difference(self) -> bool:
        """Whether the difference has an interval, which is not found for that."""
        span = self.difference_span
        return isinstance(span, Deferred) or not math.isnan(span[0])

    @property
    def difference_low(self) -> float:
        """Lower end of the interval of the difference."""
        return self.difference_span[0]

    @property
    def difference_high(self) -> float:
        """Upper end of the interval of the difference."""
        return self.difference_span[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(BesideReference):
    """One metric in one group.

    The difference from `reference` has an interval where the reference is a share as it is.
    """

    derived: ClassVar[tuple[str, ...]] = ("difference", *BesideReference.derived)

    smoothed: float = math.nan
    percentile: float = math.nan
    mid_p: float = math.nan
    p_defined: float = math.nan
    null: str = ""
    unseen: float = math.nan
    unseen_route: str = ""
    verdict: Verdict = "untested"
    design_effect: float = math.nan
    degrees_of_freedom: float = math.nan

    @property
    def difference(self) -> float:
        """The value less what it is judged by."""
        return self.value - self.reference

    @property
    def differs(self) -> bool:
        """Whether the group differs by more than luck."""
        return self.verdict in {"lower", "higher"}

    @property
    def shade(self) -> str:
        """What a colour says of it: the verdict, or for whom a difference is better or worse."""
        return shade_of(self.verdict, self.direction)


@dataclass(frozen=True, slots=True, kw_only=True)
class AverageFinding(BesideReference):
    """One metric of the whole class table in one group.

    `tested` is what the test alone says, None where no difference is seen.
    """

    derived: ClassVar[tuple[str, ...]] = (*BesideReference.derived, "verdict")

    difference: float = math.nan
    p_error: float = math.nan
    tested: Verdict | None = field(default="untested", metadata=HIDDEN)

    @property
    def differs(self) -> bool:
        """Whether the group differs by more than luck."""
        return self.tested in {"lower", "higher"}

    @property
    def verdict(self) -> Verdict:
        """What the test says; else "consistent" if the difference stays within the gap for sure.

        "too_small" if its interval does not.
        """
        if self.tested is not None:
            return self.tested
        widest = max(-self.difference_low, self.difference_high)
        return "consistent" if widest <= self.gap else "too_small"


@dataclass(frozen=True, slots=True, kw_only=True)
class SmoothingFact(Result):
    """Whether shrinking toward the reference helps a group, by exact mean squared errors."""

    checked: int = 0
    median: float = math.nan
    worst: str | None = None
    worst_ratio: float = math.nan
    best_strength: float = math.nan
    unjudged: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupOfCases(Result):
    """The labels of a group of an audit, and how many cases it has.

    With weights or clusters `cases` is how many were counted, `effective_n` Kish's effective number
    of them, `n_clusters` how many clusters they lie in; else None.
    """

    group: Mapping[str, Any]
    cases: int | None = None
    effective_n: float | None = None
    n_clusters: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedGroup(GroupOfCases):
    """One group: its table, the reference's, its findings, and whether smoothing helps it.

    `smoothing` is None for a group without cases, or of weighted ones; it is found when it is first
    looked at, in `smoothings`, which holds one at most.
    """

    derived: ClassVar[tuple[str, ...]] = ("smoothing",)

    table: ConfusionMatrix
    reference: ConfusionMatrix
    findings: tuple[Finding, ...] = field(metadata=called("metrics"))
    smoothings: Sequence[SmoothingFact] = field(default=(), metadata=HIDDEN)

    @property
    def smoothing(self) -> SmoothingFact | None:
        """Whether smoothing helps."""
        return next(iter(self.smoothings), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class AveragedGroup(GroupOfCases):
    """One group, its averages, and the classes without a case in it."""

    n: float
    table: ClassTable = field(metadata=HIDDEN)
    findings: tuple[AverageFinding, ...] = field(metadata=called("metrics"))
    absent: tuple[Any, ...] = ()


class LeftOut(NamedTuple):
    """A group without a value, and why."""

    group: Mapping[str, Any]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BeyondFact(Result):
    """A cell of two group columns, and what its row and its column would make of it by themselves.

    `n` cases have the share; `p_value` is two-sided, `adjusted_p` for all comparisons of the audit.
    """

    name: str
    group: Mapping[str, Any]
    n: int
    value: float
    expected: float
    p_value: float
    adjusted_p: float = math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class RatioFact(EstimateFact):
    """The ratio of one metric between two groups: of `smallest` to `largest`."""

    largest: Mapping[str, Any] | None = None
    smallest: Mapping[str, Any] | None = None

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The ratio."""
        return (Number(f"ratio({self.name})", self),)

    def row(self) -> dict[str, Any]:
        """Return what a frame tells of it: its group stands in the columns of groups."""
        ends = {"largest", "smallest"}
        row = super(RatioFact, self).row()  # slots make another class of this one
        return {key: value for key, value in row.items() if key not in ends}


@dataclass(frozen=True, slots=True, kw_only=True)
class GapFact(Telling):
    """The largest difference of one metric between two groups, undefined groups left out.

    Beside one group that was named as the reference: the difference of the group furthest from it.
    `ratios` holds the smallest ratio, there of a group to it, found when it is first looked at;
    `group_ratios` those of every group to it, too small ones too, or to the `largest` of a ratio
    where a criterion of fairness was named.
    """

    name: str
    difference: float
    low: float = math.nan
    high: float = math.nan
    largest: Mapping[str, Any] | None = None
    smallest: Mapping[str, Any] | None = None
    undefined: tuple[LeftOut, ...] = ()
    too_small: tuple[Mapping[str, Any], ...] = ()
    ratios: Sequence[RatioFact] = field(default=(), metadata=HIDDEN, compare=False)
    group_ratios: tuple[RatioFact, ...] = ()

    def ratios_of(self, group: Mapping[str, Any]) -> tuple[RatioFact, ...]:
        """Return the ratio of this group, if it is known."""
        return tuple(one for one in self.group_ratios if one.smallest == group)

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The gap."""
        return (Number(f"gap({self.name})", self, "difference", left_out=self.too_small),)

    @property
    def more(self) -> tuple[Number, ...]:
        """The smallest ratio."""
        return (Number(f"ratio({self.name})", self.ratios, left_out=self.too_small),)


BY_CLUSTERS = {"convolution", "enumeration"}  # routes of a test of whole clusters
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
    pooled: tuple[str, ...] = ()  # the groups that the reference is, if it is a range

    table: Any
    groups: tuple[Any, ...]
    interval: ClassVar[None] = None  # the method of it cannot be asked for

    @classmethod
    def known(cls, about: Mapping[str, Any]) -> dict[str, Any]:
        """Return what reading found out that an audit tells: all that it has a field for."""
        return {each.name: about[each.name] for each in fields(cls) if each.name in about}

    @property
    def judged_cases(self) -> bool:
        """Whether true labels were named; else all cases stand as positive ones in every table."""
        return self.target is not None or self.prediction is None

    @property
    def mirrored(self) -> bool:
        """Whether two groups are compared with each other: one comparison, from either side."""
        filled = [group for group in self.groups if group.table.n]
        return self.reference in REFERENCES and len(filled) == 2

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
        return sum(finding.route in BY_CLUSTERS for finding in tested)

    @property
    def n_comparisons(self) -> int:
        """How many comparisons were made; what is seen from either side counts once."""
        tested = [*map(self._tested, range(len(self.groups)))]
        return max(tested, default=0) if self.mirrored else sum(tested)

    @property
    def n_marginal(self) -> int:
        """How many of them are of groups of one column, where there are several."""
        every = enumerate(self.groups)
        of_one = (at for at, one in every if len(one.group) < len(self.group_names))
        return sum(map(self._tested, of_one))

    def _tested(self, place: int) -> int:
        return sum(not math.isnan(found.adjusted_p) for found in self.findings_of(place))

    @property
    def differing(self) -> tuple[Judgement, ...]:
        """The findings that cannot be luck, with their groups."""
        return tuple(one for one in self.judged if one.finding.differs)

    def one_sided(self, found: Iterable[Judgement]) -> tuple[Judgement, ...]:
        """Return findings once: of two groups compared with each other one side says all.

        That is the first one, unless only the other one does. Such are all groups, or those of one
        column of several.
        """
        sizes = Counter((*group.group,) for group in self.groups if group.table.n)
        whole = self.reference in REFERENCES
        pairs = {columns for columns, n in sizes.items() if whole and n == 2}
        sides = dict[Any, Judgement]()
        for one in found:
            columns = (*one.group.group,)
            where = columns if columns in pairs else (*one.group.group.items(),)
            sides.setdefault((where, one.of_class, repr(one.label), one.finding.name), one)
        return (*sides.values(),)

    def parts(self) -> Iterator[Part]:
        """Yield all cases, then each group."""
        yield Part({}, (), self.gaps, table=self.table)
        for one in self.groups:
            ratios = [ratio for gap in self.gaps for ratio in gap.ratios_of(one.group)]
            yield Part(one.group, one.findings, ratios, table=one.table, n=one.table.n)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFacts(AuditedFacts):
    """Everything that `audit` found out."""

    derived: ClassVar[tuple[str, ...]] = (*AuditedFacts.derived, "graded")
    brief: ClassVar[bool] = True
    positive: Any
    table: ConfusionMatrix
    strength: float
    groups: tuple[AuditedGroup, ...]
    calibration: tuple[GroupCalibrationFact, ...] = ()
    calibration_reason: str | None = None
    bins: ScoreBinsFact | None = None
    base_rate: float | None = None
    uncertain_reference: bool = True
    # Whether a criterion of fairness was named: else nothing tells that groups are of people.
    fairness: bool = field(default=False, metadata=HIDDEN)
    beyond: tuple[BeyondFact, ...] = ()  # of two group columns
    n_beyond: int = 0  # how many of these tests are different
    suppression: SuppressionFact | None = None
    score: str | None = None
    threshold: float | None = None
    default_threshold: bool = False

    @property
    def restated(self) -> bool:
        """Whether metrics are those of another base rate."""
        return self.base_rate is not None

    @property
    def n_comparisons(self) -> int:
        """How many comparisons were made, of cells with what their margins say too."""
        return super(AuditFacts, self).n_comparisons + self.n_beyond

    def parts(self) -> Iterator[Part]:
        """Yield all cases, then each group, with what its scores expect."""
        yield from super(AuditFacts, self).parts()  # slots make another class of this one
        for one in self.calibration:
            told = numbers_of([one.observed_expected])
            yield Part(one.group, others=[x._replace(level=1 - self.alpha) for x in told])


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
    stakes: ClassStakesFact | None = None  # named decisions stand behind the classes in the table
    scores: tuple[str, ...] = ()
    tied: int | None = None
    restated: ClassVar[bool] = False  # class shares are those of the cases

    def parts(self) -> Iterator[Part]:
        """Yield all cases, each group, then each class against the rest and its groups."""
        yield from super(ClassAuditFacts, self).parts()
        for one in self.classes:
            place = {"class": one.label}
            yield Part(place, (), one.gaps)
            for group in one.groups:
                table, at = group.table, place | dict(group.group)
                ratios = [ratio for gap in one.gaps for ratio in gap.ratios_of(group.group)]
                yield Part(at, group.findings, ratios, table=table, n=table.n)

    def findings_of(self, place: int) -> tuple[AverageFinding | Finding, ...]:
        """Return all findings of the group at this place."""
        of_classes = (f for one in self.classes for f in one.groups[place].findings)
        return (*self.groups[place].findings, *of_classes)

    @property
    def decisions(self) -> tuple[Any, ...]:
        """Decisions that are no classes."""
        return self.stakes.decisions if self.stakes is not None and self.stakes.named else ()

    @property
    def class_labels(self) -> tuple[Any, ...]:
        """The classes."""
        return self.stakes.classes if self.stakes is not None else self.table.labels

    @property
    def judged(self) -> Iterator[Judgement]:
        """All findings: of averages, then class by class."""
        yield from super(ClassAuditFacts, self).judged  # slots make another class of this one
        for one in self.classes:
            for group in one.groups:
                yield from (Judgement(group, f, one.label, of_class=True) for f in group.findings)

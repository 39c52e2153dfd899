"""Facts of an audit of several classes: averages of each group, and each class against the rest."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple

from baserate._result import HIDDEN, Result, called
from baserate.class_counts import ClassTable
from baserate.facts.audit import AuditedGroup, Finding, GapFact, Verdict
from baserate.facts.unverified import UnverifiedFact

UNKNOWN = (math.nan, math.nan)


@dataclass(frozen=True, slots=True, kw_only=True)
class AverageFinding(Result):
    """One metric of the whole class table in one group; nan where something is unknown.

    Attributes
    ----------
    name, direction : str
    value : float
    reference : float
        What the value is judged by: what the reference would score with as many cases of each class
        as the group has; with condition "none", what it scores.
    reference_value : float
        The reference's own value.
    difference : float
        Value less the reference: of the same kind as the p-value.
    p_value, adjusted_p : float
        Two-sided; adjusted for all comparisons of the audit.
    p_error : float
        Standard error of `p_value`; 0 where its law is exact.
    condition : {"classes", "none", ""}
        What the test holds fixed; "" without a test.
    route : str
        "convolution", the exact law of the number of right cases, or "permutation", random deals of
        cases between the group and the others; "approximate", Rao and Scott's test, of weighted or
        clustered cases; of two classes, what these have as well has the test, and its route, of an
        audit of two classes; "" without a test.
    tested : {"lower", "higher", "undefined", "untested"} or None
        What the test alone says; None where no difference is seen.
    reason : str or None
        Why there is no value or no test.
    gap : float
        The smallest difference that matters.
    span, difference_span : sequence of two floats
        Credible intervals of the value and of the difference, found when they are first looked at:
        a report of many groups shows few of them.
    bounds : (float, float) or None
    """

    derived: ClassVar[tuple[str, ...]] = (
        "low",
        "high",
        "difference_low",
        "difference_high",
        "verdict",
    )

    name: str
    direction: str
    value: float
    reference: float = math.nan
    reference_value: float = math.nan
    difference: float = math.nan
    p_value: float = math.nan
    adjusted_p: float = math.nan
    p_error: float = math.nan
    condition: str = ""
    route: str = ""
    reason: str | None = None
    tested: Verdict | None = field(default="untested", metadata=HIDDEN)
    gap: float = field(default=math.nan, metadata=HIDDEN)
    span: Sequence[float] = field(default=UNKNOWN, metadata=HIDDEN)
    difference_span: Sequence[float] = field(default=UNKNOWN, metadata=HIDDEN)
    bounds: tuple[float, float] | None = field(default=None, metadata=HIDDEN)

    @property
    def low(self) -> float:
        """Lower end of the interval of the value."""
        return self.span[0]

    @property
    def high(self) -> float:
        """Upper end of the interval of the value."""
        return self.span[1]

    @property
    def difference_low(self) -> float:
        """Lower end of the interval of the difference."""
        return self.difference_span[0]

    @property
    def difference_high(self) -> float:
        """Upper end of the interval of the difference."""
        return self.difference_span[1]

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
class AveragedGroup(Result):
    """One group: its values in the group columns, its cases, and its averages.

    `absent` are the classes without a case in it; `cases`, `effective_n` and `n_clusters` are those
    of an `AuditedGroup`.
    """

    group: Mapping[str, Any]
    n: float
    table: ClassTable = field(metadata=HIDDEN)
    findings: tuple[AverageFinding, ...] = field(metadata=called("metrics"))
    absent: tuple[Any, ...] = ()
    cases: int | None = None
    effective_n: float | None = None
    n_clusters: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedClass(Result):
    """One class against the rest: its groups and gaps, as in an audit of two classes."""

    label: Any
    groups: tuple[AuditedGroup, ...]
    gaps: tuple[GapFact, ...] = ()


class ClassDifference(NamedTuple):
    """A finding that cannot be luck, its group, and the class that it is about.

    `label` is None, and `of_class` false, for a metric of all classes together.
    """

    group: AveragedGroup | AuditedGroup
    finding: AverageFinding | Finding
    label: Any = None
    of_class: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassAuditFacts(Result):
    """Everything that `audit` found out about several classes.

    Attributes
    ----------
    n : float
    missing : int
        Rows dropped because something was missing.
    table : ClassTable
        All cases: truth in rows, predictions in columns.
    reference : str
        "rest", "overall", or the label of the group that the others are compared with.
    condition : {"auto", "none", "denominator", "classes"}
        What was asked for.
    alpha, gap, confidence_level : float
    adjust : {"auto", "holm", "benjamini-hochberg"}
    adjustment : {"holm", "benjamini-hochberg"}
        How p-values were adjusted, over all groups, classes and metrics together.
    groups : tuple of AveragedGroup
    classes : tuple of AuditedClass
        In the order of the table.
    gaps : tuple of GapFact
        The largest difference between two groups by each metric of the whole table.
    n_deals : int
        Random deals of a permutation test at most; 0 without one.
    absent : tuple of labels
        Classes without a case.
    group_names : tuple of str
    unverified : UnverifiedFact or None
        How rows without a truth, which were dropped, differ in what is predicted of them.
    source, target, prediction : str or None
    scores : tuple of str
        Columns of scores, in the order of the classes; "score" of an array.
    tied : int or None
        Without a prediction, cases of which several classes have the highest score; they are called
        the first of these.
    effective_n, n_clusters, n_replicates, cluster, case_id
        As in `AuditFacts`.
    """

    schema: ClassVar[int | None] = 1
    derived: ClassVar[tuple[str, ...]] = ("n_comparisons",)
    n: float
    missing: int
    table: ClassTable
    reference: str
    condition: str
    alpha: float
    gap: float
    confidence_level: float
    adjust: str
    adjustment: Literal["holm", "benjamini-hochberg"]
    groups: tuple[AveragedGroup, ...]
    classes: tuple[AuditedClass, ...]
    gaps: tuple[GapFact, ...] = ()
    n_deals: int = 0
    absent: tuple[Any, ...] = ()
    group_names: tuple[str, ...] = field(default=(), metadata=HIDDEN)
    unverified: UnverifiedFact | None = None
    source: str | None = None
    target: str | None = None
    prediction: str | None = None
    scores: tuple[str, ...] = ()
    tied: int | None = None
    effective_n: float | None = None
    n_clusters: int | None = None
    n_replicates: int | None = None
    cluster: str | None = None
    case_id: str | None = None

    @property
    def approximate(self) -> bool:
        """Whether weights or clusters leave no exact test."""
        return self.effective_n is not None or self.n_clusters is not None

    @property
    def mirrored(self) -> bool:
        """Whether two groups are compared with each other: one comparison, from either side."""
        filled = [group for group in self.groups if group.n]
        return self.reference in {"rest", "overall"} and len(filled) == 2

    @property
    def n_comparisons(self) -> int:
        """How many comparisons were made; what is seen from either side counts once."""
        tested = [
            sum(not math.isnan(f.adjusted_p) for f in self.findings_of(i))
            for i in range(len(self.groups))
        ]
        return max(tested, default=0) if self.mirrored else sum(tested)

    def findings_of(self, place: int) -> tuple[AverageFinding | Finding, ...]:
        """Return all findings of the group at this place."""
        of_classes = (f for one in self.classes for f in one.groups[place].findings)
        return (*self.groups[place].findings, *of_classes)

    @property
    def differing(self) -> tuple[ClassDifference, ...]:
        """The findings that cannot be luck: of averages, then class by class."""
        whole = (
            ClassDifference(group, finding)
            for group in self.groups
            for finding in group.findings
            if finding.differs
        )
        of_class = (
            ClassDifference(group, finding, one.label, of_class=True)
            for one in self.classes
            for group in one.groups
            for finding in group.findings
            if finding.verdict in {"lower", "higher"}
        )
        return (*whole, *of_class)

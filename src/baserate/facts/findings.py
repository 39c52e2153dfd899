"""Facts of the groups of an audit: findings metric by metric, beside the group's reference."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple

from baserate._result import HIDDEN, Result, called
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix

UNKNOWN = (math.nan, math.nan)
Verdict = Literal[
    "lower", "higher", "consistent", "too_small", "unresolved", "undefined", "untested"
]


def shade_of(verdict: str, direction: str) -> str:
    """Return whether a difference is "better" or "worse" for the group by the metric's direction.

    "apart" where neither way is better; any other verdict is itself.

    Examples
    --------
    >>> from baserate.facts.findings import shade_of
    >>> shade_of("lower", "higher"), shade_of("lower", "lower"), shade_of("lower", "neither")
    ('worse', 'better', 'apart')
    """
    if verdict not in {"lower", "higher"}:
        return verdict
    return "apart" if direction == "neither" else "better" if verdict == direction else "worse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(Result):
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
        more, on average over what the reference leaves open about itself; inf if it would show none
        but a fall below chance, nan if that is not known or not needed.
    unseen_route : {"exact", "approximate", ""}
        How `unseen` was computed: "approximate", by normal laws, for very large groups and for
        weighted or clustered cases; "" where it is nan.
    verdict : {"lower", "higher", "consistent", "too_small", "unresolved", "undefined", "untested"}
        "unresolved": no difference seen, and it is not known what would have gone unseen.
    reason : str or None
        Why there is no value or no test, or why `unseen` is not known.
    route : str
        How the p-value was computed: "approximate" for weighted or clustered cases, by Rao and
        Scott's correction; every other route is exact, "convolution" and "enumeration" for clusters
        that are alike, dealt out in all ways; "" without a test.
    design_effect, degrees_of_freedom : float
        Of the approximate test, which also says what would go unseen where clusters are dealt out:
        how many times the variance of independent cases it takes, and of Student's law; nan for an
        exact one of independent cases.
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
    unseen_route: str = ""
    verdict: Verdict = "untested"
    reason: str | None = None
    route: str = ""
    design_effect: float = math.nan
    degrees_of_freedom: float = math.nan
    bounds: tuple[float, float] | None = field(default=None, metadata=HIDDEN)

    @property
    def differs(self) -> bool:
        """Whether the group differs by more than luck."""
        return self.verdict in {"lower", "higher"}

    @property
    def shade(self) -> str:
        """What a colour says of it: the verdict, or for whom a difference is better or worse."""
        return shade_of(self.verdict, self.direction)


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
class SmoothingFact(Result):
    """Whether shrinking toward the reference helps a group, by exact mean squared errors.

    Attributes
    ----------
    checked : int
        Metrics that could be judged.
    median : float
        Of the errors with smoothing over those without; below 1 smoothing helps.
    worst : str or None
        The metric with the largest such ratio.
    worst_ratio : float
    best_strength : float
        Where the worst ratio is above 1: the pseudo-cases with which that metric would have the
        smallest error; nan if it has no closed form.
    unjudged : tuple of str
        Metrics whose observed rate of 0 or 1 leaves nothing to compare with.
    """

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
class GapFact(Result):
    """The largest difference of one metric between two groups, undefined groups left out.

    Attributes
    ----------
    name : str
    difference, low, high : float
        Largest value less smallest value, and the interval for those two groups.
    largest, smallest : mapping or None
        The two groups.
    undefined : tuple of LeftOut
        Groups left out, and why.
    too_small : tuple of mapping
        Groups left out because they are too small to show a gap that matters, or lie within one
        cluster; where fewer than two others are left, too small to show one less than twice as
        large as the second surest group could.
    """

    name: str
    difference: float
    low: float = math.nan
    high: float = math.nan
    largest: Mapping[str, Any] | None = None
    smallest: Mapping[str, Any] | None = None
    undefined: tuple[LeftOut, ...] = ()
    too_small: tuple[Mapping[str, Any], ...] = ()

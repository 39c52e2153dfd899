"""Facts of an audit: what is known about each group, metric by metric, beside its reference."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple

from baserate._result import HIDDEN, Result, called
from baserate.counts import ConfusionMatrix
from baserate.facts.scores import GroupCalibrationFact, ScoreBinsFact, SuppressionFact
from baserate.facts.unverified import UnverifiedFact

DEALT = {"convolution", "enumeration"}  # routes of a test of whole clusters
Verdict = Literal[
    "lower", "higher", "consistent", "too_small", "unresolved", "undefined", "untested"
]
Adjustment = Literal["holm", "benjamini-hochberg", "min-p", "min-p or holm"]


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
    def shade(self) -> str:
        """What a colour says of it: the verdict, or for whom a difference is better or worse."""
        return shade_of(self.verdict, self.direction)


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
class AuditedGroup(Result):
    """One group: its table, the reference's, its findings, and whether smoothing helps it.

    `smoothing` is None for a group without cases, or of weighted ones; it is found when it is first
    looked at, in `smoothings`, which holds one at most. With weights or clusters `cases` is how
    many were counted, `effective_n` Kish's effective number of them, `n_clusters` how many clusters
    they lie in; else None.
    """

    derived: ClassVar[tuple[str, ...]] = ("smoothing",)

    group: Mapping[str, Any]
    table: ConfusionMatrix
    reference: ConfusionMatrix
    findings: tuple[Finding, ...] = field(metadata=called("metrics"))
    smoothings: Sequence[SmoothingFact] = field(default=(), metadata=HIDDEN)
    cases: int | None = None
    effective_n: float | None = None
    n_clusters: int | None = None

    @property
    def smoothing(self) -> SmoothingFact | None:
        """Whether smoothing helps."""
        return next(iter(self.smoothings), None)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFacts(Result):
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
    uncertain_reference : bool
        Whether tests allow for the luck of the reference; else its shares are taken as known.
    confidence_level : float
    adjust : {"auto", "holm", "benjamini-hochberg"}
    adjustment : {"holm", "benjamini-hochberg", "min-p", "min-p or holm"}
        How p-values were adjusted: "min-p" by the exact law of the smallest over the metrics of a
        group and Holm's method over groups, "min-p or holm" by Holm's method throughout where a
        group is too large.
    base_rate : float or None
        The base rate that metrics are restated at, if one was asked for.
    groups : tuple of AuditedGroup
    group_names : tuple of str
    gaps : tuple of GapFact
    calibration : tuple of GroupCalibrationFact
        Whether the probabilities of each group are right on the whole, where scores make the table;
        tested by itself, at level `alpha` over all groups.
    calibration_reason : str or None
        Why there is a score and no calibration.
    bins : ScoreBinsFact or None
        How the scores of groups and classes were counted in bins, if they were.
    effective_n : float or None
        Kish's effective number of cases; None without weights.
    n_clusters : int or None
        How many clusters there are; None for independent cases.
    n_replicates : int or None
        How many sets of replicate weights there are.
    cluster, case_id : str or None
        The columns of clusters and of items.
    suppression : SuppressionFact or None
        What was done before counts left their site.
    source, target, prediction, score : str or None
    threshold : float or None
    unverified : UnverifiedFact or None
        Whether rows left out for want of a truth are alarms as often as the others.
    """

    schema: ClassVar[int | None] = 1
    derived: ClassVar[tuple[str, ...]] = ("n_comparisons",)
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
    adjustment: Adjustment
    groups: tuple[AuditedGroup, ...]
    group_names: tuple[str, ...] = field(metadata=HIDDEN)
    gaps: tuple[GapFact, ...] = ()
    calibration: tuple[GroupCalibrationFact, ...] = ()
    calibration_reason: str | None = None
    bins: ScoreBinsFact | None = None
    base_rate: float | None = None
    effective_n: float | None = None
    n_clusters: int | None = None
    n_replicates: int | None = None
    uncertain_reference: bool = True
    cluster: str | None = None
    case_id: str | None = None
    suppression: SuppressionFact | None = None
    unverified: UnverifiedFact | None = None
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
    def approximate(self) -> bool:
        """Whether weights or clusters leave no exact test."""
        return self.effective_n is not None or self.n_clusters is not None

    @property
    def n_tested(self) -> int:
        """How many findings have a test."""
        return sum(not math.isnan(f.p_value) for group in self.groups for f in group.findings)

    @property
    def n_dealt(self) -> int:
        """How many of them by dealing out whole clusters: every way, exactly."""
        if self.n_clusters is None:
            return 0
        found = (f for group in self.groups for f in group.findings if not math.isnan(f.p_value))
        return sum(finding.route in DEALT for finding in found)

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

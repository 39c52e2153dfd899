"""What an audit asks of every group, once it is known how many cases fell where."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, compress
from math import inf, isnan, nan
from typing import Any

import numpy as np

from baserate._arith import slack
from baserate._result import Deferred
from baserate.cases.counted import Counted, Key
from baserate.cases.several_classes import ClassCounted
from baserate.counts import CELLS, ConfusionMatrix, has_both
from baserate.errors import (
    InvalidArgumentError,
    UnsupportedError,
)
from baserate.evaluation.audit_gaps import gaps_of, too_small
from baserate.evaluation.audit_groups import (
    beyond_of,
    by_column,
    compared_with,
    named,
    several_groups,
    shown_first,
    sizes_of,
    units_of,
)
from baserate.evaluation.audit_samples import dealt_out, effective_table, is_sampled, sample_of
from baserate.evaluation.evaluation_facts import stacked
from baserate.facts.audit import (
    POWER,
    UNKNOWN,
    Adjustment,
    AuditedGroup,
    AuditFacts,
    Finding,
    GapFact,
    SmoothingFact,
    Verdict,
    gap_that_matters,
)
from baserate.groups import adjust, cluster_permutation, family_adjust, smooth
from baserate.groups.match import MatchTest, expected_of, match_of, no_test
from baserate.groups.null import Null
from baserate.groups.pair_intervals import pair_ends
from baserate.groups.pairs import difference
from baserate.groups.power import farthest, smallest_gaps
from baserate.groups.rao_scott import rao_scott_of
from baserate.groups.sampled_gaps import SampledTrial, sampled_ends
from baserate.groups.samples import Samples
from baserate.groups.smoothing import Smoothed
from baserate.groups.smoothing_checks import Checks
from baserate.groups.trials import MetricTrial, trial_of
from baserate.inference import interval
from baserate.inference.binary_intervals import design_interval
from baserate.metrics import Metric
from baserate.metrics.ties import tie_width

Ends = tuple[float, float]
MOST_CASES = 5e10  # whose laws are summed in some 10 s and 2 GB
SAMPLED = {Samples.law, cluster_permutation.LAW}
MOST_APART = 300  # differences that have intervals, at 5 ms each


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedWith:
    """A group, and what it is compared with.

    It is one of those that were `counted`. `apart` is the law for the cases that are not in it:
    exact, or of weighted or clustered samples.
    """

    key: Key
    counted: Counted
    table: ConfusionMatrix
    reference: ConfusionMatrix
    apart: Null | Samples
    smoothed: Smoothed
    tests: tuple[MatchTest, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """A test whose p-value is adjusted: `apart` is how far the group lies off if it differs."""

    test: MatchTest
    adjusted: float
    expected: float
    apart: float
    reason: str | None
    untested: bool

    @property
    def silent(self) -> bool:
        """Whether it sees no difference: then it is asked which ones would go unseen."""
        return not (self.apart or self.untested)


@dataclass(frozen=True, slots=True, kw_only=True)
class Auditing:
    """What is asked of every group."""

    metrics: tuple[Metric, ...]
    base_rate: float | None
    reference: Any
    strength: float
    alpha: float
    gap: float
    condition: str
    adjust: str
    level: float
    uncertain: bool = True
    fairness: bool = False  # whether a criterion of fairness was named
    one_class: bool = False  # so that an accuracy is the rate of that class

    def of_counted(self, counted: Counted, about: Mapping[str, Any]) -> AuditFacts:
        """Gather the facts of every group."""
        if not (self.one_class or has_both(counted.table)):
            return replace(self, one_class=True).of_counted(counted, about)
        groups = several_groups(counted)
        largest = max(float(table.n) for table in groups.values())
        if counted.design is None and largest > MOST_CASES:
            raise UnsupportedError(
                f"an audit sums exact laws of at most {MOST_CASES:.0e} cases a group, got "
                f"{largest:.3g}: compare the groups as classifiers, or evaluate them, whose "
                "intervals take more."
            )
        chosen = self.chosen(counted)
        compared = [
            self.compared(key, table, part, chosen)
            for part in self.parts(counted)
            for key, table in part.groups.items()
            if key != chosen
        ]
        beyond = beyond_of(self.metrics, counted)
        more = [cells[0].p_value for cells in beyond]
        apart = [[one] for one in compared] if self.mirrored(counted) else [compared]
        found = [self.adjusted(some, more) for some in apart]
        p_values = chain.from_iterable(adjusted for adjusted, _ in found)
        tested = ([t for one in some for t in one.tests if not isnan(t.p_value)] for some in apart)
        n_tests = max(1, *map(len, tested)) + len(more)
        each = [[next(p_values) for _ in one.tests] for one in compared]
        judged = self.findings(compared, each, n_tests)
        audited = [
            replace(
                audited_group(one, findings), smoothings=Deferred(partial(self._smoothing, one))
            )
            for one, findings in zip(compared, judged, strict=True)
        ]
        return AuditFacts(
            positive=counted.positive,
            **self.asked_of(counted, chosen),
            strength=self.strength,
            uncertain_reference=self.uncertain,
            adjustment=found[0][1],
            base_rate=self.base_rate,
            fairness=self.fairness,
            groups=tuple(audited),
            gaps=tuple(self.gaps(counted, compared, audited)),
            n_beyond=len(beyond),
            beyond=tuple(
                replace(cell, adjusted_p=p)
                for cells, p in zip(beyond, p_values, strict=True)
                for cell in cells
            ),
            **AuditFacts.known(about),
        )

    def parts(self, counted: Any) -> list[Any]:
        """Return the cases in groups of each column alone, the margins, then of all: the cells.

        One cell that is chosen as the reference is beside cells only.
        """
        return [*(by_column(counted) if self.chosen(counted) is None else ()), counted]

    def gaps(
        self, counted: Counted, compared: Sequence[ComparedWith], audited: Sequence[AuditedGroup]
    ) -> Iterator[GapFact]:
        """Yield the largest gaps between groups of all columns, which no group of one exceeds."""
        whole = zip(compared, audited, strict=True)
        cells = {one.key: group for one, group in whole if one.counted is counted}
        small = too_small([*cells], [*cells.values()])
        chosen = self.chosen(counted)
        each = self.fairness or chosen is not None
        return gaps_of(self.metrics, counted, self.level, small, chosen, each=each)

    def asked_of(self, counted: Counted | ClassCounted, chosen: Key | None) -> dict[str, Any]:
        """Return what was asked of which cases, by the names that facts have."""
        return {
            "n": counted.table.n,
            "missing": counted.n_missing,
            "table": counted.table,
            "reference": self.reference if chosen is None else ", ".join(map(str, chosen)),
            "condition": self.condition,
            "alpha": self.alpha,
            "gap": self.gap,
            "confidence_level": self.level,
            "adjust": self.adjust,
            "group_names": counted.group_names,
            "effective_n": counted.effective_n if counted.weighted else None,
            **units_of(counted),
        }

    def compared(
        self, key: Key, table: ConfusionMatrix, counted: Counted, chosen: Key | None
    ) -> ComparedWith:
        """Test one group on every metric."""
        if is_sampled(counted):
            if not self.uncertain:
                rule = (
                    "must be True with weights or clusters, whose tests count how sure both sides "
                    "are"
                )
                remedy = "leave it out, as they then do"
                raise InvalidArgumentError.from_rule("uncertain_reference", rule, False, remedy)
            return self._sampled(key, table, counted, chosen)
        if chosen is None:
            rest = (int(all_) - int(own) for all_, own in zip(counted.table, table, strict=True))
            others = ConfusionMatrix(**dict(zip(CELLS, rest, strict=True)))
        else:
            others = counted.groups[chosen]
        dealt: Any = "permutation" if self.uncertain else None  # Fisher's, at or below its level
        apart = null = Null.of(table, others, uncertain=self.uncertain, law=dealt)
        if self.reference == "overall":
            law: Any = "contained" if self.uncertain else None
            null = Null.of(table, counted.table, uncertain=self.uncertain, law=law)
        return ComparedWith(
            key=key,
            counted=counted,
            table=table,
            reference=null.reference,
            apart=apart,
            smoothed=smooth(table, others, strength=self.strength),
            tests=tuple(self._test(metric, null) for metric in self.metrics),
        )

    def _sampled(
        self, key: Key, table: ConfusionMatrix, counted: Counted, chosen: Key | None
    ) -> ComparedWith:
        """Test a group of weighted or clustered cases on every metric: approximately."""
        apart = sample_of(counted, key, chosen)
        tested = replace(apart, contained=self.reference == "overall")
        tests = tuple(rao_scott_of(tested, m, self._condition(m)) for m in self.metrics)
        one_by_one = 1 if self.mirrored(counted) else len(counted.groups)
        level = self.alpha / (one_by_one * len(tests))  # of the smallest, adjusted for all
        tests = dealt_out(counted, key, chosen, tests, level) or tests
        return ComparedWith(
            key=key,
            counted=counted,
            table=table,
            reference=tested.reference,
            apart=apart,
            smoothed=smooth(effective_table(counted, key), apart.other, strength=self.strength),
            tests=tests,
        )

    def adjusted(
        self, compared: Sequence[ComparedWith], more: Sequence[float] = ()
    ) -> tuple[Sequence[float], Adjustment]:
        """Return adjusted p-values of all tests in turn, then of `more`, and how it was done."""
        tests = [test for one in compared for test in one.tests]
        if self.adjust == "holm":
            return adjust([*(test.p_value for test in tests), *more], "holm").tolist(), "holm"
        places = [place for place, one in enumerate(compared) for _ in one.tests]
        if self.adjust == "benjamini-hochberg":
            found = family_adjust(tests, places, method="benjamini-hochberg", others=more)
            return found.p_values, "benjamini-hochberg"
        found = family_adjust(tests, places, others=more)
        routes = set(found.routes[: len(tests)]) - {""}
        if "min-p" not in routes or any(test.law in SAMPLED for test in tests):
            return found.p_values, "holm"
        return found.p_values, "min-p" if routes == {"min-p"} else "min-p or holm"

    def mirrored(self, counted: Counted | ClassCounted) -> bool:
        """Return whether there are two groups, each compared with the other.

        That is one comparison, looked at from either side: each side is adjusted by itself.
        """
        filled = sum(table.n > 0 for table in counted.groups.values())
        return filled == 2 and self.chosen(counted) is None

    def chosen(self, counted: Counted | ClassCounted) -> Key | None:
        """Return the group that the others are compared with, if it is one of them."""
        return compared_with(self.reference, counted.groups)

    def _test(self, metric: Metric, null: Null) -> MatchTest:
        """Test one metric; one that has no exact test here is left out with its reason."""
        condition = self._condition(metric)
        try:
            return match_of(null, metric, condition)
        except UnsupportedError as refused:
            return no_test(null, metric, condition, reason=str(refused))

    def _condition(self, metric: Metric) -> Any:
        """Return what to hold fixed; what only rates have, other metrics choose themselves.

        Precision is judged at the class totals, as F1 is: given the number predicted positive, a
        group would differ for its base rate alone.
        """
        if self.condition == "denominator" and metric.proportion is None:
            return "auto"
        if self.condition != "auto" or metric.direction == "neither":
            return self.condition
        if self.one_class and metric.proportion is not None:
            return "denominator"
        return "classes" if metric.depends_on_base_rate else "auto"

    def intervals(self, compared: Sequence[ComparedWith]) -> Sequence[tuple[Ends, ...]]:
        """Return the ends of every metric's interval, group by group."""
        if any(one.counted.design is not None for one in compared):
            designs = (one.counted.group_designs[one.key] for one in compared)
            by = ([design_interval(m, own, self.level) for m in self.metrics] for own in designs)
            return [tuple((one.low, one.high) for one in found) for found in by]
        how: dict[str, Any] = {"confidence_level": self.level}
        if any(one.counted.weighted for one in compared):
            squares = [one.counted.group_squared[one.key] for one in compared]
            how["squared_weights"] = stacked(squares)
        batch = stacked([one.table for one in compared])
        found = [interval(m, batch, **how) for m in self.metrics]
        ends = [zip(one.low.tolist(), one.high.tolist(), strict=True) for one in found]
        return list(zip(*ends, strict=True))

    def _smoothing(self, one: ComparedWith) -> Iterator[SmoothingFact]:
        """Yield whether smoothing helps; the exact errors count whole cases, not weights."""
        if one.table.n and not one.smoothed.group.is_weighted:
            yield smoothing_fact(one.smoothed.checks)

    def findings(
        self,
        compared: Sequence[ComparedWith],
        adjusted: Sequence[Sequence[float]],
        n_tests: int,
    ) -> list[tuple[Finding, ...]]:
        """Judge all tests of every group, once they are adjusted for one another."""
        spans = self._spans(compared, adjusted)
        judged = [
            [self._judged(test, p) for test, p in zip(one.tests, ps, strict=True)]
            for one, ps in zip(compared, adjusted, strict=True)
        ]
        asked = [
            (one.apart, at.test.measured, at.expected)
            for one, row in zip(compared, judged, strict=True)
            for at in row
            if at.silent
        ]
        unseen = iter(self._unseen(asked, n_tests))
        apart = self._differences(compared, judged)
        return [
            tuple(
                replace(
                    self._finding(at, one, *(next(unseen) if at.silent else (nan, "", at.reason))),
                    span=Deferred(partial(_cell, *spans[row], column)),
                    difference_span=next(apart),
                )
                for column, at in enumerate(tests)
            )
            for row, (one, tests) in enumerate(zip(compared, judged, strict=True))
        ]

    def _spans(
        self, compared: Sequence[ComparedWith], adjusted: Sequence[Sequence[float]]
    ) -> list[tuple[Sequence[tuple[Ends, ...]], int]]:
        """Return where the intervals of each group stand, which are found when one is looked at.

        Those of the groups that pages show of very many together, and those of all others.
        """
        surest = [
            min(
                (np.fmin(p, inf), np.fmin(t.p_value, inf))
                for p, t in zip(ps, one.tests, strict=True)
            )
            for one, ps in zip(compared, adjusted, strict=True)
        ]
        found = dict[int, tuple[Sequence[tuple[Ends, ...]], int]]()
        for rows in shown_first(surest, [one.table.n for one in compared]):
            block = Deferred(partial(self.intervals, [compared[row] for row in rows]))
            found |= {row: (block, place) for place, row in enumerate(rows)}
        return [found[row] for row in range(len(compared))]

    def _differences(
        self, compared: Sequence[ComparedWith], judged: Sequence[Sequence["Judged"]]
    ) -> Iterator[Sequence[float]]:
        """Yield the interval of each difference from the reference, found when it is looked at.

        None of a score that is restated at the group's own class totals, nor from all cases, of
        which the group is a part, nor from what is taken as known; nor of so many that they would
        take longer than all else.
        """
        whole = self.reference == "overall" or not self.uncertain
        every = [(one, at) for one, row in zip(compared, judged, strict=True) for at in row]
        asked = [
            not whole
            and at.test.measured.proportion is not None
            and abs(at.expected - at.test.reference_value)
            <= tie_width(at.test.measured, at.expected)
            for _, at in every
        ]
        some = [(one, at.test.measured) for one, at in compress(every, asked)]
        found = Deferred(partial(self._apart, some))
        places = iter(range(len(some)) if len(some) <= MOST_APART else ())
        for known in asked:
            place = next(places, None) if known else None
            yield UNKNOWN if place is None else Deferred(partial(found.__getitem__, place))

    def _apart(self, some: Sequence[tuple[ComparedWith, Metric]]) -> Iterator[Ends]:
        sampled = [(m, one.apart) for one, m in some if isinstance(one.apart, Samples)]
        if sampled:
            yield from (sampled_ends(*pair, self.level)[1:] for pair in sampled)
            return
        pairs = [(difference(metric), one.table, one.reference) for one, metric in some]
        yield from (found[:2] for found in pair_ends(pairs, self.level))

    def _judged(self, test: MatchTest, adjusted: float) -> "Judged":
        metric, expected = test.measured, expected_of(test)
        apart = test.value - expected
        differs = adjusted <= self.alpha and abs(apart) > tie_width(metric, expected)
        reason = test.reason
        if reason is None and isnan(expected):
            reason = f"the reference has no value ({metric.undefined_reason(test.reference)})"
        untested = isnan(test.p_value) or isnan(expected)
        return Judged(test, adjusted, expected, apart if differs else 0.0, reason, untested)

    def _finding(
        self,
        at: "Judged",
        one: ComparedWith,
        unseen: float,
        unseen_route: str,
        reason: str | None,
    ) -> Finding:
        test, metric, sampled = at.test, at.test.measured, at.test.law in SAMPLED
        gap = gap_that_matters(self.gap, metric)
        return Finding(
            name=metric.name,
            direction=metric.direction,
            value=test.value,
            smoothed=one.smoothed.value(metric),
            reference=at.expected,
            reference_value=test.reference_value,
            percentile=test.percentile,
            p_value=test.p_value,
            mid_p=test.mid_p,
            adjusted_p=at.adjusted,
            p_defined=test.p_defined,
            condition="" if isnan(test.p_value) else test.condition,
            null=test.null,
            unseen=unseen,
            unseen_route=unseen_route,
            verdict=_verdict(at, unseen, gap),
            reason=reason,
            route=test.route,
            design_effect=test.design_effect if sampled else nan,
            degrees_of_freedom=test.degrees_of_freedom if sampled else nan,
            bounds=metric.bounds,
            gap=gap,
        )

    def _unseen(
        self, asked: Sequence[tuple[Null | Samples, Metric, float]], n_tests: int
    ) -> Iterator[tuple[float, str, str | None]]:
        """Yield gaps to the other cases that would have been seen either way, and their routes.

        At Bonferroni's level, which no adjustment used here falls below. inf if none would be seen
        but a fall below chance; nan, and why, if it is not known.
        """
        questions = {
            metric: MetricTrial(metric, self._condition(metric), uncertain=self.uncertain)
            for metric in self.metrics
        }
        tried = [(_tried(questions[metric], apart), metric) for apart, metric, _ in asked]
        found = smallest_gaps(tried, self.alpha / n_tests, POWER)
        for gap, (_, metric, expected) in zip(found, asked, strict=True):
            if isinstance(gap, UnsupportedError):
                yield nan, "", "too_many_tables"
                continue
            seen = float(np.fmax(gap.below, gap.above))
            hidden = isnan(seen) or seen > farthest(metric, expected)
            yield (inf if hidden else seen), gap.route, None


def _tried(question: MetricTrial, apart: Null | Samples) -> Any:
    if isinstance(apart, Samples):
        return SampledTrial(apart, question.metric, question.condition)
    return trial_of(question, apart)


def _cell(spans: Sequence[Sequence[Ends]], row: int, column: int) -> Ends:
    return spans[row][column]


def _verdict(at: "Judged", unseen: float, gap: float) -> Verdict:
    if isnan(at.test.value):
        return "undefined"
    if at.untested:
        return "untested"
    if at.apart:
        return "lower" if at.apart < 0 else "higher"
    if isnan(unseen):
        return "unresolved"
    return "too_small" if unseen > gap + slack(gap, gap) else "consistent"


def audited_group(one: ComparedWith, findings: tuple[Finding, ...]) -> AuditedGroup:
    """Gather what is known of one group."""
    return AuditedGroup(
        group=named(one.counted, one.key) or {},
        table=one.table,
        reference=one.reference,
        findings=findings,
        **sizes_of(one.key, one.counted),
    )


def smoothing_fact(checks: Checks) -> SmoothingFact:
    """Return whether smoothing helps a group."""
    ratios = checks.ratios
    if not ratios:
        return SmoothingFact(unjudged=checks.unjudged)
    worst = max(ratios, key=lambda name: ratios[name])
    return SmoothingFact(
        checked=len(ratios),
        median=float(np.median(list(ratios.values()))),
        worst=worst,
        worst_ratio=ratios[worst],
        best_strength=nan if checks.helps else checks.best_strength_of(worst),
        unjudged=checks.unjudged,
    )

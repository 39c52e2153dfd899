"""What the tests of every group of an audit say, once they are adjusted for one another."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress
from math import inf, isnan, nan
from typing import Any

import numpy as np

from baserate._arith import slack
from baserate._result import Deferred
from baserate.cases.counted import Counted, Key
from baserate.counts import ConfusionMatrix
from baserate.errors import UnsupportedError
from baserate.evaluation.audit_groups import shown_first
from baserate.evaluation.evaluation_facts import stacked
from baserate.facts.audit import POWER, UNKNOWN, Finding, Verdict, gap_that_matters
from baserate.groups import cluster_permutation
from baserate.groups.match import MatchTest, expected_of, match_of, no_test
from baserate.groups.null import Null
from baserate.groups.pair_intervals import pair_ends
from baserate.groups.pairs import difference
from baserate.groups.power import farthest, smallest_gaps
from baserate.groups.sampled_gaps import SampledTrial, sampled_ends
from baserate.groups.samples import Samples
from baserate.groups.smoothing import Smoothed
from baserate.groups.trials import MetricTrial, trial_of
from baserate.inference import interval
from baserate.inference.binary_intervals import design_interval
from baserate.metrics import Metric
from baserate.metrics.ties import tie_width

Ends = tuple[float, float]
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
class GroupTests:
    """What is tested of every group, and when it counts as different."""

    metrics: tuple[Metric, ...]
    reference: Any
    alpha: float
    gap: float
    condition: str
    level: float
    uncertain: bool = True
    one_class: bool = False  # so that an accuracy is the rate of that class

    def test(self, metric: Metric, null: Null) -> MatchTest:
        """Test one metric; one that has no exact test here is left out with its reason."""
        condition = self.condition_of(metric)
        try:
            return match_of(null, metric, condition)
        except UnsupportedError as refused:
            return no_test(null, metric, condition, reason=str(refused))

    def condition_of(self, metric: Metric) -> Any:
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
        self, compared: Sequence[ComparedWith], judged: Sequence[Sequence[Judged]]
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

    def _judged(self, test: MatchTest, adjusted: float) -> Judged:
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
        at: Judged,
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
            metric: MetricTrial(metric, self.condition_of(metric), uncertain=self.uncertain)
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


def _tried(question: MetricTrial, apart: Null | Samples) -> Any:
    if isinstance(apart, Samples):
        return SampledTrial(apart, question.metric, question.condition)
    return trial_of(question, apart)


def _cell(spans: Sequence[Sequence[Ends]], row: int, column: int) -> Ends:
    return spans[row][column]


def _verdict(at: Judged, unseen: float, gap: float) -> Verdict:
    if isnan(at.test.value):
        return "undefined"
    if at.untested:
        return "untested"
    if at.apart:
        return "lower" if at.apart < 0 else "higher"
    if isnan(unseen):
        return "unresolved"
    return "too_small" if unseen > gap + slack(gap, gap) else "consistent"

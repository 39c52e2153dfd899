"""What an audit asks of every group, once it is known how many cases fell where."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import chain
from math import inf, isnan, nan
from typing import Any

import numpy as np

from baserate._arith import slack
from baserate.cases import Counted
from baserate.counts import ConfusionMatrix
from baserate.errors import DataError, UnknownNameError, UnsupportedError
from baserate.facts import AuditedGroup, AuditFacts, Finding, GapFact
from baserate.facts.audit import Verdict
from baserate.groups import (
    MatchTest,
    Smoothed,
    adjust,
    family_adjust,
    group_difference,
    match_test,
    smallest_gap,
    smooth,
)
from baserate.groups.match import no_test
from baserate.inference import interval
from baserate.metrics import Metric, get
from baserate.metrics.ties import tie_width

Key = tuple[Any, ...]
LISTED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A group, and what it is compared with."""

    key: Key
    table: ConfusionMatrix
    reference: ConfusionMatrix
    others: ConfusionMatrix
    smoothed: Smoothed
    tests: tuple[MatchTest, ...]


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

    def of_counted(self, counted: Counted, about: Mapping[str, Any]) -> AuditFacts:
        """Gather the facts of every group."""
        groups = _several(counted)
        chosen = self._chosen(counted)
        pairs = [self._pair(key, t, counted, chosen) for key, t in groups.items() if key != chosen]
        apart = [[pair] for pair in pairs] if self._mirrored(counted) else [pairs]
        found = [self._adjusted(some) for some in apart]
        p_values = chain.from_iterable(adjusted for adjusted, _ in found)
        tested = max(1, *(sum(map(_has_p, tests)) for tests in map(_tests_of, apart)))
        audited = tuple(self._audited(pair, p_values, counted, tested) for pair in pairs)
        known = {name: about[name] for name in ABOUT if name in about}
        return AuditFacts(
            positive=counted.positive,
            n=counted.table.n,
            missing=counted.n_missing,
            table=counted.table,
            reference=self.reference if chosen is None else ", ".join(map(str, chosen)),
            condition=self.condition,
            alpha=self.alpha,
            gap=self.gap,
            strength=self.strength,
            confidence_level=self.level,
            adjust=self.adjust,
            adjustment=found[0][1],
            base_rate=self.base_rate,
            groups=audited,
            group_names=counted.group_names,
            gaps=tuple(self._gap(metric, counted) for metric in self.metrics),
            **known,
        )

    def _mirrored(self, counted: Counted) -> bool:
        """Return whether there are two groups, each compared with the other.

        That is one comparison, looked at from either side: each side is adjusted by itself.
        """
        filled = sum(table.n > 0 for table in counted.groups.values())
        return filled == 2 and self._chosen(counted) is None

    def _adjusted(self, pairs: Sequence[Pair]) -> tuple[Sequence[float], str]:
        """Return adjusted p-values of all tests in turn, and how they were adjusted."""
        tests = _tests_of(pairs)
        if self.adjust == "holm":
            return adjust([test.p_value for test in tests], "holm").tolist(), HOLM
        keys = [pair.key for pair in pairs for _ in pair.tests]
        if self.adjust == "benjamini-hochberg":
            found = family_adjust(tests, keys, method="benjamini-hochberg")
            return found.p_values, BENJAMINI_HOCHBERG
        found = family_adjust(tests, keys)
        exact = sum(route == "min-p" for route in found.routes)
        if not exact:
            return found.p_values, HOLM
        return found.p_values, MIN_P if exact == sum(map(bool, found.routes)) else SOME_MIN_P

    def _chosen(self, counted: Counted) -> Key | None:
        """Return the group that the others are compared with, if it is one of them."""
        if isinstance(self.reference, str) and self.reference in {"rest", "overall"}:
            return None
        asked = self.reference if isinstance(self.reference, tuple) else (self.reference,)
        named = {", ".join(map(str, key)): key for key in counted.groups}
        found = asked if asked in counted.groups else named.get(", ".join(map(str, asked)))
        if found is not None:
            return found
        near = get_close_matches(str(self.reference), named, n=1)
        shown = ", ".join(list(named)[:LISTED])
        remedy = f"It may be rest, overall or a group: {shown}"
        raise UnknownNameError.from_name("reference", str(self.reference), near, remedy)

    def _pair(self, key: Key, table: ConfusionMatrix, counted: Counted, chosen: Key | None) -> Pair:
        """Test one group on every metric."""
        others = _rest(counted, key) if chosen is None else counted.groups[chosen]
        whole = self.reference == "overall"
        reference = counted.table if whole else others
        law = "contained" if whole else None
        return Pair(
            key=key,
            table=table,
            reference=reference,
            others=others,
            smoothed=smooth(table, others, strength=self.strength),
            tests=tuple(self._test(metric, table, reference, law) for metric in self.metrics),
        )

    def _test(
        self, metric: Metric, table: ConfusionMatrix, reference: ConfusionMatrix, law: Any
    ) -> MatchTest:
        """Test one metric; one that has no exact test here is left out with its reason."""
        options = {"condition": self._condition(metric), "law": law}
        try:
            return match_test(metric, table, reference, **options)
        except UnsupportedError as refused:
            return no_test(metric, table, reference, reason=str(refused), **options)

    def _condition(self, metric: Metric) -> Any:
        """Return what to hold fixed; what only rates have, other metrics choose themselves.

        Precision is judged at the class totals, as F1 is: given the number predicted positive, a
        group would differ for its base rate alone.
        """
        if self.condition == "denominator" and metric.proportion is None:
            return "auto"
        composite = metric.depends_on_base_rate and metric.direction != "neither"
        return "classes" if self.condition == "auto" and composite else self.condition

    def _audited(
        self, pair: Pair, p_values: Iterator[float], counted: Counted, n_tests: int
    ) -> AuditedGroup:
        findings = tuple(
            self._finding(metric, test, pair, next(p_values), n_tests)
            for metric, test in zip(self.metrics, pair.tests, strict=True)
        )
        return AuditedGroup(
            group=_named(counted, pair.key) or {},
            table=pair.table,
            reference=pair.reference,
            findings=findings,
            smoothing=pair.smoothed.checks.sentence if pair.table.n else "",
        )

    def _finding(
        self, metric: Metric, test: MatchTest, pair: Pair, adjusted: float, n_tests: int
    ) -> Finding:
        found = interval(metric, pair.table, confidence_level=self.level)
        expected = _expected(metric, test)
        apart = test.value - expected
        differs = adjusted <= self.alpha and abs(apart) > tie_width(metric, expected)
        untested = isnan(test.p_value) or isnan(expected)
        reason = test.reason
        if reason is None and isnan(expected):
            reason = f"{NO_VALUE} ({metric.undefined_reason(pair.reference)})"
        unseen = nan
        if not (differs or untested):
            unseen, reason = self._unseen(metric, pair, expected, n_tests)
        return Finding(
            name=metric.name,
            direction=metric.direction,
            value=test.value,
            low=found.low,
            high=found.high,
            smoothed=pair.smoothed.value(metric),
            reference=expected,
            reference_value=test.reference_value,
            percentile=test.percentile,
            p_value=test.p_value,
            mid_p=test.mid_p,
            adjusted_p=adjusted,
            p_defined=test.p_defined,
            condition="" if isnan(test.p_value) else test.condition,
            null=test.null,
            unseen=unseen,
            verdict=self._verdict(test, unseen, apart if differs else 0.0, untested=untested),
            reason=reason,
            bounds=metric.bounds,
        )

    def _unseen(
        self, metric: Metric, pair: Pair, expected: float, n_tests: int
    ) -> tuple[float, str | None]:
        """Return a gap to the other cases that would have been seen either way.

        At Bonferroni's level, which no adjustment used here falls below. inf if none would be seen
        but a fall below chance; nan, and why, if it is not known.
        """
        try:
            found = smallest_gap(
                metric, pair.table, pair.others, alpha=self.alpha / n_tests,
                condition=self._condition(metric),
            )  # fmt: skip
        except UnsupportedError:
            return nan, UNKNOWN_POWER
        seen = float(np.fmax(found.below, found.above))
        return (inf if isnan(seen) or seen > _farthest(metric, expected) else seen), None

    def _verdict(self, test: MatchTest, unseen: float, apart: float, *, untested: bool) -> Verdict:
        if isnan(test.value):
            return "undefined"
        if untested:
            return "untested"
        if apart:
            return "lower" if apart < 0 else "higher"
        if isnan(unseen):
            return "unresolved"
        return "too_small" if unseen > self.gap + slack(self.gap, self.gap) else "consistent"

    def _gap(self, metric: Metric, counted: Counted) -> GapFact:
        """Return the largest difference between two groups."""
        found = group_difference(metric, counted.groups, confidence_level=self.level)
        low, high = _ends(found)
        return GapFact(
            name=metric.name,
            difference=found.value,
            low=low,
            high=high,
            largest=_named(counted, found.largest),
            smallest=_named(counted, found.smallest),
            undefined=tuple((_named(counted, k) or {}, why) for k, why in found.undefined.items()),
        )


NO_VALUE = "the reference has no value"
UNKNOWN_POWER = "too many tables to sum"
HOLM = "p-values are adjusted by Holm's method"
BENJAMINI_HOCHBERG = (
    "p-values are adjusted by Benjamini and Hochberg's method, which bounds the share of false "
    "alarms among alarms, not the chance of any"
)
MIN_P = (
    "p-values are adjusted by the exact law of the smallest over the metrics of a group, and by "
    "Holm's method over groups"
)
SOME_MIN_P = (
    "p-values are adjusted over the metrics of a group by the exact law of the smallest (by Holm's "
    "method where the group is too large), and by Holm's method over groups"
)
ABOUT = ("source", "target", "prediction", "score", "threshold")


def _named(counted: Counted, key: Any) -> dict[str, Any] | None:
    """Return the labels of a group by column."""
    return None if key is None else dict(zip(counted.group_names, key, strict=True))


def _tests_of(pairs: Sequence[Pair]) -> list[MatchTest]:
    return [test for pair in pairs for test in pair.tests]


def _has_p(test: MatchTest) -> bool:
    return not isnan(test.p_value)


def _farthest(metric: Metric, expected: float) -> float:
    """Return the largest gap of a group that is not worse than chance, where chance is known."""
    low, high = metric.bounds
    if metric.chance is not None and metric.direction != "neither":
        low, high = (metric.chance, high) if metric.direction == "higher" else (low, metric.chance)
    return max(expected - low, high - expected) + tie_width(metric, expected)


def _expected(metric: Metric, test: MatchTest) -> float:
    """Return what the reference would score with as many cases as the group.

    If class totals are held fixed: with the group's own positives and negatives.
    """
    n, other = test.group.n, test.reference
    if not (n and other.n):
        return test.reference_value
    if test.condition != "classes":
        scaled = {name: n * float(cell) / other.n for name, cell in other.to_dict().items()}
        return float(metric(ConfusionMatrix(**scaled)))
    recall, specificity = (float(get(name)(other)) for name in ("recall", "specificity"))
    if isnan(recall) or isnan(specificity):
        return nan if test.group.n_positive and test.group.n_negative else test.reference_value
    rates = {"recall": recall, "specificity": specificity, "base_rate": test.group.base_rate}
    return float(metric.at_rates(**rates, n=n))


def _ends(gap: Any) -> tuple[float, float]:
    """Return the interval of a gap; nan where its metric has none."""
    try:
        return gap.low, gap.high
    except UnsupportedError:
        return nan, nan


def _several(counted: Counted) -> Mapping[Key, ConfusionMatrix]:
    """Return the groups, if there are at least two that can be told apart."""
    if not counted.group_names:
        raise DataError(
            "An audit needs groups: name at least one group column (--group); a file of counts "
            "needs a column with the names of its groups."
        )
    filled = [", ".join(map(str, key)) for key, table in counted.groups.items() if table.n]
    if len(filled) < 2:
        [only] = filled or ["none"]
        raise DataError(
            f"An audit compares groups, and only one has cases ({only}): name another group column."
        )
    if any(table.is_weighted for table in counted.groups.values()):
        raise UnsupportedError(
            "The counts are weights, and the exact tests count cases: pass unweighted counts."
        )
    return counted.groups


def _rest(counted: Counted, key: Key) -> ConfusionMatrix:
    total = ConfusionMatrix(tp=0, fn=0, fp=0, tn=0)
    for other, table in counted.groups.items():
        total = total if other == key else total + table
    return total

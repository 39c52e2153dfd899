"""The facts of an audit of several classes: averages of every group, and class by class."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isnan, nan
from typing import TYPE_CHECKING, Any

from baserate._result import Deferred
from baserate.cases.counted import Counted, Key
from baserate.cases.several_classes import ClassCounted
from baserate.class_counts import ClassTable
from baserate.evaluation.audit_facts import Auditing, audited_group
from baserate.evaluation.audit_findings import ComparedWith, Ends
from baserate.evaluation.audit_gaps import gaps_of, too_few
from baserate.evaluation.audit_groups import named, several_groups, sizes_of
from baserate.evaluation.audit_samples import is_sampled, sample_of
from baserate.evaluation.class_facts import OF_GROUP
from baserate.evaluation.class_stakes import fitted_to_counts
from baserate.evaluation.metric_choice import chosen_of_classes
from baserate.evaluation.stakes import GivenStakes
from baserate.facts.audit import (
    UNKNOWN,
    AuditedClass,
    AveragedGroup,
    AverageFinding,
    ClassAuditFacts,
    GapFact,
    Verdict,
    gap_that_matters,
)
from baserate.groups import adjust
from baserate.groups.class_deals import DealSides
from baserate.groups.class_permutation import MOST_DEALS, ClassTest, permutation_tests
from baserate.groups.match import expected_of
from baserate.groups.rao_scott import class_rao_scott
from baserate.groups.sampled_gaps import sampled_ends
from baserate.groups.samples import Samples
from baserate.inference.class_pairs import DifferenceEnds, class_differences
from baserate.inference.intervals import class_intervals
from baserate.metrics import ClassMetric, Metric, binary_metric, class_metric
from baserate.metrics.class_weights import class_utility

if TYPE_CHECKING:
    from baserate.evaluation.class_contest import ClassContest

AUDITED = ("recall",)  # of every class, unless metrics are named
DEALS = 9_999  # at least, where the tables leave room
ROOM = 4  # times as many deals as the smallest p-value that counts
TIED = 1e-12
# What an audit was made from.


@dataclass(frozen=True, slots=True, kw_only=True)
class Averages:
    """One group of those `counted` beside its reference, by metrics of the whole class table.

    Intervals of the values and of the differences are simulated when they are first looked at.
    """

    key: Key
    counted: ClassCounted
    sides: DealSides
    tests: tuple[ClassTest, ...]
    spans: Sequence[Ends]
    differences: Sequence[DifferenceEnds]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassAuditing:
    """What is asked of every group, and of every class in it."""

    auditing: Auditing  # of each class against the rest
    averages: tuple[ClassMetric, ...]  # of the whole table

    @classmethod
    def facts(
        cls,
        auditing: Auditing,
        metrics: Any,
        counted: ClassCounted,
        about: Mapping[str, Any],
        given: GivenStakes | None = None,
    ) -> ClassAuditFacts:
        """Audit what was counted, by metrics of the whole table and of each class, and utility."""
        if metrics is None:  # few of either
            whole, parts = tuple(map(class_metric, OF_GROUP)), tuple(map(binary_metric, AUDITED))
        else:
            whole, parts = chosen_of_classes(metrics)
        if given is not None:
            stakes, counted = fitted_to_counts(given, counted)
            whole = (*whole, class_utility(stakes.matrix))
            about = {**about, "stakes": stakes.fact(counted.table.class_counts)}
        asked = cls(auditing=replace(auditing, metrics=parts), averages=whole)
        return asked.of_counted(counted, about)

    @classmethod
    def of_decisions(cls, auditing: Auditing, contest: "ClassContest") -> ClassAuditFacts:
        """Audit what decisions that are no classes earn, group beside group."""
        assert contest.cases is not None
        counted, stakes = contest.cases.with_decisions_as_labels().counted(), contest.stakes
        earned = stakes.metric(counted.table.labels)
        known = stakes.fact(counted.table.class_counts[: len(stakes.classes)])
        asked = cls(auditing=replace(auditing, metrics=()), averages=(earned,))
        return asked.of_counted(counted, {**contest.about, "stakes": known})

    def of_counted(self, counted: ClassCounted, about: Mapping[str, Any]) -> ClassAuditFacts:
        """Gather the facts of every group and every class."""
        several_groups(counted)
        chosen = self.auditing.chosen(counted)
        parts = self.auditing.parts(counted)
        keys = [(key, part) for part in parts for key in part.groups if key != chosen]
        every = [part.against_the_rest() for part in parts] if self.auditing.metrics else []
        of_class = [[*rests] for rests in zip(*every, strict=True)]
        classes = [
            [
                self.auditing.compared(key, rest.groups[key], rest, chosen)
                for rest in rests
                for key in rest.groups
                if key != chosen
            ]
            for rests in of_class
        ]
        n_tests = len(self.averages) + len(of_class) * len(self.auditing.metrics)
        mirrored = self.auditing.mirrored(counted)
        wanted = n_tests * (1 if mirrored else len(keys)) * 2 / self.auditing.alpha
        deals = min(MOST_DEALS, max(DEALS, int(ROOM * wanted)))
        averages = [self._averages(key, part, chosen, deals) for key, part in keys]
        adjusted = self._adjusted(averages, classes, mirrored=mirrored)
        tested = [sum(not isnan(p) for p in ps) for ps in adjusted]
        size = max(1, *tested) if mirrored else max(1, sum(tested))
        own = [iter(ps) for ps in adjusted]
        stakes = about.get("stakes")
        labels = counted.table.labels if stakes is None else stakes.classes
        whole = [self._averaged(one, ps, labels) for one, ps in zip(averages, own, strict=True)]
        cells = {
            one.key: group
            for one, group in zip(averages, whole, strict=True)
            if one.counted is counted
        }
        return ClassAuditFacts(
            **self.auditing.asked_of(counted, chosen),
            adjustment=self._method,
            groups=tuple(whole),
            classes=tuple(
                self._audited(label, rests[-1], found, own, size)
                for label, rests, found in zip(
                    counted.table.labels, of_class, classes, strict=False
                )
            ),
            gaps=tuple(self._gaps(counted, too_few([*cells], [*cells.values()]))),
            n_deals=max((t.n_deals for one in averages for t in one.tests), default=0),
            absent=tuple(x for x in counted.table.absent if x in labels),
            **ClassAuditFacts.known(about),
        )

    @property
    def _method(self) -> Any:
        asked = self.auditing.adjust
        return asked if asked == "benjamini-hochberg" else "holm"

    def _averages(
        self, key: Key, counted: ClassCounted, chosen: Key | None, deals: int
    ) -> Averages:
        table = counted.groups[key]
        if chosen is None:
            others = ClassTable(counted.table.counts - table.counts, table.labels)
        else:
            others = counted.groups[chosen]
        sides = DealSides(
            table,
            others.reorder(table.labels),
            contained=self.auditing.reference == "overall" and chosen is None,
            held=self.auditing.condition != "none",
        )
        sample = None
        if is_sampled(counted):
            sample = sample_of(counted, key, chosen, contained=sides.contained)
        known = self._of_two(key, counted, chosen)
        return Averages(
            key=key,
            counted=counted,
            sides=sides,
            tests=tuple(self._tests(sides, deals, known, sample)),
            spans=Deferred(partial(self._spans, counted.within(key))),
            differences=Deferred(partial(self._differences, sides, sample)),
        )

    def _differences(self, sides: DealSides, sample: Samples | None) -> list[DifferenceEnds]:
        level = self.auditing.level
        if sample is not None:
            return [
                sampled_ends(metric, sample, level, held=sides.held) for metric in self.averages
            ]
        how: Any = {"confidence_level": level, "contained": sides.contained, "held": sides.held}
        return class_differences(self.averages, sides.group, sides.others, **how)

    def _of_two(
        self, key: Key, counted: ClassCounted, chosen: Key | None
    ) -> Mapping[ClassMetric, ClassTest]:
        """Test what two classes have as well as an audit of two classes does."""
        forms = forms_of_two(self.averages, counted)
        if not forms:
            return {}
        binary, second = replace(self.auditing, metrics=tuple(forms.values())), _second(counted)
        found = binary.compared(key, second.groups[key], second, chosen).tests
        tests = (
            ClassTest(
                value=test.value, expected=expected_of(test), lower=test.lower, upper=test.upper,
                p_value=test.p_value, route=test.route, reason=test.reason,
            )
            for test in found
        )  # fmt: skip
        return dict(zip(forms, tests, strict=True))

    def _tests(
        self,
        sides: DealSides,
        deals: int,
        known: Mapping[ClassMetric, ClassTest],
        sample: Samples | None,
    ) -> Iterator[ClassTest]:
        """Yield a test of every metric of the whole table: by deals, where there is no other."""
        own = [metric for metric in self.averages if metric not in known]
        if sample is None:
            found = permutation_tests(own, sides, deals)
        else:
            held: Any = "classes" if sides.held else "none"
            found = [class_rao_scott(sample, metric, held) for metric in own]
        tests = {**known, **dict(zip(own, found, strict=True))}
        for metric in self.averages:
            yield tests[metric]

    def _spans(self, counted: ClassCounted) -> list[Ends]:
        found = class_intervals(self.averages, counted, confidence_level=self.auditing.level)
        return [(found[metric.name].low, found[metric.name].high) for metric in self.averages]

    def _adjusted(
        self,
        averages: Sequence[Averages],
        classes: Sequence[Sequence[ComparedWith]],
        *,
        mirrored: bool,
    ) -> list[list[float]]:
        """Return adjusted p-values group by group: of averages, then of each class.

        All are one family. Two groups compared with each other are one comparison, seen from either
        side: each side is adjusted by itself.
        """
        p_values = [
            [t.p_value for t in one.tests] + [t.p_value for each in classes for t in each[i].tests]
            for i, one in enumerate(averages)
        ]
        if mirrored:
            return [adjust(ps, self._method).tolist() for ps in p_values]
        found = iter(adjust([p for ps in p_values for p in ps], self._method).tolist())
        return [[next(found) for _ in ps] for ps in p_values]

    def _averaged(
        self, one: Averages, adjusted: Iterator[float], labels: Sequence[Any]
    ) -> AveragedGroup:
        table = one.sides.group
        return AveragedGroup(
            group=named(one.counted, one.key) or {},
            n=table.n,
            table=table,
            absent=tuple(x for x in table.absent if x in labels),
            **sizes_of(one.key, one.counted),
            findings=tuple(
                self._average(place, one, test, next(adjusted))
                for place, test in enumerate(one.tests)
            ),
        )

    def _average(
        self, place: int, one: Averages, test: ClassTest, adjusted: float
    ) -> AverageFinding:
        metric = self.averages[place]
        own = float(metric(one.sides.reference))
        return AverageFinding(
            name=metric.name,
            direction=metric.direction,
            value=test.value,
            reference=test.expected,
            reference_value=own,
            difference=test.value - test.expected,
            p_value=test.p_value,
            adjusted_p=adjusted,
            p_error=test.error if test.route else nan,
            condition="" if not test.route else "classes" if one.sides.held else "none",
            route=test.route,
            reason=test.reason,
            tested=self._tested(test, adjusted),
            gap=gap_that_matters(self.auditing.gap, metric),
            span=Deferred(lambda: one.spans[place]),
            difference_span=UNKNOWN
            if isnan(test.expected)
            else Deferred(lambda: one.differences[place][1:]),
            bounds=metric.bounds,
        )

    def _tested(self, test: ClassTest, adjusted: float) -> Verdict | None:
        """Return what a test says by itself; None where it sees no difference."""
        if isnan(test.value):
            return "undefined"
        if isnan(test.p_value) or isnan(test.expected):
            return "untested"
        if adjusted <= self.auditing.alpha and abs(test.value - test.expected) > TIED:
            below = test.value < test.expected
            if below == (test.lower < test.upper):
                return "lower" if below else "higher"
        return None

    def _audited(
        self,
        label: Any,
        counted: Counted,
        compared: Sequence[ComparedWith],
        adjusted: Sequence[Iterator[float]],
        n_tests: int,
    ) -> AuditedClass:
        each = [[next(ps) for _ in one.tests] for one, ps in zip(compared, adjusted, strict=True)]
        judged = self.auditing.findings(compared, each, n_tests)
        groups = tuple(map(audited_group, compared, judged))
        gaps = tuple(self.auditing.gaps(counted, compared, groups))
        return AuditedClass(label=label, groups=groups, gaps=gaps)

    def _gaps(
        self, counted: ClassCounted, small: Mapping[str, Mapping[Any, float]]
    ) -> Iterator[GapFact]:
        forms, level = forms_of_two(self.averages, counted), self.auditing.level
        chosen = self.auditing.chosen(counted)
        known, each = dict[str, GapFact](), chosen is not None
        if forms:
            left_out = {form.name: small[metric.name] for metric, form in forms.items()}
            found = gaps_of(
                tuple(forms.values()), _second(counted), level, left_out, chosen, each=each
            )
            known = dict(zip((metric.name for metric in forms), found, strict=True))
        for metric in self.averages:
            if metric.name in known:
                yield known[metric.name]
            else:
                yield from gaps_of([metric], counted, level, small, chosen, each=each)


def _second(counted: ClassCounted) -> Counted:
    """Return what was counted of the second class, which of two is the positive one."""
    return list(counted.against_the_rest())[1]


def forms_of_two(
    metrics: Sequence[ClassMetric], counted: ClassCounted
) -> Mapping[ClassMetric, Metric]:
    """Return the metrics of two classes that these are, if there are two."""
    forms = {metric: metric.form_of(counted.table.n_classes) for metric in metrics}
    return {metric: form for metric, form in forms.items() if form is not None}

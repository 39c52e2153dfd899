"""What an audit asks of every group, once it is known how many cases fell where."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from math import isnan, nan
from typing import Any

import numpy as np

from baserate._result import Deferred
from baserate.cases.counted import Counted, Key
from baserate.cases.several_classes import ClassCounted
from baserate.counts import CELLS, ConfusionMatrix, has_both
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.evaluation.audit_findings import SAMPLED, ComparedWith, GroupTests
from baserate.evaluation.audit_gaps import gaps_of, too_small
from baserate.evaluation.audit_groups import (
    beyond_of,
    by_column,
    compared_with,
    named,
    several_groups,
    sizes_of,
    units_of,
)
from baserate.evaluation.audit_samples import dealt_out, effective_table, is_sampled, sample_of
from baserate.facts.audit import (
    Adjustment,
    AuditedGroup,
    AuditFacts,
    Finding,
    GapFact,
    SmoothingFact,
)
from baserate.groups import adjust, family_adjust, smooth
from baserate.groups.null import Null
from baserate.groups.rao_scott import rao_scott_of
from baserate.groups.smoothing_checks import Checks

MOST_CASES = 5e10  # whose laws are summed in some 10 s and 2 GB


@dataclass(frozen=True, slots=True, kw_only=True)
class Auditing(GroupTests):
    """What is asked of every group."""

    base_rate: float | None
    strength: float
    adjust: str
    fairness: bool = False  # whether a criterion of fairness was named

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
            tests=tuple(self.test(metric, null) for metric in self.metrics),
        )

    def _sampled(
        self, key: Key, table: ConfusionMatrix, counted: Counted, chosen: Key | None
    ) -> ComparedWith:
        """Test a group of weighted or clustered cases on every metric: approximately."""
        apart = sample_of(counted, key, chosen)
        tested = replace(apart, contained=self.reference == "overall")
        tests = tuple(rao_scott_of(tested, m, self.condition_of(m)) for m in self.metrics)
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

    def _smoothing(self, one: ComparedWith) -> Iterator[SmoothingFact]:
        """Yield whether smoothing helps; the exact errors count whole cases, not weights."""
        if one.table.n and not one.smoothed.group.is_weighted:
            yield smoothing_fact(one.smoothed.checks)


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

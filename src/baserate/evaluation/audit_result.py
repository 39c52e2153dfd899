"""What `audit` returns, of two classes and of several."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from baserate._figures import as_text
from baserate.evaluation.result import IN_AUDITS, Reported, apart
from baserate.facts.audit import AuditFacts, ClassAuditFacts, Judgement
from baserate.report.audit import sheet_of
from baserate.report.audit_shown import MOST_GROUPS, shown_of, strongest
from baserate.report.class_audit import parts_of
from baserate.report.class_audit import sheet_of as sheet_of_classes
from baserate.report.class_audit_words import surest

if TYPE_CHECKING:
    from baserate.displays.display import Display
    from baserate.displays.group_forest import GroupForestDisplay


class OfGroups(Reported):
    """Findings in groups, two classes or several."""

    __slots__ = ()
    in_frames: ClassVar[Mapping[str, str]] = IN_AUDITS

    def _about(self, one: Judgement) -> dict[str, Any]:  # noqa: ARG002 - of several classes
        """Return what stands beside the group of a finding."""
        return {}

    def _rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row per group, class and metric, all with the same names."""
        judged: list[Judgement] = [*self.facts.judged]
        firsts = {one.of_class: one for one in reversed(judged)}
        known = [firsts[of_class] for of_class in sorted(firsts)]
        empty = dict.fromkeys(name for one in known for name in one.finding.to_dict())
        names = {"n", *empty, *(name for one in known for name in self._about(one))}
        columns = {name: apart(name, names) for name in self.facts.group_names}
        for one in judged:
            named = {columns[k]: v for k, v in one.group.group.items()}
            row = {**named, **self._about(one), "n": one.group.table.n}
            yield {**row, **empty, **one.finding.to_dict()}


@dataclass(frozen=True, slots=True, repr=False)
class Audit(OfGroups):
    """What `audit` found, and the ways to show it."""

    facts: AuditFacts
    sheet_of = staticmethod(sheet_of)

    def displays(self) -> "dict[str, GroupForestDisplay]":
        """Return a forest of the groups for every metric, those that tell most first.

        Of very many groups and metrics those that matter, as on the page.
        """
        from baserate.displays.group_forest import GroupForestDisplay  # for pictures only

        shown = shown_of(self.facts)
        return {
            name: GroupForestDisplay.from_audit(shown, name, limit=MOST_GROUPS)
            for name in strongest(shown)
        }


@dataclass(frozen=True, slots=True, repr=False)
class ClassAudit(OfGroups):
    """What `audit` found about several classes, and the ways to show it."""

    facts: ClassAuditFacts
    sheet_of = staticmethod(sheet_of_classes)

    def displays(self) -> "Mapping[str, Display]":
        """Return a forest of every metric: of the groups, or of each class within every group.

        Those by which a group differs come first. Of many rows those that differ are drawn, then
        those with the smallest p-values.
        """
        from baserate.displays.group_forest import GroupForestDisplay  # for pictures only

        differing = [one.finding.name for one in surest(self.facts)]
        whole = [f.name for group in self.facts.groups[:1] for f in group.findings]
        names = dict.fromkeys((*differing, *whole, *parts_of(self.facts)))
        return {
            name: GroupForestDisplay.from_audit(self.facts, name, limit=MOST_GROUPS)
            for name in names
        }

    def _page(self) -> "Mapping[str, Display]":
        """Return the pictures of the page: the first metric of the whole, the first of classes."""
        drawn, parts = self.displays(), parts_of(self.facts)
        firsts = (
            ("groups", next((name for name in drawn if name not in parts), None)),
            ("classes_by_group", next((name for name in drawn if name in parts), None)),
        )
        return {kind: drawn[name] for kind, name in firsts if name is not None}

    def _about(self, one: Judgement) -> dict[str, Any]:
        return {"class": as_text(one.label) if one.of_class else "all classes"}

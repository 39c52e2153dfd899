"""What `compare` returns, of two classes and of several."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from baserate._figures import as_text
from baserate.curves.cut_points import sweeps_by_group, sweeps_of
from baserate.evaluation.result import EVERYONE, Reported
from baserate.facts.comparison import ClassComparisonFacts, ComparisonFacts
from baserate.facts.evaluation import MetricFact
from baserate.report.class_compare import sheet_of as sheet_of_classes
from baserate.report.compare import sheet_of

if TYPE_CHECKING:
    from baserate.curves.cut_points import Sweep
    from baserate.displays.display import Display
    from baserate.report.explorer import Explorer


class Ranked(Reported):
    """Classifiers side by side."""

    __slots__ = ()

    def _rows(self) -> Iterator[dict[str, Any]]:
        """Yield one row per classifier and metric, the yield first."""
        for found in self.facts.classifiers:
            worth = MetricFact(
                name="yield", direction="higher", value=found.value, low=found.low,
                high=found.high, skill=found.skill,
            )  # fmt: skip
            for metric in (worth, *found.metrics):
                yield {"classifier": as_text(found.name), **metric.to_dict()}


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Ranked):
    """What `compare` found, and the ways to show it.

    Attributes
    ----------
    counted : mapping of str to Sweep
        The scores of histograms, each of cases of its own.
    """

    facts: ComparisonFacts
    sheet_of = staticmethod(sheet_of)
    counted: "Mapping[str, Sweep]" = field(
        default_factory=dict[str, "Sweep"], repr=False, compare=False
    )

    def _explorer(self) -> "Explorer | None":
        """Return the explorer of several scores of the same cases, each with its groups."""
        from baserate.report.explorer import explorer_of_comparison  # for pages only

        cases = self.cases
        swept = {
            name: {
                EVERYONE: whole,
                **sweeps_by_group(replace(cases, scores={name: cases.scores[name]})),
            }
            for name, whole in sweeps_of(cases).items()
        }
        return explorer_of_comparison(swept, self.facts)

    @property
    def sweeps(self) -> "Mapping[str, Sweep]":
        """Every cut point of each score; empty without scores."""
        return self.counted if self.cases is None else sweeps_of(self.cases)

    def displays(self) -> "dict[str, Display]":
        """Return what is best by the stakes and by the base rate, and the curves of scores."""
        from baserate.evaluation.comparison_pictures import displays_of  # for pictures only

        return displays_of(self.facts, self.sweeps)


@dataclass(frozen=True, slots=True, repr=False)
class ClassComparison(Ranked):
    """What `compare` found about classifiers of several classes, and the ways to show it."""

    facts: ClassComparisonFacts
    sheet_of = staticmethod(sheet_of_classes)

    def displays(self) -> "Mapping[str, Display]":
        """Return yields beside the best constant decision, and differences of the first two.

        "differences" is of every metric of the whole table, "classes" of each class.
        """
        from baserate.evaluation.comparison_pictures import displays_of_classes  # for pictures only

        return displays_of_classes(self.facts)

"""What `compare` returns for several classes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from baserate._figures import as_text
from baserate._files import Origin
from baserate.errors import InvalidArgumentError
from baserate.evaluation.class_comparison_facts import USUAL, ClassComparing
from baserate.evaluation.class_contest import ClassContest
from baserate.evaluation.class_facts import ClassEvaluating
from baserate.evaluation.independent_pairs import LEADING, MANY
from baserate.evaluation.pictures import of_compared_classes
from baserate.evaluation.result import Reported
from baserate.facts.comparison import ClassComparisonFacts
from baserate.facts.evaluation import MetricFact
from baserate.metrics import average
from baserate.report.class_compare import sheet_of

if TYPE_CHECKING:
    from baserate.displays.display import Display


@dataclass(frozen=True, slots=True, repr=False)
class ClassComparison(Reported):
    """What `compare` found about classifiers of several classes, and the ways to show it."""

    facts: ClassComparisonFacts
    sheet_of = staticmethod(sheet_of)

    @classmethod
    def of(
        cls,
        contest: ClassContest,
        made_from: tuple[Origin, ...],
        *,
        metrics: Any,
        guess: Any,
        confidence_level: float,
        rng: Any,
    ) -> Self:
        """Compare what was counted."""
        if contest.stakes.named and metrics is not None:
            rule = "are of class tables, and these decisions are no classes"
            raise InvalidArgumentError.from_rule("metrics", rule, metrics, "leave it out")
        chosen = USUAL if metrics is None else metrics
        asked = ClassEvaluating.of(chosen, guess, confidence_level, None)
        if not asked.metrics:  # recall, say, which each class has: their mean is compared
            means = tuple(average(metric.name, kind="macro") for metric in asked.of_class)
            asked = replace(asked, metrics=means)
        few = metrics is not None and len(asked.metrics) <= MANY
        named = tuple(metric.name for metric in asked.metrics[:LEADING]) if few else ()
        comparing = ClassComparing(contest=contest, asked=asked, rng=rng, named=named)
        return cls(comparing.facts(), made_from)

    def displays(self) -> "Mapping[str, Display]":
        """Return yields beside the best constant decision, and differences of the first two.

        "differences" is of every metric of the whole table, "classes" of each class.
        """
        return of_compared_classes(self.facts)

    def _rows(self) -> Iterator[dict[str, Any]]:
        """Yield one row per classifier and metric, the yield first."""
        for found in self.facts.classifiers:
            worth = MetricFact(
                name="yield", direction="higher", value=found.value, low=found.low,
                high=found.high, skill=found.skill,
            )  # fmt: skip
            for metric in (worth, *found.metrics):
                yield {"classifier": as_text(found.name), **metric.to_dict()}

"""What an evaluation returns: frozen facts, and the ways to show them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from baserate.counts import ConfusionMatrix
from baserate.errors import UnsupportedError
from baserate.evaluation.shown import Shown, apart
from baserate.facts import EvaluationFacts, GroupFact, MetricFact
from baserate.metrics import Metric, get
from baserate.report import Origin, render
from baserate.report.evaluation import EVERYONE
from baserate.report.figures import label


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation(Shown):
    """What `evaluate` found, and the ways to show it.

    Attributes
    ----------
    facts : EvaluationFacts
        Everything, as plain frozen records.
    origins : tuple of Origin
        The files that it was made from, which no report overwrites.
    """

    facts: EvaluationFacts
    origins: tuple[Origin, ...] = field(default=(), repr=False, compare=False)

    def value(self, metric: str | Metric) -> float:
        """Return any metric at the table of all cases, restated as the report is."""
        named = metric.name if isinstance(metric, Metric) else metric
        known = next((fact for fact in self.facts.metrics if fact.name == named), None)
        if known is not None:
            return known.value
        chosen = get(metric)
        restated = chosen.at_base_rate(self.facts.base_rate) if self.facts.restated else chosen
        return restated(self.table)

    @property
    def table(self) -> ConfusionMatrix:
        """The confusion matrix of all cases."""
        if self.facts.table is None:
            names = ", ".join(str(*group.group.values()) for group in self.facts.groups)
            raise UnsupportedError(
                f"Several classifiers on the same cases ({names}) have no table in common: look at "
                "facts.groups, or evaluate one of them."
            )
        return self.facts.table

    def render(
        self,
        format: str = "table",  # noqa: A002 - the command line's word
        *,
        color: bool = False,
        details: bool = False,
    ) -> str:
        """Return the report as "table" (text), "json", "markdown" or "html".

        Text leaves out definitions, and metrics beyond the headlines if there are many, unless
        `details` are asked for; the other formats hold them all.
        """
        return render(self.facts, format, color=color, details=details)

    def _rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row per group and metric; "all cases" is the group of all cases together.

        Group columns hold labels as text, as reports show them: numbers and that name do not fit
        one column.
        """
        facts = self.facts
        everyone = dict.fromkeys(facts.group_names, EVERYONE)
        whole = GroupFact(group=everyone, table=facts.classes, metrics=facts.metrics)
        for part in (whole, *facts.groups):
            named = {apart(k, MetricFact.__slots__): label(v) for k, v in part.group.items()}
            yield from ({**named, **metric.to_dict()} for metric in part.metrics)

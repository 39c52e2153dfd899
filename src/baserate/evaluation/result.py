"""What an evaluation returns: frozen facts, and the ways to show them."""

from dataclasses import dataclass
from os import PathLike
from typing import Any

from baserate.counts import ConfusionMatrix
from baserate.errors import MissingDependencyError
from baserate.facts import EvaluationFacts, GroupFact, MetricFact
from baserate.metrics import Metric, get
from baserate.report import render, write


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What `evaluate` found, and the ways to show it.

    Attributes
    ----------
    facts : EvaluationFacts
        Everything, as plain frozen records.
    """

    facts: EvaluationFacts

    def value(self, metric: str | Metric) -> float:
        """Return any metric at the table of all cases, restated as the report is."""
        named = metric.name if isinstance(metric, Metric) else metric
        known = next((fact for fact in self.facts.metrics if fact.name == named), None)
        if known is not None:
            return known.value
        chosen = get(metric)
        restated = chosen.at_base_rate(self.facts.base_rate) if self.facts.restated else chosen
        return restated(self.facts.table)

    @property
    def table(self) -> ConfusionMatrix:
        """The confusion matrix of all cases."""
        return self.facts.table

    def to_dict(self) -> dict[str, Any]:
        """Return the versioned JSON document as plain values."""
        return self.facts.to_dict()

    def to_frame(self, backend: Any = "pandas") -> Any:
        """Return one row per group and metric, as a frame of pandas, polars or pyarrow.

        The group columns are None in the rows for all cases together; one that is called as a
        field of a metric is prefixed with "group_".
        """
        import narwhals.stable.v2 as nw

        facts = self.facts
        whole = GroupFact(
            group=dict.fromkeys(facts.group_names), table=facts.table, metrics=facts.metrics
        )
        rows = [
            {**{_apart(key): value for key, value in part.group.items()}, **metric.to_dict()}
            for part in (whole, *facts.groups)
            for metric in part.metrics
        ]
        columns = {key: [row[key] for row in rows] for key in rows[0]}
        return nw.from_dict(columns, backend=backend).to_native()

    def to_html(self, path: str | PathLike[str] | None = None) -> str | None:
        """Return the report as one offline page, or write it to `path`."""
        if path is None:
            return render(self.facts, "html")
        write(self.facts, path, "html")
        return None

    def __str__(self) -> str:
        try:
            return render(self.facts, "table")
        except MissingDependencyError:  # Markdown needs no package
            return render(self.facts, "markdown")

    def _repr_html_(self) -> str | None:
        try:
            return render(self.facts, "html")
        except MissingDependencyError:
            return None


def _apart(column: str) -> str:
    """Keep a group column called as a field of a metric apart from it."""
    return f"group_{column}" if column in MetricFact.__slots__ else column

"""What is asked of every table, however it was counted."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from baserate._checks import number_in
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError
from baserate.evaluation.result import Evaluation
from baserate.facts import EvaluationFacts, GroupFact, MetricFact
from baserate.inference import interval
from baserate.labels import Counted
from baserate.metrics import CATALOGUE, Metric, get, utility


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked of every table, however it was counted."""

    metrics: tuple[Metric, ...]
    reference: str
    base_rate: float | None
    level: float

    @classmethod
    def of(
        cls, metrics: Any, matrix: Any, reference: Any, base_rate: float | None, level: float
    ) -> Self:
        """Check the arguments that every evaluation shares."""
        remedy = "pass for example 0.95"
        return cls(
            metrics=_metrics(metrics, matrix, base_rate),
            reference=_reference(reference),
            base_rate=base_rate,
            level=number_in("confidence_level", level, "(0, 1)", remedy),
        )

    def of_counted(self, counted: Counted, about: Mapping[str, Any]) -> Evaluation:
        """Gather the facts of all cases and of every group."""
        table, restated = counted.table, self.base_rate is not None
        groups = tuple(
            GroupFact(
                group=dict(zip(counted.group_names, key, strict=True)),
                table=group,
                metrics=self.facts(group, counted.group_effective_n[key]),
            )
            for key, group in counted.groups.items()
        )
        facts = EvaluationFacts(
            positive=counted.positive,
            labels=counted.labels,
            n=table.n,
            missing=counted.n_missing,
            table=table,
            reference=self.reference,
            base_rate=table.base_rate if self.base_rate is None else float(self.base_rate),
            restated=restated,
            confidence_level=self.level,
            metrics=self.facts(table, counted.effective_n),
            groups=groups,
            group_names=counted.group_names,
            effective_n=counted.effective_n if counted.effective_n != table.n else None,
            **about,
        )
        return Evaluation(facts)

    def facts(self, table: ConfusionMatrix, effective_n: float) -> tuple[MetricFact, ...]:
        """Evaluate the metrics; intervals at the table scaled to its effective number of cases."""
        shrink = effective_n / table.n if table.n else 1
        scaled = {cell: count * shrink for cell, count in table.to_dict().items()}
        posterior = table if shrink == 1 else ConfusionMatrix(**scaled)
        return tuple(self.fact(metric, table, posterior, shrink) for metric in self.metrics)

    def fact(
        self, metric: Metric, table: ConfusionMatrix, posterior: ConfusionMatrix, shrink: float
    ) -> MetricFact:
        """Gather the facts of one metric."""
        found = interval(metric, posterior, confidence_level=self.level)
        grow = 1 if metric.scale_invariant else 1 / shrink
        return MetricFact(
            name=metric.name,
            direction=metric.direction,
            value=metric(table),
            low=found.low * grow,
            high=found.high * grow,
            undefined_reason=metric.undefined_reason(table),
            definition=metric.definition,
            meaning=metric.meaning,
            bounds=metric.bounds,
        )


def _metrics(asked: Any, matrix: Any, base_rate: float | None) -> tuple[Metric, ...]:
    if isinstance(asked, str):
        asked = split_names(asked)
    chosen = list(CATALOGUE) if asked is None else [get(name) for name in asked]
    if matrix is not None:
        chosen.append(utility(matrix))
    if not chosen:
        raise InvalidArgumentError.from_rule("metrics", "must name a metric", asked, "name one")
    return tuple(m if base_rate is None else m.at_base_rate(base_rate) for m in chosen)


def split_names(text: str) -> list[str]:
    """Split "f1, robust_f(d0=0.1, d1=4)" at the commas that no bracket encloses."""
    names, depth = [""], 0
    for sign in text:
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and not depth:
            names.append("")
        else:
            names[-1] += sign
    return [name.strip() for name in names if name.strip()]


def _reference(reference: Any) -> str:
    name = str(reference).replace("-", "_")
    if name in {"dutch_draw", "uniform", "proportional", "mode"}:
        return name
    remedy = 'pass "dutch_draw", "uniform", "proportional", "mode" or a probability'
    return repr(number_in("reference", reference, "[0, 1]", remedy))

"""What is asked of every table, however it was counted."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Any, Literal, NamedTuple, Self

from baserate._checks import number_in, one_of
from baserate.baselines import beats_chance, skill
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.evaluation.result import Evaluation
from baserate.facts import EvaluationFacts, GroupFact, MetricFact
from baserate.inference import interval
from baserate.labels import Counted
from baserate.metrics import CATALOGUE, Formula, Metric, get, utility

REFERENCES = ("dutch_draw", "uniform", "proportional", "mode")
PValue = Literal["fisher", "sup"]


class Sized(NamedTuple):
    """A table, and the same table scaled to its effective number of cases."""

    table: ConfusionMatrix
    effective: ConfusionMatrix
    scale: float

    @classmethod
    def of(cls, table: ConfusionMatrix, effective_n: float) -> Self:
        """Scale a table of weights down to the cases that they are worth."""
        scale = effective_n / table.n if table.n else 1.0
        if scale == 1 or isnan(scale):
            return cls(table, table, 1.0)
        scaled = {cell: count * scale for cell, count in table.to_dict().items()}
        return cls(table, ConfusionMatrix(**scaled), scale)

    def metric(self, metric: Metric) -> Metric:
        """Return the metric that has, at the effective table, the value it has at the table."""
        if metric.scale_invariant or self.scale == 1:
            return metric
        up = 1 / self.scale
        return replace(metric, formula=_enlarged(metric.formula, up))


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked of every table, however it was counted."""

    metrics: tuple[Metric, ...]
    reference: str | float
    base_rate: float | None
    level: float
    p_value: str

    @classmethod
    def of(
        cls,
        metrics: Any,
        matrix: Any,
        reference: Any,
        base_rate: float | None,
        level: float,
        p_value: str,
    ) -> Self:
        """Check the arguments that every evaluation shares."""
        remedy = "pass for example 0.95"
        return cls(
            metrics=chosen_metrics(metrics, matrix, base_rate),
            reference=chosen_reference(reference),
            base_rate=base_rate,
            level=number_in("confidence_level", level, "(0, 1)", remedy),
            p_value=one_of("p_value", p_value, PValue),
        )

    def of_counted(self, counted: Counted, about: Mapping[str, Any]) -> Evaluation:
        """Gather the facts of all cases and of every group."""
        table = counted.table
        groups = tuple(
            GroupFact(
                group=dict(zip(counted.group_names, key, strict=True)),
                table=group,
                metrics=self.facts(Sized.of(group, counted.group_effective_n[key])),
            )
            for key, group in counted.groups.items()
        )
        facts = EvaluationFacts(
            positive=counted.positive,
            labels=counted.labels,
            n=table.n,
            missing=counted.n_missing,
            table=table,
            reference=str(self.reference),
            base_rate=table.base_rate if self.base_rate is None else float(self.base_rate),
            restated=self.base_rate is not None,
            confidence_level=self.level,
            p_value_method=self.p_value,
            metrics=self.facts(Sized.of(table, counted.effective_n)),
            groups=groups,
            group_names=counted.group_names,
            effective_n=counted.effective_n if counted.effective_n != table.n else None,
            **about,
        )
        return Evaluation(facts)

    def facts(self, sized: Sized) -> tuple[MetricFact, ...]:
        """Gather the facts of every metric at one table."""
        fisher = _fisher(sized.table)
        return tuple(self.fact(metric, sized, fisher) for metric in self.metrics)

    def fact(self, metric: Metric, sized: Sized, fisher: float) -> MetricFact:
        """Gather the facts of one metric; intervals at the effective number of cases."""
        found = interval(sized.metric(metric), sized.effective, confidence_level=self.level)
        value = metric(sized.table)
        p_value = nan if metric.direction == "neither" or isnan(value) else fisher
        return MetricFact(
            name=metric.name,
            direction=metric.direction,
            value=value,
            low=found.low,
            high=found.high,
            undefined_reason=metric.undefined_reason(sized.table),
            definition=metric.definition,
            meaning=metric.meaning,
            bounds=metric.bounds,
            **self.against_chance(metric, sized.table, p_value),
        )

    def against_chance(self, metric: Metric, table: ConfusionMatrix, p_value: float) -> Any:
        """Compare with the reference guess, or say why there is no comparison."""
        reasons: list[str] = []
        chance = skilled = nan
        try:
            against = skill(metric, table, reference=self.reference)
            chance, skilled = against.chance, against.value
            reasons += [against.reason] if against.reason else []
        except UnsupportedError as error:
            reasons.append(str(error))
        if isnan(p_value) and table.is_weighted and metric.direction != "neither":
            reasons.append("The exact test counts cases, not weights.")
        elif self.p_value == "sup" and not isnan(p_value):
            try:
                p_value = beats_chance(table, metric).p_sup[metric.name]
            except UnsupportedError as error:
                p_value = nan
                reasons.append(str(error))
        reason = " ".join(dict.fromkeys(reasons)) or None
        return {"chance": chance, "skill": skilled, "p_value": p_value, "chance_reason": reason}


def _enlarged(formula: Formula, up: float) -> Formula:
    return lambda tp, fn, fp, tn: formula(tp * up, fn * up, fp * up, tn * up)


def split_names(text: str) -> list[str]:
    """Split "f1, robust_f(d0=0.1, d1=4)" at the commas that no bracket encloses.

    Examples
    --------
    >>> split_names("f1, robust_f(d0=0.1, d1=4)")
    ['f1', 'robust_f(d0=0.1, d1=4)']
    """
    names, depth = [""], 0
    for sign in text:
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and not depth:
            names.append("")
        else:
            names[-1] += sign
    return [name.strip() for name in names if name.strip()]


def _fisher(table: ConfusionMatrix) -> float:
    try:
        return beats_chance(table).p_value
    except UnsupportedError:  # weights: each metric's chance_reason says so
        return nan


def chosen_metrics(
    asked: Any, matrix: Any = None, base_rate: float | None = None
) -> tuple[Metric, ...]:
    """Return the metrics asked for (default the catalogue), restated if a base rate is given."""
    if isinstance(asked, str):
        asked = split_names(asked)
    names: Iterable[str | Metric] = CATALOGUE if asked is None else asked
    chosen = [get(name) for name in names]
    if matrix is not None:
        chosen.append(utility(matrix))
    if not chosen:
        raise InvalidArgumentError.from_rule("metrics", "must name a metric", asked, "name one")
    return tuple(m if base_rate is None else m.at_base_rate(base_rate) for m in chosen)


def chosen_reference(reference: Any) -> str | float:
    """Return the name of a guess, or the probability of guessing positive."""
    name = str(reference).replace("-", "_")
    if name in REFERENCES:
        return name
    remedy = 'pass "dutch_draw", "uniform", "proportional", "mode" or a probability'
    return number_in("reference", reference, "[0, 1]", remedy)

"""What is asked of every table, however it was counted."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from math import isnan, nan
from typing import Any, Literal, NamedTuple, Self

from baserate._checks import number_in, one_of
from baserate.baselines import beats_chance, chosen_guess, skill
from baserate.cases import Counted
from baserate.cases.two_classes import effective_sizes
from baserate.counts import ConfusionMatrix
from baserate.errors import DataError, InvalidArgumentError, UnsupportedError
from baserate.facts import EvaluationFacts, GroupFact, MetricFact
from baserate.inference import interval
from baserate.metrics import CATALOGUE, Metric, get

PValue = Literal["fisher", "sup"]
IntervalOfShares = Literal["bayes", "wilson", "exact"]
NOT_LINEAR = (
    "Weighted cases: exact chance levels exist only for metrics that are linear in recall and "
    "specificity."
)
NO_TEST = "The exact test counts cases, not weights."


Tested = tuple[float, str | None]  # a p-value, and why it is missing


class Source(NamedTuple):
    """A table, and whether and how its cases were weighted."""

    table: ConfusionMatrix
    squared: ConfusionMatrix | None
    weighted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked of every table, however it was counted."""

    metrics: tuple[Metric, ...]
    guess: str | float
    base_rate: float | None
    level: float
    p_value: str
    interval: str = "bayes"

    @classmethod
    def of(
        cls,
        metrics: Any,
        guess: Any,
        base_rate: float | None,
        level: float,
        p_value: str,
        interval: str = "bayes",
    ) -> Self:
        """Check the arguments that every evaluation shares."""
        remedy = "pass for example 0.95"
        return cls(
            metrics=chosen_metrics(metrics, base_rate),
            guess=chosen_guess(guess),
            base_rate=base_rate,
            level=number_in("confidence_level", level, "(0, 1)", remedy),
            p_value=one_of("p_value", p_value, PValue),
            interval=one_of("interval", interval, IntervalOfShares),
        )

    def of_counted(self, counted: Counted, about: Mapping[str, Any]) -> EvaluationFacts:
        """Gather the facts of all cases and of every group."""
        table = counted.table
        if not table.n:
            raise DataError("There are no cases: all counts are 0, so nothing can be evaluated.")
        every = (table, *counted.groups.values())
        # Tables that were counted elsewhere show their weights only by fractions.
        weighted = counted.weighted or any(t.is_weighted for t in every)
        facts_of = cache(self.facts)  # small groups often share a table
        groups = tuple(
            GroupFact(
                group=dict(zip(counted.group_names, key, strict=True)),
                table=group,
                metrics=facts_of(Source(group, counted.group_squared.get(key), weighted)),
            )
            for key, group in counted.groups.items()
        )
        if weighted and self.interval != "bayes":
            raise UnsupportedError(
                f"interval {self.interval!r} counts cases, and these are weighted: pass "
                '"bayes" (--interval bayes), which takes weights.'
            )
        whole = Source(table, counted.squared, weighted)
        several = are_classifiers(counted)
        return EvaluationFacts(
            positive=counted.positive,
            labels=counted.labels,
            n=groups[0].table.n if several else table.n,
            missing=counted.n_missing,
            table=None if several else table,
            guess=str(self.guess),
            base_rate=table.base_rate if self.base_rate is None else float(self.base_rate),
            restated=self.base_rate is not None,
            confidence_level=self.level,
            p_value=nan if several else _fisher(whole)[0],
            p_reversed=nan if several else _fisher(_turned(whole))[0],
            p_value_method=self.p_value,
            interval=self.interval,
            metrics=() if several else facts_of(whole),
            groups=groups,
            group_names=counted.group_names,
            **_effective(counted),
            **about,
        )

    def facts(self, source: Source) -> tuple[MetricFact, ...]:
        """Gather the facts of every metric at one table."""
        fisher = _fisher(source)
        return tuple(self.fact(metric, source, fisher) for metric in self.metrics)

    def fact(self, metric: Metric, source: Source, fisher: Tested) -> MetricFact:
        """Gather the facts of one metric."""
        table = source.table
        low, high, no_interval = self.interval_of(metric, source)
        return MetricFact(
            name=metric.name,
            direction=metric.direction,
            value=metric(table),
            low=low,
            high=high,
            interval_reason=no_interval,
            undefined_reason=metric.undefined_reason(table),
            definition=metric.definition,
            meaning=metric.meaning,
            bounds=metric.bounds,
            **self.against_chance(metric, source, fisher),
        )

    def interval_of(self, metric: Metric, source: Source) -> tuple[float, float, str | None]:
        """Return both ends, and why there are none."""
        method: Any = "bayes" if metric.proportion is None else self.interval
        how = {"confidence_level": self.level, "squared_weights": source.squared}
        try:
            found = interval(metric, source.table, method=method, **how)
        except UnsupportedError as error:
            return nan, nan, str(error)
        return found.low, found.high, None

    def against_chance(self, metric: Metric, source: Source, fisher: Tested) -> dict[str, Any]:
        """Compare with the guess, or say why there is no comparison."""
        chance, skilled, no_chance = self.chance_and_skill(metric, source)
        p_value, no_test = self.p_value_of(metric, source, fisher)
        return {
            "chance": chance,
            "skill": skilled,
            "p_value": p_value,
            "chance_reason": no_chance,
            "p_value_reason": no_test,
        }

    def chance_and_skill(self, metric: Metric, source: Source) -> tuple[float, float, str | None]:
        """Return chance level, skill, and why one is missing."""
        directed = metric.direction != "neither"
        own_base_rate = self.base_rate is None  # a restated chance does not depend on the weights
        if source.weighted and directed and own_base_rate and not metric.linear_in_rates:
            return nan, nan, NOT_LINEAR
        try:
            found = skill(metric, source.table, guess=self.guess)
        except UnsupportedError as error:
            return nan, nan, str(error)
        return found.chance, found.value, found.reason

    def p_value_of(self, metric: Metric, source: Source, fisher: Tested) -> Tested:
        """Return the p-value, and why it is missing."""
        if source.weighted:
            return fisher
        if metric.direction == "neither" or isnan(metric(source.table)):
            return nan, None
        if self.p_value == "fisher":
            return fisher
        try:
            return beats_chance(source.table, metric).p_sup[metric.name], None
        except UnsupportedError as error:
            return nan, str(error)


def _fisher(source: Source) -> Tested:
    if source.weighted:
        return nan, NO_TEST
    try:
        return beats_chance(source.table).p_value, None
    except UnsupportedError as error:
        return nan, str(error)


def _turned(source: Source) -> Source:
    """Return the table of the opposite predictions."""
    t = source.table
    return source._replace(table=ConfusionMatrix(tp=t.fn, fn=t.tp, fp=t.tn, tn=t.fp))


def are_classifiers(counted: Counted) -> bool:
    """Whether published tables agree in their class totals, as those of one test set do.

    Adding them up would count every case once per classifier.
    """
    tables = () if counted.labels else tuple(counted.groups.values())
    return len(tables) > 1 and len({(t.n_positive, t.n_negative) for t in tables}) == 1


def _effective(counted: Counted) -> dict[str, float]:
    if not counted.weighted:
        return {}
    positive, negative = effective_sizes(counted.table, counted.squared)
    return {
        "effective_n": counted.effective_n,
        "effective_positive": positive,
        "effective_negative": negative,
    }


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


def chosen_metrics(asked: Any, base_rate: float | None = None) -> tuple[Metric, ...]:
    """Return the metrics asked for (default the catalogue), restated if a base rate is given."""
    if isinstance(asked, str):
        asked = split_names(asked)
    names: Iterable[str | Metric] = CATALOGUE if asked is None else asked
    chosen = [get(name) for name in names]
    if not chosen:
        raise InvalidArgumentError.from_rule("metrics", "must name a metric", asked, "name one")
    return tuple(m if base_rate is None else m.at_base_rate(base_rate) for m in chosen)

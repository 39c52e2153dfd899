"""The facts of an evaluation of two classes: what their tables give, metric by metric."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import isnan, nan
from typing import Any, NamedTuple, Self

from baserate._checks import confidence, one_of
from baserate.baselines.guessing import SAME_ALARMS, chosen_guess
from baserate.baselines.significance import OF_EACH
from baserate.cases.clusters import Design
from baserate.cases.counted import Counted, effective_sizes
from baserate.counts import ConfusionMatrix, has_both
from baserate.errors import UnsupportedError
from baserate.evaluation import verdicts
from baserate.evaluation.asked import (
    NO_GUESS,
    Asked,
    Tested,
    by_clusters,
    sampled,
    tested,
)
from baserate.evaluation.metric_choice import chosen_metrics, named_singly
from baserate.facts.evaluation import (
    EvaluationFacts,
    GroupFact,
    IntervalOfShares,
    MetricFact,
    RestatedFact,
    TestOfTwo,
)
from baserate.facts.numbers import records
from baserate.inference.binary_intervals import design_interval
from baserate.metrics import Metric, binary_metric
from baserate.report.evaluation_rows import KEY_RATES
from baserate.report.evaluation_words import ANSWERS, TOLD


class Source(NamedTuple):
    """A table, whether and how its cases were weighted, and the clusters that they lie in."""

    table: ConfusionMatrix
    squared: ConfusionMatrix | None = None
    weighted: bool = False
    design: Design | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluating(Asked):
    """What is asked of every table of two classes."""

    # Metrics that are asked of all cases together only, since no table of groups shows them.
    of_whole: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, metrics: Any, guess: Any, base_rate: float | None, level: float,
        p_value: str = "fisher", interval: str | None = None,
    ) -> Self:  # fmt: skip
        """Check the arguments that every evaluation shares."""
        chosen = chosen_metrics(metrics, base_rate)
        of_groups = {m.name for m in chosen_metrics(metrics, base_rate, headlines=KEY_RATES)}
        return cls(
            metrics=chosen,
            of_whole=frozenset(m.name for m in chosen if m.name not in of_groups),
            guess=chosen_guess(guess, of_table=True),
            base_rate=base_rate,
            level=confidence(level),
            p_value=one_of("p_value", p_value, TestOfTwo),
            interval=None if interval is None else one_of("interval", interval, IntervalOfShares),
            asked_for=named_singly(metrics, base_rate),
        )

    def beside_guess(
        self, metric: Any, table: Any, guess: str | float, *, weighted: bool
    ) -> dict[str, Any]:
        """Compare with a guess, unless cases are of one class, which leaves nothing to guess."""
        if not has_both(table):
            return {"chance_reason": NO_GUESS}
        of_any = super(Evaluating, self).beside_guess  # slots make another class of this one
        return of_any(metric, table, guess, weighted=weighted)

    def of_counted(self, counted: Counted, about: Mapping[str, Any]) -> EvaluationFacts:
        """Gather the facts of all cases and of every group."""
        table = counted.table
        methods = self.methods(counted)
        # Tables that were counted elsewhere show their weights only by fractions.
        weighted = counted.weighted or any(t.is_weighted for t in (table, *counted.groups.values()))
        if weighted and self.interval not in {None, "bayes"}:
            raise UnsupportedError(
                f"interval {self.interval!r} counts cases, and these are weighted: pass "
                '"bayes" (--interval bayes), which takes weights.'
            )
        whole = Source(table, counted.squared, weighted, counted.design)
        several = are_classifiers(counted)
        of_whole, groups = self.of_tables(counted, whole, several=several)
        known = dict(zip(self.metrics, of_whole, strict=False))  # nothing of several classifiers
        told = {} if several else self._told([whole], known, marked=about.get("graded", False))[0]
        if self.base_rate is not None:
            raw, of_groups = self._unrestated().of_tables(counted, whole, several=several)
            of_whole = _beside(of_whole, raw)
            groups = tuple(
                replace(group, metrics=_beside(group.metrics, own.metrics))
                for group, own in zip(groups, of_groups, strict=True)
            )
        return EvaluationFacts(
            positive=counted.positive,
            labels=counted.labels,
            n=groups[0].table.n if several else table.n,
            missing=counted.n_missing,
            table=None if several else table,
            guess=str(self.guess),
            base_rate=self._base_rate_of(table),
            restated=self.base_rate is not None,
            confidence_level=self.level,
            p_value=nan if several else _fisher(whole).p_value,
            p_reversed=nan if several else _fisher(_turned(whole)).p_value,
            p_value_method=methods.p_value,
            interval=methods.interval,
            metrics=of_whole,
            **told,
            asked_for=self.asked_for,
            groups=groups,
            group_names=counted.group_names,
            n_cases=counted.n if counted.weighted else None,
            **effective(counted),
            **sampled(
                counted.design,
                lambda design: design_interval(binary_metric("accuracy"), design, self.level),
            ),
            **about,
        )

    def _base_rate_of(self, table: ConfusionMatrix) -> float:
        """Return the base rate at which everything is stated; cases of one class have none."""
        own = table.base_rate if has_both(table) else nan
        return float(own if self.base_rate is None else self.base_rate)

    def _unrestated(self) -> Self:
        """Ask for the same metrics at the base rate of the cases."""
        assert self.base_rate is not None
        raw = [_unrestated(metric, float(self.base_rate)) for metric in self.metrics]
        named = zip(raw, self.metrics, strict=True)
        of_whole = frozenset(own.name for own, metric in named if metric.name in self.of_whole)
        return replace(self, base_rate=None, metrics=tuple(raw), of_whole=of_whole)

    def of_tables(
        self, counted: Counted, whole: Source, *, several: bool
    ) -> tuple[tuple[MetricFact, ...], tuple[GroupFact, ...]]:
        """Gather the facts of all cases and of every group, metric by metric of all tables at once.

        Several classifiers have no whole, and so none to be short for.
        """
        squared, designs = counted.group_squared, counted.group_designs
        parts = [
            Source(table, squared.get(key), whole.weighted, designs.get(key))
            for key, table in counted.groups.items()
        ]
        sources = parts if several else [whole, *parts]
        shared = [m for m in self.metrics if several or m.name not in self.of_whole]
        facts = self.facts(sources, shared)
        told = self._told(parts) if several else [dict[str, Any]()] * len(parts)
        groups = tuple(
            GroupFact(
                group=dict(zip(counted.group_names, key, strict=True)),
                table=source.table,
                metrics=of_group,
                **of_answer,
            )
            for key, source, of_group, of_answer in zip(
                counted.groups, parts, facts if several else facts[1:], told, strict=True
            )
        )
        if several:
            return (), groups
        [rest] = self.facts([whole], [m for m in self.metrics if m not in shared])
        known = {fact.name: fact for fact in (*facts[0], *rest)}
        found = (self._if_independent(m, known[m.name], whole) for m in self.metrics)
        chosen = zip(self.metrics, found, strict=True)
        return tuple(self._beside_luck(m, fact, whole) for m, fact in chosen), groups

    def _if_independent(self, metric: Metric, fact: MetricFact, source: Source) -> MetricFact:
        """Add what interval independent cases would have, to a metric that was asked for."""
        if source.design is None or fact.name not in self.asked_for:
            return fact
        [ends] = self._intervals(metric, [source._replace(design=None)])
        low, high = ends.get("low"), ends.get("high")
        return replace(fact, independent_low=low, independent_high=high)

    def _told(
        self,
        sources: Sequence[Source],
        known: Mapping[Metric, MetricFact] = {},
        *,
        marked: bool = False,
    ) -> list[dict[str, Any]]:
        """Gather what the answer tells of tables: shares, and whether they beat guessing.

        Of answers that are `marked` right or wrong one share, and nothing to guess. What is `known`
        of a single table is not found again.
        """
        shares = [binary_metric(name) for name in (ANSWERS if marked else TOLD)]
        if self.base_rate is not None:
            shares.append(binary_metric("precision").at_base_rate(self.base_rate))
        measures = [binary_metric(verdicts.MEASURE), *shares]
        columns = [[known[m]] if m in known else self._values(m, sources) for m in measures]
        return [
            {
                "better_than_guessing": None
                if marked
                else verdicts.of_labels(
                    source.table,
                    measure,
                    _fisher(source).p_value,
                    counted=not source.weighted and source.design is None,
                ),
                "shares": tuple(of_shares),
            }
            for source, measure, *of_shares in zip(sources, *columns, strict=True)
        ]

    def _values(self, metric: Metric, sources: Sequence[Source]) -> list[MetricFact]:
        """Return a metric at every table with its interval."""
        found = zip(sources, self._intervals(metric, sources), strict=True)
        return [self.fact(metric, source.table, ends) for source, ends in found]

    def _beside_luck(self, metric: Metric, fact: MetricFact, source: Source) -> MetricFact:
        """Add what guessing with as many alarms scores, which only the table of all cases shows."""
        if self.guess == SAME_ALARMS:
            return replace(fact, same_alarms=fact.chance)
        found = self.beside_guess(metric, source.table, SAME_ALARMS, weighted=source.weighted)
        return replace(fact, same_alarms=found.get("chance", nan))

    def facts(
        self, sources: Sequence[Source], metrics: Sequence[Metric] | None = None
    ) -> list[tuple[MetricFact, ...]]:
        """Gather the facts of every metric at every table; equal tables are looked at once."""
        distinct = list(dict.fromkeys(sources))
        fisher = [_fisher(source) for source in distinct]
        chosen = self.metrics if metrics is None else metrics
        columns = [self._of_metric(metric, distinct, fisher) for metric in chosen]
        rows = zip(*columns, strict=True) if columns else ((),) * len(distinct)
        found = dict(zip(distinct, rows, strict=True))
        return [found[source] for source in sources]

    def _of_metric(
        self, metric: Metric, sources: Sequence[Source], fisher: Sequence[Tested]
    ) -> list[MetricFact]:
        return [
            self.fact(
                metric,
                source.table,
                ends
                | self._beyond_guess(metric, source)
                | self.beside_guess(metric, source.table, self.guess, weighted=source.weighted)
                | self._p_value(metric, source, tested).told,
            )
            for source, tested, ends in zip(
                sources, fisher, self._intervals(metric, sources), strict=True
            )
        ]

    def _beyond_guess(self, metric: Metric, source: Source) -> dict[str, Any]:
        """Return by how much a utility is better than the guess: of two, than the better one."""
        beyond = verdicts.beyond_guess(metric, source.table, self.guess)
        ends = [self._intervals(one, [source])[0] for one in beyond]
        if not ends or not all("low" in one for one in ends):
            return {}
        return {"beyond_guess": tuple(min(e[k] for e in ends) for k in ("low", "high"))}

    def _intervals(self, metric: Metric, sources: Sequence[Source]) -> list[dict[str, Any]]:
        """Return both ends at every table, or why there are none; all at once, unless refused."""
        if not sources:
            return []
        if sources[0].design is not None:
            return [by_clusters(metric, s.design, self.level) for s in sources if s.design]
        tables, squares = zip(*((s.table, s.squared) for s in sources), strict=True)
        try:
            found = self.ends_of(metric, stacked(tables), stacked(squares))
        except UnsupportedError as error:
            if len(sources) == 1:
                return [{"interval_reason": str(error)}]
            return [ends for source in sources for ends in self._intervals(metric, [source])]
        return list(records(dict, low=found.low, high=found.high))

    def _p_value(self, metric: Metric, source: Source, fisher: Tested) -> Tested:
        if source.weighted and source.design is None:
            return fisher
        if metric.direction == "neither" or isnan(metric(source.table)):
            return Tested(nan)
        if self.p_value == "fisher" or source.design is not None or not has_both(source.table):
            return fisher
        try:
            return Tested(OF_EACH[self.p_value](metric, source.table))
        except UnsupportedError as error:
            return Tested(nan, str(error))


def _unrestated(metric: Metric, base_rate: float) -> Metric:
    """Return the metric that was restated at this base rate."""
    restated = metric.made_by is not None and metric.parameters.get("base_rate") == base_rate
    return metric.made_by[1]["metric"] if restated and metric.made_by else metric


def _beside(restated: Sequence[MetricFact], raw: Sequence[MetricFact]) -> tuple[RestatedFact, ...]:
    names = [one.name for one in fields(MetricFact)]
    return tuple(
        RestatedFact(**{name: getattr(fact, name) for name in names}, raw=own)
        for fact, own in zip(restated, raw, strict=True)
    )


def _fisher(source: Source) -> Tested:
    if not has_both(source.table):
        return Tested(nan, NO_GUESS)
    return tested(source.table, source.design, weighted=source.weighted)


def stacked(tables: Sequence[Any]) -> Any:
    """Return one table of arrays; None of no tables."""
    return None if tables[0] is None else ConfusionMatrix.stack(tables)


def _turned(source: Source) -> Source:
    t, design = source.table, source.design
    turned = None if design is None else design.of_opposite()
    return source._replace(table=ConfusionMatrix(tp=t.fn, fn=t.tp, fp=t.tn, tn=t.fp), design=turned)


def are_classifiers(counted: Counted) -> bool:
    """Whether published tables agree in their class totals, as those of one test set do.

    Adding them up would count every case once per classifier.
    """
    tables = () if counted.labels else tuple(counted.groups.values())
    return len(tables) > 1 and len({(t.n_positive, t.n_negative) for t in tables}) == 1


def effective(counted: Counted) -> dict[str, float]:
    """Return Kish's numbers of weighted cases, by the names that facts have for them."""
    if not counted.weighted:
        return {}
    positive, negative = effective_sizes(counted.table, counted.squared)
    return {
        "effective_n": counted.effective_n,
        "effective_positive": positive,
        "effective_negative": negative,
    }

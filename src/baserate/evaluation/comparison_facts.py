"""What is asked of several classifiers, once everything is counted."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import combinations
from math import isnan, nan
from typing import Any

from baserate.counts import ConfusionMatrix
from baserate.evaluation.compared_scores import of_scores
from baserate.evaluation.contest import THRESHOLD, Contest
from baserate.evaluation.evaluation_facts import Evaluating, Source
from baserate.evaluation.independent_pairs import SeparateCases, TwoClasses
from baserate.evaluation.margins import margins_of
from baserate.evaluation.rivals import NO_LAW, PRIOR, adjusted_for_pairs
from baserate.evaluation.sampled_pairs import SampledOfTwo, of_two
from baserate.evaluation.score_facts import are_probabilities
from baserate.evaluation.stakes import FittedStakes
from baserate.evaluation.unverified import left_out, of_cases, surest
from baserate.facts.comparison import (
    ActingFact,
    ClassifierFact,
    ComparisonFacts,
    GroupWorthFact,
    MetricRanking,
    PairFact,
    SpanFact,
    WorthFact,
)
from baserate.facts.evaluation import MetricFact
from baserate.facts.stakes import YieldFact
from baserate.groups import adjust
from baserate.inference.best_of_several import Best
from baserate.metrics import (
    Metric,
    binary_metric,
    false_omission_rate,
    net_benefit,
    precision,
    utility,
)
from baserate.metrics.ties import tie_width
from baserate.utilities import (
    best_by_base_rate,
    best_by_threshold,
    compare_utilities,
    rankings,
)
from baserate.utilities.envelope import Envelope
from baserate.utilities.exact_yields import SAME_SHARE
from baserate.utilities.two_classifiers import base_rate_flip
from baserate.utilities.useful_ranges import useful_prices

LEADING, MANY = 3, 8  # metrics asked for by name that an answer, and that a table compares
USUAL = tuple(map(binary_metric, ("recall", "specificity", "accuracy")))  # compared by default
SIMULATED = 30  # differences; of more, those without an exact law have a test and no interval
# Tests that are adjusted together: an accuracy asked for has one adjusted p-value in a report.
FAMILIES = (("p_accuracy",), ("p_recall", "p_specificity"))


@dataclass(frozen=True, kw_only=True)
class Contesting(ABC):
    """What is asked of a contest, whatever the number of classes."""

    contest: Any
    asked: Any  # metrics, guess and level
    rng: Any = 0  # of P(best) of three or more
    named: tuple[Any, ...] = ()  # metrics that were asked for by name
    margin: float | None = None  # by which more none may be worse than the first
    measures: tuple[str, ...] = ()  # of scores, that were named

    @cached_property
    @abstractmethod
    def rivals(self) -> Any:
        """What is known of the classifiers, one by one and two by two."""

    @abstractmethod
    def metrics(self, k: int) -> tuple[MetricFact, ...]:
        """Return the metrics of one classifier."""

    @abstractmethod
    def classifier(self, k: int, **known: Any) -> Any:
        """Return one classifier, of which this much is known."""

    @abstractmethod
    def pair(self, i: int, j: int, **known: Any) -> Any:
        """Return two classifiers, of which this much is known."""

    def judged(self, facts: Any) -> Any:
        """Add to the facts who is not worse than the first by more than the margin."""
        if self.margin is None:
            return facts
        return replace(facts, margins=margins_of(facts, self.margin, self.measures))

    def gathered(self) -> dict[str, Any]:
        """Gather what any comparison says."""
        contest, cases = self.contest, self.contest.cases
        best = self.rivals.best(self.rng)
        known = not all(map(isnan, self.rivals.yields.values()))
        untold = known and isnan(best.probabilities[0]) and len(contest.names) > 2
        return {
            "n": self.rivals.n,
            "missing": contest.missing,
            "paired": cases is not None,
            "guess": str(self.asked.guess),
            "confidence_level": self.asked.level,
            "classifiers": tuple(self._classifiers(best)),
            "pairs": self.pairs,
            "group_names": () if cases is None else cases.group_names,
            "best_error": max(best.standard_errors),
            "best_reason": NO_LAW if untold else None,
            **self.rivals.about,
            **contest.about,
        }

    def _classifiers(self, best: Best) -> Iterator[Any]:
        yields = self.rivals.yields
        for k, (name, chance) in enumerate(zip(yields, best.probabilities, strict=True)):
            worth = self.rivals.worth(k)
            known = {field.name: getattr(worth, field.name) for field in fields(YieldFact)}
            yield self.classifier(
                k,
                name=name,
                best=chance,
                rank=1 + sum(value > worth.value for value in yields.values()),
                table=self.contest.table(name),
                metrics=self.metrics(k),
                **known,
            )

    @property
    def places(self) -> list[tuple[int, int]]:
        """Every two classifiers, in the order given."""
        return list(combinations(range(len(self.contest.names)), 2))

    @cached_property
    def pairs(self) -> tuple[Any, ...]:
        """What is known of every two; tests are adjusted for their number."""
        names, yields = self.contest.names, self.rivals.yields
        found = [
            self.pair(
                i,
                j,
                a=names[i],
                b=names[j],
                difference=yields[names[i]] - yields[names[j]],
                **self.rivals.pair(i, j),
            )
            for i, j in self.places
        ]
        return tuple(adjusted_for_pairs(found))

    def groups(self) -> Iterator[dict[str, Any]]:
        """Yield what is known in each group of the cases."""
        cases = self.contest.cases
        if cases is None:
            return
        for index, key in enumerate(cases.groups):
            part = self.rivals.within(index)
            group = dict(zip(cases.group_names, key, strict=True))
            alone = {"worth": part.worth(0)} if len(self.contest.names) == 1 else {}
            yield {"group": group, "n": part.n, **part.place(self.rng), **alone}


@dataclass(frozen=True, kw_only=True)
class Comparing(Contesting):
    """What is asked of a contest of two classes."""

    contest: Contest
    asked: Evaluating
    stakes: FittedStakes
    base_rates: tuple[float, ...]
    named: tuple[Metric, ...] = ()
    cut_named: bool = True

    def facts(self) -> ComparisonFacts:
        """Gather everything."""
        # First what decisions are worth, since it refuses what cannot be compared.
        at_stake = self._at_stake() if self.rivals.priced else {}
        contest, constants = self.contest, self.rivals.constants
        lost = [] if contest.cases is None else [
            of_cases(contest.cases, name, called=True) for name in contest.cases.names
        ]  # fmt: skip
        found = ComparisonFacts(
            positive=contest.positive,
            positive_assumed=contest.assumed,
            labels=contest.labels,
            unverified=surest(lost),
            **left_out(contest.cases),
            base_rate=self.base_rate,
            restated=self.stated is not None,
            stakes=self.stakes.fact,
            constants={} if self._apart else dict(constants.expected),
            constant=None if self._apart else constants.best,
            perfect=nan if self._apart else constants.perfect,
            groups=tuple(
                GroupWorthFact(base_rate=self._base_rate_of(k), **known)
                for k, known in enumerate(self.groups())
            ),
            asked=tuple(metric.name for metric in self.named[:LEADING]),
            cut_named=self.cut_named,
            **at_stake,
            **self.gathered(),
        )
        return self.judged(found)

    def _at_stake(self) -> dict[str, Any]:
        """Return what is best where, how metrics rank, and what scores say."""
        by_threshold = self._by_threshold
        # Thresholds know constant decisions as positive and negative.
        always = [f"always {name}" for name in self.u.decision_names]
        called = dict(zip(("always positive", "always negative"), always, strict=True))
        return {
            "rankings": self._rankings(),
            "by_threshold": _spans(by_threshold, called),
            "by_base_rate": _spans(best_by_base_rate(self.contest.tables, self.u), {}),
            "base_rates": tuple(
                WorthFact(base_rate=at, **self._at(at).place(self.rng)) for at in self.base_rates
            ),
            **of_scores(self.contest, self.asked.level),
        }

    def _base_rate_of(self, group: int) -> float:
        assert self.contest.cases is not None
        own = self.contest.cases.within(group).table(0).base_rate
        return nan if self.rivals.one_class else own

    @property
    def u(self) -> Any:
        """Utilities, the positive first."""
        return self.stakes.matrix

    @property
    def stated(self) -> float | None:
        """The base rate that everything but the groups is restated at, if one was given."""
        return self.base_rates[0] if self.base_rates else None

    @property
    def base_rate(self) -> float:
        """The share of positives at which everything holds; no such share of one class."""
        own = float(self.rivals.table(0).base_rate) if self.rivals.priced else nan
        return own if self.stated is None else self.stated

    @cached_property
    def rivals(self) -> TwoClasses:
        """What is known of the classifiers, one by one and two by two."""
        return self._at(self.stated)

    def _at(self, base_rate: float | None) -> TwoClasses:
        how: Any = {"utilities": self.u, "base_rate": base_rate, "level": self.asked.level}
        if self.contest.cases is not None:
            return of_two(self.contest.cases, **how)
        return SeparateCases(tables=self.contest.tables, known_shares=not self._apart, **how)

    @property
    def _apart(self) -> bool:
        """Whether test sets have class shares of their own, on which nothing asked for depends."""
        asked = self.named and not any(metric.depends_on_base_rate for metric in self.named)
        shares = [float(table.base_rate) for table in self.contest.tables.values()]
        same = max(shares) - min(shares) <= SAME_SHARE
        return bool(asked) and not same and self.stakes.fact.kind == "accuracy"

    @cached_property
    def pairs(self) -> tuple[PairFact, ...]:
        """What is known of every two; tests of accuracy, and of both rates, are adjusted too."""
        found = super().pairs
        tested: list[dict[str, float]] = [{} for _ in found]
        for names in FAMILIES:
            every = iter(adjust([getattr(pair, p) for pair in found for p in names]).tolist())
            for row in tested:
                row |= {f"adjusted_{name}": next(every) for name in names}
        return tuple(replace(pair, **row) for pair, row in zip(found, tested, strict=True))

    def pair(self, i: int, j: int, **known: Any) -> PairFact:
        """Return two classifiers, of which this much is known."""
        few = len(self.places) * len(self.named) <= SIMULATED
        told = self.named or USUAL
        return PairFact(
            **self._turning(self.rivals.table(i), self.rivals.table(j)),
            discordant=self.rivals.alone(i, j),
            metrics=self.rivals.gaps(told, i, j, self.rng if few else None),
            **known,
        )

    def _turning(self, a: ConfusionMatrix, b: ConfusionMatrix) -> dict[str, Any]:
        """Return where it turns which of two is better, if anything is at stake."""
        if not self.rivals.priced:
            return {}
        region = compare_utilities(a, b, self.u, base_rate=self.stated, prior=PRIOR).region
        return {
            "tau_star": region.tau_star,
            "a_thresholds": region.a_better,
            "b_thresholds": region.b_better,
            "flip": base_rate_flip(a, b, self.u),
        }

    def classifier(self, k: int, **known: Any) -> ClassifierFact:
        """Return one classifier, of which this much is known."""
        name = known["name"]
        cut = self.contest.cuts.get(name)
        return ClassifierFact(
            **(self._paying(name, k) if self.rivals.priced else {}),
            score=cut and cut.score,
            cut=cut and cut.threshold,
            cut_by=cut and cut.by,
            cut_also=cut.also if cut else (),
            acting=self._acting(name, k),
            **known,
        )

    def _acting(self, name: str, k: int) -> ActingFact | None:
        """Return what acting from the threshold that was named is worth, beside treating all."""
        cut = self.contest.cuts.get(name)
        if cut is None or cut.by != THRESHOLD or not (self.cut_named and self.rivals.priced):
            return None
        swept, tau = self.contest.sweeps.get(cut.score), float(cut.threshold)
        if self.stakes.fact.kind != "accuracy" or swept is None or not 0 < tau < 1:
            return None
        if not are_probabilities(swept):
            return None
        table, odds = self.contest.table(name), tau / (1 - tau)
        rate = float(table.base_rate) if self.stated is None else self.stated
        net, above = self._facts_of((net_benefit(tau), utility([[0, 0], [-1, odds]])))[k]
        return ActingFact(
            threshold=tau,
            value=net.value,
            low=net.low,
            high=net.high,
            treat_all=rate - (1 - rate) * odds,
            above_all=above.value,
            above_all_low=above.low,
            above_all_high=above.high,
        )

    def metrics(self, k: int) -> tuple[MetricFact, ...]:
        """Return the metrics of one classifier."""
        return self._metrics[k]

    @cached_property
    def _metrics(self) -> list[tuple[MetricFact, ...]]:
        return self._facts_of(self.asked.metrics)

    def _paying(self, name: str, k: int) -> dict[str, Any]:
        """Return at which thresholds a classifier is best, and where it surely pays."""
        return {"thresholds": self._by_threshold.intervals[name], "pays": self._pays[k]}

    @cached_property
    def _pays(self) -> list[tuple[float, float]]:
        """Thresholds at which each classifier surely beats both constant decisions."""
        how: dict[str, Any] = {"confidence_level": self.asked.level, "base_rate": self.stated}
        within: list[Any] = [None] * len(self.contest.tables)
        if isinstance(self.rivals, SampledOfTwo):  # two limits, each of which fails half as often
            found = self._facts_of((false_omission_rate, precision))
            within = [(omitted.high, kept.low) for omitted, kept in found]
        return [
            max(
                useful_prices(table, within=ends, **how),
                key=lambda ends: ends[1] * (1 - ends[0]) / (ends[0] * (1 - ends[1])),
                default=(nan, nan),
            )
            for table, ends in zip(self.contest.tables.values(), within, strict=True)
        ]

    def _facts_of(self, metrics: tuple[Metric, ...]) -> list[tuple[MetricFact, ...]]:
        asked = replace(self.asked, metrics=metrics)
        if self.stated is not None:
            at = tuple(metric.at_base_rate(self.stated) for metric in metrics)
            asked = replace(asked, metrics=at, base_rate=self.stated)
        sources = [Source(table) for table in self.contest.tables.values()]
        if isinstance(self.rivals, SampledOfTwo):
            found = self.rivals.counted
            sources = [Source(c.table, c.squared, c.weighted, c.design) for c in found]
        return asked.facts(sources)

    def _rankings(self) -> tuple[MetricRanking, ...]:
        directed = {i: m for i, m in enumerate(self.asked.metrics) if m.direction != "neither"}
        how: Any = {"base_rate": self.stated}
        found = rankings(self.contest.tables, self.u, list(directed.values()), **how)
        of = [
            dict(zip(self.contest.names, m, strict=True)) for m in zip(*self._metrics, strict=True)
        ]
        return tuple(
            MetricRanking(
                name=ranking.metric,
                first=_first({name: one.value for name, one in of[i].items()}, metric),
                wrong=ranking.wrong,
                undecided=ranking.undecided,
            )
            for ranking, (i, metric) in zip(found, directed.items(), strict=True)
        )

    @cached_property
    def _by_threshold(self) -> Envelope:
        return best_by_threshold(self.contest.tables, base_rate=self.stated)


def _spans(envelope: Envelope, called: Mapping[Any, str]) -> tuple[SpanFact, ...]:
    """Return the pieces of an envelope, some constant decisions called by other names."""
    return tuple(
        SpanFact(
            low=piece.low,
            high=piece.high,
            best=tuple(str(called.get(name, name)) for name in piece.best),
        )
        for piece in envelope.pieces
    )


def _first(values: Mapping[str, float], metric: Metric) -> tuple[str, ...]:
    sign = -1 if metric.direction == "lower" else 1
    known = {name: sign * value for name, value in values.items() if not isnan(value)}
    top = max(known.values(), default=nan)
    return tuple(name for name, value in known.items() if value >= top - tie_width(metric, top))

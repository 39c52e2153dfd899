"""What is asked of several classifiers, once everything is counted."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import isnan, nan
from typing import Any

from baserate.cases.two_classes import BinaryCases
from baserate.counts import ConfusionMatrix
from baserate.evaluation.compared_scores import of_scores
from baserate.evaluation.contest import Contest
from baserate.evaluation.evaluation_facts import Evaluating, Source, effective
from baserate.evaluation.independent_pairs import (
    PRIOR,
    SameCases,
    SeparateCases,
    adjusted_for_pairs,
    discordant,
    restated,
)
from baserate.evaluation.sampled_pairs import NO_LAW, SampledOfTwo, sampled_of_two
from baserate.evaluation.stakes import FittedStakes, constants_of, is_constant, worth
from baserate.evaluation.unverified import of_cases, surest
from baserate.facts.comparison import (
    ClassifierFact,
    ComparisonFacts,
    GroupWorthFact,
    MetricRanking,
    PairFact,
    SpanFact,
    WorthFact,
)
from baserate.facts.evaluation import MetricFact
from baserate.groups import adjust
from baserate.inference import interval, yield_posterior
from baserate.inference.best_of_several import Best
from baserate.metrics import Metric, false_omission_rate, precision
from baserate.metrics.ties import tie_width
from baserate.utilities import (
    best_by_base_rate,
    best_by_threshold,
    compare_utilities,
    rankings,
)
from baserate.utilities.constant_decisions import ConstantDecisions
from baserate.utilities.envelope import Envelope
from baserate.utilities.two_classifiers import base_rate_flip
from baserate.utilities.useful_ranges import useful_prices

Shares = tuple[float, float] | None

SIMULATED = 30  # differences; of more, those without an exact law have a test and no interval
# Tests that are adjusted together: an accuracy asked for has one adjusted p-value in a report.
FAMILIES = (("p_accuracy",), ("p_recall", "p_specificity"))


@dataclass(frozen=True, kw_only=True)
class Comparing:
    """What is asked of a contest; `named` are the metrics that were asked for by name."""

    contest: Contest
    asked: Evaluating
    stakes: FittedStakes
    base_rates: tuple[float, ...]
    rng: Any
    named: tuple[Metric, ...] = ()
    cut_named: bool = True

    def facts(self) -> ComparisonFacts:
        """Gather everything."""
        by_threshold = self._by_threshold  # first, since it refuses what cannot be compared
        contest, constant = self.contest, self.constant
        best = self._at(self.stated).best(self.rng)
        unknown = isnan(best.probabilities[0]) and len(self.tables) > 2
        sampled = {}  # how cases were sampled, which is the same for everybody
        if self.sampled is not None:
            sampled = {**self.sampled.about, **effective(self.sampled.counted[0])}
        # Thresholds know constant decisions as positive and negative.
        always = [f"always {name}" for name in self.u.decision_names]
        called = dict(zip(("always positive", "always negative"), always, strict=True))
        return ComparisonFacts(
            positive=contest.positive,
            positive_assumed=contest.assumed,
            labels=contest.labels,
            n=contest.n,
            missing=contest.missing,
            unverified=None
            if contest.joint is None
            else surest(
                [of_cases(contest.joint, name, called=True) for name in contest.joint.names]
            ),
            paired=contest.joint is not None,
            base_rate=self.base_rate,
            restated=self.shares is not None,
            guess=str(self.asked.guess),
            confidence_level=self.asked.level,
            stakes=self.stakes.fact,
            constants=dict(constant.expected),
            constant=constant.best,
            perfect=constant.perfect,
            classifiers=tuple(self._classifiers(best)),
            pairs=self.pairs,
            rankings=self._rankings(),
            by_threshold=_spans(by_threshold, called),
            by_base_rate=_spans(best_by_base_rate(self.tables, self.u), {}),
            base_rates=tuple(map(self._at_base_rate, self.base_rates)),
            groups=tuple(self._groups()),
            group_names=() if contest.joint is None else contest.joint.group_names,
            **of_scores(contest, self.asked.level),
            asked=tuple(metric.name for metric in self.named),
            cut_named=self.cut_named,
            best_error=max(best.standard_errors),
            best_reason=NO_LAW if unknown else None,
            **sampled,
            **contest.about,
        )

    @property
    def tables(self) -> dict[str, ConfusionMatrix]:
        """One table per classifier."""
        return self.contest.tables

    @property
    def u(self) -> Any:
        """Utilities, the positive first."""
        return self.stakes.matrix

    @property
    def shares(self) -> Shares:
        """Class shares at the first base rate stated; None: those of the cases."""
        stated = self.stated
        return None if stated is None else (stated, 1 - stated)

    @cached_property
    def base_rate(self) -> float:
        """The share of positives at which everything holds."""
        first = next(iter(self.tables.values()))
        return float(first.base_rate) if self.shares is None else self.shares[0]

    @property
    def stated(self) -> float | None:
        """The base rate that everything but the groups is restated at, if one was given."""
        return self.base_rates[0] if self.base_rates else None

    @cached_property
    def constant(self) -> ConstantDecisions:
        """The constant decisions at this base rate."""
        return constants_of(self.u, next(iter(self.tables.values())), self.stated)

    @cached_property
    def sampled(self) -> SampledOfTwo | None:
        """What goes by clusters or by weights; None where cases are independent and equal."""
        joint = self.contest.joint
        found = None if joint is None else self._on(joint, self.stated)
        return found if isinstance(found, SampledOfTwo) else None

    def _on(self, cases: BinaryCases, base_rate: float | None) -> SampledOfTwo | SameCases:
        how: Any = {"utilities": self.u, "base_rate": base_rate, "level": self.asked.level}
        return sampled_of_two(cases, **how) or SameCases(joint=cases, **how)

    def _at(self, base_rate: float | None) -> SampledOfTwo | SameCases | SeparateCases:
        if self.contest.joint is not None:
            return self._on(self.contest.joint, base_rate)
        at = self.base_rate if base_rate is None else base_rate
        return SeparateCases(
            tables=self.tables, utilities=self.u, base_rate=at, level=self.asked.level
        )

    @cached_property
    def pairs(self) -> tuple[PairFact, ...]:
        """Every two classifiers, in the order given; tests are adjusted for their number."""
        places = list(combinations(range(len(self.tables)), 2))
        found = adjusted_for_pairs([self._pair(*pair) for pair in places])
        tested: list[dict[str, float]] = [{} for _ in found]
        for names in FAMILIES:
            every = iter(adjust([getattr(pair, p) for pair in found for p in names]).tolist())
            for row in tested:
                row |= {f"adjusted_{name}": next(every) for name in names}
        return tuple(replace(pair, **row) for pair, row in zip(found, tested, strict=True))

    def _pair(self, i: int, j: int) -> PairFact:
        names = list(self.tables)
        a, b = self.tables[names[i]], self.tables[names[j]]
        joint = self.contest.joint
        alone = None if joint is None else discordant(joint, i, j)
        found = compare_utilities(
            a, b, self.u, base_rate=self.stated, prior=PRIOR,
            paired=alone if self.sampled is None else None,  # which has a law of its own
        )  # fmt: skip
        pairs, k = self._at(self.stated), len(names)
        known = {"a_better": found.probability_a_better, **pairs.pair(i, j)}
        rng = self.rng if k * (k - 1) // 2 * len(self.named) <= SIMULATED else None
        return PairFact(
            a=names[i],
            b=names[j],
            difference=found.yield_a - found.yield_b,
            tau_star=found.tau_star,
            a_thresholds=found.region.a_better,
            b_thresholds=found.region.b_better,
            flip=base_rate_flip(a, b, self.u),
            discordant=alone,
            metrics=tuple(pairs.gap(metric, i, j, rng) for metric in self.named),
            **known,
        )

    def _classifiers(self, best: Best) -> Iterator[ClassifierFact]:
        ranks, spans = self._ranks(), self._by_threshold.intervals
        chances = best.probabilities
        for (name, table), rank, chance in zip(self.tables.items(), ranks, chances, strict=True):
            value = worth(table, self.u, self.stated)
            cut = self.contest.cuts.get(name)
            yield ClassifierFact(
                name=name,
                table=table,
                value=value,
                **(self._posterior(table) if self.sampled is None else self._in_sample(name)),
                skill=self.constant.skill(value),
                best=chance,
                rank=rank,
                thresholds=spans[name],
                pays=self._pays[name],
                metrics=self._metrics[name],
                score=cut and cut.score,
                cut=cut and cut.threshold,
                cut_by=cut and cut.by,
                cut_also=cut.also if cut else (),
            )

    def _ranks(self) -> list[int]:
        beaten = dict.fromkeys(self.tables, 1)
        for pair in self.pairs:
            if pair.difference:
                beaten[pair.b if pair.difference > 0 else pair.a] += 1
        return list(beaten.values())

    def _posterior(self, table: ConfusionMatrix) -> dict[str, Any]:
        """Return the interval of the yield, and P(it exceeds that of the best constant)."""
        how = {"prior": PRIOR, "class_shares": self.shares}
        level = self.asked.level
        found = interval(restated(self.u.as_metric(), self.stated), table, confidence_level=level)
        low, high = found.low, found.high
        if is_constant(table, self.u, self.constant.best):
            return {"low": low, "high": high, "beats_reason": "decides_constantly"}
        row = self.u.decision_names.index(self.constant.best)
        gain = yield_posterior(table, self.u.matrix - self.u.matrix[row], **how)
        return {"low": low, "high": high, "beats_constant": float(gain.sf(0.0))}

    def _in_sample(self, name: str) -> dict[str, Any]:
        assert self.sampled is not None
        k, best = list(self.tables).index(name), self.constant.best
        low, high = self.sampled.limits(k)
        if is_constant(self.tables[name], self.u, best):
            return {"low": low, "high": high, "beats_reason": "decides_constantly"}
        positive = self.u.decision_names.index(best) == 0
        beats = self.sampled.beats(k, positive=positive)
        return {"low": low, "high": high, "beats_constant": beats}

    @cached_property
    def _metrics(self) -> dict[str, tuple[MetricFact, ...]]:
        return self._facts_of(self.asked.metrics)

    @cached_property
    def _pays(self) -> dict[str, tuple[float, float]]:
        """Thresholds at which each classifier surely beats both constant decisions."""
        how: dict[str, Any] = {"confidence_level": self.asked.level}
        how["base_rate"] = None if self.shares is None else self.base_rate
        within = dict[str, Any]()
        if self.sampled is not None:  # two limits, each of which fails half as often
            found = self._facts_of((false_omission_rate, precision))
            within = {name: (omitted.high, kept.low) for name, (omitted, kept) in found.items()}
        return {
            name: max(
                useful_prices(table, within=within.get(name), **how),
                key=lambda ends: ends[1] * (1 - ends[0]) / (ends[0] * (1 - ends[1])),
                default=(nan, nan),
            )
            for name, table in self.tables.items()
        }

    def _facts_of(self, metrics: tuple[Metric, ...]) -> dict[str, tuple[MetricFact, ...]]:
        asked = replace(self.asked, metrics=metrics)
        if self.shares is not None:
            pi = self.base_rate
            at = tuple(metric.at_base_rate(pi) for metric in metrics)
            asked = replace(asked, metrics=at, base_rate=pi)
        sources = [Source(table) for table in self.tables.values()]
        if self.sampled is not None:
            found = self.sampled.counted
            sources = [Source(c.table, c.squared, c.weighted, c.design) for c in found]
        facts = asked.facts(sources)
        return dict(zip(self.tables, facts, strict=True))

    def _rankings(self) -> tuple[MetricRanking, ...]:
        directed = {i: m for i, m in enumerate(self.asked.metrics) if m.direction != "neither"}
        found = rankings(self.tables, self.u, list(directed.values()), base_rate=self.stated)
        return tuple(
            MetricRanking(
                name=ranking.metric,
                first=_first({name: m[i].value for name, m in self._metrics.items()}, metric),
                wrong=ranking.wrong,
                undecided=ranking.undecided,
            )
            for ranking, (i, metric) in zip(found, directed.items(), strict=True)
        )

    @cached_property
    def _by_threshold(self) -> Envelope:
        return best_by_threshold(self.tables, base_rate=self.stated)

    def _at_base_rate(self, base_rate: float) -> WorthFact:
        """Restate yields at a base rate of deployment: rates within each class stay."""
        place = self._place(self._at(base_rate), self.tables, base_rate)
        return WorthFact(base_rate=base_rate, **place)

    def _place(
        self,
        pairs: SampledOfTwo | SameCases | SeparateCases,
        tables: Mapping[str, ConfusionMatrix],
        base_rate: float | None,
    ) -> dict[str, Any]:
        constant = constants_of(self.u, next(iter(tables.values())), base_rate)
        chances = pairs.best(self.rng).probabilities
        known = not isnan(sum(chances))
        return {
            "yields": {name: worth(table, self.u, base_rate) for name, table in tables.items()},
            "constant": constant.best,
            "constant_value": constant.value,
            "best": dict(zip(tables, chances, strict=True)) if known else {},
        }

    def _groups(self) -> Iterator[GroupWorthFact]:
        joint = self.contest.joint
        for index, key in enumerate(() if joint is None else joint.groups):
            assert joint is not None
            part = joint.within(index)
            tables = {name: part.table(k) for k, name in enumerate(part.names)}
            yield GroupWorthFact(
                base_rate=tables[part.names[0]].base_rate,
                **self._place(self._on(part, None), tables, None),
                n=part.n,
                group=dict(zip(joint.group_names, key, strict=True)),
            )


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

"""What is asked of several classifiers, once everything is counted."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import isnan, nan
from typing import Any

from baserate._checks import generator
from baserate.cases import BinaryCases
from baserate.counts import ConfusionMatrix
from baserate.evaluation.clustered_pairs import ClusteredPairs, ReplicatedPairs
from baserate.evaluation.compared_scores import of_scores
from baserate.evaluation.contest import Contest
from baserate.evaluation.evaluation_facts import Evaluating, Source, effective
from baserate.evaluation.sampled_pairs import SampledPairs, WeightedPairs
from baserate.evaluation.stakes import FittedStakes, constants_of, is_constant, worth
from baserate.facts import MetricFact
from baserate.facts.comparison import (
    ClassifierFact,
    ComparisonFacts,
    GroupWorthFact,
    MetricRanking,
    PairFact,
    SpanFact,
    WorthFact,
)
from baserate.inference import yield_posterior
from baserate.inference.best_of_several import (
    Best,
    probability_best_paired,
    probability_best_separate,
)
from baserate.inference.paired import compare_paired, mcnemar_by_class
from baserate.metrics import Metric
from baserate.metrics.ties import tie_width
from baserate.utilities import (
    ConstantDecisions,
    Envelope,
    UtilityComparison,
    base_rate_flip,
    best_by_base_rate,
    best_by_threshold,
    compare_utilities,
    rankings,
)

Shares = tuple[float, float] | None

NO_LAW = "difference_without_law"  # why it is unknown which of several is best
PRIOR = 1.0  # pseudo-count of each cell of a pair, as `compare_utilities` has it
MOST_JOINT = 9  # classifiers whose joint decisions are drawn; 1,024 cells
DRAWS = 20_000_000  # gamma variables drawn for P(best), a second or two
FEWEST, MOST = 10_000, 100_000


@dataclass(frozen=True, kw_only=True)
class Comparing:
    """What is asked of a contest."""

    contest: Contest
    asked: Evaluating
    stakes: FittedStakes
    base_rates: tuple[float, ...]
    rng: Any

    def facts(self) -> ComparisonFacts:
        """Gather everything."""
        by_threshold = self._by_threshold  # first, since it refuses what cannot be compared
        contest, constant = self.contest, self.constant
        best, reason = self.best
        return ComparisonFacts(
            positive=contest.positive,
            positive_assumed=contest.assumed,
            labels=contest.labels,
            n=contest.n,
            missing=contest.missing,
            paired=contest.joint is not None,
            base_rate=self.base_rate,
            restated=self.shares is not None,
            confidence_level=self.asked.level,
            stakes=self.stakes.fact,
            constants=dict(constant.expected),
            constant=constant.best,
            perfect=constant.perfect,
            classifiers=tuple(self._classifiers(best)),
            pairs=self.pairs,
            rankings=self._rankings(),
            by_threshold=_spans(by_threshold, self._called),
            by_base_rate=_spans(best_by_base_rate(self.tables, self.u), {}),
            base_rates=tuple(map(self._at_base_rate, self.base_rates)),
            groups=tuple(self._groups()),
            group_names=() if contest.joint is None else contest.joint.group_names,
            **of_scores(contest, self.asked.level),
            best_error=0.0 if best is None else max(best.standard_errors),
            best_reason=reason,
            n_clusters=None if self.sampled is None else self.sampled.n_clusters,
            n_replicates=None if self.sampled is None else self.sampled.n_replicates,
            **self._effective(),
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
    def sampled(self) -> SampledPairs | None:
        """What goes by clusters or by weights; None where cases are independent and equal."""
        joint = self.contest.joint
        return None if joint is None else self._by_sample(joint, self.stated)

    def _by_sample(self, cases: BinaryCases, base_rate: float | None) -> SampledPairs | None:
        if not cases.is_designed and cases.weight is None:
            return None
        kind = WeightedPairs if cases.cluster is None else ClusteredPairs
        kind = kind if cases.replicated is None else ReplicatedPairs
        how = {"utilities": self.u, "base_rate": base_rate, "level": self.asked.level}
        return kind(joint=cases, **how)

    def _effective(self) -> dict[str, float]:
        """Return how many cases the weighted ones are worth, which is the same for everybody."""
        return {} if self.sampled is None else effective(self.sampled.counted[0])

    @cached_property
    def best(self) -> tuple[Best | None, str | None]:
        """P(highest expected yield), or why it is unknown."""
        joint = self.contest.joint
        if joint is not None:
            return self._best_on_same_cases(joint, self.shares)
        tables = list(self.tables.values())
        shares = "pooled" if self.shares is None else self.shares
        return probability_best_separate(tables, self.u.matrix, class_shares=shares), None

    @cached_property
    def pairs(self) -> tuple[PairFact, ...]:
        """Every two classifiers, in the order given."""
        return tuple(self._pair(*pair) for pair in combinations(range(len(self.tables)), 2))

    def _best_on_same_cases(
        self, joint: BinaryCases, shares: Shares = None
    ) -> tuple[Best | None, str | None]:
        k = len(joint.names)
        by_sample = self._by_sample(joint, None if shares is None else shares[0])
        if by_sample is not None:
            found = by_sample.best(self.rng)
            return found, NO_LAW if k > 2 and isnan(found.probabilities[0]) else None
        if k > MOST_JOINT:
            return None, "too_many_classifiers"
        cells = joint.cells(range(k))
        # However many classifiers there are, each pair has the prior that it would have alone.
        prior, draws = PRIOR * 8 / cells.size, max(FEWEST, min(MOST, DRAWS // cells.size))
        rng = generator(self.rng)
        how = {"prior": prior, "class_shares": shares, "rng": rng, "n_draws": draws}
        return probability_best_paired(cells, self.u.matrix, **how), None

    def _pair(self, i: int, j: int) -> PairFact:
        names = list(self.tables)
        a, b = self.tables[names[i]], self.tables[names[j]]
        discordant = None if self.contest.joint is None else _discordant(self.contest.joint, i, j)
        found = self._compared(a, b, discordant, self.stated)
        known = {"a_better": found.probability_a_better, **self._same_cases(i, j, discordant)}
        return PairFact(
            a=names[i],
            b=names[j],
            difference=found.yield_a - found.yield_b,
            tau_star=found.tau_star,
            a_thresholds=found.region.a_better,
            b_thresholds=found.region.b_better,
            flip=base_rate_flip(a, b, self.u),
            **known,
        )

    def _compared(
        self, a: ConfusionMatrix, b: ConfusionMatrix, discordant: Any, base_rate: float | None
    ) -> UtilityComparison:
        paired = discordant if self.sampled is None else None  # which has a law of its own
        how = {"base_rate": base_rate, "paired": paired, "prior": PRIOR}
        return compare_utilities(a, b, self.u, **how)

    def _same_cases(self, i: int, j: int, discordant: Any) -> dict[str, Any]:
        """Return what only classifiers on the same cases have."""
        joint = self.contest.joint
        if joint is None:
            return {}
        if self.sampled is not None:
            return {"discordant": discordant, **self.sampled.pair(i, j)}
        cells, level = joint.cells((i, j)), self.asked.level
        metric = self.u.as_metric()
        metric = metric if self.stated is None else metric.at_base_rate(self.stated)
        gap = compare_paired(metric, cells, prior=PRIOR, confidence_level=level)
        tests = mcnemar_by_class(discordant)
        p_values = {f"p_{name}": test.p_value for name, test in tests.items()}
        return {"low": gap.low, "high": gap.high, "discordant": discordant, **p_values}

    def _classifiers(self, best: Best | None) -> Iterator[ClassifierFact]:
        ranks, spans = self._ranks(), self._by_threshold.intervals
        chances = [nan] * len(ranks) if best is None else best.probabilities
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
                metrics=self._metrics[name],
                score=cut and cut.score,
                cut=cut and cut.threshold,
                cut_by=cut and cut.by,
                cut_also=cut.also if cut else (),
            )

    def _ranks(self) -> list[int]:
        """Rank by yield; who wins a pair was decided in fractions."""
        beaten = dict.fromkeys(self.tables, 1)
        for pair in self.pairs:
            if pair.difference:
                beaten[pair.b if pair.difference > 0 else pair.a] += 1
        return list(beaten.values())

    def _posterior(self, table: ConfusionMatrix) -> dict[str, Any]:
        """Return the interval of the yield, and P(it exceeds that of the best constant)."""
        shares = self.shares
        if self.contest.joint is None:  # known, as they are for the differences
            shares = self.base_rate, 1 - self.base_rate
        how = {"prior": PRIOR, "class_shares": shares}
        low, high = yield_posterior(table, self.u.matrix, **how).interval(self.asked.level)
        if is_constant(table, self.u, self.constant.best):
            return {"low": low, "high": high, "beats_reason": "decides_constantly"}
        row = self.u.decision_names.index(self.constant.best)
        gain = yield_posterior(table, self.u.matrix - self.u.matrix[row], **how)
        return {"low": low, "high": high, "beats_constant": float(gain.sf(0.0))}

    def _in_sample(self, name: str) -> dict[str, Any]:
        """Return the same where cases lie in clusters or have weights."""
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
        """The facts of every metric, for each classifier."""
        asked = self.asked
        if self.shares is not None:
            pi = self.base_rate
            restated = tuple(metric.at_base_rate(pi) for metric in asked.metrics)
            asked = replace(asked, metrics=restated, base_rate=pi)
        sources = [Source(table) for table in self.tables.values()]
        if self.sampled is not None:
            found = self.sampled.counted
            sources = [Source(c.table, c.squared, c.weighted, c.design) for c in found]
        facts = asked.facts(sources)
        return dict(zip(self.tables, facts, strict=True))

    def _rankings(self) -> tuple[MetricRanking, ...]:
        """Judge the metrics that rank at all."""
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

    @property
    def _called(self) -> dict[str, str]:
        """The names of constant decisions, which thresholds know as positive and negative."""
        positive, negative = (f"always {name}" for name in self.u.decision_names)
        return {"always positive": positive, "always negative": negative}

    def _at_base_rate(self, base_rate: float) -> WorthFact:
        """Restate yields at a base rate of deployment: rates within each class stay."""
        shares = (base_rate, 1 - base_rate)
        constant = constants_of(self.u, next(iter(self.tables.values())), base_rate)
        return WorthFact(
            base_rate=base_rate,
            yields={name: worth(table, self.u, base_rate) for name, table in self.tables.items()},
            constant=constant.best,
            constant_value=constant.value,
            best=self._best_at(shares),
        )

    def _best_at(self, shares: tuple[float, float]) -> Mapping[str, float]:
        """Return P(best) at a base rate; on the same cases it is known for two only."""
        names, tables = list(self.tables), list(self.tables.values())
        if self.contest.joint is None:
            found = probability_best_separate(tables, self.u.matrix, class_shares=shares)
            return dict(zip(names, found.probabilities, strict=True))
        by_sample = self._by_sample(self.contest.joint, shares[0])
        if by_sample is not None:
            chances = by_sample.best(self.rng).probabilities
            return {} if isnan(sum(chances)) else dict(zip(names, chances, strict=True))
        if len(names) > 2:
            return {}
        discordant, (a, b) = _discordant(self.contest.joint, 0, 1), tables
        sure = self._compared(a, b, discordant, shares[0]).probability_a_better
        return dict(zip(names, (sure, 1 - sure), strict=True))

    def _groups(self) -> Iterator[GroupWorthFact]:
        joint = self.contest.joint
        for index, key in enumerate(() if joint is None else joint.groups):
            assert joint is not None
            part = joint.within(index)
            tables = [part.table(k) for k in range(len(part.names))]
            constant = constants_of(self.u, tables[0], None)
            best, _ = self._best_on_same_cases(part)
            chances = () if best is None else best.probabilities
            yield GroupWorthFact(
                base_rate=tables[0].base_rate,
                yields={
                    name: worth(table, self.u, None)
                    for name, table in zip(part.names, tables, strict=True)
                },
                constant=constant.best,
                constant_value=constant.value,
                best=dict(zip(part.names, chances, strict=False)),
                n=part.n,
                group=dict(zip(joint.group_names, key, strict=True)),
            )


def _spans(envelope: Envelope, called: Mapping[str, str]) -> tuple[SpanFact, ...]:
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
    """Name those that a metric puts first, equal ones within rounding."""
    sign = -1 if metric.direction == "lower" else 1
    known = {name: sign * value for name, value in values.items() if not isnan(value)}
    top = max(known.values(), default=nan)
    return tuple(name for name, value in known.items() if value >= top - tie_width(metric, top))


def _discordant(joint: BinaryCases, i: int, j: int) -> tuple[int, int, int, int]:
    """Return positives only A got right, only B; negatives only A, only B."""
    cells = joint.cells((i, j))
    counts = cells[0, 1, 0], cells[1, 0, 0], cells[1, 0, 1], cells[0, 1, 1]
    return tuple(int(count) for count in counts)  # pyright: ignore[reportReturnType]

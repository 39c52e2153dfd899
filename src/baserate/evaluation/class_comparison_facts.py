"""What is asked of several classifiers of several classes, once everything is counted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import combinations
from math import isnan, nan
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from baserate.cases.several_classes import ClassCounted
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.evaluation.class_contest import ClassContest, turns_of
from baserate.evaluation.class_facts import ClassEvaluating
from baserate.evaluation.class_score_sets import ScoresCompared
from baserate.evaluation.class_stakes import yield_of
from baserate.evaluation.independent_pairs import (
    LEADING,
    MANY,
    MID_P,
    adjusted_for_pairs,
    difference,
    variance,
)
from baserate.evaluation.sampled_pairs import NO_LAW, SampledClasses
from baserate.evaluation.unverified import of_classes
from baserate.facts.comparison import (
    ClassComparisonFacts,
    ClassPairFact,
    ComparedClassifier,
    ComparedGroup,
    ComparedPair,
    DifferenceFact,
)
from baserate.groups import adjust
from baserate.inference import mcnemar_test
from baserate.inference.best_of_several import Best, shrunken_best
from baserate.inference.class_comparison import compare_class_yields, compare_classes, even_prior
from baserate.inference.class_pairs import ClassPairs
from baserate.inference.paired import compare_paired
from baserate.inference.separate_samples import compare_separate
from baserate.metrics import Metric, average, binary_metric

RECALL = binary_metric("recall")
USUAL = ("accuracy", "balanced_accuracy", "macro_f1", "matthews_correlation", "recall")
MANY_PAIRS, FEWER_DRAWS = 15, 1024  # of more pairs each is simulated with fewer draws
MOST_OF_CLASSES = 1000  # differences class by class; of more, those of the leading pair


@dataclass(frozen=True, kw_only=True)
class ClassComparing:
    """What is asked of a contest."""

    contest: ClassContest
    asked: ClassEvaluating  # metrics of the whole table and of each class, guess and level
    rng: Any = 0  # of P(best) of three or more
    named: tuple[str, ...] = ()  # metrics of the whole table that were asked for by name

    @classmethod
    def of(
        cls, contest: ClassContest, *, metrics: Any, guess: Any, confidence_level: float, rng: Any
    ) -> Self:
        """Check what is asked for."""
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
        return cls(contest=contest, asked=asked, rng=rng, named=named)

    def facts(self) -> ClassComparisonFacts:
        """Gather everything."""
        contest, labels = self.contest, self.contest.stakes.classes
        grouping = None if contest.cases is None else contest.cases.grouping
        best = self._best(contest)
        return ClassComparisonFacts(
            labels=labels,
            n=contest.n,
            class_counts=dict(zip(labels, contest.class_counts.tolist(), strict=True)),
            missing=contest.missing,
            unverified=of_classes(contest.cases, called=True),
            paired=contest.cases is not None,
            same_shares=contest.same_shares,
            guess=str(self.asked.guess),
            confidence_level=self.asked.level,
            stakes=contest.stakes.fact(contest.class_counts),
            asked=self.named,
            classifiers=tuple(self._classifiers(best)),
            pairs=self._pairs(),
            groups=tuple(self._groups()),
            group_names=() if grouping is None else grouping.names,
            best_error=max(best.standard_errors),
            best_reason=NO_LAW if isnan(best.probabilities[0]) and len(contest.cells) > 2 else None,
            **({} if self.sampled is None else self.sampled.about),
            **self._of_scores(),
            **contest.about,
        )

    def _of_scores(self) -> dict[str, Any]:
        cases = self.contest.cases
        if cases is None or not cases.scores_of:
            return {}
        return ScoresCompared(cases, self.asked.level).facts()

    @cached_property
    def sampled(self) -> SampledClasses | None:
        """What goes by clusters or by weights; None where cases are independent and equal."""
        return self._sampled(self.contest)

    def _sampled(self, contest: ClassContest) -> SampledClasses | None:
        if contest.cases is None:
            return None
        return SampledClasses.of(contest.cases, contest.stakes, self.asked.level)

    @cached_property
    def yields(self) -> dict[str, float]:
        """The yield of each classifier."""
        worth = self.contest.stakes.matrix
        return {name: yield_of(worth, cells) for name, cells in self.contest.cells.items()}

    def _best(self, contest: ClassContest) -> Best:
        sampled = self.sampled if contest is self.contest else self._sampled(contest)
        if sampled is not None:
            return sampled.best(self.rng)
        worth, every, rng = contest.stakes.matrix, list(contest.cells.values()), self.rng
        if len(every) == 2:
            sides = every if contest.cases is None else [contest.pairs(0, 1)]
            ahead = compare_class_yields(worth, *sides).better
            ahead = ahead if np.ptp(worth, axis=0).any() else 0.5
            found = (ahead, 1 - ahead)
            return Best(probabilities=found, standard_errors=(0.0, 0.0), route="integral")
        variances = np.zeros((len(every), len(every)))
        prior = even_prior(*worth.shape)
        own = [variance(worth, cells + prior, None) for cells in every]
        for i, j in combinations(range(len(every)), 2):
            apart = own[i] + own[j]
            if contest.cases is not None:
                apart = variance_on_same_cases(worth, contest.pairs(i, j))
            variances[i, j] = variances[j, i] = apart
        return shrunken_best([yield_of(worth, cells) for cells in every], variances, rng=rng)

    def _classifiers(self, best: Best) -> Iterator[ComparedClassifier]:
        contest = self.contest
        chances = dict(zip(contest.names, best.probabilities, strict=True))
        for k, (name, cells) in enumerate(contest.cells.items()):
            worth = (
                contest.stakes.worth(cells, self.asked.level)
                if self.sampled is None
                else self.sampled.worth(k, cells)
            )
            table, metrics = contest.table(name), ()
            if table is not None:
                counted = ClassCounted(table=table, n=int(table.n))
                counted = counted if self.sampled is None else self.sampled.counted[k]
                metrics = self.asked.of_table(
                    counted, self.asked.metrics, weighted=counted.weighted
                )
            yield ComparedClassifier(
                name=name,
                n=float(cells.sum()),
                table=table,
                best=chances[name],
                rank=1 + sum(x > self.yields[name] for x in self.yields.values()),
                at_all_shares=worth.value if contest.same_shares else self._at_all_shares(cells),
                metrics=metrics,
                **{f.name: getattr(worth, f.name) for f in fields(worth)},
            )

    def _at_all_shares(self, cells: NDArray[np.float64]) -> float:
        own, every = cells.sum(axis=0), self.contest.class_counts
        if (own[every > 0] == 0).any():
            return nan
        within = cells[:, every > 0] / own[every > 0]
        worth = self.contest.stakes.matrix[:, every > 0]
        return float((worth * within).sum(axis=0) @ (every[every > 0] / every.sum()))

    def _pairs(self) -> tuple[ComparedPair, ...]:
        places = list(combinations(range(len(self.contest.cells)), 2))
        in_detail = self._in_detail(places)
        found = [self._pair(i, j, len(places), in_detail=(i, j) in in_detail) for i, j in places]
        if self.sampled is None:
            found = [_with_accuracy(pair) for pair in found]
        return tuple(adjusted_for_pairs(found))

    def _in_detail(self, places: Sequence[tuple[int, int]]) -> set[tuple[int, int]]:
        """Return the pairs that are compared class by class: all, or the first two by yield."""
        size = len(places) * len(self.contest.stakes.classes) * len(self.asked.of_class)
        if size <= MOST_OF_CLASSES:
            return set(places)
        first, second = sorted(
            range(len(self.contest.cells)), key=lambda k: (-self.yields[self.contest.names[k]], k)
        )[:2]
        return {(min(first, second), max(first, second))}

    def _pair(self, i: int, j: int, n_pairs: int, *, in_detail: bool) -> ComparedPair:
        contest = self.contest
        names, worth = (contest.names[i], contest.names[j]), contest.stakes.matrix
        a, b = (contest.cells[name] for name in names)
        pairs = None if contest.cases is None else contest.pairs(i, j)
        sides = (a, b) if pairs is None else (pairs,)
        known = self._tested(pairs)
        if self.sampled is None:
            gap = compare_class_yields(worth, *sides, confidence_level=self.asked.level)
            known |= {"low": gap.low, "high": gap.high, "a_better": gap.better,
                      "route": gap.route}  # fmt: skip
            metrics = self._differences(names, pairs, n_pairs)
        else:
            known |= self.sampled.pair(i, j)
            named = contest.stakes.named
            metrics = () if named else tuple(self.sampled.gap(m, i, j) for m in self.asked.metrics)
        return ComparedPair(
            a=names[0],
            b=names[1],
            difference=self.yields[names[0]] - self.yields[names[1]],
            **known,
            metrics=metrics,
            classes=self._of_classes((i, j), pairs) if in_detail else (),
            turns=turns_of(names, a.T, b.T, contest.stakes.classes)
            if contest.stakes.kind == "accuracy"
            else (),
        )

    def _tested(self, pairs: ClassPairs | None) -> dict[str, Any]:
        """Count the cases that one alone gets right, or decides best, and test them."""
        if pairs is None:
            return {}
        stakes = self.contest.stakes
        best = stakes.matrix.argmax(axis=0)[pairs.truth] if stakes.named else pairs.truth
        right_a, right_b = best == pairs.a, best == pairs.b
        alone = pairs.counts[right_a & ~right_b].sum(), pairs.counts[right_b & ~right_a].sum()
        found = mcnemar_test(int(alone[0]), int(alone[1]))
        return {"only_a": found.only_a, "only_b": found.only_b, "p_value": found.p_value,
                "p_route": MID_P}  # fmt: skip

    def _differences(
        self, names: tuple[str, str], pairs: ClassPairs | None, n_pairs: int
    ) -> tuple[DifferenceFact, ...]:
        tables = [self.contest.table(name) for name in names]
        if tables[0] is None or not self.asked.metrics:
            return ()
        draws = FEWER_DRAWS if n_pairs > MANY_PAIRS else None
        how: Any = {"confidence_level": self.asked.level, "n_draws": draws}
        sides: Any = tables if pairs is None else [pairs]
        found = compare_classes(self.asked.metrics, *sides, **how)
        return tuple(difference(one, one.metric) for one in found.values())

    def _of_classes(
        self, places: tuple[int, int], pairs: ClassPairs | None
    ) -> tuple[ClassPairFact, ...]:
        if self.contest.stakes.named:
            return ()
        names = [self.contest.names[k] for k in places]
        every = [t.one_vs_rest() for t in map(self.contest.table, names) if t is not None]
        found = [
            self._of_class(k, [side[k] for side in every], pairs)
            for k in range(len(self.contest.stakes.classes))
        ]
        if self.sampled is not None:
            found = [self._in_sample(one, self.sampled, *places) for one in found]
        adjusted = adjust([one.p_value for one in found]).tolist()
        return tuple(replace(one, adjusted_p=p) for one, p in zip(found, adjusted, strict=True))

    def _of_class(self, k: int, tables: list[Any], pairs: ClassPairs | None) -> ClassPairFact:
        label, tests = self.contest.stakes.classes[k], {}
        joint: Any = None
        if pairs is not None:
            joint = np.zeros((2, 2, 2))
            at = tuple((side != k).astype(int) for side in (pairs.a, pairs.b, pairs.truth))
            np.add.at(joint, at, pairs.counts)
            found = mcnemar_test(int(joint[0, 1, 0]), int(joint[1, 0, 0]))
            known = joint[..., 0].sum() > 0
            tests = {"only_a": found.only_a, "only_b": found.only_b,
                     "p_value": found.p_value if known else nan}  # fmt: skip
        of_class = self.asked.of_class if self.sampled is None else ()
        metrics = (self._of_two(metric, tables, joint) for metric in of_class)
        return ClassPairFact(label=label, metrics=tuple(metrics), **tests)

    def _in_sample(
        self, one: ClassPairFact, sampled: SampledClasses, i: int, j: int
    ) -> ClassPairFact:
        pairs = sampled.of_class[one.label]
        metrics = tuple(pairs.gap(metric, i, j) for metric in self.asked.of_class)
        return replace(one, metrics=metrics, p_value=pairs.compared(RECALL, i, j).p_value)

    def _of_two(self, metric: Metric, tables: list[Any], joint: Any) -> DifferenceFact:
        """Compare one class against the rest as two classes are: exactly, or not at all."""
        level = self.asked.level
        try:
            if joint is None:
                found = compare_separate(metric, *tables, confidence_level=level)
            else:
                found = compare_paired(metric, joint, confidence_level=level)
            return difference(found, found.metric)
        except UnsupportedError as error:
            a, b = (float(metric(table)) for table in tables)
            reason = str(error)
            return DifferenceFact(
                name=metric.name, value_a=a, value_b=b, difference=a - b, reason=reason
            )

    def _groups(self) -> Iterator[ComparedGroup]:
        cases = self.contest.cases
        if cases is None or cases.grouping is None:
            return
        for index, key in enumerate(cases.grouping.keys):
            part = self.contest.within(index)
            stakes = part.stakes.fact(part.class_counts)
            chances = self._best(part).probabilities
            yield ComparedGroup(
                group=dict(zip(cases.grouping.names, key, strict=True)),
                n=part.n,
                yields={n: yield_of(part.stakes.matrix, cells) for n, cells in part.cells.items()},
                constant=stakes.constant,
                constant_value=stakes.constant_value,
                best=dict(zip(part.names, chances, strict=True)),
            )


def _with_accuracy(pair: ComparedPair) -> ComparedPair:
    """Return a pair whose test accuracy has too, and no average over classes."""
    if isnan(pair.p_value):
        return pair
    tested = {"p_value": pair.p_value, "p_route": MID_P}
    metrics = (replace(m, **tested) if m.name == "accuracy" else m for m in pair.metrics)
    return replace(pair, metrics=tuple(metrics))


def variance_on_same_cases(worth: NDArray[np.float64], pairs: ClassPairs) -> float:
    """Return the posterior variance of the difference of two yields.

    The prior is half a case for each of: both best, only A, only B, neither.
    """
    gains = worth[pairs.a, pairs.truth] - worth[pairs.b, pairs.truth]
    lost = worth.max(axis=0) - worth
    typical = float(np.sqrt((lost[lost > 0] ** 2).mean())) if lost.any() else 0.0
    gains = np.concatenate((gains, (typical, -typical, 0.0)))
    return variance(gains, np.concatenate((pairs.counts, (0.5, 0.5, 1.0))), None)

"""What is asked of several classifiers of several classes, once everything is counted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._checks import generator
from baserate.cases import ClassCounted
from baserate.class_counts import ClassTable
from baserate.errors import UnsupportedError
from baserate.evaluation.class_contest import ClassContest
from baserate.evaluation.class_facts import ClassEvaluating
from baserate.evaluation.class_stakes import yield_of
from baserate.evaluation.class_turns import turns_of
from baserate.facts.class_comparison import (
    ClassComparisonFacts,
    ClassPairFact,
    ComparedClassifier,
    ComparedGroup,
    ComparedPair,
    DifferenceFact,
)
from baserate.groups import adjust
from baserate.inference import (
    Best,
    ClassPairs,
    Comparison,
    compare_class_yields,
    compare_classes,
    compare_paired,
    compare_separate,
    mcnemar_test,
)
from baserate.inference.best_of_classes import best_on_same_cases, best_on_separate_cases
from baserate.metrics import Metric

USUAL = ("accuracy", "balanced_accuracy", "macro_f1", "matthews_correlation", "recall")
MANY_PAIRS, FEWER_DRAWS = 15, 1024  # of more pairs each is simulated with fewer draws
MOST_OF_CLASSES = 1000  # differences class by class; of more, those of the leading pair
TOO_MANY = "too_many_classifiers"


@dataclass(frozen=True, kw_only=True)
class ClassComparing:
    """What is asked of a contest.

    Attributes
    ----------
    contest : ClassContest
    asked : ClassEvaluating
        Metrics of the whole table and of each class, guess and level.
    rng : seed or numpy.random.Generator
        Of P(best) of three or more on the same cases.
    """

    contest: ClassContest
    asked: ClassEvaluating
    rng: Any = 0

    def facts(self) -> ClassComparisonFacts:
        """Gather everything."""
        contest, labels = self.contest, self.contest.stakes.classes
        best, reason = self._best(contest)
        return ClassComparisonFacts(
            labels=labels,
            n=contest.n,
            class_counts=dict(zip(labels, contest.class_counts.tolist(), strict=True)),
            missing=contest.missing,
            paired=contest.cases is not None,
            same_shares=contest.same_shares,
            guess=self.asked.guess,
            confidence_level=self.asked.level,
            stakes=contest.stakes.fact(contest.class_counts),
            classifiers=tuple(self._classifiers(best)),
            pairs=self._pairs(),
            groups=tuple(self._groups()),
            group_names=self._group_names,
            best_error=0.0 if best is None else max(best.standard_errors),
            best_reason=reason,
            **contest.about,
        )

    @cached_property
    def yields(self) -> dict[str, float]:
        """The yield of each classifier."""
        worth = self.contest.stakes.matrix
        return {name: yield_of(worth, cells) for name, cells in self.contest.cells.items()}

    @cached_property
    def _ranks(self) -> dict[str, int]:
        values = list(self.yields.values())
        return {name: 1 + sum(x > own for x in values) for name, own in self.yields.items()}

    @property
    def _group_names(self) -> tuple[str, ...]:
        cases = self.contest.cases
        return () if cases is None or cases.grouping is None else cases.grouping.names

    def _best(self, contest: ClassContest) -> tuple[Best | None, str | None]:
        """P(highest expected yield), or why it is unknown."""
        worth, cases = contest.stakes.matrix, contest.cases
        if cases is None:
            if len(contest.cells) > 2:
                return best_on_separate_cases(list(contest.cells.values()), worth), None
            a, b = contest.cells.values()
            ahead = compare_class_yields(worth, a, b).probability_a_better
            found = (ahead, 1 - ahead)
            return Best(probabilities=found, standard_errors=(0.0, 0.0), route="integral"), None
        decided = [cases.predictions[name] for name in cases.names]
        how = {"count": cases.count, "rng": generator(self.rng)}
        try:
            return best_on_same_cases(cases.truth, decided, worth, **how), None
        except UnsupportedError:
            return None, TOO_MANY

    def _classifiers(self, best: Best | None) -> Iterator[ComparedClassifier]:
        contest = self.contest
        chances = [nan] * len(contest.cells) if best is None else best.probabilities
        for (name, cells), chance in zip(contest.cells.items(), chances, strict=True):
            worth, table = contest.stakes.worth(cells, self.asked.level), contest.table(name)
            metrics = () if table is None else self._metrics(table)
            yield ComparedClassifier(
                name=name,
                n=float(cells.sum()),
                table=table,
                best=chance,
                rank=self._ranks[name],
                at_all_shares=worth.value if contest.same_shares else self._at_all_shares(cells),
                metrics=metrics,
                **{key: getattr(worth, key) for key in worth.to_dict()},
            )

    def _metrics(self, table: ClassTable) -> tuple[Any, ...]:
        counted = ClassCounted(table=table, n=int(table.n))
        return self.asked.of_table(counted, self.asked.metrics, weighted=False)

    def _at_all_shares(self, cells: NDArray[np.float64]) -> float:
        """Return the yield if the classes had the shares of all cases together."""
        own, every = cells.sum(axis=0), self.contest.class_counts
        if (own[every > 0] == 0).any():
            return nan
        within = cells[:, every > 0] / own[every > 0]
        worth = self.contest.stakes.matrix[:, every > 0]
        return float((worth * within).sum(axis=0) @ (every[every > 0] / every.sum()))

    def _pairs(self) -> tuple[ComparedPair, ...]:
        """Return every two classifiers in the order given; tests are adjusted for their number."""
        places = list(combinations(range(len(self.contest.cells)), 2))
        in_detail = self._in_detail(places)
        found = [self._pair(i, j, len(places), in_detail=(i, j) in in_detail) for i, j in places]
        adjusted = adjust([pair.p_value for pair in found]).tolist()
        return tuple(replace(pair, adjusted_p=p) for pair, p in zip(found, adjusted, strict=True))

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
        level: Any = {"confidence_level": self.asked.level}
        pairs = None if contest.cases is None else contest.pairs(i, j)
        gap = (
            compare_class_yields(worth, a, b, **level)
            if pairs is None
            else compare_class_yields(worth, pairs, **level)
        )
        return ComparedPair(
            a=names[0],
            b=names[1],
            difference=self.yields[names[0]] - self.yields[names[1]],
            low=gap.low,
            high=gap.high,
            a_better=gap.probability_a_better,
            route=gap.route,
            **self._tested(pairs),
            metrics=self._differences(names, pairs, n_pairs),
            classes=self._of_classes(names, pairs) if in_detail else (),
            turns=self._turns(names),
        )

    def _tested(self, pairs: ClassPairs | None) -> dict[str, Any]:
        """Count the cases that one alone gets right, or decides best, and test them."""
        if pairs is None:
            return {}
        right_a, right_b = self._right(pairs)
        alone = pairs.counts[right_a & ~right_b].sum(), pairs.counts[right_b & ~right_a].sum()
        found = mcnemar_test(int(alone[0]), int(alone[1]))
        return {"only_a": found.only_a, "only_b": found.only_b, "p_value": found.p_value}

    def _right(self, pairs: ClassPairs) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        if not self.contest.stakes.named:
            return pairs.truth == pairs.a, pairs.truth == pairs.b
        best = self.contest.stakes.matrix.argmax(axis=0)[pairs.truth]
        return best == pairs.a, best == pairs.b

    def _differences(
        self, names: tuple[str, str], pairs: ClassPairs | None, n_pairs: int
    ) -> tuple[DifferenceFact, ...]:
        """Return the differences of every metric of the whole table."""
        tables = [self.contest.table(name) for name in names]
        if tables[0] is None or not self.asked.metrics:
            return ()
        draws = FEWER_DRAWS if n_pairs > MANY_PAIRS else None
        how: Any = {"confidence_level": self.asked.level, "n_draws": draws}
        sides: Any = tables if pairs is None else [pairs]
        found = compare_classes(self.asked.metrics, *sides, **how)
        return tuple(map(_difference, found.values()))

    def _of_classes(
        self, names: tuple[str, str], pairs: ClassPairs | None
    ) -> tuple[ClassPairFact, ...]:
        """Return what tells the two apart in each class against the rest."""
        if self.contest.stakes.named:
            return ()
        every = [t.one_vs_rest() for t in map(self.contest.table, names) if t is not None]
        found = [
            self._of_class(k, [side[k] for side in every], pairs)
            for k in range(len(self.contest.stakes.classes))
        ]
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
        metrics = (self._of_two(metric, tables, joint) for metric in self.asked.of_class)
        return ClassPairFact(label=label, metrics=tuple(metrics), **tests)

    def _of_two(self, metric: Metric, tables: list[Any], joint: Any) -> DifferenceFact:
        """Compare one class against the rest as two classes are: exactly, or not at all."""
        level = self.asked.level
        try:
            if joint is None:
                return _difference(compare_separate(metric, *tables, confidence_level=level))
            return _difference(compare_paired(metric, joint, confidence_level=level))
        except UnsupportedError as error:
            a, b = (float(metric(table)) for table in tables)
            reason = str(error)
            return DifferenceFact(
                name=metric.name, value_a=a, value_b=b, difference=a - b, reason=reason
            )

    def _turns(self, names: tuple[str, str]) -> tuple[Any, ...]:
        stakes = self.contest.stakes
        if stakes.kind != "accuracy":
            return ()
        first, second = (self.contest.cells[name].T for name in names)
        return turns_of(names, first, second, stakes.classes)

    def _groups(self) -> Iterator[ComparedGroup]:
        cases = self.contest.cases
        if cases is None or cases.grouping is None:
            return
        for index, key in enumerate(cases.grouping.keys):
            part = self.contest.within(index)
            stakes = part.stakes.fact(part.class_counts)
            best, _ = self._best(part)
            chances = () if best is None else best.probabilities
            yield ComparedGroup(
                group=dict(zip(cases.grouping.names, key, strict=True)),
                n=part.n,
                yields={n: yield_of(part.stakes.matrix, cells) for n, cells in part.cells.items()},
                constant=stakes.constant,
                constant_value=stakes.constant_value,
                best=dict(zip(part.names, chances, strict=False)),
            )


def _difference(found: Comparison) -> DifferenceFact:
    return DifferenceFact(
        name=found.metric,
        value_a=found.value_a,
        value_b=found.value_b,
        difference=found.difference,
        low=found.low,
        high=found.high,
        a_better=found.probability_a_better,
        route=found.route,
        error=found.error,
        reason="undefined for one of them" if isnan(found.difference) else None,
    )

"""What is asked of several classifiers of several classes, once everything is counted."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import nan
from typing import Any, Self

from baserate.errors import InvalidArgumentError
from baserate.evaluation import unverified
from baserate.evaluation.class_contest import ClassContest, turns_of
from baserate.evaluation.class_facts import ClassEvaluating
from baserate.evaluation.class_score_sets import ScoresCompared
from baserate.evaluation.comparison_facts import LEADING, MANY, Contesting
from baserate.evaluation.independent_pairs import ClassRivals
from baserate.evaluation.sampled_pairs import of_classes
from baserate.facts.comparison import (
    ClassComparisonFacts,
    ClassPairFact,
    ComparedClassifier,
    ComparedGroup,
    ComparedPair,
)
from baserate.facts.evaluation import MetricFact
from baserate.groups import adjust
from baserate.metrics import average, binary_metric

RECALL = binary_metric("recall")
USUAL = ("accuracy", "balanced_accuracy", "macro_f1", "matthews_correlation", "recall")
MANY_PAIRS = 15  # of more pairs each is simulated with fewer draws
MOST_OF_CLASSES = 1000  # differences class by class; of more, those of the leading pair


@dataclass(frozen=True, kw_only=True)
class ClassComparing(Contesting):
    """What is asked of a contest of several classes."""

    contest: ClassContest
    asked: ClassEvaluating  # metrics of the whole table and of each class, guess and level
    named: tuple[str, ...] = ()  # metrics of the whole table

    @classmethod
    def of(
        cls, contest: ClassContest, *, metrics: Any, guess: Any, confidence_level: float, **how: Any
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
        return cls(contest=contest, asked=asked, named=named, **how)

    def facts(self) -> ClassComparisonFacts:
        """Gather everything."""
        contest, cases = self.contest, self.contest.cases
        counts = contest.class_counts
        scored = cases is not None and cases.scores_of
        found = ClassComparisonFacts(
            labels=contest.stakes.classes,
            class_counts=dict(zip(contest.stakes.classes, counts.tolist(), strict=True)),
            unverified=unverified.of_classes(cases, called=True),
            **unverified.left_out(cases),
            same_shares=contest.same_shares,
            stakes=contest.stakes.fact(counts),
            asked=self.named,
            groups=tuple(ComparedGroup(**known) for known in self.groups()),
            **(ScoresCompared(cases, self.asked.level).facts() if cases and scored else {}),
            **self.gathered(),
        )
        return self.judged(found)

    @cached_property
    def rivals(self) -> ClassRivals:
        """What is known of the classifiers, one by one and two by two."""
        return of_classes(self.contest, self.asked.level)

    def metrics(self, k: int) -> tuple[MetricFact, ...]:
        """Return the metrics of one classifier; none where decisions are no classes."""
        if self.contest.stakes.named:
            return ()
        counted = self.rivals.counted[k]
        return self.asked.of_table(counted, self.asked.metrics, weighted=counted.weighted)

    def classifier(self, k: int, **known: Any) -> ComparedClassifier:
        """Return one classifier, of which this much is known."""
        contest = self.contest
        cells = contest.cells[contest.names[k]]
        return ComparedClassifier(
            n=float(cells.sum()),
            at_all_shares=known["value"] if contest.same_shares else self._at_all_shares(cells),
            **known,
        )

    def _at_all_shares(self, cells: Any) -> float:
        own, every = cells.sum(axis=0), self.contest.class_counts
        if (own[every > 0] == 0).any():
            return nan
        within = cells[:, every > 0] / own[every > 0]
        worth = self.contest.stakes.matrix[:, every > 0]
        return float((worth * within).sum(axis=0) @ (every[every > 0] / every.sum()))

    @cached_property
    def _in_detail(self) -> set[tuple[int, int]]:
        """The pairs that are compared class by class: all, or the first two by yield."""
        size = len(self.contest.stakes.classes) * len(self.asked.of_class)
        if self.contest.stakes.named:
            return set()
        if len(self.places) * size <= MOST_OF_CLASSES:
            return set(self.places)
        yields = [*self.rivals.yields.values()]
        first, second = sorted(range(len(yields)), key=lambda k: (-yields[k], k))[:2]
        return {(min(first, second), max(first, second))}

    def pair(self, i: int, j: int, **known: Any) -> ComparedPair:
        """Return two classifiers, of which this much is known."""
        contest, rng = self.contest, self.rng if len(self.places) <= MANY_PAIRS else None
        a, b = (contest.cells[name].T for name in (known["a"], known["b"]))
        even = contest.stakes.kind == "accuracy"
        return ComparedPair(
            metrics=self.rivals.gaps(self.asked.metrics, i, j, rng),
            classes=self._of_classes(i, j) if (i, j) in self._in_detail else (),
            turns=turns_of((known["a"], known["b"]), a, b, contest.stakes.classes) if even else (),
            **known,
        )

    def _of_classes(self, i: int, j: int) -> tuple[ClassPairFact, ...]:
        found = [self._of_class(label, i, j) for label in self.contest.stakes.classes]
        adjusted = adjust([one.p_value for one in found]).tolist()
        return tuple(replace(one, adjusted_p=p) for one, p in zip(found, adjusted, strict=True))

    def _of_class(self, label: Any, i: int, j: int) -> ClassPairFact:
        """Compare one class against the rest as two classes are: exactly, or not at all."""
        two = self.rivals.of_class[label]
        only_a, only_b, *_ = two.alone(i, j) or (None, None)
        [recall] = two.gaps((RECALL,), i, j)
        return ClassPairFact(
            label=label,
            only_a=only_a,
            only_b=only_b,
            p_value=recall.p_value,
            metrics=two.gaps(self.asked.of_class, i, j),
        )

"""Several classifiers that give a score to each of several classes: read, decided, compared."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import nan
from typing import Any, Self

import numpy as np

from baserate.cases.cases import Cases
from baserate.cases.several_classes import ClassCases
from baserate.cases.two_classes import BinaryCases
from baserate.cases.values import distinct, listed
from baserate.curves.class_scores import ClassScores, compare_class_areas
from baserate.curves.cut_points import sweeps_of
from baserate.curves.estimates import ScoreComparison
from baserate.curves.probability_scores import Measure, compare_class_losses, lost_at_outcomes
from baserate.errors import InvalidArgumentError, LabelError
from baserate.evaluation.class_score_facts import AREA, ClassJudging, scores_of
from baserate.evaluation.compared_scores import of_scores
from baserate.evaluation.contest import Contest
from baserate.evaluation.design_scores import losses_told
from baserate.evaluation.given import Given
from baserate.evaluation.reading import columns_in
from baserate.evaluation.score_columns import ScoreColumns
from baserate.evaluation.score_facts import score_pair
from baserate.evaluation.scoring import design_of
from baserate.facts.comparison import ScoreFact, ScorePairFact
from baserate.groups import adjust
from baserate.inference.design_ratios import means_apart, units_of

LOSSES: tuple[Measure, ...] = ("brier_score", "log_loss")
OVR = f"{AREA}_ovr"


@dataclass(frozen=True, slots=True)
class ScoreSets:
    """Which columns hold the scores of each classifier."""

    columns: Mapping[str, tuple[Any, ...]]  # by classifier
    whose: Mapping[str, ScoreColumns]

    @classmethod
    def of(cls, given: Given) -> tuple[Self, Given] | None:
        """Read the argument `score`, and name its columns one by one; None of one score each."""
        known = partial(columns_in, given.data)
        named = _by_classifier(given.score, known if given.target is not None else None)
        whose = {
            str(name): ScoreColumns.of(one, target=given.target, known=known)
            for name, one in named.items()
        }
        if not named or any(one is None for one in whose.values()):
            return None
        sets: dict[str, ScoreColumns] = {k: one for k, one in whose.items() if one is not None}
        if given.target is not None:
            columns = {name: one.by_name for name, one in sets.items()}
            every = list(dict.fromkeys(x for names in columns.values() for x in names))
            return cls(columns, sets), replace(given, score=every)
        parts = {name: one.values.T for name, one in sets.items() if one.values is not None}
        columns = {name: tuple(f"{name}.{k}" for k in range(len(x))) for name, x in parts.items()}
        apart = {
            key: column
            for name, keys in columns.items()
            for key, column in zip(keys, parts[name], strict=True)
        }
        return cls(columns, sets), replace(given, score=apart)

    def decide(self, cases: Cases, positive: Any, *, several: int) -> BinaryCases | ClassCases:
        """Give every classifier the scores of the classes in order, or that of the positive one."""
        found = {name: one.arranged(cases.occurring) for name, one in self.whose.items()}
        labels = {name: classes for name, (classes, _) in found.items()}
        first, *others = labels
        for name in others:
            if labels[name] != labels[first]:
                rule = f"must have the classes of {first!r}, {listed(labels[first])}"
                remedy = "add a column for each class that is missing"
                given = f"{listed(labels[name])} of {name!r}"
                raise LabelError.from_rule("score", rule, given, remedy)
        classes = distinct(labels[first])
        columns = {
            name: [self.columns[name][k] for k in places] for name, (_, places) in found.items()
        }
        if positive is None and len(classes) >= several:
            sides = {name: cases.side_by_side(each) for name, each in columns.items()}
            return replace(replace(cases, scores={}).classes(classes), scores_of=sides)
        label = replace(cases, scores={}).binary(positive).positive
        own = classes.index(label)
        alone = {name: cases.scores[each[own]] for name, each in columns.items()}
        return replace(cases, scores=alone).binary(positive)


def _by_classifier(score: Any, known: Callable[[], Any] | None) -> dict[str, Any]:
    """Return what each classifier is given; NAME=PATTERN of every one on the command line.

    The name of a column may hold = and * itself.
    """
    if isinstance(score, Mapping):
        return dict(score)
    if known is None or not isinstance(score, str | list | tuple):
        return {}
    asked = [score] if isinstance(score, str) else [*score]
    if not all(isinstance(one, str) and "=" in one and "*" in one for one in asked):
        return {}
    with suppress(InvalidArgumentError):  # a stream says no names before
        if {*known()}.issuperset(asked):
            return {}
    found = dict[str, Any]()
    for name, pattern in (text.split("=", 1) for text in asked):
        if name in found:
            rule, remedy = "must name each classifier once", "give the other one another name"
            raise InvalidArgumentError.from_rule("score", rule, f"two of {name!r}", remedy)
        found[name] = pattern
    return found


@dataclass(frozen=True, slots=True)
class ScoresCompared:
    """What is asked of the scores of classifiers of several classes."""

    cases: ClassCases
    level: float

    def facts(self) -> dict[str, Any]:
        """Return what `ClassComparisonFacts` says of scores: of two classes, of the second's."""
        if len(self.cases.labels) == 2:
            return self._of_two()
        pairs = list(self._pairs())
        adjusted = adjust([one.p_value for one in pairs]).tolist()
        return {
            "scores": tuple(map(self._by_itself, self.cases.scores_of)),
            "score_pairs": tuple(
                replace(one, adjusted_p=p) for one, p in zip(pairs, adjusted, strict=True)
            ),
        }

    def _of_two(self) -> dict[str, Any]:
        cases = self.cases
        scores = {name: each[:, 1] for name, each in cases.scores_of.items()}
        two = replace(cases.one_vs_rest(cases.labels[1]), scores=scores)
        found = of_scores(
            Contest(
                tables={}, cases=two, positive=two.positive, labels=two.labels,
                sweeps=sweeps_of(two),
            ),
            self.level,
        )  # fmt: skip
        return {name: found[name] for name in ("scores", "score_pairs")}

    def _by_itself(self, name: str) -> ScoreFact:
        own = replace(self.cases, scores=self.cases.scores_of[name])
        measures = ClassJudging(level=self.level).of_cases(own).get("score_measures", ())
        shown = tuple(one for one in measures if one.name in (OVR, *LOSSES))
        area = next((one for one in shown if one.name == OVR), None)
        ends = (nan, nan, nan) if area is None else (area.value, area.low, area.high)
        return ScoreFact(name=name, auc=ends[0], low=ends[1], high=ends[2], measures=shown)

    def _pairs(self) -> Iterator[ScorePairFact]:
        read = {
            name: scores_of(replace(self.cases, scores=scores))
            for name, scores in self.cases.scores_of.items()
        }
        for a, b in combinations(read, 2):
            two = read[a], read[b]
            yield score_pair(a, b, OVR, self._areas(*two))
            if all(one.are_probabilities for one in two):
                yield from (self._lost(a, b, measure, two) for measure in LOSSES)

    def _areas(self, a: ClassScores, b: ClassScores) -> ScoreComparison:
        found = compare_class_areas(a, b, self.level)
        design = design_of(self.cases)
        if design is None:
            return found
        unknown: dict[str, Any] = dict.fromkeys(("low", "high", "p_value"), nan)
        return replace(found, **unknown, reason=design, route=None, p_value_route=None)

    def _lost(
        self, a: str, b: str, measure: Measure, two: tuple[ClassScores, ClassScores]
    ) -> ScorePairFact:
        if not self.cases.is_designed:
            first, second = (one.check_probabilities() for one in two)
            found = compare_class_losses(first, second, measure, self.level)
            return score_pair(a, b, measure, found)
        truth, scores = self.cases.truth, self.cases.scores_of
        lost = (
            lost_at_outcomes(np.clip(scores[name], 0, 1), measure)[truth, np.arange(len(truth))]
            for name in (a, b)
        )
        return losses_told(a, b, measure, means_apart(units_of(self.cases), *lost), self.level)

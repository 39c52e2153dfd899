"""What is known about scores of several classes beside the class table: areas, losses, top k."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate import curves
from baserate._measures import MEASURES
from baserate.cases.several_classes import ClassCases
from baserate.curves.calibration_record import observed_expected
from baserate.curves.class_scores import ClassScores, class_roc_auc
from baserate.curves.estimates import Estimate
from baserate.curves.probability_scores import (
    class_brier_score,
    class_log_loss,
    class_top_k_accuracy,
)
from baserate.curves.within_folds import area_of_folds, mean_of_folds
from baserate.errors import InvalidArgumentError
from baserate.evaluation.list_tops import tops_of
from baserate.evaluation.score_facts import NO_PROBABILITIES, named, pooled, refuse_unnamed
from baserate.evaluation.scoring import design_of
from baserate.facts.evaluation import ClassEvaluationFacts
from baserate.facts.scores import EstimateFact

Array = NDArray[np.float64]
Folds = Mapping[Any, ClassScores]

MOST_PAIRS = 5_000  # of classes, whose areas are looked at unasked: a hundred classes
LARGEST = 100_000_000  # scores, of all classes together
PLACES = (2, 3, 5)  # how many of the most probable classes may hold the right one
TOO_MANY_SCORES, TOO_MANY_PAIRS = "too_many_scores", "too_many_pairs"
AREA = "roc_auc"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassJudging:
    """What is asked of the scores of several classes."""

    level: float
    top: Any = None  # how many of the classes with the highest scores may hold the right one

    def of_cases(self, cases: ClassCases) -> dict[str, Any]:
        """Return the measures of all cases, those of each class, and what is lacking and why."""
        places = self._places(len(cases.labels))
        assert cases.scores is not None
        if cases.n * len(cases.labels) > LARGEST:
            return {"score_absent": {"score_measures": TOO_MANY_SCORES}}
        scored = scores_of(cases)
        scored = scored.check_probabilities() if scored.are_probabilities else scored
        folds = _folds(cases, scored)
        every = tuple(self._of_all(scored, places, folds))
        of_class = tuple(tuple(self._of_class(scored, k, folds)) for k in range(len(cases.labels)))
        if design := design_of(cases):
            every = tuple(_unsure(fact, design) for fact in every)
            of_class = tuple(tuple(_unsure(fact, design) for fact in one) for one in of_class)
        absent = {} if scored.are_probabilities else {"probabilities": NO_PROBABILITIES}
        if _n_pairs(len(cases.labels)) > MOST_PAIRS:
            absent["roc_auc_ovo"] = TOO_MANY_PAIRS
        return {
            "score_measures": every,
            "of_class": of_class,
            "score_absent": absent,
            "ranked_within": 0 if folds is None else len(folds),
        }

    def _places(self, n_classes: int) -> tuple[int, ...]:
        if self.top is None:
            return tuple(k for k in PLACES if k < n_classes)
        found = tops_of(self.top)
        for k in found:
            if not isinstance(k, int) or k >= n_classes:
                rule = f"must be whole numbers below the number of classes ({n_classes})"
                remedy = "ask in how many cases the right class is among the first 2, for example"
                raise InvalidArgumentError.from_rule("top", rule, k, remedy)
        return tuple(k for k in found if isinstance(k, int))

    def _of_all(
        self, scored: ClassScores, places: tuple[int, ...], folds: Folds | None
    ) -> Iterator[EstimateFact]:
        if scored.n_classes == 2:
            yield from self._of_two(scored, folds)
        else:
            for contests in ("ovr", "ovo"):
                if contests == "ovr" or _n_pairs(scored.n_classes) <= MOST_PAIRS:
                    areas = partial(class_roc_auc, level=self.level, multi_class=contests)
                    found = (
                        areas(scored) if folds is None else mean_of_folds(areas, folds, self.level)
                    )
                    yield named(f"{AREA}_{contests}", found)
            for k in places:
                yield named(f"top_{k}_accuracy", class_top_k_accuracy(scored, k, self.level))
            if scored.are_probabilities:
                yield named("brier_score", class_brier_score(scored, self.level))
                yield named("log_loss", class_log_loss(scored, self.level))
        if scored.are_probabilities:
            found = curves.calibration(scored.of_confidence(), confidence_level=self.level)
            yield named("confidence_observed_expected", found.observed_expected)
            slope = named("confidence_calibration_slope", found.slope)
            yield slope if folds is None else pooled(slope)

    def _of_two(self, scored: ClassScores, folds: Folds | None) -> Iterator[EstimateFact]:
        """Yield what the score of the second class has by itself."""
        swept = scored.against_the_rest(1)
        yield named(AREA, self._area(scored, 1, folds))
        if scored.are_probabilities:
            yield named("brier_score", curves.brier_score(swept, confidence_level=self.level))
            yield named("log_loss", curves.log_loss(swept, confidence_level=self.level))

    def _of_class(self, scored: ClassScores, k: int, folds: Folds | None) -> Iterator[EstimateFact]:
        """Yield what the score of a class says of that class; its tests are many, so not here."""
        swept = scored.against_the_rest(k)
        yield _untested(named(AREA, self._area(scored, k, folds)))
        if scored.are_probabilities:
            yield _untested(named("observed_expected", observed_expected(swept, self.level)))

    def _area(self, scored: ClassScores, k: int, folds: Folds | None) -> Estimate:
        if folds is None:
            return curves.roc_auc(scored.against_the_rest(k), confidence_level=self.level)
        return area_of_folds({f: one.against_the_rest(k) for f, one in folds.items()}, self.level)


def _folds(cases: ClassCases, scored: ClassScores) -> Folds | None:
    if cases.fold is None:
        return None
    codes = cases.fold.codes[cases.rows]
    names = ("truth", "scores", "weights")
    return {
        label: replace(scored, **{name: getattr(scored, name)[codes == f] for name in names})
        for f, (label,) in enumerate(cases.fold.keys)
    }


def _n_pairs(n_classes: int) -> int:
    return n_classes * (n_classes - 1) // 2


def with_scores(
    facts: ClassEvaluationFacts, cases: ClassCases, top: Any, measures: tuple[str, ...]
) -> ClassEvaluationFacts:
    """Add what is known of scores to the facts of a table, and to those of its classes.

    A measure that was asked for and that these scores do not have is refused.
    """
    parts = ClassJudging(level=facts.confidence_level, top=top).of_cases(cases)
    of_class = parts.pop("of_class", None) or ((),) * len(facts.classes)
    classes = tuple(
        replace(one, score_measures=measures)
        for one, measures in zip(facts.classes, of_class, strict=True)
    )
    found = replace(facts, classes=classes, named=measures, **parts)
    if measures and found.score_measures and not found.score_absent:
        _refuse_other_measures(found)
    return found


def _refuse_other_measures(facts: ClassEvaluationFacts) -> None:
    lost = [x for x in facts.named if not replace(facts, named=(x,)).measures_named]
    known = dict[str, str]()  # a measure by the shortest name that it is asked by
    for name in MEASURES:
        for fact in replace(facts, named=(name,)).measures_named:
            known.setdefault(fact.name, name)
    more = ", or name one class positive (--positive)"
    refuse_unnamed(lost, sorted(known.values()), "scores of several classes have", more)


def scores_of(cases: ClassCases) -> ClassScores:
    """Take rows of alike cases apart; their weights keep their sum and their sum of squares."""
    assert cases.scores is not None
    truth, scores = cases.truth, cases.scores
    if (cases.count != 1).any():
        rows = cases.rows
        truth, scores = truth[rows], scores[rows]
    weights = np.ones(len(truth)) if cases.weight is None else _apart(cases)
    return ClassScores(cases.labels, truth, scores, weights, cases.weight is not None)


def _apart(cases: ClassCases) -> Array:
    """Return a weight for every case, in the order of the rows.

    Of a row of several cases the sum s and the sum of squares q are known. One case of weight
    s/c + sqrt((c - 1) v) and c - 1 of s/c - sqrt(v/(c - 1)), with v = q/c - (s/c)², have both.
    """
    assert cases.weight is not None
    assert cases.squared is not None
    size = cases.count
    mean = cases.weight / size
    spread = np.maximum(cases.squared / size - mean**2, 0.0)
    others = np.maximum(size - 1, 1)
    weights = np.repeat(np.maximum(mean - np.sqrt(spread / others), 0.0), size)
    first = np.cumsum(size) - size
    weights[first] = np.where(size > 1, mean + np.sqrt((size - 1) * spread), cases.weight)
    return weights


def _unsure(fact: EstimateFact, reason: str) -> EstimateFact:
    return replace(_untested(fact), low=nan, high=nan, route=None, reason=fact.reason or reason)


def _untested(fact: EstimateFact) -> EstimateFact:
    return replace(fact, p_value=nan, p_value_route=None, p_value_reason=None)

"""Decisions that are no classes, such as treat, test and wait: read or made of scores, and counted.

However many there are, what they earn is a sum over a table of decisions by classes.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from baserate.cases.cases import Cases
from baserate.cases.several_classes import ClassCases
from baserate.cases.two_classes import BinaryCases
from baserate.errors import InvalidArgumentError
from baserate.evaluation.class_contest import ClassContest, classes_or_two
from baserate.evaluation.class_score_sets import ScoreSets
from baserate.evaluation.contest import read_several, refuse_too_few
from baserate.evaluation.given import Given, counted_kind
from baserate.evaluation.metric_choice import ALL
from baserate.evaluation.reading import SCORE, names_of
from baserate.evaluation.refusals import refuse
from baserate.evaluation.stakes import (
    GivenStakes,
    fitted,
    is_uneven,
    same_label,
    usual_positive,
)

UNCOUNTED: Mapping[str | None, tuple[str, str]] = {
    "counts": (
        "has decisions that are no classes, and counts of classes do not say which were taken",
        "pass the cases, or count decisions by classes (UtilityMatrix.utility_yield)",
    ),
    "histogram": (
        "changes the decision between the edges of bins, where a histogram holds no counts",
        "pass the cases",
    ),
}
MAPPED = "decides by expected utility, which needs probabilities in [0, 1] of two classes"


def refuse_uncounted(kind: str | None, stakes: GivenStakes) -> None:
    """Refuse what was counted before anybody decided, if decisions are no classes."""
    if kind in UNCOUNTED and is_uneven(stakes):
        why, remedy = UNCOUNTED[kind]
        shape = " x ".join(map(str, stakes.matrix.matrix.shape))
        raise InvalidArgumentError.about("utility", f"{why}, got {shape}: {remedy}.")


def deciding(
    given: Given, stakes: GivenStakes, *, several: int, least: int = 2
) -> tuple[Callable[[Cases, Any], BinaryCases | ClassCases], Given]:
    """Return what makes cases of two classes, or of several, of what is read."""
    if given.score is None:
        return partial(classes_or_two, stakes, least=several), given
    sets = ScoreSets.of(given)
    if sets is None:
        two = stakes.uneven_of_two
        return partial(_of_two_scores, stakes) if two else Cases.binary, given
    of_classes, given = sets
    calls = [*(given.second or ()), *names_of(given.prediction)]
    refuse_too_few(map(str, [*of_classes.columns, *calls]), least)
    return partial(of_classes.decide, several=several), given


def _of_two_scores(stakes: GivenStakes, cases: Cases, positive: Any) -> BinaryCases | ClassCases:
    """Give the one class the probability p that a score says, and the other one 1 - p."""
    labelled = replace(cases, scores={})
    names = stakes.matrix.classes
    if positive is None and stakes.stated and names is not None:
        positive = names[stakes.matrix.positive]
    found = classes_or_two(stakes, labelled, positive)
    if isinstance(found, BinaryCases):
        return found
    label = usual_positive(found.labels) if positive is None else positive
    if label is None:
        label = labelled.binary(None).positive
    if same_label(found.labels[0], label):  # the positive class second, as scores have it
        found = replace(found, labels=found.labels[::-1], truth=1 - found.truth)
    sides: dict[str, Any] = {}
    for name in cases.scores:
        p = cases.side_by_side([name])[:, 0]
        if ((p < 0) | (p > 1)).any():
            remedy = "calibrate the scores first, or pass predictions"
            raise InvalidArgumentError.from_rule("utility", MAPPED, f"scores {name!r}", remedy)
        sides[str(name)] = np.stack((1 - p, p), axis=1)
    return replace(found, scores_of=sides)


def contest_of_one(given: Given, stakes: Any, *, metrics: Any, **unused: Any) -> ClassContest:
    """Read what one classifier decided in which class.

    Arguments that speak of a table of classes are refused.
    """
    kind = counted_kind(given.data) if given.target is None and given.second is None else None
    refuse_uncounted(kind, stakes)
    everything = metrics in (ALL, [ALL])  # as reports in full ask for
    refuse("decisions", fold=given.fold, metrics=None if everything else metrics, **unused)
    if given.second is not None:
        given = replace(given, second={"y_pred": given.second}, score=None)
    elif given.prediction is not None:
        given = replace(given, score=None)
    elif given.score is not None:
        if isinstance(given.score, Mapping):  # of classes to arrays, or to columns
            given = given.in_columns("y_pred")
        named = given.score if isinstance(given.score, str) else SCORE
        own = replace(given, score={named: given.score})
        by_class = ScoreSets.of(own) is not None
        given = own if by_class or given.target is None else given
    decide, given = deciding(given, stakes, several=2, least=1)
    cases, about = read_several(given, decide, least=1)
    if isinstance(cases, BinaryCases):  # one class named against the rest
        fitted(stakes, cases.positive, cases.labels, None)  # refuses
    return ClassContest.of_cases(cases, stakes, about)  # pyright: ignore[reportArgumentType]

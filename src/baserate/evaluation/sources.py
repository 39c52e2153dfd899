"""One triage: whatever holds the cases is read into one record, published tables stay tables."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial, singledispatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.cases.binary import MARKED
from baserate.cases.cases import Cases
from baserate.cases.counted import Counted
from baserate.cases.labels import Decide, likeliest
from baserate.cases.scores import SUM, cutting_point
from baserate.cases.several_classes import ClassCases, ClassCounted
from baserate.cases.two_classes import BinaryCases
from baserate.curves.score_histogram import ScoreHistogram
from baserate.errors import InvalidArgumentError, LabelError
from baserate.evaluation.keywords import KEYS
from baserate.evaluation.published_tables import CountsFile, Published, any_counted_elsewhere
from baserate.evaluation.reading import (
    SCORE,
    check_groups,
    columns_in,
    names_of,
    of_arrays,
    read_cases,
    read_labels,
    refuse_second,
)
from baserate.evaluation.refusals import refuse
from baserate.evaluation.score_columns import ScoreColumns
from baserate.evaluation.unverified import left_out, of_cases, of_classes, of_score, surest
from baserate.facts.scores import SuppressionFact

if TYPE_CHECKING:
    from baserate.evaluation.given import Given
    from baserate.evaluation.pooled_reference import PooledReference
    from baserate.evaluation.scoring import Calibrating, Scoring
    from baserate.evaluation.stakes import GivenStakes

COUNTED_SCORES = "counted scores"  # as the format of a file


def count(
    given: "Given",
    *,
    threshold: float | None,
    scoring: "Scoring | Calibrating",
    several: int = 0,
    stakes: "GivenStakes | None" = None,
    pooled: "PooledReference | None" = None,
) -> tuple[Counted | ClassCounted, dict[str, Any], Any]:
    """Count one classifier, whatever holds it, and say what to call it.

    The cases themselves are the last part, if scores of them are known. So many labels as
    `several`, none of them named positive, make a class table; their probabilities are decided on
    by expected utility, if there are `stakes`. Groups that are `pooled` are one.
    """
    positive = given.positive
    counts = isinstance(given.data, CountsFile)
    counts = counts or (isinstance(given.data, Published) and given.target is None)
    if counts and given.second is None:
        unread = {k: x for k, x in given.columns.items() if k not in ("positive", "progress")}
        refuse("counts", **unread, threshold=threshold, replicate_weights=given.replicates)
        found, about = any_counted_elsewhere(given.data, positive, several=several)
        found, named = (found, {}) if pooled is None else pooled.tables(found)
        return found, {**about, **named}, None
    if given.score is None and not isinstance(given.data, ScoreHistogram):
        refuse("no score", threshold=threshold)
    fold = scoring.models if scoring.fold is None else scoring.fold
    if not isinstance(given.data, ScoreHistogram):
        given = replace(given, fold=fold).in_columns("y_pred", unused=True)
    at: Any = {"hold": scoring.hold, "threshold": threshold, "stakes": stakes}
    cases, about = read_classifier(given, several, **at)
    cases, named = (cases, {}) if pooled is None else pooled.cases(cases)
    about |= named
    about |= {name: lost for name, lost in left_out(cases).items() if lost}
    return _counted(cases, about, given, scoring, threshold)


@singledispatch
def _counted(
    cases: BinaryCases,
    about: dict[str, Any],
    given: "Given",
    scoring: "Scoring | Calibrating",
    threshold: float | None,
) -> tuple[Counted | ClassCounted, dict[str, Any], Any]:
    """Count cases, cut by their score where nothing predicts, and add what is said of them."""
    threshold, section = scoring.about(cases, about)
    if about.get("prediction") is None:
        score = about["score"]
        if score in cases.scores and score not in cases.names:
            name = score if of_arrays(given.data) else f"column {score!r}"
            about["default_threshold"] = threshold is None
            threshold = cases.usual_cut(score) if threshold is None else threshold
            cases = cases.cut(score, threshold, name=name)
        about["threshold"] = cutting_point(threshold)
    counted = cases.counted()
    uncut = about["score"] if about.get("prediction") is None and threshold is None else None
    lost = surest([of_cases(cases, cases.names[0]), uncut and of_score(cases, uncut)])
    section |= {} if lost is None else {"unverified": lost}
    if given.positive is None and given.judged:
        every = " that has a weight" if counted.weighted else ""
        refuse_one_class(
            (counted.table.n_positive, counted.table.n_negative), about["target"], cases.positive,
            "one class shows no classifier to be any good: add cases of the other, or "
            f"pass positive (--positive) {MARKED}", every=every,
        )  # fmt: skip
    scored = cases if cases.scores and not cases.is_designed else None
    return counted, {**about, **section}, scored


@_counted.register
def _counted_of_several(
    cases: ClassCases, about: dict[str, Any], *_: Any
) -> tuple[Counted | ClassCounted, dict[str, Any], Any]:
    about.pop("score", None)  # of two classes, and refused there
    if (lost := of_classes(cases)) is not None:
        about["unverified"] = lost
    return cases.counted(), about, cases if cases.scores is not None else None


def read_classifier(
    given: "Given",
    several: int,
    *,
    threshold: float | None,
    hold: int | None,
    stakes: "GivenStakes | None" = None,
) -> tuple[BinaryCases | ClassCases, dict[str, Any]]:
    """Read one classifier, and say what to call it; a prediction wins over a score."""
    data, how = given.data, {**given.columns, "fold": given.fold}
    if isinstance(data, ScoreHistogram):
        return _of_histogram(data, **how)
    refuse_second(given.second, given.target)
    prediction, score = how.pop("prediction"), how.pop("score")
    columns = ScoreColumns.of(score, target=given.target, known=partial(columns_in, data))
    if columns is not None:
        refuse("class scores", replicate_weights=given.replicates)
        how |= {"prediction": prediction, "several": several, "stakes": stakes}
        return _read_scored(data, columns, **how)
    if prediction is None and not isinstance(score, str | int | None):
        raise unnamed_score(score)
    decide = partial(_several_or_two, several) if names_of(prediction) else Cases.binary
    scores = names_of(score) if prediction is None else ()
    cases, source = read_cases(
        data, decide=decide, replicates=given.replicates, predictions=names_of(prediction),
        scores=(*scores, *given.beside.values()), unused=() if scores else names_of(score),
        threshold=threshold, hold=None if given.beside else hold, **how,
    )  # fmt: skip
    named = {**given.truth, "prediction": prediction, "score": score}
    return cases, {**named, **about_columns(data, source, how)}


def _several_or_two(several: int, cases: Cases, positive: Any) -> BinaryCases | ClassCases:
    apart = several and positive is None and cases.n_classes >= several
    return cases.classes() if apart else cases.binary(positive)


def unnamed_score(score: Any) -> InvalidArgumentError:
    """Ask for the name of the one column of scores."""
    rule, remedy = "must name the column of scores", "name one of the data (--score)"
    return InvalidArgumentError.from_rule("score", rule, score, remedy)


def about_columns(data: Any, source: str | None, how: Mapping[str, Any]) -> dict[str, Any]:
    """Return what reports call clusters and items, and the file unless there were arrays only."""
    named = {role: how[role] for role in KEYS if how.get(role) is not None}
    return named if of_arrays(data) else {**named, "source": source}


def _read_scored(
    data: Any,
    columns: ScoreColumns,
    *,
    target: str,
    prediction: Any,
    several: int,
    positive: Any,
    many_groups: bool,
    stakes: "GivenStakes | None" = None,
    **how: Any,
) -> tuple[BinaryCases | ClassCases, dict[str, Any]]:
    """Read one classifier that has a score for each class, and say what to call it.

    A prediction wins; without one a case is called the class with the highest score, or of stakes
    the one with the highest expected utility, the first among equals. One class against the rest
    has its own column.
    """
    read = {"predictions": names_of(prediction), "scores": columns.by_name}
    cases = read_labels(data, target=target, hold=None, **read, **how)
    named = {"target": target, "prediction": prediction, **about_columns(data, cases.source, how)}
    classes, places = columns.arranged(cases.occurring)
    scores = [columns.by_name[k] for k in places] if columns.by_name else list(places)
    if positive is None and several and len(classes) >= several:
        found = cases.classes(classes, scores)
        named["scores"] = columns.called(places)
        if prediction is None:
            decide = likeliest if stakes is None else _by_utility(stakes, classes)
            lost = cases.unverified and cases.unverified.decided(SCORE, classes, scores, decide)
            found = replace(found.decided(SCORE, decide), unverified=lost)
            named["tied"] = found.n_tied if stakes is None else None
    else:
        found, named["score"] = _of_one_class(
            cases, positive, classes, scores, arrays=of_arrays(data)
        )
    check_groups(found, many_groups=many_groups, clusters="cluster" in how)
    return found, named


def _by_utility(stakes: "GivenStakes", classes: Sequence[Any]) -> Decide:
    from baserate.evaluation.class_stakes import ClassStakes  # few reports have a utility

    return ClassStakes.of(stakes, classes).decide


def _of_one_class(
    cases: Cases, positive: Any, classes: Sequence[Any], scores: Sequence[Any], *, arrays: bool
) -> tuple[BinaryCases, Any]:
    """Return the cases of one class against the rest, with its score, and what that is called.

    Of two classes the other column must say the same.
    """
    label = replace(cases, scores={}).binary(positive).positive
    own = next(k for k, each in enumerate(classes) if each == label)
    side = cases.side_by_side(scores)
    total = side.sum(axis=1)
    if len(classes) == 2 and (wrong := np.abs(total - 1) > SUM).any():
        rule, given = "must sum to one in each row, of two classes", total[wrong][0].item()
        remedy = f"pass the column of {label!r} alone"
        raise InvalidArgumentError.from_rule("score", rule, given, remedy)
    name = SCORE if arrays else str(scores[own])
    alone = {} if cases.predictions else {name: side[:, own]}
    return replace(cases, scores=alone).binary(positive), name


def refuse_one_class(
    sizes: tuple[float, float], target: Any, positive: Any, so: str, *, every: str = ""
) -> None:
    """Refuse cases of a single class; `so` says what they cannot show, and what to do."""
    n_positive, n_negative = sizes
    if n_positive and n_negative:
        return
    which = "positive" if n_positive else "negative"
    raise LabelError(
        f"{target} holds one class only (every case{every} is {which}, positive being "
        f"{positive!r}), and {so}."
    )


def _of_histogram(
    histogram: ScoreHistogram, *, positive: Any, many_groups: bool, score: str, **_: Any
) -> tuple[BinaryCases, dict[str, Any]]:
    """Return the rows of a histogram as cases, and say what to call them.

    The histogram itself says what is positive, and what was done before it left its site.
    """
    if positive is not None and str(positive) != str(histogram.positive):
        rule = f"must be {histogram.positive!r}, which the histogram counted as positive"
        raise InvalidArgumentError.from_rule("positive", rule, positive, "leave it out")
    truth, own = histogram.columns
    cases = histogram.cases(own or score)
    check_groups(cases, many_groups=many_groups)
    about: dict[str, Any] = {"target": truth or "y_true", "score": own or score}
    if histogram.source is not None:
        about["source"] = f"{Path(histogram.source).name} ({COUNTED_SCORES})"
    if histogram.suppression is not None:
        about["suppression"] = SuppressionFact(**histogram.suppression._asdict())
    return cases, about

"""One triage: whatever holds the cases is read into one record, published tables stay tables."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.cases.binary import MARKED
from baserate.cases.cases import Cases
from baserate.cases.columns import check_order
from baserate.cases.counted import Counted
from baserate.cases.scores import cutting_point
from baserate.cases.several_classes import ClassCases, ClassCounted
from baserate.cases.two_classes import BinaryCases
from baserate.errors import InvalidArgumentError, LabelError
from baserate.evaluation.published_tables import CountsFile, Published, any_counted_elsewhere
from baserate.evaluation.reading import (
    KEYS,
    SCORE,
    columns_in,
    names_of,
    no_target,
    read_cases,
    read_classes,
    read_labels,
    refuse_given,
    refuse_many_groups,
    refuse_second,
)
from baserate.evaluation.score_columns import ScoreColumns
from baserate.evaluation.unverified import of_cases, of_classes, of_score, surest
from baserate.facts.scores import SuppressionFact

if TYPE_CHECKING:
    from baserate.curves.score_histogram import ScoreHistogram
    from baserate.evaluation.audit_scores import Calibrating
    from baserate.evaluation.replicate_weights import Replicates
    from baserate.evaluation.scoring import Scoring

COUNTED_SCORES = "counted scores"  # as the format of a file
NAMED = "names a column of a frame or a file, not of arrays"
OF_ONE = "is known beside the score of one class only"
SUM = 1e-3  # how far the probabilities of a row may be from one: single precision, few decimals


def count(
    data: Any,
    y_pred: Any,
    *,
    target: str | None,
    threshold: float | None,
    positive: Any,
    missing: str,
    many_groups: bool,
    progress: Any,
    scoring: "Scoring | Calibrating | None" = None,
    replicates: "Replicates | None" = None,
    several: int = 0,
    **columns: Any,
) -> tuple[Counted | ClassCounted, dict[str, Any], BinaryCases | ClassCases | None]:
    """Count one classifier, whatever holds it, and say what to call it.

    The cases themselves are the last part, if scores of them are known.

    Parameters
    ----------
    columns : prediction, score, groups, weight, cluster, case_id
    scoring : Scoring, optional
        What is asked of a score beside its table; it may choose the threshold.
    replicates : Replicates, optional
        Replicate weights of the cases.
    several : int
        How many labels, none of them named positive, make a class table; 0 for none.
    """
    asked = {**columns, "threshold": threshold, "missing": missing, "many_groups": many_groups}
    counts = isinstance(data, CountsFile) or (isinstance(data, Published) and target is None)
    if counts and y_pred is None:
        unread = {"target": target, **asked, "missing": None if missing == "error" else missing}
        unread["many_groups"] = many_groups or None
        refuse_given("has no meaning for tables that were counted elsewhere", unread)
        return *any_counted_elsewhere(data, positive, several=several), None
    how: dict[str, Any] = {"hold": 0}
    if scoring is not None:
        fold = scoring.models if scoring.fold is None else scoring.fold
        how = {"hold": scoring.hold, "fold": fold}
    cases, about = _read_classifier(
        data, y_pred, target=target, positive=positive, progress=progress,
        replicates=replicates, several=several, **asked, **how,
    )  # fmt: skip
    if isinstance(cases, ClassCases):
        about.pop("score", None)  # of two classes, and refused there
        if (lost := of_classes(cases)) is not None:
            about["unverified"] = lost
        return cases.counted(), about, cases if cases.scores is not None else None
    if replicates is not None:
        cases = replicates.taken_from(cases)
    section: dict[str, Any] = {}
    if scoring is not None:
        threshold, section = scoring.about(cases, about)
    if about.get("prediction") is None:
        score = about["score"]
        if score in cases.scores and score not in cases.names:
            name = score if target is None else f"column {score!r}"
            threshold = cases.usual_cut(score) if threshold is None else threshold
            cases = cases.cut(score, threshold, name=name)
        about["threshold"] = cutting_point(threshold)
    counted = cases.counted()
    uncut = about["score"] if about.get("prediction") is None and threshold is None else None
    lost = surest([of_cases(cases, cases.names[0]), uncut and of_score(cases, uncut)])
    section |= {} if lost is None else {"unverified": lost}
    if positive is None:
        every = " that has a weight" if counted.weighted else ""
        refuse_one_class(
            (counted.table.n_positive, counted.table.n_negative), about["target"], cases.positive,
            "one class shows no classifier to be any good: add cases of the other, or "
            f"pass positive (--positive) {MARKED}", every=every,
        )  # fmt: skip
    scored = cases if cases.scores and not cases.is_designed else None
    return counted, {**about, **section}, scored


def _read_classifier(
    data: Any,
    y_pred: Any,
    *,
    target: str | None,
    prediction: Any,
    score: Any,
    threshold: float | None,
    hold: int | None,
    replicates: "Replicates | None" = None,
    several: int = 0,
    **how: Any,
) -> tuple[BinaryCases | ClassCases, dict[str, Any]]:
    """Read one classifier, and say what to call it; a prediction wins over a score."""
    if is_counted(data):
        return of_histogram(data, **how)
    if score is None:
        why, instead = "cuts a score, and none is given", "name one (--score), or leave it out"
        refuse_given(why, {"threshold": threshold}, instead=instead)
    # Replicate weights are numbers beside each case, as scores are, and are read as these.
    beside = {} if replicates is None else replicates.columns
    at = {"threshold": threshold, "hold": None if beside else hold}
    columns = ScoreColumns.of(score, target=target, known=partial(columns_in, data))
    if columns is not None:
        check_order([("y_true", data), ("score", score)] if target is None else [])
        refuse_given(OF_ONE, {"replicate_weights": None if replicates is None else "given"})
        given = {"y_pred": y_pred, "target": target, "prediction": prediction, "several": several}
        return read_scored(data, columns, **given, **how)
    read = read_cases
    if several and (y_pred is not None or names_of(prediction)):
        read = partial(read_classes, several=several)
    read = partial(read, replicates=replicates)
    if target is None:
        refuse_given(NAMED, {"prediction": prediction})
        if y_pred is None and score is None:
            raise no_target("y_pred", data)
        cuts = y_pred is None
        used = {"scores": {"score": score}} if cuts else {"predictions": {"y_pred": y_pred}}
        used["scores"] = {**used.get("scores", {}), **beside}
        cases, _ = read(data, target=target, **used, **at, **how)
        named = {"target": "y_true"} if cuts else {"target": "y_true", "prediction": "y_pred"}
        named |= {role: role for role in KEYS if how.get(role) is not None}
        return cases, named if score is None else {**named, "score": "score"}
    refuse_second(y_pred, target)
    named = {"target": target, "prediction": prediction, "score": score}
    parts = {"predictions": names_of(prediction), "unused": names_of(score)}
    parts = {"scores": names_of(score)} if prediction is None else parts
    parts["scores"] = (*parts.get("scores", ()), *beside.values())
    cases, source = read(data, target=target, **parts, **at, **how)
    named |= {role: how[role] for role in KEYS if how.get(role) is not None}
    return cases, {**named, "source": source}


def read_scored(
    data: Any,
    columns: ScoreColumns,
    *,
    y_pred: Any,
    target: str | None,
    prediction: Any,
    several: int,
    positive: Any,
    many_groups: bool,
    **how: Any,
) -> tuple[BinaryCases | ClassCases, dict[str, Any]]:
    """Read one classifier that has a score for each class, and say what to call it.

    A prediction wins; without one a case is called the class with the highest score, the first
    among equals. One class against the rest has its own column.
    """
    named: dict[str, Any] = {"target": "y_true" if target is None else target}
    if target is None:
        refuse_given(NAMED, {"prediction": prediction})
        labels = {} if y_pred is None else {"y_pred": y_pred}
        how |= {"predictions": labels, "class_scores": columns.values}
    else:
        refuse_second(y_pred, target)
        how |= {"predictions": names_of(prediction), "scores": columns.names}
    cases = read_labels(data, target=target, hold=None, **how)
    predicted = "y_pred" if y_pred is not None else prediction
    named |= {"prediction": predicted, **({} if target is None else {"source": cases.source})}
    named |= {role: how[role] if target else role for role in KEYS if how.get(role) is not None}
    classes, places = columns.arranged(cases.occurring)
    scores = list(places) if target is None else [columns.names[k] for k in places]
    if positive is None and several and len(classes) >= several:
        found = cases.classes(classes, scores)
        named["scores"] = columns.called(places)
        if predicted is None:
            lost = cases.unverified and cases.unverified.with_highest(SCORE, classes, scores)
            found = replace(found.with_highest(SCORE), unverified=lost)
            named["tied"] = found.n_tied
    else:
        found, own = _of_one_class(cases, positive, classes, scores)
        named["score"] = SCORE if target is None else own
    if found.grouping is not None and not many_groups:
        names, size = found.grouping.names, len(found.grouping.keys)
        refuse_many_groups(names, size, found.n, clusters="cluster" in how)
    return found, named


def _of_one_class(
    cases: Cases, positive: Any, classes: Sequence[Any], scores: Sequence[Any]
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
    name = SCORE if isinstance(scores[own], int) else str(scores[own])
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


def is_counted(data: Any) -> bool:
    """Whether data are a histogram of scores; whoever has one has loaded its class."""
    known = sys.modules.get("baserate.curves.score_histogram")
    return known is not None and isinstance(data, known.ScoreHistogram)


def of_histogram(
    histogram: "ScoreHistogram", *, positive: Any, many_groups: bool, name: str = SCORE, **_: Any
) -> tuple[BinaryCases, dict[str, Any]]:
    """Return the rows of a histogram as cases, and say what to call them.

    The histogram itself says what is positive, and what was done before it left its site.
    """
    if positive is not None and str(positive) != str(histogram.positive):
        rule = f"must be {histogram.positive!r}, which the histogram counted as positive"
        raise InvalidArgumentError.from_rule("positive", rule, positive, "leave it out")
    truth, score = histogram.columns
    cases = histogram.cases(score or name)
    if not many_groups:
        refuse_many_groups(cases.group_names, len(cases.groups), cases.n)
    about: dict[str, Any] = {"target": truth or "y_true", "score": score or name}
    if histogram.source is not None:
        about["source"] = f"{Path(histogram.source).name} ({COUNTED_SCORES})"
    if histogram.suppression is not None:
        about["suppression"] = SuppressionFact(**histogram.suppression._asdict())
    return cases, about

"""One triage: whatever holds the cases is read into one record, published tables stay tables."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from baserate.cases import BinaryCases, Cases, ClassCases, ClassCounted, Counted, read_arrays
from baserate.cases.scores import cutting_point
from baserate.errors import DataError, InvalidArgumentError, LabelError
from baserate.evaluation.published_tables import CountsFile, Published, any_counted_elsewhere
from baserate.facts import SuppressionFact

if TYPE_CHECKING:
    from baserate.curves.score_histogram import ScoreHistogram
    from baserate.evaluation.audit_scores import Calibrating
    from baserate.evaluation.replicate_weights import Replicates
    from baserate.evaluation.scoring import Scoring

COUNTED_SCORES = "counted scores"  # as the format of a file
SCORE = "score"  # what reports call the score of a histogram
MANY = 30  # groups that always fit a report
KEYS = ("cluster", "case_id")  # columns that say which cases are alike, and that reports name
FEW = 10  # cases of an average group below which more groups are taken for a mistake


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
) -> tuple[Counted | ClassCounted, dict[str, Any], BinaryCases | None]:
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
    how = {"hold": 0} if scoring is None else {"hold": scoring.hold, "fold": scoring.fold}
    cases, about = _read_classifier(
        data, y_pred, target=target, positive=positive, progress=progress,
        replicates=replicates, several=several, **asked, **how,
    )  # fmt: skip
    if isinstance(cases, ClassCases):
        about.pop("score", None)  # of two classes, and refused there
        return cases.counted(), about, None
    if replicates is not None:
        cases = replicates.taken_from(cases)
    section: dict[str, Any] = {}
    if scoring is not None:
        threshold, section = scoring.about(cases, about)
    if about.get("prediction") is None:
        score = about["score"]
        if score in cases.scores and score not in cases.names:
            name = score if target is None else f"column {score!r}"
            cases = cases.cut(score, threshold, name=name)
        about["threshold"] = cutting_point(threshold)
    counted = cases.counted()
    if positive is None:
        every = " that has a weight" if counted.weighted else ""
        refuse_one_class(
            (counted.table.n_positive, counted.table.n_negative), about["target"], cases.positive,
            "one class cannot show whether a classifier is any good: collect the other class, or "
            "pass positive (--positive) to see what is defined", every=every,
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
        refuse_given("cuts a score, and no score (--score) is given", {"threshold": threshold})
    # Replicate weights are numbers beside each case, as scores are, and are read as these.
    beside = {} if replicates is None else replicates.columns
    at = {"threshold": threshold, "hold": None if beside else hold}
    read = read_cases
    if several and (y_pred is not None or prediction):
        read = partial(read_classes, several=several)
    if target is None:
        refuse_given(
            "names a column of a frame or a file, not of arrays", {"prediction": prediction}
        )
        if y_pred is None and score is None:
            raise no_target("y_pred")
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


def read_cases(
    data: Any, *, positive: Any, many_groups: bool, **how: Any
) -> tuple[BinaryCases, str | None]:
    """Read cases once, whatever holds them, and decide which label is positive; see `read_labels`.

    Returns
    -------
    BinaryCases
    str or None
        Name and format of a file.
    """
    cases = read_labels(data, **how)
    found = cases.binary(positive)
    if not many_groups:
        names, size = found.group_names, len(found.groups)
        refuse_many_groups(names, size, found.n, clusters="cluster" in how)
    return found, cases.source


def read_classes(
    data: Any, *, positive: Any, many_groups: bool, several: int, **how: Any
) -> tuple[BinaryCases | ClassCases, str | None]:
    """Read cases as `read_cases` does, unless their truth has several classes and none is named."""
    cases = read_labels(data, **how)
    apart = positive is None and cases.n_classes >= several
    found = cases.classes() if apart else cases.binary(positive)
    if found.grouping is not None and not many_groups:
        names, size = found.grouping.names, len(found.grouping.keys)
        refuse_many_groups(names, size, found.n, clusters="cluster" in how)
    return found, cases.source


def read_labels(
    data: Any,
    *,
    target: str | None,
    predictions: Any = (),
    scores: Any = (),
    fold: Any = None,
    cluster: Any = None,
    case_id: Any = None,
    groups: Any = None,
    weight: Any = None,
    unused: Sequence[Any] = (),
    threshold: float | None = None,
    hold: int | None = None,
    missing: str,
    progress: Any = None,
) -> Cases:
    """Read cases once, whatever holds them.

    Parameters
    ----------
    data : array-like, frame, path or binary file object
        With `target` None, the true labels; `predictions` and `scores` are then mappings of name to
        array, else names of columns.
    fold, cluster, case_id
        Arrays, else names of columns. Rows of one case id are the same item again: without
        clusters, the item is the cluster.
    unused, threshold, hold
        Of columns; see `baserate.adapters.files.read_file`.
    """
    named = {"fold": fold, "cluster": cluster, "case_id": case_id}
    keys = {role: key for role, key in named.items() if key is not None}
    if target is None:
        named = groups if isinstance(groups, Mapping) or groups is None else {"group": groups}
        return read_arrays(
            data, predictions or None, scores=scores or None, groups=named, keys=keys,
            sample_weight=weight, weight="weight", missing=missing,
        )  # fmt: skip
    return _of_columns(
        data, progress, target=target, predictions=predictions, scores=scores, keys=keys,
        groups=names_of(groups), weight=weight, unused=unused, threshold=threshold, hold=hold,
        missing=missing,
    )  # fmt: skip


def _of_columns(data: Any, progress: Any, **columns: Any) -> Cases:
    if is_file(data):
        from baserate.adapters.files import read_file

        return read_file(data, progress=progress, **columns)
    from baserate.adapters.frames import read_frame

    return read_frame(data, **columns)


def names_of(names: Any) -> tuple[Any, ...]:
    """Accept no column, one or several."""
    if names is None:
        return ()
    single = isinstance(names, str) or not isinstance(names, Iterable)
    return (names,) if single else tuple(names)


def refuse_second(array: Any, target: Any) -> None:
    """Refuse a second array beside named columns."""
    if array is not None:
        rule = "names a column of one frame or file"
        remedy = "pass either arrays, or one frame with column names"
        raise InvalidArgumentError.from_rule("target", rule, target, remedy)


def no_target(second: str) -> InvalidArgumentError:
    """Ask for the columns of a frame or a file, or for a second array."""
    rule = "must be given with a frame or a file"
    remedy = f"name the columns, or pass y_true and {second}"
    return InvalidArgumentError.from_rule("target", rule, None, remedy)


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


def refuse_many_groups(
    names: Sequence[str], groups: int, cases: int, *, clusters: bool = False
) -> None:
    """Refuse a nearly continuous column as groups: more than 30 of fewer than ten cases each.

    Where `clusters` can be named, that may be what the column is.
    """
    if groups <= MANY or groups * FEW <= cases:
        return
    columns = ", ".join(map(repr, names))
    one = len(names) == 1
    belong = " If it says which cases belong together, as a patient does, pass it as cluster "
    raise DataError(
        f"The group column{'' if one else 's'} {columns} ha{'s' if one else 've'} {groups:,} "
        f"different values in {cases:,} cases, fewer than {FEW} cases each: pass "
        f"{'a column' if one else 'columns'} with fewer values, such as ranges of "
        f"{'this one' if one else 'these'}, or pass many_groups=True (--many-groups) to have them "
        "all." + (f"{belong}(--cluster) instead." if clusters else "")
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


def is_file(data: Any) -> bool:
    """Whether data are a path, or an open binary file."""
    return isinstance(data, str | PathLike) or hasattr(data, "read")


def refuse_given(why: str, arguments: Mapping[str, Any]) -> None:
    """Refuse the first of these arguments that is given, since it would be ignored."""
    for name, value in arguments.items():
        if value is not None:
            given = value if isinstance(value, str | int | float) else type(value).__name__
            raise InvalidArgumentError.from_rule(name, why, given, "leave it out")

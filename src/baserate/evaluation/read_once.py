"""Cases are read once, for every question about them, and what was read is said."""

from collections.abc import Mapping
from contextlib import nullcontext, suppress
from functools import partial
from typing import Any, Unpack

import numpy as np

from baserate.cases.cases import Cases
from baserate.cases.labels import grouped, labels_of_columns
from baserate.cases.unseen_cases import HeldOut
from baserate.errors import LabelError
from baserate.evaluation.given import UNREAD, Given, Reading, all_of, counted_kind
from baserate.evaluation.keywords import KEYS, ReadingKeywords, takes_reading
from baserate.evaluation.reading import (
    columns_in,
    names_of,
    of_columns,
    refuse_many_groups,
    refuse_second,
)
from baserate.evaluation.refusals import refuse
from baserate.evaluation.score_columns import ScoreColumns
from baserate.evaluation.score_histograms import counted_classifiers, histogram_in, is_path
from baserate.evaluation.scoring import HELD
from baserate.facts.cases import CasesFacts, ClassSize


@takes_reading
def cases(data: Any, y_pred: Any = None, /, **reading: Unpack[ReadingKeywords]) -> Reading:
    """Read cases once, for every call that answers a question about them.

    `evaluate`, `audit`, `thresholds` and `compare` take what it returns in place of the data and
    all that follows here; each asks it for the columns that it needs. A row that lacks anything
    that is named here is refused or left out, so that all answers are about the same cases.

    Parameters
    ----------
    data : array-like, frame, path, table, mapping, ScoreHistogram or HeldOut
        With `y_pred` or an array of scores, the true labels. Otherwise a frame (pandas, polars,
        pyarrow, a DuckDB relation, anything narwhals knows) or a path (CSV, TSV, Parquet, JSON
        lines, Arrow, .xlsx) whose columns are named below; or what was counted elsewhere: tables,
        histograms of scores, or a mapping of name to such; or what `held_out` read from a
        cross-validation.
    y_pred : array-like, or mapping of name to array-like, optional
        Predicted labels.
    **reading
        See `KEYWORDS`.

    Returns
    -------
    Reading
        Printing it says what was read; ``.to_dict()`` too.

    Raises
    ------
    BaserateError
        In one sentence: what is wrong with the data or an argument, and what to do.

    Examples
    --------
    >>> import baserate as br
    >>> c = br.cases([1, 1, 0, 0, 1], [1, 0, 0, 0, 1], groups=["a", "a", "b", "b", "b"])
    >>> c
    5 cases: 2 of class 0, 3 of 1 (positive). Prediction: y_pred. 2 groups by group.
    >>> br.evaluate(c, metrics="recall").value("recall"), len(br.audit(c).facts.groups)
    (0.6666666666666666, 2)
    """
    given = Given.of("cases", data, {"y_pred": y_pred}, reading)
    if isinstance(data, Reading):
        return data
    if is_path(data) and given.target is None and given.score is None:
        data = histogram_in(data)
    data = counted_classifiers(data) or data
    held = all_of(data, HeldOut)
    kind = None if held or y_pred is not None or given.score is not None else counted_kind(data)
    if held or (kind is not None and given.target is None):
        if not held:
            refuse(kind or "", **{k: x for k, x in reading.items() if k not in UNREAD})
        return Reading(_facts_apart(data, given.positive), data, dict(reading), given.origins)
    read = given.in_columns("y_pred")
    if read is given:
        found, told = _of_columns(given), dict(reading)
    else:
        found, told = read.data, read.told
    told |= {"missing": "error", "progress": None}  # of what was read nothing is missing
    facts = _facts_of(found, told)
    if not given.many_groups:
        refuse_many_groups(facts.groups, facts.n_groups, found.n, clusters=True)
    return Reading(facts, found, told, given.origins)


def _of_columns(given: Given) -> Cases:
    refuse_second(given.second, given.target)
    by_class = ScoreColumns.of(
        given.score, target=given.target, known=partial(columns_in, given.data)
    )
    named = names_of(given.score) if by_class is None else by_class.names
    scores = tuple(dict.fromkeys(column for each in named for column in names_of(each)))
    predictions, beside = names_of(given.prediction), given.beside
    # One score alone of more cases than fit is counted by cells, as where a metric cuts it.
    alone = len(scores) == 1 and not (predictions or given.keys or given.weight)
    return of_columns(
        given.data, given.progress, target=given.target, predictions=predictions,
        scores=(*scores, *beside.values()), groups=names_of(given.groups), keys=given.keys,
        weight=given.weight, hold=HELD if alone else None, missing=given.missing,
        replicates=tuple(beside), frequency=given.frequency, relabel=given.relabel,
    )  # fmt: skip


def _facts_of(found: Cases, told: Mapping[str, Any]) -> CasesFacts:
    """Return what there is in cases, as plain numbers."""
    labels, [coded] = labels_of_columns([found.truth], from_text=found.from_text)
    sizes = np.bincount(found.truth.codes, found.count, len(found.truth.labels)).astype(int)
    cases_of = {x: sum(sizes[k].item() for k, y in coded.items() if y == x) for x in labels}
    positive = told.get("positive")
    if positive is not None or len(labels) == 2:
        # Nothing says which of two labels it is: utilities may.
        with suppress(LabelError) if positive is None else nullcontext():
            positive = found.binary(positive).positive
    beside = set(map(str, told.get("replicate_weights") or ()))
    strata, *others = KEYS
    apart = [role for role in others if role in found.keys][:1]
    drawn = grouped(found.drawn or {role: found.keys[role] for role in apart})
    return CasesFacts(
        n=found.n,
        missing=found.n_missing,
        source=found.source,
        target=str(found.target),
        classes=tuple(map(ClassSize, cases_of, cases_of.values())),
        positive=positive,
        predictions=tuple(found.predictions),
        scores=tuple(str(name) for name in found.scores if str(name) not in beside),
        groups=tuple(found.groups),
        n_groups=len(grouping.keys) if (grouping := grouped(found.groups)) else 0,
        n_clusters=None if drawn is None else len(drawn.keys),
        n_runs=len(found.keys["run"].found()) if "run" in found.keys else None,
        n_strata=len(found.keys[strata].found()) if strata in found.keys else None,
        weighted=found.weight is not None,
    )


def _facts_apart(data: Any, positive: Any) -> CasesFacts:
    """Return the same of what was counted elsewhere, or held out: sizes and names."""
    named = data if isinstance(data, Mapping) else {"": data}
    sizes = [len(one.y_true) if isinstance(one, HeldOut) else one.n for one in named.values()]
    names = tuple(map(str, named)) if isinstance(data, Mapping) else ()
    return CasesFacts(n=sum(sizes), positive=positive, predictions=names)

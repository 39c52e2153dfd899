"""The one way into the reading room: arrays, a frame or a file become one record of cases."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from os import PathLike
from typing import Any

import numpy as np

from baserate._checks import can_be_looked_up, one_of, yes_or_no
from baserate.cases.cases import ARRAYS, Cases
from baserate.cases.long_tables import by_model
from baserate.cases.several_classes import ClassCases
from baserate.cases.two_classes import BinaryCases
from baserate.cases.unseen_cases import HeldOut
from baserate.cases.values import plain_label
from baserate.counts import is_unnamed, no_table
from baserate.errors import DataError, InvalidArgumentError, UnsupportedError
from baserate.evaluation.keywords import KEYS
from baserate.evaluation.refusals import refuse

SCORE = "score"  # what reports call a score that has no name
MANY = 30  # groups that always fit a report
MISSING = ("error", "drop")
FEW = 10  # cases of an average group below which more groups are taken for a mistake


def read_cases(
    data: Any,
    *,
    positive: Any,
    many_groups: bool,
    decide: Callable[[Cases, Any], BinaryCases | ClassCases] = Cases.binary,
    replicates: Any = None,
    **how: Any,
) -> tuple[Any, str | None]:
    """Read cases once, `decide` what they are, and return what it makes of them, and their file."""
    cases = read_labels(data, replicates=replicates, **how)
    if replicates is None:
        found = decide(cases, positive)
    else:
        cases, replicated = replicates.taken_from(cases)
        found = replace(decide(cases, positive), replicated=replicated)
    check_groups(found, many_groups=many_groups, clusters="cluster" in how)
    return found, cases.source


def check_groups(
    found: BinaryCases | ClassCases, *, many_groups: bool, clusters: bool = False
) -> None:
    """Refuse more groups than a report can show, unless they are asked for."""
    if not yes_or_no("many_groups", many_groups) and found.grouping is not None:
        refuse_many_groups(
            found.grouping.names, len(found.grouping.keys), found.n, clusters=clusters
        )


def read_labels(
    data: Any,
    *,
    groups: Any = None,
    progress: Any = None,
    replicates: Any = None,
    **columns: Any,
) -> Cases:
    """Read cases once, whatever holds them; `columns` as `baserate.adapters.files.read_file` has.

    Rows of one case id are the same item again: without clusters, the item is the cluster.
    `replicates` says which scores are replicate weights.
    """
    named = {role: columns.pop(role, None) for role in ("fold", *KEYS, "model")}
    keys = {role: key for role, key in named.items() if key is not None}
    beside = () if replicates is None else tuple(replicates.columns)
    found = of_columns(
        data, progress, keys=keys, groups=names_of(groups), replicates=beside, **columns
    )
    return by_model(found) if "model" in keys else found


def of_columns(data: Any, progress: Any, *, frequency: Any = None, **columns: Any) -> Cases:
    """Read the columns of a file, a frame, or cases that were read before; see `read_labels`.

    Without a target the first prediction is read in its place, and no truth is known. The number of
    cases of each row is read as a score is.
    """
    if columns.get("target") is None and not isinstance(data, Cases):
        first, *others = columns["predictions"]
        columns |= {"target": first, "predictions": tuple(others), "judged": False}
        return of_columns(data, progress, frequency=frequency, **columns).without_truth()
    if isinstance(data, Cases):
        parts = ("predictions", "scores", "groups", "keys")
        return data.of_columns(**{role: columns.get(role, ()) for role in parts})
    if frequency is not None:
        scores = (*columns.get("scores", ()), frequency)
        columns |= {"scores": scores, "frequency": frequency, "hold": None}
    if is_file(data):
        from baserate.adapters.files import read_file

        return read_file(data, progress=progress, **columns)
    from baserate.adapters.frames import read_frame

    return read_frame(data, **columns)


def of_arrays(data: Any) -> bool:
    """Whether data are cases that were read of arrays, whose columns have no names to tell."""
    return isinstance(data, Cases) and data.where == ARRAYS


def names_of(names: Any) -> tuple[Any, ...]:
    """Accept no column, one or several; what is none of these is refused where it is looked up."""
    if names is None:
        return ()
    if isinstance(names, str) or not isinstance(names, Iterable):
        return (names,)
    try:
        return tuple(names)
    except Exception:  # noqa: BLE001  a foreign object may raise anything
        return (names,)


def refuse_shared_groups(groups: Any, **roles: Any) -> None:
    """Refuse groups by a column that has one of these roles: each would hold one label of it."""
    for role, columns in roles.items():
        for column in filter(can_be_looked_up, names_of(columns)):
            if column in filter(can_be_looked_up, names_of(groups)):
                rule, remedy = f"must differ from {role}", "name two different columns"
                raise InvalidArgumentError.from_rule("group", rule, column, remedy)


def given_groups(groups: Any) -> Any:
    """Return the groups, None if they are none: no name, and no column."""
    return None if isinstance(groups, (str, Sequence, Mapping)) and not groups else groups


def check_shared(**given: Any) -> None:
    """Refuse columns and frames where every door asks for a name, a label or a yes or no."""
    one_of("missing", given["missing"], MISSING)
    yes_or_no("many_groups", given["many_groups"])
    if given["positive"] is not None:
        plain_label("positive", given["positive"])
    if not can_be_looked_up(given["target"]):
        rule, remedy = "must be the name of a column", "pass true labels as data, without target"
        raise InvalidArgumentError.from_rule("target", rule, given["target"], remedy)


def columns_in(data: Any) -> list[Any]:
    """Return the names of all columns, for patterns of names."""
    if isinstance(data, Cases):
        return list(data.scores)
    if not is_file(data):
        import narwhals as nw

        from baserate.adapters.frames import is_dataset

        if is_dataset(data):
            return list(data.schema.names)
        return list(nw.from_native(data).collect_schema().names())
    if hasattr(data, "read") or str(data) == "-":
        rule, remedy = "must be a file where columns go by a pattern", "name every column"
        raise InvalidArgumentError.from_rule("data", rule, "a stream", remedy)
    from baserate.adapters.tables import column_names

    return column_names(data)


def columns_like(argument: str, asked: Sequence[Any], known: Sequence[Any]) -> tuple[Any, ...]:
    """Return the columns that fit patterns, in the order of the data."""
    found: dict[Any, None] = {}
    for name in asked:
        exact = [name] if name in known else None  # a column may be called "a*b"
        fits = exact or [each for each in known if fnmatchcase(str(each), str(name))]
        if not fits:
            rule = "must name columns, or fit some by a pattern"
            raise InvalidArgumentError.from_rule(argument, rule, name, "name them")
        found |= dict.fromkeys(fits)
    return tuple(found)


def is_file(data: Any) -> bool:
    """Whether data are a path, or an open binary file."""
    return isinstance(data, str | PathLike) or hasattr(data, "read")


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


def refuse_second(array: Any, target: Any) -> None:
    """Refuse a second array beside named columns."""
    if array is not None:
        rule = "names a column of one frame or file"
        remedy = "pass either arrays, or one frame with column names"
        raise InvalidArgumentError.from_rule("target", rule, target, remedy)


def no_target(second: str, data: Any) -> InvalidArgumentError:
    """Ask for the columns of a frame or a file; beside labels, for a second array."""
    if is_unnamed(data):
        return no_table("data", data)
    if isinstance(data, list | tuple) or type(data).__name__ == "ndarray":
        rule, or_score = "must be given beside labels", ", or score" * (second != "y_score")
        return InvalidArgumentError.from_rule(second, rule, None, f"pass it{or_score}")
    rule = "must be given with a frame or a file"
    remedy = f"name the columns, or pass y_true and {second}"
    return InvalidArgumentError.from_rule("target", rule, None, remedy)


def unfolded(found: HeldOut, *, cut: bool, **given: Any) -> dict[str, Any]:
    """Return the arrays of held-out cases under the names of `evaluate`.

    The table comes from the models' own decisions; where these are their scores cut at one half,
    or are to be `cut` elsewhere, the scores say more.
    """
    refuse("held out", **given)
    _refuse_repeated("data", found)
    if found.classes is not None and found.score is not None:
        by_class = dict(zip(found.classes, found.score.T, strict=True))
        return {"data": found.y_true, "y_pred": found.y_pred, "score": by_class}
    scored = {"score": found.score} if cut or _cut_at_half(found) else {"y_pred": found.y_pred}
    return {"data": found.y_true, **scored}


def side_by_side(several: Mapping[str, HeldOut], **given: Any) -> tuple[Any, dict[str, Any]]:
    """Return the labels of cases, and what the models of each name decided about them."""
    refuse("held out", **given)
    truth, predictions = None, {}
    for name, found in several.items():
        _refuse_repeated(name, found)
        order = np.argsort(found.rows)
        cases = list(zip(found.rows[order].tolist(), found.y_true[order].tolist(), strict=True))
        if truth is not None and cases != truth:
            rule = "must be about the same cases as the others"
            remedy = "cross-validate every classifier on the same data"
            raise InvalidArgumentError.from_rule(name, rule, f"{len(cases)} others", remedy)
        truth, predictions[name] = cases, found.y_pred[order]
    return np.array([label for _, label in truth or ()]), predictions


def _refuse_repeated(name: str, found: HeldOut) -> None:
    if len(np.unique(found.rows)) < len(found.rows):
        raise UnsupportedError(
            f"{name} holds cases that were held out more than once, as repeated cross-validation "
            "does: counted twice they would make intervals too narrow. Pass one repetition."
        )


def _cut_at_half(found: HeldOut) -> bool:
    score = found.score
    if score is None or not ((score >= 0) & (score <= 1)).all():
        return False
    return bool(((score >= 0.5) == (found.y_pred == found.positive)).all())

"""Whatever holds the cases or the counts becomes one `Counted`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

from baserate.cases import Counted, resolve, tally_arrays
from baserate.cases.scores import cut, cutting_point
from baserate.cases.tally import without_groups
from baserate.counts import ConfusionMatrix
from baserate.errors import DataError, InvalidArgumentError, LabelError, MissingValueError

ROW = "name"  # the column that names the tables of a mapping
MANY = 30  # groups that always fit a report
FEW = 10  # cases of an average group below which more groups are taken for a mistake


def count(
    data: Any,
    y_pred: Any,
    *,
    target: str | None,
    prediction: str | None,
    score: Any,
    threshold: float | None,
    groups: Any,
    weight: Any,
    positive: Any,
    missing: str,
    many_groups: bool,
    progress: Any,
) -> tuple[Counted, dict[str, Any]]:
    """Count whatever `evaluate` accepts, and say what to call it."""
    how = {"score": score, "threshold": threshold, "weight": weight, "missing": missing}
    gaps = None if missing == "error" else missing
    if y_pred is None and isinstance(data, ConfusionMatrix | Mapping) and target is None:
        unused = {"prediction": prediction, "groups": groups, **how, "missing": gaps}
        unused["many_groups"] = many_groups or None
        refuse_given("has no meaning for tables that were counted elsewhere", unused)
        return from_tables(data, positive), {}
    if score is None:
        refuse_given("cuts a score, and no score (--score) is given", {"threshold": threshold})
    if target is None:
        counted, about = from_arrays(data, y_pred, groups, positive, prediction=prediction, **how)
    elif y_pred is not None:
        rule = "names a column of one frame or file"
        raise InvalidArgumentError.from_rule(
            "target", rule, target, "pass either two arrays, or one frame with column names"
        )
    else:
        columns = {"target": target, "prediction": prediction, "groups": groups or (), **how}
        counted, about = from_columns(data, columns, positive, progress)
    counted = _grouped(counted, missing)
    _refuse_one_class(counted, about, positive)
    if not many_groups:
        refuse_many_groups(counted.group_names, len(counted.groups), counted.n)
    return counted, about


def refuse_many_groups(names: Sequence[str], groups: int, cases: int) -> None:
    """Refuse a nearly continuous column as groups: more than 30 of fewer than ten cases each."""
    if groups <= MANY or groups * FEW <= cases:
        return
    columns = ", ".join(map(repr, names))
    one = len(names) == 1
    raise DataError(
        f"The group column{'' if one else 's'} {columns} ha{'s' if one else 've'} {groups:,} "
        f"different values in {cases:,} cases, fewer than {FEW} cases each: pass "
        f"{'a column' if one else 'columns'} with fewer values, such as ranges of "
        f"{'this one' if one else 'these'}, or pass many_groups=True (--many-groups) to have them "
        "all."
    )


def _grouped(counted: Counted, missing: str) -> Counted:
    """Refuse cases that lack a group, or leave them out and count them."""
    absent = {key for key in counted.groups if None in key}
    if not absent:
        return counted
    if missing == "error":
        rows = {
            name: sum(counted.group_n[key] for key in absent if key[i] is None)
            for i, name in enumerate(counted.group_names)
        }
        raise MissingValueError.from_rows("The groups have", rows)
    return without_groups(counted, absent)


def is_file(data: Any) -> bool:
    """Whether data are a path, or an open binary file."""
    return isinstance(data, str | PathLike) or hasattr(data, "read")


def called(path: str | PathLike[str]) -> str:
    """Name a file of counts in a report."""
    return "standard input" if str(path) == "-" else str(path)


def from_counts(path: str | PathLike[str], positive: Any) -> Counted:
    """Read a file of counts, one row per group or classifier; unnamed rows are added up."""
    from baserate.adapters.counts_file import read_counts

    rows = read_counts(path)
    names = tuple(rows[0].labels)
    tables: dict[tuple[Any, ...], ConfusionMatrix] = {}
    for number, row in enumerate(rows, 1):
        unnamed = next((name for name, value in row.labels.items() if value is None), None)
        if unnamed is not None:
            raise MissingValueError(
                f"Row {number} of {path} has no value in column {unnamed!r}: name every row."
            )
        key = tuple(row.labels.values())
        if names and key in tables:
            called = ", ".join(map(repr, key))
            raise DataError(f"Two rows of {path} are called {called}: give each its own name.")
        table = ConfusionMatrix(tp=row.tp, fn=row.fn, fp=row.fp, tn=row.tn)
        tables[key] = tables[key] + table if key in tables else table
    return published(names, tables, positive)


def from_columns(
    data: Any, columns: Mapping[str, Any], positive: Any, progress: Any
) -> tuple[Counted, dict[str, Any]]:
    """Count a file or a frame, and say what to call it."""
    from_text, source = False, None
    if is_file(data):
        from baserate.adapters.engines import tally_file

        found = tally_file(data, progress=progress, **columns)
        tally, from_text, source = found.tally, found.from_text, found.source
    else:
        from baserate.adapters.frames import tally_frame

        tally = tally_frame(data, **columns)
    names = {"target": columns["target"], "prediction": columns["prediction"] or columns["score"]}
    counted = resolve(tally, positive=positive, from_text=from_text, **names)
    about = {name: columns[name] for name in ("target", "prediction", "score")}
    at = None if about["prediction"] else cutting_point(columns["threshold"])
    return counted, {**about, "source": source, "threshold": at}


def from_arrays(
    y_true: Any, y_pred: Any, groups: Any, positive: Any, *, score: Any, threshold: float | None,
    weight: Any, missing: str, prediction: Any = None,
) -> tuple[Counted, dict[str, Any]]:  # fmt: skip
    """Count two arrays, of labels or of labels and scores."""
    if y_pred is None and score is None:
        rule = "must be given with a frame or a file"
        raise InvalidArgumentError.from_rule(
            "target", rule, None, "name the columns, or pass y_true and y_pred"
        )
    refuse_given("names a column of a frame or a file, not of arrays", {"prediction": prediction})
    named = groups if isinstance(groups, Mapping) or groups is None else {"group": groups}
    rows = {"groups": named, "sample_weight": weight, "missing": missing, "weight": "weight"}
    if y_pred is not None:
        tally = tally_arrays(y_true, y_pred, **rows)
        about = {"target": "y_true", "prediction": "y_pred"}
        return resolve(tally, positive=positive), about | _unused(score)
    decided = tally_arrays(y_true, cut(score, threshold), prediction="score", **rows)
    counted = resolve(replace(decided, decided=True), positive=positive, prediction="score")
    at = cutting_point(threshold)
    return counted, {"target": "y_true", "score": "score", "threshold": at}


def refuse_given(why: str, arguments: Mapping[str, Any]) -> None:
    """Refuse the first of these arguments that is given, since it would be ignored."""
    for name, value in arguments.items():
        if value is not None:
            given = value if isinstance(value, str | int | float) else type(value).__name__
            raise InvalidArgumentError.from_rule(name, why, given, "leave it out")


def _unused(score: Any) -> dict[str, str]:
    return {} if score is None else {"score": "score"}


def from_tables(data: Any, positive: Any) -> Counted:
    """Take tables that were counted elsewhere."""
    tables = {ROW: data} if isinstance(data, ConfusionMatrix) else dict(data)
    if not tables:
        raise InvalidArgumentError.from_rule("data", "must hold a table", data, "pass one")
    for name, table in tables.items():
        if not isinstance(table, ConfusionMatrix) or table.shape:
            rule = "must be a single ConfusionMatrix"
            raise InvalidArgumentError.from_rule(
                f"table {name!r}", rule, table, "pass one per name"
            )
    names = () if isinstance(data, ConfusionMatrix) else (ROW,)
    return published(names, {(name,): table for name, table in tables.items()}, positive)


def published(
    names: tuple[str, ...], tables: Mapping[tuple[Any, ...], ConfusionMatrix], positive: Any = None
) -> Counted:
    """Make counts that were published, one table per row, look as if they had been counted here."""
    total = ConfusionMatrix(tp=0, fn=0, fp=0, tn=0)
    for table in tables.values():
        total += table
    sizes = {key: table.n for key, table in tables.items()} if names else {}
    return Counted(
        table=total,
        positive="positive" if positive is None else positive,
        labels=(),
        n=total.n,
        n_missing=0,
        effective_n=total.n,
        groups=dict(tables) if names else {},
        group_names=names,
        group_n=sizes,
        group_effective_n=sizes,
    )


def _refuse_one_class(counted: Counted, about: Mapping[str, Any], positive: Any) -> None:
    table, target = counted.table, about["target"]
    if positive is None and not (table.n_positive and table.n_negative):
        which = "positive" if table.n_positive else "negative"
        counts = " that has a weight" if counted.weighted else ""
        raise LabelError(
            f"{target} holds one class only (every case{counts} is {which}, positive being "
            f"{counted.positive!r}), and one class cannot show whether a classifier is any good: "
            "collect the other class, or pass positive (--positive) to see what is defined."
        )

"""Which column plays which role: the rules that files and frames share."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, NoReturn

from baserate._checks import can_be_looked_up, one_of
from baserate.cases.cases import Cases, Part, columns_of, opening
from baserate.cases.scores import cutting_point
from baserate.errors import DataError, InvalidArgumentError, shown

MISSING_TEXT = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "<NA>")
LISTED = 10  # columns that a message names before it stops


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """Which column plays which role, and how scores are read.

    `predictions` are columns of labels, `keys` say what belongs together ("fold", "cluster",
    "case_id"), and `unused` must be there, though nothing is read from them. Scores are kept case
    by case up to `hold` cases (None: however many); beyond, cases are counted, those of one score
    by the cell that it lies in (see `bins`), others cut at `threshold` (0.5 unless told, if scores
    lie in [0, 1]). `replicates` are scores that are replicate weights: they keep rows of weight 0,
    which else are left out. `relabel` says what labels are called instead, and `frequency` is the
    score that says how many cases a row stands for. Where cases are not `judged`, the target is all
    that is said of them.
    """

    target: Any
    predictions: Sequence[Any] = ()
    scores: Sequence[Any] = ()
    groups: Sequence[Any] = ()
    keys: Mapping[str, Any] = field(default_factory=dict)
    weight: Any = None
    unused: Sequence[Any] = ()
    threshold: float | None = None
    hold: int | None = None
    missing: str = "error"
    replicates: Sequence[Any] = ()
    relabel: Mapping[Any, Any] | None = None
    frequency: Any = None
    judged: bool = True

    def __post_init__(self) -> None:
        if self.judged and not (self.predictions or self.scores):
            rule = "must be given unless score is"
            raise InvalidArgumentError.from_rule("prediction", rule, None, "name one of the two")
        one_of("missing", self.missing, ("error", "drop"))
        cutting_point(self.threshold)
        self._check_shared()

    def complete(self, cases: Cases) -> Cases:
        """Return the cases as they are meant, if they lack nothing; see `Cases.complete`."""
        how = {"relabel": self.relabel, "frequency": self.frequency}
        return cases.complete(self.missing, self.replicates, **how)

    @property
    def holds(self) -> bool:
        """Whether scores are kept case by case, if there are not too many cases."""
        return bool(self.scores) and self.hold != 0

    @property
    def bins(self) -> bool:
        """Whether cases that are too many to keep are counted by cells of their one score."""
        one = len(self.scores) == 1 and not (self.predictions or self.keys or self.weight)
        return self.holds and one

    @property
    def cuts(self) -> tuple[Any, ...]:
        """Scores that become decisions where cases are counted; cells wait for a threshold."""
        return () if self.bins and self.threshold is None else tuple(self.scores)

    @property
    def parts(self) -> list[Part]:
        """The columns of labels; see `columns_of`."""
        return columns_of(self.target, self.predictions, self.groups, self.keys)

    @property
    def counted(self) -> list[Part]:
        """The same, with scores that were cut among the predictions."""
        decided = (*self.predictions, *self.cuts)
        return columns_of(self.target, decided, self.groups, self.keys)

    def column(self, part: Part) -> Any:
        """Return the name of the column that a part is read from."""
        return self.keys[part[1]] if part[0] == "keys" else part[1]

    @property
    def labels(self) -> tuple[Any, ...]:
        """Columns that hold labels, and neither scores nor identifiers."""
        return (self.target, *self.predictions)

    @property
    def columns(self) -> tuple[Any, ...]:
        """Every column asked for, once."""
        single = [self.target, *self.predictions, *self.scores, *self.unused]
        single += [] if self.weight is None else [self.weight]
        return tuple(dict.fromkeys([*single, *self.groups, *self.keys.values()]))

    def _check_shared(self) -> None:
        several = {"prediction": self.predictions, "score": (*self.scores, *self.unused)}
        # A column of strata may say what was predicted: of those flagged all are looked at.
        others = {"weight": self.weight, **self.keys, "strata": None}
        roles = [("target", self.target), *((k, c) for k, cs in several.items() for c in cs)]
        roles += [(role, column) for role, column in others.items() if column is not None]
        taken: dict[Any, str] = {}
        for role, column in roles:
            _check_name(role, column)
            if column in taken:
                other = taken[column]
                if other == role and not isinstance(column, str):
                    raise _no_name(role, f"values such as {column!r}")
                rule = (
                    "must name each column once" if other == role else f"must differ from {other}"
                )
                remedy = "name two different columns"
                raise InvalidArgumentError.from_rule(role, rule, column, remedy)
            taken[column] = role
        for column in self.groups:
            _check_name("groups", column)
        repeated = [column for column, times in Counter(self.groups).items() if times > 1]
        if repeated:
            rule = "must name each column once"
            raise InvalidArgumentError.from_rule("groups", rule, repeated[0], "name it once")


def _check_name(role: str, column: Any) -> None:
    if not can_be_looked_up(column):
        raise _no_name(role, type(column).__name__)


def _no_name(role: str, given: str) -> InvalidArgumentError:
    rule = "must be the name of a column when the data are a frame or a file"
    remedy = "add it to the data, then name it"
    remedy += " (strata and their clusters go apart: --strata)" * (role == "cluster")
    return InvalidArgumentError.from_rule(role, rule, given, remedy)


def check_columns(names: Sequence[Any], roles: Sequence[Any], where: str) -> None:
    """Refuse a column that does not occur, or occurs twice; what nobody asks for may."""
    if not names:
        raise DataError(f"{opening(where)} has no columns: pass named columns with rows.")
    times = Counter(names)
    for column in roles:
        if column not in times:
            raise DataError(_no_column(names, column, where))
    twice = [repr(column) for column in roles if times[column] > 1]
    if twice:
        columns = ", ".join(twice[:LISTED])
        raise DataError(f"{opening(where)} has more than one column called {columns}: rename them.")


def refuse_nested(column: Any, kind: str, where: str) -> NoReturn:
    """Say that a column of lists or records cannot be counted."""
    raise DataError(
        f"Column {column!r} of {where} is of nested type {kind}: pass a column of single values."
    )


def refuse_kind(column: Any, kind: str, where: str) -> NoReturn:
    """Say that a column of dates or the like holds no numbers."""
    raise DataError(f"Column {column!r} of {where} is of type {kind}: pass a column of numbers.")


def refuse_text(column: Any, rows: int, example: Any, where: str) -> NoReturn:
    """Say how much text stands where numbers are needed."""
    many = f"{rows:,} row" if rows == 1 else f"{rows:,} rows"
    remedy = "pass a column of numbers"
    if re.fullmatch(r"[+-]?\d*,\d+", str(example)):
        point = str(example).replace(",", ".")
        remedy = f"these have a decimal comma: write points ({point})"
    raise DataError(
        f"Column {column!r} of {where} holds text in {many}, such as {example!r}: {remedy}."
    )


def _no_column(names: Sequence[Any], column: Any, where: str) -> str:
    wanted = column if isinstance(column, str) else shown(column)
    near = get_close_matches(wanted, [str(name) for name in names], n=1)
    same = [name for name in names if str(name).lower() == wanted.lower()]
    best = (same or near)[:1]
    parts = [part.strip() for part in wanted.split(",")]
    if len(parts) > 1 and {*parts} <= {*names}:
        return f"{opening(where)} has no column {wanted!r}: name them apart, {' '.join(parts)}."
    hint = f" Did you mean {best[0]!r}?" if best else ""
    known = ", ".join(map(repr, names[:LISTED]))
    more = f" and {len(names) - LISTED:,} more" if len(names) > LISTED else ""
    return f"{opening(where)} has no column {shown(column)}.{hint} Its columns are {known}{more}."

"""Which column plays which role: the rules that files and frames share."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, NoReturn, Self

from baserate._checks import one_of
from baserate.cases.scores import cutting_point
from baserate.errors import DataError, InvalidArgumentError

FRAME = "the data frame"  # what messages call data that have no file name
LISTED = 10  # columns that a message names before it stops


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """Which column plays which role, and how a score is cut.

    Parameters
    ----------
    target : str
    prediction, score, weight : str, optional
        With both a prediction and a score, the table comes from the prediction.
    threshold : float, optional
        Predicted positive if score >= threshold. Default: 0.5, if scores lie in [0, 1].
    groups : tuple of str
    missing : {"error", "drop"}

    Raises
    ------
    InvalidArgumentError
        Neither prediction nor score, one column in two roles, or a threshold that is not finite.
    """

    target: Any
    prediction: Any = None
    score: Any = None
    threshold: float | None = None
    groups: tuple[Any, ...] = ()
    weight: Any = None
    missing: str = "error"

    def __post_init__(self) -> None:
        if self.prediction is None and self.score is None:
            rule = "must be given unless score is"
            raise InvalidArgumentError.from_rule("prediction", rule, None, "name one of the two")
        one_of("missing", self.missing, ("error", "drop"))
        cutting_point(self.threshold)
        self._check_shared()

    @classmethod
    def of(cls, groups: Any, **named: Any) -> Self:
        """Accept one group column as well as several."""
        single = isinstance(groups, str) or not isinstance(groups, Iterable)
        return cls(groups=(groups,) if single else tuple(groups), **named)

    @property
    def is_cut(self) -> bool:
        """Whether predictions come from cutting the score."""
        return self.prediction is None

    @property
    def cut(self) -> float:
        """The threshold, or its default."""
        return cutting_point(self.threshold)

    @property
    def predicted(self) -> Any:
        """The column that decides: prediction, else score."""
        return self.score if self.is_cut else self.prediction

    @property
    def labels(self) -> tuple[Any, ...]:
        """Columns that hold labels."""
        return (self.target,) if self.is_cut else (self.target, self.prediction)

    @property
    def columns(self) -> tuple[Any, ...]:
        """Every column asked for, once."""
        single = (self.target, self.prediction, self.score, self.weight)
        return tuple(dict.fromkeys([*(c for c in single if c is not None), *self.groups]))

    def _check_shared(self) -> None:
        roles = {name: getattr(self, name) for name in ("target", "prediction", "score", "weight")}
        taken: dict[Any, str] = {}
        for role, column in roles.items():
            _check_name(role, column)
            if column is not None and column in taken:
                rule = f"must differ from {taken[column]}"
                remedy = "name two different columns"
                raise InvalidArgumentError.from_rule(role, rule, column, remedy)
            taken[column] = role
        repeated = [column for column, times in Counter(self.groups).items() if times > 1]
        if repeated:
            rule = "must name each column once"
            raise InvalidArgumentError.from_rule("groups", rule, repeated[0], "name it once")


def _check_name(role: str, column: Any) -> None:
    if not isinstance(column, Hashable):
        rule = "must be the name of a column when the data are a frame or a file"
        kind = type(column).__name__
        raise InvalidArgumentError.from_rule(role, rule, kind, "add it to the data, then name it")


def opening(where: str) -> str:
    """Write the name of the data as a sentence begins; a file name stays as it is."""
    return "The data frame" if where == FRAME else where


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
    raise DataError(
        f"Column {column!r} of {where} holds text in {many}, such as {example!r}: "
        "pass a column of numbers."
    )


def _no_column(names: Sequence[Any], column: Any, where: str) -> str:
    near = get_close_matches(str(column), [str(name) for name in names], n=1)
    same = [name for name in names if str(name).lower() == str(column).lower()]
    best = (same or near)[:1]
    hint = f" Did you mean {best[0]!r}?" if best else ""
    shown = ", ".join(map(repr, names[:LISTED]))
    more = f" and {len(names) - LISTED:,} more" if len(names) > LISTED else ""
    return f"{opening(where)} has no column {column!r}.{hint} Its columns are {shown}{more}."

"""Several files as one table: columns go by name, and what their folders say are columns too."""

import json
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from baserate.adapters._roles import check_columns
from baserate.adapters._table import (
    FILE_NUMBER,
    TEXT_TYPES,
    Scan,
    Table,
    is_number_type,
    is_whole_type,
    select,
)
from baserate.cases.scores import EXACT
from baserate.errors import DataError

NO_TYPE = '"NULL"'  # of a column without a value
DIGITS = 18  # a whole number of so many fits 64 bits


class ColumnSql(NamedTuple):
    """A column of one part, in SQL, with its parameters and its type."""

    sql: str
    parameters: tuple[Any, ...]
    kind: str


@dataclass(slots=True)
class JoinedTable(Table):
    """Several files of one format as one table.

    Attributes
    ----------
    parts : sequence of Table
        Files that one scan can read are one part.
    """

    parts: Sequence[Table] = ()
    values: dict[str, list[ColumnSql]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.names = list(dict.fromkeys(name for part in self.parts for name in _names(part)))

    @property
    def shape(self) -> Hashable:
        """The columns of every part."""
        return tuple(part.shape for part in self.parts)

    def scan(self, columns: Sequence[int]) -> Scan:
        """Read these columns, which every file has to have, part by part."""
        at = {i: self.names[i] for i in sorted(set(columns))}
        for part in self.parts:
            check_columns(_names(part), list(at.values()), part.file.each[0].name)
        for name in at.values():
            self.values[name] = self.values.get(name) or self._values(name)
        scans = [self._of_part(number, at) for number in range(len(self.parts))]
        parameters = tuple(value for scan in scans for value in scan.parameters)
        return Scan(sql=f"({' UNION ALL '.join(s.sql for s in scans)})", parameters=parameters)

    def _of_part(self, number: int, at: dict[int, str]) -> Scan:
        part = self.parts[number]
        values = {i: self.values[name][number] for i, name in at.items()}
        wanted = ", ".join(f"{value.sql} AS c{i}" for i, value in values.items())
        own = [part.names.index(name) for name in at.values() if name in part.names]
        scan = part.scan(own)
        given = [given for value in values.values() for given in value.parameters]
        return Scan(sql=select(wanted, scan.sql), parameters=(*given, *scan.parameters))

    def _values(self, name: str) -> list[ColumnSql]:
        said = {file.folders[name] for file in self.file.members if name in file.folders}
        whole = all(value is None or _is_whole(value) for value in said)
        found = [_stored(part, name) or _said(part, name, whole) for part in self.parts]
        files = {v.kind: p.file.each[0].name for v, p in zip(found, self.parts, strict=True)}
        kind = _common(name, files)
        return [_cast(value, kind, name) for value in found]


def _names(part: Table) -> list[str]:
    """Return the columns of a part: a file's own go before what its folders say."""
    return [*part.names, *(name for name in part.file.each[0].folders if name not in part.names)]


def _stored(part: Table, name: str) -> ColumnSql | None:
    if name not in part.names:
        return None
    i = part.names.index(name)
    return ColumnSql(f"c{i}", (), part.kinds([i])[i])


def _said(part: Table, name: str, is_whole: bool) -> ColumnSql:  # noqa: FBT001
    """Read a column from the folders of each file, as the format would store it."""
    said: list[Any] = [file.folders[name] for file in part.file.each]
    kind = "VARCHAR" if part.is_text else "JSON" if part.is_json else "BIGINT"
    if is_whole and kind == "BIGINT":
        said = [None if value is None else int(value) for value in said]
    elif not is_whole and kind == "JSON":
        said = [None if value is None else json.dumps(value) for value in said]
    elif not is_whole:
        kind = "VARCHAR"
    return ColumnSql(f"list_extract(?::{kind}[], {FILE_NUMBER}::BIGINT + 1)", (said,), kind)


def _is_whole(text: str) -> bool:
    """Whether a text is how a whole number is written: 01 is a name."""
    digits = text.removeprefix("-")
    known = digits.isascii() and digits.isdigit() and len(digits) <= DIGITS
    return known and str(int(text)) == text


def _common(name: str, kinds: dict[str, str]) -> str:
    """Return a type that holds the values of all these types, by the file of each, exactly."""
    known = {kind: where for kind, where in kinds.items() if kind != NO_TYPE}
    if len(known) < 2:
        return next(iter(known), NO_TYPE)
    if all(kind.startswith(TEXT_TYPES) for kind in known):
        return "VARCHAR"
    if all(is_whole_type(kind) or kind == "BOOLEAN" for kind in known):
        return "HUGEINT"
    if all(is_number_type(kind) and not kind.startswith("DECIMAL") for kind in known):
        return "DOUBLE"
    (one, here), (other, there), *_ = known.items()
    raise DataError(
        f"Column {name!r} is of type {one} in {here} and {other} in {there}: write it as one type."
    )


def _cast(value: ColumnSql, kind: str, name: str) -> ColumnSql:
    """Write a value as one of another type; what this would change is refused."""
    if value.kind == kind:
        return value
    cast = f"{value.sql}::{kind}"
    if kind != "DOUBLE" or not is_whole_type(value.kind):
        return value._replace(sql=cast)
    changed = f"{value.sql} NOT BETWEEN -{EXACT} AND {EXACT}"
    why = f"column {name!r} holds fractions, and whole numbers beyond 2^53 that floats would merge"
    sql = f"CASE WHEN {changed} THEN error(?)::DOUBLE ELSE {cast} END"
    return value._replace(sql=sql, parameters=(*value.parameters, why, *value.parameters))

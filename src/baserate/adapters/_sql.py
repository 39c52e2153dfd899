"""Pieces of SQL. Columns are c0, c1, ... here: nothing that the user named becomes SQL text."""

from baserate.adapters._cells import MISSING_TEXT

WHOLE_TYPES = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
NUMBER_TYPES = (*WHOLE_TYPES, "FLOAT", "DOUBLE", "DECIMAL")
TEXT_TYPES = ("VARCHAR", "ENUM", "JSON")
NESTED_TYPES = ("STRUCT", "MAP", "UNION", "VARIANT")


def select(values: str, source: str, rest: str = "") -> str:
    """Write a query over pieces of SQL that this package made."""
    return f"SELECT {values} FROM {source} {rest}"  # noqa: S608  no part comes from the user


def is_nested_type(kind: str) -> bool:
    """Whether a column type holds other values."""
    return kind.endswith("]") or kind.startswith(NESTED_TYPES)


def is_number_type(kind: str) -> bool:
    """Whether a column type is a number, or a boolean."""
    return kind.removeprefix("U").startswith((*NUMBER_TYPES, "BOOLEAN"))


def is_whole_type(kind: str) -> bool:
    """Whether a column type is a whole number."""
    return kind.removeprefix("U").startswith(WHOLE_TYPES)


def unmarked(name: str) -> str:
    """Write a text, with null for the usual markers of a missing value."""
    markers = ", ".join(f"'{marker}'" for marker in MISSING_TEXT)
    return f"CASE WHEN {name} IN ({markers}) THEN NULL ELSE {name} END"


def not_nan(number: str) -> str:
    """Write a number, with null for nan."""
    return f"CASE WHEN isnan({number}) THEN NULL ELSE {number} END"


def number_in(text: str) -> str:
    """Write the number, or true or false, that a text says; null if it says none."""
    truth = f"CASE lower(trim({text})) WHEN 'true' THEN 1.0 WHEN 'false' THEN 0.0 END"
    return f"coalesce(try_cast({text} AS DOUBLE), {truth})"


def whole_number_in(text: str) -> str:
    """Write the whole number that digits say; null if there is anything else."""
    digits = f"regexp_full_match({text}, '\\s*[+-]?[0-9]+\\s*')"
    return f"CASE WHEN {digits} THEN try_cast({text} AS HUGEINT) END"


def double(value: float) -> str:
    """Write a number as a double: a bare 0.1 would be a decimal."""
    return f"CAST('{value!r}' AS DOUBLE)"

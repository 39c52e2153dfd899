"""Labels as codes: the engine numbers them, so that Python sees each label once."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from baserate.adapters._table import select
from baserate.adapters.engine import run
from baserate.cases.cases import Part
from baserate.cases.labels import Labels
from baserate.cases.values import from_text, label_of

if TYPE_CHECKING:
    from baserate.adapters._query import Query


def fetch(
    query: "Query", cells: Mapping[str, tuple[Part, str]], numbers: Sequence[str], rows: str
) -> tuple[dict[str, Labels], dict[str, NDArray[Any]]]:
    """Fetch columns of labels as codes, and columns of numbers as they are.

    `cells` says of each column of labels what part it is, and how it is written in SQL over `rows`,
    a table of the engine; `numbers` are SQL with a name.
    """
    labels = {name: _labels(query, name, *cell, rows) for name, cell in cells.items()}
    values = [f"({cell})::VARCHAR AS {name}" for name, (_, cell) in cells.items()]
    names = [number.rsplit(" AS ", 1)[-1] for number in numbers]
    wanted = [f"{name}_keys.code AS {name}" for name in cells] + [f"r.{name}" for name in names]
    joins = " ".join(f"LEFT JOIN {name}_keys ON {name}_keys.k = r.{name}" for name in cells)
    source = f"({select(', '.join([*values, *numbers]), rows)}) AS r"
    sql = select(", ".join(wanted), source, joins)
    found = run(query.table.connection, sql, fetch="fetchnumpy")
    coded = {name: _coded(found[name], *labels[name]) for name in cells}
    return coded, {name: _filled(found[name]) for name in names}


def _labels(query: "Query", name: str, part: Part, cell: str, rows: str) -> tuple[list[Any], Any]:
    """Give the labels of a column numbers inside the engine; return them in order, and its name."""
    connection, column = query.table.connection, query.roles.column(part)
    each = select(f"({cell})::VARCHAR AS k, {cell} AS v", rows)
    numbered = "k, any_value(v) AS v, row_number() OVER (ORDER BY k) - 1 AS code"
    sql = select(numbered, f"({each})", "WHERE k IS NOT NULL GROUP BY k")
    run(connection, f"CREATE TEMP TABLE {name}_keys AS {sql}")
    found = run(connection, select("v", f"{name}_keys", "ORDER BY code"))
    labels = [label_of(query.python(column, value)) for (value,) in found]
    return _by_value(labels) if query.table.is_text and part[0] == "keys" else labels, column


def _by_value(labels: list[Any]) -> list[Any]:
    """Read numbers out of text if all of it is numbers, so that fold 10 comes after fold 9."""
    values = [from_text(label) for label in labels]
    return labels if any(value is None for value in values) else values


def _coded(codes: Any, labels: list[Any], name: Any) -> Labels:
    """Put None last, for cells without a label."""
    return Labels(np.ma.filled(codes, len(labels)).astype(np.intp), [*labels, None], name=name)


def _filled(numbers: Any) -> NDArray[Any]:
    is_float = numbers.dtype.kind == "f"
    return np.ma.filled(numbers, np.nan) if is_float else np.ma.getdata(numbers)

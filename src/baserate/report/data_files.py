"""The rows of a frame as files that other programs read: CSV, and a LaTeX table."""

import csv
from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from typing import Any

from baserate import _figures as figures
from baserate.report.words import spoken

Row = Mapping[str, Any]
LATEX = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}  # fmt: skip


def rows_as_csv(rows: Sequence[Row]) -> str:
    """Return all columns, every digit of the numbers, and nothing where there is no value."""
    held = StringIO()
    writer = csv.DictWriter(held, [*rows[0]] if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _plain(value) for name, value in row.items()} for row in rows)
    return held.getvalue()


def _plain(value: Any) -> Any:
    return "" if value is None or value != value else value  # noqa: PLR0124 - nan


def rows_as_latex(rows: Sequence[Row]) -> str:
    """Return whose metric, its value and its interval, as reports round them (booktabs).

    Of `thresholds` the best cut with its interval, and then the value there.
    """
    known = [*rows[0]] if rows else []
    labels = known[: known.index("name")] if "name" in known else []
    labels = [name for name in labels if not isinstance(rows[0][name], int | float)]
    number = "threshold" if "threshold" in known else "value"
    columns: list[tuple[str, Callable[[Row], str]]] = [
        *((label, lambda row, at=label: figures.as_text(row[at])) for label in labels),
        ("metric", lambda row: spoken(row["name"])),
        (number, lambda row: figures.or_nothing(row[number])),
        ("interval", _interval),
    ]
    if number != "value":
        columns.append(("value", lambda row: figures.or_nothing(row["value"])))
    shape = "l" * (len(labels) + 1) + "r" * (len(columns) - len(labels) - 1)
    lines = [[name for name, _ in columns], *([cell(row) for _, cell in columns] for row in rows)]
    head, *body = (" & ".join(map(_escaped, line)) + r" \\" for line in lines)
    rules = (r"\toprule", head, r"\midrule", *body, r"\bottomrule")
    return "\n".join((f"\\begin{{tabular}}{{{shape}}}", *rules, r"\end{tabular}", ""))


def _interval(row: Row) -> str:
    ends = row["low"], row["high"]
    return figures.NOTHING if None in ends else figures.interval(*ends)


def _escaped(text: str) -> str:
    return "".join(LATEX.get(sign, sign) for sign in text.replace("\n", " "))


OF_ROWS: Mapping[str, Callable[[Sequence[Row]], str]] = {"csv": rows_as_csv, "latex": rows_as_latex}

"""The rows of a frame as files that other programs read: CSV, a LaTeX table, a workbook."""

import csv
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO, StringIO
from math import isfinite
from typing import Any

from baserate import _figures as figures
from baserate._files import WORKBOOKS, now
from baserate.errors import MissingDependencyError
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


WHOLE = 2**53  # whole numbers beyond lose digits in a sheet


def rows_as_workbook(rows: Sequence[Row]) -> bytes:
    """Return the columns of the CSV as the one sheet of an Excel workbook.

    Numbers are numbers, all else is text: nothing is taken for a formula or a link.
    """
    with MissingDependencyError.unless_installed(*WORKBOOKS):
        from xlsxwriter import Workbook

    held = BytesIO()
    with Workbook(held, {"in_memory": True}) as book:
        book.set_properties({"created": now().replace(tzinfo=None)})
        sheet, names = book.add_worksheet("baserate"), [*rows[0]] if rows else []
        sheet.freeze_panes(1, 0)
        for column, name in enumerate(names):
            sheet.write_string(0, column, name, book.add_format({"bold": True}))
        for line, row in enumerate(rows, start=1):
            for column, name in enumerate(names):
                value = _plain(row[name])
                if _is_number(value):
                    sheet.write_number(line, column, value)
                elif value != "":
                    sheet.write_string(line, column, str(value))
    return held.getvalue()


def _is_number(value: Any) -> bool:
    known = isinstance(value, int | float) and not isinstance(value, bool)
    return known and isfinite(value) and (isinstance(value, float) or abs(value) <= WHOLE)


OF_ROWS: Mapping[str, Callable[[Sequence[Row]], str]] = {"csv": rows_as_csv, "latex": rows_as_latex}

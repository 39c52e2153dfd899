"""Documents: a sheet as JSON, Markdown or one offline page; rows as CSV, LaTeX or a workbook."""

import csv
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from io import BytesIO, StringIO
from math import isfinite
from typing import Any

from baserate import _figures as figures
from baserate._figures import spoken
from baserate._files import FORMATS, now, provenance
from baserate.errors import MissingDependencyError
from baserate.report.sheet import Cell, Grid, Remarks, Sheet

ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# Signs that begin emphasis, code, links, tables or mathematics; underscores only at word ends.
SIGNS = re.compile(r"[\\`*\[\]|~$#!]|(?<!\w)_|_(?!\w)")
# The first signs of a line that make it an item of a list.
ITEM = re.compile(r"^(\d*)([-+.)])(?=\s|$)")

MANY = 100  # numbers in a line that nobody reads
WHOLE = 2**53  # whole numbers beyond lose digits in a workbook
Row = Mapping[str, Any]
LATEX = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}  # fmt: skip


def sheet_as_json(sheet: Sheet) -> str:
    """Return the facts behind a sheet, undefined as null, and what made them."""
    document = sheet.document()
    if isinstance(document, dict):  # the catalogue is a list, and needs no maker
        document = {**document, "baserate": provenance()}
    text = _indented(document) + "\n"
    if text.isascii() and "\x7f" not in text:
        return text
    # The same document: a terminal that it is printed on finds no code in its strings.
    return "".join(
        sign if sign.isprintable() or sign == "\n" else json.dumps(sign)[1:-1] for sign in text
    )


def _indented(value: Any, margin: str = "") -> str:
    """Return JSON with a line for each part, but one line for a list of labels or of numbers.

    So a class table has a line for each row, and not one for each of a million cells; rows of many
    numbers go without the spaces, a third of their size.
    """
    inner = f"{margin}  "
    if not value or not isinstance(value, dict | list) or _is_row(value):
        many = isinstance(value, list) and len(value) > MANY
        return _encoder(*((",", ":") if many else (", ", ": "))).encode(value)
    if isinstance(value, list):
        parts, opened, closed = [_indented(part, inner) for part in value], "[", "]"
    elif not any(isinstance(part, dict | list) for part in value.values()):
        flat = _encoder(f",\n{inner}", ": ").encode(value)  # at once: most of a long document
        parts, opened, closed = [flat[1:-1]], "{", "}"
    else:
        named = ((_encoder(", ", ": ").encode(name), part) for name, part in value.items())
        parts = [f"{name}: {_indented(part, inner)}" for name, part in named]
        opened, closed = "{", "}"
    return f"{opened}\n{inner}" + f",\n{inner}".join(parts) + f"\n{margin}{closed}"


@lru_cache(maxsize=64)
def _encoder(between: str, colon: str) -> json.JSONEncoder:
    """Return what writes JSON with these separators."""
    return json.JSONEncoder(allow_nan=False, ensure_ascii=False, separators=(between, colon))


def _is_row(value: dict[str, Any] | list[Any]) -> bool:
    return isinstance(value, list) and not any(isinstance(part, dict | list) for part in value)


def sheet_as_html(sheet: Sheet) -> str:
    """Return a sheet as one page; every text in it is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("baserate.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["exact"] = figures.exact
    environment.filters["cell"] = lambda text: text if isinstance(text, Cell) else Cell(text)
    made = provenance()
    made["command"] = figures.spelled(made["command"] or "")
    return environment.get_template("sheet.html").render(sheet=sheet, made=made)


def framed(page: str) -> str:
    """Return a page in a frame, for notebooks.

    A page sets the style of its body, so that pasted into a notebook it would restyle the notebook;
    and it brings a policy along that a notebook has not. In a frame without rights of the notebook
    (sandboxed, but for the page's own script) both hold for the report alone. It has a height of
    its own and can be pulled longer, since a frame cannot ask what it holds.
    """
    text = page.replace("&", "&amp;").replace('"', "&quot;")
    style = "width: 100%; height: 40rem; border: 0; resize: vertical; overflow: auto"
    title = "Report of baserate"
    rights = "allow-scripts"
    return f'<iframe title="{title}" sandbox="{rights}" srcdoc="{text}" style="{style}"></iframe>'


def sheet_as_markdown(sheet: Sheet) -> str:
    """Return a sheet as Markdown: GitHub tables, every cell escaped."""
    parts = (
        f"# {escape(sheet.title)}",
        _paragraph(" ".join(sheet.answer)),
        *((_pairs(sheet.about),) if sheet.about else ()),
        *(line for part in sheet.shown for line in _part(part)),
        *map(_paragraph, sheet.method),
    )
    return "\n\n".join(parts) + "\n"


def _part(part: Grid | Remarks) -> tuple[str, ...]:
    title = (f"## {escape(part.title)}",) if part.title else ()
    if isinstance(part, Remarks):
        return (*title, _pairs(part.pairs))
    body = table(part.headings, part.rows, right=part.labels)
    return (*title, body, *((_paragraph(part.note),) if part.note else ()))


def escape(text: str) -> str:
    """Return text that Markdown shows as it is, on one line."""
    marked = SIGNS.sub(r"\\\g<0>", " ".join(text.splitlines()))
    return "".join(ENTITIES.get(sign, sign) for sign in marked)


def _paragraph(text: str) -> str:
    return ITEM.sub(r"\1\\\2", escape(text).lstrip())


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], right: int | None = None) -> str:
    """Return a GitHub table; columns from number `right` on hold numbers."""
    marks = ["---:" if right is not None and i >= right else "---" for i in range(len(headings))]
    cells = [["<br>".join(map(escape, cell.splitlines())) for cell in row] for row in rows]
    lines = [list(map(escape, headings)), marks, *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _pairs(pairs: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"- {_paragraph(heading)}: {escape(text)}" for heading, text in pairs)


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


def rows_as_workbook(rows: Sequence[Row]) -> bytes:
    """Return the columns of the CSV as the one sheet of an Excel workbook.

    Numbers are numbers, all else is text: nothing is taken for a formula or a link.
    """
    with MissingDependencyError.unless_installed(*FORMATS["xlsx"].package or ()):
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

"""Documents: a sheet, or the catalogue, as JSON, Markdown or one HTML page that fetches nothing."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from baserate.errors import MissingDependencyError
from baserate.metrics import Metric
from baserate.report import figures
from baserate.report.catalogue import families, in_words, record
from baserate.report.files import provenance
from baserate.report.sheet import Cell, Grid, Remarks, Sheet

if TYPE_CHECKING:
    from jinja2 import Template

ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# Signs that begin emphasis, code, links, tables or mathematics; underscores only at word ends.
SIGNS = re.compile(r"[\\`*\[\]|~$#!]|(?<!\w)_|_(?!\w)")


def sheet_as_json(sheet: Sheet) -> str:
    """Return the facts behind a sheet, undefined as null, and what made them."""
    return _dumped({**sheet.document, "baserate": provenance()})


def catalogue_as_json(metrics: Sequence[Metric]) -> str:
    """Return a list with every declared fact of every metric that is plain data."""
    return _dumped([record(metric) for metric in metrics])


def _dumped(document: Any) -> str:
    return json.dumps(document, allow_nan=False, ensure_ascii=False, indent=2) + "\n"


def sheet_as_html(sheet: Sheet) -> str:
    """Return a sheet as one page."""
    return _template("sheet.html").render(sheet=sheet)


def catalogue_as_html(metrics: Sequence[Metric]) -> str:
    """Return the catalogue as one page."""
    rows = [(metric, in_words(metric)) for metric in metrics]
    return _template("catalogue.html").render(rows=rows, families=families())


def _template(name: str) -> "Template":
    """Return a template; every text that it is given is escaped."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ModuleNotFoundError as error:
        raise MissingDependencyError.from_extra("jinja2", "The HTML report", "report") from error
    environment = Environment(
        loader=PackageLoader("baserate.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals["made"] = provenance()
    environment.filters["exact"] = figures.exact
    environment.filters["cell"] = lambda text: text if isinstance(text, Cell) else Cell(text)
    return environment.get_template(name)


def sheet_as_markdown(sheet: Sheet) -> str:
    """Return a sheet as Markdown: GitHub tables, every cell escaped."""
    parts = (
        f"# {escape(sheet.title)}",
        escape(" ".join(sheet.answer)),
        *((_pairs(sheet.about),) if sheet.about else ()),
        *(line for part in sheet.shown for line in _part(part)),
        *map(escape, sheet.method),
    )
    return "\n\n".join(parts) + "\n"


def catalogue_as_markdown(metrics: Sequence[Metric]) -> str:
    """Return the catalogue as one Markdown table, and the families with parameters."""
    headings = ("metric", "synonyms", "definition", "meaning", "range", "better", "best", "chance",
                "undefined where")  # fmt: skip
    rows = [_catalogue_row(metric) for metric in metrics]
    parts = ("# Metrics", table(headings, rows), "## With parameters", _pairs(families().items()))
    return "\n\n".join(parts) + "\n"


def _part(part: Grid | Remarks) -> tuple[str, ...]:
    title = (f"## {escape(part.title)}",) if part.title else ()
    if isinstance(part, Remarks):
        return (*title, _pairs(part.pairs))
    body = table(part.headings, part.rows, right=part.labels)
    return (*title, body, *((escape(part.note),) if part.note else ()))


def escape(text: str) -> str:
    r"""Return text that Markdown shows as it is, on one line.

    Examples
    --------
    >>> print(escape("a|b `c` <b> f_1 _d_"))
    a\|b \`c\` &lt;b&gt; f_1 \_d\_
    """
    marked = SIGNS.sub(r"\\\g<0>", " ".join(text.splitlines()))
    return "".join(ENTITIES.get(sign, sign) for sign in marked)


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], right: int | None = None) -> str:
    """Return a GitHub table; columns from number `right` on hold numbers."""
    marks = ["---:" if right is not None and i >= right else "---" for i in range(len(headings))]
    cells = [["<br>".join(map(escape, cell.splitlines())) for cell in row] for row in rows]
    lines = [list(map(escape, headings)), marks, *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _pairs(pairs: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"- {escape(heading)}: {escape(text)}" for heading, text in pairs)


def _catalogue_row(metric: Metric) -> tuple[str, ...]:
    shown = in_words(metric)
    names = (metric.name, ", ".join(metric.synonyms), metric.definition, metric.meaning)
    return (*names, shown.range, metric.direction, shown.best, shown.chance, shown.undefined)

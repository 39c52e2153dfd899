"""Markdown: the same outline as GitHub tables, every cell escaped."""

import re
from collections.abc import Iterable, Sequence

from baserate.facts import EvaluationFacts
from baserate.metrics import Metric
from baserate.report import figures
from baserate.report.declared import families, in_words
from baserate.report.outline import GroupRow, Outline, outline
from baserate.report.sheet import Grid, Remarks, Sheet

ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# Signs that begin emphasis, code, links, tables or mathematics; underscores only at word ends.
SIGNS = re.compile(r"[\\`*\[\]|~$#!]|(?<!\w)_|_(?!\w)")


def render_markdown(facts: EvaluationFacts) -> str:
    """Return the report as Markdown."""
    shown = outline(facts)
    parts = [
        f"# {escape(shown.title)}",
        escape(" ".join(shown.answer)),
        _pairs(shown.about),
        *(_whole(shown) if shown.counts else ()),
        *_optional(f"## {shown.groups_title}", _groups(shown) if shown.groups else ""),
        *(line for part in shown.score for line in _part(part)),
        *_optional("## Undefined", _pairs(shown.undefined)),
        *_optional(
            "## No chance level or skill", _pairs((*shown.no_chance, *shown.no_chance_others))
        ),
        *_optional("## No interval", _pairs(shown.no_interval)),
        *_optional("## No p-value", _pairs(shown.no_p_value)),
        *map(escape, shown.method),
    ]
    return "\n\n".join(parts) + "\n"


def render_catalogue(metrics: Sequence[Metric]) -> str:
    """Return the catalogue as one Markdown table, and the families with parameters."""
    headings = ("metric", "synonyms", "definition", "meaning", "range", "better", "best", "chance",
                "undefined where")  # fmt: skip
    rows = [_catalogue_row(metric) for metric in metrics]
    parts = ("# Metrics", table(headings, rows), "## With parameters", _pairs(families().items()))
    return "\n\n".join(parts) + "\n"


def render_sheet(sheet: Sheet) -> str:
    """Return a sheet as Markdown."""
    parts = (
        f"# {escape(sheet.title)}",
        escape(" ".join(sheet.answer)),
        *((_pairs(sheet.about),) if sheet.about else ()),
        *(line for part in sheet.shown for line in _part(part)),
        *map(escape, sheet.method),
    )
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
    lines = [[escape(cell) for cell in row] for row in (headings, *rows)]
    lines.insert(1, marks)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _optional(title: str, body: str) -> tuple[str, ...]:
    return (title, body) if body else ()


def _pairs(pairs: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"- {escape(heading)}: {escape(text)}" for heading, text in pairs)


def _counts(shown: Outline) -> str:
    headings = ("", *(f"predicted {name}" for name in shown.predicted), "total")
    return table(headings, shown.count_cells(), right=1)


def _whole(shown: Outline) -> tuple[str, ...]:
    return (
        "## Counts\n\nTruth in rows, predictions in columns.",
        _counts(shown),
        "## Metrics",
        table(*shown.metric_table((*shown.rows, *shown.others)), right=1),
    )


def _groups(shown: Outline) -> str:
    names = shown.group_names or ("group",)
    headings = (*names, "n", "base rate", *shown.group_metrics)
    rows = [(*group.labels, *_group_cells(group)) for group in shown.groups]
    return table(headings, rows, right=len(names))


def _group_cells(group: GroupRow) -> list[str]:
    rates = ["" if row is None else f"{row.value} ({row.interval})" for row in group.rows]
    return [figures.count(group.n), figures.number(group.base_rate), *rates]


def _catalogue_row(metric: Metric) -> tuple[str, ...]:
    shown = in_words(metric)
    names = (metric.name, ", ".join(metric.synonyms), metric.definition, metric.meaning)
    return (*names, shown.range, metric.direction, shown.best, shown.chance, shown.undefined)

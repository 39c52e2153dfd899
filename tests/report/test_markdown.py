"""Markdown reports."""

import re
from functools import partial

from baserate.metrics import CATALOGUE
from baserate.report import evaluation as evaluation_report
from baserate.report.opening import render as rendered

render = partial(rendered, evaluation_report.sheet_of)


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def tables(text):
    """Return the tables as lists of rows of cells."""
    blocks = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    return [[cells(line) for line in block.splitlines()] for block in blocks]


def test_every_row_of_every_table_has_as_many_cells_as_its_heading(odd):
    found = tables(render(odd, "markdown"))
    assert len(found) == 5
    for table in found:
        assert {len(row) for row in table} == {len(table[0])}
        assert all(re.fullmatch(r"---:?", cell) for cell in table[1])


def test_nothing_in_a_label_acts_as_markup(odd):
    text = render(odd, "markdown")
    assert r'&lt;b&gt;"x" &amp; y&lt;/b&gt;, a\|b \`c\` \[red\]d\[/red\]' in text
    assert not re.search(r"</?(b|i|script)>", text)


def test_the_answer_stands_below_the_title(make):
    lines = render(make(), "markdown").splitlines()
    assert lines[0] == "# Evaluation of affairs.csv"
    assert lines[2].startswith("Of the 2,053 positives, 37% are found (recall)")


def test_all_metrics_are_listed_with_chance_if_known(make, catalogue):
    counts, plain, others = tables(render(make(), "markdown"))
    assert counts[2] == ['truth "yes"', "tp 762", "fn 1,291", "2,053"]
    assert len(plain[2:]) == 12
    assert len(others[2:]) == len(CATALOGUE) - 12
    assert plain[0] == others[0] == ["metric", "value", "interval"]
    known = catalogue(chance=True)
    rows = tables(render(make(metrics=known), "markdown"))[1]
    assert rows[0] == ["metric", "value", "interval", "best guess", "skill"]
    rows = tables(render(make(metrics=known, p_value_method="sup"), "markdown"))[1]
    assert rows[0] == ["metric", "value", "interval", "best guess", "skill", "p"]
    recall = next(row for row in rows if row[0] == "recall")
    assert recall == ["recall", "0.250", "0.240 to 0.262", "0.083", "0.200", "&lt; 0.001"]


def test_gaps_are_named_with_their_reason(odd):
    text = render(odd, "markdown")
    assert "- precision: nothing predicted positive (tp + fp = 0)\n" in text
    assert "| precision | undefined | \N{EN DASH} |" in text

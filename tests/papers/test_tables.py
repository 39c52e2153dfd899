"""`make papers`: every published number agrees or is an erratum, through public names only."""

import ast
import json
from dataclasses import replace
from pathlib import Path

import pytest

from papers import __main__ as papers
from papers import chimps, dutch_draw, robust_metrics_tables, small_data_tables, utility_tables
from papers.cells import Cell, Erratum, Paper, Table, printed

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "papers").glob("*.py"))
MODULES = (chimps, dutch_draw, robust_metrics_tables, small_data_tables, utility_tables)


@pytest.mark.parametrize("path", SOURCES, ids=[path.stem for path in SOURCES])
def test_papers_use_public_names_only(path):
    """`baserate` and its namespaces are public; a module below them is not, nor a `_name`."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("baserate"):
            assert node.module.count(".") <= 1, node.module
            names = [*node.module.split("."), *(alias.name for alias in node.names)]
            assert not [name for name in names if name.startswith("_")]
        if isinstance(node, ast.Attribute) and ast.unparse(node.value).startswith("br"):
            assert not node.attr.startswith("_") or node.attr == "_fields"


def jobs():
    """Yield each table's function; the heavy ones are slow."""
    for module in MODULES:
        for k, job in enumerate(module.tables()):
            heavy = (module is robust_metrics_tables and 1 <= k <= 12 and k not in (2, 3)) or (
                module is small_data_tables and k == 4
            )
            marks = [pytest.mark.slow] if heavy else []
            yield pytest.param(job, id=f"{module.__name__[7:]}-{k}", marks=marks)


@pytest.mark.sweep(9, start=4)
@pytest.mark.parametrize("job", list(jobs()))
def test_every_published_number_agrees_or_is_an_erratum(job):
    table = job()
    assert table.cells
    assert [(c.where, c.published, c.ours) for c in table.having("failure")] == []


def test_errata_of_the_theory_are_on_the_page():
    page = (ROOT / "docs" / "errata.md").read_text("utf-8")
    for said in (
        "TPR + TNR + 1",  # Burger and Meertens: balanced precision
        "half a harmonic mean",
        "Gini",
        "n - 2(x0 + y0)",
        "0.044",
        "forgets P = 0",  # Dutch Draw
        "removable",
        "d1 = 4, not of its label",  # Holzmann and Klar
        "a minimum",
        "must hold d1",
        "choosing class 1 for every component",  # Dyrland et al.
        "scale and shift take two",
        "Pillai",  # Briscoe et al.
        "headers FN and FP are exchanged",
        "1366/5956",
    ):
        assert said in page, said


@pytest.mark.slow
def test_the_page_is_the_one_that_is_made(tmp_path, capsys):
    page = tmp_path / "errata.md"
    assert papers.main(["--format", "json", "--errata", str(page)]) == 0
    assert page.read_text("utf-8") == (ROOT / "docs" / "errata.md").read_text("utf-8")
    document = json.loads(capsys.readouterr().out)
    assert len(document["papers"]) == 5
    for paper in document["papers"]:
        assert {"paper", "tables", "figures"} <= paper.keys()
        for table in paper["tables"]:
            assert table["cells"] == table["agree"] + table["errata"]


def test_a_number_that_is_neither_fails(monkeypatch, capsys):
    wrong = Table(name="Table 1", cells=(Cell(where="recall", published=0.5, ours=0.6),))
    monkeypatch.setattr(papers, "recomputed", lambda name, _: Paper(
        name=name, reference="", tables=(wrong,)))  # fmt: skip
    assert papers.main(["dutch"]) == 1
    assert "FAILED recall: published 0.5, ours 0.6" in capsys.readouterr().out


RIGHT = Erratum(value=0.643, why="", proof="")


@pytest.mark.parametrize(
    ("cell", "status"),
    [
        (Cell(where="", published=0.64, ours=0.643, within=printed(0.64, 2)), "agree"),
        (Cell(where="", published=0.65, ours=0.643, within=printed(0.65, 2)), "failure"),
        (Cell(where="", published=0.65, ours=0.6428, within=0.005, erratum=RIGHT), "erratum"),
        (Cell(where="", published=0.64, ours=0.6428, within=0.005, erratum=RIGHT), "failure"),
        (Cell(where="", published=0.65, ours=0.6442, within=0.005, erratum=RIGHT), "failure"),
        (Cell(where="", published=float("nan"), ours=float("nan")), "agree"),
        (Cell(where="", published=0.5, ours=float("nan"), within=9), "failure"),
        (Cell(where="", published="yes", ours="no"), "failure"),
    ],
)
def test_what_a_difference_is(cell, status):
    assert cell.status == status


def test_an_erratum_of_another_value_fails():
    cell = Cell(where="", published=0.65, ours=0.6428, within=0.005, erratum=RIGHT)
    assert replace(cell, erratum=replace(RIGHT, value=float("nan"))).status == "failure"

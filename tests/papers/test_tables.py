"""`make papers` prints each paper's table beside the published one, through public names only."""

import ast
from pathlib import Path

import pytest

from papers import robust_metrics, small_data, utility

SOURCES = sorted((Path(__file__).parents[2] / "papers").glob("*.py"))


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


@pytest.mark.parametrize(
    ("paper", "line"),
    [
        (utility, "precision              0.643 [0.64]  0.705 [0.70]"),
        (robust_metrics, "base rate 0.1        3.34 [3.34]   0.240 [0.24]   0.956 [0.96]"),
        (small_data, "L1  reference 0.4192 [0.22]   uniform 0.7212"),
    ],
    ids=["utility", "robust_metrics", "small_data"],
)
def test_tables_are_printed_beside_the_published(paper, line, capsys):
    paper.main()
    assert line in capsys.readouterr().out

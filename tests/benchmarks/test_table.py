"""The table of `make bench` runs without peers, and says who wins."""

import ast
import json
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks.measuring import growth
from benchmarks.questions import QUESTIONS
from benchmarks.table import Cell, line

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_smallest_size_without_peers(tmp_path):
    kept = tmp_path / "results.json"
    command = [sys.executable, "-m", "benchmarks.table", "--alone", "--largest", "3"]
    done = subprocess.run(
        [*command, "--output", str(kept)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    record = json.loads(kept.read_text())
    assert [cell["question"] for cell in record["cells"]] == [q.name for q in QUESTIONS]
    assert all(cell["times"]["baserate"] > 0 for cell in record["cells"])
    assert all(q.name in done.stdout for q in QUESTIONS)


def test_a_peer_that_answers_less_competes_only_where_no_other_does():
    cell = Cell("sweep", 10, {"baserate": 2.0, "A": 6.0, "B (single)": 1.0}, 1e-3)
    assert (cell.best_peer, cell.ratio, cell.faster_with_less) == ("A", 3.0, "B (single)")
    assert "faster with less: B (single), 1000" in line(cell)
    alone = Cell("sweep", 10, {"baserate": 2.0, "B (single)": 8.0}, 1e-3)
    assert (alone.best_peer, alone.ratio, alone.faster_with_less) == ("B (single)", 4.0, None)
    assert "the peer wins" in line(Cell("sweep", 10, {"baserate": 2.0, "A": 1.0}, 1e-3))
    assert Cell("sweep", 10, {"baserate": 2.0}, 1e-3).best_peer is None


@pytest.mark.parametrize("folder", ["benchmarks", "docs", "papers", "trust"])
def test_what_is_run_by_hand_imports_what_there_is(folder):
    """Nobody else notices when a name that they use goes."""
    gone = []
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("baserate"):
                home = import_module(node.module)
                names = [f"{node.module}.{n.name}" for n in node.names if not hasattr(home, n.name)]
                gone += [name for name in names if find_spec(name) is None]
    assert gone == []


def test_growth_is_the_exponent():
    assert growth({10: 2.0, 100: 63.2455532, 1000: 2000.0}) == pytest.approx(1.5, abs=1e-8)
    assert growth({10: 2.0}) is None

"""`baserate examples`: the tables of the pages, where somebody pastes from them."""

import subprocess
import sys
from pathlib import Path

TABLES = Path(__file__).parents[2] / "examples"


def test_the_tables_are_those_of_the_pages(run, tmp_path):
    code, out, _ = run("examples")
    assert code == 0
    written = {path.name: path.read_bytes() for path in (tmp_path / "examples").iterdir()}
    assert written == {
        path.name: path.read_bytes()
        for path in TABLES.iterdir()
        if path.suffix in {".csv", ".toml"}
    }
    assert out.split() == [f"examples/{name}" for name in sorted(written)]
    assert run("examples")[0] == 0


def test_a_table_of_somebody_else_is_left_alone(run, tmp_path):
    own = tmp_path / "examples"
    own.mkdir()
    (own / "affairs.csv").write_text("mine")
    code, _, problem = run("examples")
    assert code == 2
    assert "affairs.csv is another file already" in problem
    assert [path.read_text() for path in own.iterdir()] == ["mine"]


def test_a_file_in_the_place_of_the_folder_is_told(run, tmp_path):
    (tmp_path / "examples").write_text("mine")
    code, _, problem = run("examples")
    assert code == 2
    assert problem.startswith("baserate: Cannot write 'examples'")
    assert problem.endswith("go to another folder.\n")


def test_a_folder_in_the_place_of_a_table_is_told(run, tmp_path):
    (tmp_path / "examples" / "affairs.csv").mkdir(parents=True)
    code, _, problem = run("examples")
    assert code == 2
    assert "affairs.csv is another file already" in problem


def test_python_m_baserate_is_the_command(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "baserate", "baseline", "--positives", "3", "--negatives", "7"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "the best guess scores" in done.stdout

"""Odd files and surroundings end in an answer or in one line, never in a traceback."""

import os
import subprocess
import sys

import pandas as pd
import pytest

COMMAND = [sys.executable, "-m", "baserate.cli"]
WORDS = ["--target", "y", "--prediction", "p"]
ROWS = "y,p,s\n1,1,.9\n0,1,.6\n1,0,.2\n0,0,.1\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "d.csv").write_text(ROWS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def done(*words, **how):
    return subprocess.run([*COMMAND, *words], capture_output=True, check=False, **how)


def refused(result, *said):
    assert (result.returncode, result.stdout, result.stderr.count(b"\n")) == (2, b"", 1)
    assert all(words.encode() in result.stderr for words in said), result.stderr


@pytest.mark.parametrize("cell", ["1" * 140_000, "x" * 140_000])
def test_a_field_of_utilities_without_end(run, folder, cell):
    (folder / "u.csv").write_text(f"decision,1,0\na,{cell},2\nb,0,1\n")
    code, out, err = run("evaluate", "d.csv", *WORDS, "--utility", "u.csv")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "u.csv is not CSV (field larger than field limit" in err


@pytest.mark.slow
def test_standard_input_may_be_closed(folder):
    line = 'exec "$@" <&-'
    words = ["sh", "-c", line, "sh", *COMMAND, "evaluate"]
    closed = subprocess.run([*words, "-", *WORDS], capture_output=True, check=False)
    refused(closed, "Standard input is closed: pass the path of a file.")
    assert subprocess.run([*words, "d.csv", *WORDS], capture_output=True, check=False).stdout


@pytest.mark.slow
def test_a_wrong_backend_draws_into_files_all_the_same(folder):
    there = {**os.environ, "MPLBACKEND": "nope"}
    assert done("evaluate", "d.csv", *WORDS, "--plot", "x.png", env=there).returncode == 0
    assert (folder / "x.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_nothing_is_left_open(folder):
    words = ["-X", "dev", "-W", "error", "-m", "baserate.cli", "evaluate", "d.csv", *WORDS]
    found = subprocess.run([sys.executable, *words], capture_output=True, check=False)
    assert (found.returncode, found.stderr) == (0, b"")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are text")
@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_names_that_are_no_text(folder, suffix):
    inside = os.fsencode(folder) + b"/caf\xe9"
    os.mkdir(inside)
    frame = pd.read_csv("d.csv")
    write = {
        "csv": lambda to: frame.to_csv(to, index=False),
        "parquet": frame.to_parquet,
    }
    write[suffix](f"plain.{suffix}")
    name = inside + f"/d\udcff.{suffix}".encode(errors="surrogateescape")
    os.rename(f"plain.{suffix}", name)
    for path in (name, inside, inside + f"/*.{suffix}".encode()):
        found = done("evaluate", path, *WORDS, "--positive", "1", "--format", "json")
        assert (found.returncode, found.stderr) == (0, b"")
        assert b'"tp": 1' in found.stdout
    counted = [*WORDS[:2], "--score", "s", "--output", inside + b"/h\xff.json"]
    assert done("count", name, *counted).returncode == 0
    assert done("evaluate", counted[-1], "--output", inside + b"/r\xff.html").returncode == 0

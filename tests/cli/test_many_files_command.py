"""Commands over patterns and folders: what they count, what they call it, what they refuse."""

import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

ROWS = [(i % 3 > 0, i % 4 > 0, (i % 7) / 7, 2024 + i // 40, "ab"[i % 2]) for i in range(80)]
ASKED = {
    "evaluate": ["--prediction", "p"],
    "audit": ["--prediction", "p", "--group", "year"],
    "compare": ["--prediction", "p", "--score", "s"],
    "threshold": ["--score", "s"],
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number, (y, p, s, year, g) in enumerate(ROWS):
        path = Path(f"data/year={year}/{g}/part-{number % 3}.parquet")
        path.parent.mkdir(parents=True, exist_ok=True)
        row = pa.table({"y": [int(y)], "p": [int(p)], "s": [s]})
        old = [pq.ParquetFile(path).read()] if path.exists() else []
        pq.write_table(pa.concat_tables([*old, row]), path)
    return tmp_path


@pytest.mark.sweep(4)
@pytest.mark.parametrize("command", ASKED)
def test_every_command_reads_a_pattern(run, folder, command):
    words = [command, "data/year=*/**/*.parquet", "--target", "y", *ASKED[command]]
    code, out, err = run(*words, "--format", "json")
    assert (code, err) == (0, "")
    assert json.loads(out)["source"] == "data/year=*/**/*.parquet (12 Parquet files)"
    _, out, _ = run(*words, "--format", "html")
    assert "data/year=*/**/*.parquet (12 Parquet files)" in out


@pytest.mark.slow
def test_folders_are_groups(run, folder):
    code, out, _ = run("evaluate", "data", "--target", "y", "--prediction", "p", "--group", "year",
                       "--format", "json")  # fmt: skip
    assert code == 0
    found = {group["group"]["year"]: group["table"] for group in json.loads(out)["groups"]}
    wanted = Counter((year, y, p) for y, p, _, year, _ in ROWS)
    assert found == {
        year: {"tp": wanted[year, True, True], "fn": wanted[year, True, False],
               "fp": wanted[year, False, True], "tn": wanted[year, False, False]}
        for year in (2024, 2025)
    }  # fmt: skip


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("none*.parquet", "none*.parquet matches no file (names that begin with _ or a dot are"),
        ("data/year=*", "data/year=* matches no file"),
        ("data/**/*.parquet", "data/year=2024/a/part-0.parquet has no column 'p'. Its columns"),
    ],
)
def test_one_line_and_nothing_else(run, folder, pattern, wanted):
    path = Path("data/year=2024/a/part-0.parquet")
    pq.write_table(pq.ParquetFile(path).read(["y", "s"]), path)
    code, out, err = run("evaluate", pattern, "--target", "y", "--prediction", "p",
                         "--output", "r.html")  # fmt: skip
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"baserate: {wanted}")
    assert not Path("r.html").exists()

"""A report never takes the place of what it was made from, whatever the input is called."""

import os
import subprocess
import sys

import pytest

import baserate as br
from baserate.errors import InvalidArgumentError

ROWS = "y,p,q,s,g\n" + "1,1,0,.9,a\n0,1,0,.6,b\n1,0,1,.2,a\n0,0,0,.1,b\n" * 3
COUNTS = "model,tp,fn,fp,tn\nold,3,1,2,4\nnew,4,1,1,4\n"
UTILITY = "decision,1,0\ncall,1,-1\nleave,-1,1\n"
COMMANDS = {
    "evaluate": ["--target", "y", "--prediction", "p"],
    "audit": ["--target", "y", "--prediction", "p", "--group", "g"],
    "compare": ["--target", "y", "--prediction", "p", "--prediction", "q"],
    "threshold": ["--target", "y", "--score", "s"],
}
REFUSAL = "must not be a file that the report is made from"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "d.csv").write_text(ROWS)
    (tmp_path / "c.csv").write_text(COUNTS)
    (tmp_path / "u.csv").write_text(UTILITY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(result, argument="--output"):
    code, out, err = result
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"baserate: {argument} {REFUSAL}")
    assert "name another file" in err


@pytest.mark.sweep(13)
@pytest.mark.parametrize(
    ("read", "written", "options"),
    [
        *(("d.csv", "d.csv", [name, *words]) for name, words in COMMANDS.items()),
        *(("c.csv", "c.csv", [name, "--counts"]) for name in ("evaluate", "audit", "compare")),
        ("d.csv", "u.csv", ["compare", *COMMANDS["compare"], "--utility", "u.csv"]),
        ("d.csv", "./d.csv", ["evaluate", *COMMANDS["evaluate"]]),
        ("d.csv", "hard.csv", ["evaluate", *COMMANDS["evaluate"]]),
        ("hard.csv", "d.csv", ["evaluate", *COMMANDS["evaluate"]]),
        ("d.csv", "soft.csv", ["evaluate", *COMMANDS["evaluate"]]),
        ("soft.csv", "d.csv", ["evaluate", *COMMANDS["evaluate"]]),
    ],
)
def test_the_input_is_not_overwritten(run, folder, read, written, options):
    os.link("d.csv", "hard.csv")
    os.symlink("d.csv", "soft.csv")
    (command, *words), form = options, ["--format", "json"]
    for path in (written, str(folder / written)):
        refused(run(command, read, *words, *form, "--output", path))
    assert [(folder / n).read_text() for n in ("d.csv", "c.csv", "u.csv")] == [
        ROWS, COUNTS, UTILITY
    ]  # fmt: skip


def test_another_case_where_the_system_sees_none(run, folder, monkeypatch):
    found = os.stat
    folded = {str(folder / "D.CSV"): str(folder / "d.csv"), "D.CSV": "d.csv"}

    def blind(path, *arguments, **options):
        is_path = isinstance(path, str | os.PathLike)
        name = folded.get(os.fspath(path), path) if is_path else path
        return found(name, *arguments, **options)

    monkeypatch.setattr(os, "stat", blind)
    refused(
        run("evaluate", "d.csv", *COMMANDS["evaluate"], "--output", "D.CSV", "--format", "html")
    )


@pytest.mark.parametrize("name", ["baserate.toml", "pyproject.toml"])
@pytest.mark.parametrize(
    "words",
    [["baseline", "--positives", "3", "--negatives", "4"], ["metrics"],
     ["evaluate", "d.csv", *COMMANDS["evaluate"]]],
)  # fmt: skip
def test_settings_are_an_input(run, folder, name, words):
    settings = "[tool.baserate]\n" if name == "pyproject.toml" else 'guess = "mode"\n'
    (folder / name).write_text(settings)
    refused(run(*words, "--output", name, "--format", "json"))
    assert (folder / name).read_text() == settings


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("redirection", "argument"),
    [("--output d.csv <d.csv", "--output"), ("<d.csv >>d.csv", "standard output")],
)
def test_standard_streams_are_files_too(folder, redirection, argument):
    line = f'exec "$@" --format json {redirection}'
    words = [sys.executable, "-m", "baserate.cli", "evaluate", "-", *COMMANDS["evaluate"]]
    done = subprocess.run(
        ["sh", "-c", line, "sh", *words], capture_output=True, text=True, check=False
    )
    refused((done.returncode, done.stdout, done.stderr), argument)
    assert (folder / "d.csv").read_text() == ROWS


@pytest.mark.slow
def test_another_file_is_written_though_it_is_there(run, folder):
    (folder / "r.html").write_text("old")
    assert run("evaluate", "d.csv", *COMMANDS["evaluate"], "--output", "r.html")[0] == 0
    assert (folder / "r.html").read_text().startswith("<!DOCTYPE html>")
    assert sorted(p.name for p in folder.iterdir()) == ["c.csv", "d.csv", "r.html", "u.csv"]


@pytest.fixture
def several(folder):
    for year, rows in {"2024": ROWS, "2025": ROWS}.items():
        (folder / f"data/year={year}").mkdir(parents=True)
        (folder / f"data/year={year}/d.csv").write_text(rows)
    return folder


@pytest.mark.sweep(12, start=1)
@pytest.mark.parametrize("pattern", ["data/**/*.csv", "data/year=*/d.csv", "data"])
@pytest.mark.parametrize("command", COMMANDS)
def test_no_file_of_several_is_overwritten(run, several, command, pattern):
    target = "data/year=2025/d.csv"
    refused(run(command, pattern, *COMMANDS[command], "--format", "json", "--output", target))
    os.link(target, "r.html")
    refused(run(command, pattern, *COMMANDS[command], "--output", "r.html"))
    assert (several / target).read_text() == ROWS
    assert run(command, pattern, *COMMANDS[command], "--output", "data/_r.html")[0] == 0


@pytest.mark.sweep(6, start=2)
@pytest.mark.parametrize(
    ("given", "target"),
    [
        ("data", "data/r.html"),
        ("data", "./data/year=2025/new/../r.html"),
        ("data/**/*.*", "data/r.html"),
        ("data/year=*/*", "data/year=2026/r.html"),
        ("data/year=*/d*", "data/year=2024/d.html"),
    ],
)
def test_nor_is_one_written_that_would_be_read_next_time(run, several, given, target):
    (several / "data/year=2026").mkdir()
    (several / "data/year=2025/new").mkdir()
    words = ["evaluate", given, *COMMANDS["evaluate"], "--output"]
    code, out, err = run(*words, target)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "--output must not lie among the files that the report is made from" in err
    assert not os.path.exists(target)
    result = br.evaluate(given, target="y", prediction="p")
    with pytest.raises(InvalidArgumentError, match="must not lie among the files"):
        result.to_html(target)


@pytest.mark.sweep(5)
@pytest.mark.parametrize(
    ("given", "target"),
    [
        ("data/year=*/d.csv", "data/year=2024/r.html"),
        ("data/*/*.csv", "data/r.html"),
        ("data/**/*.csv", "data/.hidden/r.html"),
        ("data", "r.html"),
        ("data", "data/.r.html"),
    ],
)
def test_beside_them_it_may_be_written(run, several, given, target):
    (several / "data/.hidden").mkdir()
    for _ in range(2):
        assert run("evaluate", given, *COMMANDS["evaluate"], "--output", target)[0] == 0


RESULTS = {
    "evaluate": lambda data: br.evaluate(data, target="y", prediction="p"),
    "audit": lambda data: br.audit(data, target="y", prediction="p", groups="g"),
    "compare": lambda data: br.compare(data, target="y", prediction=["p", "q"]),
    "thresholds": lambda data: br.thresholds(data, target="y", score="s"),
}


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", RESULTS)
def test_results_in_python_know_their_file(folder, monkeypatch, name):
    result = RESULTS[name]("d.csv")
    monkeypatch.chdir("/")
    for write in (result.to_html, lambda path: result.write(path, "json")):
        with pytest.raises(InvalidArgumentError, match=f"path {REFUSAL}"):
            write(folder / "d.csv")
    assert (folder / "d.csv").read_text() == ROWS
    result.to_html(folder / "r.html")


@pytest.mark.sweep(3, start=1)
@pytest.mark.parametrize("name", RESULTS)
def test_results_in_python_know_all_their_files(several, monkeypatch, name):
    result = RESULTS[name]("data/year=*/*.csv")
    monkeypatch.chdir("/")
    with pytest.raises(InvalidArgumentError, match=f"path {REFUSAL}"):
        result.to_html(several / "data/year=2025/d.csv")


def test_open_files_and_utilities_in_python(folder):
    with (folder / "d.csv").open("rb") as stream:
        result = br.evaluate(stream, target="y", prediction="p", utility="u.csv")
    for name in ("d.csv", "u.csv"):
        with pytest.raises(InvalidArgumentError, match=REFUSAL):
            result.to_html(name)
    counted = br.evaluate({"a": br.ConfusionMatrix(tp=1, fn=2, fp=3, tn=4)}, utility="u.csv")
    with pytest.raises(InvalidArgumentError, match=REFUSAL):
        counted.to_html("u.csv")

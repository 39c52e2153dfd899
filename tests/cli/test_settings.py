"""Files of settings: found in the project only, of a bounded size, not where to write."""

import json
import time
from inspect import signature
from pathlib import Path

import pytest

from baserate.cli import main
from baserate.cli._app import COMMANDS
from baserate.cli._config import LARGEST, OUTPUTS

WORDS = ["evaluate", "d.csv", "--target", "y", "--prediction", "p"]
READ = {"utility"}
JSON = ["--format", "json"]


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    folder = tmp_path / "around" / "project" / "data"
    folder.mkdir(parents=True)
    (folder / "d.csv").write_text("y,p\n1,1\n0,1\n1,0\n0,0\n")
    monkeypatch.chdir(folder)

    def call(*words, project="", around="", root=None):
        (tmp_path / "around" / "project" / "baserate.toml").write_text(project)
        (tmp_path / "around" / "baserate.toml").write_text(around)
        if root is not None:
            (tmp_path / "around" / "project" / root).mkdir()
        code = main([*words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def made(out):
    return json.loads(out)["baserate"]["settings"]


def failed(result):
    code, out, err = result
    assert (code, out, err.count("\n")) == (2, "", 1)
    return err


@pytest.mark.parametrize("root", [".git", ".hg"])
def test_a_repository_has_settings_of_its_own(run, root):
    code, out, _ = run(*WORDS, *JSON, project='metrics = "recall"\n', root=root)
    assert code == 0
    assert made(out) == {"file": "../baserate.toml", "options": {"metrics": "recall"}}


def test_a_number_is_set_as_a_number(run):
    code, out, _ = run(*WORDS, *JSON, project="base_rate = 0.25\n", root=".git")
    assert (code, json.loads(out)["base_rate"]) == (0, 0.25)


@pytest.mark.slow
def test_around_a_repository_nothing_is_read(run):
    found = run(*WORDS, *JSON, project="", around="metrcs = 1\n", root=".git")
    assert (found[0], made(found[1])) == (0, None)
    Path("../baserate.toml").unlink()
    assert made(run(*WORDS, *JSON, around="metrcs = 1\n")[1]) is None


@pytest.mark.slow
def test_without_a_repository_the_folder_alone_counts(run):
    assert made(run(*WORDS, *JSON, project="metrcs = 1\n")[1]) is None
    Path("baserate.toml").write_text('metrics = ["f1", "recall"]\n')
    assert made(run(*WORDS, *JSON)[1]) == {
        "file": "baserate.toml",
        "options": {"metrics": "f1, recall"},
    }


@pytest.mark.parametrize("option", ["output", "plot"])
@pytest.mark.parametrize("table", ["", "[evaluate]\n", "[audit]\n"])
def test_settings_do_not_say_where_to_write(run, option, table):
    settings = f'{table}{option} = "d.csv"\n'
    err = failed(run(*WORDS, project=settings, root=".git"))
    assert f"{option} must be typed, not stand in a file of settings, got 'd.csv'" in err
    assert Path("d.csv").read_text().startswith("y,p")


def test_every_path_that_a_command_writes_is_known():
    hints = (p for command in COMMANDS.values() for p in signature(command).parameters.items())
    assert {name for name, p in hints if "Path" in str(p.annotation)} - READ == OUTPUTS


@pytest.mark.sweep(3)
@pytest.mark.parametrize("form", ["table", "markdown", "html"])
def test_reports_tell_what_was_set_and_not_what_was_typed(run, form):
    settings = 'positive = "1"\nconfidence = 0.9\n[evaluate]\nfail_under = ["recall=0.1"]\n'
    words = [*WORDS, "--confidence", "0.8", "--format", form]
    _, out, _ = run(*words, project=settings, root=".git")
    told = " ".join(out.split())
    assert "set by ../baserate.toml: positive = 1, fail_under = recall=0.1." in told
    Path("../.git").rmdir()
    assert "baserate.toml" not in run(*words, "--positive", "1")[1]


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (".".join("a" * 100_000) + " = 1", "a key of it has more than 100 parts"),
        ("[" + " . ".join(["'a'"] * 101) + "]", "a key of it has more than 100 parts"),
        ("x = { " + ".".join(['"="'] * 101) + " = 1 }", "a key of it has more than 100 parts"),
        ("a = " + "[" * 100_000, "it is nested too deeply"),
        ("#" * LARGEST + "\n", "it is larger than 1,048,576 bytes"),
    ],
    ids=["dots", "table", "inline", "nested", "large"],
)
def test_settings_of_another_size_are_refused_at_once(run, settings, why):
    start = time.process_time()
    err = failed(run(*WORDS, project=settings, root=".git"))
    assert f"baserate.toml' ({why}): mend or remove it." in err
    assert time.process_time() - start < 2


def test_words_of_many_dots_are_no_keys(run):
    settings = f'positive = "1"\n# {"a." * 50} {"..." * 100}\nmetrics = """recall"""\n'
    assert run(*WORDS, *JSON, project=settings, root=".git")[0] == 0

"""What the machine refuses, and what NumPy warns of: one line, exit code 2, no traceback."""

import json
import os
import pty
import subprocess
import sys
import warnings

import pytest

from baserate.cli import main
from baserate.cli._output import in_color
from baserate.cli._terminal import say

COMMAND = [sys.executable, "-m", "baserate.cli"]
EVALUATE = ["evaluate", "d.csv", "--target", "y", "--prediction", "p", "--metrics", "f1"]
# Buffered as usual: only then does Python write once more at exit.
BUFFERED = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
NO_DEVICE = pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "d.csv").write_text("y,p,s\n1,1,.9\n0,1,.6\n1,0,.2\n0,0,.1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shell(words, redirection):
    line = f'exec "$@" {redirection}'
    return subprocess.run(
        ["sh", "-c", line, "sh", *COMMAND, *words],
        env=BUFFERED, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.sweep(6, start=5)
@NO_DEVICE
@pytest.mark.parametrize(
    "words", [EVALUATE, ["baseline", "--positives", "3", "--negatives", "4"], ["metrics"]]
)
@pytest.mark.parametrize(
    ("redirection", "reason"), [(">/dev/full", "No space left on device"), (">&-", "it is closed")]
)
def test_standard_output_that_cannot_be_written(folder, words, redirection, reason):
    done = shell(words, redirection)
    expected = f"baserate: Cannot write to standard output ({reason}): pass --output.\n"
    assert (done.returncode, done.stderr) == (2, expected)


@NO_DEVICE
def test_help_on_a_full_disk(folder):
    done = shell(["--help"], ">/dev/full")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "No space left" in done.stderr


@NO_DEVICE
def test_a_line_that_a_full_disk_refuses_is_not_tried_again(monkeypatch):
    with open("/dev/full", "w") as full:  # closing it would raise what is left to be written
        monkeypatch.setattr("sys.stderr", full)
        say("a line")


@pytest.mark.slow
@NO_DEVICE
@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
def test_standard_error_that_is_gone(folder, redirection):
    assert shell(EVALUATE, redirection).returncode == 0
    failed = shell([*EVALUATE, "--positive", "yes"], redirection)
    assert (failed.returncode, failed.stdout, failed.stderr) == (2, "", "")


@pytest.mark.slow
def test_a_file_is_written_though_standard_output_is_closed(folder):
    assert shell([*EVALUATE, "--output", "r.json"], ">&-").returncode == 0
    assert json.loads((folder / "r.json").read_text())["n"] == 4


def test_a_reader_that_leaves_early_is_no_error(folder):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*COMMAND, "metrics"],
        env=BUFFERED, stdout=writer, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(5, "Input/output error"), "the system refused (Input/output error): check"),
        (MemoryError(), "memory ran out: pass fewer groups"),
        (OverflowError("int too large"), "a number is too large to calculate with"),
        (RecursionError(), "nested too deeply"),
    ],
)
def test_what_the_machine_refuses_is_one_line(monkeypatch, capsys, error, words):
    def refuse(_):
        raise error

    monkeypatch.setattr("baserate.cli._app.run", refuse)
    assert main([]) == 2
    err = capsys.readouterr().err
    assert err.startswith("baserate: ")
    assert (words in err, err.count("\n")) == (True, 1)


def test_a_fault_of_ours_keeps_its_traceback(monkeypatch):
    def fault(_):
        raise AssertionError

    monkeypatch.setattr("baserate.cli._app.run", fault)
    with pytest.raises(AssertionError):
        main([])


def test_a_warning_is_one_line_without_source(monkeypatch, capsys):
    def warn(_):
        warnings.warn("overflow encountered in multiply", RuntimeWarning, stacklevel=1)
        return 0

    monkeypatch.setattr("baserate.cli._app.run", warn)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        before = warnings.showwarning
        assert main([]) == 0
        assert warnings.showwarning is before
    assert capsys.readouterr().err == "baserate: warning: overflow encountered in multiply\n"


WANTED = [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]


@pytest.mark.parametrize(("extra", "colored"), WANTED)
def test_colours_are_of_what_somebody_watches_and_no_file(monkeypatch, tmp_path, extra, colored):
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in {"TERM": "xterm", **extra}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("baserate.cli._output.is_terminal", lambda name: name == "stdout")
    assert in_color(None) == colored
    assert not in_color(tmp_path / "report.txt")


@pytest.mark.slow
@pytest.mark.parametrize(("extra", "colored"), WANTED)
def test_colours_on_a_terminal_only_if_wanted(folder, extra, colored):
    environment = {k: v for k, v in os.environ.items() if k not in {"NO_COLOR", "TERM"}}
    environment |= {"TERM": "xterm", **extra}
    leader, follower = pty.openpty()
    subprocess.run([*COMMAND, *EVALUATE], stdout=follower, env=environment, check=True)
    os.close(follower)
    shown = os.read(leader, 1 << 16)
    os.close(leader)
    assert (b"\x1b[" in shown) == colored


@pytest.mark.slow
def test_no_colours_in_a_pipe(folder):
    assert "\x1b[" not in shell(EVALUATE, "").stdout

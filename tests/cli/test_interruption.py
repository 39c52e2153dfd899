"""Whatever befalls a command, the files it was to replace are whole, and nothing else is left."""

import os
import resource
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from quick import one_in
from trust.writers import COUNTING, READING, contents, drawing, fill, writing

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits and signals are POSIX's")

WRITING = writing() | drawing(".svg", ".png", ".pdf")
FEW = ["evaluate, .json", "audit, .md", "count, .csv", "merge, .arrow", "metrics, .html"]
SELECTED = [name if name in FEW else pytest.param(name, marks=pytest.mark.slow) for name in WRITING]


@pytest.fixture
def folder(tmp_path, run):
    """Inputs, and old files in the place of every output."""
    fill(tmp_path)
    for suffix in {words[-1] for words in WRITING.values()} | {"r.json"}:
        (tmp_path / suffix).write_text("before")
    return tmp_path


@contextmanager
def full_disk(size=10):
    """Let no file grow beyond `size` bytes: what a full disk does, and needs no disk of its own."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def refused(result, *words):
    code, out, err = result
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert all(word in err for word in words), err


@pytest.mark.parametrize("name", SELECTED)
def test_a_full_disk(run, folder, name):
    before = contents(folder)
    with full_disk():
        refused(run(*WRITING[name]), "Cannot write 'r.", "File too large")
    assert contents(folder) == before


@pytest.mark.sweep(5, start=4)
@pytest.mark.parametrize("name", SELECTED)
def test_a_target_that_cannot_be_is_refused_before_anything_is_read(run, folder, name):
    *words, option, output = WRITING[name]
    suffix = os.path.splitext(output)[1]
    (folder / f"folder{suffix}").mkdir()
    words = [word for word in words if word not in {"d.csv", "c.csv", "h.arrow", "t.csv"}]
    words.insert(1, "none.csv") if words[0] not in {"metrics", "baseline", "sample-size"} else None
    for target in (f"missing/r{suffix}", f"d.csv/r{suffix}", f"folder{suffix}"):
        refused(run(*words, option, target), f"Cannot write '{target}'", f"pass another {option}")
    assert os.listdir(folder / f"folder{suffix}") == []


@pytest.mark.parametrize("suffix", one_in(2, [".svg", ".png"]))
def test_a_report_and_its_picture_are_replaced_together(run, folder, suffix):
    """The report is written last: a disk that is full only then keeps both."""
    words = drawing(suffix)[f"audit, {suffix}"]
    before = contents(folder)
    assert run(*words)[0] == 0
    after = contents(folder)
    sizes = [len(after[name]) for name in (f"r{suffix}", "r.json")]
    for name in before:
        (folder / name).write_bytes(before[name])
    with full_disk(min(sizes)):
        refused(run(*words), "File too large")
    assert contents(folder) == before


INPUTS = READING | {name: words for name, (words, _) in COUNTING.items()}
SPELLED = {
    "the same": lambda name: name,
    "absolute": os.path.abspath,
    "roundabout": lambda name: f"../{os.path.basename(os.getcwd())}/./{name}",
    "symbolic link": lambda name: linked(os.symlink, name),
    "hard link": lambda name: linked(os.link, name),
}


def linked(link, name):
    link(name, f"link-{name}")
    return f"link-{name}"


@pytest.mark.parametrize("spelling", one_in(2, SPELLED))
@pytest.mark.parametrize("name", one_in(4, INPUTS))
def test_no_input_is_an_output(run, folder, name, spelling):
    command = name.split()[0]
    before = contents(folder)
    for word in INPUTS[name]:
        if "." in word[1:]:
            target = SPELLED[spelling](word)
            form = [] if command in {"count", "merge"} else ["--format", "json"]
            found = run(command, *INPUTS[name], "--output", target, *form)
            refused(found, "--output must not be a file that the report is made from")
    assert before.items() <= contents(folder).items()


def test_the_last_of_several_inputs(run, folder):
    words = ["compare", "c.csv", "t.csv", "--counts", "--base-rate", ".5", "--format", "json"]
    refused(run(*words, "--output", "t.csv"), "must not be a file that the report is made from")
    for name in ("x.csv", "y.csv"):
        (folder / name).write_text((folder / "d.csv").read_text())
    counting = ["count", "x.csv", "y.csv", "--target", "y", "--prediction", "p"]
    refused(run(*counting, "--output", "y.csv"), "must not be a file that the report is made from")


ENDED = {"SIGINT": (130, b"interrupted"), "SIGTERM": (143, b"terminated"),
         "SIGHUP": (129, b"the terminal is gone")}  # fmt: skip
# A command that hears nothing, with a file half written and a folder in use.
DEAF = """
import signal
for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(one, signal.SIG_DFL)  # nohup and the background of a shell hand on deaf ears
import baserate.cli, baserate.cli._app, os, sys, time
from baserate._whole_files import temporary
def work(_):
    with temporary("half"), temporary("scratch"):
        open("half", "w").write("half")
        os.mkdir("scratch")
        open("scratch/spill", "w").write("half")
        os.write(1, b"!")
        while True:
            try:
                time.sleep(0.01)
            except BaseException:
                pass
baserate.cli._app.run = work
sys.exit(baserate.cli.main())
"""


@pytest.mark.sweep(3, start=1)
@pytest.mark.parametrize("name", ENDED)
def test_a_command_that_hears_nothing_leaves_nothing(tmp_path, name):
    process = subprocess.Popen(
        [sys.executable, "-c", DEAF],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path,
    )  # fmt: skip
    assert process.stdout.read(1) == b"!"
    assert sorted(os.listdir(tmp_path)) == ["half", "scratch"]
    process.send_signal(getattr(signal, name))
    _, said = process.communicate(timeout=60)
    code, word = ENDED[name]
    assert (process.returncode, said) == (code, b"baserate: " + word + b".\n")
    assert os.listdir(tmp_path) == []


def test_a_reader_of_a_pipe_that_leaves_early_is_no_error(run, folder):
    os.mkfifo(folder / "pipe.json")
    reader = subprocess.Popen(["head", "-c", "10", "pipe.json"], stdout=subprocess.PIPE)
    assert run("metrics", "--output", "pipe.json")[:2] == (0, "")
    assert len(reader.communicate()[0]) == 10

"""A file appears whole or not at all, as its owner set it up, and wherever a path may lead."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from baserate._whole_files import (
    check_writable,
    remove_leftovers,
    temporary,
    write_bytes,
    write_files,
)

POSIX = pytest.mark.skipif(os.name != "posix", reason="permissions and devices are POSIX's")
NOBODY = """
import os
from baserate._whole_files import write_bytes
if os.geteuid() == 0:  # who may write anywhere
    os.setuid(65534)
write_bytes("r.html", b"after")
"""


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


@POSIX
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o666, 0o755])
def test_a_file_that_was_there_keeps_its_permissions(tmp_path, mode):
    path = tmp_path / "r.html"
    path.write_text("before")
    path.chmod(mode)
    write_bytes(path, b"after")
    assert (path.read_bytes(), mode_of(path)) == (b"after", mode)


@POSIX
def test_a_new_file_has_those_of_any_new_file(tmp_path):
    mask = os.umask(0o027)
    try:
        write_bytes(tmp_path / "r.html", b"new")
    finally:
        os.umask(mask)
    assert mode_of(tmp_path / "r.html") == 0o640


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid(), reason="only root gives files away")
def test_an_owner_stays_the_owner(tmp_path):
    path = tmp_path / "r.html"
    path.write_text("before")
    os.chown(path, 65534, 65533)
    write_bytes(path, b"after")
    assert (path.stat().st_uid, path.stat().st_gid) == (65534, 65533)


@POSIX
@pytest.mark.parametrize("locked", ["r.html", "."])
def test_what_may_not_be_written_is_not_replaced(locked):
    """A folder that may be written to would let a read-only file in it be replaced."""
    with TemporaryDirectory() as folder:  # those of pytest are closed to others
        os.chmod(folder, 0o777)  # noqa: S103
        (Path(folder) / "r.html").write_text("before")
        os.chmod(os.path.join(folder, "r.html"), 0o666)  # noqa: S103
        os.chmod(os.path.join(folder, locked), 0o444 if locked == "r.html" else 0o555)
        done = subprocess.run(
            [sys.executable, "-c", NOBODY], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.stderr.endswith("PermissionError: [Errno 13] Permission denied: 'r.html'\n")
        assert (Path(folder) / "r.html").read_text() == "before"
        assert os.listdir(folder) == ["r.html"]


@POSIX
def test_links_that_lead_nowhere_and_in_circles(tmp_path):
    (tmp_path / "link").symlink_to("real")
    write_bytes(tmp_path / "link", b"new")
    assert (tmp_path / "real").read_bytes() == b"new"
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="symbolic links"):
        write_bytes(tmp_path / "a", b"new")
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "link", "real"]


@pytest.mark.parametrize("name", ["x" * 250, "\N{GRINNING FACE}" * 60])
def test_names_as_long_as_names_may_be(tmp_path, name):
    write_bytes(tmp_path / name, b"new")
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize("path", ["", "folder", "folder/", "new/", "none/r.html", "d.csv/r.html"])
def test_refusals_name_what_was_given(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "d.csv").write_text("before")
    for write in (check_writable, lambda path: write_bytes(path, b"new")):
        with pytest.raises(OSError) as caught:
            write(path)
        assert caught.value.filename == path
    assert sorted(os.listdir(tmp_path)) == ["d.csv", "folder"]


def test_several_take_their_places_together(tmp_path):
    (tmp_path / "r.html").write_text("before")
    with pytest.raises(FileNotFoundError):
        write_files({tmp_path / "r.html": b"after", tmp_path / "none/x.svg": b"after"})
    assert (tmp_path / "r.html").read_text() == "before"
    write_files({tmp_path / "r.html": b"after", tmp_path / "x.svg": b"picture"})
    assert (tmp_path / "r.html").read_text() == "after"
    assert sorted(os.listdir(tmp_path)) == ["r.html", "x.svg"]


@POSIX
def test_a_pipe_is_written_to(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    found = []
    reader = threading.Thread(target=lambda: found.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    write_bytes(tmp_path / "pipe", b"report" * 50_000)
    reader.join()
    assert found == [b"report" * 50_000]
    assert os.listdir(tmp_path) == ["pipe"]


@pytest.mark.skipif(sys.platform != "linux", reason="looks for open files in /proc")
@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_is_no_file_to_replace(tmp_path, path):
    code = f"from baserate._whole_files import *\nwrite_bytes({path!r}, b'report\\n')"
    line = 'echo before >r; { "$@"; echo after; } >>r; "$@" | cat >>r'
    words = ["sh", "-c", line, "sh", sys.executable, "-c", code]
    assert subprocess.run(words, cwd=tmp_path, check=False).returncode == 0
    assert (tmp_path / "r").read_text().split() == ["before", "report", "after", "report"]
    assert os.listdir(tmp_path) == ["r"]


def test_an_interrupt_leaves_nothing(tmp_path, monkeypatch):
    (tmp_path / "r.html").write_text("before")

    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_bytes(tmp_path / "r.html", b"after")
    assert os.listdir(tmp_path) == ["r.html"]
    assert (tmp_path / "r.html").read_text() == "before"


def test_what_is_begun_can_be_removed_by_another_thread(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("half")
    (tmp_path / "folder/spill").write_text("half")
    with temporary(str(tmp_path / "folder")), temporary(str(tmp_path / "file")):
        thread = threading.Thread(target=remove_leftovers)
        thread.start()
        thread.join()
        assert os.listdir(tmp_path) == []
    (tmp_path / "file").write_text("another")
    remove_leftovers()
    assert os.listdir(tmp_path) == ["file"]


# Ends itself without a warning before each line of the writer in turn, in a process of its own.
KILLED = """
import os, signal, sys
from baserate import _whole_files
def writer(k):
    left = [k]
    def trace(frame, event, _):
        if frame.f_code.co_filename != _whole_files.__file__:
            return None
        left[0] -= event == "line"
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace
    sys.settrace(trace)
    _whole_files.write_files({"r.html": b"after" * 1000, "x.svg": b"after" * 1000})
    sys.settrace(None)
    os._exit(0)
for k in range(1, 1000):
    child = os.fork() or writer(k)
    if not os.waitpid(child, 0)[1]:
        break
    held = [open(name).read() for name in ("r.html", "x.svg")]
    print(k, *("old" if text == "before" else "new" if text == "after" * 1000 else "broken"
               for text in held))
"""


@POSIX
def test_a_process_killed_at_any_line_leaves_old_or_new(tmp_path):
    for name in ("r.html", "x.svg"):
        (tmp_path / name).write_text("before")
    done = subprocess.run(
        [sys.executable, "-c", KILLED], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    found = [line.split()[1:] for line in done.stdout.splitlines()]
    assert len(found) > 100
    assert found == sorted(found, reverse=True)  # old old, then new old, then new new
    assert {*map(tuple, found)} == {("old", "old"), ("new", "old"), ("new", "new")}
    assert all(
        name.startswith(".baserate-") for name in {*os.listdir(tmp_path)} - {"r.html", "x.svg"}
    )

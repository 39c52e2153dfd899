"""Ctrl-C ends the command soon, at any moment, in one line; what takes long says so meanwhile."""

import os
import pty
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest

from baserate.cli import _terminal, _watch

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends signals to processes")

ENDLESS = 600  # seconds of work; who does not hear the signal runs into LIMIT
LIMIT = 60  # seconds that a very busy machine may take for what takes half a second
BEGUN = "os.write(1, b'!')"

# What the command is doing when the signal comes.
DOING = {
    "a loop of Python's": f"{BEGUN}\nwhile True: pass",
    "a long call into C": f"{BEGUN}\nhashlib.pbkdf2_hmac('sha256', b'', b'', 2 * 10**9)",
    "a query": """
connection = duckdb.connect()
threading.Timer(0.3, os.write, (1, b'!')).start()
run(connection, 'SELECT sum(hash(i) % 7) FROM range(100000000000) t(i)')
""",
    "code that catches everything": f"""
{BEGUN}
while True:
    try:
        time.sleep(0.01)
    except BaseException:
        pass
""",
    "a destructor": f"""
class Slow:
    def __del__(self):
        {BEGUN}
        time.sleep({ENDLESS})
slow = Slow()
del slow
time.sleep({ENDLESS})
""",
    "an import": f"""
try:
    {BEGUN}
    time.sleep({ENDLESS})
except KeyboardInterrupt:
    raise ImportError('numpy failed to import') from None
""",
}
PATCHED = """
import baserate.cli, baserate.cli._app, duckdb, hashlib, os, sys, textwrap, threading, time
from baserate.adapters.engine import run
from baserate.errors import MissingDependencyError
def work(_):
    try:
        exec(sys.argv[1], globals())
    except ImportError:
        raise MissingDependencyError.from_extra("numpy", "This", "cli") from None
baserate.cli._app.run = work
sys.exit(baserate.cli.main())
"""


@pytest.fixture(autouse=True, scope="module")
def heeded():
    """Start commands as in the foreground: what the tests ignore, their children would too."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted(process, *, twice=False):
    """Send the signal, and return the exit code and what was said."""
    process.send_signal(signal.SIGINT)
    if twice:
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=LIMIT)
    return process.returncode, said


def started(code, *words, **streams):
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, *code, *words], **(pipes | streams))


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    "doing",
    [
        *list(DOING)[:4],
        *(pytest.param(name, marks=pytest.mark.slow) for name in list(DOING)[4:]),
    ],
)
def test_it_ends_whatever_it_does(doing):
    process = started(["-c", PATCHED], DOING[doing])
    assert process.stdout.read(1) == b"!"
    code, said = interrupted(process)
    assert (code, said) == (130, b"baserate: interrupted.\n")


@pytest.mark.slow
def test_impatience_changes_nothing():
    process = started(["-c", PATCHED], DOING["code that catches everything"])
    assert process.stdout.read(1) == b"!"
    assert interrupted(process, twice=True) == (130, b"baserate: interrupted.\n")


@pytest.mark.slow
def test_while_it_waits_for_standard_input():
    words = ["-m", "baserate.cli", "evaluate", "-", "--target", "y", "--prediction", "p"]
    process = started(words, stdin=subprocess.PIPE)
    process.stdin.write(b"y,p\n")
    process.stdin.flush()
    wait_for_the_watch(process)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    process.wait(LIMIT)
    assert (process.returncode, process.stderr.read()) == (130, b"baserate: interrupted.\n")
    process.communicate()


@pytest.mark.slow
def test_while_nobody_reads_what_it_writes():
    leader, follower = pty.openpty()
    process = started(["-m", "baserate.cli", "metrics", "--format", "json"], stdout=follower)
    os.close(follower)
    assert os.read(leader, 1) == b"["  # and no more: the terminal's buffer is soon full
    time.sleep(0.3)
    code, said = interrupted(process)
    os.close(leader)
    assert (code, said) == (130, b"baserate: interrupted.\n")


@pytest.mark.skipif(sys.platform != "linux", reason="looks for threads in /proc")
@pytest.mark.parametrize(
    "delay", [0.0, *(pytest.param(delay, marks=pytest.mark.slow) for delay in (0.1, 0.2, 0.4, 0.8))]
)
def test_while_it_loads(tmp_path, delay):
    (tmp_path / "d.csv").write_text("y,p\n" + "1,1\n0,1\n1,0\n0,0\n" * 50)
    words = ["-m", "baserate.cli", "evaluate", "d.csv", "--target", "y", "--prediction", "p"]
    process = started(words, cwd=tmp_path)
    wait_for_the_watch(process)
    time.sleep(delay)
    code, said = interrupted(process)
    # A fast machine may be through: then all is written, and the signal has nothing to end.
    assert (code, said) in ((130, b"baserate: interrupted.\n"), (0, b""))
    assert os.listdir(tmp_path) == ["d.csv"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks for threads in /proc")
@pytest.mark.parametrize(
    "delay", [1.0, *(pytest.param(delay, marks=pytest.mark.slow) for delay in (0.5, 1.5, 2.5))]
)
def test_while_it_counts_many_files(tmp_path, delay):
    import duckdb

    (tmp_path / "data").mkdir()
    (tmp_path / "scratch").mkdir()
    rows = "SELECT i % 2 AS y, i % 3 = 0 AS p, i % 60000 AS g FROM range(3000000) AS t(i)"
    with duckdb.connect() as engine:
        for k in range(2):
            engine.execute(f"COPY ({rows}) TO '{tmp_path}/data/{k}.parquet' (FORMAT parquet)")
    words = ["-m", "baserate.cli", "evaluate", "data/*.parquet", "--target", "y", "--prediction",
             "p", "--group", "g", "--output", "r.html"]  # fmt: skip
    there = {**os.environ, "TMPDIR": str(tmp_path / "scratch")}
    process = started(words, cwd=tmp_path, env=there)
    wait_for_the_watch(process)
    time.sleep(delay)
    code, said = interrupted(process)
    assert (code, said) == (130, b"baserate: interrupted.\n")
    assert sorted(os.listdir(tmp_path)) == ["data", "scratch"]
    assert os.listdir(tmp_path / "scratch") == []


@pytest.mark.slow
def test_in_the_background_it_is_ignored():
    line = 'trap "" INT; exec "$@"'
    script = f"{BEGUN}\ntime.sleep(1)"
    words = ["sh", "-c", line, "sh", sys.executable, "-c", PATCHED, script]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.read(1) == b"!"
    code, said = interrupted(process)
    assert (code, said) == (0, b"")


@pytest.mark.slow
def test_what_takes_long_says_so_on_a_terminal():
    leader, follower = pty.openpty()
    script = """
from baserate.cli._watch import reading
for i in range(30):
    reading(i / 30)
    time.sleep(0.1)
until = time.monotonic() + 3
while time.monotonic() < until:
    hashlib.pbkdf2_hmac('sha256', b'', b'', 10**6)
baserate.cli._app.run = None
print('done')
"""
    process = started(["-c", PATCHED], script, stderr=follower)
    os.close(follower)
    printed, _ = process.communicate(timeout=LIMIT)
    shown = os.read(leader, 1 << 16).decode()
    os.close(leader)
    assert printed == b"done\n"
    assert "baserate: reading, " in shown
    assert "baserate: computing, " in shown
    assert "\x1b" not in shown
    assert shown.endswith(" \r")


@pytest.fixture
def watched(monkeypatch):
    """Watch this process on a terminal of its own, impatiently, and give its signals back."""
    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    for name, value in (("PATIENCE", 0.05), ("BEAT", 0.1), ("GRACE", 0.1)):
        monkeypatch.setattr(_watch, name, value)
    for name in ("_hushed", "_drawn", "_parted"):
        monkeypatch.setattr(_terminal, name, 0)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    leader, follower = pty.openpty()
    os.set_blocking(leader, False)
    with open(follower, "w") as stream:
        yield leader, stream
    os.close(leader)
    for one, handler in before.items():
        signal.signal(one, handler)


def shown_until(words, leader, act):
    """Act again and again until these words are on the terminal; return all that is."""
    shown, until = "", time.monotonic() + 20
    while words not in shown and time.monotonic() < until:
        act()
        time.sleep(0.02)
        with suppress(BlockingIOError):
            shown += os.read(leader, 1 << 16).decode()
    return shown


def test_the_passing_line_of_a_watch_goes_with_it(watched, monkeypatch):
    leader, stream = watched
    monkeypatch.setattr(sys, "stderr", stream)
    with _watch.Watch():
        assert "\rbaserate: reading, 50%, " in shown_until(
            "reading", leader, lambda: _watch.reading(0.5)
        )
        assert "\rbaserate: computing, " in shown_until("computing", leader, lambda: None)
    assert signal.set_wakeup_fd(-1) == -1
    assert "baserate-watch" not in {thread.name for thread in threading.enumerate()}
    _terminal.draw("more")
    assert os.read(leader, 1 << 16).endswith(b" \r")


def test_a_watch_ends_the_process_once_it_is_told_to(watched, monkeypatch):
    leader, stream = watched
    codes = []
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(os, "_exit", codes.append)
    with pytest.raises(KeyboardInterrupt), _watch.Watch():
        signal.raise_signal(signal.SIGTERM)
    assert codes == [143, 143]  # as it leaves, and by its thread, were it not to leave
    assert os.read(leader, 99) == b"baserate: terminated.\r\n"


def test_an_error_that_nobody_hears_is_no_other_error(monkeypatch):
    heard, said = os.pipe()
    os.close(heard)
    with open(said, "w") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        _terminal.say("nobody")


@pytest.mark.slow
def test_nothing_is_shown_in_a_pipe_or_of_what_is_soon_done():
    process = started(["-c", PATCHED], "time.sleep(2)")
    assert process.communicate(timeout=LIMIT) == (b"", b"")
    leader, follower = pty.openpty()
    process = started(["-c", PATCHED], "pass", stderr=follower)
    process.communicate(timeout=LIMIT)
    os.write(follower, b"end")
    os.close(follower)
    assert os.read(leader, 99).endswith(b"end")
    os.close(leader)


def wait_for_the_watch(process):
    """Wait until it has begun to attend to signals: it has a second thread then."""
    until = time.monotonic() + LIMIT
    while len(os.listdir(f"/proc/{process.pid}/task")) < 2:
        assert time.monotonic() < until
        time.sleep(0.01)

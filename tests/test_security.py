"""What SECURITY.md promises: input is data, and nothing leaves the machine."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import baserate

HERE = Path(__file__).parents[1]
SOURCE = Path(baserate.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
# What runs text as code, starts programs, or makes objects of bytes.
FORBIDDEN = {
    "eval", "exec", "compile", "__import__", "pickle.load", "pickle.loads", "marshal.loads",
    "os.system", "os.popen", "subprocess.run", "subprocess.Popen", "runpy.run_path", "yaml.load",
    "joblib.load", "shelve.open",
}  # fmt: skip
REACHING = {"requests", "httpx", "http", "ftplib", "smtplib", "urllib.request", "aiohttp"}

# An audit hook sees every connection and look-up that Python makes, whoever asks for it.
GUARD = """
import sys
EVENTS = {"socket.connect", "socket.getaddrinfo", "socket.bind", "urllib.Request",
          "subprocess.Popen", "os.system", "os.exec", "pickle.find_class"}
def guard(event, arguments):
    if event in EVENTS:
        sys.stderr.write(f"{event}{arguments}\\n")
        raise SystemExit(99)
sys.addaudithook(guard)
"""


def called(node):
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{called(node.value)}.{node.attr}"
    return ""


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield str(node.module)


def breaches(source):
    tree = ast.parse(source)
    calls = {called(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return sorted(calls & FORBIDDEN) + sorted(REACHING.intersection(imported(tree)))


@pytest.mark.slow
def test_no_module_runs_text_or_reaches_out():
    found = {str(path.relative_to(SOURCE)): breaches(path.read_text()) for path in MODULES}
    assert {path: why for path, why in found.items() if why} == {}


@pytest.mark.parametrize(
    "source",
    ["eval('1')", "import pickle\npickle.loads(b'')", "from urllib.request import urlopen"],
)
def test_a_breach_is_found(source):
    assert breaches(source)


def guarded(code, *arguments, folder):
    return subprocess.run(
        [sys.executable, "-c", GUARD + code, *arguments],
        cwd=folder, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def test_the_guard_sees_a_connection(tmp_path):
    found = guarded("import socket; socket.create_connection(('127.0.0.1', 9))", folder=tmp_path)
    assert (found.returncode, found.stderr[:18]) == (99, "socket.getaddrinfo")


COMMAND = """
from baserate.cli import main
sys.argv[0] = "baserate"
sys.exit(main())
"""
COLUMNS = ["--target", "affair", "--positive", "yes"]
AFFAIRS = str(HERE / "examples" / "affairs.csv")


@pytest.mark.sweep(4, start=3)
@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", AFFAIRS, *COLUMNS, "--prediction", "predicted", "--output", "page.html"],
        ["audit", AFFAIRS, *COLUMNS, "--prediction", "predicted", "--group", "occupation"],
        ["threshold", AFFAIRS, *COLUMNS, "--score", "score", "--format", "json"],
        ["metrics"],
    ],
    ids=lambda words: words[0],
)
def test_commands_reach_nobody(words, tmp_path):
    found = guarded(COMMAND, *words, folder=tmp_path)
    assert (found.returncode, found.stderr) == (0, "")


@pytest.mark.slow
def test_configuration_is_data(tmp_path):
    """Text that would be code elsewhere is text: refused as a name, not run."""
    bomb = "__import__('os').system('touch ran')"
    (tmp_path / "baserate.toml").write_text(f'metrics = "{bomb}"\n')
    found = guarded(COMMAND, "evaluate", AFFAIRS, *COLUMNS, "--prediction", "predicted",
                    folder=tmp_path)  # fmt: skip
    assert found.returncode == 2
    assert "Traceback" not in found.stderr
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("metric", ["f_beta(beta=__import__('os').getpid())", "utility(open('x'))"])
def test_parameters_of_metrics_are_literals(metric):
    with pytest.raises(baserate.errors.BaserateError):
        baserate.metrics.get(metric)


def test_saved_histograms_are_data(tmp_path):
    """No file of histograms is unpickled, also not one that holds a pickle."""
    path = tmp_path / "day.json"
    path.write_text(
        json.dumps({"format": "pickle", "payload": "gASVIAAAAAAAAACMBXBvc2l4lIwGc3lzdGVt"})
    )
    with pytest.raises(baserate.errors.BaserateError):
        baserate.ScoreHistogram.load(path)

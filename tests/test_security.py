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
    "eval", "exec", "compile", "__import__", "pickle.load", "pickle.loads", "pickle.Unpickler",
    "marshal.load", "marshal.loads",
    "os.system", "os.popen", "os.execv", "os.execvp", "os.posix_spawn", "subprocess.run",
    "subprocess.call", "subprocess.check_call", "subprocess.check_output", "subprocess.Popen",
    "runpy.run_path", "runpy.run_module", "yaml.load", "joblib.load", "shelve.open", "np.load",
    "numpy.load", "np.loadtxt", "np.genfromtxt", "pd.read_pickle", "pandas.read_pickle", "pd.eval",
    "pandas.eval", "code.interact", "ctypes.CDLL",
}  # fmt: skip
REACHING = {
    "requests", "httpx", "http", "http.client", "http.server", "ftplib", "smtplib", "socket",
    "ssl", "socketserver", "urllib.request", "urllib3", "aiohttp", "fsspec", "telnetlib",
    "xmlrpc.client", "webbrowser", "ctypes", "dill", "imaplib", "poplib",
}  # fmt: skip

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
    # Named without being called, too: what is handed on, or called by another name, is run as well.
    names = {called(node) for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Attribute)}
    taken = {f"{m}.{name}" for m, name in imported_names(tree)}
    return sorted((names | taken) & FORBIDDEN) + sorted(REACHING.intersection(imported(tree)))


def imported_names(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and not node.level:
            yield from ((node.module, alias.name) for alias in node.names)


@pytest.mark.slow
def test_no_module_runs_text_or_reaches_out():
    found = {str(path.relative_to(SOURCE)): breaches(path.read_text()) for path in MODULES}
    # Ctrl-C wakes a thread through a pair of sockets, which lead nowhere else.
    assert {path: why for path, why in found.items() if why} == {"cli/_watch.py": ["socket"]}
    watch = ast.walk(ast.parse((SOURCE / "cli" / "_watch.py").read_text()))
    used = {n.attr for n in watch if isinstance(n, ast.Attribute) and called(n.value) == "socket"}
    assert used == {"socketpair"}


@pytest.mark.parametrize(
    "source",
    [
        "eval('1')",
        "import pickle\npickle.loads(b'')",
        "from urllib.request import urlopen",
        "from pickle import loads",
        "run = exec",
        "map(eval, ['1'])",
        "import socket",
    ],
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
STORY = str(HERE / "examples" / "story")
COUNTS, COUNTED = ("day.csv", "night.csv"), "tp,fn,fp,tn\n{},2,3,7\n"


@pytest.mark.sweep(4, start=3)
@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", AFFAIRS, *COLUMNS, "--prediction", "predicted", "--output", "page.html"],
        ["audit", AFFAIRS, *COLUMNS, "--prediction", "predicted", "--group", "occupation"],
        ["threshold", AFFAIRS, *COLUMNS, "--score", "score", "--format", "json"],
        ["metrics"],
        ["compare", f"{STORY}_counts.csv", "--counts", "--utility", f"{STORY}.toml"],
        ["baseline", "--positives", "30", "--negatives", "70"],
        ["sample-size", "--base-rate", "0.1", "--auc", "0.8"],
        ["examples"],
        ["count", AFFAIRS, *COLUMNS, "--prediction", "predicted", "--output", "counts.csv"],
        ["merge", *COUNTS, "--output", "sum.csv"],
    ],
    ids=lambda words: words[0],
)
def test_commands_reach_nobody(words, tmp_path):
    for tp, path in enumerate(COUNTS, start=8):
        (tmp_path / path).write_text(COUNTED.format(tp))
    found = guarded(COMMAND, *words, folder=tmp_path)
    assert found.returncode == 0, found.stderr
    written = f"baserate: {words[-1]} written.\n" if "--output" in words else ""
    assert found.stderr == written


@pytest.mark.slow
def test_every_command_is_guarded():
    from baserate.cli._app import COMMANDS

    asked = {mark.args[1][i][0] for mark in test_commands_reach_nobody.pytestmark
             if mark.name == "parametrize" for i in range(len(mark.args[1]))}  # fmt: skip
    assert asked == set(COMMANDS)


DOORS = """
import baserate as br
y, p, s = [1, 1, 0, 0, 1, 0] * 9, [1, 0, 0, 1, 1, 0] * 9, [i / 54 for i in range(54)]
tables = {"a": br.ConfusionMatrix(tp=8, fn=2, fp=3, tn=7),
          "b": br.ConfusionMatrix(tp=6, fn=4, fp=1, tn=9)}
classes = [0, 1, 2] * 18
for result in [br.evaluate(y, p), br.evaluate(classes, classes), br.compare(tables),
               br.thresholds(y, s), br.audit(tables), br.skill("f1", tables["a"])]:
    str(result), result.to_dict()
    if hasattr(result, "to_html"):
        result.to_html()
br.ScoreHistogram().add(y, s).save("day.json")
br.ScoreHistogram.load("day.json")
"""


@pytest.mark.slow
def test_doors_reach_nobody(tmp_path):
    found = guarded(DOORS, folder=tmp_path)
    assert found.returncode == 0, found.stderr


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

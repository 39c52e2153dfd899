"""The library is first used by many threads at once: modules load lazily, and in no circle.

An import holds the locks of all modules that it has begun. Two threads that begin a circle at two
places wait for each other, and Python then hands out a module that is half loaded.
"""

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import baserate

SOURCE = Path(baserate.__file__).parent
# One thread starts the command line.
MODULES = {
    ".".join(("baserate", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(
        ".__init__"
    ): path
    for path in SOURCE.rglob("*.py")
    if "cli" not in path.parts
}
THREADS = """
import random, sys, threading
sys.setswitchinterval(1e-6)
import baserate as br
Y, S, T = [1, 0, 1, 0] * 5, [0.9, 0.2, 0.6, 0.5] * 5, dict(tp=3, fn=1, fp=2, tn=2)
calls = [
    lambda: br.evaluate(Y, Y[1:] + Y[:1]),
    lambda: br.roc_auc(Y, S),
    lambda: br.ScoreHistogram().add(Y, S),
    lambda: br.thresholds(Y, S),
    lambda: br.confusion_matrix(Y, Y),
    lambda: br.compare(Y, {"a": Y, "b": Y[1:] + Y[:1]}),
    lambda: br.audit(Y, Y[1:] + Y[:1], groups=[1, 2] * 10),
    lambda: br.dutch_draw("f1", n_positive=3, n_negative=4),
    lambda: br.calibration(Y, S),
    lambda: br.interval("recall", br.ConfusionMatrix(**T)),
    lambda: br.displays.RocDisplay,
    lambda: br.UtilityMatrix([[1, 0], [0, 1]]),
    lambda: br.match_test("recall", br.ConfusionMatrix(**T), br.ConfusionMatrix(**T)),
    lambda: br.metrics.recall,
]
random.Random(int(sys.argv[1])).shuffle(calls)
together, failed = threading.Barrier(8), []
def first(call):
    together.wait()
    try:
        call()
    except BaseException as error:
        failed.append(f"{type(error).__name__}: {error}")
threads = [threading.Thread(target=first, args=(call,), daemon=True) for call in calls[:8]]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join(60)
print(*failed, *(thread for thread in threads if thread.is_alive()))
"""


def homes():
    """Return the module of every name that a package loads lazily."""
    found = {}
    for package, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            call = isinstance(node, ast.Call) and ast.unparse(node.func) == "lazy_names"
            if call and isinstance(node.args[1], ast.Dict):  # `results`, which no module imports
                modules = ast.literal_eval(node.args[1])
                found |= {
                    f"{package}.{x}": f"{package}.{m}" for m, xs in modules.items() for x in xs
                }
    return found


def imports(node):
    """Yield what runs when a module is loaded: neither functions nor what type checkers read."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        typed = isinstance(part, ast.If) and ast.unparse(part.test) == "TYPE_CHECKING"
        child = ast.Module(part.orelse, []) if typed else part
        if isinstance(child, ast.ImportFrom) and (child.module or "").startswith("baserate"):
            yield child.module
            yield from (f"{child.module}.{alias.name}" for alias in child.names)
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        yield from imports(child)


@pytest.mark.slow
def test_no_module_needs_one_that_needs_it():
    lazily, graph = homes(), {}
    for name, path in MODULES.items():
        needed = {lazily.get(each, each) for each in imports(ast.parse(path.read_text("utf-8")))}
        around = {each.rpartition(".")[0] for each in {name, *needed} if each.count(".")}
        graph[name] = ((needed | around) & MODULES.keys()) - {name}
    assert "baserate.counts" in graph["baserate.cases.counted"]
    TopologicalSorter(graph).prepare()  # raises CycleError


@pytest.mark.sweep(8)
@pytest.mark.parametrize("seed", range(8))
def test_eight_threads_may_begin_at_once(seed):
    words = [sys.executable, "-c", THREADS, str(seed)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout.strip() == ""

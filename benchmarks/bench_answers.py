"""Whole answers: CPU seconds of calls as users make them, beside an earlier commit of this project.

Each case runs in processes of its own, this checkout and the earlier one in turn; user and system
time count, of the call alone (imports, and small calls that read a file, come before) or of the
whole command.

    python benchmarks/bench_answers.py COMMIT [case ...]
"""

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
AFFAIRS = 'dict(target="affair", prediction="predicted", positive="yes")'
BEFORE = """
import os, tempfile, time
import numpy as np
import baserate as br
FILE = {file!r}
NAMES = ("accuracy", "recall", "specificity", "precision", "f1", "matthews_correlation",
         "balanced_accuracy", "negative_predictive_value")
EVERY = tuple(br.metrics.CATALOGUE)
MINE = {affairs}
def small_groups():
    rng = np.random.default_rng(0)
    sizes = rng.integers(5, 51, 1000)
    group = np.repeat(np.arange(1000), sizes)
    truth = rng.random(len(group)) < 0.3
    return truth, np.where(rng.random(len(group)) < 0.8, truth, ~truth), group
with tempfile.TemporaryDirectory() as folder:  # so that what a call loads is not its own cost
    few = os.path.join(folder, "few.csv")
    with open(few, "w") as file:
        file.write("y,p,g\\n1,1,a\\n0,0,a\\n1,0,b\\n0,1,b\\n")
    given = dict(target="y", prediction="p", groups="g", positive="1")
    br.evaluate(few, **given).to_dict()
    br.audit(few, **given).to_dict()
"""
SMALL = "y, p, g = small_groups(); "
CALLS = {
    "evaluate": ("", "br.evaluate(FILE, **MINE).to_dict()"),
    "evaluate, six groups": ("", 'br.evaluate(FILE, groups="occupation", **MINE).to_dict()'),
    "evaluate, six groups, all metrics": (
        "",
        'br.evaluate(FILE, groups="occupation", metrics=EVERY, **MINE).to_dict()',
    ),
    "evaluate, sup, all metrics": (
        "",
        'br.evaluate(FILE, metrics=EVERY, p_value="sup", **MINE).to_dict()',
    ),
    "audit, six groups": ("", 'br.audit(FILE, groups="occupation", **MINE).to_dict()'),
    "evaluate, 1,000 groups x 8": (
        SMALL,
        "br.evaluate(y, p, groups=g, metrics=NAMES, many_groups=True).to_dict()",
    ),
    "audit, 1,000 groups x 8": (
        SMALL,
        "br.audit(y, p, groups=g, metrics=NAMES, many_groups=True).to_dict()",
    ),
}
FLAGS = [
    "examples/affairs.csv",
    "--target",
    "affair",
    "--prediction",
    "predicted",
    "--positive",
    "yes",
]
COMMANDS = {
    "baserate --version": ["--version"],
    "baserate evaluate": ["evaluate", *FLAGS],
    "baserate evaluate --group": ["evaluate", *FLAGS, "--group", "occupation"],
    "baserate audit --group": ["audit", *FLAGS, "--group", "occupation"],
    "import baserate": None,
}


def cpu(command, checkout):
    """Return the CPU seconds of a whole command, and what it wrote."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    env = os.environ | threads | {"PYTHONPATH": str(checkout / "src")}
    before = os.times()
    done = subprocess.run(
        command, check=False, cwd=checkout, env=env, capture_output=True, text=True
    )
    after = os.times()
    if done.returncode:
        sys.exit(f"{' '.join(command)[-200:]}\n{done.stderr[-2000:]}")
    used = after.children_user + after.children_system
    return used - before.children_user - before.children_system, done.stdout


def of_call(name, checkout):
    before, call = CALLS[name]
    setting = BEFORE.format(file=str(checkout / "examples/affairs.csv"), affairs=AFFAIRS)
    code = f"{setting}\n{before}\nt = time.process_time(); {call}\nprint(time.process_time() - t)"
    return float(cpu([sys.executable, "-c", code], checkout)[1])


def of_command(name, checkout):
    given = COMMANDS[name]
    code = "import sys; from baserate.cli import main; sys.exit(main())"
    if given is None:
        return cpu([sys.executable, "-c", name], checkout)[0]
    return cpu([sys.executable, "-c", code, *given], checkout)[0]


def compare(name, measure, earlier):
    """Print the medians of three runs each, in turn; one run where it takes long."""
    ours, theirs = [], []
    while len(ours) < 3 and sum(theirs) < 60:
        theirs.append(measure(name, earlier))
        ours.append(measure(name, ROOT))
    now, then = statistics.median(ours), statistics.median(theirs)
    print(f"| {name} | {now:.3g} | {then:.3g} | {then / now:.1f} |", flush=True)


def main(commit, *chosen):
    print("| call | now, CPU s | before, CPU s | ratio |\n|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        earlier = Path(folder) / "earlier"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(earlier), commit], check=True)
        try:
            for names, measure in ((CALLS, of_call), (COMMANDS, of_command)):
                for name in names:
                    if not chosen or name in chosen:
                        compare(name, measure, earlier)
        finally:
            subprocess.run([*git, "remove", "--force", str(earlier)], check=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])

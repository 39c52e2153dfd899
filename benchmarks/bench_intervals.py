"""Intervals: one table, all metrics, many tables in one call, differences of two; CPU milliseconds.

Beside the same calls one table at a time, beside statsmodels for proportions, and beside an earlier
commit of this project where its name is given (its worktree is made in a temporary folder).

    python benchmarks/bench_intervals.py [COMMIT]
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SETUP = """
import time
import numpy as np
from baserate import ConfusionMatrix, metrics
from baserate.inference import interval
from baserate.inference.separate_samples import compare_separate
from baserate.groups import pair_interval

CELLS = ("tp", "fn", "fp", "tn")
HEADLINE = ("accuracy", "recall", "specificity", "precision", "npv", "f1", "jaccard",
            "balanced_accuracy", "informedness", "markedness", "mcc", "kappa")
EVERY = [m.name for m in metrics.CATALOGUE]
SEVEN = [(150, 28, 40, 382), (35, 5, 10, 50), (500, 1553, 350, 3963), (3, 1, 2, 4), (4, 0, 2, 9),
         (7, 3, 5, 20), (60_000, 20_000, 40_000, 880_000)]
PAIRS = [((7, 3, 5, 20), (4, 2, 3, 11)), ((3, 1, 2, 4), (1, 2, 0, 5)), ((4, 0, 2, 9), (0, 2, 3, 0))]
rng = np.random.default_rng(0)
SIZES = rng.integers(5, 51, 1000)
SMALL = np.array([rng.multinomial(n, rng.dirichlet([4, 2, 2, 6])) for n in SIZES])

def table(cells):
    return ConfusionMatrix(**dict(zip(CELLS, np.asarray(cells).T.tolist(), strict=True)))

def each(names, tables):
    return [interval(name, one) for name in names for one in tables]

def gaps(name):
    for a, b in PAIRS:
        try:
            pair_interval(name, table(a), table(b))
        except Exception:
            pass

interval("mcc", table((3, 2, 4, 9)))
"""
CASES = {
    "one table x 12 headline metrics": "each(HEADLINE, [table(SEVEN[0])])",
    "7 tables x 44 metrics": "each(EVERY, [table(c) for c in SEVEN])",
    "100 small tables x 12, one by one": "each(HEADLINE, [table(c) for c in SMALL[:100]])",
    "difference(precision), 3 small pairs": 'gaps("difference(precision)")',
    "difference(f1), 3 small pairs": 'gaps("difference(f1)")',
    "difference(f2), 3 small pairs": 'gaps("difference(f2)")',
    "difference(mcc), 3 small pairs": 'gaps("difference(mcc)")',
    "ratio(recall), 3 small pairs": 'gaps("ratio(recall)")',
    "ratio(f05), 3 small pairs": 'gaps("ratio(f05)")',
}
OURS = {
    "1,000 small tables x 12 in 12 calls": "[interval(m, table(SMALL)) for m in HEADLINE]",
    "the same to 1e-11": "[interval(m, table(SMALL), tolerance=1e-11) for m in HEADLINE]",
    "accuracy of 1,000 tables": 'interval("accuracy", table(SMALL))',
}
PEER = """
from statsmodels.stats.proportion import proportion_confint
x, n = SMALL[:, [0, 3]].sum(axis=1), SMALL.sum(axis=1)
"""


def milliseconds(code: str, source: Path, setup: str = "") -> float:
    program = f"{SETUP}\n{setup}\nstart = time.process_time()\n{code}\n"
    program += "print(time.process_time() - start)"
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(source), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return 1e3 * float(run.stdout)


def main(commit: str | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        before = Path(folder) / "before"
        if commit:
            git = ["git", "-C", str(ROOT), "worktree"]
            subprocess.run([*git, "add", "-q", "--detach", str(before), commit], check=True)
        for name, code in CASES.items():
            ours = min(milliseconds(code, ROOT / "src") for _ in range(3))
            line = f"{name:40s} {ours:9.1f} ms"
            if commit:
                theirs = min(milliseconds(code, before / "src") for _ in range(3))
                line += f"  before {theirs:9.1f}  ratio {theirs / ours:6.1f}"
            print(line, flush=True)
        if commit:
            subprocess.run([*git, "remove", "--force", str(before)], check=True)
    for name, code in OURS.items():
        print(f"{name:40s} {milliseconds(code, ROOT / 'src'):9.1f} ms", flush=True)
    peer = milliseconds('proportion_confint(x, n, method="jeffreys")', ROOT / "src", PEER)
    print(f"{'accuracy of 1,000 tables, statsmodels':40s} {peer:9.1f} ms")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)

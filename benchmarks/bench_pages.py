"""Pages of reports: bytes of each example's (limit 250 kB), and CPU that a page adds.

    python benchmarks/bench_pages.py

The evaluation is of ten groups with scores; in turn with it the same with its report as text, and
with its page. Limit of what a page adds to text: 0.3 s.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import numpy as np
import pandas as pd

import baserate as br
from browser.reports import PAGES, page

LARGEST = 250_000  # bytes
SLOWEST = 0.3  # CPU seconds


def ten_groups(n=5000, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.2
    risk = 1 / (1 + np.exp(-(rng.normal(size=n) + 2 * truth - 2)))
    group = rng.integers(10, size=n).astype(str)
    return pd.DataFrame({"truth": truth, "risk": risk, "group": group})


def cpu(*works, repeats=5):
    """Return the least CPU seconds of each in some runs, which take turns."""
    best = [np.inf] * len(works)
    for _ in range(1 + repeats):
        for i, work in enumerate(works):
            start = time.process_time()
            work()
            best[i] = min(best[i], time.process_time() - start)
    return best


def main():
    for name in PAGES:
        size = len(page(name).encode())
        print(f"{name}: {size / 1000:.0f} kB{'  TOO LARGE' if size > LARGEST else ''}")
    frame = ten_groups()

    def evaluated():
        return br.evaluate(frame, target="truth", score="risk", groups="group")

    works = evaluated, lambda: evaluated().render("table"), lambda: evaluated().to_html()
    bare, text, whole = cpu(*works)
    print(f"evaluation of ten groups {bare:.2f} s, with text {text:.2f} s, with page {whole:.2f} s")
    late = "  TOO SLOW" if whole - text > SLOWEST else ""
    print(f"a page adds {whole - text:.2f} s to text, {whole - bare:.2f} s to none{late}")


if __name__ == "__main__":
    main()

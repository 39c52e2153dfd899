"""Pages of reports: bytes of each example's (limit 250 kB), CPU that a page adds, and of a redraw.

    python benchmarks/bench_pages.py

The evaluation is of ten groups with scores; in turn with it the same with its report as text, and
with its page. Limit of what a page adds to text: 0.3 s. Redraws of the explorer, with their layout,
are timed in Chromium as CPU of the page's thread; limit: 16 ms.
"""

import sys
import tempfile
import time
from pathlib import Path
from shutil import which

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import numpy as np
import pandas as pd

import baserate as br
from browser.reports import PAGES, page
from browser.visit import Visit

LARGEST = 250_000  # bytes
SLOWEST = 0.3  # CPU seconds
FRAME = 16  # ms
REDRAWS = 100
CHANGES = {
    "cut": "{cut: (7 * i) % data.curves[0].at.length}",
    "base rate": "{baseRate: 0.01 + 0.0037 * i}",
    "tau": "{tau: 0.01 + 0.0037 * i}",
    "group": "{curve: i % data.curves.length, cut: 3}",
}


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


def redraws(browser, name):
    """Yield what is changed, and the CPU milliseconds of each of a hundred redraws, sorted."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_text(page(name), encoding="utf-8")
        visit = Visit(browser, path)
        meter = visit.context.new_cdp_session(visit.page)
        meter.send("Performance.enable", {"timeDomain": "threadTicks"})
        for what, change in CHANGES.items():
            act = f"""i => {{
                const {{ data, show }} = document.querySelector("[data-explorer]").explorer;
                show({change});
                document.body.getBoundingClientRect();
            }}"""
            times = [spent(meter)]
            for i in range(REDRAWS):
                visit.page.evaluate(act, i)
                times.append(spent(meter))
            yield what, np.sort(np.diff(times))
        visit.close()


def spent(meter):
    found = meter.send("Performance.getMetrics")["metrics"]
    return next(1000 * entry["value"] for entry in found if entry["name"] == "TaskDuration")


def redrawn():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=which("chromium"), args=["--no-sandbox"])
        for name in ("groups", "compare-scores"):
            for what, times in redraws(browser, name):
                median, late = times[REDRAWS // 2], times[REDRAWS * 95 // 100]
                slow = "  TOO SLOW" if median > FRAME else ""
                print(f"redraw of {name}, {what}: median {median:.1f} ms, p95 {late:.1f} ms{slow}")
        browser.close()


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
    redrawn()


if __name__ == "__main__":
    main()

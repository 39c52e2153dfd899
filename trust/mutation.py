"""Plant faults in the code, one at a time, and see which the tests let pass.

`python -m trust.mutation` takes a sample of each package, by a seed; each mutant is asked of the
tests that reach its line, near and quick ones first. Survivors that change nothing anyone could see are
explained in trust/survivors.json, by file, line of source and operator.
"""

import argparse
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from trust.mutants import Site, planted, sites
from trust.reach import ROOT, SOURCE, Reach

PACKAGES = (
    "metrics", "models", "questions", "baselines", "inference", "groups", "tuning", "utilities",
    "cases", "curves",
)  # fmt: skip
RECORD = Path(__file__).with_name("mutation.json")
WHY = Path(__file__).with_name("survivors.json")
AT_MOST = 40.0  # seconds of tests that one mutant is asked of
STEPS = (2.0, AT_MOST)  # seconds of tests: most mutants fall in the first step
COPIED = ("src", "tests", "papers", "docs", "examples", "benchmarks", "trust", "pyproject.toml",
          "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CITATION.cff", "Makefile")  # fmt: skip
MEMORY = 6 << 30


def main() -> int:
    """Run the command; the exit code says whether a survivor is without an explanation."""
    parser = argparse.ArgumentParser(prog="python -m trust.mutation", description=__doc__)
    parser.add_argument("--package", choices=PACKAGES, action="append")
    parser.add_argument("--sample", type=int, default=60, help="mutants of each package")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    given = parser.parse_args()
    record = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {"packages": {}}
    record |= {"seed": given.seed, "seconds of tests at most": AT_MOST}
    with Farm(given.workers) as farm:
        for package in given.package or PACKAGES:
            record["packages"][package] = tested(package, given.sample, given.seed, farm)
            RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")
    left = [s for found in record["packages"].values() for s in found["survivors"] if not s["why"]]
    return 1 if left else 0


def tested(package: str, sample: int, seed: int, farm: "Farm") -> dict[str, Any]:
    """Return what became of a sample of the faults of one package."""
    files = sorted((ROOT / SOURCE / package).rglob("*.py"))
    every = [site for file in files for site in sites(file, ROOT)]
    chosen = random.Random(f"{seed} {package}").sample(every, min(sample, len(every)))
    tally: Counter[str] = Counter()
    survivors = []
    for site, (fate, after, n_tests) in farm.ask(chosen):
        tally[fate] += 1
        sign = "." if fate == "killed" else fate[0].upper()
        print(sign, end="", flush=True)
        if fate in {"survived", "not reached"}:
            told = {"file": site.path, "line": site.line, "source": site.before}
            told |= {"operator": site.operator, "after": after, "tests": n_tests, "why": ""}
            survivors.append(told | {"why": explained(told)})
    print(f"\n{package}: {tally['killed'] + tally['timeout']} of {len(chosen)}", flush=True)
    open_ = [s for s in survivors if not s["why"]]
    return {
        "sites": len(every), "sampled": len(chosen), "killed": tally["killed"],
        "timeouts": tally["timeout"], "explained": len(survivors) - len(open_),
        "survivors": survivors,
    }  # fmt: skip


def explained(survivor: dict[str, Any]) -> str:
    """Return why no test could notice, if somebody found out."""
    known = json.loads(WHY.read_text("utf-8")) if WHY.exists() else []
    keys = ("file", "source", "operator")
    same = [w["why"] for w in known if all(w[k] == survivor[k] for k in keys)]
    return same[0] if same else ""


class Farm:
    """Processes with a copy of the project each, which mutants are planted into."""

    def __init__(self, n: int) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="mutants-", dir=_memory()))
        self.reach = Reach()
        places = get_context("fork").Queue()
        for k in range(n):
            place = self.folder / str(k)
            for name in COPIED:
                if (ROOT / name).is_dir():
                    shutil.copytree(ROOT / name, place / name)
                elif (ROOT / name).exists():
                    shutil.copy2(ROOT / name, place / name)
            places.put(place)
        self.pool = ProcessPoolExecutor(n, get_context("fork"), _settle, (places,))

    def __enter__(self) -> "Farm":
        return self

    def __exit__(self, *_: object) -> None:
        self.pool.shutdown(cancel_futures=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, chosen: Iterable[Site]) -> Iterable[tuple[Site, tuple[str, str, int]]]:
        """Yield each site with its fate, the line as planted, and the number of tests asked."""
        jobs = [(site, self._steps(site)) for site in chosen]
        return zip([site for site, _ in jobs], self.pool.map(_fate, jobs), strict=True)

    def _steps(self, site: Site) -> list[tuple[list[str], float]]:
        tests = self.reach.tests(site.path, site.line, site.scope)
        steps, at = [], 0
        for limit in STEPS:
            step, spent = [], 0.0
            while at < len(tests) and spent < limit and len(step) < 50 * limit:
                step.append(tests[at])
                spent += self.reach.took(tests[at])
                at += 1
            if step:
                steps.append((step, spent))
        return steps


def _memory() -> str | None:
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _settle(places: Any) -> None:
    """Take one copy as home, and load what is slow to load and never mutated."""
    os.chdir(places.get())
    sys.path[:0] = [str(Path("src").resolve()), str(Path.cwd())]
    os.environ["PYTHONPATH"] = str(Path("src").resolve())
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
    os.environ["BASERATE_FORBID_SKIPS"] = "0"
    for name in [m for m in sys.modules if m.partition(".")[0] in {"baserate", "trust"}]:
        if name.startswith("baserate"):
            del sys.modules[name]
    import compileall

    compileall.compile_dir("src", quiet=2)
    for name in ("numpy", "scipy.stats", "scipy.optimize", "scipy.integrate", "scipy.special",
                 "pytest", "hypothesis.strategies", "hypothesis.extra.numpy", "pandas", "polars",
                 "pyarrow", "sklearn.metrics", "mpmath", "narwhals"):  # fmt: skip
        __import__(name)
    sys.dont_write_bytecode = True


def _fate(job: tuple[Site, list[tuple[list[str], float]]]) -> tuple[str, str, int]:
    site, steps = job
    file = Path(site.path)
    text, times = file.read_text("utf-8"), file.stat()
    mutant, after = planted(text, site.number)
    if not steps:
        return "not reached", after, 0
    try:
        file.write_text(mutant, "utf-8")
        os.utime(file, (times.st_atime, times.st_mtime + 10 + site.number))
        for tests, seconds in steps:
            fate = _run(tests, seconds)
            if fate != "survived":
                return fate, after, len(tests)
        return "survived", after, sum(len(tests) for tests, _ in steps)
    finally:
        file.write_text(text, "utf-8")
        os.utime(file, (times.st_atime, times.st_mtime))


def _run(tests: list[str], seconds: float) -> str:
    child = os.fork()
    if not child:
        os._exit(_asked(tests, seconds))
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return "timeout" if os.WTERMSIG(status) in {signal.SIGALRM, signal.SIGXCPU} else "killed"
    # 5: no test of this name is left to run
    return "survived" if os.WEXITSTATUS(status) in {0, 5} else "killed"


def _asked(tests: list[str], seconds: float) -> int:
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(int(60 + 10 * seconds))
    files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
    try:
        import pytest

        return int(
            pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *files],
                        plugins=[_Only(tests)])
        )  # fmt: skip
    except BaseException:  # noqa: BLE001 - whatever a mutant brings down
        return 1


class _Only:
    """Of the files collected, these tests alone, in this order."""

    def __init__(self, tests: list[str]) -> None:
        self.rank = {test: k for k, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        wanted = [item for item in items if item.nodeid in self.rank]
        items[:] = sorted(wanted, key=lambda item: self.rank[item.nodeid])


if __name__ == "__main__":
    sys.exit(main())

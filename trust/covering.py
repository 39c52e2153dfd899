"""Which tests run which line, by one run of the tests under `coverage`, and what no test runs.

Coverage notes for each line the tests that were under way when it ran. A line of a function is
attacked by these tests; a line that runs once, when its module is imported, by the tests of any
line of its file.
"""

import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import chain
from pathlib import Path

from trust.mutants import SOURCES, Mutant

ROOT = SOURCES.parent
# What is known of a test that never ran, in seconds of CPU.
UNKNOWN = 0.1
# Packages whose tests start other tools' threads, which a fork does not inherit: only mutants of
# the package itself are tried by them, each in a process that starts no thread before.
THREADED = ("cli", "adapters", "engines", "browser")
# What is kept from call to call ran in one test, though many need it: then the file's tests help.
FEW = 20
_CONFIGURATION = """[run]
branch = true
source = {sources}
data_file = {data}
parallel = true
"""


@dataclass
class Covering:
    """The tests of each line of each file, and how long each test takes."""

    folder: Path
    lines: dict[str, dict[int, frozenset[str]]]
    seconds: dict[str, float] = field(default_factory=dict)
    known: frozenset[str] = frozenset()

    @classmethod
    def read(cls, folder: Path, paths: Iterable[str]) -> "Covering":
        """Read what a run under coverage left in a folder, of these files."""
        from coverage import CoverageData

        lines = dict[str, dict[int, set[str]]]()
        others = {path: _threaded_elsewhere(path) for path in paths}
        ran = set[str]()
        for file in sorted(folder.glob("coverage.data*")):
            data = CoverageData(str(file))
            data.read()
            ran |= {test.rpartition("|")[0] for test in data.measured_contexts()}
            for measured in data.measured_files():
                path = measured.rpartition("/src/")[2]
                if path in others:
                    for line, tests in data.contexts_by_lineno(measured).items():
                        known = lines.setdefault(path, {}).setdefault(line, set())
                        named = (test.rpartition("|")[0] for test in tests if test)
                        known.update(test for test in named if not test.startswith(others[path]))
        seconds = folder / "seconds.json"
        return cls(
            folder,
            {path: _moved(folder, path, known) for path, known in lines.items()},
            json.loads(seconds.read_text()) if seconds.exists() else {},
            frozenset(ran),
        )

    def learn(self, seconds: dict[str, float]) -> None:
        """Remember how long tests took, at best."""
        for test, spent in seconds.items():
            self.seconds[test] = min(spent, self.seconds.get(test, spent))

    def save(self) -> None:
        """Keep how long tests take for the next time."""
        (self.folder / "seconds.json").write_text(json.dumps(self.seconds))

    def tests(self, mutant: Mutant) -> list[str]:
        """Return the tests that run a mutant, those of its own package first, then the quickest.

        Of a test's many parameters one is tried first, then one of the next test.
        """
        lines = self.lines.get(mutant.path, {})
        found = frozenset[str]()
        for first, last in mutant.lines:
            found = frozenset().union(*(lines.get(n, ()) for n in range(first, last + 1)))
            if found:
                break
        own = found
        if len(own) < FEW:
            found = frozenset(chain.from_iterable(lines.values()))
        near = mutant.near
        seen, ranked = Counter[str](), []
        for test in sorted(found, key=lambda test: (self.seconds.get(test, UNKNOWN), test)):
            function = test.partition("[")[0]
            cost = self.seconds.get(test, UNKNOWN) * (1 + seen[function])
            seen[function] += 1
            ranked.append((test not in own, not test.startswith(near), cost, test))
        return [test for *_, test in sorted(ranked)]


def _threaded_elsewhere(path: str) -> tuple[str, ...]:
    """Return where tests with threads are, but those of this file's own package."""
    return tuple(f"tests/{name}/" for name in THREADED if f"/{name}/" not in path)


def _moved(folder: Path, path: str, lines: dict[int, set[str]]) -> dict[int, frozenset[str]]:
    """Give tests to the lines as they are now, where the file has changed since the run."""
    kept = folder / "src" / path
    now = (SOURCES / path).read_text(encoding="utf-8").splitlines()
    old = kept.read_text(encoding="utf-8").splitlines() if kept.exists() else now
    moved = dict[int, frozenset[str]]()
    for block in SequenceMatcher(None, old, now, autojunk=False).get_matching_blocks():
        for k in range(block.size):
            moved[block.b + k + 1] = frozenset(lines.get(block.a + k + 1, ()))
    return moved


def record(folder: Path, tests: list[str], marks: str = "not slow") -> None:
    """Run tests under coverage and leave in a folder which lines each runs, and the sources."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copytree(SOURCES, folder / "src", dirs_exist_ok=True)
    configuration = folder / "coveragerc"
    data = folder / "coverage.data"
    configuration.write_text(_CONFIGURATION.format(sources=SOURCES / "baserate", data=data))
    command = [sys.executable, "-m", "pytest", "-q", "-m", marks, "-p", "no:cacheprovider"]
    command += ["--cov", f"--cov-config={configuration}", "--cov-context=test", "--cov-report="]
    subprocess.run([*command, *tests], cwd=ROOT, check=True)

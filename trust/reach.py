"""Which tests reach which lines, and how long each takes: measured once, kept in `.trust/`."""

import os
import re
import subprocess
import sys
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".trust"
SOURCE = "src/baserate/"
TESTS = [
    *(f"tests/{name}" for name in (
        "baselines", "cases", "curves", "groups", "inference", "laws", "metrics", "models",
        "questions", "tuning", "utilities", "test_class_counts.py", "test_counts.py",
    )),
    "src",
]  # fmt: skip
TOOK = re.compile(r"\s*([\d.]+)s (?:call|setup)\s+(\S.*)$")
SHORT = 0.005  # seconds of a test that took no time worth printing

SETTINGS = """[run]
branch = true
source = {source}
data_file = {data}
parallel = true
"""


class Reach:
    """The map from lines to tests."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self.folder = folder
        if not (folder / "coverage").exists():
            measure(folder)

    @cached_property
    def seconds(self) -> dict[str, float]:
        """How long a test takes."""
        took: dict[str, float] = {}
        for line in (self.folder / "durations.txt").read_text(encoding="utf-8").splitlines():
            if found := TOOK.match(line):
                took[found[2]] = took.get(found[2], 0.0) + float(found[1])
        return took

    @cached_property
    def _data(self) -> tuple[object, dict[str, str]]:
        from coverage import CoverageData

        data = CoverageData(basename=str(self.folder / "coverage"))
        data.read()
        files = {name[name.index(SOURCE) :]: name for name in data.measured_files()}
        return data, files

    def lines(self, path: str) -> dict[int, set[str]]:
        """Return the tests that run each line of a file."""
        data, files = self._data
        if path not in files:
            return {}
        found = data.contexts_by_lineno(files[path])  # pyright: ignore[reportAttributeAccessIssue]
        return {
            line: {c.rpartition("|")[0] for c in who if "|" in c} for line, who in found.items()
        }

    def tests(self, path: str, line: int, scope: tuple[int, int]) -> list[str]:
        """Return the tests that run a line, those near to it and the quick ones first.

        What runs on import alone, such as a default or a constant, is asked of the tests that run
        the function around it, or else anything of the file.
        """
        lines = self.lines(path)
        within = [who for at, who in lines.items() if scope[0] <= at <= scope[1]]
        found = lines.get(line) or set().union(*within) or set().union(*lines.values())
        return sorted(found, key=lambda test: (self._far(path, test), self.took(test), test))

    def took(self, test: str) -> float:
        """Return the seconds of a test."""
        return self.seconds.get(test, SHORT)

    @staticmethod
    def _far(path: str, test: str) -> int:
        package, module = path.removeprefix(SOURCE).rpartition("/")[::2]
        if test.startswith(path):
            return 0  # its own examples
        stem = module.removesuffix(".py").strip("_")
        if test.startswith((f"tests/{package}/test_{stem}.", f"tests/{package}/test_{stem}s.")):
            return 1
        return 2 if test.startswith(f"tests/{package}/") else 3


def measure(folder: Path = FOLDER, tests: Iterable[str] = tuple(TESTS)) -> None:
    """Run the tests of the core with the lines of each noted: a quarter of an hour on two cores."""
    folder.mkdir(exist_ok=True)
    data = folder / "coverage"
    settings = folder / "coveragerc"
    settings.write_text(SETTINGS.format(source=ROOT / SOURCE, data=data), encoding="utf-8")
    command = [
        sys.executable, "-m", "pytest", "-q", "-n", "auto", "--dist", "loadfile", "-m", "not slow",
        "-p", "no:cacheprovider", "--durations=0", f"--durations-min={SHORT}", "--cov",
        f"--cov-config={settings}", "--cov-context=test", "--cov-report=", *tests,
    ]  # fmt: skip
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with (folder / "durations.txt").open("w", encoding="utf-8") as out:
        subprocess.run(command, cwd=ROOT, env=os.environ | threads, stdout=out, check=True)
    # pytest-cov combines what its workers measured into one file.

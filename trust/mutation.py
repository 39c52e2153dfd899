"""Mutants: how many small faults of a sample of lines the tests find, package by package.

    python -m trust.mutation [--package NAME ...] [--sample N] [--seed S]

mutmut and cosmic-ray start the tests anew for each mutant, which takes minutes for a library whose
tests take ten; here a mutant is tried in a fork, by the tests that run its line. The record is
`trust/mutation.json`; `trust/survivors.json` explains survivors, by file, line and change. The
record says which mutants were drawn: the same are tried again until another seed is asked for.
"""

import argparse
import importlib
import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from math import inf
from pathlib import Path
from random import Random
from typing import Any

from trust.covering import THREADED, Covering, record
from trust.mutants import SOURCES, Mutant, sample
from trust.scores import RECORD, SAME, branches, explanations, packages_of, recorded, rewrite, why
from trust.trials import Court, Trial

HERE = Path(__file__).resolve().parent
NOTES = "verdicts.jsonl"
PACKAGES = (
    *("metrics", "models", "questions", "baselines", "inference"),
    *("groups", "tuning", "utilities", "cases", "curves"),
    *("facts", "evaluation", "report", "displays", "estimators", "adapters", "cli"),
)
MODULES = ("counts", "class_counts")
VERDICTS = ("killed", "too_slow", "survived", "not_tried")
# What the tests import, so that forks need not.
_PRELOADED = (
    *("numpy", "scipy.stats", "scipy.special", "scipy.optimize", "scipy.integrate", "scipy.sparse"),
    *("pandas", "narwhals", "polars", "pyarrow", "mpmath", "array_api_strict", "statsmodels.api"),
    *("sklearn.linear_model", "sklearn.metrics", "sklearn.model_selection", "sklearn.ensemble"),
    *("pytest", "hypothesis", "hypothesis.extra.numpy", "statsmodels.stats.api"),
)


def main(arguments: list[str] | None = None) -> int:
    """Try a sample of mutants of each package and record what came of it."""
    asked = _parsed(arguments)
    folder = Path(asked.contexts)
    if not list(folder.glob("coverage.data*")):
        record(folder, ["tests", "src"])
    known = packages_of(recorded())
    drawn = {name: _drawn(name, known.get(name, {}), asked) for name in asked.package}
    mutants = [mutant for _, some in drawn.values() for mutant in some.values()]
    covering = Covering.read(folder, {mutant.path for mutant in mutants})
    more = tuple(asked.tests)
    trials = {
        mutant: Trial(mutant, covering.tests(mutant), more, covering.known) for mutant in mutants
    }
    keys = {mutant: key for _, some in drawn.values() for key, mutant in some.items()}
    if asked.survivors:
        _remember(trials, keys, known, folder / NOTES)
    if asked.minutes:
        _try(trials, covering, asked)
        covering.save()
    _save(drawn, trials, asked)
    return 0


def _drawn(name: str, known: dict[str, Any], asked: Any) -> tuple[int, dict[str, Mutant]]:
    """Return how many places a package has, and the mutants of the record or, if none, new ones."""
    same = known.get("seed") == asked.seed
    before = [key for how in VERDICTS for key in known.get(how, ())] if same else []
    return sample(_files(name), asked.sample, asked.seed, before)


def _remember(
    trials: dict[Mutant, Trial], keys: dict[Mutant, str], known: dict[str, Any], notes: Path
) -> None:
    """Take what came of a mutant from the record, and from the notes of runs that were stopped."""
    lines = notes.read_text(encoding="utf-8").splitlines() if notes.exists() else []
    explained = explanations()
    noted = {name: (killer, timeout) for name, killer, timeout in map(json.loads, lines)}
    for mutant, trial in trials.items():
        about, key = known.get(mutant.package, {}), keys[mutant]
        for how in VERDICTS[:3]:
            if key in about.get(how, {}):
                trial.judged, trial.timeout = True, how == "too_slow"
                trial.excused = how == "survived" and why(key, explained).startswith(SAME)
                trial.killer = "" if how == "survived" else about[how][key]
        if not trial.killed and repr(mutant) in noted:
            trial.judged, (trial.killer, trial.timeout) = True, noted[repr(mutant)]


def _parsed(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m trust.mutation", description=__doc__)
    names = (*PACKAGES, *MODULES)
    parser.add_argument("--package", nargs="+", choices=names, default=names)
    parser.add_argument("--sample", type=int, default=100, help="mutants of each package")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--minutes", type=float, default=inf, help="what is not tried then is out")
    parser.add_argument("--budget", type=float, default=60, help="seconds of CPU for a mutant")
    parser.add_argument("--contexts", default=str(HERE.parent / ".trust"), help="a folder to keep")
    parser.add_argument("--tests", nargs="*", default=[], help="files of tests to try first")
    parser.add_argument("--branches", action="store_true", help="count what no test runs, too")
    parser.add_argument("--alone", action="store_true", help="import the library for each mutant")
    parser.add_argument(
        "--survivors", action="store_true", help="not those killed lately, or explained"
    )
    return parser.parse_args(arguments)


def _files(name: str) -> list[Path]:
    """Return the files of a package that hold code, or the one module of this name."""
    root = SOURCES / "baserate" / name
    files = sorted(root.rglob("*.py")) if root.is_dir() else [root.with_suffix(".py")]
    return [path for path in files if path.name != "__init__.py"]


def _try(trials: dict[Mutant, Trial], covering: Covering, asked: argparse.Namespace) -> None:
    """Try mutants of functions together, the others alone; what no test runs survives."""
    sys.path.insert(0, str(SOURCES))
    for name in _PRELOADED:
        importlib.import_module(name)
    covered = [trial for trial in trials.values() if trial.tests or trial.more]
    covered = [trial for trial in covered if not (trial.killed or trial.excused)]
    for trial in trials.values():
        trial.judged |= not (trial.tests or trial.more)
    Random(asked.seed).shuffle(covered)
    with tempfile.TemporaryDirectory() as scratch:
        until = time.time() + 60 * asked.minutes
        court = Court(Path(scratch), covering.seconds, asked.jobs, asked.budget, until)
        quick = [trial for trial in covered if trial.mutant and trial.mutant.lines]
        quick = [trial for trial in quick if trial.mutant.package not in THREADED]
        quick = [] if asked.alone else quick
        _aside(court, quick, covering)
        left = [trial for trial in covered if not trial.killed and not trial.ran]
        _Progress(left, covering, "alone").over(court.alone)


def _aside(court: Court, trials: list[Trial], covering: Covering) -> None:
    """Try mutants in a process of its own, so that this one never imports the library."""
    results = court.scratch / "together.jsonl"
    results.touch()
    tests = sorted({test for trial in trials for test in (*trial.tests, *trial.more)})
    pid = os.fork() if trials else 0
    if not pid and trials:
        try:
            progress = _Progress(trials, covering, "together", results)
            progress.over(lambda some, tell: court.together(some, tests, tell))
        finally:
            sys.excepthook(*sys.exc_info()) if sys.exc_info()[0] else None
            os._exit(0)
    if pid:
        os.waitpid(pid, 0)
    for line in results.read_text(encoding="utf-8").splitlines():
        index, killer, timeout, ran, seconds = json.loads(line)
        trials[index].killer, trials[index].timeout, trials[index].ran = killer, timeout, ran
        trials[index].judged = True
        covering.learn(seconds)


@dataclass
class _Progress:
    """Tells how far the trials are."""

    trials: list[Trial]
    covering: Covering
    how: str
    results: Path | None = None
    done: int = 0

    def over(self, run: Any) -> None:
        """Run the trials."""
        run(self.trials, self.tell)

    def tell(self, trial: Trial) -> None:
        """Note one verdict."""
        trial.judged = True
        self.done += 1
        self.covering.learn(trial.seconds if not trial.killed else {})
        if self.results is not None:
            row = [self.trials.index(trial), trial.killer, trial.timeout, trial.ran, trial.seconds]
            with self.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        note = json.dumps([repr(trial.mutant), trial.killer, trial.timeout])
        with (self.covering.folder / NOTES).open("a", encoding="utf-8") as file:
            file.write(note + "\n")
        mutant, how = trial.mutant, trial.killer or "SURVIVED"
        print(
            f"{time.strftime('%H:%M:%S')} {self.how} {self.done}/{len(self.trials)} {how}"
            f" after {trial.ran} of {len(trial.tests)} ({sum(trial.seconds.values()):.1f} s) |"
            f" {mutant and mutant.path}:{mutant and mutant.line} {mutant and mutant.change}",
            file=sys.__stderr__,
            flush=True,
        )


def _save(
    drawn: dict[str, tuple[int, dict[str, Mutant]]],
    trials: dict[Mutant, Trial],
    asked: argparse.Namespace,
) -> None:
    """Write the record, keeping that of packages not tried now."""
    known = recorded()
    packages = packages_of(known)
    for name, (places, mutants) in drawn.items():
        some = {key: trials[mutant] for key, mutant in mutants.items()}
        packages[name] = {"places": places, "seed": asked.seed, **_verdicts(some)}
    order = [name for name in (*PACKAGES, *MODULES) if name in packages]
    kept = known | {"packages": {name: packages[name] for name in order}}
    if asked.branches:
        kept["branches"] = branches(Path(asked.contexts), list(PACKAGES), explanations())
    text = json.dumps(kept, indent=1, ensure_ascii=False)
    RECORD.write_text(text + "\n", encoding="utf-8")
    rewrite()


def _verdicts(trials: dict[str, Trial]) -> dict[str, Any]:
    """Return which mutants were killed and by which test, which survived, and which wait."""
    killed = {key: trial for key, trial in trials.items() if trial.killed}
    survived = {key: trial for key, trial in trials.items() if trial.judged and not trial.killed}
    return {
        "killed": {key: trial.killer for key, trial in killed.items() if not trial.timeout},
        "too_slow": {key: trial.killer for key, trial in killed.items() if trial.timeout},
        "survived": {key: _place(trial.mutant) for key, trial in survived.items()},
        "not_tried": [key for key, trial in trials.items() if not trial.judged],
    }


def _place(mutant: Mutant | None) -> dict[str, str]:
    return {"place": f"{mutant.path}:{mutant.line}", "change": mutant.change} if mutant else {}


if __name__ == "__main__":
    sys.exit(main())

"""Tests run against a mutant, each mutant in a process forked off one that has what tests need.

First, all tests are collected once, and a fork has the code of the mutant's functions exchanged
under them: a fork is ready in milliseconds. What survives that, or stands where a module is
imported, is tried again in a fork of a process that has never imported the library, with a finder
that hands out the mutant's source. The processor's time is what is limited, so that a busy machine
changes nothing; a test that goes on for several times what it takes is taken as failed.
"""

import gc
import io
import json
import os
import resource
import signal
import sys
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from functools import _lru_cache_wrapper
from importlib import import_module
from importlib.machinery import PathFinder, SourceFileLoader
from importlib.util import spec_from_loader
from itertools import pairwise
from math import inf
from pathlib import Path
from types import CodeType, FunctionType

import pytest

from trust.covering import ROOT
from trust.mutants import SOURCES, Mutant, mutated

# Seconds of CPU that a test may take at least, and times what it takes unharmed.
LIMIT, TIMES = 5, 8
# Seconds of CPU that tests of one mutant may take together.
BUDGET = 60
# Seconds by the clock after which a test is taken to wait for threads that no fork inherits.
CLOCK = 40
# Bytes a fork may take: mutants ask for arrays beyond measure.
_MEMORY = 4 << 30


@dataclass
class Trial:
    """A mutant, the tests to try, and what came of it.

    Tests that have been written since the lines were recorded are tried first, those of the
    mutant's package and of the files named; `known` has the older ones. One that is `excused` is known
    to change no answer, and not tried.
    """

    mutant: Mutant | None
    tests: list[str]
    more: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()
    killer: str = ""
    timeout: bool = False
    judged: bool = False
    excused: bool = False
    ran: int = 0
    seconds: dict[str, float] = field(default_factory=dict)

    def items(self, collected: dict[str, pytest.Item]) -> list[pytest.Item]:
        """Return the tests to try, in order."""
        near = (*(self.mutant.near if self.mutant else ()), *self.more)
        fresh = [
            name
            for name, item in collected.items()
            if self.known and name not in self.known and name.startswith(near)
            if not item.get_closest_marker("slow")
        ]
        stem = Path(self.mutant.path).stem.lstrip("_") if self.mutant else ""
        fresh.sort(key=lambda name: stem not in name.partition("::")[0])  # its own file's first
        return [collected[test] for test in (*fresh, *self.tests) if test in collected]

    @property
    def killed(self) -> bool:
        """Whether a test failed or took too long."""
        return bool(self.killer)


class _Judge:
    """Notes in a file which test is under way, how long each took, and which failed first."""

    def __init__(self, path: Path, known: dict[str, float], budget: float) -> None:
        self.path, self.known, self.budget = path, known, budget
        self.begun, self.seconds, self.began = time.process_time(), dict[str, float](), 0.0
        self.failed, self.under_way = "", "import"

    def starts(self, test: str) -> None:
        self.under_way, self.began = test, time.process_time()
        if not self.seconds:
            self.begun = self.began  # an import is no test, and takes as long for every mutant
        may = max(LIMIT, TIMES * self.known.get(test, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (int(self.began + may) + 1, -1))
        signal.alarm(CLOCK)
        self.write()

    def ends(self) -> bool:
        """Return whether the tests may go on."""
        now = time.process_time()
        self.seconds[self.under_way] = now - self.began
        return not self.failed and now - self.begun < self.budget

    def write(self) -> None:
        about = {"failed": self.failed, "under_way": self.under_way, "seconds": self.seconds}
        self.path.write_text(json.dumps(about), encoding="utf-8")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = self.failed or report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed = self.failed or f"import of {report.nodeid}"


class _Settled:
    """Makes the examples of hypothesis the same in each run, and does not shrink what fails."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        from hypothesis import HealthCheck, Phase, settings

        settings.register_profile(
            "mutants",
            derandomize=True,
            database=None,
            deadline=None,
            phases=(Phase.explicit, Phase.generate),
            suppress_health_check=list(HealthCheck),
        )
        settings.load_profile("mutants")


class _Collected(_Settled):
    """A pytest session that, instead of running its tests, forks a run for each trial."""

    def __init__(self, go: Callable[["_Collected"], None]) -> None:
        self.go = go
        self.items = dict[str, pytest.Item]()
        self.functions = defaultdict[tuple[str, str, int], list[FunctionType]](list)
        self.caches = list[_lru_cache_wrapper]()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        self.go(self)
        return True

    def index(self, modules: Iterable[str]) -> None:
        """Import what may be mutated, and find the functions of the library."""
        for module in modules:
            import_module(module)
        found = gc.get_objects()
        self.caches = [
            thing
            for thing in found
            if isinstance(thing, _lru_cache_wrapper) and thing.__module__.startswith("baserate")
        ]
        for thing in found:
            if isinstance(thing, FunctionType) and thing.__code__.co_filename.startswith(
                str(SOURCES)
            ):
                self.functions[place_of(thing.__code__)].append(thing)
        gc.freeze()

    def run(self, trial: Trial, judge: _Judge) -> None:
        """Exchange the mutant's functions and run its tests."""
        if trial.mutant is not None and not exchange(mutated(trial.mutant), self.functions):
            judge.under_way = "nothing exchanged"
            return
        for cache in self.caches:
            cache.cache_clear()
        tests = trial.items(self.items)
        for item, after in pairwise([*tests, None]):  # nobody is killed where there are none
            item.config.pluginmanager.register(judge, "judge")
            judge.starts(item.nodeid)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            item.config.pluginmanager.unregister(judge)
            if not judge.ends():
                return


def exchange(code: CodeType, functions: dict[tuple[str, str, int], list[FunctionType]]) -> bool:
    """Give living functions the code that a changed module has for them; return if that is all."""
    parts = list(_parts(code))
    pairs = [(old, part) for part in parts for old in functions.get(place_of(part), ())]
    codes = [{old.__code__ for old in functions.get(place_of(part), ())} for part in parts]
    if any(len(some) > 1 for some in codes):
        return False
    changed = [(old, part) for old, part in pairs if old.__code__ != part]
    if any(len(old.__code__.co_freevars) != len(part.co_freevars) for old, part in changed):
        return False
    for old, part in changed:
        old.__code__ = part
    return bool(changed)


def _parts(code: CodeType) -> Iterator[CodeType]:
    """Yield the codes of functions within a code, and within these."""
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield part
            yield from _parts(part)


def place_of(code: CodeType) -> tuple[str, str, int]:
    """Return what tells a function's code from others."""
    return code.co_filename, code.co_qualname, code.co_firstlineno


class _Alone(_Settled):
    """A pytest run of the chosen tests, in their order, until one fails."""

    def __init__(self, trial: Trial, judge: _Judge) -> None:
        self.trial = trial
        self.judge = judge

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        named = {item.nodeid: item for item in items}
        items[:] = self.trial.items(named)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.judge.starts(nodeid)

    def pytest_runtest_logfinish(self) -> None:
        if not self.judge.ends():
            self.judge.write()
            os._exit(0)


class _Finder(PathFinder):
    """Hands out one module with its mutant's code."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> object:  # noqa: ARG002
        if fullname != self.mutant.module:
            return None
        loader = _Loader(fullname, str(SOURCES / self.mutant.path))
        loader.mutant = self.mutant
        return spec_from_loader(fullname, loader)


class _Loader(SourceFileLoader):
    mutant: Mutant

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002
        return mutated(self.mutant)


def _run_alone(trial: Trial, judge: _Judge) -> None:
    """Import the library with the mutant in it and run its tests."""
    if trial.mutant is not None:
        sys.meta_path.insert(0, _Finder(trial.mutant))
    files = dict.fromkeys([*trial.more, *(test.partition("::")[0] for test in trial.tests)])
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + 120, -1))
    came = pytest.main([*_OPTIONS, *files], plugins=[_Alone(trial, judge), judge])
    if came in {pytest.ExitCode.INTERRUPTED, pytest.ExitCode.USAGE_ERROR}:
        judge.failed = judge.failed or "import of the library"


_OPTIONS = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov"]
_OPTIONS += ["--capture=sys", "--assert=plain", f"--rootdir={ROOT}"]


@dataclass
class Court:
    """Runs trials in forks, a few at a time; a test that kills must have passed unharmed."""

    scratch: Path
    known: dict[str, float]
    jobs: int
    budget: float = BUDGET
    until: float = inf
    unsound: set[str] = field(default_factory=set)
    sound: set[str] = field(default_factory=set)

    def together(
        self, trials: list[Trial], tests: Iterable[str], tell: Callable[[Trial], None]
    ) -> None:
        """Try mutants of functions, in forks of a process that has collected these tests."""
        files = dict.fromkeys(test.partition("::")[0] for test in tests)

        def go(collected: _Collected) -> None:
            collected.index({trial.mutant.module for trial in trials if trial.mutant})
            self.try_all(trials, collected.run, tell)

        with _quiet():
            pytest.main([*_OPTIONS, *files], plugins=[_Collected(go)])

    def alone(self, trials: list[Trial], tell: Callable[[Trial], None]) -> None:
        """Try mutants in forks that import the library afresh."""
        self.try_all(trials, _run_alone, tell)

    def try_all(
        self,
        trials: list[Trial],
        run: Callable[[Trial, _Judge], None],
        tell: Callable[[Trial], None],
    ) -> None:
        """Run each trial in a fork, again without a test that fails unharmed; tell each verdict."""
        waiting, running = deque(trials), dict[int, Trial]()
        while waiting or running:
            if time.time() > self.until:
                waiting.clear()  # these are not tried, and not counted
                if not running:
                    return
            while waiting and len(running) < self.jobs:
                trial = waiting.popleft()
                trial.tests = [test for test in trial.tests if test not in self.unsound]
                running[self._fork(trial, run)] = trial
            pid, status = os.waitpid(-1, 0)
            trial = running.pop(pid)
            self._read(trial, pid, status)
            if _stopped_by(status, signal.SIGALRM):
                self.unsound.add(trial.killer)
            if trial.killed and self._is_unsound(trial.killer, run):
                trial.killer, trial.timeout = "", False
                waiting.append(trial)
            else:
                tell(trial)

    def _fork(self, trial: Trial, run: Callable[[Trial, _Judge], None]) -> int:
        pid = os.fork()
        if pid:
            return pid
        judge = _Judge(self.scratch / f"{os.getpid()}.json", self.known, self.budget)
        judge.write()
        try:
            resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, -1))
            with _quiet():
                run(trial, judge)
        except BaseException as error:  # noqa: BLE001
            judge.failed = judge.failed or f"{judge.under_way}: {error!r}"
        judge.write()
        os._exit(0)

    def _read(self, trial: Trial, pid: int, status: int) -> None:
        path = self.scratch / f"{pid}.json"
        about = json.loads(path.read_text(encoding="utf-8"))
        path.unlink()
        trial.killer, trial.ran = about["failed"], len(about["seconds"])
        trial.seconds = about["seconds"]
        if os.WIFSIGNALED(status):
            trial.killer = about["under_way"]
            trial.timeout = _stopped_by(status, signal.SIGXCPU)

    def _is_unsound(self, test: str, run: Callable[[Trial, _Judge], None]) -> bool:
        """Return whether a test fails without any mutant, too."""
        if "::" not in test or test in self.sound:
            return False
        if test not in self.unsound:
            trial = Trial(None, [test])
            pid = self._fork(trial, run)
            _, status = os.waitpid(pid, 0)
            self._read(trial, pid, status)
            (self.unsound if trial.killed else self.sound).add(test)
        return test in self.unsound


def _stopped_by(status: int, by: signal.Signals) -> bool:
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == by


@contextmanager
def _quiet() -> Iterator[None]:
    """Let nothing be printed."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        yield

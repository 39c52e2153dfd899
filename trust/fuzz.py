"""Feed hostile inputs to everything that reads them, and keep what should not have happened.

Each target runs in a process of its own, by libFuzzer (atheris) where that is installed: it keeps
inputs that reach new places of the code, and changes those further. Elsewhere valid inputs are
changed at random. `python -m trust.fuzz` writes trust/fuzz.json; what was found lies in
trust/findings/, each input beside its traceback.
"""

import argparse
import json
import os
import platform
import random
import re
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from hashlib import sha256
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from trust.inputs import LONGEST, MEMORY, changed, mutated, words_of

Target = Callable[[bytes], None]

HERE = Path(__file__).parent
RECORD, FINDINGS = HERE / "fuzz.json", HERE / "findings"
CODE = f"{HERE.parent / 'src' / 'baserate'}/"
PAGE = HERE.parent / "docs" / "trust.md"
BEGIN, END = "<!-- inputs: begin -->", "<!-- inputs: end -->"
ELSEWHERE = {"spoiled_arguments"}  # `python -m trust.arrays` runs these, and lists what is open
MOST_REPLAYED = 1000  # inputs whose lines are counted
PATIENCE = 300  # seconds for one input, on a busy machine
MOST_MEMORY = 4096  # MB


def groups() -> Iterator[Any]:
    """Yield the modules of targets, each loaded when asked for: atheris sees what it sees loaded."""
    for name in ("parsers", "files", "commands", "arrays"):
        yield import_module(f"trust.{name}")


def targets() -> dict[str, Target]:
    """Return every target by its name; it raises for a finding only."""
    every = (target for group in groups() for target in group.TARGETS.items())
    return {name: target for name, target in every if name not in ELSEWHERE}


def seeds(name: str) -> list[bytes]:
    """Return the valid inputs that mutations of a target start from."""
    return group_of(name).seeds(name)


def group_of(name: str) -> Any:
    """Return the module of a target; its INPUTS are many where one takes microseconds."""
    return next(group for group in groups() if name in group.TARGETS)


def target_of(name: str) -> Target:
    """Return one target."""
    return group_of(name).TARGETS[name]


def main() -> int:
    """Run the campaign; the exit code says whether anything was found."""
    parser = argparse.ArgumentParser(prog="python -m trust.fuzz", description=__doc__)
    parser.add_argument("--target", metavar="NAME", action="append")
    parser.add_argument("--inputs", type=int, help="for each target, instead of its share")
    parser.add_argument("--seconds", type=int, default=3600, help="at most, of each target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--random", action="store_true", help="change at random, without atheris")
    parser.add_argument("--page", action="store_true", help="write docs/trust.md, run nothing")
    parser.add_argument("--alone", metavar="CORPUS", help=argparse.SUPPRESS)
    parser.add_argument("--reach", metavar="CORPUS", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.alone or given.reach:
        return one(given)
    if strange := {*(given.target or ())} - {*targets()}:
        parser.error(f"no target is called {', '.join(strange)}: there are {', '.join(targets())}")
    if given.page:
        rewrite()
        return 0
    if given.target is None:
        RECORD.unlink(missing_ok=True)
    found = 0
    for name, result in campaign(given):
        record = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {"targets": {}}
        record["targets"][name] = result
        found += result["findings"]
        print(said(name, result), flush=True)
        write(record, given.seed, guided=not given.random and bool(find_spec("atheris")))
    rewrite()
    return 1 if found else 0


def said(name: str, result: dict[str, Any]) -> str:
    """Return a line about one target."""
    return (f"{name}: {result['inputs']:,} inputs, {result['cpu_seconds']:,.0f} s of a processor, "
            f"{result['lines']:,} lines reached, {result['findings']} found")  # fmt: skip


def write(record: dict[str, Any], seed: int, *, guided: bool) -> None:
    """Write what is known until now, with its sums."""
    every = record["targets"].values()
    keys = ("inputs", "seconds", "cpu_seconds", "findings")
    record["total"] = {key: round(sum(one[key] or 0 for one in every)) for key in keys}
    record["source"] = source()
    record["with"] = versions() | {"seed": seed, "guided by coverage": guided}
    RECORD.write_text(json.dumps(record, indent=1) + "\n", "utf-8")


def rewrite() -> None:
    """Bring docs/trust.md up to the record."""
    page, record = PAGE.read_text("utf-8"), json.loads(RECORD.read_text("utf-8"))
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text("\n".join([before + BEGIN, "", *table(record), "", END]) + after, "utf-8")


def table(record: dict[str, Any]) -> list[str]:
    """Return the record as a table of Markdown."""
    lines = ["| target | what it reads | inputs | seconds | lines reached | open findings |"]
    lines += ["|---|---|---:|---:|---:|---:|"]
    known, newest = targets(), record["source"]
    for name in sorted(record["targets"], key=[*known].index):
        one, what = record["targets"][name], told(name).split("\n", maxsplit=1)[0].rstrip(".")
        numbers = f"{one['inputs']:,} | {one['cpu_seconds']:,.0f} | {one['lines']:,}"
        mark = "" if one["source"] == newest else " (before)"
        lines.append(f"| `{name}`{mark} | {what} | {numbers} | {one['findings']} |")
    every = record["total"]
    numbers = f"**{every['inputs']:,}** | {every['cpu_seconds']:,} | | **{every['findings']}**"
    lines += [f"| **all** | | {numbers} |"]
    same = {one["source"] for one in record["targets"].values()} == {newest}
    before = "Targets marked *before* ran on an earlier state of the library than the others."
    return lines if same else [*lines, "", before]


def told(name: str) -> str:
    """Return what a target says of itself."""
    if name.startswith("command_"):
        return f"`baserate {name.removeprefix('command_').replace('_', '-')}` as a whole."
    return target_of(name).__doc__ or name


def campaign(given: argparse.Namespace) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what became of each target as it ends, as many at once as processors."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        running = {pool.submit(started, name, given): name for name in given.target or targets()}
        for done in as_completed(running):
            yield running[done], done.result()


def started(name: str, given: argparse.Namespace) -> dict[str, Any]:
    """Run one target in a process of its own, then see which lines its inputs reach."""
    for old in FINDINGS.glob(f"{name}-*"):
        old.unlink()
    FINDINGS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f"{name}-", dir=MEMORY) as corpus:
        for k, data in enumerate(seeds(name)):
            (Path(corpus) / f"seed-{k}").write_bytes(data)
        n = given.inputs or group_of(name).INPUTS[name]
        words = ["--target", name, "--inputs", str(n), "--seconds", str(given.seconds)]
        words += ["--seed", str(given.seed), *["--random"] * given.random]
        begun = time.monotonic()
        code, cpu, text = finished([*words, "--alone", corpus])
        took = time.monotonic() - begun
        _, _, lines = finished([*words, "--reach", corpus])
    executed = re.findall(r"(?:executed_units:|Done) (\d+)", text)
    if code:
        (FINDINGS / f"{name}-ended.txt").write_text(text[-20_000:], "utf-8")
    return {
        "inputs": int(executed[-1]) if executed else 0,
        "seconds": round(took, 1),
        "cpu_seconds": round(cpu, 1),
        "lines": int((re.findall(r"^Lines (\d+)$", lines, re.MULTILINE) or ["0"])[-1]),
        "findings": len([*FINDINGS.glob(f"{name}-*.txt")]),
        "source": source(),
    }


def source() -> str:
    """Return a digest of the library: targets may run one by one, and the page tells which."""
    digest = sha256()
    for file in sorted(Path(CODE).rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def finished(words: list[str]) -> tuple[int, float, str]:
    """Run this module with some words; return its exit code, seconds of a processor and output."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said_by_it:
        command = [sys.executable, "-m", "trust.fuzz", *words]
        process = subprocess.Popen(command, stdout=said_by_it, stderr=said_by_it)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said_by_it.seek(0)
        return process.returncode, usage.ru_utime + usage.ru_stime, said_by_it.read()


def one(given: argparse.Namespace) -> int:
    """Run one target in this process, or tell what its inputs reach."""
    [name] = given.target
    if given.reach:
        print(f"Lines {len(reached(name, Path(given.reach)))}")
        return 0
    if find_spec("atheris") and not given.random:
        return guided(name, given)
    attempt, begun, done = kept(name, target_of(name)), time.monotonic(), 0
    for data in mutated(seeds(name), given.inputs, given.seed):
        if time.monotonic() - begun > given.seconds:
            break
        attempt(data)
        done += 1
        if done % 100 == 0:
            (Path(given.alone) / str(done)).write_bytes(data)
    print(f"Done {done}")
    return 0


def guided(name: str, given: argparse.Namespace) -> int:
    """Run one target by libFuzzer, which ends the process."""
    import atheris

    def mutator(data: bytes, longest: int, seed: int) -> bytes:
        if seed % 3:
            return changed(data, known, random.Random(seed), longest)
        return atheris.Mutate(data, longest)

    options = {
        "runs": given.inputs, "max_total_time": given.seconds, "seed": given.seed, "max_len": LONGEST,
        "len_control": 0, "print_final_stats": 1, "artifact_prefix": f"{FINDINGS}/{name}-",
        "timeout": PATIENCE, "rss_limit_mb": MOST_MEMORY, "verbosity": 0,
    }  # fmt: skip
    words = [f"-{key}={value}" for key, value in options.items()]
    with atheris.instrument_imports(include=["baserate"], enable_loader_override=False):
        attempt, known = kept(name, target_of(name)), words_of(seeds(name))
        for data in seeds(name):  # imports what it needs
            attempt(data)
        atheris.Setup([sys.argv[0], *words, given.alone], attempt, custom_mutator=mutator)
        atheris.Fuzz()
    return 0


def kept(name: str, target: Target) -> Target:
    """Return a target that writes a finding down, once for each place, and goes on."""
    known = set[tuple[str, str]]()

    def attempt(data: bytes) -> None:
        try:
            target(data)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  whatever it is, it is a finding
            at = (type(error).__name__, place_of(error))
            if at not in known:
                known.add(at)
                found = FINDINGS / f"{name}-{sha256(repr(at).encode()).hexdigest()[:12]}"
                FINDINGS.mkdir(exist_ok=True)
                found.with_suffix(".bin").write_bytes(data)
                told = f"{data!r}\n\n{''.join(traceback.format_exception(error))}"
                found.with_suffix(".txt").write_text(told, "utf-8", "backslashreplace")

    return attempt


def place_of(error: BaseException) -> str:
    """Return the innermost line of the library in a traceback, or of the target."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith(CODE)] or frames
    return f"{own[-1].filename}:{own[-1].lineno}"


def reached(name: str, corpus: Path) -> set[tuple[str, int]]:
    """Return the lines of the library that run for the inputs that were kept."""
    target, lines = target_of(name), set[tuple[str, int]]()

    def trace(frame: Any, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(CODE) or frame.f_code.co_name == "<module>":
            return None
        if event == "line":
            lines.add((frame.f_code.co_filename, frame.f_lineno))
        return trace

    target(seeds(name)[0])  # what runs once, when it is loaded, is no merit
    for file in sorted(corpus.iterdir())[:MOST_REPLAYED]:
        sys.settrace(trace)
        with suppress(BaseException):  # a finding is known by now
            target(file.read_bytes())
        sys.settrace(None)
    return lines


def versions() -> dict[str, str]:
    """Return what the campaign ran with."""

    def of(name: str) -> str:
        try:
            return version(name)
        except PackageNotFoundError:
            return "absent"

    names = ("baserate", "numpy", "duckdb", "pyarrow", "atheris")
    return {"python": platform.python_version()} | {name: of(name) for name in names}


if __name__ == "__main__":
    sys.exit(main())

"""Ten evaluations in parallel threads and processes give the same bytes as one alone."""

import json
import multiprocessing
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from trust.answers import THREADS, digests, fill

FREE_THREADED = ("python3.13t", "python3.14t", "python3.15t")
LIMIT = 900  # seconds for any of the processes started here


def measure(folder: Path, say: Callable[[str], None]) -> dict[str, Any]:
    """Compare what threads and processes answer with what one process alone does."""
    path = folder / "cases.csv"
    fill(path)
    say("one alone")
    [alone] = asked(sys.executable, path, "--serial")["answers"]
    found: dict[str, Any] = {"answers": len(alone), "runs": {}, "failures": []}
    say(f"{THREADS} threads, first import and afterwards")
    compare(found, "threads", alone, asked(sys.executable, path))
    for start in multiprocessing.get_all_start_methods():
        say(f"{THREADS} processes, {start}")
        answers = forked(path) if start == "fork" else processes(path, start)
        compare(found, start, alone, {"answers": answers, "kept": True})
    found["free_threaded"] = {name: free(name, path, found, say) for name in FREE_THREADED}
    return found


def asked(python: str, path: Path, *options: str) -> dict[str, Any]:
    """Ask in a process of its own, of this interpreter or another."""
    words = [python, "-m", "trust.answers", str(path), *options]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=LIMIT)
    if done.returncode:
        return {"answers": [{"raised": done.stderr[-500:]}], "kept": False}
    return json.loads(done.stdout)


def processes(path: Path, start: str) -> list[dict[str, str]]:
    """Ask in ten processes at once."""
    context = multiprocessing.get_context(start)
    with ProcessPoolExecutor(THREADS, mp_context=context) as pool:
        return list(pool.map(digests, [path] * THREADS))


def forked(path: Path) -> list[dict[str, str]]:
    """Ask in ten copies of a process that has used everything: its threads are gone in them."""
    digests(path)
    return processes(path, "fork")


def compare(found: dict[str, Any], run: str, alone: dict[str, str], said: dict[str, Any]) -> None:
    """Count the answers that agree; name those that do not."""
    wrong = sorted(
        {
            f"{run}: {name} {answers.get('raised', '')}".strip()
            for answers in said["answers"]
            for name in set(alone) | set(answers)
            if answers.get(name) != alone.get(name)
        }
    )
    if not said["kept"]:
        wrong.append(f"{run}: state that threads share was changed")
    found["runs"][run] = {
        "askers": len(said["answers"]),
        "answers": sum(map(len, said["answers"])),
        "wrong": len(wrong),
    }
    found["failures"] += wrong


def free(name: str, path: Path, found: dict[str, Any], say: Callable[[str], None]) -> str:
    """Race an interpreter without a global lock, if it is there, against itself alone."""
    python = first(filter(None, (os.environ.get("FREE_THREADED"), shutil.which(name))))
    if python is None or Path(python).name != name:
        return "not installed"
    say(f"{THREADS} threads of {name}")
    alone = asked(python, path, "--serial")["answers"][0]
    if "raised" in alone:
        return f"cannot run: {alone['raised'].strip()[-100:] or 'it was ended'}"
    compare(found, name, alone, asked(python, path))
    return "raced"


def first(values: Iterable[str]) -> str | None:
    """Return the first of several values, if there is one."""
    return next(iter(values), None)

"""Feed hostile inputs to everything that reads them, and keep what should not have happened.

Each target runs in a process of its own, by libFuzzer (atheris) where that is installed: it mutates
valid inputs, and keeps those that reach new lines. Elsewhere the same inputs are mutated at
random. `python -m trust.fuzz` writes trust/fuzz.json; what was found lies in trust/findings/.
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
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from trust import parsers
from trust.parsers import MEMORY, Target

HERE = Path(__file__).parent
RECORD, FINDINGS = HERE / "fuzz.json", HERE / "findings"
LONGEST = 4096  # bytes of an input
# Inputs of each target: what takes microseconds is asked more often than what opens a file.
INPUTS = {
    "metric_formula": 300_000, "list_of_metrics": 300_000, "contract": 200_000,
    "list_of_numbers": 200_000, "costs": 20_000, "utilities_toml": 40_000, "utilities_csv": 40_000,
    "settings": 30_000, "histogram_json": 20_000, "histogram_arrow": 10_000, "counts_file": 5_000,
    "class_counts_file": 5_000, "table_file": 3_000,
}  # fmt: skip
DEFAULT = 5_000


def targets() -> dict[str, Target]:
    """Return every target by its name."""
    return parsers.TARGETS


def seeds(name: str) -> list[bytes]:
    """Return the valid inputs that mutations of a target start from."""
    return parsers.seeds(name)


def main() -> int:
    """Run the campaign; the exit code says whether anything was found."""
    parser = argparse.ArgumentParser(prog="python -m trust.fuzz", description=__doc__)
    parser.add_argument("--target", choices=targets(), action="append")
    parser.add_argument("--inputs", type=int, help="for each target, instead of its share")
    parser.add_argument("--seconds", type=int, default=1200, help="at most, of each target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--random", action="store_true", help="mutate at random, without atheris")
    parser.add_argument("--alone", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.alone:
        return alone(given.alone, given.inputs, given.seconds, given.seed, guided=not given.random)
    record = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {"targets": {}}
    for name, found in campaign(given):
        record["targets"][name] = found
        print(
            f"{name}: {found['inputs']:,} inputs, {found['seconds']:.0f} s, {found['findings']} found",
            flush=True,
        )
        record["total"] = {
            key: sum(t[key] for t in record["targets"].values())
            for key in ("inputs", "seconds", "findings")
        }
        record["with"] = versions() | {"seed": given.seed}
        RECORD.write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    return 1 if record["total"]["findings"] else 0


def campaign(given: argparse.Namespace) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what became of each target, two at a time."""
    names = given.target or list(targets())

    def run(name: str) -> tuple[str, dict[str, Any]]:
        n = given.inputs or INPUTS.get(name, DEFAULT)
        return name, _started(name, n, given.seconds, given.seed, at_random=given.random)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(run, names)


def _started(name: str, n: int, seconds: int, seed: int, *, at_random: bool) -> dict[str, Any]:
    command = [sys.executable, "-m", "trust.fuzz", "--alone", name, "--inputs", str(n)]
    command += ["--seconds", str(seconds), "--seed", str(seed), *["--random"] * at_random]
    begun = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    took = time.monotonic() - begun
    text = done.stdout + done.stderr
    executed = re.findall(r"(?:executed_units:|Done) (\d+)", text)
    result = {"inputs": int(executed[-1]) if executed else 0, "seconds": round(took, 1)}
    if covered := re.findall(r"cov: (\d+)", text):
        result["places reached"] = int(covered[-1])
    if done.returncode:
        FINDINGS.mkdir(exist_ok=True)
        (FINDINGS / f"{name}.txt").write_text(text[-20_000:], "utf-8")
    return result | {"findings": int(done.returncode != 0)}


def alone(name: str, n: int, seconds: int, seed: int, *, guided: bool) -> int:
    """Run one target in this process."""
    if guided and find_spec("atheris"):
        return _guided(name, n, seconds, seed)
    target, begun = targets()[name], time.monotonic()
    for k, data in enumerate(mutated(seeds(name), n, seed)):
        if time.monotonic() - begun > seconds:
            n = k
            break
        try:
            target(data)
        except BaseException:
            FINDINGS.mkdir(exist_ok=True)
            (FINDINGS / f"{name}.bin").write_bytes(data)
            print(repr(data))
            raise
    print(f"Done {n}")
    return 0


def _guided(name: str, n: int, seconds: int, seed: int) -> int:
    import atheris

    with atheris.instrument_imports(include=["baserate"], enable_loader_override=False):
        target = targets()[name]
        for data in seeds(name):  # imports what it needs
            target(data)
    with tempfile.TemporaryDirectory(dir=MEMORY) as corpus:
        for k, data in enumerate(seeds(name)):
            (Path(corpus) / str(k)).write_bytes(data)
        FINDINGS.mkdir(exist_ok=True)
        options = {"runs": n, "max_total_time": seconds, "seed": seed, "max_len": LONGEST,
                   "print_final_stats": 1, "artifact_prefix": f"{FINDINGS}/{name}-",
                   "timeout": 60, "rss_limit_mb": 4096}  # fmt: skip
        words = [f"-{key}={value}" for key, value in options.items()]
        atheris.Setup([sys.argv[0], *words, corpus], target)
        atheris.Fuzz()  # ends the process
    return 0


def mutated(valid: Iterable[bytes], n: int, seed: int) -> Iterator[bytes]:
    """Yield the valid inputs, then n - len(valid) that were changed in a few places."""
    valid, rng = list(valid) or [b""], random.Random(seed)
    yield from valid[:n]
    pieces = sorted({piece for data in valid for piece in re.findall(rb"\w+|\W", data)})
    strange = [b"\x00", b"\xff", b"\xef\xbb\xbf", b"9" * 400, b"-1", b"nan", b"1e999", b'"', b"\\",
               b"\r", "\N{RIGHT-TO-LEFT OVERRIDE}é".encode(), b"(" * 90, b"[" * 300, b" ", b"\n"]  # fmt: skip
    for _ in range(n - len(valid)):
        data = bytearray(rng.choice(valid))
        for _ in range(rng.randint(1, 6)):
            at, until = sorted((rng.randint(0, len(data)), rng.randint(0, len(data))))
            if rng.random() < 0.5:
                until = min(until, at + 3)
            data[at:until] = rng.choice(
                (b"", rng.choice(pieces or [b"x"]), rng.choice(strange), rng.randbytes(2))
            )
        yield bytes(data[:LONGEST])


def versions() -> dict[str, str]:
    """Return what the campaign ran with."""
    from importlib.metadata import PackageNotFoundError, version

    def of(name: str) -> str:
        try:
            return version(name)
        except PackageNotFoundError:
            return "absent"

    names = ("baserate", "numpy", "duckdb", "pyarrow", "atheris")
    return {"python": platform.python_version()} | {name: of(name) for name in names}


if __name__ == "__main__":
    sys.exit(main())

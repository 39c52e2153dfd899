"""Commands killed, interrupted and on a full disk: old files are whole, and nothing else is left.

Each trial is a copy of a process that has everything loaded, ended at a random moment; some are
processes of their own, so that their loading is interrupted too.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from baserate.cli import main
from baserate.cli._watch import Watch
from trust.writers import contents, drawing, fill, writing

SOON = 1.0  # seconds from the signal to the end
TRIALS = {"SIGKILL": 400, "SIGINT": 250, "SIGTERM": 150, "SIGHUP": 50}
STARTED = 60  # processes of their own that are interrupted from their first moment on
CODES = {"SIGKILL": -9, "SIGINT": 130, "SIGTERM": 143, "SIGHUP": 129}
LARGE = 400_000  # cases of the table that takes a while to count
ROOMS = (0, 4, 16)  # KiB that a full disk has left
HEARD = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
entered = Watch.__enter__
LINES = {
    "SIGINT": "baserate: interrupted.\n",
    "SIGTERM": "baserate: terminated.\n",
    "SIGHUP": "baserate: the terminal is gone.\n",
}


class Ended(NamedTuple):
    """What a trial was, and how it ended."""

    name: str
    code: int
    seconds: float  # after the signal
    said: str


def measure(folder: Path, say: Callable[[str], None]) -> dict[str, Any]:
    """End commands at random moments and on full disks; return what was found."""
    os.environ["SOURCE_DATE_EPOCH"] = "0"
    work, scratch = folder / "work", folder / "scratch"
    for place in (work, scratch):
        place.mkdir()
    os.environ["TMPDIR"] = str(scratch)
    os.chdir(work)
    commands = prepared(work)
    whole, seconds = completed(work, commands)
    found: dict[str, Any] = {"commands": len(commands), "failures": []}
    random.seed(1)
    for name, trials in TRIALS.items():
        say(f"{trials} commands ended by {name}")
        found[name] = ended(name, trials, commands, whole, seconds, found["failures"])
    say(f"{STARTED} processes interrupted while they load")
    found["loading"] = loading(commands, whole, found["failures"])
    say("full disks")
    found["full disk"] = full(folder / "disk", commands, found["failures"])
    return found


def prepared(work: Path) -> dict[str, list[str]]:
    """Write the inputs, a large one too, and return the commands."""
    fill(work)
    rng = random.Random(0)
    lines = (
        f"{rng.random() < 0.3:d},{rng.random():.3f},{rng.randrange(500)}" for _ in range(LARGE)
    )
    (work / "large.csv").write_text("y,s,g\n" + "\n".join(lines))
    asked = ["large.csv", "--target", "y", "--score", "s"]
    return (
        {name: words for name, words in writing().items() if not name.endswith((".md", ".txt"))}
        | drawing(".svg", ".png")
        | {
            "large, evaluate": [
                *("evaluate", *asked, "--threshold", ".5", "--group", "g", "--output", "r.json")
            ],
            "large, threshold": ["threshold", *asked, "--output", "r.html"],
            "large, count": ["count", *asked, "--group", "g", "--output", "r.arrow"],
        }
    )


def completed(
    work: Path, commands: dict[str, list[str]]
) -> tuple[dict[str, dict[str, bytes]], dict[str, float]]:
    """Return what each command leaves if nothing befalls it, and how long it takes."""
    whole, seconds = {}, {}
    for name, words in commands.items():
        began = time.monotonic()
        code = main(words)
        seconds[name] = time.monotonic() - began
        if code:
            message = f"{name}: exit code {code}"
            raise RuntimeError(message)
        whole[name] = outputs(work)
        remove_outputs(work)
    return whole, seconds


def outputs(work: Path) -> dict[str, bytes]:
    """Return what is no input."""
    return {name: data for name, data in contents(work).items() if name.startswith(("r.", "."))}


def remove_outputs(work: Path) -> None:
    """Remove what is no input."""
    for name in outputs(work):
        (work / name).unlink()


def ended(
    name: str,
    trials: int,
    commands: dict[str, list[str]],
    whole: dict[str, dict[str, bytes]],
    seconds: dict[str, float],
    failures: list[str],
) -> dict[str, Any]:
    """End so many commands at random moments; return how they ended."""
    codes: Counter[int] = Counter()
    late, left, slowest = 0, 0, 0.0
    names = list(commands)
    for i in range(trials):
        case = names[i % len(names)]
        one = trial(case, commands[case], name, random.uniform(0, 1.1 * seconds[case]), whole[case])
        codes[one.code] += 1
        left += len(leftovers())
        failures += faults(one, name, whole[case])
        if one.code == CODES[name] and name != "SIGKILL":
            slowest, late = max(slowest, one.seconds), late + (one.seconds > SOON)
    if late > trials / 50:  # of a machine that has other things to do
        failures.append(f"{name}: {late} of {trials} took over {SOON} s to end")
    return {
        "trials": trials,
        "exit_codes": {str(code): n for code, n in sorted(codes.items())},
        "late": late,
        "slowest_seconds": round(slowest, 2),
        "temporary_left": left,
    }


def trial(case: str, words: list[str], name: str, delay: float, whole: dict[str, bytes]) -> Ended:
    """Run a command in a copy of this process, and end it after so many seconds."""
    sweep()
    for output in whole:
        Path(output).write_text("before")
    reader, writer = os.pipe()
    signal.pthread_sigmask(signal.SIG_BLOCK, HEARD)  # a copy of this code must not hear them
    child = os.fork()
    if not child:
        os.close(reader)
        copy(words, writer)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, HEARD)
    os.close(writer)
    time.sleep(delay)
    began = time.monotonic()
    os.kill(child, getattr(signal, name))
    with os.fdopen(reader, errors="replace") as stream:
        said = stream.read()
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return Ended(case, code, time.monotonic() - began, said)


def copy(words: list[str], writer: int) -> None:
    """Be the command line from here on."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number, stream in ((0, nothing), (1, nothing), (2, writer)):
        os.dup2(stream, number)
    sys.argv = ["baserate", *words]
    Watch.__enter__ = heard
    try:
        os._exit(main())
    except BaseException as error:  # noqa: BLE001  what Python would print
        os.write(2, f"Traceback {error!r}\n".encode())
        os._exit(1)


def heard(watch: Watch) -> Watch:
    """Let signals through as soon as somebody attends to them, and no sooner."""
    entered(watch)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, HEARD)
    return watch


def faults(one: Ended, name: str, whole: dict[str, bytes]) -> list[str]:
    """Say what is wrong with how a command ended."""
    wrong = []
    if one.code not in {0, CODES[name], -signal.Signals[name]}:
        wrong.append(f"exit code {one.code}")
    if one.said not in {"", LINES.get(name, "")} and "Traceback" in one.said:
        wrong.append(f"said {one.said[-300:]!r}")
    for output, data in whole.items():
        if Path(output).read_bytes() not in {b"before", data}:
            wrong.append(f"{output} is neither old nor new")
    if name != "SIGKILL" and (found := leftovers()):
        wrong.append(f"left {found}")
    return [f"{name} of {one.name}: {text}" for text in wrong]


def leftovers() -> list[str]:
    """Return the temporary files that stand here and in the scratch folder."""
    beside = [name for name in os.listdir() if name.startswith(".")]  # noqa: PTH208
    return beside + os.listdir(os.environ["TMPDIR"])  # noqa: PTH208


def sweep() -> None:
    """Remove what trials have left."""
    import shutil

    for name in os.listdir():  # noqa: PTH208
        if name.startswith("."):
            Path(name).unlink()
    for path in Path(os.environ["TMPDIR"]).iterdir():
        shutil.rmtree(path, ignore_errors=True)


def loading(
    commands: dict[str, list[str]], whole: dict[str, dict[str, bytes]], failures: list[str]
) -> dict[str, Any]:
    """Interrupt processes from their first moment on; what Python says before us is counted."""
    kinds: Counter[str] = Counter()
    names = [name for name in commands if name.endswith(".json")]
    for i in range(STARTED):
        sweep()
        case = names[i % len(names)]
        for output in whole[case]:
            Path(output).write_text("before")
        words = [sys.executable, "-c", "from baserate.cli import main; raise SystemExit(main())"]
        process = subprocess.Popen(
            [*words, *commands[case]],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        time.sleep(random.uniform(0, 3))
        process.send_signal(signal.SIGINT)
        said = process.communicate()[1]
        if "Traceback" not in said:
            kinds[
                "ended by us" if process.returncode == CODES["SIGINT"] else "ended by itself"
            ] += 1
            failures += faults(Ended(case, process.returncode, 0, said), "SIGINT", whole[case])
        elif "baserate/" in said:
            failures.append(f"loading: {said[-500:]}")
        else:
            kinds["Python was not up yet"] += 1
    return dict(kinds)


def full(disk: Path, commands: dict[str, list[str]], failures: list[str]) -> dict[str, Any]:
    """Run every command with its outputs on a disk of their own that has little room left."""
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        return {"skipped": "no permission to mount a disk"}
    try:
        found = [
            on_full(disk, *one, ROOMS[i % len(ROOMS)]) for i, one in enumerate(commands.items())
        ]
    finally:
        subprocess.run(["umount", str(disk)], check=True)  # noqa: S607
    failures += [fault for faults in found for fault in faults if fault]
    refused = sum(not faults for faults in found)
    return {"commands": len(found), "refused": refused, "had_room": found.count([""])}


def on_full(disk: Path, name: str, words: list[str], room: int) -> list[str]:
    """Return what is wrong after a command on a full disk; an empty text if it had room enough."""
    for path in disk.iterdir():
        path.unlink()
    targets = [word for word in words if word.startswith("r.")]
    for target in targets:
        (disk / target).write_text("before")
    with (disk / "filler").open("wb", buffering=0) as filler:
        size = 1 << 18
        while size >= 1 << 12:
            try:
                filler.write(b"x" * size)
            except OSError:
                size //= 2
        filler.truncate(max(0, filler.tell() // 4096 * 4096 - room * 1024))
    before = contents(disk)
    moved = [str(disk / word) if word in targets else word for word in words]
    with TemporaryDirectory() as place:
        said = Path(place) / "said"
        with said.open("w") as stream:
            code = subprocess_main(moved, stream.fileno())
        text = said.read_text()
    if code == 0 and room:
        return [""]
    wrong = []
    if code != 2 or text.count("\n") != 1 or "No space left" not in text:
        wrong.append(f"exit code {code}, said {text[-300:]!r}")
    if contents(disk) != before:
        wrong.append(f"the disk holds {sorted(contents(disk))}, not what it held")
    return [f"full disk, {name}, {room} KiB left: {one}" for one in wrong]


def subprocess_main(words: list[str], stderr: int) -> int:
    """Run a command in a copy of this process and return its exit code."""
    child = os.fork()
    if not child:
        copy(words, stderr)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

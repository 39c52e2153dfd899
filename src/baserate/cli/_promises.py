"""What a command must find, or exit with 1: --require, --fail-under and --fail-over."""

from collections.abc import Sequence
from typing import Any

from baserate.cli._terminal import say
from baserate.evaluation.contracts import Contract, Option, check
from baserate.report.promises import told


def contracts(**options: Sequence[str] | None) -> list[Contract]:
    """Read what the options demand, before anything is counted."""
    read: dict[str, Option] = {
        "under": "--fail-under", "over": "--fail-over", "require": "--require",
    }  # fmt: skip
    return [Contract.of(x, read[name]) for name, texts in options.items() for x in texts or ()]


def judge(result: Any, demanded: Sequence[Contract]) -> int:
    """Say what is broken, or kept by luck perhaps; return the exit code."""
    found = check(result.facts, demanded)
    for kept, said in told(found.promises):
        say(f"passed, but {said}" if kept else f"failed: {said}")
    return 0 if found else 1

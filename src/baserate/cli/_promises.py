"""What a command must find, or exit with 1: --require, --fail-under and --fail-over."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from baserate.cli._terminal import say
from baserate.evaluation.contracts import Contract, Option, check, with_metrics
from baserate.report.promises import told

OPTIONS: dict[str, Option] = {
    "under": "--fail-under", "over": "--fail-over", "require": "--require",
}  # fmt: skip


class Promises(NamedTuple):
    """What the options of a command demand."""

    contracts: list[Contract]

    @classmethod
    def of(cls, **options: Sequence[str] | None) -> "Promises":
        """Read them, before anything is counted."""
        given = ((name, text) for name, texts in options.items() for text in texts or ())
        return cls([Contract.of(text, OPTIONS[name]) for name, text in given])

    @property
    def metrics(self) -> list[Any]:
        """The metrics that they are of."""
        return [one.metric for one in self.contracts if one.metric is not None]

    def with_metrics(self, asked: str | None, *, scored: bool) -> str | list[Any] | None:
        """Add their metrics to those asked for."""
        return with_metrics(asked, self.contracts, scored=scored)

    def judge(self, result: Any) -> int:
        """Say what is broken, or kept by luck perhaps; return the exit code."""
        found = check(result.facts, self.contracts)
        for kept, said in told(found.promises):
            say(f"passed, but {said}" if kept else f"failed: {said}")
        return 0 if found else 1

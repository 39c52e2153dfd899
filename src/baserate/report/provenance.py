"""What made a report, when, and by which command."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from importlib.metadata import version

from baserate.errors import InvalidArgumentError

EPOCH = "SOURCE_DATE_EPOCH"  # https://reproducible-builds.org/specs/source-date-epoch/
_command: ContextVar[str | None] = ContextVar("command", default=None)


@contextmanager
def commanded(line: str) -> Iterator[None]:
    """Say which command makes the reports meanwhile."""
    before = _command.set(line)
    try:
        yield
    finally:
        _command.reset(before)


def provenance() -> dict[str, str | None]:
    """Return the version, the time in UTC, and the command; None for the command in Python.

    The environment variable SOURCE_DATE_EPOCH, in seconds since 1970, stands for the time if it is
    set, so that the same data give the same bytes.

    Examples
    --------
    >>> sorted(provenance())
    ['command', 'date', 'version']
    """
    return {
        "version": version("baserate"),
        "date": _now().strftime("%Y-%m-%dT%H:%M:%SZ"),
        "command": _command.get(),
    }


def _now() -> datetime:
    given = os.environ.get(EPOCH)
    if not given:
        return datetime.now(UTC)
    try:
        return datetime.fromtimestamp(int(given), UTC)
    except (ValueError, OverflowError, OSError):
        rule, remedy = "must be a whole number of seconds since 1970", "mend it, or unset it"
        raise InvalidArgumentError.from_rule(EPOCH, rule, given, remedy) from None

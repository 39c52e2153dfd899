"""The standard streams: lines on standard error, and one that comes and goes."""

import os
import sys
from contextlib import suppress
from threading import Lock

TYPE_CHECKING = False  # as `typing` has it, which takes its time to load
if TYPE_CHECKING:
    from typing import TextIO

_LOCK = Lock()
_drawn = 0  # signs of the passing line that stand there now
_hushed = False
_parted = False


def say(message: str) -> None:
    """Print one line on standard error, if it is there and takes it; names command no terminal."""
    stream = standard("stderr")
    if stream is None or _parted:
        return
    clear()
    line = message if message.isascii() and message.isprintable() else _in_signs(message)
    try:
        print(f"baserate: {line}", file=stream, flush=True)
    except OSError:
        silence(stream)


def _in_signs(message: str) -> str:
    from baserate._figures import spelled

    return spelled(message)


def part(word: str) -> None:
    """Say what ended the command, and no more: whatever else is raised is a consequence."""
    global _parted  # noqa: PLW0603
    say(word)
    _parted = True


def draw(text: str) -> None:
    """Put a passing line in the place of the last one; the next `say` or `clear` removes it."""
    global _drawn  # noqa: PLW0603  there is one terminal
    stream = standard("stderr")
    with _LOCK, suppress(OSError, ValueError):
        if stream is not None and not (_hushed and text):
            stream.write("\r" + text.ljust(_drawn) + ("\r" if not text else ""))
            stream.flush()
            _drawn = len(text)


def clear() -> None:
    """Remove the passing line, if there is one."""
    if _drawn:
        draw("")


def hush() -> None:
    """Draw nothing more: a report is written, perhaps through a pager on the same terminal."""
    global _hushed  # noqa: PLW0603
    _hushed = True
    clear()


def is_terminal(name: str) -> bool:
    """Whether a standard stream is one that somebody watches."""
    stream = standard(name)
    return stream is not None and stream.isatty()


def standard(name: str) -> "TextIO | None":
    """Return a standard stream; None if this process was started without it."""
    return getattr(sys, name)


def silence(stream: "TextIO") -> None:
    """Send what is still buffered nowhere, or Python would complain once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())

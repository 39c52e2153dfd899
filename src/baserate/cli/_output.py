"""Where a report goes: standard output, or a file that appears whole or not at all."""

import os
import sys
from pathlib import Path

from baserate.errors import DataError
from baserate.report import format_of, write_text


def chosen_format(asked: str | None, output: Path | None) -> str:
    """Return the format asked for, else that of the output's suffix, else table."""
    return asked or ("table" if output is None else format_of(output))


def _print(text: str) -> None:
    """Write to standard output, whatever its encoding, and though its reader may leave early."""
    encoding = sys.stdout.encoding or "utf-8"
    printable = text.encode(encoding, errors="replace").decode(encoding)
    try:
        sys.stdout.write(printable)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python would complain once more when it closes the pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def deliver(text: str, output: Path | None) -> None:
    """Print, or write the file."""
    if output is None:
        _print(text if text.endswith("\n") else text + "\n")
        return
    try:
        write_text(output, text)
    except OSError as error:
        reason = f"Cannot write {str(output)!r} ({error.strerror})"
        raise DataError(f"{reason}: pass another --output.") from None

"""Where a report goes: standard output, or a file that appears whole or not at all."""

import os
import sys
from pathlib import Path
from typing import Any, TextIO

from baserate.cli._config import nearest
from baserate.errors import DataError
from baserate.report import format_of, origins, refuse_origin, write_text


def chosen_format(asked: str | None, output: Path | None, *inputs: Any) -> str:
    """Return the format asked for, else that of the output's suffix, else table.

    Called before anything is read: a report that would take the place of an input is refused.
    """
    made_from = origins(*inputs, nearest(Path.cwd())[0])
    if output is None:
        refuse_origin(_standard("stdout"), made_from, "standard output")
    else:
        refuse_origin(output, made_from, "--output")
    return asked or ("table" if output is None else format_of(output))


def in_color(output: Path | None) -> bool:
    """Whether the report goes to a terminal that wants colours (https://no-color.org)."""
    stream = _standard("stdout")
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return output is None and stream is not None and stream.isatty() and not plain


def say(message: str) -> None:
    """Print one line on standard error, if it is there and takes it."""
    stream = _standard("stderr")
    if stream is None:
        return
    try:
        print(f"baserate: {message}", file=stream, flush=True)
    except OSError:
        _silence(stream)


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


def flush() -> None:
    """Empty standard output now: at exit, Python would complain in lines of its own."""
    stream = _standard("stdout")
    if stream is None:
        return
    try:
        stream.flush()
    except BrokenPipeError:  # its reader left early
        _silence(stream)
    except OSError as error:
        _silence(stream)
        raise _unwritable(error.strerror or str(error)) from None


def _print(text: str) -> None:
    """Write to standard output, whatever its encoding, and though its reader may leave early."""
    stream = _standard("stdout")
    if stream is None:
        raise _unwritable("it is closed")
    encoding = stream.encoding or "utf-8"
    try:
        stream.write(text.encode(encoding, errors="replace").decode(encoding))
    except BrokenPipeError:
        _silence(stream)
    except OSError as error:
        _silence(stream)
        raise _unwritable(error.strerror or str(error)) from None
    flush()


def _standard(name: str) -> TextIO | None:
    """Return a standard stream; None if this process was started without it."""
    return getattr(sys, name)


def _silence(stream: TextIO) -> None:
    """Send what is still buffered nowhere, or Python would complain once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _unwritable(reason: str) -> DataError:
    return DataError(f"Cannot write to standard output ({reason}): pass --output.")

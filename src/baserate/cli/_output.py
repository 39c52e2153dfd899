"""Where a report goes: standard output, or a file that appears whole or not at all."""

import os
from pathlib import Path
from typing import Any

from baserate._files import format_of, origins, refuse_origin, write_text
from baserate.cli._config import nearest
from baserate.cli._terminal import hush, is_terminal, silence, standard
from baserate.errors import DataError


def chosen_format(asked: str | None, output: Path | None, *inputs: Any) -> str:
    """Return the format asked for, else that of the output's suffix, else table.

    Called before anything is read: a report that would take the place of an input is refused.
    """
    made_from = origins(*inputs, nearest(Path.cwd())[0])
    if output is None:
        refuse_origin(standard("stdout"), made_from, "standard output")
    else:
        refuse_origin(output, made_from, "--output")
    return asked or ("table" if output is None else format_of(output))


def in_color(output: Path | None) -> bool:
    """Whether the report goes to a terminal that wants colours (https://no-color.org)."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return output is None and is_terminal("stdout") and not plain


def deliver(text: str, output: Path | None) -> None:
    """Print, or write the file."""
    hush()
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
    stream = standard("stdout")
    if stream is None:
        return
    try:
        stream.flush()
    except BrokenPipeError:  # its reader left early
        silence(stream)
    except OSError as error:
        silence(stream)
        raise _unwritable(error.strerror or str(error)) from None


def _print(text: str) -> None:
    """Write to standard output, whatever its encoding, and though its reader may leave early."""
    stream = standard("stdout")
    if stream is None:
        raise _unwritable("it is closed")
    encoding = stream.encoding or "utf-8"
    try:
        stream.write(text.encode(encoding, errors="replace").decode(encoding))
    except BrokenPipeError:
        silence(stream)
    except OSError as error:
        silence(stream)
        raise _unwritable(error.strerror or str(error)) from None
    flush()


def _unwritable(reason: str) -> DataError:
    return DataError(f"Cannot write to standard output ({reason}): pass --output.")

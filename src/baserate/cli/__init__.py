"""The command line: arguments, exit codes and progress; no mathematics.

Exit codes: 0 fine, 1 a check failed (``--fail-under``), 2 usage, input or system error, in one line
on standard error.
"""

import warnings
from collections.abc import Sequence
from contextlib import suppress

from baserate.cli._output import flush, say
from baserate.errors import BaserateError

# What a machine runs out of, and what to do then.
LIMITS: dict[type[Exception], str] = {
    MemoryError: "memory ran out: pass fewer groups or metrics, or use a larger machine.",
    OverflowError: "a number is too large to calculate with: pass smaller counts or weights.",
    RecursionError: "the input is nested too deeply: pass a plainer file.",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    with warnings.catch_warnings():
        warnings.showwarning = _warn
        try:
            from baserate.cli._app import run

            code = run(arguments)
            flush()
        except BaserateError as error:
            code = complain(str(error))
        except OSError as error:
            with suppress(BaserateError):  # what stays in the buffer would fail again at exit
                flush()
            reason = error.strerror or str(error)
            code = complain(f"the system refused ({reason}): check paths, permissions and space.")
        except tuple(LIMITS) as error:
            code = complain(next(text for kind, text in LIMITS.items() if isinstance(error, kind)))
        except KeyboardInterrupt:
            code = complain("interrupted.")
    return code


def complain(message: str) -> int:
    """Print one line on standard error and return the exit code for bad input."""
    say(" ".join(message.split()))
    return 2


def _warn(message: Warning | str, *_: object) -> None:
    """Print a warning as one line, without the line of code that it comes from."""
    say(f"warning: {message}")

"""The command line: arguments, exit codes and progress; no mathematics.

Exit codes: 0 fine, 1 a check failed (``--fail-under``), 2 usage, input or system error, in one line
on standard error, 130 interrupted, 143 terminated.
"""

import baserate
from baserate.cli._terminal import say
from baserate.cli._watch import INTERRUPTED, Watch  # before all that takes its time to load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# What a machine runs out of, and what to do then.
LIMITS: dict[type[Exception], str] = {
    MemoryError: "memory ran out: pass fewer groups or metrics, or use a larger machine.",
    OverflowError: "a number is too large to calculate with: pass smaller counts or weights.",
    RecursionError: "the input is nested too deeply: pass a plainer file.",
}


def main(arguments: "Sequence[str] | None" = None) -> int:
    """Run the command line and return its exit code.

    Without arguments the process is taken to be ours, its arguments too: Ctrl-C ends it.
    """
    if arguments is not None:
        return _answer(arguments)
    watch = Watch()
    try:
        with watch:
            return _answer(None)
    except KeyboardInterrupt:  # just before or after
        watch.leave()
        raise


def complain(message: str) -> int:
    """Print one line on standard error and return the exit code for bad input."""
    say(" ".join(message.split()))
    return 2


def _answer(arguments: "Sequence[str] | None") -> int:
    import warnings

    with warnings.catch_warnings():
        # As one line, without the line of code that it comes from.
        warnings.showwarning = lambda message, *_: say(f"warning: {message}")
        try:
            from baserate.cli._app import run

            code = run(arguments)
        except baserate.errors.BaserateError as error:
            code = complain(str(error))
        except OSError as error:
            reason = error.strerror or str(error)
            code = complain(f"the system refused ({reason}): check paths, permissions and space.")
        except tuple(LIMITS) as error:
            code = complain(next(text for kind, text in LIMITS.items() if isinstance(error, kind)))
        except KeyboardInterrupt:
            complain("interrupted.")
            code = INTERRUPTED
    return code

"""The command line: arguments, exit codes and progress; no mathematics.

Exit codes: 0 fine, 1 a check failed (``--fail-under``), 2 usage or input error, in one line on
standard error.
"""

import sys
from collections.abc import Sequence

from baserate.errors import BaserateError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    try:
        from baserate.cli._app import run

        return run(arguments)
    except BaserateError as error:
        return complain(str(error))
    except KeyboardInterrupt:
        return complain("interrupted.")


def complain(message: str) -> int:
    """Print one line on standard error and return the exit code for bad input."""
    print("baserate: " + " ".join(message.split()), file=sys.stderr)
    return 2

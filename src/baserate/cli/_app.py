"""The commands, their options and where else options come from."""

from collections.abc import Sequence
from importlib.metadata import version

from baserate.errors import InvalidArgumentError, MissingDependencyError

try:
    from cyclopts import App, CycloptsError
except ImportError:
    raise MissingDependencyError.from_extra("cyclopts", "The command line", "cli") from None

from baserate.cli._baseline import baseline
from baserate.cli._config import configuration
from baserate.cli._evaluate import evaluate
from baserate.cli._metrics import metrics

COMMANDS = {"evaluate": evaluate, "baseline": baseline, "metrics": metrics}


def build() -> App:
    """Return the application; made anew each run, since it reads the folder it is run in."""
    app = App(
        name="baserate",
        help="Is this classifier any good, for what I need it for, given how little data I have?",
        version=lambda: version("baserate"),
        config=configuration(COMMANDS),
        exit_on_error=False,
        print_error=False,
        help_format="plaintext",
    )
    for command in COMMANDS.values():
        app.command(command)
    return app


def run(arguments: Sequence[str] | None) -> int:
    """Parse and run; every complaint of the parser becomes an error of ours."""
    try:
        code = build()(arguments, result_action="return_value")
    except CycloptsError as error:
        text = " ".join(str(error).split())
        raise InvalidArgumentError(f"{text} See baserate --help.") from None
    return code or 0

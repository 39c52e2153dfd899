"""The commands, their options and where else options come from."""

import inspect
import shlex
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from inspect import signature

import baserate
from baserate._files import commanded
from baserate.errors import InvalidArgumentError, MissingDependencyError

try:
    from cyclopts import App, CycloptsError
    from cyclopts.exceptions import MissingArgumentError, UnknownOptionError, UnusedCliTokensError
except ImportError:
    raise MissingDependencyError.from_extra("cyclopts", "The command line", "cli") from None

from baserate.cli._audit import audit
from baserate.cli._compare import compare
from baserate.cli._config import configuration
from baserate.cli._count import count, merge
from baserate.cli._evaluate import evaluate
from baserate.cli._no_data import baseline, examples, metrics, sample_size
from baserate.cli._threshold import threshold

NEAR = 0.7  # how alike an option must be to be suggested; at 0.6, unrelated ones are
ELSEWHERE = {"--reference": "--guess"}  # options of another command, and what they are called here
SETTINGS = (
    "Options may also stand in a file, the nearest of baserate.toml and of [tool.baserate] in "
    "pyproject.toml, in this folder or, in a repository, one around it up to its root: spelled as "
    "here without the dashes, at the top for every command that has them, or in a table called as "
    "a command. What is typed wins, and what names a file to write has to be typed."
)
# What the library calls an argument that the command line calls by another name.
SPELLED = {
    "y_true": "target",
    "y_pred": "prediction",
    "predictions": "prediction",
    "y_score": "score",
    "groups": "group",
    "case_id": "id",
    "sample_weight": "weight",
    "pos_label": "positive",
    "confidence_level": "confidence",
    "n_resamples": "resamples",
    "rng": "seed",
    "n_positive": "positives",
    "n_negative": "negatives",
}
COMMANDS = {
    "evaluate": evaluate,
    "audit": audit,
    "compare": compare,
    "threshold": threshold,
    "count": count,
    "merge": merge,
    "baseline": baseline,
    "sample-size": sample_size,
    "metrics": metrics,
    "examples": examples,
}


def build() -> App:
    """Return the application; made anew each run, since it reads the folder it is run in."""
    app = App(
        name="baserate",
        help="Is this classifier any good, for what I need it for, given how little data I have?",
        help_epilogue=SETTINGS,
        version=lambda: baserate.__version__,
        config=configuration(COMMANDS),
        exit_on_error=False,
        print_error=False,
        suppress_keyboard_interrupt=False,
        help_format="plaintext",
    )
    for command in COMMANDS.values():
        command.__doc__ = _flowing(inspect.cleandoc(command.__doc__ or ""))
        app.command(command)
    return app


def _flowing(text: str) -> str:
    """Join the lines of paragraphs and of options, which a terminal breaks where it ends."""
    head, rule, options = text.partition("\n\nParameters\n----------\n")
    lines: list[str] = []
    for line in options.splitlines():
        if line.startswith(" ") and lines and lines[-1].startswith(" "):
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line)
    paragraphs = (" ".join(part.split()) for part in head.split("\n\n"))
    return "\n\n".join(paragraphs) + rule + "\n".join(lines)


def run(arguments: Sequence[str] | None) -> int:
    """Parse and run; every complaint of the parser becomes an error of ours."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        with commanded(shlex.join(["baserate", *words])):
            code = build()(words, result_action="return_value")
    except InvalidArgumentError as error:
        error.args = (_as_typed(error, words),)
        raise
    except CycloptsError as error:
        raise InvalidArgumentError(f"{_complaint(error)} {_help_of(words)}") from None
    return code or 0


def _as_typed(error: InvalidArgumentError, words: Sequence[str]) -> str:
    """Name the option that the command has for the argument which a message begins with."""
    text, argument = str(error), error.argument or ""
    command = next((COMMANDS[word] for word in words if word in COMMANDS), None)
    name = SPELLED.get(argument, argument)
    if command is None or name not in signature(command).parameters or name == "file":
        return text
    option = f"--{name.replace('_', '-')}"
    return f"{option}{text.removeprefix(argument)}" if text.startswith(f"{argument} ") else text


def _help_of(words: Sequence[str]) -> str:
    """Name the help of the command that was typed."""
    command = [word for word in words if word in COMMANDS][:1]
    return f"See {shlex.join(['baserate', *command, '--help'])}."


def _complaint(error: CycloptsError) -> str:
    if isinstance(error, UnknownOptionError):
        given = (error.token.keyword or error.token.value).split("=", 1)[0]
        known = [name for option in error.argument_collection for name in option.names]
        near = get_close_matches(given, known, n=1, cutoff=NEAR)
        near = [ELSEWHERE[given]] if ELSEWHERE.get(given) in known else near
        return f"Unknown option: {given}.{f' Did you mean {near[0]}?' if near else ''}"
    if isinstance(error, MissingArgumentError) and error.argument is not None:
        return _absent(error.argument.name, valued=error.keyword is None)
    if isinstance(error, UnusedCliTokensError):
        return f"Unexpected argument: {' '.join(error.unused_tokens or ())}."
    text = " ".join(str(error).split())
    return text if text.endswith((".", "?")) else f"{text}."


def _absent(name: str, *, valued: bool) -> str:
    if name == "--file":
        return "FILE must be given: the path of a table, or - for standard input."
    return f"{name} must be given." if valued else f"{name} needs a value."

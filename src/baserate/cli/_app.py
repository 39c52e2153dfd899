"""The commands, their options and where else options come from."""

import inspect
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from typing import Annotated, Any

import baserate
from baserate._files import commanded
from baserate.errors import BaserateError, InvalidArgumentError, MissingDependencyError

try:
    from cyclopts import App, CoercionError, CycloptsError, Group, Parameter
    from cyclopts.exceptions import MissingArgumentError, UnknownOptionError, UnusedCliTokensError
except ImportError:
    raise MissingDependencyError.from_extra("cyclopts", "The command line", "cli") from None

from baserate.cli._audit import audit
from baserate.cli._compare import compare
from baserate.cli._config import configuration
from baserate.cli._count import count, merge
from baserate.cli._evaluate import evaluate
from baserate.cli._no_data import baseline, examples, metrics, sample_size
from baserate.cli._options import as_share
from baserate.cli._output import flush
from baserate.cli._threshold import threshold

UNKNOWN = "Unknown option: "
NEAR = 0.7  # how alike an option must be to be suggested; at 0.6, unrelated ones are
# Options of another command or library, and what they are called here, if they are there.
ELSEWHERE = {
    "--reference": "--guess",
    "--prediction": "--score",
    "--level": "--confidence",
    "--costs": "--cost",
    "--prevalence": "--base-rate",
    "--by": "--group",
    "--fail-under": "--require",
    "--fail-over": "--require",
    "--correction": "--adjust",
    "--freq": "--frequency",
    "--fweight": "--frequency",
    "--map": "--relabel",
    "--rename": "--relabel",
    "--protected": "--group",
    "--sensitive": "--group",
    "--sensitive-features": "--group",
    "--privileged": "--reference",
    "--baseline": "--reference",
    "--non-inferiority": "--margin",
}
WORDS = (
    "A word of another field, such as c-statistic, cutoff, lift, four-fifths rule or dummy "
    "classifier? `baserate metrics` ends with what answers it."
)
WHERE_BEST = (
    "where a metric is best is told by baserate threshold --metrics NAME, and compare --points "
    "NAME cuts each score there"
)
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
    "psu": "cluster",
    "stratify": "strata",
    "stratum": "strata",
    "runs": "run",
    "trial": "run",
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


# One call each, which runs in a copy of the repository.
EXAMPLES = {
    "evaluate": "examples/affairs.csv --target affair --prediction predicted --positive yes",
    "audit": "examples/affairs.csv --target affair --prediction predicted --positive yes "
    "--group occupation",
    "compare": "examples/breast_cancer.csv --target diagnosis --positive malignant "
    "--prediction predicted --score score --cost fp=1,fn=20",
    "threshold": "examples/affairs.csv --target affair --score score --positive yes --metrics mcc",
    "count": "examples/affairs.csv --target affair --score score --positive yes "
    "--output counts.json",
    "merge": "counts.json --output week.json",
    "baseline": "--positives 30 --negatives 70",
    "sample-size": "--base-rate 0.1 --auc 0.8",
    "metrics": "--format markdown",
    "examples": "",
}
# Where the help of a command that reads data shows each option; others are of the question.
HEADINGS = {
    "Daily use": "file target prediction score correct model group positive cost metrics threshold "
    "output",
    "Data": "more counts frequency relabel missing",
    "Question": "",
    "Groups and design": "fold many_groups weight strata cluster id run replicate_weights "
    "replicate_scale reference known_reference gap alpha condition adjust strength",
    "Output": "format plot picture details",
    "Contracts": "require fail_under fail_over fail_on_worse fail_on_difference",
}
PLACES = {
    name: Group(heading, sort_key=place)
    for place, (heading, names) in enumerate(HEADINGS.items())
    for name in names.split() or [""]
}
SENTENCE = re.compile(r"(?<=\.) (?=[A-Z@])")  # between two of them
ONE_PREDICTION = "--prediction is one column here: compare takes several, one for each classifier."

ONE_CLUSTER = (
    "--cluster takes one value here: for clusters that are numbered anew in each stratum write "
    "--strata {} --cluster {}."
)


def build(*, in_full: bool = False) -> App:
    """Return the application; made anew each run, since it reads the folder it is run in."""
    app = App(
        name="baserate",
        help="Is this classifier any good, for what I need it for, given how little data I have?",
        help_epilogue=f"{WORDS}\n\n{SETTINGS}",
        version=lambda: baserate.__version__,
        config=configuration(COMMANDS),
        exit_on_error=False,
        print_error=False,
        suppress_keyboard_interrupt=False,
        help_format="plaintext",
    )
    for name, command in COMMANDS.items():
        app.command(_helpful(name, command, in_full=in_full))
    return app


def _helpful(name: str, command: Callable[..., int], *, in_full: bool) -> Callable[..., int]:
    """Return a command whose help shows an example, and options by their use, in a sentence each.

    In full it says all of each option, as the page of commands does.
    """

    @wraps(command)
    def called(*files: Any, **options: Any) -> int:
        return command(*files, **options)

    known = signature(command)
    of_data = "file" in known.parameters
    called.__doc__ = _flowing(inspect.cleandoc(command.__doc__ or ""), short=not in_full)
    if not in_full:
        first, blank, others = called.__doc__.partition("\n\n")
        called.__doc__ = f"{first}\n\nbaserate {name} {EXAMPLES[name]}".rstrip() + blank + others
    shown = [_placed(p, of_data=of_data, in_full=in_full) for p in known.parameters.values()]
    called.__annotations__ = {one.name: one.annotation for one in shown}
    called.__signature__ = known.replace(parameters=shown)  # pyright: ignore[reportAttributeAccessIssue]
    return called


def _placed(known: inspect.Parameter, *, of_data: bool, in_full: bool) -> inspect.Parameter:
    output = known.name in {"format", "output"}
    heading = known.name if of_data else "format" if output else ""
    group = PLACES.get(heading, PLACES[""])
    how = [one for one in getattr(known.annotation, "__metadata__", ()) if one.help]
    text: dict[str, Any] = {"show_default": False} if known.default is False else {}
    if how and not in_full:
        text["help"] = SENTENCE.split(how[-1].help)[0]
    return known.replace(annotation=Annotated[known.annotation, Parameter(group=group, **text)])


def _flowing(text: str, *, short: bool) -> str:
    """Join the lines of paragraphs and of options, of which a short text has a sentence each."""
    head, rule, options = text.partition("\n\nParameters\n----------\n")
    lines: list[str] = []
    for line in options.splitlines():
        if line.startswith(" ") and lines and lines[-1].startswith(" "):
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line)
    lines = [SENTENCE.split(line)[0] for line in lines] if short else lines
    paragraphs = (" ".join(part.split()) for part in head.split("\n\n"))
    return "\n\n".join(paragraphs) + rule + "\n".join(lines)


def run(arguments: Sequence[str] | None) -> int:
    """Parse and run; every complaint of the parser becomes an error of ours."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        with commanded(shlex.join(["baserate", *words])):
            code = build()(words, result_action="return_value")
        flush()
    except OSError:
        with suppress(BaserateError):  # what stays in the buffer would fail again at exit
            flush()
        raise
    except InvalidArgumentError as error:
        error.args = (_as_typed(error, words),)
        raise
    except CycloptsError as error:
        raise InvalidArgumentError(f"{_complaint(error, words)} {_help_of(words)}") from None
    return code or 0


def _as_typed(error: InvalidArgumentError, words: Sequence[str]) -> str:
    """Name the option that the command has for the argument which a message begins with."""
    text, argument = str(error), error.argument or ""
    command = next((COMMANDS[word] for word in words if word in COMMANDS), None)
    if command is not None and text.startswith(UNKNOWN):
        given = text.removeprefix(UNKNOWN).partition(". See ")[0]
        names = {*signature(command).parameters} - {"guess"}  # of several none is a reference
        options = [f"--{name.replace('_', '-')}" for name in names]
        return f"{_unknown(given, options)} {_help_of(words)}"
    name = SPELLED.get(argument, argument)
    known = None if command is None else signature(command).parameters.get(name)
    if known is None or known.kind is known.POSITIONAL_ONLY or name == "file":
        return text
    option = f"--{name.replace('_', '-')}"
    return f"{option}{text.removeprefix(argument)}" if text.startswith(f"{argument} ") else text


def _help_of(words: Sequence[str]) -> str:
    """Name the help of the command that was typed."""
    command = [word for word in words if word in COMMANDS][:1]
    return f"See {shlex.join(['baserate', *command, '--help'])}."


def _complaint(error: CycloptsError, words: Sequence[str]) -> str:
    if isinstance(error, UnknownOptionError):
        given = (error.token.keyword or error.token.value).split("=", 1)[0]
        return _unknown(given, [name for one in error.argument_collection for name in one.names])
    if isinstance(error, CoercionError) and (told := _uncut(error.token)):
        return told
    if isinstance(error, MissingArgumentError) and error.argument is not None:
        return _absent(error.argument.name, valued=error.keyword is None)
    if isinstance(error, UnusedCliTokensError):
        return _unused([*(error.unused_tokens or ())], words)
    text = " ".join(str(error).split())
    if text.startswith("Parameter --prediction specified multiple times"):
        return ONE_PREDICTION
    return text if text.endswith((".", "?")) else f"{text}."


def _unused(tokens: Sequence[str], words: Sequence[str]) -> str:
    """Name the words that belong nowhere, and the option of one value that they stand behind."""
    told = f"Unexpected argument: {' '.join(tokens)}."
    places = [k for k, word in enumerate(words) if word in tokens[:1]]
    before = words[places[-1] - 2] if places and places[-1] > 2 else ""
    if before == "--prediction":
        return f"{told} {ONE_PREDICTION}"
    if before == "--cluster":
        return f"{told} {ONE_CLUSTER.format(words[places[-1] - 1], *tokens)}"
    return f"{told} {before} takes one value here." if before.startswith("--") else told


def _unknown(given: str, known: Sequence[str]) -> str:
    """Name the option that may be meant."""
    near = get_close_matches(given, known, n=1, cutoff=NEAR)
    spelled = SPELLED.get(given.strip("-").replace("-", "_"))
    called = ELSEWHERE.get(given, f"--{spelled}")
    near = [called] if called in known else near
    return f"{UNKNOWN}{given}.{f' Did you mean {near[0]}?' if near else ''}"


def _uncut(token: Any) -> str:
    """Say what to write in place of a percentage, or of a metric where a number is to be."""
    if token and token.value.endswith("%"):
        return (
            f"{token.keyword} must be a share, got {token.value!r}: write {as_share(token.value)}."
        )
    if token and token.keyword == "--threshold":
        return f"--threshold must be a number here, got {token.value!r}: {WHERE_BEST}."
    return ""


def _absent(name: str, *, valued: bool) -> str:
    if name == "--file":
        return "FILE must be given: the path of a table, or - for standard input."
    return f"{name} must be given." if valued else f"{name} needs a value."

"""Options that commands share, each with its help; and when they are needed or out of place."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from cyclopts import Parameter

from baserate._files import FORMATS as REPORTS
from baserate._files import SHEETS, FormatName
from baserate.adapters.formats import TITLES
from baserate.errors import DataError, InvalidArgumentError
from baserate.evaluation.keywords import KEYWORDS
from baserate.evaluation.refusals import refuse

if TYPE_CHECKING:
    from baserate.cli._promises import Promises


def shown(text: str, **how: Any) -> Parameter:
    """Return an option with this help."""
    return Parameter(help=text, **how)


MANY: dict[str, Any] = {"consume_multiple": True, "negative": ()}  # --group a b, or one by one
SWITCH: dict[str, Any] = {"negative": ()}

FILES = f"{TITLES} or .xlsx, compressed or not"
TABLE = f"{FILES}; a pattern such as 'data/year=*/**/*.parquet', or a folder; - for standard input."
File = Annotated[str, shown(TABLE, allow_leading_hyphen=True)]
MoreFiles = Annotated[str, shown("With --counts, further files: one per group.")]
Several = Parameter(**MANY)
METRICS = ("--metrics", "--metric")  # both spellings, in every command
Metrics = Parameter(name=METRICS)
MetricsOrCriteria = Parameter(name=(*METRICS, "--criterion"))
MetricsOrAll = Annotated[
    str | None,
    shown(
        "Names, comma-separated, of those that `baserate metrics` lists; headline (the default "
        "dozen) or all.",
        name=METRICS,
    ),
]


def whole(_: Any, tokens: Sequence[Any]) -> int:
    """Read a whole number: 20.5 is refused, where a number would be rounded."""
    [token] = tokens
    try:
        return int(token.value)
    except ValueError:
        raise ValueError(f"write a whole number, not {token.value}") from None


Whole = Annotated[int | None, Parameter(converter=whole)]
Positives = Annotated[int | None, Parameter(name=("--positives", "--n-positive"), converter=whole)]
Negatives = Annotated[int | None, Parameter(name=("--negatives", "--n-negative"), converter=whole)]
Confidence = Annotated[
    float, shown("Level of the intervals.", name=("--confidence", "--confidence-level"))
]
OF_ROWS = [name for name in get_args(FormatName) if name not in SHEETS]
SUFFIXES = (REPORTS[name].suffixes[0] for name in get_args(FormatName))
Format = Annotated[
    FormatName | None,
    shown(
        f"{', '.join(SHEETS[:-1])} or {SHEETS[-1]}; of reports on data {', '.join(OF_ROWS[:-1])} "
        f"and {OF_ROWS[-1]} too. Default: the suffix of the output ({', '.join(SUFFIXES)}), else "
        "table."
    ),
]
Output = Annotated[Path | None, shown("File to write instead of standard output.")]
Plot = Annotated[
    Path | None,
    shown("Picture to write besides: .svg, or with matplotlib .png or .pdf."),
]
PictureName = Annotated[
    str | None,
    shown("Which picture --plot draws, such as roc; default the one that answers the question."),
]
Require = Annotated[
    list[str] | None,
    shown(
        'Exit with 1 unless this holds, and say by what it fails: "recall >= 0.8@low", "roc_auc >= '
        '0.7", "observed_expected in 0.8..1.25", "gap(recall) <= 0.1", "ratio(selection_rate) >= '
        '0.8", "difference(recall, new, old) >= -0.02@low", "cost <= 0.3". @low and @high judge an '
        "end of the interval (of a share of cases Clopper and Pearson's), @probability=0.95 the "
        "posterior probability; @groups, @classes, @classifiers or @group=LABEL each part or one.",
        **MANY,
    ),
]
Switch = Parameter(**SWITCH)
ONE, SOME = str | None, list[str] | None
# What the command line calls each keyword that says how data are read, and how it is typed.
READING: Mapping[str, tuple[str, Any]] = {
    "target": ("target", ONE),
    "prediction": ("prediction", ONE),
    "score": ("score", SOME),
    "correct": ("correct", ONE),
    "model": ("model", ONE),
    "groups": ("group", SOME),
    "fold": ("fold", ONE),
    "weight": ("weight", ONE),
    "strata": ("strata", ONE),
    "cluster": ("cluster", ONE),
    "case_id": ("id", ONE),
    "run": ("run", ONE),
    "replicate_weights": ("replicate_weights", SOME),
    "replicate_scale": ("replicate_scale", ONE),
    "frequency": ("frequency", ONE),
    "relabel": ("relabel", SOME),
    "positive": ("positive", ONE),
    "missing": ("missing", Literal["error", "drop"]),
    "many_groups": ("many_groups", bool),
}
DESIGN = ("weight", "strata", "cluster", "case_id", "run", "replicate_weights", "replicate_scale")
ROWS = ("frequency", "relabel")
Command = Callable[..., int]


def reads(*names: str, several: Sequence[str] = ()) -> Callable[[Command], Command]:
    """Give a command that takes `**columns` the options of these keywords; `several` are lists."""

    def completed(command: Command) -> Command:
        known = inspect.signature(command)
        *own, _ = known.parameters.values()
        places = [p for p in own if p.kind is not p.KEYWORD_ONLY]
        options = [_option(name, *READING[name], several=name in several) for name in names]
        every = [*places, *options, *own[len(places) :]]
        command.__signature__ = known.replace(parameters=every)  # pyright: ignore[reportFunctionMemberAccess]
        return command

    return completed


def _option(name: str, option: str, hint: Any, *, several: bool) -> inspect.Parameter:
    hint = SOME if several else hint
    how = MANY if hint == SOME else SWITCH if hint is bool else {}
    if option != name:  # the keyword's own name is understood too
        how = {**how, "name": [f"--{one.replace('_', '-')}" for one in (option, name)]}
    typed: Any = Annotated[hint, shown(KEYWORDS[name].says, **how)]
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(option, kind, default=KEYWORDS[name].default, annotation=typed)


def keywords(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was typed of these options as the keywords of calls."""
    found = {name: columns[option] for name, (option, _) in READING.items() if option in columns}
    read = {"score": score_columns, "replicate_scale": numbers}
    return {name: read[name](x) if name in read else x for name, x in found.items()}


def numbers(text: str | None) -> float | list[float] | None:
    """Read one number, or several with commas between them; a fraction such as 1/80 is one."""
    if text is None:
        return None
    try:
        found = [_fraction(*part.split("/", 1)) for part in text.split(",")]
    except (ValueError, ZeroDivisionError):
        rule, remedy = "must be numbers with commas between them", "write for example 1/80"
        raise InvalidArgumentError.from_rule("--replicate-scale", rule, text, remedy) from None
    return found[0] if len(found) == 1 else found


def _fraction(above: str, below: str = "1") -> float:
    return float(above) / float(below)


def score_columns(names: list[str] | None) -> str | list[str] | None:
    """Return the column of a score, or what names those of several classes."""
    return names[0] if names and len(names) == 1 else names or None


def as_share(text: str) -> str:
    """Write a percentage as a share, for whoever has to type one."""
    try:
        return f"{float(text[:-1]) / 100:g}"
    except ValueError:
        return "for example 0.3"


def promises(**options: Sequence[str] | None) -> "Promises":
    """Read what the report must keep, before anything is counted."""
    from baserate.cli._promises import Promises

    return Promises.of(**options)


def stated(base_rate: float | None, *, balanced: bool) -> float | None:
    """Return the base rate that metrics are restated at; 1/2 for the balanced ones."""
    if balanced and base_rate is not None:
        rule, remedy = "cannot be given with --base-rate", "drop one: it is --base-rate 0.5"
        raise InvalidArgumentError.from_rule("--balanced", rule, base_rate, remedy)
    return 0.5 if balanced else base_rate


def refuse_options(files: Sequence[str], command: str) -> None:
    """Refuse what was meant as an option and would be taken for one of several files."""
    for file in files:
        if file.startswith("-") and file != "-":
            raise InvalidArgumentError(f"Unknown option: {file}. See baserate {command} --help.")


def refuse_columns(files: Sequence[str]) -> None:
    """Refuse what was meant as a column and would be taken for one of several files."""
    for file in files:
        if not (set("*?[:") & set(file) or Path(file).exists()):
            raise InvalidArgumentError(
                f"FILE of an audit is one table, got {file!r} besides, which is no file: columns "
                "are named by options, of which --group and --score take several, and compare "
                "takes several predictions."
            )


def by_name(files: Sequence[str]) -> dict[str, str]:
    """Call each of several files by its stem, or by its path where two have the same."""
    names = [Path(file).stem for file in files]
    return dict(zip(names if len({*names}) == len(names) else files, files, strict=True))


def require_columns(
    *, target: Any = None, prediction: Any = None, score: Any = None, remedy: str = "",
    truth: str = "name the true labels' column", file: str | None = None, correct: Any = None,
    **_: Any,
) -> None:  # fmt: skip
    """Ask for the columns without which nothing can be counted; a file of counts has none."""
    if correct:
        return
    if file and not (target and (prediction or score)):
        if holds_histogram(file):
            refuse("histogram", target=target, prediction=prediction, score=score)
            return
        refuse_absent(file)
        if not (target or prediction or score) and holds_counts(file):
            return
    if target is None:
        rule = "must be given (or --counts, for a file of counts)"
        raise InvalidArgumentError.from_rule("--target", rule, None, truth)
    if not prediction and not score:
        rule = "must be given unless --score is"
        remedy = remedy or "name one of the two"
        raise InvalidArgumentError.from_rule("--prediction", rule, None, remedy)


def refuse_absent(file: str) -> None:
    """Refuse a path that leads nowhere, before anything is asked about what it holds."""
    plain = file != "-" and "://" not in file and not set("*?[") & set(file)
    if plain and not Path(file).exists():
        raise DataError(f"{file} does not exist: pass the path of a file, or - for standard input.")


def refuse_missing(files: Sequence[str]) -> None:
    """Refuse files of counts that are not there."""
    for file in files:
        if not Path(file).exists():
            raise DataError(f"{file} does not exist: pass files that baserate count wrote.")


def holds_counts(file: str) -> bool:
    """Whether a file says that it holds the counts of tables."""
    from baserate.evaluation.score_histograms import holds_counts

    return holds_counts(file)


def holds_histogram(file: str) -> bool:
    """Whether a file is one that `baserate count` wrote for a score."""
    from baserate.evaluation.score_histograms import is_histogram_file

    return is_histogram_file(file)

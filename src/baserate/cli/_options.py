"""Options that commands share, each with its help; and when they are needed or out of place."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from baserate.errors import DataError, InvalidArgumentError


def shown(text: str, **how: Any) -> Parameter:
    """Return an option with this help."""
    return Parameter(help=text, **how)


MANY: dict[str, Any] = {"consume_multiple": True, "negative": ()}  # --group a b, or one by one
SWITCH: dict[str, Any] = {"negative": ()}

File = Annotated[
    str,
    shown(
        "CSV, TSV, Parquet, JSON lines or Arrow, compressed or not; a pattern such as "
        "'data/year=*/**/*.parquet', or a folder; - for standard input.",
        allow_leading_hyphen=True,
    ),
]
MoreFiles = Annotated[str, shown("With --counts, further files: one per group.")]
Target = Annotated[str | None, shown("Column of true labels.")]
Prediction = Annotated[str | None, shown("Column of predicted labels.")]
Positive = Annotated[
    str | None,
    shown(
        "The positive label; default True, or 1 of 0/1 or -1/1. With more than two labels, this "
        "one against the rest."
    ),
]
Several = Parameter(**MANY)
Scores = Annotated[
    list[str] | None,
    shown(
        "Column of scores; predicted positive if score >= threshold. Of several classes a column "
        "for each: by name, as a pattern such as 'p_*', or LABEL=COLUMN; each case is then called "
        "the class with the highest score. With a prediction too, the table comes from the "
        "prediction, and the report says so.",
        **MANY,
    ),
]
Metrics = Parameter(name=("--metrics", "--metric"))  # both spellings, in every command
MetricsOrAll = Annotated[
    str | None,
    shown(
        "Names, comma-separated, headline (the default dozen) and all (the catalogue). See: "
        "baserate metrics.",
        name=("--metrics", "--metric"),
    ),
]
Confidence = Annotated[float, shown("Level of the intervals.")]
Missing = Annotated[
    Literal["error", "drop"],
    shown(
        "What to do with rows that lack a label, score, weight, fold or group: error, or drop "
        "(and count) them."
    ),
]
ManyGroups = Annotated[
    bool,
    shown(
        "Take a nearly continuous column as groups: more than 30, of fewer than ten cases on "
        "average.",
        **SWITCH,
    ),
]
Format = Annotated[
    Literal["table", "json", "markdown", "html"] | None,
    shown("table, json, markdown or html; default: the suffix of the output, else table."),
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
Switch = Parameter(**SWITCH)
ReplicateWeights = shown(
    "Columns of the survey's replicate weights, beside --weight: by name, or a pattern such as "
    "'repwt*'. Intervals and tests then come from these.",
    **MANY,
)
ReplicateScale = shown(
    "What a squared deviation of each replicate counts: 1/R for balanced repeated replication of R "
    "replicates, 1/(R (1 - rho)²) with Fay's factor, (R - 1)/R for the jackknife, 1/(R - 1) for "
    "the bootstrap; or one number per replicate, comma-separated."
)


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
    """Return the column of a score, or what names those of several classes.

    Examples
    --------
    >>> from baserate.cli._options import score_columns
    >>> score_columns(["risk"]), score_columns(["p_a", "p_b"]), score_columns(["a=x", "b=y"])
    ('risk', ['p_a', 'p_b'], ['a=x', 'b=y'])
    """
    return names[0] if names and len(names) == 1 else names or None


def refuse_options(files: Sequence[str], command: str) -> None:
    """Refuse what was meant as an option and would be taken for one of several files."""
    for file in files:
        if file.startswith("-") and file != "-":
            raise InvalidArgumentError(f"Unknown option: {file}. See baserate {command} --help.")


def by_name(files: Sequence[str]) -> dict[str, str]:
    """Call each of several files by its stem, or by its path where two have the same.

    Examples
    --------
    >>> from baserate.cli._options import by_name
    >>> by_name(["sites/north.csv", "south.csv"])
    {'north': 'sites/north.csv', 'south': 'south.csv'}
    """
    names = [Path(file).stem for file in files]
    return dict(zip(names if len({*names}) == len(names) else files, files, strict=True))


def require_columns(
    target: str | None, prediction: Any, score: Any, remedy: str = "", *, file: str | None = None
) -> None:
    """Ask for the columns without which nothing can be counted; a histogram has none."""
    if file and not (target and (prediction or score)) and holds_histogram(file):
        refuse_with_histogram(target=target, prediction=prediction, score=score)
        return
    if file and not (target and (prediction or score)):
        refuse_absent(file)
    if target is None:
        rule = "must be given (or --counts, for a file of counts)"
        raise InvalidArgumentError.from_rule("--target", rule, None, "name the true labels' column")
    if not prediction and not score:
        rule = "must be given unless --score is"
        remedy = remedy or "name one of the two"
        raise InvalidArgumentError.from_rule("--prediction", rule, None, remedy)


def refuse_absent(file: str) -> None:
    """Refuse a path that leads nowhere, before anything is asked about what it holds."""
    plain = file != "-" and "://" not in file and not set("*?[") & set(file)
    if plain and not Path(file).exists():
        raise DataError(f"{file} does not exist: pass the path of a file, or - for standard input.")


def holds_histogram(file: str) -> bool:
    """Whether a file is one that `baserate count` wrote for a score."""
    from baserate.evaluation.score_histograms import is_histogram_file

    return is_histogram_file(file)


def refuse_with_histogram(**options: Any) -> None:
    """Refuse what names columns of cases, which a histogram has none of."""
    for name, given in options.items():
        if given:
            rule = "has no meaning for a file of counted scores, which has no columns"
            raise InvalidArgumentError.from_rule(f"--{name}", rule, given, "leave it out")


def refuse_with_counts(*, missing: str, many_groups: bool, **options: Any) -> None:
    """Refuse what a file of counts cannot honour."""
    rows = {"missing": None if missing == "error" else missing, "many_groups": many_groups or None}
    for name, given in {**options, **rows}.items():
        if given is not None:
            rule = "has no meaning with --counts, since a file of counts holds no cases"
            option = f"--{name.replace('_', '-')}"
            raise InvalidArgumentError.from_rule(option, rule, given, "drop one of the two")

"""`baserate compare`: which of several classifiers is best, given what decisions are worth."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import baserate.evaluation
from baserate.cli import _options as given
from baserate.cli._output import check_plot, chosen_format, drawn, report
from baserate.cli._terminal import say
from baserate.cli._watch import reading as watched
from baserate.errors import DataError, InvalidArgumentError
from baserate.evaluation.refusals import refuse

Files = Annotated[
    str,
    given.shown(
        f"{given.TABLE} Or several files in which `baserate count` counted scores, one per "
        "classifier, each of test cases of its own.",
        allow_leading_hyphen=True,
    ),
]


@given.reads(
    "target", "prediction", "score", "correct", "model", "groups", *given.DESIGN,
    *given.ROWS, "positive", "missing", "many_groups", several=["prediction", "correct"],
)  # fmt: skip
def compare(
    *file: Files,
    threshold: float | None = None,
    points: str | None = None,
    counts: Annotated[bool, given.Switch] = False,
    utility: str | None = None,
    cost: str | None = None,
    base_rate: str | None = None,
    metrics: Annotated[str | None, given.Metrics] = None,
    margin: float | None = None,
    guess: str = "dutch-draw",
    confidence: given.Confidence = 0.95,
    seed: given.Whole = None,
    format: given.Format = None,  # noqa: A002
    output: given.Output = None,
    plot: given.Plot = None,
    picture: given.PictureName = None,
    details: Annotated[bool, given.Switch] = False,
    fail_on_worse: Annotated[bool, given.Switch] = False,
    require: given.Require = None,
    **columns: Any,
) -> int:
    """Say which of several classifiers did better, and how sure that is of new cases.

    Of more than two labels, none of which is named positive, all classes are compared.

    Parameters
    ----------
    threshold
        Where to cut the scores; default 0.5, if every score lies in [0, 1], and no points.
    points
        Metrics, comma-separated, such as "mcc,robust_mcc(d=0.1)": each score is cut where each of
        them is best in these cases. With utilities or costs, probabilities are also cut at the
        threshold that these imply.
    counts
        FILE holds counts: columns tp, fn, fp, tn, one row per classifier, each with a test set of
        its own. Of several classes, a FILE per classifier: a square table with the truth in rows,
        or columns truth, prediction and count.
    utility
        TOML or CSV file: what each decision is worth in each class.
    cost
        Costs of the two errors, in place of a utility, such as fp=1,fn=20.
    base_rate
        Base rates of deployment, comma-separated: everything but the groups is stated at the first,
        yields and the best classifier at the others too.
    metrics
        Names, comma-separated, such as macro_f1,mcc,recall: what is compared; default recall,
        specificity and accuracy, of several classes accuracy and averages over them.
    margin
        Non-inferiority margin, such as 0.02: says of every other classifier whether it is worse
        than the first one named by no more than this, by each metric compared.
    guess
        The guess that chance levels refer to: dutch-draw, uniform, proportional, mode or a
        probability.
    seed
        Of the simulation of P(best) for three or more classifiers on the same cases; default 0.
    details
        Show rankings of metrics, tests one by one, what is best where, and methods too.
    fail_on_worse
        Exit with 1 if any classifier is worse than the first one named with at least the
        probability that --confidence says. One of which that is not known fails too.
    """
    promises = given.promises(require=require)
    form = chosen_format(format, output, *file, utility)
    check_plot(plot, picture, output, *file, utility)
    given.refuse_options(file, "compare")
    reading = given.keywords(columns)
    several = counts and len(file) > 1
    by_column = bool(reading.get("target") or reading.get("correct") or counts)
    data = given.by_name(file) if several else _classifiers(file, by_column=by_column)
    options: dict[str, Any] = {
        "utility": utility, "cost": cost, "guess": guess, "base_rate": _base_rates(base_rate),
        "metrics": metrics, "confidence_level": confidence, "threshold": threshold,
        "points": points, "margin": margin,
    }  # fmt: skip
    if counts:
        refuse("counts", seed=seed)
        marked = baserate.evaluation.CountsFile.each(data)
        found = baserate.compare(marked, **reading, **options)
    else:
        if isinstance(data, str):
            two = "name two columns: --prediction A --prediction B"
            given.require_columns(**reading, remedy=two, file=data)
            _refuse_commas(*map(columns.get, ("prediction", "score", "correct")))
        rng = 0 if seed is None else seed
        found = baserate.compare(data, rng=rng, progress=watched, **reading, **options)
    code = int(fail_on_worse and not _as_good(found.facts, confidence)) | promises.judge(found)
    pictures = drawn(found, plot, picture)
    report(found, form, output, pictures, details=details)
    return code


def _as_good(facts: Any, confidence: float) -> bool:
    """Say which classifiers are worse than the first one, surely or probably; return if none is."""
    from baserate import _figures as figures  # loads NumPy

    first = facts.classifiers[0].name
    pairs = [pair for pair in facts.pairs if pair.a == first]
    for pair in pairs:
        chance = f"P({first} better than {pair.b}) {figures.equals(pair.a_better)}"
        if not pair.a_better < confidence:  # nan says that nobody can know
            say(f"failed: {chance}")
        elif pair.a_better > 0.5:
            say(f"passed, but {chance}")
    return all(pair.a_better < confidence for pair in pairs)


def _classifiers(files: Sequence[str], *, by_column: bool) -> str | dict[str, str]:
    """Return the one file whose columns or rows are classifiers, or a file for each by its name."""
    if not files:
        raise InvalidArgumentError("FILE must be given: the path of a table, or files of counts.")
    if len(files) == 1 and (by_column or not given.holds_histogram(files[0])):
        return files[0]
    _refuse_columns(files[0], files[1:])
    given.refuse_missing(files)
    if other := next((file for file in files if not given.holds_histogram(file)), None):
        raise DataError(
            f"{other} holds no histogram of scores, and several files are compared by these only: "
            "count each with baserate count --score, or put the classifiers into one table."
        )
    return given.by_name(files)


def _refuse_columns(file: str, others: Sequence[str]) -> None:
    """Say which options take one column, to whoever names two of them."""
    absent = [one for one in others if not Path(one).exists()]
    if not absent or not Path(file).is_file() or given.holds_histogram(file):
        return
    from baserate.evaluation.reading import columns_in

    if column := next((one for one in absent if one in columns_in(file)), None):
        raise InvalidArgumentError(
            f"{column} is a column of {file}, not a file: --id takes one column, the item, and "
            f"several rows of an item are its runs: leave {column} out."
        )


def _refuse_commas(
    prediction: list[str] | None, score: list[str] | None, correct: list[str] | None
) -> None:
    """Say how two columns are named, to whoever writes them as other options have it."""
    named = [*(prediction or ()), *(score or ()), *(correct or ())]
    if len(named) == 1 and "," in named[0]:
        option = "--prediction" if prediction else "--score" if score else "--correct"
        parts = " ".join(part.strip() for part in named[0].split(","))
        rule = "must name two columns, without commas, for two classifiers"
        raise InvalidArgumentError.from_rule(option, rule, named[0], f"write {option} {parts}")


def _base_rates(text: str | None) -> list[float] | None:
    try:
        return None if text is None else [float(part) for part in text.split(",")]
    except ValueError:
        rule, remedy = "must be shares with commas between them", "write for example 0.5,0.02"
        raise InvalidArgumentError.from_rule("--base-rate", rule, text, remedy) from None

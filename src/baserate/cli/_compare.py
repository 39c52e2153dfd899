"""`baserate compare`: which of several classifiers is best, given what decisions are worth."""

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from baserate.cli._columns import Metrics, Several, refuse_with_counts
from baserate.cli._output import chosen_format, deliver, in_color
from baserate.cli._watch import reading
from baserate.errors import InvalidArgumentError
from baserate.evaluation import compare as run_compare
from baserate.evaluation import compare_counts

Format = Literal["table", "json", "markdown", "html"]


def compare(
    file: Annotated[str, Parameter(allow_leading_hyphen=True)],
    *,
    target: str | None = None,
    prediction: Annotated[list[str] | None, Several] = None,
    score: Annotated[list[str] | None, Several] = None,
    threshold: float | None = None,
    points: str | None = None,
    positive: str | None = None,
    group: Annotated[list[str] | None, Several] = None,
    counts: Annotated[bool, Parameter(negative=())] = False,
    utility: str | None = None,
    cost: str | None = None,
    base_rate: str | None = None,
    metrics: Annotated[str | None, Metrics] = None,
    guess: str = "dutch-draw",
    confidence: float = 0.95,
    seed: int | None = None,
    missing: Literal["error", "drop"] = "error",
    many_groups: Annotated[bool, Parameter(negative=())] = False,
    format: Format | None = None,  # noqa: A002
    output: Path | None = None,
) -> int:
    """Say which of several classifiers is best, given what their decisions are worth.

    Parameters
    ----------
    file
        CSV, TSV, Parquet, JSON lines or Arrow, compressed or not; - for standard input.
    target
        Column of true labels.
    prediction
        Columns of predicted labels, one per classifier.
    score
        Columns of scores; predicted positive if score >= threshold.
    threshold
        Where to cut the scores; default 0.5, if every score lies in [0, 1], and no points.
    points
        Metrics, comma-separated, such as "mcc,robust_mcc(d=0.1)": each score is cut where each of
        them is best. With utilities or costs, probabilities are also cut at the threshold that
        these imply.
    positive
        The positive label; default the one that a TOML file of utilities states, True, or 1 of 0/1
        or -1/1. Counts have no labels: with them it is the first class of the utilities.
    group
        Group columns; every combination is reported.
    counts
        FILE holds counts: columns tp, fn, fp, tn, one row per classifier, each with a test set of
        its own.
    utility
        TOML or CSV file: what each decision is worth in each class.
    cost
        Costs of the two errors instead, such as fp=1,fn=20.
    base_rate
        Base rates of deployment, comma-separated: everything but the groups is stated at the first,
        yields and the best classifier at the others too.
    metrics
        Names, comma-separated: metrics whose rankings are judged; default the usual eight.
    guess
        The guess that chance levels refer to: dutch-draw, uniform, proportional, mode or a
        probability.
    confidence
        Level of the intervals.
    seed
        Of the simulation of P(best) for three or more classifiers on the same cases; default 0.
    missing
        What to do with rows that lack a label, score or group: error, or drop (and count) them.
    many_groups
        Take a nearly continuous column as groups: more than 30, of fewer than ten cases on average.
    format
        table, json, markdown or html; default: the suffix of the output, else table.
    output
        File to write instead of standard output.
    """
    form = chosen_format(format, output, file, utility)
    options: dict[str, Any] = {
        "utility": utility, "cost": cost, "positive": positive, "guess": guess,
        "base_rate": _base_rates(base_rate), "metrics": metrics, "confidence_level": confidence,
    }  # fmt: skip
    if counts:
        columns = {"target": target, "prediction": prediction, "score": score, "group": group}
        rows = {"missing": None if missing == "error" else missing, "seed": seed}
        rows["many_groups"] = many_groups or None
        refuse_with_counts(**columns, threshold=threshold, points=points, **rows)
        found = compare_counts(file, **options)
    else:
        _require(target, prediction, score)
        found = run_compare(
            file, target=target, prediction=prediction, score=score, threshold=threshold,
            points=points, groups=group, rng=0 if seed is None else seed, missing=missing,
            many_groups=many_groups, progress=reading, **options,
        )  # fmt: skip
    deliver(found.render(form, color=in_color(output)), output)
    return 0


def _require(target: str | None, prediction: list[str] | None, score: list[str] | None) -> None:
    """Ask for the columns without which nothing can be compared."""
    if target is None:
        rule = "must be given (or --counts, for a file of counts)"
        raise InvalidArgumentError.from_rule("--target", rule, None, "name the true labels' column")
    if not prediction and not score:
        rule = "must be given unless --score is"
        remedy = "name two columns: --prediction A --prediction B"
        raise InvalidArgumentError.from_rule("--prediction", rule, None, remedy)


def _base_rates(text: str | None) -> list[float] | None:
    try:
        return None if text is None else [float(part) for part in text.split(",")]
    except ValueError:
        rule, remedy = "must be numbers with commas between them", "write for example 0.5,0.02"
        raise InvalidArgumentError.from_rule("--base-rate", rule, text, remedy) from None

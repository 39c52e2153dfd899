"""`baserate threshold`: where to cut a score, metric by metric."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from baserate.cli._columns import Metrics, Several
from baserate.cli._output import chosen_format, deliver, in_color
from baserate.cli._watch import reading
from baserate.errors import InvalidArgumentError
from baserate.evaluation import thresholds

Format = Literal["table", "json", "markdown", "html"]


def threshold(
    file: Annotated[str, Parameter(allow_leading_hyphen=True)],
    *,
    target: str | None = None,
    score: str | None = None,
    fold: str | None = None,
    guess: str | None = None,
    group: Annotated[list[str] | None, Several] = None,
    positive: str | None = None,
    metrics: Annotated[str | None, Metrics] = None,
    utility: Path | None = None,
    cost: str | None = None,
    constraint: Annotated[list[str] | None, Several] = None,
    default: float | None = None,
    confidence: float = 0.95,
    resamples: int = 200,
    seed: int = 0,
    missing: Literal["error", "drop"] = "error",
    many_groups: Annotated[bool, Parameter(negative=())] = False,
    format: Format | None = None,  # noqa: A002
    output: Path | None = None,
) -> int:
    """Say where to cut a score for each metric, how sure that is, and what the default costs.

    Parameters
    ----------
    file
        CSV, TSV, Parquet, JSON lines or Arrow, compressed or not; - for standard input.
    target
        Column of true labels.
    score
        Column of scores, higher for positive.
    fold
        Column that names the fold each case was held out in; thresholds are then cross-validated.
    guess
        With folds, the guess that skill refers to: dutch-draw (the default), uniform, proportional,
        mode or a probability.
    group
        Group columns: for every combination, what the best cut of all cases gives there, and the
        group's own best cut.
    positive
        The positive label; default True, or 1 of 0/1 or -1/1.
    metrics
        Names, comma-separated; default Matthews correlation, F1, kappa and both accuracies.
    utility
        TOML or CSV file of utilities, decisions in rows; the answer is then the cut with the best
        mean utility per case.
    cost
        Costs of the two errors instead, such as fp=1,fn=20.
    constraint
        Such as "recall >= 0.9"; only cuts that meet all of them compete.
    default
        The threshold to compare with; 0.5 if every score lies in [0, 1].
    confidence
        Level of the intervals.
    resamples
        Bootstrap samples.
    seed
        Of the bootstrap.
    missing
        What to do with rows that lack a label, score, fold or group: error, or drop (and count)
        them.
    many_groups
        Take a nearly continuous column as groups: more than 30, of fewer than ten cases on average.
    format
        table, json, markdown or html; default: the suffix of the output, else table.
    output
        File to write instead of standard output.
    """
    form = chosen_format(format, output, file, utility)
    for option, column in (("--target", target), ("--score", score)):
        if column is None:
            remedy = "name the column"
            raise InvalidArgumentError.from_rule(option, "must be given", None, remedy)
    found = thresholds(
        file, target=target, score=score, fold=fold, positive=positive, metrics=metrics,
        utility=utility, cost=cost, guess=guess, groups=group, constraint=constraint,
        default=default, confidence_level=confidence,
        n_resamples=resamples, rng=seed, missing=missing,
        many_groups=many_groups, progress=reading,
    )  # fmt: skip
    deliver(found.render(form, color=in_color(output)), output)
    return 0

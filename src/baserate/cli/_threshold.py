"""`baserate threshold`: where to cut a score, metric by metric."""

from pathlib import Path
from typing import Annotated, Any

import baserate
from baserate.cli import _options as given
from baserate.cli._output import check_plot, chosen_format, drawn, report
from baserate.cli._watch import reading as watched
from baserate.errors import InvalidArgumentError
from baserate.evaluation.refusals import refuse


@given.reads(
    "target", "score", "groups", "fold", "weight", "strata", "cluster", "case_id", "run",
    *given.ROWS, "positive", "missing", "many_groups",
)  # fmt: skip
def threshold(
    file: given.File,
    *,
    guess: str | None = None,
    metrics: Annotated[str | None, given.Metrics] = None,
    utility: Path | None = None,
    cost: str | None = None,
    constraint: Annotated[list[str] | None, given.Several] = None,
    base_rate: float | None = None,
    default: float | None = None,
    top: Annotated[list[str] | None, given.Several] = None,
    confidence: given.Confidence = 0.95,
    resamples: given.Whole = None,
    seed: given.Whole = 0,
    format: given.Format = None,  # noqa: A002
    output: given.Output = None,
    plot: given.Plot = None,
    picture: given.PictureName = None,
    details: Annotated[bool, given.Switch] = False,
    **columns: Any,
) -> int:
    """Say where each metric, or cost, is best cut, how sure that is, and what the default gives.

    Of more than two classes, with a probability for each: how to weigh these before the class with
    the largest one is called, what that is worth on new cases, and what without weights.

    Parameters
    ----------
    guess
        With folds, the guess that skill refers to: dutch-draw (the default), uniform, proportional,
        mode or a probability.
    metrics
        Names, comma-separated; default Matthews correlation, F1, kappa and both accuracies; of
        several classes macro_f1 first.
    utility
        TOML or CSV file of utilities, decisions in rows; the answer is then the cut with the best
        mean utility per case.
    cost
        Costs of the two errors, in place of a utility, such as fp=1,fn=20.
    constraint
        Such as "recall >= 0.9", or a capacity, "alarms <= 50" or "predicted_positive_rate <= 0.1";
        only cuts that meet all of them compete, and the report says how likely new cases do.
    base_rate
        That of the population the cut is for: metrics and constraints are restated at it, if
        recall and specificity stay as they are.
    default
        The threshold to compare with; 0.5 if every score lies in [0, 1].
    top
        How many of the highest scores, such as 50, or which share of them, such as 5%, have their
        precision and recall reported; default 10%.
    resamples
        Bootstrap samples; default 200, and 20 of several classes.
    seed
        Of the bootstrap.
    details
        Show every table of the score, and methods too.
    """
    form = chosen_format(format, output, file, utility)
    check_plot(plot, picture, output, file, utility)
    reading = given.keywords(columns)
    named = {name: reading.get(name) for name in ("target", "score")}
    if not all(named.values()) and given.holds_histogram(file):
        refuse("histogram", **named)
    elif missing := [name for name, column in named.items() if column is None]:
        option, remedy = f"--{missing[0]}", "name the column"
        raise InvalidArgumentError.from_rule(option, "must be given", None, remedy)
    found = baserate.thresholds(
        file, metrics=metrics, utility=utility, cost=cost, guess=guess, constraint=constraint,
        base_rate=base_rate, default=default, top=top, confidence_level=confidence,
        n_resamples=resamples, rng=seed, progress=watched, **reading,
    )  # fmt: skip
    pictures = drawn(found, plot, picture)
    report(found, form, output, pictures, details=details)
    return 0

"""`baserate baseline`: what guessing would score, from the class totals alone."""

from pathlib import Path
from typing import Annotated, Literal

from baserate.cli._columns import Metrics
from baserate.cli._output import chosen_format, deliver
from baserate.evaluation import baseline as gather
from baserate.report.baseline import render_baseline

Format = Literal["table", "json", "markdown", "html"]


def baseline(
    *,
    positives: int,
    negatives: int,
    metrics: Annotated[str | None, Metrics] = None,
    guess: str = "dutch-draw",
    format: Format | None = None,  # noqa: A002
    output: Path | None = None,
) -> int:
    """Say what guessing would score: the bar that a classifier has to clear.

    Parameters
    ----------
    positives
        Number of positive cases.
    negatives
        Number of negative cases.
    metrics
        Names, comma-separated, headline (the default dozen) and all (the catalogue).
    guess
        The guess: dutch-draw (the best one), uniform, proportional, mode or a probability.
    format
        table, json, markdown or html; default: the suffix of the output, else table.
    output
        File to write instead of standard output.
    """
    form = chosen_format(format, output)
    facts = gather(n_positive=positives, n_negative=negatives, metrics=metrics, guess=guess)
    deliver(render_baseline(facts, form), output)
    return 0

"""Commands that need no data: the catalogue of metrics, and what guessing would score."""

from baserate.cli._options import Format, MetricsOrAll, Output
from baserate.cli._output import chosen_format, deliver


def metrics(*, format: Format = None, output: Output = None) -> int:  # noqa: A002
    """List every metric with its names, formula and facts."""
    from baserate.report.catalogue import render_catalogue

    deliver(render_catalogue(chosen_format(format, output)), output)
    return 0


def baseline(
    *,
    positives: int,
    negatives: int,
    metrics: MetricsOrAll = None,
    guess: str = "dutch-draw",
    format: Format = None,  # noqa: A002
    output: Output = None,
) -> int:
    """Say what guessing would score: the bar that a classifier has to clear.

    Parameters
    ----------
    positives
        Number of positive cases.
    negatives
        Number of negative cases.
    guess
        The guess: dutch-draw (the best one), uniform, proportional, mode or a probability.
    """
    from baserate.evaluation import baseline as gather
    from baserate.report.baseline import render_baseline

    form = chosen_format(format, output)
    facts = gather(n_positive=positives, n_negative=negatives, metrics=metrics, guess=guess)
    deliver(render_baseline(facts, form), output)
    return 0

"""The catalogue of metrics with its facts, in every format of a report."""

from collections.abc import Sequence

from baserate.metrics import CATALOGUE, Metric
from baserate.report.formats import load


def render_catalogue(
    format: str = "table",  # noqa: A002 - the word that the command line uses
    metrics: Sequence[Metric] = CATALOGUE,
) -> str:
    """Return the metrics and what each declares.

    Parameters
    ----------
    format : {"table", "json", "markdown", "html"}
        JSON is a list of records with every fact that is plain data; unbounded, undefined and
        unknown are null.
    metrics : sequence of Metric
        Default: the whole catalogue.

    Raises
    ------
    UnknownNameError
        No such format.
    MissingDependencyError
        The format needs a package that is not installed.

    Examples
    --------
    >>> import json
    >>> json.loads(render_catalogue("json"))[4]["definition"]
    '(tp + tn) / n'
    """
    return load(format, "render_catalogue")(metrics)

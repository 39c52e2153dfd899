"""The metrics asked for, each of them once."""

from collections.abc import Iterable

from baserate.evaluation.asked import split_names
from baserate.metrics import Metric, get


def each_once(
    asked: str | Metric | Iterable[str | Metric] | None,
) -> tuple[Metric, ...] | None:
    """Look up every name and drop what was named before; None means the whole catalogue.

    Examples
    --------
    >>> [metric.name for metric in each_once("recall, f1, tpr, sensitivity")]
    ['recall', 'f1']
    """
    if asked is None:
        return None
    named = [asked] if isinstance(asked, Metric) else asked
    found = map(get, split_names(named) if isinstance(named, str) else named)
    return tuple({(metric.name, metric.definition): metric for metric in found}.values())

"""What a value in a forest is a share of: the negatives for a false positive rate, and so on."""

from typing import NamedTuple

from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnknownNameError
from baserate.groups.null import name_of, sides, sides_of
from baserate.metrics import Metric, binary_metric

BESIDE = "positives of cases"  # of a metric that is no share


class Share(NamedTuple):
    """How many cases were counted, and of how many."""

    events: float
    n: float


def share_of(metric: str | Metric, table: ConfusionMatrix) -> Share:
    """Return the counts that a value is made of; positives and cases where it is no share.

    Examples
    --------
    >>> from baserate.displays.denominators import ConfusionMatrix, share_of
    >>> table = ConfusionMatrix(tp=5, fn=3, fp=2, tn=10)
    >>> share_of("false_positive_rate", table), share_of("f1", table)
    (Share(events=2.0, n=12.0), Share(events=8.0, n=20.0))
    """
    known = _known(metric)
    if known is None:
        return Share(float(table.n_positive), float(table.n))
    hits, misses = sides_of(known, table)
    return Share(hits, hits + misses)


def told_of(metric: str | Metric) -> str:
    """Return what the cases are called that a value is a share of.

    Examples
    --------
    >>> from baserate.displays.denominators import told_of
    >>> told_of("false_positive_rate"), told_of("accuracy"), told_of("f1")
    ('of negatives', 'of cases', 'positives of cases')
    """
    known = _known(metric)
    return BESIDE if known is None else f"of {name_of(sides(known)[1])}"


def _known(metric: str | Metric) -> Metric | None:
    """Return the metric if it is a share; None too for one that only its owner knows."""
    try:
        found = binary_metric(metric)
    except (InvalidArgumentError, UnknownNameError):
        return None
    return found if found.proportion is not None else None

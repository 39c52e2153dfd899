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
    """Return the counts that a value is made of; positives and cases where it is no share."""
    known = _known(metric)
    if known is None:
        return Share(float(table.n_positive), float(table.n))
    hits, misses = sides_of(known, table)
    return Share(hits, hits + misses)


def told_of(metric: str | Metric) -> str:
    """Return what the cases are called that a value is a share of."""
    known = _known(metric)
    return BESIDE if known is None else f"of {name_of(sides(known)[1])}"


def _known(metric: str | Metric) -> Metric | None:
    """Return the metric if it is a share; None too for one that only its owner knows."""
    try:
        found = binary_metric(metric)
    except (InvalidArgumentError, UnknownNameError):
        return None
    return found if found.proportion is not None else None

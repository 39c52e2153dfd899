"""What a ranking measure needs of a sweep: both classes, and how many of each share a score."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate.curves.sweep import Sweep
from baserate.errors import InvalidArgumentError

Amounts = NDArray[Any]


class Groups(NamedTuple):
    """Cases (or weights) of either class at each distinct score, in descending order."""

    positive: Amounts
    negative: Amounts

    @property
    def sizes(self) -> Amounts:
        """Cases at each distinct score."""
        return self.positive + self.negative


def groups(sweep: Sweep) -> Groups:
    """Return who shares a score with whom."""
    return Groups(np.diff(sweep.true_positives), np.diff(sweep.false_positives))


def check_sweep(sweep: Any) -> None:
    """Refuse anything but a sweep, and say how to make one."""
    if not isinstance(sweep, Sweep):
        rule, remedy = "must be a sweep", "pass baserate.sweep(y_true, y_score)"
        raise InvalidArgumentError.from_rule("sweep", rule, type(sweep).__name__, remedy)


def absent_class(sweep: Sweep) -> str | None:
    """Return why nothing can be ranked: one of the classes has no case."""
    check_sweep(sweep)
    if not sweep.n_positive:
        return "no positives"
    return None if sweep.n_negative else "no negatives"


def need_both_classes(sweep: Sweep) -> None:
    """Refuse a sweep of a single class, which has no curve."""
    reason = absent_class(sweep)
    if reason is not None:
        remedy = "collect cases of both classes"
        raise InvalidArgumentError.from_rule("sweep", "must hold both classes", reason, remedy)

"""Yields and constant decisions of a comparison, in fractions that are rounded once.

So a classifier that decides as a constant decision does is worth the same float, and equal ones
are never told apart by rounding.
"""

from fractions import Fraction
from typing import Any

from baserate.counts import ConfusionMatrix
from baserate.utilities import ConstantDecisions, UtilityMatrix
from baserate.utilities.exact_yields import constants_at, exact, exact_rates, exact_yield

CONSTANT = "it takes the best constant decision in every case"


def worth(table: ConfusionMatrix, u: UtilityMatrix, base_rate: float | None) -> float:
    """Return the mean utility per case, restated at a base rate unless that is None.

    Examples
    --------
    >>> u = UtilityMatrix([[15, -335], [-35, 165]])
    >>> worth(ConfusionMatrix(tp=27, fn=23, fp=15, tn=35), u, None)
    3.5
    """
    if base_rate is not None:
        return float(exact_yield(exact_rates("table", table, exact(base_rate)), u))
    rows = u.positive_first().tolist()
    worths = rows[0][0], rows[1][0], rows[0][1], rows[1][1]
    total = sum((exact(n) * exact(w) for n, w in zip(table, worths, strict=True)), Fraction(0))
    return float(total / sum(map(exact, table)))


def constants_of(
    u: UtilityMatrix, table: ConfusionMatrix, base_rate: float | None
) -> ConstantDecisions:
    """Return what constant decisions are worth at a base rate, or at that of the table."""
    if base_rate is not None:
        return constants_at(u, exact(base_rate))
    tp, fn, fp, tn = map(exact, table)
    return constants_at(u, (tp + fn) / (tp + fn + fp + tn))


def is_constant(table: ConfusionMatrix, u: UtilityMatrix, decision: Any) -> bool:
    """Whether a classifier takes this decision in every case; `u` has the positive one first."""
    others = table.n_predicted if u.decision_names.index(decision) else table.n - table.n_predicted
    return not others

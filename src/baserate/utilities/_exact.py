"""Numbers as exact fractions, and the rates of a table in them."""

from fractions import Fraction
from typing import Any, NamedTuple

from baserate._checks import number_in
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, InvalidCountError

SAME_SHARE = Fraction(1, 10**9)  # sums of weights in another order differ by less


class Rates(NamedTuple):
    """Recall, specificity and base rate of one table, as fractions."""

    recall: Fraction
    specificity: Fraction
    base_rate: Fraction


def exact(number: Any) -> Fraction:
    """Return the number as it is written: 0.1 is one tenth, not the nearest binary fraction.

    Examples
    --------
    >>> exact(0.1), exact(3)
    (Fraction(1, 10), Fraction(3, 1))
    """
    if isinstance(number, Fraction | int):
        return Fraction(number)
    return Fraction(repr(float(number)))


def rates(name: str, table: Any, base_rate: Any = None) -> Rates:
    """Return the rates of a single table that has both classes; `base_rate` replaces its own."""
    if not isinstance(table, ConfusionMatrix) or table.shape != ():
        rule, remedy = "must be a single ConfusionMatrix", "pass one table of a batch at a time"
        raise InvalidArgumentError.from_rule(name, rule, table, remedy)
    tp, fn, fp, tn = (exact(cell) for cell in table)
    if not (tp + fn and fp + tn):
        rule = "must contain both classes, without which its recall or specificity is undefined"
        raise InvalidCountError.from_rule(name, rule, table, "collect cases of both classes")
    own = (tp + fn) / (tp + fn + fp + tn)
    return Rates(tp / (tp + fn), tn / (fp + tn), own if base_rate is None else share(base_rate))


def share(base_rate: Any) -> Fraction:
    """Return a base rate in [0, 1] as a fraction."""
    if not isinstance(base_rate, Fraction):
        base_rate = exact(number_in("base_rate", base_rate, "[0, 1]", "pass the positives' share"))
    return base_rate


def common_base_rate(base_rates: dict[str, Fraction], base_rate: Any) -> Fraction:
    """Return the stated base rate, else the one that all test sets share, else refuse."""
    if base_rate is not None:
        return share(base_rate)
    found = list(base_rates.values())
    if max(found) - min(found) > SAME_SHARE:
        rule = "must be stated for classifiers tested on different class shares"
        given = ", ".join(f"{name} {float(rate):.6g}" for name, rate in base_rates.items())
        remedy = "pass the share of positives where the classifiers will be used"
        raise InvalidArgumentError(f"base_rate {rule}, got {given}: {remedy}.")
    return found[0]

"""Yields in fractions that are rounded once: equal worths are equal floats, never told apart."""

from fractions import Fraction
from typing import Any, NamedTuple

from baserate._checks import LEAST_SHARE, number_in
from baserate.counts import both_classes, named_tables
from baserate.errors import InvalidArgumentError
from baserate.utilities.constant_decisions import ConstantDecisions
from baserate.utilities.matrix import UtilityMatrix

SAME_SHARE = Fraction(1, 10**9)  # sums of weights in another order differ by less


class ExactRates(NamedTuple):
    """Recall, specificity and base rate of one table, as fractions."""

    recall: Fraction
    specificity: Fraction
    base_rate: Fraction


def exact(number: Any) -> Fraction:
    """Return the number as it is written: 0.1 is one tenth, not the nearest binary fraction."""
    if isinstance(number, Fraction | int):
        return Fraction(number)
    return Fraction(repr(float(number)))


def exact_rates(name: str, table: Any, base_rate: Any = None) -> ExactRates:
    """Return the rates of a single table that has both classes; `base_rate` replaces its own."""
    tp, fn, fp, tn = map(exact, both_classes(name, table))
    pi = (tp + fn) / (tp + fn + fp + tn) if base_rate is None else share(base_rate)
    return ExactRates(tp / (tp + fn), tn / (fp + tn), pi)


def rates_by_name(tables: Any) -> tuple[dict[Any, ExactRates], dict[str, Fraction]]:
    """Return the rates of each table by its name, and their base rates as errors name them."""
    known = {name: exact_rates(str(name), t) for name, t in named_tables("tables", tables).items()}
    return known, {str(name): r.base_rate for name, r in known.items()}


def share(base_rate: Any) -> Fraction:
    """Return a base rate in [0, 1] as a fraction."""
    found = number_in("base_rate", base_rate, "[0, 1]", "pass the positives' share")
    if 0 < found < LEAST_SHARE:
        rule, remedy = f"must be 0, or at least {LEAST_SHARE:g}", "pass the positives' share"
        raise InvalidArgumentError.from_rule("base_rate", rule, base_rate, remedy)
    return base_rate if isinstance(base_rate, Fraction) else exact(found)


def common_base_rate(base_rates: dict[str, Fraction], base_rate: Any) -> Fraction:
    """Return the stated base rate, else the one that all test sets share, else refuse."""
    if base_rate is not None:
        return share(base_rate)
    found = list(base_rates.values())
    if max(found) - min(found) > SAME_SHARE:
        rule = "must be stated for classifiers tested on different class shares"
        given = ", ".join(f"{name} {float(rate):.6g}" for name, rate in base_rates.items())
        remedy = "pass the share of positives where the classifiers will be used; recall and "
        remedy += "specificity alone (metrics, --metrics) need none"
        raise InvalidArgumentError.about("base_rate", f"{rule}, got {given}: {remedy}.")
    return found[0]


def exact_yield(r: ExactRates, u: UtilityMatrix) -> Fraction:
    """Return the mean utility per case at these rates."""
    rows = u.positive_first().tolist()
    (hit, alarm), (miss, rest) = ([exact(value) for value in row] for row in rows)
    positive = hit * r.recall + miss * (1 - r.recall)
    negative = rest * r.specificity + alarm * (1 - r.specificity)
    return r.base_rate * positive + (1 - r.base_rate) * negative


def constants_at(u: UtilityMatrix, base_rate: Fraction) -> ConstantDecisions:
    """Return the worth of each constant decision at this base rate, rounded once."""
    shares = (base_rate, 1 - base_rate) if u.positive == 0 else (1 - base_rate, base_rate)
    rows = [[exact(value) for value in row] for row in u.matrix.tolist()]
    *worth, perfect = (
        sum((value * share for value, share in zip(row, shares, strict=True)), Fraction(0))
        for row in (*rows, map(max, zip(*rows, strict=True)))
    )
    best = worth.index(max(worth))
    return ConstantDecisions(
        expected=dict(zip(u.decision_names, map(float, worth), strict=True)),
        best=u.decision_names[best],
        value=float(worth[best]),
        perfect=float(perfect),
        class_shares=tuple(map(float, shares)),
    )

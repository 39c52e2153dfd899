"""How long the top of a ranked list is, and at which risks of a range one acts."""

from collections.abc import Iterable
from math import ceil
from numbers import Integral, Real
from typing import Any

import numpy as np

from baserate._checks import as_number, each_of
from baserate._measures import RANGE
from baserate.errors import InvalidArgumentError

Top = int | float
DEFAULT: tuple[Top, ...] = (0.1,)
RULE = "must be whole numbers of cases from 1 on, or shares of them between 0 and 1"
REMEDY = 'write for example 50, 0.05 or "50,5%"'
POINTS, STEP = 10, 0.01  # of a range: as many steps at least, and no wider ones
SAME = 1e-9  # of a number of steps, which rounding leaves


def risks_of(named: Iterable[str]) -> tuple[float, ...]:
    """Return the risks at which one acts by "net_benefit(0.05..0.3)": in steps of 0.01 or less.

    Examples
    --------
    >>> from baserate.evaluation.list_tops import risks_of
    >>> risks_of(["roc_auc", "net_benefit(0.1..0.2)"])
    (0.1, 0.11, 0.12, 0.13, 0.14, 0.15, 0.16, 0.17, 0.18, 0.19, 0.2)
    """
    found: list[float] = []
    for one in filter(None, map(RANGE.fullmatch, named)):
        try:
            low, high = float(one["low"]), float(one["high"])
        except ValueError:
            low = high = 0.0
        if not 0 < low < high < 1:
            rule = "must range between two risks above 0 and below 1"
            remedy = 'write for example "net_benefit(0.05..0.3)"'
            raise InvalidArgumentError.from_rule("metrics", rule, one[0], remedy)
        steps = max(POINTS, ceil((high - low) / STEP - SAME))
        found += (round(low + (high - low) * k / steps, 12) for k in range(steps + 1))
    return tuple(sorted(set(found)))


def tops_of(given: Any) -> tuple[Top, ...]:
    """Read lengths of the top of a list; None is the top tenth."""
    if given is None:
        return DEFAULT
    if isinstance(given, str):
        return tuple(dict.fromkeys(_from_text(part.strip(), given) for part in given.split(",")))
    several = each_of("top", given, Real) if isinstance(given, Iterable) else [given]
    return tuple(
        dict.fromkeys(
            top
            for one in several
            for top in (tops_of(one) if isinstance(one, str) else (_checked(one, given),))
        )
    )


def _from_text(text: str, given: Any) -> Top:
    number = text.removesuffix("%")
    try:
        if number != text:
            return _checked(float(number) / 100, given)
        return _checked(int(text) if text.isdecimal() else float(text), given)
    except ValueError:
        raise InvalidArgumentError.from_rule("top", RULE, given, REMEDY) from None


def _checked(value: Any, given: Any) -> Top:
    whole = isinstance(value, Integral) and not isinstance(value, (bool, np.timedelta64))
    if whole and int(value) >= 1:
        return int(value)
    if not whole and 0 < (number := as_number(value)) < 1:
        return number
    raise InvalidArgumentError.from_rule("top", RULE, given, REMEDY)

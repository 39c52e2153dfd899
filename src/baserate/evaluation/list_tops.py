"""How long the top of a ranked list is: a number of cases, or a share of them."""

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np

from baserate._checks import as_number, each_of
from baserate.errors import InvalidArgumentError

Top = int | float
DEFAULT: tuple[Top, ...] = (0.1,)
RULE = "must be whole numbers of cases from 1 on, or shares of them between 0 and 1"
REMEDY = 'write for example 50, 0.05 or "50,5%"'


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

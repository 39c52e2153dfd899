"""What to do where the metric is undefined."""

from math import isfinite, nan
from typing import Any

from baserate._checks import number_in
from baserate.errors import InvalidArgumentError
from baserate.questions._law import Law

_POLICIES = ("omit", "propagate", "raise")


def policy_of(undefined: Any) -> float | None:
    """Check the policy; return the number that stands in for nan, or None if none does."""
    if undefined in _POLICIES:
        return None
    try:
        number = float(undefined)
    except (TypeError, ValueError):
        number = nan
    if not isfinite(number):
        rule = f"must be one of {', '.join(map(repr, _POLICIES))}, or a finite number"
        remedy = "'omit' conditions on being defined, 'propagate' gives nan"
        raise InvalidArgumentError.from_rule("undefined", rule, undefined, remedy)
    return number


def settled(law: Law, undefined: Any, mass: float) -> float | None:
    """Return nan where the policy says so, raise where it says so, else None."""
    if undefined not in {"propagate", "raise"} or not (mass > 0 or law.may_be_undefined()):
        return None
    if undefined == "propagate":
        return nan
    rule = f"must be defined at every possible table of {type(law.model).__name__}"
    given = f"a probability of {mass:.6g} that it is not"
    remedy = "pass undefined='omit' to condition on being defined, or a number in place of nan"
    raise InvalidArgumentError(f"{law.metric.name} {rule}, got {given}: {remedy}.")


def probability(name: str, value: Any) -> float:
    """Return a probability between 0 and 1."""
    return number_in(name, value, "[0, 1]", "pass a probability")

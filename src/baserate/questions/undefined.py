"""Where a metric is undefined: decided in integers, how probable, and what to do about it."""

from collections import Counter
from functools import lru_cache
from itertools import combinations
from math import fsum
from typing import Any

import numpy as np

from baserate._checks import name_or_number
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.models.model import Model
from baserate.questions.law import BUDGET, InheritedLaw

_POLICIES = ("omit", "propagate", "raise")


def always_defined(law: InheritedLaw) -> bool:
    """Return whether no possible table is undefined, decided in integers."""
    return law.regular and not any(law.model.possible_zero(s) for s in _sums(law))


def may_be_undefined(law: InheritedLaw) -> bool:
    """Return whether some possible table is undefined, be it ever so improbable.

    Decided in integers, or by looking at every possible table.
    """
    if law.regular:
        return not always_defined(law)
    if law.model.n_tables > BUDGET:
        raise UnsupportedError(
            f"Whether {law.metric.name} is undefined at some table of {type(law.model).__name__} "
            f"takes a look at all {law.model.n_tables:,}, more than {BUDGET:,}: declare "
            "undefined_if_zero, or pass undefined='omit'."
        )
    return any(bool(np.isnan(batch.values).any()) for batch in law.possible())


def probability_undefined(law: InheritedLaw) -> float:
    """Return P(undefined), by inclusion and exclusion or else by summing all tables."""
    if not law.regular:
        return fsum(float(b.weights @ np.isnan(b.values)) for b in law.batches())
    sums, overlaps = _overlaps(law.metric.undefined_if_zero)
    alone = [_zero(law.model, cells) for cells in sums]
    if not any(alone) or 1 in alone:
        return float(1 in alone)
    parts = (times * _zero(law.model, cells) for cells, times in overlaps)
    return min(1.0, max(0.0, fsum(parts)))


def mass_defined(law: InheritedLaw) -> float:
    """Return P(defined), and its digits where it is small."""
    defined = 1 - probability_undefined(law)
    if 0 < defined < 1e-6 and law.regular and law.n_tables() <= BUDGET:
        return mass_listed(law)
    return defined


def mass_listed(law: InheritedLaw) -> float:
    """Sum the probabilities of all tables at which the metric is defined."""
    return min(1.0, fsum(float(b.weights @ ~np.isnan(b.values)) for b in law.batches()))


def policy_of(undefined: Any) -> float | None:
    """Check the policy; return the number that stands in for nan, or None if none does."""
    remedy = "'omit' conditions on being defined, 'propagate' gives nan"
    found = name_or_number("undefined", undefined, _POLICIES, remedy)
    return None if isinstance(found, str) else found


def stopped(law: Any, undefined: Any, mass: float, *, gaps: bool | None = None) -> bool:
    """Return whether the policy makes the answer nan; raise where it says so.

    `gaps` says whether some table has no value, if that is known.
    """
    if not isinstance(undefined, str) or undefined not in {"propagate", "raise"}:
        return False
    if not (mass > 0 or (may_be_undefined(law) if gaps is None else gaps)):
        return False
    if undefined == "propagate":
        return True
    rule = f"must be defined at every possible table of {type(law.model).__name__}"
    given = f"a probability of {mass:.6g} that it is not"
    remedy = "pass undefined='omit' to condition on being defined, or a number in place of nan"
    raise InvalidArgumentError(f"{law.metric.name} {rule}, got {given}: {remedy}.")


Sums = tuple[frozenset[str], ...]


def _sums(law: InheritedLaw) -> Sums:
    return _overlaps(law.metric.undefined_if_zero)[0]


@lru_cache(maxsize=64)
def _overlaps(totals: tuple[str, ...]) -> tuple[Sums, tuple[tuple[frozenset[str], int], ...]]:
    """Return the sums of counts, and how often each set of cells counts for being all zero."""
    sums = tuple(frozenset(total.split("+")) for total in totals)
    times = Counter[frozenset[str]]()
    for size in range(1, len(sums) + 1):
        for chosen in combinations(sums, size):
            times[frozenset[str]().union(*chosen)] += (-1) ** (size + 1)
    return sums, tuple((cells, n) for cells, n in times.items() if n)


@lru_cache(maxsize=64)  # many metrics are asked of one model, and share their few denominators
def _zero(model: Model, cells: frozenset[str]) -> float:
    return model.probability_zero(cells)

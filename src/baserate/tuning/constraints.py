"""Constraints on a table, such as recall >= 0.9, that a threshold has to meet."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import Metric, get
from baserate.metrics.ties import tie_width

RULE = "must have the form METRIC >= VALUE or METRIC <= VALUE"
FINITE = "must have a finite VALUE"


@dataclass(frozen=True, slots=True)
class Constraint:
    """A metric and the least or the greatest value that it may have."""

    metric: Metric
    at_least: bool
    limit: float

    @classmethod
    def of(cls, text: "str | Constraint") -> Self:
        """Read for example "recall >= 0.9".

        Examples
        --------
        >>> print(Constraint.of("tpr>=0.9"))
        recall >= 0.9
        """
        if isinstance(text, cls):
            return text
        sign = next((s for s in (">=", "<=") if isinstance(text, str) and s in text), None)
        if sign is None:
            remedy = 'write for example "recall >= 0.9"'
            raise InvalidArgumentError.from_rule("constraint", RULE, text, remedy)
        name, _, value = str(text).partition(sign)
        try:
            limit = float(value)
        except ValueError:
            remedy = 'write for example "recall >= 0.9"'
            raise InvalidArgumentError.from_rule("constraint", RULE, text, remedy) from None
        if not isfinite(limit):
            remedy = 'write for example "recall >= 0.9"'
            raise InvalidArgumentError.from_rule("constraint", FINITE, text, remedy)
        return cls(get(name.strip()), sign == ">=", limit)

    def holds(self, tables: ConfusionMatrix) -> NDArray[np.bool_]:
        """Return where a batch of tables meets it; an undefined value does not."""
        value = np.asarray(self.metric(tables))
        room = tie_width(self.metric, self.limit)
        return value >= self.limit - room if self.at_least else value <= self.limit + room

    def __str__(self) -> str:
        return f"{self.metric.name} {'>=' if self.at_least else '<='} {self.limit:g}"


def constraints_of(given: Any) -> tuple[Constraint, ...]:
    """Accept none, one or several constraints."""
    if given is None:
        return ()
    several = given if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
    return tuple(map(Constraint.of, several))


def all_hold(constraints: tuple[Constraint, ...], tables: ConfusionMatrix) -> Any:
    """Return where all constraints hold."""
    held = np.ones(tables.shape, dtype=bool)
    for constraint in constraints:
        held &= constraint.holds(tables)
    return held


def no_cut(metric: Metric, limits: tuple[Constraint, ...]) -> UnsupportedError:
    """Say that no cut point may win."""
    if limits:
        wanted = " and ".join(map(str, limits))
        return UnsupportedError(f"No cut point has {wanted}: loosen the constraint.")
    return UnsupportedError(f"{metric.name} is undefined at every cut point of these scores.")

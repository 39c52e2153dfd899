"""Utilities of two decisions once zero and unit are free: two numbers."""

from typing import Any, NamedTuple

import numpy as np

from baserate._arith import plain
from baserate._arrays import Array
from baserate.errors import InvalidArgumentError


class Canonical(NamedTuple):
    """The two numbers that a 2x2 utility matrix has when its zero and its unit are free."""

    tau: float  # the positive decision is best above this probability of the positive class
    nu: float  # worth of a right positive beyond a right negative, for sets of other class shares


class Published(NamedTuple):
    """The coordinates x and y in which Dyrland et al. draw the space of utilities."""

    x: float
    y: float


def benefit_and_cost(corners: Array) -> tuple[Any, Any]:
    """Return U[p][p] - U[n][p] and U[n][n] - U[p][n]; positive row and column come first."""
    benefit = corners[..., 0, 0] - corners[..., 1, 0]
    return plain(benefit), plain(corners[..., 1, 1] - corners[..., 0, 1])


def canonical(corners: Array) -> Canonical:
    """Return tau = t / (s + t) and nu = (U[p][p] - U[n][n]) / (s + t)."""
    s, t = right_beats_wrong(corners)
    return Canonical(plain(t / (s + t)), plain((corners[..., 0, 0] - corners[..., 1, 1]) / (s + t)))


def published(corners: Array) -> Published:
    """Return x and y of the matrix scaled to lie between 0 and 1."""
    right_beats_wrong(corners)
    low = corners.min(axis=(-2, -1))
    unit = corners.max(axis=(-2, -1)) - low
    x = (corners[..., 1, 1] - corners[..., 0, 0]) / unit
    return Published(plain(x), plain((corners[..., 0, 1] - corners[..., 1, 0]) / unit))


def right_beats_wrong(corners: Array) -> tuple[Any, Any]:
    """Return benefit and cost, or say in which class a wrong decision is worth more."""
    s, t = benefit_and_cost(corners)
    least = (float(np.min(s)), float(np.min(t)))
    if min(least) >= 0 and np.all(np.asarray(s) + np.asarray(t) > 0):
        return s, t
    wrong = [name for name, gain in zip(("positive", "negative"), least, strict=True) if gain < 0]
    words = f"a wrong decision is worth more in the {' and the '.join(wrong)} class"
    if not wrong:
        words = "both decisions are worth the same in either class"
    rule = "must make right decisions worth more than wrong ones to have a threshold"
    remedy = "list decisions in the order of their classes, or compare the rows yourself"
    if len(wrong) == 1:
        remedy = "one decision is best in both classes, so no probability can change it"
    raise InvalidArgumentError(f"matrix {rule}, but {words}: {remedy}.")

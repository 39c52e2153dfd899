"""Utilities of two decisions once zero and unit are free: two numbers."""

from typing import Any, NamedTuple, Self

import numpy as np

from baserate._arith import plain
from baserate._arrays import Array
from baserate._checks import finite, number_in
from baserate.errors import InvalidArgumentError, UnsupportedError


class Canonical(NamedTuple):
    """The two numbers that a 2x2 utility matrix has when its zero and its unit are free."""

    tau: float  # the positive decision is best above this probability of the positive class
    nu: float  # worth of a right positive beyond a right negative, for sets of other class shares


class Published(NamedTuple):
    """The coordinates x and y in which Dyrland et al. draw the space of utilities."""

    x: float
    y: float


class TwoByTwo:
    """What a utility matrix of two decisions and two classes tells."""

    __slots__ = ()

    matrix: Any
    positive: int

    @classmethod
    def from_canonical(cls, tau: float, nu: float = 0.0) -> Self:
        """Return the 2x2 matrix with threshold `tau`, class value `nu`, and benefit + cost = 1.

        Examples
        --------
        >>> from baserate import UtilityMatrix
        >>> UtilityMatrix.from_canonical(0.25).canonical
        Canonical(tau=0.25, nu=0.0)
        """
        t = number_in("tau", tau, "[0, 1]", "pass a probability")
        nu = finite("nu", nu, "0 is usual")
        make: Any = cls  # a dataclass of matrix and names
        return make([[nu, -t], [nu + t - 1, 0.0]], decisions=(0, 1))

    def positive_first(self) -> Array:
        """Return a 2x2 matrix with the positive row and column first."""
        rows, columns = self.matrix.shape[-2:]
        if (rows, columns) != (2, 2):
            raise UnsupportedError(
                f"A threshold needs two decisions and two classes, got {rows} and {columns}: "
                "decide, evaluate and compare take any, decision_intervals those of two classes."
            )
        return self.matrix if self.positive == 0 else self.matrix[..., ::-1, ::-1]

    @property
    def benefit(self) -> Any:
        """What catching a positive is worth, U[p][p] - U[n][p]; 2x2 only."""
        return plain(_benefit_and_cost(self.positive_first())[0])

    @property
    def cost(self) -> Any:
        """What a false alarm costs, U[n][n] - U[p][n]; 2x2 only."""
        return plain(_benefit_and_cost(self.positive_first())[1])

    @property
    def threshold(self) -> Any:
        """p(positive) above which its decision is best, cost/(cost + benefit).

        At the threshold itself both decisions are worth the same. One per case where the matrix is.
        An UnsupportedError if the matrix is not 2x2; an InvalidArgumentError if a wrong decision is
        worth more than the right one, so that there is no threshold.
        """
        return self.canonical.tau

    @property
    def canonical(self) -> Canonical:
        """The threshold tau and the class value nu = (U[p][p] - U[n][n])/(benefit + cost)."""
        corners = self.positive_first()
        s, t = _right_beats_wrong(corners)
        nu = (corners[..., 0, 0] - corners[..., 1, 1]) / (s + t)
        return Canonical(plain(t / (s + t)), plain(nu))

    @property
    def published(self) -> Published:
        """The coordinates (x, y) of Dyrland et al., after scaling to the range [0, 1]."""
        corners = self.positive_first()
        _right_beats_wrong(corners)
        unit = corners.max(axis=(-2, -1)) - corners.min(axis=(-2, -1))
        x = (corners[..., 1, 1] - corners[..., 0, 0]) / unit
        return Published(plain(x), plain((corners[..., 0, 1] - corners[..., 1, 0]) / unit))


def _benefit_and_cost(corners: Array) -> tuple[Any, Any]:
    return corners[..., 0, 0] - corners[..., 1, 0], corners[..., 1, 1] - corners[..., 0, 1]


def _right_beats_wrong(corners: Array) -> tuple[Any, Any]:
    """Return benefit and cost, or say in which class a wrong decision is worth more."""
    s, t = _benefit_and_cost(corners)
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

"""Estimators of a group's cell probabilities: counts with some pseudo-cases added to each cell."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from baserate._checks import number_in
from baserate.counts import CELLS, ConfusionMatrix
from baserate.errors import InvalidArgumentError

EPSILON = 1e-10  # what Briscoe et al. add so that nothing is divided by zero


class Shares(NamedTuple):
    """Four numbers in the order of a table's cells."""

    tp: float
    fn: float
    fp: float
    tn: float


@dataclass(frozen=True, slots=True)
class Estimator:
    """Adds pseudo-cases to the four counts; a metric is then read off the result.

    Attributes
    ----------
    name : str
    prior : Shares
        Pseudo-cases of tp, fn, fp, tn. All zero: the raw table, which may leave a metric undefined.

    Examples
    --------
    >>> Estimator.toward((0.1, 0.2, 0.3, 0.4), strength=10).prior
    Shares(tp=1.0, fn=2.0, fp=3.0, tn=4.0)
    """

    name: str
    prior: Shares

    @classmethod
    def raw(cls) -> "Estimator":
        """Return the table as it is: risks are then given that the metric is defined."""
        return cls("raw", Shares(0.0, 0.0, 0.0, 0.0))

    @classmethod
    def epsilon(cls, amount: float = EPSILON) -> "Estimator":
        """Return the estimator that adds next to nothing, which decides all undefined cases."""
        return cls("epsilon", Shares(amount, amount, amount, amount))

    @classmethod
    def add_one(cls) -> "Estimator":
        """Return the estimator that adds one case to each cell (Laplace)."""
        return cls("add_one", Shares(1.0, 1.0, 1.0, 1.0))

    @classmethod
    def toward(cls, reference: Any, *, strength: float) -> "Estimator":
        """Return Cross-Prior Smoothing: `strength` pseudo-cases in the proportions of a reference.

        Parameters
        ----------
        reference : ConfusionMatrix or (tp, fn, fp, tn)
            Only its proportions matter.
        strength : float
            Non-negative; 0 is `raw`.
        """
        remedy = "pass a number of pseudo-cases; 10 is usual"
        weight = number_in("strength", strength, "[0, inf)", remedy)
        shares = shares_of("reference", reference)
        return cls(f"strength={weight:g}", Shares(*(weight * share for share in shares)))

    @property
    def strength(self) -> float:
        """Pseudo-cases in all."""
        return sum(self.prior)


def shares_of(argument: str, table: Any) -> Shares:
    """Return the proportions of a single table, or of four numbers.

    Raises
    ------
    InvalidArgumentError
        Not four non-negative numbers, or all of them zero.
    """
    cells = _cells(argument, table)
    total = sum(cells)
    if not total:
        rule = "must hold at least one case"
        remedy = "pass the counts of a table"
        raise InvalidArgumentError.from_rule(argument, rule, "no cases", remedy)
    return Shares(*(cell / total for cell in cells))


def single(argument: str, table: Any) -> ConfusionMatrix:
    """Return the table if it is one, and only one."""
    if not isinstance(table, ConfusionMatrix) or table.shape != ():
        rule = "must be a single ConfusionMatrix"
        given = table.shape if isinstance(table, ConfusionMatrix) else table
        raise InvalidArgumentError.from_rule(argument, rule, given, "pass one group at a time")
    return table


def _cells(argument: str, table: Any) -> tuple[float, ...]:
    if not isinstance(table, ConfusionMatrix):
        values = tuple(table) if hasattr(table, "__iter__") and not isinstance(table, str) else ()
        if len(values) != 4:
            rule = "must be a ConfusionMatrix or four numbers tp, fn, fp, tn"
            remedy = "pass the counts or the shares of the reference"
            raise InvalidArgumentError.from_rule(argument, rule, table, remedy)
        table = ConfusionMatrix(**dict(zip(CELLS, values, strict=True)))
    return tuple(float(cell) for cell in single(argument, table))

"""Utilities that are not known exactly: several matrices, each with a weight."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from baserate._arith import TIE
from baserate._arrays import Array
from baserate._checks import float_array, instance_of, numbers_in
from baserate.errors import InvalidArgumentError
from baserate.utilities.constant_decisions import highest
from baserate.utilities.inputs import check_matrix, counts_of, probabilities_of
from baserate.utilities.matrix import UtilityMatrix


@dataclass(frozen=True, slots=True, eq=False)
class UtilityEnsemble:
    """Several utility matrices for one problem: samples of an uncertain one, or several people's.

    Expected utility is linear in the utilities, so whoever is uncertain about them decides by their
    `mean`. The shares say how much hangs on the uncertainty. All matrices must have one unit.

    Parameters
    ----------
    matrices : array of shape (n_matrices, n_decisions, n_classes)
    weights : sequence of n_matrices numbers, optional
        Non-negative, such as probabilities. Default: equal.
    decisions, classes, positive
        As in `UtilityMatrix`.

    Attributes
    ----------
    mean : UtilityMatrix
        The weighted mean matrix: decide by this one.

    Raises
    ------
    InvalidArgumentError
        Not an array of this shape, or weights that do not fit it.

    References
    ----------
    Dyrland, Lundervold and Porta Mana (2022), doi:10.31219/osf.io/7rz8t.

    Examples
    --------
    >>> from baserate import UtilityEnsemble
    >>> e = UtilityEnsemble([[[10, -1], [0, 0]], [[2, -1], [0, 0]]], weights=[3, 1])
    >>> e.mean.matrix.tolist()
    [[8.0, -1.0], [0.0, 0.0]]
    >>> e.decision_shares([0.2, 0.8])
    array([0.75, 0.25])
    """

    matrices: Any
    weights: Any = None
    decisions: Any = None
    classes: Any = None
    positive: int = 0
    mean: UtilityMatrix = field(init=False, repr=False)

    def __post_init__(self) -> None:
        array = float_array("matrices", self.matrices).copy()
        if array.ndim != 3:
            rule, remedy = "must be several matrices", "pass shape (n_matrices, n_decisions, ...)"
            raise InvalidArgumentError.from_rule("matrices", rule, array.shape, remedy)
        check_matrix(array)
        weights = _weights_of(self.weights, len(array))
        for values in (array, weights):
            values.flags.writeable = False
        matrix = np.tensordot(weights, array, axes=1)
        mean = UtilityMatrix(matrix, self.decisions, self.classes, self.positive)
        checked = {"mean": mean, "decisions": mean.decisions, "classes": mean.classes}
        for name, value in (checked | {"matrices": array, "weights": weights}).items():
            object.__setattr__(self, name, value)

    def decision_shares(self, probabilities: Any) -> Array:
        """Return the weight of the matrices under which each decision is best.

        Parameters
        ----------
        probabilities : array of shape (n_cases, n_classes), or (n_classes,)

        Returns
        -------
        array of shape (n_cases, n_decisions), or (n_decisions,)
            Each row sums to one; decisions that are equal share a matrix evenly.
        """
        p = probabilities_of("probabilities", probabilities, self.matrices.shape[-1])
        total = np.zeros((*p.shape[:-1], self.matrices.shape[1]))
        for matrix, weight in zip(self.matrices, self.weights, strict=True):
            gains = p @ (matrix - matrix.min(axis=0)).T
            total += weight * _winners(gains, gains)
        return total

    def classifier_shares(self, tables: Mapping[Any, Any]) -> dict[Any, float]:
        """Return the weight of the matrices under which each classifier has the highest yield.

        Parameters
        ----------
        tables : mapping of name to ConfusionMatrix or array (n_decisions, n_classes)
            Tested on the same class shares.

        Returns
        -------
        dict of name to float
            They sum to one; classifiers that are equal share a matrix evenly.

        Raises
        ------
        InvalidArgumentError
            No tables, or class shares that differ between them.
        """
        instance_of("tables", tables, Mapping, "pass {name: counts}")
        shape = self.matrices.shape[1:]
        counts = [counts_of(self, table, shape) for table in tables.values()]
        cells = _same_shares(list(tables), counts)
        gains = np.tensordot(self.matrices, cells, axes=([1, 2], [1, 2]))
        # What rounding may leave of the difference of two equal yields.
        size = np.tensordot(abs(self.matrices), cells, axes=([1, 2], [1, 2]))
        shares = self.weights @ _winners(gains, size)
        return dict(zip(tables, shares.tolist(), strict=True))


def _weights_of(weights: Any, size: int) -> Array:
    if weights is None:
        return np.full(size, 1 / size)
    array = np.array(
        numbers_in("weights", float_array("weights", weights), "[0, inf)", "pass weights")
    )
    if array.shape != (size,) or not array.sum():
        rule = f"must be one number for each of {size} matrices, not all 0"
        raise InvalidArgumentError.from_rule("weights", rule, array.tolist(), "pass a flat list")
    return array / array.sum()


def _winners(gains: Array, size: Array) -> Array:
    """Return 1 for the largest entry of each row; k equal ones get 1/k each."""
    best = gains >= (highest(gains) - TIE * highest(size))[..., None]
    return best / (best @ np.ones(gains.shape[-1]))[..., None]


def _same_shares(names: list[Any], counts: list[Array]) -> Array:
    if not counts:
        raise InvalidArgumentError.from_rule("tables", "must not be empty", {}, "pass classifiers")
    for name, table in zip(names, counts, strict=True):
        if table.ndim != 2 or not table.sum():
            rule, remedy = "must each be a single table with cases", "drop what was not tested"
            raise InvalidArgumentError.from_rule("tables", rule, name, remedy)
    cells = np.stack([table / table.sum() for table in counts])
    shares = cells.sum(axis=1)
    for name, row in zip(names, shares, strict=True):
        if not np.allclose(row, shares[0], rtol=0, atol=1e-9):
            rule = f"must share the class shares of {names[0]!r}, {shares[0].round(6).tolist()}"
            given = f"{name!r} with {row.round(6).tolist()}"
            remedy = "restate them at one base rate, table.at_base_rate(...)"
            raise InvalidArgumentError(f"tables {rule}, got {given}: {remedy}.")
    return cells

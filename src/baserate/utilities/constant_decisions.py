"""What deciding without a classifier is worth, and what a classifier's outputs add to it."""

from dataclasses import dataclass
from functools import reduce
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from baserate._arith import TIE, ratio
from baserate._checks import instance_of
from baserate._result import Result
from baserate.errors import InvalidCountError
from baserate.utilities.inputs import decision_counts

if TYPE_CHECKING:
    from baserate.utilities.matrix import UtilityMatrix

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstantDecisions(Result):
    """What each decision is worth when it is taken in every case.

    ``float()`` gives `value`, the bar that a classifier has to clear.

    Attributes
    ----------
    expected : dict of name to float
        Expected utility per case, sum over classes of utility times class share.
    best : label
        The best constant decision, the first listed among equals.
    value : float
        Its expected utility: what a classifier has to beat.
    perfect : float
        Expected utility of knowing every class, and deciding best in each.
    class_shares : tuple of float
    """

    expected: dict[Any, float]
    best: Any
    value: float
    perfect: float
    class_shares: tuple[float, ...]

    def __float__(self) -> float:
        return self.value

    def skill(self, value: float) -> float:
        """Return (value - best constant) / (perfect - best constant); nan where these are equal."""
        gap, lead = self.perfect - self.value, value - self.value
        size = TIE * max(abs(self.perfect), abs(self.value))
        if gap <= size:
            return nan
        return lead / gap if abs(lead) > size else 0.0


def constants(matrix: Floats, names: tuple[Any, ...], shares: Floats) -> ConstantDecisions:
    """Return the worth of each constant decision at these class shares."""
    expected = matrix @ shares
    best = int(best_rows((matrix - matrix.min(axis=0)) @ shares))
    return ConstantDecisions(
        expected=dict(zip(names, expected.tolist(), strict=True)),
        best=names[best],
        value=float(expected[best]),
        perfect=float(matrix.max(axis=0) @ shares),
        class_shares=tuple(shares.tolist()),
    )


def highest(values: Floats) -> Floats:
    """Return the largest entry in the last axis: much faster than max where that is short."""
    return reduce(np.maximum, (values[..., column] for column in range(values.shape[-1])))


def best_rows(gains: Floats) -> NDArray[np.intp]:
    """Return the first index of the largest entry in the last axis, equal ones within rounding.

    Entries must be sums of non-negative terms, so that rounding is relative.
    """
    enough = highest(gains) * (1 - TIE)
    best = np.full(enough.shape, gains.shape[-1] - 1, dtype=np.intp)
    for column in reversed(range(gains.shape[-1] - 1)):
        best = np.where(gains[..., column] >= enough, column, best)
    return best


@dataclass(frozen=True, slots=True, kw_only=True)
class Information(Result):
    """What outputs of a classifier are worth to someone who decides best, given each.

    ``float()`` gives `value`.

    Attributes
    ----------
    value : float
        Expected utility with the outputs less that without them: never negative; nan without cases.
    with_outputs : float
        Expected utility per case when each output is met by its best decision.
    without_outputs : float
        Expected utility per case of the best constant decision.
    perfect : float
        Expected utility per case of knowing every class.
    decisions : tuple of label
        The best decision after each output. All equal: the outputs change nothing.
    """

    value: float
    with_outputs: float
    without_outputs: float
    perfect: float
    decisions: tuple[Any, ...]

    def __float__(self) -> float:
        return self.value


def information(u: "UtilityMatrix", counts: Any) -> Information:
    """Return what a classifier's outputs are worth once each is met by its best decision.

    Sum over outputs z of max over d of sum over c U[d][c] p(z, c), less max over d of sum over c
    U[d][c] p(c): never negative, and 0 where the outputs change no decision.

    Parameters
    ----------
    u : UtilityMatrix
    counts : ConfusionMatrix, or array of shape (n_outputs, n_classes)
        Outputs in rows, as many as there are: they need not be decisions. Plain counts are taken
        at their word; few cases make outputs look more informative than they are.

    References
    ----------
    Raiffa and Schlaifer (1961), Applied Statistical Decision Theory, chapter 4.

    Examples
    --------
    The paper's classifiers tell its manager nothing; a nearly perfect one would:

    >>> from baserate.utilities import information
    >>> from baserate.utilities import UtilityMatrix
    >>> u = UtilityMatrix([[15, -335], [-35, 165]])
    >>> information(u, [[27, 15], [23, 35]]).value, information(u, [[43, 18], [7, 32]]).value
    (0.0, 0.0)
    >>> information(u, [[49, 0], [1, 50]]).value
    24.5
    """
    from baserate.utilities.matrix import UtilityMatrix

    instance_of("u", u, UtilityMatrix, "pass UtilityMatrix([[...]])")
    matrix = u.one_matrix("information")
    joint = decision_counts(counts, None, u.positive)
    if joint.ndim != 2 or joint.shape[1] != u.n_classes:
        rule = f"must be one table with {u.n_classes} columns, one for each class"
        raise InvalidCountError.from_rule("counts", rule, joint.shape, "put outputs in rows")
    p, floor = ratio(joint, joint.sum()), matrix.min(axis=0)
    gains = p @ (matrix - floor).T
    base = float(p.sum(axis=0) @ floor)
    informed, constant = float(gains.max(axis=1).sum()), float(gains.sum(axis=0).max())
    return Information(
        value=max(informed - constant, 0.0) if joint.sum() else nan,
        with_outputs=base + informed,
        without_outputs=base + constant,
        perfect=float(p.sum(axis=0) @ matrix.max(axis=0)),
        decisions=tuple(u.decision_names[i] for i in best_rows(gains)),
    )

"""Where each decision is best: intervals of probability, decisions never best, a reject option."""

from math import isnan
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._checks import each_of, instance_of, number_in, whole_number
from baserate.errors import UnsupportedError
from baserate.utilities.envelope import LinearFunction, UpperEnvelope
from baserate.utilities.exact_yields import exact
from baserate.utilities.matrix import UtilityMatrix

MOST = 10**4  # classes: utilities are a matrix of them

MARGIN = 1e-9  # in units of the largest difference of utilities; the solver's own is smaller


def decision_intervals(u: UtilityMatrix) -> dict[Any, tuple[float, float]]:
    """Return where each decision is best, as a closed interval of p(positive); two classes.

    Any number of decisions, so defer and reject options too. (nan, nan) for a decision that is
    never best; an interval of one point where it only equals others.

    Parameters
    ----------
    u : UtilityMatrix

    Returns
    -------
    dict of decision to (low, high)

    Raises
    ------
    UnsupportedError
        There are more than two classes, or one matrix per case.

    Examples
    --------
    >>> from baserate import UtilityMatrix
    >>> from baserate.utilities import decision_intervals
    >>> u = UtilityMatrix([[0, -50], [-20, 100], [-5, 40]], ["discard", "promote", "examine"],
    ...                   ["bad", "good"], positive=1)
    >>> {name: (round(a, 4), round(b, 4)) for name, (a, b) in decision_intervals(u).items()}
    {'discard': (0.0, 0.0526), 'promote': (0.2, 1.0), 'examine': (0.0526, 0.2)}
    """
    instance_of("u", u, UtilityMatrix, "pass UtilityMatrix([[...]])")
    if u.n_classes != 2:
        raise UnsupportedError(
            f"decision_intervals needs two classes, got {u.n_classes}: with more, decide on the "
            "probabilities that interest you, or ask for never_optimal."
        )
    return dict(zip(u.decision_names, _spans(u), strict=True))


def never_optimal(u: UtilityMatrix) -> tuple[Any, ...]:
    """Return the decisions that are below the best for all probabilities of the classes.

    Exact for two classes; else by linear programming, within 1e-9 of the largest difference.

    Examples
    --------
    Better than the worst in both classes, but never the best:

    >>> from baserate import UtilityMatrix
    >>> from baserate.utilities import never_optimal
    >>> u = UtilityMatrix([[10, 0], [0, 10], [4, 4]], ["left", "right", "wait"])
    >>> never_optimal(u)
    ('wait',)
    """
    instance_of("u", u, UtilityMatrix, "pass UtilityMatrix([[...]])")
    if u.n_classes == 2:
        dull = [isnan(low) for low, _ in _spans(u)]
    else:
        matrix = u.one_matrix("never_optimal")
        gains = matrix - matrix.min(axis=0)
        gains = gains / (gains.max() or 1.0)
        dull = [_largest_lead(gains, d) < -MARGIN for d in range(len(gains))]
    return tuple(name for name, never in zip(u.decision_names, dull, strict=True) if never)


def chow_utilities(reject_cost: float, classes: Any = 2) -> UtilityMatrix:
    """Return the utilities of Chow's rule: right 1, wrong 0, no label 1 - `reject_cost`.

    No label is given where the largest probability is below 1 - `reject_cost`.

    Parameters
    ----------
    reject_cost : float
        In [0, 1], in units of what a wrong label costs. From 1 - 1/n_classes on, every case gets
        a label.
    classes : int or sequence of labels
        Their number, or their names.

    Returns
    -------
    UtilityMatrix
        One row per class, and "reject" last.

    References
    ----------
    Chow (1970), IEEE Transactions on Information Theory 16:41, doi:10.1109/TIT.1970.1054406.

    Examples
    --------
    >>> from baserate.utilities import chow_utilities
    >>> chow_utilities(0.25).decide([[0.8, 0.2], [0.6, 0.4], [0.1, 0.9]])
    array([0, 2, 1])
    """
    cost = number_in("reject_cost", reject_cost, "[0, 1]", "pass a cost in units of an error")
    counted = isinstance(classes, Integral)
    names = tuple(
        range(whole_number("classes", classes, maximum=MOST))
        if counted
        else each_of("classes", classes, ())
    )
    rows = [*np.eye(len(names)).tolist(), [1 - cost] * len(names)]
    return UtilityMatrix(rows, (*names, "reject"), None if counted else names)


def _spans(u: UtilityMatrix) -> list[tuple[float, float]]:
    matrix = u.one_matrix("decision_intervals")
    rest, best = matrix[:, 1 - u.positive].tolist(), matrix[:, u.positive].tolist()
    pairs = [(exact(low), exact(high)) for low, high in zip(rest, best, strict=True)]
    lines = [LinearFunction(slope=high - low, zero=low) for low, high in pairs]
    envelope = UpperEnvelope.of(lines)
    return [envelope.span(line) for line in lines]


def _largest_lead(gains: NDArray[np.float64], decision: int) -> float:
    """Return how far, at best, a decision is ahead of all others: a linear programme.

    Maximise m subject to sum_c p_c (U[d][c] - U[e][c]) >= m for every other e, p on the simplex.
    """
    from scipy.optimize import linprog

    others = np.delete(gains, decision, axis=0) - gains[decision]
    if not len(others):
        return 0.0
    n_classes = gains.shape[1]
    solved: Any = linprog(
        c=[*np.zeros(n_classes), -1.0],
        A_ub=np.hstack([others, np.ones((len(others), 1))]),
        b_ub=np.zeros(len(others)),
        A_eq=[[*np.ones(n_classes), 0.0]],
        b_eq=[1.0],
        bounds=[*[(0, 1)] * n_classes, (None, None)],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    return float(-solved.fun)

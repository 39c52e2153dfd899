"""Costs of errors at which two classifiers of several classes are worth the same."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate.facts.pairs import TurnFact

MOST = 10  # turns that are kept: those nearest to an even cost
Counts = NDArray[Any]


def turns_of(
    names: tuple[str, str], a: Counts, b: Counts, labels: Sequence[Any]
) -> tuple[TurnFact, ...]:
    """Return at which cost of one error the better of two becomes the worse, all else being equal.

    If every error costs 1 but those of one kind, which cost x, then A is worth
    Δ - (x - 1)(e_A - e_B) more than B, where Δ is by how much more often A is right and e how often
    each makes that error, in shares of cases. So the ranking turns at x = 1 + Δ/(e_A - e_B), if
    that is positive. Kinds of errors are cases of one class called another one, and cases of one
    class called anything wrong.

    Parameters
    ----------
    names : (str, str)
    a, b : arrays of shape (K, K)
        Counts of both, truth in rows.
    labels : sequence of labels

    Returns
    -------
    tuple of TurnFact
        The ten nearest to a cost of 1, by their ratio to it.

    Examples
    --------
    A is right once more than B; it takes "c" for "a" twice more:

    >>> from baserate.evaluation.class_turns import turns_of
    >>> import numpy as np
    >>> a, b = [[9, 0, 0], [0, 9, 0], [3, 0, 6]], [[7, 1, 1], [1, 8, 0], [1, 0, 8]]
    >>> for turn in turns_of(("A", "B"), np.array(a), np.array(b), "abc"):
    ...     print(turn.truth, turn.prediction, round(turn.cost, 2), turn.above)
    c a 1.5 B
    a None 0.5 A
    """
    sizes = a.sum(), b.sum()
    cells = a * float(sizes[1]) - b * float(sizes[0])  # whole numbers, in units of one case
    lead = float(np.trace(cells))
    if not lead:
        return ()
    found = sorted(_turns(names, cells, lead, labels), key=lambda turn: abs(np.log(turn.cost)))
    return tuple(found[:MOST])


def _turns(
    names: tuple[str, str], cells: NDArray[np.float64], lead: float, labels: Sequence[Any]
) -> Iterator[TurnFact]:
    wrong = cells - np.diag(np.diagonal(cells))
    rows = wrong.sum(axis=1)
    kinds = [(i, j, wrong[i, j]) for i, j in zip(*np.nonzero(wrong), strict=True)]
    kinds += [(i, None, row) for i, row in enumerate(rows) if row and (wrong[i] != 0).sum() > 1]
    for i, j, more in kinds:
        cost = 1 + lead / more
        if cost > 0:
            above = names[1] if more > 0 else names[0]
            prediction = None if j is None else labels[j]
            yield TurnFact(truth=labels[i], prediction=prediction, cost=float(cost), above=above)

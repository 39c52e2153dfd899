"""How probable it is that guessing gets as many cases of several classes right."""

from math import log
from typing import NamedTuple

import numpy as np

from baserate.class_counts import ClassTable
from baserate.errors import UnsupportedError
from baserate.models.class_hits import (
    BUDGET,
    bounded,
    hits_bound,
    hits_cost,
    ways_at_least,
)

# A p-value below this is out of any doubt; that it is no larger is all that a report needs.
_PLAIN = log(1e-6)
_NEVER = log(1e-300)
_MOST_DEALS, _LEAST_DEALS = 20_000, 399
_LABELS = 20_000_000  # labels dealt in all: about two seconds
_AT_A_TIME = 1 << 22


class ClassPValue(NamedTuple):
    """A p-value, "exact", "upper bound" or "permutation", and a standard error if dealt."""

    p_value: float
    route: str
    error: float = 0.0


def p_value_of_hits(table: ClassTable) -> ClassPValue:
    """Return P(right cases >= those of the table) if predictions are dealt at random.

    Exact in whole numbers while that takes about a second. Of larger tables an upper bound says
    enough where it is below 1e-6; else predictions are dealt, with a fixed seed.
    """
    if table.is_weighted:
        raise UnsupportedError(
            "The exact test counts cases, and these counts are weights: pass the unweighted table."
        )
    truth, predicted = table.class_counts.tolist(), table.predicted_counts.tolist()
    truth, predicted = list(map(int, truth)), list(map(int, predicted))
    hits = int(table.hits.sum())
    bound = hits_bound(truth, predicted, hits)
    if bound >= _NEVER and hits_cost(truth, predicted, hits) <= BUDGET:
        ways, every = ways_at_least(truth, predicted, hits)
        return ClassPValue(ways / every, "exact")
    if bound <= _PLAIN:
        return ClassPValue(bounded(bound), "upper bound")
    return _dealt(truth, predicted, hits)


def _dealt(truth: list[int], predicted: list[int], hits: int) -> ClassPValue:
    """Deal predictions to cases at random; the table itself counts as one deal."""
    codes = np.arange(len(truth), dtype=np.int32)
    labels, guesses = np.repeat(codes, truth), np.repeat(codes, predicted)
    deals = int(np.clip(_LABELS // len(labels), _LEAST_DEALS, _MOST_DEALS))
    if deals * len(labels) > 10 * _LABELS:
        raise UnsupportedError(
            f"Whether {len(labels):,} cases beat chance takes an exact law or {deals:,} deals of "
            "as many labels, which is too long: take a random part of the cases."
        )
    rng, step, as_good = np.random.default_rng(0), max(1, _AT_A_TIME // len(labels)), 0
    for start in range(0, deals, step):
        rows = np.broadcast_to(guesses, (min(step, deals - start), len(labels)))
        as_good += int(((rng.permuted(rows, axis=1) == labels).sum(1) >= hits).sum())
    share = (as_good + 1) / (deals + 1)
    return ClassPValue(share, "permutation", float(np.sqrt(share * (1 - share) / deals)))

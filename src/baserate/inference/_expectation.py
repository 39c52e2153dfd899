"""Expectations over a bounded law: smooth between two knots, and powers at both ends."""

from collections.abc import Callable
from itertools import pairwise
from math import ceil

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from baserate.errors import UnsupportedError
from baserate.inference._bounded_law import BoundedLaw
from baserate.inference._two_betas import AGREE, FEWEST, STEP, trapezoid

Array = NDArray[np.float64]

FARTHEST = 34.0  # of a piece's logit: 1e-15 of the piece
TAIL = 1e-15
REFINEMENTS = 5


def exceeds(x: BoundedLaw, y: BoundedLaw, margin: float = 0.0) -> float:
    """P(X > Y + margin) for independent X and Y."""
    if x.sd <= y.sd:
        return expectation(x, lambda at: y.cdf(at - margin), y.knots + margin)
    return expectation(y, lambda at: x.sf(at + margin), x.knots - margin)


def expectation(law: BoundedLaw, function: Callable[[Array], Array], breaks: Array) -> float:
    """E[function(X)], for a function that is smooth except at `breaks`."""
    if law.knots[0] == law.knots[-1]:
        return float(function(law.knots[:1])[0])
    low, high = law.quantile(np.array([TAIL, 1 - TAIL]))
    cuts = np.unique(np.concatenate((law.knots, breaks)))
    total = 0.0
    for p, q in pairwise(cuts.tolist()):
        if q > low and p < high and p >= law.knots[0] and q <= law.knots[-1]:
            total += _piece(law, function, p, q, (low, high))
    return total


def _piece(
    law: BoundedLaw,
    function: Callable[[Array], Array],
    p: float,
    q: float,
    ends: tuple[float, float],
) -> float:
    """Integrate density times function from p to q, or over the part that carries probability."""
    length = q - p
    shares = np.clip((np.array(ends) - p) / length, 0.0, 1.0)
    bottom, top = np.clip(logit(shares), -FARTHEST, FARTHEST)
    nodes = 2 * ceil(max(FEWEST, (top - bottom) / STEP) / 2)
    for _ in range(REFINEMENTS):
        u = np.linspace(bottom, top, nodes + 1)
        share, rest = expit(u), expit(-u)
        at = np.where(share < 0.5, p + length * share, q - length * rest)
        values = law.pdf(at) * function(at) * (length * share * rest)
        found = trapezoid(values[None], np.array([(top - bottom) / nodes]))
        if found.doubt[0] <= AGREE:
            return float(found.value[0])
        nodes *= 2
    message = (
        f"an expectation could not be integrated with {nodes} nodes: "
        "use a prior of at least 0.1, or ask for a simulation."
    )
    raise UnsupportedError(message)

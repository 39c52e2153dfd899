"""Expectations over a bounded law: smooth between two knots, and powers at both ends."""

from collections.abc import Callable
from itertools import pairwise
from math import ceil

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from baserate.errors import UnsupportedError
from baserate.inference._bounded_law import BoundedLaw
from baserate.inference._two_betas import STEP, trapezoid

Array = NDArray[np.float64]
Function = Callable[[Array], Array]

FARTHEST = 34.0  # of a piece's logit: 1e-15 of the piece
TAIL = 1e-15
AGREE = 1e-8  # of the rule with half the nodes; the full rule is far closer
REFINEMENTS = 2
SPLITS = 12


def exceeds(x: BoundedLaw, y: BoundedLaw, margin: float = 0.0) -> float:
    """P(X > Y + margin) for independent X and Y."""
    if x.sd <= y.sd:
        return expectation(x, lambda at: y.cdf(at - margin), y.knots + margin)
    return expectation(y, lambda at: x.sf(at + margin), x.knots - margin)


def expectation(law: BoundedLaw, function: Function, breaks: Array) -> float:
    """E[function(X)], for a function that is smooth except at `breaks`."""
    if law.knots[0] == law.knots[-1]:
        return float(function(law.knots[:1])[0])
    ends = law.quantile(np.array([TAIL, 1 - TAIL])).tolist()
    cuts = np.unique(np.concatenate((law.knots, breaks, ends)))
    inside = cuts[(cuts >= ends[0]) & (cuts <= ends[1])]
    return sum(_piece(law, function, p, q, SPLITS) for p, q in pairwise(inside.tolist()))


def _piece(law: BoundedLaw, function: Function, p: float, q: float, splits: int) -> float:
    """Integrate density times function from p to q: whole, or split where most of it lies.

    A peak that is narrow beside its piece would take thousands of nodes; once it is an end of two
    pieces, the nodes crowd around it.
    """
    nodes = 2 * ceil(FARTHEST / STEP)
    total, doubt, peak = _ruled(law, function, p, q, nodes)
    for _ in range(REFINEMENTS):
        if doubt <= AGREE:
            return total
        nodes *= 2
        total, doubt, peak = _ruled(law, function, p, q, nodes)
    if doubt <= AGREE:
        return total
    middle = peak if p < peak < q else (p + q) / 2
    if not splits or not p < middle < q:
        message = (
            "an expectation could not be integrated to full accuracy: use a prior of at least "
            "0.1, or ask for a simulation."
        )
        raise UnsupportedError(message)
    parts = (p, middle), (middle, q)
    return sum(_piece(law, function, start, end, splits - 1) for start, end in parts)


def _ruled(
    law: BoundedLaw, function: Function, p: float, q: float, nodes: int
) -> tuple[float, float, float]:
    """Return the integral, its distance from that of half the nodes, and where most of it lies."""
    u = np.linspace(-FARTHEST, FARTHEST, nodes + 1)
    share, rest = expit(u), expit(-u)
    at = np.where(share < 0.5, p + (q - p) * share, q - (q - p) * rest)
    values = law.pdf(at) * function(at) * ((q - p) * share * rest)
    # A density may be infinite at a knot, from which the outermost nodes cannot be told apart.
    values = np.where(np.isfinite(values), values, 0.0)
    found = trapezoid(values[None], np.array([2 * FARTHEST / nodes]))
    return float(found.value[0]), float(found.doubt[0]), float(at[np.argmax(values)])

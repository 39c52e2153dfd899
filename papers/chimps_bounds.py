"""Burger and Meertens, appendix A: terms of order 1/n and what bounds them."""

from collections.abc import Callable, Iterator
from math import sqrt

from scipy.optimize import minimize_scalar

import baserate as br
from papers.cells import Cell, Finding, Table, printed

HALF = 0.5


def bounds() -> Table:
    """Return what appendix A says of the terms of order 1/n and of their bounds."""
    return Table(name="Appendix A, bounds", cells=(*_places(), *_signs(), *_rare()))


def _places() -> Iterator[Cell]:
    """Yield where the bounds of balanced F1 are reached."""
    first = 4 / 243 * (7 * sqrt(7) - 10)
    low = _largest_at(lambda g: 2 * g * (1 - g**2) / (2 * g + 1) ** 3)
    found = (
        ("PF1b: g of the upper bound", 2 / 5,
         _largest_at(lambda g: 2 * g**2 * (1 - g) / (2 * g + 1) ** 3), 1e-6),
        ("PF1b: g of the lower bound, (√7 - 2)/3", (sqrt(7) - 2) / 3, low, 1e-6),
        ("PF1b: lower bound, -4/243 (7√7 - 10)", -first,
         -2 * low * (1 - low**2) / (2 * low + 1) ** 3, 1e-9),
        ("NF1b: g of the upper bound", 3 / 5,
         _largest_at(lambda g: 2 * g * (1 - g) ** 2 / (3 - 2 * g) ** 3), 1e-6),
        ("NF1b: g of the lower bound, (5 - √7)/3", (5 - sqrt(7)) / 3,
         _largest_at(lambda g: 2 * (1 - g) * (1 - (1 - g) ** 2) / (3 - 2 * g) ** 3), 1e-6),
        ("NF1b: the same, printed", 0.78,
         _largest_at(lambda g: 2 * (1 - g) * (1 - (1 - g) ** 2) / (3 - 2 * g) ** 3), 0.005),
    )  # fmt: skip
    for where, theirs, ours, within in found:
        yield Cell(where=where, published=theirs, ours=ours, within=within, basis="arithmetic")


def _largest_at(formula: Callable[[float], float]) -> float:
    found = minimize_scalar(lambda g: -formula(g), bounds=(0, 1), options={"xatol": 1e-9})
    return float(found.x)


def _signs() -> Iterator[Cell]:
    """Yield bounds that turn negative where guessing is for the positive class."""
    n1, n2, g = 1, 10**6, 0.8
    term = (n1 - n2) * (1 - 2 * g) / (8 * n1 * n2)
    for name, scale in (("MRKb", g * (1 - g)), ("MCCb", sqrt(g * (1 - g)))):
        right = (2 * g - 1) / (8 * scale)
        yield Cell(
            where=f"{name}: printed bound of the absolute term of order 1/n, at g = 0.8",
            published=(1 - 2 * g) / (8 * scale),
            ours=abs(term / scale),
            within=1e-6,
            basis="arithmetic",
            finding=Finding(
                kind="misprint",
                value=round(right, 5),
                why="1 - 2g is negative for g above 1/2: the bound needs |1 - 2g|",
                proof="the term at one positive and a million negatives, which is a millionth less",
            ),
        )


def _rare() -> Iterator[Cell]:
    """Yield what the term of order 1/n does to the balanced metrics of a rare class."""
    n1, n2 = 2, 998
    g = n1 / (n1 + n2)
    balanced = br.metrics.get("precision").at_base_rate(HALF)
    exact = br.random_guess(balanced, n_positive=n1, n_negative=n2, strategy=g).value
    yield Cell(
        where="equation 22, E[PPVb] without its error term, 2 and 998 cases, g = base rate",
        published=HALF + (n1 - n2) * (1 - g) / (8 * n1 * n2 * g),
        ours=exact,
        within=printed(0.0046, 4),
        finding=Finding(
            kind="remark",
            value=0.0046,
            why="the order is right for fixed α and g; with two cases of a class and g as small as "
            "here the term of order 1/n is, in size, larger than any value of the metric",
            proof="sum over all pairs of binomial counts",
        ),
    )

"""The story and the numbers of "Is the evaluation evaluated?", recomputed.

Dyrland, Lundervold and Porta Mana, draft of 12 May 2022, published as "Does the evaluation stand
up to evaluation?" (2022), doi:10.31219/osf.io/7rz8t, arXiv:2302.12006. Decisions stand in rows,
classes in columns; class 0, the first, is the positive one, which the draft does not say.
"""

from types import MappingProxyType
from typing import NamedTuple

import baserate as br

# Equations 1 and 2, per 100 electronic components of long (0) and short (1) durability.
CLASSIFIERS = MappingProxyType(
    {
        "A": br.ConfusionMatrix(tp=27, fn=23, fp=15, tn=35),
        "B": br.ConfusionMatrix(tp=43, fn=7, fp=18, tn=32),
    }
)

# Equations 4 and 5, gains per component; equation 6, months of remaining life.
UTILITIES = MappingProxyType(
    {
        "eq. 4": br.UtilityMatrix([[15, -335], [-35, 165]]),
        "eq. 5": br.UtilityMatrix([[45, -335], [-65, 165]]),
        "eq. 6": br.UtilityMatrix([[350, 0], [300, 500]]),
    }
)

LOTTERY = br.UtilityMatrix([[10, -1], [0, 0]], ["buy", "not-buy"], ["win", "lose"])

# Table 1 as printed, to two digits; the precision of B, 43/61 = 0.705, is not rounded there.
PRINTED_1 = MappingProxyType(
    {
        "accuracy": (0.62, 0.75),
        "precision": (0.64, 0.70),
        "f1": (0.59, 0.77),
        "matthews_correlation": (0.24, 0.51),
        "recall": (0.54, 0.86),
        "specificity": (0.70, 0.64),
    }
)


class Lottery(NamedTuple):
    """A share of winning tickets, what buying is worth per ticket, and the best decision."""

    win: float
    buy: float
    best: str


def table_1(*, positive: int = 0) -> dict[str, tuple[float, float]]:
    """Return the metrics of classifiers A and B, with class 0 or class 1 as the positive one.

    Examples
    --------
    >>> {name: (round(a, 2), round(b, 2)) for name, (a, b) in table_1().items()}["precision"]
    (0.64, 0.7)
    """
    tables = [t if positive == 0 else t.swap_classes() for t in CLASSIFIERS.values()]
    first, second = tables
    metrics = {name: br.metrics.get(name) for name in PRINTED_1}
    return {name: (metric(first), metric(second)) for name, metric in metrics.items()}


def yields() -> dict[str, tuple[float, float]]:
    """Return the mean utility per case of A and B under each utility matrix.

    Examples
    --------
    >>> yields()["eq. 4"]
    (3.5, -3.5)
    """
    first, second = CLASSIFIERS.values()
    return {
        name: (u.utility_yield(first), u.utility_yield(second)) for name, u in UTILITIES.items()
    }


def constant_decisions(base_rate: float = 0.5) -> dict[str, br.results.ConstantDecisions]:
    """Return what deciding without any classifier is worth: more than A and B, in the story.

    Examples
    --------
    >>> constant_decisions()["eq. 4"].value
    65.0
    """
    return {name: u.constant_decisions(base_rate) for name, u in UTILITIES.items()}


def comparisons() -> dict[str, br.results.UtilityComparison]:
    """Return A against B under each utility matrix, with the probability that A is better."""
    first, second = CLASSIFIERS.values()
    return {name: br.compare_utilities(first, second, u) for name, u in UTILITIES.items()}


def lottery() -> tuple[Lottery, ...]:
    """Return sections 2.3 and 2.5: a ticket that costs 1 and wins 11.

    Examples
    --------
    >>> [(ticket.win, round(ticket.buy, 2), ticket.best) for ticket in lottery()]
    [(0.2, 1.2, 'buy'), (0.01, -0.89, 'not-buy'), (0.5, 4.5, 'buy')]
    """
    shares = (0.2, 0.01, 0.5)
    found = [LOTTERY.constant_decisions(share) for share in shares]
    return tuple(
        Lottery(win=share, buy=constant.expected["buy"], best=constant.best)
        for share, constant in zip(shares, found, strict=True)
    )

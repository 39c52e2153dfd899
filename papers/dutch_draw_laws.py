"""The Dutch Draw: the laws of the measures that are linear in TP, and optimal draws as shares θ."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product
from math import comb
from typing import Any, Literal

import baserate as br

LARGEST = 10  # M
F = Fraction


def totals() -> Iterator[tuple[int, int]]:
    """Yield every P and N of both classes, up to `LARGEST` cases together."""
    return ((p, n) for p, n in product(range(1, LARGEST), repeat=2) if p + n <= LARGEST)


def draws(p: int, n: int, k: int) -> Iterator[tuple[int, Fraction]]:
    """Yield every number of hits with its probability, in fractions."""
    for hits in range(max(0, k - n), min(p, k) + 1):
        yield hits, F(comb(p, hits) * comb(n, k - hits), comb(p + n, k))


def laws(measure: Any) -> Iterator[tuple[bool, str]]:
    """Yield whether X takes the values a i + b alone, i in D(TP), each as often as TP is i."""
    for p, n in totals():
        for k in sorted(measure.drawn(p, n)):
            a, b = measure.slope(p, n, k), measure.intercept(p, n, k)
            printed = sorted((float(a * hits + b), float(mass)) for hits, mass in draws(p, n, k))
            model = br.models.Hypergeometric(n_positive=p, n_negative=n, n_predicted=k)
            law = br.pmf(measure.metric, model)
            ours = list(zip(law.values, law.probabilities, strict=True))
            yield _alike(ours, printed), f"P={p}, N={n}, k={k}"


def shares(measure: Any, *, goal: Literal["min", "max"]) -> Iterator[tuple[bool, str]]:
    """Yield whether the optimal θ are those that are printed, as intervals.

    What is printed follows the set of optimal numbers k: θ from (2k - 1)/(2M) to below
    (2k + 1)/(2M), within 0 and 1. F is sought from k = 1 on, where the paper has it.
    """
    flagged = measure.metric.startswith("f_beta")
    for p, n in totals():
        m = p + n
        found = br.dutch_draw(
            measure.metric, n_positive=p, n_negative=n, goal=goal,
            n_predicted=(1, m) if flagged else None,
        )  # fmt: skip
        printed = intervals(measure.at_low(p, n) if goal == "min" else measure.at_high(p, n), m)
        yield _alike(found.theta_intervals, printed), f"P={p}, N={n}"


def intervals(numbers: set[int], m: int) -> list[tuple[float, float]]:
    """Return the shares θ that are rounded to numbers of M.

    Examples
    --------
    >>> intervals({0, 3, 4}, 4)
    [(0.0, 0.125), (0.625, 1.0)]
    """
    ordered = sorted(numbers)
    breaks = [k for k, after in pairwise(ordered) if after > k + 1]
    firsts = [ordered[0], *(after for k, after in pairwise(ordered) if after > k + 1)]
    return [
        (float(max(F(0), F(2 * low - 1, 2 * m))), float(min(F(1), F(2 * high + 1, 2 * m))))
        for low, high in zip(firsts, [*breaks, ordered[-1]], strict=True)
    ]


def _alike(ours: Any, printed: Any) -> bool:
    return len(ours) == len(printed) and all(
        abs(x - y) <= 1e-12 * (1 + abs(y))
        for one, two in zip(ours, printed, strict=True)
        for x, y in zip(one, two, strict=True)
    )

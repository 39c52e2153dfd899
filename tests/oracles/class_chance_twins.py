"""Laws of class tables in exact fractions: every table, or every way to deal predictions."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import permutations, product
from math import comb, factorial, prod

from oracles.count_twins import rising

Table = tuple[tuple[int, ...], ...]
Law = dict[Table, Fraction]


def compositions(n: int, size: int) -> Iterator[tuple[int, ...]]:
    """Yield all ways to share n out among `size` places."""
    if size == 1:
        yield (n,)
        return
    for k in range(n + 1):
        for rest in compositions(n - k, size - 1):
            yield (k, *rest)


def tables(n: int, size: int) -> Iterator[Table]:
    """Yield all tables of n cases."""
    for cells in compositions(n, size * size):
        yield tuple(tuple(cells[i * size : (i + 1) * size]) for i in range(size))


def dealt(truth: tuple[int, ...], predicted: tuple[int, ...]) -> Law:
    """Return the law of tables with these margins: probabilities Π t! Π p! / (n! Π n_ij!)."""
    n = sum(truth)
    whole = prod(map(factorial, truth + predicted))
    law: Law = {}
    for rows in product(*(list(compositions(t, len(truth))) for t in truth)):
        if tuple(map(sum, zip(*rows, strict=True))) == predicted:
            ways = prod(factorial(c) for row in rows for c in row)
            law[rows] = Fraction(whole, factorial(n) * ways)
    return law


def multinomial(n: int, reference: Table) -> Law:
    """Return the law of n independent cases."""
    total = sum(map(sum, reference))
    law: Law = {}
    for table in tables(n, len(reference)):
        p = Fraction(factorial(n))
        for c, r in zip(flat(table), flat(reference), strict=True):
            p *= Fraction(r, total) ** c / factorial(c)
        law[table] = p
    return law


def dirichlet_multinomial(n: int, concentration: Table) -> Law:
    """Return the law of n cases whose chances are drawn once."""
    total, law = sum(map(sum, concentration)), dict[Table, Fraction]()
    for table in tables(n, len(concentration)):
        p = Fraction(factorial(n), rising(total, n))
        for c, a in zip(flat(table), flat(concentration), strict=True):
            p *= Fraction(rising(a, c), factorial(c))
        law[table] = p
    return law


def without_replacement(n: int, population: Table) -> Law:
    """Return the law of n cases drawn from a population."""
    whole = comb(sum(map(sum, population)), n)
    return {
        table: Fraction(
            prod(comb(r, c) for c, r in zip(flat(table), flat(population), strict=True)), whole
        )
        for table in tables(n, len(population))
    }


def hits_by_permuting(truth: list[int], predicted: list[int]) -> dict[int, Fraction]:
    """Return the law of the number of right cases: all ways to deal the predictions."""
    labels = [c for c, t in enumerate(truth) for _ in range(t)]
    guesses = [c for c, p in enumerate(predicted) for _ in range(p)]
    law: dict[int, Fraction] = {}
    for dealt_labels in permutations(guesses):
        hits = sum(a == b for a, b in zip(labels, dealt_labels, strict=True))
        law[hits] = law.get(hits, Fraction(0)) + Fraction(1, factorial(len(labels)))
    return law


def given_defined(
    values: dict[Table, float], law: Law, read: Callable[[float], float]
) -> tuple[float, float]:
    """Return (mean of what is read of each value, probability of having one)."""
    there = [t for t in law if values[t] == values[t]]
    mass = sum((law[t] for t in there), Fraction(0))
    total = sum((law[t] * Fraction(read(values[t])) for t in there), Fraction(0))
    return (float(total / mass) if mass else float("nan")), float(mass)


def flat(table: Table) -> list[int]:
    return [c for row in table for c in row]

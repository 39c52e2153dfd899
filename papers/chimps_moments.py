"""Burger and Meertens: expected values as double sums, second derivatives, variances."""

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from math import comb, sqrt
from typing import Any

import baserate as br
from papers.cells import Cell, Table

HALF = 0.5
CASES = (5, 8)
GUESS = 0.3
POINT = (30, 70, 0.3)  # n1, n2, g: the derivatives are taken where guessing is expected to be

Definition = Callable[[int, int, int, int], float]  # of x, y, n1, n2
Derivative = Callable[[float, float, float, float, float], float]  # of x, y, n1, n2, g


def double_sums(lines: Mapping[str, Any], balanced_lines: Mapping[str, Any]) -> Table:
    """Compare chance with the double sum of section 2, by the printed definitions.

    Parameters
    ----------
    lines, balanced_lines : mapping of row to an object with `metric` and `definition`
        Tables 2 and 4.
    """
    cells = (
        *(_sum(row, line, balanced=False) for row, line in lines.items()),
        *(_sum(row, line, balanced=True) for row, line in balanced_lines.items()),
    )
    note = (
        "5 and 8 cases, g = 0.3; given that there is a value. Balanced PPV by equation 21, since "
        "its definition in Table 4 has a sign wrong."
    )
    return Table(name="Section 2, double sums", cells=cells, notes=(note,))


def _sum(row: str, line: Any, *, balanced: bool) -> Cell:
    n1, n2 = CASES
    metric = br.metrics.get(line.metric)
    metric = metric.at_base_rate(HALF) if balanced else metric
    definition = _precision if balanced and row == "PPV" else line.definition
    return Cell(
        where=f"E[{row}{'b' if balanced else ''}]",
        published=_mean(definition, n1, n2),
        ours=br.random_guess(metric, n_positive=n1, n_negative=n2, strategy=GUESS).value,
        within=1e-12,
    )


def _precision(x: int, y: int, n1: int, n2: int) -> float:
    return (x / n1) / (x / n1 + y / n2)


def _mean(definition: Definition, n1: int, n2: int) -> float:
    """Return the sum over both binomial counts, of those that give a value."""
    total = mass = 0.0
    for x, y in product(range(n1 + 1), range(n2 + 1)):
        weight = _binomial(x, n1) * _binomial(y, n2)
        try:
            value = definition(x, y, n1, n2)
        except ZeroDivisionError:
            continue
        total, mass = total + weight * value, mass + weight
    return total / mass


def _binomial(k: int, n: int) -> float:
    return comb(n, k) * GUESS**k * (1 - GUESS) ** (n - k)


# Equation, metric, whether balanced, in x or in y, and the second derivative as printed.
DERIVATIVES: tuple[tuple[str, str, bool, str, Derivative], ...] = (
    ("8", "precision", False, "x", lambda x, y, n1, n2, g: -2 * y / (x + y) ** 3),
    ("8", "precision", False, "y", lambda x, y, n1, n2, g: 2 * x / (x + y) ** 3),
    ("14, second line", "matthews_correlation", False, "x", lambda x, y, n1, n2, g: (
        -n2 * (1 - 2 * g) / ((n1 + n2) ** 2 * sqrt(n1 * n2 * g**3 * (1 - g) ** 3)))),
    ("15, second line", "matthews_correlation", False, "y", lambda x, y, n1, n2, g: (
        n1 * (1 - 2 * g) / ((n1 + n2) ** 2 * sqrt(n1 * n2 * g**3 * (1 - g) ** 3)))),
    ("18", "f1", False, "x", lambda x, y, n1, n2, g: -4 * (n1 + y) / (n1 + x + y) ** 3),
    ("18", "f1", False, "y", lambda x, y, n1, n2, g: 4 * x / (n1 + x + y) ** 3),
    ("21", "precision", True, "x", lambda x, y, n1, n2, g: (
        -2 * (y / n2) / (n1**2 * (x / n1 + y / n2) ** 3))),
    ("21", "precision", True, "y", lambda x, y, n1, n2, g: (
        2 * (x / n1) / (n2**2 * (x / n1 + y / n2) ** 3))),
    ("27", "matthews_correlation", True, "x", lambda x, y, n1, n2, g: (
        -(1 - 2 * g) / (4 * n1**2 * sqrt(g**3 * (1 - g) ** 3)))),
    ("28", "matthews_correlation", True, "y", lambda x, y, n1, n2, g: (
        (1 - 2 * g) / (4 * n2**2 * sqrt(g**3 * (1 - g) ** 3)))),
    ("30", "f1", True, "x", lambda x, y, n1, n2, g: (
        -4 * (y / n2 + 1) / (n1**2 * (x / n1 + y / n2 + 1) ** 3))),
    ("30", "f1", True, "y", lambda x, y, n1, n2, g: (
        4 * (x / n1) / (n2**2 * (x / n1 + y / n2 + 1) ** 3))),
)  # fmt: skip


def derivatives() -> Table:
    """Compare the second derivatives of appendix A, and the variances that they multiply."""
    n1, n2, g = POINT
    x, y = n1 * g, n2 * g
    cells = []
    for equation, name, balanced, of, printed in DERIVATIVES:
        metric = br.metrics.get(name)
        metric = metric.at_base_rate(HALF) if balanced else metric
        theirs = printed(x, y, n1, n2, g)
        cells.append(
            Cell(
                where=f"equation {equation}: second derivative of {metric.name} in {of}",
                published=theirs,
                ours=_second(metric, of, x, y),
                within=1e-6 * abs(theirs),
            )
        )
    return Table(name="Appendix A, derivatives", cells=(*cells, *_variances()))


def _second(metric: br.metrics.Metric, of: str, x: float, y: float) -> float:
    """Return a second derivative by differences, twice improved after Richardson."""
    n1, n2, _ = POINT

    def at(step: float) -> float:
        hits, alarms = (x + step, y) if of == "x" else (x, y + step)
        table = br.ConfusionMatrix(tp=hits, fn=n1 - hits, fp=alarms, tn=n2 - alarms)
        return float(metric(table))

    rough, middle, fine = ((at(h) - 2 * at(0) + at(-h)) / h**2 for h in (0.4, 0.2, 0.1))
    better, best = (4 * middle - rough) / 3, (4 * fine - middle) / 3
    return (16 * best - better) / 15


def _variances() -> Iterator[Cell]:
    n1, n2, g = POINT
    model = br.models.BinomialPair(n_positive=n1, n_negative=n2, recall=g, false_positive_rate=g)
    for equation, name, n in (("6", "true_positives", n1), ("7", "false_positives", n2)):
        yield Cell(
            where=f"equation {equation}: variance of {name}",
            published=n * g * (1 - g),
            ours=float(br.variance(name, model)),
            within=1e-9,
        )

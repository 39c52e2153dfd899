"""The Dutch Draw's 23 measures as identities between formulas, in exact fractions.

Each measure is a ratio of polynomials of at most second degree in each of TP, P, N and k, or a root
of one. Two such ratios are one formula where they agree at five values of each variable, because
the difference of their cross products has at most fourth degree in each: 5 · 5 · 5 · 5 exact
agreements are a proof.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import isqrt
from typing import Any

import numpy as np

import baserate as br
from papers.cells import Cell, Table

F = Fraction
# Hits below every class and what is flagged, so that no cell is empty.
HITS = (F(1), F(2), F(3), F(7, 2), F(4))
POSITIVES = (F(9), F(10), F(11), F(13), F(29, 2))
NEGATIVES = (F(8), F(12), F(14), F(17), F(41, 2))
FLAGGED = (F(5), F(6), F(7), F(15, 2), F(8))


@dataclass(frozen=True, slots=True, eq=False)
class Root:
    """A number by its sign and its square, exact: fractions, and roots of fractions.

    Products and quotients are of the same kind; sums are where both are fractions.

    Examples
    --------
    >>> two = Root.of(2)
    >>> two.sqrt() * two.sqrt() == two, (two + two).fraction
    (True, Fraction(4, 1))
    """

    sign: int
    square: Fraction

    @classmethod
    def of(cls, number: Any) -> "Root":
        """Return a fraction, a whole number or a binary one, also one that NumPy has wrapped."""
        if isinstance(number, np.ndarray):
            number = number.item()
        if isinstance(number, Root):
            return number
        value = F(number)
        return cls((value > 0) - (value < 0), value * value)

    @property
    def fraction(self) -> Fraction:
        """The number, where it is a fraction."""
        top, bottom = isqrt(self.square.numerator), isqrt(self.square.denominator)
        if F(top, bottom) ** 2 != self.square:
            message = f"the root of {self.square} is no fraction"
            raise ArithmeticError(message)
        return self.sign * F(top, bottom)

    def sqrt(self) -> "Root":
        """Return the root, which NumPy asks objects for."""
        return Root(self.sign, self.fraction)

    def conjugate(self) -> "Root":
        """Return the number itself."""
        return self

    def __eq__(self, other: object) -> bool:
        other = Root.of(other)
        return (self.sign, self.square) == (other.sign, other.square)

    def __hash__(self) -> int:
        return hash((self.sign, self.square))

    def __mul__(self, other: Any) -> "Root":
        other = Root.of(other)
        return Root(self.sign * other.sign, self.square * other.square)

    def __truediv__(self, other: Any) -> "Root":
        other = Root.of(other)
        return Root(self.sign * other.sign, self.square / other.square)

    def __rtruediv__(self, other: Any) -> "Root":
        return Root.of(other) / self

    def __add__(self, other: Any) -> "Root":
        return Root.of(self.fraction + Root.of(other).fraction)

    def __sub__(self, other: Any) -> "Root":
        return Root.of(self.fraction - Root.of(other).fraction)

    def __rsub__(self, other: Any) -> "Root":
        return Root.of(other) - self

    def __neg__(self) -> "Root":
        return Root(-self.sign, self.square)

    __rmul__, __radd__ = __mul__, __add__


Printed = Callable[[Fraction, Fraction, Fraction, Fraction], Root]  # of TP, P, N and k


def _correlation(tp: Fraction, p: Fraction, n: Fraction, k: Fraction) -> Root:
    m = p + n
    return Root.of(m * tp - p * k) / Root.of(k * p * n * (m - k)).sqrt()


def _prevalence_threshold(tp: Fraction, p: Fraction, n: Fraction, k: Fraction) -> Root:
    under = Root.of(p * n * tp * (k - tp)).sqrt()
    return (under - p * (k - tp)) / ((p + n) * tp - p * k)


# The measures that are no fraction, or no linear function of TP: equations 17 and 19 and others.
OTHERS: Mapping[str, tuple[str, Printed]] = {
    "18 MCC": ("matthews_correlation", _correlation),
    "20 FM": ("fowlkes_mallows", lambda tp, p, n, k: Root.of(tp) / Root.of(p * k).sqrt()),
    "21 G-mean 2": (
        "geometric_mean",
        lambda tp, p, n, k: Root.of(tp * (n - k + tp) / (p * n)).sqrt(),
    ),
    "22 PT": ("prevalence_threshold_strict", _prevalence_threshold),
    "23 TS": ("jaccard", lambda tp, p, n, k: Root.of(tp / (p + k - tp))),
}


def identities(measures: Mapping[str, Any]) -> Table:
    """Return for each measure whether the printed formula is the library's.

    Parameters
    ----------
    measures : mapping of section to an object with `metric`, `slope` and `intercept`
        Those that are linear in TP.
    """
    printed = {
        section: (one.metric, _line(one))
        for section, one in measures.items()
        if section not in OTHERS
    }
    cells = (
        Cell(where=section, published="the same", ours=_compared(section, *pair))
        for section, pair in {**printed, **OTHERS}.items()
    )
    note = (
        "In exact fractions and roots of fractions, at five values of TP, P, N and k each, which "
        "is more than the degrees of both formulas: so that they are the same."
    )
    return Table(name="Definitions as symbols", cells=tuple(cells), notes=(note,))


def _line(measure: Any) -> Printed:
    return lambda tp, p, n, k: Root.of(measure.slope(p, n, k) * tp + measure.intercept(p, n, k))


def _compared(section: str, metric: str, printed: Printed) -> str:
    formula = br.metrics.get(metric).formula
    for tp, p, n, k in _squares() if section == "22 PT" else _points():
        cells = (Root.of(cell) for cell in (tp, p - tp, k - tp, n - k + tp))
        if Root.of(formula(*cells)) != printed(tp, p, n, k):
            return f"not at TP = {tp}, P = {p}, N = {n}, k = {k}"
    return "the same"


def _points() -> Iterator[tuple[Fraction, ...]]:
    return product(HITS, POSITIVES, NEGATIVES, FLAGGED)


def _squares() -> Iterator[tuple[Fraction, ...]]:
    """Yield points where both rates are squares: the roots in the prevalence threshold are rates.

    In the roots u and w of recall and of the false positive rate the formula has up to fourth
    degree, its cross products up to eighth: nine values of each.
    """
    for u, w, p, n in product(range(1, 10), range(1, 10), POSITIVES, NEGATIVES):
        recall, false_alarms = F(u, 11) ** 2, F(2 * w, 23) ** 2
        yield recall * p, p, n, recall * p + false_alarms * n

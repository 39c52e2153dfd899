"""Factors: the law of one count, of which every model of tables is a product.

A factor knows its support, its window, and a pair of rules whose agreement shows that a function is
smooth enough for either.
"""

from dataclasses import dataclass
from math import log1p
from typing import Protocol

import numpy as np

from baserate import _windows
from baserate._windows import DEPTH, Nodes, Window

# Windows up to this length are used as they are; a longer binomial one has n p (1 - p) > 45, where
# the Gauss rules below err by about 1e-15 (they are useless below 20).
LONGEST = 160
ORDERS = (24, 32)

Rules = tuple[Nodes, Nodes]


class Factor(Protocol):
    """The law of one count."""

    @property
    def support(self) -> tuple[int, int]:
        """The least and the greatest possible value."""
        ...

    def span(self, *, depth: float = DEPTH) -> tuple[int, int]:
        """Return the ends of the window."""
        ...

    def window(self, *, depth: float = DEPTH) -> Window:
        """Return the values that carry all of the mass, and their probabilities."""
        ...

    def rules(self) -> Rules:
        """Return two rules for smooth functions; the same exact one twice where that is short."""
        ...

    def n_nodes(self) -> int:
        """Return the number of nodes of the longer rule, without building it."""
        ...


def probability_of(factor: Factor, value: int) -> float:
    """Return the probability of one value."""
    low, high = factor.span(depth=_windows.DEEP)
    if not low <= value <= high:
        return 0.0
    window = factor.window(depth=_windows.DEEP)
    return float(window.pmf[value - window.start])


@dataclass(frozen=True, slots=True)
class FixedCount:
    """A count without chance."""

    value: int

    @property
    def support(self) -> tuple[int, int]:
        """The value, twice."""
        return self.value, self.value

    def span(self, *, depth: float = DEPTH) -> tuple[int, int]:  # noqa: ARG002 (Factor's signature)
        """Return the value, twice."""
        return self.support

    def window(self, *, depth: float = DEPTH) -> Window:  # noqa: ARG002 (Factor's signature)
        """Return the one value."""
        return Window(self.value, np.ones(1))

    def rules(self) -> Rules:
        """Return the one value."""
        return _exact(self.window())

    def n_nodes(self) -> int:
        """Return 1."""
        return 1


@dataclass(frozen=True, slots=True)
class BinomialCount:
    """Successes in n independent trials."""

    n: int
    p: float

    @property
    def support(self) -> tuple[int, int]:
        """0 to n, unless p is 0 or 1."""
        return (0 if self.p < 1 else self.n), (self.n if self.p > 0 else 0)

    def span(self, *, depth: float = DEPTH) -> tuple[int, int]:
        """Return the ends of the window."""
        return _windows.binomial_span(self.n, self.p, depth=depth)

    def window(self, *, depth: float = DEPTH) -> Window:
        """Return the window."""
        return _windows.binomial(self.n, self.p, depth=depth)

    def rules(self) -> Rules:
        """Return Gauss-Krawtchouk rules of two orders where the window is long."""
        low, high = self.span()
        if high - low < LONGEST:
            return _exact(self.window())
        first, second = (_windows.krawtchouk(self.n, self.p, m) for m in ORDERS)
        return first, second

    def n_nodes(self) -> int:
        """Return the length of the window, or the higher order."""
        low, high = self.span()
        return high - low + 1 if high - low < LONGEST else ORDERS[1]

    @property
    def none(self) -> float:
        """Probability of 0: (1 - p)^n, and its digits where p is small."""
        return float(np.exp(self.n * log1p(-self.p))) if self.p < 1 else float(self.n == 0)

    @property
    def all(self) -> float:
        """Probability of n."""
        return float(self.p**self.n)


@dataclass(frozen=True, slots=True)
class BetaBinomialCount:
    """Successes in n trials whose common chance is drawn once from Beta(a, b).

    A zero parameter makes its side impossible; at most one may be zero.
    """

    n: int
    a: float
    b: float

    @property
    def support(self) -> tuple[int, int]:
        """0 to n, unless a or b is 0."""
        return (0 if self.b else self.n), (self.n if self.a else 0)

    def span(self, *, depth: float = DEPTH) -> tuple[int, int]:
        """Return the ends of the window."""
        return _windows.beta_binomial_span(self.n, self.a, self.b, depth=depth)

    def window(self, *, depth: float = DEPTH) -> Window:
        """Return the window."""
        return _windows.beta_binomial(self.n, self.a, self.b, depth=depth)

    def rules(self) -> Rules:
        """Return the window."""
        return _exact(self.window())

    def n_nodes(self) -> int:
        """Return the length of the window."""
        low, high = self.span()
        return high - low + 1

    @property
    def none(self) -> float:
        """Probability of 0: the product of (b + i) / (a + b + i) over i < n."""
        if not self.a:
            return 1.0
        trials = np.arange(self.n, dtype=np.float64)
        return float(np.exp(np.sum(np.log1p(-self.a / (self.a + self.b + trials))))) if self.b else float(self.n == 0)


@dataclass(frozen=True, slots=True)
class HypergeometricCount:
    """Positives among cases drawn without replacement."""

    n_positive: int
    n_negative: int
    n_predicted: int

    @property
    def support(self) -> tuple[int, int]:
        """max(0, drawn - negatives) to min(positives, drawn)."""
        return _windows.hypergeometric_support(self.n_positive, self.n_negative, self.n_predicted)

    def span(self, *, depth: float = DEPTH) -> tuple[int, int]:
        """Return the ends of the window."""
        return _windows.hypergeometric_span(
            self.n_positive, self.n_negative, self.n_predicted, depth=depth
        )

    def window(self, *, depth: float = DEPTH) -> Window:
        """Return the window."""
        return _windows.hypergeometric(
            self.n_positive, self.n_negative, self.n_predicted, depth=depth
        )

    def rules(self) -> Rules:
        """Return every other strided value, and the ones between, where the window is long."""
        low, high = self.span()
        if high - low < LONGEST:
            return _exact(self.window())
        strided = _windows.strided_hypergeometric(
            self.n_positive, self.n_negative, self.n_predicted
        )
        if strided is None:
            return _exact(self.window())
        first, second = (
            Nodes(values, weights / weights.sum())
            for values, weights in ((strided[0][i::2], strided[1][i::2]) for i in range(2))
        )
        return first, second

    @property
    def none(self) -> float:
        """Probability of 0."""
        return probability_of(self, 0)

    def n_nodes(self) -> int:
        """Return the length of the window, or of the second half of the strided values."""
        low, high = self.span()
        if high - low < LONGEST:
            return high - low + 1
        strided = _windows.strided_hypergeometric(
            self.n_positive, self.n_negative, self.n_predicted
        )
        return high - low + 1 if strided is None else len(strided[0]) // 2


@dataclass(frozen=True, slots=True)
class UniformCount:
    """Every value from 0 to n alike."""

    n: int

    @property
    def support(self) -> tuple[int, int]:
        """0 to n."""
        return 0, self.n

    def span(self, *, depth: float = DEPTH) -> tuple[int, int]:  # noqa: ARG002 (Factor's signature)
        """Return 0 and n."""
        return self.support

    def window(self, *, depth: float = DEPTH) -> Window:  # noqa: ARG002 (Factor's signature)
        """Return all values."""
        return Window(0, np.full(self.n + 1, 1 / (self.n + 1)))

    def rules(self) -> Rules:
        """Return all values."""
        return _exact(self.window())

    def n_nodes(self) -> int:
        """Return n + 1."""
        return self.n + 1


def _exact(window: Window) -> Rules:
    nodes = Nodes(window.values, window.pmf)
    return nodes, nodes

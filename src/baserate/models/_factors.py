"""Factors: the law of one count, of which every model of tables is a product.

A factor knows its support, its window, and a pair of rules whose agreement shows that a function is
smooth enough for either.
"""

from dataclasses import dataclass
from math import exp, log1p, sqrt
from typing import Protocol

import numpy as np

from baserate import _windows
from baserate._windows import DEPTH, Nodes, Window

# Windows up to this length are used as they are. A longer one has a variance above 45, and where
# its law fades out at both ends, sums over every few values err by less than a rounding.
LONGEST = 160

Rules = tuple[Nodes, Nodes]


class Factor(Protocol):
    """The law of one count."""

    @property
    def support(self) -> tuple[int, int]:
        """The least and the greatest possible value."""
        ...

    @property
    def variance(self) -> float:
        """The variance."""
        ...

    @property
    def none(self) -> float:
        """The probability of 0."""
        ...

    def span(self, *, depth: float = DEPTH) -> tuple[int, int]:
        """Return the ends of the window."""
        ...

    def window(self, *, depth: float = DEPTH) -> Window:
        """Return the values that carry all of the mass, and their probabilities."""
        ...

    def rules(self) -> Rules:
        """Return two rules for smooth functions, at possible values; a short exact one twice."""
        ...

    def n_nodes(self) -> int:
        """Return the number of nodes of the second rule, without building it."""
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

    @property
    def variance(self) -> float:
        """0."""
        return 0.0

    @property
    def none(self) -> float:
        """1 if the value is 0, else 0."""
        return float(self.value == 0)

    def span(self, *, depth: float = DEPTH) -> tuple[int, int]:  # noqa: ARG002 (Factor's signature)
        """Return the value, twice."""
        return self.support

    def window(self, *, depth: float = DEPTH) -> Window:  # noqa: ARG002 (Factor's signature)
        """Return the one value."""
        return Window(self.value, np.ones(1))

    def rules(self) -> Rules:
        """Return the one value."""
        return exact(self.window())

    def n_nodes(self) -> int:
        """Return 1."""
        return 1


@dataclass(frozen=True, slots=True)
class BinomialCount:
    """Successes in n independent trials; `complement` is 1 - p where its digits are known."""

    n: int
    p: float
    complement: float | None = None

    @property
    def q(self) -> float:
        """1 - p."""
        return 1 - self.p if self.complement is None else self.complement

    @property
    def support(self) -> tuple[int, int]:
        """0 to n, unless p is 0 or 1."""
        return (0 if self.q > 0 else self.n), (self.n if self.p > 0 else 0)

    @property
    def variance(self) -> float:
        """Equal to n p q."""
        return self.n * self.p * self.q

    @property
    def none(self) -> float:
        """Probability of 0: q^n, and its digits where p is small."""
        return exp(self.n * log1p(-self.p)) if self.p < 0.5 else float(self.q**self.n)

    def span(self, *, depth: float = DEPTH) -> tuple[int, int]:
        """Return the ends of the window."""
        return _windows.binomial_span(self.n, self.p, self.complement, depth=depth)

    def window(self, *, depth: float = DEPTH) -> Window:
        """Return the window."""
        return _windows.binomial(self.n, self.p, self.complement, depth=depth)

    def rules(self) -> Rules:
        """Return two rules of every few values where the window is long."""
        low, high = self.span()
        if high - low < LONGEST:
            return exact(self.window())
        step = self._step
        thin = _windows.strided_binomial(self.n, self.p, self.complement, step=step)
        return halves(thin or thinned(self.window(), step))

    def n_nodes(self) -> int:
        """Return the length of the window, or of the second rule."""
        low, high = self.span()
        return high - low + 1 if high - low < LONGEST else half(high - low + 1, self._step)

    @property
    def _step(self) -> int:
        return int(sqrt(self.variance) / 3)


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

    @property
    def variance(self) -> float:
        """Mean drawn positives times mean spared negatives, over n - 1."""
        p, q, k = self.n_positive, self.n_negative, self.n_predicted
        n = p + q
        return (k * p / n) * ((n - k) * q / n / (n - 1)) if n > 1 else 0.0

    @property
    def none(self) -> float:
        """Probability of 0."""
        return probability_of(self, 0)

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
        """Return two rules of every few values where the window is long."""
        low, high = self.span()
        if high - low < LONGEST:
            return exact(self.window())
        thin = _windows.strided_hypergeometric(self.n_positive, self.n_negative, self.n_predicted)
        return halves(thin or thinned(self.window(), self._step))

    def n_nodes(self) -> int:
        """Return the length of the window, or of the second rule."""
        low, high = self.span()
        return high - low + 1 if high - low < LONGEST else half(high - low + 1, self._step)

    @property
    def _step(self) -> int:
        return int(sqrt(self.variance) / 3)


@dataclass(frozen=True, slots=True)
class UniformCount:
    """Every value from 0 to n alike."""

    n: int

    @property
    def support(self) -> tuple[int, int]:
        """0 to n."""
        return 0, self.n

    @property
    def variance(self) -> float:
        """Equal to n (n + 2) / 12."""
        return self.n * (self.n + 2) / 12

    @property
    def none(self) -> float:
        """1 / (n + 1)."""
        return 1 / (self.n + 1)

    def span(self, *, depth: float = DEPTH) -> tuple[int, int]:  # noqa: ARG002 (Factor's signature)
        """Return 0 and n."""
        return self.support

    def window(self, *, depth: float = DEPTH) -> Window:  # noqa: ARG002 (Factor's signature)
        """Return all values."""
        return Window(0, np.full(self.n + 1, 1 / (self.n + 1)))

    def rules(self) -> Rules:
        """Return all values."""
        return exact(self.window())

    def n_nodes(self) -> int:
        """Return n + 1."""
        return self.n + 1


def exact(window: Window) -> Rules:
    """Return the whole window, twice."""
    nodes = Nodes(window.values, window.pmf)
    return nodes, nodes


def thinned(window: Window, step: int) -> Nodes:
    """Return every step-th value of a window."""
    return Nodes(window.values[::step], window.pmf[::step])


def halves(nodes: tuple[_windows.Array, _windows.Array]) -> Rules:
    """Return every other node, and the ones between."""
    values, weights = nodes
    first, second = (Nodes(values[i::2], weights[i::2] / weights[i::2].sum()) for i in range(2))
    return first, second


def half(length: int, step: int) -> int:
    """Return the number of nodes in the second half of every step-th of so many values."""
    return ((length - 1) // step + 1) // 2

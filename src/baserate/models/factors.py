"""Factors: the law of one count, of which every model of tables is a product.

A factor knows its support, its window, and a pair of rules whose agreement shows that a function is
smooth enough for either.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import exp, inf, log, log1p, sqrt
from typing import Protocol

import numpy as np

from baserate import _saddlepoint, _windows
from baserate._arrays import Array, Whole
from baserate._windows import DEPTH, Urn, Weighted, Window, Windows
from baserate.errors import UnsupportedError

# Windows up to this length are used as they are. A longer one has a variance above 45, and where
# its law fades out at both ends, sums over every few values err by less than a rounding.
_LONGEST = 160
# Stirling's series to x^-5 errs by less than 1e-16 from here on.
_STIRLING = 1000
_FACTORS = 500  # whose product rounds as little as a window does
_UNDERFLOW = 746.0  # e to the minus this is 0 as a double

Rules = tuple[Weighted, Weighted]


class Factor(Protocol):
    """The law of one count."""

    __slots__ = ()

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
        return _exact(self.window())

    def n_nodes(self) -> int:
        """Return 1."""
        return 1


class _Drawn(Factor):
    """A count of draws from an urn."""

    __slots__ = ()

    @property
    @abstractmethod
    def urn(self) -> Urn:
        """The urn."""

    @abstractmethod
    def _strided(self, step: int) -> tuple[Array, Array] | None:
        """Return every few values of the window and their weights, if some form gives them."""

    def window(self, *, depth: float = DEPTH) -> Window:
        """Return the window."""
        return self.urn.window(*self.span(depth=depth))

    def rules(self) -> Rules:
        """Return two rules of every few values where the window is long and fades at both ends."""
        if not self._fades():
            return _exact(self.window())
        step = self._step()
        values, weights = self._strided(step) or self._thinned(step)
        return _half(values, weights, 0), _half(values, weights, 1)

    def n_nodes(self) -> int:
        """Return the length of the window, or of the second rule."""
        low, high = self.span()
        return ((high - low) // self._step() + 1) // 2 if self._fades() else high - low + 1

    def _fades(self) -> bool:
        low, high = self.span()
        return high - low >= _LONGEST

    def _step(self) -> int:
        return max(1, int(sqrt(self.variance) / 3))

    def _thinned(self, step: int) -> tuple[Array, Array]:
        window = self.window()
        return window.values[::step], window.pmf[::step]


@dataclass(frozen=True, slots=True)
class BinomialCount(_Drawn):
    """Successes in n independent trials; `complement` is 1 - p where its digits are known."""

    n: int
    p: float
    complement: float | None = None

    @property
    def q(self) -> float:
        """1 - p."""
        return 1 - self.p if self.complement is None else self.complement

    @property
    def urn(self) -> Urn:
        """Draws with replacement."""
        return Urn(self.n, self.p, self.q, 0)

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

    def _strided(self, step: int) -> tuple[Array, Array] | None:
        return _saddlepoint.strided_binomial(self.n, self.p, self.complement, step=step)


@dataclass(frozen=True, slots=True)
class HypergeometricCount(_Drawn):
    """Positives among cases drawn without replacement."""

    n_positive: int
    n_negative: int
    n_predicted: int

    @property
    def urn(self) -> Urn:
        """Draws without replacement."""
        return Urn(self.n_predicted, self.n_positive, self.n_negative, -1)

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
        most, least = sorted((self.n_positive, self.n_predicted), reverse=True)
        if least > _FACTORS:
            return probability_of(self, 0)
        left = self.n_positive + self.n_negative - np.arange(least, dtype=np.float64)
        return float(np.prod(np.maximum(left - most, 0.0) / left))

    def span(self, *, depth: float = DEPTH) -> tuple[int, int]:
        """Return the ends of the window."""
        return _windows.hypergeometric_span(
            self.n_positive, self.n_negative, self.n_predicted, depth=depth
        )

    def _strided(self, step: int) -> tuple[Array, Array] | None:  # noqa: ARG002 (_Drawn's signature)
        return _saddlepoint.strided_hypergeometric(
            self.n_positive, self.n_negative, self.n_predicted
        )


@dataclass(frozen=True, slots=True)
class BetaBinomialCount(_Drawn):
    """Successes in n trials whose common chance is drawn once from Beta(a, b).

    A zero parameter makes its side impossible; at most one may be zero.
    """

    n: int
    a: float
    b: float

    @property
    def urn(self) -> Urn:
        """Draws with one more of their kind put back."""
        return Urn(self.n, self.a, self.b, 1)

    @property
    def support(self) -> tuple[int, int]:
        """0 to n, unless a or b is 0."""
        return (0 if self.b else self.n), (self.n if self.a else 0)

    @property
    def variance(self) -> float:
        """Of a binomial count, times (a + b + n) / (a + b + 1)."""
        total = self.a + self.b
        return self.n * (self.a / total) * (self.b / total) * ((total + self.n) / (total + 1))

    @property
    def none(self) -> float:
        """Probability of 0: the product of (b + i) / (a + b + i) over i < n."""
        if not (self.a and self.b):
            return float(not self.a or not self.n)
        return exp(_log_none(self.n, self.a, self.b))

    def span(self, *, depth: float = DEPTH) -> tuple[int, int]:
        """Return the ends of the window."""
        return _windows.beta_binomial_span(self.n, self.a, self.b, depth=depth)

    def _strided(self, step: int) -> tuple[Array, Array] | None:
        return _saddlepoint.strided_beta_binomial(self.n, self.a, self.b, step=step)

    def _fades(self) -> bool:
        """Whether the window is long, and shorter than the support at both ends."""
        low, high = self.span()
        return high - low >= _LONGEST and low > 0 and high < self.n


def windows(factors: Sequence[Factor], depths: Sequence[float]) -> Windows:
    """Return the windows of these laws, each as deep as asked for or deeper.

    Laws of one kind, none of them certain, are computed at once.
    """
    urns = [factor.urn for factor in factors if isinstance(factor, _Drawn)]
    if len(urns) == len(factors) and len({urn.s for urn in urns}) == 1:
        size, a, b = np.array([(u.size, u.a, u.b) for u in urns], dtype=np.float64).T[:, :, None]
        if min(a.min(), b.min()) > 0:
            spans = [f.span(depth=depth) for f, depth in zip(factors, depths, strict=True)]
            low, high = np.array(spans, dtype=np.float64).T[:, :, None]
            return Urn(size, a, b, urns[0].s).windows(low, high)
    each = [factor.window(depth=depth) for factor, depth in zip(factors, depths, strict=True)]
    pmf = np.zeros((len(each), max(len(window.pmf) for window in each)))
    for row, window in zip(pmf, each, strict=True):
        row[: len(window.pmf)] = window.pmf
    return Windows(np.array([window.start for window in each]), pmf)


def windows_given(law_of: Callable[[int], Factor], totals: Whole) -> Windows:
    """Return the laws of a count given each of these totals, a row each.

    Of few independent cases, those of all values, as urns that differ in nothing but their size.
    """
    largest = law_of(int(totals.max()))
    if isinstance(largest, BinomialCount) and largest.n < _LONGEST and 0 < largest.p < 1:
        urn = replace(largest.urn, size=totals[:, None].astype(np.float64))
        return urn.windows(*urn.support)
    return windows([law_of(total) for total in totals.tolist()], [DEPTH] * totals.size)


def _exact(window: Window) -> Rules:
    """Return the whole window, twice."""
    nodes = Weighted(window.values, window.pmf)
    return nodes, nodes


def _half(values: Array, weights: Array, first: int) -> Weighted:
    """Return every other node from the first or the second on."""
    return Weighted(values[first::2], weights[first::2] / weights[first::2].sum())


def _log_none(n: int, a: float, b: float) -> float:
    """Sum log (b + i) / (a + b + i) over i < n; over j < a where that is shorter.

    Each term is less than -a / (a + b + i), and these sum to less than -a log((a + b + n)/(a + b)):
    where no double is so small, nothing is summed.
    The first thousand terms are added one by one. Of the others, the whole part of a gives the
    product of (b + r + j) / (b + r + n + j) over j < a - r; the rest r of a gives a quotient of
    gamma functions whose arguments differ by less than one.
    """
    if a * log1p(n / (a + b)) > _UNDERFLOW:
        return -inf
    if min(n, a) > _windows.LONGEST:
        raise UnsupportedError(
            f"The probability of 0 of {n:,} is a product of {int(min(n, a)):,} terms, and at most "
            f"{_windows.LONGEST:,} are multiplied: with so many cases, use Multinomial."
        )
    head = min(n, _STIRLING) if a < n else n
    first = _log_product(head, a, b)
    n, b = n - head, b + head
    if not n:
        return first
    whole = int(a)
    r = a - whole
    return first + _log_product(whole, n, b + r) + _log_gap(b, r) - _log_gap(b + n, r)


def _log_product(terms: int, a: float, b: float) -> float:
    """Sum log (b + i) / (a + b + i), by whichever form keeps the digits."""
    top = b + np.arange(terms, dtype=np.float64)
    near = np.log1p(-a / (a + top))
    return float(np.sum(np.where(top > a, near, np.log(top / (a + top)))))


def _log_gap(x: float, r: float) -> float:
    """Return log gamma(x + r) / gamma(x), for x of a thousand and more and r below one."""
    y = x + r
    series = (1 / y - 1 / x) / 12 - (1 / y**3 - 1 / x**3) / 360
    return (x - 0.5) * log1p(r / x) + r * log(y) - r + series

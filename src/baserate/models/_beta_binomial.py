"""The law of a count whose chance is itself uncertain."""

from dataclasses import dataclass
from math import exp, log, log1p, sqrt

import numpy as np

from baserate import _windows
from baserate._windows import DEPTH, Window
from baserate.errors import UnsupportedError
from baserate.models._factors import LONGEST, Rules, exact, half, halves, thinned

# Stirling's series to x^-5 errs by less than 1e-16 from here on.
_STIRLING = 1000


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

    def window(self, *, depth: float = DEPTH) -> Window:
        """Return the window."""
        return _windows.beta_binomial(self.n, self.a, self.b, depth=depth)

    def rules(self) -> Rules:
        """Return two rules of every few values where the window is long and ends on its own."""
        if not self._fades:
            return exact(self.window())
        step = self._step
        thin = _windows.strided_beta_binomial(self.n, self.a, self.b, step=step)
        return halves(thin or thinned(self.window(), step))

    def n_nodes(self) -> int:
        """Return the length of the window, or of the second rule."""
        low, high = self.span()
        return half(high - low + 1, self._step) if self._fades else high - low + 1

    @property
    def _fades(self) -> bool:
        """Whether the window is long, and shorter than the support at both ends."""
        low, high = self.span()
        return high - low >= LONGEST and low > 0 and high < self.n

    @property
    def _step(self) -> int:
        return max(1, int(sqrt(self.variance) / 3))


def _log_none(n: int, a: float, b: float) -> float:
    """Sum log (b + i) / (a + b + i) over i < n; over j < a where that is shorter.

    The first thousand terms are added one by one. Of the others, the whole part of a gives the
    product of (b + r + j) / (b + r + n + j) over j < a - r; the rest r of a gives a quotient of
    gamma functions whose arguments differ by less than one.
    """
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

"""The Poisson-binomial law: how many of many independent cases are positive, each at its own risk.

The characteristic function is a product over cases, and the inverse Fourier transform gives the
probabilities with an error near 1e-16 of the largest. A tail far out would drown in that. The law
is therefore tilted first, which multiplies the odds of every risk by one factor, until its mean is
the count that is asked for; there the largest probabilities are the ones that matter, and relative
digits remain. Few points of the characteristic function are needed, however many cases there are:
its modulus is at most exp(-v (1 - cos t)), v the variance.

References
----------
Hong (2013), Computational Statistics and Data Analysis 59:41, doi:10.1016/j.csda.2012.10.006. Cox
(1958), Biometrika 45:562, doi:10.1093/biomet/45.3-4.562, for the tilt as a parameter, of which the
count tells all.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import acos, ceil, exp, floor, log, pi, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array
from baserate._windows import Window

DEPTH = 40.0  # what is left out of a window, or of the characteristic function, is below exp(-40)
EDGE = 0.05  # a risk this close to 0 or 1 has a quickly converging series
FEW = 2_000  # risks are multiplied one by one, more are pooled in power sums where these converge
SLOWEST, NOTHING = 0.5, 1e-18  # a series falls by this factor a term, and ends below that
MANY, ALIKE = 20_000, 2e-3  # so many risks are pooled, where their log odds are so near
FLATTEST = 700.0  # log odds beyond which a risk is 0 or 1
CLOSE = 1e-7  # the last step of a search, in standard deviations; what is left is its square


class CountTails(NamedTuple):
    """P(K <= k) and P(K >= k); each includes k."""

    lower: float
    upper: float

    @property
    def p_value(self) -> float:
        """Twice the smaller tail, at most 1."""
        return min(1.0, 2 * min(self))


@dataclass(frozen=True, eq=False)
class PoissonBinomial:
    """The number of positives among independent cases, `size` of them at each of the `risks`.

    Risks ascend or descend, in [0, 1]; sizes are whole numbers.
    """

    risks: Array
    size: Array

    @cached_property
    def mean(self) -> float:
        """Expected number of positives."""
        return float(np.sum(self.size * self.risks, dtype=np.longdouble))

    @cached_property
    def variance(self) -> float:
        """Σ p (1 - p)."""
        return float((self.size * self.risks) @ (1 - self.risks))

    @cached_property
    def support(self) -> tuple[int, int]:
        """The least and the greatest count: risks of 0 and 1 are certain."""
        certain, possible = self.size[self.risks == 1], self.size[self.risks > 0]
        return int(certain.sum()), int(possible.sum())

    def tilted(self, by: float) -> "PoissonBinomial":
        """Return the law whose odds are all exp(by) times as large.

        Its probabilities are proportional to exp(by k) P(K = k).
        """
        # Both forms of p e^b / (1 - p + p e^b) keep the exponential from overflowing.
        p = self.risks
        if by <= 0:
            factor = exp(by)
            return PoissonBinomial(p * factor / (1 - p + p * factor), self.size)
        factor = exp(-by)
        return PoissonBinomial(p / ((1 - p) * factor + p), self.size)

    def tilt_to(self, mean: float) -> float:
        """Return the logarithm of the factor of all odds at which the mean is this."""
        low, high = self.support
        if not low < mean < high:
            return -FLATTEST if mean <= low else FLATTEST
        # Newton's rule on the log odds of the mean, kept within a bracket.
        wanted, by = log((mean - low) / (high - mean)), 0.0
        least, most = -FLATTEST, FLATTEST
        for _ in range(200):
            here = self.tilted(by)
            m, v = here.mean, here.variance
            least, most = (by, most) if m < mean else (least, by)
            if not low < m < high or v <= 0:
                by = (least + most) / 2
                continue
            # The log odds of the mean are nearly straight in the tilt.
            slope = v * (1 / (m - low) + 1 / (high - m))
            step = (wanted - log((m - low) / (high - m))) / slope
            if abs(step) <= 1e-9 * (1 + abs(by)):
                return by + step
            by = by + step if least < by + step < most else (least + most) / 2
        return by

    def pmf(self, around: int | None = None) -> Window:
        """Return the probabilities of all counts that matter, around the mean or another count.

        By the inverse Fourier transform; the error is near 1e-16 of each 1.
        """
        low, high = self.support
        if low == high or self.variance == 0:
            centre = low if low == high else round(self.mean)
            return Window(centre, np.ones(1))
        reach = DEPTH / 3 + sqrt(DEPTH**2 / 9 + 2 * DEPTH * self.variance)  # Bernstein's inequality
        middle = self.mean if around is None else around
        start = max(low, floor(middle - reach))
        length = min(high, ceil(middle + reach)) - start + 1
        # exp(-v (1 - cos t)) is below exp(-DEPTH) beyond the last t.
        cosine = 1 - DEPTH / self.variance
        last = length // 2
        if cosine > -1:
            last = min(last, ceil(acos(cosine) * length / (2 * pi)))
        t = np.arange(last + 1, dtype=np.float64) * (2 * pi / length)
        spectrum = np.zeros(length // 2 + 1, dtype=complex)
        spectrum[: len(t)] = _characteristic(self, t) * np.exp(-1j * t * start)
        return Window(start, np.maximum(np.fft.irfft(spectrum.conj(), length), 0.0))

    def tails(self, k: int) -> CountTails:
        """Return P(K <= k) and P(K >= k); the smaller one to a relative error below 1e-12.

        With a million cases to 1e-10. Below 1e-307 a tail may be 0.
        """
        low, high = self.support
        if k < low or k > high:
            return CountTails(float(k > high), float(k < low))
        if k >= self.mean:
            far, here = _upper(self, k)
            return CountTails(min(1.0, 1 - far + here), far)
        mirrored = PoissonBinomial(1 - self.risks, self.size)
        far, here = _upper(mirrored, round(float(self.size.sum())) - k)
        return CountTails(far, min(1.0, 1 - far + here))

    def limits(self, k: int, confidence_level: float) -> tuple[float, float]:
        """Return the means between which k positives are no surprise, all odds times one factor.

        Beyond either a tail of the law is below half the error: the limits hold the mean of this
        law where `tails(k).p_value` exceeds the error, and only there. No risk is 0 or 1.
        """
        tail, n, law = (1 - confidence_level) / 2, float(self.size.sum()), self.pooled
        low = 0.0 if k == 0 else _mean_at(law, k, tail, above=True)
        return low, n if k == n else _mean_at(law, k, tail, above=False)

    @property
    def pooled(self) -> "PoissonBinomial":
        """The same law with risks whose log odds differ by less than `ALIKE` taken together.

        Of many risks only: their mean stays, and the variance grows by a part below 1e-7.
        """
        if len(self.risks) <= MANY:
            return self
        steps = np.floor(np.log(self.risks / (1 - self.risks)) / ALIKE)
        starts = np.concatenate(([0], np.flatnonzero(np.diff(steps)) + 1))
        size = np.add.reduceat(self.size, starts)
        return PoissonBinomial(np.add.reduceat(self.size * self.risks, starts) / size, size)


def _mean_at(law: PoissonBinomial, k: int, tail: float, *, above: bool) -> float:
    """Return the mean of the tilted law with so much probability at `k` and above, or below."""
    from scipy.special import ndtri

    side = 1 if above else -1
    middle = law.tilt_to(k - side / 2)
    start = middle + side * float(ndtri(tail)) / max(0.1, sqrt(law.tilted(middle).variance))
    by = tilt_holding(law, lambda values: side * (values - k) >= 0, tail, side, start)
    return law.tilted(by).mean


def tilt_holding(
    law: PoissonBinomial,
    held: Callable[[Array], Any],
    probability: float,
    side: int,
    start: float,
    ends: tuple[float, float] = (-FLATTEST, FLATTEST),
) -> float:
    """Return the tilt at which the values that are `held` have this probability.

    It rises with the tilt if `side` is 1, and falls if it is -1. By Newton's rule on normal
    quantiles, which are nearly straight in the tilt, within a bracket; their slope is that of the
    same probabilities, the covariance of the count with being held. Its error is of the order of
    the square of the last step, which is below `CLOSE` standard deviations of the count.
    """
    from scipy.special import ndtri

    (least, most), by, wanted = ends, start, float(ndtri(probability))
    for _ in range(200):
        tilted = law.tilted(by)
        values, pmf = (window := tilted.pmf()).values, window.pmf
        on = held(values)
        mass = min(max(float(pmf[on].sum()), 1e-300), 1 - 1e-16)
        found = float(ndtri(mass))
        least, most = (by, most) if side * (found - wanted) < 0 else (least, by)
        slope = float(pmf[on] @ (values[on] - tilted.mean)) * sqrt(2 * pi) * exp(found * found / 2)
        if side * slope <= 0:
            by = (least + most) / 2
            continue
        step = (wanted - found) / slope
        if abs(step) * max(1.0, sqrt(tilted.variance)) <= CLOSE:
            return by + step
        by = by + step if least < by + step < most else (least + most) / 2
    return by


def _upper(law: PoissonBinomial, k: int) -> tuple[float, float]:
    """Return P(K >= k) and P(K = k), at or above the mean."""
    if k == law.support[1]:
        open_ = law.risks > 0
        both = exp(float(np.sum(law.size[open_] * np.log(law.risks[open_]))))
        return both, both
    by = max(0.0, law.tilt_to(k))
    window = law.tilted(by).pmf(around=k)
    at = k - window.start
    scale = exp(-_divergence(law, by, k))
    above = window.pmf[at:] * np.exp(-by * np.arange(len(window.pmf) - at))
    return min(1.0, scale * float(above.sum())), scale * float(window.pmf[at])


def _divergence(law: PoissonBinomial, by: float, k: int) -> float:
    """Return by k - log E exp(by K), in terms that are small where `by` is."""
    p = law.risks
    if by < 1:
        grown = np.log1p(p * np.expm1(by)) - by * p
        return by * (k - law.mean) - float(np.sum(law.size * grown))  # `@` would add up errors
    open_, total = p > 0, float(law.size[p > 0].sum())
    # log(1 - p + p e^b) - b = log(p + (1 - p) e^-b)
    left = np.log(p[open_] + (1 - p[open_]) * exp(-by))
    return by * (k - total) - float(np.sum(law.size[open_] * left))


def _characteristic(law: PoissonBinomial, t: Array) -> NDArray[np.complex128]:
    """Return E exp(i t K)."""
    z = np.exp(1j * t) - 1
    z.real = -2 * np.sin(t / 2) ** 2  # cos t - 1 without cancellation
    log_value, product = np.zeros(len(t), dtype=complex), np.ones(len(t), dtype=complex)
    for part, centre in _slices(law):
        away = part.risks - centre
        if len(away) > FEW:
            w = z / (1 + centre * z)
            ratio = float(np.abs(away).max()) * float(np.abs(w).max())
            if ratio <= SLOWEST:
                n = float(part.size.sum())
                log_value += n * np.log1p(centre * z) + _series(away, part.size, w, ratio)
                continue
        product *= _multiplied(part, z)
    return np.exp(log_value) * product


def _slices(law: PoissonBinomial) -> list[tuple[PoissonBinomial, float]]:
    """Part the risks into those near 0, those near 1 and the others, each with a centre."""
    p = law.risks
    near_0, near_1 = p <= EDGE, p >= 1 - EDGE
    if law.variance >= 900:  # only t near 0 matters, where one series serves all
        return [(law, float(p.min() + p.max()) / 2)]
    parts = ((near_0, 0.0), (near_1, 1.0), (~near_0 & ~near_1, 0.5))
    return [(PoissonBinomial(p[which], law.size[which]), centre) for which, centre in parts]


def _series(away: Array, size: Array, w: Any, ratio: float) -> Any:
    """Return Σ size log(1 + away w) from the power sums of `away`."""
    total, power = np.zeros(len(w), dtype=complex), size.copy()
    bound, r = float(size.sum()), 0
    while bound > NOTHING:
        r += 1
        power *= away
        bound *= ratio
        total -= (-w) ** r * (float(power.sum()) / r)
    return total


def _multiplied(law: PoissonBinomial, z: Any) -> Any:
    """Return the product of (1 + p z)^size, block by block."""
    value = np.ones(len(z), dtype=complex)
    single = bool((law.size == 1).all())
    block = max(1, 2**18 // max(1, len(z)))
    for first in range(0, len(law.risks), block):
        rows = slice(first, first + block)
        factors = 1 + law.risks[rows, None] * z
        if not single:
            factors = factors ** law.size[rows, None]
        value *= np.prod(factors, axis=0)
    return value

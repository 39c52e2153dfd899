"""What blind guesses are expected to score, as a function of how many cases they call positive.

E(k) is the mean of a metric when k of the cases, drawn at random, are called positive. Neighbouring
values differ by as little as 1/M², so they are not subtracted: the step from k to k + 1 is averaged
over the label of the next case drawn, and each of its two parts is either large enough to be a
plain difference, or the integral of a derivative that a complex step gives to the last digit.
"""

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._saddlepoint import thinned_hypergeometric
from baserate._windows import hypergeometric_support
from baserate.baselines._digits import precise_expectation
from baserate.metrics import Metric

Array = NDArray[np.float64]
Ranges = tuple[tuple[int, int], ...]

EPS = float(np.finfo(np.float64).eps)

# Windows longer than this are thinned where the saddle-point form holds: about 60 terms.
_LONGEST = 160
# Counts from which three Gauss-Legendre nodes integrate square roots and ratios to 1e-14.
_SMOOTH = 50
_STEP = 1e-100
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(3)
_NODES, _WEIGHTS = (_NODES + 1) / 2, _WEIGHTS / 2
# Two means this close are compared with many digits, if the support is no longer than that.
_CLOSE = 1e-12
_DIGITS_UP_TO = 4000


@dataclass(frozen=True, slots=True)
class ChanceCurve:
    """E(k) of one metric, for `n_positive` positives among `n_positive + n_negative` cases."""

    metric: Metric
    n_positive: int
    n_negative: int

    @property
    def n(self) -> int:
        """All cases."""
        return self.n_positive + self.n_negative

    def value(self, k: int) -> float:
        """Return E(k)."""
        if self.metric.chance is not None:
            return float(self.metric.chance)
        if self.metric.affine_in_tp:
            return float(self.metric.formula(*self._mean_table(k)))
        return self._mean(k)[0]

    def slope(self, k: int) -> float | None:
        """Return E(k + 1) - E(k), 0.0 where it is zero; its sign is right however small it is.

        None where that cannot be told: too near to zero, and too many terms for many digits.
        """
        t, weight = thinned_hypergeometric(self.n_positive, self.n_negative, k, longest=_LONGEST)
        cells = np.array((t, self.n_positive - t, k - t, self.n_negative - k + t))
        chance = cells[1::2] * (weight / (self.n - k))  # the next case is positive, or negative
        steps, size = _steps(self.metric, cells)
        for sharpen in (False, True):
            rough = _sharpen(self.metric, cells, steps, size) if sharpen else size
            parts = chance * steps
            slope = float(parts.sum())
            error = 64 * EPS * float(np.abs(parts).sum()) + 8 * EPS * float(weight @ rough)
            if abs(slope) > error:
                return slope
        return self._precise_difference(k, k + 1)

    def sign(self, k: int) -> int | None:
        """Return the sign of E(k + 1) - E(k); None where that cannot be told."""
        slope = self._plain_difference(k, k + 1) if self.metric.affine_in_tp else 0.0
        return _sign(slope or self.slope(k))

    def compare(self, a: int, b: int) -> int | None:
        """Return the sign of E(b) - E(a) for any two numbers; None where that cannot be told."""
        if self.metric.chance is not None or a == b:
            return 0
        return _sign(self._plain_difference(a, b) or self._precise_difference(a, b))

    def _mean_table(self, k: int) -> tuple[float, ...]:
        p, q, n, h = self.n_positive, self.n_negative, max(self.n, 1), self.n - k
        return k * p / n, h * p / n, k * q / n, h * q / n

    def _end_tables(self, k: int) -> list[tuple[float, ...]]:
        p, q = self.n_positive, self.n_negative
        ends = hypergeometric_support(p, q, k)
        return [(float(t), float(p - t), float(k - t), float(q - k + t)) for t in ends]

    def _plain_difference(self, a: int, b: int) -> float:
        """Return E(b) - E(a) as it is; 0.0 where that is not clear beside their terms."""
        if self.metric.affine_in_tp:
            tables = [self._mean_table(a), self._mean_table(b)]
            tables += self._end_tables(a) + self._end_tables(b)
            values = self.metric.formula(*np.array(tables).T)
            low, high, scale = float(values[0]), float(values[1]), float(np.abs(values).max())
        else:
            (low, scale_a), (high, scale_b) = self._mean(a), self._mean(b)
            scale = max(scale_a, scale_b)
        return high - low if abs(high - low) > _CLOSE * scale else 0.0

    def _mean(self, k: int) -> tuple[float, float]:
        """Return E(k) and the mean size of its terms."""
        t, weight = thinned_hypergeometric(self.n_positive, self.n_negative, k)
        value = self.metric.formula(t, self.n_positive - t, k - t, self.n_negative - k + t)
        return float(weight @ value), float(weight @ np.abs(value))

    def _precise_difference(self, a: int, b: int) -> float | None:
        """Return E(b) - E(a) from many digits, 0.0 if these agree; None for too many terms."""
        if (
            max(min(self.n_positive, self.n_negative, k, self.n - k) for k in (a, b))
            > _DIGITS_UP_TO
        ):
            return None
        low, high = (
            precise_expectation(self.metric, self.n_positive, self.n_negative, k) for k in (a, b)
        )
        return 0.0 if low.agrees(high) else float(high.mean - low.mean)


def defined_counts(metric: Metric, n_positive: int, n_negative: int) -> Ranges:
    """Return the numbers predicted positive at which no declared denominator can be zero.

    A zero cell pins tp to 0, n_positive, k or k - n_negative. All cells of a sum are zero if these
    numbers agree and are possible, which happens for a range of k.
    """
    n = n_positive + n_negative
    bad = [
        _all_zero(total.split("+"), n_positive, n_negative) for total in metric.undefined_if_zero
    ]
    out: list[tuple[int, int]] = []
    start = 0
    for low, high in sorted(b for b in bad if b[0] <= b[1]):
        if low > start:
            out.append((start, low - 1))
        start = max(start, high + 1)
    if start <= n:
        out.append((start, n))
    return tuple(out)


def clipped(ranges: Ranges, low: int, high: int) -> Ranges:
    """Return the part of the ranges within [low, high]."""
    cut = ((max(a, low), min(b, high)) for a, b in ranges)
    return tuple((a, b) for a, b in cut if a <= b)


def _all_zero(cells: list[str], p: int, q: int) -> tuple[int, int]:
    """Return the range of k at which these cells can be zero together; empty if low > high."""
    limits = {"tp": (0, q), "fn": (p, p + q), "fp": (0, p), "tn": (q, p + q)}
    pairs = {
        ("tp", "fp"): (0, 0),
        ("tp", "tn"): (q, q),
        ("fn", "fp"): (p, p),
        ("fn", "tn"): (p + q, p + q),
        ("tp", "fn"): (0, p + q) if p == 0 else (1, 0),
        ("fp", "tn"): (0, p + q) if q == 0 else (1, 0),
    }
    spans = [limits[cell] for cell in cells]
    spans += [span for pair, span in pairs.items() if set(pair) <= set(cells)]
    return max(low for low, _ in spans), min(high for _, high in spans)


def _sign(number: float | None) -> int | None:
    return None if number is None else (number > 0) - (number < 0)


def _steps(metric: Metric, cells: Array) -> tuple[Array, Array]:
    """Return what one more true and one more false positive change, and the size of the values."""
    tables = np.repeat(cells[None], 3, axis=0)
    tables[1:] += _moves(cells)
    values = np.asarray(metric.formula(*tables.transpose(1, 0, 2)), dtype=np.float64)
    return values[1:] - values[0], np.abs(values).max(axis=0)


def _moves(cells: Array) -> Array:
    """Move one case from fn to tp, and one from tn to fp, where there is one."""
    moves = np.zeros((2, 4, cells.shape[1]))
    for i in (0, 1):
        moves[i, 2 * i] = cells[2 * i + 1] > 0
        moves[i, 2 * i + 1] = -moves[i, 2 * i]
    return moves


def _sharpen(metric: Metric, cells: Array, steps: Array, size: Array) -> Array:
    """Put integrals in place of differences where counts are large; return what stays rough."""
    smooth = np.minimum(cells[::2], cells[1::2] - 1) >= _SMOOTH
    if not smooth.any():
        return size
    exact = _integrated(metric, cells, _moves(cells), smooth)
    slack = 1e-12 * np.broadcast_to(size, smooth.shape)[smooth]
    if not (np.abs(exact - steps[smooth]) <= slack).all():
        return size  # the formula does not let complex numbers through
    steps[smooth] = exact
    return size * (~smooth).any(axis=0)


def _integrated(metric: Metric, cells: Array, moves: Array, where: NDArray[np.bool_]) -> Any:
    """Integrate the derivative along the unit step, at the tables of `where`."""
    which, column = np.nonzero(where)
    start, move = cells[:, column], moves[which, :, column].T
    path = start[:, None] + move[:, None] * (_NODES[:, None] + 1j * _STEP)
    try:
        return _WEIGHTS @ (np.imag(metric.formula(*path)) / _STEP)
    except TypeError:
        return np.full(len(which), nan)

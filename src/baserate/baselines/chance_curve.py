"""What blind guesses are expected to score, as a function of how many cases they call positive.

E(k) is the mean of a metric when k of the cases, drawn at random, are called positive. Neighbouring
values differ by as little as 1/M², so they are not subtracted: the step from k to k + 1 is averaged
over the label of the next case drawn, and each of its two parts is either large enough to be a
plain difference, or the integral of a derivative that a complex step gives to the last digit.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from math import nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._arith import ExactNumber
from baserate._arrays import Array
from baserate._saddlepoint import thinned_hypergeometric
from baserate._windows import DEPTH, Urn, hypergeometric_rows, hypergeometric_support, widest_reach
from baserate.baselines.totals import class_totals, needs_fixed_weights, settled
from baserate.counts import ConfusionMatrix, unchecked
from baserate.errors import UnsupportedError
from baserate.metrics import Metric, binary_metric

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
# Tables that a search may look at, one by one: a few seconds.
BUDGET = 20_000_000
_BLOCK = 200_000

_DIGITS = 60
# Equal means agree to this, relative to the mean size of their terms; those of a formula that
# rounds to floats agree to fewer digits.
_SAME, _SAME_ROUNDED = Decimal(10) ** -40, Decimal(10) ** -14


def tables(n_positive: Any, n_negative: Any, k: Any, tp: Any) -> tuple[Any, Any, Any, Any]:
    """Return tp, fn, fp and tn of `tp` true positives among `k` predicted ones."""
    return tp, n_positive - tp, k - tp, n_negative - k + tp


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
        cells = np.array(tables(self.n_positive, self.n_negative, k, t))
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

    def _plain_difference(self, a: int, b: int) -> float:
        """Return E(b) - E(a) as it is; 0.0 where that is not clear beside their terms."""
        if self.metric.affine_in_tp:
            p, q = self.n_positive, self.n_negative
            found = [self._mean_table(a), self._mean_table(b)]
            found += [tables(p, q, k, t) for k in (a, b) for t in hypergeometric_support(p, q, k)]
            values = self.metric.formula(*np.array(found, dtype=np.float64).T)
            low, high, scale = float(values[0]), float(values[1]), float(np.abs(values).max())
        else:
            (low, scale_a), (high, scale_b) = self._mean(a), self._mean(b)
            scale = max(scale_a, scale_b)
        return high - low if abs(high - low) > _CLOSE * scale else 0.0

    def _mean(self, k: int) -> tuple[float, float]:
        """Return E(k) and the mean size of its terms."""
        t, weight = thinned_hypergeometric(self.n_positive, self.n_negative, k)
        value = self.metric.formula(*tables(self.n_positive, self.n_negative, k, t))
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


class Block(NamedTuple):
    """Numbers k, one a row, and tables with their probabilities given k; padded at weight 0."""

    k: NDArray[np.int64]
    tables: tuple[Array, Array, Array, Array]
    pmf: Array

    def expectations(self, metric: Metric) -> tuple[Array, Array]:
        """Return E(k) and the mean size of its terms for every k; nan where a table is undefined.

        Also where its probability is too small for a float: 0 times nan is nan.
        """
        terms = self.pmf * np.asarray(metric.formula(*self.tables), dtype=np.float64)
        return terms.sum(axis=1), np.abs(terms).sum(axis=1)


def blocks(
    n_positive: int, n_negative: int, ranges: Ranges, *, remedy: str, depth: float = DEPTH
) -> Iterator[Block]:
    """Yield every table of all k of the ranges: what is left for a metric of no known shape.

    `depth` inf takes whole supports, not their windows. More tables than the budget are refused.
    """
    plan = [(low, high, _width(n_positive, n_negative, low, high, depth)) for low, high in ranges]
    total = n_tables(n_positive, n_negative, ranges, depth)
    if total > BUDGET:
        raise UnsupportedError(
            f"A search over every number predicted positive would look at {total:,} tables, more "
            f"than {BUDGET:,}: {remedy}."
        )
    for low, high, width in plan:
        size = max(1, _BLOCK // width)
        for start in range(low, high + 1, size):
            k = np.arange(start, min(high + 1, start + size))
            t, pmf = hypergeometric_rows(n_positive, n_negative, k, depth=depth)
            yield Block(k, tables(n_positive, n_negative, k[:, None], t), pmf)


def n_tables(n_positive: int, n_negative: int, ranges: Ranges, depth: float) -> int:
    """Bound how many tables these numbers predicted positive have, from above."""
    widths = (_width(n_positive, n_negative, low, high, depth) for low, high in ranges)
    return sum((high - low + 1) * w for (low, high), w in zip(ranges, widths, strict=True))


def _width(p: int, q: int, low: int, high: int, depth: float) -> int:
    """Bound the number of tables per k, from above."""
    whole = min(p, q, high, p + q - low) + 1
    return int(min(whole, 2 * widest_reach(p, q, low, high, depth) + 1))


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


class PreciseMean(NamedTuple):
    """A mean with many digits, the mean size of its terms, and how far to trust equality."""

    mean: Decimal
    scale: Decimal
    same: Decimal

    def agrees(self, other: "PreciseMean") -> bool:
        """Whether two means are the same number."""
        slack = max(self.same, other.same) * max(self.scale, other.scale)
        return abs(self.mean - other.mean) <= slack


def precise_expectation(
    metric: Metric, n_positive: int, n_negative: int, n_predicted: int
) -> PreciseMean:
    """Return the mean of a metric that is defined on the whole support, to about 50 digits."""
    low, high = hypergeometric_support(n_positive, n_negative, n_predicted)
    tp = range(low, high + 1)
    found = [tables(n_positive, n_negative, n_predicted, t) for t in tp]
    values, exact = _precise_values(metric, tuple(zip(*found, strict=True)))
    with localcontext() as context:
        context.prec = _DIGITS
        weights = [Decimal(1)]
        for t in tp[:-1]:
            up, down = Urn(n_predicted, n_positive, n_negative, -1).odds(t)
            weights.append(weights[-1] * up / down)
        total = sum(weights)
        terms = [w * v for w, v in zip(weights, values, strict=True)]
        mean, scale = sum(terms) / total, sum(map(abs, terms)) / total
    return PreciseMean(Decimal(mean), Decimal(scale), _SAME if exact else _SAME_ROUNDED)


def _precise_values(metric: Metric, cells: Sequence[Sequence[int]]) -> tuple[list[Decimal], bool]:
    """Return the metric's values, and whether the formula kept all of their digits."""
    try:
        exact = (np.array([ExactNumber.of(c) for c in cell], dtype=object) for cell in cells)
        values = np.asarray(metric.formula(*exact))
    except (TypeError, AttributeError):  # a formula beyond + - * / and square roots
        values = np.asarray(metric.formula(*np.array(cells, dtype=np.float64)))
    kept = values.dtype == object
    return [ExactNumber.of(v).decimal for v in values], kept


BLOCK = 200_000  # tables held at a time


def chance_by_alarms(metric: str | Metric, cuts: ConfusionMatrix) -> Array:
    """Return what blind draws of as many cases as each table calls positive score on average.

    E[metric | defined] with tp hypergeometric: of n cases, n_positive of them positive, as many are
    drawn as the table has alarms. What ``skill(metric, table, guess="same_alarms")`` calls chance,
    for every table in one pass over the windows of all the hypergeometric laws; closed forms where
    the metric is affine in tp, given the margins. nan where every draw leaves it undefined.

    `cuts` is a batch of shape (m,), all of the same class totals. A metric that is restated at
    another base rate has what a guess with this share of alarms scores there.
    """
    metric = binary_metric(metric)
    alarms = np.asarray(cuts.tp + cuts.fp)
    totals = (cuts.n_positive, cuts.n_negative)
    positive, negative = (np.ravel(total).tolist()[0] for total in totals)
    if "base_rate" in metric.parameters:
        share = alarms / (positive + negative)
        return _at(metric.on_rates, share, share, metric.parameters["base_rate"], alarms[-1])
    totals = None if cuts.is_weighted else class_totals(positive, negative)
    if totals is None:
        needs_fixed_weights(metric)
    if totals is None or (metric.affine_in_tp and metric.decided_by_margins):
        rest, n = (positive + negative) - alarms, positive + negative
        both = (alarms * positive, rest * positive, alarms * negative, rest * negative)
        means = _at(metric.formula, *(np.asarray(product / n) for product in both))
        return settled(metric, means)
    distinct, place = np.unique(alarms.astype(np.int64), return_inverse=True)
    found = _means(metric, *totals, distinct)
    return settled(metric, found)[place]


def _at(formula: Any, *cells: Any) -> Array:
    with np.errstate(all="ignore"):  # a user's formula may divide by zero
        return np.asarray(formula(*cells), dtype=float)


def _means(metric: Metric, p: int, q: int, alarms: NDArray[np.int64]) -> Array:
    """Return the mean for each number of alarms, in ascending order, given that it is defined."""
    width = 2 * int(min(p, q, widest_reach(p, q, int(alarms[0]), int(alarms[-1])))) + 1
    step = max(1, BLOCK // width)
    parts = (alarms[start : start + step] for start in range(0, len(alarms), step))
    return np.concatenate([_block(metric, p, q, part) for part in parts])


def _block(metric: Metric, p: int, q: int, alarms: NDArray[np.int64]) -> Array:
    found, weights = hypergeometric_rows(p, q, alarms)
    tp, fn, fp, tn = tables(p, q, alarms[:, None], found)
    values = _at(metric, unchecked(tp=tp, fn=fn, fp=fp, tn=tn))
    weights = np.where(np.isnan(values), 0.0, weights)
    mass = weights.sum(axis=1)
    with np.errstate(invalid="ignore"):
        return (weights * np.nan_to_num(values)).sum(axis=1) / np.where(mass > 0, mass, np.nan)

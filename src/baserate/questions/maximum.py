"""The mean of the best of several linear functions of a table, as who may still choose has it.

Given the positives and one of tp and fp, each function is a line in the other count. Where lines
cross parts that count's law into stretches, each with one best line, and cumulative sums give the
mean over a stretch at once: the square of the cases instead of their cube.
"""

from functools import reduce
from itertools import combinations, pairwise
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from baserate._arrays import Array
from baserate._windows import DEPTH, Weighted
from baserate.errors import UnsupportedError
from baserate.models import Model
from baserate.models.factors import Factor, FixedCount, windows
from baserate.questions.question import Answer

# Stretches that are added up, and the nodes of a thinned sum.
_MANY, _NODES = 4_000_000, 500
# Values of one count that are laid out at a time.
_AT_A_TIME = 1 << 16
# The most values of one count that are listed, and of all that are listed for a thinned sum.
_WIDEST, _LONGEST = 1_000_000, 20_000_000
# Probabilities that do not matter, the second relative to the largest one, and the step of a
# thinned sum in standard deviations.
_NOTHING, _FADED, _STEP = 1e-19, 1e-16, 1 / 3
# Two thinned sums that differ by more, relative to the spread, are not believed.
_AGREE = 1e-4


def expect_maximum(worths: Array, model: Model, offsets: Any = 0.0) -> Answer:
    """Return the expected maximum of linear functions of the table.

    E[max over i of offset i + w[i, tp] tp + w[i, fn] fn + w[i, fp] fp + w[i, tn] tn]: what an
    option is worth on average to someone who sees the table before choosing one. The maximum of
    the means is what choosing beforehand is worth; it is never more. Raiffa and Schlaifer (1961),
    Applied Statistical Decision Theory, chapter 5.

    Where one function is at least as high at every table, it has its mean. Else all positives and
    one more count are summed over, exact up to rounding; of 10⁴ cases and more every few of them,
    and `error` says by how much two halves of the rule differ.
    """
    lines = _Lines.of(np.asarray(worths, dtype=float), np.asarray(offsets, dtype=float), model)
    first = lines.first_everywhere()
    if first is not None:
        return Answer(value=float(lines.at(*model.mean)[first]), route="closed form")
    if lines.n_places() <= _MANY:
        return Answer(value=_summed(lines, lines.strata()), route="threshold")
    if (found := _thinned(lines)) is None:
        raise UnsupportedError(
            f"The best of {len(lines.worths)} functions has {lines.n_places():,.0f} stretches of "
            f"tables to sum, and at most {_MANY:,} are: ask for fewer cases."
        )
    return found


class _Stratum(NamedTuple):
    """Tables with so many positives: the law of the count that lines are drawn over, and places.

    Places are the values of the other count, None where it follows from the first.
    """

    n_positive: float
    mass: float
    depth: float
    along: Factor
    places: Factor | None


class _Lines(NamedTuple):
    """Linear functions of tables under a model.

    `over` says which count they are lines in, 0 for tp and 1 for fp: the one of the wider law.
    """

    worths: Array
    offsets: Array
    model: Model
    over: int

    @classmethod
    def of(cls, worths: Array, offsets: Array, model: Model) -> "_Lines":
        """Say which count functions are lines in."""
        middle = round(float(model.mean.n_positive))
        wide = model.fixed_n_predicted is None and _length(model.true_positives(middle)) < _length(
            model.false_positives(model.n - middle)
        )
        return cls(worths, np.broadcast_to(offsets, (len(worths),)), model, int(wide))

    def at(self, tp: Any, fn: Any, fp: Any, tn: Any) -> Array:
        """Return all functions at tables, in the last axis."""
        cells = np.stack([np.asarray(cell, dtype=float) for cell in (tp, fn, fp, tn)], axis=-1)
        return cells @ self.worths.T + self.offsets

    def first_everywhere(self) -> int | None:
        """Return a function that is at least as high as the others at every table, if one is."""
        for i in range(len(self.worths)):
            lead = (self.worths[i] - self.worths).min(axis=1) * self.model.n
            if (lead + self.offsets[i] - self.offsets >= 0).all():
                return i
        return None

    def given(self, n_positive: int, mass: float, depth: float) -> _Stratum:
        """Return the stratum of so many positives."""
        tp = self.model.true_positives(n_positive)
        if self.model.fixed_n_predicted is not None:
            return _Stratum(n_positive, mass, depth, tp, None)
        fp = self.model.false_positives(self.model.n - n_positive)
        along, places = (fp, tp) if self.over else (tp, fp)
        return _Stratum(n_positive, mass, depth, along, places)

    def strata(self) -> list[_Stratum]:
        """Return all strata; the more improbable, the shorter windows have to be."""
        window = self.model.positives().window()
        depths = DEPTH + np.log(np.maximum(window.pmf, 1e-300) * len(window.pmf))
        rows = zip(window.values.tolist(), window.pmf.tolist(), depths.tolist(), strict=True)
        return [self.given(int(p), mass, depth) for p, mass, depth in rows if depth > 0]

    def n_places(self) -> float:
        """Return about how many places all strata have, and how wide their laws are."""
        low, high = self.model.positives().span()
        middle = self.given((low + high) // 2, 1.0, DEPTH)
        places = 1 if middle.places is None else _length(middle.places)
        return (high - low + 1) * (places + _length(middle.along))

    def slopes(self) -> Array:
        """Return how fast each function rises in the count that lines are drawn over."""
        tp, fn, fp, tn = self.worths.T
        if self.model.fixed_n_predicted is not None:
            return (tp - fn) - (fp - tn)
        return fp - tn if self.over else tp - fn

    def starts(self, n_positive: Array, place: Array) -> list[Array]:
        """Return each function where that count is 0; broadcasts."""
        n_negative = self.model.n - n_positive
        k = self.model.fixed_n_predicted
        zero = np.zeros_like(place)
        hits, alarms = (place, zero) if self.over else (zero, place if k is None else zero + k)
        cells = (hits, n_positive - hits, alarms, n_negative - alarms)
        return [
            c + sum(w * cell for w, cell in zip(row, cells, strict=True))
            for c, row in zip(self.offsets, self.worths, strict=True)
        ]


def _length(factor: Factor) -> int:
    low, high = factor.span()
    return high - low + 1


def _summed(lines: _Lines, strata: list[_Stratum], *, thin: int | None = None) -> float:
    """Sum over the strata, some at a time; `thin` says which half of a rule for places to take."""
    total, begin = 0.0, 0
    while begin < len(strata):
        step = max(1, _AT_A_TIME // _length(strata[begin].along))
        total += _block(lines, strata[begin : begin + step], thin)
        begin += step
    return total


def _block(lines: _Lines, strata: list[_Stratum], thin: int | None) -> float:
    depths = [s.depth for s in strata]
    laid = windows([s.along for s in strata], depths)
    start = laid.start[:, None].astype(float)
    mass, moment = np.zeros((2, len(strata), laid.pmf.shape[1] + 1))
    np.cumsum(laid.pmf, axis=1, out=mass[:, 1:])
    np.cumsum(laid.pmf * (start + np.arange(laid.pmf.shape[1])), axis=1, out=moment[:, 1:])
    places = _places([s.places or FixedCount(0) for s in strata], depths, thin)
    positives = np.array([[s.n_positive] for s in strata], dtype=float)
    mean = _mean_of_best(lines, positives, places.values, _Stretches(start, mass, moment))
    shares = np.array([s.mass for s in strata])
    return float(shares @ (mean * places.weights).sum(axis=1))


def _places(laws: list[Factor], depths: list[float], thin: int | None) -> Weighted:
    """Return values and weights of the other count, one row for each law, padded at weight 0."""
    if thin is not None:
        rules = [_rule(law, thin) for law in laws]
        size = max(len(rule.values) for rule in rules)
        values, weights = np.zeros((2, len(rules), size))
        for i, rule in enumerate(rules):
            values[i, : len(rule.values)], weights[i, : len(rule.values)] = rule
        return Weighted(values, weights)
    laid = windows(laws, depths)
    held = np.flatnonzero((laid.pmf > _NOTHING).any(axis=0))
    columns = slice(int(held[0]), int(held[-1]) + 1)
    values = laid.start[:, None] + np.arange(laid.pmf.shape[1], dtype=float)[columns]
    return Weighted(values, laid.pmf[:, columns])


class _Stretches(NamedTuple):
    """What lies before each place of some windows, one a row: probability, and first moment."""

    start: Array
    mass: Array
    moment: Array

    def up_to(self, ends: Any) -> tuple[Array, Array]:
        """Return both before these places, counted from the start of each window."""
        return (
            np.take_along_axis(self.mass, ends, axis=1),
            np.take_along_axis(self.moment, ends, axis=1),
        )


def _mean_of_best(lines: _Lines, positives: Array, places: Array, along: _Stretches) -> Array:
    """Return the mean of the best line at each place, stretch by stretch between crossings.

    Of parallel lines only the highest matters. Which line is best within a stretch is seen in its
    middle, so that rounding where lines cross concerns single values, at which they are equal.
    """
    slopes, last = lines.slopes(), along.mass.shape[1] - 1
    starts, steep = lines.starts(positives, places), np.unique(slopes)
    heights = [
        reduce(np.maximum, (h for h, d in zip(starts, slopes, strict=True) if d == slope))
        for slope in steep
    ]
    cuts = []
    for i, j in combinations(range(len(steep)), 2):
        cross = (heights[i] - heights[j]) / (steep[j] - steep[i]) - along.start
        cuts.append(np.clip(np.ceil(cross), 0, last).astype(np.intp))
    if len(cuts) > 1:
        cuts = list(np.sort(np.stack(cuts), axis=0))
    ends = [np.zeros(places.shape, np.intp), *cuts, np.full(places.shape, last, np.intp)]
    total, before = np.zeros(places.shape), along.up_to(ends[0])
    for left, right in pairwise(ends):
        after = along.up_to(right)
        height, slope = _best(heights, steep, along.start + (left + right - 1) / 2)
        total += height * (after[0] - before[0]) + slope * (after[1] - before[1])
        before = after
    return total


def _best(heights: list[Array], slopes: Array, here: Array) -> tuple[Array, Array]:
    """Return height and slope of the line that is highest here."""
    height, slope = heights[0], np.full(here.shape, slopes[0])
    worth = height + slopes[0] * here
    for other, steeper in zip(heights[1:], slopes[1:].tolist(), strict=True):
        value = other + steeper * here
        higher = value > worth
        worth = np.where(higher, value, worth)
        height, slope = np.where(higher, other, height), np.where(higher, steeper, slope)
    return height, slope


def _rule(law: Factor, which: int) -> Weighted:
    """Return every few values of a law that fades at both ends, from the first or the second on.

    A law that has not faded where its support ends is not thinned.
    """
    window = law.window()
    held = np.flatnonzero(window.pmf > _FADED * window.pmf.max())
    (low, high), (least, most) = held[[0, -1]], law.support
    step = int(sqrt(law.variance) * _STEP)
    inside = window.start + low > least and window.start + high < most
    if not inside or step < 2:
        return Weighted(window.values, window.pmf)
    first = low + which * step // 2
    values, weights = window.values[first : high + 1 : step], window.pmf[first : high + 1 : step]
    return Weighted(values, weights / weights.sum())


def _thinned(lines: _Lines) -> Answer | None:
    """Take every few positives and places; None if that is too long still, or two rules differ.

    The mean over the remaining count is smooth in them, but for where crossings lie between two of
    its values: that is what two rules differ by.
    """
    positives = lines.model.positives()
    if _length(positives) > _WIDEST:
        return None
    rules = [_rule(positives, which) for which in range(2)]
    if len(rules[0].values) > _NODES:
        return None
    middle = lines.given(int(rules[0].values[len(rules[0].values) // 2]), 1.0, DEPTH)
    wide = _length(middle.along) + (0 if middle.places is None else _length(middle.places))
    if wide > _WIDEST or len(rules[0].values) * wide > _LONGEST:
        return None
    values = []
    for which, rule in enumerate(rules):
        rows = zip(rule.values.tolist(), rule.weights.tolist(), strict=True)
        strata = [lines.given(int(p), weight, DEPTH) for p, weight in rows]
        values.append(_summed(lines, strata, thin=which))
    value, error = sum(values) / 2, abs(values[0] - values[1])
    scale = float(np.ptp(lines.worths, axis=0).max()) * sqrt(lines.model.n)
    return Answer(value=value, route="quadrature", error=error) if error <= _AGREE * scale else None

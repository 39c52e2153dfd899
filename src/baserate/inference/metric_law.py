"""The law of a metric under the posteriors of many tables at once.

The four cell shares are Dirichlet. Cut first into right and wrong, then the right cases into true
positives and negatives, and the wrong ones into false positives and negatives: the share A of right
cases, c = tp/(tp + tn) and e = fp/(fp + fn) are independent Beta variables. Whatever c and e are, a
metric that rises with recall and specificity rises with A, from its value where all is wrong to
its value where all is right. So P(metric <= s) = E[P(A <= a(c, e, s))] with a threshold a that
never leaves [0, 1]: the integrand is smooth, where a threshold in recall would have kinks. It is
summed by the trapezoidal rule in the normal scores of c and e, which converges like exp(-1/h²) for
laws of any shape, half a count included; a finer rule tells the error. Where a threshold does leave
[0, 1], at a place where few counts leave a kink, the law is not vouched for.

Weights may leave the base rate with a law of its own: then recall and the false positive rate come
from such shares, and the base rate is a third variable.
"""

from collections.abc import Callable, Iterator
from math import log, pi
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from baserate._arrays import Array, Index, Mask
from baserate._beta import betaincinv
from baserate.inference.beta import Law, Share, below_odds, shares_at
from baserate.inference.posterior import Evidence, is_dirichlet
from baserate.inference.roots import Secants, linear_ratio_step
from baserate.metrics import Metric

FIRST_LOOK: Array = 0.75 * np.arange(-4.0, 5.0)  # normal scores
BLOCK = 1 << 14  # nodes at a time: what a cache holds
TAIL = 1e-15
FAR = 1e-20  # times the odds of this tail: what holds there holds everywhere
CERTAIN = 1e-11  # weight of nodes without a threshold that may be neglected
SMOOTH = 7.0  # a count so large leaves no visible kink where a threshold leaves [0, 1]
EMPTY = 1.0  # counts of an empty cell and its half are fewer
KINK = 2.0  # one of a smaller count is left to a rule that looks for it
SHRINKS = 0.2  # of the step before: how steps shrink near a root
ROUNDING = 2e-15  # of values
TURNS = 80  # halving every other turn shrinks any bracket by then
LOOKS = 12  # to come close to an end
LOOKED_AT = np.array([0.001, *np.linspace(0.01, 0.99, 9), 0.999])  # probabilities
CLOSE = 1e-3  # on the normal scale: one linear step more is right to its square
FEWEST = 4  # nodes on either side of the middle one
FINER = 1.3  # times as many nodes
FASTER = 1.5  # times as many along one axis
MARGIN = 3  # times the difference that these make
REFINEMENTS = 8
MOST = 160  # nodes on either side
# Few enough sizes that many tables share one; a table has its own, whatever others it comes with.
SIZES = np.unique(np.ceil(np.geomspace(FEWEST, MOST, 17)).astype(np.intp))
BEYOND = 0.1  # of the accuracy: what may lie beyond the last node, on either side
MANY = 4000  # nodes, from which on a distribution function is cheaper otherwise


class AskedEnds(NamedTuple):
    """Ends that are asked for: the row and side of each, and the probability beyond it."""

    row: Index
    upper: Mask
    beyond: Array

    def take(self, at: Any) -> "AskedEnds":
        """Return some of them."""
        return AskedEnds(self.row[at], self.upper[at], self.beyond[at])


class MetricLaw:
    """Both tails of a metric under the posteriors of a batch of tables.

    `known` holds arrays of one axis. Rows in which a first look finds the metric neither rising nor
    falling with the share of right cases have `rising` 0, and no answers here.
    """

    def __init__(self, metric: Metric, known: Evidence) -> None:
        self.metric = metric
        laws: Any = known.laws
        base, (tp, fn), (fp, tn) = (tuple(map(np.atleast_1d, law)) for law in laws)
        self.inner: Law = tp + tn, fn + fp
        self.outer: list[Law] = [(tp, tn), (fp, fn)]
        needs_base = metric.depends_on_base_rate or not metric.scale_invariant
        if needs_base and not is_dirichlet(known):
            self.outer.append((base[0], base[1]))
        self.axes = len(self.outer)  # shares that are summed over
        self.n = np.atleast_1d(np.asarray(known.n, dtype=float))
        self.least = np.min([part for law in self.outer for part in law], axis=0)
        self._look()

    def value(self, odds: Array, shares: list[Share], n: Array) -> Array:
        """Return the metric at odds of A, at shares c, e (and the base rate)."""
        (c, d), (e, f), *base = shares
        cells = odds * c, f, e, odds * d
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if base:
                positive, negative = (
                    share / total
                    for share, total in zip(base[0], (cells[0] + f, cells[3] + e), strict=True)
                )
                cells = cells[0] * positive, f * positive, e * negative, cells[3] * negative
            if not self.metric.scale_invariant:
                scale = n if base else n / (1 + odds)
                cells = tuple(scale * cell for cell in cells)
            return np.asarray(self.metric.formula(*cells))

    def _look(self) -> None:
        """Evaluate the metric on a small grid: how it moves, and a first idea of its quantiles."""
        axes = [FIRST_LOOK] * 3 + [FIRST_LOOK[::2]] * (self.axes - 2)
        k, rows = len(axes), self.n.size
        x, rest = shares_at(self.inner, axes[0])
        shares = [
            (_along(x, i, k), _along(y, i, k))
            for i, (x, y) in enumerate(map(shares_at, self.outer, axes[1:]), 1)
        ]
        values = self.value(_along(x / rest, 0, k), shares, _along(self.n[:, None], 0, k))
        values = np.broadcast_to(values, (rows, *(axis.size for axis in axes)))
        flat = values.reshape(rows, -1)
        slack = 1e-13 * np.abs(flat).max(axis=1, keepdims=True)
        steps = np.diff(values, axis=1).reshape(rows, -1)
        up, down = (steps > slack).any(axis=1), (steps < -slack).any(axis=1)
        known = np.isfinite(flat).all(axis=1)
        self.rising = np.where(known, up.astype(float) - down, 0.0) * (up != down)
        weights = product_of([_normal(axis) for axis in axes])
        order = np.argsort(flat, axis=1)
        self.sorted = np.take_along_axis(flat, order, axis=1)
        mass = weights[order]
        self.mass = np.cumsum(mass, axis=1) - mass / 2
        score = np.empty_like(flat)
        np.put_along_axis(score, order, ndtri(np.clip(self.mass, 1e-9, 1 - 1e-9)), axis=1)
        self.sharpness = _sharpness(score.reshape(values.shape), axes)

    def guess(self, ends: AskedEnds, shift: float = 0.0) -> Array:
        """Return about where the ends are, shifted on the normal scale."""
        share = ndtr(np.where(ends.upper, -1, 1) * ndtri(ends.beyond) + shift)
        pairs = zip(share.tolist(), ends.row.tolist(), strict=True)
        return np.array([np.interp(p, self.mass[i], self.sorted[i]) for p, i in pairs])

    def halves(self, accuracy: float) -> Index:
        """Return how many nodes on either side of its middle one each axis needs, row by row."""
        step = pi * np.sqrt(2 / ((1 + self.sharpness**2) * log(1 / accuracy)))
        return SIZES[np.searchsorted(SIZES[:-1], _reach(accuracy) / step)]

    def limits(self, beyond: float, accuracy: float, needed: Any) -> tuple[Array, Array, Array]:
        """Return both ends of every row in a further axis, the error of each, and how it moves.

        The probability beyond each end is given, and so is the largest error of it that will do;
        how far the end moves is stated per unit of the normal scale. Where the accuracy is not
        reached, the law is not vouched for, or an end is not `needed`, it is nan.
        """
        size, k = self.n.size, 2
        row = np.repeat(np.arange(size), k)
        ends = AskedEnds(row, np.tile([False, True], size), np.full(size * k, beyond))
        value, error, slope = np.full((3, size * k), np.nan)
        needed = np.broadcast_to(needed, (size, k)).ravel()
        open_ = np.flatnonzero(needed & (self.rising[row] != 0))
        for at, halves in _alike(self.halves(accuracy)[:, row[open_]], open_):
            value[at], error[at], slope[at] = self._solve(ends.take(at), halves, accuracy)
        value[~(error <= accuracy)] = np.nan
        return value.reshape(size, k), error.reshape(size, k), slope.reshape(size, k)

    def _solve(
        self, ends: AskedEnds, halves: tuple[int, ...], accuracy: float
    ) -> tuple[Array, ...]:
        """Solve block by block, then let a finer rule correct the ends and tell their error."""
        size = max(1, BLOCK // int(np.prod([2 * half + 1 for half in halves])))
        found = [
            self._search(ends.take(slice(i, i + size)), halves, accuracy)
            for i in range(0, ends.row.size, size)
        ]
        value, slope = (np.concatenate(column) for column in zip(*found, strict=True))
        error, at = np.full(value.size, np.inf), np.flatnonzero(np.isfinite(value))
        before = np.ones(value.size)
        for _ in range(REFINEMENTS if at.size else 0):
            halves = tuple(int(np.ceil(half * FINER)) for half in halves)
            share, order = self.tail(ends.take(at), value[at], halves, accuracy)
            off = MARGIN * np.abs(share - ends.beyond[at])
            # Beside a kink, or where a cell is empty, one difference may be small by accident.
            empty = self.least[ends.row[at]] < EMPTY
            kept = np.where(order < SMOOTH, 1 / 2, np.where(empty, 1 / 4, 0.0))
            error[at] = np.maximum(off, kept * before[at])
            error[at[order < KINK]] = np.inf
            before[at] = off
            sign = np.where(ends.upper[at], -1.0, 1.0)
            value[at] -= sign * (_score(share) - ndtri(ends.beyond[at])) * slope[at]
            at = at[(order >= KINK) & ~(error[at] <= accuracy)]
            if not at.size:
                break
        return value, error, slope

    def _search(
        self, ends: AskedEnds, halves: tuple[int, ...], accuracy: float
    ) -> tuple[Array, Array]:
        rule = _Rule(self, ends, halves, accuracy)
        steepness = (self.guess(ends, 0.3) - self.guess(ends, -0.3)) / 0.6
        search = Secants(self.guess(ends), steepness, self.metric.bounds)
        goal, sign = ndtri(ends.beyond), np.where(ends.upper, -1.0, 1.0)
        close = min(CLOSE, 2 * accuracy**0.5)
        for _ in range(LOOKS):
            search.learn(sign * (_score(rule.tail(search.x)) - goal), close)
            if search.done.all():
                break
        return np.where(search.done, search.x, np.nan), search.slope

    def cdf(self, s: Array, halves: tuple[int, ...], accuracy: float) -> tuple[Array, Array]:
        """P(metric <= s) in the first row for each s, and the order of its kinks."""
        row = np.zeros(s.size, dtype=np.intp)
        return self.tail(AskedEnds(row, row > 0, np.full(s.size, np.nan)), s, halves, accuracy)

    def tail(
        self, ends: AskedEnds, s: Array, halves: tuple[int, ...], accuracy: float
    ) -> tuple[Array, Array]:
        """Return P(metric <= s), or P(metric > s) of an upper end, and the order of its kinks."""
        size = max(1, BLOCK // int(np.prod([2 * half + 1 for half in halves])))
        found = []
        for part in (slice(i, i + size) for i in range(0, s.size, size)):
            rule = _Rule(self, ends.take(part), halves, accuracy)
            found.append((rule.tail(s[part]), rule.order(s[part])))
        share, order = (np.concatenate(column) for column in zip(*found, strict=True))
        return share, order


def distribution(
    metric: Metric, known: Evidence, accuracy: float
) -> tuple[Callable[[Array], Array], float] | None:
    """Return the distribution function of a metric of one table, and its error, or None.

    The error is how far a finer rule differs, at quantiles, times a margin.
    """
    law = MetricLaw(metric, known)
    if not law.rising[0]:
        return None
    looks = np.interp(LOOKED_AT, law.mass[0], law.sorted[0])
    halves, error = law.halves(accuracy)[:, 0].tolist(), np.full(law.axes, np.inf)
    at_coarse = law.cdf(looks, tuple(halves), accuracy)[0]
    while error.sum() > accuracy:
        for axis in np.flatnonzero(error > accuracy / (2 * error.size)).tolist():
            halves[axis] = int(np.ceil(halves[axis] * FASTER))
            if np.prod([2 * half + 1 for half in halves]) > MANY:
                return None
            at_finer, order = law.cdf(looks, tuple(halves), accuracy)
            if order.min() < KINK:
                return None
            error[axis] = MARGIN * float(np.abs(at_finer - at_coarse).max())
            at_coarse = at_finer
    return (lambda s: law.cdf(s, tuple(halves), accuracy)[0]), float(error.sum())


class _Rule:
    """Nodes for a block of ends, and the thresholds that were found there last."""

    def __init__(
        self, law: MetricLaw, ends: AskedEnds, halves: tuple[int, ...], accuracy: float
    ) -> None:
        self.law, rows = law, ends.row
        scores = [_reach(accuracy) * np.arange(-half, half + 1) / half for half in halves]
        self.shape = (rows.size, *(score.size for score in scores))
        self.weights = product_of([_normal(score) for score in scores])
        laws = [(a[rows], b[rows]) for a, b in law.outer]
        self.shares = [
            (self._flat(_along(x, i, len(scores))), self._flat(_along(y, i, len(scores))))
            for i, (x, y) in enumerate(map(shares_at, laws, scores))
        ]
        a, b = self.counts = tuple(part[rows] for part in law.inner)
        low, high = betaincinv(a, b, TAIL), betaincinv(b, a, TAIL)
        spread = np.minimum(1.0, np.sqrt(1 / a + 1 / b))
        self.near = self._spread(accuracy**0.5 * spread)
        self.n, self.sign = self._spread(law.n[rows]), self._spread(law.rising[rows])
        to_right = ends.upper == (law.rising[rows] > 0)
        self.to_right = self._spread(to_right)
        self.sides = np.where(to_right, b, a), np.where(to_right, a, b)
        self.accuracy = accuracy
        self.places = [
            self._spread(odds)
            for odds in (FAR * low / (1 - low), (1 - high) / high / FAR, a / b * (1 + spread / 7))
        ]
        self.values = [self._value(odds, slice(None)) for odds in self.places]

    def _flat(self, part: Array) -> Array:
        return np.broadcast_to(part, self.shape).reshape(-1)

    def _spread(self, part: Any) -> Any:
        return np.repeat(part, self.weights.size)

    def _value(self, odds: Array, at: Any) -> Array:
        shares = [(x[at], y[at]) for x, y in self.shares]
        return self.sign[at] * self.law.value(odds, shares, self.n[at])

    def tail(self, s: Array) -> Array:
        """P(metric <= s), or P(metric > s) of an upper end."""
        threshold = self._thresholds(self.sign * self._spread(s))
        odds = np.where(self.to_right, 1 / threshold, threshold).reshape(s.size, -1)
        return below_odds(self.sides, odds, self.accuracy) @ self.weights

    def order(self, s: Array) -> Array:
        """Return of how many counts the kinks are where a threshold lacks; inf without any."""
        level = self.sign * self._spread(s)
        orders = np.full(self.shape[0], np.inf)
        for beyond, count in zip(
            (self.values[0] >= level, self.values[1] <= level), self.counts, strict=True
        ):
            weight = np.where(beyond, 1.0, 0.0).reshape(self.shape[0], -1) @ self.weights
            orders = np.where(weight > CERTAIN, np.minimum(orders, count), orders)
        return orders

    def _thresholds(self, level: Array) -> Array:
        """Return the odds of A at which the metric is at its level; start from the last ones."""
        left, right, third = self.places
        y_left, y_right, y = (value - level for value in self.values)
        answer = np.where(y_left >= 0, left, right)
        nothing = ROUNDING * (np.abs(level) + np.minimum(np.abs(y_left), np.abs(y_right)))
        keep = (y_left < 0) & (y_right > 0)
        self.values[2] = np.where(keep, level, np.where(y_left >= 0, *self.values[:2]))
        at: Any = slice(None)
        near, guess, step = self.near, third, np.zeros_like(third)
        whole = True
        for turn in range(TURNS):
            below, hit = y < 0, np.abs(y) <= nothing
            first = np.where(below, guess, left), np.where(below, y, y_left)
            second = np.where(below, right, guess), np.where(below, y_right, y)
            third = np.where(below, left, right), np.where(below, y_left, y_right)
            (left, y_left), (right, y_right) = first, second
            last, before = guess, step
            guess = linear_ratio_step(left, y_left, right, y_right, *third)
            astray = np.isnan(guess) | (turn > 8 and turn % 2 == 1)
            if astray.any():
                guess = np.where(astray, np.sqrt(left) * np.sqrt(right), guess)
            guess = np.where(hit, last, guess)
            step = np.abs(guess - last)
            short = (step <= near * guess) & (step <= SHRINKS * before)
            done = keep & (short | hit)
            if whole:
                answer[done] = guess[done]
            else:
                answer[at[done]] = guess[done]
            keep = keep & ~done
            open_ = np.count_nonzero(keep)
            if not open_:
                break
            if open_ < 0.6 * keep.size:
                at = np.flatnonzero(keep) if whole else at[keep]
                whole = False
                left, y_left, right, y_right, guess, step, near, level, nothing = (
                    part[keep]
                    for part in (left, y_left, right, y_right, guess, step, near, level, nothing)
                )
                keep = keep[keep]
            y = self._value(guess, at) - level
        self.places[2] = answer
        return answer


def _alike(halves: Index, at: Index) -> Iterator[tuple[Index, tuple[int, ...]]]:
    """Yield which columns share their numbers of nodes, and these."""
    kinds, which = np.unique(halves, axis=1, return_inverse=True)
    for i, kind in enumerate(kinds.T.tolist()):
        yield at[np.flatnonzero(which.ravel() == i)], tuple(kind)


def _sharpness(score: Array, axes: list[Array]) -> Array:
    """Return how steeply normal scores move along each outer axis, relative to the inner one."""
    middle = [axis.size // 2 for axis in axes]
    steepest = []
    for i, axis in enumerate(axes):
        line = score[(slice(None), *(slice(None) if j == i else m for j, m in enumerate(middle)))]
        steepest.append(np.abs(np.diff(line, axis=1)).max(axis=1) / (axis[1] - axis[0]))
    return np.array(steepest[1:]) / np.maximum(steepest[0], 1e-9)


def _score(share: Array) -> Array:
    """Return normal scores, finite ones even where rounding leads out of [0, 1]."""
    return ndtri(np.clip(share, 1e-300, 1 - 1e-16))


def _reach(accuracy: float) -> float:
    """Return the normal score beyond which little enough lies."""
    return -float(ndtri(BEYOND * accuracy))


def _normal(score: Array) -> Array:
    density = np.exp(-score * score / 2)
    return density / density.sum()


def product_of(weights: list[Array]) -> Array:
    """Return the products of one weight of each rule, the last rule innermost."""
    total = np.ones(1)
    for one in weights:
        total = np.multiply.outer(total, one).ravel()
    return total


def _along(values: Array, axis: int, axes: int) -> Array:
    """Give rows of values their own axis among several."""
    shape = [values.shape[0], *([1] * axes)]
    shape[axis + 1] = values.shape[1]
    return values.reshape(shape)

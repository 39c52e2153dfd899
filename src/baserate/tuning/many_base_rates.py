"""The survey of a metric's stationary points at many base rates, which share all they can.

The rates of the rules do not depend on the base rate, so one grid of them serves all. Along it the
sign of q - δ is needed. Where complex steps see it, it costs next to nothing; where the formula
saturates it takes fifty digits, and those are spent at few base rates: the quotient q of every
metric here moves one way with the base rate (it is linear-fractional in it, for all of the
catalogue), so that a sign which is the same at two base rates holds between them. Whether it does
move one way is looked at on the grid; where it does not, each base rate is surveyed by itself.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array, Mask
from baserate.curves.populations import Population, Rates, rates_at
from baserate.tuning.derivatives import Differentiable, complex_slopes, is_saturated, value_of
from baserate.tuning.stationary_points import (
    RatioRule,
    Ratios,
    RatioScan,
    RuleEnd,
    Survey,
    end_of,
    excess_of,
    root_between,
    survey,
)

Signs = NDArray[np.int8]
Columns = NDArray[np.intp]

_NEAR = 1e-4  # an excess that complex steps may give the wrong sign
_WOBBLE = 1e-5  # of log q from one base rate to the next: rounding, not a change of direction
_INNER = 10  # rules next to an end, which tell whether the quotient has settled
_STEPS, _STILL = 20, 1e-13  # of the secant method, in log δ


def surveys(
    target: Differentiable, population: Population, grid: Ratios, base_rates: Sequence[float]
) -> list[Survey]:
    """Return what `survey` does at each of these base rates."""
    rising = np.argsort(base_rates, kind="stable")
    targets = [replace(target, base_rate=float(base_rates[i])) for i in rising]
    signs = _signs(targets, grid)
    if signs is None:
        found = [survey(one, population, grid) for one in targets]
    else:
        found = _surveys(targets, population, grid, signs)
    return [found[row] for row in np.argsort(rising)]


def _signs(targets: list[Differentiable], grid: Ratios) -> Signs | None:
    """Return the sign of the excess, base rates in rows; 0 where unknown, None if it is no help."""
    first = targets[0]
    if not (first.analytic and first.has_digits) or grid.below or grid.above:
        return None
    shape = len(targets), grid.x.size
    pi = np.repeat(_base_rates(targets), shape[1])
    rates = Rates(*(np.tile(rate, shape[0]) for rate in grid.rates))
    slopes = complex_slopes(first.metric, rates, pi)
    excess = excess_of(slopes, np.tile(grid.x, shape[0])).reshape(shape)
    lost = is_saturated(slopes, rates).reshape(shape) | ~np.isfinite(excess)
    if not _one_way(excess, lost):
        return None
    signs = np.where(excess >= 0, 1, -1).astype(np.int8)
    near = ~lost & (np.abs(np.where(lost, 0, excess)) < _NEAR)
    for row in np.flatnonzero(near.any(axis=1)):
        signs[row, near[row]] = _exact_signs(targets[row], grid, np.flatnonzero(near[row]))
    _settle(signs, lost, lambda row, columns: _exact_signs(targets[row], grid, columns))
    return signs if signs.any(axis=1).all() else None


def _base_rates(targets: list[Differentiable]) -> Array:
    return np.array([one.base_rate for one in targets], dtype=np.float64)


def _one_way(excess: Array, lost: Mask) -> bool:
    """Whether the quotient only rises, or only falls, with the base rate at every rule."""
    steps = np.diff(np.where(lost, np.nan, excess), axis=0)
    known = np.nan_to_num(steps)
    return bool(((known >= -_WOBBLE).all(axis=0) | (known <= _WOBBLE).all(axis=0)).all())


def _exact_signs(target: Differentiable, grid: Ratios, columns: Columns) -> Signs:
    rates = Rates(*(rate[columns] for rate in grid.rates))
    excess = excess_of(target.exact(rates), grid.x[columns])
    return np.where(np.isnan(excess), 0, np.where(excess >= 0, 1, -1)).astype(np.int8)


def _settle(signs: Signs, lost: Mask, exact: Callable[[int, Columns], Signs]) -> None:
    """Fill in lost signs: a column whose sign agrees at two base rates has it between them."""

    def look(row: int, columns: Columns) -> None:
        columns = columns[lost[row, columns]]
        signs[row, columns] = exact(row, columns)

    last = len(signs) - 1
    columns = np.flatnonzero(lost.any(axis=0))
    for row in {0, last}:
        look(row, columns)
    pending = [(0, last, columns)]
    while pending:
        low, high, columns = pending.pop()
        inner = slice(low + 1, high)
        agree = signs[low, columns] == signs[high, columns]
        for column in columns[agree]:
            signs[inner, column][lost[inner, column]] = signs[low, column]
        rest = columns[~agree]
        if rest.size and high - low > 1:
            middle = (low + high) // 2
            look(middle, rest)
            pending += [(low, middle, rest), (middle, high, rest)]


@dataclass(frozen=True, slots=True)
class _Brackets:
    """Neighbouring rules between which the sign changes: at which base rate, and which way."""

    row: Columns
    low: Columns
    high: Columns
    change: Columns

    @classmethod
    def of(cls, signs: Signs) -> "_Brackets":
        parts: list[Columns] = []
        for row, line in enumerate(signs):
            known = np.flatnonzero(line)
            steps = np.diff(line[known])
            at = np.flatnonzero(steps)
            parts.append(np.stack([np.full(at.shape, row), known[at], known[at + 1], steps[at]]))
        return cls(*np.concatenate(parts, axis=1))


def _surveys(
    targets: list[Differentiable], population: Population, grid: Ratios, signs: Signs
) -> list[Survey]:
    brackets = _Brackets.of(signs)
    rules = _rules(targets, population, grid, brackets)
    of_row = [np.flatnonzero(brackets.row == row) for row in range(len(targets))]
    return [
        Survey(
            maxima=tuple(rules[k] for k in mine if brackets.change[k] < 0),
            minima=tuple(rules[k] for k in mine if brackets.change[k] > 0),
            everything=_end(target, population, grid, line, upper=False),
            nothing=_end(target, population, grid, line, upper=True),
        )
        for target, line, mine in zip(targets, signs, of_row, strict=True)
    ]


def _end(
    target: Differentiable, population: Population, grid: Ratios, signs: Signs, *, upper: bool
) -> RuleEnd:
    """Look beyond an end toward which the metric rises, with all digits."""
    known = np.flatnonzero(signs)
    if not known.size or (signs[known[-1 if upper else 0]] > 0) != upper:
        return RuleEnd(rising=False, value=np.nan, best=None)
    inner = known[-_INNER:] if upper else known[:_INNER]
    slopes = target.exact(Rates(*(rate[inner] for rate in grid.rates)))
    x = grid.x[inner]
    return end_of(
        target, population, grid, RatioScan(x, excess_of(slopes, x), slopes.value), upper=upper
    )


def _rules(
    targets: list[Differentiable], population: Population, grid: Ratios, brackets: _Brackets
) -> list[RatioRule]:
    """Return the rule with q = δ in every bracket."""
    pi = _base_rates(targets)[brackets.row]
    if not pi.size:
        return []
    x, rates, solved = _solved(replace(targets[0], base_rate=pi), population, grid, brackets)
    values = value_of(targets[0].metric, rates, pi)
    found = [
        RatioRule(float(ratio), Rates(*(rate[[k]] for rate in rates)), float(value))
        for k, (ratio, value) in enumerate(zip(np.exp(x), values, strict=True))
    ]
    for k in np.flatnonzero(~solved):
        ends = (float(grid.x[side[k]]) for side in (brackets.low, brackets.high))
        found[k] = root_between(targets[brackets.row[k]], population, *ends)
    return found


def _solved(
    target: Differentiable, population: Population, grid: Ratios, brackets: _Brackets
) -> tuple[Array, Rates, Mask]:
    """Return log δ and the rates for each bracket, by secants, and where these came to rest."""
    pi, rates = np.asarray(target.base_rate), np.empty((4, brackets.row.size))

    def excess(x: Array, which: Columns) -> Array:
        return excess_of(replace(target, base_rate=pi[which]).exact(Rates(*rates[:, which])), x)

    low, high, left = grid.x[brackets.low], grid.x[brackets.high], np.arange(pi.size)
    # Of each bracket: the last point but one and the last, and the excess at both.
    last = np.empty((4, pi.size))
    for side, columns in enumerate((brackets.low, brackets.high)):
        rates[:] = np.stack(grid.rates)[:, columns]
        last[side], last[side + 2] = grid.x[columns], excess(grid.x[columns], left)
    way = np.sign(last[2])
    for _ in range(_STEPS):
        x = _next(last[:, left], low[left], high[left])
        rates[:, left] = rates_at(population, np.exp(x))
        gap, e = np.abs(x - last[1, left]), excess(x, left)
        below = np.sign(e) == way[left]
        low[left[below]], high[left[~below]] = x[below], x[~below]
        last[:, left] = last[1, left], x, last[3, left], e
        left = left[(gap > _STILL * np.maximum(1, np.abs(x))) & (e != 0)]
        if not left.size:
            break
    return last[1], Rates(*rates), ~np.isin(np.arange(pi.size), left)


def _next(last: Array, low: Array, high: Array) -> Array:
    """Follow the secant through the last two points; halve the bracket where it leads outside."""
    before, after, e_before, e_after = last
    with np.errstate(all="ignore"):
        x = after - e_after * (after - before) / (e_after - e_before)
    return np.where((x >= low) & (x <= high), x, (low + high) / 2)

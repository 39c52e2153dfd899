"""Where a number parts lines of tables: proved by two neighbours, found from a guess or by halving.

On each line the metric is defined at consecutive positions and moves one way. So a number x parts
it into positions before x, positions equal to it, and positions past it.
"""

from dataclasses import dataclass, replace

import numpy as np

from baserate._windows import Array
from baserate.questions._lines import Lines, Mask
from baserate.questions._ties import Cut


def split(lines: Lines, cut: Cut, guess: Array | None = None) -> tuple[Array, Array]:
    """Return for each line the first position that is not before x, and the first past it."""
    past, tied = _first(lines, cut, guess)
    if not tied.any():
        return past, past
    low, which = past.copy(), np.flatnonzero(tied)
    some = replace(lines[which], stop=past[which])
    low[which], _ = _first(some, cut, some.stop - 1, ties=True)
    return low, past


def roots(lines: Lines, cut: Cut) -> Array:
    """Return about where the metric crosses x, as numbers between whole positions."""
    found, _ = _first(lines, cut, None)
    which = np.flatnonzero((found > lines.start) & (found < lines.stop))
    some, end = lines[which], found[which]
    low, high = some.values(end - 1), some.values(end)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (float(cut.x) - low) / (high - low)
    found[which] += np.clip(np.nan_to_num(share, nan=1.0), 0, 1) - 1
    return found


def _first(
    lines: Lines, cut: Cut, guess: Array | None, *, ties: bool = False
) -> tuple[Array, Mask]:
    """Return the first position past x, and whether x itself comes just before it.

    With `ties`, the first position that is not before x.
    """
    if guess is None:
        found, tied = lines.start.copy(), np.zeros(lines.start.shape, dtype=bool)
        wrong = lines.start < lines.stop
    else:
        found, tied, wrong = _checked(lines, cut, guess, ties=ties)
    which = np.flatnonzero(wrong)
    if which.size:
        known = None if guess is None else found[which]
        search = _Search.of(lines[which], known)
        found[which], tied[which] = search.run(cut, ties=ties)
    return found, tied


def _checked(lines: Lines, cut: Cut, guess: Array, *, ties: bool) -> tuple[Array, Mask, Mask]:
    """Return guesses within the lines, whether x comes just before, and which are wrong."""
    guess = np.minimum(np.maximum(guess, lines.start), lines.stop)
    _, reached = _sides(lines, cut, guess, ties=ties)
    before, over = _sides(lines, cut, guess - 1, ties=ties)
    inner = guess > lines.start
    wrong = (inner & over) | ~(reached | (guess >= lines.stop))
    return guess, inner & ~before & ~wrong, wrong


def _sides(lines: Lines, cut: Cut, t: Array, *, ties: bool) -> tuple[Mask, Mask]:
    """Return what lies before x, and what lies past it (with `ties`: is not before it)."""
    before, past = lines.sides(cut, t)
    return (before, ~before) if ties else (before, past)


@dataclass(slots=True)
class _Search:
    """Lines that are not empty, between bounds: step away from a guess, doubling, then halve."""

    lines: Lines
    low: Array
    high: Array
    probe: Array
    step: Array
    last: Mask
    tied: Mask

    @classmethod
    def of(cls, lines: Lines, guess: Array | None) -> "_Search":
        low, high = lines.start, lines.stop
        probe = np.floor((low + high) / 2) if guess is None else np.minimum(guess, high - 1)
        # Before the first step there is no last one to turn back from.
        step = np.full(low.shape, np.inf if guess is None else 0.5)
        last, tied = np.zeros((2, *low.shape), dtype=bool)
        return cls(lines, low, high, probe, step, last, tied)

    def run(self, cut: Cut, *, ties: bool) -> tuple[Array, Mask]:
        """Return the first position past x, and whether x comes just before."""
        found, tied = np.empty_like(self.low), np.zeros(self.low.shape, dtype=bool)
        where = np.arange(len(found))
        while where.size:
            self._look(cut, ties=ties)
            done = self.low >= self.high
            if done.any():
                found[where[done]], tied[where[done]] = self.low[done], self.tied[done]
                where = where[~done]
                self._keep(~done)
            self._aim()
        return found, tied

    def _look(self, cut: Cut, *, ties: bool) -> None:
        """Narrow the bounds by what lies at the probes."""
        before, over = _sides(self.lines, cut, self.probe, ties=ties)
        self.low = np.where(over, self.low, self.probe + 1)
        self.high = np.where(over, self.probe, self.high)
        self.tied = np.where(over, self.tied, ~before)
        turned = (self.step >= 1) & (self.last != over)
        self.step = np.where(turned, np.inf, 2 * self.step)
        self.last = over

    def _keep(self, which: Mask) -> None:
        self.lines = self.lines[which]
        self.low, self.high, self.step = self.low[which], self.high[which], self.step[which]
        self.last, self.tied = self.last[which], self.tied[which]

    def _aim(self) -> None:
        down = np.maximum(self.low, self.high - self.step)
        up = np.minimum(self.high, self.low + self.step) - 1
        middle = np.floor((self.low + self.high) / 2)
        self.probe = np.where(np.isinf(self.step), middle, np.where(self.last, down, up))

"""The upper envelope of straight lines, exactly: where each of several linear values is largest."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple


class Line(NamedTuple):
    """A linear function."""

    slope: Fraction
    zero: Fraction  # value at zero

    def at(self, x: Fraction) -> Fraction:
        """Return the value at x."""
        return self.zero + self.slope * x


class Span(NamedTuple):
    """A closed interval, perhaps of one point."""

    low: Fraction
    high: Fraction


@dataclass(frozen=True, slots=True)
class UpperEnvelope:
    """The maximum of lines over an interval, as pieces from left to right.

    `top` are the lines that are largest on a piece of positive length, `starts` where each takes
    over. Lines are sorted by slope, so that each one either hides its predecessors or follows them.

    Examples
    --------
    >>> lines = [Line(Fraction(1), Fraction(0)), Line(Fraction(-1), Fraction(1))]
    >>> [(float(start), line.slope) for start, line in UpperEnvelope.of(lines).pieces]
    [(0.0, Fraction(-1, 1)), (0.5, Fraction(1, 1))]
    """

    top: tuple[Line, ...]
    starts: tuple[Fraction, ...]
    high: Fraction

    @classmethod
    def of(
        cls, lines: Sequence[Line], low: Fraction = Fraction(0), high: Fraction = Fraction(1)
    ) -> "UpperEnvelope":
        """Return the envelope of one line or more."""
        highest = {line.slope: line for line in sorted(lines)}  # the highest of parallel ones
        top, starts = list[Line](), list[Fraction]()
        for line in highest.values():
            while top and (start := _crossing(top[-1], line)) <= starts[-1]:
                top.pop()
                starts.pop()
            start = _crossing(top[-1], line) if top else low
            if start < high:
                top.append(line)
                starts.append(start)
        return cls(tuple(top), tuple(starts), high)

    @property
    def pieces(self) -> list[tuple[Fraction, Line]]:
        """Where each of the largest lines takes over."""
        return list(zip(self.starts, self.top, strict=True))

    def span(self, line: Line) -> Span | None:
        """Return where no line is larger than this one, which was among them; None if nowhere.

        A line that only touches the envelope does so where slopes pass its own.
        """
        ends = (*self.starts, self.high)
        place = bisect_left(self.top, line.slope, key=lambda other: other.slope)
        if place < len(self.top) and self.top[place] == line:
            return Span(ends[place], ends[place + 1])
        x, neighbour = ends[place], self.top[min(place, len(self.top) - 1)]
        return Span(x, x) if line.at(x) == neighbour.at(x) else None


def _crossing(flat: Line, steep: Line) -> Fraction:
    return (flat.zero - steep.zero) / (steep.slope - flat.slope)

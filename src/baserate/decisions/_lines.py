"""The upper envelope of straight lines, exactly: where each of several linear values is largest."""

from collections.abc import Sequence
from fractions import Fraction

Line = tuple[Fraction, Fraction]  # value at zero, slope
Piece = tuple[Fraction, Fraction, tuple[int, ...]]  # from, to, the lines that are largest
Span = tuple[Fraction, Fraction]


def upper_envelope(lines: Sequence[Line], low: Fraction, high: Fraction) -> list[Piece]:
    """Return the linear pieces of the maximum from left to right, and whose they are.

    Examples
    --------
    >>> half = upper_envelope([(Fraction(0), Fraction(1)), (Fraction(1), Fraction(-1))],
    ...                       Fraction(0), Fraction(1))
    >>> [(float(a), float(b), best) for a, b, best in half]
    [(0.0, 0.5, (1,)), (0.5, 1.0, (0,))]
    """
    pieces, x = list[Piece](), low
    while True:
        start, slope = max(((b + m * x, m) for b, m in lines))
        zero = start - slope * x
        best = tuple(i for i, line in enumerate(lines) if line == (zero, slope))
        ends = [(zero - b) / (m - slope) for b, m in lines if m > slope]
        end = min([high, *ends])
        pieces.append((x, end, best))
        if end == high:
            return pieces
        x = end


def spans(lines: Sequence[Line], low: Fraction, high: Fraction) -> list[Span | None]:
    """Return, for each line, the closed interval on which none is larger; None if there is none.

    A line that only touches the envelope has an interval of one point.
    """
    pieces = upper_envelope(lines, low, high)
    ends = [low, *(end for _, end, _ in pieces)]
    tops = [max(b + m * x for b, m in lines) for x in ends]
    found = list[Span | None]()
    for b, m in lines:
        on = [x for x, top in zip(ends, tops, strict=True) if b + m * x == top]
        found.append((min(on), max(on)) if on else None)
    return found

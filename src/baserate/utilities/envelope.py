"""Which of several classifiers, or constant decisions, is best where: exact upper envelopes."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import nan
from typing import Any, Literal, NamedTuple

from baserate._checks import instance_of, number_in
from baserate._result import Result
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, InvalidCountError, UnsupportedError
from baserate.utilities.exact_yields import common_base_rate, exact, rates_by_name
from baserate.utilities.inputs import counts_of
from baserate.utilities.matrix import UtilityMatrix

ZERO, ONE = Fraction(0), Fraction(1)


class LinearFunction(NamedTuple):
    """A linear function."""

    slope: Fraction
    zero: Fraction  # value at zero

    def at(self, x: Fraction) -> Fraction:
        """Return the value at x."""
        return self.zero + self.slope * x


@dataclass(frozen=True, slots=True)
class UpperEnvelope:
    """The maximum of lines over an interval, as pieces from left to right.

    `top` are the lines that are largest on a piece of positive length, `starts` where each takes
    over. Lines are sorted by slope, so that each one either hides its predecessors or follows them.
    """

    top: tuple[LinearFunction, ...]
    starts: tuple[Fraction, ...]
    high: Fraction

    @classmethod
    def of(
        cls,
        lines: Sequence[LinearFunction],
        low: Fraction = Fraction(0),
        high: Fraction = Fraction(1),
    ) -> "UpperEnvelope":
        """Return the envelope of one line or more."""
        highest = {line.slope: line for line in sorted(lines)}  # the highest of parallel ones
        top, starts = list[LinearFunction](), list[Fraction]()
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
    def pieces(self) -> list[tuple[Fraction, LinearFunction]]:
        """Where each of the largest lines takes over."""
        return list(zip(self.starts, self.top, strict=True))

    def span(self, line: LinearFunction) -> tuple[float, float]:
        """Return where no line is larger than this one, which was among them; nan if nowhere.

        A closed interval, perhaps of one point, its ends rounded once. A line that only touches the
        envelope does so where slopes pass its own.
        """
        ends = (*self.starts, self.high)
        place = bisect_left(self.top, line.slope, key=lambda other: other.slope)
        if place < len(self.top) and self.top[place] == line:
            return float(ends[place]), float(ends[place + 1])
        x, neighbour = ends[place], self.top[min(place, len(self.top) - 1)]
        return (float(x), float(x)) if line.at(x) == neighbour.at(x) else (nan, nan)


def _crossing(flat: LinearFunction, steep: LinearFunction) -> Fraction:
    return (flat.zero - steep.zero) / (steep.slope - flat.slope)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece(Result):
    """An interval, and everything that is best throughout it (several: they are equal there)."""

    low: float
    high: float
    best: tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope(Result):
    """Who is best where, as one variable runs from 0 to 1; all else is held fixed.

    Attributes
    ----------
    variable : {"threshold", "base_rate"}
    pieces : tuple of Piece
        From left to right, without gaps.
    intervals : dict of name to (float, float)
        Where each is best, as one closed interval; (nan, nan) if nowhere. Ends are exact numbers
        rounded once.
    base_rate : float
        At which thresholds are compared; nan for the variable "base_rate".
    """

    variable: Literal["threshold", "base_rate"]
    pieces: tuple[Piece, ...]
    intervals: dict[Any, tuple[float, float]]
    base_rate: float

    @property
    def flips(self) -> tuple[float, ...]:
        """Where the best one changes."""
        return tuple(piece.low for piece in self.pieces[1:])

    @property
    def never_best(self) -> tuple[Any, ...]:
        """Those that something else beats everywhere."""
        return tuple(name for name, (low, _) in self.intervals.items() if low != low)  # noqa: PLR0124  nan

    def best_at(self, value: float) -> tuple[Any, ...]:
        """Return everything that is best at this threshold, or base rate, between 0 and 1.

        At a flip these are the best ones on either side.
        """
        x = number_in(self.variable, value, "[0, 1]", "pass a number between 0 and 1")
        found = [
            name for piece in self.pieces if piece.low <= x <= piece.high for name in piece.best
        ]
        return tuple(dict.fromkeys(found))


def best_by_threshold(
    tables: Mapping[Any, ConfusionMatrix], *, base_rate: float | None = None
) -> Envelope:
    """Return for which thresholds tau each classifier is best, at one base rate.

    tau stands for all 2x2 utilities: tau : 1 - tau is cost of a false alarm : benefit of a found
    positive. The two constant decisions compete as "always positive" and "always negative".

    Parameters
    ----------
    tables : mapping of name to ConfusionMatrix
        Single tables with both classes.
    base_rate : float, optional
        Share of positives where the classifiers will be used. Default: the one at which all were
        tested.

    Raises
    ------
    InvalidArgumentError
        Class shares differ and no base rate is stated; a table lacks a class or is a batch; a
        classifier has the name of a constant decision.

    References
    ----------
    Provost and Fawcett (2001), Machine Learning 42:203, doi:10.1023/A:1007601015854, ROC hulls.

    Examples
    --------
    >>> from baserate import ConfusionMatrix
    >>> from baserate.utilities import best_by_threshold
    >>> a = ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
    >>> b = ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)
    >>> found = best_by_threshold({"A": a, "B": b})
    >>> [(piece.best, round(piece.high, 4)) for piece in found.pieces]
    [(('always positive',), 0.1795), (('B',), 0.7049), (('always negative',), 1.0)]
    >>> found.never_best
    ('A',)
    """
    known, own = rates_by_name(tables)
    if not own and base_rate is None:
        rule, remedy = "must not be empty without a base rate", "pass classifiers"
        raise InvalidArgumentError.from_rule("tables", rule, {}, remedy)
    pi = common_base_rate(own, base_rate)
    lines = {name: _at_thresholds(r.recall, r.specificity, pi) for name, r in known.items()}
    constant = {
        "always positive": _at_thresholds(ONE, ZERO, pi),
        "always negative": _at_thresholds(ZERO, ONE, pi),
    }
    return _envelope("threshold", lines, constant, float(pi))


def best_by_base_rate(tables: Mapping[Any, Any], u: UtilityMatrix) -> Envelope:
    """Return for which base rates each classifier is best under given utilities.

    Recall and specificity stay what they are in the tables, so these may come from different test
    sets. The constant decisions compete as "always <decision>"; without tables they are alone.

    Parameters
    ----------
    tables : mapping of name to ConfusionMatrix, or to array of shape (n_decisions, 2)
        Single tables with both classes; arrays have decisions in rows.
    u : UtilityMatrix
        Of two classes and any number of decisions.

    Returns
    -------
    Envelope
        The base rate is the share of the positive class of `u`.

    Raises
    ------
    UnsupportedError
        There are more than two classes.
    InvalidArgumentError
        A table lacks a class or is a batch; a classifier has the name of a constant decision.

    Examples
    --------
    >>> from baserate import ConfusionMatrix, UtilityMatrix
    >>> from baserate.utilities import best_by_base_rate
    >>> u = UtilityMatrix([[15, -335], [-35, 165]])
    >>> a = ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
    >>> b = ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)
    >>> found = best_by_base_rate({"A": a, "B": b}, u)
    >>> [(piece.best, round(piece.high, 4)) for piece in found.pieces]
    [(('always 1',), 0.8072), (('B',), 0.9786), (('always 0',), 1.0)]
    """
    instance_of("tables", tables, Mapping, "pass {name: counts}")
    instance_of("u", u, UtilityMatrix, "pass UtilityMatrix([[...]])")
    matrix = u.one_matrix("best_by_base_rate")
    if u.n_classes != 2:
        raise UnsupportedError(
            f"best_by_base_rate needs two classes, got {u.n_classes}: a share of one class fixes "
            "the others only then; restate the tables and compare utility_yield."
        )
    values = [[exact(value) for value in row] for row in matrix.tolist()]
    lines = {name: _at_base_rates(name, table, u, values) for name, table in tables.items()}
    p = u.positive
    constant = {
        f"always {name}": LinearFunction(slope=row[p] - row[1 - p], zero=row[1 - p])
        for name, row in zip(u.decision_names, values, strict=True)
    }
    return _envelope("base_rate", lines, constant, nan)


def decision_intervals(u: UtilityMatrix) -> dict[Any, tuple[float, float]]:
    """Return where each decision is best, as a closed interval of p(positive); two classes.

    Any number of decisions, so defer and reject options too. (nan, nan) for a decision that is
    never best; an interval of one point where it only equals others.

    Examples
    --------
    >>> from baserate import UtilityMatrix
    >>> from baserate.utilities.envelope import decision_intervals
    >>> u = UtilityMatrix([[0, -50], [-20, 100], [-5, 40]], ["discard", "promote", "examine"],
    ...                   ["bad", "good"], positive=1)
    >>> {name: (round(a, 4), round(b, 4)) for name, (a, b) in decision_intervals(u).items()}
    {'discard': (0.0, 0.0526), 'promote': (0.2, 1.0), 'examine': (0.0526, 0.2)}
    """
    instance_of("u", u, UtilityMatrix, "pass UtilityMatrix([[...]])")
    if u.n_classes != 2:
        raise UnsupportedError(
            f"decision_intervals needs two classes, got {u.n_classes}: with more, decide on the "
            "probabilities that interest you."
        )
    matrix = u.one_matrix("decision_intervals")
    rest, best = matrix[:, 1 - u.positive].tolist(), matrix[:, u.positive].tolist()
    pairs = [(exact(low), exact(high)) for low, high in zip(rest, best, strict=True)]
    lines = [LinearFunction(slope=high - low, zero=low) for low, high in pairs]
    envelope = UpperEnvelope.of(lines)
    return dict(zip(u.decision_names, map(envelope.span, lines), strict=True))


def _at_thresholds(recall: Fraction, specificity: Fraction, pi: Fraction) -> LinearFunction:
    """Return (1 - tau) tp/n + tau tn/n as a line in tau."""
    found, spared = pi * recall, (1 - pi) * specificity
    return LinearFunction(slope=spared - found, zero=found)


def _at_base_rates(
    name: Any, table: Any, u: UtilityMatrix, values: list[list[Fraction]]
) -> LinearFunction:
    """Return the yield as a line in the share of the positive class."""
    counts = counts_of(u, table, u.matrix.shape)
    if counts.ndim != 2 or not counts.sum(axis=0).all():
        rule, remedy = "must be a single table with both classes", "collect cases of both"
        raise InvalidCountError.from_rule(str(name), rule, counts.tolist(), remedy)
    mean = list[Fraction]()
    for c in range(2):
        cells = [exact(cell) for cell in counts[:, c].tolist()]
        worth = sum((cell * row[c] for cell, row in zip(cells, values, strict=True)), ZERO)
        mean.append(worth / sum(cells))
    start, end = mean[1 - u.positive], mean[u.positive]
    return LinearFunction(slope=end - start, zero=start)


def _envelope(
    variable: Literal["threshold", "base_rate"],
    lines: dict[Any, LinearFunction],
    constant: dict[str, LinearFunction],
    base_rate: float,
) -> Envelope:
    if taken := set(lines) & set(constant):
        rule, remedy = "must not have the name of a constant decision", "rename its column or row"
        raise InvalidArgumentError.from_rule("a classifier", rule, min(taken), remedy)
    everything = {**lines, **constant}
    envelope = UpperEnvelope.of(list(everything.values()))
    names: dict[LinearFunction, tuple[Any, ...]] = {}
    for name, line in everything.items():
        names[line] = (*names.get(line, ()), name)
    ends = (*envelope.starts[1:], envelope.high)
    return Envelope(
        variable=variable,
        pieces=tuple(
            Piece(low=float(low), high=float(high), best=names[line])
            for (low, line), high in zip(envelope.pieces, ends, strict=True)
        ),
        intervals={name: envelope.span(line) for name, line in everything.items()},
        base_rate=base_rate,
    )

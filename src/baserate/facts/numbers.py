"""Numbers of a report: each record tells its own, and a report of which part of the cases they are.

Whatever gives numbers by name reads them here: ``r[name]``, contracts, frames and flat documents.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import isnan, nan
from typing import Any, ClassVar, NamedTuple, TypeVar

from baserate._result import Result, json_ready
from baserate.counts import ConfusionMatrix

Made = TypeVar("Made")

COUNTS = {
    "true_positives": "tp", "false_negatives": "fn", "false_positives": "fp",
    "true_negatives": "tn", "n": "n", "base_rate": "base_rate",
}  # fmt: skip


class Number(NamedTuple):
    """A number: its name, the record that holds it, and what it is called there."""

    name: str
    fact: "Telling | Sequence[Telling]"  # a sequence of one is deferred
    value: str = "value"
    ends: tuple[str, ...] = ("low", "high")
    turned: bool = False  # whether the record has it with the other sign
    level: float | None = None  # of its interval, if that is not the one of the report
    left_out: tuple[Mapping[str, Any], ...] = ()  # groups that are too small to have a part in it

    @property
    def record(self) -> "Telling":
        """The record, made if nobody has looked at it yet."""
        return self.fact[0] if isinstance(self.fact, Sequence) else self.fact

    @property
    def limits(self) -> tuple[float, float, float]:
        """The value, and both ends of its interval; nan where there is none."""
        fact = self.record
        value = float(getattr(fact, self.value))
        low, high = (getattr(fact, name) for name in self.ends) if self.ends else (nan, nan)
        if self.turned:
            value, low, high = -value, -high, -low
        return value + 0.0, low + 0.0, high + 0.0

    @property
    def sure(self) -> tuple[float, float] | None:
        """Limits that luck passes as seldom as they say, if its record has such beside others."""
        found = getattr(self.record, "sure", None)
        return (-found[1], -found[0]) if found and self.turned else found

    @property
    def reason(self) -> str | None:
        """Why it is undefined or has no interval."""
        told: list[str | None] = [getattr(self.record, name) for name in self.record.reasons]
        return next((why for why in told if why), None)

    @property
    def row(self) -> dict[str, Any]:
        """What a frame tells of what is no metric, as plain values."""
        name = COUNTS.get(self.name, self.name)
        ends = dict(zip(("value", "low", "high"), map(json_ready, self.limits), strict=True))
        return {**self.record.row(), "name": name, **ends}


class Telling(Result):
    """A record that tells numbers: of itself, and more that are asked for by name only.

    `of_table` says whether the interval is by the method that was asked for, `reasons` are the
    fields that say why there is no number or no interval.
    """

    __slots__ = ()
    of_table: ClassVar[bool] = False
    reasons: ClassVar[tuple[str, ...]] = ()
    name: str

    @property
    def numbers(self) -> Iterable[Number]:
        """What it is about."""
        return (Number(self.name, self),)

    @property
    def more(self) -> Iterable[Number]:
        """What was chosen on these cases, or is found only when it is looked at."""
        return ()

    def row(self) -> dict[str, Any]:
        """Return what a frame tells of it, as plain values."""
        return self.to_dict()


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateFact(Telling):
    """One measure of scores, or a count; nan where something is unknown."""

    reasons: ClassVar[tuple[str, ...]] = ("reason",)
    name: str
    value: float
    low: float = nan
    high: float = nan
    chance: float = nan
    perfect: float = nan
    skill: float = nan
    p_value: float = nan
    route: str | None = None
    p_value_route: str | None = None
    reason: str | None = None
    chance_reason: str | None = None
    p_value_reason: str | None = None
    bounds: tuple[float, float] | None = None

    def row(self) -> dict[str, Any]:
        """Return its fields; a p-value stands in a frame where it is of what chance gives."""
        return self.to_dict() | ({"p_value": None} if isnan(self.chance) else {})


class Part(NamedTuple):
    """All cases, a group, a class or a classifier: its labels by column, and what tells of it.

    Its `metrics` are the rows of a frame, its counts and `measures` follow; `others` are asked for
    by name only.
    """

    place: Mapping[str, Any]
    metrics: Iterable[Telling] = ()
    measures: Iterable[Telling] = ()
    others: Iterable[Number] = ()
    table: Any = None
    n: float | None = None

    @property
    def rows(self) -> Iterator[Number]:
        """The numbers of metrics."""
        return chain.from_iterable(fact.numbers for fact in self.metrics)

    @property
    def counts(self) -> Iterator[Number]:
        """The counts of two classes, and how many cases are positive."""
        if isinstance(self.table, ConfusionMatrix):
            for name, short in COUNTS.items():
                value = float(getattr(self.table, short))
                yield Number(name, EstimateFact(name=short, value=value))

    @property
    def beside(self) -> Iterator[Number]:
        """The counts, and the numbers of measures."""
        return chain(self.counts, chain.from_iterable(fact.numbers for fact in self.measures))

    @property
    def numbers(self) -> Iterator[Number]:
        """All numbers, one by one."""
        measures = numbers_of(self.measures)
        return chain(numbers_of(self.metrics), self.counts, measures, self.others)


def records(made: Callable[..., Made], **columns: Any) -> Iterator[Made]:
    """Yield a record for each place of columns of numbers, which are arrays or lists.

    Examples
    --------
    >>> from baserate.facts.numbers import records
    >>> import numpy as np
    >>> [*records(dict, low=np.array([0.1, 0.2]), high=[0.3, None])]
    [{'low': 0.1, 'high': 0.3}, {'low': 0.2, 'high': None}]
    """
    lists: list[Any] = [x if isinstance(x, list) else x.tolist() for x in columns.values()]
    return (made(**dict(zip(columns, row, strict=True))) for row in zip(*lists, strict=True))


def numbers_of(facts: Iterable[Telling]) -> Iterator[Number]:
    """Yield the numbers of records, and what goes with them."""
    return chain.from_iterable(chain(fact.numbers, fact.more) for fact in facts)

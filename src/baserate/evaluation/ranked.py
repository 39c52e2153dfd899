"""The rows of a comparison: every number of every classifier, beside that of the first."""

from collections.abc import Iterable, Sequence
from dataclasses import fields
from math import nan
from typing import Any

from baserate.evaluation.label_columns import LabelColumns
from baserate.evaluation.result import Reported
from baserate.facts.evaluation import MetricFact
from baserate.facts.numbers import Number, Part

COLUMNS = [one.name for one in fields(MetricFact) if not one.metadata]


class Ranked(Reported):
    """Classifiers side by side."""

    __slots__ = ()

    def _labels(self, parts: Any, rows: Any, columns: Iterable[str]) -> LabelColumns:
        """Return the columns of labels; rows of groups are those of the one classifier."""
        found = super()._labels(parts, rows, columns)
        return found._replace(whole={**found.whole, "classifier": self.facts.classifiers[0].name})

    def _firsts(self, parts: Sequence[Part]) -> list[tuple[Part, dict[str, Any]]]:
        """Return a row per classifier and metric, with how far it lies above that of the first."""
        first = {one.name for one in (self.facts.classifiers[0], *self.facts.scores[:1])}
        above = {
            (part.place["first"], number.name): number
            for part in parts
            if {*part.place} == {"first", "second"} and part.place["second"] in first
            for number in part.numbers
        }
        return [(part, _row(part, row, above)) for part, row in super()._firsts(parts)]


def _row(part: Part, row: dict[str, Any], above: dict[tuple[str, str], Number]) -> dict[str, Any]:
    name = row["name"].split(".at_base_rate", maxsplit=1)[0]
    found = above.get((part.place.get("classifier", ""), f"difference({name})"))
    gap, low, high = (nan, nan, nan) if found is None else found.limits
    fact = None if found is None else found.record
    return {key: row.get(key) for key in COLUMNS} | {
        "difference": gap,
        "difference_low": low,
        "difference_high": high,
        "p_difference": getattr(fact, "p_difference", getattr(fact, "p_value", nan)),
        "adjusted_p_difference": getattr(fact, "adjusted_p", nan),
    }

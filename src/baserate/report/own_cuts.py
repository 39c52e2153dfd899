"""Groups with a cut, or weights of classes, of their own beside what serves all cases."""

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from baserate import _figures as figures
from baserate.report.columns import Column, each, grid, within
from baserate.report.sheet import Grid
from baserate.report.words import GROUP_ROWS, and_joined, foremost, left_out

SLIGHT = 0.005  # of the value: two digits would not show such a gain


class Own(NamedTuple):
    """One group, and the best that it has of its own by one metric."""

    group: Any
    fact: Any

    @property
    def gain(self) -> float:
        """How much better than what serves all cases it is expected to be; nan if unknown."""
        gap = self.fact.corrected - self.fact.shared
        return gap if self.fact.direction == "higher" else -gap


def of_groups(groups: Iterable[tuple[Any, Iterable[Any]]], name: str) -> list[Own]:
    """Return what every group has of its own by the metric of this name."""
    return [Own(group, fact) for group, own in groups for fact in own if fact.name == name]


def most_helped(
    found: Sequence[Own], what: str, verb: str, told: Callable[[Any], str]
) -> tuple[str, ...]:
    """Say which group its own is expected to help most, if any; `told` has the values."""
    known = [one for one in found if one.gain > SLIGHT * abs(one.fact.shared)]
    if not known:
        return (f"No gain from {what} of its own is seen in any group.",) if found else ()
    best = max(known, key=attrgetter("gain"))
    picked = f", the most of {len(found)} groups, which flatters it" if len(found) > 1 else ""
    helped = f"{what} of its own {verb} expected to help {and_joined(best.group.group)}{picked}"
    return (f"{helped[0].upper()}{helped[1:]}: {told(best.fact)}.",)


def table(
    found: Sequence[Own],
    *columns: Column,
    title: str,
    names: Iterable[str],
    sizes: Sequence[Column],
    lacking: str,
    more: bool,
) -> Grid:
    """Show the largest groups; `columns` are of their facts, `more` metrics are in the JSON."""
    shown = foremost(found, GROUP_ROWS, lambda one: -one.group.n)
    heads = [*map(figures.label, names)]
    reasons = dict.fromkeys(one.fact.reason for one in shown if one.fact.reason)
    note = (
        *(f"No {lacking} of its own: {reason}." for reason in reasons),
        left_out(len(shown), len(found)),
        "Other metrics: in the JSON." if more else "",
    )
    return grid(
        title,
        shown,
        *each(heads, lambda one: one.group.group.values()),
        *sizes,
        *within(attrgetter("fact"), *columns),
        labels=len(heads),
        asked=True,
        note=" ".join(note).strip(),
    )

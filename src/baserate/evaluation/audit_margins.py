"""The margins of several group columns: the same cases in groups of one column at a time."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from baserate.cases.counted import Counted, Key
from baserate.cases.several_classes import ClassCounted
from baserate.cases.values import in_order
from baserate.evaluation.audit_samples import added, together

AnyCounted = TypeVar("AnyCounted", Counted, ClassCounted)


def by_column(counted: AnyCounted) -> Iterator[AnyCounted]:
    """Yield the same cases in the groups of each column alone, where these are others.

    They are not where a column has one label, nor where each of its labels has one group.
    """
    filled = [key for key, table in counted.groups.items() if table.n]
    for place, name in enumerate(counted.group_names):
        if 1 < len({key[place] for key in filled}) < len(filled):
            yield _margin(counted, place, name)


def _margin(counted: AnyCounted, place: int, name: str) -> AnyCounted:
    every: dict[Key, list[Key]] = {}
    for key in counted.groups:
        every.setdefault((key[place],), []).append(key)
    order = in_order(every)

    def joined(parts: Mapping[Key, Any], join: Callable[[Sequence[Any]], Any]) -> dict[Key, Any]:
        return {own: join([parts[key] for key in every[own]]) for own in order} if parts else {}

    return replace(
        counted,
        groups=joined(counted.groups, added),
        group_names=(name,),
        group_n=joined(counted.group_n, sum),
        group_squared=joined(counted.group_squared, added),
        group_designs=joined(counted.group_designs, together),
    )

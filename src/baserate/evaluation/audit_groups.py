"""The groups of an audit: which there are, what they are compared with, how large they are.

Of several columns also those of each alone, the margins, and cells that these do not explain.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import product
from math import isnan
from typing import Any, TypeVar

from baserate.cases.counted import Counted, Key
from baserate.cases.several_classes import ClassCounted
from baserate.cases.values import in_order
from baserate.counts import ConfusionMatrix
from baserate.errors import DataError, InvalidArgumentError, UnknownNameError, UnsupportedError
from baserate.errors import shown as shown_value
from baserate.evaluation.audit_samples import added, is_sampled, together
from baserate.evaluation.pooled_reference import as_range
from baserate.facts.audit import REFERENCES, BeyondFact
from baserate.groups import beyond_margins
from baserate.metrics import Metric
from baserate.report.audit_shown import SHOWN_GROUPS

LISTED = 8
MOST = 400  # cells: of more, columns are hardly sex and race
EMPTY = ConfusionMatrix(tp=0, fn=0, fp=0, tn=0)
AnyCounted = TypeVar("AnyCounted", Counted, ClassCounted)


def several_groups(counted: Counted | ClassCounted) -> Mapping[Key, Any]:
    """Return the groups, if there are at least two that can be told apart."""
    if not counted.group_names:
        raise DataError(
            "An audit needs groups: name at least one group column (groups=, --group); a file of "
            "counts needs a column with the names of its groups, or of several classes a file for "
            "each."
        )
    filled = [_in_words(key) for key, table in counted.groups.items() if table.n]
    if len(filled) < 2:
        found = f"only one has cases ({filled[0]})" if filled else "none has cases"
        raise DataError(f"An audit compares groups, and {found}: name another group column.")
    if not counted.weighted and any(table.is_weighted for table in counted.groups.values()):
        raise UnsupportedError(
            "The counts are weights, and sums alone do not say how many cases they rest on: pass "
            "the cases with their weights, or unweighted counts."
        )
    return counted.groups


def compared_with(reference: Any, groups: Mapping[Key, Any]) -> Key | None:
    """Return the group that the others are compared with, if it is one of them."""
    if isinstance(reference, str) and reference in REFERENCES:
        return None
    asked = reference if isinstance(reference, tuple) else (reference,)
    named = {_in_words(key): key for key in groups}
    found = asked if asked in groups else named.get(_in_words(asked))
    if found is not None:
        return found
    if meant := as_range(_in_words(asked), list(named)):
        rule = "must be a group, or a range of them"
        raise InvalidArgumentError.from_rule("reference", rule, reference, f"write {meant}")
    near = get_close_matches(_in_words(asked), named, n=1)
    shown = ", ".join(list(named)[:LISTED])
    remedy = f"It may be rest, overall or a group: {shown}"
    raise UnknownNameError.from_name("reference", str(reference), near, remedy)


def named(counted: Counted | ClassCounted, key: Any) -> dict[str, Any] | None:
    """Return the labels of a group by column."""
    return None if key is None else dict(zip(counted.group_names, key, strict=True))


def sizes_of(key: Key, counted: Counted | ClassCounted) -> dict[str, Any]:
    """Return how many cases a group's weights and clusters stand for."""
    sizes: dict[str, Any] = {}
    if is_sampled(counted):
        sizes["cases"] = counted.group_n[key]
    if counted.weighted:
        sizes["effective_n"] = counted.effective_n_of(key)
    if counted.design is not None and counted.design.of_clusters:
        sizes["n_clusters"] = int(counted.group_designs[key].tables.any(axis=1).sum())
    return sizes


def units_of(counted: Counted | ClassCounted) -> dict[str, int | None]:
    """Return how many clusters or replicates the design has; none without one."""
    if counted.design is None:
        return {}
    return counted.design.sizes


def _in_words(key: Key) -> str:
    try:
        return ", ".join(map(str, key))
    except ValueError:  # whole numbers of thousands of digits
        return ", ".join(map(shown_value, key))


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


def beyond_of(metrics: Sequence[Metric], counted: Counted) -> list[list[BeyondFact]]:
    """Return every tested cell beside what its margins say, those with one test together.

    Nothing but of two columns; of two labels either has the same test.
    """
    if len(counted.group_names) != 2 or is_sampled(counted):
        return []
    labels = [list(dict.fromkeys(key[k] for key in counted.groups)) for k in range(2)]
    shape = [len(column) for column in labels]
    if min(shape) < 2 or shape[0] * shape[1] > MOST:
        return []
    tables = {(i, j): counted.groups.get((i, j), EMPTY) for i, j in product(*labels)}
    ways: dict[Key, list[BeyondFact]] = {}
    for fact in _tested(metrics, tables, counted):
        apart = (x if n > 2 else None for x, n in zip(fact.group.values(), shape, strict=True))
        ways.setdefault((fact.name, *apart), []).append(fact)
    return [*ways.values()]


def _tested(
    metrics: Sequence[Metric], tables: dict[Any, ConfusionMatrix], counted: Counted
) -> Iterator[BeyondFact]:
    for metric in metrics:
        if metric.proportion is None:
            continue
        try:
            cells = beyond_margins(metric, tables).cells
        except UnsupportedError:  # too many cases to enumerate
            continue
        for cell in cells:
            if not isnan(cell.p_value):
                yield BeyondFact(
                    name=metric.name,
                    group=named(counted, cell.group) or {},
                    n=cell.n,
                    value=cell.value,
                    expected=cell.expected,
                    p_value=cell.p_value,
                )


def shown_first(surest: Sequence[Any], sizes: Sequence[float]) -> tuple[list[int], list[int]]:
    """Return the places of the groups that a page of very many shows, or more, and of the others.

    Those are the surest to differ, by a number that is smallest for them, and the largest.
    """
    places = range(len(sizes))
    first = {*sorted(places, key=surest.__getitem__)[:SHOWN_GROUPS]}
    first |= {*sorted(places, key=lambda place: -sizes[place])[:SHOWN_GROUPS]}
    return sorted(first), [place for place in places if place not in first]

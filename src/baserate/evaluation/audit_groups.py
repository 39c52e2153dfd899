"""The groups of an audit: which there are, what they are compared with, how large they are."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from baserate.cases.counted import Counted
from baserate.cases.several_classes import ClassCounted
from baserate.errors import DataError, InvalidArgumentError, UnknownNameError, UnsupportedError
from baserate.errors import shown as shown_value
from baserate.evaluation.audit_samples import is_sampled
from baserate.evaluation.pooled_reference import as_range

Key = tuple[Any, ...]
LISTED = 8


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
    if isinstance(reference, str) and reference in {"rest", "overall"}:
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
        sizes["effective_n"] = counted.group_effective_n[key]
    if counted.design is not None and counted.design.scale is None:
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

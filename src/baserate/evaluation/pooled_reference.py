"""A reference of several groups: a range such as "2026-01..2026-06" is compared with as one."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher, get_close_matches
from typing import Any

import numpy as np

from baserate.cases.counted import Counted, Key
from baserate.cases.labels import Grouping
from baserate.cases.several_classes import ClassCounted
from baserate.cases.two_classes import Sample
from baserate.errors import InvalidArgumentError, UnknownNameError
from baserate.evaluation.audit_samples import added

TO = ".."  # from the first group to the last one, in the order in which groups are shown
JOINED = re.compile(r"\.{2,3}|…|--?|–|—|:|\bto\b")  # as ranges are written elsewhere
NEAR = 0.75  # how alike an end and a label must be
LISTED = 8
REMEDY = "A range goes from one group to another: {}"


@dataclass(frozen=True, slots=True)
class PooledReference:
    """A range of groups that stand for the reference together.

    Examples
    --------
    >>> from baserate.evaluation.pooled_reference import PooledReference
    >>> PooledReference("b..c").of(("month",), [("a",), ("b",), ("c",), ("d",)])
    [('b',), ('c',)]
    """

    reference: Any

    def of(self, names: Sequence[str], keys: Sequence[Key]) -> list[Key]:
        """Return the groups that make up the reference; none where it is no range."""
        text = self.reference
        if not isinstance(text, str) or TO not in text or not names:
            return []
        labels = [", ".join(map(str, key)) for key in keys]
        if text in labels:
            return []
        if len(names) > 1:
            rule, remedy = "must be a range of one group column", "name one column, or one group"
            raise InvalidArgumentError.from_rule("reference", rule, text, remedy)
        ends = [end.strip() for end in text.split(TO, 1)]
        if unknown := [end for end in ends if end not in labels]:
            remedy = REMEDY.format(", ".join(labels[:LISTED]))
            if meant := as_range(text, labels):
                raise UnknownNameError.from_name("range of groups", text, [meant], remedy)
            raise UnknownNameError.from_name("group", unknown[0], labels, remedy)
        first, last = map(labels.index, ends)
        if first > last:
            rule, remedy = "must run upwards", f"write {ends[1]}{TO}{ends[0]}"
            raise InvalidArgumentError.from_rule("reference", rule, text, remedy)
        return [*keys[first : last + 1]]

    def cases(self, found: Sample) -> tuple[Any, dict[str, Any]]:
        """Return cases, of two classes or several, with these groups as one, and name the groups.

        The names are what reports are told; nothing where the reference is no range.
        """
        grouping = found.grouping
        pooled = [] if grouping is None else self.of(grouping.names, grouping.keys)
        if grouping is None or not pooled:
            return found, {}
        own = (self.reference,)
        keys = [own, *(key for key in grouping.keys if key not in pooled)]
        place = np.array([keys.index(own if k in pooled else k) for k in grouping.keys])
        together = Grouping(grouping.names, place[grouping.codes], (*keys,))
        return replace(found, grouping=together), _named(pooled)

    def tables(self, found: Counted | ClassCounted) -> tuple[Any, dict[str, Any]]:
        """Do the same with tables that were counted elsewhere."""
        pooled = self.of(found.group_names, list(found.groups))
        if not pooled:
            return found, {}
        tables, sizes = (_together(x, pooled) for x in (found.groups, found.group_n))
        own = {(self.reference,): added(tables[0])} | tables[1]
        size = {(self.reference,): sum(sizes[0])} | sizes[1] if found.group_n else {}
        return replace(found, groups=own, group_n=size), _named(pooled)


def as_range(text: str, labels: Sequence[str]) -> str | None:
    """Return how a range of two labels is written that was joined or spelled in another way.

    Examples
    --------
    >>> from baserate.evaluation.pooled_reference import as_range
    >>> as_range("2025-01-2025-06", ["2025-01", "2025-02", "2025-06"])
    '2025-01..2025-06'
    >>> as_range("2025-1..2025-6", ["2025-01", "2025-02", "2025-06"])
    '2025-01..2025-06'
    >>> as_range("2025-01..2025-02", ["2025-01-01", "2025-01-31", "2025-02-01", "2025-02-28"])
    '2025-01-01..2025-02-28'
    """
    alike = [k for k, label in enumerate(labels) if text and label.startswith(text)]
    if len(alike) > 1 and alike[-1] - alike[0] + 1 == len(alike):  # "2025", of its months
        return f"{labels[alike[0]]}{TO}{labels[alike[-1]]}"
    found = list[tuple[float, str]]()
    for joint in JOINED.finditer(text):
        ends = [text[: joint.start()].strip(), text[joint.end() :].strip()]
        near = [x for last, end in enumerate(ends) for x in _meant(end, labels, -last)]
        if len(near) == len(ends):
            pairs = zip(ends, near, strict=True)
            alike = sum(SequenceMatcher(None, end, label).ratio() for end, label in pairs)
            found.append((alike, TO.join(sorted(near, key=labels.index))))
    return max(found)[1] if found else None


def _meant(end: str, labels: Sequence[str], at: int) -> list[str]:
    """Return the label that an end of a range means: of those that begin with it the one `at`."""
    begin = [label for label in labels if end and label.startswith(end)]
    return [begin[at]] if begin else get_close_matches(end, labels, n=1, cutoff=NEAR)


def _together(parts: Mapping[Key, Any], pooled: Sequence[Key]) -> tuple[list[Any], dict[Key, Any]]:
    """Return the parts of these groups, and those of all others."""
    inside = [parts[key] for key in pooled if key in parts]
    return inside, {key: part for key, part in parts.items() if key not in pooled}


def _named(pooled: Sequence[Key]) -> dict[str, Any]:
    return {"pooled": tuple(str(label) for [label] in pooled)}

"""The one rule that says which classes there are."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate.cases.binary import check_sides
from baserate.cases.labels import Labels
from baserate.cases.values import NUMBERS, distinct, from_text, listed, plain_labels
from baserate.errors import LabelError

MOST = 5_000  # classes: their table takes 200 MB


class Classes(NamedTuple):
    """The classes, and which of them each code of each column is."""

    labels: tuple[Any, ...]
    places: list[NDArray[np.intp]]


def several_columns(
    columns: Sequence[Labels],
    names: Sequence[Any],
    labels: Sequence[Any] | None = None,
    *,
    decisions: Sequence[Any] | None = None,
    from_text: bool = False,
) -> Classes:
    """Find the classes in the truth, the first column, and in predictions.

    With `decisions`, which are no classes, predictions are placed among those; labels given keep
    their order, and one that no other column has is taken as meant.
    """
    _refuse_decided(columns, names)
    if decisions is not None:
        return _decided(columns, names, labels, decisions, from_text=from_text)
    every, found = labels_of_columns(columns, from_text=from_text)
    _refuse_many(every, names)
    if labels is None:
        for side, name in zip(found[1:], names[1:], strict=True):
            sides = [distinct(one.values()) for one in (found[0], side)]
            check_sides(*sides, target=str(names[0]), predicted=str(name))
        classes = every
    else:
        classes = _named(labels, every)
    if len(classes) < 2:
        also = ", and so do the predictions" if len(columns) > 1 else ""
        raise LabelError(
            f"{names[0]} holds one class only, {listed(classes)}{also}: pass cases of at least two "
            "classes, or name them all in labels."
        )
    place = {label: k for k, label in enumerate(classes)}
    sizes = [len(column.labels) for column in columns]
    return Classes(classes, [_places(*pair, place) for pair in zip(found, sizes, strict=True)])


def _decided(
    columns: Sequence[Labels],
    names: Sequence[Any],
    labels: Sequence[Any] | None,
    decisions: Sequence[Any],
    *,
    from_text: bool,
) -> Classes:
    """Find the classes in the truth alone, and the decisions in all other columns."""
    each = [labels_of_columns([column], from_text=from_text) for column in columns]
    every, read = each[0][0], [found[0] for _, found in each]
    classes = every if labels is None else _named(labels, every)
    if len(classes) < 2:
        rule, remedy = "must hold two classes or more", "pass cases of at least two classes"
        raise LabelError.from_rule(str(names[0]), rule, listed(classes), remedy)
    places = [{label: k for k, label in enumerate(classes)}]
    for side, name in zip(read[1:], names[1:], strict=True):
        place = {label: k for k, label in enumerate(decisions)}
        read_too = {_value(label): k for label, k in place.items()}
        strange = [x for x in distinct(side.values()) if x not in place and x not in read_too]
        if strange:
            rule, remedy = f"must hold decisions, {listed(decisions)}", "name them as there"
            raise LabelError.from_rule(str(name), rule, listed(strange), remedy)
        places.append(read_too | place)
    sizes = [len(column.labels) for column in columns]
    return Classes(classes, [_places(*x) for x in zip(read, sizes, places, strict=True)])


def labels_of_columns(
    columns: Sequence[Labels], *, from_text: bool = False
) -> tuple[tuple[Any, ...], list[dict[int, Any]]]:
    """Return the labels that occur in any column, in order, and those of each column by code."""
    found = [column.found() for column in columns]
    if from_text:
        found = values_of(found)
    return _plain(distinct(label for side in found for label in side.values())), found


def _named(labels: Sequence[Any], every: Sequence[Any]) -> tuple[Any, ...]:
    """Return the classes that were named, if they are all that occur."""
    names = plain_labels("labels", labels)
    read = tuple(from_text(name) for name in names)
    if every and all(isinstance(x, NUMBERS) for x in every) and None not in read:
        names = read  # a command line has only text for numbers
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        remedy = "name each class once"
        raise LabelError.from_rule("labels", "must differ", f"{twice!r} twice", remedy)
    if lost := [label for label in every if label not in set(names)]:
        rule, remedy = "must hold every label that occurs", f"add {listed(lost)}"
        raise LabelError.from_rule("labels", rule, listed(names), remedy)
    return names


def _plain(labels: tuple[Any, ...]) -> tuple[Any, ...]:
    """Show False and True among other numbers as the numbers that they equal."""
    if any(isinstance(x, NUMBERS) and not isinstance(x, bool) for x in labels):
        return tuple(int(x) if isinstance(x, bool) else x for x in labels)
    return labels


def values_of(found: list[dict[int, Any]]) -> list[dict[int, Any]]:
    """Read values out of the text of all columns, or of none."""
    read = [{code: from_text(label) for code, label in side.items()} for side in found]
    return found if any(value is None for side in read for value in side.values()) else read


def _value(label: Any) -> Any:
    read = from_text(label)
    return label if read is None else read


def _places(found: dict[int, Any], size: int, place: dict[Any, int]) -> NDArray[np.intp]:
    places = np.zeros(size, dtype=np.intp)
    for code, label in found.items():
        places[code] = place[label]
    return places


def _refuse_decided(columns: Sequence[Labels], names: Sequence[Any]) -> None:
    for column, name in zip(columns, names, strict=True):
        if column.decided:
            raise LabelError(
                f"{name} is a score that was cut at a threshold, which tells two classes apart: "
                "pass predicted labels, or name the positive label."
            )


def _refuse_many(labels: Sequence[Any], names: Sequence[Any]) -> None:
    if len(labels) > MOST:
        raise LabelError(
            f"{' and '.join(map(str, names))} must hold the labels of at most {MOST:,} classes, "
            f"got {len(labels):,} such as {listed(labels[:3])}: pass labels, not measurements or "
            "identifiers, or coarser classes."
        )

"""A long table, with a row for each case and classifier, as cases that each classifier decided."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate.cases.cases import Cases, opening
from baserate.cases.labels import Labels, grouped
from baserate.cases.values import listed
from baserate.errors import DataError

MODEL, ITEM = "model", "case_id"
LISTED = 5
MANY = 100  # classifiers: beyond, the column is hardly one of these


def by_model(found: Cases) -> Cases:
    """Return one row for each item, with a prediction or a score of each model.

    Models come in order, numbers by size and text by alphabet. Every model has to have each item
    once, with the same truth, groups, clusters and weight.
    """
    where, models, items = opening(found.where), *map(_grouped, (found, found), (MODEL, ITEM))
    names = [str(label) for (label,) in models.keys]
    if len(names) > MANY:
        raise DataError(
            f"{where} names {len(names):,} models, such as {listed(names[:LISTED])}: pass the "
            "column that says which classifier a row is of."
        )
    place = items.codes * len(names) + models.codes
    times = np.bincount(place, found.count, len(items.keys) * len(names))
    times = times.reshape(-1, len(names))
    if times.max() > 1:
        item, k = np.argwhere(times > 1)[0]
        raise DataError(
            f"{where} has {int(times[item, k]):,} rows of {names[k]!r} for case "
            f"{items.keys[item][0]!r}: keep one for each case and model, or compare the columns of "
            "a table with one row for each run."
        )
    if not times.all():
        item, k = np.argwhere(times == 0)[0]
        raise DataError(
            f"{where} has no row of {names[k]!r} for case {items.keys[item][0]!r}: leave cases out "
            "that not every model was asked, so that all are compared on the same ones."
        )
    rows = np.empty(times.shape, dtype=np.intp)
    rows.ravel()[place] = np.arange(len(place))
    first = rows[:, 0]
    own = {found.target: found.truth, **found.groups}
    own |= {role: key for role, key in found.keys.items() if role not in (MODEL, ITEM)}
    _refuse_mixed(where, own, rows, items.keys)
    if found.weight is not None:
        _refuse_different(where, found.weight_name, found.weight[rows], items.keys)
    base = replace(found, predictions={}, scores={}, highest={}).take(first)
    return replace(
        base,
        keys={role: key for role, key in base.keys.items() if role not in (MODEL, ITEM)},
        predictions={
            name: column.take(rows[:, k])
            for column in found.predictions.values()
            for k, name in enumerate(names)
        },
        scores={
            name: score[rows[:, k]]
            for score in found.scores.values()
            for k, name in enumerate(names)
        },
        unverified=None,
    )


def _grouped(found: Cases, role: str) -> Any:
    grouping = grouped({role: found.keys[role]})
    assert grouping is not None
    return grouping


def _refuse_mixed(
    where: str, columns: Mapping[str, Labels], rows: NDArray[np.intp], items: Any
) -> None:
    """Refuse items of which the rows do not say the same, but for what the models said."""
    for name, column in columns.items():
        same = grouped({name: column})
        assert same is not None
        _refuse_different(where, name, same.codes[rows], items)


def _refuse_different(where: str, name: str, told: NDArray[Any], items: Any) -> None:
    apart = (told != told[:, :1]).any(axis=1)
    if apart.any():
        item = items[int(np.argmax(apart))][0]
        raise DataError(
            f"{where} says different things in {name!r} of case {item!r}, beside one model and "
            "another: give it the same value in all rows of a case."
        )

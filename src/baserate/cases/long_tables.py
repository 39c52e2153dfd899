"""A long table, with a row for each case and classifier, as cases that each classifier decided."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate.cases.cases import Cases, opening
from baserate.cases.labels import Labels, grouped
from baserate.cases.strata import ROLE as STRATA
from baserate.cases.strata import RUN
from baserate.cases.values import listed
from baserate.errors import DataError

MODEL, ITEM = OWN = "model", "case_id"
LISTED = 5
MANY = 100  # classifiers: beyond, the column is hardly one of these


def by_model(found: Cases) -> Cases:
    """Return one row for each item, with a prediction or a score of each model.

    Models come in order, numbers by size and text by alphabet. Every model has to have each item
    as often, with the same truth, groups, clusters and weight. Several rows of an item are runs of
    it, which stay rows of one item; those of one run stand beside each other, if runs are named.
    """
    named = [role for role in (ITEM, RUN) if role in found.keys]
    where, models, items = opening(found.where), _grouped(found, MODEL), _grouped(found, *named)
    names = [str(label) for (label,) in models.keys]
    if len(names) > MANY:
        raise DataError(
            f"{where} names {len(names):,} models, such as {listed(names[:LISTED])}: pass the "
            "column that says which classifier a row is of."
        )
    row = np.repeat(np.arange(len(found.count)), found.count)  # a row of the table each
    place = items.codes[row] * len(names) + models.codes[row]
    times = np.bincount(place, minlength=len(items.keys) * len(names)).reshape(-1, len(names))
    called = [_called(key) for key in items.keys]
    _refuse_uneven(where, names, called, times)
    # Runs of one model are paired with those of another by chance: in order of what they say they
    # would agree too often. They are mixed from that order, so that no order of rows matters.
    said = np.lexsort((*(ranks[row] for ranks in _said(found)), place))
    mixed = said[np.lexsort((np.random.default_rng(0).random(len(place)), place[said]))]
    sort, runs = mixed, times[:, 0]
    rank = np.arange(len(sort)) - (np.cumsum(times) - times.ravel())[place[sort]]
    rows = np.empty((runs.sum(), len(names)), dtype=np.intp)
    item, model = np.divmod(place[sort], len(names))
    rows[(np.cumsum(runs) - runs)[item] + rank, model] = row[sort]
    told = np.repeat(np.arange(len(runs)), runs)  # the item of each row
    first, again = rows[:, 0], runs.max() > 1
    own = {found.target: found.truth, **found.groups}
    own |= {key.name or f"{x} (--{x})": key for x, key in found.keys.items() if x not in OWN}
    keys = [called[k] for k in told]
    _refuse_mixed(where, own, rows, keys)
    if found.weight is not None:
        _refuse_different(where, found.weight_name, found.weight[rows], keys)
    once = np.ones_like(found.count)
    base = replace(found, predictions={}, scores={}, highest={}, count=once).take(first)
    # Rows of one item are not independent; and items may be what was drawn, in strata or in runs.
    drawn = RUN in named or (STRATA in found.keys and "cluster" not in found.keys)
    kept = {ITEM} if again or drawn else set[str]()
    return replace(
        base,
        keys={role: key for role, key in base.keys.items() if role in kept or role not in OWN},
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


def _said(found: Cases) -> Iterator[NDArray[Any]]:
    """Yield what sorts rows by what the models said, whatever the order in which it came."""
    for column in found.predictions.values():
        order = sorted(range(len(column.labels)), key=lambda k: str(column.labels[k]))
        yield np.argsort(order)[column.codes]
    yield from found.scores.values()


def _refuse_uneven(where: str, names: list[str], items: Any, times: NDArray[np.intp]) -> None:
    """Refuse items that one model was asked and another was not, or not as often."""
    if not times.all():
        item, k = np.argwhere(times == 0)[0]
        remedy = "leave cases out that not every model was asked"
        if " of run " in items[item]:
            remedy = "number the runs of every model alike, and leave out what one alone was asked"
        raise DataError(
            f"{where} has no row of {names[k]!r} for case {items[item]}: {remedy}, so that all are "
            "compared on the same ones."
        )
    if (times != times[:, :1]).any():
        item, k = np.argwhere(times != times[:, :1])[0]
        raise DataError(
            f"{where} has {times[item, k]:,} rows of {names[k]!r} and {times[item, 0]:,} of "
            f"{names[0]!r} for case {items[item]}: keep as many runs of each model."
        )


def _called(key: tuple[Any, ...]) -> str:
    """Name an item, and its run if there is one."""
    return " of run ".join(map(repr, key))


def _grouped(found: Cases, *roles: str) -> Any:
    grouping = grouped({role: found.keys[role] for role in roles})
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
        item = items[int(np.argmax(apart))]
        raise DataError(
            f"{where} says different things in {name!r} of case {item}, beside one model and "
            "another: give it the same value in all rows of a case."
        )

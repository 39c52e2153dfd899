"""Groups of an audit as weighted or clustered samples, out of what was counted."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import singledispatch
from math import comb, fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate.cases.clusters import ClassDesign, Design
from baserate.cases.counted import Counted, Key
from baserate.cases.labels import combinations
from baserate.cases.several_classes import ClassCounted
from baserate.cases.units import moving
from baserate.class_counts import ClassTable
from baserate.counts import CELLS, ConfusionMatrix, of_four
from baserate.groups.cluster_permutation import dealt
from baserate.groups.match import MatchTest
from baserate.groups.samples import Samples
from baserate.inference.survey_design import design_effect
from baserate.metrics import binary_metric

Array = NDArray[np.float64]
ROUNDING = 1e-9  # of the sum of many weights, relative to it


def is_sampled(counted: Counted | ClassCounted) -> bool:
    """Whether weights or clusters leave no exact law."""
    return counted.weighted or counted.design is not None


def sample_of(
    counted: Counted | ClassCounted,
    key: Key,
    other: Key | None = None,
    *,
    contained: bool = False,
) -> Samples:
    """Return one group beside another one, or beside all others."""
    others = [other] if other is not None else [k for k in counted.groups if k != key]
    groups: Any = counted.groups
    squared: Any = counted.group_squared or groups
    replicates, scale, degrees = None, 1.0, np.inf
    if counted.design is not None:
        designs: Any = counted.group_designs
        rest = None if other is None else designs[other]
        replicates, scale = _replicates(counted.design, designs[key], rest)
        if counted.design.known_degrees is not None:
            degrees = counted.design.known_degrees
    beyond = _less(counted.table, groups[key]) if other is None else None
    beyond = beyond or added(groups[k] for k in others)
    squares = beyond if squared is groups else added(squared[k] for k in others)
    found = Samples(
        groups[key],
        beyond,
        (squared[key], squares),
        replicates=replicates,
        scale=scale,
        degrees=degrees,
        contained=contained,
    )
    if replicates is None or degrees == np.inf:
        return found
    moves = np.abs(found.totals[:, None] - replicates).max(axis=0)
    return replace(found, degrees=moving(degrees, np.broadcast_to(scale, len(moves)), moves))


def _less(whole: Any, own: Any) -> ConfusionMatrix | None:
    """Return all cases of two classes but some, where these are whole numbers; else None."""
    if not isinstance(own, ConfusionMatrix) or not all(isinstance(c, int) for c in (*whole, *own)):
        return None
    return of_four(all_ - mine for all_, mine in zip(whole, own, strict=True))


def dealt_out(
    counted: Counted, key: Key, other: Key | None, tests: Sequence[MatchTest], alpha: float
) -> tuple[MatchTest, ...] | None:
    """Return the tests with whole clusters dealt out, exactly; None where these cannot be.

    They can if there are clusters, none of them on both sides, few enough to count all deals, and
    so many deals that the rarest of them would reject at `alpha`.
    """
    if counted.design is None or not counted.design.of_clusters:
        return None
    group = counted.group_designs[key]
    if other is None and _elsewhere(counted.design, group):
        return None
    rest = [other] if other is not None else [k for k in counted.groups if k != key]
    others = together([counted.group_designs[k] for k in rest])
    if np.isin(group.units, others.units).any():
        return None
    mine, theirs = (cells[cells.any(axis=1)] for cells in (group.tables, others.tables))
    if comb(len(mine) + len(theirs), len(mine)) < 2 / alpha:
        return None
    return dealt(tests, mine, theirs)


def _elsewhere(whole: Design, group: Design) -> bool:
    """Whether a cluster surely has cases outside the group too: by sums, more than these round."""
    every = whole.tables[np.searchsorted(whole.units, group.units)]
    return bool(np.any(every - group.tables > ROUNDING * every))


def effective_table(counted: Counted, key: Key) -> ConfusionMatrix:
    """Return a group's table, scaled to its effective number of cases.

    With weights that is Kish's, with clusters the number of independent cases that would have as
    sure an accuracy, but no more than there are. Independent cases stay as they are.
    """
    table, n = counted.groups[key], float(counted.group_n[key])
    cases = counted.effective_n_of(key)
    if counted.design is not None:
        effect = design_effect(binary_metric("accuracy"), counted.group_designs[key])
        cases = min(n / effect, n) if effect > 0 else cases
    if not cases > 0 or cases == table.n:
        return table
    scale = cases / float(table.n)
    return ConfusionMatrix(**{name: scale * cell for name, cell in table.to_dict().items()})


def added(tables: Iterable[Any]) -> Any:
    """Add up tables: whole numbers exactly, weights of two classes without loss."""
    first, *others = tables
    return _with(first, others)


@singledispatch
def _with(first: ConfusionMatrix, others: Sequence[ConfusionMatrix]) -> Any:
    cells = dict[str, Any]()
    for name, column in zip(CELLS, zip(first, *others, strict=True), strict=True):
        whole = all(isinstance(cell, int) for cell in column)
        cells[name] = sum(column) if whole else fsum(column)
    return ConfusionMatrix(**cells)


@_with.register
def _with_of_several(first: ClassTable, others: Sequence[ClassTable]) -> ClassTable:
    return ClassTable(sum(table.counts for table in (first, *others)), first.labels)


def together(designs: Sequence[Any]) -> Any:
    """Return the design of the cases of several groups, of two classes or several."""
    one, ends = designs[0], np.cumsum([len(one.units) for one in designs])[:-1]
    units, at = np.unique(np.concatenate([one.units for one in designs]), return_inverse=True)
    known = {"total": sum(one.total for one in designs), "units": units}
    known["n_cases"] = sum(one.n_cases for one in designs)
    if isinstance(one, Design):
        tables = np.zeros((len(units), 4))
        np.add.at(tables, at, np.concatenate([one.tables for one in designs]))
        return replace(one, tables=tables, **known)
    places = [own[one.unit] for own, one in zip(np.split(at, ends), designs, strict=True)]
    unit, cell = np.concatenate(places), np.concatenate([one.cell for one in designs])
    rows, place = combinations([unit, cell], [len(units), one.n_classes**2])
    amount = np.bincount(place, np.concatenate([one.amount for one in designs]), len(rows))
    return replace(one, unit=unit[rows], cell=cell[rows], amount=amount, **known)


def _replicates(
    whole: Design | ClassDesign, group: Design | ClassDesign, other: Design | ClassDesign | None
) -> tuple[Array, Any]:
    """Return all totals without each cluster, or under each set of replicate weights."""
    mine, theirs = _by_unit(whole, group), _by_unit(whole, other or whole)
    total, others = group.total.ravel(), (other or whole).total.ravel()
    if other is None:
        theirs, others = theirs - mine, others - total
    units, totals = np.hstack([mine, theirs]), np.concatenate([total, others])
    if not whole.of_clusters:
        return units.T, whole.scale
    met = units.any(axis=1)  # a cluster of other groups changes nothing
    return np.maximum(totals - units[met], 0.0).T, 1.0


def _by_unit(whole: Design | ClassDesign, part: Design | ClassDesign) -> Array:
    tables = np.zeros((len(whole.units), part.total.size))
    tables[np.searchsorted(whole.units, part.units)] = part.tables
    return tables

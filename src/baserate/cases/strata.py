"""Strata of a sample: clusters were drawn within each, so that they differ from those beside them.

Each cluster is left out in turn, and the others of its stratum stand for it. These are the weights
of the stratified jackknife, and from there on cases have replicate weights like any other. Items
that were answered in several runs are drawn in three ways, of which each holds every row: items,
cells of an item and a run, and runs.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array
from baserate._checks import same_length
from baserate.cases.columns import column
from baserate.cases.encoder import Encoder
from baserate.cases.labels import Codes, Grouping, Labels, combinations, grouped
from baserate.cases.units import EMPTY
from baserate.errors import DataError, InvalidArgumentError, MissingValueError, UnsupportedError

ROLE, RUN = "strata", "run"
MOST = 50_000_000  # cells of tables without each unit, some 2 GB
LEAST = 2  # clusters of a stratum that show how much they differ
LISTED = 3
# What strata and runs have no meaning without, and how it is named.
ALONE = {
    ROLE: (
        "the clusters that were drawn within each",
        "name them (--cluster); if cases were drawn one by one, the id of each case",
    ),
    RUN: (
        "the items that were answered in each run",
        "name the id of each item (--id), or the clusters of items (--cluster)",
    ),
}


@dataclass(frozen=True, slots=True, eq=False)
class Jackknife:
    """Weights of n rows without each of m units: made when they are asked for, one at a time."""

    weight: Array  # (n,)
    units: Codes  # (1, n) or, of items in runs, (3, n): the unit of each row in each way of drawing
    stratum: Codes  # (m,): that of each unit, of which some may have no row here

    @property
    def sizes(self) -> NDArray[np.intp]:
        """How many units the stratum of each unit has."""
        return np.bincount(self.stratum)[self.stratum]

    @property
    def crossed(self) -> bool:
        """Whether units are items, cells and runs."""
        return len(self.units) > 1

    @property
    def starts(self) -> list[int]:
        """Where the units of each way of drawing begin, while all of them have a row."""
        return self.units.min(axis=1).tolist()

    def __len__(self) -> int:
        return len(self.stratum)

    def __iter__(self) -> Iterator[Array]:
        of_rows = self.stratum[self.units]
        for unit, (stratum, size) in enumerate(zip(self.stratum, self.sizes, strict=True)):
            others = np.where((of_rows == stratum).any(axis=0), size / (size - 1), 1.0)
            yield self.weight * np.where((self.units == unit).any(axis=0), 0.0, others)

    def __matmul__(self, amount: Array) -> Array:
        return self.totals(np.zeros(len(amount), dtype=np.intp), 1, amount)[:, 0]

    def totals(self, place: Codes, size: int, amount: Any = 1.0) -> Array:
        """Return the weighted sums of an amount by place without each unit, of shape (m, size).

        By subtraction, each row added up once; what rounding leaves of an emptied place is 0.
        """
        m, each = len(self.stratum), self.weight * amount
        if m * size > MOST:
            raise UnsupportedError(
                f"{m:,} items, runs and items of a run, or clusters, times {size:,} cells of a "
                f"table are more than {MOST:,}: mark answers as right or wrong (--correct), join "
                "classes (--relabel), or leave out run (--run)."
            )
        own = sum(np.bincount(unit * size + place, each, m * size) for unit in self.units)
        own = np.asarray(own, dtype=float).reshape(m, size)
        beside, k = np.zeros((int(self.stratum.max()) + 1, size)), self.sizes[:, None]
        np.add.at(beside, self.stratum, own)
        found = np.bincount(place, each, size) + (beside[self.stratum] - k * own) / (k - 1)
        return np.where(np.abs(found) < EMPTY * np.bincount(place, np.abs(each), size), 0.0, found)

    def __getitem__(self, at: tuple[slice, Any]) -> "Jackknife":
        _, rows = at
        return replace(self, weight=self.weight[rows], units=self.units[:, rows])


def sampled(keys: Mapping[str, Labels]) -> Mapping[str, Labels] | None:
    """Return the strata and clusters of all rows, to be kept where rows are left out.

    A cluster that was drawn counts, though no case of it is asked about: it adds 0 to every total.
    """
    if ROLE not in keys:
        return None
    known = {role: keys[role] for role in (ROLE, *_units(keys))}
    whole = ~np.logical_or.reduce([labels.missing() for labels in known.values()])
    rows, _ = combinations(
        [labels.codes[whole] for labels in known.values()],
        [len(labels.labels) for labels in known.values()],
    )
    return {role: labels.take(whole).take(rows) for role, labels in known.items()}


def jackknife(
    keys: Mapping[str, Labels], drawn: Mapping[str, Labels] | None, amount: NDArray[Any]
) -> Jackknife | None:
    """Return the weights without each cluster, given its label and stratum; None without strata.

    Of a single stratum there are none: then clusters are all there is to know. With runs, the
    weights without each item, each cell and each run.
    """
    if RUN in keys:
        return _crossed(keys, amount)
    if ROLE not in keys:
        return None
    roles = (ROLE, *_units(keys))
    own = grouped({role: keys[role] for role in roles})
    every = own if drawn is None else grouped({role: drawn[role] for role in roles})
    assert own is not None
    assert every is not None
    places = {key: place for place, key in enumerate(every.keys)}
    strata = {stratum: None for stratum, *_ in every.keys}
    if len(strata) < LEAST:
        return None
    numbers = {stratum: number for number, stratum in enumerate(strata)}
    stratum = np.array([numbers[key[0]] for key in every.keys])
    alone = [label for label, n in zip(strata, np.bincount(stratum), strict=True) if n < LEAST]
    if alone:
        raise _alone(keys[ROLE].name, alone)
    cluster = np.array([places[key] for key in own.keys], dtype=np.intp)[own.codes]
    return Jackknife(np.asarray(amount, dtype=float), cluster[None], stratum)


def _crossed(keys: Mapping[str, Labels], amount: NDArray[Any]) -> Jackknife:
    """Return the weights without each item (or cluster of items), each cell and each run.

    Their squares, those of cells taken off, are the variance of items and runs that were both
    drawn: Cameron, Gelbach and Miller (2011), Journal of Business & Economic Statistics 29:238,
    doi:10.1198/jbes.2010.07136. Items that were drawn in strata, and cells, differ within these.
    """
    [role] = _units(keys, RUN)
    item, run = (np.unique(keys[x].codes, return_inverse=True)[1] for x in (role, RUN))
    within = np.zeros_like(item)
    if ROLE in keys:
        within = np.unique(keys[ROLE].codes, return_inverse=True)[1]
        item = np.unique(within * (item.max(initial=0) + 1) + item, return_inverse=True)[1]
    for codes, each in ((run, RUN), (item, "item" if role == "case_id" else role)):
        if len(codes) and not codes.any():
            raise DataError(
                f"There is one {each} only, which does not show how much {each}s differ: add "
                f"{each}s, or leave out run (--run)."
            )
    cell = np.unique(item * (run.max(initial=0) + 1) + run, return_inverse=True)[1]
    sizes = [int(codes.max(initial=0)) + 1 for codes in (item, cell, run)]
    starts, drawn = np.cumsum([0, *sizes[:-1]]), np.zeros(sum(sizes), dtype=np.intp)
    units, n_strata = np.stack([item, cell, run]) + starts[:, None], within.max(initial=0) + 1
    for way, stratum in enumerate((within, within + n_strata, 2 * n_strata)):
        drawn[units[way]] = stratum
    if alone := np.flatnonzero(np.bincount(drawn[: sizes[0]]) < LEAST).tolist():
        _, first = np.unique(within, return_index=True)
        labels = [keys[ROLE].labels[int(keys[ROLE].codes[int(first[k])])] for k in alone]
        raise _alone(keys[ROLE].name, labels)
    return Jackknife(np.asarray(amount, dtype=float), units, drawn)


def _units(keys: Mapping[str, Labels], asking: str = ROLE) -> tuple[str]:
    """Return the role of the column of what was drawn."""
    role = next((role for role in ("cluster", "case_id") if role in keys), None)
    if role is None:
        rule, remedy = ALONE[asking]
        given = keys[asking].name or asking
        raise InvalidArgumentError.from_rule(asking, f"must come with {rule}", given, remedy)
    return (role,)


def _alone(name: str | None, alone: list[Any]) -> DataError:
    labels = ", ".join(map(repr, alone[:LISTED])) + ", ..." * (len(alone) > LISTED)
    said = f"{'Stratum' if len(alone) == 1 else 'Strata'} {labels} of {name or ROLE}"
    return DataError(
        f"{said} had a single cluster drawn, which does not show how much clusters differ there: "
        "merge it with a neighbour, by one label for both (--strata)."
    )


def drawn_again(
    n: int, stratum: Codes | None, size: int, random: np.random.Generator
) -> NDArray[Any]:
    """Draw units with replacement, as many as there are; how often each counts, a row a sample.

    Of the k units of a stratum, k - 1 that count k/(k - 1) times each, so that totals vary as those
    of k drawn from all do (Rao and Wu 1988, JASA 83:231, doi:10.1080/01621459.1988.10478591).
    """
    if stratum is None:
        return random.multinomial(n, np.full(n, 1 / n), size)
    times = np.zeros((size, n))
    for one in range(int(stratum.max()) + 1):
        own = np.flatnonzero(stratum == one)
        k = len(own)
        times[:, own] = random.multinomial(k - 1, np.full(k, 1 / k), size) * (k / (k - 1))
    return times


class Belonging(NamedTuple):
    """The cluster of each row, and the item that it is; None where no column says so."""

    cluster: Grouping | None
    case: Grouping | None


def clustered(keys: Mapping[str, Labels], count: NDArray[np.int64] | None = None) -> Belonging:
    """Read the clusters and the items out of the columns "cluster" and "case_id".

    Rows that share a case id are the same item again (runs repeated, sites that sent it twice):
    without a cluster, the item is the cluster, unless every item comes once. `count` says how many
    cases each row stands for; None for one each. A cluster's label is its own within its stratum.
    """
    within = {"cluster": ("strata", "cluster"), "case_id": ("case_id",)}
    cluster, case = (
        grouped({one: keys[one] for one in roles if one in keys}) if role in keys else None
        for role, roles in within.items()
    )
    if cluster is None and case is not None:
        n = len(case.codes) if count is None else int(count.sum())
        return Belonging(case if n > len(case.keys) else None, case)
    if cluster is None or case is None:
        return Belonging(cluster, case)
    rows, _ = combinations([case.codes, cluster.codes], [len(case.keys), len(cluster.keys)])
    if len(rows) > len(case.keys):
        raise _in_two_clusters(case, cluster, rows)
    return Belonging(cluster, case)


def read_clusters(argument: str, values: Any, size: int) -> Codes:
    """Return the cluster of each of `size` cases by number, from an array of labels of any kind.

    Clusters are numbered as they come.
    """
    labels = _read(argument, values, size)
    index: dict[Any, int] = {}  # 1 and True are one cluster
    numbers = [index.setdefault(label, len(index)) for label in labels.labels]
    return np.array(numbers, dtype=np.intp)[labels.codes]


def read_units(strata: Any, cluster: Any, amount: NDArray[Any]) -> Codes | Jackknife:
    """Return the cluster of each case by number, or the weights without each where strata matter.

    `strata` and `cluster` are arrays of labels of any kind, `amount` the weight of each case. Units
    that were read already stay what they are.
    """
    size = len(amount)
    if isinstance(cluster, Jackknife):
        return cluster
    if strata is None:
        return read_clusters("cluster", cluster, size)
    given = {ROLE: strata, "cluster": cluster}
    keys = {role: _read(role, x, size) for role, x in given.items() if x is not None}
    found = jackknife(keys, None, amount)
    return read_clusters("cluster", cluster, size) if found is None else found


def _read(argument: str, values: Any, size: int) -> Labels:
    encoder = Encoder(argument, column(argument, values), refuse_scores=False)
    same_length(argument, len(encoder.column), "y_true", size)
    labels = encoder.whole()
    if gaps := int(np.count_nonzero(labels.missing())):
        raise MissingValueError.in_column(argument, gaps)
    return labels


def _in_two_clusters(case: Grouping, cluster: Grouping, rows: Any) -> DataError:
    items = case.codes[rows]
    item = int(np.flatnonzero(np.bincount(items) > 1)[0])
    [name], places = case.keys[item], cluster.codes[rows[items == item][:2]].tolist()
    one, two = (", ".join(map(repr, cluster.keys[place])) for place in places)
    return DataError(
        f"The case {name!r} lies in two clusters, {one} and {two}: give every item "
        "one cluster, or another case id in each."
    )

"""Strata of a sample: clusters were drawn within each, so that they differ from those beside them.

Each cluster is left out in turn, and the others of its stratum stand for it. These are the weights
of the stratified jackknife, and from there on cases have replicate weights like any other.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array
from baserate.cases.labels import Codes, Labels, combinations, grouped
from baserate.errors import DataError, InvalidArgumentError

ROLE = "strata"
LEAST = 2  # clusters of a stratum that show how much they differ
LISTED = 3


@dataclass(frozen=True, slots=True, eq=False)
class Jackknife:
    """Weights of n rows without each of m clusters: made when they are asked for, one at a time."""

    weight: Array  # (n,)
    cluster: Codes  # (n,)
    stratum: Codes  # (m,): that of each cluster, of which some may have no row here

    @property
    def sizes(self) -> NDArray[np.intp]:
        """How many clusters the stratum of each cluster has."""
        return np.bincount(self.stratum)[self.stratum]

    def __len__(self) -> int:
        return len(self.stratum)

    def __iter__(self) -> Iterator[Array]:
        of_rows = self.stratum[self.cluster]
        for unit, (stratum, size) in enumerate(zip(self.stratum, self.sizes, strict=True)):
            others = np.where(of_rows == stratum, size / (size - 1), 1.0)
            yield self.weight * np.where(self.cluster == unit, 0.0, others)

    def __matmul__(self, amount: Array) -> Array:
        return np.array([weight @ amount for weight in self])

    def __getitem__(self, at: tuple[slice, Any]) -> "Jackknife":
        _, rows = at
        return replace(self, weight=self.weight[rows], cluster=self.cluster[rows])


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

    Of a single stratum there are none: then clusters are all there is to know.
    """
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
    return Jackknife(np.asarray(amount, dtype=float), cluster, stratum)


def _units(keys: Mapping[str, Labels]) -> tuple[str]:
    """Return the role of the column of what was drawn."""
    role = next((role for role in ("cluster", "case_id") if role in keys), None)
    if role is None:
        raise InvalidArgumentError.from_rule(
            ROLE,
            "must come with the clusters that were drawn within each",
            None,
            "name them (--cluster), or the id of each case (--id) if cases were drawn one by one",
        )
    return (role,)


def _alone(name: str | None, alone: list[Any]) -> DataError:
    labels = ", ".join(map(repr, alone[:LISTED])) + ", ..." * (len(alone) > LISTED)
    said = f"{'Stratum' if len(alone) == 1 else 'Strata'} {labels} of {name or ROLE}"
    return DataError(
        f"{said} had a single cluster drawn, which does not show how much clusters differ there: "
        "merge it with a neighbour, by one label for both (--strata)."
    )

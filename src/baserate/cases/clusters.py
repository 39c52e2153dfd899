"""Which cases belong together, and how the cell totals of a table vary where they do."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._checks import same_length
from baserate.cases.columns import column
from baserate.cases.encoder import Encoder
from baserate.cases.labels import Codes, Grouping, Labels, combinations, grouped
from baserate.errors import DataError, MissingValueError

Array = NDArray[np.float64]


class Belonging(NamedTuple):
    """The cluster of each row, and the item that it is; None where no column says so."""

    cluster: Grouping | None
    case: Grouping | None


def clustered(keys: Mapping[str, Labels], count: NDArray[np.int64] | None = None) -> Belonging:
    """Read the clusters and the items out of the columns "cluster" and "case_id".

    Rows that share a case id are the same item again (runs repeated, sites that sent it twice):
    without a cluster, the item is the cluster, unless every item comes once. `count` says how many
    cases each row stands for; None for one each.
    """
    cluster, case = (
        grouped({role: keys[role]}) if role in keys else None for role in ("cluster", "case_id")
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
    encoder = Encoder(argument, column(argument, values), refuse_scores=False)
    same_length(argument, len(encoder.column), "y_true", size)
    labels = Labels(encoder.encode(0, size).astype(np.intp), encoder.labels)
    if gaps := int(np.count_nonzero(labels.missing())):
        raise MissingValueError(
            f"{argument} must not hold missing values, found {gaps:,}: fill them in, or leave "
            "those cases out of every column."
        )
    index: dict[Any, int] = {}  # 1 and True are one cluster
    numbers = [index.setdefault(label, len(index)) for label in labels.labels]
    return np.array(numbers, dtype=np.intp)[labels.codes]


def _in_two_clusters(case: Grouping, cluster: Grouping, rows: Any) -> DataError:
    items = case.codes[rows]
    item = int(np.flatnonzero(np.bincount(items) > 1)[0])
    [name], (one, two) = case.keys[item], cluster.codes[rows[items == item][:2]].tolist()
    return DataError(
        f"The case {name!r} lies in two clusters, {cluster.keys[one][0]!r} and "
        f"{cluster.keys[two][0]!r}: give every item one cluster, or another case id in each."
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Design:
    """How the four cell totals of a table vary: by its clusters, or by replicate weights.

    Attributes
    ----------
    total : array of shape (4,)
        True positives, false negatives, false positives, true negatives of the table.
    tables : array of shape (k, 4)
        The same of each cluster that has a case here, or under each set of replicate weights.
    units : array of int, shape (k,)
        Which cluster or replicate each of them is, in order: the same in all tables of one sample,
        so that what two of them share is known.
    n_units : int
        Clusters of the whole sample, or replicates.
    n_cases : int
        Cases that the table counts, whatever their weight.
    scale : array of shape (k,) or None
        What each replicate's squared deviation counts; None for clusters.
    known_degrees : float or None
        Degrees of freedom that come with replicate weights.
    """

    total: Array
    tables: Array
    units: Codes
    n_units: int
    n_cases: int
    scale: Array | None = None
    known_degrees: float | None = None

    @property
    def effective_clusters(self) -> float:
        """(Σ n)²/Σ n²: so many clusters of equal size say as much."""
        return equal_clusters(self.tables.sum(axis=1))

    def of_opposite(self) -> "Design":
        """Return the design of the opposite predictions."""
        turned = [1, 0, 3, 2]
        return replace(self, total=self.total[turned], tables=self.tables[:, turned])

    def covariance(self, other: "Design | None" = None) -> Array:
        """Return the covariance of the four cell totals, or theirs with another table's.

        Of m clusters drawn with replacement, centred: m/(m - 1) Σ (t_c - t/m)(u_c - u/m)ᵀ over all
        clusters of the sample, of which some may have no case here. Clusters are never split, so
        tables that share them are correlated. nan for a single cluster.

        References
        ----------
        Särndal, Swensson and Wretman (1992), Model Assisted Survey Sampling, Springer,
        doi:10.1007/978-1-4612-4378-6, for sampling of clusters with replacement. Binder (1983),
        International Statistical Review 51:279, doi:10.2307/1402588, for what is made of it.
        """
        other = self if other is None else other
        _, mine, theirs = np.intersect1d(self.units, other.units, return_indices=True)
        first, second = self.tables[mine], other.tables[theirs]
        if self.scale is not None:
            off = (first - self.total) * self.scale[mine, None]
            return off.T @ (second - other.total)
        m = self.n_units
        if m < 2:
            return np.full((4, 4), np.nan)
        return m / (m - 1) * (first.T @ second - np.outer(self.total, other.total) / m)


class Replicated(NamedTuple):
    """Replicate weights of each row, shape (R, m), and what squared deviations count, (R,).

    covariance = Σ scale_r (t_r - t)(t_r - t)ᵀ (Wolter 2007, Introduction to Variance Estimation,
    doi:10.1007/978-0-387-35099-8): 1/R for BRR, 1/(R (1 - ρ)²) for Fay's, (R - 1)/R for the
    delete-one jackknife, 1/(R - 1) for the bootstrap.
    """

    amounts: Array
    scale: Array

    def take(self, rows: Any) -> "Replicated":
        """Return those of some rows."""
        return self._replace(amounts=self.amounts[:, rows])


def equal_clusters(sizes: NDArray[Any]) -> float:
    """Return how many clusters of equal size say as much; nan without cases."""
    square = float(sizes @ sizes)
    return float(sizes.sum()) ** 2 / square if square > 0 else np.nan

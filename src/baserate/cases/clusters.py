"""Which cases belong together: clusters, and items that come again."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from baserate._checks import same_length
from baserate.cases.columns import column
from baserate.cases.encoder import Encoder
from baserate.cases.labels import Grouping, Labels, combinations, grouped
from baserate.errors import DataError, MissingValueError


class Belonging(NamedTuple):
    """The cluster of each row, and the item that it is; None where no column says so."""

    cluster: Grouping | None
    case: Grouping | None


def clustered(keys: Mapping[str, Labels]) -> Belonging:
    """Read the clusters and the items out of the columns "cluster" and "case_id".

    Rows that share a case id are the same item again (runs repeated, sites that sent it twice):
    without a cluster, the item is the cluster.

    Raises
    ------
    DataError
        The rows of one item lie in two clusters.

    Examples
    --------
    >>> found = clustered({"case_id": Labels.of([7, 8, 7])})
    >>> found.cluster.codes.tolist(), found.cluster is found.case
    ([0, 1, 0], True)
    """
    cluster, case = (
        grouped({role: keys[role]}) if role in keys else None for role in ("cluster", "case_id")
    )
    if cluster is None or case is None:
        return Belonging(case if cluster is None else cluster, case)
    rows, _ = combinations([case.codes, cluster.codes], [len(case.keys), len(cluster.keys)])
    if len(rows) > len(case.keys):
        raise _in_two_clusters(case, cluster, rows)
    return Belonging(cluster, case)


def read_clusters(argument: str, values: Any, size: int) -> Grouping:
    """Return the cluster of each of `size` cases, from one array of labels of any kind.

    Raises
    ------
    LabelError
        Another number of labels.
    MissingValueError
        A label is missing.

    Examples
    --------
    >>> read_clusters("cluster", ["north", "south", "north"], 3).codes.tolist()
    [0, 1, 0]
    """
    encoder = Encoder(argument, column(argument, values), refuse_scores=False)
    same_length(argument, len(encoder.column), "y_true", size)
    labels = Labels(encoder.encode(0, size).astype(np.intp), encoder.labels)
    if gaps := int(np.count_nonzero(labels.missing())):
        raise MissingValueError(
            f"{argument} must not hold missing values, found {gaps:,}: fill them in, or leave "
            "those cases out of every column."
        )
    found = grouped({argument: labels})
    assert found is not None
    return found


def _in_two_clusters(case: Grouping, cluster: Grouping, rows: Any) -> DataError:
    items = case.codes[rows]
    item = int(np.flatnonzero(np.bincount(items) > 1)[0])
    [name], (one, two) = case.keys[item], cluster.codes[rows[items == item][:2]].tolist()
    return DataError(
        f"The case {name!r} lies in two clusters, {cluster.keys[one][0]!r} and "
        f"{cluster.keys[two][0]!r}: give every item one cluster, or another case id in each."
    )

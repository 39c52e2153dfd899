"""Whether a cell of two group columns is more than its margins say: an exact test."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Any

import numpy as np

from baserate._arrays import Whole
from baserate._result import Result
from baserate.counts import ConfusionMatrix, named_tables
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.groups.multiplicity import adjust
from baserate.groups.null import sides_of
from baserate.metrics import Metric, binary_metric

MOST = 10**7  # values that the law of one cell may take


@dataclass(frozen=True, slots=True, kw_only=True)
class CellBeyond(Result):
    """A cell of two group columns, and what its row and its column would make of it.

    Attributes
    ----------
    group : (label, label)
    n : int
        Cases that the share is of.
    value, expected : float
        The share in the cell, and what its margins say: the mean of the law without interaction.
    p_value, adjusted_p : float
        Two-sided, twice the smaller tail; and by Holm's method for the number of different tests.
    reason : str or None
        Why there is no test.
    """

    group: tuple[Any, Any]
    n: int
    value: float
    expected: float = nan
    p_value: float = nan
    adjusted_p: float = nan
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BeyondMargins(Result):
    """Every cell of two group columns beside what its margins say.

    Attributes
    ----------
    metric : str
    cells : tuple of CellBeyond
    n_tests : int
        How many of them are different: of two labels by two, all four cells have the same one.
    pooled : bool
        Whether a column has more than two labels, so that others were pooled.
    """

    metric: str
    cells: tuple[CellBeyond, ...]
    n_tests: int
    pooled: bool


def beyond_margins(
    metric: str | Metric, tables: Mapping[tuple[Any, Any], ConfusionMatrix]
) -> BeyondMargins:
    """Test of every cell of two group columns whether it is more than its margins say.

    Women may have a lower recall, and Black people, and Black women one that is lower by both. Is
    theirs lower than that? Each cell stands beside the others of its row, the others of its column,
    and all other cases. Without interaction (on the scale of odds) the hits of its row, of its
    column and of all tell all there is to know, and given these the hits of the cell have the law
    P(a) ∝ C(n₁₁, a) C(n₁₂, r - a) C(n₂₁, c - a) C(n₂₂, t - r - c + a), whatever the rates are. The
    test is of this law, enumerated: its level is never above the nominal one.

    With more than two labels in a column the others are pooled, and the law is that of the pooled
    cases: exact if those are alike.

    Parameters
    ----------
    metric : Metric or str
        A share of cases, such as recall, false_positive_rate or accuracy.
    tables : mapping of (label, label) to ConfusionMatrix
        One of counted cases for every combination of the labels of the two columns.

    Returns
    -------
    BeyondMargins

    References
    ----------
    Zelen (1971), Biometrika 58:129, doi:10.1093/biomet/58.1.129, for two by two tables.

    Examples
    --------
    >>> import baserate as br
    >>> found = br.groups.beyond_margins(
    ...     "recall",
    ...     {
    ...         ("f", "black"): br.ConfusionMatrix(tp=60, fn=40, fp=0, tn=0),
    ...         ("f", "white"): br.ConfusionMatrix(tp=160, fn=40, fp=0, tn=0),
    ...         ("m", "black"): br.ConfusionMatrix(tp=80, fn=20, fp=0, tn=0),
    ...         ("m", "white"): br.ConfusionMatrix(tp=162, fn=38, fp=0, tn=0),
    ...     },
    ... )
    >>> round(found.cells[0].expected, 3), round(found.cells[0].p_value, 4), found.n_tests
    (0.656, 0.0399, 1)
    """
    chosen = binary_metric(metric)
    if chosen.proportion is None:
        rule, remedy = "must be a share of cases", "ask for recall, precision or accuracy"
        raise InvalidArgumentError.from_rule("metric", rule, chosen.name, remedy)
    named = named_tables("tables", tables)
    counts, rows, columns = _counted(chosen, named)
    shape = len(rows), len(columns)
    tested: dict[tuple[int, int], CellBeyond] = {}
    for at in np.ndindex(shape):
        hits, misses = counts[at]
        n = int(hits + misses)
        known = {"group": (rows[at[0]], columns[at[1]]), "n": n, "value": hits / n if n else nan}
        tested[at] = CellBeyond(**known, **_test(_pooled(counts, at)))
    # Of two labels either says the same, seen from its side.
    own = {
        at: tuple(k if size > 2 else 0 for k, size in zip(at, shape, strict=True)) for at in tested
    }
    ways = {way: tested[at].p_value for at, way in own.items()}
    adjusted = dict(zip(ways, adjust(list(ways.values())).tolist(), strict=True))
    return BeyondMargins(
        metric=chosen.name,
        cells=tuple(replace(one, adjusted_p=adjusted[own[at]]) for at, one in tested.items()),
        n_tests=sum(not isnan(p) for p in ways.values()),
        pooled=max(shape) > 2,
    )


def _counted(
    metric: Metric, tables: Mapping[Any, ConfusionMatrix]
) -> tuple[Whole, list[Any], list[Any]]:
    """Return hits and misses of every cell, and the labels of both columns."""
    if not all(isinstance(key, tuple) and len(key) == 2 for key in tables):
        rule, remedy = "must be called by two labels each", 'pass {("f", "black"): table, ...}'
        raise InvalidArgumentError.from_rule("tables", rule, next(iter(tables), None), remedy)
    rows, columns = (list(dict.fromkeys(key[k] for key in tables)) for k in range(2))
    if min(len(rows), len(columns)) < 2 or len(tables) < len(rows) * len(columns):
        rule = "must hold every combination of two labels or more in each column"
        remedy = "add the missing ones, empty if need be"
        raise InvalidArgumentError.from_rule("tables", rule, f"{len(tables)} tables", remedy)
    if any(table.is_weighted for table in tables.values()):
        raise UnsupportedError(
            "beyond_margins enumerates counts, and these are weights: pass unweighted tables."
        )
    counts = np.zeros((len(rows), len(columns), 2), dtype=np.int64)
    for (row, column), table in tables.items():
        counts[rows.index(row), columns.index(column)] = sides_of(metric, table)
    return counts, rows, columns


def _pooled(counts: Whole, at: tuple[int, ...]) -> Whole:
    """Return hits and misses of a cell, of the rest of its row, its column, and of all others."""
    i, j = at
    row, column = np.zeros(counts.shape[0], int), np.zeros(counts.shape[1], int)
    row[:], column[:] = 1, 1
    row[i], column[j] = 0, 0
    found = np.zeros((2, 2, 2), dtype=np.int64)
    np.add.at(found, (row[:, None], column[None, :]), counts)
    return found


def _test(counts: Whole) -> dict[str, Any]:
    """Return what margins say of the first cell, and how rarely it is so far from that."""
    sizes, hits = counts.sum(axis=2), counts[..., 0]
    if not sizes.all():
        return {"reason": "no cases to compare with in its row, its column or elsewhere"}
    row, column, total = int(hits[0].sum()), int(hits[:, 0].sum()), int(hits.sum())
    (n, beside), (below, across) = sizes.tolist()
    low = max(0, row - beside, column - below, row + column - total)
    high = min(n, row, column, across - total + row + column)
    if high == low:
        return {"expected": low / n, "reason": "no other value is possible, given its margins"}
    if high - low > MOST:
        raise UnsupportedError(f"beyond_margins enumerates at most {MOST:.0e} values of a cell.")
    a = np.arange(low, high, dtype=float)
    left = total - row - column + a
    steps = np.log((n - a) * (row - a) * (column - a) * (across - left))
    steps -= np.log((a + 1) * (beside - row + a + 1) * (below - column + a + 1) * (left + 1))
    weights = np.concatenate([[0.0], np.cumsum(steps)])
    chance = np.exp(weights - weights.max())
    chance /= chance.sum()
    seen = int(hits[0, 0]) - low
    tails = chance[: seen + 1].sum(), chance[seen:].sum()
    mean = low + float(chance @ np.arange(len(chance)))
    return {"expected": mean / n, "p_value": min(1.0, 2 * float(min(tails)))}

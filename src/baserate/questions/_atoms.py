"""The whole law of a metric under a model: its atoms."""

from collections.abc import Iterator
from math import fsum
from typing import Any

import numpy as np

from baserate._windows import Array
from baserate.metrics import Metric
from baserate.models import Model
from baserate.questions._answer import Atoms
from baserate.questions._law import BUDGET, Block, Law
from baserate.questions._routes import Route, follow
from baserate.questions._ties import grouped
from baserate.questions._undefined import policy_of, settled

_FEWER = "ask cdf, sf or quantile, which do not list every value"


def pmf(
    metric: str | Metric,
    model: Model,
    *,
    method: str | None = None,
    undefined: Any = "omit",
) -> Atoms:
    """Return the values that a metric can take and their probabilities, given that it is defined.

    Parameters
    ----------
    metric : Metric or str
    model : a model of tables
    method : {None, "enumeration"}
    undefined : {"omit", "propagate", "raise"} or float
        "omit" conditions on the metric being defined; "propagate" gives no atoms but nan if it may
        be undefined, "raise" an error; a number stands in for the undefined value.

    Returns
    -------
    Atoms
        Values within a relative 1e-12 of one another are one atom. Tables beyond the windows (less
        than 1e-18 of the mass) are left out.

    Raises
    ------
    UnsupportedError
        There are too many tables.
    InvalidArgumentError
        With ``undefined="raise"``.

    Examples
    --------
    >>> from baserate.models import Hypergeometric
    >>> atoms = pmf("tp", Hypergeometric(n_positive=4, n_negative=4, n_predicted=4))
    >>> atoms.values, (atoms.probabilities * 70).round(9)
    (array([0., 1., 2., 3., 4.]), array([ 1., 16., 36., 16.,  1.]))
    """
    law, instead = Law.of(metric, model), policy_of(undefined)
    (values, weights, missing), name = follow((_LISTED,), law, method, otherwise=_FEWER)
    mass = law.probability_undefined() if law.regular else missing
    if settled(law, undefined, mass) is not None:
        values, weights = np.array([np.nan]), np.ones(1)
    elif weights.size:
        weights = weights / weights.sum()
    if instead is not None and mass > 0:
        values, weights = with_atom(law.metric, values, weights * (1 - mass), (instead, mass))
    return Atoms(values=values, probabilities=weights, route=name, undefined=mass)


def atoms(metric: Metric, blocks: Iterator[Block]) -> tuple[Array, Array, float]:
    """Return the distinct values, ascending, and their masses; and the mass without a value."""
    parts: list[tuple[Array, Array]] = []
    undefined = [0.0]
    for block in blocks:
        defined = ~np.isnan(block.values)
        keep = defined & (block.weights > 0)
        parts.append((block.values[keep], block.weights[keep]))
        undefined.append(float(block.weights[~defined].sum()))
    values, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    return *grouped(metric, values, weights), fsum(undefined)


_LISTED = Route(
    "enumeration",
    lambda law: law.n_atoms() <= BUDGET,
    lambda law: atoms(law.metric, law.blocks()),
)


def with_atom(
    metric: Metric, values: Array, weights: Array, one: tuple[float, float]
) -> tuple[Array, Array]:
    """Return the atoms with one more (a value and its mass), or a heavier one."""
    value, mass = one
    return grouped(metric, np.append(values, value), np.append(weights, mass))

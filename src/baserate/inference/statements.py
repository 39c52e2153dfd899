"""How probable a statement about a metric is, such as "recall >= 0.8"."""

import re
from dataclasses import dataclass
from functools import singledispatch
from math import nan
from typing import Any

import numpy as np

from baserate._checks import as_number
from baserate._result import Result
from baserate.cases.counted import Counted, Weighable
from baserate.cases.several_classes import ClassCounted
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.inference.linearity import HALF, table_of_share
from baserate.inference.posterior import refuse_beyond
from baserate.inference.posterior_law import PosteriorLaw, drawn, exactly, law_of, of_share
from baserate.inference.several_classes import (
    effective_table,
    mean_law,
    of_hit_share,
    posterior_values,
    squares_of,
    value_at_hit_share,
)
from baserate.metrics import ClassMetric, Metric, get

SAME = 1e-14  # relative, of two values of a constant
OPERATORS = ">=", "<=", "==", "!=", ">", "<"
STATEMENT = re.compile(rf"\s*({'|'.join(OPERATORS)})\s*(\S+)\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementProbability(Result):
    """How probable a statement about a metric is; ``float()`` gives it.

    Attributes
    ----------
    metric, statement : str
    share : tuple of two counts or None
        Of an unweighted share of cases, such as recall: those that count, and all of them.
    value : float
        The posterior probability; nan if `reason` says why.
    route : str or None
        "jeffreys" (one share), "exact", "gauss", "quasi-monte-carlo", "simulation", or "constant".
    error : float
        Of the probability: a bound, or the largest standard error of draws.
    reason : str or None
    """

    metric: str
    statement: str
    share: tuple[float, float] | None = None
    value: float = nan
    route: str | None = None
    error: float = 0.0
    reason: str | None = None

    def __float__(self) -> float:
        return self.value


def probability(
    metric: str | Metric | ClassMetric,
    table: ConfusionMatrix | Counted | ClassTable | ClassCounted | tuple[float, float],
    statement: str,
) -> StatementProbability:
    """Return the posterior probability of a statement about a metric, such as ">= 0.8".

    The metric has the posterior law of `baserate.interval`. Its prior is half a case in each cell
    (Jeffreys): of what one share of cases decides, as recall, accuracy and F1, half a case on
    either side of that share, so that after x of m it is Beta(x + 1/2, m - x + 1/2). Of several
    classes half a case for all hits and half a case for all errors. So ">= 0.8" has the probability
    that `interval` leaves above 0.8: at least .975 where its 95% interval begins there.

    Laws are continuous, so that "==" has the probability 0, unless only one value is possible, and
    ">=" that of ">".

    Parameters
    ----------
    metric : Metric, ClassMetric or str
    table : ConfusionMatrix, ClassTable, or what `count_labels` returns
        A single table; of a share of cases, such as recall or accuracy, two counts will do: those
        that it counts, and the others, so that 18 of 20 is written (18, 2): 18 found and 2 missed.
        Weighted cases are worth Kish's effective number.
    statement : str
        One of >=, >, <=, <, ==, != and a number: ">= 0.8".

    Raises
    ------
    InvalidArgumentError
        Another statement, a batch, or a metric of other tables.
    UnsupportedError
        Cases in clusters, which have no posterior; more than 1e16 cases.

    References
    ----------
    Brown, Cai and DasGupta (2001), Statistical Science 16:101, doi:10.1214/ss/1009213286, for
    Jeffreys' prior. Goutte and Gaussier (2005), ECIR, doi:10.1007/978-3-540-31865-1_25, for F1.
    Caelen (2017), Annals of Mathematics and Artificial Intelligence 81:429,
    doi:10.1007/s10472-017-9564-8, for four cells.

    Examples
    --------
    18 of 20 positives are found, so 2 are missed:

    >>> import baserate as br
    >>> br.probability("recall", (18, 2), ">= 0.8")
    recall >= 0.8 with probability 0.87, from 18 of 20
    >>> t = br.ConfusionMatrix(tp=18, fn=2, fp=9, tn=71)
    >>> round(float(br.probability("mcc", t, "> 0.5")), 3)
    0.985
    >>> iris = br.ClassTable([[50, 0, 0], [0, 48, 2], [0, 1, 49]])
    >>> found = br.probability("macro_f1", iris, ">= 0.95")
    >>> round(found.value, 2), found.route, found.error < 0.01
    (0.97, 'simulation', True)
    """
    operator, at = _read(statement)
    squared: Any = None
    if isinstance(table, Weighable):
        if table.design is not None:
            raise UnsupportedError(
                "cases in clusters have no posterior: ask for the interval, whose lower limit is "
                "a guarantee that counts clusters."
            )
        table, squared = table.table, table.squared
    asked = get(metric, table)
    single: Any = table_of_share("table", asked, table)
    known: dict[str, Any] = {"metric": asked.name, "statement": f"{operator} {at:g}"}
    if (reason := asked.undefined_reason(single)) is not None:
        return StatementProbability(**known, reason=reason)
    found, share = _law(single, asked, squared)
    value = _chances(found, at)[operator]
    if squared is None:
        known["share"] = share
    return StatementProbability(**known, value=value, route=found.route, error=found.error)


def _chances(found: PosteriorLaw, at: float) -> dict[str, float]:
    """Return how probable it is that a metric is above a number, at least it, and so on."""
    below, above = (float(side) for side in found.sides(np.array(at)))
    same = 0.0
    if found.route == "constant" and found.exact is not None:
        same = float(abs(at - found.exact.mean) <= SAME * max(1.0, abs(at)))
        below = max(below, same)
    return {
        ">": 1 - below if same else above,
        ">=": max(above, same),
        "<": 0.0 if same else below,
        "<=": below,
        "==": same,
        "!=": 1 - same,
    }


def _read(statement: str) -> tuple[str, float]:
    parts = STATEMENT.fullmatch(statement) if isinstance(statement, str) else None  # pyright: ignore[reportUnnecessaryIsInstance]
    number = nan if parts is None else as_number(parts[2])
    if parts is None or not np.isfinite(number):
        rule = "must be one of >=, >, <=, <, ==, != and a number"
        raise InvalidArgumentError.from_rule(
            "statement", rule, statement, 'write for example ">= 0.8"'
        )
    return parts[1], number


@singledispatch
def _law(
    table: ConfusionMatrix, metric: Any, squared: ConfusionMatrix | None
) -> tuple[PosteriorLaw, tuple[float, float] | None]:
    """Return the law of a metric, and of how many cases it counts how many, if it is a share."""
    return law_of(metric, table, squared), _share(metric, table)


@_law.register
def _law_of_several(
    table: ClassTable, metric: Any, squared: ClassTable | None
) -> tuple[PosteriorLaw, tuple[float, float] | None]:
    return _of_classes(metric, table, squared), None


def _share(metric: Metric, table: ConfusionMatrix) -> tuple[float, float] | None:
    """Return how many cases count of how many, where the metric is the share of these."""
    if metric.proportion is None:
        return None
    hits, others = (sum(float(getattr(table, cell)) for cell in side) for side in metric.proportion)
    return hits, hits + others


def _of_classes(metric: ClassMetric, table: ClassTable, squared: ClassTable | None) -> PosteriorLaw:
    table = effective_table(table, squares_of(table, squared))
    if (form := metric.form_of(table.n_classes)) is not None:
        return law_of(form, table.one_vs_rest(table.labels[1]))
    cells, k = table.counts.astype(float), table.n_classes
    hits, errors = float(np.trace(cells)), float(cells.sum() - np.trace(cells))
    refuse_beyond(hits + errors)
    if metric.weights is not None:
        weights = metric.weights(k)
        if not of_hit_share(metric, k):
            return exactly(mean_law(metric, cells))
        off, on = float(weights[0, 1]), float(weights[0, 0])
        return of_share(lambda p, q: on * p + off * q, hits + HALF, errors + HALF)
    if of_hit_share(metric, k):
        n = hits + errors
        return of_share(
            lambda p, _: value_at_hit_share(metric, p.ravel(), k, n), hits + HALF, errors + HALF
        )
    [found] = posterior_values([metric], table, cells)
    return drawn("simulation", found.values)

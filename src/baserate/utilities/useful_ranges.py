"""At which thresholds deciding by a score, or by labels, surely beats treating all and none."""

from math import ceil, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arith import ratio
from baserate._beta import betainc, betaincc
from baserate.counts import ConfusionMatrix, as_float, has_both
from baserate.utilities.more_data import value_of_information
from baserate.utilities.net_benefit import (
    GRID,
    PRIOR,
    NetBenefitCurve,
    counted_at,
    net_benefit_curve,
)

# Of what knowing every class would add to the better of treating all and none. Where the threshold
# is the base rate, this share is the informedness.
ADVANTAGE = 0.05

RARER, STEPS = 100, 25  # thresholds down to the base rate by that, in so many steps to a tenth

Stretch = tuple[float, float]


def useful_thresholds(
    curve: NetBenefitCurve, thresholds: Any = None, *, confidence_level: float = 0.95
) -> tuple[Stretch, ...]:
    """Return the stretches of thresholds at which deciding by the score is worth it.

    At each of them by itself, the posterior probability that it is better than treating all and
    treating none is `confidence_level` at least, and what it adds to the better of the two is at
    least a twentieth of what knowing every class would add (relative utility: Baker, Cook, Vickers
    and Kramer 2009, doi:10.1111/j.1467-985X.2009.00592.x): near either end of a decision curve a
    score may surely spare a few cases an intervention, and nothing that anyone would see.
    """
    tau = np.asarray(prices(curve.base_rate) if thresholds is None else thresholds, dtype=float)
    rate = curve.base_rate if curve.restated else None
    found = net_benefit_curve(curve.sweep, thresholds=tau, base_rate=rate)
    worst = found if found.worst is None else found.worst
    tables = counted_at(curve, tau) if found.worst is None else worst.tables
    useful = _noticed(worst.advantage, worst.base_rate, worst.treat_all)
    useful[useful] = _probability(tables[useful], tau[useful], rate) >= confidence_level
    return _runs(tau, useful)


def useful_prices(
    table: ConfusionMatrix,
    *,
    base_rate: float | None = None,
    within: Stretch | None = None,
    confidence_level: float = 0.95,
) -> tuple[Stretch, ...]:
    """Return the same of labels, which are the same decisions at every threshold.

    `within` says where the decisions are surely better: for cases that are no independent ones,
    whose probabilities have another law.
    """
    if not has_both(table):
        return ()
    rate = float(table.base_rate) if base_rate is None else base_rate
    tau = prices(rate)
    odds = tau / (1 - tau)
    treat_all = rate - (1 - rate) * odds
    found, false = table.tp / table.n_positive, table.fp / table.n_negative
    advantage = rate * found - (1 - rate) * false * odds - np.maximum(treat_all, 0.0)
    useful = _noticed(advantage, rate, treat_all)
    if within is None:
        cells = {name: np.full(useful.sum(), float(x)) for name, x in table.to_dict().items()}
        found = _probability(ConfusionMatrix(**cells), tau[useful], base_rate)
        useful[useful] = found >= confidence_level
    else:
        useful &= (tau >= within[0]) & (tau <= within[1])
    return _runs(tau, useful)


def _probability(tables: ConfusionMatrix, tau: Any, base_rate: float | None) -> Any:
    """Return P(better than treating all and none), at a threshold for each table.

    The share of positives is above the threshold among the flagged, and below it among the others:
    both are Beta variables, and independent.
    """
    if base_rate is not None and np.size(tau):
        how: dict[str, Any] = {"threshold": tau, "prior": PRIOR, "base_rate": base_rate}
        return np.asarray(value_of_information(tables, **how).probability_useful)
    tp, fn, fp, tn = (as_float(cell) + PRIOR for cell in tables)
    return betaincc(tp, fp, tau) * betainc(fn, tn, tau)


def prices(base_rate: float) -> NDArray[np.float64]:
    """Return the thresholds looked at: hundredths, and finer ones where a class is rare."""
    low, high = (_rare(share) for share in (base_rate, 1 - base_rate))
    return np.concatenate((low, GRID, 1 - high[::-1]))


def _rare(share: float) -> NDArray[np.float64]:
    least, step = share / RARER, float(GRID[0])
    if not 0 < least < step:
        return GRID[:0]
    return np.geomspace(least, step, 1 + ceil(STEPS * log10(step / least)))[:-1]


def _noticed(advantage: Any, base_rate: Any, treat_all: Any) -> NDArray[np.bool_]:
    """Return where an advantage is a twentieth of what knowing every class would add."""
    return ratio(advantage, base_rate - np.maximum(treat_all, 0.0)) >= ADVANTAGE


def _runs(tau: NDArray[np.float64], useful: NDArray[np.bool_]) -> tuple[Stretch, ...]:
    edges = np.flatnonzero(np.diff(np.concatenate(([0], useful.astype(int), [0]))))
    return tuple(
        (float(tau[a]), float(tau[b - 1])) for a, b in zip(edges[::2], edges[1::2], strict=True)
    )

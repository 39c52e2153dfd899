"""At which thresholds a score is worth using: surely better than treating all and treating none."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arith import ratio
from baserate.utilities.more_data import value_of_information
from baserate.utilities.net_benefit import GRID, PRIOR, NetBenefitCurve, net_benefit_curve

# Of what knowing every class would add to the better of treating all and none. Where the threshold
# is the base rate, this share is the informedness.
ADVANTAGE = 0.05

Stretch = tuple[float, float]


def useful_thresholds(
    curve: NetBenefitCurve, thresholds: Any = None, *, confidence_level: float = 0.95
) -> tuple[Stretch, ...]:
    """Return the stretches of thresholds at which deciding by the score is worth it.

    At each of them by itself, the posterior probability that it is better than treating all and
    treating none is `confidence_level` at least, and what it adds to the better of the two is at
    least a twentieth of what knowing every class would add: near either end of a decision curve a
    score may surely spare a few cases an intervention, and nothing that anyone would see.

    Parameters
    ----------
    curve : NetBenefitCurve
    thresholds : array, optional
        In (0, 1), ascending. Default: 0.01, 0.02, ..., 0.99.
    confidence_level : float

    References
    ----------
    Baker, Cook, Vickers and Kramer (2009), Journal of the Royal Statistical Society A 172:729,
    doi:10.1111/j.1467-985X.2009.00592.x, for this share, the relative utility.

    Examples
    --------
    >>> from baserate import net_benefit_curve
    >>> from baserate.utilities.useful_thresholds import useful_thresholds
    >>> curve = net_benefit_curve([1, 0, 1, 0] * 25, [0.9, 0.2, 0.6, 0.4] * 25)
    >>> useful_thresholds(curve)
    ((0.21, 0.9),)
    """
    tau = np.asarray(GRID if thresholds is None else thresholds, dtype=float)
    rate = curve.base_rate if curve.restated else None
    found = net_benefit_curve(curve.sweep, thresholds=tau, base_rate=rate)
    worst = found if found.worst is None else found.worst
    if found.worst is None:
        sure = np.asarray(curve.information(tau).probability_useful)
    else:
        how: dict[str, Any] = {"threshold": tau, "prior": PRIOR, "base_rate": rate}
        sure = np.asarray(value_of_information(worst.tables, **how).probability_useful)
    room = worst.base_rate - np.maximum(worst.treat_all, 0.0)
    worthwhile = ratio(worst.advantage, room) >= ADVANTAGE
    return _runs(tau, (sure >= confidence_level) & worthwhile)


def _runs(tau: NDArray[np.float64], useful: NDArray[np.bool_]) -> tuple[Stretch, ...]:
    edges = np.flatnonzero(np.diff(np.concatenate(([0], useful.astype(int), [0]))))
    return tuple(
        (float(tau[a]), float(tau[b - 1])) for a, b in zip(edges[::2], edges[1::2], strict=True)
    )

"""A smooth calibration curve: a restricted cubic spline of the logit of the score.

logit P(positive) is a cubic polynomial of logit(score) between any two knots, smooth at each, and a
straight line beyond the outer ones. Knots lie at Harrell's quantiles of the scores.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import nan
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from baserate._arrays import Array
from baserate._checks import float_array
from baserate._result import Result
from baserate.curves.cut_points import Sweep
from baserate.curves.logistic_recalibration import logits
from baserate.curves.losses import probabilities
from baserate.curves.miscalibration import distance_measures
from baserate.curves.score_bins import REMEDY
from baserate.errors import InvalidArgumentError

# Where knots lie among the scores (Harrell 2015, table 2.3).
QUANTILES = {
    3: (0.1, 0.5, 0.9),
    4: (0.05, 0.35, 0.65, 0.95),
    5: (0.05, 0.275, 0.5, 0.725, 0.95),
}
CASES_FOR = {5: 100, 4: 50, 3: 0}  # of the smaller class: fewer bear fewer knots
ROUNDS, SETTLED = 100, 1e-9  # of Newton's rule, and a change of log odds that ends it
DRAWN = 101  # scores at which limits are kept

CERTAIN = "a probability is 0 or 1, so its logit is infinite: clip the scores and say so"
COUNTED = f"no smooth curve is fitted to counted scores: {REMEDY}"
FEW = (
    "the scores have too few distinct values for {} knots: read the calibration slope, or the "
    "isotonic curve"
)
APART = (
    "the scores separate the classes, or nearly so in some range, so that no finite curve fits "
    "best: collect more cases, ask for fewer knots, or read the isotonic curve"
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SmoothCurve(Result):
    """The share of positives at each score, by a restricted cubic spline of the log odds.

    A logistic regression on the spline, without penalty. Its limits hold the curve at one score at
    a time, if the spline can take the true curve's shape: they are asymptotic, from the information
    of the fit, of weighted cases from the sandwich, of clusters from how the fit moves without
    each. The isotonic curve with its band assumes less and says less.

    Attributes
    ----------
    knots : tuple of float
        Scores at Harrell's quantiles; empty where `reason` says why there is no curve.
    coefficients : array of shape (number of knots,)
        Of 1, x = logit(score), and with logits t of the knots, for all but the last two, of
        (x - t_j)₊³ - (x - t_k-1)₊³ (t_k - t_j)/(t_k - t_k-1) + (x - t_k)₊³ (t_k-1 - t_j)/(t_k -
        t_k-1), over (t_k - t_1)².
    scores, level, low, high : array of shape (m,)
        Some scores, from the lowest to the highest of the cases, the curve there, and its limits.
    ici, e50, e90 : float
        Mean, median and 90th percentile of ``|curve - score|`` over the cases, by this curve; those
        of `Calibration` are by the isotonic one. As that they err upwards where cases are few.
    confidence_level : float
    route, reason : str or None

    References
    ----------
    Harrell (2015), Regression Modeling Strategies, Springer, doi:10.1007/978-3-319-19425-7,
    sections 2.4.5 and 2.4.6. Austin and Steyerberg (2014), Statistics in Medicine 33:517,
    doi:10.1002/sim.5941, for smooth calibration curves.

    Examples
    --------
    The outcomes follow risk² exactly where the scores say risk:

    >>> import baserate as br
    >>> risk = [0.1, 0.3, 0.5, 0.7, 0.9]
    >>> truth = [k < 100 * p**2 for p in risk for k in range(100)]
    >>> curve = br.calibration(truth, [p for p in risk for _ in range(100)]).smooth_curve(knots=3)
    >>> curve.knots, round(curve.at(0.5), 2)
    ((0.1, 0.5, 0.9), 0.25)
    """

    knots: tuple[float, ...] = ()
    coefficients: Array = field(default_factory=lambda: np.empty(0))
    scores: Array = field(default_factory=lambda: np.empty(0))
    level: Array = field(default_factory=lambda: np.empty(0))
    low: Array = field(default_factory=lambda: np.empty(0))
    high: Array = field(default_factory=lambda: np.empty(0))
    ici: float = nan
    e50: float = nan
    e90: float = nan
    confidence_level: float = 0.95
    route: str | None = None
    reason: str | None = None

    def at(self, scores: Any) -> Any:
        """Return the curve at these scores: a float, or an array of their shape; nan at 0 and 1."""
        from scipy.special import expit

        at = float_array("scores", scores)
        found = np.full(at.shape, nan)
        inside = (at > 0) & (at < 1) if self.knots else np.zeros(at.shape, dtype=bool)
        if inside.any():
            x = basis(logits(at[inside].astype(float)), logits(np.array(self.knots)))
            found[inside] = expit(x @ self.coefficients)
        return found.item() if found.ndim == 0 else found


class Spline(NamedTuple):
    """A fitted spline."""

    scores: Array  # where knots lie
    turned: Array  # makes the basis orthonormal over the cases, on which rounding hardly bears
    coefficients: Array  # of the turned basis
    inverse: Array  # of the information there

    def design(self, x: Array) -> Array:
        """Return the turned basis at these logits, of shape (n, number of knots)."""
        return basis(x, logits(self.scores)) @ self.turned


# Given a fit, and its design at some scores: how far the log odds there may lie to either side.
Reaches = Callable[[Spline, Array], tuple[Array, Array]]


def fitted_curve(
    swept: Sweep,
    *,
    knots: int | None = None,
    level: float = 0.95,
    scores: Any = None,
    reaches: Reaches | None = None,
) -> SmoothCurve:
    """Return the smooth calibration curve of probabilities; see `SmoothCurve`.

    Its limits are kept at `scores`, all within (0, 1); `reaches` says how far they lie from it,
    where cases are not independent.
    """
    from scipy.special import expit

    if knots is not None and knots not in QUANTILES:
        remedy = "leave it out, for as many as the cases bear"
        raise InvalidArgumentError.from_rule("knots", "must be 3, 4 or 5", knots, remedy)
    asked = None if scores is None else np.atleast_1d(float_array("scores", scores))
    if asked is not None and not ((asked > 0) & (asked < 1)).all():
        rule, remedy = "must lie between 0 and 1", "the log odds of 0 and 1 are infinite"
        raise InvalidArgumentError.from_rule("scores", rule, scores, remedy)
    stated = probabilities(swept)[::-1]
    found = _fit(swept, stated, knots)
    if isinstance(found, str):
        return SmoothCurve(confidence_level=level, reason=found)
    n = np.add(*swept.by_score)[::-1]
    curve = expit(found.design(logits(stated)) @ found.coefficients)
    ici, e50, e90, _ = distance_measures(np.abs(curve - stated), n)
    at = _drawn(stated) if asked is None else asked
    design = found.design(logits(at))
    odds = design @ found.coefficients
    low, high = (
        _by_information(swept, found, design, level) if reaches is None else reaches(found, design)
    )
    return SmoothCurve(
        knots=tuple(found.scores.tolist()),
        coefficients=found.turned @ found.coefficients,
        scores=at,
        level=expit(odds),
        low=expit(odds - low),
        high=expit(odds + high),
        ici=ici,
        e50=e50,
        e90=e90,
        confidence_level=level,
        route="asymptotic",
    )


def basis(x: Array, knots: Array) -> Array:
    """Return Harrell's basis of restricted cubic splines, a constant first.

    Examples
    --------
    Beyond the outer knots every column is a straight line:

    >>> import numpy as np
    >>> from baserate.curves.smooth_curve import basis
    >>> basis(np.array([2.0, 3.0, 4.0]), np.array([-1.0, 0.0, 1.0])).round(3)
    array([[1. , 2. , 3. ],
           [1. , 3. , 4.5],
           [1. , 4. , 6. ]])
    """

    def cubes(at: Any) -> Array:
        return np.maximum(x[:, None] - at, 0.0) ** 3

    *_, before, last = knots
    first = knots[:-2]
    bent = cubes(first) - cubes(before) * (last - first) / (last - before)
    bent += cubes(last) * (before - first) / (last - before)
    return np.column_stack((np.ones(len(x)), x, bent / (last - knots[0]) ** 2))


def _fit(swept: Sweep, stated: Array, knots: int | None) -> Spline | str:
    """Return the fit, with as many knots as cases bear unless it is said, or why there is none."""
    if swept.absent:
        return f"{swept.absent}, so no finite curve fits best: collect cases of both classes"
    if swept.highest is not None:
        return COUNTED
    if stated[0] == 0 or stated[-1] == 1:
        return CERTAIN
    x, positive, negative = logits(stated), *(side[::-1].astype(float) for side in swept.by_score)
    size = positive + negative
    smaller = min(swept.effective_sizes)
    tried = (knots,) if knots else (k for k, least in CASES_FOR.items() if smaller >= least)
    for k in tried:
        reached = np.cumsum(size) / size.sum()
        at = np.searchsorted(reached, np.array(QUANTILES[k]) * (1 - 1e-12))
        if len(x) >= k and (np.diff(at) > 0).all():
            return _climbed(x, positive, size, stated[at]) or APART
    return FEW.format(knots or min(QUANTILES))


def _climbed(x: Array, positive: Array, size: Array, scores: Array) -> Spline | None:
    """Return the fit of greatest likelihood by Newton's rule; None where it never settles."""
    from scipy.special import expit

    plain, share = basis(x, logits(scores)), size / size.sum()
    turned = np.linalg.inv(np.linalg.qr(plain * np.sqrt(share)[:, None], mode="r"))
    z, b = plain @ turned, np.zeros(len(scores))

    def fits(b: Array) -> float:
        return float(positive @ (z @ b) - size @ np.logaddexp(0.0, z @ b))

    for _ in range(ROUNDS):
        p = expit(z @ b)
        information = (z * (size * p * (1 - p))[:, None]).T @ z
        try:
            inverse = np.linalg.inv(information)
        except np.linalg.LinAlgError:
            return None
        step = inverse @ (z.T @ (positive - size * p))
        change = float(np.abs(z @ step).max())
        if not np.isfinite(change):
            return None
        if change <= SETTLED:
            return Spline(scores, turned, b + step, inverse)
        while change > 1 and fits(b + step) < fits(b):
            step, change = step / 2, change / 2
        b = b + step
    return None


def _by_information(swept: Sweep, fit: Spline, design: Array, level: float) -> tuple[Array, Array]:
    """Return limits from the information, of weighted cases from the sandwich around it."""
    from scipy.special import expit

    covariance = fit.inverse
    if swept.squared_weights is not None:
        z = fit.design(logits(probabilities(swept)))
        p = expit(z @ fit.coefficients)
        up, down = (np.diff(side) for side in swept.squared_weights)
        noise = (z * (up * (1 - p) ** 2 + down * p**2)[:, None]).T @ z
        covariance = fit.inverse @ noise @ fit.inverse
    errors = np.sqrt(np.einsum("ij,jk,ik->i", design, covariance, design))
    far = NormalDist().inv_cdf((1 + level) / 2) * errors
    return far, far


def _drawn(stated: Array) -> Array:
    """Return scores from the lowest to the highest, as close together as odds and risks change."""
    from scipy.special import expit

    ends = stated[[0, -1]]
    low, high = logits(ends)
    even = np.linspace(ends[0], ends[1], DRAWN // 2 + 1)
    odds = expit(np.linspace(low, high, DRAWN // 2 + 1))
    return np.unique(np.concatenate((even, odds[1:-1])))

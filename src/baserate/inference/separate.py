"""Two classifiers, each on a test set of its own, compared by any metric."""

from collections.abc import Callable
from functools import cached_property
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import root_scalar
from scipy.special import betaincinv, ndtr, ndtri

from baserate._checks import number_in
from baserate.counts import CELLS, ConfusionMatrix
from baserate.errors import InvalidArgumentError
from baserate.inference._bounded_law import BoundedLaw
from baserate.inference._comparison import UNDEFINED, Comparison, Found, comparison
from baserate.inference._distribution import distribution
from baserate.inference._evidence import Evidence, evidence
from baserate.inference._expectation import exceeds
from baserate.inference._linearity import cell_weights
from baserate.inference._posterior import Posterior
from baserate.inference._scrambled import simulate
from baserate.inference.bayes import quantiles
from baserate.inference.dirichlet_linear import DirichletLinear
from baserate.metrics import Metric, get

Array = NDArray[np.float64]
Function = Callable[[Array], Array]

SPAN = 7.0  # normal quantiles to integrate over; 1e-12 lies beyond
NODES = 28
HALF = 0.5  # cases added to each cell, as `interval` adds them


def compare_separate(
    metric: str | Metric,
    a: ConfusionMatrix,
    b: ConfusionMatrix,
    *,
    confidence_level: float = 0.95,
    rng: Any = None,
) -> Comparison:
    """Return the posterior of metric(A) - metric(B) for classifiers tested on cases of their own.

    Either metric has the posterior law that `interval` takes: cell shares Dirichlet(cells + 1/2).
    The two are independent, so P(A higher) = ∫ F_B dF_A. It is exact for proportions such as
    accuracy, recall and precision, and for utilities. For other metrics the integral runs over 29
    normal quantiles of one of them; half of these give the error that is stated, a cautious one. A
    metric that is not monotone in its rates is simulated, if `rng` is given.

    Parameters
    ----------
    metric : Metric or str
    a, b : ConfusionMatrix
        Single tables.
    confidence_level : float
        In (0, 1).
    rng : numpy.random.Generator or int
        Needed where the difference must be simulated, and used nowhere else.

    Returns
    -------
    Comparison
        All nan, with route "undefined", if the metric is undefined at one of the tables.

    Raises
    ------
    UnsupportedError
        The metric is not monotone in its rates, and no `rng`.
    InvalidArgumentError
        A batch of tables.

    References
    ----------
    Goutte and Gaussier (2005), A probabilistic interpretation of precision, recall and F-score,
    ECIR, doi:10.1007/978-3-540-31865-1_25, who simulate P(A better).

    Examples
    --------
    >>> a = ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
    >>> b = ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)
    >>> found = compare_separate("f1", a, b)
    >>> round(found.probability_a_better, 4), round(found.low, 3), round(found.high, 3)
    (0.0061, -0.333, -0.04)
    """
    metric = get(metric)
    for name, table in (("a", a), ("b", b)):
        if table.shape != ():
            given, remedy = f"a batch of shape {table.shape}", "compare one pair at a time"
            raise InvalidArgumentError.from_rule(name, "must be a single table", given, remedy)
    level = number_in("confidence_level", confidence_level, "(0, 1)", "0.95 is usual")
    values = float(metric(a)), float(metric(b))
    if any(map(isnan, values)):
        return comparison(metric, values, level, UNDEFINED)
    laws = [_exact_law(metric, table) for table in (a, b)]
    if laws[0] is not None and laws[1] is not None:
        return comparison(metric, values, level, _from_laws(laws[0], laws[1], level))
    side_a, side_b = _Side(metric, a), _Side(metric, b)
    if side_a.known and side_b.known:
        return comparison(metric, values, level, _from_quantiles(side_a, side_b, level))
    return comparison(metric, values, level, simulate(metric, 6, _Cells(a, b), level, rng))


def _exact_law(metric: Metric, table: ConfusionMatrix) -> BoundedLaw | None:
    """Return the law of a proportion, or of a weighted sum of cell shares."""
    cells = {name: float(cell) for name, cell in zip(CELLS, table, strict=True)}
    if metric.proportion is not None:
        x, y = (sum(cells[cell] for cell in side) for side in metric.proportion)
        return DirichletLinear([1.0, 0.0], [x + HALF, y + HALF])
    weights = cell_weights(metric)
    if weights is None:
        return None
    return DirichletLinear(weights, [cell + HALF for cell in cells.values()])


def _from_laws(a: BoundedLaw, b: BoundedLaw, level: float) -> Found:
    higher = exceeds(a, b)
    ends = _interval(lambda gap: exceeds(a, b, gap), (a.knots, b.knots), level)
    return Found(*ends, higher, exceeds(b, a), "exact")


class _Side:
    """One classifier's metric: its distribution function and its quantiles."""

    def __init__(self, metric: Metric, table: ConfusionMatrix) -> None:
        self.metric = metric
        self.posterior = Posterior(metric, table)
        self.known = metric.trend_in_fp != "unknown" and self.posterior.plan is not None

    @cached_property
    def cdf(self) -> Function:
        """Return P(metric <= s) for an array of s."""
        assert self.posterior.plan is not None  # `known` was asked first
        return distribution(self.posterior, self.posterior.plan)

    @cached_property
    def spread(self) -> float:
        """Standard deviation on the small grid of the posterior."""
        values, weights = self.posterior.guide
        mean = (weights * values).sum()
        return float((weights * (values - mean) ** 2).sum() ** 0.5)

    @cached_property
    def ends(self) -> Array:
        """Values between which nearly all of the probability lies."""
        tails = ndtr(np.array([-SPAN, SPAN]))
        return quantiles(self.cdf, self.posterior.guide, tails, self.metric.bounds)

    @cached_property
    def quantiles(self) -> Array:
        """Values at equally spaced normal quantiles."""
        levels = ndtr(np.linspace(-SPAN, SPAN, NODES + 1))
        return quantiles(self.cdf, self.posterior.guide, levels, self.metric.bounds)


def _from_quantiles(a: _Side, b: _Side, level: float) -> Found:
    """Take the expectation over the more certain classifier, in which the other's law is smooth."""
    if b.spread < a.spread:
        turned = _from_quantiles(b, a, level)
        ends = -turned.high, -turned.low
        return Found(*ends, turned.lower, turned.higher, turned.route, turned.error)
    z = np.linspace(-SPAN, SPAN, NODES + 1)
    weights = np.exp(-z * z / 2)
    weights /= weights.sum()

    def shares(gap: float) -> Array:
        return np.clip(b.cdf(a.quantiles - gap), 0.0, 1.0)

    at_zero = shares(0.0)
    higher = float(weights @ at_zero)
    halved = float(weights[::2] @ at_zero[::2] / weights[::2].sum())
    span = a.quantiles[[0, -1]], b.ends
    ends = _interval(lambda gap: float(weights @ shares(gap)), span, level)
    return Found(*ends, higher, 1 - higher, "gauss", abs(higher - halved))


def _interval(
    exceeds_by: Callable[[float], float], ends: tuple[Array, Array], level: float
) -> tuple[float, float]:
    """Find the gaps that A - B exceeds with given probabilities, on the normal scale."""
    low, high = float(ends[0][0] - ends[1][-1]), float(ends[0][-1] - ends[1][0])
    if low == high:
        return low, high

    def root(share: float) -> float:
        def function(gap: float) -> float:
            return float(ndtri(np.clip(exceeds_by(gap), 1e-16, 1 - 1e-16)) - ndtri(share))

        return float(root_scalar(function, bracket=(low, high), xtol=1e-9 * (high - low)).root)

    return root((1 + level) / 2), root((1 - level) / 2)


class _Cells:
    """Turns points of the cube into the cells of two independent tables."""

    def __init__(self, a: ConfusionMatrix, b: ConfusionMatrix) -> None:
        self.sides = evidence(a), evidence(b)

    def __call__(self, u: Array) -> tuple[Array, Array]:
        """Return (tp, fn, fp, tn) of A and of B for each point."""
        return _cells(self.sides[0], u[:, :3]), _cells(self.sides[1], u[:, 3:])


def _cells(known: Evidence, u: Array) -> Array:
    (pi, no), (r, miss), (f, rest) = (
        (betaincinv(a, b, q), betaincinv(b, a, 1 - q))
        for (a, b), q in zip(known.laws, u.T, strict=True)
    )
    return known.n * np.array([pi * r, pi * miss, no * f, no * rest])

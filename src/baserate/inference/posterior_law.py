"""The posterior law of a metric at one table, by the first route that has it.

One share of cases decides the metric: an incomplete beta function. It is a weighted sum of cell
shares: one integral. It is linear in two rates: one integral of two Beta laws. It rises or falls
with the share of right cases: a product rule. Few counts leave it kinks: rules between these. Else
it is drawn.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from baserate._checks import as_number
from baserate._large_beta import betainc
from baserate._result import Result
from baserate.cases.counted import Counted
from baserate.cases.several_classes import ClassCounted
from baserate.class_counts import ClassTable, single_class_table
from baserate.counts import CELLS, ConfusionMatrix, single_table
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.inference.beta import Beta
from baserate.inference.bounded_law import BoundedLaw
from baserate.inference.class_draws import ClassPosterior
from baserate.inference.class_values import drawn_values
from baserate.inference.dirichlet_linear import DirichletLinear
from baserate.inference.linearity import at_share, cell_weights, deciding_share, rate_weights
from baserate.inference.metric_law import distribution
from baserate.inference.posterior import Posterior
from baserate.inference.posterior_cdf import distribution_within
from baserate.inference.rate_posteriors import (
    Evidence,
    cases_per_weight,
    evidence,
    is_dirichlet,
    refuse_beyond,
)
from baserate.inference.several_classes import (
    N_DRAWS,
    SEED,
    effective_table,
    of_hit_share,
    value_at_hit_share,
    with_even_prior,
)
from baserate.inference.simulation import values_at_points
from baserate.inference.sums import TwoBetas
from baserate.metrics import ClassMetric, Metric, binary_metric, class_metric

Array = NDArray[np.float64]

HALF = 0.5  # of a case, which the prior adds to either side of a share
ACCURACY = 1e-8  # of a distribution function by a product rule
CORNERS = 1e-7  # of one by rules between kinks
FARTHEST, HALVINGS = 700.0, 64  # logits of a share, and how often the way to it is halved
SAME = 1e-14  # relative, of two values of a constant
OPERATORS = ">=", "<=", "==", "!=", ">", "<"
STATEMENT = re.compile(rf"\s*({'|'.join(OPERATORS)})\s*(\S+)\s*")


@dataclass(frozen=True, eq=False)
class PosteriorLaw:
    """P(metric <= s) and P(metric > s), how they are computed, and their error.

    `exact` is the law itself where it is known on a bounded range.
    """

    route: str
    sides: Callable[[Array], tuple[Array, Array]]
    error: float = 0.0
    exact: BoundedLaw | None = None

    def cdf(self, s: Any) -> Array:
        """P(metric <= s)."""
        return self.sides(np.asarray(s, dtype=float))[0]

    def sf(self, s: Any) -> Array:
        """P(metric > s)."""
        return self.sides(np.asarray(s, dtype=float))[1]


def _exactly(found: BoundedLaw) -> PosteriorLaw:
    def sides(s: Array) -> tuple[Array, Array]:
        return found.evaluate(s)[:2]

    constant = found.knots[0] == found.knots[-1]
    return PosteriorLaw("constant" if constant else "exact", sides, exact=found)


def law(
    metric: Metric | ClassMetric,
    table: ConfusionMatrix | ClassTable,
    squared: ConfusionMatrix | float | None = None,
) -> PosteriorLaw:
    """Return the posterior law of a metric at one table at which it has a value.

    Examples
    --------
    >>> from baserate import ConfusionMatrix, metrics
    >>> from baserate.inference.posterior_law import law
    >>> t = ConfusionMatrix(tp=35, fn=5, fp=10, tn=50)
    >>> for metric in (metrics.f1, metrics.informedness, metrics.matthews_correlation):
    ...     found = law(metric, t)
    ...     print(metric.name, found.route, f"{found.sf(0.7):.3f}")
    f1 jeffreys 0.990
    informedness exact 0.492
    matthews_correlation gauss 0.431
    """
    if isinstance(table, ClassTable):
        assert isinstance(metric, ClassMetric)
        return _of_classes(metric, effective_table(table, squared))
    assert isinstance(metric, Metric)
    assert squared is None or isinstance(squared, ConfusionMatrix)
    share = deciding_share(metric)
    if share is None:
        return law_given(metric, evidence(table, squared))
    cells: dict[str, float] = dict(zip(CELLS, map(float, table), strict=True))
    scale = cases_per_weight(table, squared, share[0] + share[1])
    x, y = (scale * sum(cells[cell] for cell in side) for side in share)
    refuse_beyond(x + y)
    return of_share(lambda p, q: at_share(metric, table, p, q), x + HALF, y + HALF)


def law_given(metric: Metric, known: Evidence) -> PosteriorLaw:
    """Return the law of a metric that no one share decides, given what is known of three rates."""
    if (found := linear(metric, known)) is not None:
        return _exactly(found)
    if metric.trend_in_fp != "unknown":
        if (rule := distribution(metric, known, ACCURACY)) is not None:
            return _by_rule(*rule)
        posterior = Posterior(metric, known)
        if posterior.plan is not None:
            return _by_rule(*distribution_within(posterior, posterior.plan, CORNERS))
    return _drawn("quasi-monte-carlo", values_at_points(metric, known))


def linear(metric: Metric, known: Evidence) -> BoundedLaw | None:
    """Return the law of a metric that is linear in cell shares, or in recall and specificity."""
    weights = cell_weights(metric)
    if weights is not None and is_dirichlet(known):
        return DirichletLinear(weights, np.concatenate(known.laws[1:]))
    rates = rate_weights(metric)
    if rates is None:
        return None
    start, parts = float(metric.on_rates(0.5, 0.5, 0.5)) - sum(rates) / 2, []
    for weight, (right, wrong) in zip(rates, (known.laws[1], known.laws[2][::-1]), strict=True):
        if weight < 0:  # of the opposite rate, with its own digits
            start += weight
            right, wrong = wrong, right  # noqa: PLW2901 - the law of the same rate
        if weight:
            parts.append((abs(weight), Beta(float(right), float(wrong))))
    if len(parts) == 2:
        (a, x), (b, y) = parts
        return TwoBetas(x, y, a, b, start)
    if not parts:
        return DirichletLinear([start], [1.0])
    [(a, x)] = parts
    return DirichletLinear([start, start + a], [x.b, x.a])


def of_share(value: Callable[[Array, Array], Any], x: float, y: float) -> PosteriorLaw:
    """Return the law of what moves one way with a share p = 1 - q, which is Beta(x, y)."""
    little, much = np.array(0.25), np.array(0.75)
    rising = float(value(much, little)) > float(value(little, much))

    def sides(s: Array) -> tuple[Array, Array]:
        low, high = np.full((2, s.size), [[-FARTHEST], [FARTHEST]])
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            found = np.asarray(value(expit(middle), expit(-middle)), dtype=float)
            beyond = (found > s.ravel()) == rising
            low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
        below, above = betainc(x, y, expit(high)), betainc(y, x, expit(-high))
        pair = (below, above) if rising else (above, below)
        return pair[0].reshape(s.shape), pair[1].reshape(s.shape)

    return PosteriorLaw("jeffreys", sides)


def _by_rule(cdf: Callable[[Array], Array], error: float) -> PosteriorLaw:
    def sides(s: Array) -> tuple[Array, Array]:
        below = np.clip(cdf(s.ravel()), 0.0, 1.0).reshape(s.shape)
        return below, 1 - below

    return PosteriorLaw("gauss", sides, error)


def _drawn(route: str, values: Array) -> PosteriorLaw:
    defined = np.sort(values[~np.isnan(values)])

    def sides(s: Array) -> tuple[Array, Array]:
        below = np.searchsorted(defined, s, side="right") / defined.size
        return below, 1 - below

    return PosteriorLaw(route, sides, HALF / sqrt(defined.size) if defined.size else nan)


def _of_classes(metric: ClassMetric, table: ClassTable) -> PosteriorLaw:
    if table.n_classes == 2 and metric.two_classes is not None:
        return law(metric.two_classes, table.one_vs_rest(table.labels[1]))
    cells, k = table.counts.astype(float), table.n_classes
    hits, errors = float(np.trace(cells)), float(cells.sum() - np.trace(cells))
    refuse_beyond(hits + errors)
    if metric.weights is not None:
        weights = metric.weights(k)
        if not of_hit_share(metric, k):
            return _exactly(DirichletLinear(weights.ravel(), with_even_prior(cells).ravel()))
        off, on = float(weights[0, 1]), float(weights[0, 0])
        return of_share(lambda p, q: on * p + off * q, hits + HALF, errors + HALF)
    if of_hit_share(metric, k):
        n = hits + errors
        return of_share(
            lambda p, _: value_at_hit_share(metric, p.ravel(), k, n), hits + HALF, errors + HALF
        )
    rng, posterior = np.random.default_rng(SEED), ClassPosterior(cells, float(table.n))
    parts = posterior.parts(N_DRAWS, rng)
    [found] = drawn_values([metric], table, parts, float(cells.sum()), rng)
    return _drawn("simulation", found.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementProbability(Result):
    """How probable a statement about a metric is; ``float()`` gives it.

    Attributes
    ----------
    metric, statement : str
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
    value: float = nan
    route: str | None = None
    error: float = 0.0
    reason: str | None = None

    def __float__(self) -> float:
        return self.value


def probability(
    metric: str | Metric | ClassMetric,
    table: ConfusionMatrix | Counted | ClassTable | ClassCounted,
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
        A single table. Weighted cases are worth Kish's effective number.
    statement : str
        One of >=, >, <=, <, ==, != and a number: ">= 0.8".

    Returns
    -------
    StatementProbability
        nan where the metric is undefined, with the `reason`.

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
    18 of 20 positives are found:

    >>> import baserate as br
    >>> t = br.ConfusionMatrix(tp=18, fn=2, fp=9, tn=71)
    >>> found = br.probability("recall", t, ">= 0.8")
    >>> round(found.value, 2), found.route
    (0.87, 'jeffreys')
    >>> round(float(br.probability("mcc", t, "> 0.5")), 3)
    0.985
    >>> iris = br.ClassTable([[50, 0, 0], [0, 48, 2], [0, 1, 49]])
    >>> found = br.probability("macro_f1", iris, ">= 0.95")
    >>> round(found.value, 2), found.route, found.error < 0.01
    (0.97, 'simulation', True)
    """
    operator, at = _read(statement)
    squared: Any = None
    if isinstance(table, Counted | ClassCounted):
        if table.design is not None:
            message = (
                "cases in clusters have no posterior: ask for the interval, whose lower limit is "
                "a guarantee that counts clusters."
            )
            raise UnsupportedError(message)
        squared = table.squared
        if isinstance(table, ClassCounted) and squared is not None:
            squared = squared.n
        table = table.table
    if isinstance(table, ClassTable):
        asked: Any = class_metric(metric)
        single_class_table("table", table)
    else:
        asked = binary_metric(metric)  # pyright: ignore[reportArgumentType] - it refuses others
        single_table("table", table)
    known = {"metric": asked.name, "statement": f"{operator} {at:g}"}
    if (reason := asked.undefined_reason(table)) is not None:
        return StatementProbability(**known, reason=reason)
    found = law(asked, table, squared)
    below, above = (float(side) for side in found.sides(np.array(at)))
    same = 0.0
    if found.route == "constant" and found.exact is not None:
        same = float(abs(at - found.exact.mean) <= SAME * max(1.0, abs(at)))
        below = max(below, same)
    value = {
        ">": 1 - below if same else above,
        ">=": max(above, same),
        "<": 0.0 if same else below,
        "<=": below,
        "==": same,
        "!=": 1 - same,
    }[operator]
    return StatementProbability(**known, value=value, route=found.route, error=found.error)


def _read(statement: str) -> tuple[str, float]:
    parts = STATEMENT.fullmatch(statement) if isinstance(statement, str) else None  # pyright: ignore[reportUnnecessaryIsInstance]
    number = nan if parts is None else as_number(_number(parts[2]))
    if parts is None or not np.isfinite(number):
        rule = "must be one of >=, >, <=, <, ==, != and a number"
        raise InvalidArgumentError.from_rule(
            "statement", rule, statement, 'write for example ">= 0.8"'
        )
    return parts[1], number


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return nan

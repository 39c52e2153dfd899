"""The law of predicted risks in a population: what is expected of a validation before it is done.

A law is a rule: places of the linear predictor (the log odds of the predicted risk) and weights.
Continuous ones are Gauss rules on panels no wider than the law is, so that smooth functions are
integrated up to rounding.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri, polygamma

from baserate._checks import finite, float_array, number_in, numbers_in
from baserate._large_beta import betaincinv
from baserate._quadrature import legendre_nodes
from baserate.errors import InvalidArgumentError
from baserate.inference.beta import Beta

Array = NDArray[np.float64]

NODES = 16  # of each panel
FAR = 12.0  # standard deviations beyond which a normal law is nothing
NOTHING = 1e-18
EDGE = 700.0  # log odds beyond which a risk is 0 or 1 in floating point


class RiskLaw(NamedTuple):
    """Places of the linear predictor, their weights, and risks; `panels` if continuous."""

    places: Array
    weights: Array
    risks: Array
    panels: int | None

    @property
    def base_rate(self) -> float:
        """Mean risk."""
        return float(self.weights @ self.risks)

    @property
    def slope_variance(self) -> float:
        """Variance of the calibration slope's estimate, times the number of cases.

        The inverse of the information matrix of intercept and slope: 1 over the sum of p (1 - p)
        times the variance of the linear predictor under weights p (1 - p).
        """
        information = self.weights * self.risks * (1 - self.risks)
        total = information.sum()
        mean = information @ self.places / total
        return float(1 / (information @ (self.places - mean) ** 2))

    @property
    def auc(self) -> float:
        """P(a positive has the higher score) + P(equal)/2."""
        positive, negative = self.weights * self.risks, self.weights * (1 - self.risks)
        if self.panels is None:
            _, place = np.unique(self.places, return_inverse=True)
            found, others = (np.bincount(place, part) for part in (positive, negative))
            below = np.cumsum(others) - others / 2
            return float(found @ below / found.sum() / others.sum())
        rows = negative.reshape(self.panels, -1)
        before = np.cumsum(rows.sum(axis=1)) - rows.sum(axis=1)
        below = before[:, None] + rows @ _running().T
        pairs = self.base_rate * float(self.weights @ (1 - self.risks))
        return float((positive.reshape(self.panels, -1) * below).sum() / pairs)

    def rates(self, threshold: float) -> tuple[float, float]:
        """Return recall and specificity where a predicted risk of at least `threshold` is flagged.

        The law must have a panel that ends there.
        """
        flagged = self.places >= logit(threshold)
        positive, negative = self.weights * self.risks, self.weights * (1 - self.risks)
        recall = positive[flagged].sum() / positive.sum()
        return float(recall), float(negative[~flagged].sum() / negative.sum())


def _running() -> Array:
    """Return the matrix that takes weighted values at the nodes to integrals up to each node."""
    x, weights = legendre_nodes(NODES)
    basis = np.polynomial.legendre.legvander(2 * x - 1, NODES - 1)
    inverse = np.linalg.inv(basis)
    integrals = np.array(
        [
            np.polynomial.legendre.legval(
                2 * x - 1, np.polynomial.legendre.legint(np.eye(NODES)[k], lbnd=-1)
            )
            for k in range(NODES)
        ]
    )
    return (integrals.T / 2 @ inverse) / weights


STEEPEST = 100  # beyond, every risk is 0 or 1


def risk_law(
    *,
    scores: Any = None,
    linear_predictor: Any = None,
    beta: Any = None,
    auc: float | None = None,
    base_rate: float | None = None,
    threshold: float | None = None,
    intercept: float = 0.0,
    slope: float = 1.0,
) -> RiskLaw:
    """Return the law of given scores, or the one that parameters state."""
    given = [name for name, value in (("scores", scores), ("linear_predictor", linear_predictor),
                                      ("beta", beta)) if value is not None]  # fmt: skip
    intercept, slope = _line("intercept", intercept), _line("slope", slope)
    if len(given) > 1:
        rule, remedy = "must be one law of the predicted risks", "pass one of them"
        raise InvalidArgumentError.from_rule(" and ".join(given), rule, given, remedy)
    panels = None
    if scores is not None:
        risks = np.ravel(numbers_in("scores", scores, "(0, 1)", "pass risks that are not certain"))
        places, weights = logit(risks), np.full(risks.size, 1 / max(risks.size, 1))
        if not risks.size:
            rule, remedy = "must hold risks", "pass those of a pilot study"
            raise InvalidArgumentError.from_rule("scores", rule, risks.size, remedy)
    else:
        low, high, width, log_density = _stated(linear_predictor, beta, auc, base_rate)
        cuts = _cuts(low, high, width, threshold)
        panels, places, weights = _on_panels(cuts, log_density)
    return RiskLaw(places, weights / weights.sum(), expit(intercept + slope * places), panels)


def _line(argument: str, given: Any) -> float:
    """Return an intercept or a slope of calibration."""
    found = finite(argument, given, "0 and 1 are those of calibrated risks")
    if abs(found) > STEEPEST:
        rule = f"must lie between -{STEEPEST:g} and {STEEPEST:g}"
        remedy = "0 and 1 are those of calibrated risks"
        raise InvalidArgumentError.from_rule(argument, rule, given, remedy)
    return found


def _stated(linear_predictor: Any, beta: Any, auc: Any, base_rate: Any) -> Any:
    """Return ends, width and log density of the linear predictor."""
    if linear_predictor is not None:
        mean, sd = _pair("linear_predictor", linear_predictor)
        sd = number_in("linear_predictor", sd, "(0, inf)", "pass (mean, standard deviation)")
        return mean - FAR * sd, mean + FAR * sd, sd, lambda x: -(((x - mean) / sd) ** 2) / 2
    if beta is not None:
        a, b = (
            number_in("beta", value, "(0, inf)", "pass (a, b)") for value in _pair("beta", beta)
        )
        low, high = betaincinv(a, b, NOTHING), betaincinv(b, a, NOTHING)
        ends = [max(float(logit(end)), -EDGE) for end in (low, high)]
        width = float(np.sqrt(polygamma(1, a) + polygamma(1, b)))
        return ends[0], -ends[1], width, lambda x: Beta(a, b).log_density(expit(x), expit(-x))
    if auc is None or base_rate is None:
        rule = "must be stated for the calibration slope, and for net benefit without rates"
        remedy = "pass both auc and base_rate (--auc, --base-rate), linear_predictor "
        remedy += "(--lp-mean, --lp-sd), beta (--beta-a, --beta-b), or in Python scores"
        raise InvalidArgumentError.from_rule("a law of the predicted risks", rule, None, remedy)
    return _binormal(auc, base_rate)


def _binormal(auc: float, base_rate: float) -> Any:
    """Return the calibrated law that is normal with one variance in each class.

    Its log odds are the linear predictor itself: means logit(base rate) -/+ variance / 2, and
    variance 2 z(auc)².
    """
    if auc <= 0.5:
        rule, remedy = "must exceed 0.5", "state the law of the predicted risks instead"
        raise InvalidArgumentError.from_rule("auc", rule, auc, remedy)
    variance, middle = 2 * float(ndtri(auc)) ** 2, float(logit(base_rate))
    sd, means = variance**0.5, (middle - variance / 2, middle + variance / 2)
    shares = 1 - base_rate, base_rate

    def log_density(x: Array) -> Array:
        parts = [
            np.log(p) - ((x - mean) / sd) ** 2 / 2 for p, mean in zip(shares, means, strict=True)
        ]
        return np.logaddexp(*parts)

    return means[0] - FAR * sd, means[1] + FAR * sd, sd, log_density


def _pair(argument: str, value: Any) -> tuple[float, float]:
    array = float_array(argument, value)
    if array.shape != (2,) or not np.isfinite(array).all():
        remedy = "pass (mean, sd)" if argument == "linear_predictor" else "pass (a, b)"
        raise InvalidArgumentError.from_rule(argument, "must be two numbers", value, remedy)
    first, second = array.tolist()
    return first, second


def _cuts(low: float, high: float, width: float, threshold: float | None) -> Array:
    """Return where panels meet: no wider than the law or than one, one at the threshold."""
    panels = int(np.ceil((high - low) / min(width, 1.0)))
    cuts = np.linspace(low, high, panels + 1)
    if threshold is not None and low < logit(threshold) < high:
        cuts = np.unique(np.append(cuts, logit(threshold)))
    return cuts


def _on_panels(cuts: Array, log_density: Any) -> tuple[int, Array, Array]:
    x, weights = legendre_nodes(NODES)
    lengths = np.diff(cuts)[:, None]
    places = cuts[:-1, None] + lengths * x
    log_height = log_density(places)
    height = np.exp(log_height - log_height.max())
    return len(lengths), places.ravel(), (height * weights * lengths).ravel()

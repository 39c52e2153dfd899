"""How many cases it takes to validate a model of probabilities with intervals this narrow.

The law of predicted risks is a rule: places of the linear predictor (the log odds of the risk) and
weights. Continuous ones are Gauss rules on panels no wider than the law is, so that smooth
functions are integrated up to rounding.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import asinh, ceil, exp, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial import legendre
from scipy.special import expit, logit, ndtri, polygamma

from baserate._arrays import Array
from baserate._beta import betaincinv
from baserate._checks import as_number, confidence, finite, float_array, number_in, numbers_in
from baserate._quadrature import legendre_nodes
from baserate._result import Result
from baserate.errors import InvalidArgumentError
from baserate.inference.beta import Beta

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
        """Variance of the calibration slope's estimate, times the number of cases."""
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
        """Return recall and specificity where a risk of at least `threshold` is flagged."""
        flagged = self.places >= logit(threshold)
        positive, negative = self.weights * self.risks, self.weights * (1 - self.risks)
        recall = positive[flagged].sum() / positive.sum()
        return float(recall), float(negative[~flagged].sum() / negative.sum())


def _running() -> Array:
    """Return the matrix that takes weighted values at the nodes to integrals up to each node."""
    x, weights = legendre_nodes(NODES)
    basis = legendre.legvander(2 * x - 1, NODES - 1)
    inverse = np.linalg.inv(basis)
    integrals = legendre.legval(2 * x - 1, legendre.legint(np.eye(NODES), lbnd=-1))
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
    laws = {"scores": scores, "linear_predictor": linear_predictor, "beta": beta}
    given = [name for name, value in laws.items() if value is not None]
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
    remedy = "0 and 1 are those of calibrated risks"
    found = finite(argument, given, remedy)
    if abs(found) > STEEPEST:
        rule = f"must lie between -{STEEPEST:g} and {STEEPEST:g}"
        raise InvalidArgumentError.from_rule(argument, rule, given, remedy)
    return found


def _stated(linear_predictor: Any, beta: Any, auc: Any, base_rate: Any) -> Any:
    if linear_predictor is not None:
        mean, sd = _pair("linear_predictor", linear_predictor)
        sd = number_in("linear_predictor", sd, "(0, inf)", "pass (mean, standard deviation)")
        return mean - FAR * sd, mean + FAR * sd, sd, lambda x: -(((x - mean) / sd) ** 2) / 2
    if beta is not None:
        a, b = (
            number_in("beta", value, "(0, inf)", "pass (a, b)") for value in _pair("beta", beta)
        )
        ends = [max(float(logit(betaincinv(*pair, NOTHING))), -EDGE) for pair in ((a, b), (b, a))]
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
    return array[0].item(), array[1].item()


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


NARROWEST = 1e-9  # of an interval that a sample of any size could have
WIDTH = "pass the width of the interval, as 0.2"


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeCriterion(Result):
    """One measure, and the cases that its interval takes.

    Attributes
    ----------
    n : int
        Fewest cases at which the interval is expected to be at most `width` wide.
    value, low, high : float
        Anticipated, and the interval to be expected at n cases.
    width : float
    standard_error : float
        At n cases: of the logarithm for O:E, else of the measure.
    """

    n: int
    value: float
    low: float
    high: float
    width: float
    standard_error: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationSize(Result):
    """How many cases a validation needs; ``float()`` gives it.

    Attributes
    ----------
    n : int
        The largest of the `criteria`, which the `binding` one asks for; of "calibration", where
        widths are named, the largest of these: any other one that asks for more stands beside it.
    events : float
        Positives expected among them.
    criteria : dict of name to SizeCriterion
        Of "oe", "slope", "auc" and "net_benefit", those that were asked for.
    base_rate, auc : float
        Anticipated.
    law_base_rate, law_auc : float or None
        What the stated law of risks implies for both, if one was used. Where these differ from what
        is anticipated, the law is one of another population.
    confidence_level : float
    """

    n: int
    events: float
    binding: str
    criteria: dict[str, SizeCriterion]
    base_rate: float
    auc: float | None
    law_base_rate: float | None
    law_auc: float | None
    confidence_level: float

    def __float__(self) -> float:
        return float(self.n)

    def bound_by(self, names: Collection[str]) -> "ValidationSize":
        """Return the same, with the size that these criteria ask for; of none of them, all."""
        among = {name: one.n for name, one in self.criteria.items() if name in names}
        if not among:
            return self
        binding = max(among, key=among.__getitem__)
        n = among[binding]
        return replace(self, n=n, events=n * self.base_rate, binding=binding)


def validation_sample_size(
    *,
    base_rate: float | None = None,
    auc: float | None = None,
    scores: Any = None,
    linear_predictor: tuple[float, float] | None = None,
    beta: tuple[float, float] | None = None,
    oe_width: float | None = 0.2,
    slope_width: float | None = 0.2,
    auc_width: float | None = 0.1,
    net_benefit_width: float | None = 0.2,
    threshold: float | None = None,
    recall: float | None = None,
    specificity: float | None = None,
    oe: float = 1.0,
    intercept: float = 0.0,
    slope: float = 1.0,
    confidence_level: float = 0.95,
) -> ValidationSize:
    """Return how many cases make the intervals of a validation this narrow; see `sample_size`.

    For each measure the fewest n at which its interval is expected to be no wider than asked for,
    with z = z(confidence level), p the base rate and w = (1 - p)/p τ/(1 - τ):

    - O:E: oe exp(± z s) with s² = (1 - p)/(n p);
    - calibration slope: ± z s with s² = I₀₀/(n (I₀₀ I₁₁ - I₀₁²)), I the information per case of
      intercept and slope, integrated over the law of the linear predictor;
    - ROC area C: ± z s with s² = C (1 - C) (1 + (n/2 - 1) ((1 - C)/(2 - C) + C/(1 + C)))
      / (n² p (1 - p));
    - standardized net benefit at threshold τ, recall R, specificity S: ± z s with s² =
      (R (1 - R)/p + w² S (1 - S)/(1 - p) + w² (1 - S)²/(p (1 - p)))/n.

    These are the criteria of pmvalsampsize (Riley and others 2021, Statistics in Medicine 40:4230,
    doi:10.1002/sim.9025; Newcombe 2006, doi:10.1002/sim.2324, for the area): normal approximations
    all, so that with few events intervals that keep their level are wider.
    """
    z = float(ndtri((1 + confidence(confidence_level)) / 2))
    widths = {
        "oe": oe_width,
        "slope": slope_width,
        "auc": auc_width,
        "net_benefit": None if threshold is None else net_benefit_width,
    }
    asked = {
        name: _width(f"{name}_width", width) for name, width in widths.items() if width is not None
    }
    stated = {"base_rate": base_rate, "auc": auc, "threshold": threshold}
    known = {
        name: None if v is None else number_in(name, v, "(0, 1)", "pass a share, as 0.1")
        for name, v in stated.items()
    }
    rates = [
        None if v is None else number_in(name, v, "[0, 1]", "pass the share expected")
        for name, v in (("recall", recall), ("specificity", specificity))
    ]
    law, pi, area = None, known["base_rate"], known["auc"]
    laws = {"scores": scores, "linear_predictor": linear_predictor, "beta": beta}
    unknown = None in rates and "net_benefit" in asked
    if unknown or "slope" in asked or any(part is not None for part in laws.values()):
        law = risk_law(**laws, **known, intercept=intercept, slope=slope)
        pi, area = law.base_rate if pi is None else pi, law.auc if area is None else area
        if threshold is not None:
            implied = zip(rates, law.rates(threshold), strict=True)
            rates = [rate if own is None else own for own, rate in implied]
    if pi is None:
        rule, remedy = "must be stated without a law of risks", "pass a share, as 0.1"
        raise InvalidArgumentError.from_rule("base_rate", rule, None, remedy)
    anticipated = {"oe": _width("oe", oe, "1 is usual"), "slope": as_number(slope), "auc": area}
    criteria = _criteria(asked, z, (pi, known["threshold"], rates, law), anticipated)
    if not criteria:
        rule, remedy = "must ask for at least one interval", WIDTH
        raise InvalidArgumentError.from_rule("widths", rule, widths, remedy)
    binding = max(criteria, key=lambda name: criteria[name].n)
    n = criteria[binding].n
    return ValidationSize(
        n=n,
        events=n * pi,
        binding=binding,
        criteria=criteria,
        base_rate=pi,
        auc=area,
        law_base_rate=None if law is None else law.base_rate,
        law_auc=None if law is None else law.auc,
        confidence_level=confidence_level,
    )


def _criteria(
    asked: dict[str, float],
    z: float,
    plan: tuple[float, float | None, Sequence[float | None], RiskLaw | None],
    anticipated: dict[str, Any],
) -> dict[str, SizeCriterion]:
    """Return each criterion that was asked for and for which enough is known."""
    found: dict[str, SizeCriterion] = {}
    pi, tau, (r, s), law = plan

    def add(name: str, value: float, n: int, variance: float) -> None:
        error = sqrt(variance)
        low, high = value - z * error, value + z * error
        if name == "oe":  # of the logarithm
            low, high = (value * exp(side * z * error) for side in (-1, 1))
        how = {"low": low, "high": high, "width": asked[name], "standard_error": error}
        found[name] = SizeCriterion(n=n, value=value, **how)

    def add_mean(name: str, value: float, variance: float) -> None:
        """Add an estimate with variance / n."""
        n = max(1, ceil(variance * (2 * z / asked[name]) ** 2))
        add(name, value, n, variance / n)

    if "oe" in asked:
        oe, variance = anticipated["oe"], (1 - pi) / pi
        n = max(1, ceil(variance * (z / asinh(asked["oe"] / oe / 2)) ** 2))
        add("oe", oe, n, variance / n)
    if "slope" in asked and law is not None:
        add_mean("slope", anticipated["slope"], law.slope_variance)
    if "auc" in asked and (c := anticipated["auc"]) is not None:  # a variance quadratic in 1/n
        grows = (1 - c) / (2 - c) + c / (1 + c)
        share = (asked["auc"] / (2 * z)) ** 2 * pi * (1 - pi) / (c * (1 - c))
        n = ceil((grows / 2 + sqrt(grows**2 / 4 + 4 * share * (1 - grows))) / (2 * share))
        add("auc", c, n, c * (1 - c) * (1 + (n / 2 - 1) * grows) / (n * n * pi * (1 - pi)))
    if "net_benefit" in asked and tau is not None and r is not None and s is not None:
        w = (1 - pi) / pi * tau / (1 - tau)
        variance = r * (1 - r) / pi + w * w * (1 - s) * (s / (1 - pi) + (1 - s) / (pi * (1 - pi)))
        add_mean("net_benefit", r - w * (1 - s), variance)
    return found


def _width(argument: str, given: Any, remedy: str = WIDTH) -> float:
    width = number_in(argument, given, "(0, inf)", remedy)
    if not NARROWEST <= width <= 1 / NARROWEST:
        rule = f"must lie between {NARROWEST:g} and {1 / NARROWEST:g}"
        raise InvalidArgumentError.from_rule(argument, rule, given, remedy)
    return width

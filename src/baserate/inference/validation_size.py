"""How many cases it takes to validate a model of probabilities with intervals this narrow."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import asinh, ceil, exp, sqrt
from typing import Any

from scipy.special import ndtri

from baserate._checks import as_number, confidence, number_in
from baserate._result import Result
from baserate.errors import InvalidArgumentError
from baserate.inference.predicted_risks import RiskLaw, risk_law

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
        The largest of the `criteria`, which the `binding` one asks for.
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
    all, so that with few events intervals that keep their level are wider. A measure whose width is
    None is left out, as are the area where none is known and net benefit without a threshold. The
    law of predicted risks is that of `scores`, or log odds are normal (`linear_predictor`, mean and
    sd), or risks have a `beta` law; without any, log odds are normal in each class, calibrated, of
    this `auc` and `base_rate`. What is not stated is what the law implies.
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

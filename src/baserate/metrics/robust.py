"""Metrics whose best threshold stays bounded as positives become rare (Holzmann, Klar 2024)."""

from typing import Any

import numpy as np

from baserate._arith import ratio
from baserate._checks import number_in
from baserate.errors import InvalidArgumentError
from baserate.metrics._identity import family
from baserate.metrics._kinds import parameter, rising
from baserate.metrics._metric import Formula, Metric, Shape, show
from baserate.metrics.agreement import matthews_correlation

_REFERENCE = (
    "Holzmann and Klar (2024), Robust performance metrics for imbalanced classification problems, "
    "arXiv:2404.07661"
)


@family
def robust_f(d0: float, d1: float = 1.0, c: float = 0.0) -> Metric:
    """Robust F = (d₀/π + d₁ + 1)/(1 + c) · (c π + π r)/(d₀ + d₁ π + g), g the predicted share.

    π is the base rate and r the recall. With d₀ > 0 the best threshold stays bounded as π → 0. The
    paper's normalisation uses β² where d₁ belongs; with d₁ the perfect table scores 1.
    d₀ = c = 0 and d₁ = β² is F_β. Range [0, 1]; undefined where there are no positives (d₀ > 0).
    The best density ratio is at most (1 + c)/d₀, whatever the base rate up to 1/2. `robust_f_for`
    picks d₀ by what it does.

    Parameters
    ----------
    d0, d1, c : float
        From 0 to 1e100, with d₀ + d₁ > c.

    References
    ----------
    Holzmann and Klar (2024), arXiv:2404.07661, section 5.1.

    Examples
    --------
    >>> from baserate.metrics import robust_f
    >>> from baserate import ConfusionMatrix, metrics
    >>> t = ConfusionMatrix(tp=8, fn=2, fp=30, tn=960)
    >>> round(robust_f(d0=0.1)(t), 4), round(metrics.f1(t), 4)
    (0.6486, 0.3333)
    """
    d0, d1, c = (
        parameter(name, value, "[0, inf)", "pass a non-negative parameter")
        for name, value in (("d0", d0), ("d1", d1), ("c", c))
    )
    if d0 + d1 <= c:
        rule = "must satisfy d0 + d1 > c"
        raise InvalidArgumentError.from_rule("d0, d1, c", rule, (d0, d1, c), "make c smaller")
    # E[value] is (c + g)/(d0 + d1 π + g) up to a factor: rising in g if d0 + d1 π > c.
    shape: Shape = "increasing" if d0 >= c else "monotone"
    return rising(
        name=f"robust_f(d0={show(d0)}, d1={show(d1)}, c={show(c)})",
        definition="(d0/π + d1 + 1)/(1 + c) · (c π + π recall)/(d0 + d1 π + predicted share), "
        f"d0 = {show(d0)}, d1 = {show(d1)}, c = {show(c)}",
        meaning="F score whose best threshold stays bounded when positives become rare.",
        formula=_robust_f(d0, d1, c),
        bounds=(0, 1),
        undefined_if_zero=("tp+fn",) if d0 else ("tp+fn+fp",),
        affine_in_tp=True,
        chance_shape=shape,
        lumps=(("tp",), ("fn", "fp")) if (d0, d1, c) == (0, 1, 0) else None,
        parameters={"d0": d0, "d1": d1, "c": c},
        reference=_REFERENCE,
    )


def robust_f_for(*, base_rate: float, as_if: float, d1: float = 1.0) -> Metric:
    """Robust F that treats one base rate as if it were another.

    With c = 0, robust F at base rate π has the best threshold that F₁ has at the base rate π' with
    π'/(1 - π') = (d₀ + d₁ π)/(1 - π), in any population. This picks the d₀ for a wanted π'.

    Parameters
    ----------
    base_rate : float
        The base rate π of the problem, in (0, 1).
    as_if : float
        The base rate π' to treat it like, in (0, 1); with d1 = 1, at least `base_rate`.
    d1 : float
        How fast π' moves with π.

    Raises
    ------
    InvalidArgumentError
        No d₀ >= 0 does that.

    References
    ----------
    Holzmann and Klar (2024), arXiv:2404.07661, section 5.1.

    Examples
    --------
    Find positives at a base rate of 1% as eagerly as F₁ does at 10%:

    >>> from baserate.metrics import robust_f_for
    >>> robust_f_for(base_rate=0.01, as_if=0.1).name
    'robust_f(d0=0.1, d1=1, c=0)'
    """
    pi = number_in("base_rate", base_rate, "(0, 1)", "pass the share of positives")
    wanted = number_in("as_if", as_if, "(0, 1)", "pass the base rate to imitate")
    slope = parameter("d1", d1, "[0, inf)", "pass a non-negative parameter")
    least = slope * pi / (1 - pi + slope * pi)
    d0 = wanted * (1 - pi) / (1 - wanted) - slope * pi
    if d0 < -1e-15:
        rule = f"must be at least {least:.6g}, what d1 alone makes of base rate {pi:.6g}"
        raise InvalidArgumentError.from_rule("as_if", rule, as_if, "raise it, or lower d1")
    return robust_f(d0=max(round(d0, 15), 0.0), d1=slope)


def _robust_f(d0: float, d1: float, c: float) -> Formula:
    """Write the definition in counts; without d0 the factor 1/π cancels and only it remains."""

    def formula(tp: Any, fn: Any, fp: Any, tn: Any) -> Any:
        n, positive = tp + fn + fp + tn, tp + fn
        scale = ratio(d0 * n, positive) + d1 + 1 if d0 else d1 + 1
        return scale / (1 + c) * ratio(c * positive + tp, d0 * n + d1 * positive + tp + fp)

    return formula


@family
def robust_mcc(d: float) -> Metric:
    """Robust MCC = sqrt(d + π(1 - π)) (recall + specificity - 1) / sqrt(d + g(1 - g)).

    π is the base rate, g the predicted share. d = 0 is the Matthews correlation; with d > 0 the
    best density ratio is at most (1 + 2d)/(2d) for all π, and predicting one class only scores 0.
    Range [-1, 1]; undefined where a class is empty.

    Parameters
    ----------
    d : float
        From 0 to 1e100.

    References
    ----------
    Holzmann and Klar (2024), arXiv:2404.07661, section 5.2.

    Examples
    --------
    >>> from baserate.metrics import robust_mcc
    >>> from baserate import ConfusionMatrix, metrics
    >>> t = ConfusionMatrix(tp=8, fn=2, fp=30, tn=960)
    >>> round(robust_mcc(d=0.1)(t), 4), round(metrics.matthews_correlation(t), 4)
    (0.6905, 0.4006)
    """
    d = parameter("d", d, "[0, inf)", "d = 0 is the Matthews correlation")
    pairs = (("tp+fn", "fp+tn"), ("tp+fp", "fn+tn"))
    return rising(
        name=f"robust_mcc(d={show(d)})",
        definition=f"sqrt(d + π(1-π)) (recall + specificity - 1) / sqrt(d + g(1-g)), d = {show(d)}",
        meaning="Matthews correlation whose best threshold stays bounded for rare positives.",
        formula=_robust_mcc(d) if d else matthews_correlation.formula,
        bounds=(-1, 1),
        undefined_if_zero=pairs[0] if d else pairs[0] + pairs[1],
        affine_in_tp=True,
        chance=0,
        chance_shape="constant",
        class_swap=f"robust_mcc(d={show(d)})",
        transpose=None if d else "matthews_correlation",
        parameters={"d": d},
        reference=_REFERENCE,
    )


def _robust_mcc(d: float) -> Formula:
    def formula(tp: Any, fn: Any, fp: Any, tn: Any) -> Any:
        n = tp + fn + fp + tn
        truth = np.sqrt(d * n * n + (tp + fn) * (fp + tn))
        guess = np.sqrt(d * n * n + (tp + fp) * (fn + tn))
        return (ratio(tp, tp + fn) - ratio(fp, fp + tn)) * ratio(truth, guess)

    return formula

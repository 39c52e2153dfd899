"""How far predicted positives and positives overlap: F scores, Jaccard, Fowlkes-Mallows.

Robust F is of Holzmann and Klar (2024): its best threshold stays bounded as positives become rare.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from baserate._arith import ratio
from baserate._checks import number_in
from baserate.errors import InvalidArgumentError
from baserate.metrics._identity import family
from baserate.metrics._kinds import parameter, rising
from baserate.metrics._metric import Formula, Metric, Shape, show

LEAST = 1e-100  # of beta: the square of 1 / beta is a float
_F = (
    "van Rijsbergen (1979), Information Retrieval, chapter 7; Chinchor (1992), MUC-4 evaluation "
    "metrics, doi:10.3115/1072064.1072067"
)

ROBUST = (
    "Holzmann and Klar (2024), Robust performance metrics for imbalanced classification problems, "
    "arXiv:2404.07661"
)


@family
def f_beta(beta: float) -> Metric:
    """F_beta = (1 + β²) tp / ((1 + β²) tp + β² fn + fp): recall counts β times precision.

    Range [0, 1], best 1, higher is better; undefined where tp + fn + fp = 0. For β = 1 also called
    Dice or Sørensen coefficient. Not the harmonic form, which is undefined at tp = 0
    (`f1_harmonic`).

    Parameters
    ----------
    beta : float
        From 1e-100 to 1e100. β = 0 would be precision.

    References
    ----------
    van Rijsbergen (1979), Information Retrieval, 2nd ed., Butterworths, chapter 7.

    Examples
    --------
    The weather forecasts of Finley (1884), 28 hits, 23 misses, 72 false alarms, 2680 quiet days:

    >>> from baserate.metrics import f_beta
    >>> from baserate import ConfusionMatrix
    >>> round(f_beta(beta=1)(ConfusionMatrix(tp=28, fn=23, fp=72, tn=2680)), 3)
    0.371
    """
    b = parameter("beta", beta, "(0, inf)", "beta = 0 is the metric precision")
    if b < LEAST:
        rule, remedy = f"must be at least {LEAST:g}", "beta = 0 is the metric precision"
        raise InvalidArgumentError.from_rule("beta", rule, beta, remedy)
    weight = b * b
    return rising(
        name=f"f_beta(beta={show(b)})",
        definition=f"(1 + b²) tp / ((1 + b²) tp + b² fn + fp), b = {show(b)}",
        meaning=f"Harmonic mean of precision and recall, recall weighted {show(b)} times; no tn.",
        formula=lambda tp, fn, fp, tn: ratio(
            (1 + weight) * tp, (1 + weight) * tp + weight * fn + fp
        ),
        bounds=(0, 1),
        undefined_if_zero=("tp+fn+fp",),
        affine_in_tp=True,
        chance_shape="increasing",
        lumps=(("tp",), ("fn", "fp")) if b == 1 else None,
        transpose=f"f_beta(beta={show(1 / b)})",
        parameters={"beta": b},
        reference=_F,
    )


f1 = replace(
    f_beta(1),
    name="f1",
    synonyms=("f_score", "f_measure", "dice", "sorensen_dice", "positive_f1", "pf1"),
    definition="2 tp / (2 tp + fn + fp)",
    meaning="Harmonic mean of precision and recall; ignores true negatives.",
    class_swap="negative_f1",
    transpose="f1",
    parameters={},
)
f05 = replace(f_beta(0.5), name="f05", synonyms=("f0.5",), transpose="f2", parameters={})
f2 = replace(f_beta(2), name="f2", transpose="f05", parameters={})

negative_f1 = rising(
    name="negative_f1",
    synonyms=("nf1",),
    definition="2 tn / (2 tn + fn + fp)",
    meaning="F1 of the negative class.",
    formula=lambda tp, fn, fp, tn: ratio(2 * tn, 2 * tn + fn + fp),
    bounds=(0, 1),
    undefined_if_zero=("fn+fp+tn",),
    affine_in_tp=True,
    chance_shape="decreasing",
    lumps=(("tn",), ("fn", "fp")),
    class_swap="f1",
    transpose="negative_f1",
    reference="Burger and Meertens, The algorithm versus the chimps, Table 2",
)

f1_harmonic = rising(
    name="f1_harmonic",
    definition="2 / (1/precision + 1/recall)",
    meaning="F1 as a literal harmonic mean: also undefined where there is no true positive.",
    formula=lambda tp, fn, fp, tn: ratio(2, ratio(tp + fp, tp) + ratio(tp + fn, tp)),
    bounds=(0, 1),
    undefined_if_zero=("tp",),
    affine_in_tp=True,
    chance_shape="increasing",
    lumps=(("tp",), ("fn", "fp")),
    transpose="f1_harmonic",
    reference="Briscoe et al., Algorithmic Accountability in Small Data, AISTATS 2025",
)

jaccard = rising(
    name="jaccard",
    synonyms=(
        "threat_score",
        "ts",
        "csi",
        "critical_success_index",
        "intersection_over_union",
        "iou",
        "jac",
    ),
    definition="tp / (tp + fn + fp)",
    meaning="Share that is right among the cases that are positive or called so.",
    formula=lambda tp, fn, fp, tn: ratio(tp, tp + fn + fp),
    bounds=(0, 1),
    undefined_if_zero=("tp+fn+fp",),
    chance_shape="increasing",
    proportion=(("tp",), ("fn", "fp")),
    transpose="jaccard",
    reference="Jaccard (1912), New Phytologist 11:37, doi:10.1111/j.1469-8137.1912.tb05611.x",
)

fowlkes_mallows = rising(
    name="fowlkes_mallows",
    synonyms=("fm", "g_mean_1", "fowlkes_mallows_index"),
    definition="sqrt(precision recall) = tp / sqrt((tp + fp)(tp + fn))",
    meaning="Geometric mean of precision and recall. Not the G-mean of recall and specificity.",
    formula=lambda tp, fn, fp, tn: ratio(tp, np.sqrt((tp + fp) * (tp + fn))),
    bounds=(0, 1),
    undefined_if_zero=("tp+fp", "tp+fn"),
    affine_in_tp=True,
    chance_shape="increasing",
    transpose="fowlkes_mallows",
    reference="Fowlkes and Mallows (1983), JASA 78:553, doi:10.1080/01621459.1983.10478008",
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
        reference=ROBUST,
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

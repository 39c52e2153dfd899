"""How far predicted positives and positives overlap: F scores, Jaccard, Fowlkes-Mallows."""

from dataclasses import replace

import numpy as np

from baserate._arith import ratio
from baserate.errors import InvalidArgumentError
from baserate.metrics._identity import family
from baserate.metrics._kinds import parameter, rising
from baserate.metrics._metric import Metric, show

LEAST = 1e-100  # of beta: the square of 1 / beta is a float
_F = (
    "van Rijsbergen (1979), Information Retrieval, chapter 7; Chinchor (1992), MUC-4 evaluation "
    "metrics, doi:10.3115/1072064.1072067"
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

"""Ratios of rates and of odds: likelihood ratios, lift, the prevalence threshold, Yule's Q.

What guessing scores, as more cases are flagged. The share p of positives among k cases drawn
blindly is a reverse martingale in k, so that the mean of a convex function of it falls. The
positive likelihood ratio is (n_negative / n_positive) p / (1 - p): convex, it falls. The negative
one is the same function of the share among the cases left over, which are fewer: it rises. And one
more case, flagged, either lowers fn or raises fp: fn / fp falls.

The shapes of Yule's Q and Y (monotone; constant for equal classes) and of the Gilbert skill score
(unimodal, its top at as many predicted positives as positives) are measured, not proved: in exact
fractions for all class totals up to 40 cases (Y: long doubles), in long doubles up to 150.
"""

from dataclasses import replace
from math import gcd
from typing import Any

import numpy as np

from baserate._arith import determinant, ratio
from baserate.metrics._kinds import rising
from baserate.metrics._metric import Metric

_LR = "Deeks and Altman (2004), BMJ 329:168, doi:10.1136/bmj.329.7458.168"
_YULE = "Yule (1912), Journal of the Royal Statistical Society 75:579, doi:10.2307/2340126"
_INF = float("inf")

positive_likelihood_ratio = rising(
    name="positive_likelihood_ratio",
    synonyms=("lr_plus", "plr", "positive_lr"),
    definition="recall / false_positive_rate",
    meaning="Factor by which a positive prediction multiplies the odds of being positive.",
    formula=lambda tp, fn, fp, tn: ratio(ratio(tp, tp + fn), ratio(fp, fp + tn)),
    bounds=(0, _INF),
    best=float("nan"),
    undefined_if_zero=("tp+fn", "fp"),
    chance_shape="decreasing",
    depends_on_base_rate=False,
    reference=_LR,
)

negative_likelihood_ratio = Metric(
    name="negative_likelihood_ratio",
    synonyms=("lr_minus", "nlr", "negative_lr"),
    definition="false_negative_rate / specificity",
    meaning="Factor by which a negative prediction multiplies the odds of being positive.",
    formula=lambda tp, fn, fp, tn: ratio(ratio(fn, tp + fn), ratio(tn, fp + tn)),
    bounds=(0, _INF),
    best=0,
    direction="lower",
    undefined_if_zero=("tp+fn", "tn"),
    chance_shape="increasing",
    trend_in_fp="increasing",
    depends_on_base_rate=False,
    reference=_LR,
)

diagnostic_odds_ratio = rising(
    name="diagnostic_odds_ratio",
    synonyms=("dor", "odds_ratio"),
    definition="tp tn / (fp fn)",
    meaning="Odds of a positive prediction among positives over those among negatives.",
    formula=lambda tp, fn, fp, tn: ratio(tp * tn, fp * fn),
    bounds=(0, _INF),
    best=float("nan"),
    undefined_if_zero=("fp", "fn"),
    depends_on_base_rate=False,
    class_swap="diagnostic_odds_ratio",
    transpose="diagnostic_odds_ratio",
    reference="Glas et al. (2003), Journal of Clinical Epidemiology 56:1129, "
    "doi:10.1016/S0895-4356(03)00177-X",
)

lift = rising(
    name="lift",
    synonyms=("lift_score",),
    definition="precision / base_rate",
    meaning="How many times more frequent positives are among predicted positives than overall.",
    formula=lambda tp, fn, fp, tn: ratio(tp * (tp + fn + fp + tn), (tp + fp) * (tp + fn)),
    bounds=(0, _INF),
    best=None,
    undefined_if_zero=("tp+fp", "tp+fn"),
    affine_in_tp=True,
    chance=1,
    chance_shape="constant",
    transpose="lift",
    reference="Brin et al. (1997), SIGMOD, doi:10.1145/253260.253325",
)

error_ratio = Metric(
    name="error_ratio",
    synonyms=("fn_fp_ratio",),
    definition="fn / fp",
    meaning="False negatives per false positive.",
    formula=lambda tp, fn, fp, tn: ratio(fn, fp),
    bounds=(0, _INF),
    best=float("nan"),
    direction="neither",
    undefined_if_zero=("fp",),
    chance_shape="decreasing",
    trend_in_fp="decreasing",
    lumps=(("fn",), ("fp",)),
    reference="Berk et al. (2021), Sociological Methods & Research 50:3, "
    "doi:10.1177/0049124118782533",
)


prevalence_threshold = Metric(
    name="prevalence_threshold",
    synonyms=("pt",),
    definition="sqrt(fpr) / (sqrt(recall) + sqrt(fpr))",
    meaning="Base rate below which the precision of this test falls steeply.",
    formula=lambda tp, fn, fp, tn: ratio(
        np.sqrt(ratio(fp, fp + tn)), np.sqrt(ratio(tp, tp + fn)) + np.sqrt(ratio(fp, fp + tn))
    ),
    bounds=(0, 1),
    best=0,
    direction="lower",
    undefined_if_zero=("tp+fn", "fp+tn", "tp+fp"),
    chance_shape="monotone",
    trend_in_fp="increasing",
    depends_on_base_rate=False,
    reference="Balayla (2020), PLoS ONE 15:e0240215, doi:10.1371/journal.pone.0240215",
)


def _strict(tp: Any, fn: Any, fp: Any, tn: Any) -> Any:
    """Make the value nan where recall equals the false positive rate, exactly for integers."""
    cross = determinant(tp, fn, fp, tn)
    return prevalence_threshold.formula(tp, fn, fp, tn) * ratio(cross, cross)


def _is_singular(tp: Any, fn: Any, fp: Any, tn: Any) -> Any:
    return np.equal(determinant(tp, fn, fp, tn), 0)


def _multiples(n_positive: int, n_negative: int) -> tuple[int, int]:
    """Return the least margin at which recall can equal the false positive rate, and its hits.

    They are equal where tp (n_positive + n_negative) = n_predicted n_positive, in integers.
    """
    common = gcd(n_positive, n_negative)
    return (n_positive + n_negative) // common, n_positive // common


def _count_strict(n: int) -> int:
    """Return P(n) + 2n + 1, P(n) = Σ gcd(r, n) Pillai's function: all tables of determinant 0.

    Such a table without an empty row or column is a product of a primitive column and a row; the
    bound printed in Briscoe et al. (2025), C.5, is exceeded from n = 4 on.
    """
    return sum(gcd(r, n) for r in range(1, n + 1)) + 2 * n + 1


prevalence_threshold_strict = replace(
    prevalence_threshold,
    name="prevalence_threshold_strict",
    synonyms=("pt_strict",),
    definition="(sqrt(recall fpr) - fpr) / (recall - fpr)",
    meaning="The prevalence threshold as published: also undefined where recall = fpr.",
    formula=_strict,
    undefined_also=_is_singular,
    undefined_multiples=_multiples,
    undefined_count=_count_strict,
)

yule_q = rising(
    name="yule_q",
    synonyms=("q", "odds_ratio_skill_score"),
    definition="(tp tn - fp fn) / (tp tn + fp fn)",
    meaning="The diagnostic odds ratio on a scale from -1 to 1.",
    formula=lambda tp, fn, fp, tn: ratio(determinant(tp, fn, fp, tn), tp * tn + fp * fn),
    bounds=(-1, 1),
    undefined_if_zero=("tp+fn", "fp+tn", "tp+fp", "fn+tn"),
    chance_shape="monotone",
    depends_on_base_rate=False,
    class_swap="yule_q",
    transpose="yule_q",
    reference=_YULE,
)

yule_y = rising(
    name="yule_y",
    synonyms=("y", "coefficient_of_colligation"),
    definition="(sqrt(tp tn) - sqrt(fp fn)) / (sqrt(tp tn) + sqrt(fp fn))",
    meaning="Yule's Q after square roots: informedness of the table made symmetric.",
    formula=lambda tp, fn, fp, tn: ratio(
        np.sqrt(tp * tn) - np.sqrt(fp * fn), np.sqrt(tp * tn) + np.sqrt(fp * fn)
    ),
    bounds=(-1, 1),
    undefined_if_zero=yule_q.undefined_if_zero,
    chance_shape="monotone",
    depends_on_base_rate=False,
    class_swap="yule_y",
    transpose="yule_y",
    reference=_YULE,
)

gilbert_skill_score = rising(
    name="gilbert_skill_score",
    synonyms=("gss", "equitable_threat_score", "ets"),
    definition="(tp - r) / (tp + fn + fp - r), r = (tp + fn)(tp + fp) / n",
    meaning="Jaccard index beyond that of independent predictions: kappa / (2 - kappa).",
    # Both parts multiplied by n, and the lower one expanded so that nothing cancels.
    formula=lambda tp, fn, fp, tn: ratio(
        determinant(tp, fn, fp, tn), tp * tn + (tp + tn) * (fn + fp) + fn * fn + fn * fp + fp * fp
    ),
    bounds=(-1 / 3, 1),
    undefined_if_zero=("fn+fp+tn", "tp+fn+fp"),
    chance_shape="unimodal",
    class_swap="gilbert_skill_score",
    transpose="gilbert_skill_score",
    reference="Schaefer (1990), Weather and Forecasting 5:570, "
    "doi:10.1175/1520-0434(1990)005<0570:TCSIAA>2.0.CO;2",
)

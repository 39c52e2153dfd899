"""The prevalence threshold, with its removable singularity filled and as published."""

from dataclasses import replace
from math import gcd
from typing import Any

import numpy as np

from baserate._arith import determinant, ratio
from baserate.metrics._metric import Metric

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

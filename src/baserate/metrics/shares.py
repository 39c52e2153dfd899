"""Counts themselves, shares of all cases, and rates given the truth or given the prediction."""

from typing import Any

import numpy as np

from baserate._arith import ratio
from baserate._arrays import Array
from baserate.counts import ConfusionMatrix
from baserate.metrics._class_metric import (
    ClassMetric,
    Counts,
    OneVsRest,
    OneVsRestCells,
    for_two_and_several,
)
from baserate.metrics._kinds import count, proportion

FAWCETT = "Fawcett (2006), Pattern Recognition Letters 27:861, doi:10.1016/j.patrec.2005.10.010"

true_positives = count(
    "tp",
    name="true_positives",
    synonyms=("tp", "hits"),
    definition="tp",
    meaning="Positives predicted positive.",
    formula=lambda tp, fn, fp, tn: tp,
    class_swap="true_negatives",
    transpose="true_positives",
    reference=FAWCETT,
)

false_negatives = count(
    "fn",
    name="false_negatives",
    synonyms=("fn", "misses", "type_2_errors"),
    definition="fn",
    meaning="Positives predicted negative.",
    formula=lambda tp, fn, fp, tn: fn,
    class_swap="false_positives",
    transpose="false_positives",
    reference=FAWCETT,
)

false_positives = count(
    "fp",
    name="false_positives",
    synonyms=("fp", "false_alarms", "type_1_errors"),
    definition="fp",
    meaning="Negatives predicted positive.",
    formula=lambda tp, fn, fp, tn: fp,
    class_swap="false_negatives",
    transpose="false_negatives",
    reference=FAWCETT,
)

true_negatives = count(
    "tn",
    name="true_negatives",
    synonyms=("tn", "correct_rejections"),
    definition="tn",
    meaning="Negatives predicted negative.",
    formula=lambda tp, fn, fp, tn: tn,
    class_swap="true_positives",
    transpose="true_negatives",
    reference=FAWCETT,
)

accuracy = proportion(
    (("tp", "tn"), ("fn", "fp")),
    name="accuracy",
    synonyms=("acc", "rand_accuracy", "proportion_correct"),
    definition="(tp + tn) / n",
    meaning="Share of cases predicted right. Not to be confused with balanced accuracy.",
    formula=lambda tp, fn, fp, tn: ratio(tp + tn, tp + fn + fp + tn),
    class_swap="accuracy",
    transpose="accuracy",
    reference=FAWCETT,
)

error_rate = proportion(
    (("fn", "fp"), ("tp", "tn")),
    name="error_rate",
    synonyms=(
        "err",
        "misclassification_rate",
        "zero_one_loss",
        "hamming_loss",
        "inaccuracy",
        "inacc",
    ),
    definition="(fn + fp) / n",
    meaning="Share of cases predicted wrong.",
    formula=lambda tp, fn, fp, tn: ratio(fn + fp, tp + fn + fp + tn),
    class_swap="error_rate",
    transpose="error_rate",
    reference=FAWCETT,
)

base_rate = proportion(
    (("tp", "fn"), ("fp", "tn")),
    name="base_rate",
    synonyms=("prevalence", "positive_share", "prev"),
    definition="(tp + fn) / n",
    meaning="Share of cases that are positive; says nothing about the predictions.",
    formula=lambda tp, fn, fp, tn: ratio(tp + fn, tp + fn + fp + tn),
    class_swap="negative_base_rate",
    transpose="predicted_positive_rate",
    reference=FAWCETT,
)

negative_base_rate = proportion(
    (("fp", "tn"), ("tp", "fn")),
    name="negative_base_rate",
    synonyms=("negative_prevalence", "negative_share", "nprev"),
    definition="(fp + tn) / n",
    meaning="Share of cases that are negative; says nothing about the predictions.",
    formula=lambda tp, fn, fp, tn: ratio(fp + tn, tp + fn + fp + tn),
    class_swap="base_rate",
    transpose="predicted_negative_rate",
    reference=FAWCETT,
)

predicted_positive_rate = proportion(
    (("tp", "fp"), ("fn", "tn")),
    name="predicted_positive_rate",
    synonyms=("ppr", "selection_rate", "alarm_rate"),
    definition="(tp + fp) / n",
    meaning="Share of cases predicted positive. Not the positive predictive value.",
    formula=lambda tp, fn, fp, tn: ratio(tp + fp, tp + fn + fp + tn),
    class_swap="predicted_negative_rate",
    transpose="base_rate",
    reference=FAWCETT,
)

predicted_negative_rate = proportion(
    (("fn", "tn"), ("tp", "fp")),
    name="predicted_negative_rate",
    synonyms=("pnr",),
    definition="(fn + tn) / n",
    meaning="Share of cases predicted negative. Not the negative predictive value.",
    formula=lambda tp, fn, fp, tn: ratio(fn + tn, tp + fn + fp + tn),
    class_swap="predicted_positive_rate",
    transpose="negative_base_rate",
    reference=FAWCETT,
)


_ALTMAN = "Altman and Bland (1994), BMJ 308:1552, doi:10.1136/bmj.308.6943.1552"
_PREDICTIVE = "Altman and Bland (1994), BMJ 309:102, doi:10.1136/bmj.309.6947.102"

recall = proportion(
    (("tp",), ("fn",)),
    name="recall",
    synonyms=("tpr", "true_positive_rate", "sensitivity", "hit_rate", "probability_of_detection"),
    definition="tp / (tp + fn)",
    meaning="Share of the positives that are predicted positive.",
    formula=lambda tp, fn, fp, tn: ratio(tp, tp + fn),
    class_swap="specificity",
    transpose="precision",
    reference=_ALTMAN,
)

false_negative_rate = proportion(
    (("fn",), ("tp",)),
    name="false_negative_rate",
    synonyms=("fnr", "miss_rate"),
    definition="fn / (tp + fn)",
    meaning="Share of the positives that are predicted negative.",
    formula=lambda tp, fn, fp, tn: ratio(fn, tp + fn),
    class_swap="false_positive_rate",
    transpose="false_discovery_rate",
    reference=_ALTMAN,
)

false_positive_rate = proportion(
    (("fp",), ("tn",)),
    name="false_positive_rate",
    synonyms=("fpr", "fall_out", "false_alarm_rate", "probability_of_false_detection"),
    definition="fp / (fp + tn)",
    meaning="Share of the negatives that are predicted positive. Not the false discovery rate.",
    formula=lambda tp, fn, fp, tn: ratio(fp, fp + tn),
    class_swap="false_negative_rate",
    transpose="false_omission_rate",
    reference=_ALTMAN,
)

specificity = proportion(
    (("tn",), ("fp",)),
    name="specificity",
    synonyms=("tnr", "true_negative_rate", "selectivity"),
    definition="tn / (fp + tn)",
    meaning="Share of the negatives that are predicted negative.",
    formula=lambda tp, fn, fp, tn: ratio(tn, fp + tn),
    class_swap="recall",
    transpose="negative_predictive_value",
    reference=_ALTMAN,
)

precision = proportion(
    (("tp",), ("fp",)),
    name="precision",
    synonyms=("ppv", "positive_predictive_value", "success_ratio"),
    definition="tp / (tp + fp)",
    meaning="Share of the predicted positives that are positive.",
    formula=lambda tp, fn, fp, tn: ratio(tp, tp + fp),
    class_swap="negative_predictive_value",
    transpose="recall",
    reference=_PREDICTIVE,
)

negative_predictive_value = proportion(
    (("tn",), ("fn",)),
    name="negative_predictive_value",
    synonyms=("npv",),
    definition="tn / (fn + tn)",
    meaning="Share of the predicted negatives that are negative.",
    formula=lambda tp, fn, fp, tn: ratio(tn, fn + tn),
    class_swap="precision",
    transpose="specificity",
    reference=_PREDICTIVE,
)

false_discovery_rate = proportion(
    (("fp",), ("tp",)),
    name="false_discovery_rate",
    synonyms=("fdr", "false_alarm_ratio"),
    definition="fp / (tp + fp)",
    meaning="Share of the predicted positives that are negative. Not the false positive rate.",
    formula=lambda tp, fn, fp, tn: ratio(fp, tp + fp),
    class_swap="false_omission_rate",
    transpose="false_negative_rate",
    reference=_PREDICTIVE,
)

false_omission_rate = proportion(
    (("fn",), ("tn",)),
    name="false_omission_rate",
    synonyms=("for_", "for", "fomr"),
    definition="fn / (fn + tn)",
    meaning="Share of the predicted negatives that are positive.",
    formula=lambda tp, fn, fp, tn: ratio(fn, fn + tn),
    class_swap="false_discovery_rate",
    transpose="false_positive_rate",
    reference=_PREDICTIVE,
)


# Of several classes.


def _hit_rate(hits: Counts, class_counts: Counts, predicted_counts: Counts) -> Any:
    del predicted_counts
    return ratio(hits.sum(-1), class_counts.sum(-1))


def _miss_rate(every: ConfusionMatrix) -> Any:
    missed, found = every.fn.sum(-1), every.tp.sum(-1)
    return ratio(missed, found + missed)


def right(n_classes: int) -> Array:
    """Return 1 for a right prediction, 0 for a wrong one."""
    return np.eye(n_classes)


def wrong(n_classes: int) -> Array:
    """Return 1 for a wrong prediction, 0 for a right one."""
    return 1 - np.eye(n_classes)


accuracy_of_classes = for_two_and_several(
    ClassMetric(
        name="accuracy",
        # Each equals the accuracy if all cases count, in whichever class they are.
        synonyms=("acc", "micro_f1", "micro_recall", "micro_precision", "weighted_recall"),
        definition="Σ n[c, c] / n",
        meaning="Share of cases that are called what they are.",
        of_margins=_hit_rate,
        two_classes=accuracy,
        of_hits=True,
        transpose="accuracy",
        weights=right,
    )
)


error_rate_of_classes = for_two_and_several(
    ClassMetric(
        name="error_rate",
        definition="1 - Σ n[c, c] / n",
        meaning="Share of cases that are called something else.",
        of_margins=OneVsRest(_miss_rate),
        of_cells=OneVsRestCells(_miss_rate),
        two_classes=error_rate,
        of_hits=True,
        transpose="error_rate",
        weights=wrong,
        best=0.0,
        direction="lower",
    )
)

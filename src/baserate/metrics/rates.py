"""Rates given the truth, and rates given the prediction: each one cell over one margin."""

from baserate._arith import ratio
from baserate.metrics._kinds import proportion

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

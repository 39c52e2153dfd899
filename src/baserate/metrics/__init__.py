"""Metrics: functions of four counts with their facts attached.

`CATALOGUE` lists them, `HEADLINES` names the dozen that people read, `FAMILIES` lists those with
parameters, `get` finds one by any of its names, and `define` makes a user's own. Each is also an
attribute: ``baserate.metrics.precision``.
"""

from baserate._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from baserate.metrics._catalogue import CATALOGUE as CATALOGUE
    from baserate.metrics._catalogue import FAMILIES as FAMILIES
    from baserate.metrics._catalogue import HEADLINES as HEADLINES
    from baserate.metrics._catalogue import binary_metric as binary_metric
    from baserate.metrics._class_metric import ClassMetric as ClassMetric
    from baserate.metrics._define import define as define
    from baserate.metrics._metric import Metric as Metric
    from baserate.metrics.agreement import balanced_accuracy as balanced_accuracy
    from baserate.metrics.agreement import chi_squared as chi_squared
    from baserate.metrics.agreement import cohen_kappa as cohen_kappa
    from baserate.metrics.agreement import geometric_mean as geometric_mean
    from baserate.metrics.agreement import informedness as informedness
    from baserate.metrics.agreement import markedness as markedness
    from baserate.metrics.agreement import matthews_correlation as matthews_correlation
    from baserate.metrics.agreement import robust_mcc as robust_mcc
    from baserate.metrics.class_catalogue import CLASS_CATALOGUE as CLASS_CATALOGUE
    from baserate.metrics.class_catalogue import CLASS_HEADLINES as CLASS_HEADLINES
    from baserate.metrics.class_catalogue import average as average
    from baserate.metrics.class_catalogue import class_metric as class_metric
    from baserate.metrics.class_catalogue import get as get
    from baserate.metrics.class_weights import class_utility as class_utility
    from baserate.metrics.class_weights import weighted_kappa as weighted_kappa
    from baserate.metrics.overlap import f05 as f05
    from baserate.metrics.overlap import f1 as f1
    from baserate.metrics.overlap import f1_harmonic as f1_harmonic
    from baserate.metrics.overlap import f2 as f2
    from baserate.metrics.overlap import f_beta as f_beta
    from baserate.metrics.overlap import fowlkes_mallows as fowlkes_mallows
    from baserate.metrics.overlap import jaccard as jaccard
    from baserate.metrics.overlap import negative_f1 as negative_f1
    from baserate.metrics.overlap import robust_f as robust_f
    from baserate.metrics.overlap import robust_f_for as robust_f_for
    from baserate.metrics.ratios import diagnostic_odds_ratio as diagnostic_odds_ratio
    from baserate.metrics.ratios import error_ratio as error_ratio
    from baserate.metrics.ratios import gilbert_skill_score as gilbert_skill_score
    from baserate.metrics.ratios import lift as lift
    from baserate.metrics.ratios import negative_likelihood_ratio as negative_likelihood_ratio
    from baserate.metrics.ratios import positive_likelihood_ratio as positive_likelihood_ratio
    from baserate.metrics.ratios import prevalence_threshold as prevalence_threshold
    from baserate.metrics.ratios import prevalence_threshold_strict as prevalence_threshold_strict
    from baserate.metrics.ratios import yule_q as yule_q
    from baserate.metrics.ratios import yule_y as yule_y
    from baserate.metrics.shares import accuracy as accuracy
    from baserate.metrics.shares import base_rate as base_rate
    from baserate.metrics.shares import error_rate as error_rate
    from baserate.metrics.shares import false_discovery_rate as false_discovery_rate
    from baserate.metrics.shares import false_negative_rate as false_negative_rate
    from baserate.metrics.shares import false_negatives as false_negatives
    from baserate.metrics.shares import false_omission_rate as false_omission_rate
    from baserate.metrics.shares import false_positive_rate as false_positive_rate
    from baserate.metrics.shares import false_positives as false_positives
    from baserate.metrics.shares import negative_base_rate as negative_base_rate
    from baserate.metrics.shares import negative_predictive_value as negative_predictive_value
    from baserate.metrics.shares import precision as precision
    from baserate.metrics.shares import predicted_negative_rate as predicted_negative_rate
    from baserate.metrics.shares import predicted_positive_rate as predicted_positive_rate
    from baserate.metrics.shares import recall as recall
    from baserate.metrics.shares import specificity as specificity
    from baserate.metrics.shares import true_negatives as true_negatives
    from baserate.metrics.shares import true_positives as true_positives
    from baserate.metrics.utilities import cost_per_case as cost_per_case
    from baserate.metrics.utilities import marginal_benefit as marginal_benefit
    from baserate.metrics.utilities import net_benefit as net_benefit
    from baserate.metrics.utilities import predicted_negatives as predicted_negatives
    from baserate.metrics.utilities import predicted_positives as predicted_positives
    from baserate.metrics.utilities import utility as utility
    from baserate.metrics.utilities import weighted_accuracy as weighted_accuracy
else:
    # The catalogue has the metrics of two classes in this order.
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "shares": (
                "true_positives", "false_negatives", "false_positives", "true_negatives",
                "accuracy", "error_rate", "base_rate", "negative_base_rate",
                "predicted_positive_rate", "predicted_negative_rate", "recall",
                "false_negative_rate", "false_positive_rate", "specificity", "precision",
                "negative_predictive_value", "false_discovery_rate", "false_omission_rate",
            ),
            "overlap": (
                "f1", "f05", "f2", "negative_f1", "f1_harmonic", "jaccard", "fowlkes_mallows",
                "f_beta", "robust_f", "robust_f_for",
            ),
            "agreement": (
                "geometric_mean", "balanced_accuracy", "informedness", "markedness",
                "matthews_correlation", "chi_squared", "cohen_kappa", "robust_mcc",
            ),
            "ratios": (
                "prevalence_threshold", "prevalence_threshold_strict", "yule_q", "yule_y",
                "gilbert_skill_score", "positive_likelihood_ratio", "negative_likelihood_ratio",
                "diagnostic_odds_ratio", "lift", "error_ratio",
            ),
            "utilities": (
                "marginal_benefit", "predicted_positives", "predicted_negatives", "cost_per_case",
                "net_benefit", "utility", "weighted_accuracy",
            ),
            "_catalogue": ("CATALOGUE", "FAMILIES", "HEADLINES", "binary_metric"),
            "_class_metric": ("ClassMetric",),
            "_define": ("define",),
            "_metric": ("Metric",),
            "class_catalogue": (
                "CLASS_CATALOGUE", "CLASS_HEADLINES", "average", "class_metric", "get",
            ),
            "class_weights": ("class_utility", "weighted_kappa"),
        },
    )  # fmt: skip

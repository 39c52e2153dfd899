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
    from baserate.metrics._class_catalogue import CLASS_CATALOGUE as CLASS_CATALOGUE
    from baserate.metrics._class_catalogue import CLASS_HEADLINES as CLASS_HEADLINES
    from baserate.metrics._class_catalogue import class_metric as class_metric
    from baserate.metrics._class_catalogue import get as get
    from baserate.metrics._class_metric import ClassMetric as ClassMetric
    from baserate.metrics._define import define as define
    from baserate.metrics._metric import Metric as Metric
    from baserate.metrics.agreement import balanced_accuracy as balanced_accuracy
    from baserate.metrics.agreement import chi_squared as chi_squared
    from baserate.metrics.agreement import cohen_kappa as cohen_kappa
    from baserate.metrics.agreement import geometric_mean as geometric_mean
    from baserate.metrics.agreement import gilbert_skill_score as gilbert_skill_score
    from baserate.metrics.agreement import informedness as informedness
    from baserate.metrics.agreement import markedness as markedness
    from baserate.metrics.agreement import matthews_correlation as matthews_correlation
    from baserate.metrics.agreement import yule_q as yule_q
    from baserate.metrics.agreement import yule_y as yule_y
    from baserate.metrics.class_averages import average as average
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
    from baserate.metrics.ratios import diagnostic_odds_ratio as diagnostic_odds_ratio
    from baserate.metrics.ratios import error_ratio as error_ratio
    from baserate.metrics.ratios import lift as lift
    from baserate.metrics.ratios import negative_likelihood_ratio as negative_likelihood_ratio
    from baserate.metrics.ratios import positive_likelihood_ratio as positive_likelihood_ratio
    from baserate.metrics.ratios import prevalence_threshold as prevalence_threshold
    from baserate.metrics.ratios import prevalence_threshold_strict as prevalence_threshold_strict
    from baserate.metrics.robust import robust_f as robust_f
    from baserate.metrics.robust import robust_f_for as robust_f_for
    from baserate.metrics.robust import robust_mcc as robust_mcc
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
    from baserate.metrics.shares import predicted_negatives as predicted_negatives
    from baserate.metrics.shares import predicted_positive_rate as predicted_positive_rate
    from baserate.metrics.shares import predicted_positives as predicted_positives
    from baserate.metrics.shares import recall as recall
    from baserate.metrics.shares import specificity as specificity
    from baserate.metrics.shares import true_negatives as true_negatives
    from baserate.metrics.shares import true_positives as true_positives
    from baserate.metrics.utilities import cost_per_case as cost_per_case
    from baserate.metrics.utilities import marginal_benefit as marginal_benefit
    from baserate.metrics.utilities import net_benefit as net_benefit
    from baserate.metrics.utilities import utility as utility
    from baserate.metrics.utilities import weighted_accuracy as weighted_accuracy
else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "_catalogue": ("CATALOGUE", "FAMILIES", "HEADLINES", "binary_metric"),
            "_class_catalogue": ("CLASS_CATALOGUE", "CLASS_HEADLINES", "class_metric", "get"),
            "_class_metric": ("ClassMetric",),
            "_define": ("define",),
            "_metric": ("Metric",),
            "agreement": (
                "balanced_accuracy",
                "chi_squared",
                "cohen_kappa",
                "geometric_mean",
                "gilbert_skill_score",
                "informedness",
                "markedness",
                "matthews_correlation",
                "yule_q",
                "yule_y",
            ),
            "class_averages": ("average",),
            "class_weights": ("class_utility", "weighted_kappa"),
            "overlap": (
                "f05",
                "f1",
                "f1_harmonic",
                "f2",
                "f_beta",
                "fowlkes_mallows",
                "jaccard",
                "negative_f1",
            ),
            "ratios": (
                "diagnostic_odds_ratio",
                "error_ratio",
                "lift",
                "negative_likelihood_ratio",
                "positive_likelihood_ratio",
                "prevalence_threshold",
                "prevalence_threshold_strict",
            ),
            "robust": ("robust_f", "robust_f_for", "robust_mcc"),
            "shares": (
                "accuracy",
                "base_rate",
                "error_rate",
                "false_discovery_rate",
                "false_negative_rate",
                "false_negatives",
                "false_omission_rate",
                "false_positive_rate",
                "false_positives",
                "negative_base_rate",
                "negative_predictive_value",
                "precision",
                "predicted_negative_rate",
                "predicted_negatives",
                "predicted_positive_rate",
                "predicted_positives",
                "recall",
                "specificity",
                "true_negatives",
                "true_positives",
            ),
            "utilities": (
                "cost_per_case",
                "marginal_benefit",
                "net_benefit",
                "utility",
                "weighted_accuracy",
            ),
        },
    )

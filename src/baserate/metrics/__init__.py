"""Metrics: functions of four counts with their facts attached.

`CATALOGUE` lists them, `HEADLINES` names the dozen that people read, `FAMILIES` lists those with
parameters, `get` finds one by any of its names, and `define` makes a user's own. Each is also an
attribute: ``baserate.metrics.precision``.
"""

from baserate.metrics._catalogue import CATALOGUE, FAMILIES, HEADLINES, binary_metric
from baserate.metrics._class_catalogue import (
    CLASS_CATALOGUE,
    CLASS_FAMILIES,
    CLASS_HEADLINES,
    class_metric,
    get,
    is_average,
)
from baserate.metrics._class_metric import ClassMetric
from baserate.metrics._define import define
from baserate.metrics._metric import Formula, Metric
from baserate.metrics.agreement import (
    balanced_accuracy,
    chi_squared,
    cohen_kappa,
    geometric_mean,
    gilbert_skill_score,
    informedness,
    markedness,
    matthews_correlation,
    yule_q,
    yule_y,
)
from baserate.metrics.class_averages import average
from baserate.metrics.class_weights import class_utility, weighted_kappa
from baserate.metrics.overlap import (
    f05,
    f1,
    f1_harmonic,
    f2,
    f_beta,
    fowlkes_mallows,
    jaccard,
    negative_f1,
)
from baserate.metrics.prevalence import prevalence_threshold, prevalence_threshold_strict
from baserate.metrics.rates import (
    false_discovery_rate,
    false_negative_rate,
    false_omission_rate,
    false_positive_rate,
    negative_predictive_value,
    precision,
    recall,
    specificity,
)
from baserate.metrics.ratios import (
    diagnostic_odds_ratio,
    error_ratio,
    lift,
    negative_likelihood_ratio,
    positive_likelihood_ratio,
)
from baserate.metrics.robust import robust_f, robust_f_for, robust_mcc
from baserate.metrics.shares import (
    accuracy,
    base_rate,
    error_rate,
    false_negatives,
    false_positives,
    negative_base_rate,
    predicted_negative_rate,
    predicted_negatives,
    predicted_positive_rate,
    predicted_positives,
    true_negatives,
    true_positives,
)
from baserate.metrics.utilities import marginal_benefit, net_benefit, utility, weighted_accuracy

__all__ = [
    "CATALOGUE",
    "CLASS_CATALOGUE",
    "CLASS_FAMILIES",
    "CLASS_HEADLINES",
    "FAMILIES",
    "HEADLINES",
    "ClassMetric",
    "Formula",
    "Metric",
    "accuracy",
    "average",
    "balanced_accuracy",
    "base_rate",
    "binary_metric",
    "chi_squared",
    "class_metric",
    "class_utility",
    "cohen_kappa",
    "define",
    "diagnostic_odds_ratio",
    "error_rate",
    "error_ratio",
    "f05",
    "f1",
    "f1_harmonic",
    "f2",
    "f_beta",
    "false_discovery_rate",
    "false_negative_rate",
    "false_negatives",
    "false_omission_rate",
    "false_positive_rate",
    "false_positives",
    "fowlkes_mallows",
    "geometric_mean",
    "get",
    "gilbert_skill_score",
    "informedness",
    "is_average",
    "jaccard",
    "lift",
    "marginal_benefit",
    "markedness",
    "matthews_correlation",
    "negative_base_rate",
    "negative_f1",
    "negative_likelihood_ratio",
    "negative_predictive_value",
    "net_benefit",
    "positive_likelihood_ratio",
    "precision",
    "predicted_negative_rate",
    "predicted_negatives",
    "predicted_positive_rate",
    "predicted_positives",
    "prevalence_threshold",
    "prevalence_threshold_strict",
    "recall",
    "robust_f",
    "robust_f_for",
    "robust_mcc",
    "specificity",
    "true_negatives",
    "true_positives",
    "utility",
    "weighted_accuracy",
    "weighted_kappa",
    "yule_q",
    "yule_y",
]

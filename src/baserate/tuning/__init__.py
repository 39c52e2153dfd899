"""Thresholds: the best cut for a metric, its optimism and spread, Bayes rules, robustness."""

from baserate.tuning.bagging import ThresholdSpread, threshold_spread, threshold_spreads
from baserate.tuning.bayes import (
    BayesThreshold,
    StationaryRatios,
    bayes_threshold,
    stationary_ratios,
)
from baserate.tuning.cross_validated import CrossValidatedThreshold, cross_validated_threshold
from baserate.tuning.optimal import OptimalThreshold, optimal_threshold
from baserate.tuning.robustness import Robustness, is_robust

__all__ = [
    "BayesThreshold",
    "CrossValidatedThreshold",
    "OptimalThreshold",
    "Robustness",
    "StationaryRatios",
    "ThresholdSpread",
    "bayes_threshold",
    "cross_validated_threshold",
    "is_robust",
    "optimal_threshold",
    "stationary_ratios",
    "threshold_spread",
    "threshold_spreads",
]

"""Decisions: what they are worth, and the thresholds that make the best ones."""

from baserate.decisions.admissible import Admissible, admissible
from baserate.decisions.bagging import ThresholdSpread, threshold_spread, threshold_spreads
from baserate.decisions.bayes import (
    BayesThreshold,
    StationaryRatios,
    bayes_threshold,
    stationary_ratios,
)
from baserate.decisions.compare import UtilityComparison, compare_utilities
from baserate.decisions.constants import ConstantDecisions
from baserate.decisions.cross_validated import (
    CrossValidatedThreshold,
    cross_validated_threshold,
)
from baserate.decisions.ensemble import UtilityEnsemble
from baserate.decisions.envelope import Envelope, Piece, best_by_base_rate, best_by_threshold
from baserate.decisions.half_plane import HalfPlane, base_rate_flip, half_plane
from baserate.decisions.information import Information, information
from baserate.decisions.optimal import OptimalThreshold, optimal_threshold, rules_at
from baserate.decisions.rankings import Ranking, rankings
from baserate.decisions.regions import decision_intervals, never_optimal
from baserate.decisions.reject import chow_utilities
from baserate.decisions.relations import AtThreshold, cost_curve, expected_cost, probability_cost
from baserate.decisions.robustness import Robustness, is_robust
from baserate.decisions.shift import shift_base_rate
from baserate.decisions.transducer import LabelTransducer, ScoreTransducer
from baserate.decisions.utility import UtilityMatrix

__all__ = [
    "Admissible",
    "AtThreshold",
    "BayesThreshold",
    "ConstantDecisions",
    "CrossValidatedThreshold",
    "Envelope",
    "HalfPlane",
    "Information",
    "LabelTransducer",
    "OptimalThreshold",
    "Piece",
    "Ranking",
    "Robustness",
    "ScoreTransducer",
    "StationaryRatios",
    "ThresholdSpread",
    "UtilityComparison",
    "UtilityEnsemble",
    "UtilityMatrix",
    "admissible",
    "base_rate_flip",
    "bayes_threshold",
    "best_by_base_rate",
    "best_by_threshold",
    "chow_utilities",
    "compare_utilities",
    "cost_curve",
    "cross_validated_threshold",
    "decision_intervals",
    "expected_cost",
    "half_plane",
    "information",
    "is_robust",
    "never_optimal",
    "optimal_threshold",
    "probability_cost",
    "rankings",
    "rules_at",
    "shift_base_rate",
    "stationary_ratios",
    "threshold_spread",
    "threshold_spreads",
]

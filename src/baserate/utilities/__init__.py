"""Utilities: what decisions are worth, and which classifier makes the better ones."""

from baserate.utilities.class_probabilities import (
    LabelTransducer,
    ScoreTransducer,
    shift_base_rate,
)
from baserate.utilities.constant_decisions import ConstantDecisions, Information, information
from baserate.utilities.ensemble import UtilityEnsemble
from baserate.utilities.envelope import Envelope, Piece, best_by_base_rate, best_by_threshold
from baserate.utilities.matrix import UtilityMatrix
from baserate.utilities.metric_rankings import Admissible, Ranking, admissible, rankings
from baserate.utilities.net_benefit import NetBenefitCurve, cost_envelope, net_benefit_curve
from baserate.utilities.regions import chow_utilities, decision_intervals, never_optimal
from baserate.utilities.relations import AtThreshold, cost_curve, expected_cost, probability_cost
from baserate.utilities.two_classifiers import (
    HalfPlane,
    UtilityComparison,
    base_rate_flip,
    compare_utilities,
    half_plane,
)

__all__ = [
    "Admissible",
    "AtThreshold",
    "ConstantDecisions",
    "Envelope",
    "HalfPlane",
    "Information",
    "LabelTransducer",
    "NetBenefitCurve",
    "Piece",
    "Ranking",
    "ScoreTransducer",
    "UtilityComparison",
    "UtilityEnsemble",
    "UtilityMatrix",
    "admissible",
    "base_rate_flip",
    "best_by_base_rate",
    "best_by_threshold",
    "chow_utilities",
    "compare_utilities",
    "cost_curve",
    "cost_envelope",
    "decision_intervals",
    "expected_cost",
    "half_plane",
    "information",
    "net_benefit_curve",
    "never_optimal",
    "probability_cost",
    "rankings",
    "shift_base_rate",
]

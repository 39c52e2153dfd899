"""Utilities: what decisions are worth, and which classifier makes the better ones."""

from baserate.utilities.admissible import Admissible, admissible
from baserate.utilities.compare import UtilityComparison, compare_utilities
from baserate.utilities.constants import ConstantDecisions
from baserate.utilities.ensemble import UtilityEnsemble
from baserate.utilities.envelope import Envelope, Piece, best_by_base_rate, best_by_threshold
from baserate.utilities.half_plane import HalfPlane, base_rate_flip, half_plane
from baserate.utilities.information import Information, information
from baserate.utilities.net_benefit import NetBenefitCurve, cost_envelope, net_benefit_curve
from baserate.utilities.rankings import Ranking, rankings
from baserate.utilities.regions import decision_intervals, never_optimal
from baserate.utilities.reject import chow_utilities
from baserate.utilities.relations import AtThreshold, cost_curve, expected_cost, probability_cost
from baserate.utilities.shift import shift_base_rate
from baserate.utilities.transducer import LabelTransducer, ScoreTransducer
from baserate.utilities.utility import UtilityMatrix

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

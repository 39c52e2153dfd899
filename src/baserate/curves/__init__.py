"""Curves: every cut point of real scores, ranking measures, and populations with a known law."""

from baserate.curves.auc import PartialAuc, RocAuc, partial_auc, roc_auc
from baserate.curves.cut_points import Sweep, as_sweep, sweep
from baserate.curves.dominance import Dominance, convex_hull, roc_dominance
from baserate.curves.paired_auc import AucComparison, compare_auc
from baserate.curves.populations import LDA, QDA, Empirical, Population
from baserate.curves.precision_areas import (
    PrecisionArea,
    average_precision,
    precision_recall_gain_auc,
)
from baserate.curves.probability_scores import ProbabilityScore, brier_score, log_loss
from baserate.curves.recalibration import Calibration, calibration
from baserate.curves.roc import PrecisionRecallCurves, RocCurve, precision_recall, roc_curve

__all__ = [
    "LDA",
    "QDA",
    "AucComparison",
    "Calibration",
    "Dominance",
    "Empirical",
    "PartialAuc",
    "Population",
    "PrecisionArea",
    "PrecisionRecallCurves",
    "ProbabilityScore",
    "RocAuc",
    "RocCurve",
    "Sweep",
    "as_sweep",
    "average_precision",
    "brier_score",
    "calibration",
    "compare_auc",
    "convex_hull",
    "log_loss",
    "partial_auc",
    "precision_recall",
    "precision_recall_gain_auc",
    "roc_auc",
    "roc_curve",
    "roc_dominance",
    "sweep",
]

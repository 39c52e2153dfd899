"""Curves: every cut point of real scores, ranking measures, and populations with a known law."""

from baserate.curves.dominance import Dominance, roc_dominance
from baserate.curves.hull import convex_hull
from baserate.curves.populations import LDA, QDA, Empirical, Population
from baserate.curves.ranking import (
    AveragePrecision,
    Calibration,
    PartialAuc,
    PrecisionRecallGainAuc,
    ProbabilityScore,
    RocAuc,
    average_precision,
    brier_score,
    calibration,
    log_loss,
    partial_auc,
    precision_recall_gain_auc,
    roc_auc,
)
from baserate.curves.roc import PrecisionRecallCurves, RocCurve, precision_recall, roc_curve
from baserate.curves.sweep import Sweep, sweep

__all__ = [
    "LDA",
    "QDA",
    "AveragePrecision",
    "Calibration",
    "Dominance",
    "Empirical",
    "PartialAuc",
    "Population",
    "PrecisionRecallCurves",
    "PrecisionRecallGainAuc",
    "ProbabilityScore",
    "RocAuc",
    "RocCurve",
    "Sweep",
    "average_precision",
    "brier_score",
    "calibration",
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

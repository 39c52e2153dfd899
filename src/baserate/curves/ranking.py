"""Ranking measures: how well scores order the cases, and as probabilities how near they are.

Each takes a `Sweep` and returns the value beside what chance, or the base rate, would have.
"""

from baserate.curves.auc import RocAuc, roc_auc
from baserate.curves.average_precision import AveragePrecision, average_precision
from baserate.curves.calibration import Calibration, calibration
from baserate.curves.gain import PrecisionRecallGainAuc, precision_recall_gain_auc
from baserate.curves.partial import PartialAuc, partial_auc
from baserate.curves.probability_scores import ProbabilityScore, brier_score, log_loss

__all__ = [
    "AveragePrecision",
    "Calibration",
    "PartialAuc",
    "PrecisionRecallGainAuc",
    "ProbabilityScore",
    "RocAuc",
    "average_precision",
    "brier_score",
    "calibration",
    "log_loss",
    "partial_auc",
    "precision_recall_gain_auc",
    "roc_auc",
]

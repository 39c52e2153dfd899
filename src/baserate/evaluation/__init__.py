"""`evaluate` and its kin: the calls that answer the whole question, and what they return."""

from baserate.evaluation.baseline import baseline
from baserate.evaluation.evaluate import evaluate, evaluate_counts
from baserate.evaluation.result import Evaluation
from baserate.evaluation.threshold import Thresholds, thresholds

__all__ = ["Evaluation", "Thresholds", "baseline", "evaluate", "evaluate_counts", "thresholds"]

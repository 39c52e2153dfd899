"""`evaluate` and its kin: the calls that answer the whole question, and what they return."""

from baserate.evaluation.audits import Audit, audit, audit_counts
from baserate.evaluation.baseline import baseline
from baserate.evaluation.compare import Comparison, compare, compare_counts
from baserate.evaluation.evaluate import evaluate, evaluate_counts
from baserate.evaluation.result import Evaluation
from baserate.evaluation.threshold import Thresholds, thresholds

__all__ = [
    "Audit",
    "Comparison",
    "Evaluation",
    "Thresholds",
    "audit",
    "audit_counts",
    "baseline",
    "compare",
    "compare_counts",
    "evaluate",
    "evaluate_counts",
    "thresholds",
]

"""Facts of a report: plain frozen records, computed once and rendered many times.

Text, JSON, Markdown and HTML are drawn from the same facts, so they cannot disagree.
"""

from baserate.facts.audit import AuditedGroup, AuditFacts, Finding, GapFact, LeftOut, SmoothingFact
from baserate.facts.baseline import BaselineFact, BaselineFacts
from baserate.facts.comparison import ComparisonFacts
from baserate.facts.evaluation import EvaluationFacts, GroupFact, MetricFact
from baserate.facts.threshold import CutFact, GroupCutsFact, RankingFact, ThresholdFacts

__all__ = [
    "AuditFacts",
    "AuditedGroup",
    "BaselineFact",
    "BaselineFacts",
    "ComparisonFacts",
    "CutFact",
    "EvaluationFacts",
    "Finding",
    "GapFact",
    "GroupCutsFact",
    "GroupFact",
    "LeftOut",
    "MetricFact",
    "RankingFact",
    "SmoothingFact",
    "ThresholdFacts",
]

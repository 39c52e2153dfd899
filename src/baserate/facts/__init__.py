"""Facts of a report: plain frozen records, computed once and rendered many times.

Text, JSON, Markdown and HTML are drawn from the same facts, so they cannot disagree.
"""

from baserate.facts.baseline import BaselineFact, BaselineFacts
from baserate.facts.evaluation import EvaluationFacts, GroupFact, MetricFact
from baserate.facts.plain import json_ready

__all__ = [
    "BaselineFact",
    "BaselineFacts",
    "EvaluationFacts",
    "GroupFact",
    "MetricFact",
    "json_ready",
]

"""Facts of a report: plain frozen records, computed once and rendered many times.

Text, JSON, Markdown and HTML are drawn from the same facts, so they cannot disagree.
"""

from baserate._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from baserate.facts.audit import AuditedGroup as AuditedGroup
    from baserate.facts.audit import AuditFacts as AuditFacts
    from baserate.facts.audit import Finding as Finding
    from baserate.facts.audit import GapFact as GapFact
    from baserate.facts.audit import LeftOut as LeftOut
    from baserate.facts.audit import SmoothingFact as SmoothingFact
    from baserate.facts.baseline import BaselineFact as BaselineFact
    from baserate.facts.baseline import BaselineFacts as BaselineFacts
    from baserate.facts.class_audit import AuditedClass as AuditedClass
    from baserate.facts.class_audit import AveragedGroup as AveragedGroup
    from baserate.facts.class_audit import AverageFinding as AverageFinding
    from baserate.facts.class_audit import ClassAuditFacts as ClassAuditFacts
    from baserate.facts.class_audit import ClassDifference as ClassDifference
    from baserate.facts.class_comparison import ClassComparisonFacts as ClassComparisonFacts
    from baserate.facts.class_comparison import ComparedClassifier as ComparedClassifier
    from baserate.facts.class_comparison import ComparedGroup as ComparedGroup
    from baserate.facts.class_comparison import ComparedPair as ComparedPair
    from baserate.facts.class_comparison import DifferenceFact as DifferenceFact
    from baserate.facts.class_comparison import TurnFact as TurnFact
    from baserate.facts.class_threshold import ClassThresholdFacts as ClassThresholdFacts
    from baserate.facts.class_threshold import ClassWeightFact as ClassWeightFact
    from baserate.facts.class_threshold import ClassWeightsFact as ClassWeightsFact
    from baserate.facts.class_worth import ClassStakesFact as ClassStakesFact
    from baserate.facts.class_worth import ClassWorthFact as ClassWorthFact
    from baserate.facts.classes import ClassEvaluationFacts as ClassEvaluationFacts
    from baserate.facts.classes import ClassFact as ClassFact
    from baserate.facts.classes import ClassGroupFact as ClassGroupFact
    from baserate.facts.classes import ConfusionFact as ConfusionFact
    from baserate.facts.classes import ExtremeFact as ExtremeFact
    from baserate.facts.comparison import ComparisonFacts as ComparisonFacts
    from baserate.facts.evaluation import EvaluationFacts as EvaluationFacts
    from baserate.facts.evaluation import GroupFact as GroupFact
    from baserate.facts.evaluation import MetricFact as MetricFact
    from baserate.facts.scores import BinFact as BinFact
    from baserate.facts.scores import CalibrationFact as CalibrationFact
    from baserate.facts.scores import EstimateFact as EstimateFact
    from baserate.facts.scores import GroupCalibrationFact as GroupCalibrationFact
    from baserate.facts.scores import NetBenefitFact as NetBenefitFact
    from baserate.facts.scores import RegionFact as RegionFact
    from baserate.facts.scores import RiskFact as RiskFact
    from baserate.facts.scores import ScoreBinsFact as ScoreBinsFact
    from baserate.facts.scores import SuppressionFact as SuppressionFact
    from baserate.facts.scores import TopFact as TopFact
    from baserate.facts.threshold import CutFact as CutFact
    from baserate.facts.threshold import GroupCutsFact as GroupCutsFact
    from baserate.facts.threshold import KeptFact as KeptFact
    from baserate.facts.threshold import ThresholdFacts as ThresholdFacts
    from baserate.facts.verdict import VerdictFact as VerdictFact
else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "audit": (
                "AuditFacts",
                "AuditedGroup",
                "Finding",
                "GapFact",
                "LeftOut",
                "SmoothingFact",
            ),
            "baseline": ("BaselineFact", "BaselineFacts"),
            "class_audit": (
                "AuditedClass",
                "AverageFinding",
                "AveragedGroup",
                "ClassAuditFacts",
                "ClassDifference",
            ),
            "class_comparison": (
                "ClassComparisonFacts",
                "ComparedClassifier",
                "ComparedGroup",
                "ComparedPair",
                "DifferenceFact",
                "TurnFact",
            ),
            "class_worth": ("ClassStakesFact", "ClassWorthFact"),
            "class_threshold": ("ClassThresholdFacts", "ClassWeightFact", "ClassWeightsFact"),
            "classes": (
                "ClassEvaluationFacts",
                "ClassFact",
                "ClassGroupFact",
                "ConfusionFact",
                "ExtremeFact",
            ),
            "comparison": ("ComparisonFacts",),
            "evaluation": ("EvaluationFacts", "GroupFact", "MetricFact"),
            "scores": (
                "BinFact",
                "CalibrationFact",
                "EstimateFact",
                "GroupCalibrationFact",
                "NetBenefitFact",
                "RegionFact",
                "RiskFact",
                "ScoreBinsFact",
                "SuppressionFact",
                "TopFact",
            ),
            "threshold": ("CutFact", "GroupCutsFact", "KeptFact", "ThresholdFacts"),
            "verdict": ("VerdictFact",),
        },
    )

"""Displays: pictures of classifiers, with intervals and chance, by matplotlib or as SVG."""

from baserate._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from baserate.displays.calibration import CalibrationDisplay as CalibrationDisplay
    from baserate.displays.decision_curve import DecisionCurveDisplay as DecisionCurveDisplay
    from baserate.displays.display import Display as Display
    from baserate.displays.display import ScoreDisplay as ScoreDisplay
    from baserate.displays.display import TableDisplay as TableDisplay
    from baserate.displays.picture import Picture as Picture
    from baserate.displays.precision_recall import PrecisionRecallDisplay as PrecisionRecallDisplay
    from baserate.displays.roc import RocDisplay as RocDisplay
    from baserate.displays.score_distribution import (
        ScoreDistributionDisplay as ScoreDistributionDisplay,
    )
    from baserate.displays.strip import StripDisplay as StripDisplay
    from baserate.displays.threshold import ThresholdDisplay as ThresholdDisplay
else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "decision_curve": ("DecisionCurveDisplay",),
            "calibration": ("CalibrationDisplay",),
            "display": ("Display", "ScoreDisplay", "TableDisplay"),
            "picture": ("Picture",),
            "precision_recall": ("PrecisionRecallDisplay",),
            "roc": ("RocDisplay",),
            "score_distribution": ("ScoreDistributionDisplay",),
            "strip": ("StripDisplay",),
            "threshold": ("ThresholdDisplay",),
        },
    )

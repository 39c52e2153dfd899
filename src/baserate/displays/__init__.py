"""Displays: pictures of classifiers, with intervals and chance, by matplotlib or as SVG."""

from baserate._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from baserate.displays.base_rate import BaseRateDisplay as BaseRateDisplay
    from baserate.displays.calibration import CalibrationDisplay as CalibrationDisplay
    from baserate.displays.chance import ChanceDisplay as ChanceDisplay
    from baserate.displays.confusion import ConfusionDisplay as ConfusionDisplay
    from baserate.displays.decision_curve import DecisionCurveDisplay as DecisionCurveDisplay
    from baserate.displays.display import Display as Display
    from baserate.displays.display import ScoreDisplay as ScoreDisplay
    from baserate.displays.display import TableDisplay as TableDisplay
    from baserate.displays.group_forest import GroupForestDisplay as GroupForestDisplay
    from baserate.displays.picture import Axis as Axis
    from baserate.displays.picture import Band as Band
    from baserate.displays.picture import Histogram as Histogram
    from baserate.displays.picture import Line as Line
    from baserate.displays.picture import Picture as Picture
    from baserate.displays.picture import Points as Points
    from baserate.displays.picture import Region as Region
    from baserate.displays.picture import Rule as Rule
    from baserate.displays.picture import Text as Text
    from baserate.displays.picture import series_color as series_color
    from baserate.displays.picture import series_style as series_style
    from baserate.displays.precision_recall import PrecisionRecallDisplay as PrecisionRecallDisplay
    from baserate.displays.roc import RocDisplay as RocDisplay
    from baserate.displays.sample_size import SampleSizeDisplay as SampleSizeDisplay
    from baserate.displays.score_distribution import (
        ScoreDistributionDisplay as ScoreDistributionDisplay,
    )
    from baserate.displays.small_sample import SmallSampleDisplay as SmallSampleDisplay
    from baserate.displays.threshold import ThresholdDisplay as ThresholdDisplay
    from baserate.displays.utility_map import UtilityMapDisplay as UtilityMapDisplay
else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "base_rate": ("BaseRateDisplay",),
            "calibration": ("CalibrationDisplay",),
            "chance": ("ChanceDisplay",),
            "confusion": ("ConfusionDisplay",),
            "decision_curve": ("DecisionCurveDisplay",),
            "display": ("Display", "ScoreDisplay", "TableDisplay"),
            "group_forest": ("GroupForestDisplay",),
            "picture": (
                "Axis",
                "Band",
                "Histogram",
                "Line",
                "Picture",
                "Points",
                "Region",
                "Rule",
                "Text",
                "series_color",
                "series_style",
            ),
            "precision_recall": ("PrecisionRecallDisplay",),
            "roc": ("RocDisplay",),
            "sample_size": ("SampleSizeDisplay",),
            "score_distribution": ("ScoreDistributionDisplay",),
            "small_sample": ("SmallSampleDisplay",),
            "threshold": ("ThresholdDisplay",),
            "utility_map": ("UtilityMapDisplay",),
        },
    )

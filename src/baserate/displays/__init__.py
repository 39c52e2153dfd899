"""Displays: pictures of classifiers, with intervals and chance, by matplotlib or as SVG."""

from baserate._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from baserate.displays.calibration import CalibrationDisplay as CalibrationDisplay
    from baserate.displays.picture import Picture as Picture
    from baserate.displays.roc import RocDisplay as RocDisplay
    from baserate.displays.score_distribution import (
        ScoreDistributionDisplay as ScoreDistributionDisplay,
    )
    from baserate.displays.threshold import ThresholdDisplay as ThresholdDisplay
else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "calibration": ("CalibrationDisplay",),
            "picture": ("Picture",),
            "roc": ("RocDisplay",),
            "score_distribution": ("ScoreDistributionDisplay",),
            "threshold": ("ThresholdDisplay",),
        },
    )

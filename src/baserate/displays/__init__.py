"""Displays: pictures of classifiers, with intervals and chance, by matplotlib or as SVG."""

from baserate._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from baserate.displays.audit_forest import AuditForestDisplay as AuditForestDisplay
    from baserate.displays.display import Display as Display
    from baserate.displays.display import ScoreDisplay as ScoreDisplay
    from baserate.displays.display import TableDisplay as TableDisplay
    from baserate.displays.picture import Picture as Picture
    from baserate.displays.precision_recall import PrecisionRecallDisplay as PrecisionRecallDisplay
    from baserate.displays.roc import RocDisplay as RocDisplay
    from baserate.displays.strip import StripDisplay as StripDisplay
else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "audit_forest": ("AuditForestDisplay",),
            "display": ("Display", "ScoreDisplay", "TableDisplay"),
            "picture": ("Picture",),
            "precision_recall": ("PrecisionRecallDisplay",),
            "roc": ("RocDisplay",),
            "strip": ("StripDisplay",),
        },
    )

"""Utilities: what decisions are worth, and which classifier makes the better ones."""

from baserate._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from baserate.utilities.class_probabilities import LabelTransducer as LabelTransducer
    from baserate.utilities.class_probabilities import information as information
    from baserate.utilities.class_probabilities import shift_base_rate as shift_base_rate
    from baserate.utilities.ensemble import UtilityEnsemble as UtilityEnsemble
    from baserate.utilities.envelope import best_by_base_rate as best_by_base_rate
    from baserate.utilities.envelope import best_by_threshold as best_by_threshold
    from baserate.utilities.matrix import UtilityMatrix as UtilityMatrix
    from baserate.utilities.metric_rankings import admissible as admissible
    from baserate.utilities.metric_rankings import rankings as rankings
    from baserate.utilities.more_data import value_of_information as value_of_information
    from baserate.utilities.net_benefit import net_benefit_curve as net_benefit_curve
    from baserate.utilities.two_classifiers import compare_utilities as compare_utilities
else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "class_probabilities": ("LabelTransducer", "information", "shift_base_rate"),
            "ensemble": ("UtilityEnsemble",),
            "envelope": ("best_by_base_rate", "best_by_threshold"),
            "matrix": ("UtilityMatrix",),
            "metric_rankings": ("admissible", "rankings"),
            "more_data": ("value_of_information",),
            "net_benefit": ("net_benefit_curve",),
            "two_classifiers": ("compare_utilities",),
        },
    )

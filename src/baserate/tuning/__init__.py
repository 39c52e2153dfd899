"""Thresholds and weights of classes: the best for a metric, optimism, Bayes rules, robustness."""

from baserate._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from baserate.tuning.across_base_rates import base_rate_curves as base_rate_curves
    from baserate.tuning.bagging import threshold_spread as threshold_spread
    from baserate.tuning.bayes import bayes_threshold as bayes_threshold
    from baserate.tuning.class_weight_samples import class_weight_spread as class_weight_spread
    from baserate.tuning.class_weights import optimal_class_weights as optimal_class_weights
    from baserate.tuning.cross_validated import (
        cross_validated_threshold as cross_validated_threshold,
    )
    from baserate.tuning.cut_scales import density_ratio as density_ratio
    from baserate.tuning.cut_scales import quotient as quotient
    from baserate.tuning.optimal import optimal_threshold as optimal_threshold
    from baserate.tuning.robustness import is_robust as is_robust
    from baserate.tuning.stationary_points import stationary_ratios as stationary_ratios
else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "across_base_rates": ("base_rate_curves",),
            "bagging": ("threshold_spread",),
            "bayes": ("bayes_threshold",),
            "class_weight_samples": ("class_weight_spread",),
            "class_weights": ("optimal_class_weights",),
            "cross_validated": ("cross_validated_threshold",),
            "cut_scales": ("density_ratio", "quotient"),
            "optimal": ("optimal_threshold",),
            "robustness": ("is_robust",),
            "stationary_points": ("stationary_ratios",),
        },
    )

"""Inference: what a table leaves open about a metric."""

from baserate._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from baserate.inference.differences import difference as difference
    from baserate.inference.intervals import class_intervals as class_intervals
    from baserate.inference.intervals import interval as interval
    from baserate.inference.paired import mcnemar_test as mcnemar_test
    from baserate.inference.paired import paired_counts as paired_counts
    from baserate.inference.statements import probability as probability
    from baserate.inference.survey_design import design_effect as design_effect
    from baserate.inference.utility_posterior import yield_posterior as yield_posterior
else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "differences": ("difference",),
            "intervals": ("class_intervals", "interval"),
            "paired": ("mcnemar_test", "paired_counts"),
            "utility_posterior": ("yield_posterior",),
            "statements": ("probability",),
            "survey_design": ("design_effect",),
        },
    )

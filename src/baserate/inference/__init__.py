"""Inference: what a table leaves open about a metric."""

from baserate._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from baserate.inference.best_of_several import (
        probability_best_paired as probability_best_paired,
    )
    from baserate.inference.best_of_several import (
        probability_best_separate as probability_best_separate,
    )
    from baserate.inference.class_comparison import compare_class_yields as compare_class_yields
    from baserate.inference.class_comparison import compare_classes as compare_classes
    from baserate.inference.class_comparison import even_prior as even_prior
    from baserate.inference.clustered_comparison import compare_clusters as compare_clusters
    from baserate.inference.dirichlet_linear import DirichletLinear as DirichletLinear
    from baserate.inference.folds import compare_folds as compare_folds
    from baserate.inference.intervals import design_interval as design_interval
    from baserate.inference.intervals import interval as interval
    from baserate.inference.paired import compare_paired as compare_paired
    from baserate.inference.paired import mcnemar_by_class as mcnemar_by_class
    from baserate.inference.paired import mcnemar_test as mcnemar_test
    from baserate.inference.paired import paired_counts as paired_counts
    from baserate.inference.paired_weights import compare_weighted as compare_weighted
    from baserate.inference.separate_samples import compare_separate as compare_separate
    from baserate.inference.several_classes import class_intervals as class_intervals
    from baserate.inference.survey_design import design_effect as design_effect
    from baserate.inference.utility_posterior import (
        probability_a_better_paired as probability_a_better_paired,
    )
    from baserate.inference.utility_posterior import (
        probability_a_better_separate as probability_a_better_separate,
    )
    from baserate.inference.utility_posterior import yield_posterior as yield_posterior
else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "best_of_several": ("probability_best_paired", "probability_best_separate"),
            "class_comparison": ("compare_class_yields", "compare_classes", "even_prior"),
            "clustered_comparison": ("compare_clusters",),
            "dirichlet_linear": ("DirichletLinear",),
            "folds": ("compare_folds",),
            "intervals": ("design_interval", "interval"),
            "paired": ("compare_paired", "mcnemar_by_class", "mcnemar_test", "paired_counts"),
            "paired_weights": ("compare_weighted",),
            "separate_samples": ("compare_separate",),
            "several_classes": ("class_intervals",),
            "utility_posterior": (
                "probability_a_better_paired",
                "probability_a_better_separate",
                "yield_posterior",
            ),
            "survey_design": ("design_effect",),
        },
    )

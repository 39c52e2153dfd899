"""Inference: what a table leaves open about a metric."""

from baserate.inference.best_of_several import (
    Best,
    probability_best_paired,
    probability_best_separate,
)
from baserate.inference.comparison import Comparison
from baserate.inference.dirichlet_linear import DirichletLinear
from baserate.inference.intervals import Interval, interval
from baserate.inference.paired import (
    McNemar,
    compare_paired,
    mcnemar_by_class,
    mcnemar_test,
    paired_counts,
)
from baserate.inference.sample_size import (
    sample_size_interval,
    sample_size_paired,
    sample_size_separate,
)
from baserate.inference.separate import compare_separate
from baserate.inference.utility_posterior import (
    probability_a_better_paired,
    probability_a_better_separate,
    yield_posterior,
)

__all__ = [
    "Best",
    "Comparison",
    "DirichletLinear",
    "Interval",
    "McNemar",
    "compare_paired",
    "compare_separate",
    "interval",
    "mcnemar_by_class",
    "mcnemar_test",
    "paired_counts",
    "probability_a_better_paired",
    "probability_a_better_separate",
    "probability_best_paired",
    "probability_best_separate",
    "sample_size_interval",
    "sample_size_paired",
    "sample_size_separate",
    "yield_posterior",
]

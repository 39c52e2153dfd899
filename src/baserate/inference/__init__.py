"""Inference: what a table leaves open about a metric."""

from baserate.inference.dirichlet_linear import DirichletLinear
from baserate.inference.intervals import Interval, interval
from baserate.inference.utility_posterior import (
    probability_a_better_paired,
    probability_a_better_separate,
    yield_posterior,
)

__all__ = [
    "DirichletLinear",
    "Interval",
    "interval",
    "probability_a_better_paired",
    "probability_a_better_separate",
    "yield_posterior",
]

"""Populations: what a classifier could achieve if the law of its scores were known.

`LDA` and `QDA` have normal classes, `Empirical` the distribution of a sample. Anything with the
four methods of `Population` is one too.
"""

from baserate.curves._population import Population
from baserate.curves.empirical import Empirical
from baserate.curves.lda import LDA
from baserate.curves.qda import QDA

__all__ = ["LDA", "QDA", "Empirical", "Population"]

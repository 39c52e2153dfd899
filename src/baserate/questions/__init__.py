"""Questions: what to ask of the law that a metric inherits from a model.

Every question takes a metric (or its name) and a model, goes the shortest exact route, and says
which. Unless told otherwise it conditions on the metric being defined.
"""

from baserate.questions._affine import affine
from baserate.questions._answer import Answer, Atoms
from baserate.questions._atoms import pmf
from baserate.questions._defined import probability_defined
from baserate.questions._moments import expect, variance
from baserate.questions._quantile import quantile
from baserate.questions._simulation import sample
from baserate.questions._tails import Tails, cdf, sf, tails

__all__ = [
    "Answer",
    "Atoms",
    "Tails",
    "affine",
    "cdf",
    "expect",
    "pmf",
    "probability_defined",
    "quantile",
    "sample",
    "sf",
    "tails",
    "variance",
]

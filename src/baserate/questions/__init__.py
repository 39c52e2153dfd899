"""Questions: what to ask of the law that a metric inherits from a model."""

from baserate.questions._answer import Answer, Atoms
from baserate.questions._moments import expect, variance
from baserate.questions._simulation import sample

__all__ = ["Answer", "Atoms", "expect", "sample", "variance"]

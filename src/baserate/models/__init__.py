"""Models: probabilities over tables of four counts.

Each is a small frozen value. They share one factorisation (see `Model`), so that every question
takes every model.
"""

from baserate.models._model import LIMIT, Model, generator
from baserate.models.binomial_pair import BinomialPair
from baserate.models.dirichlet_multinomial import DirichletMultinomial
from baserate.models.given_classes import GivenClasses
from baserate.models.hypergeometric import Hypergeometric
from baserate.models.multinomial import Multinomial
from baserate.models.multivariate_hypergeometric import MultivariateHypergeometric
from baserate.models.uniform_tables import UniformTables

__all__ = [
    "LIMIT",
    "BinomialPair",
    "DirichletMultinomial",
    "GivenClasses",
    "Hypergeometric",
    "Model",
    "Multinomial",
    "MultivariateHypergeometric",
    "UniformTables",
    "generator",
]

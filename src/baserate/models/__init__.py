"""Models: probabilities over tables of four counts.

Each is a small frozen value. They share one factorisation (see `Model`), so that every question
takes every model.
"""

from baserate.models.class_totals import BinomialPair, GivenClasses
from baserate.models.hypergeometric import Hypergeometric, MultivariateHypergeometric
from baserate.models.model import LIMIT, Model, generator
from baserate.models.multinomial import DirichletMultinomial, Multinomial
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

"""Models: probabilities over tables of four counts.

Each is a small frozen value. They share one factorisation (see `Model`), so that every question
takes every model.
"""

from baserate._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from baserate.models.class_tables import ClassDirichletMultinomial as ClassDirichletMultinomial
    from baserate.models.class_tables import ClassHypergeometric as ClassHypergeometric
    from baserate.models.class_tables import ClassModel as ClassModel
    from baserate.models.class_tables import ClassMultinomial as ClassMultinomial
    from baserate.models.class_tables import (
        ClassMultivariateHypergeometric as ClassMultivariateHypergeometric,
    )
    from baserate.models.class_totals import BinomialPair as BinomialPair
    from baserate.models.class_totals import GivenClasses as GivenClasses
    from baserate.models.hypergeometric import Hypergeometric as Hypergeometric
    from baserate.models.hypergeometric import (
        MultivariateHypergeometric as MultivariateHypergeometric,
    )
    from baserate.models.model import Model as Model
    from baserate.models.multinomial import DirichletMultinomial as DirichletMultinomial
    from baserate.models.multinomial import Multinomial as Multinomial
    from baserate.models.multinomial import UniformTables as UniformTables
else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "class_tables": (
                "ClassDirichletMultinomial",
                "ClassHypergeometric",
                "ClassModel",
                "ClassMultinomial",
                "ClassMultivariateHypergeometric",
            ),
            "class_totals": ("BinomialPair", "GivenClasses"),
            "hypergeometric": ("Hypergeometric", "MultivariateHypergeometric"),
            "model": ("Model",),
            "multinomial": ("DirichletMultinomial", "Multinomial", "UniformTables"),
        },
    )

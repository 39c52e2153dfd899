"""What the laws are about: every metric, every model of tables, and what they turn into."""

import numpy as np

from baserate import ClassTable, ConfusionMatrix, metrics
from baserate.metrics import average, class_metric
from baserate.models import (
    BinomialPair,
    ClassDirichletMultinomial,
    ClassHypergeometric,
    ClassMultinomial,
    ClassMultivariateHypergeometric,
    DirichletMultinomial,
    GivenClasses,
    Hypergeometric,
    Multinomial,
    MultivariateHypergeometric,
    UniformTables,
)

FAMILY = [
    "f_beta(beta=3)",
    "weighted_accuracy(weight=0.3)",
    "robust_f(d0=0.3)",
    "robust_f(d0=0.2, d1=0.8, c=0.1)",
    "robust_mcc(d=0.1)",
    "utility([[15, -335], [-35, 165]])",
    "cost_per_case(fn=10, fp=1)",
    "net_benefit(threshold=0.2)",
]
RESTATED = ["precision", "f1", "mcc", "kappa", "accuracy", "jaccard", "lift"]
OWN = [
    metrics.define("cost_per_find", lambda tp, fn, fp, tn: (20 * fn + fp) / tp, direction="lower"),
    metrics.define(
        "margin", lambda tp, fn, fp, tn: (tp - 3 * fp) / (tp + fn + 2 * fp), direction="higher"
    ),
]
METRICS = [
    *metrics.CATALOGUE,
    *map(metrics.get, FAMILY),
    *(metrics.get(name).at_base_rate(0.3) for name in RESTATED),
    *OWN,
]
# Intervals of these are simulated, a tenth of a second each.
QUICK = [m for m in METRICS if m.name not in {"chi_squared", "cost_per_find", "margin"}]
CLASS_METRICS = [
    *metrics.CLASS_CATALOGUE,
    *map(class_metric, ("weighted_kappa(quadratic)", "weighted_kappa(linear)", "micro_jaccard")),
    *(average(name, kind) for name in ("recall", "mcc", "lift") for kind in ("macro", "weighted")),
    *(average(own, "macro") for own in OWN),
]

CELLS = (4, 2, 1, 5)
MODELS = [
    Hypergeometric(n_positive=5, n_negative=7, n_predicted=4),
    Hypergeometric(n_positive=6, n_negative=3, n_predicted=0),
    BinomialPair(n_positive=4, n_negative=5, recall=0.7, false_positive_rate=0.2),
    BinomialPair(n_positive=5, n_negative=4, recall=0.4, false_positive_rate=0.4),
    Multinomial(n=8, cells=CELLS),
    Multinomial(n=7, cells=(3, 0, 1, 2)),
    DirichletMultinomial(n=8, concentration=(2.5, 1, 0.5, 3)),
    MultivariateHypergeometric(n=7, population=CELLS),
    GivenClasses(DirichletMultinomial(n=9, concentration=(2, 1, 0.5, 3)), n_positive=4),
    GivenClasses(MultivariateHypergeometric(n=8, population=CELLS), n_positive=3),
    UniformTables(n=7),
]
CLASS_CELLS = ClassTable([[4, 1, 0], [1, 3, 1], [1, 0, 2]], ["a", "b", "c"])
CLASS_MODELS = [
    ClassHypergeometric(class_counts=(3, 2, 2), predicted_counts=(2, 3, 2)),
    ClassMultinomial(n=5, cells=CLASS_CELLS),
    ClassDirichletMultinomial(n=5, concentration=CLASS_CELLS),
    ClassMultivariateHypergeometric(n=5, population=CLASS_CELLS),
]


def tables_of(n_max):
    """Every table with at most so many cases, in a batch."""
    cells = np.indices((n_max + 1,) * 4).reshape(4, -1)
    return batch(cells[:, cells.sum(axis=0) <= n_max])


def batch(cells):
    """A table, or a batch of them, of an array with the four cells first."""
    return ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True)))


def made(name, formula, direction="neither"):
    """A metric of its formula alone, without facts: undefined where that is nan (not measured)."""
    return metrics.Metric(
        name=name,
        definition=name,
        meaning="As its formula says.",
        formula=formula,
        bounds=(-np.inf, np.inf),
        direction=direction,
        undefined_also=lambda *cells: np.isnan(formula(*cells)),
        scale_invariant=False,
    )


def bare(metric):
    """The same formula without a single fact."""
    return made("bare", metric.formula)


def swapped_metric(metric):
    """Its value when the classes trade places: the declared partner, or one made for it."""
    if metric.class_swap is not None:
        return metrics.get(metric.class_swap)
    return made("swapped", lambda tp, fn, fp, tn: metric.formula(tn, fp, fn, tp))


def transposed_metric(metric):
    """Its value when truth and prediction trade places."""
    if metric.transpose is not None:
        return metrics.get(metric.transpose)
    return made("transposed", lambda tp, fn, fp, tn: metric.formula(tp, fp, fn, tn))


def swapped_model(model):
    """The law of the tables whose classes have traded places."""
    if isinstance(model, Hypergeometric):
        p, q, k = model.n_positive, model.n_negative, model.n_predicted
        return Hypergeometric(n_positive=q, n_negative=p, n_predicted=model.n - k)
    if isinstance(model, BinomialPair):
        r, f = model.recall, model.false_positive_rate
        totals = {"n_positive": model.n_negative, "n_negative": model.n_positive}
        return BinomialPair(**totals, recall=1 - f, false_positive_rate=1 - r)
    if isinstance(model, GivenClasses):
        return GivenClasses(swapped_model(model.parent), n_positive=model.n_negative)
    return turned(model, (3, 2, 1, 0))


def transposed_model(model):
    """The law of the tables whose truth and prediction have traded places; None if it is none."""
    if isinstance(model, Hypergeometric):
        p, k = model.n_positive, model.n_predicted
        return Hypergeometric(n_positive=k, n_negative=model.n - k, n_predicted=p)
    if isinstance(model, BinomialPair | GivenClasses):
        return None
    return turned(model, (0, 2, 1, 3))


def turned(model, order):
    if isinstance(model, UniformTables):
        return model
    return of_cells(model, tuple(np.array([*cells_of(model)], dtype=float)[list(order)]))


def cells_of(model):
    return getattr(model, word_of(model))


def of_cells(model, cells):
    if isinstance(model, MultivariateHypergeometric):
        cells = tuple(int(cell) for cell in cells)
    return type(model)(n=model.n, **{word_of(model): cells})


def word_of(model):
    """What the model calls the cells that it is made of."""
    words = {Multinomial: "cells", DirichletMultinomial: "concentration"}
    return words.get(type(model), "population")

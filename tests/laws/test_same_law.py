"""Two ways to say one law get one answer to every question, of every metric under every model.

Classes or truth and prediction trade places; a mixture is a mean of its parts; the unit changes; a
formula loses every fact that opens a shorter route; a route is named.
"""

from math import comb

import numpy as np
from scipy import stats

import baserate as br
from baserate.errors import UnknownNameError, UnsupportedError
from baserate.models import (
    BinomialPair,
    DirichletMultinomial,
    GivenClasses,
    Hypergeometric,
    Multinomial,
    MultivariateHypergeometric,
    UniformTables,
)
from laws.subjects import (
    CLASS_METRICS,
    CLASS_MODELS,
    METRICS,
    MODELS,
    bare,
    made,
    swapped_metric,
    swapped_model,
    transposed_metric,
    transposed_model,
)
from laws.sweep import law

LEVELS = (0.0, 0.3, 0.9, 1.0)
ROUTES = ("closed form", "tower", "lumps", "threshold", "quadrature", "enumeration")


def points_of(metric, model):
    """The least value, one halfway to the next, and one just above a middle one."""
    values = br.pmf(metric, model).values
    if not len(values):
        return np.array([0.3])
    low, high = values[0], values[len(values) // 2]
    between = values[:2].mean() if len(values) > 1 else low - 1
    return np.array([low, between, high + (1 + abs(high)) / 128])


def answers(metric, model, points, levels=LEVELS):
    """What is asked of a law, as one row of numbers; quantiles last."""
    atoms = br.pmf(metric, model)
    return np.array(
        [
            float(br.expect(metric, model)),
            float(br.variance(metric, model)),
            float(br.probability_defined(metric, model)),
            atoms.undefined,
            *(float(question(metric, model, x)) for x in points for question in (br.cdf, br.sf)),
            *(float(br.quantile(metric, model, q)) for q in levels),
        ]
    )


def same(one, other, scale=1.0):
    np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12 * scale)


def of_usual_size(*rows):
    return max(1.0, *(np.nanmax(np.abs(row), initial=0.0) for row in rows))


def agree(one, other, points):
    """All answers about two pairs of a metric and a model are the same."""
    first, second = answers(*one, points), answers(*other, points)
    same(first, second, of_usual_size(first))


@law(METRICS, MODELS)
def test_classes_trade_places(metric, model):
    points = points_of(metric, model)
    agree((metric, model), (swapped_metric(metric), swapped_model(model)), points)


@law(METRICS, MODELS)
def test_truth_and_prediction_trade_places(metric, model):
    turned = transposed_model(model)
    if turned is not None:
        points = points_of(metric, model)
        agree((metric, model), (transposed_metric(metric), turned), points)


@law(METRICS, MODELS, most=300)
def test_facts_change_no_answer(metric, model):
    agree((metric, model), (bare(metric), model), points_of(metric, model))


@law(METRICS, MODELS, [(2.0, 3.0), (-1.0, 0.5)], most=300)
def test_a_unit_scales_means_and_quantiles_and_its_square_spreads(metric, model, unit):
    a, b = unit
    scaled = made("scaled", lambda *cells: a * metric.formula(*cells) + b)
    points = points_of(metric, model)[1:]  # no values: rounding would part ties
    one, other = answers(metric, model, points), answers(scaled, model, a * points + b)
    if a > 0:
        expected = np.append(one[: -len(LEVELS)], a * one[-len(LEVELS) :] + b)
    else:  # the greatest is the least now: P(-M <= -x) = P(M >= x)
        tails = one[4 : -len(LEVELS)].reshape(-1, 2)[:, ::-1]
        expected = np.append(one[:4], tails)
        other = other[: len(expected)]
    expected[:2] = a * one[0] + b, a * a * one[1]
    same(expected, other, of_usual_size(expected, other))


def spread(weights):
    return [(k, w) for k, w in enumerate(weights) if w > 0]


def parts_of(model):
    """What the model is a mixture of, with their shares."""
    if isinstance(model, BinomialPair):
        n, totals = model.n, {"n_positive": model.n_positive, "n_negative": model.n_negative}
        flagged = stats.binom(n, model.recall).pmf(range(n + 1))
        return [(w, Hypergeometric(**totals, n_predicted=k)) for k, w in spread(flagged)]
    if isinstance(model, Multinomial):
        tp, fn, fp, tn = model.cells
        positives = stats.binom(model.n, (tp + fn) / (tp + fn + fp + tn))
    elif isinstance(model, DirichletMultinomial):
        tp, fn, fp, tn = model.concentration
        positives = stats.betabinom(model.n, tp + fn, fp + tn)
    elif isinstance(model, MultivariateHypergeometric):
        tp, fn, fp, tn = model.population
        positives = stats.hypergeom(tp + fn + fp + tn, tp + fn, model.n)
    else:
        n, whole = model.n, comb(model.n + 3, 3)
        ones = DirichletMultinomial(n=n, concentration=(1, 1, 1, 1))
        shares = [(p + 1) * (n - p + 1) / whole for p in range(n + 1)]
        return [(w, GivenClasses(ones, n_positive=p)) for p, w in spread(shares)]
    shares = spread(positives.pmf(range(model.n + 1)))
    return [(w, GivenClasses(model, n_positive=p)) for p, w in shares]


MIXTURES = [
    *(m for m in MODELS if not isinstance(m, Hypergeometric | BinomialPair | GivenClasses)),
    BinomialPair(n_positive=5, n_negative=4, recall=0.4, false_positive_rate=0.4),
]


@law(METRICS, MIXTURES)
def test_a_mixture_is_the_mean_of_its_parts(metric, model):
    x = float(points_of(metric, model)[0])
    whole, parts = mixed(metric, [(1.0, model)], x), mixed(metric, parts_of(model), x)
    same(whole, parts, of_usual_size(whole))


def mixed(metric, parts, x):
    """P(defined), both tails, and the first two moments, of a mean over models."""
    row = np.zeros(5)
    for share, model in parts:
        defined = float(br.probability_defined(metric, model))
        row[0] += share * defined
        if defined:
            mean, spread = float(br.expect(metric, model)), float(br.variance(metric, model))
            tails = float(br.cdf(metric, model, x)), float(br.sf(metric, model, x))
            row[1:] += share * defined * np.array([*tails, mean, spread + mean**2])
    return row


@law(METRICS)
def test_total_ignorance_is_every_table_alike(metric):
    """Pseudo-counts of 1 make every table as likely as any other."""
    uniform, ones = UniformTables(n=7), DirichletMultinomial(n=7, concentration=(1, 1, 1, 1))
    agree((metric, uniform), (metric, ones), points_of(metric, uniform))


@law(METRICS, MODELS, most=300)
def test_every_route_that_can_be_named_agrees(metric, model):
    points = points_of(metric, model)[[0, -1]]
    asked = [(br.expect, ()), (br.variance, ()), (br.probability_defined, ())]
    asked += [(question, (x,)) for x in points for question in (br.cdf, br.sf)]
    asked += [(br.quantile, (q,)) for q in (0.1, 0.5)]
    for question, extra in asked:
        first = question(metric, model, *extra)
        for route in ROUTES:
            found = by_route(question, metric, model, *extra, method=route)
            if found is not None:
                assert found.route == route
                scale = of_usual_size([first.value])
                same([first.value, first.undefined], [found.value, found.undefined], scale)


def by_route(question, *args, method):
    try:
        return question(*args, method=method)
    except (UnsupportedError, UnknownNameError):
        return None


@law(CLASS_METRICS, CLASS_MODELS)
def test_routes_of_several_classes_agree(metric, model):
    first = answers(metric, model, points_of(metric, model))
    for question, i in ((br.expect, 0), (br.variance, 1), (br.probability_defined, 2)):
        for route in ("closed form", "one versus rest", "hits", "enumeration"):
            found = by_route(question, metric, model, method=route)
            if found is not None:
                same([first[i]], [found.value], of_usual_size(first))

"""Exact risks of estimators against sums over every table in fractions."""

from fractions import Fraction
from math import isnan

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

from baserate import ConfusionMatrix, metrics
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.groups import estimation
from baserate.groups.estimation import best_strength, risks
from baserate.groups.pseudo_cases import EPSILON, Estimator, Shares
from baserate.models import BinomialPair, Multinomial, MultivariateHypergeometric
from oracles import small_sample_twins as twins
from quick import one_in

POPULATION = (5, 3, 9, 14)
REFERENCE = (4, 2, 1, 9)
BLACK = ConfusionMatrix(tp=273, fn=170, fp=1043, tn=1692)
REST = ConfusionMatrix(tp=116, fn=177, fp=554, tn=2429)

ESTIMATORS = {
    "raw": (Estimator.raw(), (0, 0, 0, 0)),
    "epsilon": (Estimator.epsilon(), (Fraction(EPSILON),) * 4),
    "add_one": (Estimator.add_one(), (1, 1, 1, 1)),
    "strength=5": (
        Estimator.toward(REFERENCE, strength=5),
        tuple(5 * Fraction(c, 16) for c in REFERENCE),
    ),
}
ROUTES = {
    "accuracy": "closed form",
    "marginal_benefit": "closed form",
    "true_positives": "closed form",
    "base_rate": "closed form",
    "recall": "one sum",
    "negative_predictive_value": "one sum",
    "jaccard": "one sum",
    "f1": "two sums",
    "negative_f1": "two sums",
    "matthews_correlation": "enumeration",
    "prevalence_threshold": "enumeration",
    "cohen_kappa": "enumeration",
    "lift": "enumeration",
}


def risk(metric, model, estimator):
    [found] = risks(metric, model, [estimator])
    return found


def models(n):
    population = ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), POPULATION, strict=True)))
    return (
        (Multinomial(n=n, cells=population), twins.multinomial),
        (MultivariateHypergeometric(n=n, population=population), twins.hypergeometric),
    )


@pytest.mark.sweep(315, start=21)
@pytest.mark.parametrize("replace", [True, False])
@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("name", ROUTES)
@pytest.mark.parametrize("n", [1, 4, 7])
def test_every_route_against_fractions(name, n, estimator, replace):
    model, law = models(n)[0 if replace else 1]
    ours, prior = ESTIMATORS[estimator]
    found = risk(name, model, ours)
    mass, bias, mse = twins.risk(name, n, POPULATION, prior, law)
    assert found.route == ROUTES[name]
    assert found.probability_defined == pytest.approx(float(mass), rel=1e-12)
    if not mass:
        assert isnan(found.mse)
        return
    # With 1e-10 added, doubles leave a metric of square roots and differences some 1e-6 of itself.
    rel = 1e-5 if estimator == "epsilon" else 1e-11
    assert found.bias == pytest.approx(float(bias), rel=rel, abs=rel)
    assert found.mse == pytest.approx(float(mse), rel=rel, abs=1e-14)
    assert found.variance == pytest.approx(found.mse - found.bias**2, rel=1e-9, abs=1e-14)


# Bias of the raw estimates for COMPAS Black at n = 5, 20, 50, by full enumeration, as printed.
@pytest.mark.parametrize(
    ("name", "n", "printed"),
    [
        ("f1", 5, -0.074),
        ("f1", 20, -0.020),
        ("f1", 50, -0.008),
        ("mcc", 5, 0.066),
        ("mcc", 20, 0.0005),
        ("mcc", 50, -0.002),
        ("pt", 5, 0.080),
        ("pt", 20, 0.057),
        ("pt", 50, 0.009),
    ],
)
def test_biases_of_compas_black(name, n, printed):
    digits = 4 if printed == 0.0005 else 3
    found = risk(name, Multinomial(n=n, cells=BLACK), Estimator.raw())
    assert round(found.bias, digits) == printed


@pytest.mark.parametrize("name", ["accuracy", "marginal_benefit", "recall", "precision"])
def test_raw_linear_metrics_and_proportions_are_unbiased(name):
    for model in (Multinomial(n=9, cells=BLACK), MultivariateHypergeometric(n=9, population=BLACK)):
        assert abs(risk(name, model, Estimator.raw()).bias) < 1e-14


def test_exact_mse_of_accuracy_at_149():
    # 0.001584 by the closed form; the authors' 1000 quantiles give 0.001626.
    found = risk("acc", Multinomial(n=149, cells=BLACK), Estimator.raw())
    assert round(found.mse, 6) == 0.001584


def test_best_strengths_of_compas_and_folktables():
    # lambda* = v/d^2 from the published tables.
    assert round(best_strength("ppr", BLACK, REST), 2) == 5.52
    assert round(best_strength("acc", BLACK, REST), 2) == 9.39
    other, whole = (746, 930, 1700, 14713), (26318, 16189, 20071, 93854)
    rest = tuple(w - o for w, o in zip(whole, other, strict=True))
    assert round(best_strength("prevalence", other, rest), 2) == 2.05


@pytest.mark.parametrize("name", ["ppr", "marginal_benefit", "net_benefit(threshold=0.2)"])
@pytest.mark.parametrize("n", [3, 30, 300])
def test_the_best_strength_is_the_best_at_every_n(name, n):
    best = best_strength(name, BLACK, REST)
    around = [Estimator.toward(REST, strength=s * best) for s in (0.99, 1, 1.01)]
    low, least, high = (r.mse for r in risks(name, Multinomial(n=n, cells=BLACK), around))
    assert least < min(low, high)
    twice = Estimator.toward(REST, strength=2 * best)
    raw, double = risks(name, Multinomial(n=n, cells=BLACK), [Estimator.raw(), twice])
    assert double.mse < raw.mse


def test_best_strengths_at_the_edges():
    assert best_strength("acc", BLACK, BLACK) == np.inf
    assert isnan(best_strength("recall", (0, 0, 1, 4), REST))
    with pytest.raises(UnsupportedError, match="f1 has no best strength in closed form: compare"):
        best_strength("f1", BLACK, REST)


def test_a_users_metric_takes_the_long_way_to_the_same_end():
    told = {"linear_in_rates": False, "lumps": None}
    own = metrics.define("own", lambda tp, fn, fp, tn: (tp + tn) / (tp + fn + fp + tn), **told)
    model, smooth = Multinomial(n=12, cells=BLACK), Estimator.toward(REST, strength=7)
    long, short = risk(own, model, smooth), risk("accuracy", model, smooth)
    assert (long.route, short.route) == ("enumeration", "closed form")
    assert long.mse == pytest.approx(short.mse, rel=1e-12)


def test_truth_without_a_value():
    found = risk("recall", Multinomial(n=5, cells=(0, 0, 1, 4)), Estimator.add_one())
    assert isnan(found.truth)
    assert isnan(found.mse)


def test_exactly_as_many_tables_as_are_allowed_are_summed(monkeypatch):
    model = Multinomial(n=5, cells=BLACK)  # 8! / (5! 3!) = 56 tables
    monkeypatch.setattr(estimation, "BUDGET", 56)
    assert round(risk("mcc", model, Estimator.raw()).bias, 3) == 0.066
    monkeypatch.setattr(estimation, "BUDGET", 55)
    with pytest.raises(UnsupportedError, match="a sum over 56 tables, and at most 55 are summed"):
        risk("mcc", model, Estimator.raw())


def test_refusals():
    with pytest.raises(
        UnsupportedError, match=r"sum over .* tables.*linear metric or a proportion"
    ):
        risk("mcc", Multinomial(n=1000, cells=BLACK), Estimator.raw())
    pair = BinomialPair(n_positive=3, n_negative=4, recall=0.5, false_positive_rate=0.5)
    with pytest.raises(InvalidArgumentError, match=r"how cases are drawn.*pass Multinomial"):
        risk("mcc", pair, Estimator.raw())
    with pytest.raises(InvalidArgumentError, match=r"strength must lie in \[0, inf\)"):
        Estimator.toward(REST, strength=-1)
    with pytest.raises(InvalidArgumentError, match="reference must hold at least one case"):
        Estimator.toward((0, 0, 0, 0), strength=1)
    with pytest.raises(InvalidArgumentError, match="ConfusionMatrix or four numbers"):
        Estimator.toward((1, 2), strength=1)


@pytest.mark.parametrize("n", one_in(2, [90, 900]))
@pytest.mark.parametrize("uncertain", [False, True], ids=["drawn", "without replacement"])
def test_f1_in_larger_samples_by_two_sums(n, uncertain):
    """tp given the cases that matter, and those given n, by the laws of SciPy."""
    cells = (273, 170, 1043, 1692)
    table = ConfusionMatrix(tp=273, fn=170, fp=1043, tn=1692)
    model = Multinomial(n=n, cells=table)
    outer, inner = binom(n, 1486 / 3178), lambda t: binom(t, 273 / 1486)
    if uncertain:
        model = MultivariateHypergeometric(n=n, population=table)
        outer, inner = hypergeom(3178, 1486, n), lambda t: hypergeom(1486, 273, t)
    t, tp = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    mass = np.where(tp <= t, outer.pmf(t) * inner(t).pmf(np.minimum(tp, t)), 0.0)
    truth = 2 * cells[0] / (2 * cells[0] + cells[1] + cells[2])
    shrunk = [c / sum(cells) * 10 for c in (116, 177, 554, 2429)]
    f1 = 2 * (tp + shrunk[0]) / (tp + t + 2 * shrunk[0] + shrunk[1] + shrunk[2])
    estimator = Estimator("ten", Shares(*shrunk))
    found = risk("f1", model, estimator)
    assert found.mse == pytest.approx((mass * (f1 - truth) ** 2).sum(), rel=1e-9)
    assert found.bias == pytest.approx((mass * (f1 - truth)).sum(), rel=1e-9)


@pytest.mark.parametrize("name", ["matthews_correlation", "prevalence_threshold"])
def test_a_list_of_all_tables_and_one_by_their_positives_agree(name, monkeypatch):
    model = Multinomial(n=17, cells=(0.1, 0.2, 0.3, 0.4))
    for estimator in (Estimator.raw(), Estimator.add_one()):
        listed = risk(name, model, estimator)
        with monkeypatch.context() as patch:
            patch.setattr("baserate.groups.estimation.REMEMBERED", 0)
            summed = risk(name, model, estimator)
        assert listed.mse == pytest.approx(summed.mse, rel=1e-12)
        assert listed.probability_defined == pytest.approx(summed.probability_defined, rel=1e-12)

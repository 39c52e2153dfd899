"""Quantiles at many sample sizes: those of exact laws, of SciPy's, and of the question for one."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from baserate import ConfusionMatrix, quantile
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.models import Multinomial
from baserate.questions import quantiles
from baserate.questions.quantiles import MetricQuantiles, metric_quantiles
from oracles import group_twins
from oracles.law_twins import Twin

WHITE = (77, 129, 380, 1679)  # Briscoe et al. (AISTATS 2025), COMPAS
LEVELS = (0.025, 0.25, 0.5, 0.75, 0.975)


def multinomial(n, cells):
    """Return every table of n cases with its probability as a fraction."""
    weights = group_twins.multinomial(n, cells)
    return {table: Fraction(weight, sum(weights.values())) for table, weight in weights.items()}


@pytest.mark.parametrize("name", ["precision", "f1", "matthews_correlation", "accuracy"])
def test_small_samples_as_exact_fractions_have_them(name):
    fan = metric_quantiles(name, WHITE, [1, 2, 7, 12], LEVELS)
    for column, n in enumerate([1, 2, 7, 12]):
        twin = Twin(name, multinomial(n, WHITE))
        if twin.atoms:
            expected = [twin.quantile(level) for level in LEVELS]
            assert fan.quantiles[:, column] == pytest.approx([float(v) for v in expected], abs=1e-9)
        else:
            assert np.isnan(fan.quantiles[:, column]).all()
        assert fan.probability_defined[column] == pytest.approx(1 - float(twin.undefined))


@pytest.mark.parametrize("sizes", [[10, 100, 1000, 100_000]])
def test_accuracy_has_binomial_quantiles(sizes):
    right = (77 + 1679) / sum(WHITE)
    fan = metric_quantiles("accuracy", WHITE, sizes, LEVELS)
    expected = [[binom.ppf(level, n, right) / n for n in sizes] for level in LEVELS]
    assert fan.quantiles == pytest.approx(np.array(expected), abs=1e-12)
    assert (fan.probability_defined == 1).all()


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize("name", ["mcc", "geometric_mean", "recall", "diagnostic_odds_ratio", "f2"])
def test_many_quantiles_are_those_asked_for_one_by_one(name):
    fan = metric_quantiles(name, WHITE, [30, 160], LEVELS)
    for column, n in enumerate(fan.sizes.tolist()):
        model = Multinomial(n=n, cells=WHITE)
        expected = [quantile(name, model, level).value for level in LEVELS]
        assert fan.quantiles[:, column] == pytest.approx(expected, abs=1e-11)


def test_bins_change_nothing(monkeypatch):
    """With all values sorted at once, the quantiles of more values than that are the same."""
    binned = metric_quantiles("mcc", WHITE, [150], [1e-9, 0.31, 0.5, 1 - 1e-9]).quantiles
    monkeypatch.setattr(quantiles, "_SORTED", 10**9)
    sorted_ = metric_quantiles("mcc", WHITE, [150], [1e-9, 0.31, 0.5, 1 - 1e-9]).quantiles
    assert binned == pytest.approx(sorted_, abs=1e-11)


def test_of_many_values_that_are_all_one_each_quantile_is_that_one():
    """Where no positive can be missed, recall is 1 in each of more tables than are sorted."""
    fan = metric_quantiles("recall", (3, 0, 2, 5), [250], LEVELS)
    assert fan.quantiles[:, 0].tolist() == [1.0] * len(LEVELS)


def test_the_worked_example_of_briscoe_et_al():
    """P(accuracy <= 0.80) = 0.900470 and P(accuracy < 0.80) = 0.851169 at n = 100."""
    levels = [0.8511, 0.8512, 0.9004, 0.9005]
    fan = metric_quantiles("accuracy", (0.5, 0.15, 0.1, 0.25), [100], levels)
    assert fan.quantiles[:, 0] == pytest.approx([0.79, 0.80, 0.80, 0.81])


def test_a_metric_that_is_hardly_ever_defined():
    """Precision where one case in a billion is flagged: given that it is defined, one is."""
    fan = metric_quantiles("precision", (7.5e-10, 0.5, 2.5e-10, 0.5), [50], [0.2499, 0.2501])
    assert fan.quantiles[:, 0].tolist() == [0.0, 1.0]
    assert fan.probability_defined[0] == pytest.approx(5e-8, rel=1e-6)


def test_quantiles_tend_to_the_value_of_the_reference():
    fan = metric_quantiles(
        "f1", ConfusionMatrix(tp=77, fn=129, fp=380, tn=1679), [100, 10_000], LEVELS
    )
    assert isinstance(fan, MetricQuantiles)
    assert fan.value == pytest.approx(2 * 77 / (2 * 77 + 129 + 380))
    assert fan.quantiles.shape == (5, 2)
    assert np.abs(fan.quantiles[:, 1] - fan.value).max() < np.ptp(fan.quantiles[:, 0]) / 5
    assert fan.routes == ("lumps", "lumps")


def test_never_defined_is_nan():
    fan = metric_quantiles("precision", (0, 1, 0, 1), [10], LEVELS)
    assert np.isnan(fan.quantiles).all()
    assert np.isnan(fan.value)
    assert fan.probability_defined.tolist() == [0]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"sizes": [0]}, r"sizes must be a whole number of at least 1"),
        ({"sizes": []}, r"sizes must be a list of numbers"),
        ({"reference": (1, 2, 3)}, r"reference must be four numbers"),
    ],
)
def test_refusals(wrong, message):
    asked = {"reference": WHITE, "sizes": [10], "levels": [0.5]} | wrong
    with pytest.raises(InvalidArgumentError, match=message):
        metric_quantiles("recall", **asked)


def test_too_many_tables():
    with pytest.raises(UnsupportedError, match=r"tables to sum.*ask for smaller sizes"):
        metric_quantiles("mcc", WHITE, [100_000], LEVELS)

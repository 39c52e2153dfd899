"""Curves against the base rate: the figures of two papers, crossings in closed form."""

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq
from scipy.stats import norm

from baserate import ConfusionMatrix, bayes_threshold, metrics, random_guess, sweep
from baserate.curves.populations import LDA, Empirical
from baserate.errors import InvalidArgumentError
from baserate.tuning import base_rate_curves, base_rate_series
from baserate.tuning.across_base_rates import crossing_points, crossing_totals

# Burger and Meertens: recall 0.6, specificity 0.8; imbalance δ = 2 π - 1.
TABLE = ConfusionMatrix(tp=60, fn=40, fp=20, tn=80)
BOTH = ["f1", "negative_f1"]
A = ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)  # Dyrland et al.
B = ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)


def imbalance(crossing):
    return 2 * crossing.base_rate - 1


@pytest.mark.parametrize("guess", ["uniform", "proportional"])
def test_raw_f1_of_both_classes_crosses_at_one_seventh(guess):
    raw = base_rate_curves(BOTH, TABLE, guess=guess).crossings[0]
    assert raw.of == "value"
    assert (raw.first, raw.second) == ("f1", "negative_f1")
    assert imbalance(raw) == pytest.approx(1 / 7, abs=1e-13)
    assert raw.height == pytest.approx(24 / 35, abs=1e-13)


@pytest.mark.parametrize(
    ("guess", "where", "height"), [("uniform", 1 / 2, 0.3), ("proportional", -1 / 3, 0.4)]
)
def test_skills_cross_where_the_paper_says(guess, where, height):
    """Figures 1 and 4; to leading order, which a population has."""
    _, found = base_rate_curves(BOTH, TABLE, guess=guess).crossings
    assert found.of == "skill"
    assert imbalance(found) == pytest.approx(where, abs=1e-12)
    assert found.height == pytest.approx(height, abs=1e-12)
    assert found.between == (found.base_rate, found.base_rate)


def test_guessing_catches_up_where_the_paper_says():
    """Appendix B: accuracy has no skill at imbalances (-1 - sqrt(41))/10 and (-1 + sqrt(41))/10."""
    [curve] = base_rate_curves("accuracy", TABLE, guess="proportional")
    imbalances = [2 * pi - 1 for pi in curve.no_skill]
    assert imbalances == pytest.approx([(-1 - math.sqrt(41)) / 10, (-1 + math.sqrt(41)) / 10])
    [f1] = base_rate_curves("f1", TABLE, guess="uniform")  # section 5: -0.18, and 0.34 there
    best, skill = f1.most_skill
    assert (round(2 * best - 1, 2), round(skill, 2), f1.no_skill) == (-0.18, 0.34, ())
    [flat] = base_rate_curves("informedness", TABLE)  # 0.6 + 0.8 - 1, however rare positives are
    assert (math.isnan(flat.most_skill[0]), flat.most_skill[1]) == (True, pytest.approx(0.4))
    [sample] = base_rate_curves("accuracy", TABLE, guess="proportional", n=1000)
    assert sample.no_skill == pytest.approx(curve.no_skill, abs=2e-3)
    assert sample.most_skill[1] == max(sample.skill)


def test_skills_in_samples_of_a_thousand():
    """Figure 1: they cross at 0.4994, and that of positives is highest at -0.1785: 0.3370."""
    found = base_rate_curves(
        BOTH, TABLE, guess="uniform", n=1000, base_rates=np.arange(2, 999, 2) / 1000
    )
    assert imbalance(found.crossings[1]) == pytest.approx(0.4994, abs=5e-5)
    assert found.crossings[1].between == (0.749, 0.75)
    skill = found.curves[0].skill
    assert skill.max() == pytest.approx(0.3370, abs=5e-5)
    assert 2 * found.curves[0].base_rates[skill.argmax()] - 1 == pytest.approx(-0.1785, abs=0.003)


def test_balanced_metrics():
    """Raw 2/3 and 8/11 wherever; the chance of samples bends at the ends."""
    balanced = [metrics.get(name).at_base_rate(0.5) for name in BOTH]
    rates = [0.002, 0.1, 0.5, 0.998]
    found = base_rate_curves(balanced, TABLE, base_rates=rates, guess="uniform", n=1000)
    positive, negative = found.curves
    assert_allclose(positive.value, 2 / 3, rtol=1e-13)
    assert_allclose(negative.value, 8 / 11, rtol=1e-13)
    assert not found.crossings
    for k, rate in enumerate(rates):
        n_positive = round(1000 * rate)
        alone = random_guess(balanced[0], n_positive=n_positive, n_negative=1000 - n_positive)
        assert positive.chance[k] == pytest.approx(alone.value, rel=1e-13)
    flat = base_rate_curves(balanced, TABLE, guess="uniform").curves[0]
    assert_allclose(flat.chance, 1 / 2, rtol=1e-13)
    assert_allclose(flat.skill, 1 / 3, rtol=1e-13)


@pytest.mark.slow
def test_accuracies_of_two_classifiers_cross_where_a_line_says():
    """A has more specificity by 3/50, B more recall by 16/50: at π 16 = (1 - π) 3."""
    found = base_rate_curves("accuracy", {"A": A, "B": B})
    value, skill = found.crossings
    assert value.base_rate == pytest.approx(3 / 19, abs=1e-13)
    assert skill.base_rate == pytest.approx(3 / 19, abs=1e-13)
    assert (value.first, value.second) == ("accuracy, A", "accuracy, B")
    assert value.height == pytest.approx((3 * 27 + 16 * 35) / 19 / 50, abs=1e-13)


def test_skill_is_made_of_value_and_chance():
    curve = base_rate_curves("f1", TABLE, base_rates=[0.2, 0.5]).curves[0]
    value = np.array([2 * 0.6 * p / (p + 0.6 * p + 0.2 * (1 - p)) for p in (0.2, 0.5)])
    chance = np.array([2 * p / (1 + p) for p in (0.2, 0.5)])
    assert_allclose(curve.value, value, rtol=1e-13)
    assert_allclose(curve.chance, chance, rtol=1e-13)
    assert_allclose(curve.skill, (value - chance) / (1 - chance), rtol=1e-12)
    assert np.isnan(curve.ratio).all()
    assert_allclose(curve.recall, 0.6, rtol=1e-14)


def test_best_cuts_of_normal_classes_on_three_scales():
    """Accuracy asks for δ* = (1 - π)/π, even odds, a probability of 1/2 (Holzmann and Klar)."""
    rates = np.array([0.01, 0.3, 0.9])
    curve = base_rate_curves("accuracy", LDA(distance=2.0), base_rates=rates).curves[0]
    ratio = (1 - rates) / rates
    assert_allclose(curve.ratio, ratio, rtol=1e-10)
    assert_allclose(curve.odds, 1, rtol=1e-10)
    assert_allclose(curve.probability, 0.5, rtol=1e-10)
    assert_allclose(curve.recall, norm.cdf(1 - np.log(ratio) / 2), rtol=1e-10)
    assert_allclose(curve.specificity, norm.cdf(1 + np.log(ratio) / 2), rtol=1e-10)


def test_what_has_no_best_cut_is_nan_with_its_reason():
    curve = base_rate_curves("yule_q", LDA(distance=1.0), base_rates=[0.2, 0.5]).curves[0]
    assert np.isnan(curve.value).all()
    assert "has no best threshold here" in curve.reason[0]


def test_a_sweep_is_cut_on_the_hull_of_its_curve():
    rng = np.random.default_rng(2)
    positive = rng.random(300) < 0.4
    swept = sweep(positive, rng.normal(size=300) + positive)
    found = base_rate_curves("f1", {"sample": swept, "table": TABLE}, base_rates=[0.1, 0.4])
    alone = bayes_threshold("f1", Empirical(swept), base_rate=0.4)
    assert found.curves[0].value[1] == alone.value
    assert found.curves[0].recall[1] == alone.recall
    assert found.curves[0].name == "f1, sample"


@pytest.mark.slow
def test_two_populations_cross():
    """At equal numbers the farther classes are better; they never change places."""
    near, far = LDA(distance=1.0), LDA(distance=2.0)
    assert not base_rate_curves("mcc", {"near": near, "far": far}, base_rates=[0.1, 0.5]).crossings
    fixed = ConfusionMatrix(tp=90, fn=10, fp=40, tn=60)
    rates = np.linspace(0.05, 0.95, 10)
    found = base_rate_curves("accuracy", {"best": near, "fixed": fixed}, base_rates=rates)
    for crossing in (one for one in found.crossings if one.of == "value"):
        best = bayes_threshold("accuracy", near, base_rate=crossing.base_rate).value
        assert best == pytest.approx(0.6 + 0.3 * crossing.base_rate, abs=1e-12)
    assert [one.of for one in found.crossings].count("value") == 2


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"base_rates": [0.5, 0.2]}, "base_rates must be a list of rising numbers"),
        ({"base_rates": [0.0, 0.2]}, r"base_rates must lie in \(0, 1\)"),
        ({"classifiers": {"a": 3}}, "classifiers must be a ConfusionMatrix, a Sweep or a pop"),
        ({"metrics": []}, "metrics must be one or more"),
        ({"n": 1}, "n must be a whole number of at least 2"),
        ({"guess": "oracle"}, "guess must be"),
        ({"classifiers": ConfusionMatrix(tp=0, fn=0, fp=1, tn=2)}, "classifiers must"),
    ],
)
def test_refusals(wrong, message):
    with pytest.raises(InvalidArgumentError, match=message):
        base_rate_curves(**({"metrics": "f1", "classifiers": TABLE} | wrong))


def test_two_crossings_within_the_first_step_and_within_the_last():
    """Kappa and markedness agree where alarms are as many as positives, and where they are half.

    With a = f + (r - f) pi alarms, 2 a (1 - a) = a (1 - pi) + pi (1 - a) is (a - pi)(1 - 2 a) = 0.
    """
    table = ConfusionMatrix(tp=80, fn=20, fp=19, tn=81)
    where = [float(Fraction(19, 39)), float(Fraction(31, 61))]
    for rates in ([0.48, 0.8], [0.2, 0.515], [0.48, 0.515]):
        found = base_rate_curves(["cohen_kappa", "markedness"], table, base_rates=rates)
        values = [c.base_rate for c in found.crossings if c.of == "value"]
        assert values == pytest.approx(where, abs=1e-9)


def test_a_table_in_the_place_of_metrics_is_told_from_a_name():
    table = ConfusionMatrix(tp=35, fn=5, fp=10, tn=50)
    for given in (table, {"a": table}):
        with pytest.raises(InvalidArgumentError, match="metrics must name metrics, which come fir"):
            base_rate_curves(given, ["f1", "mcc"])


def crossings_of(gap, at):
    return crossing_points(gap, at, gap(at))


def test_roots_of_a_polynomial():
    roots = [0.1, 0.25, 0.5, 0.77]
    at = np.linspace(0, 1, 41)
    ends = crossings_of(lambda x: np.prod([x - r for r in roots], axis=0), at)
    assert [low for low, _ in ends] == pytest.approx(roots, abs=1e-12)


def test_two_roots_between_neighbouring_places():
    ends = crossings_of(lambda x: (x - 0.3) ** 2 - 1e-8, np.linspace(0, 1, 5))
    assert [low for low, _ in ends] == pytest.approx([0.2999, 0.3001], abs=1e-11)


def test_two_roots_before_the_second_place_and_after_the_last_but_one():
    at = np.linspace(0, 1, 6)
    ends = crossings_of(lambda x: (x - 0.05) * (x - 0.12), at)
    assert [low for low, _ in ends] == pytest.approx([0.05, 0.12], abs=1e-12)
    ends = crossings_of(lambda x: (x - 0.95) * (x - 0.88), at)
    assert [low for low, _ in ends] == pytest.approx([0.88, 0.95], abs=1e-12)
    ends = crossings_of(lambda x: (x - 0.3) * (x - 0.7), np.array([0.0, 1.0]))
    assert [low for low, _ in ends] == pytest.approx([0.3, 0.7], abs=1e-12)


def test_touching_is_no_crossing():
    assert crossings_of(lambda x: (x - 0.3) ** 2, np.linspace(0, 1, 11)) == []


def test_a_stretch_on_which_curves_coincide():
    at = np.linspace(0, 1, 11)
    [(low, high)] = crossings_of(lambda x: np.maximum(x - 0.6, 0) + np.minimum(x - 0.3, 0), at)
    assert (low, high) == pytest.approx((0.3, 0.6))


def test_equal_curves_and_unknown_ones_do_not_cross():
    at = np.linspace(0, 1, 11)
    assert crossings_of(np.zeros_like, at) == []
    assert crossings_of(lambda x: np.where(abs(x - 0.5) < 0.2, np.nan, x - 0.5), at) == []


def test_whole_numbers():
    asked = []

    def gap(shares):
        asked.append(round(shares[0] * 1000))
        return shares - 0.3337

    totals = np.array([1, 500, 999])
    assert crossing_totals(gap, totals / 1000 - 0.3337, totals, 1000) == [(0.333, 0.334)]
    assert len(asked) <= 9


def test_crossings_between_two_base_rates_are_found_where_both_ends_lie_alike():
    """Accuracy 0.7 of a table, and 0.69 at least of normal classes one deviation apart."""

    def accuracy(pi, log_odds):
        return pi * norm.cdf(0.5 + log_odds) + (1 - pi) * norm.cdf(0.5 - log_odds)

    rate = brentq(lambda pi: accuracy(pi, np.log(pi / (1 - pi))) - 0.7, 0.1, 0.49, xtol=1e-15)
    table = ConfusionMatrix(tp=7, fn=3, fp=3, tn=7)
    found = base_rate_curves("acc", {"normal": LDA(1.0), "table": table}, base_rates=[0.1, 0.9])
    places = [one.base_rate for one in found.crossings if one.of == "value"]
    assert places == pytest.approx([rate, 1 - rate], abs=1e-9)


def test_curves_that_stay_apart_cost_few_searches(monkeypatch):
    asked = []
    real = base_rate_series.best_on
    monkeypatch.setattr(base_rate_series, "best_on", lambda *a: asked.append(a) or real(*a))
    found = base_rate_curves(["f1", "mcc"], LDA(2.0), base_rates=[0.1, 0.3, 0.5])
    assert found.crossings == ()
    assert len(asked) <= 8  # two for each place where the curves come closest

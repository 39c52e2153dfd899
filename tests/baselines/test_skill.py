"""Skill: zero for the best guess, one for perfection, nan with a reason where neither exists."""

from dataclasses import replace
from fractions import Fraction
from math import isnan

import pytest

from baserate import ClassTable, ConfusionMatrix, metrics
from baserate.baselines import dutch_draw, dutch_scaler, random_guess, skill
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import CATALOGUE

T = ConfusionMatrix(tp=35, fn=5, fp=10, tn=50)
GUESSES = ["dutch_draw", "uniform", "proportional", 0.25]


def test_published_exam_marks_as_binary_accuracy():
    """The second school of the chimps' paper: two options, 80 right of 100 are a 6."""
    t = ConfusionMatrix(tp=40, fn=10, fp=10, tn=40)
    assert float(skill("accuracy", t, guess="uniform")) == pytest.approx(0.6)


# Burger and Meertens, section 5: n = 1000, TPR 0.6, TNR 0.8.
def test_normalised_f1_crosses_one_half_at_three_quarters_positive():
    t = ConfusionMatrix.from_rates(recall=0.6, specificity=0.8, base_rate=0.75, n=1000)
    t = ConfusionMatrix(tp=round(t.tp), fn=round(t.fn), fp=round(t.fp), tn=round(t.tn))
    plain, negative = (skill(m, t, guess="uniform") for m in ("f1", "negative_f1"))
    assert plain.value == pytest.approx(negative.value, abs=1e-3)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("guess", GUESSES)
@pytest.mark.parametrize("metric", CATALOGUE, ids=lambda m: m.name)
def test_skill_is_the_way_from_chance_to_perfection(metric, guess):
    s = skill(metric, T, guess=guess)
    if metric.direction == "neither":
        assert "neither more nor less is better" in s.reason
        assert isnan(s.value)
        return
    if guess == "dutch_draw":
        chance = dutch_draw(metric, n_positive=40, n_negative=60).value
    else:
        chance = random_guess(metric, n_positive=40, n_negative=60, strategy=guess).value
    perfect = metric(ConfusionMatrix(tp=40, fn=0, fp=0, tn=60))
    assert (s.score, s.chance, s.perfect) == pytest.approx(
        (metric(T), chance, perfect), nan_ok=True
    )
    assert isnan(s.value) == (s.reason is not None)
    if perfect == chance:  # flagging everything finds all positives
        assert s.reason == "guessing is perfect here"
    else:
        assert s.value == pytest.approx((metric(T) - chance) / (perfect - chance), nan_ok=True)


@pytest.mark.parametrize(
    ("name", "chance", "perfect"),
    [
        ("error_rate", 0.4, 0),
        ("fnr", 0, 0),
        ("net_benefit(threshold=0.2)", 0.25, 0.4),
        ("lift", 1, 2.5),
        ("pt", 0.5, 0),
        ("tp", 40, 40),
        ("fdr", 0.6, 0),
    ],
)
def test_perfect_depends_on_metric_and_base_rate(name, chance, perfect):
    s = skill(name, T)
    assert (s.chance, s.perfect) == pytest.approx((chance, perfect))
    assert isnan(s.value) == (chance == perfect)


def test_a_lower_error_rate_is_more_skill():
    assert skill("error_rate", T).value == pytest.approx(skill("accuracy", T).value)
    worse = ConfusionMatrix(tp=0, fn=40, fp=60, tn=0)
    assert skill("error_rate", worse).value < 0
    assert skill("fdr", T).value == pytest.approx(skill("ppv", T).value)


@pytest.mark.parametrize(
    ("name", "t", "reason"),
    [
        ("recall", {"tp": 0, "fn": 0, "fp": 3, "tn": 4}, "no positives"),
        ("mcc", {"tp": 0, "fn": 4, "fp": 0, "tn": 4}, "nothing predicted positive"),
        ("dor", {"tp": 3, "fn": 4, "fp": 2, "tn": 4}, "undefined for a table without errors"),
        ("accuracy", {"tp": 3, "fn": 4, "fp": 0, "tn": 0}, "guessing is perfect here"),
        ("recall", {"tp": 3, "fn": 4, "fp": 2, "tn": 4}, "guessing is perfect here"),
        ("lr_minus", {"tp": 3, "fn": 4, "fp": 2, "tn": 4}, None),
        ("accuracy", {"tp": 0, "fn": 0, "fp": 0, "tn": 0}, "no cases"),
    ],
)
def test_reasons(name, t, reason):
    s = skill(name, ConfusionMatrix(**t))
    assert (s.reason or "").startswith(reason or "") or reason in s.reason
    assert isnan(float(s)) == (s.reason is not None)


def test_a_metric_whose_guess_is_never_surely_defined():
    table = ConfusionMatrix(tp=3, fn=4, fp=2, tn=1)
    s = skill(metrics.get("f1_harmonic"), table, guess="mode")
    assert s.value < 1
    assert "however one guesses" in skill("precision", T, guess="mode").reason


def test_weighted_tables():
    w = ConfusionMatrix(tp=3.5, fn=0.5, fp=1.0, tn=5.0)
    assert skill("accuracy", w).value == pytest.approx((0.85 - 0.6) / 0.4)
    assert skill("accuracy", w, guess="uniform").value == pytest.approx(0.7)
    half = ConfusionMatrix(tp=3.25, fn=0.5, fp=1.0, tn=5.0)
    with pytest.raises(UnsupportedError, match="pass whole numbers of cases"):
        skill("f1", half)


def test_wrong_arguments():
    message = r'guess must be "dutch_draw", .* got \'dutch_drow\': did you mean "dutch_draw"'
    with pytest.raises(InvalidArgumentError, match=message):
        skill("f1", T, guess="dutch_drow")
    with pytest.raises(InvalidArgumentError, match=r"guess must lie in \[0, 1\], got 1.5"):
        skill("f1", T, guess=1.5)
    with pytest.raises(InvalidArgumentError, match="table must be a ConfusionMatrix"):
        skill("f1", (1, 2, 3, 4))


def test_guesses_are_spelt_either_way():
    assert skill("f1", T, guess="dutch-draw") == skill("f1", T)
    assert skill("f1", T, guess="0.25") == skill("f1", T, guess=0.25)


def test_totals_beyond_doubles_keep_the_skill_of_linear_metrics():
    t = ConfusionMatrix(tp=3 * 10**16, fn=10**16, fp=10**16, tn=5 * 10**16)
    s = skill("accuracy", t)  # the larger class holds 0.6 of the cases
    assert (s.score, s.chance, s.value) == pytest.approx((0.8, 0.6, 0.5))
    with pytest.raises(UnsupportedError, match=r"below 2\^53 in all"):
        skill("geometric_mean", t)


def test_a_search_too_long_names_a_remedy_that_skill_has():
    t = ConfusionMatrix(tp=3 * 10**5, fn=10**5, fp=10**5, tn=5 * 10**5)
    own = replace(metrics.gilbert_skill_score, name="own", chance_shape="unknown")
    with pytest.raises(UnsupportedError, match=r'dutch_draw, or compare with guess="uniform"'):
        skill(own, t)
    assert 0 < skill(own, t, guess="uniform").value < 1


def test_tables_from_rates_have_a_skill_where_their_class_totals_are_whole():
    t = ConfusionMatrix(tp=18.5, fn=11.5, fp=12.25, tn=57.75)
    best_guess, f1 = Fraction(60, 60 + 70), 37 / (37 + Fraction(23, 2) + Fraction(49, 4))
    expected = (f1 - best_guess) / (1 - best_guess)
    assert skill("f1", t).value == pytest.approx(float(expected), rel=1e-14)
    for recall, base_rate, n in ((0.9, 0.3, 10), (0.123, 0.07, 100), (1 / 3, 0.41, 300)):
        table = ConfusionMatrix.from_rates(recall=recall, specificity=0.7, base_rate=base_rate, n=n)
        positives = round(base_rate * n)
        guess = Fraction(2 * positives, positives + n)
        found = skill("f1", table)
        assert found.chance == pytest.approx(float(guess), rel=1e-14)
        assert skill("mcc", table, guess="uniform").chance == 0
    with pytest.raises(UnsupportedError, match="pass whole numbers of cases"):
        skill("f1", ConfusionMatrix.from_rates(recall=0.5, specificity=0.5, base_rate=0.31, n=10))
    with pytest.raises(UnsupportedError, match="random denominator under weights"):
        dutch_scaler("f1", t)
    assert skill("accuracy", t).chance == pytest.approx(0.7)


def test_rounding_is_not_a_chance_level():
    """At base rate 1/2 Cohen's kappa is informedness, and no guess has any."""
    kappa = metrics.get("kappa").at_base_rate(0.5)
    assert skill(kappa, ConfusionMatrix(tp=18, fn=12, fp=12, tn=58)).chance == 0
    assert skill(kappa, ConfusionMatrix(tp=18, fn=12, fp=12, tn=58), guess=0.3).chance == 0


# Restated at a base rate: chance is that of a population in which it holds.
@pytest.mark.parametrize("pi", [0.02, 0.3, 0.9])
@pytest.mark.parametrize("t", [T, ConfusionMatrix(tp=1, fn=4, fp=3, tn=2)])
def test_chance_of_a_restated_metric_belongs_to_its_base_rate(t, pi):
    """By hand: a guess that flags a share g has recall and false positive rate g."""
    best = {
        "precision": pi, "npv": 1 - pi, "fdr": 1 - pi, "f1": 2 * pi / (1 + pi), "jaccard": pi,
        "fowlkes_mallows": pi**0.5, "mcc": 0, "kappa": 0, "markedness": 0, "yule_q": 0, "lift": 1,
        "negative_likelihood_ratio": 1, "diagnostic_odds_ratio": 1, "g_mean": 0.5,
        "accuracy": max(pi, 1 - pi), "error_rate": min(pi, 1 - pi), "pt": 0.5,
    }  # fmt: skip
    for name, chance in best.items():
        s = skill(metrics.get(name).at_base_rate(pi), t)
        assert s.chance == pytest.approx(chance, rel=1e-9, abs=1e-12), name
    for name in ("precision", "mcc", "f1"):
        restated = metrics.get(name).at_base_rate(pi)
        g = {"uniform": 0.5, "proportional": pi, 0.25: 0.25}
        f1 = {guess: 2 * pi * x / (pi + x) for guess, x in g.items()}
        for guess in g:
            expected = {"precision": pi, "mcc": 0, "f1": f1[guess]}[name]
            found = skill(restated, t, guess=guess).chance
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_restated_chance_of_a_users_metric_with_an_inner_peak():
    odd = metrics.define("odd", lambda tp, fn, fp, tn: tp * tn / (tp + fn + fp + tn) ** 2)
    # pi g (1 - pi) (1 - g) is largest at g = 1/2
    assert skill(odd.at_base_rate(0.1), T).chance == pytest.approx(0.1 * 0.9 / 4, rel=1e-12)


@pytest.mark.parametrize("name", ["cost_per_case(fn=10, fp=1)", "error_rate"])
def test_a_guess_has_no_skill_and_no_sign(name):
    """Less is better: perfection lies below chance, and 0 over a negative number is -0."""
    name = metrics.cost_per_case(fn=10, fp=1) if "cost" in name else name
    everyone = ConfusionMatrix(tp=70, fn=0, fp=30, tn=0)
    found = skill(name, everyone)
    assert str(float(found)) == "0.0"
    batch = skill(name, ConfusionMatrix(tp=[70, 70], fn=[0, 0], fp=[30, 30], tn=[0, 0]))
    assert str(batch.value.tolist()) == "[0.0, 0.0]"
    error = skill("error_rate", ClassTable([[0, 0, 20], [0, 0, 30], [0, 0, 50]]))
    assert str(float(error)) == "0.0"

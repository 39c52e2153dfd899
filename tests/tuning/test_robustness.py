"""Which metrics keep a bounded threshold as positives become rare."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import norm

from baserate import metrics
from baserate.curves import sweep
from baserate.curves.populations import LDA, QDA, Empirical
from baserate.errors import InvalidArgumentError, NoOptimumError
from baserate.tuning import bayes_threshold, is_robust
from baserate.tuning.robustness import _BASE_RATES, _bounded
from oracles import bayes_twins
from quick import one_in

FRAGILE = (
    "accuracy",
    "f1",
    "f05",
    "f2",
    "negative_f1",
    "jaccard",
    "fowlkes_mallows",
    "geometric_mean",
    "matthews_correlation",
    "cohen_kappa",
    "gilbert_skill_score",
    "markedness",
    "precision",
    "negative_predictive_value",
    "yule_q",
    "lift",
    "utility([[15, -335], [-35, 165]])",
    "net_benefit(threshold=0.2)",
    "robust_f(d0=0, d1=4)",
    "robust_mcc(d=0)",
)


@pytest.mark.sweep(4, start=3)
@pytest.mark.parametrize("name", one_in(5, FRAGILE))
def test_unbounded_quotients(name):
    found = is_robust(name)
    assert not found
    assert found.bound == np.inf


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "where"),
    one_in(
        3,
        [
            ("accuracy", "recall 0.5, specificity 0.5, base rate to 0"),
            ("geometric_mean", "specificity to 0"),
            ("f1", "specificity to 1, base rate to 0"),
            ("matthews_correlation", "base rate to 0"),
            ("precision", "specificity to 1"),
        ],
    ),
)
def test_the_answer_says_where_the_quotient_blows_up(name, where):
    assert where in is_robust(name).where


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize("name", ["balanced_accuracy", "youden_j", "accuracy.at_base_rate(0.5)"])
def test_the_quotient_of_balanced_metrics_is_one(name):
    found = is_robust(name)
    assert found
    assert found.bound == pytest.approx(1, rel=1e-12)


@pytest.mark.sweep(3, start=2)
@pytest.mark.parametrize("d", [0.001, 0.05, 0.3, 4, 9e-6, 1e-9, 1e-16])
def test_the_bound_of_the_robust_correlation(d):
    """(1 + 2d)/(2d) at recall = specificity, both 0 or 1, and base rate to 0."""
    assert is_robust(metrics.robust_mcc(d)).bound == pytest.approx((1 + 2 * d) / (2 * d), rel=1e-9)


@pytest.mark.sweep(5, start=2)
@pytest.mark.parametrize(
    ("d0", "d1", "c"),
    [(0.1, 1, 0), (1e-9, 1, 0), (0.4, 4, 1), (2, 0, 0.5), (0.6, 0.7, 0.9), (1, 0, 0.9)],
)
def test_the_bound_of_robust_f(d0, d1, c):
    """(1 + c)(1 - π)/(d₀ + (d₁ - c) π) at recall = specificity = 1; the paper bounds it by more."""
    share = np.r_[0, np.geomspace(1e-9, 0.5, 1000)]
    exact = ((1 + c) * (1 - share) / (d0 + (d1 - c) * share)).max()
    found = is_robust(metrics.robust_f(d0, d1, c))
    assert found.bound == pytest.approx(exact, rel=1e-9)
    assert found.bound <= (1 + c) / min(d0, d0 + d1 - c) * (1 + 1e-9)
    assert found.where == "recall to 1, specificity to 1, base rate to 0"


def test_a_supremum_inside_is_climbed_to():
    """s + 0.2 s² + t + 0.4 t²: (1 + 0.8 t)/(1 + 0.4 s) is at most 1.8; with a bump at t = 1/2."""
    plain = metrics.define(
        "own_plain",
        lambda tp, fn, fp, tn: (
            tp / (tp + fn)
            + 0.2 * (tp / (tp + fn)) ** 2
            + tn / (tn + fp)
            + 0.4 * (tn / (tn + fp)) ** 2
        ),
    )
    assert is_robust(plain).bound == pytest.approx(1.8, rel=1e-9)
    bump = metrics.define(
        "own_bump",
        lambda tp, fn, fp, tn: (
            tp / (tp + fn)
            + tn / (tn + fp)
            + 0.6 * (tn / (tn + fp)) ** 2
            - 0.5 * (tn / (tn + fp)) ** 3
        ),
    )
    found = is_robust(bump)  # 1 + 1.2 t - 1.5 t² is largest at t = 0.4, where it is 1.24
    assert found.bound == pytest.approx(1.24, rel=1e-12)
    assert "specificity 0.4" in found.where


rates = st.floats(-20, 20).map(lambda x: 1 / (1 + np.exp(x)))


@given(s=rates, t=rates, p=st.floats(-20, -0.302).map(lambda e: 10.0**e))
def test_no_quotient_exceeds_the_bound(s, t, p):
    for name, bound in (
        ("robust_f(d0=0.03)", 1 / 0.03),
        ("robust_f(d0=0.6, d1=0.7, c=0.9)", 1.9 / 0.4),
        ("robust_mcc(d=0.02)", 1.04 / 0.04),
    ):
        assert bayes_twins.QUOTIENTS[name](s, 1 - s, 1 - t, t, p) <= bound


# In a population.


def limit_of_mcc(distance):
    """As π → 0 the quotient of MCC becomes (s t + m f)/(2 t f): its fixed point, in mpmath."""
    import mpmath as mp

    with mp.workdps(30):
        twin = bayes_twins.lda_rates(distance)

        def excess(x):
            s, m, f, t = twin(x)
            return mp.log((s * t + m * f) / (2 * t * f)) - x

        return float(mp.exp(mp.findroot(excess, mp.mpf(distance) ** 2)))


@pytest.mark.sweep(4)
@pytest.mark.parametrize("distance", [0.5, 1.0, 2.0, 3.0])
def test_mcc_is_bounded_among_normal_classes(distance):
    found = is_robust("mcc", LDA(distance=distance))
    assert found
    assert found.bound == pytest.approx(limit_of_mcc(distance), rel=1e-8)
    assert found.where == "base rate to 0"


def test_the_papers_limits_of_mcc():
    """Table 14 of Holzmann and Klar (2024) prints 2.58 (rounded twice) and 110.26."""
    assert limit_of_mcc(1.0) == pytest.approx(2.574688, abs=1e-6)
    assert limit_of_mcc(2.0) == pytest.approx(110.26, abs=0.005)


@pytest.mark.sweep(5, start=2)
@pytest.mark.parametrize("name", ["accuracy", "f1", "jaccard", "cohen_kappa", "negative_f1"])
def test_metrics_that_lose_the_positives_among_normal_classes(name):
    found = is_robust(name, LDA(distance=1.0))
    assert not found
    assert found.bound == np.inf
    assert found.where.startswith("base rate to 0: the ratio is")


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("name", "population"),
    [
        ("robust_f(d0=0.1)", LDA(2.0)),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (
                ("robust_mcc(d=0.05)", LDA(0.6)),
                ("robust_f(d0=0.1)", QDA(mean0=0, cov0=1, mean1=1.5, cov1=2)),
                ("robust_mcc(d=0.05)", QDA(mean0=0, cov0=3, mean1=1, cov1=1)),
            )
        ),
        ("informedness", QDA(mean0=0, cov0=3, mean1=1, cov1=1)),
    ],
)
def test_robust_metrics_stay_within_their_bound_in_any_population(name, population):
    inside, everywhere = is_robust(name, population), is_robust(name)
    assert inside
    assert inside.bound <= everywhere.bound * (1 + 1e-9)
    for base_rate in (0.5, 0.01, 1e-7):
        found = bayes_threshold(name, population, base_rate=base_rate)
        assert found.ratio <= inside.bound * (1 + 1e-8)


@pytest.mark.slow
def test_a_largest_ratio_between_the_limits_is_sharpened():
    """With d₁ < 0 in effect (c > d₁) the ratio of robust F first rises with π."""
    metric, population = metrics.robust_f(0.5, 0.0, 0.45), LDA(2.5)
    found = is_robust(metric, population)
    shares = np.geomspace(1e-3, 0.5, 120)
    ratios = [bayes_threshold(metric, population, base_rate=p).ratio for p in shares]
    assert found.bound >= max(ratios) * (1 - 1e-9)
    assert_allclose(found.bound, max(ratios), rtol=1e-3)


def test_yule_has_no_threshold_to_be_bounded():
    with pytest.raises(NoOptimumError, match="yule_q has no best threshold"):
        is_robust("yule_q", LDA(distance=1.0))


def test_an_optimum_that_is_lost_on_the_way_is_named():
    found = is_robust("markedness", LDA(distance=3.0))
    assert not found
    assert "markedness has no best threshold" in found.where


def test_metrics_without_a_best_threshold_are_refused():
    with pytest.raises(InvalidArgumentError, match="must strictly increase"):
        is_robust("recall")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("base_rate", "as_if", "d1"), one_in(3, [(0.01, 0.1, 1), (0.3, 0.35, 1), (1e-4, 0.02, 3)])
)
def test_robust_f_for_treats_one_base_rate_like_another(base_rate, as_if, d1):
    metric = metrics.robust_f_for(base_rate=base_rate, as_if=as_if, d1=d1)
    for population in (LDA(1.4), QDA(mean0=0, cov0=1, mean1=1.5, cov1=2)):
        ours = bayes_threshold(metric, population, base_rate=base_rate)
        theirs = bayes_threshold("f1", population, base_rate=as_if)
        assert ours.ratio == pytest.approx(theirs.ratio, rel=1e-9)


# Choosing the parameter by what it does.


def test_robust_f_for_the_same_base_rate_is_f1():
    assert metrics.robust_f_for(base_rate=0.2, as_if=0.2).parameters == {"d0": 0, "d1": 1, "c": 0}
    assert metrics.robust_f_for(base_rate=0.01, as_if=0.1).name == "robust_f(d0=0.1, d1=1, c=0)"


def test_robust_f_cannot_treat_positives_as_rarer():
    with pytest.raises(InvalidArgumentError, match=r"as_if must be at least 0\.2, .* got 0\.1"):
        metrics.robust_f_for(base_rate=0.2, as_if=0.1)
    with pytest.raises(InvalidArgumentError, match=r"as_if must lie in \(0, 1\)"):
        metrics.robust_f_for(base_rate=0.2, as_if=1)


# What the smallest parameters, samples and the metric itself have to do with it.


TOP = [1, 1, 0, 1, 0, 0, 1, 0, 0, 0]  # the two highest scores are positives


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", ["f1", "mcc", "cohen_kappa", "accuracy"])
def test_a_sample_whose_top_scores_are_positives_bounds_nothing(name):
    """At recall 1/2 and specificity 1, F1 asks for (1 - π)/(2 π), MCC for 1/π."""
    population = Empirical(sweep(TOP, list(range(10, 0, -1))))
    found = is_robust(name, population)
    assert not found
    assert found.bound == np.inf
    for pi in (1e-3, 1e-15, 1e-40, 1e-90):
        ratio = {"f1": 0.5 * (1 - pi) / pi, "mcc": 1 / pi}.get(name)
        if ratio is not None:
            assert bayes_threshold(name, population, base_rate=pi).ratio == pytest.approx(ratio)


@pytest.mark.slow
def test_robust_metrics_are_robust_in_such_a_sample():
    """There, robust F asks for 0.5 (1 - π)/(0.1 + π) and robust MCC for (0.5 + 0.2)/0.2."""
    population = Empirical(sweep(TOP, list(range(10, 0, -1))))
    assert is_robust("robust_f(d0=0.1)", population).bound == pytest.approx(5, rel=1e-8)
    assert is_robust("robust_mcc(d=0.1)", population).bound == pytest.approx(3.5, rel=1e-8)


@pytest.mark.parametrize("name", ["mcc", "f1", "robust_mcc(d=0.05)", "precision"])
def test_no_metric_is_advised_in_place_of_itself(name):
    metric = metrics.get(name).name
    text = str(NoOptimumError.from_growth(metric, 0.5, "ever fewer are called positive"))
    assert metric not in text.partition("Choose")[2]
    assert len(text.partition("such as ")[2].split(" or ")) == 2


@pytest.mark.parametrize("peak", [0.013, 0.03, 4e-4])
def test_the_largest_ratio_is_looked_for_between_base_rates(peak):
    def ratio_at(base_rate):
        return 3 - (np.log(base_rate) - np.log(peak)) ** 2 / 100

    found = _bounded(metrics.f1, ratio_at, [ratio_at(pi) for pi in _BASE_RATES])
    assert (found.robust, found.where) == (True, f"base rate {peak:.4g}")
    assert found.bound == pytest.approx(3, rel=1e-12)
    falling = _bounded(metrics.f1, lambda pi: 1 + pi, [1 + pi for pi in _BASE_RATES])
    assert (falling.bound, falling.where) == (1.5, "base rate 0.5")
    rising = _bounded(metrics.f1, lambda pi: 2 - pi, [2 - pi for pi in _BASE_RATES])
    assert (rising.bound, rising.where) == (2.0, "base rate to 0")


def _slopes_agree(name, ratio, s, t, p):
    """Solve q = δ, which is linear in the parameter (the paper's Example 6 and section 5)."""
    f, n = 1 - t, 1 - p
    if name == "robust_f":
        return n * (s / ratio - f) - p
    inside = s * t + (1 - s) * f
    above, below = n * inside + 2 * p * s * (1 - s), p * inside + 2 * n * t * f
    return (above - ratio * below) / (2 * (ratio - 1))


@pytest.mark.parametrize("name", ["robust_f", "robust_mcc"])
@pytest.mark.parametrize(
    ("x", "base_rate"), [(0.6, 0.01), pytest.param(0.8, None, marks=pytest.mark.slow)]
)
def test_the_least_parameter_that_keeps_a_recall(name, x, base_rate):
    cut = norm.isf(x, 2)
    ratio, t = np.exp(2 * cut - 2), norm.cdf(cut)
    found = is_robust(name, LDA(distance=2.0), recall=x, base_rate=base_rate)
    exact = _slopes_agree(name, ratio, x, t, base_rate or 0)
    assert found.parameter == pytest.approx(exact, rel=1e-8)
    assert (found.recall, found.bound) == pytest.approx((x, ratio), rel=1e-8)
    assert found
    assert found.base_rate == (base_rate or 0)


def _sample(seed, n=60):
    rng = np.random.default_rng(seed)
    truth = np.r_[np.ones(n // 3, int), np.zeros(n - n // 3, int)]
    return sweep(truth, np.round(rng.normal(size=n) + 1.2 * truth, 1))


@pytest.mark.parametrize(
    ("family", "x"), [(metrics.robust_f, 0.7), (metrics.robust_mcc, 0.55), (metrics.f_beta, 0.8)]
)
def test_the_least_parameter_in_a_sample_by_brute_force(family, x):
    """Every cut of the sample under a grid of parameters: below the answer all fall short."""
    s, base_rate = _sample(1), 0.03
    recall, alarms = s.tables.tp / s.n_positive, s.tables.fp / s.n_negative
    found = is_robust(family, s, recall=x, base_rate=base_rate)
    assert found.parameter > 1e-6
    grid = found.parameter * np.r_[np.geomspace(1e-3, 1e3, 60), 1 - 1e-6, 1 + 1e-6]
    for parameter in grid:
        values = family(parameter).at_rates(
            recall=recall, specificity=1 - alarms, base_rate=base_rate
        )
        kept = recall[np.nanargmax(np.where(np.isnan(values), -1, values))] >= x
        assert kept == (parameter >= found.parameter)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"metric": "robust_mcc", "population": LDA(2.0), "recall": 0.9}, "at most 0.841345, what"),
        ({"metric": "f_beta", "population": LDA(2.0), "recall": 0.9}, "as positives become rare"),
        ({"metric": "mcc", "recall": 0.9}, "recall needs a population"),
        ({"metric": "robust_f", "population": LDA(2.0)}, "needs its parameters"),
        ({"metric": "mcc", "population": LDA(2.0), "recall": 1}, "recall must lie in"),
    ],
)
def test_a_recall_that_no_parameter_keeps_is_refused(call, message):
    with pytest.raises(InvalidArgumentError, match=message):
        is_robust(**call)


def test_one_metric_is_held_to_a_recall():
    asked = {"population": LDA(2.0), "base_rate": 0.01}
    assert is_robust("robust_f(d0=0.45)", recall=0.8, **asked)
    assert not is_robust("robust_f(d0=0.44)", recall=0.8, **asked)
    ratio = bayes_threshold("mcc", LDA(2.0), base_rate=0.01).ratio
    assert is_robust("mcc", **asked).bound == ratio

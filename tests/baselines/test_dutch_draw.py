"""The best blind draw, against brute force in exact fractions and against published numbers."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb, isnan, perm, sqrt

import numpy as np
import pytest

from baserate import ConfusionMatrix, metrics
from baserate.baselines import dutch_draw, skill
from baserate.errors import InvalidArgumentError, UnknownNameError, UnsupportedError
from baserate.metrics import define
from baserate.models import Hypergeometric
from baserate.questions import expect, variance
from oracles import chance_twins as twins
from quick import left_out, one_in


def assert_optimum(metric, name, n_positive, n_negative, goal, pi=None, within=None):
    limits = {} if within is None else {"n_predicted": within}
    b = dutch_draw(metric, n_positive=n_positive, n_negative=n_negative, goal=goal, **limits)
    value, best = twins.optimum(name, n_positive, n_negative, goal, pi, within)
    where = (name, pi, n_positive, n_negative, goal, within)
    assert b.n_predicted == twins.ranges(best), where
    if value is None:
        assert isnan(b.value), where
    else:
        assert b.value == pytest.approx(float(value), rel=1e-12, abs=1e-12), where


@pytest.mark.sweep(10, start=3)
@pytest.mark.parametrize("m", [*range(1, 11), *left_out(11, 12, 18)])
def test_extremes_and_all_optimisers_are_those_of_brute_force(m):
    """Errata of the paper among them: of kappa, of counts and of the threat score without cases."""
    for name in twins.NAMES:
        for p in range(m + 1):
            for goal in ("max", "min"):
                assert_optimum(metrics.get(name), name, p, m - p, goal)


@pytest.mark.sweep(14, start=3)
@pytest.mark.parametrize("m", [*range(1, 8), *left_out(9, 11)])
@pytest.mark.parametrize("pi", [0.5, 0.125])
def test_extremes_of_metrics_restated_at_a_base_rate(m, pi):
    for name in twins.NAMES:
        for p in range(m + 1):
            for goal in ("max", "min"):
                assert_optimum(metrics.get(name).at_base_rate(pi), name, p, m - p, goal, pi)


@pytest.mark.sweep(55, start=41)
@pytest.mark.parametrize("name", twins.NAMES)
def test_extremes_within_limits(name):
    for p, within in [
        (3, (2, 6)),
        (5, (3, 3)),
        (0, (1, 4)),
        (10, (0, 7)),
        (1, (4, 9)),
        (5, (4, 10)),
    ]:
        for goal in ("max", "min"):
            assert_optimum(metrics.get(name), name, p, 10 - p, goal, None, within)


@pytest.mark.sweep(6, start=1)
@pytest.mark.parametrize("m", [*range(1, 7), *left_out(7, 13)])
def test_mean_and_variance_at_every_number_predicted(m):
    for name in twins.NAMES:
        metric = metrics.get(name)
        for p in range(m + 1):
            for k, known in enumerate(twins.curve(name, p, m - p)):
                b = dutch_draw(metric, n_positive=p, n_negative=m - p, goal="max", n_predicted=k)
                if known is None:
                    assert isnan(b.value), (name, p, m, k)
                    assert b.n_predicted == ()
                    continue
                mean, var = map(float, known)
                model = Hypergeometric(n_positive=p, n_negative=m - p, n_predicted=k)
                got = (b.value, expect(metric, model).value, variance(metric, model).value)
                expected = (mean, mean, var)
                assert got == pytest.approx(expected, rel=1e-12, abs=1e-12), (name, p, m, k)


# Closed forms of the supplementary material (min, max, and who attains them) at P = 30, N = 70.
P, N, M = 30, 70, 100
EVERY, INNER = ((0, M),), ((1, M - 1),)
TABLE = {
    "tp": (0, P, ((0, 0),), ((M, M),)),
    "tn": (0, N, ((M, M),), ((0, 0),)),
    "fn": (0, P, ((M, M),), ((0, 0),)),
    "fp": (0, N, ((0, 0),), ((M, M),)),
    "tpr": (0, 1, ((0, 0),), ((M, M),)),
    "tnr": (0, 1, ((M, M),), ((0, 0),)),
    "fnr": (0, 1, ((M, M),), ((0, 0),)),
    "fpr": (0, 1, ((0, 0),), ((M, M),)),
    "ppv": (P / M, P / M, ((1, M),), ((1, M),)),
    "npv": (N / M, N / M, ((0, M - 1),), ((0, M - 1),)),
    "fdr": (N / M, N / M, ((1, M),), ((1, M),)),
    "for_": (P / M, P / M, ((0, M - 1),), ((0, M - 1),)),
    "f1": (0, 2 * P / (P + M), ((0, 0),), ((M, M),)),
    "f2": (0, 5 * P / (4 * P + M), ((0, 0),), ((M, M),)),
    "j": (0, 0, EVERY, EVERY),
    "mk": (0, 0, INNER, INNER),
    "acc": (P / M, N / M, ((M, M),), ((0, 0),)),
    "bacc": (0.5, 0.5, EVERY, EVERY),
    "mcc": (0, 0, INNER, INNER),
    "kappa": (0, 0, EVERY, EVERY),
    "fm": (sqrt(P) / M, sqrt(P / M), ((1, 1),), ((M, M),)),
    "pt": (0.5, N / M, ((M, M),), ((1, 1),)),
    "threat_score": (0, P / M, ((0, 0),), ((M, M),)),
}


@pytest.mark.parametrize("name", TABLE)
def test_closed_forms_of_the_paper(name):
    low, high, at_low, at_high = TABLE[name]
    for goal, value, best in (("min", low, at_low), ("max", high, at_high)):
        b = dutch_draw(name, n_positive=P, n_negative=N, goal=goal)
        assert b.value == pytest.approx(value, rel=1e-14, abs=0)
        assert b.n_predicted == best


@pytest.mark.parametrize("name", TABLE)
def test_closed_forms_do_not_overflow_at_a_million_million_cases(name):
    for goal in ("min", "max"):
        small = dutch_draw(name, n_positive=30, n_negative=70, goal=goal)
        large = dutch_draw(name, n_positive=3 * 10**11, n_negative=7 * 10**11, goal=goal)
        if name == "fm" and goal == "min":
            assert large.value == pytest.approx(sqrt(3e11) / 1e12, rel=1e-14, abs=0)
            continue
        scale = 10**10 if name in {"tp", "tn", "fp", "fn"} else 1
        assert large.value == pytest.approx(scale * small.value, rel=1e-14, abs=0)
        assert [[round(x, 9) for x in r] for r in large.theta_star] == [
            [round(x, 1) for x in r] for r in small.theta_star
        ]


@pytest.mark.parametrize("m", [2, 7, 24, 150, 1000])
def test_prevalence_threshold_has_a_closed_form_baseline(m):
    """Erratum: "not determinable" in the paper; its singularity is removable."""
    for p in {1, m // 3, m // 2, m - 1} - {0}:
        n = m - p
        low, high = (
            dutch_draw("pt", n_positive=p, n_negative=n, goal=goal) for goal in ("min", "max")
        )
        assert low.value == pytest.approx(min(0.5, n / m), rel=1e-14)
        assert high.value == pytest.approx(max(0.5, n / m), rel=1e-14)
        ends = {(1, 1), (m, m)} if 2 * p != m else {(1, m)}
        assert {*low.n_predicted, *high.n_predicted} == ends


def test_theta_rounds_half_up_and_its_intervals_are_half_open():
    at = [dutch_draw("tp", n_positive=4, n_negative=6, theta=th).n_predicted for th in (0.25, 0.05)]
    assert at == [((3, 3),), ((1, 1),)]
    b = dutch_draw("tp", n_positive=4, n_negative=6, theta=(0.25, 0.5))
    assert (b.value, b.n_predicted, b.theta_star) == (2.0, ((5, 5),), ((0.5, 0.5),))
    assert b.theta_intervals == ((0.45, 0.55),)
    low = dutch_draw("tp", n_positive=4, n_negative=6, goal="min")
    assert (low.theta_star, low.theta_intervals) == (((0.0, 0.0),), ((0.0, 0.05),))
    high = dutch_draw("tp", n_positive=4, n_negative=6)
    assert (high.theta_star, high.theta_intervals) == (((1.0, 1.0),), ((0.95, 1.0),))
    assert dutch_draw("mcc", n_positive=4, n_negative=6).theta_intervals == ((0.05, 0.95),)


# Table 4.2 of the notes on exact algorithms, computed there with 50-digit arithmetic.
LANDMARKS = [
    (100, 30, 50, 0.499499755098764),
    (1000, 7, 524, 0.489631664744886),
    (100, 10, 51, 0.495076014788610),
    (10**4, 10**3, 5001, 0.499955520307855),
    (10**6, 10**5, 500001, 0.499999555552037),
    (10**6, 7, 524654, 0.489419614133873),
    (10**8, 10**7, 50000001, 0.499999995555555),
    (10**8, 3, 57631108, 0.465597616867836),
    (10**10, 10**9, 5000000001, 0.499999999955556),
    (10**12, 10**11, 500000000001, 0.499999999999556),
]


@pytest.mark.parametrize(("m", "p", "k", "value"), LANDMARKS)
def test_best_geometric_mean(m, p, k, value):
    b = dutch_draw("g_mean", n_positive=p, n_negative=m - p)
    assert b.n_predicted == ((k, k),)
    assert b.value == pytest.approx(value, rel=1e-14)
    mirrored = dutch_draw("g_mean", n_positive=m - p, n_negative=p)
    assert mirrored.n_predicted == ((m - k, m - k),)
    assert dutch_draw("g_mean", n_positive=p, n_negative=m - p, goal="min").n_predicted == (
        (0, 0),
        (m, m),
    )


def exact_g_mean(m, p, k):
    """Sum over the p positives with exact integer weights; p is small, m may be anything."""
    weights = [comb(p, t) * perm(k, t) * perm(m - k, p - t) for t in range(p + 1)]
    terms = [
        w * twins.root(Fraction(t * (m - p - k + t), p * (m - p))) for t, w in enumerate(weights)
    ]
    return sum(terms) / perm(m, p)


@pytest.mark.parametrize("m", [10**3, 10**6, 10**8, 10**10])
@pytest.mark.parametrize("p", [1, 2, 3, 7, 20])
def test_best_geometric_mean_of_few_positives_in_exact_arithmetic(m, p):
    from decimal import localcontext

    b = dutch_draw("g_mean", n_positive=p, n_negative=m - p)
    ((k, last),) = b.n_predicted
    assert k == last
    with localcontext() as context:
        context.prec = 60
        before, best, after = (exact_g_mean(m, p, j) for j in (k - 1, k, k + 1))
        assert before < best > after
    assert b.value == pytest.approx(float(best), rel=1e-14)


@pytest.mark.parametrize("half", [1, 4, 50, 3000, 10**6, 10**9])
def test_best_geometric_mean_of_equal_classes_is_one_half(half):
    b = dutch_draw("g_mean", n_positive=half, n_negative=half)
    assert b.n_predicted == ((half, half),)
    assert b.value == pytest.approx(0.5, rel=1e-14)


def test_goal_best_is_the_minimum_where_lower_is_better():
    b = dutch_draw("error_rate", n_positive=30, n_negative=70)
    assert (b.value, b.n_predicted, b.goal) == (pytest.approx(0.3), ((0, 0),), "min")
    with pytest.raises(InvalidArgumentError, match="goal must be 'max' or 'min' for base_rate"):
        dutch_draw("base_rate", n_positive=30, n_negative=70)
    assert dutch_draw("ppr", n_positive=3, n_negative=7, goal="max").value == 1


@pytest.mark.parametrize("name", ["lr_plus", "dor", "error_ratio"])
def test_metrics_that_may_always_be_undefined_have_no_baseline(name):
    b = dutch_draw(name, n_positive=30, n_negative=70, goal="max", n_predicted=(0, 30))
    assert isnan(b.value)
    assert b.n_predicted == b.theta_star == b.theta_intervals == ()


def test_no_cases():
    b = dutch_draw("f1", n_positive=0, n_negative=0)
    assert isnan(b.value)
    assert b.n_predicted == ()


def test_unknown_shapes_are_searched_up_to_a_budget_and_refused_beyond():
    own = replace(metrics.gilbert_skill_score, name="own", chance_shape="unknown")
    b = dutch_draw(own, n_positive=300, n_negative=700)
    assert b.route == "scan"
    with pytest.raises(
        UnsupportedError, match=r"would look at [\d,]+ tables, more than 20,000,000"
    ):
        dutch_draw(own, n_positive=10**6, n_negative=10**6)
    with pytest.raises(UnsupportedError, match="own declares no shape"):
        dutch_draw(own, n_positive=10**12, n_negative=10**12)
    sums = define("sums", lambda tp, fn, fp, tn: tp / (tp + fp), chance_shape="constant")
    with pytest.raises(UnsupportedError, match="sums declares no undefined_if_zero that would"):
        dutch_draw(sums, n_positive=10**6, n_negative=10**6)
    point = dutch_draw(own, n_positive=10**5, n_negative=10**5, n_predicted=10**5)
    model = Hypergeometric(n_positive=10**5, n_negative=10**5, n_predicted=10**5)
    assert point.value == pytest.approx(expect("gilbert_skill_score", model).value, rel=1e-12)


@pytest.mark.parametrize("m", [10**4, 10**6, 10**9])
def test_no_metric_of_the_catalogue_needs_a_search(m):
    """At k = 1 Yule's Q and Y are 1 or -1, with the shares of the classes, and 1 - their means at
    k = M - 1; both likelihood ratios start from the values at their first k."""
    p, q = m // 10, m - m // 10
    sizes = {"n_positive": p, "n_negative": q}
    for name in ("yule_q", "yule_y"):
        b = dutch_draw(name, **sizes)
        assert (b.value, b.n_predicted) == (pytest.approx((q - p) / m), ((m - 1, m - 1),))
        worst = dutch_draw(name, **sizes, goal="min")
        assert (worst.value, worst.n_predicted) == (pytest.approx((p - q) / m), ((1, 1),))
    b = dutch_draw("lr_minus", **sizes)
    assert (b.value, b.n_predicted) == (1, ((0, 0),))
    b = dutch_draw("lr_plus", **sizes)
    assert (b.value, b.n_predicted) == (pytest.approx(1, abs=2 / p), ((p + 1, p + 1),))
    assert b.value > 1
    b = dutch_draw("pt_strict", **sizes, goal="max")
    assert (b.value, b.n_predicted) == (pytest.approx(q / m), ((1, 1),))
    b = dutch_draw("gilbert_skill_score", **sizes)  # to second order a quarter of kappa's variance
    assert b.value == pytest.approx(1 / (4 * (m - 1)), rel=1e-2)
    low, high = b.n_predicted[0]
    assert low <= p <= high
    assert isnan(dutch_draw("dor", **sizes).value)


MEASURED = [
    "yule_q", "yule_y", "gilbert_skill_score", "lr_plus", "lr_minus", "error_ratio", "pt_strict"
]  # fmt: skip
LARGER = [(206, 459), (459, 206), (300, 300), (1, 500), (240, 360)]


@pytest.mark.parametrize(("name", "sizes"), one_in(6, product(MEASURED, LARGER)))
def test_shapes_that_are_only_measured_agree_with_the_search_of_larger_tables(name, sizes):
    metric, sizes = metrics.get(name), dict(zip(("n_positive", "n_negative"), sizes, strict=True))
    for goal in ("max", "min"):
        shaped = dutch_draw(metric, **sizes, goal=goal)
        full = dutch_draw(replace(metric, chance_shape="unknown"), **sizes, goal=goal)
        assert shaped.value == pytest.approx(full.value, rel=1e-12, abs=1e-15)
        assert shaped.n_predicted == full.n_predicted


def test_a_metric_undefined_at_every_third_number_has_as_many_ranges():
    """Recall can equal the false positive rate where 2 k / 3 is whole, for one third positives."""
    b = dutch_draw("pt_strict", n_positive=4, n_negative=4)
    assert (b.value, b.n_predicted) == (pytest.approx(0.5), ((1, 1), (3, 3), (5, 5), (7, 7)))
    b = dutch_draw("pt_strict", n_positive=3, n_negative=6, n_predicted=(3, 6), goal="max")
    assert b.n_predicted == ((4, 4),)
    assert isnan(dutch_draw("pt_strict", n_positive=3, n_negative=6, n_predicted=6).value)
    with pytest.raises(UnsupportedError, match=r"5,000,000 ranges of n_predicted .* listed"):
        dutch_draw("pt_strict", n_positive=5 * 10**6, n_negative=5 * 10**6)
    t = ConfusionMatrix(tp=4 * 10**6, fn=10**6, fp=10**6, tn=4 * 10**6)
    assert skill("pt_strict", t).chance == pytest.approx(0.5)


def test_a_plateau_may_reach_over_numbers_at_which_the_metric_is_undefined():
    """As many as are flagged, at most four: undefined at every even number, for equal classes."""
    strict = metrics.prevalence_threshold_strict

    def capped(tp, fn, fp, tn):
        return np.minimum(tp + fp, 4) + 0 * strict.formula(tp, fn, fp, tn)

    own = replace(strict, name="capped", formula=capped, chance_shape="increasing")
    best = dutch_draw(own, n_positive=6, n_negative=6, goal="max")
    assert (best.value, best.n_predicted) == (4, ((5, 5), (7, 7), (9, 9), (11, 11)))
    worst = dutch_draw(own, n_positive=6, n_negative=6, goal="min")
    assert (worst.value, worst.n_predicted) == (1, ((1, 1),))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_predicted": 11}, "n_predicted must be at most the number of cases, 10, got 11"),
        ({"n_predicted": (5, 3)}, r"n_predicted must be one number, or \(low, high\)"),
        ({"n_predicted": 2.5}, "n_predicted must be a whole number"),
        ({"theta": 1.5}, r"theta must lie in \[0, 1\], got 1.5"),
        ({"theta": (0.1, 0.2, 0.3)}, r"theta must be one number, or \(low, high\)"),
        ({"theta": 0.1, "n_predicted": 1}, "n_predicted, theta cannot be given together"),
        ({"n_positive": -1}, r"n_positive must lie in \[0, inf\), got -1"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(InvalidArgumentError, match=message):
        dutch_draw("f1", **({"n_positive": 4, "n_negative": 6} | arguments))


def test_unknown_goal_is_named():
    with pytest.raises(UnknownNameError, match="'minimum'"):
        dutch_draw("f1", n_positive=4, n_negative=6, goal="minimum")


def test_weighted_totals_are_exact_for_metrics_linear_in_the_rates():
    """The mean over all 3! orders of weighted labels, k = 0..3, by hand: θ W_P/W + (1-θ) W_N/W."""
    b = dutch_draw("accuracy", n_positive=2.5, n_negative=1.25)
    assert (b.value, b.theta_star, b.n_predicted) == (pytest.approx(2 / 3), ((1.0, 1.0),), ())
    limited = dutch_draw("accuracy", n_positive=2.5, n_negative=1.25, theta=(0.1, 0.5))
    assert limited.value == pytest.approx(0.5)
    assert dutch_draw("bacc", n_positive=2.5, n_negative=1.25).theta_star == ((0.0, 1.0),)
    assert isnan(dutch_draw("recall", n_positive=0, n_negative=1.25).value)
    with pytest.raises(UnsupportedError, match="f1 has a random denominator under weights"):
        dutch_draw("f1", n_positive=2.5, n_negative=1.25)
    with pytest.raises(InvalidArgumentError, match="cannot be used with weighted class totals"):
        dutch_draw("accuracy", n_positive=2.5, n_negative=1.25, n_predicted=1)


def test_weighted_accuracy_of_every_order_of_labels():
    """Brute force: weights 1, 1.5 (positive) and 0.5, 0.75 (negative), k of 4 flagged."""
    from itertools import combinations

    weights = [(1.0, True), (1.5, True), (0.5, False), (0.75, False)]
    total = sum(w for w, _ in weights)
    for k in range(5):
        draws = list(combinations(range(4), k))
        mean = sum(
            sum(w for i, (w, positive) in enumerate(weights) if positive == (i in draw)) / total
            for draw in draws
        ) / len(draws)
        b = dutch_draw("accuracy", n_positive=2.5, n_negative=1.25, theta=k / 4)
        assert b.value == pytest.approx(mean)


def test_floats_that_are_whole_are_counts():
    assert dutch_draw("f1", n_positive=np.float64(3), n_negative=7.0).n_predicted == ((10, 10),)

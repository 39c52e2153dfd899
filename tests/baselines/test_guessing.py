"""Random guessing against exact two-dimensional sums, and the paper's approximations as printed."""

from fractions import Fraction
from math import isnan

import pytest

from baserate import metrics
from baserate.baselines import (
    random_guess,
)
from baserate.errors import InvalidArgumentError, UnknownNameError, UnsupportedError
from oracles import chance_twins as twins

SIZES = [(1, 0), (0, 1), (1, 1), (0, 6), (6, 0), (1, 5), (3, 4), (5, 2)]


@pytest.mark.sweep(112, start=59)
@pytest.mark.parametrize("pi", [None, 0.5])
@pytest.mark.parametrize("name", twins.NAMES)
def test_mean_and_probability_defined_are_those_of_exact_sums(name, pi):
    metric = metrics.get(name) if pi is None else metrics.get(name).at_base_rate(pi)
    for p, q in SIZES:
        for g in (0.5, 0.125, 0.875, 0, 1):
            r = random_guess(metric, n_positive=p, n_negative=q, strategy=g)
            mean, defined = twins.guess(name, p, q, g, pi)
            assert r.p_defined == pytest.approx(float(defined), rel=1e-11, abs=1e-14), (p, q, g)
            expected = float("nan") if mean is None else float(mean)
            assert r.value == pytest.approx(expected, rel=1e-11, abs=1e-12, nan_ok=True), (p, q, g)


def test_strategies_choose_the_chance():
    at = {
        s: random_guess("recall", n_positive=30, n_negative=70, strategy=s)
        for s in ("uniform", "proportional", "mode", 0.2)
    }
    assert {s: r.g for s, r in at.items()} == {
        "uniform": 0.5,
        "proportional": 0.3,
        "mode": 0.0,
        0.2: 0.2,
    }
    assert [float(r) for r in at.values()] == pytest.approx([0.5, 0.3, 0.0, 0.2])
    assert random_guess("recall", n_positive=5, n_negative=5, strategy="mode").g == 0
    assert random_guess("recall", n_positive=6, n_negative=5, strategy="mode").g == 1


def test_mode_leaves_metrics_of_both_columns_undefined():
    """Erratum: the paper gives numbers for these."""
    for name in ("precision", "markedness", "mcc", "precision.at_base_rate(0.5)"):
        r = random_guess(name, n_positive=30, n_negative=70, strategy="mode")
        assert (isnan(r.value), r.p_defined) == (True, 0.0)
    npv = random_guess("npv", n_positive=30, n_negative=70, strategy="mode").value
    assert npv == pytest.approx(0.7, rel=1e-14)


@pytest.mark.parametrize(("p", "q", "undefined"), [(2, 998, 0.135), (1, 9, 0.349)])
def test_undefined_precision_is_not_always_rare(p, q, undefined):
    """Erratum: "very small" in the paper, about exp(-n1) under proportional guessing."""
    r = random_guess("precision", n_positive=p, n_negative=q, strategy="proportional")
    assert round(1 - r.p_defined, 3) == undefined
    assert r.value == pytest.approx(p / (p + q), rel=1e-14)  # exactly, given defined


# Section A2 of the notes: balanced precision under proportional guessing, approximation and truth.
BALANCED_PRECISION = [
    (2, 998, -30.6, 0.0046),
    (10, 99_990, -124.5, 0.0010),
    (1, 99, -11.75, 0.0156),
    (10, 990, -0.725, 0.0872),
    (100, 9900, 0.3775, 0.3693),
    (1000, 99_000, 0.48775, 0.48745),
]


@pytest.mark.parametrize(("p", "q", "approximate", "exact"), BALANCED_PRECISION)
def test_approximation_fails_for_small_classes(p, q, approximate, exact):
    metric = "precision.at_base_rate(0.5)"
    sizes = {"n_positive": p, "n_negative": q, "strategy": "proportional"}
    paper = random_guess(metric, **sizes, method="paper")
    digits = len(str(approximate).split(".")[1])
    assert (round(paper.value, digits), paper.method, paper.route) == (
        approximate,
        "paper",
        "Taylor approximation",
    )
    digits = len(f"{exact}".split(".")[1])
    assert round(random_guess(metric, **sizes).value, digits) == pytest.approx(exact)


# n² (exact - approximation) at n = 2000, from the notes: rows a, g; columns by metric.
SECOND_ORDER = {
    (0.5, 0.5): (-0.094, -0.094, 0, 0, 0, 0, -0.094, -0.094),
    (0.3, 0.5): (-0.103, -0.074, -0.85, 0.85, 0, 0, -0.24, -0.027),
    (0.3, 0.3): (-0.190, -0.046, -2.87, 0.295, -2.58, -0.69, -0.114, 0.020),
    (0.1, 0.9): (-0.002, 0.077, -0.73, 307, 306, 42, -0.50, -0.65),
}
COLUMNS = ["f1", "negative_f1"] + [
    f"{name}.at_base_rate(0.5)" for name in ("ppv", "npv", "markedness", "mcc", "f1", "negative_f1")
]


@pytest.mark.parametrize(("a", "g"), SECOND_ORDER)
def test_approximations_are_right_to_the_order_they_claim(a, g):
    p = round(2000 * a)
    for name, constant in zip(COLUMNS, SECOND_ORDER[a, g], strict=True):
        sizes = {"n_positive": p, "n_negative": 2000 - p, "strategy": g}
        exact, paper = (random_guess(name, **sizes, method=m).value for m in ("exact", "paper"))
        assert 2000**2 * (exact - paper) == pytest.approx(constant, rel=0.02, abs=0.006), name


@pytest.mark.parametrize(
    "name", ["accuracy", "tpr", "tnr", "ppv", "npv", "bacc", "j", "markedness", "mcc"]
)
def test_plain_formulas_without_a_correction_are_exact(name):
    sizes = {"n_positive": 3, "n_negative": 9, "strategy": 0.25}
    exact, paper = (random_guess(name, **sizes, method=m).value for m in ("exact", "paper"))
    assert exact == pytest.approx(paper, abs=1e-14)
    mean, _ = twins.guess(metrics.get(name).name, 3, 9, Fraction(1, 4))
    assert float(mean) == pytest.approx(paper, abs=1e-14)


def test_f1_approximation_at_its_worst():
    """The plain formulas are benign: 2.3e-3 is the worst seen in the notes."""
    for p, q in [(1, 9), (2, 8), (5, 5), (9, 1)]:
        for g in (0.1, 0.5, 0.9):
            sizes = {"n_positive": p, "n_negative": q, "strategy": g}
            paper = random_guess("f1", **sizes, method="paper").value
            mean, _ = twins.guess("f1", p, q, Fraction(g))
            assert abs(paper - float(mean)) < 0.01


def test_approximations_that_divide_by_zero_are_undefined():
    sizes = {"n_positive": 3, "n_negative": 7, "strategy": 0}
    assert isnan(random_guess("ppv.at_base_rate(0.5)", **sizes, method="paper").value)


def test_unknown_requests_are_refused():
    with pytest.raises(UnsupportedError, match=r"no approximation for jaccard.*method='exact'"):
        random_guess("jaccard", n_positive=3, n_negative=7, method="paper")
    with pytest.raises(UnknownNameError, match=r"'proportionate'\. Did you mean 'proportional'"):
        random_guess("f1", n_positive=3, n_negative=7, strategy="proportionate")
    with pytest.raises(InvalidArgumentError, match=r"strategy must lie in \[0, 1\], got 1.2"):
        random_guess("f1", n_positive=3, n_negative=7, strategy=1.2)
    with pytest.raises(UnknownNameError, match="method"):
        random_guess("f1", n_positive=3, n_negative=7, method="taylor")


def test_weighted_totals():
    r = random_guess("accuracy", n_positive=2.5, n_negative=7.5, strategy="proportional")
    assert (r.value, r.g, r.p_defined) == (pytest.approx(0.625), 0.25, 1.0)
    assert random_guess("recall", n_positive=0, n_negative=7.5).p_defined == 0
    with pytest.raises(UnsupportedError, match="precision has a random denominator"):
        random_guess("precision", n_positive=2.5, n_negative=7.5)


def test_no_cases():
    assert isnan(
        random_guess("accuracy", n_positive=0, n_negative=0, strategy="proportional").value
    )
    r = random_guess("accuracy", n_positive=0, n_negative=0, method="paper")
    assert isnan(r.value)

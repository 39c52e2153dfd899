"""Refusals instead of approximations, quantiles as inverses, affine forms."""

from dataclasses import replace
from fractions import Fraction
from math import comb, isnan, sqrt

import numpy as np
import pytest

from baserate import ConfusionMatrix, metrics
from baserate.errors import InvalidArgumentError, UnknownNameError, UnsupportedError
from baserate.models import BinomialPair, Hypergeometric, Multinomial, UniformTables
from baserate.questions import (
    affine,
    cdf,
    expect,
    pmf,
    probability_defined,
    quantile,
    sample,
    sf,
    tails,
    variance,
)
from baserate.questions.law import BUDGET


def draw(p, q, k):
    return Hypergeometric(n_positive=p, n_negative=q, n_predicted=k)


def guess(p, q, g):
    return BinomialPair(n_positive=p, n_negative=q, recall=g, false_positive_rate=g)


def test_bumpy_metrics_are_never_integrated():
    bumpy = metrics.define(
        "bumpy", lambda tp, fn, fp, tn: np.maximum(tp - 0.5 * (tp + fn), 0.0), undefined_if_zero=()
    )
    model = BinomialPair(n_positive=2000, n_negative=3000, recall=0.5, false_positive_rate=0.3)
    answer = expect(bumpy, model)
    assert answer.route == "enumeration"
    # E[max(X - n/2, 0)] = n C(n - 1, n/2) / 2^(n + 1)
    exact = Fraction(2000 * comb(1999, 1000), 2**2001)
    assert float(answer) == pytest.approx(float(exact), rel=1e-12)
    with pytest.raises(
        UnsupportedError, match="bumpy under BinomialPair has no route 'quadrature'"
    ):
        expect(bumpy, model, method="quadrature")


def test_chance_is_not_taken_for_the_mean_given_a_hit():
    hit = metrics.define(
        "informedness given a hit",
        lambda tp, fn, fp, tn: tp / tp * (tp / (tp + fn) - fp / (fp + tn)),
        direction="neither",
        undefined_if_zero=("tp+fn", "fp+tn", "tp"),
        affine_in_tp=True,
        chance=0,
        chance_shape="constant",
    )
    model = guess(3, 4, 0.25)
    # E[J; tp > 0] = E[J] - E[-fp/4; tp = 0] = 0.25 (3/4)^3, over 1 - (3/4)^3
    exact = Fraction(27, 256) / Fraction(37, 64)
    assert float(expect(hit, model)) == pytest.approx(float(exact), rel=1e-13)
    sure = draw(3, 4, 6)  # at least two hits
    assert float(expect(hit, sure)) == 0
    assert expect(hit, sure).route == "closed form"


def test_bumps_between_draws_are_never_integrated():
    bumpy = metrics.define(
        "excess",
        lambda tp, fn, fp, tn: np.maximum(tp + fp - fn - tn, 0.0) / (tp + fn + fp + tn),
        direction="neither",
        undefined_if_zero=("tp+fn+fp+tn",),
        affine_in_tp=True,
        lumps=None,
    )
    n = 1000
    answer = expect(bumpy, guess(300, 700, 0.5))
    exact = Fraction(n * comb(n - 1, n // 2), 2**n * n)  # E[max(2K - n, 0)] / n
    assert answer.route == "tower"
    assert float(answer) == pytest.approx(float(exact), rel=1e-12)
    with pytest.raises(UnsupportedError, match="excess under BinomialPair has"):
        expect(bumpy, guess(10**9, 3 * 10**9, 0.5))


def test_a_sum_beyond_the_budget_is_refused_with_its_size():
    model = guess(10**6, 10**6, 0.5)
    with pytest.raises(UnsupportedError, match=r"has [\d,]{9,} tables to sum.*method='simulation'"):
        expect("prevalence_threshold_strict", model)
    with pytest.raises(UnsupportedError, match="Declaring undefined_if_zero opens faster routes"):
        sf("prevalence_threshold_strict", model, 0.5)
    answer = expect("prevalence_threshold_strict", model, method="simulation", rng=1)
    assert 0 < answer.error < 1e-4
    assert abs(answer.value - 0.5) < 5 * answer.error
    assert UniformTables(n=1000).n_tables > BUDGET
    with pytest.raises(UnsupportedError, match="167,668,501 tables"):
        expect("mcc", UniformTables(n=1000))
    routes = [float(expect("f1", UniformTables(n=60), method=m)) for m in (None, "enumeration")]
    assert routes[0] == pytest.approx(routes[1], rel=1e-12)


def test_what_is_hardly_ever_defined_says_what_opens_a_shorter_route():
    """Of 1e8 cases some 1e-19 are positive; where fp decides is declared of the correlation."""
    model = Multinomial(n=10**8, cells=(3e-28, 7e-28, 0.25, 0.75))
    mute = replace(metrics.get("mcc"), name="mute", trend_in_fp="unknown", lumps=None)
    with pytest.raises(UnsupportedError, match=r"mute is so rarely .* declare trend_in_fp and"):
        tails(mute, model, 0.01)


def test_large_uniform_tables_are_refused_without_arrays(monkeypatch):
    for n in (100_000, 10**9):
        model = UniformTables(n=n)
        monkeypatch.setattr(type(model.positives()), "window", None)
        for ask in (expect, variance, pmf):
            with pytest.raises(UnsupportedError, match=f"{comb(n + 3, 3):,} tables to sum"):
                ask("f1", model)


def test_refusals_name_no_route_that_would_refuse_too():
    # f1 has lumps, but two sums of a million cases are too many to sort.
    model = Multinomial(n=10**6, cells=(3, 1, 1, 5))
    with pytest.raises(
        UnsupportedError, match=r"[\d,]{12,} tables to sum.*route: ask cdf or sf at"
    ):
        quantile("f1", model, 0.05)
    with pytest.raises(UnsupportedError, match=r"f1 .* has no route 'lumps' .*: ask cdf or sf at"):
        quantile("f1", model, 0.05, method="lumps")


def test_atoms_offer_only_what_they_have():
    with pytest.raises(UnsupportedError, match=r"tables to sum, .*: ask cdf, sf or quantile"):
        pmf("f1", UniformTables(n=1000))
    with pytest.raises(UnsupportedError, match=r"no route 'tower' .*: use method='enumeration'\."):
        pmf("f1", draw(3, 4, 2), method="tower")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda: probability_defined(
                "f1", draw(3, 4, 2), method="simulation", rng=1, n_samples=0
            ),
            "n_samples must be a whole number of at least 2, got 0",
        ),
        (lambda: sample(draw(3, 4, 2), 5, rng="x"), "rng must be a seed or .*, got 'x'"),
        (
            lambda: expect("f1", ConfusionMatrix(tp=1, fn=2, fp=3, tn=4)),
            r"model must be a model of tables, got ConfusionMatrix\(.*: pass for example Hyper",
        ),
        (lambda: sf("f1", Hypergeometric, 0.5), "model must be a model of tables, got <class"),
        (lambda: sample(None, 5, rng=1), "model must be a model of tables, got None"),
        (
            lambda: expect("f1", draw(3, 4, 2), undefined=float("nan")),
            "undefined must be .*, or a finite number, got nan: 'omit' conditions",
        ),
        (lambda: sf("f1", draw(3, 4, 2), 0.5, undefined="no"), "undefined must be .*, got 'no'"),
    ],
)
def test_wrong_arguments_are_named(ask, message):
    with pytest.raises(InvalidArgumentError, match=message):
        ask()


def test_named_routes_and_sources_of_randomness_are_checked():
    model = draw(3, 4, 2)
    with pytest.raises(UnknownNameError, match=r"method must be one of .*, got 'exact'"):
        expect("f1", model, method="exact")
    with pytest.raises(
        UnsupportedError, match=r"f1 under Hypergeometric has no route 'tower'.*'closed form'"
    ):
        expect("f1", model, method="tower")
    for ask in (
        lambda: expect("f1", model, method="simulation"),
        lambda: probability_defined("f1", model, method="simulation"),
        lambda: sample(model, 3, rng=None),
    ):
        with pytest.raises(InvalidArgumentError, match="rng must be given"):
            ask()
    with pytest.raises(InvalidArgumentError, match=r"q must lie in \[0, 1\], got 1.5"):
        quantile("f1", model, 1.5)
    with pytest.raises(InvalidArgumentError, match="x must be a number, got 'high'"):
        cdf("f1", model, "high")
    assert isnan(float(cdf("f1", model, float("nan"))))


@pytest.mark.parametrize(("name", "a", "b"), [
    ("accuracy", lambda p, q, k: 2 / (p + q), lambda p, q, k: (q - k) / (p + q)),
    ("f2", lambda p, q, k: 5 / (4 * p + k), lambda p, q, k: 0),
    ("informedness", lambda p, q, k: (p + q) / (p * q), lambda p, q, k: -k / q),
    ("markedness", lambda p, q, k: (p + q) / (k * (p + q - k)), lambda p, q, k: -p / (p + q - k)),
    ("mcc", lambda p, q, k: (p + q) / sqrt(k * p * q * (p + q - k)),
     lambda p, q, k: -p * k / sqrt(k * p * q * (p + q - k))),
])  # fmt: skip
@pytest.mark.parametrize(("p", "q", "k"), [(30, 70, 50), (5, 3, 7), (10**10, 10**11, 10**9)])
def test_affine_forms_of_the_dutch_draw(name, a, b, p, q, k):
    assert affine(name, draw(p, q, k)) == pytest.approx(
        (a(p, q, k), b(p, q, k)), rel=1e-12, abs=1e-12
    )


def test_affine_is_none_where_there_is_no_such_line():
    assert affine("accuracy", draw(3, 7, 0)) == pytest.approx((0.2, 0.7))  # one table, its slope
    assert affine("mcc", draw(3, 7, 0)) is None
    assert affine("geometric_mean", draw(3, 7, 4)) is None
    assert affine("accuracy", guess(3, 7, 0.5)) is None

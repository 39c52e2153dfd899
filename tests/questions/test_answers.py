"""Published numbers, large counts, undefined policies, ties, refusals."""

from fractions import Fraction
from math import comb, isnan, sqrt

import numpy as np
import pytest
from scipy import stats

from baserate import metrics
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.models import BinomialPair, Hypergeometric, UniformTables
from baserate.questions import (
    cdf,
    expect,
    pmf,
    probability_defined,
    quantile,
    sf,
    variance,
)
from baserate.questions.moments import _AGREE, _agree, _Moments


def draw(p, q, k):
    return Hypergeometric(n_positive=p, n_negative=q, n_predicted=k)


def guess(p, q, g):
    return BinomialPair(n_positive=p, n_negative=q, recall=g, false_positive_rate=g)


# Burger and Meertens, The algorithm versus the chimps: their balanced formulas, done exactly.
@pytest.mark.parametrize(
    ("metric", "model", "value", "digits"),
    [
        ("precision.at_base_rate(0.5)", guess(2, 998, 0.002), 0.0046, 4),
        ("mcc.at_base_rate(0.5)", guess(2, 998, 0.002), -0.030, 3),
        ("precision.at_base_rate(0.5)", guess(10, 99990, 0.0001), 0.0010, 4),
        ("precision.at_base_rate(0.5)", guess(100, 9900, 0.01), 0.3693, 4),
        ("precision.at_base_rate(0.5)", guess(1000, 99000, 0.01), 0.48745, 5),
        ("markedness.at_base_rate(0.5)", guess(2, 18, 0.1), -0.30675, 5),
        ("accuracy", guess(40, 60, 0.25), 0.25 * 0.4 + 0.75 * 0.6, 14),
        ("precision", guess(3, 7, 0.2), 0.3, 14),
        ("npv", guess(3, 7, 0.2), 0.7, 14),
        ("mcc", guess(3, 7, 0.2), 0.0, 14),
        ("f1.at_base_rate(0.5)", guess(5, 5, 0.25), None, 14),
    ],
)
def test_guessing_as_published(metric, model, value, digits):
    answer = expect(metric, model)
    if value is None:  # with equal classes every balanced metric is its plain self
        value = float(expect("f1", model))
    assert float(answer) == pytest.approx(value, abs=0.6 * 10.0**-digits)


# The Dutch Draw (2025): forms of the mean at k flagged of M, P positive.
@pytest.mark.parametrize(("p", "q", "k"), [(30, 70, 50), (7, 993, 12), (10**11, 10**12, 10**9)])
def test_dutch_draw_means(p, q, k):
    m, model = p + q, draw(p, q, k)
    forms = {
        "accuracy": ((m - k) * q + k * p) / m**2,
        "recall": k / m,
        "precision": p / m,
        "f2": 5 * p * k / (m * (4 * p + k)),
        "fowlkes_mallows": sqrt(k * p) / m,
        "informedness": 0,
        "balanced_accuracy": 0.5,
        "lift": 1,
    }
    for name, value in forms.items():
        answer = expect(name, model)
        assert answer.route == "closed form"
        assert float(answer) == pytest.approx(value, rel=1e-13)
    assert float(variance("mcc", model)) == pytest.approx(1 / (m - 1), rel=1e-12)


# Means from sums in arithmetic of sixty digits (mpmath).
@pytest.mark.parametrize(("m", "p", "k", "mean"), [
    (100, 30, 50, "0.4994997550987638980927"),
    (1000, 7, 524, "0.4896316647448864204117"),
    (10**6, 10**5, 500001, "0.4999995555520369747236"),
    (10**8, 10**7, 50000001, "0.4999999955555552037036"),
    (10**10, 10**9, 5000000001, "0.4999999999555555555204"),
])  # fmt: skip
def test_geometric_mean_at_its_best_draw(m, p, k, mean):
    model, mean = draw(p, m - p, k), Fraction(mean)
    assert float(expect("geometric_mean", model)) == pytest.approx(float(mean), rel=1e-14)
    second = Fraction(k * (m - k), m * (m - 1))  # E[G^2] = kh / (M (M - 1))
    exact = float(second - mean**2)
    assert float(variance("geometric_mean", model)) == pytest.approx(exact, rel=1e-10)


@pytest.mark.parametrize(
    "table", [(8, 2, 1, 5), (35, 5, 10, 50), (77, 129, 380, 1679), (0, 3, 4, 2)]
)
def test_every_increasing_metric_has_fishers_p_value(table):
    tp, fn, fp, tn = table
    fisher = stats.fisher_exact([[tp, fn], [fp, tn]], alternative="greater").pvalue
    model = draw(tp + fn, fp + tn, tp + fp)
    for name in ("mcc", "f1", "accuracy", "kappa", "geometric_mean", "jaccard", "lift"):
        least = float(metrics.get(name).formula(*map(float, table)))
        at_least = 1 - float(cdf(name, model, least - 1e-6))
        assert at_least == pytest.approx(fisher, rel=1e-9, abs=1e-14)
        above = stats.hypergeom.sf(tp, tp + fn + fp + tn, tp + fn, tp + fp)
        assert float(sf(name, model, least)) == pytest.approx(above, rel=1e-9)


def test_faint_tails_keep_their_digits():
    exact = Fraction(1, comb(2000, 1000))  # all 1000 right by chance, 5e-601; 990 and more
    at_least = sum(Fraction(comb(1000, t) ** 2, comb(2000, 1000)) for t in range(900, 1001))
    assert exact < at_least
    tail = sf("tp", draw(1000, 1000, 1000), 899)
    assert float(tail) == pytest.approx(float(at_least), rel=1e-11, abs=0)
    coin = sf(
        "recall", BinomialPair(n_positive=900, n_negative=5, recall=0.5, false_positive_rate=0), 0.9
    )
    binomial = sum(comb(900, t) for t in range(811, 901)) / 2**900
    assert float(coin) == pytest.approx(binomial, rel=1e-11, abs=0)
    # Rates that mirror each other: the number right is Binomial(500, 3/4).
    mirrored = BinomialPair(n_positive=200, n_negative=300, recall=0.75, false_positive_rate=0.25)
    right = sum(comb(500, t) * 3**t for t in range(481, 501)) / 4**500
    for method in ("threshold", "enumeration"):
        answer = float(sf("accuracy", mirrored, 0.96, method=method))
        assert answer == pytest.approx(right, rel=1e-11, abs=0)
    assert right < 1e-35


def test_guessing_a_billion_cases():
    model = guess(10**8, 9 * 10**8, 0.5)
    f1 = float(expect("f1", model))
    assert f1 == pytest.approx(0.2 * (0.5 / 0.6 - 0.1 * 0.25 / (1e9 * 0.6**3)), rel=1e-14)
    assert float(variance("mcc", model)) == pytest.approx(1 / (10**9 - 1), rel=1e-12)
    huge = guess(10**11, 9 * 10**11, 0.5)
    assert float(expect("f1", huge)) == pytest.approx(1 / 6, rel=1e-11)
    assert expect("geometric_mean", huge).route == "quadrature"


def test_tower_by_window_and_by_gauss_rule_agree(monkeypatch):
    from baserate.questions import moments

    model = guess(3000, 9000, 0.3)
    window = [f("f1", model, method="tower").value for f in (expect, variance)]
    monkeypatch.setattr(moments, "_LONG", 10)
    rule = [f("f1", model, method="tower").value for f in (expect, variance)]
    assert rule == pytest.approx(window, rel=1e-12)


NEVER = [
    ("precision", draw(3, 4, 0)),
    ("recall", draw(0, 4, 2)),
    ("mcc", guess(5, 5, 1.0)),
    ("npv", guess(5, 5, 1.0)),
    ("kappa", draw(0, 6, 0)),
    ("prevalence_threshold_strict", draw(1, 1, 0)),
    ("accuracy", UniformTables(n=0)),
]


@pytest.mark.parametrize(("metric", "model"), NEVER)
def test_a_metric_never_defined_gives_nan_everywhere(metric, model):
    answers = [expect(metric, model), variance(metric, model), cdf(metric, model, 0.5)]
    answers += [sf(metric, model, 0.5), quantile(metric, model, 0.5)]
    assert all(isnan(float(a)) and a.undefined == 1 for a in answers)
    assert float(probability_defined(metric, model)) == 0
    assert pmf(metric, model).values.size == 0
    assert float(expect(metric, model, undefined=0.25)) == 0.25
    assert float(variance(metric, model, undefined=0.25)) == 0
    assert float(cdf(metric, model, 0.3, undefined=0.25)) == 1
    assert float(quantile(metric, model, 0.3, undefined=0.25)) == 0.25


def test_undefined_policies():
    model, missing = guess(1, 9, 0.1), 0.9**10
    assert float(probability_defined("precision", model)) == pytest.approx(1 - missing, rel=1e-14)
    assert isnan(float(expect("precision", model, undefined="propagate")))
    assert isnan(float(cdf("precision", model, 0.5, undefined="propagate")))
    assert isnan(pmf("precision", model, undefined="propagate").values[0])
    with pytest.raises(
        InvalidArgumentError, match=r"precision must be defined at every .* 0.348678"
    ):
        variance("precision", model, undefined="raise")
    with pytest.raises(InvalidArgumentError, match=r"undefined must be one of 'omit'.* got 'zero'"):
        expect("precision", model, undefined="zero")
    assert float(expect("recall", model, undefined="raise")) == pytest.approx(0.1)


def test_a_number_stands_in_for_the_undefined_value():
    model, missing = guess(2, 3, 0.25), 0.75**5
    atoms = pmf("precision", model, undefined=0.5)
    assert atoms.probabilities.sum() == pytest.approx(1, rel=1e-14)
    mean = atoms.probabilities @ atoms.values
    assert mean == pytest.approx(0.4 * (1 - missing) + 0.5 * missing, rel=1e-13)
    for q in (0.4, 0.6, 0.9):
        wanted = atoms.values[np.searchsorted(np.cumsum(atoms.probabilities), q)]
        for method in ("lumps", "enumeration"):
            cut = quantile("precision", model, q, undefined=0.5, method=method).value
            assert cut == pytest.approx(wanted)


def test_fractions_make_ties_exact():
    model = draw(30, 70, 30)
    third = Fraction(1, 3)
    for question, count in ((cdf, lambda t: t <= 10), (sf, lambda t: t > 10)):
        exact = sum(
            Fraction(comb(30, t) * comb(70, 30 - t), comb(100, 30)) for t in range(31) if count(t)
        )
        assert float(question("f1", model, third)) == pytest.approx(float(exact), rel=1e-13)
        assert float(question("f1", model, 1 / 3)) == pytest.approx(float(exact), rel=1e-13)
    just_below = third - Fraction(1, 10**15)
    assert float(sf("f1", model, just_below)) > float(sf("f1", model, third)) + 0.01
    assert float(sf("f1", model, float(just_below))) == float(sf("f1", model, third))


@pytest.mark.parametrize("method", ["threshold", "enumeration"])
def test_square_roots_tie_exactly(method):
    model = guess(16, 25, 0.5)
    # sqrt(recall specificity) = 1/2 needs tp (fp misses) with tp tn = 100
    ties = [(tp, tn) for tp in range(17) for tn in range(26) if 4 * tp * tn == 16 * 25]
    mass = sum(comb(16, tp) * comb(25, tn) for tp, tn in ties) / 2**41
    half = Fraction(1, 2)
    upper = float(cdf("geometric_mean", model, half, method=method))
    lower = float(cdf("geometric_mean", model, half - Fraction(1, 10**30), method=method))
    assert len(ties) > 2
    assert upper - lower == pytest.approx(mass, rel=1e-10)


def test_formulas_beyond_square_roots_refuse_fractions():
    odd = metrics.define("log", lambda tp, fn, fp, tn: np.log(1 + tp))
    with pytest.raises(
        UnsupportedError, match=r"Exact ties need a formula in .* pass x as a float"
    ):
        cdf(odd, draw(3, 4, 2), Fraction(0))
    assert float(cdf(odd, draw(3, 4, 2), 0)) == pytest.approx(6 / 21)


def test_a_users_metric_ties_exactly():
    own = metrics.define(
        "own", lambda tp, fn, fp, tn: np.where(tp + fp > 0, tp / (tp + fp), np.nan)
    )
    model = guess(4, 5, 0.5)
    third = Fraction(1, 3)
    assert float(cdf(own, model, third)) == pytest.approx(float(cdf("precision", model, 1 / 3)))


def test_a_users_metric_keeps_all_digits():
    cups = draw(4, 4, 4)
    kept = metrics.define("kept", lambda tp, fn, fp, tn: tp / (tp + fn + 1))
    # three cups of four give 3/5: closer to it than any float can tell, and just below
    assert float(sf(kept, cups, Fraction(3, 5) - Fraction(1, 10**17))) == pytest.approx(17 / 70)
    assert float(sf(kept, cups, Fraction(3, 5))) == pytest.approx(1 / 70)
    more = metrics.define("more hits than misses", lambda tp, fn, fp, tn: tp > fn)
    assert float(sf(more, cups, Fraction(1, 2))) == pytest.approx(17 / 70)


def test_formulas_that_round_refuse_fractions():
    rounded = metrics.define("rounded", lambda tp, fn, fp, tn: np.asarray(tp, float) / 4)
    with pytest.raises(UnsupportedError, match=r"rounded is not \(it rounds its results to floats"):
        sf(rounded, draw(4, 4, 4), Fraction(3, 4))
    assert float(sf(rounded, draw(4, 4, 4), 0.74)) == pytest.approx(17 / 70)


def test_tails_fainter_than_what_windows_leave_out_say_so():
    own = metrics.define("own", lambda tp, fn, fp, tn: (tp + tn) / (tp + fn + fp + tn))
    model = guess(10**5, 10**5, 0.5)
    for x in (0.514, 0.51, 0.5055):  # 2.7e-36, 1.8e-19 and 4e-7, of Binomial(2e5, 1/2)
        got = sf(own, model, x)
        exact = stats.binom.sf(round(200_000 * x), 200_000, 0.5)
        assert got.error == pytest.approx(1.7e-19, rel=0.02)
        assert got.value * (1 - 1e-11) <= exact <= got.value * (1 + 1e-11) + got.error


def test_rules_agree_where_means_and_variances_do():
    one, scale = _Moments(1.0, -2.0, 4.0), 4.0
    assert _agree(one, one)
    near, far = (one._replace(mean=-2 + t * _AGREE * scale) for t in (0.5, 2))
    assert _agree(near, one)
    assert not _agree(far, one)
    near, far = (one._replace(variance=4 + t * 100 * _AGREE * 4) for t in (0.5, 2))
    assert _agree(near, one)
    assert not _agree(far, one)
    assert not _agree(one._replace(mass=0.0), one)
    assert not _agree(one, one._replace(mass=0.0))

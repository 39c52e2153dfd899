"""Ties are relative to the size of the metric's own values, or decided exactly."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from baserate import ConfusionMatrix, metrics
from baserate.baselines import beats_chance
from baserate.errors import UnsupportedError
from baserate.groups import match_test, min_p
from baserate.metrics.ties import size_of, tie_width
from baserate.models import Hypergeometric, Multinomial
from baserate.questions import cdf, pmf, quantile, sf, tails
from baserate.tuning import optimal_threshold

PLAIN = np.array([[15, -335], [-35, 165]])
TEN = Multinomial(n=10, cells=(1, 2, 3, 4))
SCALES = [2.0**-47, 2.0**-1000, 2.0**40, 2.0**300]


@pytest.mark.parametrize("scale", SCALES)
def test_a_unit_of_utility_changes_no_probability(scale):
    """Powers of two multiply without rounding, so everything else must stay the same."""
    plain, scaled = metrics.utility(PLAIN), metrics.utility(PLAIN * scale)
    for x in (-80.0, 5.0, 10.0, 0.0):
        one, other = tails(plain, TEN, x), tails(scaled, TEN, x * scale)
        assert (one.below, one.equal, one.above) == (other.below, other.equal, other.above)
        assert float(cdf(plain, TEN, x)) == float(cdf(scaled, TEN, x * scale))
    one, other = pmf(plain, TEN), pmf(scaled, TEN)
    assert (one.values * scale).tolist() == other.values.tolist()
    assert one.probabilities.tolist() == other.probabilities.tolist()
    assert float(quantile(plain, TEN, 0.3)) * scale == float(quantile(scaled, TEN, 0.3))
    group, rest = ConfusionMatrix(tp=2, fn=4, fp=9, tn=5), ConfusionMatrix(tp=40, fn=9, fp=9, tn=60)
    assert match_test(scaled, group, rest).p_value == match_test(plain, group, rest).p_value < 1e-3
    assert float(sf(scaled, TEN, Fraction(10) * Fraction(scale))) == float(sf(plain, TEN, 10))
    sup = [beats_chance(group, u).p_sup[u.name] for u in (plain, scaled)]
    assert sup[0] == sup[1]
    least = [min_p([u], group, rest).p_values for u in (plain, scaled)]
    assert least[0] == least[1]


def test_a_best_cut_does_not_depend_on_the_unit():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 300)
    score = rng.normal(truth, 1.0)
    cuts = [optimal_threshold(metrics.utility(PLAIN * s), truth, score).threshold for s in SCALES]
    assert len({*cuts, optimal_threshold(metrics.utility(PLAIN), truth, score).threshold}) == 1


def test_the_tail_of_a_tiny_utility():
    """1e-14 a hit, under 5 of 10 at random: P(tp >= 5) is 1/252."""
    tiny = metrics.utility([[1e-14, 0], [0, 0]])
    model = Hypergeometric(n_positive=5, n_negative=5, n_predicted=5)
    got = sf(tiny, model, 4e-15 / 10 * 10)
    assert float(got) == pytest.approx(1 / 252, rel=1e-12)
    got = tails(tiny, model, 5e-15)
    assert got.equal == pytest.approx(1 / comb(10, 5), rel=1e-12)


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize("gap", [1e-14, 1e-11, 1e-9])
def test_differences_that_floats_do_not_hold_are_refused_or_exact(gap):
    own = metrics.define(
        "own_offset", lambda tp, fn, fp, tn: (tp * gap + tp + fn + fp + tn) / (tp + fn + fp + tn)
    )
    for ask in (lambda: sf(own, TEN, 1.0), lambda: pmf(own, TEN), lambda: quantile(own, TEN, 0.5)):
        with pytest.raises(UnsupportedError, match=r"floats do not tell them apart.*Subtract"):
            ask()
    for k in range(10):  # tp is Binomial(10, 1/10)
        x = 1 + Fraction(k, 10) * Fraction(gap)
        above = sum(comb(10, j) * 0.1**j * 0.9 ** (10 - j) for j in range(k + 1, 11))
        assert float(sf(own, TEN, x)) == pytest.approx(above, rel=1e-12)


def test_an_offset_that_floats_hold_narrows_the_ties():
    own = metrics.define("own_near", lambda tp, fn, fp, tn: 1 + 1e-7 * tp / (tp + fn + fp + tn))
    model = Hypergeometric(n_positive=10**5, n_negative=10**5, n_predicted=1000)
    at = tails(own, model, 1 + 1e-7 * 500 / (2 * 10**5))
    assert at.equal == pytest.approx(tails("tp", model, 500).equal, rel=1e-9)
    assert tie_width(own, 1.0) == pytest.approx(1e-14, rel=1)


@pytest.mark.parametrize("metric", metrics.CATALOGUE, ids=lambda m: m.name)
def test_the_catalogue_has_values_of_usual_size(metric):
    size = size_of(metric)
    assert 0.1 <= size.typical <= 10
    assert tie_width(metric, 0.5) == pytest.approx(5e-13)

"""The mean of a maximum of linear functions of a table, against every table in fractions."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln

from baserate import ConfusionMatrix
from baserate.errors import UnsupportedError
from baserate.models import (
    BinomialPair,
    DirichletMultinomial,
    Hypergeometric,
    Multinomial,
    MultivariateHypergeometric,
)
from baserate.questions import maximum
from baserate.questions.maximum import expect_maximum
from oracles import information_twins as twin

NUMBERS = st.integers(-4, 4)
LINES = st.lists(st.tuples(*[NUMBERS] * 5), min_size=1, max_size=5)


def exact(worths, offsets, law):
    """Sum over every table; `law` yields tables and their probabilities."""
    return sum(
        p * max(c + twin.worth(w, table) for w, c in zip(worths, offsets, strict=True))
        for table, p in law
    )


@settings(max_examples=30, deadline=None)
@given(LINES, st.tuples(*[st.sampled_from([0.5, 1, 2, 5])] * 4), st.integers(0, 6))
def test_every_table_of_uncertain_chances(lines, alpha, m):
    *worths, offsets = zip(*lines, strict=True)
    worths = list(zip(*worths, strict=True))
    law = ((t, twin.dirichlet_multinomial(alpha, t)) for t in twin.tables(m, 4))
    model = DirichletMultinomial(n=m, concentration=alpha)
    found = expect_maximum(worths, model, offsets=offsets)
    assert found.value == pytest.approx(float(exact(worths, offsets, law)), rel=1e-12, abs=1e-12)
    assert found.error == 0


@settings(max_examples=30, deadline=None)
@given(LINES, st.integers(0, 6), st.integers(0, 6), st.data())
def test_every_draw_without_replacement(lines, p, q, data):
    k = data.draw(st.integers(0, p + q))
    *worths, offsets = zip(*lines, strict=True)
    worths = list(zip(*worths, strict=True))
    law = [
        ((t, p - t, k - t, q - k + t), Fraction(comb(p, t) * comb(q, k - t), comb(p + q, k)))
        for t in range(max(0, k - q), min(p, k) + 1)
    ]
    model = Hypergeometric(n_positive=p, n_negative=q, n_predicted=k)
    found = expect_maximum(worths, model, offsets=offsets)
    assert found.value == pytest.approx(float(exact(worths, offsets, law)), rel=1e-12, abs=1e-12)


def test_known_chances_fixed_classes_and_finite_populations():
    worths, offsets = [(0, 0, 0, 0), (3, -1, -2, 1), (-1, 2, 1, -1)], (1, 0, 0.5)
    chances = Fraction(1, 2), Fraction(1, 8), Fraction(1, 8), Fraction(1, 4)
    law = ((t, twin.multinomial(chances, t)) for t in twin.tables(6, 4))
    model = Multinomial(n=6, cells=tuple(map(float, chances)))
    wanted = float(exact(worths, offsets, law))
    assert expect_maximum(worths, model, offsets=offsets).value == pytest.approx(wanted, rel=1e-13)
    pair = BinomialPair(n_positive=3, n_negative=4, recall=0.5, false_positive_rate=0.25)
    law = (
        ((x, 3 - x, y, 4 - y), Fraction(comb(3, x) * comb(4, y) * 3 ** (4 - y), 8 * 256))
        for x in range(4)
        for y in range(5)
    )  # fmt: skip
    wanted = float(exact(worths, offsets, law))
    assert expect_maximum(worths, pair, offsets=offsets).value == pytest.approx(wanted, rel=1e-13)
    cells = 3, 2, 4, 1
    urn = MultivariateHypergeometric(
        n=5, population=ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True)))
    )
    law = (
        (
            t,
            Fraction(
                int(np.prod([comb(c, x) for c, x in zip(cells, t, strict=True)])), comb(10, 5)
            ),
        )
        for t in twin.tables(5, 4)
    )
    wanted = float(exact(worths, offsets, law))
    assert expect_maximum(worths, urn, offsets=offsets).value == pytest.approx(wanted, rel=1e-13)


def three_options(alpha, tau):
    """What options gain on the one that is best before any case is seen."""
    worths = np.array(twin.net_benefit_options(tau), dtype=float)
    best = (worths @ alpha).argmax()
    return worths - worths[best], (worths - worths[best]) @ alpha


@pytest.mark.parametrize("tau", [0.05, 0.2, 0.7])  # thresholds at which lines cross at counts
@pytest.mark.parametrize("alpha", [(8.0, 4.0, 12.0, 80.0), (1.0, 2.0, 1.0, 3.0)])
def test_functions_that_meet_at_tables(alpha, tau):
    worths, offsets = three_options(np.array(alpha), tau)
    cells = np.array(list(twin.tables(30, 4)), dtype=float)
    a = np.array(alpha)
    log = (gammaln(a + cells) - gammaln(a) - gammaln(cells + 1)).sum(axis=1)
    pmf = np.exp(log - log.max())
    wanted = float(pmf @ (cells @ worths.T + offsets).max(axis=1) / pmf.sum())
    model = DirichletMultinomial(n=30, concentration=alpha)
    found = expect_maximum(worths, model, offsets=offsets)
    assert found.value == pytest.approx(wanted, rel=1e-10, abs=1e-13)


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize(
    ("alpha", "n"), [((8.0, 4.0, 12.0, 80.0), 4000), ((40.0, 20.0, 60.0, 400.0), 1500)]
)
def test_a_thinned_sum_states_how_far_it_may_be_off(alpha, n, monkeypatch):
    worths, offsets = three_options(np.array(alpha), 0.2)
    model = DirichletMultinomial(n=n, concentration=alpha)
    found = []
    for most in (0, 20_000_000):
        monkeypatch.setattr(maximum, "_MANY", most)
        found.append(expect_maximum(worths, model, offsets=offsets))
    thin, full = found
    assert (thin.route, full.route, full.error) == ("quadrature", "threshold", 0)
    assert thin.value != full.value
    assert abs(thin.value - full.value) <= 2 * thin.error + 1e-12 * full.value
    assert thin.error < 1e-5 * full.value


def test_one_function_that_is_highest_everywhere_has_its_mean():
    model = Multinomial(n=10**12, cells=(0.1, 0.2, 0.3, 0.4))
    found = expect_maximum([(1, 1, 1, 1), (0, 1, 0, 0.5)], model)
    assert (found.route, found.value) == ("closed form", pytest.approx(10**12))


def test_what_is_too_long_is_refused():
    model = DirichletMultinomial(n=10**7, concentration=(8, 4, 12, 80))
    with pytest.raises(UnsupportedError, match="stretches of tables to sum"):
        expect_maximum([(0, 0, 0, 0), (1, 0, -1, 0)], model)


def test_the_same_worths_are_ranked_by_what_is_added():
    model = Hypergeometric(n_positive=3, n_negative=5, n_predicted=4)
    found = expect_maximum([[1, 0, 0, 1]] * 3, model, offsets=[0, 0.5, -2])
    assert found.value == pytest.approx(4 + 0.5, rel=1e-14)

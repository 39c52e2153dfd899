"""What it is worth to know the shares: identities, closed forms of two options, and draws."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from baserate.errors import UnsupportedError
from baserate.utilities.metric_rankings import _verdict
from baserate.utilities.options import prospects_at
from baserate.utilities.perfect_information import _simulated, linear_options, three_options

# Decisions in rows, classes in columns: many cases, few, a prior below one, a useless classifier.
TABLES = [
    [[7.0, 10.0], [5.0, 82.0]],
    [[1.5, 0.5], [3.5, 300.5]],
    [[3.5, 300.5], [3.5, 300.5]],
    [[0.5, 30.5], [0.5, 20.5]],
    [[400.0, 600.0], [20.0, 9000.0]],
    [[1.0, 1.0], [1.0, 1.0]],
]
STAKES = [(1.0, 0.01), (1.0, 0.25), (2.0, 3.0)]


def cells(worth, alpha):
    """Worths of (none, classifier, all) in the cells row by row, and the parameters."""
    s, t = worth
    return np.array([[0, 0, 0, 0], [s, -t, 0, 0], [s, -t, s, -t]]), np.ravel(alpha)


@pytest.mark.sweep(18, start=8)
@pytest.mark.parametrize("stakes", STAKES)
@pytest.mark.parametrize("alpha", TABLES)
def test_the_mean_of_the_best_of_three_options_adds_up(alpha, stakes):
    """max(0, f, f + g) + max(0, g, f + g) = max(0, f + g) + max(f, 0) + max(g, 0).

    The left are perfect information about the classifier and about its reverse; the right are three
    choices between two options, each a Beta variable against a bar.
    """
    (s, t), alpha = stakes, np.array(alpha)

    def best_of_three(table):
        worths, flat = cells(stakes, table)
        return three_options(table, s, t).perfect + (worths @ flat).max() / flat.sum()

    def gain(found, missed):
        """E max(0, (s + t) X - t) for X ~ Beta(found, missed)."""
        law, more, c = stats.beta(found, missed), stats.beta(found + 1, missed), t / (s + t)
        return (s + t) * law.mean() * more.sf(c) - t * law.sf(c)

    share = alpha[0].sum() / alpha.sum()
    wanted = gain(*alpha.sum(axis=0)) + share * gain(*alpha[0]) + (1 - share) * gain(*alpha[1])
    found = best_of_three(alpha) + best_of_three(alpha[::-1])
    assert found == pytest.approx(wanted, rel=1e-12)


@pytest.mark.sweep(18, start=14)
@pytest.mark.parametrize("stakes", STAKES)
@pytest.mark.parametrize("alpha", TABLES)
def test_who_is_best_adds_up(alpha, stakes):
    """All is best of three, or the classifier or its reverse beats an all that beats none."""
    (s, t), alpha = stakes, np.array(alpha)
    none, model, all_ = three_options(alpha, s, t).probabilities
    none_, reverse, all__ = three_options(alpha[::-1], s, t).probabilities
    assert none + model + all_ == pytest.approx(1, abs=1e-14)
    above, below = (stats.beta(*row).sf(t / (s + t)) for row in alpha)
    assert model == pytest.approx(above * (1 - below), rel=1e-10, abs=1e-16)
    assert reverse == pytest.approx(below * (1 - above), rel=1e-10, abs=1e-16)
    positives = stats.beta(*alpha.sum(axis=0)).sf(t / (s + t))
    # Where both are right to flag, all is counted twice.
    assert all_ + all__ - above * below == pytest.approx(positives, abs=1e-11)
    assert none + none_ - (1 - above) * (1 - below) == pytest.approx(1 - positives, abs=1e-11)


def test_classes_may_be_called_either_way():
    alpha = np.array(TABLES[0])
    found = three_options(alpha, 1.0, 0.25)
    # Negative benefits and costs: deciding "positive" is right among negatives.
    turned = three_options(alpha[:, ::-1], -0.25, -1.0)
    assert turned == found
    # Decisions renamed too: none and all trade places.
    renamed = three_options(alpha[::-1, ::-1], 0.25, 1.0)
    assert renamed.perfect == pytest.approx(found.perfect, rel=1e-12)
    assert_allclose(renamed.probabilities[::-1], found.probabilities, atol=1e-13)


def test_a_decision_that_is_always_right_needs_no_data():
    alpha = np.array(TABLES[0])
    assert three_options(alpha, 1.0, -1.0)[:2] == ((0.0, 0.0, 1.0), 0.0)
    assert three_options(alpha, -1.0, 0.5)[:2] == ((1.0, 0.0, 0.0), 0.0)
    assert three_options(alpha, 0.0, 0.0)[:2] == ((1 / 3, 1 / 3, 1 / 3), 0.0)
    assert prospects_at(alpha, 1.0, -1.0, 0.2)[:2] == ((0.0, 0.0, 1.0), 0.0)


def test_two_options_have_a_closed_form():
    """A share against a bar: E max(0, X - c) for X ~ Beta(3, 5), in six cells of two kinds."""
    worths = np.array([[0.0] * 6, [0.7, -0.3, 0.7, -0.3, -0.3, -0.3]])
    alpha = np.array([1.0, 2.0, 2.0, 1.0, 1.0, 1.0])
    law, more = stats.beta(3, 5), stats.beta(4, 5)
    found = linear_options(worths, alpha)
    gain = 3 / 8 * more.sf(0.3) - 0.3 * law.sf(0.3)
    assert found.perfect == pytest.approx(gain - (3 / 8 - 0.3), rel=1e-11)
    assert found.probabilities == pytest.approx((law.cdf(0.3), law.sf(0.3)), rel=1e-11)


def test_several_options_are_simulated_only_when_asked():
    worths, alpha = cells((1.0, 0.25), TABLES[0])
    with pytest.raises(UnsupportedError, match="pass rng to simulate"):
        linear_options(worths, alpha)
    found, exact = linear_options(worths, alpha, rng=3), three_options(np.array(TABLES[0]), 1, 0.25)
    assert abs(found.perfect - exact.perfect) < 4 * found.perfect_error
    assert_allclose(found.probabilities, exact.probabilities, atol=0.005)


def test_what_is_simulated_has_the_error_of_a_mean_of_as_many_draws():
    worths, alpha = cells((1.0, 0.25), TABLES[0])
    found = linear_options(worths, alpha, rng=3, n_draws=10_000)
    drawn = np.random.default_rng(8).dirichlet(alpha, 40_000) @ worths.T
    gain = drawn.max(axis=1) - drawn[:, (worths @ alpha).argmax()]
    assert found.perfect_error == pytest.approx(gain.std() / 100, rel=0.3)  # gains are rare


def test_at_a_stated_base_rate_draws_agree():
    rng = np.random.default_rng(6)
    (tp, fp), (fn, tn) = TABLES[0]
    for pi, t in ((0.1, 0.05), (0.1, 0.25), (0.3, 0.6)):
        recall, alarms = rng.beta(tp, fn, 400_000), rng.beta(fp, tn, 400_000)
        model = pi * recall - (1 - pi) * t * alarms
        bar = max(0.0, pi - (1 - pi) * t)
        gain = np.maximum(model, bar) - (model if model.mean() > bar else bar)
        found = prospects_at(np.array(TABLES[0]), 1.0, t, pi)
        assert abs(found.perfect - gain.mean()) < 4 * gain.std() / np.sqrt(len(gain))
        assert found.probabilities[1] == pytest.approx((model > bar).mean(), abs=0.004)
        turned = prospects_at(np.array(TABLES[0])[:, ::-1], -t, -1.0, 1 - pi)
        assert turned.perfect == pytest.approx(found.perfect, rel=1e-9)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("n", [100_000, 1_000_000])
def test_many_cases_of_a_useless_classifier_have_an_answer_with_its_error(n):
    alpha = np.array([[0.15, 0.35], [0.15, 0.35]]) * n + np.array([[0.0, 90.0], [0.0, -90.0]])
    found = three_options(alpha, 0.7, 0.3)
    rng = np.random.default_rng(n)
    shares = rng.dirichlet(alpha.ravel(), 400_000)
    worths, _ = cells((0.7, 0.3), alpha)
    worth = shares @ worths.T
    won = np.bincount(worth.argmax(axis=1), minlength=3) / len(worth)
    error = np.sqrt(won * (1 - won) / len(worth))
    assert_allclose(found.probabilities, won, atol=5 * error.max() + 1e-3)
    gain = worth.max(axis=1) - worth[:, (alpha.ravel() @ worths.T).argmax()]
    assert_allclose(found.perfect, gain.mean(), atol=5 * gain.std() / len(gain) ** 0.5)
    assert found.perfect_error < 1e-7


def test_draws_that_are_all_worth_the_same_leave_no_error():
    found = _simulated(np.ones((2, 3)), np.ones(3), np.random.default_rng(0), 100)
    assert found.perfect == pytest.approx(1)
    assert found.perfect_error == pytest.approx(0, abs=1e-6)


def test_two_zeros_have_no_order():
    assert [_verdict(0.0, 0.0), _verdict(1.0, 0.0), _verdict(0.0, 1.0)] == [
        "undecided", "right", "wrong",
    ]  # fmt: skip

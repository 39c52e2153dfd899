"""What guessing scores when positives or the unit of utility are tiny."""

from fractions import Fraction

import numpy as np
import pytest

from baserate import ConfusionMatrix, metrics
from baserate.baselines import dutch_draw, random_guess, skill
from baserate.inference.sample_size import sample_size_separate
from quick import one_in

RARE = {"n_positive": 1, "n_negative": 10**15 - 1}


@pytest.mark.parametrize("name", ["precision", "base_rate", "npv", "jaccard", "f1"])
def test_one_positive_of_a_million_billion(name):
    """Precision and Jaccard of flagging everything are the base rate, F1 is 2/(10^15 + 1)."""
    exact = {
        "precision": Fraction(1, 10**15),
        "base_rate": Fraction(1, 10**15),
        "npv": 1 - Fraction(1, 10**15),
        "jaccard": Fraction(1, 10**15),
        "f1": Fraction(2, 10**15 + 1),
    }[name]
    found = dutch_draw(name, **RARE, goal="max")
    assert found.value == pytest.approx(float(exact), rel=1e-14, abs=0)


@pytest.mark.parametrize("strategy", ["uniform", 0.01])
def test_blind_guesses_are_as_precise_as_positives_are_frequent(strategy):
    assert random_guess("precision", **RARE, strategy=strategy).value == pytest.approx(
        1e-15, rel=1e-12, abs=0
    )


def test_skill_in_precision_starts_from_a_tiny_chance():
    table = ConfusionMatrix(tp=1, fn=0, fp=10**14, tn=9 * 10**14 - 1)
    value, chance = Fraction(1, 10**14 + 1), Fraction(1, 10**15)
    found = skill("precision", table)
    assert float(found) == pytest.approx(float((value - chance) / (1 - chance)), rel=1e-9, abs=0)


@pytest.mark.slow
@pytest.mark.parametrize("scale", one_in(3, [2.0**-47, 2.0**-300, 2.0**60]))
def test_no_baseline_depends_on_the_unit_of_utility(scale):
    plain = np.array([[15.0, -335.0], [-35.0, 165.0]])
    one, other = metrics.utility(plain), metrics.utility(plain * scale)
    sizes = {"n_positive": 7, "n_negative": 12}
    draws = [dutch_draw(u, **sizes) for u in (one, other)]
    assert draws[0].value * scale == draws[1].value
    assert draws[0].n_predicted == draws[1].n_predicted
    guesses = [random_guess(u, **sizes, strategy=0.3).value for u in (one, other)]
    assert guesses[0] * scale == guesses[1]
    restated = [u.at_base_rate(0.2) for u in (one, other)]
    assert [u.chance for u in restated] == [None, None]
    assert [u.chance_shape for u in restated] == ["affine", "affine"]
    a, b = ConfusionMatrix(tp=30, fn=10, fp=9, tn=51), ConfusionMatrix(tp=25, fn=15, fp=10, tn=50)
    needed = [sample_size_separate(a, b, u) for u in (plain, plain * scale)]
    assert needed[0] == needed[1]


def test_a_signed_sum_that_cancels_is_zero():
    """Nothing flagged of three positives and one negative: 3 * 0.1 - 0.3 is 4e-17 in floats."""
    own = metrics.utility([[1, -1], [0.1, -0.3]])
    assert own(ConfusionMatrix(tp=0, fn=3, fp=0, tn=1)) != 0
    assert dutch_draw(own, n_positive=3, n_negative=1, n_predicted=0).value == 0

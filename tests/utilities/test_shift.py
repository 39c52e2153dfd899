"""The prior shift of probabilities."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from baserate.errors import InvalidArgumentError
from baserate.utilities import shift_base_rate
from oracles import utility_twins as twin

SHARES = st.lists(st.integers(1, 40), min_size=3, max_size=3).map(
    lambda k: [Fraction(x, sum(k)) for x in k]
)


def floats(numbers):
    return [float(x) for x in numbers]


@given(SHARES, SHARES, SHARES)
def test_shift_equals_its_twin(p, source, target):
    found = shift_base_rate([floats(p)], source=floats(source), target=floats(target))
    assert_allclose(found[0], floats(twin.shift(p, source, target)), rtol=1e-13)


@given(st.floats(0, 1), st.floats(0.01, 0.99), st.floats(0, 1))
@example(1 - 1e-10, 0.5, 1e-10)
def test_a_vector_is_the_first_of_two_columns(p, source, target):
    vector = shift_base_rate([p], source=source, target=target)
    p, source, target = map(Fraction, (p, source, target))
    odds = p * target / source
    rest = (1 - p) * (1 - target) / (1 - source)
    exact = float(odds / (odds + rest)) if odds + rest else np.nan
    assert_allclose(vector, [exact], rtol=1e-14, atol=1e-300, equal_nan=True)


@pytest.mark.slow
@given(st.floats(1e-12, 0.999), st.floats(1e-6, 0.999), st.floats(1e-6, 0.999))
@example(0.75, 1e-5, 0.996)
def test_shift_there_and_back(p, source, target):
    there = shift_base_rate(p, source=source, target=target)
    # Rounding `there` by u moves the odds by u / (1 - there), and p by 1 - p of that.
    lost = (1 - p) / float(1 - Fraction(float(there)))
    back = shift_base_rate(there, source=target, target=source)
    assert back == pytest.approx(p, rel=1e-14 * (1 + lost))


def test_zero_and_one_stay_and_the_tiny_keep_their_digits():
    p = shift_base_rate([0.0, 1.0, 1e-300], source=0.5, target=0.75)
    assert p.tolist() == pytest.approx([0, 1, 3e-300], rel=1e-14)
    assert shift_base_rate(1e-300, source=0.75, target=0.5) == pytest.approx(1e-300 / 3, rel=1e-14)
    assert shift_base_rate([0.2, 0.9], source=0.3, target=0.0).tolist() == [0, 0]
    assert shift_base_rate([0.2, 0.9], source=0.3, target=1.0).tolist() == [1, 1]
    gone = shift_base_rate([[1, 0], [0.5, 0.5]], source=[0.5, 0.5], target=[0, 1])
    assert np.isnan(gone[0]).all()
    assert gone[1].tolist() == [0, 1]
    # A class that is nowhere needs no source share.
    assert shift_base_rate([[0.5, 0.5, 0]], source=[0.5, 0.5, 0], target=[0.25, 0.75, 0])[
        0
    ].tolist() == [0.25, 0.75, 0]


@pytest.mark.parametrize(
    ("p", "source", "target", "message"),
    [
        ([0.5], 0.0, 0.5, r"source must be positive for every class that occurs.*\[0.0, 1.0\]"),
        ([0.5], 1.0, 0.5, "collect cases of that class"),
        ([[0.5, 0.5]], 0.5, 0.5, "source must be one share per class"),
        ([0.5, 1.5], 0.5, 0.5, r"probabilities must lie in \[0, 1\], got 1.5"),
        ([0.5], 0.5, 2, r"target must lie in \[0, 1\], got 2"),
        ([[0.5, 0.5]], [0.5, 0.5], 0.5, "target must have as many shares as source"),
        ([[0.5, 0.5]], [0.5, 0.5], [0.2, 0.3, 0.5], "target must have as many shares"),
        ([[0.5, 0.5]], [0.5, 0.6], [0.2, 0.8], "source must sum to one, got 1.1"),
        ([[0.5, 0.6]], [0.5, 0.5], [0.2, 0.8], "probabilities must sum to one"),
        ([[0.5, 0.5]], [0.2, 0.3, 0.5], [0.2, 0.3, 0.5], "one column for each of 3 classes"),
    ],
)
def test_what_does_not_fit_is_refused(p, source, target, message):
    with pytest.raises(InvalidArgumentError, match=message):
        shift_base_rate(p, source=source, target=target)

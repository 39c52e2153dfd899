"""From labels to probabilities and decisions."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose

from baserate import ConfusionMatrix
from baserate.errors import (
    BaserateError,
    InvalidArgumentError,
    InvalidCountError,
    UnknownNameError,
)
from baserate.utilities import LabelTransducer, UtilityMatrix

B = ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)
U4 = UtilityMatrix([[15, -335], [-35, 165]])


def test_discriminative_is_the_posterior_mean():
    t = LabelTransducer(B)
    exact = [[Fraction(44, 63), Fraction(19, 63)], [Fraction(8, 41), Fraction(33, 41)]]
    assert_allclose(t.probabilities(), np.array(exact, float), rtol=1e-14)
    assert_allclose(
        LabelTransducer(B, prior=0.5).probabilities()[0], [43.5 / 62, 18.5 / 62], rtol=1e-14
    )


def test_a_prior_of_any_kind_of_number_is_a_float():
    assert type(LabelTransducer(B, prior=Fraction(1, 2)).prior) is float
    assert type(LabelTransducer(B, prior=np.int8(2)).prior) is float


def test_generative_shifts_the_base_rate():
    """p(z = 0 | c = 0) = 44/52, p(z = 0 | c = 1) = 19/52; shares 9 : 1."""
    t = LabelTransducer(B)
    exact = [Fraction(9 * 44, 9 * 44 + 19), Fraction(9 * 8, 9 * 8 + 33)]
    found = t.probabilities(target=[0.9, 0.1])
    assert_allclose(found[:, 0], np.array(exact, float), rtol=1e-14)
    assert_allclose(found.sum(axis=1), 1)
    # At its own shares the default is discriminative; here both agree, as both classes are alike.
    assert_allclose(t.probabilities(target=[0.5, 0.5]), t.probabilities())
    assert_allclose(t.probabilities(mode="generative"), t.probabilities())
    odd = LabelTransducer([[30, 1], [2, 4]])
    gap = odd.probabilities(mode="generative") - odd.probabilities()
    assert np.abs(gap).max() > 0.01


def test_decisions_in_the_story_are_the_constant_one():
    """Re-use of either output gives class 1 always, until class 0 is common enough."""
    assert LabelTransducer(B).decide(U4).tolist() == [1, 1]
    assert LabelTransducer(B).decide(U4, target=[0.9, 0.1]).tolist() == [0, 1]


def test_more_outputs_than_classes_and_three_classes():
    t = LabelTransducer([[9, 0, 1], [0, 9, 1], [1, 1, 8], [5, 5, 0]])
    p = t.probabilities(target=[0.2, 0.3, 0.5])
    assert p.shape == (4, 3)
    first = [
        Fraction(10, 19) * Fraction(2, 10),
        Fraction(1, 19) * Fraction(3, 10),
        Fraction(2, 14) * Fraction(5, 10),
    ]
    assert_allclose(p[0], [float(x / sum(first)) for x in first])


def test_label_transducer_refuses():
    with pytest.raises(InvalidCountError, match="counts must be one table"):
        LabelTransducer(np.ones((2, 2, 2)))
    with pytest.raises(InvalidArgumentError, match=r"prior must lie in \(0, inf\)"):
        LabelTransducer(B, prior=0)
    with pytest.raises(UnknownNameError, match=r"mode must be one of .*, got 'generativ'. Did you"):
        LabelTransducer(B).probabilities(mode="generativ")
    with pytest.raises(InvalidArgumentError, match="must be 'generative' where class shares chan"):
        LabelTransducer(B).probabilities(target=[0.9, 0.1], mode="discriminative")
    with pytest.raises(InvalidArgumentError, match="target must be stated if the counts are all 0"):
        LabelTransducer([[0, 0], [0, 0]]).probabilities(mode="generative")
    empty = LabelTransducer([[0, 0], [0, 0]])
    assert_allclose(empty.probabilities(target=[0.9, 0.1]), [[0.9, 0.1]] * 2)


@pytest.mark.parametrize("positive", [np.array([0, 1]), "a", 2, 0.5])
def test_a_positive_class_is_one_index_from_the_start(positive):
    with pytest.raises(BaserateError, match="positive must be"):
        LabelTransducer(B, positive=positive)


def test_each_cell_may_have_a_prior_of_its_own():
    prior = [[2.0, 0.5], [1.0, 4.0]]
    known = np.array([[43, 18], [7, 32]]) + prior
    found = LabelTransducer([[43, 18], [7, 32]], prior=prior)
    assert_allclose(found.probabilities(), known / known.sum(axis=1, keepdims=True))
    even = LabelTransducer(B, prior=np.ones((2, 2))).probabilities(target=[0.9, 0.1])
    assert_allclose(even, LabelTransducer(B).probabilities(target=[0.9, 0.1]))
    for wrong in ([1, 2], [[1, 2], [3, 0]], [[1, 2], [3, np.nan]]):
        with pytest.raises(
            InvalidArgumentError, match=r"prior must be positive, .* \(2, 2\) cells"
        ):
            LabelTransducer(B, prior=wrong)

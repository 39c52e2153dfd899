"""From labels and scores to probabilities and decisions."""

from fractions import Fraction

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from baserate import ConfusionMatrix
from baserate.errors import (
    BaserateError,
    InvalidArgumentError,
    InvalidCountError,
    LabelError,
    UnknownNameError,
)
from baserate.utilities import LabelTransducer, ScoreTransducer, UtilityMatrix, shift_base_rate
from baserate.utilities.calibrator import ScoresAsClassifier

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


def test_scores_are_a_classifier_to_scikit_learn():
    x, y = np.array([[0.5], [-0.25]]), [1, 0]
    two = ScoresAsClassifier([0, 1])
    assert two.fit(x, y) is two
    assert two.decision_function(x).tolist() == [0.5, -0.25]
    assert two.predict(x).tolist() == [1, 0]
    three = ScoresAsClassifier(["a", "b", "c"])
    assert three.predict(np.array([[0.1, 0.3, 0.2], [0.4, 0.3, 0.2]])).tolist() == ["b", "a"]


def test_priors_are_floats():
    assert type(LabelTransducer(B, prior=Fraction(1, 2)).prior) is float


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


RNG = np.random.default_rng(0)
Y = RNG.random(400) < 0.4
SCORE = RNG.normal(Y * 1.5 - 0.75, 1.0)
# scikit-learn scales by a temperature from 1.8 on.
NEWER = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 8)
METHODS = ["sigmoid", "isotonic", *["temperature"] * NEWER]


@pytest.mark.parametrize("method", METHODS)
def test_scores_are_calibrated_as_by_scikit_learn(method):
    """The peer calibrates a real classifier whose decision function is the score."""
    model = LogisticRegression(C=1e9).fit(SCORE[:, None], Y)
    raw = model.decision_function(SCORE[:, None])
    peer = CalibratedClassifierCV(FrozenEstimator(model), method=method).fit(SCORE[:, None], Y)
    new = np.linspace(-2, 2, 9)
    found = ScoreTransducer.fit(raw, Y, method=method)
    ours = found.probabilities(model.decision_function(new[:, None]))
    assert_allclose(ours, peer.predict_proba(new[:, None]), rtol=1e-9)
    assert found.class_shares == pytest.approx((1 - Y.mean(), Y.mean()))


def test_calibrated_probabilities_are_shifted_and_decide():
    t = ScoreTransducer.fit(SCORE, np.where(Y, "ill", "well"), pos_label="ill")
    assert t.classes == ("ill", "well")
    new = np.array([-2.0, 0.0, 2.0])
    p = t.probabilities(new)
    assert p[0, 0] < p[1, 0] < p[2, 0]
    # At even odds of the score, logistic scores have log-odds 1.5 x + logit(0.4).
    assert p[:, 0] == pytest.approx(1 / (1 + np.exp(-1.5 * new + np.log(0.6 / 0.4))), abs=0.06)
    moved = t.probabilities(new, target=[0.05, 0.95])
    assert_allclose(moved, shift_base_rate(p, source=t.class_shares, target=[0.05, 0.95]))
    u = UtilityMatrix([[0, 0], [-20, 1]], ["leave", "treat"], ["well", "ill"], positive=1)
    treat = t.probabilities(new)[:, 0] > u.threshold
    assert t.decide(u, new).tolist() == treat.astype(int).tolist()
    # Unnamed columns go by place: column 0 is "ill".
    plain = UtilityMatrix([[1, -20], [0, 0]], ["treat", "leave"])
    assert t.decide(plain, new).tolist() == (1 - treat).tolist()
    with pytest.raises(InvalidArgumentError, match=r"u must have the classes \['ill', 'well'\]"):
        t.decide(UtilityMatrix([[1, 0], [0, 1]], classes=["ill", "fit"]), new)


def test_larger_scores_speak_for_the_last_class_unless_told():
    up = ScoreTransducer.fit(SCORE, Y)
    down = ScoreTransducer.fit(-SCORE, Y, pos_label=False)
    assert_allclose(up.probabilities([1.0]), down.probabilities([-1.0]))
    assert up.classes == (False, True)


def test_a_calibrator_that_only_rises_needs_to_know_which_way():
    found = ScoreTransducer.fit(
        SCORE, np.where(Y, "ill", "well"), pos_label="ill", method="isotonic"
    )
    assert found.probabilities([-3.0, 3.0])[:, 0] == pytest.approx([0, 1], abs=0.1)


def test_three_classes():
    y = RNG.integers(0, 3, 300)
    scores = RNG.normal(2.0 * np.eye(3)[y], 1)
    t = ScoreTransducer.fit(scores, y)
    p = t.probabilities(scores)
    assert p.shape == (300, 3)
    assert_allclose(p.sum(axis=1), 1)
    assert (p.argmax(axis=1) == y).mean() > 0.7
    u = UtilityMatrix(np.eye(3))
    assert t.decide(u, scores[:5]).tolist() == p[:5].argmax(axis=1).tolist()


@pytest.mark.parametrize(
    ("scores", "labels", "options", "error", "message"),
    [
        ([1, 2, 3], [0, 0, 1, 1], {}, LabelError, r"as many cases as scores \(3\)"),
        ([1, 2, 3], [0, 0, 0], {}, LabelError, "two classes or more, each at least twice"),
        ([1, 2, 3], [0, 1, 1], {}, LabelError, "each at least twice"),
        (
            [1, 2, np.nan, 4],
            [0, 0, 1, 1],
            {},
            InvalidArgumentError,
            "scores must hold finite numbers",
        ),
        ([[1, 2]] * 4, [0, 0, 1, 1], {}, InvalidArgumentError, "one number per case for two"),
        ([1, 2, 3, 4], [0, 0, 1, None], {}, LabelError, "labels must not be missing"),
        ([1, 2, 3, 4], [0, 0, 1, 1], {"pos_label": 2}, LabelError, "one of the two labels"),
        ([1, 2, 3, 4], [0, 0, 1, 1], {"method": "beta"}, UnknownNameError, "method must be one of"),
    ],
)
def test_score_transducer_refuses(scores, labels, options, error, message):
    with pytest.raises(error, match=message):
        ScoreTransducer.fit(scores, labels, **options)


@pytest.mark.parametrize("positive", [np.array([0, 1]), "a", 2, 0.5])
def test_a_positive_class_is_one_index_from_the_start(positive):
    with pytest.raises(BaserateError, match="positive must be"):
        LabelTransducer(B, positive=positive)

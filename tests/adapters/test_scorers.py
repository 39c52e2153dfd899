"""Metrics as scikit-learn functions and scorers."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.metrics import make_scorer, matthews_corrcoef

from baserate.adapters.scorers import metric_function
from baserate.metrics import define

Y = ["b", "a", "a", "b", "a", "a"]
P = ["b", "a", "b", "a", "a", "a"]


def test_equals_scikit_learn_with_weights_and_labels():
    weight = [1, 2, 3, 4, 5, 6]
    ours = metric_function("mcc")(Y, P, pos_label="b", sample_weight=weight)
    assert ours == pytest.approx(matthews_corrcoef(Y, P, sample_weight=weight), rel=1e-12)


def test_is_a_scorer_and_takes_a_users_metric():
    mine = define("half_recall", lambda tp, fn, fp, tn: tp / (tp + fn) / 2)
    scorer = make_scorer(metric_function(mine))
    x = np.zeros((4, 1))
    y = np.array([1, 1, 1, 0])
    assert scorer(DummyClassifier().fit(x, y), x, y) == 0.5
    assert metric_function(mine).__name__ == "half_recall"


def test_undefined_is_nan():
    assert np.isnan(metric_function("precision")([1, 0], [0, 0]))

"""Probabilities of several classes: the inputs of scikit-learn's own tests, and their values."""

import numpy as np
import pytest
from sklearn import metrics as sk

import baserate as br
from baserate.curves import top_k_accuracy

RANKED = np.array(
    [[0.4, 0.3, 0.2, 0.1], [0.1, 0.3, 0.4, 0.2], [0.4, 0.1, 0.2, 0.3], [0.3, 0.2, 0.4, 0.1]]
)


@pytest.mark.parametrize(
    ("y", "wanted", "labels"),
    [
        ([0, 1, 1, 2], 0.75, [0, 1, 2, 3]),
        ([0, 1, 1, 1], 0.5, [0, 1, 2, 3]),
        ([1, 1, 1, 1], 0.5, [0, 1, 2, 3]),
        (["a", "e", "e", "a"], 0.75, ["a", "b", "d", "e"]),
    ],
)
def test_the_two_most_probable_of_named_columns(y, wanted, labels):
    assert top_k_accuracy(y, RANKED, k=2, labels=labels).value == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("y", "p", "labels", "wanted"),
    [
        (["eggs", "spam", "ham"], np.eye(4)[[0, 1, 1]], ["eggs", "ham", "spam", "yams"], 2 / 3),
        ([1, 0, 2], [[0.2, 0.7, 0.1], [0.6, 0.2, 0.2], [0.6, 0.1, 0.3]], [0, 1, 2], 1.24 / 3),
        ([0, 1, 2], np.eye(3), [0, 1, 2], 0),
        ([0, 1, 2], np.eye(3)[[1, 0, 0]], [0, 1, 2], 2),
    ],
)
def test_brier_scores(y, p, labels, wanted):
    assert br.brier_score(y, p, labels=labels).value == pytest.approx(wanted, abs=1e-14)
    if wanted == 1.24 / 3:
        found = br.log_loss(y, p, labels=labels).value
        assert found == pytest.approx(sk.log_loss(y, p, labels=labels), rel=1e-13)

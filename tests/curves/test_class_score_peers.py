"""Probabilities of several classes: the inputs of scikit-learn's own tests, and their values."""

import numpy as np
import pytest
from sklearn import metrics as sk

import baserate as br
from baserate.curves import top_k_accuracy

RANKED = np.array(
    [[0.4, 0.3, 0.2, 0.1], [0.1, 0.3, 0.4, 0.2], [0.4, 0.1, 0.2, 0.3], [0.3, 0.2, 0.4, 0.1]]
)
ONE_TO_ONE = np.array([[0.1, 0.8, 0.1], [0.3, 0.4, 0.3], [0.35, 0.5, 0.15], [0, 0.2, 0.8]])
ONE_TO_REST = np.array([[1.0, 0.0, 0.0], [0.1, 0.5, 0.4], [0.1, 0.1, 0.8], [0.3, 0.3, 0.4]])
RANKS = np.array([[0, 0, 0, 1.0], [0, 1.0, 0, 0], [0, 0, 1.0, 0], [0.75, 0.05, 0.05, 0.15]])
PLACES = [3, 1, 2, 0]


@pytest.mark.parametrize("labels", [(0, 1, 2), ("a", "b", "c")])
def test_areas(labels):
    a, b, c = labels
    for average in ("macro", "weighted"):
        for y, p, how in (([a, b, a, c], ONE_TO_ONE, "ovo"), ([a, b, c, c], ONE_TO_REST, "ovr")):
            named = {"multi_class": how, "average": average}
            found = br.roc_auc(y, p, **named).value
            assert found == pytest.approx(sk.roc_auc_score(y, p, **named), rel=1e-13)


@pytest.mark.parametrize("how", ["ovr", "ovo"])
def test_perfect_imperfect_and_blind(how):
    blind = np.full((4, 4), 0.25)
    wrong = np.vstack([RANKS[:3], RANKS[:1]])
    assert br.roc_auc(PLACES, RANKS, multi_class=how).value == 1.0
    assert br.roc_auc(PLACES, blind, multi_class=how).value == 0.5
    assert br.roc_auc(PLACES, wrong, multi_class=how).value == pytest.approx(
        sk.roc_auc_score(PLACES, wrong, multi_class=how), rel=1e-13
    )


@pytest.mark.parametrize(("k", "wanted"), [(1, 0.25), (2, 0.5), (3, 0.75)])
def test_the_k_most_probable(k, wanted):
    assert top_k_accuracy([0, 1, 2, 3], RANKED, k=k).value == pytest.approx(wanted)


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

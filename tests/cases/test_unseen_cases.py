"""The held-out cases of a cross-validation, through the front doors."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_validate
from sklearn.svm import LinearSVC

import baserate as br
from baserate.cases import held_out
from baserate.cases.unseen_cases import positive_of, scores_of, scores_of_all
from baserate.errors import InvalidArgumentError, LabelError, UnsupportedError

X, Y = load_breast_cancer(return_X_y=True)
X = (X[:, :4] - X[:, :4].mean(axis=0)) / X[:, :4].std(axis=0)
CV = StratifiedKFold(4)
KEPT = {"cv": CV, "return_estimator": True, "return_indices": True}


@pytest.mark.sweep(2)
@pytest.mark.parametrize("data", [X, pd.DataFrame(X)], ids=["array", "frame"])
def test_equal_cross_val_predict(data):
    model = LogisticRegression()
    found = held_out(cross_validate(model, data, Y, **KEPT), data, Y)
    known = cross_val_predict(model, data, Y, cv=CV, method="predict_proba")[:, 1]
    assert np.array_equal(found.score, known[found.rows])
    assert np.array_equal(found.y_true, Y[found.rows])
    assert np.array_equal(found.y_pred, (found.score >= 0.5).astype(int))
    assert sorted(found.rows) == list(range(len(Y)))
    facts = br.evaluate(found.y_true, score=found.score)
    assert facts.table == br.confusion_matrix(found.y_true, found.y_pred)
    cut = br.thresholds(found.y_true, score=found.score, fold=found.fold, metrics=["f1"])
    assert cut.to_dict()["folds"] == 4


def test_masks_and_a_column_of_labels_say_the_same():
    parts = [(kept, left) for kept, left in CV.split(X, Y)]
    masks = [tuple(np.isin(np.arange(len(Y)), side) for side in part) for part in parts]
    known = held_out(cross_validate(LogisticRegression(), X, Y, **KEPT), X, Y)
    found = held_out(
        cross_validate(LogisticRegression(), X, Y, **(KEPT | {"cv": masks})), X, Y[:, None]
    )
    assert np.array_equal(found.rows, known.rows)
    assert np.array_equal(found.y_true, known.y_true)
    assert np.array_equal(found.score, known.score)


def test_the_other_label_and_scores_of_a_decision_function():
    words = np.where(Y == 1, "well", "ill")
    found = held_out(cross_validate(LinearSVC(), X, words, **KEPT), X, words, pos_label="ill")
    assert br.roc_auc(found.y_true, found.score, pos_label="ill").value > 0.9
    with pytest.raises(InvalidArgumentError, match="return_indices=True"):
        held_out(cross_validate(LinearSVC(), X, Y, return_estimator=True), X, Y)


class Decides:
    """A fitted classifier with a decision function."""

    def __init__(self, classes, scores):
        self.classes_, self.scores = np.array([*classes]), np.array(scores)

    def decision_function(self, rows):
        return self.scores[: len(rows)]


class Gives(Decides):
    """One with probabilities."""

    def predict_proba(self, rows):
        return self.scores[: len(rows)]


def test_scores_of_one_class_of_several_are_its_column():
    three = Decides("abc", [[1, 2, 3], [4, 5, 6]])
    assert scores_of(three, X[:2], "b").tolist() == [2, 5]
    two = Decides("ab", [0.5, -1])
    assert (scores_of(two, X[:2], "b").tolist(), scores_of(two, X[:2], "a").tolist()) == (
        [0.5, -1],
        [-0.5, 1],
    )
    pairs = Decides("abcd", [[0] * 6] * 2)
    with pytest.raises(UnsupportedError, match="Decides compares pairs of classes"):
        scores_of(pairs, X[:2], "b")


def test_scores_of_all_classes_where_there_are_some():
    known = Gives("ac", [[0.25, 0.75], [1, 0]])
    assert scores_of_all(known, X[:2], ["a", "b", "c"]).tolist() == [[0.25, 0, 0.75], [1, 0, 0]]
    three = Decides("abc", [[1, 2, 3], [4, 5, 6]])
    assert scores_of_all(three, X[:2], ["c", "b", "a"]).tolist() == [[3, 2, 1], [6, 5, 4]]
    for nothing in (
        Decides("ab", [[1, 2]]),  # decisions say nothing of a class that a fold never saw
        Decides("abc", [0.5, 1]),
        Decides("abc", [[1, 2]]),
        object.__new__(type("Silent", (), {"classes_": np.array(["a", "b", "c"])})),
    ):
        assert scores_of_all(nothing, X[:2], ["a", "b", "c"]) is None


def test_the_positive_label_is_the_last_class_or_one_of_them():
    classes = np.array(["ill", "well"])
    assert (positive_of(classes, None), positive_of(classes, "ill")) == ("well", "ill")
    with pytest.raises(LabelError, match=r"must be one of \['ill', 'well'\], got 'sick'"):
        positive_of(classes, "sick")

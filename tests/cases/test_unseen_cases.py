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
from baserate.errors import InvalidArgumentError

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


def test_the_other_label_and_scores_of_a_decision_function():
    words = np.where(Y == 1, "well", "ill")
    found = held_out(cross_validate(LinearSVC(), X, words, **KEPT), X, words, pos_label="ill")
    assert br.roc_auc(found.y_true, found.score, pos_label="ill").value > 0.9
    with pytest.raises(InvalidArgumentError, match="return_indices=True"):
        held_out(cross_validate(LinearSVC(), X, Y, return_estimator=True), X, Y)

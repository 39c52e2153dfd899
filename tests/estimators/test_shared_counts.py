"""Scorers of one prediction count its labels once."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics import check_scoring
from sklearn.tree import DecisionTreeClassifier

import baserate as br
from baserate.estimators import metric_functions

X, Y = make_classification(200, random_state=0)
MODEL = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, Y)
NAMES = ("f1", "recall", "precision", "mcc")


@pytest.fixture
def counting(monkeypatch):
    """Note every count of labels."""
    seen = []
    read = metric_functions.MetricFunction._read

    def noted(self, *labels):
        seen.append(labels)
        return read(self, *labels)

    monkeypatch.setattr(metric_functions.MetricFunction, "_read", noted)
    return seen


@pytest.mark.parametrize(
    "how", [{}, {"guess": "same_alarms"}, {"pos_label": 0}, {"threshold": 0.3}]
)
def test_once_for_all_and_the_same_as_one_by_one(how, counting):
    scorers = {name: br.scorer(name, **how) for name in NAMES}
    together = check_scoring(MODEL, scoring=scorers)(MODEL, X, Y)
    assert len(counting) == 1
    assert together == {name: scorer(MODEL, X, Y) for name, scorer in scorers.items()}


def test_what_is_counted_otherwise_is_not_shared(counting):
    scorers = {
        "one": br.scorer("recall"),
        "other": br.scorer("recall", pos_label=0),
        "cut": br.scorer("recall", threshold=0.2),
        "cut higher": br.scorer("recall", threshold=0.9),
    }
    found = check_scoring(MODEL, scoring=scorers)(MODEL, X, Y)
    predicted, risk = MODEL.predict(X), MODEL.predict_proba(X)[:, 1]
    cuts = (
        predicted[Y == 1] == 1,
        predicted[Y == 0] == 0,
        risk[Y == 1] >= 0.2,
        risk[Y == 1] >= 0.9,
    )
    assert found == pytest.approx(dict(zip(scorers, map(np.mean, cuts), strict=True)))
    assert len(counting) == 4


def test_weights_are_counted_apart(counting):
    scorer = br.scorer("recall").set_score_request
    assert callable(scorer)
    function, memory = br.metric_function("recall"), {}
    weight = np.where(MODEL.predict(X) == 1, 3.0, 1.0)
    plain = function(Y, MODEL.predict(X), memory=memory)
    heavier = function(Y, MODEL.predict(X), sample_weight=weight, memory=memory)
    assert heavier > plain
    assert len(counting) == 2

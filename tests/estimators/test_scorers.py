"""Scorers in scikit-learn's searches, beside scikit-learn's own and loops written by hand."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, get_scorer, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import baserate as br
from baserate.errors import InvalidArgumentError, LabelError

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :4]
MODEL = make_pipeline(StandardScaler(), LogisticRegression())
FOLDS = StratifiedKFold(4)
PAIRS = {
    "f1": "f1",
    "precision": "precision",
    "recall": "recall",
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced_accuracy",
    "mcc": "matthews_corrcoef",
    "jaccard": "jaccard",
}


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize(("ours", "theirs"), PAIRS.items())
def test_scores_equal_those_of_scikit_learn(ours, theirs):
    mine = cross_val_score(MODEL, X, Y, cv=FOLDS, scoring=br.scorer(ours))
    assert mine == pytest.approx(cross_val_score(MODEL, X, Y, cv=FOLDS, scoring=theirs), rel=1e-13)


def containers():
    """Yield the same cases as other libraries hold them."""
    names = [f"x{i}" for i in range(X.shape[1])]
    words = np.where(Y == 1, "yes", "no")
    yield "pandas", pd.DataFrame(X, columns=names), pd.Series(words)
    yield "polars", pl.DataFrame(X, schema=names), pl.Series(words)
    yield "sparse", scipy.sparse.csr_matrix(X), words


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("x", "y"), [p[1:] for p in containers()], ids=[p[0] for p in containers()]
)
def test_frames_sparse_input_and_words_score_as_arrays(x, y):
    model = LogisticRegression(max_iter=5000)
    mine = cross_val_score(model, x, y, cv=FOLDS, scoring=br.scorer("f1", pos_label="yes"))
    plain = cross_val_score(model, X, Y, cv=FOLDS, scoring="f1")
    assert mine == pytest.approx(plain, rel=1e-13)


def test_words_without_a_positive_label_are_refused():
    fitted = clone(MODEL).fit(X, np.where(Y == 1, "yes", "no"))
    with pytest.raises(LabelError, match="pos_label"):
        br.scorer("f1")(fitted, X, np.where(Y == 1, "yes", "no"))


def test_weights_arrive_by_routing():
    weight = np.random.default_rng(1).integers(1, 5, len(Y))
    with sklearn.config_context(enable_metadata_routing=True):
        model = LogisticRegression(max_iter=5000).set_fit_request(sample_weight=False)
        mine = br.scorer("f1").set_score_request(sample_weight=True)
        theirs = make_scorer(f1_score).set_score_request(sample_weight=True)
        found = [
            cross_validate(model, X, Y, cv=FOLDS, scoring=s, params={"sample_weight": weight})
            for s in (mine, theirs)
        ]
    assert found[0]["test_score"] == pytest.approx(found[1]["test_score"], rel=1e-13)


class Counting(ClassifierMixin, BaseEstimator):
    """A classifier that counts how often it is asked."""

    asked = 0

    def fit(self, x, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, x):
        Counting.asked += 1
        return (x[:, 0] < 14).astype(int)


def test_several_scorers_share_one_prediction():
    scorers = {name: br.scorer(name) for name in PAIRS} | {"skill": br.scorer("f1", guess="mode")}
    Counting.asked = 0
    cross_validate(Counting(), X, Y, cv=FOLDS, scoring=scorers)
    assert Counting.asked == FOLDS.n_splits


@pytest.mark.sweep(3)
@pytest.mark.parametrize("guess", ["dutch_draw", "same_alarms", "proportional", 0.3])
@pytest.mark.parametrize("metric", ["f1", "jaccard", "error_rate"])
def test_skill_equals_a_loop(metric, guess):
    loop = []
    for train, test in FOLDS.split(X, Y):
        predicted = clone(MODEL).fit(X[train], Y[train]).predict(X[test])
        loop.append(float(br.skill(metric, br.confusion_matrix(Y[test], predicted), guess=guess)))
    mine = cross_val_score(MODEL, X, Y, cv=FOLDS, scoring=br.scorer(metric, guess=guess))
    assert mine == pytest.approx(loop, rel=1e-13, nan_ok=True)


def test_less_is_better_is_negated():
    mine = cross_val_score(MODEL, X, Y, cv=FOLDS, scoring=br.scorer("error_rate"))
    accuracy = cross_val_score(MODEL, X, Y, cv=FOLDS, scoring="accuracy")
    assert mine == pytest.approx(accuracy - 1, abs=1e-13)


def test_a_threshold_cuts_probabilities_and_net_benefit_is_that_of_its_threshold():
    fitted = clone(MODEL).fit(X, Y)
    metric = br.metrics.net_benefit(threshold=0.2)
    probability = fitted.predict_proba(X)[:, 1]
    tp = np.sum((probability >= 0.2) & (Y == 1))
    fp = np.sum((probability >= 0.2) & (Y == 0))
    expected = tp / len(Y) - fp / len(Y) * 0.2 / 0.8
    assert br.scorer(metric, threshold=0.2)(fitted, X, Y) == pytest.approx(expected, rel=1e-13)


def test_a_base_rate_restates_the_metric():
    fitted = clone(MODEL).fit(X, Y)
    table = br.confusion_matrix(Y, fitted.predict(X))
    expected = br.metrics.get("precision").at_base_rate(0.01)(table)
    assert br.scorer("precision", base_rate=0.01)(fitted, X, Y) == pytest.approx(expected)


def test_worst_group_and_gap_by_routing():
    group = np.where(X[:, 1] > 19, "coarse", "fine")
    fitted = clone(MODEL).fit(X, Y)
    predicted = fitted.predict(X)
    recalls = [
        br.metrics.recall(br.confusion_matrix(Y[group == g], predicted[group == g]))
        for g in ("coarse", "fine")
    ]
    with sklearn.config_context(enable_metadata_routing=True):
        worst, gap = (br.scorer("recall", groups=how) for how in ("worst", "gap"))
        assert worst(fitted, X, Y, groups=group) == pytest.approx(min(recalls))
        assert gap(fitted, X, Y, groups=group) == pytest.approx(-abs(recalls[0] - recalls[1]))
        found = cross_validate(
            MODEL, X, Y, cv=FOLDS, scoring={"w": worst, "g": gap}, params={"groups": group}
        )
    assert np.isfinite(found["test_w"]).all()
    assert (found["test_g"] <= 0).all()


def test_groups_without_a_value_are_named():
    function = br.metric_function("recall", groups="worst")
    with pytest.warns(UndefinedMetricWarning, match="leaves out groups .*'b'"):
        assert function([1, 1, 0], [1, 0, 0], groups=["a", "a", "b"]) == 0.5
    gap = br.metric_function("recall", groups="gap", undefined="worst")
    with pytest.warns(UndefinedMetricWarning, match="too few groups have a value"):
        assert gap([1, 1, 0], [1, 0, 0], groups=["a", "a", "b"]) == 1  # as from 0 to 1
    with pytest.raises(InvalidArgumentError, match="groups must hold one label per case"):
        function([1, 1, 0], [1, 0, 0])
    with pytest.raises(InvalidArgumentError, match="make it with groups="):
        br.metric_function("recall")([1, 0], [1, 0], groups=[1, 2])


def test_an_undefined_fold_is_nan_with_its_reason():
    y = np.zeros(30, dtype=int)
    y[:4] = 1
    scores = br.scorer("recall")
    fitted = LogisticRegression().fit(np.arange(30)[:, None], y)
    with pytest.warns(UndefinedMetricWarning, match="recall is undefined .*counts as nan"):
        assert np.isnan(scores(fitted, np.arange(5)[:, None] + 20, np.zeros(5, dtype=int)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quiet = br.scorer("recall", undefined="nan")
        assert np.isnan(quiet(fitted, np.arange(5)[:, None] + 20, np.zeros(5, dtype=int)))


def test_mean_utility_and_amounts():
    u = br.UtilityMatrix([[15, -335], [-35, 165]], decisions=[1, 0], classes=[1, 0])
    fitted = clone(MODEL).fit(X, Y)
    predicted = fitted.predict(X)
    table = br.confusion_matrix(Y, predicted)
    assert br.scorer(utility=u)(fitted, X, Y) == pytest.approx(u.utility_yield(table), rel=1e-12)
    assert br.scorer(utility=u, guess="mode")(fitted, X, Y) == pytest.approx(u.skill(table))
    amount = np.linspace(1, 3, len(Y))
    each = np.array([u.matrix[1 - p, 1 - t] for p, t in zip(predicted, Y, strict=True)])
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = br.scorer(utility=u).set_score_request(amounts=True)
        assert scorer(fitted, X, Y, amounts=amount) == pytest.approx(np.mean(each * amount))
        own = np.broadcast_to(u.matrix, (len(Y), 2, 2)) * 2
        scorer = br.scorer(utility=u).set_score_request(utilities=True)
        assert scorer(fitted, X, Y, utilities=own) == pytest.approx(2 * np.mean(each))


def test_a_matrix_without_names_takes_the_classes_in_their_order():
    fitted = clone(MODEL).fit(X, Y)
    accuracy = get_scorer("accuracy")(fitted, X, Y)
    assert br.scorer(utility=np.eye(2))(fitted, X, Y) == pytest.approx(accuracy)
    with pytest.raises(InvalidArgumentError, match="one column per class"):
        br.scorer(utility=np.eye(3))(fitted, X, Y)


@pytest.mark.slow
def test_every_search_takes_them():
    scorer, grid = br.scorer("f1", guess="dutch_draw"), {"logisticregression__C": [0.01, 1.0]}
    halving = HalvingGridSearchCV(MODEL, grid, scoring=scorer, cv=3, min_resources=200)
    for search in (GridSearchCV(MODEL, grid, scoring=scorer, cv=3), halving):
        assert 0 < search.fit(X, Y).best_score_ < 1
    with pytest.warns(UndefinedMetricWarning, match="counts as 0"):
        tuned = TunedThresholdClassifierCV(MODEL, scoring=br.scorer("mcc"), cv=3).fit(X, Y)
    assert 0.05 < tuned.best_threshold_ < 0.95
    assert permutation_test_score(MODEL, X, Y, scoring=scorer, n_permutations=4, cv=3)[0] > 0.5
    curve = learning_curve(MODEL, X, Y, scoring=scorer, cv=3, shuffle=True, random_state=0)
    assert np.isfinite(curve[2]).all()
    fitted = clone(MODEL).fit(X, Y)
    importance = permutation_importance(fitted, X, Y, scoring=scorer, n_repeats=2, random_state=0)
    assert importance.importances_mean.max() > 0.01


def test_they_pickle_and_clone():
    scorer = br.scorer("f1", guess="dutch_draw", pos_label=1)
    fitted = clone(MODEL).fit(X, Y)
    for twin in (pickle.loads(pickle.dumps(scorer)), clone(scorer, safe=False)):  # noqa: S301
        assert twin(fitted, X, Y) == scorer(fitted, X, Y)
    assert "scorer(metric_function('f1', guess='dutch_draw'" in repr(scorer)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "metric must be given, or a utility"),
        ({"metric": "f1", "utility": np.eye(2)}, "pass one of metric and utility"),
        ({"utility": np.eye(2), "threshold": 0.5}, "threshold has no meaning beside a utility"),
        ({"metric": "f1", "groups": "best"}, "worst, gap"),
        ({"metric": "f1", "guess": "lucky"}, "guess must be"),
        ({"metric": "f1", "undefined": "zero"}, "undefined must be"),
    ],
)
def test_errors_finish_the_sentence(arguments, message):
    with pytest.raises((InvalidArgumentError, br.errors.UnknownNameError), match=message):
        br.scorer(**arguments)

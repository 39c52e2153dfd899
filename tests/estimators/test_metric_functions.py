"""Metrics as scikit-learn functions and scorers."""

import copy
import re
import warnings
from inspect import signature

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.metrics import make_scorer, matthews_corrcoef
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV, cross_val_score

from baserate.errors import InvalidArgumentError
from baserate.estimators.metric_functions import metric_function, worst
from baserate.metrics import CATALOGUE, define, get

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
    assert "half_recall" in repr(scorer)
    for twin in (clone(scorer, safe=False), copy.deepcopy(scorer)):
        assert twin._score_func == metric_function(mine)


NOTHING_FLAGGED, NO_ERROR, ALL_FLAGGED = ([1, 0], [0, 0]), ([1, 1], [1, 1]), ([1, 0], [1, 1])


@pytest.mark.parametrize(
    ("metric", "labels", "value"),
    [
        ("mcc", NOTHING_FLAGGED, 0),
        ("kappa", NO_ERROR, 0),
        ("informedness", NO_ERROR, 0),
        ("balanced_accuracy", NO_ERROR, 0.5),
        ("lift", NOTHING_FLAGGED, 1),
        ("precision", NOTHING_FLAGGED, 0),
        ("false_discovery_rate", NOTHING_FLAGGED, 1),
        ("negative_likelihood_ratio", ALL_FLAGGED, 1e100),
        ("error_ratio", NO_ERROR, 0),
        (define("gain", lambda tp, fn, fp, tn: tp / (tp + fp) - fp), NOTHING_FLAGGED, -1e100),
        (
            define("loss", lambda tp, fn, fp, tn: fp / (tp + fp), direction="lower"),
            NOTHING_FLAGGED,
            1e100,
        ),
    ],
    ids=lambda v: getattr(v, "name", None),
)
def test_an_undefined_score_becomes_one_that_no_search_prefers(metric, labels, value):
    function = metric_function(metric, undefined="worst")
    message = re.escape(f" and counts as {value:g}: ")
    with pytest.warns(UndefinedMetricWarning, match=message) as caught:
        assert function(*labels) == value == worst(function.metric)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("metric", CATALOGUE, ids=lambda m: m.name)
def test_nothing_is_worse_than_the_stand_in_but_by_chance(metric):
    low, high = metric.bounds
    stand_in = worst(metric)
    assert low <= stand_in <= high
    if metric.chance is None and metric.direction == "higher":
        assert stand_in == low
    if metric.chance is None and metric.direction == "lower":
        assert stand_in == min(high, 1e100)


def test_what_undefined_scores_become_can_be_chosen():
    y, p = [1, 0], [0, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(metric_function("precision", undefined="nan")(y, p))
        assert metric_function("precision", undefined=0.25)(y, p) == 0.25
        assert metric_function("precision")([1, 0], [1, 0]) == 1
        with pytest.raises(InvalidArgumentError, match="precision must be defined, got nothing pr"):
            metric_function("precision", undefined="raise")(y, p)
    for wrong in ("zero", None, np.nan, np.inf):
        with pytest.raises(
            InvalidArgumentError, match="undefined must be one of 'worst', 'nan', 'warn', 'raise'"
        ):
            metric_function("precision", undefined=wrong)


@pytest.fixture(scope="module")
def rare():
    return make_classification(
        600, 5, n_informative=2, weights=[0.97], flip_y=0.02, class_sep=0.5, random_state=1
    )


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("name", ["mcc", "precision", "npv"])
def test_a_tuned_threshold_is_one_where_the_metric_is_defined(rare, name):
    x, y = rare
    scorer = make_scorer(metric_function(name, undefined="worst"))
    tuned = TunedThresholdClassifierCV(
        LogisticRegression(), scoring=scorer, cv=3, store_cv_results=True
    ).fit(x, y)
    scores = np.asarray(tuned.cv_results_["scores"])
    assert np.isfinite(scores).all()
    assert tuned.best_score_ == scores.max()
    assert 0 < tuned.predict(x).sum() < len(y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_searches_do_not_choose_what_is_undefined(rare):
    x, y = rare
    scorer = make_scorer(metric_function("mcc", undefined="worst"))
    grid = {"C": [1e-6, 1.0]}
    search = GridSearchCV(LogisticRegression(class_weight="balanced"), grid, scoring=scorer, cv=3)
    search.fit(x, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    plain = LogisticRegression(C=1e-6).fit(x, y)
    assert not plain.predict(x).any()  # undefined: nothing is called positive
    newest = {"l1_ratios": (0,), "use_legacy_attributes": False}
    known = signature(LogisticRegressionCV).parameters
    options = newest if "use_legacy_attributes" in known else {}
    path = LogisticRegressionCV(Cs=[1e-6, 100.0], cv=3, scoring=scorer, **options)
    path.fit(x, y)
    chosen = scorer(path, x, y)
    assert chosen >= scorer(LogisticRegression(C=100.0).fit(x, y), x, y) - 1e-9


def test_folds_without_positives_are_scored(rare):
    x, y = rare
    labels = np.where(np.arange(len(y)) < 5, "yes", "no")
    scorer = make_scorer(metric_function("recall", undefined="worst"), pos_label="yes")
    folds = [(np.arange(0, 300), np.arange(300, 600))]
    with pytest.warns(UndefinedMetricWarning, match="recall is undefined .no positives"):
        found = cross_val_score(LogisticRegression(), x, labels, scoring=scorer, cv=folds)
    assert found.tolist() == [0.0]


@pytest.mark.slow
def test_a_scorer_works_in_other_processes(rare):
    x, y = rare
    scorer = make_scorer(metric_function("f_beta(beta=3)"))
    model = LogisticRegression(class_weight="balanced")
    alone = cross_val_score(model, x, y, scoring=scorer, cv=3)
    assert cross_val_score(model, x, y, scoring=scorer, cv=3, n_jobs=2).tolist() == alone.tolist()
    assert get("f_beta(beta=3)") == get("f_beta(beta=3)") != get("f_beta(beta=2)")

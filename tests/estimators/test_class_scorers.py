"""Scorers and metric functions of several classes, beside scikit-learn's."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    check_scoring,
    cohen_kappa_score,
    f1_score,
    jaccard_score,
    make_scorer,
    matthews_corrcoef,
    precision_score,
    recall_score,
)
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.tree import DecisionTreeClassifier

import baserate as br
from baserate.errors import InvalidArgumentError, LabelError, UnknownNameError

X, Y = load_wine(return_X_y=True)
NAMES = np.array(["barolo", "grignolino", "barbera"])[Y]
MODEL = DecisionTreeClassifier(max_depth=2, random_state=0)
THEIRS = {
    "f1": f1_score, "precision": precision_score, "recall": recall_score, "jaccard": jaccard_score,
}  # fmt: skip
RNG = np.random.default_rng(20269)
TRUTH = RNG.integers(4, size=200)
CALLED = np.where(RNG.random(200) < 0.6, TRUTH, RNG.integers(4, size=200))


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("name", list(THEIRS))
def test_averages_are_those_of_scikit_learn(name, average):
    weight = RNG.random(200)
    for how in ({}, {"sample_weight": weight}):
        expected = THEIRS[name](TRUTH, CALLED, average=average, **how)
        by_average = br.metric_function(name, average=average)(TRUTH, CALLED, **how)
        by_name = br.metric_function(f"{average}_{name}")(TRUTH, CALLED, **how)
        assert by_average == by_name == pytest.approx(expected, rel=1e-12)


def test_metrics_with_a_form_for_several_classes_take_them_as_they_are():
    theirs = {
        "accuracy": accuracy_score,
        "mcc": matthews_corrcoef,
        "kappa": cohen_kappa_score,
        "balanced_accuracy": balanced_accuracy_score,
    }
    for name, function in theirs.items():
        assert br.metric_function(name)(TRUTH, CALLED) == pytest.approx(function(TRUTH, CALLED))
        two, called = TRUTH > 1, CALLED > 1
        assert br.metric_function(name)(two, called) == pytest.approx(function(two, called))
        # Of one label against the rest, if it is named.
        one = br.metric_function(name)(TRUTH, CALLED, pos_label=3)
        assert one == pytest.approx(function(TRUTH == 3, CALLED == 3))
    with pytest.raises(LabelError, match="4 labels were found where two were expected"):
        br.metric_function("f1")(TRUTH, CALLED)


def test_two_classes_give_the_binary_answer_to_the_last_digit():
    y, p = TRUTH > 1, CALLED > 1
    for name in ("recall", "precision", "f1"):
        parts = [br.metric_function(name)(y, p, pos_label=label) for label in (True, False)]
        assert br.metric_function(f"macro_{name}")(y, p) == np.mean(parts)
    assert br.metric_function("accuracy", average="micro")(y, p) == br.metric_function("accuracy")(
        y, p
    )


@pytest.mark.parametrize("labels", [Y, NAMES])
def test_scorers_work_in_cross_validation(labels):
    scoring = {
        "macro": br.scorer("macro_f1"),
        "average": br.scorer("f1", average="macro"),
        "mcc": br.scorer("mcc"),
        "error": br.scorer("error_rate"),
        "theirs": make_scorer(f1_score, average="macro"),
        "their mcc": make_scorer(matthews_corrcoef),
    }
    found = cross_validate(MODEL, X, labels, scoring=scoring, cv=4)
    np.testing.assert_allclose(found["test_macro"], found["test_theirs"], rtol=1e-12)
    np.testing.assert_array_equal(found["test_macro"], found["test_average"])
    np.testing.assert_allclose(found["test_mcc"], found["test_their mcc"], rtol=1e-12)
    assert (found["test_error"] < 0).all()  # less is better, so it is scored as its negative


def test_searches_take_them():
    grid = {"max_depth": [1, 2, 3]}
    ours = GridSearchCV(MODEL, grid, scoring=br.scorer("weighted_f1"), cv=3).fit(X, Y)
    theirs = GridSearchCV(MODEL, grid, scoring="f1_weighted", cv=3).fit(X, Y)
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_score_ == pytest.approx(theirs.best_score_)


def test_skill_is_the_score_beyond_the_guess():
    fitted = MODEL.fit(X, Y)
    table = br.class_table(Y, fitted.predict(X))
    for guess in ("same_alarms", "proportional"):
        expected = br.skill(br.metrics.class_metric("macro_f1"), table, guess=guess).value
        assert br.scorer("macro_f1", guess=guess)(fitted, X, Y) == expected
    found = cross_validate(MODEL, X, Y, scoring=br.scorer("mcc", guess="same_alarms"), cv=3)
    assert (found["test_score"] > 0).all()


def test_a_class_that_a_fold_lacks_is_undefined_and_said_so():
    function = br.metric_function("macro_jaccard")
    assert function([0, 1, 0, 1], [0, 1, 1, 1]) == jaccard_score(
        [0, 1, 0, 1], [0, 1, 1, 1], average="macro"
    )
    with pytest.warns(UndefinedMetricWarning, match="macro_recall|balanced_accuracy"):
        br.metric_function("recall", average="macro")([0, 1, 0, 1], [0, 1, 1, 2])
    with pytest.warns(UndefinedMetricWarning, match="macro_jaccard is undefined"):
        assert np.isnan(function([0, 1, 0, 1], [0, 1, 1, 1], labels=[0, 1, 2]))
    omitted = br.metric_function("macro_jaccard.defined")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = omitted([0, 1, 0, 1], [0, 1, 1, 1], labels=[0, 1, 2])
    assert found == pytest.approx((1 / 2 + 2 / 3) / 2)
    scorer = br.scorer("macro_jaccard", labels=[0, 1, 2, 3])
    fitted = MODEL.fit(X, Y)
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(scorer(fitted, X, Y))


def test_labels_count_as_classes_where_a_fold_has_two():
    y, p = [0, 1, 0, 1], [0, 1, 1, 2]
    assert br.metric_function("mcc")(y, p, labels=[0, 1, 2]) == pytest.approx(
        matthews_corrcoef(y, p)
    )
    with pytest.raises(InvalidArgumentError, match='average it: "macro_f1"'):
        br.metric_function("f1")(y, p, labels=[0, 1, 2])
    assert br.metric_function("f1").answers_for_several is False
    with pytest.raises(InvalidArgumentError, match="labels are for averages over classes"):
        br.metric_function("mcc", threshold=0.5)(y, [0.1, 0.9, 0.6, 0.7], labels=[0, 1])


def test_groups_have_averages_too():
    groups = np.arange(200) % 2
    values = [f1_score(TRUTH[k::2], CALLED[k::2], average="macro") for k in (0, 1)]
    worst = br.metric_function("macro_f1", groups="worst")(TRUTH, CALLED, groups=groups)
    gap = br.metric_function("macro_f1", groups="gap")(TRUTH, CALLED, groups=groups)
    assert (worst, gap) == pytest.approx((min(values), max(values) - min(values)))


def test_one_count_serves_all_metrics_and_they_are_pickled():
    fitted = MODEL.fit(X, Y)
    scorers = {name: br.scorer(name) for name in ("macro_f1", "mcc", "weighted_precision")}
    together = check_scoring(fitted, scoring=scorers)(fitted, X, Y)
    again = pickle.loads(pickle.dumps(scorers))  # noqa: S301 - our own
    assert together == {name: scorer(fitted, X, Y) for name, scorer in again.items()}


def test_metrics_of_ones_own_are_averaged():
    function = br.metric_function(OWN, average="weighted")
    assert function(TRUTH, CALLED) == pytest.approx(
        recall_score(TRUTH, CALLED, average="weighted") / 2
    )


def half_recall(tp, fn, fp, tn):
    return tp / (tp + fn) / 2 + 0 * (fp + tn)


OWN = br.metrics.define("half_recall", half_recall)


def test_what_speaks_of_two_classes_is_refused():
    with pytest.raises(InvalidArgumentError, match="base_rate speaks of one positive class"):
        br.scorer("macro_f1", base_rate=0.5)
    with pytest.raises(InvalidArgumentError, match="threshold speaks of one positive class"):
        br.metric_function("f1", average="macro", threshold=0.5)
    with pytest.raises(InvalidArgumentError, match="pos_label speaks of one positive class"):
        br.metric_function("macro_f1")(TRUTH, CALLED, pos_label=1)
    with pytest.raises(InvalidArgumentError, match="one value per class"):
        br.scorer("f1", average=None)
    with pytest.raises(UnknownNameError, match="must be one of binary, macro, micro, weighted"):
        br.scorer("f1", average="samples")
    with pytest.raises(UnknownNameError, match="macro_f1 is a metric of several classes"):
        br.scorer(br.metrics.average("f1"), average="macro")
    with pytest.raises(InvalidArgumentError, match="beside a utility"):
        br.scorer(utility=[[1, 0], [0, 1]], average="macro")
    with pytest.raises(UnknownNameError, match="No metric is called 'nonsense'"):
        br.metric_function("nonsense")


def test_iris_out_of_fold():
    data, labels = load_iris(return_X_y=True)
    found = cross_validate(MODEL, data, labels, scoring=br.scorer("kappa"), cv=5)["test_score"]
    theirs = cross_validate(MODEL, data, labels, scoring=make_scorer(cohen_kappa_score), cv=5)
    np.testing.assert_allclose(found, theirs["test_score"], rtol=1e-12)

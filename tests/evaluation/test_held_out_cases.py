"""The front doors read cross-validations: held-out cases, each counted once."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import (
    KFold,
    RepeatedStratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import baserate as br
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.facts.threshold import ThresholdFacts

X, Y = load_breast_cancer(return_X_y=True)
X = (X[:, :4] - X[:, :4].mean(axis=0)) / X[:, :4].std(axis=0)
WORDS = np.where(Y == 1, "benign", "malignant")
KEPT = {"return_estimator": True, "return_indices": True, "cv": 5}
G = {"site": ["a", "b", "b"] * 189 + ["a"] * 2}
TREE = DecisionTreeClassifier(max_depth=2, random_state=0)


def found(model, y=Y, pos_label=None, **how):
    return br.held_out(cross_validate(model, X, y, **(KEPT | how)), X, y, pos_label=pos_label)


def test_a_table_of_all_held_out_cases():
    model = LogisticRegression()
    evaluation = br.evaluate(found(model))
    [[tn, fp], [fn, tp]] = confusion_matrix(Y, cross_val_predict(model, X, Y, cv=5)).tolist()
    assert evaluation.table == br.ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("ask", [br.evaluate, br.thresholds, lambda x: br.thresholds(x, groups=G)])
def test_ranks_are_those_within_folds(ask):
    facts = ask(found(LogisticRegression())).facts
    facts = facts if isinstance(facts, ThresholdFacts) else facts.thresholds
    known = {one.name: one.value for one in facts.ranking}
    for name in ("roc_auc", "average_precision"):
        each = cross_val_score(LogisticRegression(), X, Y, cv=5, scoring=name)
        assert known[name] == pytest.approx(each.mean())
    assert facts.ranked_within == 5
    assert facts.absent["top"] == "scores_of_several_models"
    assert not facts.top


@pytest.mark.slow
def test_risks_of_labels_without_relation_are_not_called_the_wrong_way_round():
    """Pooled over folds the slope is below 0 beyond luck in 7 of 40 such data sets."""
    rng = np.random.default_rng(11)
    called = []
    for _ in range(8):
        data, labels = rng.normal(size=(60, 5)), rng.integers(0, 2, 60)
        results = cross_validate(
            LinearDiscriminantAnalysis(), data, labels, **(KEPT | {"cv": KFold(5)})
        )
        evaluation = br.evaluate(br.held_out(results, data, labels))
        calibration = evaluation.facts.thresholds.calibration
        slope = calibration.measure("calibration_slope")
        assert np.isnan([slope.low, slope.high, slope.p_value]).all()
        assert slope.reason == "risks_of_several_models"
        assert not calibration.regions
        called.append("wrong way" in evaluation.render(details=True))
    assert not any(called)


def test_areas_of_several_classes_are_those_within_folds():
    data, y = load_iris(return_X_y=True)
    model = GaussianNB()
    results = cross_validate(model, data, y, **KEPT)
    evaluation = br.evaluate(br.held_out(results, data, y))
    for contests in ("ovr", "ovo"):
        each = cross_val_score(model, data, y, cv=5, scoring=f"roc_auc_{contests}")
        fact = evaluation.facts.measure(f"roc_auc_{contests}")
        assert fact.value == pytest.approx(each.mean())
        assert fact.low < fact.value < fact.high
    assert evaluation.facts.ranked_within == 5
    assert "roc" not in evaluation.displays()


def test_the_report_says_that_ranks_are_those_within_folds():
    evaluation = br.evaluate(found(LogisticRegression()))
    text = " ".join(evaluation.render(details=True).split())
    assert "Ranks better than chance: yes (mean ROC area within 5 folds 0.9" in text
    assert "Each of 5 folds was scored by a model of its own" in text
    assert "Top of the list: scores of several models, one a fold, make no one list" in text
    assert len(evaluation.displays()["roc"].picture.of("curve")) == 5


def test_a_fold_of_one_class_has_no_ranks_and_says_so():
    cases = found(LogisticRegression())
    halves = cases._replace(y_true=np.sort(cases.y_true))
    [area, *_] = br.evaluate(halves).facts.thresholds.ranking
    assert np.isnan(area.value)
    assert area.reason == "fold 0 has no positives: stratify the folds"


def test_clusters_of_held_out_cases():
    cases = found(LogisticRegression())
    facts = br.evaluate(cases, cluster=cases.rows // 3).facts
    each = cross_val_score(LogisticRegression(), X, Y, cv=5, scoring="roc_auc")
    area = facts.thresholds.ranking[0]
    assert area.value == pytest.approx(each.mean())
    assert area.low < area.value


def test_the_decisions_count_where_scores_are_no_probabilities():
    evaluation = br.evaluate(found(LinearSVC(random_state=0), WORDS, "malignant"))
    predicted = cross_val_predict(LinearSVC(random_state=0), X, WORDS, cv=5)
    assert evaluation.facts.positive == "malignant"
    assert evaluation.table.tp == np.sum((WORDS == "malignant") & (predicted == "malignant"))
    assert evaluation.facts.prediction == "y_pred"


def test_the_decisions_count_where_scores_are_cut_otherwise():
    cases = found(TREE)  # some scores are one half, which scikit-learn calls negative
    assert np.any((cases.score >= 0.5) != (cases.y_pred == 1))
    assert br.evaluate(cases).table.n_predicted == np.sum(cases.y_pred == 1)


def test_a_threshold_cuts_the_scores():
    evaluation = br.evaluate(found(TREE), threshold=0.9)
    risk = cross_val_predict(TREE, X, Y, cv=5, method="predict_proba")[:, 1]
    assert evaluation.table.n_predicted == np.sum(risk >= 0.9)


def test_thresholds_have_the_folds():
    cases = found(TREE)
    cut = br.thresholds(cases, metrics="f1").facts
    plain = br.thresholds(cases.y_true, cases.score, fold=cases.fold, metrics="f1").facts
    assert cut.folds == 5
    assert cut.cuts == plain.cuts
    by_site = br.thresholds(cases, metrics="f1", groups=G)
    assert by_site.facts.folds == 0


@pytest.mark.slow
def test_audit_by_group():
    site = np.where(np.arange(len(Y)) % 3, "a", "b")
    cases = found(LogisticRegression())
    by = {"site": site[cases.rows]}
    plain = br.audit(cases.y_true, score=cases.score, groups=by, positive=1)
    assert br.audit(cases, groups=by).to_dict() == plain.to_dict()


def test_several_side_by_side_in_the_order_of_the_data():
    shuffled = RepeatedStratifiedKFold(n_splits=4, n_repeats=1, random_state=0)
    several = {"tree": found(TREE), "logistic": found(LogisticRegression(), cv=shuffled)}
    comparison = br.compare(several)
    predicted = cross_val_predict(TREE, X, Y, cv=5)
    assert comparison.facts.n == len(Y)
    assert {c.name: c.value for c in comparison.facts.classifiers}["tree"] == pytest.approx(
        np.mean(predicted == Y)
    )
    [pair] = comparison.facts.pairs
    tree = np.sum((predicted == Y) & (Y == 1))
    only_a, only_b, *_ = pair.discordant
    found_b = cross_val_predict(LogisticRegression(), X, Y, cv=list(shuffled.split(X, Y)))
    assert only_a - only_b == tree - np.sum((found_b == Y) & (Y == 1))


def test_what_cannot_be_read_is_refused():
    twice = found(TREE, cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0))
    with pytest.raises(UnsupportedError, match="held out more than once"):
        br.evaluate(twice)
    with pytest.raises(UnsupportedError, match="held out more than once"):
        br.compare({"a": twice, "b": twice})
    with pytest.raises(InvalidArgumentError, match="target has no meaning beside held-out"):
        br.evaluate(found(TREE), target="y")
    flipped = found(TREE, 1 - Y)
    with pytest.raises(InvalidArgumentError, match="b must be about the same cases"):
        br.compare({"a": found(TREE), "b": flipped})

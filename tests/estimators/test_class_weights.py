"""The classifier with a weight for each of several classes: against its parts, and honest."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, make_classification
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB

import baserate as br
from baserate.errors import InvalidArgumentError, UnknownNameError, UnsupportedError
from baserate.tuning import optimal_class_weights

X, Y = load_digits(return_X_y=True)
NAMES = np.array([f"digit {k}" for k in range(10)])[Y]
CV = StratifiedKFold(4)


def f1(y, predicted):
    return f1_score(y, predicted, average="macro")


def test_the_weights_are_those_of_all_held_out_probabilities():
    naive = br.ThresholdClassifierCV(GaussianNB(), "macro_f1", cv=CV, guess=None, nested=False)
    naive.fit(X, NAMES)
    p = cross_val_predict(GaussianNB(), X, NAMES, cv=CV, method="predict_proba")
    known = optimal_class_weights("macro_f1", NAMES, p)
    assert np.array_equal(naive.best_weights_, known.weights)
    assert naive.best_score_ == pytest.approx(f1(NAMES, known.decide(p)), abs=1e-13)
    assert np.isnan(naive.optimism_)
    assert naive.cv_results_.value == naive.best_score_
    whole = GaussianNB().fit(X, NAMES)
    weighted = whole.predict_proba(X) * known.weights
    assert np.array_equal(naive.predict(X), whole.classes_[weighted.argmax(axis=1)])
    assert np.array_equal(naive.decision_function(X), weighted)


@pytest.mark.slow
def test_each_fold_is_judged_by_the_weights_of_the_others():
    nested = br.ThresholdClassifierCV(GaussianNB(), "macro_f1", cv=CV, guess=None).fit(X, NAMES)
    p = cross_val_predict(GaussianNB(), X, NAMES, cv=CV, method="predict_proba")
    called, values = np.empty(len(Y), dtype=NAMES.dtype), []
    for others, fold in CV.split(X, NAMES):
        found = optimal_class_weights("macro_f1", NAMES[others], p[others])
        called[fold] = found.decide(p[fold])
        values.append(f1(NAMES[fold], called[fold]))
    assert nested.best_score_ == pytest.approx(f1(NAMES, called), abs=1e-13)
    assert nested.fold_scores_ == pytest.approx(values, abs=1e-13)
    naive = clone(nested).set_params(nested=False).fit(X, NAMES)
    assert nested.optimism_ == pytest.approx(naive.best_score_ - nested.best_score_, abs=1e-13)


@pytest.mark.slow
def test_the_score_is_a_skill_unless_no_guess_is_asked_for():
    tuned = br.ThresholdClassifierCV(GaussianNB(), "accuracy", cv=CV, guess="uniform").fit(X, Y)
    plain = clone(tuned).set_params(guess=None).fit(X, Y)
    assert tuned.best_score_ == pytest.approx((plain.best_score_ - 0.1) / 0.9, abs=1e-12)


def test_optimism_of_errors_is_that_of_accuracy():
    x, y = load_iris(return_X_y=True)
    plain, less = (
        br.ThresholdClassifierCV(GaussianNB(), metric, cv=CV, guess=None).fit(x[:, :2], y)
        for metric in ("accuracy", "error_rate")
    )
    assert less.best_score_ == pytest.approx(1 - plain.best_score_, abs=1e-12)
    assert less.optimism_ == pytest.approx(plain.optimism_, abs=1e-12) != 0


def test_a_fit_to_two_classes_forgets_the_weights():
    tuned = br.ThresholdClassifierCV(LogisticRegression(max_iter=1000), "mcc")
    x, y = load_iris(return_X_y=True)
    assert set(tuned.fit(x, y).predict(x)) == {0, 1, 2}
    assert not hasattr(tuned, "best_threshold_")
    two = y > 0
    refitted, alone = tuned.fit(x[two], y[two]), clone(tuned).fit(x[two], y[two])
    assert not hasattr(refitted, "best_weights_")
    assert refitted.best_threshold_ == alone.best_threshold_
    assert np.array_equal(refitted.decision_function(x), alone.decision_function(x))


def test_a_class_that_a_fold_lacks_has_no_probability_there():
    """The only fold with the third class has a model that never saw it."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [20, 20, 10])
    x = rng.normal(size=(50, 2)) + np.eye(3, 2)[y]
    parts = [np.arange(40), np.arange(40, 50)]
    folds = [(parts[1 - k], parts[k]) for k in (0, 1)]
    folds[0] = (np.r_[10:30, 40:50], np.r_[:10, 30:40])
    tuned = br.ThresholdClassifierCV(GaussianNB(), "accuracy", cv=folds, guess=None, nested=False)
    tuned.fit(x, y)
    assert tuned.fold_scores_[1] == 0.0
    assert tuned.best_weights_.shape == (3,)


def test_what_cannot_be_weighted_is_refused():
    x, y = load_iris(return_X_y=True)
    with pytest.raises(UnsupportedError, match="RidgeClassifier has no predict_proba"):
        br.ThresholdClassifierCV(RidgeClassifier(), "macro_f1").fit(x, y)
    for argument in ({"constraint": "recall >= 0.9"}, {"pos_label": 1}):
        tuned = br.ThresholdClassifierCV(GaussianNB(), "macro_f1", **argument)
        with pytest.raises(InvalidArgumentError, match="no meaning for more than two classes"):
            tuned.fit(x, y)
    with pytest.raises(UnknownNameError, match='for example "macro_f1"'):
        br.ThresholdClassifierCV(GaussianNB(), "f1").fit(x, y)


@pytest.mark.slow
def test_the_nested_score_is_honest_where_the_naive_one_flatters():
    """A rare class and weak scores: what is promised beside what new cases give."""
    promised, naive, kept = [], [], []
    for seed in range(20):
        x, y = make_classification(
            4000, 6, n_informative=3, n_classes=3, n_clusters_per_class=1,
            weights=[0.8, 0.15], class_sep=0.4, random_state=seed,
        )  # fmt: skip
        part = np.arange(4000) < 300
        model = LogisticRegression()
        tuned = br.ThresholdClassifierCV(model, "macro_f1", guess=None).fit(x[part], y[part])
        promised.append(tuned.best_score_)
        naive.append(tuned.best_score_ + tuned.optimism_)
        kept.append(f1(y[~part], tuned.predict(x[~part])))
    off, flattered = (np.array(each) - np.array(kept) for each in (promised, naive))
    error = np.std(off) / np.sqrt(len(off))
    assert abs(np.mean(off)) < 3 * error + 0.01  # a fold's weights come from a fifth fewer cases
    assert np.mean(flattered) > 3 * np.std(flattered) / np.sqrt(len(off))
    assert np.mean(flattered) > 2 * abs(np.mean(off))

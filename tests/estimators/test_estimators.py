"""The three estimators: scikit-learn's own checks, and what each of them promises."""

import pickle
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import baserate as br
from baserate.errors import InvalidArgumentError, LabelError, UnsupportedError
from baserate.estimators.checks import one_output
from baserate.estimators.utility_classifier import _weight_of
from quick import one_in

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :4]
MODEL = make_pipeline(StandardScaler(), LogisticRegression())
WORDS = np.where(Y == 1, "well", "ill")


# Checks that scikit-learn leaves out by itself, for reasons that are no fault of an estimator.
LEFT_OUT = {"check_array_api_input", "check_pipeline_consistency"}


@pytest.mark.sweep(3, start=2)
@pytest.mark.parametrize(
    "estimator",
    one_in(
        2,
        [
            br.UtilityClassifier(LogisticRegression()),
            br.UtilityClassifier(LogisticRegression(), calibrate="sigmoid"),
            br.ThresholdClassifierCV(LogisticRegression(), "mcc", nested=False),
            br.ThresholdClassifierCV(LogisticRegression()),
            br.RandomGuessClassifier(),
            br.RandomGuessClassifier(0.3, exact=False),
        ],
    ),
    ids=str,
)
@pytest.mark.filterwarnings("ignore")  # scikit-learn's own data are separable, tiny, constant
def test_scikit_learn_checks(estimator):
    found = check_estimator(estimator, on_skip=None)
    assert len(found) > 45
    assert {r["status"] for r in found} <= {"passed", "skipped"}
    assert {r["check_name"] for r in found if r["status"] == "skipped"} <= LEFT_OUT


@pytest.mark.parametrize(
    "estimator",
    [
        br.UtilityClassifier(MODEL, [[0, -1], [-5, 0]]),
        br.ThresholdClassifierCV(MODEL, "f1"),
        br.RandomGuessClassifier(random_state=3),
    ],
    ids=lambda e: type(e).__name__,
)
def test_frames_words_pickles_and_html(estimator):
    frame = pd.DataFrame(X, columns=list("abcd"))
    fitted = clone(estimator).fit(frame, WORDS)
    assert fitted.n_features_in_ == 4
    assert list(fitted.feature_names_in_) == list("abcd")
    assert list(fitted.classes_) == ["ill", "well"]
    predicted = fitted.predict(frame)
    assert set(predicted) <= {"ill", "well"}
    assert np.array_equal(pickle.loads(pickle.dumps(fitted)).predict(frame), predicted)  # noqa: S301
    assert type(estimator).__name__ in fitted._repr_html_()
    with pytest.raises(ValueError, match=r"one label per case|Only binary"):
        clone(estimator).fit(X, np.column_stack((Y, Y)))


# Decisions by expected utility


def test_decisions_are_those_of_the_utility_matrix():
    u = br.UtilityMatrix([[0, -1], [-9, 0]], classes=["well", "ill"])
    fitted = br.UtilityClassifier(MODEL, u).fit(X, WORDS)
    p = clone(MODEL).fit(X, WORDS).predict_proba(X)
    rows = u.decide(p[:, ::-1])  # the matrix names the well first, the estimator the ill
    assert np.array_equal(fitted.predict(X), np.array(["well", "ill"])[rows])
    assert fitted.expected_utility(X) == pytest.approx(u.expected(p[:, ::-1]))
    table = br.confusion_matrix(WORDS, fitted.predict(X), pos_label="well")
    named = br.UtilityMatrix([[0, -1], [-9, 0]])
    assert fitted.score(X, WORDS) == pytest.approx(named.utility_yield(table))


def test_more_decisions_than_classes_and_more_classes_than_two():
    x, y = load_iris(return_X_y=True)
    u = br.UtilityMatrix(
        [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.9, 0.9, 0.9]],
        decisions=["setosa", "versicolor", "virginica", "ask"],
    )
    fitted = br.UtilityClassifier(LogisticRegression(max_iter=1000), u).fit(x, y)
    likeliest = fitted.predict_proba(x).max(axis=1)
    assert np.array_equal(fitted.predict(x) == "ask", likeliest < 0.9)
    assert 0.9 <= fitted.score(x, y) <= 1


def test_a_base_rate_shifts_probabilities():
    plain = br.UtilityClassifier(MODEL).fit(X, Y)
    rare = br.UtilityClassifier(MODEL, base_rate=0.01).fit(X, Y)
    named = br.UtilityClassifier(MODEL, base_rate={0: 0.99, 1: 0.01}).fit(X, Y)
    share = Y.mean()
    expected = br.shift_base_rate(plain.predict_proba(X)[:, 1], source=share, target=0.01)
    assert rare.predict_proba(X)[:, 1] == pytest.approx(expected)
    assert named.predict_proba(X) == pytest.approx(rare.predict_proba(X))
    with pytest.raises(InvalidArgumentError, match="base_rate must name the classes"):
        br.UtilityClassifier(MODEL, base_rate={"yes": 0.5, "no": 0.5}).fit(X, Y)
    with pytest.raises(InvalidArgumentError, match="one share per class"):
        br.UtilityClassifier(MODEL, base_rate=0.5).fit(*load_iris(return_X_y=True))


def test_calibration_is_scikit_learns():
    forest = RandomForestClassifier(n_estimators=10, random_state=0)
    ours = br.UtilityClassifier(forest, calibrate="isotonic").fit(X, Y)
    theirs = CalibratedClassifierCV(forest, method="isotonic").fit(X, Y)
    assert np.array_equal(ours.predict_proba(X), theirs.predict_proba(X))


def test_the_source_of_a_shift_is_what_the_estimator_was_fitted_to():
    """Weights that make classes equal: at equal shares of use nothing is shifted."""
    weight = np.where(Y == 1, 0.5 / np.mean(Y), 0.5 / np.mean(Y == 0))
    with config_context(enable_metadata_routing=True):
        model = LogisticRegression(max_iter=10_000).set_fit_request(sample_weight=True)
        alone = clone(model).fit(X, Y, sample_weight=weight)
        fitted = br.UtilityClassifier(model, base_rate=0.5).fit(X, Y, sample_weight=weight)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        piped = br.UtilityClassifier(make_pipeline(scaler, model), base_rate=0.5)
        piped = piped.fit(X, Y, sample_weight=weight)
    assert fitted.class_shares_ == pytest.approx([0.5, 0.5])
    assert fitted.predict_proba(X) == pytest.approx(alone.predict_proba(X))
    assert piped.class_shares_ == pytest.approx([0.5, 0.5])
    doubled = np.repeat(np.arange(len(Y)), 1 + Y)  # an integer weight is a copy
    copies = br.UtilityClassifier(model, base_rate=0.2).fit(X[doubled], Y[doubled])
    with config_context(enable_metadata_routing=True):
        weighted = br.UtilityClassifier(model, base_rate=0.2).fit(X, Y, sample_weight=1.0 + Y)
    assert weighted.class_shares_ == pytest.approx(copies.class_shares_)
    assert weighted.predict_proba(X) == pytest.approx(copies.predict_proba(X), abs=1e-4)


def test_class_weights_are_refused_beside_a_base_rate():
    balanced = LogisticRegression(max_iter=10_000, class_weight="balanced")
    for model, name in (
        (balanced, "{'class_weight': 'balanced'}"),
        (
            make_pipeline(StandardScaler(), balanced),
            "{'logisticregression__class_weight': 'balanced'}",
        ),
    ):
        with pytest.raises(InvalidArgumentError, match=f"got {name}"):
            br.UtilityClassifier(model, base_rate=0.1).fit(X, Y)
    fitted = br.UtilityClassifier(balanced, base_rate=np.mean(Y), calibrate="sigmoid").fit(X, Y)
    assert np.mean(fitted.predict_proba(X)[:, 1]) == pytest.approx(np.mean(Y), abs=0.02)
    br.UtilityClassifier(balanced).fit(X, Y)  # no shift, nothing to know


def test_classes_of_the_matrix_must_be_those_of_the_labels():
    u = br.UtilityMatrix(np.eye(2), classes=["a", "b"])
    with pytest.raises(
        InvalidArgumentError, match=r"utility must have the classes \['ill', 'well'\]"
    ):
        br.UtilityClassifier(MODEL, u).fit(X, WORDS)


# Thresholds


@pytest.mark.sweep(8, start=2)
@pytest.mark.parametrize("metric", ["f1", "mcc", "kappa", br.metrics.net_benefit(threshold=0.3)])
@pytest.mark.parametrize("nested", [True, False])
def test_the_threshold_is_that_of_the_held_out_scores(metric, nested):
    cv = StratifiedKFold(4)
    fitted = br.ThresholdClassifierCV(MODEL, metric, cv=cv, nested=nested).fit(X, Y)
    folds = []
    for train, test in cv.split(X, Y):
        score = clone(MODEL).fit(X[train], Y[train]).predict_proba(X[test])[:, 1]
        folds.append((Y[test], score))
    known = br.cross_validated_threshold(metric, folds, nested=nested, undefined="zero")
    assert fitted.best_threshold_ == known.threshold
    assert fitted.best_score_ == known.value
    assert np.array_equal(fitted.fold_scores_, known.values)
    score = clone(MODEL).fit(X, Y).predict_proba(X)[:, 1]
    assert np.array_equal(fitted.predict(X), (score >= known.threshold).astype(int))


def test_cuts_at_which_a_fold_has_no_value_are_left_out_unless_skill_is_asked_for():
    plain, skill = (
        br.ThresholdClassifierCV(MODEL, "mcc", guess=guess, nested=False).fit(X, Y).cv_results_
        for guess in (None, "dutch_draw")
    )
    assert plain.n_dropped > 0 == skill.n_dropped


def test_a_constraint_holds_over_all_folds():
    tuned = br.ThresholdClassifierCV(MODEL, "precision", constraint="recall >= 0.97", guess=None)
    tuned.fit(X, Y)
    score = cross_val_predict(MODEL, X, Y, cv=StratifiedKFold(5), method="predict_proba")[:, 1]
    assert np.mean(score[Y == 1] >= tuned.best_threshold_) >= 0.97
    with pytest.raises(UnsupportedError, match="relax one"):
        clone(tuned).set_params(constraint=["recall >= 0.99", "specificity >= 0.99"]).fit(X, Y)


def test_the_other_label_a_decision_function_sparse_input_and_routing():
    sparse = scipy.sparse.csr_matrix(X)
    tuned = br.ThresholdClassifierCV(RidgeClassifier(), "f1", pos_label="ill").fit(sparse, WORDS)
    assert tuned.positive_ == "ill"
    flagged = tuned.predict(sparse) == "ill"
    assert roc_auc_score(WORDS == "ill", tuned.decision_function(sparse)) > 0.9
    assert np.array_equal(flagged, tuned.decision_function(sparse) > 0)
    weight = np.where(Y == 1, 3.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        inner = LogisticRegression(max_iter=5000).set_fit_request(sample_weight=True)
        routed = br.ThresholdClassifierCV(inner, "f1").fit(X, Y, sample_weight=weight)
    direct = LogisticRegression(max_iter=5000).fit(X, Y, sample_weight=weight)
    assert routed.estimator_.coef_ == pytest.approx(direct.coef_, rel=1e-9)


def test_too_few_cases_are_refused():
    with pytest.raises(ValueError, match="two cases of each class"):
        br.ThresholdClassifierCV(MODEL).fit(X[:20], np.arange(20) == 3)


@pytest.mark.slow
def test_the_nested_score_is_honest_where_the_naive_one_flatters():
    """Rare positives and useless scores: what is promised beside what new cases give."""
    promised, naive, kept = [], [], []
    for seed in range(75):
        x, y = make_classification(
            1500, 6, n_informative=2, weights=[0.98], class_sep=0.4, random_state=seed
        )
        half = np.arange(1500) < 750
        tuned = br.ThresholdClassifierCV(LogisticRegression(), "f1").fit(x[half], y[half])
        table = br.confusion_matrix(y[~half], tuned.predict(x[~half]))
        promised.append(tuned.best_score_)
        naive.append(tuned.best_score_ + tuned.optimism_)
        kept.append(float(br.skill("f1", table)))
    off = np.array(promised) - np.array(kept)
    too_much = np.array(naive) - np.array(kept)
    assert abs(np.mean(off)) < 3 * np.std(off) / np.sqrt(len(off))
    assert np.mean(too_much) > 3 * np.std(too_much) / np.sqrt(len(off))


# Guesses


@pytest.mark.parametrize("theta", [0.0, 0.3, 0.5, 1.0])
def test_an_exact_number_of_alarms(theta):
    guess = br.RandomGuessClassifier(theta, random_state=1).fit(X, WORDS)
    for n in (1, 2, 7, 569):
        assert np.sum(guess.predict(X[:n]) == "well") == np.floor(n * theta + 0.5)
    assert np.array_equal(guess.predict(X), guess.predict(X))


def test_guesses_score_what_chance_says():
    guess = br.RandomGuessClassifier(0.4, random_state=np.random.RandomState(2)).fit(X, Y)
    scores = [br.metric_function("mcc")(Y, guess.predict(X)) for _ in range(400)]
    k = int(np.floor(len(Y) * 0.4 + 0.5))
    law = br.models.Hypergeometric(
        n_positive=int(Y.sum()), n_negative=int((1 - Y).sum()), n_predicted=k
    )
    sd = float(br.variance("mcc", law)) ** 0.5
    assert abs(np.mean(scores) - float(br.expect("mcc", law))) < 4 * sd / 20
    assert np.std(scores) == pytest.approx(sd, rel=0.15)


@pytest.mark.parametrize("metric", ["f1", "g_mean", "kappa", "accuracy"])
def test_the_dutch_draw_flags_the_best_share(metric):
    guess = br.RandomGuessClassifier(metric=metric).fit(X, Y)
    best = br.dutch_draw(metric, n_positive=int(Y.sum()), n_negative=int((1 - Y).sum()))
    assert guess.theta_ == best.theta_star[0][0]
    named = br.RandomGuessClassifier("mode").fit(X, Y)
    assert named.theta_ == (Y.mean() > 0.5)
    assert cross_val_score(named, X, Y).mean() == pytest.approx(
        max(Y.mean(), 1 - Y.mean()), abs=0.01
    )


def test_each_case_by_itself():
    guess = br.RandomGuessClassifier("proportional", exact=False, random_state=0).fit(X, Y)
    counts = {int(guess.set_params(random_state=s).predict(X).sum()) for s in range(20)}
    assert len(counts) > 5
    assert abs(np.mean(list(counts)) / len(Y) - Y.mean()) < 0.03
    with pytest.raises(InvalidArgumentError, match="guess must be"):
        br.RandomGuessClassifier("lucky").fit(X, Y)


class Remembering(LogisticRegression):
    """Keeps the weights of every fit beside the number of the first feature of its cases."""

    seen: ClassVar = []

    def fit(self, X, y, sample_weight=None):  # noqa: N803
        Remembering.seen.append((X[:, 0], sample_weight))
        return super().fit(X, y, sample_weight=sample_weight)


def test_every_fold_is_fitted_with_the_weights_of_its_own_cases():
    Remembering.seen = []
    weights = {value: 1.0 + k for k, value in enumerate(np.unique(X[:120, 0]).tolist())}
    weight = np.array([weights[value] for value in X[:120, 0].tolist()])
    with config_context(enable_metadata_routing=True):
        fitted = Remembering().set_fit_request(sample_weight=True)
        model = br.ThresholdClassifierCV(fitted, "mcc", nested=False, cv=3)
        model.fit(X[:120], Y[:120], sample_weight=weight)
    assert sorted(len(first) for first, _ in Remembering.seen) == [80, 80, 80, 120]
    for first, used in Remembering.seen:
        assert used.tolist() == [weights[value] for value in first.tolist()]


def test_weights_are_found_by_their_name_and_not_among_other_metadata():
    groups, labels = [5.0, 6.0, 7.0], ["a", "b", "a"]
    given = {"groups": groups, "step__sample_weight": [1.0, 2.0, 3.0]}
    assert _weight_of(given, labels).tolist() == [1.0, 2.0, 3.0]
    assert _weight_of({"groups": groups, "sample_weight": None}, labels) is None


def test_scores_are_refused_before_a_fit():
    with pytest.raises(NotFittedError):
        br.ThresholdClassifierCV(LogisticRegression()).decision_function(X)


def test_guesses_need_no_numbers_and_no_other_columns():
    words = pd.DataFrame({"a": ["x", None]})
    assert br.RandomGuessClassifier(1.0).fit(words, [0, 1]).predict(words).tolist() == [1, 1]
    guess = br.RandomGuessClassifier().fit(pd.DataFrame(X, columns=list("abcd")), Y)
    with pytest.raises(ValueError, match="feature names"):
        guess.predict(pd.DataFrame(X, columns=list("abce")))


@pytest.mark.parametrize("y", [np.zeros(3, dtype=[("a", int)]), np.zeros(3, dtype="V4")])
def test_records_are_no_column_of_labels(y):
    with pytest.raises(LabelError, match="y must be a column of labels"):
        one_output(y)

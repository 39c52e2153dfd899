"""`evaluate` on a score for each of several classes."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import log_loss, roc_auc_score, top_k_accuracy_score
from sklearn.model_selection import cross_val_predict, cross_validate
from sklearn.naive_bayes import GaussianNB

import baserate as br
from baserate.cases.arrays import read_arrays
from baserate.errors import InvalidArgumentError, LabelError
from baserate.evaluation.class_score_facts import scores_of
from tests.golden.texts import opening

PETALS = [0, 1]  # of sepals, which tell the kinds apart less well


@pytest.fixture(scope="module")
def iris():
    data = load_iris()
    y = data.target_names[data.target]
    return y, cross_val_predict(GaussianNB(), data.data[:, PETALS], y, cv=5, method="predict_proba")


@pytest.fixture(scope="module")
def frame(iris):
    pandas = pytest.importorskip("pandas")
    y, p = iris
    columns = {f"p_{label}": p[:, k] for k, label in enumerate(np.unique(y))}
    return pandas.DataFrame({**columns, "kind": y, "half": np.arange(len(y)) % 2})


def test_measures_are_those_of_scikit_learn(iris):
    y, p = iris
    facts = br.evaluate(y, score=p).facts
    truth = (y[:, None] == np.unique(y)).astype(float)
    expected = {
        "roc_auc_ovr": roc_auc_score(y, p, multi_class="ovr"),
        "roc_auc_ovo": roc_auc_score(y, p, multi_class="ovo"),
        "top_2_accuracy": top_k_accuracy_score(y, p, k=2),
        "brier_score": np.mean(np.sum((p - truth) ** 2, axis=1)),
        "log_loss": log_loss(y, p),
        "confidence_observed_expected": np.sum(np.unique(y)[p.argmax(axis=1)] == y)
        / p.max(axis=1).sum(),
    }
    for name, value in expected.items():
        fact = facts.measure(name)
        assert fact.value == pytest.approx(value, rel=1e-12)
        assert fact.low < fact.value < fact.high
    for k, one in enumerate(facts.classes):
        area, large = one.score_measures
        assert area.value == pytest.approx(roc_auc_score(truth[:, k], p[:, k]), rel=1e-12)
        assert large.value == pytest.approx(truth[:, k].sum() / p[:, k].sum(), rel=1e-12)
    assert facts.table == br.class_table(y, np.unique(y)[p.argmax(axis=1)])


@pytest.mark.slow
def test_each_class_has_what_its_score_has_alone(iris):
    y, p = iris
    facts = br.evaluate(y, score=p).facts
    for k, one in enumerate(facts.classes):
        alone = br.evaluate(y, score=p, positive=one.label).facts.thresholds
        known = {fact.name: fact for fact in (*alone.ranking, *alone.calibration.measures)}
        for mine in one.score_measures:
            other = known[mine.name]
            assert (mine.value, mine.low, mine.high) == (other.value, other.low, other.high)
        assert np.isnan(one.score_measures[0].p_value)
        area = br.roc_auc(y == one.label, p[:, k])
        assert one.measure("roc_auc").low == area.low


def test_columns_named_by_label_and_the_area_of_the_second_of_two(frame):
    two = frame[frame["kind"] != "setosa"]
    found = br.evaluate(
        two, target="kind", metrics="macro_f1",
        score=["virginica=p_virginica", "versicolor=p_versicolor"],
    )  # fmt: skip
    area = roc_auc_score(two["kind"] == "virginica", two["p_virginica"])
    assert found.facts.score_measures[0].value == pytest.approx(area)


def test_the_first_of_equal_scores_is_called_and_told():
    p = [[0.4, 0.4, 0.2], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4], [0.2, 0.4, 0.4]]
    result = br.evaluate(["a", "b", "c", "c"], score=p)
    assert result.facts.tied == 2
    assert result.facts.table.counts.tolist() == [[1, 0, 0], [0, 1, 0], [0, 1, 1]]
    assert "of 2 cases with equal ones the first" in " ".join(result.render(details=True).split())


@pytest.mark.slow
def test_the_report_says_how_scores_rank_and_whether_they_can_be_believed(on_record, iris):
    y, p = iris
    result = br.evaluate(y, score=p)
    assert list(result.displays())[-2:] == ["roc", "calibration"]
    assert list(result.sweeps) == ["setosa", "versicolor", "virginica"]
    assert "ROC curves of " in result.render("html")
    certain = np.where(p == p.max(axis=1, keepdims=True), 0.98, 0.01)
    on_record({"fit": opening(result), "too certain": opening(br.evaluate(y, score=certain))})


def told(result):
    return " ".join(result.render(details=True).split())


def test_shares_that_do_not_sum_to_one_say_so():
    score = np.full((30, 3), 0.2) + np.eye(3)[np.arange(30) % 3] / 2
    result = br.evaluate(np.arange(30) % 3, score=score)
    assert result.facts.score_absent == {"probabilities": "no_probabilities"}
    assert "do not sum to one" in told(result)


def test_scores_that_are_no_probabilities_are_ranked_only():
    data = load_iris()
    model = LinearDiscriminantAnalysis()
    how = {"cv": 5, "method": "decision_function"}
    score = cross_val_predict(model, data.data, data.target, **how)
    result = br.evaluate(data.target, score=score)
    facts = result.facts
    names = [fact.name for fact in facts.score_measures]
    assert names == ["roc_auc_ovr", "roc_auc_ovo", "top_2_accuracy"]
    assert facts.score_absent == {"probabilities": "no_probabilities"}
    assert "some case do not all lie in [0, 1] or do not sum to one" in told(result)
    assert "calibration" not in result.displays()


def test_the_highest_scores_of_a_case_are_as_many_as_asked_for(iris):
    y, p = iris
    facts = br.evaluate(y, score=p, top=1).facts
    assert facts.measure("top_1_accuracy").value == facts.metric("accuracy").value
    with pytest.raises(InvalidArgumentError, match=r"top must be .* below .*classes \(3\), got 3"):
        br.evaluate(y, score=p, top=3)
    with pytest.raises(InvalidArgumentError, match="top must be whole numbers"):
        br.evaluate(y, score=p, top=0.1)


def test_what_an_absent_class_leaves_undefined_names_it(iris):
    y, p = iris
    kept = y != "virginica"
    score = dict(zip(np.unique(y), p[kept].T, strict=True))
    result = br.evaluate(y[kept], score=score)
    assert result.facts.measure("roc_auc_ovr").reason == "no cases of 'virginica'"
    assert "no cases of 'virginica'" in " ".join(result.render(details=True).split())


def test_weights_count_as_in_curves(iris, frame, tmp_path):
    y, p = iris
    weight = np.random.default_rng(1).uniform(0.5, 2, len(y))
    facts = br.evaluate(y, score=p, weight=weight).facts
    for name, measure, how in (
        ("roc_auc_ovr", br.roc_auc, {}),
        ("roc_auc_ovo", br.roc_auc, {"multi_class": "ovo"}),
        ("log_loss", br.log_loss, {}),
    ):
        expected = measure(y, p, sample_weight=weight, **how)
        found = facts.measure(name)
        assert (found.value, found.low, found.high) == (expected.value, expected.low, expected.high)
    frame.assign(w=weight).to_csv(tmp_path / "w.csv", index=False)
    of_file = br.evaluate(tmp_path / "w.csv", target="kind", score="p_*", weight="w").facts
    assert of_file.measure("log_loss").low == pytest.approx(facts.measure("log_loss").low)


@pytest.mark.slow
def test_alike_cases_of_a_file_are_cases(tmp_path):
    pandas = pytest.importorskip("pandas")
    p = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]] * 20)
    y = np.array(list("abcabbacc") * 6 + list("abcabc"))
    weight = np.arange(1, 61) / 10
    data = pandas.DataFrame(p, columns=["p_a", "p_b", "p_c"]).assign(y=y, w=weight)
    data.to_csv(tmp_path / "alike.csv", index=False)
    for named, given in (({}, {}), ({"weight": "w"}, {"weight": weight})):
        of_arrays = br.evaluate(y, score=p, **given).facts
        of_file = br.evaluate(tmp_path / "alike.csv", target="y", score="p_*", **named).facts
        for mine, other in zip(of_file.score_measures, of_arrays.score_measures, strict=True):
            assert (mine.value, mine.low, mine.high) == pytest.approx(
                (other.value, other.low, other.high), rel=1e-9
            )


def test_rows_of_alike_cases_keep_the_sums_of_weights_and_of_squares():
    read = read_arrays([0, 1, 2], class_scores={"score": np.eye(3)})
    cases = replace(
        read.classes(scores=[0, 1, 2]),
        count=np.array([3, 1, 2]),
        weight=np.array([6.0, 2.0, 1.0]),
        squared=np.array([14.0, 4.0, 1.0]),
    )
    found = scores_of(cases)
    for k, (total, squares) in enumerate(((6, 14), (2, 4), (1, 1))):
        mine = found.weights[found.truth == k]
        assert (mine.sum(), mine @ mine) == pytest.approx((total, squares), rel=1e-12)
        assert (mine >= 0).all()


def test_held_out_cases_bring_their_scores(iris):
    data = load_iris()
    y = data.target_names[data.target]
    kept = {"return_estimator": True, "return_indices": True}
    results = cross_validate(GaussianNB(), data.data[:, PETALS], y, cv=5, **kept)
    facts = br.evaluate(br.held_out(results, data.data[:, PETALS], y)).facts
    expected = br.evaluate(*[iris[0]], score=iris[1]).facts
    for mine, other in zip(facts.score_measures, expected.score_measures, strict=True):
        within_folds = mine.name.startswith("roc_auc")  # where one model gave the scores
        assert (mine.value == pytest.approx(other.value, rel=1e-12)) is not within_folds
    assert facts.table == expected.table


def test_one_class_says_so():
    p = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]])
    message = r"must have a column for each label found \('a'\), got '3 columns'"
    with pytest.raises(LabelError, match=message):
        br.evaluate(["a", "a"], score=p)
    text = br.evaluate(["a", "a"], score=dict(zip("abc", p.T, strict=True))).render(details=True)
    assert text.startswith("Better than guessing: cannot tell, for the cases are of one class.")
    with pytest.raises(LabelError, match=r"of one class only.*y_true holds 'a' and y_pred holds"):
        br.evaluate(["a", "a", "a"], ["a", "b", "c"])

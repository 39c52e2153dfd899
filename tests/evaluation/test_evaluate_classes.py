"""`evaluate` on several classes."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta, binom
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    cohen_kappa_score,
    f1_score,
    matthews_corrcoef,
    precision_recall_fscore_support,
)
from sklearn.model_selection import cross_val_predict

import baserate as br
from baserate.errors import InvalidArgumentError, LabelError
from baserate.evaluation import CountsFile
from baserate.report.class_words import ROUTES, method


@pytest.fixture(scope="module")
def iris():
    data = load_iris()
    names = data.target_names[data.target]
    return names, cross_val_predict(LinearDiscriminantAnalysis(), data.data, names, cv=5)


def test_utilities_of_classes_go_by_their_name(iris):
    named = "utility([[1, 0, 0], [0, 1, 0], [-5, 0, 1]])"
    (found,) = br.evaluate(*iris, metrics=named).facts.metrics
    assert found.value == br.metrics.class_metric(named)(br.class_table(*iris))


def test_averages_and_classes_are_those_of_scikit_learn(iris):
    facts = br.evaluate(*iris).facts
    expected = {
        "accuracy": accuracy_score(*iris),
        "balanced_accuracy": balanced_accuracy_score(*iris),
        "macro_f1": f1_score(*iris, average="macro"),
        "weighted_f1": f1_score(*iris, average="weighted"),
        "matthews_correlation": matthews_corrcoef(*iris),
        "cohen_kappa": cohen_kappa_score(*iris),
    }
    for name, value in expected.items():
        assert facts.metric(name).value == pytest.approx(value, rel=1e-12)
    precision, recall, f1, _ = precision_recall_fscore_support(*iris)
    for one, *values in zip(facts.classes, recall, precision, f1, strict=True):
        assert [m.value for m in one.metrics] == pytest.approx(values, rel=1e-12)


def test_every_class_has_what_it_has_against_the_rest(iris):
    facts = br.evaluate(*iris).facts
    for one in facts.classes:
        alone = br.evaluate(*iris, positive=one.label, metrics="recall, precision, f1").facts
        assert alone.table == one.table
        for mine, other in zip(one.metrics, alone.metrics, strict=True):
            assert (mine.value, mine.low, mine.high) == (other.value, other.low, other.high)


def test_the_report_answers_first(on_record, iris):
    result = br.evaluate(*iris)
    on_record(str(result))
    assert "<svg" in result.render("html")
    assert len(result.to_frame("pandas")) == len(result.facts.metrics) + 3 * (3 + 6)


def test_absent_classes_are_named_and_leave_averages_undefined():
    facts = br.evaluate(["a", "b", "c", "a", "b", "c"], ["a", "b", "b", "a", "z", "b"]).facts
    assert (facts.absent, facts.never_predicted) == (("z",), ("c",))
    assert np.isnan(facts.metric("balanced_accuracy").value)
    assert "z" in facts.metric("balanced_accuracy").undefined_reason
    text = br.evaluate(["a", "b", "c", "a"], ["a", "b", "b", "z"]).render()
    assert 'No cases of "z"' in text
    assert 'Predicted all the same: "z"; precision and F1 are 0 there' in " ".join(text.split())


def test_two_classes_have_averages_too():
    y, p = [0, 1, 1, 0, 1, 0, 0, 1], [0, 1, 0, 0, 1, 1, 0, 1]
    facts = br.evaluate(y, p, metrics="macro_f1, recall").facts
    assert facts.metric("macro_f1").value == pytest.approx(f1_score(y, p, average="macro"))
    recall = facts.classes[1].metrics[0]
    alone = br.evaluate(y, p, metrics="recall").facts.metrics[0]
    assert (recall.value, recall.low, recall.high) == (alone.value, alone.low, alone.high)


def test_metrics_of_ones_own_are_averaged():
    own = br.metrics.define("own_hits", lambda tp, fn, fp, tn: tp / (tp + fn + 1))
    y, p = [0, 1, 2, 0, 1, 2], [0, 1, 2, 0, 2, 2]
    metric = br.metrics.average(own, "weighted")
    facts = br.evaluate(y, p, metrics=[metric, own]).facts
    assert facts.metrics[0].value == pytest.approx(1 / 3 * (2 / 3 + 1 / 3 + 2 / 3))
    assert [one.metrics[0].value for one in facts.classes] == pytest.approx([2 / 3, 1 / 3, 2 / 3])


@pytest.mark.parametrize(
    ("option", "value"), [("base_rate", 0.5), ("p_value", "sup"), ("utility", [[1, 0], [0, 1]])]
)
def test_what_speaks_of_two_classes_is_refused(option, value):
    with pytest.raises(InvalidArgumentError, match=f"{option} speaks of one positive class"):
        br.evaluate([0, 1, 2, 1], [0, 1, 2, 2], **{option: value})


def test_a_third_label_in_the_predictions_alone_is_no_third_class():
    with pytest.raises(LabelError):
        br.evaluate(["yes", "no", "yes"], ["yes", "no", "Yes "])


def test_averages_beside_a_named_class_are_refused(iris):
    with pytest.raises(InvalidArgumentError, match="leave positive out"):
        br.evaluate(*iris, positive="setosa", metrics="macro_f1")


def test_files_of_counts(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text(",a,b,c\na,5,1,0\nb,2,7,1\nc,0,0,4\n", encoding="utf-8")
    table = br.ClassTable([[5, 1, 0], [2, 7, 1], [0, 0, 4]], ["a", "b", "c"])
    result = br.evaluate(CountsFile.each(path))
    assert result.table == table
    assert result.facts.metrics == br.evaluate(table).facts.metrics
    alone = br.evaluate(CountsFile.each(path), positive="b")
    assert alone.table == table.one_vs_rest("b")
    assert result.facts.source == str(path)


@pytest.mark.slow
def test_narrow_intervals_have_digits_that_show_it():
    table = br.ClassTable([[37450, 12550, 0], [0, 50000, 0], [0, 25000, 75000]])
    assert "(95% interval 81.1% to 81.4%)" in " ".join(br.evaluate(table).render().split())


def test_weights_are_no_cases():
    weighted = br.evaluate([0, 1, 2, 0], [0, 1, 1, 0], weight=[1, 2, 3.5, 1]).render()
    assert '"2" called "1", weight 3.5, 100% of "2" (' in " ".join(weighted.split())


@pytest.mark.parametrize(
    ("route", "words"),
    [
        ("exact", "(enumerated)"),
        ("upper bound", "bound of that)"),
        ("permutation", "dealing the pred"),
    ],
)
def test_the_method_says_how_p_was_found(iris, route, words):
    facts = replace(br.evaluate(*iris).facts, p_value_route=route)
    [line] = [line for line in method(facts) if line.startswith("p: ")]
    assert words in line


@pytest.mark.slow
def test_every_route_of_p_has_words(iris):
    large = br.ClassTable(np.eye(300, dtype=int) * 50 + 1)
    near_chance = br.ClassTable(np.full((10, 10), 200) + 3 * np.eye(10, dtype=int))
    routes = [br.beats_chance(table).route for table in (br.class_table(*iris), large, near_chance)]
    assert set(routes) <= set(ROUTES)
    assert len(set(routes)) > 1


def test_the_least_of_several_classes_knows_that_it_was_picked():
    """Bonferroni: limits at 1 - .05/4 of Jeffreys' law of the lowest of four recalls."""
    truth, called = np.repeat(list("abcd"), 20), np.repeat(list("abcd"), 20)
    called[:8], called[20:23], called[45] = "b", "c", "a"
    facts = br.evaluate(truth, called).facts
    low, high = beta(12.5, 8.5).ppf([0.05 / 8, 1 - 0.05 / 8])
    least = facts.least_found
    assert (least.share, least.of) == (0.6, 4)
    assert (least.low, least.high) == pytest.approx((low, high), rel=1e-6)
    own = next(m for m in facts.classes[0].metrics if m.name == "recall")
    assert least.low < own.low < own.high < least.high
    most = facts.most_confused
    ends = beta(8.5, 12.5).ppf([0.05 / 24, 1 - 0.05 / 24])  # of twelve pairs
    assert (most.share, most.of) == (0.4, 12)
    assert (most.low, most.high) == pytest.approx(tuple(ends), rel=1e-6)
    text = " ".join(str(br.evaluate(truth, called)).split())
    said = f'"a", 60% of 20 (95% interval {low:.0%} to {high:.0%}, knowing that it is the lowest'
    assert f"Found least: {said} of four)" in text.replace("of 4)", "of four)")


@pytest.mark.slow
def test_equal_classes_have_a_least_one_whose_interval_holds_the_truth():
    rng, held = np.random.default_rng(2), np.zeros(2)
    truth = np.repeat(np.arange(10), 30)
    for _ in range(100):
        right = rng.random(300) < 0.8
        called = np.where(right, truth, (truth + 1) % 10)
        facts = br.evaluate(truth, called).facts
        least = facts.least_found
        recalls = [m for one in facts.classes for m in one.metrics if m.name == "recall"]
        own = min(recalls, key=lambda m: m.value)
        held += (own.low <= 0.8 <= own.high, least.low <= 0.8 <= least.high)
    assert held[0] < 90  # the interval of one class by itself
    assert held[1] >= 94


@pytest.mark.sweep(3, start=1)
@pytest.mark.parametrize(
    "asked", ["quadratic_kappa", "weighted_kappa(linear)", "acc, linear_kappa"]
)
def test_kappa_of_ordered_classes_needs_no_other_metric_beside_it(asked):
    """Cohen (1968) weighs disagreements; scikit-learn has both kinds."""
    truth = [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2]
    called = [1, 2, 3, 4, 4, 2, 2, 5, 4, 5, 1, 1]
    found = br.evaluate(truth, called, metrics=asked)
    kind = "quadratic" if "quadratic" in asked else "linear"
    wanted = cohen_kappa_score(truth, called, weights=kind)
    assert found[f"{kind}_kappa"].value == pytest.approx(wanted, abs=1e-12)
    frame = pd.DataFrame({"t": truth, "a": called, "b": truth, "g": [0, 1] * 6})
    assert br.audit(frame, target="t", prediction="a", groups="g", metrics=asked).facts.gaps
    both = br.compare(frame, target="t", prediction=["a", "b"], metrics=asked)
    assert both[f"difference({kind}_kappa)", "a, b"].value == pytest.approx(wanted - 1, abs=1e-12)


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([[9, 2, 0], [0, 9, 1], [1, 0, 9]], '"a" called "b", 2 cases, 18% of "a" (95%'),
        ([[9, 2, 0], [0, 9, 2], [1, 0, 9]], '"a" called "b" and "b" called "c", 2 cases each.'),
        (
            [[2, 1, 1], [0, 2, 1], [1, 1, 2]],
            '5 pairs of classes, such as "a" called "b", 1 case each.',
        ),
    ],
)
def test_as_many_confusions_are_named_together(cells, said):
    found = " ".join(str(br.evaluate(br.ClassTable(cells, ["a", "b", "c"]))).split())
    assert f"Most often confused: {said}" in found


@pytest.mark.parametrize(
    ("counts", "least"),
    [
        ([[10, 5, 5], [5, 10, 5], [5, 5, 10]], "all 3 classes alike, 50% each."),
        ([[9, 5], [5, 9]], "both classes alike, 64% each."),
        # 28 of 49 and 12 of 21 are the same share.
        ([[62, 9, 2], [14, 28, 7], [1, 8, 12]], '"1" and "2" alike, 57% each'),
    ],
)
def test_classes_that_tie_are_found_least_together(counts, least) -> None:
    for factor in (1, 0.1):  # weights
        said = " ".join(str(br.evaluate(br.ClassTable(factor * np.array(counts)))).split())
        assert f"Found least: {least}" in said


def test_classes_that_may_be_found_less_often_are_named():
    """Jeffreys' lower ends of 34 of 55 and 90 of 100 are 0.486 and 0.830, of 30 of 50 0.461."""
    counts = [[90, 5, 5], [11, 34, 10], [10, 10, 30]]
    said = " ".join(str(br.evaluate(br.ClassTable(counts, ["a", "b", "c"]))).split())
    assert 'knowing that it is the lowest of 3); "b" may be lower.' in said
    apart = [[90, 5, 5], [3, 49, 3], [10, 10, 30]]
    said = " ".join(str(br.evaluate(br.ClassTable(apart, ["a", "b", "c"]))).split())
    assert "knowing that it is the lowest of 3)." in said


def test_classes_in_an_order_are_told_how_far_off_cases_are_and_to_which_side() -> None:
    grades = [[62, 9, 2, 0], [14, 41, 11, 1], [3, 12, 28, 6], [0, 2, 7, 12]]
    table = br.ClassTable(grades, labels=[f"grade {k}" for k in range(1, 5)])
    found = br.evaluate(table, metrics="accuracy, cohen_kappa, quadratic_kappa")
    order = found.facts.order
    assert (order.far, order.too_high, order.too_low) == (8, 29, 38)
    assert (order.low, order.high) == pytest.approx(beta.ppf([0.025, 0.975], 8.5, 202.5))
    mid_p = 2 * binom.cdf(29, 67, 0.5) - binom.pmf(29, 67, 0.5)
    assert order.p_value == pytest.approx(mid_p)
    said = " ".join(str(found).split())
    assert said.startswith("Of 210 cases, 68% are called what they are")  # accuracy was named first
    assert "perfection. Weighted kappa (quadratic) is 0.78 (0.703 to 0.832). Two classes" in said
    assert "Two classes or more off: 8 of 210 cases (4%, 95% interval 2% to 7%); 29 are" in said
    assert "no tendency can be told" in said
    assert found["recall", "grade 1"].value == pytest.approx(62 / 73)  # kept beside named ones
    plain = br.evaluate(table)
    assert "Two classes or more" not in str(plain)
    assert "Two classes or more off" in plain.render(details=True)
    named = br.ClassTable(grades, labels=["a", "b", "c", "d"])
    assert br.evaluate(named).facts.order is None
    assert br.evaluate(named, metrics="linear_kappa").facts.order.far == 8
    back = br.ClassTable(np.array(grades)[::-1, ::-1], labels=[f"grade {k}" for k in (4, 3, 2, 1)])
    assert br.evaluate(back).facts.order.too_high == 29
    weighted = br.ClassTable(np.array(grades) * 1.5, labels=table.labels)
    assert np.isnan(br.evaluate(weighted).facts.order.p_value)


def test_weights_that_are_whole_numbers_are_no_counts():
    truth, called = list("abcabcab"), list("abcabbaa")
    assert br.evaluate(truth, called, weight=[1, 2] * 4).facts.p_value_reason == "weighted"
    table = br.ClassTable([[1.5, 0], [1, 1]], labels=["a", "b"])
    assert br.evaluate(table).facts.p_value_reason == "weighted"


def test_a_label_of_a_class_table_may_be_written_as_text():
    tables = {name: br.ClassTable([[8, 2], [3, 7]], labels=[0, 1]) for name in "AB"}
    found = br.compare(tables, positive="0").facts
    assert found.classifiers[0].table == br.ConfusionMatrix(tp=8, fn=2, fp=3, tn=7)

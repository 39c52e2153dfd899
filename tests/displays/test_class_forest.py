"""Forests of classes: each class against the rest beside luck."""

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support

import baserate as br
from baserate.displays import GroupForestDisplay
from baserate.errors import InvalidArgumentError

RNG = np.random.default_rng(20270)
NAMES = np.array(["cat", "dog", "eel", "fox"])
TRUTH = RNG.choice(NAMES, size=400, p=[0.5, 0.3, 0.15, 0.05])
CALLED = np.where(RNG.random(400) < 0.7, TRUTH, RNG.choice(NAMES, size=400))


@pytest.fixture(scope="module")
def facts():
    return br.evaluate(TRUTH, CALLED).facts


@pytest.mark.parametrize(("metric", "place"), [("precision", 0), ("recall", 1), ("f1", 2)])
def test_values_are_those_of_scikit_learn_with_the_intervals_of_each_class(facts, metric, place):
    display = GroupForestDisplay.from_classes(facts, metric)
    expected = precision_recall_fscore_support(TRUTH, CALLED)[place]
    assert [row.value for row in display.rows] == pytest.approx(expected.tolist(), rel=1e-12)
    table = br.class_table(TRUTH, CALLED)
    for row, label in zip(display.rows, NAMES, strict=True):
        alone = br.interval(metric, table.one_vs_rest(label))
        assert (row.name, row.low, row.high) == (label, alone.low, alone.high)
    drawn = [mark for mark in display.picture.of("curve") for mark in mark.x]
    assert drawn == [row.value for row in display.rows]


def test_luck_calls_as_many_so(facts):
    """Of n_c cases of a class, k/n are called so by luck, and n_c/n of those called so are it."""
    table = br.class_table(TRUTH, CALLED)
    recall = GroupForestDisplay.from_classes(facts).rows
    precision = GroupForestDisplay.from_classes(facts, "precision").rows
    np.testing.assert_allclose([r.reference for r in recall], table.predicted_counts / 400)
    np.testing.assert_allclose([r.reference for r in precision], table.class_counts / 400)
    assert [(row.events, row.n) for row in recall] == [
        *zip(table.hits.tolist(), table.class_counts.tolist(), strict=True)
    ]
    assert [row.n for row in precision] == table.predicted_counts.tolist()


def test_classes_without_cases_are_hatched_with_their_reason():
    facts = br.evaluate(["a", "b", "c", "a"], ["a", "b", "z", "z"]).facts
    display = GroupForestDisplay.from_classes(facts)
    [hatched] = display.picture.of("undefined")
    assert hatched.hatch
    assert display.rows[3].told == "undefined\nno positives"


@pytest.mark.slow
def test_of_many_classes_the_twenty_with_the_least_are_shown():
    truth = RNG.integers(60, size=3000)
    called = np.where(RNG.random(3000) < 0.6, truth, RNG.integers(60, size=3000))
    facts = br.evaluate(truth, called).facts
    display = GroupForestDisplay.from_classes(facts)
    values = [one.metrics[0].value for one in facts.classes]
    assert [row.value for row in display.rows] == sorted(values)[:20]
    assert "3,000 cases, the 20 of 60 classes with the least" in display.picture.title
    forty = br.evaluate(truth % 40, called % 40).facts
    assert len(GroupForestDisplay.from_classes(forty).shown) == 40
    assert len(GroupForestDisplay.from_classes(facts, limit=5).rows) == 5


def test_weights_have_no_luck():
    weight = RNG.random(400)
    facts = br.evaluate(TRUTH, CALLED, weight=weight).facts
    rows = GroupForestDisplay.from_classes(facts).rows
    assert all(np.isnan(row.reference) for row in rows)
    assert rows[0].low < rows[0].value < rows[0].high


def test_metrics_of_ones_own_have_no_luck_and_other_names_are_refused():
    own = br.metrics.define("own", lambda tp, fn, fp, tn: tp / (tp + fn + 1))
    facts = br.evaluate(TRUTH, CALLED, metrics=["macro_f1", own]).facts
    assert np.isnan(GroupForestDisplay.from_classes(facts, "own").rows[0].reference)
    with pytest.raises(InvalidArgumentError, match="must be one of every class, own"):
        GroupForestDisplay.from_classes(facts, "recall")


def test_evaluations_draw_themselves_the_matrix_first_of_few_classes():
    result = br.evaluate(TRUTH, CALLED)
    assert list(result.displays()) == ["confusion", "recall", "precision", "f1"]
    assert result.plot("f1").picture.title == "F1 of each class: 400 cases"
    assert result.plot().picture.title.startswith("Confusion matrix")
    truth = RNG.integers(13, size=500)
    many = br.evaluate(truth, truth[::-1])
    assert next(iter(many.displays())) == "recall"

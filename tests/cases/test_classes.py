"""Labels of several classes, counted beside plain Python and scikit-learn."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import confusion_matrix as peer

import baserate as br
from baserate.cases.arrays import read_arrays
from baserate.cases.cases import Cases
from baserate.cases.encoder import BLOCK
from baserate.cases.labels import Labels
from baserate.errors import InvalidArgumentError, LabelError

RNG = np.random.default_rng(7)
N = 2 * BLOCK + 1234  # three blocks


def counts_by_hand(truth, prediction, labels):
    found = Counter(zip(truth, prediction, strict=True))
    return [[found[t, p] for p in labels] for t in labels]


def sides(classes, rows=N):
    truth, guess = RNG.integers(0, classes, (2, rows))
    return truth, np.where(RNG.random(rows) < 0.7, truth, guess)


@pytest.mark.sweep(15, start=6)
@pytest.mark.parametrize(
    "kind", ["int64", "int32", "int8", "uint8", "uint64", "float32", "U4", "O"]
)
@pytest.mark.parametrize("classes", [2, 3, 10, 40])
def test_any_type_is_counted_as_scikit_learn_does(kind, classes):
    truth, prediction = sides(classes)
    if kind in "U4O":
        names = np.array([f"c{k:02}" for k in range(classes)], dtype=kind)
        truth, prediction = names[truth], names[prediction]
    else:
        truth, prediction = truth.astype(kind), prediction.astype(kind)
    table = br.class_table(truth, prediction)
    assert np.array_equal(table.counts, peer(truth, prediction))
    assert table.labels == tuple(np.unique(truth).tolist())


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize(
    "offsets",
    [
        (0, 0, 0),
        (0, 5, 3000),  # each block leaves the range of the one before
        (0, -7, -900),
        (0, 3000, -3000),  # too far apart in the third block
        (0, 10**6, 5),
        (2**62, 2**62, 0),
        (-(2**63), 0, 7),
    ],
)
def test_ranges_that_grow(offsets):
    shift = np.repeat(np.array(offsets), BLOCK)[:N]
    truth, prediction = (side + shift for side in sides(3))
    labels = sorted({*truth.tolist(), *prediction.tolist()})
    table = br.class_table(truth, prediction)
    assert table.labels == tuple(labels)
    assert table.counts.tolist() == counts_by_hand(truth.tolist(), prediction.tolist(), labels)


def test_whole_floats_that_stop_being_whole_or_known():
    truth = np.repeat([1.0, 2, 3, 4], BLOCK)
    prediction = truth.copy()
    prediction[-1] = np.nan
    table = br.class_table(truth, prediction, missing="drop")
    assert table.hits.tolist() == [BLOCK, BLOCK, BLOCK, BLOCK - 1]
    prediction[-1] = 2.5
    with pytest.raises(LabelError, match=r"looks like scores"):
        br.class_table(truth, prediction)


def test_a_thousand_classes_with_and_without_weights():
    truth, prediction = sides(1000, 50_000)
    expected = peer(truth, prediction)
    assert np.array_equal(br.class_table(truth, prediction).counts, expected)
    weighted = br.class_table(truth, prediction, sample_weight=np.full(50_000, 0.5))
    assert np.array_equal(weighted.counts, expected / 2)


def test_groups_and_weights():
    truth, prediction = sides(3, 500)
    group, weight = RNG.integers(0, 4, 500), RNG.integers(0, 3, 500)
    cases = read_arrays(truth, {"m": prediction}, groups={"g": group}, sample_weight=weight)
    found = cases.classes().counted()
    for g in range(4):
        own = group == g
        expected = peer(truth[own], prediction[own], sample_weight=weight[own])
        assert np.array_equal(found.groups[(g,)].counts, expected)
        assert found.group_n[(g,)] == (own & (weight > 0)).sum()
    squares = peer(truth, prediction, sample_weight=weight**2)
    assert np.array_equal(found.squared.counts, squares)


def test_labels_are_in_the_order_given_and_may_be_absent():
    truth, prediction = ["b", "a", "b"], ["b", "b", "a"]
    table = br.class_table(truth, prediction, labels=["c", "b", "a"])
    assert table == br.ClassTable([[0, 0, 0], [0, 1, 1], [0, 1, 0]], ["c", "b", "a"])
    assert table.absent == ("c",)
    with pytest.raises(LabelError, match=r"must hold every label that occurs.*add 'a'"):
        br.class_table(truth, prediction, labels=["b", "c"])
    with pytest.raises(LabelError, match=r"must differ, got .*'b' twice"):
        br.class_table(truth, prediction, labels=["b", "a", "b"])
    with pytest.raises(LabelError, match=r"pass them as a list"):
        br.class_table(truth, prediction, labels="ab")


@pytest.mark.parametrize(
    ("truth", "prediction", "labels"),
    [
        ([0, 1, 2], [False, True, 2], (0, 1, 2)),
        ([True, False], [2, 1], (0, 1, 2)),
        ([1.0, 2.0, 3.0], [1, 2, 3], (1, 2, 3)),
        ([b"a", b"b"], ["a", "b"], ("a", "b")),
        (pd.array([1, 2, 3], "Int64"), [1, 2, 2], (1, 2, 3)),
        (pd.Categorical(["x", "y"], ["z", "y", "x"]), ["x", "y"], ("x", "y")),
        ([10, 9, "other"], [9, 9, "other"], (9, 10, "other")),
    ],
)
def test_labels_of_other_kinds(truth, prediction, labels):
    table = br.class_table(truth, prediction)
    assert table.labels == labels
    assert [type(one) for one in table.labels] == [type(one) for one in labels] or 1.0 in labels


def test_text_of_files_may_mean_numbers():
    given = {
        "truth": Labels.of(["1", "2", "10"]),
        "predictions": {"m": Labels.of(["1.0", "10", "2"])},
    }
    cases = Cases(**given, count=np.ones(3, dtype=int), from_text=True)
    assert cases.classes().labels == (1, 2, 10)
    assert cases.classes(["10", "2", "1"]).labels == (10, 2, 1)


@pytest.mark.sweep(5)
@pytest.mark.parametrize(
    ("truth", "prediction", "message"),
    [
        (["Yes", "no", "maybe"], ["yes", "no", "no"], "differ only by spaces or letter case"),
        ([1, 2, 3], ["1", "2", "3"], "must use the same labels"),
        ([0, 1, 2], [0.3, 1, 2], "looks like scores"),
        (["a", "a"], ["a", "a"], "holds one class only"),
        (
            np.arange(100_000),
            np.arange(100_000),
            "at most 5,000 classes, got 100,000 such",
        ),
    ],
)
def test_columns_that_are_no_classes(truth, prediction, message):
    with pytest.raises(LabelError, match=message):
        br.class_table(truth, prediction)


def test_a_score_that_was_cut_has_no_classes():
    decided = Labels.of([True, False, True], decided=True)
    cases = Cases(
        truth=Labels.of("abc"), predictions={"risk": decided}, count=np.ones(3, dtype=int)
    )
    with pytest.raises(LabelError, match="risk is a score that was cut"):
        cases.classes()


def test_three_labels_where_two_are_needed():
    message = r"^3 labels were found where two .*pass pos_label .*or count every .*class_table"
    with pytest.raises(LabelError, match=message):
        br.confusion_matrix(["a", "b", "c"], ["a", "b", "b"])


def test_one_class_against_the_rest_is_what_the_binary_door_counts():
    truth, prediction = sides(3, 300)
    more = {"keys": {"cluster": RNG.integers(0, 40, 300)}, "groups": {"g": RNG.integers(0, 2, 300)}}
    cases = read_arrays(truth, {"m": prediction}, sample_weight=RNG.random(300), **more)
    classes = cases.classes()
    design = classes.counted().design
    assert design is not None
    assert design.n_units == 40
    for label in range(3):
        one, other = classes.one_vs_rest(label).counted(), cases.binary(label).counted()
        assert (one.table, one.groups, one.squared) == (other.table, other.groups, other.squared)
        assert np.array_equal(one.covariance(), other.covariance())
    with pytest.raises(LabelError, match="must be one of the classes"):
        classes.one_vs_rest(3)


def test_scores_stand_in_the_order_of_the_classes():
    scores = {"b": [0.2, 0.3], "a": [0.5, 0.4], "c": [0.3, 0.3]}
    read = read_arrays([0, 1], scores=scores)
    assert read.occurring == (0, 1)
    classes = read.classes([0, 1, 2], ["a", "b", "c"])
    assert classes.scores.tolist() == [[0.5, 0.2, 0.3], [0.4, 0.3, 0.3]]
    assert read.classes().scores is None


def test_the_highest_score_says_the_class_and_ties_are_counted():
    whole = np.array([[0.1, 0.9, 0.0], [0.4, 0.2, 0.4], [np.nan, 0.5, 0.5]])
    read = read_arrays([1, 2, 2], class_scores={"score": whole}, missing="drop")
    assert read.n_missing == 1
    classes = read.classes([0, 1, 2], [0, 1, 2]).decided("score")
    assert classes.table("score").counts.tolist() == [[0, 0, 0], [0, 1, 0], [1, 0, 0]]
    assert classes.n_tied == 1
    with pytest.raises(InvalidArgumentError, match="score must be finite, got inf"):
        read_arrays([0, 1, 2], class_scores={"score": np.full((3, 3), np.inf)}).classes(
            [0, 1, 2], [0, 1, 2]
        )


def test_numbers_beside_words_are_not_read_from_words():
    table = br.class_table([1, "2", 1, "a"], ["2", 1, 1, "a"], labels=[1, "2", "a"])
    assert table.labels == (1, "2", "a")
    two = br.class_table([1, "2", 1], ["2", 1, 1], labels=[1, "2"])
    assert two.labels == (1, "2")

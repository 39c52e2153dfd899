import re
import tracemalloc
from collections import Counter
from datetime import date
from math import fsum

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix as peer

from baserate.cases import confusion_matrix, count_labels, encoder
from baserate.cases.arrays import read_arrays
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, LabelError, MissingValueError, UnknownNameError

ALPHABETS = {
    "bool": np.array([False, True]),
    "0 and 1": np.array([0, 1]),
    "-1 and 1": np.array([-1, 1], dtype="i1"),
    "float": np.array([0.0, 1.0]),
    "text": np.array(["no", "yes"]),
    "long text": np.array(["the patient is well", "the patient is not well"]),
    "objects": np.array(["no", "yes"], dtype=object),
    "five": np.arange(5),
    "fifty": np.arange(50),
    "fifty words": np.array([f"label {i}" for i in range(50)]),
}


def oracle(truth, prediction, positive, weights=None):
    """Count one by one, as the definition says."""
    parts = {"tp": [0], "fn": [0], "fp": [0], "tn": [0]}
    for i, (t, p) in enumerate(zip(truth, prediction, strict=True)):
        name = (
            ("tp" if p == positive else "fn")
            if t == positive
            else ("fp" if p == positive else "tn")
        )
        parts[name].append(1 if weights is None else weights[i])
    return {name: sum(part) if weights is None else fsum(part) for name, part in parts.items()}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("labels", ALPHABETS.values(), ids=ALPHABETS)
def test_parity_with_scikit_learn(labels, weighted):
    rng = np.random.default_rng(7)
    truth, prediction = rng.choice(labels, 3000), rng.choice(labels, 3000)
    weights = rng.random(3000) if weighted else None
    positive = labels[-1]
    table = confusion_matrix(truth, prediction, pos_label=positive, sample_weight=weights)
    (tn, fp), (fn, tp) = peer(truth == positive, prediction == positive, sample_weight=weights)
    np.testing.assert_allclose([*table], [tp, fn, fp, tn], rtol=1e-12, atol=0)


@pytest.mark.slow
@given(
    pairs=st.lists(
        st.tuples(st.sampled_from([0, 1, 2, "a", "b"]), st.sampled_from([0, 1.0, True, "a", "c"])),
        min_size=1,
        max_size=60,
    ),
    block=st.integers(1, 20),
    data=st.data(),
)
def test_agrees_with_counting_one_by_one(pairs, block, data):
    truth, prediction = zip(("a", 1), *pairs, (1, "a"), strict=True)
    positive = data.draw(st.sampled_from(truth))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoder, "BLOCK", block)
        counted = count_labels(truth, prediction, pos_label=positive)
    assert counted.table.to_dict() == oracle(truth, prediction, positive)
    assert set(counted.labels) == {*truth, *prediction}


@pytest.mark.slow
@given(
    rows=st.lists(
        st.tuples(
            st.booleans(),
            st.booleans(),
            st.just(0.0) | st.floats(1e-6, 1e6),
            st.sampled_from(["x", "y", None, 3]),
        ),
        min_size=1,
        max_size=60,
    ),
    block=st.integers(1, 20),
)
def test_weighted_groups_agree_with_counting_one_by_one(rows, block):
    truth, prediction, weights, group = zip(*rows, strict=True)
    kept = [g for w, g in zip(weights, group, strict=True) if w and g is not None]
    assume(kept)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoder, "BLOCK", block)
        options = {"groups": {"g": group}, "sample_weight": weights, "missing": "drop"}
        cases = read_arrays(truth, {"y_pred": prediction}, **options)
    counted = cases.binary().counted()
    assert {key[0]: n for key, n in counted.group_n.items()} == Counter(kept)
    weighed = [g for w, g in zip(weights, group, strict=True) if w]
    assert counted.n_missing == weighed.count(None)
    for (value,), table in counted.groups.items():
        rows_of = [i for i, g in enumerate(group) if g == value]
        t, p, w = ([column[i] for i in rows_of] for column in (truth, prediction, weights))
        assert table.to_dict() == pytest.approx(oracle(t, p, True, w), rel=1e-12)


@pytest.mark.parametrize("labels", ALPHABETS.values(), ids=ALPHABETS)
def test_labels_that_first_appear_in_a_later_block(labels, monkeypatch):
    monkeypatch.setattr(encoder, "BLOCK", 4)
    truth = np.sort(np.tile(labels, 5))
    counted = count_labels(truth, truth[::-1], pos_label=labels[0])
    assert counted.labels == tuple(sorted(labels.tolist()))
    assert counted.table.to_dict() == oracle(truth, truth[::-1], labels[0])


@pytest.mark.sweep(6, start=5)
@pytest.mark.parametrize("kind", ["bool", "int64", "text", "weighted", "float", "six"])
def test_memory_beyond_the_input(kind):
    rng = np.random.default_rng(3)
    rows = 5_000_000
    column = rng.random(rows) < 0.3
    weights = np.ones(rows) if kind == "weighted" else None
    made = {
        "int64": lambda: column.astype(np.int64),
        "text": lambda: np.where(column, "yes", "no"),
        "float": lambda: column.astype(float),
        "six": lambda: rng.integers(0, 6, rows),
    }
    labels = made.get(kind, lambda: column)()
    positive = "yes" if kind == "text" else 1
    tracemalloc.start()
    table = confusion_matrix(labels, labels[::-1], pos_label=positive, sample_weight=weights)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert table.n == rows
    assert peak < 16 * 2**20


def test_objects_equal_but_not_identical_are_one_label():
    truth = [str(1000 + i % 2) for i in range(50)]
    assert truth[0] is not truth[2]
    counted = count_labels(truth, truth, pos_label="1001")
    assert counted.labels == ("1000", "1001")
    assert counted.table == ConfusionMatrix(tp=25, fn=0, fp=0, tn=25)


def test_strings_that_look_like_values_stay_strings():
    with pytest.raises(LabelError, match="y_true holds '0', '1'; pass pos_label, one of '0', '1'"):
        confusion_matrix(["0", "1"], ["1", "0"])
    assert confusion_matrix(["0", "1"], ["1", "1"], pos_label="1").fp == 1


def test_whole_numbers_beyond_double_precision_stay_apart():
    near = 2**53
    counted = count_labels(
        [near, near + 1, None], [near, near, near], pos_label=near, missing="drop"
    )
    assert counted.table == ConfusionMatrix(tp=1, fn=0, fp=1, tn=0)
    series = pd.Series([near, near + 1, None], dtype="Int64")
    assert count_labels(series, series, pos_label=near, missing="drop").table.tn == 1


@pytest.mark.parametrize("make", [np.array, list, pd.Series])
@pytest.mark.parametrize("positive", [None, 1])
def test_scores_are_refused_early(make, positive):
    scores = np.random.default_rng(1).random(5000)
    with pytest.raises(LabelError, match="y_pred must hold labels, but looks like scores"):
        confusion_matrix(make((scores > 0.5).astype(int)), make(scores), pos_label=positive)


@pytest.mark.parametrize(
    ("truth", "prediction", "message"),
    [
        ([1, 0, 1], [1, 0], "y_pred must have as many cases as y_true (3), got 2: pass one value"),
        (np.ones(1234), np.ones(5), "y_pred must have as many cases as y_true (1,234), got 5"),
        ([0, 1], np.ones((2, 2)), "y_pred must be one-dimensional, got (2, 2)"),
        (["no", "yes"], [0, 1], "y_true holds 'no', 'yes' and y_pred holds 0, 1; say which"),
        (
            [1, 2, 3],
            [1, 2, 3],
            "3 labels were found where two were expected: y_true holds 1, 2, 3;",
        ),
    ],
)
def test_refusals(truth, prediction, message):
    with pytest.raises(LabelError, match=re.escape(message)):
        confusion_matrix(truth, prediction)


def test_missing_values_are_counted_per_column():
    truth, prediction, weights = [1, None, 0, None, 1], [None, None, 0, 1, 1], [1, 1, 1, 1, np.nan]
    message = (
        "The data have missing values: 2 in 'y_true', 2 in 'y_pred', 1 in 'sample_weight'; pass "
        'missing="drop" (--missing drop) to leave these rows out, or '
        "fill in what a missing value counts as (of predictions: --relabel =LABEL)."
    )
    with pytest.raises(MissingValueError, match=re.escape(message)):
        confusion_matrix(truth, prediction, sample_weight=weights)
    counted = count_labels(truth, prediction, sample_weight=weights, missing="drop")
    assert (counted.n, counted.n_missing) == (1, 4)


def test_nothing_left_after_dropping():
    with pytest.raises(MissingValueError, match="Every row of the data has a missing value: 1 in"):
        confusion_matrix([None, 1], [1, None], missing="drop")


def test_missing_takes_two_words():
    with pytest.raises(UnknownNameError, match="missing must be one of error, drop, got 'omit'"):
        confusion_matrix([1], [1], missing="omit")


def test_messages_use_the_names_of_the_columns():
    names = {"target": "outcome", "weight": "w"}
    with pytest.raises(MissingValueError, match="1 in 'outcome', 1 in 'model', 1 in 'w';"):
        read_arrays([None, 1], {"model": [None, 1]}, sample_weight=[1, None], **names)


def test_group_columns_of_any_type():
    moments = pd.to_datetime(["2020-01-01", "2021-01-01", "2020-01-01", None])
    groups = {"when": pd.Series(moments), "y_true": ["b", "a", "b", None], "size": [1.5, 2, 1.5, 1]}
    predictions = {"y_pred": [1, 0, 1, 0]}
    counted = (
        read_arrays([1, 1, 0, 0], predictions, groups=groups, missing="drop").binary().counted()
    )
    early, late = date(2020, 1, 1), date(2021, 1, 1)
    assert list(counted.groups) == [(early, "b", 1.5), (late, "a", 2)]
    assert counted.group_names == ("when", "y_true", "size")
    assert counted.groups[early, "b", 1.5] == ConfusionMatrix(tp=1, fn=0, fp=1, tn=0)


def test_a_group_column_of_the_wrong_length():
    with pytest.raises(
        InvalidArgumentError, match=r"region must have as many cases as y_true \(2\)"
    ):
        read_arrays([1, 0], {"y_pred": [1, 0]}, groups={"region": ["a"]})


@pytest.mark.parametrize("more", [3, 6])  # 2^40 cells fit no memory, 2^70 no whole number
def test_more_combinations_than_a_table_can_hold(more):
    each = np.arange(1024)
    rest = np.concatenate([each, np.zeros(1024, int)])
    groups = {"first": np.tile(each, 2), **{f"g{i}": rest for i in range(more)}}
    ones = np.ones(2048, int)
    cases = read_arrays(ones, {"y_pred": ones}, groups=groups)
    expected = Counter(zip(*(column.tolist() for column in groups.values()), strict=True))
    assert len(expected) == 2047
    assert cases.binary().counted().group_n == expected


def test_fractions_may_name_groups():
    share = np.random.default_rng(5).random(2000)
    ones = np.ones(2000, int)
    cases = read_arrays(ones, {"y_pred": ones}, groups={"share": share})
    assert len(cases.binary().groups) == 2000

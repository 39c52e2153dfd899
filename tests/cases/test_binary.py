import datetime as dt
import re

import numpy as np
import pytest

from baserate.cases import confusion_matrix
from baserate.cases.binary import choose_positive
from baserate.errors import LabelError


@pytest.mark.parametrize(
    ("truth", "prediction", "expected"),
    [
        ((False, True), (False, True), True),
        ((0, 1), (0, 1), 1),
        ((-1, 1), (-1, 1), 1),
        ((-1.0, 1.0), (-1, 1), 1),
        ((0, 1), (False, True), 1),
        ((1,), (1,), 1),
        ((0,), (0,), 1),
        ((0,), (1,), 1),
        ((-1,), (-1,), 1),
        ((False,), (False,), True),
        ((0.0,), (0.0,), 1.0),
        ((0, 1), (), 1),
    ],
)
def test_natural_positive(truth, prediction, expected):
    found = choose_positive(truth, prediction)
    assert found == expected
    assert type(found) in {type(label) for label in (*truth, *prediction)}


@pytest.mark.parametrize(
    ("labels", "asked", "expected"),
    [
        (("no", "yes"), "yes", "yes"),
        (("no", "yes"), "no", "no"),
        ((0, 1), 0, 0),
        ((False, True), 1, True),
        ((0, 1), 1.0, 1),
        ((1, 2, 3), 2, 2),
        (("a", "b", "c"), "b", "b"),
        ((0, 1), "1", 1),
        ((0.0, 1.0), "1", 1.0),
        ((False, True), "true", True),
        ((False, True), "1", True),
        ((0, 1), "true", 1),
        (("0", "1"), "1", "1"),
    ],
)
def test_positive_that_was_asked_for(labels, asked, expected):
    found = choose_positive(labels, labels, asked)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("truth", "prediction", "positive", "message"),
    [
        (("no", "yes"), ("no", "yes"), None,
         "class is positive: y_true holds 'no', 'yes'; pass pos_label, one of 'no', 'yes'."),
        ((1, 2), (1, 2), None,
         "The labels do not say which class is positive: y_true holds 1, 2; pass pos_label, one"),
        (("0", "1"), ("0", "1"), None, "y_true holds '0', '1'; pass pos_label"),
        (("False", "True"), ("False", "True"), None,
         "y_true holds 'False', 'True'; pass pos_label"),
        ((0, 1, 2), (0, 1, 2), None,
         "3 labels were found where two were expected: y_true holds 0, 1, 2; pass pos_label"),
        ((0, 1), (-1, 1), None, "two were expected: y_true holds 0, 1 and y_pred holds -1, 1;"),
        ((0, 1), (0, 1), 2,
         "pos_label must be a label that occurs, got 2: y_true holds 0, 1; pass one of these."),
        (("no", "yes"), ("no",), "Yes",
         "got 'Yes': y_true holds 'no', 'yes' and y_pred holds 'no'; pass one of these."),
        (("0", "1"), ("0", "1"), 1, "a label that occurs, got 1: y_true holds '0', '1'"),
        (("no", "yes"), (0, 1), None, "y_true holds 'no', 'yes' and y_pred holds 0, 1; say which"),
        (("no", "yes"), (0, 1), "yes", "Truth and prediction must use the same labels"),
        (("a", "b"), ("c", "d"), "a", "Truth and prediction must use the same labels"),
        (("no", "yes"), (1,), "yes", "Truth and prediction must use the same labels"),
        ((0, 1), (0.1, 0.2, 0.9), None,
         "(0.1, 0.2, 0.9): pass labels, such as scores >= 0.5, or pass them as score (--sc"),
        ((0, 1), (0.1, 0.2, 1.0), 1, "looks like scores"),
        ((), (), None, "y_true holds no cases: pass at least one labelled case."),
    ],
)  # fmt: skip
def test_refusals_say_what_was_found_and_what_to_do(truth, prediction, positive, message):
    with pytest.raises(LabelError, match=re.escape(message)):
        choose_positive(truth, prediction, positive)


def test_messages_use_the_names_they_are_given():
    names = {"target": "outcome", "predicted": "model_1", "argument": "--positive"}
    with pytest.raises(LabelError, match="outcome holds 1, 2 and model_1 holds 1; pass --positive"):
        choose_positive((1, 2), (1,), **names)


def test_a_hundred_labels_are_not_all_listed():
    with pytest.raises(
        LabelError, match=r"100 labels were found .* 8, 9 and 90 more; pass pos_label"
    ):
        choose_positive(tuple(range(100)), tuple(range(100)))


def test_fractions_that_the_truth_holds_too_are_labels():
    assert choose_positive((0.5, 1.5), (0.5, 1.5), 1.5) == 1.5


@pytest.mark.parametrize(
    ("truth", "prediction", "named"),
    [
        (("no", "yes"), ("no", "yes", "yes "), "'yes', 'yes '"),
        (("no", "yes"), ("Yes", "no"), "'Yes', 'yes'"),
        (("no", "no\u00a0", "yes"), (), "'no', 'no\\xa0'"),
        (("No", " no", "no"), ("no",), "' no', 'No', 'no'"),
    ],
)
@pytest.mark.parametrize("positive", [None, "yes"])
def test_labels_that_differ_only_by_spaces_or_case(truth, prediction, named, positive):
    message = f"Labels {named} differ only by spaces or letter case: clean them first (y_true holds"
    with pytest.raises(LabelError, match=re.escape(message)):
        choose_positive(truth, prediction, positive)


@pytest.mark.parametrize("labels", [("no", "yes"), ("a b", "ab"), ("1", 1), ("", "x")])
def test_labels_that_differ_otherwise_are_different(labels):
    assert choose_positive(labels, labels, labels[0]) == labels[0]


def test_bytes_are_the_text_they_hold():
    assert choose_positive(("a", "b"), ("a", "b"), b"a") == "a"
    table = confusion_matrix([b"a", b"b", b"b"], [b"a", b"a", b"b"], pos_label=b"a")
    assert table.to_dict() == {"tp": 1, "fn": 0, "fp": 1, "tn": 1}
    array = np.array([b"a", b"b", b"b"])
    assert confusion_matrix(array, array, pos_label=np.bytes_(b"b")).tp == 2


def test_the_option_of_the_command_line_is_named_where_there_is_one():
    with pytest.raises(LabelError, match=r"; pass positive \(--positive\), one of 1, 2"):
        choose_positive((1, 2), (1, 2), argument="positive")


@pytest.mark.parametrize(
    ("truth", "prediction", "asked", "positive"),
    [
        (("no",), ("no",), "yes", "yes"),
        (("no",), (), "yes", "yes"),
        ((0,), (0,), 1, 1),
        ((0,), (), "1", 1),
        ((2,), (2,), 3, 3),
        ((dt.date(2020, 1, 1),), (), dt.date(2020, 1, 2), dt.date(2020, 1, 2)),
    ],
)
def test_a_positive_label_need_not_occur_beside_one_other(truth, prediction, asked, positive):
    assert choose_positive(truth, prediction, asked) == positive


@pytest.mark.parametrize(
    ("truth", "prediction", "asked", "message"),
    [
        (("no",), ("maybe",), "yes", "got 'yes': y_true holds 'no' and y_pred holds 'maybe'; pass"),
        (("no",), ("no", "maybe"), "yes", "y_pred holds 'no', 'maybe'; pass one of these"),
        ((0,), (), "yes", "pos_label must be a label that occurs, got 'yes': y_true holds 0"),
        (("0",), (), 1, "pos_label must be a label that occurs, got 1: y_true holds '0'"),
        (("Yes",), (), "yes", "'Yes', 'yes' differ only by spaces or letter case"),
    ],
)
def test_two_other_labels_or_one_of_another_kind_are_refused(truth, prediction, asked, message):
    with pytest.raises(LabelError, match=message):
        choose_positive(truth, prediction, asked)

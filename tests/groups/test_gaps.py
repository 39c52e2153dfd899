"""Gaps between groups: fairlearn's numbers where all groups are defined, reasons elsewhere."""

import warnings
from math import isnan

import numpy as np
import pytest
from sklearn import metrics as skm

from baserate import ClassTable, ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnknownNameError, UnsupportedError
from baserate.groups.gaps import group_difference, group_ratio
from baserate.groups.pair_intervals import pair_interval

TABLES = {
    "a": ConfusionMatrix(tp=8, fn=2, fp=3, tn=7),
    "b": ConfusionMatrix(tp=5, fn=5, fp=1, tn=9),
    "c": ConfusionMatrix(tp=2, fn=1, fp=4, tn=13),
}
WITHOUT_POSITIVES = {
    "a": ConfusionMatrix(tp=4, fn=0, fp=1, tn=5),
    "b": ConfusionMatrix(tp=0, fn=0, fp=1, tn=4),
}
PEERS = {
    "recall": skm.recall_score,
    "accuracy": skm.accuracy_score,
    "precision": skm.precision_score,
    "f1": skm.f1_score,
    "matthews_correlation": skm.matthews_corrcoef,
    "balanced_accuracy": skm.balanced_accuracy_score,
}


def frame(tables, function):
    """fairlearn's view of the cases behind the tables."""
    from fairlearn.metrics import MetricFrame

    truth, predicted, groups = [], [], []
    for name, t in tables.items():
        truth += [1] * (t.tp + t.fn) + [0] * (t.fp + t.tn)
        predicted += [1] * t.tp + [0] * t.fn + [1] * t.fp + [0] * t.tn
        groups += [name] * t.n
    return MetricFrame(
        metrics=function, y_true=truth, y_pred=predicted, sensitive_features=np.array(groups)
    )


@pytest.mark.sweep(12, start=3)
@pytest.mark.parametrize("method", ["between_groups", "to_overall"])
@pytest.mark.parametrize("name", PEERS)
def test_fairlearn_gives_the_same_where_all_groups_are_defined(name, method):
    peer = frame(TABLES, PEERS[name])
    found = group_difference(name, TABLES, method=method)
    assert found.value == pytest.approx(peer.difference(method=method), abs=1e-14)
    assert float(found) == found.value
    if name != "matthews_correlation":
        ratio = group_ratio(name, TABLES, method=method)
        assert ratio.value == pytest.approx(peer.ratio(method=method), abs=1e-14)
    assert found.overall == pytest.approx(peer.overall)
    assert found.largest == peer.by_group.idxmax()
    assert found.smallest == peer.by_group.idxmin()
    assert not found.undefined


def test_a_group_without_positives_has_no_recall_and_no_part_in_the_gap():
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # scikit-learn: "Recall is ill-defined and being set to 0.0"
        peer = frame(WITHOUT_POSITIVES, skm.recall_score)
        assert peer.by_group["b"] == 0.0
        assert peer.difference() == 1.0
        assert peer.ratio() == 0.0
    found = group_difference("recall", WITHOUT_POSITIVES)
    assert isnan(found.value)
    assert found.undefined == {"b": "no positives (tp + fn = 0)"}
    assert found.values == {"a": 1.0}
    assert found.reason == "1 of the groups has a value, and a gap needs two"
    assert isnan(found.low)
    assert isnan(found.high)
    assert (found.largest, found.smallest) == (None, None)


def test_the_ends_of_a_tie_are_two_groups():
    perfect = {
        "a": ConfusionMatrix(tp=5, fn=0, fp=1, tn=1),
        "b": ConfusionMatrix(tp=300, fn=0, fp=1, tn=1),
    }
    found = group_difference("recall", perfect)
    assert (found.value, found.largest, found.smallest) == (0, "a", "b")
    pair = pair_interval("difference(recall)", perfect["a"], perfect["b"])
    assert (found.low, found.high) == (pair.low, pair.high)
    three = {"x": TABLES["b"], "y": TABLES["a"], "z": TABLES["a"]}
    assert group_difference("recall", three).smallest == "x"


@pytest.mark.parametrize("method", ["between_groups", "to_overall"])
@pytest.mark.parametrize("name", ["mcc", "informedness", "marginal_benefit"])
def test_no_ratio_of_what_can_be_negative(name, method):
    with pytest.raises(UnsupportedError, match=r"can be negative.*use group_difference"):
        group_ratio(name, TABLES, method=method)


def test_an_undefined_group_leaves_the_gap_of_the_others_alone():
    found = group_difference("recall", TABLES | {"d": WITHOUT_POSITIVES["b"]})
    assert found.value == pytest.approx(0.3)
    assert (found.largest, found.smallest) == ("a", "b")
    assert list(found.undefined) == ["d"]


def test_the_interval_is_that_of_the_two_groups_named():
    found = group_difference("recall", TABLES, confidence_level=0.9)
    pair = pair_interval("difference(recall)", TABLES["a"], TABLES["b"], confidence_level=0.9)
    assert (found.low, found.high) == (pair.low, pair.high)
    ratio = group_ratio("recall", TABLES)
    pair = pair_interval("ratio(recall)", TABLES["b"], TABLES["a"])
    assert (ratio.low, ratio.high) == (pair.low, pair.high)


def test_to_overall_names_the_furthest_group_and_has_no_interval():
    found = group_difference("recall", TABLES, method="to_overall")
    assert found.furthest == "b"
    with pytest.raises(UnsupportedError, match="group is part of the whole: use"):
        _ = found.low


def test_no_ratio_to_zero():
    none = {
        "a": ConfusionMatrix(tp=0, fn=2, fp=3, tn=7),
        "b": ConfusionMatrix(tp=0, fn=5, fp=1, tn=9),
    }
    assert group_ratio("recall", none).reason == "the largest value is 0"
    assert (
        group_ratio("recall", none, method="to_overall").reason == "the value over all cases is 0"
    )
    assert group_difference("recall", none).value == 0


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"a": TABLES["a"]}, "at least two groups"),
        ([TABLES["a"], TABLES["b"]], "mapping of at least two groups"),
        ({"a": TABLES["a"], "b": (1, 2, 3, 4)}, r"tables\['b'\] must be a ConfusionMatrix"),
    ],
)
def test_refusals(tables, message):
    with pytest.raises(InvalidArgumentError, match=message):
        group_difference("recall", tables)


def test_an_unknown_method():
    with pytest.raises(UnknownNameError, match="between_groups"):
        group_difference("recall", TABLES, method="between")


def test_groups_of_several_classes_differ_in_averages():
    # Recall by class: a 4/5, 2/4, 1/2, and b 2/5, 1/2; its third class has no case.
    tables = {
        "a": ClassTable([[4, 1, 0], [1, 2, 1], [0, 1, 1]], ["x", "y", "z"]),
        "b": ClassTable([[1, 1], [3, 2]], ["y", "x"]),
        "c": ClassTable([[0, 2], [0, 1]], ["x", "y"]),
    }
    gap = group_difference("accuracy", tables)
    assert gap.values == pytest.approx({"a": 7 / 11, "b": 3 / 7, "c": 1 / 3})
    assert (gap.largest, gap.smallest, gap.value) == ("a", "c", pytest.approx(7 / 11 - 1 / 3))
    assert gap.overall == pytest.approx(11 / 21)
    assert gap.low < gap.value < gap.high
    assert gap.tables["c"].labels == ("x", "y", "z")
    recall = group_difference("macro_recall", tables)
    assert recall.values == {"a": pytest.approx((4 / 5 + 2 / 4 + 1 / 2) / 3)}
    assert "z" in recall.undefined["b"]
    assert "2 of the groups" not in recall.reason
    far = group_difference("accuracy", tables, method="to_overall")
    assert (far.furthest, far.value) == ("c", pytest.approx(11 / 21 - 1 / 3))
    ratio = group_ratio("accuracy", tables)
    assert ratio.value == pytest.approx(11 / 21)
    assert ratio.low < ratio.value < ratio.high
    with pytest.raises(InvalidArgumentError, match="tables"):
        group_difference("macro_f1", {"a": tables["a"], "b": 3})

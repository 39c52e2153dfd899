"""The table of several classes."""

import numpy as np
import pytest

import baserate as br
from baserate.errors import InvalidArgumentError, InvalidCountError, LabelError

T = br.ClassTable([[5, 1, 0], [2, 7, 1], [0, 0, 4]], ["a", "b", "c"])


def test_margins_and_single_classes():
    assert (T.n, T.class_counts.tolist(), T.predicted_counts.tolist()) == (
        20,
        [6, 10, 4],
        [7, 8, 5],
    )
    assert T.one_vs_rest("b") == br.ConfusionMatrix(tp=7, fn=3, fp=1, tn=9)
    for k, label in enumerate(T.labels):
        assert T.one_vs_rest()[k] == T.one_vs_rest(label)


def test_sums_go_by_label():
    other = br.ClassTable([[1, 2], [3, 4]], ["c", "d"])
    both = T + other
    assert both.labels == ("a", "b", "c", "d")
    assert both.n == 30
    assert both.one_vs_rest("c") == br.ConfusionMatrix(tp=5, fn=2, fp=4, tn=19)
    assert sum([T, T]) == br.ClassTable(2 * T.counts, T.labels)


def test_reordering_keeps_every_case():
    turned = T.reorder(["c", "x", "a", "b"])
    assert turned.absent == ("x",)
    assert turned.reorder(T.labels) == T
    with pytest.raises(LabelError, match="'b'"):
        T.reorder(["a", "c"])


def test_coarser_classes():
    assert T.collapse({"ab": "ab"}) == br.ClassTable([[15, 1], [0, 4]], ["ab", "c"])
    with pytest.raises(InvalidArgumentError, match="each label once"):
        T.collapse({"x": "ab", "y": "b"})
    with pytest.raises(InvalidArgumentError, match="class that stays"):
        T.collapse({"c": "ab"})


def test_batches():
    batch = br.ClassTable(np.stack([T.counts, T.counts.T]), T.labels)
    assert batch.shape == (2,)
    assert batch[1] == T.transpose()
    assert batch.one_vs_rest("a").tp.tolist() == [5, 5]


@pytest.mark.parametrize(
    "counts",
    [[[1, 2]], [1, 2], [[1]], [[1, -1], [0, 1]], [[np.nan, 1], [1, 1]], [["a", "b"], "cd"]],
)
def test_what_is_no_table_is_refused(counts):
    with pytest.raises(InvalidCountError, match="counts must"):
        br.ClassTable(counts)


def test_labels_name_each_class_once():
    with pytest.raises(InvalidArgumentError, match="labels must be 2"):
        br.ClassTable([[1, 2], [3, 4]], ["a"])
    with pytest.raises(InvalidArgumentError, match="'a' twice"):
        br.ClassTable([[1, 2], [3, 4]], ["a", "a"])

"""The table of several classes."""

import pickle
from copy import deepcopy
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import confusion_matrix

import baserate as br
from baserate.adapters.counts_file import read_any_counts
from baserate.class_counts import single_class_table
from baserate.errors import InvalidArgumentError, InvalidCountError, LabelError, UnknownNameError

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
    with pytest.raises(InvalidArgumentError, match="labels must be 2, as many"):
        br.ClassTable([[1, 0], [0, 0]]).reorder([0])


def test_coarser_classes():
    assert T.collapse({"ab": "ab"}) == br.ClassTable([[15, 1], [0, 4]], ["ab", "c"])
    with pytest.raises(InvalidArgumentError, match="each label once"):
        T.collapse({"x": "ab", "y": "b"})
    with pytest.raises(InvalidArgumentError, match="class that stays"):
        T.collapse({"c": "ab"})
    with pytest.raises(InvalidArgumentError, match="must be a mapping"):
        T.collapse([["a", "b"], ["c"]])


def test_batches():
    batch = br.ClassTable(np.stack([T.counts, T.counts.T]), T.labels)
    assert batch.shape == (2,)
    assert batch[1] == T.transpose()
    assert batch.one_vs_rest("a").tp.tolist() == [5, 5]
    turned = batch.reorder(["c", "a", "b"])
    assert [turned[k] for k in range(2)] == [batch[k].reorder(["c", "a", "b"]) for k in range(2)]
    for weights in (batch, br.ClassTable(batch.counts / 4, T.labels)):
        for k, one in enumerate((weights[0], weights[1])):
            assert weights.rates()[k].tolist() == one.rates().tolist()
            assert weights[k : k + 1].one_vs_rest("b")[0] == one.one_vs_rest("b")
            assert weights.one_vs_rest("b")[k] == one.one_vs_rest("b")
            rows = br.ClassTable(weights.counts[:, None], T.labels)
            assert rows.one_vs_rest("b")[k, 0] == one.one_vs_rest("b")


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


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (5, "sequence of plain values"),
        ([["a"], ["b"]], "sequence of plain values"),
        ([None, "a"], "must not be missing"),
        ([float("nan"), 1.0], "must not be missing"),
    ],
)
def test_labels_are_plain(labels, words):
    with pytest.raises(InvalidArgumentError, match=words):
        br.ClassTable([[1, 2], [3, 4]], labels)


def test_a_frame_brings_its_labels():
    labels = ["cat", "dog"]
    frame = pd.DataFrame([[1, 2], [3, 4]], index=labels, columns=labels)
    assert br.ClassTable(frame) == br.ClassTable([[1, 2], [3, 4]], labels)
    assert br.ClassTable(frame, ["a", "b"]).labels == ("a", "b")
    seen = pd.crosstab(pd.Series(["x", "y", "y"]), pd.Series(["y", "x", "y"]))
    assert br.ClassTable(seen) == br.class_table(["x", "y", "y"], ["y", "x", "y"])
    with pytest.raises(InvalidArgumentError, match=r"in one order, .* pass counts.reindex"):
        br.ClassTable(frame[["dog", "cat"]])
    with pytest.raises(InvalidArgumentError, match=r"pass counts.to_numpy\(\), and labels"):
        br.ClassTable(pd.DataFrame([[1, 2], [3, 4]], columns=labels))


def test_one_class_of_weighted_cases():
    """Against exact fractions: nothing is negative, and what holds no case is 0."""
    rng = np.random.default_rng(3)
    for size in (2, 3, 5):
        counts = 10 ** rng.uniform(-12, 12, (size, size)) * (rng.random((size, size)) < 0.6)
        counts[-1, -1] = 0.1
        exact = [[Fraction(cell) for cell in row] for row in counts.tolist()]
        for k, table in enumerate(br.ClassTable(counts).one_vs_rest()[i] for i in range(size)):
            others = [i for i in range(size) if i != k]
            expected = (
                exact[k][k],
                sum(exact[k][p] for p in others),
                sum(exact[t][k] for t in others),
                sum(exact[t][p] for t in others for p in others),
            )
            for found, wanted in zip(table, expected, strict=True):
                assert found >= 0
                assert (found == 0) == (wanted == 0)
                assert found == pytest.approx(float(wanted), rel=1e-13, abs=0)
    lonely = br.ClassTable([[0.1, 0.2, 0.3], [0.7, 0, 0], [0.4, 0, 0]]).one_vs_rest(0)
    assert lonely.tn == 0


def test_two_weighted_classes_keep_their_digits():
    table = br.ClassTable([[0.1, 0.2], [0.3, 1e16]], ["a", "b"])
    assert table.one_vs_rest("a") == br.ConfusionMatrix(tp=0.1, fn=0.2, fp=0.3, tn=1e16)
    assert table.one_vs_rest("b") == br.ConfusionMatrix(tp=1e16, fn=0.3, fp=0.2, tn=0.1)


NORMALIZE = {"truth": "true", "prediction": "pred", "all": "all"}


@pytest.mark.parametrize(("by", "name"), NORMALIZE.items())
def test_shares_are_those_of_scikit_learn(by, name):
    truth, prediction = np.random.default_rng(1).integers(0, 4, (2, 200))
    expected = confusion_matrix(truth, prediction, normalize=name)
    assert br.class_table(truth, prediction).rates(by) == pytest.approx(expected, rel=1e-14)


def test_shares_of_nothing_are_undefined():
    table = br.ClassTable([[2, 0, 0], [1, 3, 0], [0, 0, 0]])
    assert np.isnan(table.rates()[2]).all()
    assert np.isnan(table.rates("prediction")[:, 2]).all()
    assert np.isnan(br.ClassTable(np.zeros((2, 2, 2))).rates("all")).all()
    with pytest.raises(UnknownNameError, match="truth, prediction, all"):
        table.rates("true")


def test_copies_are_protected_and_equal():
    for copy in (pickle.loads(pickle.dumps(T)), deepcopy(T)):  # noqa: S301  ours
        assert copy == T
        with pytest.raises(ValueError, match="read-only"):
            copy.counts[0, 0] = 9
    floats = br.ClassTable(T.counts.astype(float), T.labels)
    assert (floats, hash(floats)) == (T, hash(T))
    zeros = br.ClassTable([[1, 0.0], [-0.0, 1]])
    assert hash(zeros) == hash(br.ClassTable([[1, 0], [0, 1]]))


def test_huge_counts():
    big = br.ClassTable([[2**59, 2**59], [2**59, 1]])
    assert big.n == 3 * 2**59 + 1
    assert sum([big] * 40).n == pytest.approx(40 * big.n, rel=1e-14)
    assert br.ClassTable([[10**30, 0], [0, 1]]).n == 1e30
    assert big.collapse({"x": [0]}).counts.tolist() == big.counts.tolist()


def test_groups_of_one_label_and_of_all():
    assert T.collapse({"ill": "a"}).labels == ("ill", "b", "c")
    words = br.ClassTable(T.counts, ["mild", "bad", "well"])
    assert words.collapse({"ill": ["mild", "bad"]}).counts.tolist() == [[15, 1], [0, 4]]
    assert words.collapse({"good": "well"}).labels == ("good", "mild", "bad")
    with pytest.raises(InvalidArgumentError, match="leave at least two classes"):
        T.collapse({"x": "abc"})
    with pytest.raises(InvalidArgumentError, match="'a' twice"):
        T.reorder(["a", "a", "b", "c"])


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_frame_is_a_file_of_counts(backend, tmp_path):
    frame = T.to_frame(backend=backend)
    path = tmp_path / "counts.csv"
    if backend == "pandas":
        frame.to_csv(path, index=False)
    else:
        pl.DataFrame(frame if backend == "polars" else pl.from_arrow(frame)).write_csv(path)
    assert read_any_counts(path) == T


def test_a_class_may_be_called_truth():
    table = br.ClassTable([[1, 2], [3, 4]], ["truth", "lie"])
    assert table.to_frame(backend="polars").columns == ["", "truth", "lie"]
    both = br.ClassTable([[1, 2], [3, 4]], ["truth", ""]).to_frame(backend="polars")
    assert both.columns == ["true class", "truth", ""]
    with pytest.raises(InvalidArgumentError, match="differ when written"):
        br.ClassTable([[1, 2], [3, 4]], [1, "1"]).to_frame()


@pytest.mark.parametrize(
    ("attempt", "error", "words"),
    [
        (
            lambda: T.one_vs_rest("z"),
            LabelError,
            r"class of the table.*use 'a', 'b', 'c'",
        ),
        (lambda: T[0], InvalidArgumentError, "must hold several tables.*leave the index out"),
        (lambda: br.ClassTable([["x", "y"], ["z", "w"]]), InvalidCountError, "not labels"),
        (lambda: single_class_table("table", 5), InvalidArgumentError, "must be a ClassTable"),
        (
            lambda: single_class_table("table", br.ClassTable([[[1, 2], [3, 4]]] * 3)),
            InvalidArgumentError,
            r"single table, got .*batch of shape \(3,\)",
        ),
    ],
)
def test_what_a_table_cannot_do(attempt, error, words):
    with pytest.raises(error, match=words):
        attempt()


def test_tables_are_added_to_tables_alone():
    assert sum([T, T]) == T + T
    for other in (1, 0.0, None, "T"):
        assert other != T
        with pytest.raises(TypeError):
            T + other
        with pytest.raises(TypeError):
            other + T


@pytest.mark.parametrize("unit", [1, 0.5], ids=["cases", "weights"])
def test_tables_in_a_batch_of_any_shape_are_as_each_alone(unit):
    counts = np.arange(4 * 2 * 9).reshape(4, 2, 3, 3) % 17 * unit
    batch = br.ClassTable(counts, ["a", "b", "c"])
    for place in np.ndindex(4, 2):
        one = br.ClassTable(counts[place], ["a", "b", "c"])
        for by in ("truth", "prediction", "all"):
            assert batch.rates(by)[place].tolist() == one.rates(by).tolist()
        assert batch.one_vs_rest()[place] == one.one_vs_rest()
        assert batch.reorder("cab").counts[place].tolist() == one.reorder("cab").counts.tolist()


def test_a_class_is_missed_if_any_table_of_a_batch_holds_it():
    empty, full = np.diag([1, 1, 0]), np.diag([1, 1, 1])
    assert br.ClassTable(empty, "abc").reorder("ab").n_classes == 2
    with pytest.raises(LabelError, match="must hold every class"):
        br.ClassTable([empty, full], "abc").reorder("ab")


def test_large_tables_and_batches_are_shown_by_their_size():
    assert repr(br.ClassTable(np.eye(7, dtype=int))) == "<ClassTable: 7 classes, n=7>"
    assert repr(br.ClassTable(np.ones((2, 3, 3)))) == "<ClassTable: (2,) tables of 3 classes>"
    assert repr(br.ClassTable(np.eye(6, dtype=int))).startswith("ClassTable([[1, 0")


def test_other_things_are_neither_equal_nor_added():
    assert (T == 3) is False
    assert T.__eq__(3) is NotImplemented
    for wrong in (lambda: T + 3, lambda: 3 + T, lambda: T + "a"):
        with pytest.raises(TypeError, match="unsupported operand"):
            wrong()


def test_whole_numbers_stay_whole_while_no_sum_can_overflow():
    for k in (2, 3, 4):
        most = 2**61 // k**2
        assert br.ClassTable(np.full((k, k), most)).counts.dtype == np.int64
        assert br.ClassTable(np.full((k, k), most + 1)).counts.dtype == np.float64


def test_the_label_that_stands_twice_is_named():
    with pytest.raises(InvalidArgumentError, match="'b' twice"):
        br.ClassTable(np.eye(3), ["a", "b", "b"])

"""Several classifiers on the same cases: counted together, resolved one by one."""

import numpy as np
import pytest

from baserate.cases import count_labels
from baserate.cases.arrays import read_arrays
from baserate.counts import ConfusionMatrix
from baserate.errors import LabelError, MissingValueError

TRUTH = ["ill", "ill", "ill", "well", "well", "well", "well"]
A = ["ill", "well", "ill", "well", "ill", "well", "well"]
B = ["well", "ill", "ill", "well", "well", "well", "ill"]
SEX = ["f", "f", "m", "m", "x", "f", "m"]


def joint(truth=TRUTH, predictions=None, scores=None, groups=None, positive="ill", **options):
    predictions = {"A": A, "B": B} if predictions is None else predictions
    cases = read_arrays(truth, predictions, scores=scores, groups=groups, **options)
    return cases.binary(positive)


def test_every_table_is_the_one_counted_alone():
    found = joint()
    for k, prediction in enumerate((A, B)):
        assert found.table(k) == count_labels(TRUTH, prediction, pos_label="ill").table
    assert (found.names, found.positive, found.labels) == (("A", "B"), "ill", ("ill", "well"))
    assert found.n == 7


def test_cells_count_pairs_of_decisions_by_class():
    cells = joint().cells((0, 1))
    # [decision of A][decision of B][class], 0 for positive, counted by hand from the lists above.
    assert cells.tolist() == [[[1, 0], [1, 1]], [[1, 1], [0, 2]]]
    swapped = joint().cells((1, 0))
    assert np.array_equal(swapped, cells.swapaxes(0, 1))


def test_groups_hold_the_same_cases():
    found = joint(groups={"sex": SEX})
    assert found.groups == (("f",), ("m",), ("x",))
    parts = [found.within(i) for i in range(3)]
    assert [part.n for part in parts] == [3, 3, 1]
    assert parts[0].table(0) == ConfusionMatrix(tp=1, fn=1, fp=0, tn=1)
    assert sum(part.cells((0, 1)) for part in parts).tolist() == found.cells((0, 1)).tolist()


def test_scores_wait_for_their_cut():
    score = [0.9, 0.2, 0.7, 0.1, 0.6, 0.3, 0.4]
    found = joint(predictions={}, scores={"s": score}, groups={"sex": SEX})
    assert found.names == ()
    cut = found.with_decisions({"s at 0.5": found.scores["s"] >= 0.5})
    assert cut.names == ("s at 0.5",)
    assert cut.table(0) == ConfusionMatrix(tp=2, fn=1, fp=1, tn=3)
    assert cut.within(1).table(0) == ConfusionMatrix(tp=1, fn=0, fp=0, tn=2)


def test_missing_entries_of_any_column_are_refused_or_dropped():
    gap, nan = [None, *B[1:]], [float("nan"), *[0.5] * 6]
    with pytest.raises(MissingValueError, match=r"1 in 'B', 1 in 's'.*missing=\"drop\""):
        joint(predictions={"A": A, "B": gap}, scores={"s": nan})
    found = joint(predictions={"A": A, "B": gap}, scores={"s": nan}, missing="drop")
    assert (found.n, found.n_missing, len(found.scores["s"])) == (6, 1, 6)
    assert found.table(0) == count_labels(TRUTH[1:], A[1:], pos_label="ill").table


def test_missing_groups_are_refused_or_dropped():
    sex = [*SEX[:4], None, *SEX[5:]]
    with pytest.raises(MissingValueError, match=r"1 in 'sex'.*missing=\"drop\""):
        joint(groups={"sex": sex})
    found = joint(groups={"sex": sex}, missing="drop")
    assert (found.n, found.n_missing, found.groups) == (6, 1, (("f",), ("m",)))


def test_columns_that_do_not_fit():
    with pytest.raises(LabelError, match=r"B must have as many cases as y_true \(7\), got 6"):
        joint(predictions={"A": A, "B": B[:-1]})
    with pytest.raises(LabelError, match="must use the same labels"):
        joint(predictions={"A": A, "B": [1, 0, 1, 0, 1, 0, 0]})
    with pytest.raises(LabelError, match="do not say which class is positive"):
        joint(positive=None)
    with pytest.raises(LabelError, match="looks like scores"):
        joint([1, 0], {"A": [1, 0], "B": [0.25, 0.75]}, positive=None)

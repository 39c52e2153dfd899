import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from baserate.cases.cases import Cases
from baserate.cases.labels import Labels
from baserate.counts import ConfusionMatrix
from baserate.errors import LabelError, MissingValueError

TRUTH = ("yes", "yes", "no", "no")
PREDICTION = ("yes", "no", "yes", "no")


def rows(truth, prediction, count, *, weight=None, squared=None, groups=(), decided=False, **about):
    """Make a record of rows of counts."""
    sides = {f"g{i}": Labels.of(values) for i, values in enumerate(zip(*groups, strict=True))}
    sums = {"weight": weight, "squared": squared} if weight is not None else {}
    return Cases(
        truth=Labels.of(truth), predictions={"model": Labels.of(prediction, decided=decided)},
        groups=sides, count=np.array(count, dtype=np.int64),
        **{name: np.array(values, dtype=float) for name, values in sums.items()}, **about,
    )  # fmt: skip


def resolve(cases, positive=None, **about):
    return replace(cases, **about).binary(positive).counted()


def test_cells_by_hand():
    cases = rows(truth=TRUTH, prediction=PREDICTION, count=(5, 4, 3, 2), n_missing=7)
    counted = resolve(cases, positive="yes")
    assert counted.table == ConfusionMatrix(tp=5, fn=4, fp=3, tn=2)
    assert (counted.positive, counted.labels, counted.n) == ("yes", ("no", "yes"), 14)
    assert (counted.n_missing, counted.effective_n, counted.groups) == (7, 14.0, {})
    swapped = resolve(cases, positive="no").table
    assert swapped == ConfusionMatrix(tp=2, fn=3, fp=4, tn=5)


def test_more_labels_are_one_against_the_rest():
    cases = rows(truth=(1, 1, 2, 3, 3), prediction=(1, 3, 3, 2, 3), count=(1, 2, 4, 8, 16))
    assert resolve(cases, positive=3).table == ConfusionMatrix(tp=16, fn=8, fp=6, tn=1)


def test_decided_predictions_are_not_labels():
    cases = rows(
        truth=TRUTH, prediction=(True, False, True, False), count=(5, 4, 3, 2), decided=True
    )
    counted = resolve(cases, positive="yes")
    assert counted.table == ConfusionMatrix(tp=5, fn=4, fp=3, tn=2)
    assert counted.labels == ("no", "yes")
    assert resolve(cases, positive="no").table == ConfusionMatrix(tp=3, fn=2, fp=5, tn=4)


@pytest.mark.parametrize(
    ("truth", "prediction", "positive", "labels"),
    [
        (("1", "1", "0", "0"), ("1.0", "0.0", "1.0", "0.0"), 1, (0, 1)),
        (
            ("True", "TRUE", "false", "False"),
            ("true", "false", "true", "false"),
            True,
            (False, True),
        ),
        (("1", "1", "0", "0"), ("True", "False", "True", "False"), 1, (0, 1)),
        (("1", "1", "-1", "-1"), ("1", "-1", "1", "-1"), 1, (-1, 1)),
        ((1, 1, 0, 0), ("1", "0", "1", "0"), 1, (0, 1)),
    ],
)
def test_text_that_is_numbers_or_booleans(truth, prediction, positive, labels):
    cases = rows(truth=truth, prediction=prediction, count=(5, 4, 3, 2))
    counted = resolve(cases, from_text=True)
    assert counted.table == ConfusionMatrix(tp=5, fn=4, fp=3, tn=2)
    assert (counted.positive, counted.labels) == (positive, labels)


def test_one_odd_label_keeps_all_of_them_text():
    cases = rows(truth=("1", "0", "unknown"), prediction=("1", "1", "0"), count=(5, 4, 3))
    counted = resolve(cases, from_text=True, positive="1")
    assert counted.labels == ("0", "1", "unknown")
    assert counted.table == ConfusionMatrix(tp=5, fn=0, fp=4, tn=3)


def test_text_stays_text_unless_asked():
    cases = rows(truth=("1", "0"), prediction=("1", "0"), count=(1, 1))
    message = r"outcome holds '0', '1'; pass positive \(--positive\), one of '0', '1'"
    with pytest.raises(LabelError, match=message):
        resolve(cases, target="outcome")


def test_text_is_read_for_decided_predictions_too():
    cases = rows(truth=("1", "0"), prediction=(True, True), count=(3, 1), decided=True)
    assert resolve(cases, from_text=True).table == ConfusionMatrix(tp=3, fn=0, fp=1, tn=0)


def test_weights_and_kish():
    cases = rows(
        truth=(1, 1, 0), prediction=(1, 0, 0), count=(2, 1, 1),
        weight=(1.5, 2.0, 0.5), squared=(1.25, 4.0, 0.25),
        groups=(("a",), ("b",), ("b",)),
    )  # fmt: skip
    counted = resolve(cases)
    assert counted.table == ConfusionMatrix(tp=1.5, fn=2.0, fp=0.0, tn=0.5)
    assert counted.n == 4
    assert counted.effective_n == pytest.approx(float(Fraction(16) / Fraction(11, 2)), rel=1e-14)
    assert counted.group_n == {("a",): 2, ("b",): 2}
    expected = {("a",): 1.5**2 / 1.25, ("b",): 2.5**2 / 4.25}
    assert counted.group_effective_n == pytest.approx(expected, rel=1e-14)


def test_squared_weights_are_kept_cell_by_cell_and_group_by_group():
    cases = rows(
        truth=(1, 1, 0, 0), prediction=(1, 1, 1, 0), count=(2, 1, 1, 2),
        weight=(3.0, 2.0, 0.5, 4.0), squared=(5.0, 4.0, 0.25, 10.0),
        groups=(("a",), ("b",), ("b",), ("b",)),
    )  # fmt: skip
    counted = resolve(cases)
    assert counted.weighted
    assert counted.squared == ConfusionMatrix(tp=9.0, fn=0.0, fp=0.25, tn=10.0)
    assert counted.group_squared == {
        ("a",): ConfusionMatrix(tp=5.0, fn=0.0, fp=0.0, tn=0.0),
        ("b",): ConfusionMatrix(tp=4.0, fn=0.0, fp=0.25, tn=10.0),
    }


def test_counts_are_not_weights():
    counted = resolve(rows(truth=(1, 0), prediction=(1, 0), count=(3, 4)))
    assert (counted.weighted, counted.squared, counted.group_squared) == (False, None, {})


@pytest.mark.parametrize("positive", [None, 1, 0])
@pytest.mark.parametrize("weights", [(0.0, 0.0, 0.0), (0.0, 0.0, 2.0), (0.0, 2.0, 0.0)])
def test_weights_of_zero_are_refused_only_throughout(weights, positive):
    squares = tuple(weight**2 for weight in weights)
    cases = rows(
        truth=(1, 1, 0), prediction=(1, 0, 1), count=(3, 1, 2),
        weight=weights, squared=squares,
    )  # fmt: skip
    if not any(weights):
        message = "outcome holds no case that counts, because all weights are 0: pass"
        with pytest.raises(LabelError, match=message):
            resolve(cases, positive=positive, target="outcome")
        return
    table = resolve(cases, positive=positive, target="outcome").table
    hit, miss, alarm = weights
    if positive == 0:
        assert table == ConfusionMatrix(tp=0, fn=alarm, fp=miss, tn=hit)
    else:
        assert table == ConfusionMatrix(tp=hit, fn=miss, fp=alarm, tn=0)


def test_a_group_without_weight_is_kept_empty():
    cases = rows(
        truth=(1, 0, 0), prediction=(1, 0, 0), count=(1, 1, 1), weight=(1.0, 2.0, 0.0),
        squared=(1.0, 4.0, 0.0), groups=(("a",), ("a",), ("b",)),
    )  # fmt: skip
    counted = resolve(cases)
    assert counted.groups["b",].n == 0
    assert math.isnan(counted.group_effective_n["b",])


@pytest.mark.parametrize(("weight", "square"), [(1e-200, 0.0), (1e200, math.inf), (1e-160, 1e-320)])
def test_weights_whose_squares_are_lost_are_refused(weight, square):
    cases = rows(
        truth=(1, 0), prediction=(1, 0), count=(1, 1), weight=(1.0, weight),
        squared=(1.0, square),
    )  # fmt: skip
    with pytest.raises(LabelError, match=r"squares that a float can hold.*multiply all weights"):
        resolve(cases)


def test_groups_come_in_order_and_share_the_positive_label():
    groups = ((10, "b"), (9, "b"), (None, "a"), ("x", "a"), (9, "a"))
    cases = rows(
        truth=(1, 0, 1, 1, 0), prediction=(1, 1, 0, 1, 0), count=(1, 2, 3, 4, 5),
        groups=groups,
    )  # fmt: skip
    counted = resolve(cases)
    assert list(counted.groups) == [(9, "a"), (9, "b"), (10, "b"), ("x", "a"), (None, "a")]
    assert counted.groups[9, "b"] == ConfusionMatrix(tp=0, fn=0, fp=2, tn=0)
    assert counted.group_effective_n[None, "a"] == 3
    total = ConfusionMatrix(tp=0, fn=0, fp=0, tn=0)
    for table in counted.groups.values():
        total += table
    assert total == counted.table


def test_nothing_to_count():
    with pytest.raises(LabelError, match="outcome holds no cases: pass at least one"):
        resolve(rows((), (), ()), target="outcome")


def test_large_counts_stay_whole():
    cases = rows((1, 1, 0), (1, 1.0, 0), (10**18, 1, 8 * 10**18))
    assert resolve(cases).table.tp == 10**18 + 1
    assert cases.binary().cells((0,)).tolist() == [[10**18 + 1, 0], [0, 8 * 10**18]]


def test_decisions_of_several_classifiers_need_one_positive_label():
    cases = rows(TRUTH, PREDICTION, (1, 1, 1, 1))
    other = Labels.of((True, False, True, False), decided=True)
    both = replace(cases, predictions={**cases.predictions, "cut": other}).binary("yes")
    assert both.names == ("model", "cut")
    assert both.table("cut") == both.table("model")
    assert both.cells((0, 1)).tolist() == [[[1, 1], [0, 0]], [[0, 0], [1, 1]]]


def test_missing_parts_are_counted_by_column_or_dropped_once():
    cases = rows(
        ("yes", None, "no", "no"), ("yes", None, "yes", None), (5, 4, 3, 2), where="cases.csv"
    )
    with pytest.raises(
        MissingValueError, match=r"cases.csv has missing values: 4 in 'y_true', 6 in"
    ):
        cases.complete("error")
    kept = cases.complete("drop")
    assert (kept.n, kept.n_missing) == (8, 6)
    nothing = rows((None, 1), (1, None), (2, 3))
    with pytest.raises(MissingValueError, match="Every row of the data has a missing value: 2 in"):
        nothing.complete("drop")


def test_equal_labels_of_groups_are_one_group():
    cases = rows((1, 0, 1), (1, 0, 0), (1, 2, 3), groups=((1,), (True,), (1.0,)))
    assert list(resolve(cases).groups) == [(1,)]
    assert resolve(cases).group_n == {(1,): 6}

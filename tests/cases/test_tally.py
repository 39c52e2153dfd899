import math
from fractions import Fraction

import pytest

from baserate.cases import Tally, resolve
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, LabelError

TRUTH = ("yes", "yes", "no", "no")
PREDICTION = ("yes", "no", "yes", "no")


def test_cells_by_hand():
    tally = Tally(truth=TRUTH, prediction=PREDICTION, count=(5, 4, 3, 2), n_missing=7)
    counted = resolve(tally, positive="yes")
    assert counted.table == ConfusionMatrix(tp=5, fn=4, fp=3, tn=2)
    assert (counted.positive, counted.labels, counted.n) == ("yes", ("no", "yes"), 14)
    assert (counted.n_missing, counted.effective_n, counted.groups) == (7, 14.0, {})
    swapped = resolve(tally, positive="no").table
    assert swapped == ConfusionMatrix(tp=2, fn=3, fp=4, tn=5)


def test_more_labels_are_one_against_the_rest():
    tally = Tally(truth=(1, 1, 2, 3, 3), prediction=(1, 3, 3, 2, 3), count=(1, 2, 4, 8, 16))
    assert resolve(tally, positive=3).table == ConfusionMatrix(tp=16, fn=8, fp=6, tn=1)


def test_decided_predictions_are_not_labels():
    tally = Tally(
        truth=TRUTH, prediction=(True, False, True, False), count=(5, 4, 3, 2), decided=True
    )
    counted = resolve(tally, positive="yes")
    assert counted.table == ConfusionMatrix(tp=5, fn=4, fp=3, tn=2)
    assert counted.labels == ("no", "yes")
    assert resolve(tally, positive="no").table == ConfusionMatrix(tp=3, fn=2, fp=5, tn=4)


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
    tally = Tally(truth=truth, prediction=prediction, count=(5, 4, 3, 2))
    counted = resolve(tally, from_text=True)
    assert counted.table == ConfusionMatrix(tp=5, fn=4, fp=3, tn=2)
    assert (counted.positive, counted.labels) == (positive, labels)


def test_one_odd_label_keeps_all_of_them_text():
    tally = Tally(truth=("1", "0", "unknown"), prediction=("1", "1", "0"), count=(5, 4, 3))
    counted = resolve(tally, from_text=True, positive="1")
    assert counted.labels == ("0", "1", "unknown")
    assert counted.table == ConfusionMatrix(tp=5, fn=0, fp=4, tn=3)


def test_text_stays_text_unless_asked():
    tally = Tally(truth=("1", "0"), prediction=("1", "0"), count=(1, 1))
    message = r"outcome holds '0', '1'; pass positive \(--positive\), one of '0', '1'"
    with pytest.raises(LabelError, match=message):
        resolve(tally, target="outcome")


def test_text_is_read_for_decided_predictions_too():
    tally = Tally(truth=("1", "0"), prediction=(True, True), count=(3, 1), decided=True)
    assert resolve(tally, from_text=True).table == ConfusionMatrix(tp=3, fn=0, fp=1, tn=0)


def test_weights_and_kish():
    tally = Tally(
        truth=(1, 1, 0), prediction=(1, 0, 0), count=(2, 1, 1),
        weight=(1.5, 2.0, 0.5), weight_squared=(1.25, 4.0, 0.25),
        groups=(("a",), ("b",), ("b",)), group_names=("g",),
    )  # fmt: skip
    counted = resolve(tally)
    assert counted.table == ConfusionMatrix(tp=1.5, fn=2.0, fp=0.0, tn=0.5)
    assert counted.n == 4
    assert counted.effective_n == pytest.approx(float(Fraction(16) / Fraction(11, 2)), rel=1e-14)
    assert counted.group_n == {("a",): 2, ("b",): 2}
    expected = {("a",): 1.5**2 / 1.25, ("b",): 2.5**2 / 4.25}
    assert counted.group_effective_n == pytest.approx(expected, rel=1e-14)


def test_squared_weights_are_kept_cell_by_cell_and_group_by_group():
    tally = Tally(
        truth=(1, 1, 0, 0), prediction=(1, 1, 1, 0), count=(2, 1, 1, 2),
        weight=(3.0, 2.0, 0.5, 4.0), weight_squared=(5.0, 4.0, 0.25, 10.0),
        groups=(("a",), ("b",), ("b",), ("b",)), group_names=("g",),
    )  # fmt: skip
    counted = resolve(tally)
    assert counted.weighted
    assert counted.squared == ConfusionMatrix(tp=9.0, fn=0.0, fp=0.25, tn=10.0)
    assert counted.group_squared == {
        ("a",): ConfusionMatrix(tp=5.0, fn=0.0, fp=0.0, tn=0.0),
        ("b",): ConfusionMatrix(tp=4.0, fn=0.0, fp=0.25, tn=10.0),
    }


def test_counts_are_not_weights():
    counted = resolve(Tally(truth=(1, 0), prediction=(1, 0), count=(3, 4)))
    assert (counted.weighted, counted.squared, counted.group_squared) == (False, None, {})


@pytest.mark.parametrize("positive", [None, 1, 0])
@pytest.mark.parametrize("weights", [(0.0, 0.0, 0.0), (0.0, 0.0, 2.0), (0.0, 2.0, 0.0)])
def test_weights_of_zero_are_refused_only_throughout(weights, positive):
    squares = tuple(weight**2 for weight in weights)
    tally = Tally(
        truth=(1, 1, 0), prediction=(1, 0, 1), count=(3, 1, 2),
        weight=weights, weight_squared=squares,
    )  # fmt: skip
    if not any(weights):
        message = "outcome holds no case that counts, because all weights are 0: pass"
        with pytest.raises(LabelError, match=message):
            resolve(tally, positive=positive, target="outcome")
        return
    table = resolve(tally, positive=positive, target="outcome").table
    hit, miss, alarm = weights
    if positive == 0:
        assert table == ConfusionMatrix(tp=0, fn=alarm, fp=miss, tn=hit)
    else:
        assert table == ConfusionMatrix(tp=hit, fn=miss, fp=alarm, tn=0)


def test_a_group_without_weight_is_kept_empty():
    tally = Tally(
        truth=(1, 0, 0), prediction=(1, 0, 0), count=(1, 1, 1), weight=(1.0, 2.0, 0.0),
        weight_squared=(1.0, 4.0, 0.0), groups=(("a",), ("a",), ("b",)), group_names=("g",),
    )  # fmt: skip
    counted = resolve(tally)
    assert counted.groups["b",].n == 0
    assert math.isnan(counted.group_effective_n["b",])


@pytest.mark.parametrize(("weight", "square"), [(1e-200, 0.0), (1e200, math.inf), (1e-160, 1e-320)])
def test_weights_whose_squares_are_lost_are_refused(weight, square):
    tally = Tally(
        truth=(1, 0), prediction=(1, 0), count=(1, 1), weight=(1.0, weight),
        weight_squared=(1.0, square),
    )  # fmt: skip
    with pytest.raises(LabelError, match=r"squares that a float can hold.*multiply all weights"):
        resolve(tally)


def test_weights_come_with_their_squares():
    with pytest.raises(InvalidArgumentError, match="weight, weight_squared must be given together"):
        Tally(truth=(1,), prediction=(1,), count=(1,), weight=(2.0,))


def test_groups_come_in_order_and_share_the_positive_label():
    groups = ((10, "b"), (9, "b"), (None, "a"), ("x", "a"), (9, "a"))
    tally = Tally(
        truth=(1, 0, 1, 1, 0), prediction=(1, 1, 0, 1, 0), count=(1, 2, 3, 4, 5),
        groups=groups, group_names=("size", "site"),
    )  # fmt: skip
    counted = resolve(tally)
    assert list(counted.groups) == [(9, "a"), (9, "b"), (10, "b"), ("x", "a"), (None, "a")]
    assert counted.groups[9, "b"] == ConfusionMatrix(tp=0, fn=0, fp=2, tn=0)
    assert counted.group_effective_n[None, "a"] == 3
    total = ConfusionMatrix(tp=0, fn=0, fp=0, tn=0)
    for table in counted.groups.values():
        total += table
    assert total == counted.table


@pytest.mark.parametrize(
    ("n_missing", "message"),
    [(0, "outcome holds no cases: pass"), (1234, "no cases after 1,234 were dropped: pass")],
)
def test_nothing_to_count(n_missing, message):
    tally = Tally(truth=(), prediction=(), count=(), n_missing=n_missing)
    with pytest.raises(LabelError, match=message):
        resolve(tally, target="outcome")


def test_large_counts_stay_whole():
    tally = Tally(truth=(1, 1, 0), prediction=(1, 1.0, 0), count=(10**18, 1, 10**19))
    assert resolve(tally).table.tp == 10**18 + 1

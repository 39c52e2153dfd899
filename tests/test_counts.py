"""Counts: margins, coordinates, symmetries, and the errors that finish the sentence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baserate import ConfusionMatrix
from baserate.errors import InvalidArgumentError, InvalidCountError, UnknownNameError

counts = st.integers(min_value=0, max_value=10**30)
tables = st.builds(ConfusionMatrix, tp=counts, fn=counts, fp=counts, tn=counts)
T = ConfusionMatrix(tp=35, fn=5, fp=10, tn=50)


def test_margins():
    assert (T.n_positive, T.n_negative, T.n_predicted, T.n_predicted_negative) == (40, 60, 45, 55)
    assert (T.n, T.base_rate) == (100, 0.4)
    assert np.isnan(ConfusionMatrix(tp=0, fn=0, fp=0, tn=0).base_rate)


@given(tables)
def test_python_integers_never_overflow(t):
    assert t.n == t.tp + t.fn + t.fp + t.tn
    assert isinstance(t.n, int)


@given(tables, tables)
def test_symmetries_and_addition(a, b):
    assert a.swap_classes().swap_classes() == a
    assert a.transpose().transpose() == a
    assert (a + b).transpose() == a.transpose() + b.transpose()
    assert (a + b).n == a.n + b.n
    assert hash(a) == hash(ConfusionMatrix(**a.to_dict()))
    assert (a == b) is (a.to_dict() == b.to_dict())


def test_tables_that_share_a_cell_are_not_equal():
    assert ConfusionMatrix(tp=1, fn=2, fp=3, tn=4) != ConfusionMatrix(tp=1, fn=2, fp=3, tn=5)


def test_batches_broadcast_and_are_frozen():
    t = ConfusionMatrix(tp=np.array([1, 2]), fn=np.array([[3], [4]]), fp=0, tn=1.5)
    assert t.shape == (2, 2)
    assert t[1, 0] == ConfusionMatrix(tp=1, fn=4, fp=0, tn=1.5)
    assert t.is_weighted
    with pytest.raises(ValueError, match="read-only"):
        t.tp[0] = 9
    with pytest.raises(AttributeError):
        T.tp = 3


def test_the_callers_array_is_copied():
    mine = np.array([1, 2])
    t = ConfusionMatrix(tp=mine, fn=0, fp=0, tn=0)
    mine[0] = 99
    assert t.tp[0] == 1


def test_small_integer_types_do_not_wrap():
    t = ConfusionMatrix(tp=np.array([200], dtype=np.uint8), fn=np.uint8(100), fp=1, tn=1)
    assert t.n_positive[0] == 300
    single = ConfusionMatrix(tp=np.int8(100), fn=np.int8(100), fp=np.float32(1), tn=np.int64(1))
    assert [type(cell) for cell in single] == [int, int, float, int]
    assert single.n_positive == 200


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (-1, "tp must be non-negative and finite, got -1"),
        (float("nan"), "tp must be non-negative and finite, got nan"),
        (float("inf"), "tp must be non-negative and finite, got inf"),
        ("3", "tp must be a number or an array of numbers, got '3': pass counts, not labels"),
        (True, "tp must be a number"),
        (1j, "tp must be a number"),
        (None, "tp must be a number"),
        (np.array([1, -2]), "got -2"),
        (np.zeros((2, 3)), r"must have shapes that broadcast.*tp \(2, 3\)"),
    ],
)
def test_bad_counts(bad, message):
    with pytest.raises(InvalidCountError, match=message):
        ConfusionMatrix(tp=bad, fn=np.zeros(4), fp=1, tn=1)


def test_rates_round_trip():
    t = ConfusionMatrix.from_rates(recall=35 / 40, specificity=50 / 60, base_rate=0.4, n=100)
    assert [round(c, 12) for c in t] == [35, 5, 10, 50]
    assert ConfusionMatrix.from_rates(recall=[0.1, 0.2], specificity=1, base_rate=0.5).shape == (2,)
    with pytest.raises(InvalidArgumentError, match=r"recall must lie in \[0, 1\], got 1.2"):
        ConfusionMatrix.from_rates(recall=1.2, specificity=1, base_rate=0.5)
    with pytest.raises(InvalidArgumentError, match=r"n and recall and .* shapes that fit"):
        ConfusionMatrix.from_rates(recall=[0.1, 0.2], specificity=[1, 1, 1], base_rate=0.5)
    everyone = ConfusionMatrix.from_rates(recall=1, precision=0.1, base_rate=0.1, n=30)
    assert tuple(everyone) == pytest.approx((3, 0, 27, 0), abs=1e-12)


def test_at_base_rate_keeps_rates_and_total():
    t = T.at_base_rate(0.1)
    assert t.base_rate == pytest.approx(0.1)
    assert t.n == pytest.approx(100)
    assert t.tp / t.n_positive == pytest.approx(35 / 40)
    with pytest.raises(InvalidCountError, match="both classes"):
        ConfusionMatrix(tp=1, fn=2, fp=0, tn=0).at_base_rate(0.5)
    with pytest.raises(InvalidArgumentError, match="base_rate"):
        T.at_base_rate(1.5)


@pytest.mark.parametrize(
    ("layout", "array"),
    [
        ("tp fn / fp tn", [[35, 5], [10, 50]]),
        ("tn fp / fn tp", [[50, 10], [5, 35]]),
        ("tp fp / fn tn", [[35, 10], [5, 50]]),
        ("tn fn / fp tp", [[50, 5], [10, 35]]),
    ],
)
def test_named_layouts(layout, array):
    assert ConfusionMatrix.from_array(array, layout=layout) == T
    assert ConfusionMatrix.from_array([array, array], layout=layout).shape == (2,)


def test_layout_errors():
    with pytest.raises(UnknownNameError, match="Choose one of"):
        ConfusionMatrix.from_array([[1, 2], [3, 4]], layout="tp fn")
    with pytest.raises(InvalidCountError, match="shape"):
        ConfusionMatrix.from_array([1, 2, 3, 4], layout="tp fn / fp tn")


def test_integers_beyond_numpy_stay_right():
    """Sums of four such counts overflow an int64."""
    for big in (5 * 10**18, 10**19, 10**30):
        t = ConfusionMatrix(tp=big, fn=5, fp=10, tn=big)
        assert t.base_rate == 0.5
        assert not t.is_weighted
        assert t.at_base_rate(0.25).base_rate == pytest.approx(0.25)
    batch = ConfusionMatrix(tp=np.array([2**62]), fn=2**62, fp=2**62, tn=2**62)
    assert batch.n[0] == 2.0**64
    below = ConfusionMatrix(tp=np.array([2**60 + 1]), fn=0, fp=0, tn=2)  # no double is this number
    assert below.n.tolist() == [2**60 + 3]


def test_tables_add_up_with_sum():
    tables = [ConfusionMatrix(tp=1, fn=2, fp=3, tn=4), ConfusionMatrix(tp=[1, 2], fn=0, fp=0, tn=1)]
    assert sum(tables) == tables[0] + tables[1]
    assert sum(tables[:1]) == tables[0]
    assert sum([], start=ConfusionMatrix(tp=0, fn=0, fp=0, tn=0)).n == 0
    for wrong in (1, 0.0, False, "0"):
        with pytest.raises(TypeError):
            wrong + tables[0]


def test_tables_are_added_to_tables_alone():
    assert sum([T, T]) == T + T
    for other in (1, 0.0, None, "T"):
        assert other != T
        with pytest.raises(TypeError):
            T + other
        with pytest.raises(TypeError):
            other + T


def test_a_batch_is_weighted_if_one_count_is():
    whole, some = [3, 2, 7], [3.0, 2.5, 7.0]
    assert not ConfusionMatrix(tp=whole, fn=1, fp=2, tn=np.array([4.0])).is_weighted
    assert ConfusionMatrix(tp=some, fn=1, fp=2, tn=3).is_weighted
    assert ConfusionMatrix(tp=1, fn=1, fp=2, tn=some).is_weighted

"""Derivatives of metrics by dual numbers, complex steps and differences, against calculus."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from baserate.curves.populations import Rates
from baserate.metrics import get
from baserate.tuning.derivatives import (
    Dual,
    Slopes,
    _agree,
    _least_gain,
    _slopes,
    _tiny,
    complex_slopes,
    precise_slopes,
    rate_grid,
    rough_slopes,
    value_of,
)
from baserate.tuning.stationary_points import Bound, _at_bound, excess_of

PI = 0.2
RATES = rate_grid()


def accuracy(recall, specificity):
    return PI * recall + (1 - PI) * specificity, PI, 1 - PI


def precision(recall, specificity):
    tp, fp = PI * recall, (1 - PI) * (1 - specificity)
    return tp / (tp + fp), PI * fp / (tp + fp) ** 2, (1 - PI) * tp / (tp + fp) ** 2


@pytest.mark.parametrize(("name", "calculus"), [("accuracy", accuracy), ("precision", precision)])
@pytest.mark.parametrize(
    ("slopes", "within"), [(complex_slopes, 1e-13), (precise_slopes, 1e-13), (rough_slopes, 1e-7)]
)
def test_slopes_are_those_of_calculus(name, calculus, slopes, within):
    found = slopes(get(name), RATES, PI)
    for got, wanted in zip(found, calculus(RATES.recall, RATES.specificity), strict=True):
        assert got == pytest.approx(np.broadcast_to(wanted, got.shape), rel=within)
    assert value_of(get(name), RATES, PI) == pytest.approx(found.value, rel=1e-13)


def test_the_rates_of_the_grid_share_out_each_class():
    assert RATES.recall + RATES.miss_rate == pytest.approx(np.ones(25), rel=1e-14)
    assert RATES.specificity + RATES.false_positive_rate == pytest.approx(np.ones(25), rel=1e-14)
    assert all(np.all((rate > 0) & (rate < 1)) for rate in RATES)


def test_the_quotient_of_slopes_is_no_larger_than_numbers_are():
    found = Slopes(np.zeros(3), np.array([2.0, 0.0, 1e-300]), np.array([1.0, 1.0, 1e300]))
    assert found.quotient.tolist() == [0.5, np.finfo(float).max, np.finfo(float).max]


def test_slopes_agree_up_to_a_ten_thousandth():
    one = Slopes(np.array([1.0]), np.array([2.0]), np.array([3.0]))
    assert _agree(one, one)
    assert _agree(one._replace(by_recall=np.array([2.0001])), one)
    assert not _agree(one._replace(by_recall=np.array([2.0003])), one)
    assert not _agree(one._replace(by_specificity=np.array([2.9996])), one)
    assert not _agree(one._replace(by_specificity=np.array([np.nan])), one)


def test_the_least_gain_is_that_of_the_smaller_cell_of_a_class():
    rates = Rates(*(np.array([x]) for x in (0.9, 0.1, 0.3, 0.7)))
    for by_recall, by_specificity, least in [(2, 3, 0.2), (9, 1, 0.3), (np.nan, 1, 0.3)]:
        slopes = Slopes(*(np.array([float(x)]) for x in (1, by_recall, by_specificity)))
        assert _least_gain(slopes, rates) == pytest.approx([least], rel=1e-13)


def test_steps_are_small_for_the_smaller_cell_that_is_not_empty():
    found = _tiny(np.array([2.0, 0.0, 5.0]), np.array([8.0, 3.0, 0.0]))
    assert found == pytest.approx([2e-20, 3e-20, 5e-20], rel=1e-13, abs=0)


class TestDual:
    """Value, slope and size of terms; plain numbers on either side do not move."""

    X, Y = Dual.moving(3, 1), Dual.moving(Fraction(1, 2), -1)

    @pytest.mark.parametrize(
        ("make", "value", "slope", "size"),
        [
            (lambda x, y: x + y, 3.5, 0, 2),
            (lambda x, y: x - y, 2.5, 2, 2),
            (lambda x, y: 5 - x, 2, -1, 1),
            (lambda x, y: x * y, 1.5, -2.5, 3.5),
            (lambda x, y: 2 * x, 6, 2, 2),
            (lambda x, y: x / y, 6, 14, 14),
            (lambda x, y: -x / y, -6, -14, 14),
            (lambda x, y: 1 / y, 2, 4, 4),
            (lambda x, y: y**3, 0.125, -0.75, 0.75),
            (lambda x, y: abs(-x), 3, 1, 1),
            (lambda x, y: (x * x * x * 3).sqrt(), 9, 4.5, 4.5),
            (lambda x, y: x.conjugate(), 3, 1, 1),
        ],
    )
    def test_arithmetic(self, make, value, slope, size):
        found = make(self.X, self.Y)
        numbers = [float(part) for part in (found.value, found.slope, found.size)]
        assert numbers == pytest.approx([value, slope, size], rel=1e-14)
        assert float(found) == numbers[0]

    def test_comparisons_see_the_value(self):
        x, y = self.X, self.Y
        assert y < x > 2
        assert y <= x >= 3
        assert x <= 3 == x
        assert x == Dual.moving(3, -7)
        assert not x < 3
        assert not x > 3
        assert not (x <= 2)
        assert not (y >= 1)
        assert bool(x)
        assert not Dual.moving(0, 1)
        assert hash(x) == hash(Dual.moving(3, 1))
        with pytest.raises(TypeError):
            x**y

    def test_a_slope_that_cancels_is_unknown(self):
        x = Dual.moving(3, 1)
        assert np.isnan(_slopes([x - x])).all()
        assert _slopes([x, 2.5 * x]).tolist() == [1.0, 2.5]


def test_the_excess_is_unknown_where_no_ratio_is_asked_for():
    by = np.array([2.0, 0.0, -1.0, np.nan])
    found = excess_of(Slopes(np.zeros(4), np.ones(4), by), np.array([0.5, 0.5, 0.5, 0.5]))
    assert found == pytest.approx([np.log(2) - 0.5, *[np.nan] * 3], rel=1e-13, nan_ok=True)


@pytest.mark.parametrize(("upper", "ask"), [(True, 0.5), (False, 2.0)])
def test_all_that_is_left_before_a_bound_is_taken_where_less_is_never_better(upper, ask):
    """Rules just before a bound of 1 where the metric asks for this ratio, whatever is called."""

    def exact(rates):
        return Slopes(rates.recall, np.ones_like(rates.recall), np.full_like(rates.recall, ask))

    few = 1e-9, 2e-9
    rates = Rates(*(np.array([x]) for x in (few[0], 1 - few[0], few[1], 1 - few[1])))
    rates = rates if upper else Rates(*rates[::-1])
    target = SimpleNamespace(exact=exact, metric=get("accuracy"), base_rate=PI)
    found = _at_bound(target, Bound(0.0, rates), upper=upper)
    assert found is not None
    assert np.array(found.rates) == pytest.approx(np.array(rates), rel=1e-14)
    assert found.ratio == 1.0

"""Two forecasts: differences of losses, their limits and the chance of swapped scores."""

from itertools import product
from math import inf, isnan, log

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss
from sklearn.metrics import log_loss as peer_log_loss

from baserate.curves import brier_score, log_loss
from baserate.curves.losses import compare_brier, compare_log_loss
from baserate.errors import InvalidArgumentError
from oracles.dirichlet_twins import exceeds

Y = np.array([1, 0, 1, 0, 0, 1, 0])
A = np.array([0.7, 0.25, 0.5, 0.1, 0.45, 0.85, 0.3])
B = np.array([0.6, 0.4, 0.75, 0.2, 0.35, 0.55, 0.15])
BOTH = pytest.mark.parametrize("compare", [compare_brier, compare_log_loss])


def losses(compare, y, p):
    if compare is compare_brier:
        return (y - p) ** 2
    return -np.log(np.where(y == 1, p, 1 - p))


@BOTH
def test_values_are_scikit_learns(compare):
    peer = brier_score_loss if compare is compare_brier else peer_log_loss
    weights = np.arange(1.0, 8.0)
    for options in ({}, {"sample_weight": weights}):
        found = compare(Y, A, B, **options)
        a, b = peer(Y, A, **options), peer(Y, B, **options)
        assert (found.value_a, found.value_b) == pytest.approx((a, b), rel=1e-12)
        assert float(found) == pytest.approx(a - b, rel=1e-10)


@BOTH
def test_paired_limits_have_the_largest_possible_difference_as_a_further_one(compare):
    found = compare(Y, A, B, confidence_level=0.9)
    differences = losses(compare, Y, A) - losses(compare, Y, B)
    possible = [
        losses(compare, np.full(7, y), A) - losses(compare, np.full(7, y), B) for y in (0, 1)
    ]
    most = np.abs(possible).max()
    assert float(exceeds([*differences, most], found.high)) == pytest.approx(0.05, rel=1e-6)
    assert float(exceeds([*differences, -most], found.low)) == pytest.approx(0.95, rel=1e-6)


@BOTH
def test_the_p_value_counts_every_swap(compare):
    differences = losses(compare, Y, A) - losses(compare, Y, B)
    sums = np.array(list(product((-1, 1), repeat=7))) @ differences
    found = compare(Y, A, B, method="exact")
    reached = np.abs(sums) >= abs(differences.sum()) - 1e-12
    assert found.p_value == pytest.approx(reached.mean(), rel=1e-12)
    assert found.p_value_route == "exact"
    assert (isnan(found.low), found.reason.startswith("swaps tell")) == (True, True)
    for more in ({"y_true_b": Y}, {"sample_weight": np.ones(7)}):
        with pytest.raises(InvalidArgumentError, match=r"method can be exact.*leave method out"):
            compare(Y, A, B, method="exact", **more)


@pytest.mark.sweep(2, start=1)
@BOTH
def test_the_p_value_is_where_the_interval_ends_at_zero(compare):
    """So the interval holds 0 where p exceeds one less the level, and only there."""
    decided = set()
    for seed in range(4):
        rng = np.random.default_rng(seed)
        y = rng.random(90) < 0.4
        good, bad = np.where(y, 0.6, 0.35) + rng.random(90) / 10, rng.uniform(0.2, 0.8, 90)
        for other in (bad, np.clip(good + rng.normal(0, 0.1, 90), 0.05, 0.95)):
            found = compare(y, good, other)
            excluded = not found.low <= 0 <= found.high
            assert excluded == (found.p_value < 0.05)
            decided.add(excluded)
            if found.p_value < 1:
                edge = compare(y, good, other, confidence_level=1 - found.p_value)
                assert min(abs(edge.low), abs(edge.high)) == pytest.approx(0, abs=1e-7)
    assert decided == {True, False}


@BOTH
def test_equal_forecasts_do_not_differ(compare):
    found = compare(Y, A, A)
    assert (found.difference, found.low, found.high, found.p_value) == (0, 0, 0, 1)


@BOTH
def test_separate_limits_join_those_of_each(compare):
    single = brier_score if compare is compare_brier else log_loss
    found = compare(Y, A, B[:5], y_true_b=Y[:5])
    a, b = single(Y, A), single(Y[:5], B[:5])
    assert found.difference == pytest.approx(a.value - b.value)
    down = np.hypot(a.value - a.low, b.high - b.value)
    up = np.hypot(a.high - a.value, b.value - b.low)
    assert found.low == pytest.approx(found.difference - down, rel=1e-9)
    assert found.high == pytest.approx(found.difference + up, rel=1e-9)


@pytest.mark.sweep(2)
@BOTH
def test_the_separate_p_value_is_where_the_interval_ends_at_zero(compare):
    rng = np.random.default_rng(1)
    y = rng.random(120) < 0.4
    good, bad = np.where(y, 0.52, 0.38) + rng.random(120) / 10, rng.uniform(0.3, 0.7, 120)
    found = compare(y, good, bad, y_true_b=y)
    assert 1e-12 < found.p_value < 1e-2
    edge = compare(y, good, bad, y_true_b=y, confidence_level=1 - found.p_value)
    assert edge.high == pytest.approx(0, abs=1e-7)
    assert compare(Y, A, B, y_true_b=Y).p_value == 1  # a few cases say nothing


@BOTH
def test_weights_are_worth_their_effective_number_of_cases(compare):
    plain, doubled = compare(Y, A, B), compare(Y, A, B, sample_weight=np.full(7, 2.0))
    assert (doubled.low, doubled.high) == pytest.approx((plain.low, plain.high), rel=1e-9)
    assert (plain.route, doubled.route) == ("conservative", "asymptotic")
    assert doubled.p_value == pytest.approx(plain.p_value, rel=1e-9)
    separate = compare(Y, A, B, y_true_b=Y, sample_weight=np.ones(7), sample_weight_b=np.ones(7))
    assert (separate.route, separate.p_value_route) == ("asymptotic", "asymptotic")


def test_infinite_losses_are_infinite_in_the_population_too():
    one, both = np.where(np.arange(7) == 0, 0.0, A), np.where(np.arange(7) == 0, 0.0, B)
    found = compare_log_loss(Y, one, B)
    assert (found.difference, found.low, found.high) == (inf, inf, inf)
    assert "called impossible" in found.p_value_reason
    neither = compare_log_loss(Y, one, both)
    assert isnan(neither.difference)
    assert neither.reason == "both losses are infinite"
    assert isnan(compare_log_loss(Y, one, both, y_true_b=Y).difference)


def test_a_certain_score_leaves_the_interval_open():
    sure = np.where(np.arange(7) == 0, 1.0, A)
    found = compare_log_loss(Y, sure, B)
    assert (found.low, found.high) == (-inf, inf)
    assert 0 < found.p_value <= 1
    agreed = compare_log_loss(Y, sure, np.where(np.arange(7) == 0, 1.0, B))
    assert abs(agreed.low) < log(10)


def test_weights_of_other_cases_need_other_cases():
    with pytest.raises(InvalidArgumentError, match="sample_weight_b is for separate cases"):
        compare_brier(Y, A, B, sample_weight_b=np.ones(7))


def test_the_difference_lies_within_its_limits_to_the_last_digit():
    found = compare_brier(
        [0], [0.9889579538527395], [0.1900091759856831], pos_label=1, sample_weight=[1e70]
    )
    assert found.low <= found.difference <= found.high

"""Capacities and floors: constraints on alarms, recall and precision, where scores are tied."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baserate import metrics
from baserate.counts import ConfusionMatrix
from baserate.curves import sweep
from baserate.errors import InvalidArgumentError, UnknownNameError, UnsupportedError
from baserate.tuning import optimal_threshold, threshold_spread
from baserate.tuning.bagging import FINEST, _near, _needed, _thinned
from baserate.tuning.targets import Constraint, constraints_of

cases = st.lists(
    st.tuples(st.booleans(), st.integers(0, 4)), min_size=3, max_size=20
).filter(lambda rows: len({y for y, _ in rows}) == 2)  # fmt: skip


def cuts(rows):
    """Yield threshold, true positives and alarms at every cut, the slow way."""
    for threshold in [math.inf, *sorted({s for _, s in rows}, reverse=True)]:
        called = [y for y, s in rows if s >= threshold]
        yield threshold, sum(called), len(called)


@pytest.mark.slow
@given(rows=cases, capacity=st.integers(0, 20))
def test_a_capacity_is_never_exceeded_and_used_up_as_ties_allow(rows, capacity):
    truth, scores = zip(*rows, strict=True)
    found = optimal_threshold("recall", truth, scores, constraint=f"alarms <= {capacity}")
    within = [(tp, alarms, t) for t, tp, alarms in cuts(rows) if alarms <= capacity]
    best = max(tp for tp, *_ in within)
    assert found.table.tp == best
    assert found.table.n_predicted == min(alarms for tp, alarms, _ in within if tp == best)
    lower = [s for _, s in rows if s < found.threshold]
    assert found.more_alarms == (lower.count(max(lower)) if lower else 0)


@pytest.mark.sweep(2, start=1)
@given(rows=cases, floor=st.sampled_from(["0.5", "0.8", "1"]))
@pytest.mark.parametrize(("metric", "other"), [("precision", "recall"), ("recall", "precision")])
def test_one_at_the_least_of_the_other_with_ties(metric, other, rows, floor):
    truth, scores = zip(*rows, strict=True)
    total = sum(truth)
    rates = {
        t: {"recall": Fraction(tp, total), "precision": Fraction(tp, alarms)}
        for t, tp, alarms in cuts(rows)
        if alarms
    }
    kept = [r[metric] for r in rates.values() if r[other] >= Fraction(floor)]
    wanted = f"{other} >= {floor}"
    if not kept:
        with pytest.raises(UnsupportedError, match=f"No cut point has {wanted}"):
            optimal_threshold(metric, truth, scores, constraint=wanted)
        return
    found = optimal_threshold(metric, truth, scores, constraint=wanted)
    assert found.value == pytest.approx(float(max(kept)), rel=1e-12)
    assert rates[found.threshold][metric] == max(kept)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("alarms <= 50", "at most 50 alarms"),
        ("predicted_positives<=50", "at most 50 alarms"),
        ("at most 50 alarms", "at most 50 alarms"),
        ("At least 3 alarms", "at least 3 alarms"),
        ("n_predicted <= 12345678", "at most 12345678 alarms"),
        ("predicted_positive_rate <= 0.1", "predicted_positive_rate <= 0.1"),
        ("alarm_rate <= 0.1", "predicted_positive_rate <= 0.1"),
        ("false_alarms <= 5", "false_positives <= 5"),
        ("at least 0.8 recall", "recall >= 0.8"),
    ],
)
def test_constraints_read_back_what_they_say(text, read):
    constraint = Constraint.of(text)
    assert str(constraint) == read
    assert Constraint.of(read) == constraint


def test_a_limit_may_be_reached_and_what_is_undefined_does_not_hold():
    tables = ConfusionMatrix(tp=[8, 80, 799, 801, 0], fn=[2, 20, 201, 199, 0], fp=0, tn=1)
    assert Constraint.of("recall >= 0.8").holds(tables).tolist() == [1, 1, 0, 1, 0]
    assert Constraint.of("recall <= 0.8").holds(tables).tolist() == [1, 1, 1, 0, 0]
    assert Constraint.of("at most 80 alarms").holds(tables).tolist() == [1, 1, 0, 0, 1]


def test_constraints_that_are_none():
    for text in ("alarms < 50", "alarms = 50", "alarms <= many", "alarms <= inf", "at most 50"):
        with pytest.raises(InvalidArgumentError, match="write for example"):
            Constraint.of(text)
    with pytest.raises(UnknownNameError, match="alarmz"):
        Constraint.of("alarmz <= 50")


def test_a_capacity_below_the_highest_tie():
    truth, scores = [1, 0, 1, 0, 0], [3, 3, 3, 2, 1]
    message = (
        "precision is undefined at every cut point with at most 2 alarms: loosen the constraint, "
        "because the highest score alone is an alarm for 3"
    )
    with pytest.raises(UnsupportedError, match=message):
        optimal_threshold("precision", truth, scores, constraint="alarms <= 2")
    nothing = optimal_threshold("recall", truth, scores, constraint="alarms <= 2")
    assert (nothing.value, nothing.table.n_predicted, nothing.more_alarms) == (0, 0, 3)
    with pytest.raises(UnsupportedError, match="No cut point has at most 2 alarms and recall"):
        optimal_threshold("f1", truth, scores, constraint=["alarms <= 2", "recall >= 0.5"])


def test_weights_count_towards_a_capacity():
    found = optimal_threshold(
        *("recall", [1, 1, 1, 0], [3, 2, 1, 0]),
        sample_weight=[1.5, 2, 1, 1],
        constraint="alarms <= 3",
    )
    assert (found.threshold, found.table.tp, found.more_alarms) == (3, 1.5, 2.0)


def test_alarms_are_a_metric_like_any_other():
    table = ConfusionMatrix(tp=3, fn=1, fp=5, tn=9)
    assert metrics.get("alarms")(table) == 8
    assert metrics.predicted_negatives(table) == 10
    with pytest.raises(InvalidArgumentError, match="more or less is better"):
        optimal_threshold("alarms", [0, 1], [1, 2])


def test_samples_of_many_cases_are_cut_where_a_capacity_leaves_room():
    rng = np.random.default_rng(2)
    truth = rng.random(40_000) < 0.3
    swept = sweep(truth, rng.normal(truth * 1.5, 1))
    limits = constraints_of("alarms <= 50")
    thin = _thinned(swept, limits)
    reached = thin.true_positives + thin.false_positives
    assert np.array_equal(reached[:101], np.arange(101))
    assert len(reached) < 3 * FINEST + 3
    spread = threshold_spread("recall", swept, rng=0, n_resamples=40, constraint="alarms <= 50")
    found = optimal_threshold("recall", swept, constraint="alarms <= 50")
    assert spread.value == found.value
    assert spread.low < found.threshold < spread.high
    assert 0.5 * found.value < spread.corrected < 1.2 * found.value


def test_rules_are_kept_around_those_that_may_be_used():
    """As far to both sides as they reach, within the ends; around none, none."""
    assert _near(np.array([], np.intp), 100).size == 0
    for usable, last, low, high in [((40, 59), 100, 20, 79), ((0, 9), 15, 0, 15), ((9,), 9, 8, 9)]:
        around = _near(np.array(usable), last)
        assert (around[0], around[-1], len(around)) == (low, high, FINEST)


def test_samples_of_which_none_has_a_best_cut():
    none, limits = [np.array([], np.intp)] * 2, constraints_of("alarms <= 3")
    for held, words in ((limits, "is defined and the constraints hold: "), ((), "is defined: ")):
        with pytest.raises(UnsupportedError, match=words):
            _needed(none, metrics.f1, held)
    assert _needed([np.array([4]), np.array([2])], metrics.f1, ()).tolist() == [4, 2]

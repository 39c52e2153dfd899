"""Given weights are weights, whatever they sum to."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import baserate as br
from baserate import metrics
from baserate.errors import LabelError

NO_TEST, NOT_LINEAR = "weighted", "weighted_not_linear"
RNG = np.random.default_rng(4)
Y = np.repeat([1, 0], [15, 25])
P = np.where(RNG.random(40) < 0.6, Y, 1 - Y)


@pytest.mark.sweep(10, start=3)
@pytest.mark.parametrize("p_value", ["fisher", "sup"])
@pytest.mark.parametrize("weight", [1, 1.0, 100.0, 0.5, 0.3])
def test_no_exact_test_however_the_weights_sum(weight, p_value):
    facts = br.evaluate(Y, P, weight=[weight] * 40, p_value=p_value).facts
    for fact in facts.metrics:
        assert math.isnan(fact.p_value)
        assert fact.p_value_reason == NO_TEST


def test_without_weights_there_is_a_test():
    facts = br.evaluate(Y, P, metrics="f1").facts
    table = [[facts.table.tp, facts.table.fn], [facts.table.fp, facts.table.tn]]
    expected = stats.fisher_exact(table, alternative="greater").pvalue
    assert facts.metrics[0].p_value == pytest.approx(expected, rel=1e-9)
    assert facts.metrics[0].chance_reason is None
    assert facts.effective_n is None


@pytest.mark.sweep(5, start=1)
@pytest.mark.parametrize("guess", ["dutch_draw", "uniform", "proportional", "mode", 0.3])
def test_chance_does_not_hang_on_whole_sums(guess):
    whole, broken = (br.evaluate(Y, P, weight=[w] * 40, guess=guess).facts for w in (100.0, 100.3))
    for a, b in zip(whole.metrics, broken.metrics, strict=True):
        metric = metrics.get(a.name)
        scale = 1 if metric.scale_invariant else 1.003
        assert (a.chance * scale, a.skill) == pytest.approx((b.chance, b.skill), nan_ok=True)
        assert a.chance_reason == b.chance_reason
        if not metric.linear_in_rates and metric.direction != "neither":
            assert math.isnan(a.chance)
            assert a.chance_reason == NOT_LINEAR


def test_chance_of_a_linear_metric_under_weights():
    w = np.where(Y == 1, 4.0, 1.0)
    (accuracy,) = br.evaluate(Y, P, weight=w, metrics="accuracy").facts.metrics
    share = 15 * 4 / (15 * 4 + 25)
    right = (w * (Y == P)).sum() / w.sum()
    assert accuracy.chance == pytest.approx(share)
    assert accuracy.skill == pytest.approx((right - share) / (1 - share))


def test_one_group_of_whole_sums_is_weighted_like_the_others():
    groups = np.where(np.arange(40) % 2, "a", "b")
    w = np.where(groups == "a", 2.0, 0.3)
    for group in br.evaluate(Y, P, weight=w, groups=groups, metrics="f1").facts.groups:
        assert math.isnan(group.metrics[0].p_value)
        assert group.metrics[0].chance_reason == NOT_LINEAR


def test_published_weights_in_one_row_make_all_rows_weights():
    a = br.ConfusionMatrix(tp=8, fn=2, fp=3, tn=7)
    b = br.ConfusionMatrix(tp=5.5, fn=5, fp=0, tn=10)
    facts = br.evaluate({"a": a, "b": b}, metrics="f1").facts
    found = [facts.metrics[0], *(group.metrics[0] for group in facts.groups)]
    assert [fact.chance_reason for fact in found] == [NOT_LINEAR] * 3


@pytest.mark.sweep(4, start=3)
@pytest.mark.parametrize("weight", [1, 1.0, 0.25, 100])
def test_equal_weights_leave_intervals_of_rates_alone(weight):
    plain, heavy = (br.evaluate(Y, P, weight=w).facts for w in (None, [weight] * 40))
    assert heavy.effective_n == 40
    for a, b in zip(plain.metrics, heavy.metrics, strict=True):
        scale = 1 if metrics.get(a.name).scale_invariant else weight
        ends = (a.low * scale, a.high * scale)
        assert (b.low, b.high) == pytest.approx(ends, rel=1e-7, nan_ok=True)
        if weight == 1:
            assert (b.low, b.high) == (a.low, a.high) or math.isnan(a.low)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("form", ["arrays", "frame", "file"])
def test_ten_heavy_positives_among_many_negatives(form, tmp_path):
    y = np.repeat([1, 0], [10, 100_000])
    p = np.concatenate([np.repeat([1, 0], [7, 3]), np.tile([1] + [0] * 9, 10_000)])
    w = np.where(y == 1, 100.0, 1.0)
    frame = pd.DataFrame({"y": y, "p": p, "w": w})
    columns = {"target": "y", "prediction": "p", "weight": "w", "metrics": "recall, specificity"}
    if form == "arrays":
        facts = br.evaluate(y, p, weight=w, metrics="recall, specificity").facts
    elif form == "frame":
        facts = br.evaluate(frame, **columns).facts
    else:
        frame.to_csv(tmp_path / "cases.csv", index=False)
        facts = br.evaluate(tmp_path / "cases.csv", **columns).facts
    recall, specificity = facts.metrics
    expected = stats.beta(7.5, 3.5).ppf([0.025, 0.975])
    assert (recall.low, recall.high) == pytest.approx(tuple(expected))
    expected = stats.beta(90_000.5, 10_000.5).ppf([0.025, 0.975])
    assert (specificity.low, specificity.high) == pytest.approx(tuple(expected))
    assert facts.effective_n == pytest.approx(101_000**2 / 200_000)


def test_groups_have_effective_sizes_of_their_own():
    y = np.tile(np.repeat([1, 0], [10, 30]), 2)
    p = np.tile(np.concatenate([np.repeat([1, 0], [7, 3]), np.repeat([1, 0], [6, 24])]), 2)
    groups = np.repeat(["a", "b"], 40)
    w = np.where(groups == "a", 50.0, np.where(y == 1, 9.0, 1.0))
    found = br.evaluate(y, p, weight=w, groups=groups, metrics="recall").facts.groups
    expected = tuple(stats.beta(7.5, 3.5).ppf([0.025, 0.975]))
    for group in found:
        assert (group.metrics[0].low, group.metrics[0].high) == pytest.approx(expected)


@pytest.mark.parametrize("positive", [None, 1])
def test_weights_of_zero_throughout_are_refused(positive):
    with pytest.raises(LabelError, match="all weights are 0"):
        br.evaluate(Y, P, weight=np.zeros(len(Y)), positive=positive)


@pytest.mark.parametrize("weightless", [0, 1])
def test_a_class_without_weight_is_counted_as_it_is(weightless):
    w = np.where(np.array(Y) == weightless, 0.0, 2.0)
    table = br.confusion_matrix(Y, P, sample_weight=w)
    swept = br.sweep(Y, P, sample_weight=w)
    assert (table.n_positive, table.n_negative)[1 - weightless] == 0
    assert (table.n_positive, table.n_negative) == (swept.n_positive, swept.n_negative)
    with pytest.raises(LabelError, match="every case that has a weight is"):
        br.evaluate(Y, P, weight=w)
    metrics = ["recall", "specificity"]
    facts = br.evaluate(Y, P, weight=w, metrics=metrics, positive=1).facts
    assert facts.metrics[1 - weightless].undefined_reason.startswith(
        ("no negatives", "no positives")[weightless]
    )


def test_effective_sizes_are_told_class_by_class():
    y = [1] * 10 + [0] * 1000
    p = [1] * 6 + [0] * 1004
    facts = br.evaluate(y, p, weight=[100.0] * 10 + [1.0] * 1000, metrics="recall").facts
    assert facts.effective_positive == pytest.approx(10)
    assert facts.effective_negative == pytest.approx(1000)
    report = br.evaluate(y, p, weight=[100.0 if one else 1.0 for one in y], metrics="recall")
    shown = " ".join(str(report).split())
    assert "10 among the positives, 1,000 among the negatives" in shown
    assert br.evaluate(y, p, metrics="recall").facts.effective_positive is None

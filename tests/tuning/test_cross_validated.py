"""The chimps' procedure, against its own definition step by step."""

import math

import numpy as np
import pytest

from baserate import metrics, skill
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.tuning import cross_validated_threshold


def folds(seed, sizes=(30, 40, 50), base_rate=0.3):
    rng = np.random.default_rng(seed)
    made = []
    for n in sizes:
        truth = np.arange(n) < base_rate * n
        made.append((truth, np.round(rng.normal(truth * 1.2, 1), 1)))
    return made


def table(truth, score, threshold):
    called = score >= threshold
    cells = [truth & called, truth & ~called, ~truth & called, ~truth & ~called]
    tp, fn, fp, tn = (int(np.sum(cell)) for cell in cells)
    return ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn)


def by_definition(name, data, guess):
    cuts = sorted({math.inf, *(s for _, score in data for s in score)}, reverse=True)
    tables = [[table(y, s, c) for c in cuts] for y, s in data]
    curves = [[float(skill(name, t, guess=guess)) for t in row] for row in tables]
    return cuts, np.mean(curves, axis=0), np.array(curves)


@pytest.mark.parametrize("name", ["f1", "mcc", "balanced_accuracy"])
@pytest.mark.parametrize("guess", ["dutch_draw", "proportional", 0.5])
def test_equals_its_definition(name, guess):
    data = folds(1)
    cuts, mean, curves = by_definition(name, data, guess)
    found = cross_validated_threshold(name, data, guess=guess)
    np.testing.assert_allclose(found.thresholds, cuts)
    np.testing.assert_allclose(found.curve, mean, atol=1e-12)
    best = np.flatnonzero(mean >= np.nanmax(mean) - 1e-12)
    assert found.threshold in np.array(cuts)[best]
    assert found.value == pytest.approx(np.nanmax(mean))
    np.testing.assert_allclose(found.values, curves[:, cuts.index(found.threshold)])
    assert found.n_dropped == np.isnan(mean).sum()
    np.testing.assert_allclose(found.quantiles[[0, 2, 4]], np.quantile(found.values, [0, 0.5, 1]))


def test_nested_judges_each_fold_where_the_others_are_best():
    data = folds(2, sizes=(40,) * 5)
    plain = cross_validated_threshold("f1", data)
    nested = cross_validated_threshold("f1", data, nested=True)
    assert nested.threshold == plain.threshold
    assert nested.optimism == pytest.approx(plain.value - nested.value)
    assert nested.optimism > 0
    others = cross_validated_threshold("f1", data[1:])
    first = table(*data[0], others.threshold)
    assert nested.values[0] == pytest.approx(float(skill("f1", first)))
    assert math.isnan(plain.optimism)


def test_constraints_hold_for_the_folds_together():
    """Not in each fold; and nested, for the cases of the other folds."""
    data = folds(4, sizes=(30, 40, 50), base_rate=0.4)
    cuts, mean, curves = by_definition("f1", data, "dutch_draw")

    def best(kept, values):
        tables = [sum_of([table(*data[i], cut) for i in kept]) for cut in cuts]
        allowed = [t.tp / (t.tp + t.fn) <= 0.5 and t.fp <= 6 for t in tables]
        return int(np.nanargmax(np.where(allowed, values, np.nan)))

    limits = {"constraint": ["recall <= 0.5", "false_positives <= 6"], "nested": True}
    found = cross_validated_threshold("f1", data, **limits)
    assert found.threshold == cuts[best([0, 1, 2], mean)]
    others = [[j for j in range(3) if j != i] for i in range(3)]
    chosen = [best(kept, curves[kept].mean(axis=0)) for kept in others]
    assert found.values == pytest.approx([curves[i, at] for i, at in enumerate(chosen)])
    assert len({best([0, 1, 2], mean), *chosen}) > 1
    with pytest.raises(UnsupportedError, match="folds together meet the constraints"):
        cross_validated_threshold("f1", data, constraint=["recall >= 1", "false_positives <= 0"])


def sum_of(tables):
    total = tables[0]
    for other in tables[1:]:
        total = total + other
    return total


def test_choosing_on_the_same_folds_flatters_a_useless_score():
    """The theory's warning: proportional guessing is not the honest zero of a tuned F1."""
    rng = np.random.default_rng(3)
    data = [(np.arange(100) < 10, rng.normal(size=100)) for _ in range(10)]
    proportional = cross_validated_threshold("f1", data, guess="proportional", nested=True)
    honest = cross_validated_threshold("f1", data, nested=True)
    assert proportional.value > 0.05
    assert honest.value < 0.05


def test_candidates_may_be_given():
    data = folds(1)
    found = cross_validated_threshold("f1", data, thresholds=[0.0, 0.5, 1.0])
    assert found.thresholds.tolist() == [1.0, 0.5, 0.0]
    score = [metrics.f1(table(y, s, found.threshold)) for y, s in data]
    assert all(0 <= value <= 1 for value in score)


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        ([], InvalidArgumentError, "at least two folds"),
        ([([0, 1], [1, 2])], InvalidArgumentError, "at least two folds, got 1"),
        ([([0, 1], [1, 2]), ([1, 1], [1, 2])], InvalidArgumentError, "fold 2 has no negatives"),
        ([([0, 1], [1, 2]), ([0, 1], [1])], InvalidArgumentError, "Fold 2 cannot be used"),
        ([1, 2], InvalidArgumentError, "must hold pairs"),
    ],
)
def test_folds_that_cannot_be_used(data, error, message):
    with pytest.raises(error, match=message):
        cross_validated_threshold("f1", data)


def test_other_refusals():
    data = folds(1)
    with pytest.raises(InvalidArgumentError, match="thresholds must be numbers"):
        cross_validated_threshold("f1", data, thresholds=[])
    for wrong in ("a", [1, math.nan], [None]):
        with pytest.raises(InvalidArgumentError, match="thresholds must be numbers"):
            cross_validated_threshold("f1", data, thresholds=wrong)
    with pytest.raises(InvalidArgumentError, match=r"no negatives: stratify the folds\.$"):
        cross_validated_threshold("f1", [data[0], ([1, 1], [1, 2])])
    with pytest.raises(InvalidArgumentError, match="false alarms"):
        cross_validated_threshold("precision", data)
    with pytest.raises(UnsupportedError, match="undefined in some fold"):
        cross_validated_threshold("mcc", data, thresholds=[99.0])


def test_infinite_scores_leave_a_rule_that_calls_nothing_positive():
    data = [([0] * 9 + [1], [math.inf, *range(9)])[:2] for _ in "ab"]
    data = [(truth, score[:1] + score[:0:-1]) for truth, score in data]
    found = cross_validated_threshold("accuracy", data)
    assert math.isnan(found.thresholds[0])
    assert math.isnan(found.threshold)
    assert found.value == 0  # the best constant guess is no skill


def test_whole_numbers_beyond_floats_are_candidates():
    first = 2**53
    data = [([0, 1, 0, 1], [first, first + 1, first - 3, first + 2])] * 2
    found = cross_validated_threshold("accuracy", data)
    assert (found.threshold, found.plateau, found.value) == (first + 1, (first, first + 1), 1.0)
    given = cross_validated_threshold("accuracy", data, thresholds=[first, first + 1])
    assert given.threshold == first + 1

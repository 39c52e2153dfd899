"""Average precision and precision-recall gain beside what random labels would have."""

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from baserate.curves import average_precision, precision_gain, precision_recall_gain_auc, sweep
from baserate.errors import InvalidArgumentError
from oracles import curve_twins as twins

TIED = st.lists(st.integers(0, 4), min_size=2, max_size=8)


@pytest.mark.parametrize("ties", [None, 1, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_value_is_scikit_learns(ties, weighted):
    rng = np.random.default_rng(3)
    y, scores = rng.random(300) < 0.2, rng.normal(size=300)
    scores = scores if ties is None else np.round(scores * ties)
    weights = rng.random(300) if weighted else None
    found = average_precision(sweep(y, scores, sample_weight=weights))
    expected = average_precision_score(y, scores, sample_weight=weights)
    assert found.value == pytest.approx(expected, rel=1e-12)
    assert isnan(found.chance) == weighted
    assert (found.chance_reason is not None) == weighted


@pytest.mark.slow
@given(TIED, st.data())
def test_average_precision_of_random_labels(scores, data):
    p = data.draw(st.integers(1, len(scores)))
    truth = [i < p for i in range(len(scores))]
    found = average_precision(sweep(truth, scores, pos_label=True))
    chance = float(twins.mean_over_labellings(twins.average_precision, scores, p))
    value = float(twins.average_precision(truth, scores))
    assert found.value == pytest.approx(value, rel=1e-13)
    assert found.chance == pytest.approx(chance, rel=1e-13)
    if p < len(scores):
        assert found.skill == pytest.approx((value - chance) / (1 - chance), abs=1e-12)


def test_chance_for_distinct_scores_is_the_harmonic_form():
    n, p = 1000, 10
    harmonic = sum(1 / i for i in range(1, n + 1))
    expected = (p - 1) / (n - 1) + (n - p) / (n * (n - 1)) * harmonic
    found = average_precision(sweep(np.arange(n) < p, np.arange(n)))
    assert found.chance == pytest.approx(expected, rel=1e-13)
    assert found.chance > 1.6 * p / n  # far from the base rate


def test_average_precision_where_something_is_missing():
    found = average_precision(sweep([0, 0], [1, 2]))
    assert (found.reason, found.chance_reason) == ("no positives", "no positives")
    assert isnan(found.value)
    everything = average_precision(sweep([1, 1], [1, 2]))
    assert (everything.value, everything.chance) == (1.0, 1.0)
    assert isnan(everything.skill)
    with pytest.raises(InvalidArgumentError, match="y_score must be given beside labels"):
        average_precision([0.5])


@pytest.mark.slow
@given(TIED, st.data())
def test_gain_of_random_labels(scores, data):
    p = data.draw(st.integers(1, len(scores) - 1))
    truth = data.draw(st.permutations([i < p for i in range(len(scores))]))
    found = precision_recall_gain_auc(sweep(truth, scores))
    value = float(twins.precision_recall_gain_area(truth, scores))
    chance = float(twins.mean_over_labellings(twins.precision_recall_gain_area, scores, p))
    assert found.value == pytest.approx(value, rel=1e-12, abs=1e-12)
    assert found.chance == pytest.approx(chance, rel=1e-12, abs=1e-12)
    assert found.skill == pytest.approx((value - chance) / (1 - chance), abs=1e-11)


def test_the_gain_of_many_ties_is_that_of_few():
    """Steps within a tie are summed in one go: case by case 2,000 took 4.9 s, and n^2.4."""
    truth, scores = [1, 0, 1, 0, 0, 1, 0, 1], [4, 4, 3, 3, 2, 2, 1, 1]
    found = precision_recall_gain_auc(sweep(truth * 10_000, scores * 10_000))
    few = float(twins.precision_recall_gain_area(truth, scores))
    assert found.value == pytest.approx(few, rel=1e-9)


def test_gain_of_simple_rankings():
    y = [1] * 5 + [0] * 20
    assert float(precision_recall_gain_auc(sweep(y, list(range(25, 0, -1))))) == 1.0
    assert precision_recall_gain_auc(sweep(y, [3] * 25)).value == pytest.approx(0.0, abs=1e-14)
    worst = precision_recall_gain_auc(sweep(y, list(range(25))))
    assert worst.value == pytest.approx(
        float(twins.precision_recall_gain_area(y, list(range(25)))), rel=1e-12
    )
    assert worst.value < -1


@pytest.mark.slow
def test_gain_by_simulation():
    rng = np.random.default_rng(11)
    n, p, runs = 200, 60, 4000
    scores = np.repeat(np.arange(100), 2)
    y = np.arange(n) < p
    expected = precision_recall_gain_auc(sweep(y, scores)).chance
    found = [
        precision_gain._areas(tp[:-1], tp[1:], fp[:-1], fp[1:], (p, n - p)).sum()
        for tp, fp in (_path(rng.permutation(y)) for _ in range(runs))
    ]
    assert np.mean(found) == pytest.approx(expected, abs=4 * np.std(found) / runs**0.5)


def _path(y):
    tp = np.append(0, np.cumsum(y)[1::2]).astype(float)
    return tp, 2 * np.arange(len(tp)) - tp


def test_equal_weights_leave_the_gain():
    y, scores = [1, 0, 1, 0, 0], [5, 4, 3, 3, 1]
    plain = precision_recall_gain_auc(sweep(y, scores))
    weighted = precision_recall_gain_auc(sweep(y, scores, sample_weight=[0.1] * 5))
    assert weighted.value == pytest.approx(plain.value, rel=1e-12)
    assert isnan(weighted.chance)
    assert "without weights" in weighted.chance_reason


def test_gain_where_something_is_missing(monkeypatch):
    assert precision_recall_gain_auc(sweep([1, 1], [1, 2])).reason == "no negatives"
    assert precision_recall_gain_auc(sweep([0, 0], [1, 2])).reason == "no positives"
    monkeypatch.setattr(precision_gain, "BUDGET", 10)
    found = precision_recall_gain_auc(sweep([1, 0], [1, 2]))
    assert not isnan(found.value)
    assert isnan(found.chance)
    assert "terms, beyond 10" in found.chance_reason


def test_the_chance_of_many_tied_scores_is_not_summed():
    rng = np.random.default_rng(0)
    y, scores = rng.random(2000) < 0.5, rng.integers(0, 100, 2000)
    found = precision_recall_gain_auc(sweep(y, scores))
    assert isnan(found.chance)
    assert "it tends to 0" in found.chance_reason


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        (
            [19, 20, 18, 17, 16, 15, 14, 14, 14, 13, 12, 11, 10, 9, 8, 8, 6, 5, 4, 3],
            0.6621768707482992,
        ),
        (list(range(20, 0, -1)), 0.6881972789115646),
    ],
)
def test_gain_is_that_of_its_authors_package(scores, expected):
    # pyprg 0.1.1b7, by the authors of the paper: calc_auprg(create_prg_curve(y, scores)).
    y = [1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]
    assert precision_recall_gain_auc(sweep(y, scores)).value == pytest.approx(expected, rel=1e-14)

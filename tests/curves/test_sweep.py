"""A sweep is the confusion matrix of `score >= threshold` at every cut point, and nothing else."""

from decimal import Decimal
from fractions import Fraction
from math import inf, isnan, nan

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as peer

from baserate import metrics
from baserate.counts import CELLS
from baserate.curves import sweep
from baserate.curves._merge import BLOCK, cumulated
from baserate.errors import InvalidArgumentError, LabelError, MissingValueError

EXTREMES = [0.0, -0.0, inf, -inf, 5e-324, -5e-324, 1.0, 1.0 + 2**-52, 0.1, 1e308]
CASES = st.lists(
    st.tuples(
        st.booleans(),
        st.sampled_from(EXTREMES) | st.floats(allow_nan=False) | st.integers(-3, 3).map(float),
        st.integers(0, 4),
    ),
    min_size=1,
    max_size=40,
)


def cells_of(truth, scores, weights, threshold):
    """Count one rule case by case."""
    cells = dict.fromkeys(CELLS, 0)
    for y, score, weight in zip(truth, scores, weights, strict=True):
        said = score >= threshold
        cells[("tp" if said else "fn") if y else ("fp" if said else "tn")] += weight
    return cells


def assert_every_rule(swept, truth, scores, weights):
    """The first rule flags nothing, the last one everything, each between is its own."""
    kept = [s for s, w in zip(scores, weights, strict=True) if w]
    assert swept.thresholds[1:].tolist() == sorted(set(kept), reverse=True)
    assert not any(score >= swept.thresholds[0] for score in kept)
    for i, threshold in enumerate(swept.thresholds.tolist()):
        assert swept.tables[i].to_dict() == cells_of(truth, scores, weights, threshold)


@pytest.mark.slow
@given(CASES.filter(lambda cases: any(weight for *_, weight in cases)))
def test_every_rule_counts_what_counting_case_by_case_counts(cases):
    truth, scores, weights = zip(*cases, strict=True)
    assert_every_rule(sweep(truth, scores), truth, scores, [1] * len(cases))
    swept = sweep(truth, scores, sample_weight=weights)
    assert_every_rule(swept, truth, scores, weights)
    squares = [w * w for w in weights]
    for i, threshold in enumerate(swept.thresholds.tolist()):
        cells = cells_of(truth, scores, squares, threshold)
        assert [side[i] for side in swept.squared_weights] == [cells["tp"], cells["fp"]]


@given(CASES)
def test_the_area_is_the_share_of_ordered_pairs(cases):
    truth, scores, _ = zip(*cases, strict=True)
    up, down = ([s for y, s in zip(truth, scores, strict=True) if y == k] for k in (True, False))
    area = sweep(truth, scores).roc_auc()
    if not (up and down):
        assert isnan(area)
        return
    won = sum(Fraction(1 + (a > b) - (a < b), 2) for a in up for b in down)
    assert area == float(won / (len(up) * len(down)))


def random_case(seed, *, ties=None, n=500):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n) if ties is None else rng.integers(0, ties, n) / ties
    return rng.random(n) < 0.3, scores, rng.random(n) * (rng.random(n) < 0.9)


@pytest.mark.parametrize("ties", [None, 7, 100])
@pytest.mark.parametrize("weighted", [False, True])
def test_parity_with_scikit_learn(ties, weighted):
    y, scores, weights = random_case(3, ties=ties)
    weights = weights if weighted else None
    s = sweep(y, scores, sample_weight=weights)
    options = {"sample_weight": weights}
    if hasattr(peer, "confusion_matrix_at_thresholds"):  # from scikit-learn 1.8 on
        tn, fp, fn, tp, at = peer.confusion_matrix_at_thresholds(y, scores, **options)
        for name, theirs in (("tp", tp), ("fn", fn), ("fp", fp), ("tn", tn)):
            ours = getattr(s.tables, name)[-len(theirs) :]
            np.testing.assert_allclose(ours, theirs, rtol=1e-13, atol=1e-12)
        assert s.thresholds[-len(at) :].tolist() == at.tolist()
    fpr, tpr, at = peer.roc_curve(y, scores, drop_intermediate=False, **options)
    assert s.thresholds.tolist() == at.tolist()
    np.testing.assert_allclose(metrics.recall(s.tables), tpr, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(metrics.get("fpr")(s.tables), fpr, rtol=1e-13, atol=1e-13)
    precision, recall, at = peer.precision_recall_curve(y, scores, **options)
    kept = s.thresholds[1:][::-1]
    assert kept.tolist() == at.tolist()
    np.testing.assert_allclose(metrics.precision(s.tables)[:0:-1], precision[:-1], rtol=1e-13)
    np.testing.assert_allclose(metrics.recall(s.tables)[::-1], recall, rtol=1e-13, atol=1e-13)
    area = peer.roc_auc_score(y, scores, **options)
    assert s.roc_auc() == pytest.approx(area, rel=1e-13)


@pytest.mark.parametrize(
    "dtype", ["f2", "f4", "f8", ">f4", ">f8", "g", "i1", "u1", "i2", ">i4", "u4", "i8", "u8"]
)
def test_every_width_of_number(dtype):
    rng = np.random.default_rng(5)
    scores = rng.integers(0, 90, 300).astype(dtype)
    truth = rng.random(300) < 0.5
    assert_every_rule(sweep(truth, scores), truth.tolist(), scores.tolist(), [1] * 300)


def test_scores_of_different_widths_stay_apart():
    near = np.nextafter(np.float32(0.1), np.float32(1))
    s = sweep([1, 0], np.array([near, 0.1], dtype="f4"))
    assert s.thresholds.dtype == float
    assert s.thresholds.tolist() == [inf, float(near), float(np.float32(0.1))]
    wide = np.array([1, 1 + np.finfo("g").eps], dtype="g")
    assert len(sweep([0, 1], wide).thresholds) == 3


@pytest.mark.parametrize("base", [2**53, -(2**63), 2**63 - 3])
def test_whole_numbers_beyond_the_floats_stay_apart(base):
    scores = np.array([base, base + 1, base + 2], dtype=np.int64)
    s = sweep([0, 1, 1], scores)
    assert s.thresholds.tolist() == [inf, base + 2, base + 1, base]
    assert [(scores >= t).sum() for t in s.thresholds] == [0, 1, 2, 3]
    assert s.tables.tp.tolist() == [0, 1, 2, 2]
    assert sweep([0, 1, 1], [base, base + 1, base + 2]).thresholds.tolist() == s.thresholds.tolist()


@pytest.mark.parametrize(
    ("scores", "thresholds"),
    [
        (np.array([2**64 - 2, 2**64 - 1], dtype=np.uint64), [inf, 2**64 - 1, 2**64 - 2]),
        ([True, False], [inf, 1.0, 0.0]),
        ([-inf, inf], [nan, inf, -inf]),  # no score reaches the first
        ([-0.0, 0.0], [inf, 0.0]),
        ([0.0, -0.0], [inf, 0.0]),
    ],
)
@pytest.mark.parametrize("weights", [None, [1.0, 1.0]])
def test_thresholds_are_the_distinct_scores(scores, thresholds, weights):
    found = sweep([1, 0], scores, sample_weight=weights).thresholds.tolist()
    assert repr(found) == repr(thresholds)  # whole numbers stay whole, and zeros are positive


def test_all_equal_and_one_case():
    assert sweep([1, 0, 1], [7, 7, 7]).tables.to_dict() == {
        "tp": [0, 2], "fn": [2, 0], "fp": [0, 1], "tn": [1, 0],
    }  # fmt: skip
    assert sweep([1], [0.5]).tables.tp.tolist() == [0, 1]


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_has_tables_and_no_area(label):
    s = sweep([label] * 3, [1, 2, 3])
    assert (s.n_positive, s.n_negative) == ((0, 3), (3, 0))[label]
    assert isnan(s.roc_auc())


def test_labels_of_any_kind():
    s = sweep(["ill", "well", "ill"], [3, 1, 2], pos_label="ill")
    assert s.positive == "ill"
    assert s.roc_auc() == 1.0
    assert sweep(["a", "b", "c"], [3, 1, 2], pos_label="b").n_negative == 2
    assert sweep(np.array([True, False]), [3, 1], pos_label=False).roc_auc() == 0.0
    many = np.arange(400_000) % 12
    assert sweep(many, np.zeros(len(many)), pos_label=3).n_positive == np.sum(many == 3)


@pytest.mark.parametrize(
    "make",
    [list, tuple, np.array, pd.Series, pl.Series, np.ma.masked_array, lambda v: np.array(v, "O")],
)
def test_columns_of_any_library(make):
    s = sweep(make([1, 0, 1]), make([0.25, 0.5, 0.75]), sample_weight=make([1.0, 2.0, 3.0]))
    assert s.thresholds.tolist() == [inf, 0.75, 0.5, 0.25]
    assert s.tables.tp.tolist() == [0, 3, 3, 4]
    assert s.is_weighted


def test_python_numbers():
    s = sweep([1, 0, 1], [Fraction(1, 3), Decimal("0.5"), 2])
    assert s.thresholds.tolist() == [inf, 2.0, 0.5, 1 / 3]


def totals_of(amounts):
    """Return running totals; the amounts stay as they are."""
    parts = range(0, len(amounts), BLOCK)
    return np.concatenate([*cumulated(amounts[low : low + BLOCK].copy() for low in parts)])


def test_running_totals_do_not_fall_where_blocks_meet():
    amounts = np.random.default_rng(6).random(75 * BLOCK)
    amounts[::BLOCK] = 1e-30
    assert (np.diff(totals_of(amounts)) >= 0).all()


def test_nothing_can_be_written():
    s = sweep([1, 0], [1, 2])
    for array in (s.thresholds, s.true_positives, s.tables.fn, s.tables.tp):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_what_goes_in_stays_as_it_was():
    y, scores, weights = random_case(1)
    copies = [array.copy() for array in (y, scores, weights)]
    sweep(y, scores, sample_weight=weights)
    sweep(y, scores)
    for before, after in zip(copies, (y, scores, weights), strict=True):
        assert np.array_equal(before, after)


@pytest.mark.slow
def test_running_totals_neither_fall_nor_drift():
    amounts = (
        np.random.default_rng(2).random(10 * BLOCK + 17)
        * 10.0 ** np.arange(-1, 1).repeat(5 * BLOCK + 9)[: 10 * BLOCK + 17]
    )
    exact = sum(map(Fraction, amounts.tolist()), Fraction(0))
    totals = totals_of(amounts)
    assert (np.diff(totals) >= 0).all()
    assert abs(Fraction(totals[-1]) - exact) / exact < Fraction(1, 10**15)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([], []), LabelError, "y_true holds no cases"),
        (([1, 0], [1]), LabelError, r"y_score must have as many cases as y_true \(2\), got 1"),
        (([1, 0], [1, nan]), MissingValueError, "y_score must not hold missing values, found 1"),
        (([1, 0], [1, None]), MissingValueError, "y_score must not hold missing values, found 1"),
        (([1, None, nan], [1, 2, 3]), MissingValueError, "y_true must not .* found 2"),
        (([1, 0], np.ones((2, 2))), InvalidArgumentError, "y_score must be one-dimensional"),
        ((["a", "b"], [1, 2]), LabelError, "labels do not say which class is positive"),
        (([0, 1, 2], [1, 2, 3]), LabelError, "pass pos_label"),
    ],
)
def test_refusals(arguments, error, message):
    with pytest.raises(error, match=message):
        sweep(*arguments)


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ([1, -1], InvalidArgumentError, "sample_weight must be non-negative and finite, got -1"),
        ([1, inf], InvalidArgumentError, "sample_weight must be non-negative and finite"),
        ([1, nan], MissingValueError, "sample_weight must not hold missing values"),
        ([0, 0], LabelError, "all weights are 0"),
        ([1], LabelError, r"sample_weight must have as many cases as y_true \(2\)"),
        ([1e200, 1], InvalidArgumentError, "must be at most 1e"),
        ([1e-200, 1], InvalidArgumentError, "must have squares that a float can hold"),
    ],
)
def test_refused_weights(weights, error, message):
    with pytest.raises(error, match=message):
        sweep([1, 0], [1, 2], sample_weight=weights)

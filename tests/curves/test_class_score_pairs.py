"""Scores of several classes compared: what two classes must agree with, and simulated errors."""

import numpy as np
import pytest

import baserate as br
from baserate.curves.class_scores import ClassScores, class_roc_auc, compare_class_areas
from baserate.curves.losses import compare_brier, compare_log_loss
from baserate.curves.probability_scores import compare_class_losses


def drawn(rng, n, size, strength, shares, common):
    y = rng.choice(size, n, p=shares)
    alike = rng.normal(size=(n, size))
    for s in strength:
        own = rng.normal(size=(n, size))
        z = s * np.eye(size)[y] + np.sqrt(common) * alike + np.sqrt(1 - common) * own
        p = np.exp(z)
        scores = p / p.sum(axis=1, keepdims=True)
        yield ClassScores(tuple(range(size)), y, scores, np.ones(n), is_weighted=False)


@pytest.fixture
def two():
    return tuple(drawn(np.random.default_rng(5), 80, 2, (1, 2), [0.4, 0.6], 0.5))


@pytest.fixture
def three():
    return tuple(drawn(np.random.default_rng(6), 90, 3, (1, 2), [0.5, 0.3, 0.2], 0.5))


@pytest.mark.slow
def test_losses_of_two_classes_are_those_of_one_score(two):
    a, b = two
    scores = a.scores[:, 1], b.scores[:, 1]
    brier = compare_class_losses(a, b, "brier_score", 0.9)
    known = compare_brier(a.truth, *scores, confidence_level=0.9)
    for name in ("difference", "low", "high", "value_a", "value_b"):  # both classes are added up
        assert getattr(brier, name) == pytest.approx(2 * getattr(known, name), rel=1e-9)
    assert brier.p_value == pytest.approx(known.p_value, rel=1e-6)
    logarithmic = compare_class_losses(a, b, "log_loss", 0.9)
    known = compare_log_loss(a.truth, *scores, confidence_level=0.9)
    for name in ("difference", "low", "high", "value_a", "value_b", "p_value"):
        assert getattr(logarithmic, name) == pytest.approx(getattr(known, name), rel=1e-6)


def test_areas_of_two_classes_are_that_of_one_score(two):
    a, b = two
    found = compare_class_areas(a, b, 0.95)
    known = br.compare_auc(a.truth, a.scores[:, 1], b.scores[:, 1])
    for name in ("difference", "value_a", "value_b"):
        assert getattr(found, name) == pytest.approx(getattr(known, name), abs=1e-12)
    assert found.low == pytest.approx(known.low, abs=0.02)
    assert found.high == pytest.approx(known.high, abs=0.02)


def test_losses_are_means_of_what_each_case_lost(three):
    a, b = three
    rows, outcome = np.arange(90), np.eye(3)[a.truth]
    brier = ((a.scores - outcome) ** 2).sum(axis=1) - ((b.scores - outcome) ** 2).sum(axis=1)
    assert compare_class_losses(a, b, "brier_score", 0.95).difference == pytest.approx(brier.mean())
    logs = -np.log(a.scores[rows, a.truth]) + np.log(b.scores[rows, b.truth])
    assert compare_class_losses(a, b, "log_loss", 0.95).difference == pytest.approx(logs.mean())


@pytest.mark.sweep(3)
@pytest.mark.parametrize("measure", ["areas", "brier_score", "log_loss"])
def test_order_does_not_matter(three, measure):
    def compared(a, b):
        if measure == "areas":
            return compare_class_areas(a, b, 0.95)
        return compare_class_losses(a, b, measure, 0.95)

    def turned(cases, order):
        place = np.argsort(order)
        labels = tuple(np.array(cases.labels)[order])
        return ClassScores(
            labels, place[cases.truth], cases.scores[:, order], cases.weights, is_weighted=False
        )

    a, b = three
    there, back = compared(a, b), compared(b, a)
    assert (back.low, back.high) == pytest.approx((-there.high, -there.low))
    assert back.p_value == pytest.approx(there.p_value, rel=1e-6)
    other = compared(*(turned(x, [2, 0, 1]) for x in three))
    assert (other.low, other.high) == pytest.approx((there.low, there.high))
    assert (there.p_value < 0.05) == (not there.low <= 0 <= there.high)
    same = compared(a, a)
    assert (same.difference, same.p_value) == (0, 1)
    assert same.low <= 0 <= same.high


def test_values_are_those_of_each_by_itself(three):
    a, b = three
    found = compare_class_areas(a, b, 0.95)
    assert found.value_a == pytest.approx(class_roc_auc(a, 0.95).value, abs=1e-12)
    assert found.value_b == pytest.approx(class_roc_auc(b, 0.95).value, abs=1e-12)


def test_a_class_without_cases_has_no_area(three):
    a, b = (
        ClassScores((*x.labels, 3), x.truth, np.c_[x.scores, np.zeros(90)], x.weights, False)
        for x in three
    )
    assert compare_class_areas(a, b, 0.95).reason == "no cases of 3"
    assert np.isfinite(compare_class_losses(a, b, "brier_score", 0.95).low)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "shares", "common"),
    [(40, [0.4, 0.3, 0.3], 0.5), (100, [0.6, 0.3, 0.1], 0.8)],
)
def test_equal_scores_are_told_apart_no_more_often_than_said(n, shares, common):
    rng, found = np.random.default_rng(1), {"areas": 0, "brier_score": 0, "log_loss": 0}
    for _ in range(100):
        a, b = drawn(rng, n, len(shares), (1.5, 1.5), shares, common)
        found["areas"] += compare_class_areas(a, b, 0.95).p_value < 0.05
        for measure in ("brier_score", "log_loss"):
            found[measure] += compare_class_losses(a, b, measure, 0.95).p_value < 0.05
    assert max(found.values()) <= 100 * 0.05 + 2 * np.sqrt(100 * 0.05 * 0.95)

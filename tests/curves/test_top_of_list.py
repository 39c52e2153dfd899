"""The k highest scores against every way to break their ties, in exact fractions."""

from fractions import Fraction
from itertools import combinations
from math import inf, isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

import baserate as br
from baserate import metrics
from baserate.curves import sweep, top_of_list
from baserate.errors import InvalidArgumentError, UnknownNameError
from oracles import metric_twins

NAMES = ("precision", "recall", "lift", "accuracy", "f1", "negative_predictive_value", "fpr")
COST = metrics.define(
    "missed_cost", lambda tp, fn, fp, tn: fn * fn + fp, direction="lower", scale_invariant=False
)

lists = st.lists(
    st.tuples(st.booleans(), st.integers(0, 3)), min_size=2, max_size=8
)  # fmt: skip


def every_top(rows, k):
    """Return the table of every set of k cases that have the k highest scores."""
    scores = sorted((s for _, s in rows), reverse=True)
    certain = [i for i, (_, s) in enumerate(rows) if s > scores[k - 1]]
    tied = [i for i, (_, s) in enumerate(rows) if s == scores[k - 1]]
    for drawn in combinations(tied, k - len(certain)):
        top = {*certain, *drawn}
        tp = sum(rows[i][0] for i in top)
        positive = sum(y for y, _ in rows)
        yield tp, positive - tp, k - tp, len(rows) - positive - k + tp


def expectation(name, tables):
    values = [metric_twins.value(metrics.get(name).name, *table) for table in tables]
    defined = [Fraction(v) for v in values if v is not None]
    return sum(defined) / len(defined) if defined else None


@given(rows=lists, data=st.data())
def test_every_way_to_break_the_ties(rows, data):
    k = data.draw(st.integers(1, len(rows)))
    truth, scores = zip(*rows, strict=True)
    tables = list(every_top(rows, k))
    found = top_of_list(truth, scores, k=k, metrics=[*NAMES, COST], pos_label=True)
    for name in NAMES:
        expected = expectation(name, tables)
        estimate = found[name]
        if expected is None:
            assert isnan(estimate.value)
            assert estimate.reason
        else:
            assert estimate.value == pytest.approx(float(expected), rel=1e-12, abs=1e-12)
    cost = sum(fn * fn + fp for _, fn, fp, _ in tables) / len(tables)
    assert found[COST].value == pytest.approx(cost, rel=1e-12)
    hits = [tp for tp, *_ in tables]
    for tp, share in zip(found.tables.tp.tolist(), found.probabilities.tolist(), strict=True):
        assert share == pytest.approx(hits.count(tp) / len(hits), rel=1e-12)
    assert found.straddles == (len(tables) > 1)
    assert found.threshold == sorted(scores, reverse=True)[k - 1]


@pytest.mark.parametrize("name", [*NAMES, "mcc"])
def test_chance_is_a_blind_draw_and_perfect_the_best_list(name):
    truth, scores = [1, 0, 1, 0, 0, 0, 1, 0], [8, 7, 6, 5, 4, 3, 2, 1]
    found = top_of_list(truth, scores, k=4, metrics=name)[name]
    blind = br.models.Hypergeometric(n_positive=3, n_negative=5, n_predicted=4)
    assert found.chance == pytest.approx(br.expect(name, blind).value, rel=1e-12, abs=1e-15)
    best = br.ConfusionMatrix(tp=3, fn=0, fp=1, tn=4)
    assert found.perfect == metrics.get(name)(best)
    assert found.skill == pytest.approx(
        (found.value - found.chance) / (found.perfect - found.chance)
    )


def test_a_share_of_cases_has_the_limits_of_clopper_and_pearson():
    truth, scores = [1] * 7 + [0] * 9 + [1] * 4, range(20, 0, -1)
    found = top_of_list(truth, scores, k=10, confidence_level=0.9)
    for name, hits, of in (("precision", 7, 10), ("recall", 7, 11)):
        low, high = proportion_confint(hits, of, alpha=0.1, method="beta")
        assert (found[name].low, found[name].high) == pytest.approx((low, high), rel=1e-12)
        assert found[name].route == "exact"
    alone = top_of_list(truth, scores, k=1)["precision"]
    assert (alone.value, alone.high) == (1.0, 1.0)
    assert alone.low == pytest.approx(0.025, rel=1e-12)


def test_other_metrics_say_why_they_have_no_interval():
    found = top_of_list([1, 0, 1, 0], [4, 3, 2, 1], k=2, metrics=["lift", "mcc"])
    for name in ("lift", "mcc"):
        assert not isnan(found[name].value)
        assert isnan(found[name].low)
        assert "pass the table to baserate.interval" in found[name].reason


def test_a_tie_of_all_is_a_blind_draw():
    found = top_of_list([1] * 30 + [0] * 70, [0.5] * 100, share=0.2)
    assert (found.n_predicted, found.n_tied, found.n_tied_predicted) == (20, 100, 20)
    for name, expected in (("precision", 0.3), ("recall", 0.2)):
        estimate = found[name]
        assert estimate.value == pytest.approx(expected, rel=1e-12)
        assert estimate.chance == pytest.approx(expected, rel=1e-12)
        assert estimate.skill == pytest.approx(0, abs=1e-12)
    assert found.probabilities.sum() == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize(
    ("share", "k"), [(0.01, 1), (0.1, 1), (0.14, 1), (0.15, 2), (0.25, 3), (1.0, 10), (1, 10)]
)
def test_a_share_is_rounded_as_everywhere(share, k):
    assert top_of_list([1, 0] * 5, range(10), share=share).n_predicted == k


def test_infinite_and_huge_scores_and_one_class():
    found = top_of_list([1, 0, 1], [inf, inf, -inf], k=1)
    assert (found.threshold, found["precision"].value, found.straddles) == (inf, 0.5, True)
    huge = top_of_list([1, 0, 1], [2**60 + 1, 2**60, 5], k=1)
    assert huge.threshold == 2**60 + 1
    assert isinstance(huge.threshold, int)
    lonely = top_of_list(sweep([0, 0], [1, 2]), k=1)
    assert lonely["precision"].value == 0
    assert isnan(lonely["recall"].value)
    assert lonely["recall"].reason == "no positives (tp + fn = 0)"


def test_what_is_refused():
    truth, scores = [1, 0, 1], [3, 2, 1]
    for wrong in ({}, {"k": 1, "share": 0.5}):
        with pytest.raises(InvalidArgumentError, match="exactly one of the two"):
            top_of_list(truth, scores, **wrong)
    with pytest.raises(InvalidArgumentError, match="k must be at most the number of cases, 3, got"):
        top_of_list(truth, scores, k=4)
    with pytest.raises(InvalidArgumentError, match="whole number of at least 1"):
        top_of_list(truth, scores, k=0)
    for share in (0, 1.5):
        with pytest.raises(InvalidArgumentError, match="share must lie in"):
            top_of_list(truth, scores, share=share)
    with pytest.raises(InvalidArgumentError, match="the k highest scores are whole cases"):
        top_of_list(sweep(truth, scores, sample_weight=[1, 2, 1]), k=1)
    with pytest.raises(UnknownNameError, match="Ask for it"):
        top_of_list(truth, scores, k=1)["f1"]


def test_limits_hold_the_rule_above_the_same_place():
    """The score next below the list is a cut; with it, precision in the population is binomial."""
    from scipy.stats import norm

    rng, held = np.random.default_rng(6), []
    for _ in range(200):
        y = rng.random(80) < 0.25
        scores = rng.normal(y * 1.0, 1)
        found = top_of_list(y, scores, k=15)
        below = np.sort(scores)[::-1][15]
        recall, fpr = norm.sf(below - 1), norm.sf(below)
        truths = 0.25 * recall / (0.25 * recall + 0.75 * fpr), recall
        held.append(
            [
                each.low <= t <= each.high
                for each, t in zip(found.estimates.values(), truths, strict=True)
            ]
        )
    assert np.min(np.mean(held, axis=0)) >= 0.95

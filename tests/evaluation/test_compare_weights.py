"""Comparing on weighted cases: intervals, tests and chances are approximate, and say so."""

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm

import baserate as br
from baserate.errors import InvalidArgumentError, LabelError
from baserate.inference.paired_weights import WeightedPair
from baserate.metrics import binary_metric


def weighted(metric, sums, squared, n):
    """Return what is known of the difference by the sums of weights, and of their squares."""
    return WeightedPair.of(sums, squared, n).compared(binary_metric(metric), 0.95)


def survey(n=240, seed=8):
    rng = np.random.default_rng(seed)
    y, hard = rng.random(n) < 0.4, rng.normal(size=n)
    score = [hard + rng.normal(size=n) + shift for shift in (1.2, 0.5, 0.9)]
    risks = [(1 / (1 + np.exp(-np.where(y, s, -s)))).round(3) for s in score]
    decided = {name: (risk >= 0.5).astype(int) for name, risk in zip("abc", risks, strict=True)}
    return pl.DataFrame({
        "y": y.astype(int), **decided, "pa": risks[0], "pb": risks[1],
        "w": rng.integers(1, 6, n), "village": np.arange(n) // 8, "half": np.arange(n) % 2,
    })  # fmt: skip


DATA = survey()
NAMED = {"target": "y", "prediction": ["a", "b"], "metrics": "accuracy, recall"}
Y, A, B, W, VILLAGE = (DATA[c].to_numpy() for c in ("y", "a", "b", "w", "village"))
ROUTE = "approximate, weighted"
SAME = ("low", "high", "a_better", "p_difference", "p_accuracy", "p_recall", "p_specificity")


def eight(y, a, b, weight):
    place = 4 * (a == 0) + 2 * (b == 0) + (y == 0)
    return [np.bincount(place, w, 8).reshape(2, 2, 2) for w in (weight, weight**2)]


@pytest.mark.parametrize("base_rate", [None, 0.2])
def test_a_pair_is_compared_by_sums_of_weights(base_rate):
    u = br.UtilityMatrix([[4, -1], [-2, 1]])
    facts = br.compare(DATA, weight="w", utility=u, base_rate=base_rate, **NAMED).facts
    metric = u.as_metric() if base_rate is None else u.as_metric().at_base_rate(base_rate)
    known = weighted(metric, *eight(Y, A, B, W), n=len(Y))
    [pair] = facts.pairs
    assert (pair.low, pair.high, pair.p_difference, pair.design_effect) == pytest.approx(
        (known.low, known.high, known.p_value, known.design_effect), rel=1e-9
    )
    assert pair.difference == pytest.approx(known.difference)
    recall = weighted("recall", *eight(Y, A, B, W), n=len(Y))
    assert (pair.p_route, pair.p_recall) == (ROUTE, pytest.approx(recall.p_value))
    assert [c.best for c in facts.classifiers] == pytest.approx([pair.a_better, 1 - pair.a_better])
    assert facts.n == len(Y)
    assert facts.effective_n == pytest.approx(W.sum() ** 2 / (W**2).sum())
    assert pair.discordant is not None
    assert sum(pair.discordant) == np.sum(A != B)


def test_metrics_have_the_intervals_of_evaluate():
    facts = br.compare(DATA, weight="w", **NAMED).facts
    for found, name in zip(facts.classifiers, "ab", strict=True):
        alone = br.evaluate(DATA, target="y", prediction=name, weight="w",
                            metrics="accuracy, recall").facts  # fmt: skip
        for one, other in zip(found.metrics, alone.metrics, strict=True):
            assert (one.value, one.low, one.high) == (other.value, other.low, other.high)
        accuracy = alone.metrics[0]
        assert (found.low, found.high) == pytest.approx((accuracy.low, accuracy.high), abs=1e-5)
    again = br.compare(DATA, weight="w", **NAMED | {"metrics": "accuracy, error_rate"}).facts
    assert len({round(gap.a_better, 9) for gap in again.pairs[0].metrics}) == 1
    # Of the constant classifier, what a third one that always says so would have.
    always = np.full_like(Y, int(facts.constant))
    known = br.compare(Y, {"a": A, "all": always}, weight=W, metrics="accuracy").facts
    assert facts.classifiers[0].beats_constant == pytest.approx(known.pairs[0].a_better)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("unit", [1.0, 1 / 7])
def test_weights_in_clusters_are_rows_that_come_again_within_them(unit):
    """Whole clusters are left out, so hardly more than their totals matters."""
    again = DATA[np.repeat(np.arange(len(Y)), W).tolist()]
    weighted = DATA.with_columns(w=pl.col("w") * unit)
    [one] = br.compare(weighted, weight="w", cluster="village", **NAMED).facts.pairs
    [other] = br.compare(again, cluster="village", **NAMED).facts.pairs
    assert one.a_better == pytest.approx(other.a_better, rel=1e-3)
    for name in set(SAME) - {"a_better"}:  # more cases say a little more of those that are alike
        mine, same = (getattr(pair, name) for pair in (one, other))
        if name not in {"low", "high"}:
            mine, same = norm.isf(mine), norm.isf(same)
        assert mine == pytest.approx(same, rel=0.2)
    assert one.p_route == other.p_route == "asymptotic"
    # 240 cases of weight one, against as many as the weights add up to.
    ratio = (W.sum() - 1) / (len(Y) - 1)
    assert other.design_effect / one.design_effect == pytest.approx(ratio, rel=1e-6)


def test_weights_of_one_change_what_is_approximate_only():
    [one] = br.compare(DATA.with_columns(w=1), weight="w", **NAMED).facts.pairs
    [alone] = br.compare(DATA, **NAMED).facts.pairs
    assert one.difference == alone.difference
    assert (one.low, one.high) == pytest.approx((alone.low, alone.high), abs=0.02)
    assert one.a_better == pytest.approx(alone.a_better, abs=0.02)
    assert one.p_accuracy == pytest.approx(alone.p_accuracy, abs=0.05)
    assert one.design_effect == pytest.approx(1, rel=1e-6)


@pytest.mark.slow
def test_three_classifiers_groups_and_base_rates():
    options = {"target": "y", "weight": "w", "groups": "half", "base_rate": [0.3, 0.1]}
    found = br.compare(DATA, prediction=["a", "b", "c"], **options)
    assert sum(c.best for c in found.facts.classifiers) == pytest.approx(1)
    text = " ".join(found.render(details=True).split())
    assert "P(best) allows for the choice among 3" in text
    assert len(found.facts.pairs) == 3
    two = br.compare(DATA, prediction=["a", "b"], **options).facts
    for place in (*two.groups, *two.base_rates):
        assert sum(place.best.values()) == pytest.approx(1)
    part = DATA.filter(pl.col("half") == 1)
    [alone] = br.compare(part, weight="w", **NAMED).facts.pairs
    assert two.groups[1].best["a"] == pytest.approx(alone.a_better)


@pytest.mark.slow
def test_scores_keep_their_weights():
    facts = br.compare(DATA, target="y", score=["pa", "pb"], weight="w").facts
    known = br.compare_auc(Y, DATA["pa"], DATA["pb"], sample_weight=W)
    area = next(pair for pair in facts.score_pairs if pair.measure == "roc_auc")
    assert (area.difference, area.low, area.high, area.p_value) == (
        known.difference, known.low, known.high, known.p_value
    )  # fmt: skip
    one = br.roc_auc(Y, DATA["pa"], sample_weight=W)
    assert (facts.scores[0].auc, facts.scores[0].low) == (float(one), one.low)
    clustered = br.compare(DATA, target="y", score=["pa", "pb"], weight="w", cluster="village")
    both = br.compare_auc(Y, DATA["pa"], DATA["pb"], sample_weight=W, cluster=VILLAGE)
    area = clustered.facts.score_pairs[0]
    assert (area.difference, area.low, area.high) == (both.difference, both.low, both.high)


@pytest.mark.slow
def test_the_report_says_what_is_approximate(on_record):
    found = br.compare(DATA, weight="w", **NAMED)
    for absent in ("exact test", "Dirichlet"):
        assert absent not in found.render(details=True)
    both = br.compare(DATA, weight="w", cluster="village", **NAMED)
    few = br.compare(DATA[:15], weight="w", **NAMED)
    told = {"weights": found, "weights and clusters": both, "few cases": few}
    on_record({how: str(report) for how, report in told.items()})
    scores = br.compare(DATA, target="y", score=["pa", "pb"], weight="w")
    assert "Curves have no bands" in scores.render(details=True)
    for form in ("json", "markdown", "html"):
        assert scores.render(form)


def test_refusals():
    with pytest.raises(LabelError, match="that has a weight"):
        br.compare(Y, {"a": A, "b": B}, weight=np.where(Y, W, 0))
    tables = {name: br.ConfusionMatrix(tp=2, fn=1, fp=1, tn=2) for name in "ab"}
    with pytest.raises(InvalidArgumentError, match="weight has no meaning for tables"):
        br.compare(tables, weight="w")

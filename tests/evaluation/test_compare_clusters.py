"""Comparing on cases in clusters: what `compare` says is what goes by whole clusters."""

from math import isnan

import numpy as np
import polars as pl
import pytest

import baserate as br
from baserate.errors import DataError, InvalidArgumentError
from baserate.inference import difference, paired_counts


def questions(k=12, runs=3, seed=2):
    """Draw answers of three models to questions of k topics, each asked in several runs."""
    rng, rows = np.random.default_rng(seed), []
    for topic in range(k):
        alike = rng.normal(0, 0.8, 3)
        for question in range(1 + rng.poisson(3)):
            hard, y = rng.normal(), int(rng.random() < 0.45)
            for _ in range(runs):
                good = hard + alike + [1.2, 0.5, 0.8] + 0.5 * rng.normal(size=3)
                score = 1 / (1 + np.exp(-np.where(y, good, -good)))
                rows.append((f"t{topic}", f"{topic}-{question}", y, *score.round(3)))
    return pl.DataFrame(rows, schema=["topic", "question", "y", "pa", "pb", "pc"], orient="row")


DATA = questions().with_columns(
    *((pl.col(f"p{x}") >= 0.5).cast(int).alias(x) for x in "abc"),
    half=pl.int_range(pl.len()) % 2,
)
NAMED = {"target": "y", "prediction": ["a", "b"], "metrics": "accuracy"}
Y, A, B, TOPIC, QUESTION = (DATA[c].to_numpy() for c in ("y", "a", "b", "topic", "question"))


@pytest.mark.parametrize("base_rate", [None, 0.2])
def test_a_pair_is_compared_by_whole_clusters(base_rate):
    u = br.UtilityMatrix([[4, -1], [-2, 1]])
    facts = br.compare(
        DATA, cluster="topic", case_id="question", utility=u, base_rate=base_rate, **NAMED
    ).facts
    metric = u.as_metric() if base_rate is None else u.as_metric().at_base_rate(base_rate)
    known = difference(metric, paired=paired_counts(Y, A, B, cluster=TOPIC))
    [pair] = facts.pairs
    for name in ("low", "high", "design_effect"):
        assert getattr(pair, name) == pytest.approx(getattr(known, name), rel=1e-9)
    assert pair.difference == pytest.approx(known.value)
    assert (pair.p_difference, pair.p_route) == (known.p_value, "asymptotic")
    recall = difference("recall", paired=paired_counts(Y, A, B, cluster=TOPIC))
    assert pair.p_recall == recall.p_value
    assert (facts.n_clusters, facts.cluster, facts.case_id) == (12, "topic", "question")
    assert (pair.a_better > 0.5) == (pair.difference > 0)
    assert [c.best for c in facts.classifiers] == pytest.approx([pair.a_better, 1 - pair.a_better])


def test_items_that_come_again_are_clusters_and_the_report_warns(on_record):
    found = br.compare(DATA, case_id="question", **NAMED)
    assert found.facts.n_clusters == len(set(QUESTION))
    named = br.compare(DATA, case_id="question", cluster="topic", **NAMED)
    on_record({"not named": str(found), "named": str(named)})
    assert "not independent" not in br.compare(DATA, **NAMED).render()


def test_intervals_are_wider_than_those_of_independent_cases():
    [by_topic] = br.compare(DATA, cluster="topic", **NAMED).facts.pairs
    [alone] = br.compare(DATA, **NAMED).facts.pairs
    assert by_topic.high - by_topic.low > 1.3 * (alone.high - alone.low)
    assert by_topic.p_accuracy > alone.p_accuracy
    assert by_topic.design_effect > 1.5


def test_scores_are_compared_by_whole_clusters():
    facts = br.compare(DATA, target="y", score=["pa", "pb"], cluster="topic").facts
    areas = [pair for pair in facts.score_pairs if pair.measure == "roc_auc"]
    known = br.compare_auc(Y, DATA["pa"], DATA["pb"], cluster=TOPIC)
    assert [(p.low, p.high, p.p_value) for p in areas] == [(known.low, known.high, known.p_value)]
    one = br.roc_auc(Y, DATA["pa"], cluster=TOPIC)
    assert (facts.scores[0].low, facts.scores[0].high) == (one.low, one.high)
    losses = [pair for pair in facts.score_pairs if pair.measure != "roc_auc"]
    assert losses
    assert all(pair.low < pair.difference < pair.high for pair in losses)
    assert not any(isnan(m.low) for m in facts.scores[0].measures)


def test_three_classifiers_groups_and_base_rates():
    options = {"target": "y", "prediction": ["a", "b", "c"], "cluster": "topic"}
    found = br.compare(DATA, groups="half", base_rate=[0.3, 0.1], **options)
    facts = found.facts
    assert sum(c.best for c in facts.classifiers) == pytest.approx(1)
    assert "P(best) allows for the choice among 3" in " ".join(found.render(details=True).split())
    assert len(facts.pairs) == 3
    assert all(pair.low < pair.difference < pair.high for pair in facts.pairs)
    two = br.compare(DATA, groups="half", base_rate=[0.3, 0.1], cluster="topic", **NAMED).facts
    for place in (*two.groups, *two.base_rates):
        assert sum(place.best.values()) == pytest.approx(1)
    part = DATA.filter(pl.col("half") == 1)
    [alone] = br.compare(part, cluster="topic", **NAMED).facts.pairs
    assert two.groups[1].best["a"] == pytest.approx(alone.a_better)


def test_a_classifier_against_the_best_constant():
    facts = br.compare(DATA, cluster="topic", **NAMED).facts
    always = np.full_like(Y, int(facts.constant))
    known = br.compare(Y, {"a": A, "all": always}, cluster=TOPIC, metrics="accuracy").facts
    assert facts.classifiers[0].beats_constant == pytest.approx(known.pairs[0].a_better)
    assert known.classifiers[1].beats_reason == "decides_constantly"


def test_one_cluster_leaves_the_report_standing():
    found = br.compare(Y, {"a": A, "b": B}, cluster=np.zeros(len(Y)), metrics="accuracy")
    [pair] = found.facts.pairs
    assert isnan(pair.low)
    assert isnan(pair.a_better)
    assert pair.reason == "all cases lie in one cluster"
    for form in ("table", "markdown", "json", "html"):
        assert found.render(form)


def test_what_is_refused():
    tables = {"a": br.ConfusionMatrix(tp=1, fn=1, fp=1, tn=1)} | {
        "b": br.ConfusionMatrix(tp=2, fn=0, fp=1, tn=1)
    }
    with pytest.raises(InvalidArgumentError, match="cluster has no meaning for tables"):
        br.compare(tables, cluster="topic")
    split = np.where(np.arange(len(Y)) % 2, "x", "y")
    with pytest.raises(DataError, match="lies in two clusters"):
        br.compare(Y, {"a": A, "b": B}, case_id=QUESTION, cluster=split)


def test_which_one_has_fewer_false_alarms_is_which_has_the_higher_specificity():
    asked = {"target": "y", "prediction": ["a", "b"], "cluster": "topic"}
    asked["metrics"] = ["specificity", "false_positive_rate"]
    [pair] = br.compare(DATA, **asked).facts.pairs
    high, low = pair.metrics
    assert (high.name, low.name) == ("specificity", "false_positive_rate")
    assert low.difference == pytest.approx(-high.difference, abs=1e-12)
    assert 0 < low.a_better < 1
    assert low.a_better == pytest.approx(high.a_better, abs=1e-9)


@pytest.mark.slow
def test_runs_of_a_long_table_are_said_to_be_taken_as_alike():
    rng = np.random.default_rng(3)
    rows = [(k, k % 12, m, s, f"{m}{s}") for m in "AB" for s in range(3) for k in range(40)]
    long = pl.DataFrame(rows, schema=["id", "topic", "m", "seed", "run"], orient="row")
    long = long.with_columns(right=pl.Series(rng.integers(0, 2, 240)))
    how = {"correct": "right", "model": "m", "case_id": "id"}
    for more in ({}, {"cluster": "topic"}):
        said = " ".join(br.compare(long, **how, **more).render().split())
        assert said.count("Runs are taken to be alike: where they differ as a whole") == 1
    once = br.compare(long.filter(pl.col("seed") == 0), **how, cluster="topic")
    assert "Runs are taken" not in once.render(details=True)
    runs = br.compare(long, **{**how, "model": "run"})
    assert [one.name for one in runs.facts.classifiers] == ["A0", "A1", "A2", "B0", "B1", "B2"]
    assert "Runs are taken" not in runs.render(details=True)

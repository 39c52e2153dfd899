"""`evaluate` of cases in clusters: what the report says rests on clusters, or is refused."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import baserate as br
from baserate.errors import DataError, InvalidArgumentError, UnsupportedError
from tests.golden.texts import opening

M = 20


@pytest.fixture(scope="module")
def images():
    """Images of patients whose images are alike, with a score of three values."""
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(M), rng.integers(1, 51, M))
    n = len(patient)
    sick = rng.random(n) < 0.5
    rate = np.where(sick, rng.beta(1.9, 0.5, M)[patient], rng.beta(0.5, 2, M)[patient])
    test = rng.random(n) < rate
    columns = {"sick": sick, "test": test, "patient": patient, "image": np.arange(n)}
    score = np.where(test, 0.8, np.where(rng.random(n) < 0.5, 0.1, 0.3))
    return pd.DataFrame({**columns, "sex": np.where(patient % 3, "f", "m"), "risk": score})


def evaluated(images, **how):
    return br.evaluate(images, target="sick", prediction="test", **how)


def test_intervals_are_those_of_clusters(images):
    facts = evaluated(images, cluster="patient", groups="sex").facts
    how = {"pos_label": True, "cluster": images["patient"]}
    counted = br.count_labels(images["sick"], images["test"], **how)
    for fact in facts.metrics:
        found = br.interval(fact.name, counted)
        assert (fact.low, fact.high) == (found.low, found.high)
        assert (fact.design_effect, fact.effective_n) == (found.design_effect, found.effective_n)
    women = images[images["sex"] == "f"]
    how["cluster"] = women["patient"]
    alone = br.interval("recall", br.count_labels(women["sick"], women["test"], **how))
    group = next(g for g in facts.groups if g.group == {"sex": "f"})
    recall = next(m for m in group.metrics if m.name == "recall")
    assert (recall.low, recall.high) == pytest.approx((alone.low, alone.high), rel=1e-12)


def test_guessing_is_tested_by_whole_clusters(images):
    facts = evaluated(images, cluster="patient").facts
    sick, test = images["sick"].to_numpy(float), images["test"].to_numpy(float)
    score = np.bincount(images["patient"], (sick - sick.mean()) * (test - test.mean()))
    p = stats.t.sf(score.sum() / np.sqrt(score @ score), M - 1)
    assert facts.p_value == pytest.approx(p, rel=1e-9)
    assert {m.p_value for m in facts.metrics} == {facts.p_value}
    assert 1 - p <= facts.p_reversed <= 1  # the larger of two tests of that side
    assert (facts.p_value_method, facts.interval) == ("clusters", "jackknife")
    assert facts.p_value > evaluated(images).facts.p_value


def test_a_turned_classifier_is_seen_to_be(images):
    turned = images.assign(test=~images["test"])
    answer = evaluated(turned, cluster="patient").render(details=True)
    assert "Better than guessing: no, its answers look reversed (informedness" in answer


def test_the_report_says_how_much_the_cases_say(on_record, images):
    result = evaluated(images, cluster="patient")
    facts = result.facts
    assert facts.independent_n == pytest.approx(len(images) / facts.design_effect)
    on_record(result.render("markdown"))


def test_items_that_come_again_warn_once(images):
    text = " ".join(evaluated(images, case_id="patient").render(details=True).split())
    assert "in 20 items, not independent ones" in text
    assert text.count("Items occur more than once, and no cluster is named") == 1
    named = evaluated(images, case_id="image", cluster="patient")
    assert "Items occur more than once" not in named.render(details=True)


def test_items_that_come_once_change_nothing(images):
    once, plain = evaluated(images, case_id="image").facts, evaluated(images).facts
    assert once.metrics == plain.metrics
    assert (once.n_clusters, once.p_value) == (None, plain.p_value)


def test_few_clusters_are_called_few(images):
    few = images[images["patient"] < 6]
    assert "Few clusters: only 6." in evaluated(few, cluster="patient").render(details=True)


def test_scores_are_cut_and_looked_at_by_clusters(images):
    result = br.evaluate(images, target="sick", score="risk", cluster="patient")
    assert result.facts.metrics == evaluated(images, cluster="patient").facts.metrics
    assert result.facts.thresholds.absent["top"] == "fitted_to_clusters"
    assert result.facts.thresholds.n_clusters == result.facts.n_clusters
    assert result.cases is None
    assert result.displays() == {}
    area = br.roc_auc(images["sick"], images["risk"], cluster=images["patient"])
    found = result.facts.thresholds.ranking[0]
    assert (found.value, found.low, found.high) == (area.value, area.low, area.high)


def test_weights_count_within_clusters(images):
    weight = np.random.default_rng(1).uniform(0.5, 2, len(images))
    facts = evaluated(images.assign(w=weight), weight="w", cluster="patient").facts
    how = {"pos_label": True, "sample_weight": weight, "cluster": images["patient"]}
    found = br.interval("recall", br.count_labels(images["sick"], images["test"], **how))
    recall = next(m for m in facts.metrics if m.name == "recall")
    assert (recall.low, recall.high) == pytest.approx((found.low, found.high), rel=1e-9)
    assert facts.p_value < 0.05  # which weights alone leave untested


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ({"interval": "wilson"}, UnsupportedError, "interval 'wilson' takes cases as independent"),
        ({"interval": "bayes"}, UnsupportedError, "interval 'bayes' takes cases as independent"),
        ({"p_value": "sup"}, UnsupportedError, "p_value 'sup' takes cases as independent"),
        (
            {"prediction": None, "score": "risk", "threshold": "f1"},
            InvalidArgumentError,
            "clusters",
        ),
        ({"prediction": None, "score": "risk", "top": 5}, InvalidArgumentError, "independent"),
        ({"cluster": "nobody"}, DataError, "no column 'nobody'"),
        ({"cluster": "test"}, InvalidArgumentError, "cluster must differ from prediction"),
    ],
)
def test_what_would_take_cases_as_independent_is_refused(images, how, error, message):
    given = {"target": "sick", "prediction": "test", "cluster": "patient", **how}
    with pytest.raises(error, match=message):
        br.evaluate(images, **given)


def test_clusters_mean_nothing_for_published_tables():
    with pytest.raises(InvalidArgumentError, match="cluster has no meaning"):
        br.evaluate(br.ConfusionMatrix(tp=5, fn=1, fp=2, tn=9), cluster="patient")


@pytest.mark.slow
def test_groups_that_may_be_clusters_are_told_of_once():
    """So many and so small ones only: an occupation or a sex are no clusters."""
    rng = np.random.default_rng(4)
    y, found = rng.random(240) < 0.5, rng.random(240) < 0.5
    patients, jobs = np.arange(240) // 6, np.arange(240) % 12
    text = " ".join(
        br.evaluate(y, found, groups=patients, many_groups=True).render(details=True).split()
    )
    assert text.count("If the cases of one are alike") == 1
    assert "There are 40 groups of 6 cases on average" in text
    for groups, more in ((jobs, {}), (patients, {"cluster": patients, "many_groups": True})):
        text = br.evaluate(y, found, groups=groups, **more).render(details=True)
        assert "If the cases of one are alike" not in " ".join(text.split())
    with pytest.raises(br.errors.DataError, match="pass it as cluster"):
        br.evaluate(y, found, groups=patients)


def test_the_design_effects_told_are_those_of_the_metrics_that_were_asked_for(on_record):
    """Positives of a cluster are found together or not at all; negatives are independent."""
    rng = np.random.default_rng(0)
    unit = np.repeat(np.arange(60), 10)
    truth = np.tile([1] * 4 + [0] * 6, 60)
    called = np.where(truth == 1, rng.random(60)[unit] < 0.7, rng.random(600) < 0.1) * 1
    found = br.evaluate(truth, called, cluster=unit, metrics="recall, specificity")
    recall, specificity = (metric.design_effect for metric in found.facts.metrics)
    assert recall > 3
    assert specificity < 1.5
    alone = br.evaluate(truth, called, metrics="recall, specificity").facts.metrics
    for one, own in zip(found.facts.metrics, alone, strict=True):
        assert (one.independent_low, one.independent_high) == pytest.approx((own.low, own.high))
        assert own.independent_low is None
    details = " ".join(found.render(details=True).split())
    told = f"if cases were independent recall: {alone[0].low:.3f} to {alone[0].high:.3f};"
    assert told in details
    plain = br.evaluate(truth, called, cluster=unit)
    on_record({"asked for": opening(found), "else accuracy": opening(plain)})


def test_weighted_cases_in_clusters_are_told_with_their_number():
    rng = np.random.default_rng(3)
    y, found = rng.random(90) < 0.4, rng.random(90) < 0.5
    weight = np.r_[np.zeros(5), rng.uniform(1, 3, 85)]
    how = {"weight": weight, "metrics": "recall"}
    report = br.evaluate(y, found, cluster=np.arange(90) % 15, **how)
    said, total = " ".join(report.render().split()), f"{weight.sum():,.1f}"
    assert f"These are 85 cases of total weight {total} in 15 clusters" in said
    assert f"Cases: 85, total weight {total}: " in said
    [one], [alone] = report.facts.metrics, br.evaluate(y, found, **how).facts.metrics
    assert (one.independent_low, one.independent_high) == pytest.approx((alone.low, alone.high))

"""`evaluate` of several classes whose cases lie in clusters, or have replicate weights."""

import json
from dataclasses import replace
from math import isnan, nan

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

import baserate as br
from baserate.cases.arrays import read_arrays
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.inference.intervals import class_intervals
from baserate.report.clustering import clusters

M = 20
OF_TWO = ("accuracy", "matthews_correlation", "cohen_kappa", "balanced_accuracy")
COLUMNS = {"target": "truth", "prediction": "called"}


@pytest.fixture(scope="module")
def images():
    """Images of patients whose images are alike."""
    rng = np.random.default_rng(2)
    patient = np.repeat(np.arange(M), rng.integers(1, 51, M))
    n = len(patient)
    mix = rng.dirichlet(np.full(3, 0.8), M)[patient].cumsum(axis=1)
    truth = (rng.random(n)[:, None] > mix[:, :2]).sum(axis=1)
    right = rng.random(n) < rng.beta(1.75, 0.6, M)[patient]
    called = np.where(right, truth, (truth + rng.integers(1, 3, n)) % 3)
    names = np.array(["benign", "nevus", "melanoma"])
    return pd.DataFrame({
        "truth": names[truth], "called": names[called], "patient": patient,
        "image": np.arange(n), "sex": np.where(patient % 3, "f", "m"),
        "w": rng.uniform(0.5, 2, n),
    })  # fmt: skip


def evaluated(images, **how):
    return br.evaluate(images, **COLUMNS, **how)


def rows(images):
    return read_arrays(
        images["truth"], {"m": images["called"]}, keys={"cluster": images["patient"]}
    ).classes()


def test_intervals_are_those_of_clusters(images):
    facts = evaluated(images, cluster="patient", groups="sex").facts
    counted = rows(images).counted()
    women = rows(images[images["sex"] == "f"]).counted()
    [group] = [g for g in facts.groups if g.group == {"sex": "f"}]
    for found, where in ((facts.metrics, counted), (group.metrics, women)):
        for fact in found:
            one = class_intervals(fact.name, where)[fact.name]
            assert (fact.low, fact.high) == pytest.approx((one.low, one.high), rel=1e-9)
            if where is counted:  # a group is a part of a sample of twenty clusters
                mine = (fact.design_effect, fact.effective_n)
                assert mine == (one.design_effect, one.effective_n)
    assert (facts.interval, facts.n_clusters, facts.cluster) == ("jackknife", M, "patient")
    assert facts.metric("accuracy").low < evaluated(images).facts.metric("accuracy").low


def test_every_class_has_what_it_has_against_the_rest(images):
    facts = evaluated(images, cluster="patient").facts
    for one in facts.classes:
        how = {"cluster": "patient", "positive": one.label, "metrics": "recall, precision, f1"}
        alone = evaluated(images, **how).facts
        assert alone.table == one.table
        parts = ("value", "low", "high", "design_effect", "effective_n")
        for mine, other in zip(one.metrics, alone.metrics, strict=True):
            assert [getattr(mine, x) for x in parts] == [getattr(other, x) for x in parts]


def test_intervals_of_named_metrics_stand_beside_those_of_independent_cases(images):
    named = "macro_f1, matthews_correlation"
    found, alone = (evaluated(images, metrics=named, **how) for how in ({"cluster": "patient"}, {}))
    text, times = " ".join(found.render(details=True).split()), []
    for one, own in zip(found.facts.metrics, alone.facts.metrics, strict=True):
        assert (one.independent_low, one.independent_high) == (own.low, own.high)
        assert own.independent_low is None
        times.append(f"{(one.high - one.low) / (own.high - own.low):.1f}")
    assert times[0] != times[1]
    assert f"are {' and '.join(times)} times as wide as of independent cases" in text
    assert f"if cases were independent macro_f1: {alone.facts.metrics[0].low:.3f} to" in text


@pytest.mark.parametrize(
    ("widths", "told"),
    [
        ([2.2, 2.2], "intervals are both 2.2 times"),
        ([2.2, 2.2, 2.24], "intervals are all 2.2 times"),
        ([2.2, 1.1], "intervals are 2.2 and 1.1 times"),
        ([2.2], "its interval is 2.2 times"),
        ([2.2, nan], ""),
    ],
)
def test_intervals_that_are_as_much_wider_are_told_together(images, widths, told):
    facts = evaluated(images, cluster="patient", metrics="accuracy").facts
    [one] = facts.metrics
    named = tuple(
        replace(one, name=name, low=0.1, high=0.1 + width / 10, independent_low=0.1,
                independent_high=0.2 if width > 0 else nan, design_effect=width**2)
        for name, width in zip("abc", widths, strict=False)
    )  # fmt: skip
    facts = replace(facts, metrics=named, asked_for=("a", "b", "c"), n_clusters=400)
    facts = replace(facts, effective_clusters=400)
    assert told in clusters(facts)
    assert bool(told) is ("as wide" in clusters(facts))


def test_the_share_of_a_confusion_goes_by_clusters(images):
    first = evaluated(images, cluster="patient").facts.confusions[0]
    own = images[images["truth"] == first.truth]
    wrong = (own["called"] == first.prediction).astype(int)
    how = {"pos_label": 1, "cluster": own["patient"]}
    share = br.interval("recall", br.count_labels(np.ones(len(own), int), wrong, **how))
    assert (first.share, first.n) == (share.value, wrong.sum())
    assert (first.low, first.high) == pytest.approx((share.low, share.high), rel=1e-9)


def test_two_classes_have_the_answers_for_two(images):
    two = images.assign(**{c: images[c].replace("nevus", "benign") for c in ("truth", "called")})
    names = [*OF_TWO, "macro_f1"]
    facts = evaluated(two, cluster="patient", metrics=names).facts
    other = evaluated(two, cluster="patient", positive="melanoma", metrics=OF_TWO).facts
    assert facts.p_value == other.p_value
    assert (facts.design_effect, facts.independent_n) == (other.design_effect, other.independent_n)
    for name in OF_TWO:
        mine, theirs = facts.metric(name), other.metric(name)
        assert (mine.value, mine.low, mine.high) == (theirs.value, theirs.low, theirs.high)


def test_the_report_says_how_much_the_cases_say(on_record, images):
    result = evaluated(images, cluster="patient")
    facts = result.facts
    assert facts.independent_n == pytest.approx(len(images) / facts.design_effect)
    on_record(result.render("markdown"))
    assert "20 clusters, not independent ones" in " ".join(result.render("html").split())
    document = json.loads(result.render("json"))
    assert (document["n_clusters"], document["p_value_route"]) == (M, "clusters")
    assert document["metrics"][0]["design_effect"] == facts.metrics[0].design_effect


def test_no_picture_takes_cases_as_independent(images):
    drawn = evaluated(images, cluster="patient").displays()
    assert all(isnan(cell.low) for cell in drawn["confusion"].cells)
    assert "no intervals: weights or clusters" in drawn["confusion"].to_svg()
    recall = evaluated(images, cluster="patient").facts.classes[0].metrics[0]
    assert f"{recall.value:.2f} ({recall.low:.2f} to {recall.high:.2f})" in drawn["recall"].to_svg()
    assert not isnan(evaluated(images).displays()["confusion"].cells[0].low)
    two = br.ConfusionMatrix(tp=5, fn=2, fp=1, tn=9)
    assert isnan(br.displays.ConfusionDisplay(two, independent=False).cells[0].low)


def test_items_that_come_again_are_clusters_and_warn(images):
    text = " ".join(evaluated(images, case_id="patient").render(details=True).split())
    assert "in 20 items, not independent ones" in text
    assert text.count("Items occur more than once, and no cluster is named") == 1
    once = evaluated(images, case_id="image").facts
    assert once.metrics == evaluated(images).facts.metrics


def test_one_cluster_cannot_tell(images):
    result = evaluated(images.assign(patient="p"), cluster="patient")
    facts, text = result.facts, " ".join(result.render(details=True).split())
    assert text.startswith("Better than guessing: cannot tell. All cases lie in one cluster")
    assert isnan(facts.p_value)
    assert facts.p_value_reason == "clusters_alike"
    for fact in (*facts.metrics, *facts.classes[0].metrics):
        assert isnan(fact.low)
        assert not isnan(fact.value)
        assert fact.interval_reason == "all cases lie in one cluster"
    assert 'recall of "benign", "melanoma", "nevus": all cases lie in one cluster' in text
    assert "nan" not in text


def test_few_clusters_are_called_few(images):
    few = images[images["patient"] < 6]
    assert "Few clusters: only 6" in evaluated(few, cluster="patient").render(details=True)


def test_undefined_has_its_reason(images):
    table = images.assign(called=images["called"].replace("nevus", "benign"))
    facts = evaluated(table, cluster="patient", metrics="macro_precision, precision").facts
    fact = facts.metric("macro_precision")
    assert isnan(fact.value)
    assert "nevus" in fact.undefined_reason
    [nevus] = [c for c in facts.classes if c.label == "nevus"]
    assert isnan(nevus.metrics[0].low)
    assert nevus.metrics[0].undefined_reason == "nothing predicted positive (tp + fp = 0)"


def test_jackknife_replicates_say_what_clusters_say(images):
    patients = np.unique(images["patient"])
    weights = np.array([
        np.where(images["patient"] == p, 0, images["w"] * M / (M - 1)) for p in patients
    ])  # fmt: skip
    frame = images.join(pd.DataFrame(weights.T, columns=[f"rep{k}" for k in range(M)]))
    how = {"weight": "w", "replicate_weights": "rep*", "replicate_scale": (M - 1) / M}
    found, by_clusters = evaluated(frame, **how), evaluated(images, weight="w", cluster="patient")
    facts = found.facts
    assert (facts.interval, facts.n_replicates) == ("replicates", M)
    assert facts.n_clusters is None
    for mine, other in zip(facts.metrics, by_clusters.facts.metrics, strict=True):
        assert mine.value == pytest.approx(other.value)
        assert mine.design_effect == pytest.approx(other.design_effect, rel=1e-6)
        assert other.low < mine.low < mine.value  # more degrees of freedom
    how |= {"weight": images["w"], "replicate_weights": weights.T}
    arrays = br.evaluate(images["truth"], images["called"], **how)
    assert arrays.facts.metrics == facts.metrics


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ({"interval": "wilson"}, UnsupportedError, "interval 'wilson' takes cases as independent"),
        ({"interval": "bayes"}, UnsupportedError, "interval 'bayes' takes cases as independent"),
        ({"p_value": "sup"}, InvalidArgumentError, "p_value speaks of one positive class"),
        ({"cluster": "called"}, InvalidArgumentError, "cluster must differ from prediction"),
    ],
)
def test_what_would_take_cases_as_independent_is_refused(images, how, error, message):
    with pytest.raises(error, match=message):
        evaluated(images, **{"cluster": "patient", **how})


def test_what_it_is_worth_by_patients(images):
    u = np.array([[1.0, -1, -1], [-2, 1, -1], [-9, -3, 1]])  # rows decisions, by alphabet
    found = evaluated(images, cluster="patient", utility=u)
    facts, names = found.facts, ["benign", "melanoma", "nevus"]
    called, truth = (np.array(list(map(names.index, images[x]))) for x in ("called", "truth"))
    constant = names.index(facts.stakes.constant)
    gain = u[called, truth] - u[constant, truth]
    left = np.array([gain[images["patient"] != k].mean() for k in range(M)])
    squares = (gain.mean() - left) ** 2
    degrees = min(3 * squares.sum() ** 2 / (squares @ squares), M - 1)
    sure = t.cdf(gain.mean() / np.sqrt(squares.sum()), degrees)
    assert facts.worth.value == pytest.approx(u[called, truth].mean())
    assert 0.8 < facts.worth.beats_constant < sure  # as the interval reaches further down
    [metric] = [m for m in facts.metrics if m.name.startswith("utility(")]
    assert (facts.worth.low, facts.worth.high) == (metric.low, metric.high)
    one = evaluated(images.assign(patient=1), cluster="patient", utility=u)
    assert "Worth using: cannot tell, since all cases lie in one cluster" in one.render(
        details=True
    )

"""Audits by replicate weights, against the clusters that they stand for."""

import numpy as np
import pandas as pd
import pytest

from baserate import audit
from baserate.errors import InvalidArgumentError


@pytest.fixture(scope="module")
def survey():
    """Return cases in 40 clusters, weights, and the jackknife's replicates of these."""
    rng = np.random.default_rng(9)
    n, m = 500, 40
    cluster = rng.integers(0, m, n)
    truth, group = rng.random(n) < 0.5, rng.choice(list("ab"), n, p=[0.3, 0.7])
    chance = rng.beta(2, 1, m)[cluster]
    found = np.where(truth, rng.random(n) < chance, rng.random(n) < 0.2)
    weight = np.exp(0.4 * rng.standard_normal(n))
    left = cluster[:, None] != np.arange(m)
    return truth, found, group, weight, cluster, weight[:, None] * left * m / (m - 1)


def recall(result):
    return result.facts.groups[0].findings[0]


def jackknife(survey, **options):
    truth, found, group, weight, _, replicates = survey
    return audit(
        truth, found, groups=group, weight=weight, metrics="recall, f1",
        replicate_weights=replicates, replicate_scale=39 / 40, **options,
    )  # fmt: skip


def test_jackknife_replicates_say_what_clusters_say(survey, monkeypatch):
    """Leaving out each cluster, weights of the others raised: nearly the same variance."""
    truth, found, group, weight, cluster, _ = survey
    plain = {"groups": group, "weight": weight, "metrics": "recall, f1"}
    by_clusters = recall(audit(truth, found, cluster=cluster, **plain))
    result = jackknife(survey)
    mine = recall(result)
    assert mine.value == by_clusters.value
    assert mine.design_effect < by_clusters.design_effect  # which may be more alike than they show
    monkeypatch.setattr("baserate.groups.samples.Samples._floor", lambda *_: None)
    by_clusters = recall(audit(truth, found, cluster=cluster, **plain))
    assert mine.design_effect == pytest.approx(by_clusters.design_effect * 39 / 40, rel=1e-6)
    assert mine.route == "approximate"
    assert (result.facts.n_replicates, result.facts.n_clusters) == (40, None)
    text = " ".join(result.render("table").split())
    assert "approximate, for cases with replicate weights" in text
    assert "Student's, from the replicate weights" in text
    assert result.facts.gaps[0].low < result.facts.gaps[0].difference < result.facts.gaps[0].high


@pytest.mark.slow
def test_columns_by_their_names_and_a_scale_of_each(survey):
    truth, found, group, weight, _, replicates = survey
    names = [f"w{k}" for k in range(40)]
    frame = pd.DataFrame(replicates, columns=names).assign(
        truth=truth, found=found, group=group, w=weight
    )
    result = audit(
        frame, target="truth", prediction="found", groups="group", weight="w",
        metrics="recall, f1", replicate_weights=names, replicate_scale=[39 / 40] * 40,
    )  # fmt: skip
    assert recall(result).p_value == pytest.approx(recall(jackknife(survey)).p_value, rel=1e-9)


def test_variance_of_a_share_by_bootstrap_weights(survey):
    """Multinomial bootstrap weights of independent cases: about no design effect."""
    truth, found, group, weight, *_ = survey
    rng = np.random.default_rng(10)
    counts = rng.multinomial(len(truth), np.full(len(truth), 1 / len(truth)), size=300)
    result = audit(
        truth, found, groups=group, weight=weight, metrics="recall",
        replicate_weights=(counts * weight).T, replicate_scale=1 / 299,
    )  # fmt: skip
    assert recall(result).design_effect == pytest.approx(1, rel=0.25)
    assert recall(result).degrees_of_freedom < 299


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weight": None}, "must come with the weights of the sample itself"),
        ({"replicate_scale": None}, "must be a positive number, or one for each of 40"),
        ({"replicate_scale": [1, 2]}, "must be a positive number, or one for each of 40"),
        ({"replicate_scale": "BRR"}, "1/R for R balanced"),
        ({"replicate_weights": None}, "has a meaning with replicate_weights only"),
        ({"replicate_weights": [1, 2]}, r"must have shape \(n, R\)"),
        ({"cluster": "c"}, "cluster says what replicate weights say already"),
    ],
)
def test_refusals(survey, options, message):
    truth, found, group, weight, cluster, replicates = survey
    options = {key: cluster if key == "cluster" else value for key, value in options.items()}
    asked = {"weight": weight, "replicate_weights": replicates, "replicate_scale": 0.5, **options}
    with pytest.raises(InvalidArgumentError, match=message):
        audit(truth, found, groups=group, **asked)


def test_negative_weights(survey):
    truth, found, group, weight, _, replicates = survey
    with pytest.raises(InvalidArgumentError, match="must be non-negative"):
        audit(
            truth, found, groups=group, weight=weight, replicate_weights=-replicates,
            replicate_scale=1,
        )  # fmt: skip

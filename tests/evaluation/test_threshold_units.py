"""`thresholds` of cases in clusters, or with weights: whole units are drawn, and words say so."""

import numpy as np
import pandas as pd
import pytest

import baserate as br
from baserate.cases.units import ALIKE
from baserate.errors import InvalidArgumentError
from baserate.tuning import class_weight_spread, threshold_spread

RNG = np.random.default_rng(2)
N = 240
WARD = np.repeat(np.arange(24), 10)
LEAN = RNG.normal(size=24)[WARD]
ILL = RNG.random(N) < 1 / (1 + np.exp(1 - LEAN))
RISK = 1 / (1 + np.exp(1 - LEAN / 2 - RNG.normal(size=N) - ILL))
FRAME = pd.DataFrame(
    {"ill": ILL, "risk": RISK, "ward": WARD, "w": RNG.exponential(size=N), "site": WARD % 2}
)
ASKED = {"target": "ill", "score": "risk", "metrics": "f1,mcc", "n_resamples": 40}
DESIGNS = [
    {"cluster": "ward"},
    {"case_id": "ward"},
    {"weight": "w"},
    {"weight": "w", "cluster": "ward"},
]


@pytest.mark.sweep(4, start=3)
@pytest.mark.parametrize("given", DESIGNS)
def test_cuts_are_those_of_units_that_are_drawn_as_a_whole(given):
    facts = br.thresholds(FRAME, **ASKED, **given).facts
    how = {"sample_weight": FRAME["w"]} if "weight" in given else {}
    how |= {"cluster": WARD} if {"cluster", "case_id"} & set(given) else {}
    for cut in facts.cuts:
        best = br.optimal_threshold(cut.name, ILL, RISK, sample_weight=how.get("sample_weight"))
        assert (cut.threshold, cut.value) == (best.threshold, best.value)
    first = threshold_spread("f1", ILL, RISK, rng=0, n_resamples=40, **how)
    assert (facts.cuts[0].low, facts.cuts[0].high) == (first.low, first.high)
    assert facts.n_clusters == (24 if "cluster" in how else None)
    assert (facts.effective_n is None) == ("weight" not in given)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("given", DESIGNS)
def test_what_is_told_of_them(given):
    found = br.thresholds(FRAME, **ASKED, constraint="recall >= 0.6", groups="site", **given)
    text = " ".join(found.render(details=True).split())
    clusters = not given.keys() <= {"weight"}
    assert ("whole clusters" in text) == clusters
    assert ("cases with their weights" in text) != clusters
    assert ('24 of column "ward"' in text) == clusters
    assert ("effective cases (Kish)" in text) == ("weight" in given)
    assert "P(the population keeps recall >= 0.6)" in text
    assert "as many as weights and clusters are worth" in text
    assert len(found.facts.groups) == 2
    assert all(not np.isnan(cut.low) for group in found.facts.groups for cut in group.cuts)
    assert {"ROC AUC", "Spread"} <= {word for word in ("ROC AUC", "Spread") if word in text}
    if clusters:
        assert found.facts.calibration is None
        assert "Risks are overestimated: O:E" in text or "No evidence that risks are wrong" in text
        assert not np.isnan([one.low for one in found.facts.net_benefit]).any()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"fold": "site", "cluster": "ward"},
            "cluster has no meaning beside folds .*: leave out the folds",
        ),
        ({"fold": "site", "weight": "w"}, "weight has no meaning beside folds"),
        ({"weight": "w", "replicate_weights": ["w"]}, "a best cut jumps from case to case"),
    ],
)
def test_refusals(given, said):
    with pytest.raises(InvalidArgumentError, match=said):
        br.thresholds(FRAME, **ASKED, **given)


def test_cells_of_clusters_that_are_one_class():
    one = FRAME.assign(ward=np.where(ILL, 0, 1 + WARD))  # all positives in one cluster
    facts = br.thresholds(one, **ASKED, cluster="ward").facts
    assert all(cut.reason is None for cut in facts.cuts)


def test_one_cluster_tells_nothing_of_others():
    one = FRAME.assign(ward=0)
    found = br.thresholds(one, **ASKED, cluster="ward", constraint="recall >= 0.6")
    for cut in found.facts.cuts:
        assert not np.isnan(cut.value)
        assert np.isnan([cut.low, cut.high, cut.corrected]).all()
        assert "one cluster" in cut.constraints[0].reason
    assert found.facts.absent["spread"] == ALIKE
    text = " ".join(found.render(details=True).split())
    assert "on new cases" not in text
    assert f"Spread and optimism of best cuts: {ALIKE}" in text
    assert "Spread holds" not in text


TRUTH = np.array([RNG.choice(3, p=p / p.sum()) for p in np.exp(RNG.normal(size=(24, 3)))[WARD]])
CHANCES = np.exp(RNG.normal(size=(N, 3)) + np.eye(3)[TRUTH])
CHANCES /= CHANCES.sum(axis=1, keepdims=True)
KINDS = FRAME.assign(
    kind=np.array(list("abc"))[TRUTH], **{f"p_{k}": CHANCES[:, i] for i, k in enumerate("abc")}
)
OF_KINDS = {"target": "kind", "score": ["p_a", "p_b", "p_c"], "metrics": "macro_f1"}


@pytest.mark.sweep(2)
@pytest.mark.parametrize("given", DESIGNS)
def test_weights_of_several_classes(given):
    found = br.thresholds(KINDS, **OF_KINDS, n_resamples=8, **given)
    how = {"sample_weight": FRAME["w"]} if "weight" in given else {}
    how |= {"cluster": WARD} if {"cluster", "case_id"} & set(given) else {}
    direct = class_weight_spread("macro_f1", KINDS["kind"], CHANCES, rng=0, n_resamples=8, **how)
    [fact] = found.facts.metrics
    assert (fact.value, fact.corrected) == (direct.value, direct.corrected)
    assert (fact.low, fact.high) == (direct.interval.low, direct.interval.high)
    assert fact.low < fact.corrected < fact.high
    assert fact.difference_low < fact.difference < fact.difference_high
    assert found.facts.n_clusters == (24 if "cluster" in how else None)
    text = " ".join(found.render(details=True).split())
    clusters = not given.keys() <= {"weight"}
    assert ("is of whole clusters" in text) == clusters
    assert ("is of cases with their weights" in text) != clusters
    assert ("effective cases (Kish)" in text) == ("weight" in given)


@pytest.mark.parametrize("weight", [np.ones(N), FRAME["w"].to_numpy()])
def test_no_case_is_judged_by_weights_that_its_cluster_chose(weight):
    """With two clusters, a sample that lacks one is found on the other alone."""
    half, asked = np.arange(N) % 2, {"cluster": np.arange(N) % 2, "sample_weight": weight}
    found = class_weight_spread("accuracy", TRUTH, CHANCES, rng=1, n_resamples=12, **asked)
    judged, random = np.zeros((3, 3)), np.random.default_rng(1)
    calls = np.zeros((N, 3))
    for _ in range(12):
        times = random.multinomial(2, [0.5, 0.5])[half]
        kept = times > 0
        best = br.tuning.optimal_class_weights(
            "accuracy", TRUTH[kept], CHANCES[kept], labels=[0, 1, 2],
            sample_weight=(times * weight)[kept],
        ).weights  # fmt: skip
        called = (CHANCES * best).argmax(axis=1)
        calls[~kept, called[~kept]] += 1
    total = calls.sum(axis=1, keepdims=True)
    shares = np.divide(calls, total, out=np.zeros_like(calls), where=total > 0)
    np.add.at(judged, TRUTH, shares * weight[:, None])
    assert np.allclose(found.table.counts, judged)
    assert found.corrected == pytest.approx(np.trace(judged) / judged.sum())


def test_one_cluster_judges_no_weights_of_classes():
    found = br.thresholds(KINDS.assign(ward=0), **OF_KINDS, n_resamples=3, cluster="ward").facts
    assert np.isnan(found.metrics[0].corrected)
    assert "all cases lie in one cluster" in found.metrics[0].corrected_reason

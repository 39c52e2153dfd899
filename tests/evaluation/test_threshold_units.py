"""`thresholds` of cases in clusters, or with weights: whole units are drawn, and words say so."""

import numpy as np
import pandas as pd
import pytest

import baserate as br
from baserate.errors import InvalidArgumentError
from baserate.tuning import threshold_spread

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


@pytest.mark.parametrize("given", DESIGNS)
def test_what_is_told_of_them(given):
    found = br.thresholds(FRAME, **ASKED, constraint="recall >= 0.6", groups="site", **given)
    text = " ".join(str(found).split())
    clusters = not given.keys() <= {"weight"}
    assert ("whole clusters" in text) == clusters
    assert ("cases with their weights" in text) != clusters
    assert ('24 of column "ward"' in text) == clusters
    assert ("effective cases (Kish)" in text) == ("weight" in given)
    assert "P(the population keeps recall >= 0.6)" in text
    assert "how often bootstrap samples" in text
    assert len(found.facts.groups) == 2
    assert all(not np.isnan(cut.low) for group in found.facts.groups for cut in group.cuts)
    assert {"ROC AUC", "Spread"} <= {word for word in ("ROC AUC", "Spread") if word in text}
    if clusters:
        assert found.facts.calibration is None
        assert "Risks are overestimated: O:E" in text or "No evidence that risks are wrong" in text
        assert found.facts.absent["net_benefit"] == "fitted_to_clusters"


def test_the_area_is_that_of_evaluate():
    mine = br.thresholds(FRAME, **ASKED, cluster="ward").facts.ranking[0]
    other = br.evaluate(FRAME, target="ill", score="risk", threshold=0.5, cluster="ward").facts
    assert (mine.low, mine.high, mine.p_value) == (
        other.roc_auc.low, other.roc_auc.high, other.roc_auc.p_value,
    )  # fmt: skip


def test_files_and_arrays_and_cases_say_the_same(tmp_path):
    FRAME.to_csv(tmp_path / "d.csv", index=False)
    asked = {**ASKED, "cluster": "ward", "weight": "w"}
    wanted = br.thresholds(FRAME, **asked).facts.cuts
    assert br.thresholds(tmp_path / "d.csv", **asked).facts.cuts == wanted
    columns = {"weight": FRAME["w"], "cluster": WARD}
    how = {"metrics": "f1,mcc", "n_resamples": 40}
    assert br.thresholds(ILL, RISK, **how, **columns).facts.cuts == wanted
    read = br.cases(FRAME, target="ill", score="risk", cluster="ward", weight="w")
    assert br.thresholds(read, **how).facts.cuts == wanted


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"fold": "site", "cluster": "ward"}, "cluster has no meaning beside folds"),
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

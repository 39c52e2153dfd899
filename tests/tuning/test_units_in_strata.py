"""Units that are drawn within strata, beside the variance of totals of stratified samples."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit
from scipy.stats import t as student

import baserate as br
from baserate.cases.strata import drawn_again
from baserate.errors import DataError, InvalidArgumentError
from baserate.tuning import class_weight_spread, threshold_spread
from baserate.tuning.optimism import Units

RANDOM = np.random.default_rng(11)
STRATUM = np.repeat([0, 1, 2, 2, 3], 40)
PSU = np.concatenate([np.arange(40) % k for k in (2, 3, 4, 4, 2)])
LATENT = RANDOM.normal(STRATUM / 2 - 1, 1)
DATA = pd.DataFrame({
    "stratum": STRATUM, "psu": PSU, "y": RANDOM.random(200) < 1 / (1 + np.exp(-LATENT)),
    "s": (LATENT + RANDOM.normal(size=200)).round(1), "w": RANDOM.integers(1, 7, 200) / 4,
    "site": RANDOM.choice(["n", "s"], 200),
})  # fmt: skip
P = RANDOM.dirichlet([1, 1, 1], 200) + np.eye(3)[RANDOM.integers(0, 3, 200)]
CLASSES = {f"p_{k}": P[:, k] / P.sum(axis=1) for k in range(3)}
KIND = [int(RANDOM.choice(3, p=p / p.sum())) for p in P]
THREE = DATA.assign(kind=KIND, **CLASSES)
COLUMNS = {"strata": "stratum", "cluster": "psu"}
ARRAYS = {name: DATA[column] for name, column in COLUMNS.items()}
SCORES = {"target": "y", "score": "s", "positive": True}


def linearised(each) -> float:
    """Return Σ k/(k - 1) Σ (z - z̄)² over strata of k clusters that add z."""
    sums = DATA.assign(z=each).groupby(["stratum", "psu"]).z.sum()
    return sum(len(one) * one.var() for _, one in sums.groupby("stratum"))


def jackknifed(each) -> float:
    """Return Σ (k - 1)/k (mean without a cluster - mean)², each cluster left out by hand."""
    square = 0.0
    for (stratum, _), own in DATA.groupby(["stratum", "psu"]).groups.items():
        k = DATA.psu[stratum == DATA.stratum].nunique()
        weight = np.where(stratum == DATA.stratum, k / (k - 1), 1.0)
        weight[own] = 0.0
        square += (k - 1) / k * (np.average(each, weights=weight) - np.mean(each)) ** 2
    return square


def test_totals_of_samples_vary_as_those_of_stratified_ones():
    stratum = np.array([0, 1, 0, 1, 1, 2, 2, 2, 2])
    amount = np.array([3.0, 1, 7, 0, 4, 2, 2, 9, 5])
    times = drawn_again(9, stratum, 40_000, np.random.default_rng(0))
    expected = sum(
        len(one) * np.var(one, ddof=1) for k in range(3) for one in [amount[stratum == k]]
    )
    assert times.mean(axis=0) == pytest.approx(np.ones(9), abs=0.02)
    assert np.var(times @ amount) == pytest.approx(expected, rel=0.04)
    for k in range(3):  # each stratum weighs what it did
        assert times[:, stratum == k].sum(axis=1) == pytest.approx(
            np.full(40_000, sum(stratum == k))
        )


def test_tables_at_each_cut_vary_so():
    cases = br.cases(DATA, **SCORES, weight="w", **COLUMNS).data.binary(True)
    swept = br.sweep(DATA.y, DATA.s, sample_weight=DATA.w, pos_label=True)
    drawn = Units.of_cases(cases).drawn(swept).sample(20_000, np.random.default_rng(1))
    at = len(swept.thresholds) // 2
    found = DATA.w * (DATA.y & (DATA.s >= swept.thresholds[at]))
    assert np.mean(drawn.tp[:, at]) == pytest.approx(found.sum(), rel=0.01)
    assert np.var(drawn.tp[:, at]) == pytest.approx(linearised(found), rel=0.05)


def test_effective_sizes_are_by_clusters_within_strata():
    cases = br.cases(DATA, **SCORES, weight="w", **COLUMNS).data.binary(True)
    sizes = Units.of_cases(cases).effective_sizes
    for side, found in zip((DATA.y, ~DATA.y), sizes, strict=True):
        weight, place = DATA.w * side, DATA.s.rank(method="dense")
        cuts = np.unique(np.quantile(place[side], np.linspace(0, 1, 41), method="nearest"))
        alone = together = 0.0
        for cut in cuts:
            share = weight[place >= cut].sum() / weight.sum()
            alone += share * (1 - share)
            together += linearised(weight * ((place >= cut) - share) / weight.sum())
        kish = weight.sum() ** 2 / (weight**2).sum()
        assert found == pytest.approx(min(alone / together + 1, kish), rel=1e-9)


def test_a_report_has_the_spread_of_the_arrays():
    asked = {"metrics": "f1,mcc", "n_resamples": 40}
    facts = br.thresholds(DATA, **SCORES, weight="w", **asked, **COLUMNS).facts
    one = threshold_spread(
        "f1", DATA.y, DATA.s, rng=0, n_resamples=40, sample_weight=DATA.w, **ARRAYS
    )
    assert (facts.cuts[0].low, facts.cuts[0].high) == (one.low, one.high)
    assert (facts.n_strata, facts.n_replicates, facts.n_clusters) == (4, 11, None)
    text = " ".join(br.thresholds(DATA, **SCORES, **asked, **COLUMNS).render(details=True).split())
    assert "whole clusters within strata" in text
    assert '11 of column "psu" in 4 strata of "stratum"' in text


def test_three_classes_have_the_spread_of_the_arrays():
    asked = {"metrics": "accuracy", "n_resamples": 10}
    scores = list(CLASSES)
    found = br.thresholds(THREE, target="kind", score=scores, groups="site", **asked, **COLUMNS)
    [fact] = found.facts.metrics
    one = class_weight_spread(
        "accuracy", THREE.kind, THREE[scores].to_numpy(), rng=0, n_resamples=10, **ARRAYS
    )
    assert (fact.corrected, fact.low) == (one.corrected, one.interval.low)
    assert (fact.difference_low, fact.difference_high) == (one.low, one.high)
    assert (found.facts.n_strata, found.facts.strata) == (4, "stratum")
    assert all(not np.isnan(part.weights[0].corrected) for part in found.facts.groups)


def test_calls_out_of_the_bag_are_judged_within_strata():
    """Where all probabilities are 0 or 1, whatever weights are found change no call."""
    called = np.where(RANDOM.random(200) < 0.7, KIND, RANDOM.integers(0, 3, 200))
    how = {"rng": 0, "n_resamples": 30, **ARRAYS}
    found = class_weight_spread("accuracy", KIND, np.eye(3)[called], labels=[0, 1, 2], **how)
    right = called == KIND
    assert found.corrected == pytest.approx(right.mean(), rel=1e-12)
    ends = found.interval
    far = (logit(ends.high) - logit(ends.low)) / 2 * right.mean() * (1 - right.mean())
    sums = DATA.assign(right=right).groupby(["stratum", "psu"]).right.sum()
    differ = [len(one) - 1 for _, one in sums.groupby("stratum") if np.ptp(one)]
    error = far / student.ppf(0.975, sum(differ))
    assert error**2 == pytest.approx(jackknifed(right), rel=1e-9)


def test_a_group_without_some_of_the_clusters():
    lost = DATA.assign(site=np.where((DATA.stratum == 0) & (DATA.psu == 1), "s", "n"))
    found = br.thresholds(lost, **SCORES, groups="site", metrics="f1", n_resamples=30, **COLUMNS)
    assert [len(part.cuts) for part in found.facts.groups] == [1, 1]


def test_one_stratum_is_as_none():
    how = {"rng": 0, "n_resamples": 30}
    named = DATA.stratum * 10 + DATA.psu
    one = threshold_spread("f1", DATA.y, DATA.s, strata=[1] * 200, cluster=named, **how)
    none = threshold_spread("f1", DATA.y, DATA.s, cluster=named, **how)
    assert (one.low, one.high, one.corrected) == (none.low, none.high, none.corrected)


def test_what_cannot_be_is_refused():
    alone = DATA[(DATA.stratum != 0) | (DATA.psu == 0)]
    with pytest.raises(DataError, match=r"Stratum 0 of stratum .* merge it with a neighbour"):
        br.thresholds(alone, **SCORES, **COLUMNS)
    with pytest.raises(InvalidArgumentError, match="strata must come with the clusters"):
        threshold_spread("f1", DATA.y, DATA.s, rng=0, strata=DATA.stratum)
    with pytest.raises(InvalidArgumentError, match="strata has no meaning beside a sweep"):
        threshold_spread("f1", br.sweep(DATA.y, DATA.s), rng=0, **ARRAYS)
    with pytest.raises(InvalidArgumentError, match="strata has no meaning beside folds"):
        br.thresholds(DATA, **SCORES, fold="site", **COLUMNS)
    scores = THREE[[*CLASSES]].to_numpy()
    with pytest.raises(InvalidArgumentError, match="fold has no meaning beside clusters"):
        class_weight_spread("accuracy", THREE.kind, scores, rng=0, fold=DATA.site, **ARRAYS)

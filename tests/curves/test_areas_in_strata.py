"""ROC areas of clusters drawn in strata, beside sums over pairs and the linearised variance."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit
from scipy.stats import t as student

import baserate as br
from baserate.errors import DataError, InvalidArgumentError, LabelError

STRATA, EACH = 8, (2, 3, 4)


def survey(seed: int = 1) -> pd.DataFrame:
    """Cases of strata that differ much; clusters are numbered anew in each."""
    random, parts = np.random.default_rng(seed), []
    for stratum in range(STRATA):
        for psu in range(EACH[stratum % 3]):
            n, shift = int(random.integers(15, 30)), random.normal(0, 0.3) + stratum / 4 - 1
            latent = random.normal(shift, 1, n)
            part = {"stratum": stratum, "psu": psu, "y": random.random(n) < expit(latent)}
            part |= {"a": latent + random.normal(0, 1, n), "b": latent + random.normal(0, 2, n)}
            part |= {"w": random.integers(1, 7, n) / 4, "fold": random.integers(0, 3, n)}
            parts.append(pd.DataFrame(part))
    return pd.concat(parts, ignore_index=True).round({"a": 1, "b": 1})  # with ties


DATA = survey()
CLUSTERS = len(DATA.groupby(["stratum", "psu"]))
DEGREES = CLUSTERS - STRATA
DESIGN = {"strata": DATA.stratum, "cluster": DATA.psu, "sample_weight": DATA.w}


def wins(data: pd.DataFrame, score: str) -> tuple[pd.DataFrame, pd.DataFrame, np.ndarray]:
    sick, well = data[data.y], data[~data.y]
    return sick, well, np.sign(sick[score].to_numpy()[:, None] - well[score].to_numpy()) / 2 + 0.5


def area(data: pd.DataFrame, score: str = "a") -> float:
    sick, well, won = wins(data, score)
    return float(sick.w @ won @ well.w / (sick.w.sum() * well.w.sum()))


def pulls(data: pd.DataFrame, score: str = "a") -> pd.Series:
    """Return what each case adds to the area, weight included: placements less the area."""
    sick, well, won = wins(data, score)
    of_sick = sick.w * (won @ well.w / well.w.sum() - area(data, score)) / sick.w.sum()
    of_well = well.w * (sick.w @ won / sick.w.sum() - area(data, score)) / well.w.sum()
    return pd.concat([of_sick, of_well]).sort_index()


def linearised(each: pd.Series) -> float:
    """Return Σ k/(k - 1) Σ (z - z̄)² over strata of k clusters that add z."""
    sums = DATA.assign(z=each).groupby(["stratum", "psu"]).z.sum()
    return sum(len(one) * one.var() for _, one in sums.groupby("stratum"))


def jackknifed(number) -> float:
    whole, square = number(DATA), 0.0
    for (stratum, psu), _ in DATA.groupby(["stratum", "psu"]):
        beside = DATA.stratum == stratum
        k = DATA.psu[beside].nunique()
        left = DATA.assign(w=DATA.w.where(~beside, DATA.w * k / (k - 1)))
        left = left[~(beside & (DATA.psu == psu))]
        square += (k - 1) / k * (number(left) - whole) ** 2
    return square


def variance(found, degrees: float = DEGREES) -> float:
    """Return the variance that Student's interval on the logit scale has."""
    far = (logit(found.high) - logit(found.low)) / 2
    return (far * found.value * (1 - found.value) / student.ppf(0.975, degrees)) ** 2


def test_an_area_varies_by_clusters_within_strata():
    found = br.roc_auc(DATA.y, DATA.a, **DESIGN)
    assert found.value == pytest.approx(area(DATA), rel=1e-12)
    assert variance(found) == pytest.approx(jackknifed(area), rel=1e-9)
    assert variance(found) == pytest.approx(linearised(pulls(DATA)), rel=0.05)
    assert found.n_clusters == CLUSTERS
    sick, well = (float(np.sum(pulls(DATA)[side] ** 2)) for side in (DATA.y, ~DATA.y))
    assert found.design_effect == pytest.approx(variance(found) / (sick + well), rel=0.02)


def test_the_p_value_goes_with_the_interval():
    found = br.roc_auc(DATA.y, DATA.a, confidence_level=0.9, **DESIGN)
    level = 1 - found.p_value
    at = br.roc_auc(DATA.y, DATA.a, confidence_level=level, **DESIGN)
    assert at.low == pytest.approx(0.5, abs=1e-6)


def test_an_evaluation_has_the_same_area():
    how = {"target": "y", "weight": "w", "strata": "stratum", "cluster": "psu"}
    found = br.roc_auc(DATA.y, DATA.a, **DESIGN)
    told = br.evaluate(DATA, score="a", threshold=0.0, **how)["roc_auc"]
    assert (told.low, told.high, told.p_value) == (found.low, found.high, found.p_value)
    two = br.compare_auc(DATA.y, DATA.a, DATA.b, **DESIGN)
    of_two = br.difference("roc_auc", DATA.a, DATA.b, y_true=DATA.y, **DESIGN)
    compared = br.compare(DATA, score=["a", "b"], threshold=0.0, **how)
    [pair] = (one for one in compared.facts.score_pairs if one.measure == "roc_auc")
    for other in (of_two, pair):
        assert (other.low, other.high, other.p_value) == (two.low, two.high, two.p_value)


def test_a_difference_of_areas_on_the_same_cases():
    found = br.compare_auc(DATA.y, DATA.a, DATA.b, **DESIGN)
    by_hand = jackknifed(lambda data: area(data) - area(data, "b"))
    error = (found.high - found.low) / 2 / student.ppf(0.975, DEGREES)
    assert found.difference == pytest.approx(area(DATA) - area(DATA, "b"), rel=1e-9)
    assert error**2 == pytest.approx(by_hand, rel=1e-9)
    assert error**2 == pytest.approx(linearised(pulls(DATA) - pulls(DATA, "b")), rel=0.05)
    usual = br.compare_auc(DATA.y, DATA.a, DATA.b, method="delong", **DESIGN)
    p = 2 * student.sf(found.difference / error, DEGREES)
    assert (usual.p_value, usual.low) == pytest.approx((p, found.low), rel=1e-9)


def test_swaps_of_clusters_do_not_know_of_strata():
    named = DATA.stratum * 10 + DATA.psu
    how = {"method": "exact", "pos_label": True}
    few = DATA.stratum < 4
    columns = [DATA[name][few] for name in ("y", "a", "b")]
    found = br.compare_auc(*columns, strata=DATA.stratum[few], cluster=DATA.psu[few], **how)
    assert found.p_value == br.compare_auc(*columns, cluster=named[few], **how).p_value


def test_folds_hold_their_own_ranks():
    parts = [pulls(part) for _, part in DATA.groupby("fold")]
    areas = [area(part) for _, part in DATA.groupby("fold")]
    apart = [  # around the mean over folds, as of clusters
        one + part.w * np.where(part.y, *(1 / part.w[side].sum() for side in (part.y, ~part.y)))
        * (own - np.mean(areas))
        for one, own, (_, part) in zip(parts, areas, DATA.groupby("fold"), strict=True)
    ]  # fmt: skip
    expected = 2 * linearised(pd.concat(apart).sort_index() / len(parts))
    found = br.roc_auc(DATA.y, DATA.a, fold=DATA.fold, **DESIGN)
    assert found.value == pytest.approx(np.mean(areas), rel=1e-12)
    assert variance(found) == pytest.approx(expected, rel=0.02)


def test_one_stratum_is_as_none():
    named = DATA.stratum * 10 + DATA.psu
    one = br.roc_auc(DATA.y, DATA.a, strata=["all"] * len(DATA), cluster=named)
    assert one == br.roc_auc(DATA.y, DATA.a, cluster=named)


def test_a_cluster_without_weight_was_drawn_too():
    lost = (DATA.stratum == 2) & (DATA.psu == 0)
    data = DATA.assign(w=DATA.w.where(~lost, 0.0))
    found = br.roc_auc(data.y, data.a, **DESIGN | {"sample_weight": data.w})
    told = br.evaluate(
        data, target="y", score="a", threshold=0.0, weight="w", strata="stratum", cluster="psu"
    )["roc_auc"]
    assert (found.low, found.high) == pytest.approx((told.low, told.high), rel=1e-12)
    assert found.n_clusters == CLUSTERS


def test_what_cannot_be_is_refused():
    alone = (DATA.stratum != 3) | (DATA.psu == 0)
    with pytest.raises(DataError, match=r"Stratum 3 of strata .* merge it with a neighbour"):
        br.roc_auc(
            DATA.y[alone], DATA.a[alone], strata=DATA.stratum[alone], cluster=DATA.psu[alone]
        )
    with pytest.raises(
        InvalidArgumentError, match=r"strata must come with the clusters .*--cluster"
    ):
        br.roc_auc(DATA.y, DATA.a, strata=DATA.stratum)
    with pytest.raises(InvalidArgumentError, match="strata needs labels and scores case by case"):
        br.roc_auc(br.sweep(DATA.y, DATA.a), strata=DATA.stratum, cluster=DATA.psu)
    with pytest.raises(InvalidArgumentError, match="strata has no meaning beside method exact"):
        br.roc_auc(DATA.y, DATA.a, method="exact", strata=DATA.stratum, cluster=DATA.psu)
    with pytest.raises(InvalidArgumentError, match="strata is for two scores of the same cases"):
        br.compare_auc(DATA.y, DATA.a, DATA.b, y_true_b=DATA.y, strata=DATA.stratum)
    with pytest.raises(LabelError, match="strata"):
        br.roc_auc(DATA.y, DATA.a, strata=DATA.stratum[:5], cluster=DATA.psu)

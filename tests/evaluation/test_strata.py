"""Strata of a survey: beside the linearised variance of texts on sampling, and the jackknife."""

from math import sqrt

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit
from scipy.stats import norm
from scipy.stats import t as student

import baserate as br
from baserate.errors import BaserateError, DataError, InvalidArgumentError

STRATA, DRAWN = 12, (2, 2, 3)  # clusters of the strata, in turn
DESIGN = {"weight": "w", "strata": "stratum", "cluster": "psu"}


def survey(seed: int = 5) -> pd.DataFrame:
    """Cases of strata that differ much, whose clusters differ little; PSUs begin anew in each."""
    rng, parts = np.random.default_rng(seed), []
    for stratum in range(STRATA):
        for psu in range(DRAWN[stratum % 3]):
            n = int(rng.integers(20, 40))
            risk = np.clip(rng.normal(0.2 + 0.05 * stratum, 0.2, n), 0.01, 0.99)
            truth = (rng.random(n) < risk).astype(int)
            parts.append(
                pd.DataFrame({
                    "stratum": stratum, "psu": psu + 1, "w": rng.uniform(0.5, 3, n).round(2),
                    "truth": truth, "p": risk.round(3),
                    "a": np.where(rng.random(n) < 0.8, truth, 1 - truth),
                    "b": np.where(rng.random(n) < 0.7, truth, 1 - truth),
                    "kind": rng.integers(0, 3, n), "site": rng.choice(["x", "y"], n),
                })
            )  # fmt: skip
    data = pd.concat(parts, ignore_index=True)
    data["called"] = np.where(rng.random(len(data)) < 0.6, data.kind, (data.kind + 1) % 3)
    return data


DATA = survey()
DEGREES = sum(DRAWN) * STRATA // 3 - STRATA


def spread(data: pd.DataFrame, each: np.ndarray) -> float:
    """Return the root of Σ m/(m - 1) Σ (z - z̄)² of what each case adds, by strata."""
    sums = data.assign(z=each).groupby(["stratum", "psu"])["z"].sum()
    parts = (one.var() * len(one) for _, one in sums.groupby("stratum"))
    return sqrt(sum(parts))


def linearised(data: pd.DataFrame, top, bottom) -> tuple[float, float]:
    """Return a ratio of weighted totals, and its error."""
    top, bottom = (np.asarray(x, dtype=float) * data.w.to_numpy() for x in (top, bottom))
    value = top.sum() / bottom.sum()
    return value, spread(data, (top - value * bottom) / bottom.sum())


def jackknifed(data: pd.DataFrame, number) -> float:
    """Return the error of any number of data, each cluster left out by hand."""
    whole, square = number(data), 0.0
    for (stratum, psu), _ in data.groupby(["stratum", "psu"]):
        beside = data.stratum == stratum
        m = data.psu[beside].nunique()
        left = data.assign(w=data.w.where(~beside, data.w * m / (m - 1)))[
            ~(beside & (data.psu == psu))
        ]
        square += (m - 1) / m * (number(left) - whole) ** 2
    return sqrt(square)


def error(found, degrees: float = DEGREES, scale=logit, slope=lambda v: v * (1 - v)) -> float:
    """Return the standard error that a Student interval on a scale has."""
    far = (scale(found.high) - scale(found.low)) / 2
    return far * slope(found.value) / student.ppf(0.975, degrees)


def area(data: pd.DataFrame) -> float:
    sick, well = data[data.truth == 1], data[data.truth == 0]
    wins = np.sign(sick.p.to_numpy()[:, None] - well.p.to_numpy()) / 2 + 0.5
    return float(sick.w @ wins @ well.w / (sick.w.sum() * well.w.sum()))


def recall(data: pd.DataFrame) -> float:
    return float(data.w @ (data.truth * data.a) / (data.w @ data.truth))


def test_rates_have_the_variance_of_stratified_samples():
    found = br.evaluate(DATA, target="truth", prediction="a", metrics="recall,base_rate", **DESIGN)
    one = np.ones(len(DATA))
    for name, top, bottom in (
        ("recall", DATA.truth * DATA.a, DATA.truth), ("base_rate", DATA.truth, one)
    ):  # fmt: skip
        value, by_hand = linearised(DATA, top, bottom)
        assert found.value(name) == pytest.approx(value, rel=1e-12)
        assert error(found[name]) == pytest.approx(by_hand, rel=0.03)
    assert error(found["recall"]) == pytest.approx(jackknifed(DATA, recall), rel=1e-9)
    facts = found.facts
    assert (facts.n_replicates, facts.n_strata) == (sum(DRAWN) * STRATA // 3, STRATA)
    assert (facts.strata, facts.cluster, facts.n_clusters) == ("stratum", "psu", None)
    assert '28 of column "psu" in 12 strata of "stratum"' in " ".join(str(found).split())


def test_cases_of_equal_weight_are_counted():
    how = {"target": "truth", "prediction": "a", "strata": "stratum", "cluster": "psu"}
    found = br.evaluate(DATA, metrics="recall", **how)
    again = br.evaluate(DATA.assign(w=1.0), metrics="recall", **how, weight="w")
    assert (found["recall"].low, found["recall"].high) == pytest.approx(
        (again["recall"].low, again["recall"].high), rel=1e-9
    )
    assert found.facts.effective_n is None
    assert "weight" not in str(found).partition("Metrics")[0]


def test_strata_take_out_what_they_explain():
    named = DATA.assign(psu=DATA.stratum * 10 + DATA.psu)
    how = {"target": "truth", "prediction": "a", "weight": "w", "metrics": "base_rate"}
    apart = br.evaluate(named, cluster="psu", **how)["base_rate"]
    within = br.evaluate(named, cluster="psu", strata="stratum", **how)["base_rate"]
    again = br.evaluate(DATA, cluster="psu", strata="stratum", **how)["base_rate"]
    assert within.high - within.low < 0.5 * (apart.high - apart.low)
    assert (within.low, within.high) == (again.low, again.high)  # labels may begin anew


def test_one_stratum_is_as_none():
    named = DATA.assign(psu=DATA.stratum * 10 + DATA.psu, stratum="all")
    how = {"target": "truth", "prediction": "a", "weight": "w", "cluster": "psu"}
    one, none = (br.evaluate(named, **how, **x) for x in ({"strata": "stratum"}, {}))
    assert one.facts.n_clusters == none.facts.n_clusters == 28
    assert one["recall"] == none["recall"]


def test_three_classes_and_their_groups():
    how = {"target": "kind", "prediction": "called", "groups": "site", **DESIGN}
    found = br.evaluate(DATA, metrics="accuracy", **how)["accuracy"]
    right = (DATA.kind == DATA.called).to_numpy()
    value, by_hand = linearised(DATA, right, np.ones(len(DATA)))
    assert found.value == pytest.approx(value, rel=1e-12)
    assert error(found) == pytest.approx(by_hand, rel=0.03)


def test_difference_of_two_classifiers_on_the_same_cases():
    one = np.ones(len(DATA))
    right = [(DATA.truth == DATA[name]).to_numpy().astype(float) for name in "ab"]
    value, by_hand = linearised(DATA, right[0] - right[1], one)
    arrays = (DATA.a, DATA.b)
    keys = {"y_true": DATA.truth, "sample_weight": DATA.w}
    found = br.difference("accuracy", *arrays, strata=DATA.stratum, cluster=DATA.psu, **keys)
    at = {"scale": float, "slope": lambda _: 1.0}
    assert found.value == pytest.approx(value, rel=1e-9)
    assert error(found, **at) == pytest.approx(by_hand, rel=0.03)
    compared = br.compare(DATA, target="truth", prediction=["a", "b"], metrics="accuracy", **DESIGN)
    assert compared.facts.n_strata == STRATA
    read = br.cases(DATA, target="truth", prediction=["a", "b"], **DESIGN)
    again = br.difference("accuracy", "a", "b", y_true=read)
    assert (again.low, again.high) == pytest.approx((found.low, found.high), rel=1e-12)
    assert "28 clusters in 12 strata" in repr(read)


def test_scores():
    found = br.evaluate(DATA, target="truth", score="p", **DESIGN)
    assert found["roc_auc"].value == pytest.approx(area(DATA), rel=1e-9)
    assert error(found["roc_auc"]) == pytest.approx(jackknifed(DATA, area), rel=1e-6)
    loss = found["brier_score"]
    value, by_hand = linearised(DATA, (DATA.truth - DATA.p) ** 2, np.ones(len(DATA)))
    assert loss.value == pytest.approx(value, rel=1e-9)
    of_log = error(loss, scale=np.log, slope=lambda v: v)
    assert of_log == pytest.approx(by_hand, rel=0.03)


@pytest.mark.slow
def test_groups_of_an_audit():
    found = br.audit(DATA, target="truth", prediction="a", groups="site", **DESIGN)
    assert (found.facts.n_strata, found.facts.strata) == (STRATA, "stratum")

    def apart(data: pd.DataFrame) -> float:
        one, other = (data[data.site == site] for site in "yx")
        return float(one.w @ one.a / one.w.sum() - other.w @ other.a / other.w.sum())

    gap = next(g for g in found.facts.gaps if g.name == "predicted_positive_rate")
    half = (gap.high - gap.low) / 2 / student.ppf(0.975, DEGREES)
    assert gap.difference == pytest.approx(apart(DATA), rel=1e-9)
    assert half == pytest.approx(jackknifed(DATA, apart), rel=0.01)


def test_a_bootstrap_draws_within_strata():
    keys = {"sample_weight": DATA.w, "strata": DATA.stratum, "cluster": DATA.psu}
    how = {"method": "bootstrap", "rng": 1, "n_resamples": 20_000}
    two = br.interval("base_rate", br.count_labels(DATA.truth, DATA.a, **keys), **how)
    one = np.ones(len(DATA))
    right = (DATA.kind == DATA.called).to_numpy()
    cases = br.cases(DATA, target="kind", prediction="called", **DESIGN).data.classes()
    three = br.inference.class_intervals("accuracy", cases.counted(), **how)["accuracy"]
    for found, (value, by_hand) in (
        (two, linearised(DATA, DATA.truth, one)),
        (three, linearised(DATA, right, one)),
    ):
        assert found.value == pytest.approx(value, rel=1e-12)
        half = (found.high - found.low) / 2
        assert half == pytest.approx(norm.ppf(0.975) * by_hand, rel=0.04)


def test_swaps_of_whole_clusters_do_not_know_of_strata():
    named, other = DATA.stratum * 10 + DATA.psu, np.where(DATA.index % 3 == 0, 0, DATA.called)
    for metric, truth, a, b in (
        ("accuracy", DATA.truth, DATA.a, DATA.b),
        ("macro_f1", DATA.kind, DATA.called, other),
    ):
        how = {"y_true": truth, "method": "exact"}
        within = br.difference(metric, a, b, strata=DATA.stratum, cluster=DATA.psu, **how)
        assert within.p_value == br.difference(metric, a, b, cluster=named, **how).p_value
        assert np.isnan(within.low)


def test_clusters_without_a_case_here_were_drawn_too():
    """Rows of weight 0, or left out, say which clusters there are: each adds 0 to every total."""
    lost = (DATA.stratum % 3 == 2) & (DATA.psu == 1)
    no_weight = DATA.assign(w=DATA.w.where(~lost, 0.0))
    by_hand = linearised(no_weight, DATA.truth, np.ones(len(DATA)))[1]
    how = {"target": "truth", "prediction": "a", "metrics": "base_rate", **DESIGN}
    found = br.evaluate(no_weight, **how)
    unlabelled = DATA.assign(truth=DATA.truth.where(~lost, np.nan))
    again = br.evaluate(unlabelled, missing="drop", **how)
    assert found.facts.n_replicates == again.facts.n_replicates == 28
    assert "28 clusters in 12 strata" in repr(
        br.cases(no_weight, target="truth", **DESIGN, prediction="a")
    )
    assert error(found["base_rate"]) == pytest.approx(by_hand, rel=0.03)
    assert again["base_rate"].high == pytest.approx(found["base_rate"].high, rel=1e-9)


def test_degrees_of_freedom_are_of_strata_that_know_something():
    """Of a group that three strata have, with 2, 2 and 3 clusters, there are four."""
    data = DATA.assign(truth=DATA.truth.where(DATA.stratum < 3, 0))
    found = br.evaluate(data, target="truth", prediction="a", metrics="recall", **DESIGN)

    def of_few(part: pd.DataFrame) -> float:
        return recall(part[part.stratum < 3])

    assert error(found["recall"], degrees=4) == pytest.approx(jackknifed(DATA, of_few), rel=1e-9)


def test_what_cannot_be_is_refused():
    how = {"target": "truth", "prediction": "a", "weight": "w"}
    lonely = DATA[(DATA.stratum != 3) | (DATA.psu == 1)]
    with pytest.raises(DataError, match=r"Stratum 3 of stratum .* merge it with a neighbour"):
        br.evaluate(lonely, **how, strata="stratum", cluster="psu")
    with pytest.raises(InvalidArgumentError, match="strata must come with the clusters"):
        br.evaluate(DATA, **how, strata="stratum")
    with pytest.raises(InvalidArgumentError, match="says what replicate weights say already"):
        br.evaluate(DATA, **how, strata="stratum", replicate_weights=["p", "w"], replicate_scale=1)
    with pytest.raises(InvalidArgumentError, match="--strata"):
        br.evaluate(DATA, **how, cluster=["stratum", "psu"])
    with pytest.raises(TypeError, match="Write strata"):
        br.evaluate(DATA, **how, stratum="stratum", cluster="psu")
    keys = {"sample_weight": DATA.w, "strata": DATA.stratum, "cluster": DATA.psu}
    counted = br.count_labels(DATA.truth, DATA.a, **keys)
    assert br.interval("recall", counted).degrees_of_freedom == DEGREES
    with pytest.raises(BaserateError, match="pass the cases"):
        br.evaluate({"x": counted.table}, strata="stratum")


def test_cases_drawn_one_by_one_go_by_their_ids():
    data = DATA.assign(id=range(len(DATA)))
    how = {"target": "truth", "prediction": "a", "weight": "w", "metrics": "base_rate"}
    found = br.evaluate(data, strata="stratum", case_id="id", **how)["base_rate"]
    by_hand = linearised(data.assign(psu=data.id), data.truth, np.ones(len(data)))[1]
    assert error(found, len(data) - STRATA) == pytest.approx(by_hand, rel=0.01)
    long = pd.concat([data.assign(model=name, said=data[name]) for name in "ab"])
    columns = {"target": "truth", "weight": "w", "strata": "stratum", "case_id": "id"}
    two = br.compare(long, model="model", prediction="said", **columns)
    beside = br.compare(data, prediction=["a", "b"], **columns)
    assert two.facts.n_replicates == beside.facts.n_replicates == len(data)
    assert two["recall", "a"] == beside["recall", "a"]

"""Audits of several classes whose cases have weights, clusters or replicate weights."""

import re

import numpy as np
import pytest
from sklearn.metrics import f1_score

import baserate as br
from baserate.cases.arrays import read_arrays
from baserate.evaluation.audit_samples import sample_of
from baserate.metrics import class_metric

LABELS = np.array(["ill", "sick", "well"])
N = 240
NUMBERS = ("value", "low", "high", "reference", "p_value", "smoothed", "design_effect")


def sampled(seed=5, *, across=True):
    """Return cases in 30 wards, whose groups lie within wards unless they go across them."""
    rng = np.random.default_rng(seed)
    ward = np.sort(rng.integers(0, 30, N))
    truth = rng.choice(3, N, p=[0.5, 0.3, 0.2])
    wrong = rng.random(N) < np.clip(0.25 + rng.normal(0, 0.15, 30)[ward], 0.02, 0.9)
    group = rng.integers(0, 3, N) if across else ward % 3
    return {
        "y": LABELS[truth],
        "p": LABELS[np.where(wrong, (truth + rng.integers(1, 3, N)) % 3, truth)],
        "groups": np.array(["A", "B", "C"])[group],
        "cluster": ward,
        "weight": rng.integers(1, 5, N) / 2,
    }


def replicated(cases):
    weights = np.stack([cases["weight"] * (cases["cluster"] % 6 != k) * 1.2 for k in range(6)], 1)
    return {
        "weight": cases["weight"],
        "replicate_weights": weights,
        "replicate_scale": 5 / 6,
    }


def given(cases, how):
    if how == "replicates":
        return replicated(cases)
    return {name: cases[name] for name in how.split("+")}


@pytest.mark.sweep(28, start=21)
@pytest.mark.parametrize("reference", ["rest", "overall", "A"])
@pytest.mark.parametrize("how", ["cluster", "weight", "cluster+weight", "replicates"])
@pytest.mark.parametrize("across", [True, False])
def test_every_class_is_tested_as_it_is_alone(reference, how, across):
    cases = sampled(across=across)
    about = {"groups": cases["groups"], "reference": reference, "metrics": "recall, f1"}
    about |= given(cases, how)
    facts = br.audit(cases["y"], cases["p"], **about).facts
    for one in facts.classes:
        alone = br.audit(cases["y"], cases["p"], positive=one.label, **about).facts
        assert (facts.n_clusters, facts.n_replicates) == (alone.n_clusters, alone.n_replicates)
        for mine, other in zip(one.groups, alone.groups, strict=True):
            sizes = (mine.cases, mine.n_clusters, mine.effective_n)
            assert sizes == (other.cases, other.n_clusters, other.effective_n)
            for f, g in zip(mine.findings, other.findings, strict=True):
                for name in NUMBERS:
                    own, same = getattr(f, name), getattr(g, name)
                    assert own == pytest.approx(same, rel=1e-9, nan_ok=True), name
                assert (f.route, f.condition) == (g.route, g.condition)


def counted(cases, **how):
    keys = {"cluster": cases["cluster"]} if "cluster" in how else {}
    more = {"sample_weight": cases["weight"]} if "weight" in how else {}
    found = read_arrays(cases["y"], {"m": cases["p"]}, groups={"g": cases["groups"]}, keys=keys,
                        **more)  # fmt: skip
    return found.classes().counted()


def in_place_of(cases, mine, theirs):
    """Score the group, and the others weighted so that they have its classes, by scikit-learn."""
    weight = np.ones(N)
    for label in LABELS:
        here, there = (cases["y"] == label) & mine, (cases["y"] == label) & theirs
        weight[there] = here.sum() / there.sum()
    return (
        f1_score(cases["y"][mine], cases["p"][mine], average="macro"),
        f1_score(cases["y"][theirs], cases["p"][theirs], average="macro",
                 sample_weight=weight[theirs]),
    )  # fmt: skip


@pytest.mark.parametrize("across", [True, False])
def test_macro_f1_by_leaving_out_clusters(across):
    cases, metric = sampled(across=across), class_metric("macro_f1")
    mine = cases["groups"] == "A"
    own, expected = in_place_of(cases, mine, ~mine)
    sample = sample_of(counted(cases, cluster=True), ("A",))
    contrast = sample.contrast(metric, "classes")
    assert contrast(sample.totals) == pytest.approx(own - expected, rel=1e-12)
    moves = []
    for ward in np.unique(cases["cluster"]):
        kept = cases["cluster"] != ward
        left, right = in_place_of(cases, mine & kept, ~mine & kept)
        moves.append(left - right - own + expected)
    blocks = sample.blocks(metric, "classes")
    found = sample.spread(contrast, sample.totals, blocks, null=False)
    assert found.variance >= np.sum(np.square(moves)) * (1 - 1e-9)
    off = contrast(sample.replicates) - contrast(sample.totals)
    np.testing.assert_allclose(np.sort(off), np.sort(moves), rtol=1e-9, atol=1e-12)


def test_accuracy_within_classes_is_a_stratified_test():
    # Under the hypothesis both have the class's share of right cases: pooled, class by class.
    cases, metric = sampled(), class_metric("accuracy")
    mine, right = cases["groups"] == "A", cases["y"] == cases["p"]
    sample = sample_of(counted(cases), ("A",))
    apart = variance = 0.0
    for label in LABELS:
        of = cases["y"] == label
        n, m, share = (of & mine).sum(), (of & ~mine).sum(), right[of].mean()
        weight = n / mine.sum()
        apart += weight * (right[of & mine].mean() - right[of & ~mine].mean())
        variance += weight**2 * share * (1 - share) * (1 / n + 1 / m)
    contrast, blocks = sample.contrast(metric, "classes"), sample.blocks(metric, "classes")
    found = sample.spread(contrast, sample.totals, blocks, null=True)
    assert contrast(sample.totals) == pytest.approx(apart, rel=1e-12)
    assert found.variance == pytest.approx(variance, rel=1e-6)  # slopes by differences


def test_two_classes_in_either_door():
    cases = sampled()
    y, p = (np.where(cases[name] == "well", "well", "ill") for name in "yp")
    about = {"groups": cases["groups"], "cluster": cases["cluster"]}
    whole = br.audit(y, p, metrics="accuracy, mcc, macro_f1", **about).facts
    alone = br.audit(y, p, metrics="accuracy, mcc", positive="well", **about).facts
    for mine, other in zip(whole.groups, alone.groups, strict=True):
        for f, g in zip(mine.findings[:2], other.findings, strict=True):
            assert (f.value, f.p_value) == (g.value, g.p_value)
            assert (f.low, f.high) == pytest.approx((g.low, g.high), rel=1e-9)
        assert 0 < mine.findings[2].p_value <= 1


def test_what_cannot_be_told_says_why():
    cases = sampled()
    lone = np.where(cases["groups"] == "A", 99, cases["cluster"])
    facts = br.audit(cases["y"], cases["p"], groups=cases["groups"], cluster=lone).facts
    assert {f.reason for f in facts.groups[0].findings} == {
        "the group lies within one cluster, which does not show how much clusters differ"
    }
    lacking = (cases["groups"] == "A") | (cases["y"] != "sick")
    kept = {name: cases[name][lacking] for name in ("y", "p", "groups", "weight")}
    facts = br.audit(kept["y"], kept["p"], groups=kept["groups"], weight=kept["weight"]).facts
    assert facts.groups[0].findings[0].reason == "the reference has no cases of 'sick'"


@pytest.mark.parametrize("door", ["audit", "evaluate"])
def test_weights_are_not_called_cases(door):
    cases = sampled()
    how = {"groups": cases["groups"]} if door == "audit" else {}
    result = getattr(br, door)(cases["y"], cases["p"], weight=cases["weight"], **how)
    page, total = result.to_html(), f"{cases['weight'].sum():,.4g}"
    picture = page[page.index("<svg xmlns") : page.rindex("</svg>")]
    assert "weight of the class</text>" in picture
    assert total in picture or door == "audit"
    assert not re.search(r"[\d.]+ cases|found of cases|>cases<", picture)
    assert not re.search(r"<th[^>]*>cases<", page)
    assert re.search(r"<th[^>]*>weight<", page)
    assert not re.search(r"found (less|more) often: \S+ of", result.render())


def test_utilities_of_several_classes():
    cases = sampled()
    u = np.array([[1.0, -1, -1], [-2, 1, -1], [-9, -3, 1]])  # rows decisions
    facts = br.audit(cases["y"], cases["p"], groups=cases["groups"], utility=u).facts
    at = {label: k for k, label in enumerate(LABELS)}
    worth = np.array([u[at[p], at[y]] for y, p in zip(cases["y"], cases["p"], strict=True)])
    for group in facts.groups:
        found = group.findings[-1]
        assert found.name.startswith("utility(")
        assert found.value == pytest.approx(worth[cases["groups"] == group.group["group"]].mean())
        assert found.route == "permutation"
    weighted = br.audit(cases["y"], cases["p"], groups=cases["groups"], utility=u,
                        cluster=cases["cluster"]).facts  # fmt: skip
    assert weighted.groups[0].findings[-1].route == "approximate"


def test_of_clusters_too_another_mix_of_classes_is_no_difference():
    rows = np.array([[18, 1, 1], [4, 12, 4], [2, 2, 16]])
    sides = rows * [[10], [3], [1]], rows * [[1], [3], [10]]
    truth, called = (
        np.concatenate([np.repeat(axis.ravel(), side.ravel()) for side in sides])
        for axis in np.indices((3, 3))
    )
    group = np.repeat(["a", "b"], [side.sum() for side in sides])
    cluster = np.random.default_rng(0).integers(0, 40, len(truth))
    facts = br.audit(truth, called, groups=group, cluster=cluster, metrics="accuracy").facts
    [f] = facts.groups[0].findings
    assert abs(f.value - f.reference_value) > 0.04
    assert f.difference == pytest.approx(0, abs=1e-12)
    assert f.difference_low < 0 < f.difference_high
    assert f.p_value > 0.9


def test_a_group_within_one_cluster_is_named():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 300)
    called = np.where(rng.random(300) < 0.8, truth, rng.integers(0, 3, 300))
    group = np.repeat(["a", "b", "c"], 100)
    cluster = np.where(group == "c", 99, rng.integers(0, 12, 300))
    answer = str(br.audit(truth, called, groups=group, cluster=cluster)).split("\n\n")[0]
    assert "Not tested: c (the group lies within one cluster" in " ".join(answer.split())


def test_a_weighted_group_whose_classes_the_others_never_get_right():
    """The others have no hit among the two classes of the group: nothing to linearise."""
    rows = [("a", "a", "u", 3.0), ("a", "b", "v", 1.0), ("b", "b", "u", 0.5), ("c", "b", "w", 1.0)]
    truth, said, group, weight = map(list, zip(*rows, strict=True))
    found = br.audit(truth, said, groups=group, weight=weight, metrics=["macro_f1", "accuracy"])
    for one in found.facts.groups:
        for finding in one.findings:
            ends = finding.difference_low, finding.difference_high
            assert np.isnan(ends).all() or -1 <= ends[0] <= ends[1] <= 1
    assert "Groups" in str(found)

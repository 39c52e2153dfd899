"""Audits of weighted and clustered cases."""

from math import isnan

import numpy as np
import pytest

from baserate import audit
from baserate.cases.arrays import read_arrays
from baserate.evaluation.audit_samples import effective_table, sample_of
from baserate.groups import group_difference
from baserate.inference import interval

RATES = "recall, false_positive_rate, precision, f1"


@pytest.fixture(scope="module")
def cases():
    """Return truth, prediction, group, weight and cluster; group a finds fewer positives."""
    rng = np.random.default_rng(8)
    n = 600
    truth, group = rng.random(n) < 0.4, rng.choice(list("abc"), n, p=[0.2, 0.3, 0.5])
    found = np.where(truth, rng.random(n) < np.where(group == "a", 0.4, 0.8), rng.random(n) < 0.2)
    return truth, found, group, np.exp(0.6 * rng.standard_normal(n)), rng.integers(0, 60, n)


def findings(result, group):
    (one,) = (g for g in result.facts.groups if group in g.group.values())
    return {f.name: f for f in one.findings}


def test_weighted_audit_is_approximate_and_says_so(cases):
    truth, found, group, weight, _ = cases
    result = audit(truth, found, groups=group, weight=weight, metrics=RATES)
    facts = result.facts
    assert facts.effective_n == pytest.approx(weight.sum() ** 2 / (weight**2).sum())
    assert facts.table.n == pytest.approx(weight.sum())
    assert facts.adjustment == "holm"
    of_a = findings(result, "a")
    assert (of_a["recall"].route, of_a["recall"].verdict) == ("approximate", "lower")
    assert of_a["recall"].degrees_of_freedom < 120
    assert {f.design_effect for g in facts.groups for f in g.findings} == {1.0}
    assert [g.cases for g in facts.groups] == [int((group == k).sum()) for k in "abc"]
    assert "exact" not in result.render("table", details=True)


def test_weights_of_one_are_counted_cases_but_for_the_test(cases):
    truth, found, group, *_ = cases
    plain = audit(truth, found, groups=group, metrics=RATES)
    ones = audit(truth, found, groups=group, weight=np.ones(len(truth)), metrics=RATES)
    for mine, theirs in zip(plain.facts.groups, ones.facts.groups, strict=True):
        for one, other in zip(mine.findings, theirs.findings, strict=True):
            assert other.value == one.value
            assert other.reference == pytest.approx(one.reference)
            assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=1e-4)
            assert other.smoothed == pytest.approx(one.smoothed)
            assert np.log(other.p_value) == pytest.approx(np.log(one.p_value), abs=0.4, rel=0.4)
            if one.verdict == "too_small" == other.verdict:
                assert other.unseen == pytest.approx(one.unseen, rel=0.15)
    for one, other in zip(plain.facts.gaps, ones.facts.gaps, strict=True):
        assert other.difference == one.difference
        assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=0.03)


def test_every_reference(cases):
    """All cases, of which the group is a part, say what the rest says; a group is one of two."""
    truth, found, group, weight, _ = cases
    shown = {"groups": group, "weight": weight, "metrics": "recall"}
    rest, whole = (audit(truth, found, reference=r, **shown) for r in ("rest", "overall"))
    one, other = (findings(result, "a")["recall"] for result in (rest, whole))
    assert other.p_value == pytest.approx(one.p_value, rel=1e-9)
    assert other.reference > one.value
    paired = audit(truth, found, reference="c", **shown)
    assert len(paired.facts.groups) == 2
    two = np.isin(group, ["a", "c"])
    alone = audit(truth[two], found[two], groups=group[two], weight=weight[two], metrics="recall")
    expected = findings(alone, "a")["recall"].p_value
    assert findings(paired, "a")["recall"].p_value == pytest.approx(expected, rel=1e-9)


@pytest.mark.slow
def test_clusters_that_span_groups(cases):
    truth, found, group, weight, cluster = cases
    shown = {"groups": group, "metrics": RATES}
    result = audit(truth, found, cluster=cluster, **shown)
    facts = result.facts
    assert facts.n_clusters == 60
    assert facts.effective_n is None
    assert facts.groups[0].n_clusters == len(set(cluster[group == "a"]))
    effects = [f.design_effect for g in facts.groups for f in g.findings]
    assert 0.6 < np.median(effects) < 1.6  # the clusters are none
    assert all(f.degrees_of_freedom < 60 for g in facts.groups for f in g.findings)
    both = audit(truth, found, cluster=cluster, weight=weight, **shown).facts
    assert (both.n_clusters, both.sampled) == (60, True)
    ids = audit(truth, found, case_id=cluster, **shown).facts
    assert ids.groups[0].findings[0].p_value == facts.groups[0].findings[0].p_value


def test_each_case_sent_five_times_is_one_case(cases):
    """Copies of cases, under their ids, leave about the tests of the cases themselves."""
    truth, found, group, *_ = cases
    copies = np.tile(np.arange(len(truth)), 5)
    shown = {"metrics": "recall, f1"}
    once = audit(truth, found, groups=group, weight=np.ones(len(truth)), **shown)
    again = audit(truth[copies], found[copies], groups=group[copies], case_id=copies, **shown)
    for name in ("recall", "f1"):
        one, other = (findings(result, "a")[name] for result in (once, again))
        assert other.design_effect == pytest.approx(5, rel=0.1)
        assert np.log(other.p_value) == pytest.approx(np.log(one.p_value), rel=0.25)


def test_rest_of_a_sample(cases):
    """Without a cluster, group and rest are what counting the others gives."""
    truth, found, group, weight, cluster = cases
    columns = {"groups": {"g": group}, "keys": {"cluster": cluster}, "sample_weight": weight}
    counted = read_arrays(truth, {"p": found}, **columns).binary().counted()
    samples = sample_of(counted, ("a",))
    for k, unit in enumerate(np.unique(cluster)):
        left = cluster != unit
        for part, of in ((slice(0, 4), group == "a"), (slice(4, 8), group != "a")):
            kept = left & of
            cell = 2 * ~truth + ~found
            expected = np.bincount(cell[kept], weight[kept], 4)
            assert samples.replicates[part, k] == pytest.approx(expected, abs=1e-9)


def test_effective_table_has_kish_cases(cases):
    truth, found, group, weight, _ = cases
    columns = {"groups": {"g": group}, "sample_weight": weight}
    counted = read_arrays(truth, {"p": found}, **columns).binary().counted()
    mine = weight[group == "a"]
    table = effective_table(counted, ("a",))
    assert table.n == pytest.approx(mine.sum() ** 2 / (mine**2).sum())
    assert table.tp / table.n == pytest.approx(
        weight[(group == "a") & truth & found].sum() / mine.sum()
    )


def test_copies_are_smoothed_as_what_they_are_copies_of(cases):
    truth, found, group, *_ = cases
    copies = np.tile(np.arange(len(truth)), 5)
    once = audit(truth, found, groups=group, metrics="recall")
    again = audit(
        truth[copies], found[copies], groups=group[copies], case_id=copies, metrics="recall"
    )
    for k in "abc":
        one, other = (findings(result, k)["recall"].smoothed for result in (once, again))
        assert other == pytest.approx(one, rel=1e-3)


def test_gap_of_a_weighted_share(cases):
    """About as wide as the intervals of both groups make it."""
    truth, found, group, weight, _ = cases
    result = audit(truth, found, groups=group, weight=weight, metrics="recall, f1")
    counted = (
        read_arrays(truth, {"p": found}, groups={"g": group}, sample_weight=weight)
        .binary()
        .counted()
    )
    for fact in result.facts.gaps:
        gap = group_difference(fact.name, counted.groups)
        keys = [(one["group"],) for one in (fact.largest, fact.smallest)]
        widths = []
        for key in keys:
            squares = counted.group_squared[key]
            found_ = interval(fact.name, counted.groups[key], squared_weights=squares)
            widths.append(found_.high - found_.low)
        assert fact.difference == pytest.approx(gap.value)
        assert fact.high - fact.low == pytest.approx(np.hypot(*widths), rel=0.15)
        assert fact.low < fact.difference < fact.high


def test_group_without_cases_of_a_class(cases):
    truth, found, group, weight, _ = cases
    kept = (group != "b") | ~truth
    truth, found, group, weight = (x[kept] for x in (truth, found, group, weight))
    of_b = findings(audit(truth, found, groups=group, weight=weight), "b")
    assert of_b["recall"].verdict == "undefined"
    assert of_b["precision"].verdict == "untested"
    assert isnan(of_b["precision"].p_value)
    assert of_b["false_positive_rate"].verdict in {"consistent", "too_small"}

"""Audits of cases in clusters: whole clusters are dealt out where they lie on one side."""

from itertools import combinations

import numpy as np
import pytest

from baserate import audit

CLUSTERS, EACH = 12, 12
RNG = np.random.default_rng(5)
CLUSTER = np.repeat(np.arange(CLUSTERS), EACH)
GROUP = np.where(CLUSTER < 6, "a", "b")
Y = RNG.random(len(CLUSTER)) < 0.5
RIGHT = RNG.random(len(CLUSTER)) < np.where(CLUSTER < 6, 0.55, 0.9)
FOUND = np.where(RIGHT, Y, ~Y)


def of(name, result):
    return next(f for f in result.facts.groups[0].findings if f.name == name)


def tables():
    """Return tp, fn, fp, tn of each cluster."""
    cells = [Y & FOUND, Y & ~FOUND, ~Y & FOUND, ~Y & ~FOUND]
    return np.array([[np.sum(c[k == CLUSTER]) for c in cells] for k in range(CLUSTERS)])


def p_of(scores):
    """Return the two-sided p-value over all ways to deal out six of twelve clusters."""
    sums = [sum(scores[list(some)]) for some in combinations(range(CLUSTERS), 6)]
    at, tie = sum(scores[:6]), 1e-9
    lower = np.mean([s <= at + tie for s in sums])
    upper = np.mean([s >= at - tie for s in sums])
    return min(1.0, 2 * min(lower, upper))


def test_every_deal_counts():
    result = audit(Y, FOUND, groups=GROUP, cluster=CLUSTER, metrics="recall, accuracy")
    tp, fn, *_ = tables().T
    rate = tp.sum() / (tp + fn).sum()
    assert of("recall", result).p_value == pytest.approx(p_of(tp - rate * (tp + fn)))
    *_, fp, tn = tables().T
    beyond = tp - rate * (tp + fn) + tn - tn.sum() / (fp + tn).sum() * (fp + tn)
    assert of("accuracy", result).condition == "classes"
    assert of("accuracy", result).p_value == pytest.approx(p_of(beyond))
    assert of("recall", result).route in {"convolution", "enumeration"}
    text = " ".join(result.render(details=True).split())
    assert "by dealing out whole clusters" in text
    assert "errs at most as often as it says for clusters that are alike" in text


def test_given_the_class_totals_rates_alone_count():
    """F1 at its class totals: what each cluster has beyond the common recall and alarms."""
    result = audit(Y, FOUND, groups=GROUP, cluster=CLUSTER, metrics="f1")
    cells = tables().astype(float)
    tp, fn, fp, tn = cells.sum(axis=0)
    whole = 2 * tp + fp + fn
    by_tp = 2 / whole - 2 * tp / whole**2  # f1 = 2 tp/(tp + fp + tp + fn), a positive found
    by_fp = -2 * tp / whole**2
    beyond = cells[:, 0] - tp / (tp + fn) * cells[:, :2].sum(axis=1)
    alarms = cells[:, 2] - fp / (fp + tn) * cells[:, 2:].sum(axis=1)
    assert of("f1", result).condition == "classes"
    known = p_of(by_tp * beyond + by_fp * alarms)
    assert of("f1", result).p_value == pytest.approx(known, abs=3 / 924)


def test_clusters_on_both_sides_and_few_deals_are_approximate():
    spread = audit(Y, FOUND, groups=GROUP, cluster=np.arange(len(Y)) % 9, metrics="recall")
    assert of("recall", spread).route == "approximate"
    few = audit(Y, FOUND, groups=GROUP, cluster=CLUSTER // 2, metrics="recall")
    assert of("recall", few).route == "approximate"  # 20 deals: the rarest has p = 0.1
    assert "approximate, for cases in clusters" in " ".join(few.render(details=True).split())


def test_one_cluster_leads_with_what_cannot_be_told():
    text = audit(Y, FOUND, groups=GROUP, cluster=np.zeros(len(Y))).render(details=True)
    assert text.startswith("Cannot tell: no group could be tested. All cases lie in one cluster")


def test_a_gap_to_a_group_of_one_case_is_wide():
    """No wider than what one case can tell: the interval of its own value."""
    group = np.where(np.arange(len(Y)) == int(np.flatnonzero(Y & FOUND)[0]), "one", "others")
    weight = np.exp(0.4 * RNG.standard_normal(len(Y)))
    plain = audit(Y, FOUND, groups=group, metrics="f1").facts.gaps[0]
    found = audit(Y, FOUND, groups=group, weight=weight, metrics="f1").facts.gaps[0]
    assert found.low < 0 < found.difference < found.high
    assert found.high - found.low == pytest.approx(plain.high - plain.low, rel=0.25)


def test_a_gap_beside_a_cell_of_a_single_case():
    """Dependent cases are worth less than they are, a lone one too: no weights, and no refusal."""
    truth = np.repeat([1, 1, 1, 0, 0, 0, 1, 0], [6, 6, 1, 6, 6, 1, 6, 6]) == 1
    found = np.repeat([1, 1, 0, 0, 0, 1, 0, 1], [6, 6, 1, 6, 6, 1, 6, 6]) == 1
    unit = np.repeat(np.arange(8), [6, 6, 1, 6, 6, 1, 6, 6])
    truth, found = np.tile(truth, 2), np.tile(found, 2)
    found[-5:] = ~found[-5:]
    group = np.repeat(["a", "b"], len(unit))
    cluster = np.concatenate([unit, unit + 8])
    (gap,) = audit(truth, found, groups=group, cluster=cluster, metrics="mcc").facts.gaps
    assert gap.low < gap.difference < gap.high


def test_a_group_within_one_cluster_is_not_called_too_small():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    called = np.where(rng.random(400) < 0.8, truth, 1 - truth)
    cluster = np.repeat(np.arange(20), 20)
    group = np.select([cluster == 0, cluster < 10], ["x", "y"], "z")
    answer = str(audit(truth, called, groups=group, cluster=cluster)).split("\n\n")[0]
    said = " ".join(answer.split())
    assert "Too small to tell a gap of 0.10 by any metric: y; z." in said
    assert "Not tested: x (the group lies within one cluster, which does not show how" in said


@pytest.mark.parametrize("classes", [2, 3])
def test_a_group_within_one_cluster_shows_no_gap(classes):
    n = {"many": 300, "more": 300, "one": 30}
    group = np.repeat(list(n), list(n.values()))
    cluster = np.where(group == "one", 99, np.arange(len(group)) % 30 + 30 * (group == "more"))
    truth = np.arange(len(group)) // 30 % classes
    wrong = np.random.default_rng(1).random(len(group)) < np.select(
        [group == "many", group == "more"], [0.2, 0.4], 1.0
    )
    called = (truth + wrong) % classes
    [gap] = audit(truth, called, groups=group, cluster=cluster, metrics="accuracy").facts.gaps
    assert (gap.largest, gap.smallest) == ({"group": "many"}, {"group": "more"})
    assert {"group": "one"} in gap.too_small
    assert gap.low < gap.difference < gap.high


def test_many_clusters_nested_in_groups_are_counted_without_floats():
    """There are more ways to deal 1,100 clusters out to two groups than any float holds."""
    truth = np.ones(1100, int)
    found = audit(
        truth, np.arange(1100) % 3 > 0, groups=np.arange(1100) % 2, cluster=np.arange(1100),
        metrics="recall", positive=1,
    )  # fmt: skip
    assert all(not np.isnan(one.findings[0].p_value) for one in found.facts.groups)


def test_a_metric_without_a_gap_leaves_the_others_theirs():
    one_sided = np.where(GROUP == "a", True, Y)  # no negatives in a: no gap of specificity
    how = {"groups": GROUP, "cluster": CLUSTER, "metrics": ["specificity", "recall"]}
    lacking, known = audit(one_sided, FOUND, **how).facts.gaps
    assert np.isnan(lacking.difference)
    assert known.low < known.difference < known.high

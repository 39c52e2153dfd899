"""Cases in clusters: published design effects, another package, exact fractions, edges."""

from fractions import Fraction
from math import isnan, sqrt

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

import baserate as br
from baserate.cases.clusters import Design
from baserate.cases.units import reached
from baserate.errors import UnsupportedError
from baserate.inference import design_effect
from baserate.inference.survey_design import guessing_test, law_of, slopes
from baserate.metrics import get

# Pups alive after four days and after 21, litter by litter (Weil 1970; Table 1 of Rao and Scott
# 1992, Biometrics 48:577).
CONTROL = "13/13 12/12 9/9 9/9 8/8 8/8 12/13 11/12 9/10 9/10 8/9 11/13 4/5 5/7 7/10 7/10"
TREATED = "12/12 11/11 10/10 9/9 10/11 9/10 9/10 8/9 8/9 4/5 7/9 4/7 5/10 3/6 3/10 0/7"
# Their design effects as the R package PF 9.5 prints them (the example of `rsb`).
PUBLISHED = {CONTROL: 1.232495, TREATED: 3.952861}

METRICS = ("recall", "precision", "accuracy", "f1", "matthews_correlation", "informedness")


def litters(text):
    """Return truth (all positive), survival and litter of each pup."""
    pairs = [tuple(map(int, litter.split("/"))) for litter in text.split()]
    alive = np.concatenate([np.arange(n) < y for y, n in pairs])
    return np.ones(len(alive), bool), alive, np.repeat(np.arange(len(pairs)), [n for _, n in pairs])


def clusters(seed=0, m=12, top=9, *, icc=0.3):
    """Return truth, decisions and cluster of cases that are alike within clusters."""
    rng = np.random.default_rng(seed)
    n = rng.integers(2, top, m)
    cluster, total, shape = np.repeat(np.arange(m), n), n.sum(), 1 / icc - 1
    truth = rng.random(total) < rng.beta(0.5 * shape, 0.5 * shape, m)[cluster]
    right = rng.beta(0.75 * shape, 0.25 * shape, m)[cluster]
    return truth, np.where(rng.random(total) < right, truth, ~truth), cluster


def counted(truth, decided, cluster, **how):
    return br.count_labels(truth, decided, pos_label=True, cluster=cluster, **how)


@pytest.mark.parametrize("text", PUBLISHED)
def test_design_effects_are_those_of_rao_and_scott(text):
    truth, alive, litter = litters(text)
    n = len(truth)
    found = br.interval("recall", counted(truth, alive, litter))
    # They divide p (1 - p) by n, and n - 1 is unbiased.
    assert found.design_effect == pytest.approx(PUBLISHED[text] * (n - 1) / n, rel=1e-6)
    assert found.effective_n == pytest.approx(n / found.design_effect)


@pytest.mark.parametrize("weighted", [False, True])
def test_linearised_variance_is_that_of_another_package(weighted):
    truth, decided, cluster = clusters(m=20, top=30)
    weight = np.random.default_rng(1).uniform(0.5, 3, len(truth)) if weighted else None
    design = counted(truth, decided, cluster, sample_weight=weight).design
    slope = slopes(get("accuracy"), design.total)
    right = (truth == decided).astype(float)
    fit = sm.WLS(right, np.ones(len(right)), weights=1.0 if weight is None else weight).fit(
        cov_type="cluster", cov_kwds={"groups": cluster, "use_correction": False}
    )
    m = design.n_units
    expected = fit.cov_params()[0, 0] * m / (m - 1)
    assert slope @ design.covariance() @ slope == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("name", METRICS[:4])
def test_the_jackknife_is_that_of_fractions(name):
    truth, decided, cluster = clusters(3)
    found = law_of(get(name), counted(truth, decided, cluster).design)
    exact = []
    for left_out in (None, *range(12)):
        kept = cluster != left_out
        tp, fn, fp, tn = (
            int((kept & (truth == t) & (decided == d)).sum())
            for t, d in ((True, True), (True, False), (False, True), (False, False))
        )
        exact.append({
            "recall": Fraction(tp, tp + fn), "precision": Fraction(tp, tp + fp),
            "accuracy": Fraction(tp + tn, tp + fn + fp + tn),
            "f1": Fraction(2 * tp, 2 * tp + fn + fp),
        }[name])  # fmt: skip
    d = [exact[0] - value for value in exact[1:]]
    assert found.moves == pytest.approx([float(one) for one in d], abs=1e-14)
    assert found.jackknifed == pytest.approx(float(sum(x * x for x in d)), rel=1e-12)
    fourth, squares = sum(x**4 for x in d), sum(x * x for x in d)
    freedom = min(3 * squares**2 / fourth, 11)  # two more than Satterthwaite's
    assert found.degrees == pytest.approx(float(freedom), rel=1e-12)


@pytest.mark.parametrize("name", [*METRICS, "true_positives", "diagnostic_odds_ratio"])
def test_each_case_a_cluster_of_its_own(name):
    truth, decided, _ = clusters(1, m=40, top=30)
    alone = counted(truth, decided, np.arange(len(truth)))
    assert design_effect(get(name), alone.design) == pytest.approx(1, rel=1e-8)
    here, plain = br.interval(name, alone), br.interval(name, alone.table)
    width = plain.high - plain.low
    assert [here.low, here.high] == pytest.approx([plain.low, plain.high], abs=0.06 * width)


@pytest.mark.parametrize("name", METRICS)
def test_copies_of_cases_say_nothing_new(name):
    truth, decided, _ = clusters(1, m=20, top=30)
    n = len(truth)
    five = [np.tile(column, 5) for column in (truth, decided, np.arange(n))]
    copied = counted(*five)
    assert design_effect(get(name), copied.design) == pytest.approx(5 * (5 * n - 1) / 5 / (n - 1))
    once, again = (br.interval(name, c) for c in (counted(truth, decided, np.arange(n)), copied))
    assert [again.low, again.high] == pytest.approx([once.low, once.high], rel=1e-9)


def test_items_that_come_once_are_independent():
    truth, decided, _ = clusters(1)
    given = br.count_labels(truth, decided, pos_label=True, case_id=np.arange(len(truth)))
    assert given.design is None
    assert br.interval("f1", given).low == br.interval("f1", given.table).low


def test_where_nothing_varies_a_cluster_is_one_case():
    truth, _, cluster = clusters(2, m=20)
    found = br.interval("recall", counted(truth, truth, cluster))
    positives = np.bincount(cluster[truth], minlength=20)
    kish = positives.sum() ** 2 / (positives @ positives)
    assert found.high == 1
    assert found.low == pytest.approx(stats.beta.ppf(0.025, kish + 0.5, 0.5), rel=1e-9)
    assert found.effective_n == pytest.approx(kish)


def test_one_cluster_tells_no_interval():
    found = br.interval("recall", counted([1, 1, 0, 0], [1, 0, 0, 1], ["a"] * 4))
    assert isnan(found.low)
    assert found.value == 0.5
    assert found.reason == "all cases lie in one cluster"


def test_a_cluster_that_holds_all_alarms():
    truth, decided = [1, 0, 1, 0, 1, 0], [1, 1, 0, 0, 0, 0]
    found = br.interval("precision", counted(truth, decided, list("aabbcc")))
    assert isnan(found.high)
    assert found.reason == "it is undefined without one of the clusters"


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", ["matthews_correlation", "recall"])
def test_the_bootstrap_of_clusters_agrees_and_says_how_far_it_is_off(name):
    table = counted(*clusters(5, m=150, top=20))
    plain = br.interval(name, table)
    found = br.interval(name, table, method="bootstrap", rng=1)
    width = plain.high - plain.low
    assert [found.low, found.high] == pytest.approx([plain.low, plain.high], abs=0.08 * width)
    ends = [br.interval(name, table, method="bootstrap", rng=seed).low for seed in range(8)]
    assert 0 < max(ends) - min(ends) < 2 * found.error < 0.2 * width


def test_what_takes_cases_as_independent_is_refused():
    table = counted(*clusters(5))
    for method in ("bayes", "wilson", "exact"):
        with pytest.raises(UnsupportedError, match="takes cases as independent, and these lie in"):
            br.interval("recall", table, method=method)
    with pytest.raises(UnsupportedError, match="jackknife"):
        br.interval("recall", table.table, method="jackknife")


def test_jackknife_replicates_are_the_clusters():
    """Weights of the delete-one jackknife give the covariance of the clusters."""
    design = counted(*clusters(4)).design
    m = design.n_units
    tables = (design.total - design.tables) * m / (m - 1)
    replicated = Design(
        total=design.total, tables=tables, units=np.arange(m), n_units=m, n_cases=design.n_cases,
        scale=np.full(m, (m - 1) / m), known_degrees=m - 1.0,
    )  # fmt: skip
    assert replicated.covariance() == pytest.approx(design.covariance(), rel=1e-10)
    assert design_effect(get("f1"), replicated) == pytest.approx(
        design_effect(get("f1"), design), rel=1e-8
    )
    found = law_of(get("f1"), replicated)
    assert found.variance == pytest.approx(law_of(get("f1"), design).jackknifed * (m - 1) / m)
    assert (found.degrees, found.floor) == (m - 1, None)


def test_tables_that_share_clusters_are_correlated():
    truth, decided, cluster = clusters(6, m=15)
    sex = np.random.default_rng(0).integers(0, 2, len(truth))
    from baserate.cases.arrays import read_arrays

    columns = {"keys": {"cluster": cluster}, "groups": {"sex": sex}}
    of = read_arrays(truth, {"p": decided}, **columns).binary().counted()
    parts = sum(of.covariance(a, b) for a in of.groups for b in of.groups)
    assert parts == pytest.approx(of.covariance(), abs=1e-9)
    left = law_of(get("accuracy"), of.group_designs[(0,)])
    gap = left.minus(law_of(get("accuracy"), of.group_designs[(1,)]))
    assert len(gap.moves) == 15


def test_independent_cases_have_the_covariance_of_their_squares():
    weight = np.array([1.0, 2.0, 0.5, 3.0, 1.5])
    y, p = [1, 1, 1, 0, 0], [1, 1, 0, 0, 1]
    plain = br.count_labels(y, p, sample_weight=weight)
    design = br.count_labels(y, p, sample_weight=weight, cluster=range(5)).design
    assert plain.covariance() == pytest.approx(design.covariance(), abs=1e-12)


def test_the_test_against_guessing_adds_scores_of_clusters():
    truth, decided, cluster = clusters(7)
    found = guessing_test(counted(truth, decided, cluster).design)
    score = np.bincount(cluster, (truth - truth.mean()) * (decided - decided.mean()))
    statistic = score.sum() / sqrt(score @ score)
    whole = np.cov(truth, decided, bias=True)[0, 1]
    left = [np.cov(truth[cluster != c], decided[cluster != c], bias=True)[0, 1] for c in range(12)]
    squares = (whole - np.array(left)) ** 2
    degrees = 3 * squares.sum() ** 2 / (squares @ squares) - 2
    both = [(11, statistic), (np.clip(degrees, 1, 11), whole / sqrt(squares.sum()))]
    assert found == pytest.approx(max(stats.t.sf(t, df) for df, t in both), rel=1e-9)
    assert isnan(guessing_test(counted([1, 1, 0], [1, 1, 1], list("aab")).design))


def test_one_cluster_with_most_cases_is_no_evidence():
    """Truth and alarms vary between clusters, and have nothing to do with each other within."""
    rng, rejected = np.random.default_rng(21), 0
    sizes = np.array([300] + 29 * [5])
    cluster = np.repeat(np.arange(30), sizes)
    for _ in range(150):
        truth, alarms = (
            rng.random(sizes.sum()) < np.repeat(rng.beta(0.2, 0.2, 30), sizes) for _ in "ab"
        )
        p_value = guessing_test(counted(truth, alarms, cluster).design)
        rejected += p_value <= 0.05
    assert rejected <= 17  # nominally 7.5, with a standard error of 2.7; without the jackknife 46


def test_limits_beside_one_bound_are_as_many_times_as_far_from_it():
    """On the scale of log(value - low), 0.5 / 2 on each side of log 2; the other bound mirrors."""
    nearer, farther = 2 * np.exp(-0.25), 2 * np.exp(0.25)
    assert reached(3.0, 0.5, (1.0, np.inf)) == pytest.approx((1 + nearer, 1 + farther), rel=1e-14)
    assert reached(-3.0, 0.5, (-np.inf, -1.0)) == pytest.approx(
        (-1 - farther, -1 - nearer), rel=1e-14
    )

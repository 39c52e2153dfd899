"""Cases of several classes in clusters: other packages, tables recounted by hand, edges."""

from math import isnan

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from sklearn.metrics import cohen_kappa_score, f1_score, matthews_corrcoef

import baserate as br
from baserate.cases import clusters
from baserate.cases.arrays import read_arrays
from baserate.cases.clusters import ClassDesign
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.inference import class_design
from baserate.inference.class_design import (
    class_changes,
    class_design_effects,
    class_laws,
)
from baserate.inference.intervals import class_intervals
from baserate.inference.survey_design import guessing_test
from baserate.metrics import class_metric

ELSEWHERE = {
    "accuracy": lambda y, p: (y == p).mean(),
    "macro_f1": lambda y, p: f1_score(y, p, average="macro"),
    "cohen_kappa": cohen_kappa_score,
    "matthews_correlation": matthews_corrcoef,
    "weighted_kappa(quadratic)": lambda y, p: cohen_kappa_score(y, p, weights="quadratic"),
}
NAMES = tuple(ELSEWHERE)
LABELS = tuple("abc")


def drawn(seed=0, m=20, top=30, *, icc=0.3, right=0.7):
    """Return truth, prediction and cluster of cases that are alike within clusters."""
    rng = np.random.default_rng(seed)
    size, shape = rng.integers(2, top, m), 1 / icc - 1
    cluster = np.repeat(np.arange(m), size)
    mix = rng.dirichlet(np.full(3, shape / 3), m)[cluster].cumsum(axis=1)
    truth = (rng.random(len(cluster))[:, None] > mix[:, :2]).sum(axis=1)
    good = rng.random(len(cluster)) < rng.beta(right * shape, (1 - right) * shape, m)[cluster]
    called = np.where(good, truth, (truth + rng.integers(1, 3, len(cluster))) % 3)
    return np.array(LABELS)[truth], np.array(LABELS)[called], cluster


def counted(truth, called, cluster, **how):
    keys = {} if cluster is None else {"keys": {"cluster": cluster}}
    return read_arrays(truth, {"m": called}, **keys, **how).classes().counted()


def metrics(*names):
    return [class_metric(name) for name in names or NAMES]


def test_the_jackknife_recounts_without_each_cluster():
    truth, called, cluster = drawn(3)
    found = counted(truth, called, cluster)
    for metric, each in zip(
        metrics(), class_changes(metrics(), found.table, found.design), strict=True
    ):
        score = ELSEWHERE[metric.name]
        whole = score(truth, called)
        left = [score(truth[cluster != c], called[cluster != c]) for c in range(20)]
        assert each.moves == pytest.approx(whole - np.array(left), abs=1e-12), metric.name


def test_an_interval_is_students_on_the_logit_scale():
    found = counted(*drawn(3))
    [one] = class_intervals("macro_f1", found).values()
    [moves] = class_changes(metrics("macro_f1"), found.table, found.design)
    squares = moves.moves**2
    degrees = min(3 * squares.sum() ** 2 / (squares @ squares), 19)  # two more than Satterthwaite's
    [law], _ = class_laws(metrics("macro_f1"), found.table, found.design)
    assert law.jackknifed == pytest.approx(squares.sum())
    assert law.jackknifed > law.floor.variance
    ends = []
    for at, sign in ((one.value, 1), (law.centre, -1)):  # above .5 half a cluster pulls down
        far = stats.t.ppf(0.975, degrees) * np.sqrt(squares.sum()) / (at * (1 - at))
        ends.append(stats.logistic.cdf(stats.logistic.ppf(at) + sign * far))
    assert [one.high, one.low] == pytest.approx(ends, rel=1e-10)
    assert (one.method, one.route) == ("jackknife", "student")
    assert one.effective_n == pytest.approx(len(drawn(3)[0]) / one.design_effect)


@pytest.mark.parametrize("weighted", [False, True])
def test_variance_of_the_accuracy_is_that_of_another_package(weighted):
    truth, called, cluster = drawn(5)
    weight = np.random.default_rng(1).uniform(0.5, 3, len(truth)) if weighted else None
    found = counted(truth, called, cluster, sample_weight=weight)
    right = (truth == called).astype(float)
    fit = sm.WLS(right, np.ones(len(right)), weights=1.0 if weight is None else weight).fit(
        cov_type="cluster", cov_kwds={"groups": cluster, "use_correction": False}
    )
    share, n = np.average(right, weights=weight), len(right)
    effect = fit.cov_params()[0, 0] * 20 / 19 / (share * (1 - share) / (n - 1))
    [mine] = class_design_effects(metrics("accuracy"), found.table, found.design)
    assert mine == pytest.approx(effect, rel=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_each_case_a_cluster_of_its_own(name):
    truth, called, _ = drawn(1, m=30)
    here = counted(truth, called, np.arange(len(truth)))
    plain = class_intervals(name, counted(truth, called, None))[name]
    one = class_intervals(name, here)[name]
    assert one.design_effect == pytest.approx(1, rel=1e-6)
    width = plain.high - plain.low
    assert [one.low, one.high] == pytest.approx([plain.low, plain.high], abs=0.08 * width)


@pytest.mark.parametrize("name", NAMES)
def test_copies_of_cases_say_nothing_new(name):
    truth, called, _ = drawn(1, m=20)
    n = len(truth)
    five = [np.tile(column, 5) for column in (truth, called, np.arange(n))]
    once, again = (
        class_intervals(name, counted(*c))[name] for c in ((truth, called, np.arange(n)), five)
    )
    assert again.design_effect == pytest.approx((5 * n - 1) / (n - 1), rel=1e-6)
    assert [again.low, again.high] == pytest.approx([once.low, once.high], rel=1e-9)


def test_the_share_of_right_cases_has_the_interval_of_a_share():
    truth, called, cluster = drawn(4)
    alive = read_arrays(np.ones(len(truth), int), {"m": (truth == called).astype(int)},
                        keys={"cluster": cluster}).binary(1).counted()  # fmt: skip
    share = br.interval("recall", alive)
    one = class_intervals("accuracy", counted(truth, called, cluster))["accuracy"]
    assert (one.low, one.high) == pytest.approx((share.low, share.high), rel=1e-8)
    assert one.design_effect == pytest.approx(share.design_effect, rel=1e-6)


def test_one_cluster_tells_no_interval():
    truth, called, _ = drawn()
    for one in class_intervals(metrics(), counted(truth, called, ["x"] * len(truth))).values():
        assert isnan(one.low)
        assert isnan(one.high)
        assert one.value > 0
        assert one.reason == "all cases lie in one cluster"
    assert isnan(guessing_test(counted(truth, called, ["x"] * len(truth)).design))


def test_a_class_that_one_cluster_holds():
    truth, called = list("ababacab"), list("abababab")
    found = class_intervals(
        ["balanced_accuracy", "accuracy"], counted(truth, called, list("ppqqrrss"))
    )
    assert isnan(found["balanced_accuracy"].low)
    assert found["balanced_accuracy"].reason == "it is undefined without one of the clusters"
    assert found["accuracy"].low < 7 / 8 < found["accuracy"].high


def test_undefined_is_nan_with_its_reason():
    found = class_intervals("macro_precision", counted(list("abcabc"), list("ababab"), [*"ppqqrr"]))
    one = found["macro_precision"]
    assert (isnan(one.value), isnan(one.low), one.route) == (True, True, "undefined")
    assert "c" in one.reason


def test_where_nothing_varies_a_cluster_is_one_case():
    truth, _, cluster = drawn(2)
    one = class_intervals("accuracy", counted(truth, truth, cluster))["accuracy"]
    size = np.bincount(cluster)
    kish = size.sum() ** 2 / (size @ size)
    assert one.high == 1
    assert one.low == pytest.approx(stats.beta.ppf(0.025, kish + 0.5, 0.5), rel=1e-9)
    assert one.effective_n == pytest.approx(kish)


@pytest.mark.parametrize("name", ["macro_f1", "weighted_kappa(quadratic)"])
def test_the_bootstrap_of_clusters_agrees(name):
    table = counted(*drawn(5, m=150))
    plain = class_intervals(name, table)[name]
    how = {"method": "bootstrap", "n_resamples": 2000}
    found = class_intervals(name, table, rng=1, **how)[name]
    width = plain.high - plain.low
    assert [found.low, found.high] == pytest.approx([plain.low, plain.high], abs=0.1 * width)
    assert 0 < found.error < 0.15 * width
    with pytest.raises(InvalidArgumentError, match="must be given for the bootstrap"):
        class_intervals(name, table, method="bootstrap")


def test_what_takes_cases_as_independent_is_refused():
    for method in ("bayes", "wilson", "exact"):
        with pytest.raises(UnsupportedError, match="takes cases as independent, and these lie in"):
            class_intervals("accuracy", counted(*drawn()), method=method)


def test_jackknife_replicates_are_the_clusters():
    found = counted(*drawn(4))
    design, m = found.design, found.design.n_units
    left = (design.total - design.cells(slice(0, m))) * m / (m - 1)
    unit, cell = np.divmod(np.arange(9 * m), 9)
    replicated = ClassDesign(
        total=design.total, unit=unit, cell=cell, amount=left.ravel(), units=design.units,
        n_units=m, n_cases=design.n_cases, scale=np.full(m, (m - 1) / m), known_degrees=m - 1.0,
    )  # fmt: skip
    mine, other = (class_design_effects(metrics(), found.table, d) for d in (design, replicated))
    assert mine == pytest.approx(other, rel=1e-6)
    here, there = (class_changes(metrics(), found.table, d) for d in (design, replicated))
    for one, two in zip(here, there, strict=True):
        assert two.variance == pytest.approx(one.variance * (m - 1) / m, rel=1e-10)
        assert two.degrees == m - 1


def test_the_test_against_guessing_adds_scores_of_clusters():
    truth, called, cluster = drawn(7, m=12, right=0.4)
    found = guessing_test(counted(truth, called, cluster).design)

    def excess(y, p):
        return (y == p).mean() - sum((y == k).mean() * (p == k).mean() for k in LABELS)

    each = sum(
        ((truth == k) - (truth == k).mean()) * ((called == k) - (called == k).mean())
        for k in LABELS
    )
    score = np.bincount(cluster, each)
    statistic = score.sum() / np.sqrt(score @ score)
    whole = excess(truth, called)
    left = [excess(truth[cluster != c], called[cluster != c]) for c in range(12)]
    squares = (whole - np.array(left)) ** 2
    degrees = np.clip(3 * squares.sum() ** 2 / (squares @ squares) - 2, 1, 11)
    both = [(11, statistic), (degrees, whole / np.sqrt(squares.sum()))]
    assert found == pytest.approx(max(stats.t.sf(t, df) for df, t in both), rel=1e-9)


@pytest.mark.slow
def test_the_test_rarely_errs_where_predictions_know_their_cluster_only():
    rng, rejected = np.random.default_rng(3), 0
    for _ in range(200):
        cluster = np.repeat(np.arange(20), rng.integers(1, 51, 20))
        columns = []
        for _side in "ab":
            mix = rng.dirichlet(np.full(3, 0.8), 20)[cluster].cumsum(axis=1)
            columns.append(np.array(LABELS)[(rng.random(len(mix))[:, None] > mix[:, :2]).sum(1)])
        rejected += guessing_test(counted(*columns, cluster).design) <= 0.05
    assert rejected <= 19  # nominally 10, with a standard error of 3.1


def test_few_clusters_at_a_time_make_no_difference(monkeypatch):
    found = counted(*drawn(3))
    whole = class_intervals(metrics(), found)
    for module in (clusters, class_design):
        monkeypatch.setattr(module, "AT_ONCE", 40)
    again = class_intervals(metrics(), found)
    for name in NAMES:
        assert (again[name].low, again[name].high) == (whole[name].low, whole[name].high)

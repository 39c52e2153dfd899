"""The corrected test against R's survey package, Pearson's test, and simulated samples."""

from math import isnan, sqrt

import numpy as np
import pytest
from scipy import stats

import baserate as br
from baserate import ConfusionMatrix
from baserate._arith import ratio
from baserate.counts import CELLS, of_four
from baserate.errors import InvalidArgumentError, UnknownNameError
from baserate.groups import rao_scott_test
from baserate.groups.power import smallest_gap, smallest_of
from baserate.groups.rao_scott import rao_scott_of
from baserate.groups.sampled_gaps import SampledTrial, powers, sampled_ends
from baserate.groups.samples import Samples, blocks_of, gradient
from baserate.inference import interval
from baserate.metrics import CATALOGUE, define, get
from tests.oracles.survey_chi_square import survey_chi_square

# Schools of 15 districts, a cluster sample of 757 (apiclus1 of R's survey package, from the
# California Department of Education): those that missed their target by type (elementary, high,
# middle), then those that met it.
DISTRICTS = np.array([
    [0, 0, 2, 10, 0, 1], [3, 0, 0, 31, 0, 0], [0, 0, 1, 2, 1, 0], [1, 0, 2, 9, 0, 1],
    [1, 0, 0, 12, 0, 3], [0, 0, 0, 2, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 2, 1, 1],
    [0, 0, 0, 9, 1, 2], [1, 1, 1, 15, 1, 2], [1, 1, 0, 3, 3, 1], [0, 0, 0, 8, 1, 2],
    [5, 0, 0, 25, 3, 4], [0, 0, 1, 1, 0, 0], [0, 1, 1, 2, 0, 0],
], dtype=float)  # fmt: skip
SAMPLED = 1 - 15 / 757
GROUP = ConfusionMatrix(tp=30, fn=20, fp=5, tn=45)
REST = ConfusionMatrix(tp=300, fn=100, fp=50, tn=550)


def table(cells):
    return ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), map(float, cells), strict=True)))


def of_counts(group, rest):
    return Samples(group, rest, (group, rest))


def statistic(samples, metric, condition="auto"):
    """Return the squared difference in standard errors."""
    test = rao_scott_of(samples, get(metric), condition)
    contrast = samples.contrast(get(metric), test.condition)
    blocks = blocks_of(get(metric), test.condition)
    spread = samples.spread(contrast, samples.totals, blocks, null=True)
    return float(contrast(samples.totals)) ** 2 / spread.variance


def test_oracle_is_that_of_the_survey_package():
    """Printed by R: F = 5.1934, ndf = 1.495, ddf = 20.925, p-value = 0.02175."""
    found = survey_chi_square(DISTRICTS.reshape(15, 2, 3), SAMPLED)
    assert found.f == pytest.approx(5.1934, abs=5e-5)
    assert (found.ndf, found.ddf) == (
        pytest.approx(1.495, abs=5e-4),
        pytest.approx(20.925, abs=5e-4),
    )
    assert found.p_value == pytest.approx(0.02175, abs=5e-6)


@pytest.fixture
def schools():
    """Return elementary and other schools that met their target or not, as two classes of cases."""
    missed, met = DISTRICTS[:, :3], DISTRICTS[:, 3:]
    cells = np.stack([met[:, 0], missed[:, 0], met[:, 1:].sum(1), missed[:, 1:].sum(1)], axis=1)
    nothing = np.zeros((15, 2))
    both = np.hstack([cells[:, :2], nothing, cells[:, 2:], nothing])
    apart = both - both.mean(axis=0)
    return both, SAMPLED * 15 / 14 * apart.T @ apart


def test_design_effect_of_clusters_that_span_both_groups(schools):
    """Of the log odds, as R takes it."""
    both, covariance = schools
    totals = both.sum(axis=0)
    group, rest = table(totals[:4]), table(totals[4:])
    samples = Samples(group, rest, (group, rest), covariance=covariance, degrees=14)
    log_odds = define("log_odds", lambda tp, fn, fp, tn: np.log(tp / fn) + 0 * (fp + tn))
    contrast = samples.contrast(log_odds, "classes")
    cells = both[:, [1, 0, 5, 4]].reshape(15, 2, 2).transpose(0, 2, 1)
    expected = survey_chi_square(cells, SAMPLED)
    found, *_ = samples.design_effect(contrast, blocks_of(log_odds, "classes"))
    assert found == pytest.approx(expected.design_effect, rel=1e-9)
    plain = of_counts(group, rest)
    assert statistic(plain, "recall") == pytest.approx(expected.pearson, rel=1e-9)
    # Of the difference of shares the design effect is another, at shares that differ.
    test = rao_scott_test(
        "recall", group, rest, covariance=covariance, degrees_of_freedom=14, condition="denominator"
    )
    assert test.design_effect == pytest.approx(expected.design_effect, rel=0.5)
    assert test.degrees_of_freedom == 14
    assert test.p_value == pytest.approx(expected.p_value, abs=0.03)


@pytest.mark.parametrize("metric", ["recall", "false_positive_rate", "precision"])
def test_counted_rate_is_pearsons_test(metric):
    """Exactly: the variance at the pooled rate."""
    successes, failures = get(metric).proportion
    sides = [[float(getattr(t, *side)) for side in (successes, failures)] for t in (GROUP, REST)]
    expected = stats.chi2_contingency(sides, correction=False).statistic
    assert statistic(of_counts(GROUP, REST), metric, "denominator") == pytest.approx(expected)


def test_accuracy_given_classes_is_a_stratified_difference():
    """Of both classes' rates, each with its own pooled variance."""
    apart = 0.5 * (0.6 - 0.75) + 0.5 * (0.9 - 550 / 600)
    r0, f0 = 330 / 450, 55 / 650
    variance = 0.25 * (r0 * (1 - r0) * (1 / 50 + 1 / 400) + f0 * (1 - f0) * (1 / 50 + 1 / 600))
    found = statistic(of_counts(GROUP, REST), "accuracy", "classes")
    assert found == pytest.approx(apart**2 / variance)


def weighted(rng, n, *, sigma, with_outcome):
    """Return sums and squares of a sample without any difference to another one of this kind."""
    truth = rng.random(n) < 0.4
    decided = np.where(truth, rng.random(n) < 0.7, rng.random(n) < 0.2)
    weight = np.exp(sigma * rng.standard_normal(n) + with_outcome * decided)
    cell = 2 * ~truth + ~decided
    return [table(np.bincount(cell, w, 4)) for w in (weight, weight**2)]


def test_scale_of_weights_does_not_matter():
    rng = np.random.default_rng(5)
    (a, a2), (b, b2) = (weighted(rng, n, sigma=0.7, with_outcome=1) for n in (60, 300))
    large, larger = (table(k * np.array([*t])) for t, k in ((a, 1e3), (a2, 1e6)))
    for metric in ("recall", "f1", "matthews_correlation", "predicted_positive_rate"):
        one = rao_scott_test(metric, a, b, squared_weights=(a2, b2))
        other = rao_scott_test(metric, large, b, squared_weights=(larger, b2))
        assert other.p_value == pytest.approx(one.p_value, rel=1e-9), metric


def test_equal_weights_are_cases():
    """Weights of 4 throughout: Pearson's statistic of a quarter of the table."""
    fours = tuple(table(4 * np.array([*t])) for t in (GROUP, REST))
    found = statistic(Samples(GROUP, REST, fours), "recall")
    assert found == pytest.approx(statistic(of_counts(GROUP, REST), "recall") / 4)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["recall", "matthews_correlation"])
def test_size_is_held(metric):
    rng = np.random.default_rng(7)
    rejected = 0
    for _ in range(1000):
        (a, a2), (b, b2) = (weighted(rng, n, sigma=1, with_outcome=1) for n in (100, 500))
        test = rao_scott_of(Samples(a, b, (a2, b2)), get(metric), "classes")
        rejected += test.p_value <= 0.05
    assert 30 <= rejected <= 75  # nominally 50, with a standard error of 7


def in_clusters(rng, n_group, n_rest):
    """Return the samples of two groups of whole clusters, unequal, intraclass correlation 0.3."""
    tables = []
    for clusters in (n_group, n_rest):
        size = rng.integers(4, 30, clusters)
        rate = rng.beta(0.7 * 7 / 3, 0.3 * 7 / 3, clusters)
        hits = rng.binomial(size, rate)
        tables.append(np.stack([hits, size - hits, 0 * hits, 0 * hits], axis=1).astype(float))
    nothing = [np.zeros_like(part) for part in tables]
    units = np.vstack([np.hstack([tables[0], nothing[0]]), np.hstack([nothing[1], tables[1]])])
    totals = units.sum(axis=0)
    group, rest = table(totals[:4]), table(totals[4:])
    return Samples(group, rest, (group, rest), replicates=(totals - units).T)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("clusters", [(10, 10), (20, 100)])
def test_size_is_held_with_clusters(clusters):
    """Where the test that takes cases as independent rejects a third of the time."""
    rng = np.random.default_rng(11)
    rejected = np.zeros(2)
    for _ in range(300):
        samples = in_clusters(rng, *clusters)
        plain = of_counts(samples.group, samples.other)
        tests = (rao_scott_of(one, get("recall"), "auto").p_value for one in (samples, plain))
        rejected += [p <= 0.05 for p in tests]
    assert rejected[0] <= 24  # nominally 15, with a standard error of 3.8
    assert rejected[1] > 90


def test_gradient_is_right_for_every_metric():
    """By differences in numbers of cells, at an uneven table."""
    samples = of_counts(GROUP, REST)
    totals = np.array([30.0, 20, 5, 45, 300, 100, 50, 550])
    for metric in CATALOGUE:
        contrast = samples.contrast(metric, "classes")
        found = gradient(contrast, totals)
        for i in range(8):
            move = np.eye(8)[i] * 1e-4
            rough = (contrast(totals + move) - contrast(totals - move)) / 2e-4
            assert found[i] == pytest.approx(float(rough), rel=1e-4, abs=1e-7), metric.name


def test_formula_that_takes_no_complex_steps():
    """An absolute value drops the imaginary part: differences stand in."""

    def size(tp, fn, fp, tn):
        return np.abs(ratio(tp, tp + fn) - ratio(fp, fp + tn))

    youden = define("size_of_youden", size, direction="neither")
    plain = rao_scott_of(of_counts(GROUP, REST), get("informedness"), "classes")
    assert rao_scott_of(of_counts(GROUP, REST), youden, "classes").p_value == pytest.approx(
        plain.p_value
    )


def test_whole_that_contains_the_group_is_compared_with_the_rest():
    """Recall against all cases says what recall against the others says."""
    apart = rao_scott_of(of_counts(GROUP, REST), get("recall"), "auto")
    whole = Samples(GROUP, REST, (GROUP, REST), contained=True)
    found = rao_scott_of(whole, get("recall"), "auto")
    assert found.reference == GROUP + REST
    assert found.p_value == pytest.approx(apart.p_value, rel=1e-9)


def test_power_is_near_the_exact_one():
    group, rest = table([140, 60, 60, 240]), table([1400, 600, 600, 2400])
    for metric in ("recall", "accuracy", "f1"):
        condition = "denominator" if metric == "recall" else "classes"
        exact = smallest_gap(
            metric, table_of_counts(group), table_of_counts(rest), condition=condition
        )
        trial = SampledTrial(of_counts(group, rest), get(metric), condition)
        found = smallest_of(trial, get(metric), 0.05, 0.8)
        assert found.below == pytest.approx(exact.below, rel=0.06), metric
        assert found.above == pytest.approx(exact.above, rel=0.06), metric


def test_a_few_clusters_that_are_alike_are_no_surer_than_their_cases(monkeypatch):
    """With hardly a variance between clusters, intervals are joined by squares (Zou and Donner)."""
    cells = (np.array([5.0, 2, 1, 7]), 3), (np.array([6.0, 1, 2, 8]), 4)
    rows = [np.tile(np.roll([*row, 0, 0, 0, 0], 4 * i), (m, 1)) for i, (row, m) in enumerate(cells)]
    units = np.vstack(rows)
    units[:2, 0] += (0.01, -0.01)
    totals = units.sum(axis=0)
    group, rest, f1 = table(totals[:4]), table(totals[4:]), get("f1")
    samples = Samples(group, rest, (group, rest), replicates=(totals - units).T)
    (a, b), (one, two) = (
        [of(t) for t in (group, rest)] for of in (f1, lambda t: interval(f1, t, method="bayes"))
    )
    down, up = np.hypot(a - one.low, two.high - b), np.hypot(one.high - a, b - two.low)
    found = sampled_ends(f1, samples, 0.95)
    assert found.low < a - b - down < a - b + up < found.high  # cases may be alike all the same
    monkeypatch.setattr(Samples, "_floor", lambda *_: None)
    monkeypatch.setattr(Samples, "clusters", (np.inf, np.inf))
    assert sampled_ends(f1, samples, 0.95)[1:] == pytest.approx((a - b - down, a - b + up))


def test_the_next_cluster_may_be_all_wrong_or_all_right():
    """Half a cluster either way moves an F1 by what it makes of the table, and a gap by both."""
    rng = np.random.default_rng(3)
    units = np.zeros((22, 8))
    units[:10, :4], units[10:, 4:] = rng.integers(1, 9, (10, 4)), rng.integers(1, 9, (12, 4))
    totals = units.sum(axis=0)
    group, rest, f1 = table(totals[:4]), table(totals[4:]), get("f1")
    samples = Samples(group, rest, (group, rest), replicates=(totals - units).T)
    shifts, sizes = [], [units[:10, :4].sum(axis=1), units[10:, 4:].sum(axis=1)]
    for cells, n in zip((totals[:4], totals[4:]), sizes, strict=True):
        m = n.sum() ** 2 / (n @ n)
        more = cells + np.repeat([cells[:2].sum(), cells[2:].sum()], 2) / (2 * m)
        shifts.append(2 * more[0] / (2 * more[0] + more[1] + more[2]) - f1(table(cells)))
    assert samples.clusters == pytest.approx([n.sum() ** 2 / (n @ n) for n in sizes])
    plain = Samples(group, rest, (group, rest), replicates=(totals - units).T)
    object.__setattr__(plain, "degrees", 21.0)  # as of replicate weights, which say all themselves
    assert plain.clusters == (np.inf, np.inf)
    wide, level = sampled_ends(f1, samples, 0.95), 0.95
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Samples, "clusters", (np.inf, np.inf))
        narrow = sampled_ends(f1, samples, level)
    low = min(shifts[0], 0) - max(shifts[1], 0)
    high = max(shifts[0], 0) - min(shifts[1], 0)
    assert (wide.low - narrow.low, wide.high - narrow.high) == pytest.approx((low, high))
    shares = [sampled_ends(get("recall"), one, level) for one in (samples, plain)]
    assert shares[0].low < shares[1].low
    assert shares[0].high > shares[1].high


def test_cases_counted_one_by_one_have_the_interval_of_two_shares():
    """Where large samples make Student's quantile the normal one: Wald's, nearly."""
    group, rest = table([6000, 4000, 900, 9100]), table([30_000, 10_000, 9000, 91_000])
    found = sampled_ends(get("recall"), of_counts(group, rest), 0.95)
    far = stats.norm.ppf(0.975) * sqrt(0.6 * 0.4 / 10_000 + 0.75 * 0.25 / 40_000)
    assert found[1:] == pytest.approx((-0.15 - far, -0.15 + far), abs=2e-4)


@pytest.mark.parametrize("metric", ["recall", "accuracy", "precision", "error_rate"])
def test_a_shifted_share_is_moved_by_that_much(metric):
    metric = get(metric)
    trial = SampledTrial(of_counts(GROUP, REST), metric, "denominator")
    rate, shifts = metric(REST), np.array([-0.1, -0.01, 0.0, 0.03])
    moved = ConfusionMatrix(**dict(zip(CELLS, trial._totals(shifts)[:4], strict=True)))
    assert metric(moved) == pytest.approx(rate + shifts, rel=1e-13)


def table_of_counts(cells):
    return ConfusionMatrix(**{name: int(n) for name, n in cells.to_dict().items()})


def test_reasons():
    none = ConfusionMatrix(tp=0, fn=0, fp=3, tn=4)
    assert rao_scott_test("recall", none, REST).reason == "no positives (tp + fn = 0)"
    assert rao_scott_test("recall", GROUP, none).reason == "the reference has no positives"
    empty = ConfusionMatrix(tp=0, fn=0, fp=0, tn=0)
    assert rao_scott_test("accuracy", GROUP, empty).reason == "the reference has no cases"
    fixed = rao_scott_test("precision", none, REST, condition="classes")
    assert fixed.reason == "no other value is possible with what is held fixed"
    assert isnan(fixed.p_value)
    assert fixed.route == ""
    alike = rao_scott_test("recall", table([5, 0, 1, 1]), table([50, 0, 10, 10]))
    assert (alike.p_value, alike.reason) == (1.0, None)


def test_refusals():
    with pytest.raises(InvalidArgumentError, match="squared_weights must be a pair"):
        rao_scott_test("recall", GROUP, REST, squared_weights=3)
    with pytest.raises(InvalidArgumentError, match=r"covariance must have shape \(8, 8\)"):
        rao_scott_test("recall", GROUP, REST, covariance=np.eye(4))
    with pytest.raises(UnknownNameError, match="alternative"):
        rao_scott_test("recall", GROUP, REST, alternative="both")


def test_what_lies_in_one_cluster_is_not_tested():
    rng = np.random.default_rng(4)
    truth = rng.random(300) < 0.4
    said = np.where(rng.random(300) < 0.8, truth, ~truth)
    scanner = rng.choice(["a", "b"], 300)
    for cluster, alone in ((scanner, 2), (np.where(scanner == "a", "a", np.arange(300)), 2)):
        facts = br.audit(said, truth, groups={"scanner": scanner}, cluster=cluster).facts
        found = [f for group in facts.groups for f in group.findings if not np.isnan(f.value)]
        assert {"within one cluster" in (f.reason or "") for f in found} == {True}
        assert len(facts.groups) == alone
        assert all(np.isnan([gap.low, gap.high]).all() for gap in facts.gaps)


@pytest.mark.parametrize("contained", [False, True])
@pytest.mark.parametrize(
    ("name", "condition"),
    [("recall", "denominator"), ("f1", "classes"), ("precision", "classes"),
     ("marginal_benefit", "none")],
)  # fmt: skip
def test_the_power_of_many_trials_is_that_of_each(name, condition, contained):
    """At shifts of their own; some cells of some are empty, and designs differ."""
    rng, shifts = np.random.default_rng(3), np.array([-0.5, -0.1, 0.0, 0.2, 0.9])
    trials = list[SampledTrial]()
    for replicates in range(12):
        cells = rng.integers(0, 9, 4), rng.integers(5, 90, 4)
        squared = tuple(of_four(own * rng.uniform(1, 3, 4)) for own in cells)
        left_out = np.concatenate(cells)[:, None] - rng.uniform(0, 0.2, (8, 3 + replicates))
        samples = Samples(
            *map(of_four, cells), squared, replicates=np.maximum(left_out, 0), contained=contained
        )
        trials.append(SampledTrial(samples, get(name), condition))
    trials = [one for one in trials if one.reason is None]
    which = np.repeat(np.arange(len(trials)), len(shifts))
    together = powers(trials, 0.01)(which, np.tile(shifts, len(trials)))
    alone = np.concatenate([one.power(0.01)(shifts) for one in trials])
    np.testing.assert_allclose(together, alone, rtol=1e-12)
    assert len({one.design for one in trials}) == len(trials) > 8

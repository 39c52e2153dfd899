"""Laws of best thresholds: identities, symmetries, and that no other rule is better."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from baserate import metrics
from baserate.curves import sweep
from baserate.curves.populations import LDA, QDA, Empirical
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.tuning import bayes_threshold, stationary_ratios
from oracles import bayes_twins

base_rates = st.floats(-4, 4).map(lambda e: 1 / (1 + np.exp(e)))
distances = st.floats(0.3, 4)


def random_qda(seed):
    rng = np.random.default_rng(seed)
    roots = rng.normal(size=(2, 2, 3))
    cov0, cov1 = roots @ roots.transpose(0, 2, 1)
    return QDA(mean0=np.zeros(2), cov0=cov0, mean1=rng.normal(size=2), cov1=cov1)


populations = st.one_of(distances.map(LDA), st.integers(0, 10**6).map(random_qda))

robust_fs = st.tuples(st.floats(0.01, 2), st.floats(0, 4), st.floats(0, 1)).filter(
    lambda d: d[0] + d[1] > d[2] + 0.01
)

few = settings(max_examples=3)


@pytest.mark.slow
@few
@given(population=populations, pi=base_rates, beta=st.floats(0.2, 4), parameters=robust_fs)
def test_the_value_fixes_the_threshold_of_linear_fractional_metrics(
    population, pi, beta, parameters
):
    """P(positive | x) > F*/(1 + β²), J*/(1 + J*), and M*(1 + c)/(d₀/π + d₁ + 1) for robust F."""
    d0, d1, c = parameters
    jaccard = bayes_threshold("jaccard", population, base_rate=pi)
    f = bayes_threshold(metrics.f_beta(beta), population, base_rate=pi)
    robust = bayes_threshold(metrics.robust_f(d0, d1, c), population, base_rate=pi)
    for found, expected in (
        (jaccard, jaccard.value / (1 + jaccard.value)),
        (f, f.value / (1 + beta**2)),
        (robust, robust.value * (1 + c) / (d0 / pi + d1 + 1)),
    ):
        if 0 < found.ratio < np.inf:
            assert found.probability == pytest.approx(expected, rel=1e-9)


@pytest.mark.slow
@few
@given(population=populations, pi=base_rates, d0=st.floats(0.01, 2), d1=st.floats(0, 4))
def test_robust_f_is_f1_at_another_base_rate(population, pi, d0, d1):
    odds = (d0 + d1 * pi) / (1 - pi)
    ours = bayes_threshold(metrics.robust_f(d0, d1), population, base_rate=pi)
    theirs = bayes_threshold("f1", population, base_rate=odds / (1 + odds))
    assume(0 < theirs.ratio < np.inf)
    assert ours.ratio == pytest.approx(theirs.ratio, rel=1e-8)


SYMMETRIC = ("mcc", "kappa", "robust_mcc(d=0.07)", "accuracy", "geometric_mean", "gss")


@few
@given(distance=distances, pi=base_rates, name=st.sampled_from(SYMMETRIC))
def test_calling_the_other_class_positive_inverts_the_ratio(distance, pi, name):
    one = bayes_threshold(name, LDA(distance), base_rate=pi)
    other = bayes_threshold(name, LDA(distance), base_rate=1 - pi)
    assert one.ratio * other.ratio == pytest.approx(1, rel=1e-9)
    assert one.recall == pytest.approx(other.specificity, rel=1e-9)
    assert one.value == pytest.approx(other.value, rel=1e-9)


ANY = st.sampled_from([m for m in bayes_twins.METRICS if m != "markedness"])


@pytest.mark.slow
@few
@given(population=populations, pi=base_rates, name=ANY)
def test_no_rule_on_a_grid_is_better(population, pi, name):
    found = bayes_threshold(name, population, base_rate=pi)
    ratio = np.exp(np.linspace(-12, 12, 601))
    values = metrics.get(name).at_rates(
        recall=population.recall(ratio),
        specificity=np.minimum(population.specificity(ratio), 1),
        base_rate=pi,
    )
    assert np.nanmax(values) <= found.value + 1e-12 * abs(found.value)


# Samples.

samples = st.lists(st.tuples(st.booleans(), st.integers(0, 12)), min_size=6, max_size=60).filter(
    lambda rows: 1 < sum(y for y, _ in rows) < len(rows) - 1
)
QUASI_CONVEX = (
    "accuracy",
    "jaccard",
    "f1",
    "f2",
    "kappa",
    "robust_f(d0=0.1)",
    "robust_f(d0=0.5, d1=1, c=1)",
    "mcc",
    "robust_mcc(d=0.05)",
)


@pytest.mark.slow
@given(rows=samples, name=st.sampled_from(QUASI_CONVEX))
def test_no_cut_point_beats_the_vertices_of_the_hull(rows, name):
    s, metric = sweep(*zip(*rows, strict=True)), metrics.get(name)
    population = Empirical(s)
    assume(name != "mcc" or len(population.slopes) > 1)  # undefined at both trivial rules
    found = bayes_threshold(metric, population, base_rate=s.base_rate)
    values = metric(s.tables)
    values = np.where(np.isnan(values), 0, values) if "mcc" in name else values
    assert found.value >= np.nanmax(values) - 1e-12
    # A rule mixed from two neighbours does not win either.
    mixed = metric.at_rates(
        recall=(s.true_positives[1:] + s.true_positives[:-1]) / (2 * s.n_positive),
        specificity=1 - (s.false_positives[1:] + s.false_positives[:-1]) / (2 * s.n_negative),
        base_rate=s.base_rate,
    )
    assert found.value >= np.nanmax(mixed) - 1e-12


@pytest.mark.slow
@given(rows=samples, pi=base_rates, name=st.sampled_from(QUASI_CONVEX))
def test_the_rule_in_a_sample_is_the_one_its_ratio_makes(rows, pi, name):
    population = Empirical(sweep(*zip(*rows, strict=True)))
    assume(name != "mcc" or len(population.slopes) > 1)  # undefined at both trivial rules
    found = bayes_threshold(name, population, base_rate=pi)
    low, high = found.ratios
    assert low <= found.ratio <= high
    below = np.nextafter(high, 0) if low < np.inf else high
    for ratio in (low, found.ratio, below):
        assert population.recall(ratio) == found.recall
        assert population.specificity(ratio) == found.specificity
    if low > 0 and found.recall < 1 and found.false_positive_rate > 0 and name in {"f1", "f2"}:
        beta2 = 1 if name == "f1" else 4
        assert found.probability == pytest.approx(found.value / (1 + beta2), rel=1e-9)


def test_a_metric_that_asks_for_a_ratio_beyond_the_edges_has_one_that_makes_the_rule():
    """At recall 0.9 and specificity 0.4 the geometric mean asks for 0.9/0.4 = 2.25.

    The edges that meet there have slopes 0.9/0.6 and 0.1/0.4, and by 2.25 nobody is positive.
    """
    truth = np.repeat([1, 0, 1, 0], [9, 6, 1, 4])
    population = Empirical(sweep(truth, np.repeat([1, 1, 0, 0], [9, 6, 1, 4])))
    found = bayes_threshold("geometric_mean", population, base_rate=0.5)
    assert found.ratios == pytest.approx((0.25, 1.5), rel=1e-12)
    assert found.ratio == pytest.approx(1.5, rel=1e-12)
    assert population.recall(found.ratio) == found.recall == 0.9


def test_a_sample_without_order_has_no_vertex_for_the_correlation():
    flat = Empirical(sweep([1, 0, 1, 0], [1, 1, 1, 1]))
    with pytest.raises(UnsupportedError, match="undefined at every vertex"):
        bayes_threshold("mcc", flat, base_rate=0.5)
    with pytest.raises(InvalidArgumentError, match="population must be continuous"):
        stationary_ratios("mcc", flat, base_rate=0.5)

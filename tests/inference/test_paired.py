"""Differences between two classifiers by any metric, against random draws and other integrators."""

from functools import cache

import numpy as np
import pytest
from scipy import integrate, stats

from baserate import ConfusionMatrix, metrics
from baserate.errors import InvalidArgumentError, InvalidCountError, UnsupportedError
from baserate.inference import interval, paired_counts
from baserate.inference.linearity import cell_prior
from baserate.inference.paired import compare_paired, joint_prior
from baserate.inference.separate_samples import compare_separate
from quick import one_in

JOINT = np.array([[[25, 13], [2, 2]], [[18, 5], [5, 30]]])
FEW = np.array([[[2, 0], [1, 1]], [[0, 3], [1, 2]]])
A = ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
B = ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)
DRAWS = 400_000
EXACT = [
    "accuracy",
    "error_rate",
    "recall",
    "specificity",
    "false_positive_rate",
    "informedness",
    "balanced_accuracy",
    "marginal_benefit",
    "utility([[15, -335], [-35, 165]])",
    "net_benefit(threshold=0.2)",
    "weighted_accuracy(weight=0.7)",
    "accuracy.at_base_rate(0.3)",
]
SIMULATED = ["f1", "precision", "matthews_correlation", "jaccard", "lift"]


def share_right(tp, fn, fp, tn):
    return (tp + tn) / (tp + fn + fp + tn)


def metric_of(name):
    if name.endswith(")"):
        return eval(name, {m: getattr(metrics, m) for m in dir(metrics)})  # noqa: S307 (our own names)
    return metrics.get(name)


def tables(theta):
    """Both classifiers' tables from shares with the axes draw, A, B, class."""
    for decided in (theta.sum(axis=2), theta.sum(axis=1)):
        (tp, fp), (fn, tn) = decided.transpose(1, 2, 0)
        yield ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn)


# What the prior adds to (A, B, class), class by class: half a case on either side of what decides.
RATES = 0, 0, 1 / 2, 1 / 2, 1 / 2, 1 / 2, 0, 0
PRIORS = dict.fromkeys(["accuracy", "error_rate"], (0, 0, 1 / 4, 1 / 4, 1 / 4, 1 / 4, 0, 0)) | (
    dict.fromkeys(["f1", "jaccard"], (1 / 4, 0, 1 / 4, 1 / 4, 1 / 4, 1 / 4, 0, 1 / 4))
)


@cache
def paired_draws(cells, prior, seed=1):
    rng = np.random.default_rng(seed)
    alpha = np.maximum(np.add(cells, prior), 1e-12)
    return tuple(tables(rng.dirichlet(alpha, DRAWS).reshape(-1, 2, 2, 2)))


def drawn_differences(metric, joint):
    prior = tuple(PRIORS.get(metric.name, RATES))
    a, b = map(metric, paired_draws(tuple(joint.ravel()), prior))
    return a - b


def assert_like_draws(found, drawn):
    higher = np.mean(drawn > 0)
    assert found.higher == pytest.approx(higher, abs=4 / DRAWS**0.5 / 2)
    limits = np.quantile(drawn, [0.025, 0.975])
    np.testing.assert_allclose([found.low, found.high], limits, atol=0.01 * np.ptp(limits))


@pytest.mark.sweep(20, start=16)
@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("joint", [JOINT, FEW], ids=["100", "few"])
def test_linear_metrics_are_exact_and_agree_with_random_draws(name, joint):
    metric = metric_of(name)
    found = compare_paired(metric, joint)
    assert (found.route, found.error, found.undefined) == ("exact", 0.0, 0.0)
    assert_like_draws(found, drawn_differences(metric, joint))


@pytest.mark.slow
@pytest.mark.parametrize("name", one_in(5, SIMULATED))
def test_other_metrics_are_simulated_and_agree_with_random_draws(name):
    metric = metrics.get(name)
    found = compare_paired(metric, JOINT, rng=2)
    assert found.route == "quasi-monte-carlo"
    assert 0 < found.error < 2e-3
    assert_like_draws(found, drawn_differences(metric, JOINT))


def test_nothing_is_simulated_without_being_asked():
    with pytest.raises(UnsupportedError, match=r"difference of f1 has no exact route.*pass rng"):
        compare_paired("f1", JOINT)


@pytest.mark.slow
def test_the_simulation_states_its_error():
    # The same quantity exactly: accuracy, by way of a metric that is not declared linear.
    told = {"linear_in_rates": False, "lumps": None}
    hidden = metrics.define("hidden_accuracy", share_right, **told)
    close = np.array([[[25, 13], [6, 4]], [[8, 5], [5, 30]]])
    exact = compare_paired("accuracy", close).higher
    found = [compare_paired(hidden, close, rng=seed) for seed in range(8)]
    assert {result.route for result in found} == {"quasi-monte-carlo"}
    errors = np.array([(x.higher - exact) / x.error for x in found])
    assert 0.5 < np.sqrt(np.mean(errors**2)) < 2


@pytest.mark.parametrize("metric", metrics.CATALOGUE, ids=lambda metric: metric.name)
def test_the_joint_prior_shares_what_each_table_alone_gets(metric):
    prior = joint_prior(metric)
    assert (prior >= 0).all()
    for axis in (1, 0):
        (tp, fp), (fn, tn) = prior.sum(axis=axis)
        np.testing.assert_allclose([tp, fn, fp, tn], cell_prior(metric), atol=1e-15)


def test_those_that_only_one_gets_right_have_half_a_case_on_either_side():
    # Jeffreys' law of the share of these that A wins.
    for name, only_a, only_b in (("accuracy", 2 + 5, 18 + 2), ("recall", 2, 18)):
        found = compare_paired(name, JOINT)
        expected = stats.beta(only_a + 0.5, only_b + 0.5).sf(0.5)
        assert found.better == pytest.approx(expected, rel=1e-9)


def test_recall_depends_on_discordant_positives_only():
    # P(recall A > recall B) is a Beta tail at 1/2 in the positives that only one gets right.
    found = compare_paired("recall", JOINT, prior=0.5)
    expected = stats.beta(JOINT[0, 1, 0] + 0.5, JOINT[1, 0, 0] + 0.5).sf(0.5)
    assert found.better == pytest.approx(expected, rel=1e-10)
    specificity = compare_paired("specificity", JOINT, prior=0.5)
    expected = stats.beta(JOINT[1, 0, 1] + 0.5, JOINT[0, 1, 1] + 0.5).sf(0.5)
    assert specificity.better == pytest.approx(expected, rel=1e-10)


def test_lower_is_better_where_the_metric_says_so():
    right, wrong = compare_paired("accuracy", JOINT), compare_paired("error_rate", JOINT)
    assert wrong.better == pytest.approx(right.better, abs=1e-12)
    assert wrong.higher == pytest.approx(1 - right.higher, abs=1e-12)
    assert np.isnan(compare_paired("marginal_benefit", JOINT).better)


def test_paired_counts_count():
    rng = np.random.default_rng(0)
    y, a, b = rng.random((3, 500)) < 0.4
    joint = paired_counts(y, a, b)
    for i, j, c in np.ndindex(2, 2, 2):
        assert joint[i, j, c] == np.sum((a == (i == 0)) & (b == (j == 0)) & (y == (c == 0)))
    found = compare_paired("accuracy", joint)
    assert found.value_a == pytest.approx(np.mean(a == y))
    assert found.value_b == pytest.approx(np.mean(b == y))


@pytest.mark.parametrize(
    ("message", "columns"),
    [
        ("must be three columns of equal length", ([True], [True, False], [True])),
        ("y_true must hold booleans, got 2", ([2, 1], [0, 1], [1, 1])),
    ],
)
def test_paired_labels_are_booleans_of_equal_length(message, columns):
    with pytest.raises(InvalidCountError, match=message):
        paired_counts(*map(np.array, columns))


def test_where_the_metric_is_undefined_nothing_is_said():
    no_positives = np.array(JOINT)
    no_positives[..., 0] = 0
    found = compare_paired("recall", no_positives)
    assert found.route == "undefined"
    assert np.isnan([found.low, found.high, found.better, found.difference]).all()


def test_a_joint_table_of_another_shape_is_refused():
    with pytest.raises(InvalidCountError, match=r"joint must have shape \(2, 2, 2\), got \(2, 2\)"):
        compare_paired("accuracy", [[1, 2], [3, 4]])


def drawn_tables(table, seed):
    cells = np.array([float(cell) for cell in table]) + 0.5
    rates = np.random.default_rng(seed).dirichlet(cells, DRAWS).T
    return ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), rates, strict=True)))


@pytest.mark.sweep(4, start=3)
@pytest.mark.parametrize(
    ("name", "route"),
    [
        ("accuracy", "exact"),
        ("precision", "exact"),
        ("utility([[15, -335], [-35, 165]])", "exact"),
        ("f1", "gauss"),
        ("informedness", "gauss"),
        ("matthews_correlation", "gauss"),
        ("cohen_kappa", "gauss"),
    ],
)
def test_separate_sets_agree_with_random_draws(name, route):
    metric = metric_of(name)
    found = compare_separate(metric, A, B)
    assert found.route == route
    assert found.error < 1e-5
    assert_like_draws(found, metric(drawn_tables(A, 1)) - metric(drawn_tables(B, 2)))


@pytest.mark.parametrize("a", [(3, 1), (0, 5), (40, 10)])
@pytest.mark.parametrize("b", [(2, 2), (35, 15)])
def test_two_recalls_are_two_beta_laws(a, b):
    found = compare_separate(
        "recall",
        ConfusionMatrix(tp=a[0], fn=a[1], fp=1, tn=1),
        ConfusionMatrix(tp=b[0], fn=b[1], fp=1, tn=1),
    )
    first, second = (stats.beta(x + 0.5, y + 0.5) for x, y in (a, b))
    expected = integrate.quad(
        lambda x: first.pdf(x) * second.cdf(x), 0, 1, epsabs=1e-12, limit=500
    )[0]
    assert found.better == pytest.approx(expected, abs=1e-8)


def weighted(tp, fn, fp, tn):
    return (0.7 * tp + 0.3 * tn) / (tp + fn + fp + tn)


def test_both_routes_to_a_difference_of_weighted_accuracies_agree():
    told = {"linear_in_rates": False, "lumps": None}
    hidden = metrics.define("hidden_weights", weighted, trend_in_fp="decreasing", **told)
    direct, around = (
        compare_separate(metric, A, B) for metric in (metrics.weighted_accuracy(weight=0.7), hidden)
    )
    assert (direct.route, around.route) == ("exact", "gauss")
    assert around.higher == pytest.approx(direct.higher, abs=1e-8)
    np.testing.assert_allclose([around.low, around.high], [direct.low, direct.high], atol=1e-7)


def test_against_a_huge_table_the_difference_is_an_interval_shifted():
    huge = ConfusionMatrix(tp=43 * 10**8, fn=7 * 10**8, fp=18 * 10**8, tn=32 * 10**8)
    # F2, for the interval of F1 has the law of one share, which a difference does not take.
    alone, found = interval("f2", A), compare_separate("f2", A, huge)
    reference = float(metrics.f2(huge))
    np.testing.assert_allclose(
        [found.low, found.high], [alone.low - reference, alone.high - reference], atol=1e-5
    )


def test_separate_sets_want_single_tables():
    batch = ConfusionMatrix(tp=[1, 2], fn=1, fp=1, tn=1)
    with pytest.raises(InvalidArgumentError, match="b must be a single table, got 'a batch"):
        compare_separate("f1", A, batch)


def both_right(tp, fn, fp, tn):
    return (tp - fn) * (tp - fn) * (tn - fp) / (tp + fn + fp + tn) ** 3


@pytest.mark.slow
def test_a_metric_without_monotone_rates_is_simulated_only_on_request():
    odd = metrics.define("both_right", both_right, direction="neither")
    with pytest.raises(UnsupportedError, match="difference of both_right has no exact route"):
        compare_separate(odd, A, B)
    found = compare_separate(odd, A, B, rng=1)
    assert (found.route, np.isnan(found.better)) == ("quasi-monte-carlo", True)
    assert_like_draws(found, odd(drawn_tables(A, 1)) - odd(drawn_tables(B, 2)))

"""Posterior quantiles of every metric, against closed forms, other integrators and random draws."""

import numpy as np
import pytest
from scipy import integrate, stats

from baserate import ConfusionMatrix, metrics
from baserate.inference import interval
from baserate.inference.metric_limits import credible_given
from baserate.inference.posterior import Posterior, evidence
from baserate.inference.posterior_cdf import Threshold
from quick import one_in

LEVELS = np.array([0.025, 0.975])

TABLES = {
    "usual": (35, 5, 10, 50),
    "Finley": (28, 23, 72, 2680),
    "equal": (10, 10, 10, 10),
    "perfect": (10, 0, 0, 20),
    "three": (1, 0, 2, 0),
    "no negatives": (41, 3, 0, 0),
    "always yes": (5, 0, 5, 0),
    "no hits": (0, 5, 3, 12),
    "rare": (100, 5, 5000, 95000),
    "weighted": (3.25, 0.5, 7.125, 0.0),
    "1e9": (400_000_000, 100_000_000, 200_000_000, 900_000_000),
}

FAMILIES = [
    "f_beta(beta=3)",
    "weighted_accuracy(weight=0.7)",
    "robust_f(d0=0.1)",
    "robust_f(d0=0.1, d1=2, c=0.5)",
    "robust_mcc(d=0.05)",
    "utility([[15, -335], [-35, 165]])",
    "net_benefit(threshold=0.2)",
    "f1.at_base_rate(0.5)",
    "accuracy.at_base_rate(0.3)",
    "true_positives.at_base_rate(0.1)",
]
# Chi-squared turns back in recall, so that its law is no tail of two rates: it is simulated.
TURNING = ("chi_squared",)
EVERY = [*(m.name for m in metrics.CATALOGUE if m.name not in TURNING), *FAMILIES]


def table_of(name):
    return ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), TABLES[name], strict=True)))


def ends(metric, table, level=0.95):
    found = interval(metric, table, confidence_level=level, tolerance=1e-11)
    return np.array([found.low, found.high])


def law_ends(metric, table, level=0.95):
    """Quantiles of the law that the four cells together give a metric, whatever its value."""
    known = evidence(table)
    return np.array(credible_given(metrics.get(metric), known, level, tolerance=1e-11)[:2])


def f1_to_jaccard(f):
    return f / (2 - f)


def odds_to_share(odds):
    return odds / (1 + odds)


# Laws that are a Beta law in disguise: the cells that succeed, those that fail, and the disguise.
CLOSED = {
    "f1": ("tp", "fn fp", f1_to_jaccard),
    "f1_harmonic": ("tp", "fn fp", f1_to_jaccard),
    "robust_f(d0=0)": ("tp", "fn fp", f1_to_jaccard),
    "negative_f1": ("tn", "fn fp", f1_to_jaccard),
    "error_ratio": ("fn", "fp", odds_to_share),
    "true_positives": ("tp", "fn fp tn", None),
    "false_negatives": ("fn", "tp fp tn", None),
    "false_positives": ("fp", "tp fn tn", None),
    "true_negatives": ("tn", "tp fn fp", None),
    "weighted_accuracy(weight=1)": ("tp", "fn fp tn", lambda value: value),
    "utility([[0, 0], [0, 3]])": ("tn", "tp fn fp", lambda value: value / 3),
    "net_benefit(threshold=0)": ("tp", "fn fp tn", lambda value: value),
}


def defined(names):
    """Pair metrics with the tables at which they are defined."""
    pairs = [(metric, name) for metric in names for name in TABLES]
    return [(m, name) for m, name in pairs if not np.isnan(metrics.get(m)(table_of(name)))]


@pytest.mark.sweep(5, start=3)
@pytest.mark.parametrize(("metric", "name"), one_in(3, defined(CLOSED)))
def test_laws_that_are_beta_laws_in_disguise(metric, name):
    table = table_of(name)
    hits, misses, disguise = CLOSED[metric]
    cells = table.to_dict()
    a, b = (sum(cells[c] + 0.5 for c in side.split()) for side in (hits, misses))
    reached = law_ends(metric, table)
    bare = disguise(reached) if disguise else reached / table.n
    np.testing.assert_allclose(stats.beta(a, b).cdf(bare), LEVELS, rtol=0, atol=error_of(table))


def error_of(table):
    """Promised accuracy of a probability."""
    return 1e-8 if table.n >= 30 and not table.is_weighted else 1e-5


@pytest.mark.parametrize("name", ["usual", "Finley", "rare", "1e9"])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
def test_f1_is_right_to_1e_8(name, level):
    tp, fn, fp, _ = table = table_of(name)
    j = stats.beta(tp + 0.5, fn + fp + 1).ppf([(1 - level) / 2, (1 + level) / 2])
    np.testing.assert_allclose(law_ends("f1", table, level), 2 * j / (1 + j), rtol=0, atol=1e-8)


@pytest.mark.sweep(7)
@pytest.mark.parametrize("name", TABLES)
def test_gilbert_is_kappa_over_two_minus_kappa(name):
    table = table_of(name)
    kappa = ends("kappa", table)
    expected = kappa / (2 - kappa)
    np.testing.assert_allclose(ends("gilbert_skill_score", table), expected, rtol=1e-6, atol=1e-9)


@pytest.mark.sweep(4, start=1)
@pytest.mark.parametrize("name", ["usual", "equal", "rare", "no hits"])
def test_yule_is_the_odds_ratio_on_another_scale(name):
    table = table_of(name)
    odds = ends("diagnostic_odds_ratio", table) if table.fn * table.fp else None
    q, y = ends("yule_q", table), ends("yule_y", table)
    np.testing.assert_allclose((1 + q) / (1 - q), ((1 + y) / (1 - y)) ** 2, rtol=1e-6)
    if odds is not None:
        np.testing.assert_allclose((1 + q) / (1 - q), odds, rtol=1e-6)


@pytest.mark.sweep(4, start=2)
@pytest.mark.parametrize("name", ["usual", "equal", "perfect", "no hits", "rare"])
def test_informedness_by_convolution(name):
    """P(recall - fpr <= s), one integral by SciPy's adaptive quadrature."""
    tp, fn, fp, tn = table = table_of(name)
    recall, fpr = stats.beta(tp + 0.5, fn + 0.5), stats.beta(fp + 0.5, tn + 0.5)
    for s, p in zip(law_ends("informedness", table), LEVELS, strict=True):
        # Substituting f = quantile(u) leaves a bounded integrand on [0, 1].
        found, _ = integrate.quad(
            lambda u, s=s: recall.cdf(s + fpr.ppf(u)), 0, 1, epsabs=1e-10, limit=400
        )
        np.testing.assert_allclose(found, p, atol=1e-8)


@pytest.mark.sweep(3, start=2)
@pytest.mark.parametrize("name", ["usual", "perfect", "rare"])
def test_odds_ratio_by_convolution(name):
    """log DOR is a difference of two independent logits of Beta variables."""
    tp, fn, fp, tn = table = table_of(name)
    recall, fpr = stats.beta(tp + 0.5, fn + 0.5), stats.beta(fp + 0.5, tn + 0.5)
    for q, p in zip(law_ends("yule_q", table), LEVELS, strict=True):
        s = (1 + q) / (1 - q)

        def below(u, s=s):
            f = fpr.ppf(u)
            return recall.cdf(s * f / (1 - f + s * f))

        found, _ = integrate.quad(below, 0, 1, epsabs=1e-10, limit=400)
        np.testing.assert_allclose(found, p, atol=1e-8)


@pytest.mark.slow
def test_markedness_by_two_dimensional_quadrature():
    tp, fn, fp, tn = table = table_of("equal")
    # In the coordinates of the predictions markedness is informedness: precision ~ Beta(tp + 1/2,
    # fp + 1/2), false omission rate ~ Beta(fn + 1/2, tn + 1/2), independent.
    precision, omission = stats.beta(tp + 0.5, fp + 0.5), stats.beta(fn + 0.5, tn + 0.5)
    low, _ = ends("markedness", table)
    found, _ = integrate.dblquad(
        lambda y, x: precision.pdf(x) * omission.pdf(y),
        0,
        1,
        lambda x: max(0.0, x - low),
        lambda _: 1.0,
        epsabs=1e-9,
    )
    np.testing.assert_allclose(found, 0.025, atol=1e-7)


@pytest.mark.sweep(9, start=6)
@pytest.mark.parametrize("name", ["usual", "perfect", "no hits", "rare", "weighted"])
@pytest.mark.parametrize("metric", EVERY)
def test_every_metric_has_an_exact_interval_within_its_bounds(metric, name):
    metric, table = metrics.get(metric), table_of(name)
    found = interval(metric, table)
    if np.isnan(metric(table)):
        assert np.isnan([found.value, found.low, found.high]).all()
        assert found.route == "undefined"
        return
    assert found.route in {"gauss", "jeffreys"}
    assert found.undefined == 0
    assert 0 <= found.error <= 2e-5 * (found.high - found.low)
    lowest, highest = metric.bounds
    assert lowest <= found.low < found.high <= max(highest, lowest)
    if all(cell > 2 for cell in table):
        assert found.low < found.value < found.high


def test_a_hole_of_probability_zero_changes_nothing():
    """Recall and false positive rate with equal counts have equal nodes, where strict is nan."""
    table = ConfusionMatrix(tp=10, fn=30, fp=10, tn=30)
    assert np.isnan(metrics.prevalence_threshold_strict(table))
    near = ConfusionMatrix(tp=10, fn=30, fp=10, tn=30.0000001)
    strict, filled = (
        ends(name, near) for name in ("prevalence_threshold_strict", "prevalence_threshold")
    )
    np.testing.assert_allclose(strict, filled, rtol=1e-9)


def test_the_first_look_avoids_the_point_that_rates_with_equal_counts_share():
    table, metric = table_of("equal"), metrics.prevalence_threshold_strict
    posterior = Posterior(metric, table)
    threshold = Threshold(posterior, posterior.plan)
    (other,) = posterior.plan.outer
    points = threshold.points({other: np.array([posterior.rates[other].centre])})
    assert not any(np.isnan(point.y).any() for point in points)


@pytest.mark.parametrize("metric", ["mcc", "lift", "diagnostic_odds_ratio", "true_positives"])
def test_confidence_beyond_rounding_still_has_ends_within_the_bounds(metric):
    almost_one = 1 - 2**-53
    low, high = ends(metric, table_of("usual"), almost_one)
    lowest, highest = metrics.get(metric).bounds
    inner = ends(metric, table_of("usual"), 0.999999)
    assert lowest <= low < inner[0] < inner[1] < high <= highest
    assert np.isfinite(high)


def test_no_case_at_all():
    found = interval("true_positives", ConfusionMatrix(tp=0, fn=0, fp=0, tn=0))
    assert (found.low, found.high, found.route) == (0, 0, "constant")


DRAWS = 200_000


@pytest.mark.parametrize("name", ["usual", "Finley"])
def test_chi_squared_is_simulated_within_its_error(name):
    """Where nearly all draws have a positive correlation, its ends are n times the squares."""
    table = table_of(name)
    found, root = interval("chi_squared", table), interval("mcc", table)
    assert found.route == "quasi-monte-carlo"
    assert root.low > 0.1
    for mine, theirs in ((found.low, root.low), (found.high, root.high)):
        assert mine == pytest.approx(table.n * theirs**2, abs=3 * found.error)
    assert found.error < 0.1 * (found.high - found.low)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["usual", "Finley", "perfect", "three", "no negatives", "no hits"])
def test_draws_agree_for_every_metric(name):
    table = table_of(name)
    rng = np.random.default_rng(20)
    cells = rng.dirichlet(np.array(list(table)) + 0.5, DRAWS).T * table.n
    drawn = ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True)))
    for metric in map(metrics.get, EVERY):
        # Proportions have the Jeffreys law of their own two counts instead.
        if metric.proportion is None and not np.isnan(metric(table)):
            values = metric(drawn)
            below = [np.mean(values <= end) for end in law_ends(metric.name, table)]
            five_errors = 5 * np.sqrt(0.025 * 0.975 / DRAWS)
            np.testing.assert_allclose(below, LEVELS, atol=five_errors, err_msg=metric.name)

"""Populations: four rates at a density ratio, each to its own relative precision."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from baserate.curves import sweep
from baserate.curves.populations import LDA, QDA, Empirical, Population
from baserate.errors import InvalidArgumentError
from oracles import bayes_twins
from oracles.bayes_twins import SCENARIO_1, SCENARIO_2
from quick import one_in

FOUR = ("recall", "miss_rate", "false_positive_rate", "specificity")


def four(population, ratio):
    return [getattr(population, name)(ratio) for name in FOUR]


@pytest.mark.parametrize("distance", [0.05, 1.0, 2.5, 9.0])
def test_lda_rates_have_small_relative_errors(distance):
    for x in (-60.0, -3.0, 0.0, 0.7, 20.0):
        with mp.workdps(30):
            exact = [float(v) for v in bayes_twins.lda_rates(distance)(mp.mpf(x))]
        ours = four(LDA(distance), np.exp(x))
        held = [i for i, v in enumerate(exact) if v > 1e-290]
        assert_allclose([ours[i] for i in held], [exact[i] for i in held], rtol=2e-12)


def test_lda_of_the_papers_example_has_distance_two():
    """Example 1: σ = 2, τ = 1, ρ = 1/2, means (0, 0) and (2, 2)."""
    built = LDA.from_moments(mean0=[0, 0], mean1=[2, 2], cov=[[4, 1], [1, 1]])
    assert built.distance == pytest.approx(2.0, rel=1e-14)
    assert LDA.from_moments(mean0=1, mean1=4, cov=4).distance == 1.5


@pytest.mark.slow
@pytest.mark.parametrize("moments", one_in(2, [SCENARIO_1, SCENARIO_2]))
def test_qda_scenarios_against_integration_over_one_coordinate(moments):
    population, twin = QDA(**moments), bayes_twins.qda_rates(**moments)
    for x in (-4.0, 1.3, 12.0):
        with mp.workdps(22):
            exact = [float(v) for v in twin(mp.mpf(x))]
        assert_allclose(four(population, np.exp(x)), exact, rtol=1e-13)


def test_qda_weights_have_both_signs_in_the_papers_scenarios():
    """Eigenvalues known from an independent eigendecomposition: -1.784, 0.641; -1.667, 0.766."""
    for moments, expected in ((SCENARIO_1, (-1.784, 0.641)), (SCENARIO_2, (-1.667, 0.766))):
        root = np.linalg.cholesky(np.array(moments["cov1"]))
        inverse = np.linalg.inv(np.array(moments["cov0"]))
        eigenvalues = np.linalg.eigvalsh(np.eye(2) - root.T @ inverse @ root)
        assert_allclose(eigenvalues, expected, atol=5e-4)
        assert_allclose(np.sort(QDA(**moments)._positives().weights), eigenvalues, rtol=1e-13)


@pytest.mark.parametrize("size", [1, 2, 4])
def test_qda_with_equal_covariances_is_lda(size):
    rng = np.random.default_rng(size)
    root = rng.normal(size=(size, size + 2))
    cov, mean = root @ root.T, rng.normal(size=size)
    linear = LDA.from_moments(mean0=0 * mean, mean1=mean, cov=cov)
    quadratic = QDA(mean0=0 * mean, mean1=mean, cov0=cov, cov1=cov)
    ratio = np.exp(linear.distance * np.linspace(-8, 8, 17))
    for ours, theirs in zip(four(quadratic, ratio), four(linear, ratio), strict=True):
        assert_allclose(ours, theirs, rtol=5e-12)


def test_qda_of_one_variable_is_an_interval():
    """N(0, 4) against N(0, 1): f₁/f₀ = 2 exp(-3x²/8) exceeds δ within ±sqrt(8 log(2/δ)/3)."""
    population = QDA(mean0=0, cov0=4, mean1=0, cov1=1)
    ratio = np.array([1e-40, 1e-3, 0.5, 1.0, 1.999])
    reach = np.sqrt(8 / 3 * np.log(2 / ratio))
    assert_allclose(population.miss_rate(ratio), 2 * stats.norm.sf(reach), rtol=1e-12)
    assert_allclose(population.specificity(ratio), 2 * stats.norm.sf(reach / 2), rtol=1e-12)
    assert_allclose(population.recall(ratio), stats.chi2.cdf(reach**2, 1), rtol=1e-12)
    assert_allclose(
        population.false_positive_rate(ratio), stats.chi2.cdf(reach**2 / 4, 1), rtol=1e-12
    )
    assert four(population, 2.0) == four(population, 7.5) == [0.0, 1.0, 0.0, 1.0]


def random_moments(seed, size):
    rng = np.random.default_rng(seed)
    roots = rng.normal(size=(2, size, size + 1))
    cov0, cov1 = roots @ roots.transpose(0, 2, 1)
    return {
        "mean0": rng.normal(size=size),
        "cov0": cov0,
        "mean1": rng.normal(size=size),
        "cov1": cov1,
    }


@pytest.mark.slow
@given(seed=st.integers(0, 10**6), size=st.integers(1, 5), x=st.floats(-3, 3))
def test_the_slope_of_the_roc_curve_is_the_density_ratio(seed, size, x):
    population, step = QDA(**random_moments(seed, size)), 1e-4
    ratio = np.exp(np.array([x - step, x + step]))
    rates = four(population, ratio)
    assert_allclose(rates[0] + rates[1], 1, atol=1e-11)
    assert_allclose(rates[2] + rates[3], 1, atol=1e-11)
    rise, run = -np.diff(rates[0]), -np.diff(rates[2])
    if run > 1e-6:
        assert_allclose(rise / run, np.exp(x), rtol=2e-3)


@pytest.mark.parametrize(
    "population", [LDA(1.0), QDA(**SCENARIO_1), Empirical(sweep([1, 0, 1, 0], [4, 3, 2, 1]))]
)
def test_every_population_keeps_the_protocol(population):
    assert isinstance(population, Population)
    assert [float(v) for v in four(population, np.inf)] == [0, 1, 0, 1]
    assert population.recall(1.0) == pytest.approx(population.recall([1.0])[0])
    assert np.shape(population.specificity(np.ones((2, 3)))) == (2, 3)
    with pytest.raises(InvalidArgumentError, match=r"ratio must lie in \[0, inf\], got -1.0"):
        population.recall([1.0, -1.0])
    with pytest.raises(InvalidArgumentError, match="ratio must lie"):
        population.specificity(np.nan)


def brute_slopes(tp, fp):
    """Steepest ascent along all cut points: the hull by its definition."""
    at, slopes, corners = 0, [], [0]
    while at < len(tp) - 1:
        rest = range(at + 1, len(tp))
        slope = {
            j: np.inf if fp[j] == fp[at] else (tp[j] - tp[at]) / (fp[j] - fp[at])
            for j in rest
            if (tp[j], fp[j]) != (tp[at], fp[at])
        }
        best = max(slope.values())
        at = max(j for j, v in slope.items() if v == best)
        slopes.append(best)
        corners.append(at)
    return slopes, corners


@pytest.mark.slow
@given(
    data=st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=2, max_size=30).filter(
        lambda rows: 0 < sum(y for y, _ in rows) < len(rows)
    )
)
def test_empirical_ratios_are_the_slopes_of_the_hull(data):
    truth, scores = zip(*data, strict=True)
    s = sweep(truth, scores)
    population = Empirical(s)
    slopes, corners = brute_slopes(s.true_positives.tolist(), s.false_positives.tolist())
    assert_allclose(population.slopes, np.array(slopes) * s.n_negative / s.n_positive, rtol=1e-14)
    assert_array_equal(population.vertices.tp, s.true_positives[corners])
    for k, slope in enumerate(population.slopes):
        # At a slope itself its segment is left out: positive where f1/f0 > ratio.
        assert population.recall(slope) == population.vertices.tp[k] / s.n_positive
        below = np.nextafter(slope, 0)
        if np.isfinite(slope) and slope > 0:
            assert population.specificity(below) == population.vertices.tn[k + 1] / s.n_negative


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: LDA(distance=0), r"distance must lie in \(0, inf\), got 0"),
        (
            lambda: LDA.from_moments(mean0=1, mean1=1, cov=2),
            "mean1 must differ from mean0, got 1",
        ),
        (lambda: QDA(mean0=0, cov0=1, mean1=0, cov1=1), "both classes one distribution"),
        (
            lambda: QDA(mean0=[0, 0], cov0=[[1, 2], [2, 1]], mean1=[1, 1], cov1=np.eye(2)),
            "cov0 must be a symmetric positive definite 2 x 2 matrix",
        ),
        (
            lambda: QDA(mean0=[0, 0], cov0=np.eye(2), mean1=[1, 1], cov1=np.eye(3)),
            "cov1 must be a symmetric positive definite 2 x 2 matrix",
        ),
        (
            lambda: QDA(mean0=[0, 0], cov0=np.eye(2), mean1=[1, np.nan], cov1=np.eye(2)),
            "mean1 must be a vector of finite numbers",
        ),
        (lambda: Empirical(sweep([1, 1], [0.2, 0.3])), "class"),
    ],
)
def test_refusals_say_what_is_wrong(build, message):
    with pytest.raises(InvalidArgumentError, match=message):
        build()

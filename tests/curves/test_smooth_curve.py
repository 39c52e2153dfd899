"""The smooth calibration curve against regressions on a basis that is made by hand, and patsy's."""

import numpy as np
import patsy
import pytest
import statsmodels.api as sm
from scipy.special import expit, logit
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression

import baserate as br
from baserate.curves.score_histogram import FEWEST
from baserate.curves.smooth_curve import SmoothCurve
from baserate.displays import CalibrationDisplay
from baserate.errors import InvalidArgumentError


def made(n, seed=3):
    """Return outcomes and risks that say too much, with some bend."""
    rng = np.random.default_rng(seed)
    x = rng.normal(-1, 1.3, n)
    truth = rng.random(n) < expit(0.2 + 0.7 * x - 0.15 * x**2)
    return truth.astype(int), expit(x)


def harrell(x, t):
    """Return a constant, x, and Harrell's truncated cubes, written out term by term."""
    t1, before, last = t[0], t[-2], t[-1]
    columns = [np.ones_like(x), x]
    for knot in t[:-2]:
        cube = np.where(x > knot, (x - knot) ** 3, 0)
        cube -= np.where(x > before, (x - before) ** 3, 0) * (last - knot) / (last - before)
        cube += np.where(x > last, (x - last) ** 3, 0) * (before - knot) / (last - before)
        columns.append(cube / (last - t1) ** 2)
    return np.column_stack(columns)


@pytest.mark.parametrize("knots", [3, 4, 5])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("scores", [None, [0.3, 0.1]])
def test_curve_and_limits_are_those_of_a_logistic_regression(knots, weighted, scores):
    truth, risk = made(700)
    weight = np.random.default_rng(0).uniform(0.5, 2, 700) if weighted else None
    found = br.calibration(truth, risk, sample_weight=weight)
    curve = found.smooth_curve(knots, scores=scores)
    assert len(curve.knots) == knots
    assert scores is None or curve.scores.tolist() == scores
    t = logit(np.array(curve.knots))
    family = sm.families.Binomial()
    model = sm.GLM(truth, harrell(logit(risk), t), family=family, var_weights=weight)
    fit = model.fit(tol=1e-14, cov_type="HC0" if weighted else "nonrobust")
    at = harrell(logit(curve.scores), t)
    odds = at @ fit.params
    errors = np.sqrt(np.einsum("ij,jk,ik->i", at, fit.cov_params(), at))
    assert curve.coefficients == pytest.approx(fit.params, abs=1e-8)
    assert curve.level == pytest.approx(expit(odds), abs=1e-8)
    far = norm.ppf(0.975) * errors
    assert curve.low == pytest.approx(expit(odds - far), abs=1e-7)
    assert curve.high == pytest.approx(expit(odds + far), abs=1e-7)
    assert curve.at(curve.scores) == pytest.approx(curve.level, abs=1e-12)


def test_the_curve_is_that_of_the_natural_spline_of_patsy():
    truth, risk = made(500)
    curve = br.calibration(truth, risk).smooth_curve(5)
    first, *inner, last = logit(np.array(curve.knots))
    x = np.clip(logit(risk), first, last)
    made_by = "cr(x, knots=inner, lower_bound=first, upper_bound=last) - 1"
    known = {"x": x, "inner": inner, "first": first, "last": last}
    basis = np.asarray(patsy.dmatrix(made_by, known))
    # Beyond the outer knots a natural spline goes on along its tangent: by differences.
    step = 1e-5
    for end, side, inward in ((first, logit(risk) < first, 1), (last, logit(risk) > last, -1)):
        near = {**known, "x": np.array([end, end + inward * step, end + 2 * inward * step])}
        a, b, c = np.asarray(patsy.dmatrix(made_by, near))
        slope = inward * (4 * b - 3 * a - c) / (2 * step)
        basis[side] = a + np.outer(logit(risk)[side] - end, slope)
    fit = sm.GLM(truth, basis, family=sm.families.Binomial()).fit(tol=1e-14)
    assert curve.at(risk) == pytest.approx(fit.fittedvalues, abs=1e-6)


def test_the_curve_is_that_of_scikit_learn():
    truth, risk = made(300)
    curve = br.calibration(truth, risk).smooth_curve(4)
    basis = harrell(logit(risk), logit(np.array(curve.knots)))[:, 1:]
    basis = (basis - basis.mean(axis=0)) / basis.std(axis=0)
    how = {"C": np.inf, "solver": "newton-cholesky", "tol": 1e-12, "max_iter": 200}
    fit = LogisticRegression(**how).fit(basis, truth)
    assert curve.at(risk) == pytest.approx(fit.predict_proba(basis)[:, 1], abs=1e-8)


def test_knots_lie_at_the_quantiles_of_the_scores():
    truth, risk = made(401)
    found = br.calibration(truth, risk)
    for shares in ((0.1, 0.5, 0.9), (0.05, 0.35, 0.65, 0.95), (0.05, 0.275, 0.5, 0.725, 0.95)):
        expected = np.quantile(risk, shares, method="inverted_cdf")
        assert found.smooth_curve(len(shares)).knots == tuple(expected)
    doubled = br.calibration(truth, risk, sample_weight=np.full(401, 2.0)).smooth_curve(5)
    assert doubled.knots == found.smooth_curve(5).knots


@pytest.mark.parametrize(("positives", "knots"), [(30, 3), (50, 4), (99, 4), (100, 5)])
def test_the_smaller_class_says_how_many_knots_there_are(positives, knots):
    rng = np.random.default_rng(1)
    truth = np.repeat([1, 0], [positives, 400])
    risk = expit(rng.normal(truth - 1.0, 1.5))
    assert len(br.calibration(truth, risk).smooth_curve().knots) == knots


def test_a_row_of_weight_two_is_two_rows_but_for_the_limits():
    truth, risk = made(300)
    twice = br.calibration(np.tile(truth, 2), np.tile(risk, 2)).smooth_curve(4)
    heavy = br.calibration(truth, risk, sample_weight=np.full(300, 2.0)).smooth_curve(4)
    assert heavy.level == pytest.approx(twice.level, abs=1e-10)
    assert (heavy.high - heavy.low > (twice.high - twice.low) * 1.2).all()


def test_the_errors_are_the_distances_over_the_cases():
    truth, risk = made(250)
    curve = br.calibration(truth, risk).smooth_curve(3)
    apart = np.abs(curve.at(risk) - risk)
    assert curve.ici == pytest.approx(apart.mean(), abs=1e-12)
    expected = np.quantile(apart, (0.5, 0.9), method="inverted_cdf")
    assert (curve.e50, curve.e90) == pytest.approx(tuple(expected), abs=1e-12)


def test_ties_leave_fewer_knots():
    """Of all cases 42% share the lowest score: more than the second of five, and of four, knots."""
    tied = np.repeat([0.1, 0.2, 0.4, 0.6, 0.8], [200, 100, 80, 60, 40])
    truth = np.random.default_rng(2).random(480) < tied
    curve = br.calibration(truth, tied).smooth_curve()
    assert curve.knots == (0.1, 0.2, 0.6)
    asked = br.calibration(truth, tied).smooth_curve(5)
    assert asked.knots == ()
    assert "too few distinct values for 5 knots" in asked.reason


@pytest.mark.parametrize(
    ("truth", "risk", "why"),
    [
        ([0, 1] * 20, [0.1, 0.2] * 20, "too few distinct values for 3 knots"),
        ([0] * 20 + [1] * 20, np.linspace(0.01, 0.99, 40), "separate the classes"),
        ([0, 1] * 20, np.linspace(0, 0.5, 40), "is 0 or 1"),
        ([0] * 40, np.linspace(0.1, 0.5, 40), "no positives"),
    ],
)
def test_what_has_no_curve_says_why(truth, risk, why):
    curve = br.calibration(np.array(truth), np.array(risk), pos_label=1).smooth_curve()
    assert why in curve.reason
    assert isinstance(curve, SmoothCurve)
    assert np.isnan([curve.ici, curve.at(0.3)]).all()
    assert not len(curve.scores)


def test_separation_within_a_range_alone_is_seen_too():
    """All between 0.3 and 0.7 are positive, and nobody else: a line fits, a bent curve does not."""
    risk = np.linspace(0.02, 0.98, 60)
    bent = br.calibration((np.abs(risk - 0.5) < 0.2).astype(int), risk)
    assert "separate the classes" in bent.smooth_curve(3).reason
    assert bent.slope.reason is None


def test_counted_scores_have_no_smooth_curve():
    truth, risk = made(20_000)
    counted = br.ScoreHistogram(bins=FEWEST).add(truth, risk)
    assert "counted" in br.calibration(counted).smooth_curve().reason


def test_other_numbers_of_knots_are_refused():
    with pytest.raises(InvalidArgumentError, match="must be 3, 4 or 5"):
        br.calibration(*made(100)).smooth_curve(7)


def test_the_picture_draws_the_curve_and_its_limits():
    truth, risk = made(800)
    swept = br.sweep(truth, risk)
    curve = br.calibration(swept).smooth_curve(4)
    display = CalibrationDisplay(swept, knots=4)
    [line], [band] = display.picture.of("smooth"), display.picture.of("limits")
    assert (line.x == curve.scores).all()
    assert (line.y == curve.level).all()
    assert (band.low == curve.low).all()
    assert (band.high == curve.high).all()
    frame = display.to_frame("pandas")
    assert frame.loc[frame["part"] == "smooth", "value"].tolist() == curve.level.tolist()
    assert not CalibrationDisplay(swept, knots=0).picture.of("smooth")
    assert not CalibrationDisplay({"a": swept, "b": swept}).picture.of("smooth")


def test_scores_without_log_odds_are_refused():
    found = br.calibration(*made(300))
    with pytest.raises(br.errors.InvalidArgumentError, match="between 0 and 1"):
        found.smooth_curve(scores=[0.1, 1.0])


@pytest.mark.slow
def test_a_report_tells_of_round_risks_among_those_of_the_cases():
    truth, risk = made(800)
    points = br.evaluate(truth, score=risk).facts.thresholds.smooth_calibration.points
    told = [point.score for point in points]
    assert {0.1, 0.2, 0.3, 0.5} <= set(told)
    low, high = np.quantile(risk, (0.05, 0.95))
    assert low <= told[0] < told[-1] <= high
    alike = 0.4 + 0.02 * risk
    points = br.evaluate(truth, score=alike).facts.thresholds.smooth_calibration.points
    assert len(points) == 7  # at quantiles, where round risks are too few

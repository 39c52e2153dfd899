"""Losses and O:E of cases in clusters or with replicate weights, by plain recomputation."""

from math import exp, log, sqrt

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy.stats import chi2
from scipy.stats import t as student
from sklearn.metrics import average_precision_score

import baserate as br
from baserate.curves.smooth_curve import basis
from baserate.inference.design_ratios import precision_by_design, separation_by_design

N, CLUSTERS = 400, 25
RNG = np.random.default_rng(11)
CLUSTER = RNG.integers(0, CLUSTERS, N)
SHIFT = RNG.normal(0, 1, CLUSTERS)[CLUSTER]
Y = RNG.random(N) < 1 / (1 + np.exp(-SHIFT))
P = np.clip(0.5 + 0.25 * (Y - 0.5) + 0.1 * RNG.standard_normal(N), 0.02, 0.98)
Q = np.clip(P + 0.1 * RNG.standard_normal(N), 0.02, 0.98)
W = np.exp(0.4 * RNG.standard_normal(N))
LEFT = CLUSTER[:, None] != np.arange(CLUSTERS)
REPLICATES = W[:, None] * LEFT * CLUSTERS / (CLUSTERS - 1)


def brier(p, weight):
    return float(np.average((Y - p) ** 2, weights=weight))


def ratio(p, weight):
    return float((weight * Y).sum() / (weight * p).sum())


def expected(measure, scale):
    """Return the interval of cases in clusters: each left out, and what so few cannot rule out."""
    whole = measure(P, np.ones(N))
    squares = np.array([(measure(P, LEFT[:, c]) - whole) ** 2 for c in range(CLUSTERS)])
    freedom = min(3 * squares.sum() ** 2 / (squares**2).sum(), CLUSTERS - 1)
    sizes = np.bincount(CLUSTER)
    m, size = N**2 / (sizes @ sizes), sizes @ sizes / N
    off = (Y - P) ** 2 - whole if scale == "logit" else (Y - whole * P) / P.mean()
    least = (off @ off) / (N - 1) / N * (1 + (size - 1) * min(0.1, 2 / m))
    errors = student.ppf(0.975, freedom)
    own = min(max(3 * squares.sum() ** 2 / (squares**2).sum() - 2, 1), CLUSTERS - 1)
    seen = chi2.cdf(own * squares.sum() / least, own) + 0.9**m
    holds = 1.0 if squares.sum() >= least else min(1.0, 10 * seen) ** 3
    if scale == "log":
        far = errors * sqrt(squares.sum() + holds * max(least - squares.sum(), 0)) / whole
        return whole * exp(-far), whole * exp(far)
    ends = []  # half a cluster of the largest loss, and half a cluster without
    for at, sign in ((whole, -1), (whole + holds * ((m * whole + 0.5) / (m + 1) - whole), 1)):
        floor = least * at * (1 - at) / (whole * (1 - whole))
        error = sqrt(squares.sum() + holds * max(floor - squares.sum(), 0))
        far = errors * error / (at * (1 - at))
        ends.append(1 / (1 + exp(-(log(at / (1 - at)) + sign * far))))
    return tuple(ends)


def measured(found, name):
    return next(m for m in found.facts.thresholds.ranking if m.name == name)


@pytest.mark.parametrize(
    ("name", "measure", "scale"),
    [("brier_score", brier, "logit"), ("observed_expected", ratio, "log")],
)
def test_each_cluster_is_left_out(name, measure, scale):
    found = measured(br.evaluate(Y, score=P, cluster=CLUSTER), name)
    assert found.value == pytest.approx(measure(P, np.ones(N)))
    assert (found.low, found.high) == pytest.approx(expected(measure, scale), rel=1e-9)
    assert found.route == "asymptotic"


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize(
    "design",
    [{"cluster": CLUSTER}, {"weight": W, "replicate_weights": REPLICATES, "replicate_scale": 0.96}],
)
def test_an_impossible_outcome_makes_the_loss_infinite_and_warns_of_nothing(design):
    sure = np.where(np.arange(N) == 0, ~Y, P).astype(float)
    found = measured(br.evaluate(Y, score=sure, threshold=0.5, **design), "log_loss")
    assert found.value == np.inf
    assert np.isnan(found.low)
    assert "infinite" in found.reason
    pairs = br.compare(Y, score={"sure": sure, "P": P}, **design).facts.score_pairs
    assert {np.isnan(p.difference) for p in pairs if p.measure == "log_loss"} == {True}


LOGIT = 0.7 * SHIFT + np.random.default_rng(5).normal(0, 0.8, N)
RISK = 1 / (1 + np.exp(-LOGIT))


def fitted(x, weight):
    """Return the coefficients of a logistic regression."""
    return sm.GLM(Y * 1, x, family=sm.families.Binomial(), var_weights=weight).fit(tol=1e-12).params


def refitted(x, along):
    """Return a sum of coefficients, its error and degrees of freedom: each cluster left out."""
    coefficients = fitted(x, np.ones(N))
    value = along @ coefficients
    moves = np.array([along @ fitted(x, LEFT[:, c] * 1.0) - value for c in range(CLUSTERS)])
    squares = moves**2
    freedom = min(3 * squares.sum() ** 2 / (squares**2).sum(), CLUSTERS - 1)
    # What so few clusters cannot rule out, as of losses.
    p = 1 / (1 + np.exp(-x @ coefficients))
    off = (Y - p) * (x @ np.linalg.solve((x.T * p * (1 - p)) @ x, along))
    sizes = np.bincount(CLUSTER)
    m, size = N**2 / (sizes @ sizes), sizes @ sizes / N
    least = (off @ off) * N / (N - 1) * (1 + (size - 1) * min(0.1, 2 / m))
    return value, sqrt(max(squares.sum(), least)), freedom


def test_the_slope_is_fitted_again_without_each_cluster():
    """By one step from the whole fit, which is that fit but for the square of the step."""
    found = measured(br.evaluate(Y, score=RISK, cluster=CLUSTER), "calibration_slope")
    value, error, freedom = refitted(sm.add_constant(LOGIT), np.array([0, 1]))
    far = student.ppf(0.975, freedom) * error
    assert found.value == pytest.approx(value, abs=1e-8)
    assert (found.low, found.high) == pytest.approx((value - far, value + far), rel=0.01)
    assert found.p_value == pytest.approx(2 * student.sf(abs(value - 1) / error, freedom), rel=0.05)


def test_replicates_fit_the_slope_again():
    how = {"weight": W, "replicate_weights": REPLICATES, "replicate_scale": 0.96}
    found = measured(br.evaluate(Y, score=RISK, **how), "calibration_slope")
    x = sm.add_constant(LOGIT)
    whole = fitted(x, W)[1]
    error = sqrt(0.96 * sum((fitted(x, w)[1] - whole) ** 2 for w in REPLICATES.T))
    far = student.ppf(0.975, CLUSTERS - 1) * error
    assert (found.low, found.high) == pytest.approx((whole - far, whole + far), rel=0.03)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("door", [br.evaluate, br.thresholds])
def test_the_smooth_curve_of_clusters_moves_with_each(door):
    facts = door(Y, score=RISK, cluster=CLUSTER).facts
    curve = getattr(facts, "thresholds", facts).smooth_calibration
    plain = br.calibration(Y, RISK).smooth_curve()
    assert curve.knots == plain.knots
    knots = np.log(np.array(curve.knots) / (1 - np.array(curve.knots)))
    x = basis(LOGIT, knots)  # as tested in test_smooth_curve
    for point in curve.points[1:-1:2]:
        at = basis(np.array([log(point.score / (1 - point.score))]), knots)[0]
        value, error, freedom = refitted(x, at)
        far = student.ppf(0.975, freedom) * error
        ends = (1 / (1 + exp(far - value)), 1 / (1 + exp(-far - value)))
        assert point.level == pytest.approx(1 / (1 + exp(-value)), abs=1e-8)
        assert point.level == pytest.approx(plain.at(point.score), abs=1e-12)
        assert (point.low, point.high) == pytest.approx(ends, abs=0.01)


def test_one_cluster_says_nothing_of_the_smooth_curve():
    curve = br.evaluate(Y, score=P, cluster=np.zeros(N)).facts.thresholds.smooth_calibration
    assert curve.reason == "all cases lie in one cluster"
    assert np.isnan([[point.low, point.high] for point in curve.points]).all()
    assert len(curve.knots) == 5


@pytest.mark.slow
def test_folds_of_several_models_have_no_smooth_curve_together():
    facts = br.thresholds(Y, score=P, fold=CLUSTER % 5).facts
    assert facts.smooth_calibration.reason == "risks_of_several_models"


@pytest.mark.sweep(2)
@pytest.mark.parametrize("front", [br.evaluate, br.compare])
def test_replicate_weights_say_what_weighted_clusters_say(front):
    """Each cluster left out by weights: variances differ by what the scale says."""
    data = (Y, {"p": P > 0.5, "q": Q > 0.5}) if front is br.compare else (Y, P > 0.5)
    how = {"weight": W, "metrics": "recall, f1"}
    one = front(*data, cluster=CLUSTER, **how)
    other = front(
        *data, replicate_weights=REPLICATES, replicate_scale=1, **how
    )  # fmt: skip
    if front is br.evaluate:
        ends = [(m.low, m.high) for m in one.facts.metrics]
        assert [m.low < m.value < m.high for m in other.facts.metrics] == [True, True]
        for m, (low, high) in zip(other.facts.metrics, ends, strict=True):
            assert low < m.low < m.high < high  # clusters may be more alike than they show
            assert high - low < 2 * (m.high - m.low)
        assert other.facts.n_replicates == CLUSTERS
        assert "under every set of replicate weights" in " ".join(
            other.render(details=True).split()
        )
        assert other.facts.p_value == pytest.approx(one.facts.p_value, abs=0.01)
        return
    [mine], [known] = other.facts.pairs, one.facts.pairs
    assert mine.difference == pytest.approx(known.difference)
    assert 1 < (known.high - known.low) / (mine.high - mine.low) < 2  # as above
    assert mine.p_route == "asymptotic"
    assert "recomputed under each set of them" in " ".join(other.render(details=True).split())


@pytest.mark.slow
def test_areas_and_losses_of_replicates_are_recomputed():
    how = {"score": {"p": P, "q": Q}, "weight": W}
    found = br.compare(Y, replicate_weights=REPLICATES, replicate_scale=0.7, **how).facts
    for pair, value in zip(found.score_pairs, (None, brier), strict=False):
        assert pair.low < pair.difference < pair.high
        if value is None:
            continue
        off = [brier(P, w) - brier(Q, w) for w in (W, *REPLICATES.T)]
        error = sqrt(0.7 * sum((each - off[0]) ** 2 for each in off[1:]))
        far = student.ppf(0.975, CLUSTERS - 1) * error
        assert (pair.low, pair.high) == pytest.approx((off[0] - far, off[0] + far))
        assert pair.p_value == pytest.approx(2 * student.sf(abs(off[0]) / error, CLUSTERS - 1))


def benefit(weight, risk=0.2):
    """Return the net benefit of acting at a risk, and what it is above treating all."""
    worth = np.where(Y, 1, -risk / (1 - risk))
    found, all_ = (np.average(worth * who, weights=weight) for who in (risk <= RISK, 1))
    return float(found), float(found - all_)


def test_replicates_say_how_surely_acting_at_a_risk_beats_treating_all_and_none():
    how = {"weight": W, "replicate_weights": REPLICATES, "replicate_scale": 0.96}
    report = br.evaluate(Y, score=RISK, cost={"fp": 1, "fn": 4}, **how)
    [found] = [one for one in report.facts.thresholds.net_benefit if one.threshold == 0.2]
    whole, sure = np.array(benefit(W)), []
    moved = np.array([benefit(w) for w in REPLICATES.T]) - whole
    for value, error in zip(whole, np.sqrt(0.96 * (moved**2).sum(axis=0)), strict=True):
        sure.append(student.cdf(value / error, CLUSTERS - 1))
    assert (found.value, found.value - found.treat_all) == pytest.approx(whole)
    assert found.useful == pytest.approx(np.prod(sure), abs=1e-9)
    assert found.low < found.value < found.high


def test_costs_of_cases_in_clusters_are_answered_as_those_of_independent_ones():
    how = {"cost": {"fp": 1, "fn": 4}, "cluster": CLUSTER}
    for report in (br.evaluate(Y, score=RISK, **how), br.thresholds(Y, score=RISK, **how)):
        text = " ".join(report.render().split())
        assert "acting from a risk of 0.2, where a miss costs 4 false alarms: net benefit" in text
        assert "At 0.5, a cut" not in text
        found = report["net_benefit(0.2)"]
        assert float(found) == pytest.approx(benefit(np.ones(N))[0])
        assert report.check("net_benefit(0.2) >= -0.2@low")
    labels = br.evaluate(Y, score=RISK, threshold=0.2, metrics="net_benefit(0.2)", cluster=CLUSTER)
    assert (found.low, found.high) == (labels.facts.metrics[0].low, labels.facts.metrics[0].high)


def separation(truth, risk, sample_weight):
    """The discrimination slope, plainly."""
    means = (np.average(risk[side], weights=sample_weight[side]) for side in (truth, ~truth))
    return next(means) - next(means)


@pytest.mark.parametrize(
    ("law", "measure"),
    [(precision_by_design, average_precision_score), (separation_by_design, separation)],
)
def test_measures_of_ranks_move_with_a_cluster_as_they_do_without_it(law, measure):
    """scikit-learn's average precision and a plain difference of means, cluster by cluster."""
    risk = np.round(P, 2)  # with ties
    frame = pd.DataFrame({"y": Y, "s": risk, "c": CLUSTER, "w": W})
    read = br.cases(frame, target="y", score="s", cluster="c", weight="w")
    found, known = law(read.data.binary(True), "s"), measure(Y, risk, sample_weight=W)
    assert found.value == pytest.approx(known)
    without = [known - measure(Y[left], risk[left], sample_weight=W[left]) for left in LEFT.T]
    assert found.moves == pytest.approx(without, abs=0.15 * np.std(without))


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", ["ici", "e50", "mcfadden_r2"])
def test_a_measure_without_a_law_by_clusters_is_refused_if_it_was_asked_for(name):
    assert br.evaluate(Y, score=RISK, metrics=[name])[name].value > -9
    refusal = "these scores have by clusters or replicate weights, got .* ask for one of roc_auc"
    with pytest.raises(br.errors.InvalidArgumentError, match=refusal):
        br.evaluate(Y, score=RISK, cluster=CLUSTER, metrics=[name])
    assert br.evaluate(Y, score=RISK, cluster=CLUSTER, metrics=["slope", "auc"])["auc"].value > 0


def risks_of_groups():
    rng, n = np.random.default_rng(3), 400
    unit, group = np.arange(n) // 4, rng.choice(["a", "b", "c"], n, p=[0.5, 0.45, 0.05])
    risk = 1 / (1 + np.exp(1 - rng.normal(size=n) - 0.5 * rng.normal(size=100)[unit]))
    ill = rng.random(n) < np.clip(risk * np.where(group == "a", 1.4, 0.9), 0, 1)
    ill &= group != "c"
    replicates = {f"r{k}": rng.exponential(size=100)[unit] for k in range(60)}
    given = {"ill": 1 * ill, "risk": risk, "g": group, "unit": unit, "w": rng.random(n) + 0.5}
    return pd.DataFrame(given | replicates)


RISKS = risks_of_groups()
DESIGNS = {
    "clusters": {"cluster": "unit"},
    "weighted clusters": {"cluster": "unit", "weight": "w"},
    "replicates": {
        "weight": "w", "replicate_weights": [f"r{k}" for k in range(60)],
        "replicate_scale": 1 / 60,
    },
}  # fmt: skip
DOORS = [(br.evaluate, {}), (br.thresholds, {}), (br.audit, {"threshold": 0.3})]


@pytest.mark.sweep(8, start=6)
@pytest.mark.parametrize(
    ("design", "door", "how"),
    [
        pytest.param(design, door, how, id=f"{name}-{door.__name__}")
        for name, design in DESIGNS.items()
        for door, how in DOORS
        if door is not br.thresholds or name != "replicates"  # cuts take no replicate weights
    ],
)
def test_observed_over_expected_of_a_group_is_that_of_the_group_alone(design, door, how):
    named = {"target": "ill", "score": "risk", **design}
    found = door(RISKS, **named, groups="g", **how)
    for label in "ab":
        one, own = found["observed_expected", label], RISKS[RISKS["g"] == label]
        alone = br.evaluate(own, **named)["observed_expected"]
        wanted = (alone.value, alone.low, alone.high, alone.p_value)
        assert (one.value, one.low, one.high, one.p_value) == pytest.approx(wanted)
        w = own["w"] if "weight" in design else 1.0
        assert one.value == pytest.approx((w * own["ill"]).sum() / (w * own["risk"]).sum())
    assert found["observed_expected", "c"].value == 0  # none is ill, and there is no test
    facts = getattr(found.facts, "calibration", None)
    if door is not br.audit:
        facts = (found.facts if door is br.thresholds else found.facts.thresholds).group_calibration
    small, large = sorted((x.observed_expected.p_value, x.adjusted_p_value) for x in facts[:2])
    assert small[1] == pytest.approx(2 * small[0])  # Holm's of two tests
    assert large[1] == pytest.approx(max(small[1], large[0]))
    assert np.isnan(facts[2].adjusted_p_value)

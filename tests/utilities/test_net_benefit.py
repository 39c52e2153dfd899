"""Decision curves, against definitions, dcurves and scikit-learn."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import confusion_matrix

import baserate as br
from baserate import ConfusionMatrix, interval, metrics
from baserate.curves import brier_score, sweep
from baserate.errors import InvalidArgumentError
from baserate.utilities import UtilityMatrix
from baserate.utilities.net_benefit import (
    GRID,
    net_benefit_curve,
)
from quick import one_in

RNG = np.random.default_rng(8)
P = RNG.beta(2, 3, 400).round(2)
Y = RNG.random(400) < P**1.3


def exact_net_benefit(y, p, tau, pi=None):
    """The definition, in fractions, case by case."""
    tau, n = Fraction(tau), len(y)
    odds = tau / (1 - tau)
    hits = sum(1 for t, s in zip(y, p, strict=True) if t and s >= tau)
    alarms = sum(1 for t, s in zip(y, p, strict=True) if not t and s >= tau)
    positives = int(sum(y))
    if pi is None:
        return Fraction(hits, n) - Fraction(alarms, n) * odds
    return pi * Fraction(hits, positives) - (1 - pi) * Fraction(alarms, n - positives) * odds


CASES = st.lists(
    st.tuples(st.booleans(), st.sampled_from([0.0, 0.125, 0.25, 0.5, 0.625, 0.875, 1.0])),
    min_size=2,
    max_size=30,
).filter(lambda rows: 0 < sum(y for y, _ in rows) < len(rows))


@pytest.mark.slow
@given(CASES, st.sampled_from([0.125, 0.25, 0.3125, 0.5, 0.9375]))
def test_net_benefit_from_its_definition(rows, tau):
    y, p = zip(*rows, strict=True)
    n, positives = len(y), sum(y)
    curve = net_benefit_curve(sweep(y, p), thresholds=tau)
    wanted = exact_net_benefit(y, p, tau)
    assert_allclose(curve.net_benefit, float(wanted), atol=1e-14)
    standard = float(wanted * n / positives)
    assert_allclose(curve.standardized_net_benefit, standard, atol=1e-13)
    everybody = Fraction(positives, n) - Fraction(n - positives, n) * Fraction(tau) / (
        1 - Fraction(tau)
    )
    assert_allclose(curve.treat_all, float(everybody), atol=1e-14)
    assert_allclose(curve.advantage, float(wanted - max(everybody, 0)), atol=1e-14)
    assert curve.treat_none.tolist() == [0.0]


def test_another_base_rate_keeps_what_happens_within_each_class():
    curve = net_benefit_curve(sweep(Y, P), thresholds=[0.25, 0.5], base_rate=0.0625)
    wanted = [float(exact_net_benefit(Y, P, tau, Fraction(1, 16))) for tau in (0.25, 0.5)]
    assert_allclose(curve.net_benefit, wanted, atol=1e-14)
    assert_allclose(curve.treat_all, [1 / 16 - 15 / 16 / 3, 1 / 16 - 15 / 16], atol=1e-14)
    assert curve.tables.base_rate == pytest.approx([0.0625, 0.0625])


def test_the_default_thresholds_are_a_grid_and_every_probability():
    curve = net_benefit_curve(sweep([1, 0, 1, 0], [1.0, 0.005, 0.255, 0.0]))
    assert curve.thresholds.tolist() == sorted([*GRID.tolist(), 0.005, 0.255])
    assert curve.net_benefit.shape == curve.thresholds.shape
    at = curve.thresholds.tolist().index(0.005)
    assert curve.tables[at] == ConfusionMatrix(tp=2, fn=0, fp=1, tn=1)
    after = curve.tables[at + 1]  # 0.01: the case at 0.005 is no longer called positive
    assert after == ConfusionMatrix(tp=2, fn=0, fp=0, tn=2)


def published():
    """The example data of dcurves: 750 patients, 105 of them with cancer."""
    dcurves = pytest.importorskip("dcurves")

    return pd.read_csv(f"{dcurves.data}/df_binary.csv")


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize("prevalence", one_in(2, [None, 0.15, 0.02]))
def test_parity_with_dcurves_on_its_example(prevalence):
    dca = pytest.importorskip("dcurves").dca

    frame = published()
    assert (len(frame), int(frame.cancer.sum())) == (750, 105)
    grid = np.arange(1, 71) / 100
    theirs = dca(
        data=frame,
        outcome="cancer",
        modelnames=["cancerpredmarker", "famhistory"],
        thresholds=grid,
        prevalence=prevalence,
    )
    for model in ("cancerpredmarker", "famhistory"):
        swept = sweep(frame.cancer, frame[model].to_numpy())
        mine = net_benefit_curve(swept, thresholds=grid, base_rate=prevalence)
        wanted = theirs[theirs.model == model].sort_values("threshold").net_benefit
        assert_allclose(mine.net_benefit, wanted, atol=1e-14)
    everybody = theirs[theirs.model == "all"].sort_values("threshold").net_benefit
    assert_allclose(mine.treat_all, everybody, atol=1e-14)


def test_parity_with_a_cost_scorer_of_scikit_learn():
    """The gains of scikit-learn's example on German credit: -1 for a false alarm, -5 for a miss."""
    u = UtilityMatrix([[0, -1], [-5, 0]], decisions=("act", "leave"))
    assert u.threshold == pytest.approx(1 / 6)
    curve = net_benefit_curve(sweep(Y, P), thresholds=[u.threshold, 0.5])
    gains = [np.sum(confusion_matrix(Y, t <= P) * [[0, -1], [-5, 0]]) for t in curve.thresholds]
    yields = [u.utility_yield(curve.tables[k]) for k in (0, 1)]
    assert len(Y) * np.array(yields) == pytest.approx(gains)
    # Net benefit counts from "never", in benefits of a true positive.
    assert 5 * len(Y) * curve.net_benefit[0] == pytest.approx(gains[0] + 5 * Y.sum())


@pytest.mark.slow
@given(CASES)
def test_the_area_under_the_brier_curve_is_the_brier_score(rows):
    y, p = zip(*rows, strict=True)
    exact = sum((Fraction(s) - t) ** 2 for t, s in rows) / len(rows)
    assert float(brier_score(y, p)) == pytest.approx(float(exact), abs=1e-14)
    # The curve is straight between the probabilities found: its integral is a sum of trapezoids.
    ends = np.unique([0.0, *p, 1.0])
    area = 0.0
    for low, high in pairwise(ends):
        middle = net_benefit_curve(y, p, thresholds=(low + high) / 2)
        area += (high - low) * middle.brier.item()
    assert area == pytest.approx(float(exact), abs=1e-14)


def test_the_murphy_diagram_is_the_mean_elementary_score():
    tau = 0.305
    elementary = np.where(Y, (1 - tau) * (tau > P), tau * (tau <= P))
    found = net_benefit_curve(sweep(Y, P), thresholds=tau)
    assert found.murphy[0] == pytest.approx(elementary.mean(), abs=1e-14)
    never = (1 - tau) * Y.mean()
    assert found.net_benefit[0] == pytest.approx((never - found.murphy[0]) / (1 - tau), abs=1e-14)


def curve_of_decisions(cells, tau):
    tp, fn, fp, tn = cells
    truth, called = [1] * (tp + fn) + [0] * (fp + tn), [1.0] * tp + [0.0] * fn + [1.0] * fp
    return net_benefit_curve(truth, called + [0.0] * tn, thresholds=tau)


@given(st.tuples(*[st.integers(1, 60)] * 4), st.fractions(Fraction(1, 50), Fraction(49, 50)))
@settings(max_examples=20)
def test_every_unit_from_its_definition(cells, tau):
    tp, fn, fp, _ = cells
    n, benefit = sum(cells), (tp - tau / (1 - tau) * fp) / (tp + fn)
    found = curve_of_decisions(cells, float(tau))
    for ours, exact in (
        (found.murphy, ((1 - tau) * fn + tau * fp) / n),
        (found.brier, 2 * ((1 - tau) * fn + tau * fp) / n),
        (found.net_benefit, benefit * (tp + fn) / n),
        (found.standardized_net_benefit, benefit),
    ):
        assert ours[0] == pytest.approx(float(exact), rel=1e-12, abs=1e-14)


@pytest.mark.slow
@given(
    st.tuples(*[st.integers(1, 60)] * 4),
    st.lists(st.integers(-30, 30), min_size=4, max_size=4).filter(
        lambda u: u[0] > u[2] and u[3] > u[1]
    ),
)
def test_loss_and_net_benefit_are_differences_of_yields(cells, utilities):
    tp, fn, fp, tn = cells
    hit, alarm, miss, rest = utilities
    u = UtilityMatrix([[hit, alarm], [miss, rest]])
    worth, n = u.utility_yield([[tp, fp], [fn, tn]]), sum(cells)
    never = Fraction(miss * (tp + fn) + rest * (fp + tn), n)
    perfect = Fraction(hit * (tp + fn) + rest * (fp + tn), n)
    found = curve_of_decisions(cells, u.threshold)
    assert found.net_benefit[0] == pytest.approx((worth - float(never)) / u.benefit, abs=1e-11)
    lost = found.murphy[0] * (u.benefit + u.cost)
    assert lost == pytest.approx(float(perfect) - worth, abs=1e-11)


@pytest.mark.slow
def test_bands_are_the_intervals_of_the_metric():
    curve = net_benefit_curve(sweep(Y, P))
    band = curve.band([0.2, 0.4], confidence_level=0.9)
    for tau, low, high in zip(*band, strict=True):
        decided = tau <= P
        table = ConfusionMatrix(
            tp=int((Y & decided).sum()), fn=int((Y & ~decided).sum()),
            fp=int((~Y & decided).sum()), tn=int((~Y & ~decided).sum()),
        )  # fmt: skip
        wanted = interval(metrics.net_benefit(threshold=tau), table, confidence_level=0.9)
        assert (low, high) == pytest.approx((wanted.low, wanted.high), abs=1e-9)
    whole = curve.band()
    assert_array_equal(whole.thresholds, GRID)
    middle = curve.net_benefit[np.searchsorted(curve.thresholds, GRID)]
    assert (whole.low[:80] < middle[:80]).all()
    assert (middle[:80] < whole.high[:80]).all()


def test_bands_at_another_base_rate_are_quantiles_of_two_beta_variables():
    curve = net_benefit_curve(sweep(Y, P), base_rate=0.1)
    [low], [high] = curve.band([0.25])[1:]
    table = net_benefit_curve(sweep(Y, P), thresholds=0.25).tables[0]
    tp, fn, fp, tn = table
    rng = np.random.default_rng(4)
    recall, alarms = rng.beta(tp + 0.5, fn + 0.5, 10**6), rng.beta(fp + 0.5, tn + 0.5, 10**6)
    simulated = np.quantile(0.1 * recall - 0.9 * alarms / 3, [0.025, 0.975])
    assert [low, high] == pytest.approx(simulated, abs=2e-4)


def test_weights_widen_bands_to_the_effective_number_of_cases():
    heavy = net_benefit_curve(sweep(Y, P, sample_weight=np.full(400, 3.0)))
    plain = net_benefit_curve(sweep(Y, P))
    assert_allclose(heavy.net_benefit, plain.net_benefit, atol=1e-14)
    assert_allclose(heavy.band([0.3])[1:], plain.band([0.3])[1:], atol=1e-6)
    weights = RNG.random(400)
    uneven = net_benefit_curve(sweep(Y, P, sample_weight=weights))
    widths = [np.diff(curve.band([0.3])[1:], axis=0).item() for curve in (plain, uneven)]
    assert widths[1] > widths[0]


def test_curves_of_parts_add_up_at_the_same_thresholds():
    sex = RNG.random(400) < 0.4
    parts = [net_benefit_curve(Y[part], P[part], thresholds=GRID) for part in (sex, ~sex)]
    whole = net_benefit_curve(sweep(Y, P), thresholds=GRID)
    mixed = sex.mean() * parts[0].net_benefit + (~sex).mean() * parts[1].net_benefit
    assert_allclose(mixed, whole.net_benefit, atol=1e-14)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"thresholds": [0.2, 1.0]}, r"thresholds must lie in \(0, 1\), got 1.0"),
        ({"thresholds": [[0.2]]}, "one number or a sequence"),
        ({"base_rate": 1.5}, r"base_rate must lie in \(0, 1\), got 1.5"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(InvalidArgumentError, match=message):
        net_benefit_curve(sweep(Y, P), **arguments)


def test_scores_that_are_no_probabilities_are_refused():
    with pytest.raises(InvalidArgumentError, match="pass probabilities, calibrated"):
        net_benefit_curve(sweep([1, 0], [3, 1]))
    with pytest.raises(InvalidArgumentError, match="both classes"):
        net_benefit_curve(sweep([1, 1], [0.3, 0.1]), base_rate=0.5)


@pytest.mark.parametrize("base_rate", [None, 0.2])
def test_interventions_avoided_are_the_net_benefit_of_the_other_class(base_rate):
    """Sparing a negative case is a hit of the negative class, at the odds turned round."""
    taus, restated = np.array([0.1234, 0.4321]), None if base_rate is None else 1 - base_rate
    curve = net_benefit_curve(sweep(Y, P), base_rate=base_rate)
    turned = net_benefit_curve(sweep(~Y, 1 - P), base_rate=restated)
    spared = curve.band(taus, unit="interventions_avoided")
    swapped = turned.band(np.sort(1 - taus))
    assert_allclose(spared[1:], np.flip(swapped[1:], axis=1), rtol=1e-9)
    avoided = net_benefit_curve(curve.sweep, thresholds=taus).interventions_avoided
    benefit = net_benefit_curve(turned.sweep, thresholds=np.sort(1 - taus)).net_benefit
    assert_allclose(avoided, benefit[::-1], rtol=1e-12)


@pytest.mark.parametrize("unit", ["net_benefit", "interventions_avoided"])
@pytest.mark.parametrize("base_rate", [None, 0.2])
def test_weighted_cases_have_the_interval_of_as_many_cases_that_say_as_much(unit, base_rate):
    """Weights of 3 are as 1; weights of 1 and 3 at random, half of each, are as 0.8 cases each."""
    rng, tau = np.random.default_rng(4), 0.3
    y = rng.random(8000) < 0.3
    p = np.clip(rng.beta(2, 4, 8000) + 0.2 * y, 0.01, 0.99)
    weight = rng.choice([1.0, 3.0], 8000)
    plain = net_benefit_curve(y, p, base_rate=base_rate).band([tau], unit=unit)
    thrice = net_benefit_curve(y, p, sample_weight=np.full(8000, 3.0), base_rate=base_rate)
    assert_allclose(thrice.band([tau], unit=unit)[1:], plain[1:], rtol=1e-6)
    found = net_benefit_curve(y, p, sample_weight=weight, base_rate=base_rate)
    low, high = np.ravel(found.band([tau], unit=unit)[1:])
    rate, odds = base_rate or np.average(y, weights=weight), tau / (1 - tau)
    if unit == "net_benefit":
        worth = np.where(y, 1.0, -odds) * (p >= tau)
    else:
        worth = np.where(y, -1 / odds, 1.0) * (p < tau)
    moves = np.zeros(8000)  # of one mean, or of one of each class
    for at, share in ((y, rate), (~y, 1 - rate)) if base_rate else ((weight > 0, 1.0),):
        w = share * weight[at] / weight[at].sum()
        moves[at] = w * (worth[at] - np.average(worth[at], weights=weight[at]))
    far = 1.96 * np.sqrt((moves**2).sum())
    assert high - low == pytest.approx(2 * far, rel=0.05)


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize("base_rate", [None, 0.1])
def test_who_treats_nobody_has_no_net_benefit_for_sure(base_rate):
    y, p = [1, 0, 0, 1, 0] * 6, [0.3, 0.1, 0.2, 0.4, 0.05] * 6
    curve = br.net_benefit_curve(y, p, base_rate=base_rate)
    band = curve.band([0.3, 0.5, 0.9])
    assert band.low[1:].tolist() == band.high[1:].tolist() == [0.0, 0.0]
    assert band.low[0] < band.high[0]
    if base_rate is None:
        facts = {f.threshold: f for f in br.evaluate(y, score=p).facts.thresholds.net_benefit}
        nobody, all_but_six = facts[0.5], facts[0.1]
        assert (nobody.low, nobody.value, nobody.high, nobody.useful) == (0, 0, 0, 0)
        assert 0 < all_but_six.useful < 1
        assert facts[0.05].useful == 0  # flags everybody, as treating all does

"""Net benefit, costs, curves: one loss in other units, against definitions and other packages."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.metrics import brier_score_loss

from baserate import ConfusionMatrix, metrics
from baserate.errors import InvalidArgumentError
from baserate.utilities import UtilityMatrix, cost_curve, expected_cost, probability_cost
from baserate.utilities.relations import AtThreshold

CELLS = st.tuples(*[st.integers(1, 60)] * 4)
TAU = st.fractions(Fraction(1, 50), Fraction(49, 50))


@pytest.mark.slow
@given(CELLS, TAU)
def test_every_unit_from_its_definition(cells, tau):
    tp, fn, fp, tn = cells
    n, positives, negatives = sum(cells), tp + fn, fp + tn
    s, t = 1 - tau, tau
    pi = Fraction(positives, n)
    exact = {
        "loss": (s * fn + t * fp) / n,
        "brier": 2 * (s * fn + t * fp) / n,
        "net_benefit": (tp - tau / (1 - tau) * fp) / n,
        "standardized_net_benefit": (tp - tau / (1 - tau) * fp) / positives,
        "weighted_accuracy": (s * tp + t * tn) / (s * positives + t * negatives),
        "normalized_expected_cost": (s * fn + t * fp) / (s * positives + t * negatives),
        "probability_cost": pi * s / (pi * s + (1 - pi) * t),
    }
    found = AtThreshold(ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn), float(tau))
    for name, value in exact.items():
        assert getattr(found, name) == pytest.approx(float(value), rel=1e-12, abs=1e-14), name
    pc = exact["probability_cost"]
    line = Fraction(fn, positives) * pc + Fraction(fp, negatives) * (1 - pc)
    assert line == exact["normalized_expected_cost"]
    assert cost_curve(found.table, float(pc)) == pytest.approx(float(line), rel=1e-12)


@given(CELLS, st.lists(st.integers(-30, 30), min_size=4, max_size=4))
def test_costs_and_net_benefit_are_differences_of_yields(cells, utilities):
    tp, fn, fp, tn = cells
    hit, alarm, miss, rest = utilities
    table, n = ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn), sum(cells)
    if hit <= miss or rest <= alarm:
        return
    u = UtilityMatrix([[hit, alarm], [miss, rest]])
    worth = u.utility_yield(table)
    never = Fraction(miss * (tp + fn) + rest * (fp + tn), n)
    perfect = Fraction(hit * (tp + fn) + rest * (fp + tn), n)
    assert expected_cost(table, u) == pytest.approx(float(perfect) - worth, abs=1e-11)
    found = AtThreshold(table, u.threshold)
    assert found.net_benefit == pytest.approx((worth - float(never)) / u.benefit, abs=1e-11)
    assert found.loss * (u.benefit + u.cost) == pytest.approx(float(perfect) - worth, abs=1e-11)


def test_the_catalogue_agrees():
    table = ConfusionMatrix(tp=35, fn=5, fp=10, tn=50)
    found = AtThreshold(table, 0.2)
    assert found.net_benefit == pytest.approx(metrics.net_benefit(threshold=0.2)(table))
    assert 1 - AtThreshold(table, 0.5).loss * 2 == pytest.approx(metrics.accuracy(table))


def test_net_benefit_of_dcurves():
    dcurves = pytest.importorskip("dcurves")
    rng = np.random.default_rng(4)
    y = rng.random(300) < 0.3
    p = np.clip(0.3 + 0.25 * y + rng.normal(0, 0.2, 300), 0.01, 0.99)
    taus = np.array([0.1, 0.25, 0.4, 0.6])
    frame = pd.DataFrame({"y": y.astype(int), "p": p})
    peer = dcurves.dca(data=frame, outcome="y", modelnames=["p"], thresholds=taus)
    peer = peer[peer["model"] == "p"].sort_values("threshold")["net_benefit"].to_numpy()
    above = p[:, None] > taus
    table = ConfusionMatrix(
        tp=(above & y[:, None]).sum(0),
        fn=(~above & y[:, None]).sum(0),
        fp=(above & ~y[:, None]).sum(0),
        tn=(~above & ~y[:, None]).sum(0),
    )
    assert_allclose(AtThreshold(table, taus).net_benefit, peer, rtol=1e-12)


def test_brier_curve_integrates_to_the_brier_score():
    """The loss is linear in tau between two scores, so trapezia at the scores are exact."""
    rng = np.random.default_rng(2)
    y = rng.random(80) < 0.4
    p = rng.integers(0, 33, 80) / 32
    cuts = np.unique(np.concatenate([p, [0.0, 1.0]]))
    area = 0.0
    for low, high in pairwise(cuts.tolist()):
        above = p > low
        table = ConfusionMatrix(
            tp=int((above & y).sum()),
            fn=int((~above & y).sum()),
            fp=int((above & ~y).sum()),
            tn=int((~above & ~y).sum()),
        )
        area += (high - low) * np.mean(AtThreshold(table, np.array([low, high])).brier)
    assert area == pytest.approx(brier_score_loss(y, p), rel=1e-12)


def test_batches_and_thresholds_broadcast():
    batch = ConfusionMatrix(tp=[27, 43], fn=[23, 7], fp=[15, 18], tn=[35, 32])
    taus = np.array([[0.1], [0.5], [0.9]])
    found = AtThreshold(batch, taus)
    assert found.net_benefit.shape == (3, 2)
    assert found.net_benefit[1, 0] == AtThreshold(batch[0], 0.5).net_benefit
    assert cost_curve(batch, taus).shape == (3, 2)
    assert probability_cost(taus, np.array([0.1, 0.3])).shape == (3, 2)


def test_undefined_is_nan():
    table = ConfusionMatrix(tp=3, fn=1, fp=2, tn=4)
    assert np.isnan(AtThreshold(table, 1).net_benefit)
    assert AtThreshold(table, 0).net_benefit == pytest.approx(0.3, rel=1e-14)
    no_positives = ConfusionMatrix(tp=0, fn=0, fp=2, tn=4)
    assert np.isnan(AtThreshold(no_positives, 0.5).standardized_net_benefit)
    assert np.isnan(AtThreshold(no_positives, 0).normalized_expected_cost)
    assert np.isnan(cost_curve(no_positives, 0.5))
    assert np.isnan(AtThreshold(ConfusionMatrix(tp=0, fn=0, fp=0, tn=0), 0.5).loss)
    for tau in (-0.1, 1.1, np.nan):
        with pytest.raises(InvalidArgumentError, match=r"threshold must lie in \[0, 1\]"):
            AtThreshold(table, tau)
    with pytest.raises(InvalidArgumentError, match=r"probability_cost must lie in \[0, 1\]"):
        cost_curve(table, 2)

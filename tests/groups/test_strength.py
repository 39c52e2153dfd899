"""Strengths estimated from several groups."""

from fractions import Fraction
from math import inf, lgamma

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from baserate import ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnknownNameError
from baserate.groups.pseudo_cases import best_for_cells, estimate_strength
from papers import small_data

COMPAS = dict(small_data.COMPAS)


def others(groups, whole):
    return {g: tuple(w - c for w, c in zip(whole, t, strict=True)) for g, t in groups.items()}


# Joint marginal likelihood and pooled moments, each group against all other cases of its data.
# COMPAS has other groups than these two, so the references are given by the total.
@pytest.mark.parametrize(
    ("groups", "whole", "likelihood", "moments"),
    [
        (small_data.COMPAS, small_data.COMPAS_ALL, 19.2, 9.0),
        (small_data.FOLKTABLES, small_data.FOLKTABLES_ALL, 23.8, 17.6),
    ],
)
def test_published_data(groups, whole, likelihood, moments):
    references = others(groups, whole)
    found = estimate_strength(groups, reference=references)
    assert round(found.value, 1) == likelihood
    assert float(found) == found.value
    assert found.n_groups == len(groups)
    pooled = estimate_strength(groups, reference=references, method="pooled")
    assert round(pooled.value, 1) == moments


def test_the_likelihood_is_at_its_top():
    def loss(strength):
        total = 0.0
        for table, reference in zip(COMPAS.values(), reversed(COMPAS.values()), strict=True):
            q = [c / reference.n for c in reference]
            total += lgamma(strength) - lgamma(table.n + strength)
            total += sum(
                lgamma(c + strength * x) - lgamma(strength * x)
                for c, x in zip(table, q, strict=True)
            )
        return -total

    found = float(estimate_strength(COMPAS))
    best = minimize_scalar(loss, bounds=(1, 500), method="bounded", options={"xatol": 1e-9}).x
    assert found == pytest.approx(best, rel=1e-5)


def test_moments_in_fractions():
    noise = excess = Fraction(0)
    tables = [tuple(t) for t in COMPAS.values()]
    for c, r in zip(tables, reversed(tables), strict=True):
        n = sum(c)
        p, q = ([Fraction(x, sum(t)) for x in t] for t in (c, r))
        v = Fraction(n, n - 1) * (1 - sum(x * x for x in p))
        noise += v
        excess += max(0, sum((x - y) ** 2 for x, y in zip(p, q, strict=True)) - v / n)
    found = estimate_strength(COMPAS, method="pooled")
    assert found.value == pytest.approx(float(noise / excess), rel=1e-13)


@pytest.mark.parametrize("method", ["empirical_bayes", "pooled"])
def test_groups_that_agree_borrow_without_end(method):
    same = {name: ConfusionMatrix(tp=10, fn=10, fp=10, tn=10) for name in "abc"}
    assert estimate_strength(same, method=method).value == inf


def test_the_best_for_the_cells_together():
    p, q = ([Fraction(c, sum(t)) for c in t] for t in ((273, 170, 1043, 1692), (1, 2, 3, 4)))
    best = (1 - sum(x * x for x in p)) / sum((x - y) ** 2 for x, y in zip(p, q, strict=True))
    shares = (np.array(side, dtype=float) for side in (p, q))
    assert best_for_cells(*shares) == pytest.approx(float(best))
    assert best_for_cells(np.array([0.1, 0.9]), np.array([0.1, 0.9])) == inf


@pytest.mark.parametrize("method", ["empirical_bayes", "pooled"])
@pytest.mark.parametrize("tn", [0, 1])
def test_groups_without_cases_say_nothing(method, tn):
    groups = {name: ConfusionMatrix(tp=0, fn=0, fp=0, tn=tn) for name in "ab"}
    with pytest.raises(InvalidArgumentError, match="two groups of two cases or more, got 0"):
        estimate_strength(groups, reference=(1, 2, 3, 4), method=method)
    one = groups | {"c": COMPAS["COMPAS Black"]}
    with pytest.raises(InvalidArgumentError, match="two groups of two cases or more, got 1"):
        estimate_strength(one, reference=(1, 2, 3, 4), method=method)
    found = estimate_strength(groups | COMPAS, reference=small_data.COMPAS_ALL, method=method)
    assert found.n_groups == 2
    alone = estimate_strength(COMPAS, reference=small_data.COMPAS_ALL, method=method)
    assert found.value == pytest.approx(alone.value, rel=1e-6)


def test_one_group_cannot_choose():
    with pytest.raises(InvalidArgumentError, match="one group cannot choose its own strength"):
        estimate_strength({"a": COMPAS["COMPAS Black"]}, reference=small_data.COMPAS_ALL)
    with pytest.raises(InvalidArgumentError, match='at least two groups for reference="rest"'):
        estimate_strength({"a": COMPAS["COMPAS Black"]})
    with pytest.raises(UnknownNameError, match="empirical_bayes"):
        estimate_strength(COMPAS, method="bayes")
    with pytest.raises(
        InvalidArgumentError, match=r"reference for every group.*none for 'COMPAS W"
    ):
        estimate_strength(COMPAS, reference={"COMPAS Black": (1, 2, 3, 4)})


def test_what_the_reference_rules_out_cannot_be_borrowed_from():
    groups = {
        "a": ConfusionMatrix(tp=3, fn=40, fp=2, tn=9),
        "b": ConfusionMatrix(tp=4, fn=0, fp=2, tn=8),
    }
    found = estimate_strength(groups, reference=(5, 2, 0, 9), method="pooled")
    assert np.isfinite(found.value)
    with pytest.raises(InvalidArgumentError, match="empty cell that the group has cases in"):
        estimate_strength(groups, reference=(5, 2, 0, 9))

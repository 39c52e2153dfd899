"""Declare, then measure: each fact of each metric, on every table with at most 12 cases."""

from dataclasses import replace
from itertools import product
from typing import get_args

import numpy as np
import pytest

from baserate import metrics
from baserate.counts import CELLS, ConfusionMatrix
from baserate.errors import DefinitionError, InvalidArgumentError
from baserate.metrics import _laws as laws
from baserate.metrics import define
from baserate.metrics._metric import CHOICES

FAMILIES = [
    "f_beta(beta=3)",
    "weighted_accuracy(weight=0.7)",
    "weighted_accuracy(weight=0)",
    "robust_f(d0=0.1)",
    "robust_f(d0=0.1, d1=4, c=1)",
    "robust_f(d0=0, d1=4, c=1)",
    "robust_mcc(d=0.05)",
    "robust_mcc(d=0)",
    "utility([[15, -335], [-35, 165]])",
    "utility([[1, 2], [3, 0.5]])",
    "cost_per_case(fn=10, fp=1)",
    "cost_per_case(fn=0, fp=2.5)",
    "net_benefit(threshold=0.2)",
    "net_benefit(threshold=0)",
]
BASE = [*metrics.CATALOGUE, *map(metrics.get, FAMILIES)]
METRICS = [*BASE, *(m.at_base_rate(pi) for m in BASE for pi in (0.5, 0.125))]


@pytest.mark.sweep(60, start=4)
@pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.name)
def test_declared_facts_hold_on_every_table(metric):
    found = {law.__name__: law(metric, 24 if law is laws.chance else 12) for law in laws.LAWS}
    assert not {name: wrong for name, wrong in found.items() if wrong is not None}


WRONG = [
    ("jaccard", {"affine_in_tp": True}, laws.affine_in_tp),
    ("precision", {"linear_in_rates": True}, laws.linear_in_rates),
    ("precision", {"undefined_if_zero": ("fn+tn",)}, laws.undefined_set),
    ("f1", {"undefined_if_zero": ()}, laws.undefined_set),
    ("f1", {"undefined_count": lambda n: n}, laws.undefined_count),
    ("matthews_correlation", {"bounds": (0, 1)}, laws.bounds),
    ("f1", {"best": 0.9}, laws.best_value),
    ("error_rate", {"direction": "higher"}, laws.direction),
    ("recall", {"increases_with_rates": True}, laws.increases_with_rates),
    ("recall", {"trend_in_fp": "increasing", "name": "r"}, None),
    ("false_positive_rate", {"trend_in_fp": "constant"}, laws.trend_in_fp),
    ("true_positives", {"scale_invariant": True}, laws.scale_invariance),
    ("f1", {"depends_on_base_rate": False}, laws.base_rate_dependence),
    ("f1", {"proportion": (("tp",), ("fn", "fp"))}, laws.proportion),
    ("f2", {"lumps": (("tp",), ("fn", "fp"))}, laws.lumps),
    ("recall", {"lumps": (("fn",), ("tp",))}, laws.lumps),
    ("accuracy", {"lumps": (("tp",), ("fn",))}, laws.lumps),
    ("recall", {"class_swap": "precision"}, laws.partners),
    ("recall", {"transpose": "specificity"}, laws.partners),
    ("f1", {"chance_shape": "decreasing"}, laws.chance),
    ("geometric_mean", {"chance_shape": "monotone"}, laws.chance),
    ("accuracy", {"chance": 0.5}, laws.chance),
    ("gilbert_skill_score", {"chance_shape": "monotone"}, laws.chance),
    ("negative_likelihood_ratio", {"chance_shape": "decreasing"}, laws.chance),
    (
        "prevalence_threshold_strict",
        {"undefined_multiples": lambda p, q: (p + q, p)},
        laws.undefined_multiples,
    ),
]


@pytest.mark.parametrize(("name", "lie", "law"), WRONG)
def test_a_wrong_declaration_is_found(name, lie, law):
    metric = replace(metrics.get(name), **lie)
    if law is None:  # a constant metric also "increases" weakly: no lie
        assert laws.trend_in_fp(metric, 6) is None
    else:
        assert law(metric, 24 if law is laws.chance else 8)


def test_what_rounding_leaves_of_large_values_contradicts_nothing():
    metric = metrics.get("cost_per_case(fn=30000000.1, fp=10000000.7)")
    assert laws.linear_in_rates(metric, 12) is None
    assert laws.affine_in_tp(metric, 12) is None


def test_the_ends_of_a_correlation_and_of_a_ratio_are_those_of_all_wrong_and_all_right():
    wrong, right = ConfusionMatrix(tp=0, fn=2, fp=3, tn=0), ConfusionMatrix(tp=2, fn=0, fp=0, tn=3)
    correlation, ratio = metrics.get("mcc"), metrics.get("positive_likelihood_ratio")
    assert correlation.bounds == (correlation(wrong), correlation(right)) == (-1, 1)
    assert np.isnan([ratio(right), ratio.best]).all()


@pytest.mark.parametrize("rows", ["[[1, 0], [1, 1]]", "[[1, 1], [0, 1]]"])
def test_a_utility_that_one_rate_does_not_change_does_not_increase_with_both(rows):
    metric = metrics.get(f"utility({rows})")
    assert laws.increases_with_rates(metric, 8) is None
    assert not metric.increases_with_rates


NAMES = [m.name for m in metrics.CATALOGUE]
CLAIMS = {  # what a metric may be silent about, what could be claimed, and the law that measures it
    "increases_with_rates": (False, [True], laws.increases_with_rates),
    "linear_in_rates": (False, [True], laws.linear_in_rates),
    "affine_in_tp": (False, [True], laws.affine_in_tp),
    "scale_invariant": (False, [True], laws.scale_invariance),
    "depends_on_base_rate": (True, [False], laws.base_rate_dependence),
    "direction": ("neither", ["higher", "lower"], laws.direction),
    "trend_in_fp": ("unknown", ["increasing", "decreasing", "constant"], laws.trend_in_fp),
    "chance": (None, [0, 0.5, 1], laws.chance),
    "chance_shape": ("unknown", get_args(CHOICES["chance_shape"])[:-1], laws.chance),
    "class_swap": (None, NAMES, laws.partners),
    "transpose": (None, NAMES, laws.partners),
}
NOT_CLAIMED = {
    ("depends_on_base_rate", "true_positives"),  # with as many positives
    ("depends_on_base_rate", "false_negatives"),
    ("direction", "base_rate"),  # which no mended error changes
    ("direction", "negative_base_rate"),
    ("chance", "diagnostic_odds_ratio"),  # which some guess always leaves undefined
    ("chance_shape", "diagnostic_odds_ratio"),
}


def left_undeclared(metric, fact):
    """The first fact that holds on every table, where the metric is silent."""
    silent, claims, law = CLAIMS[fact]
    if getattr(metric, fact) != silent or (fact, metric.name) in NOT_CLAIMED:
        return None
    return next((c for c in claims if not law(replace(metric, **{fact: c}), 12)), None)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("metric", metrics.CATALOGUE, ids=lambda m: m.name)
@pytest.mark.parametrize("fact", CLAIMS)
def test_no_fact_is_left_undeclared(metric, fact):
    assert left_undeclared(metric, fact) is None


@pytest.mark.parametrize(
    ("fact", "name"),
    [
        *(("direction", "error_rate"), ("trend_in_fp", "f1"), ("chance_shape", "f1")),
        *(("chance", "lift"), ("depends_on_base_rate", "youden_j")),
        *(("class_swap", "recall"), ("transpose", "recall"), ("affine_in_tp", "kappa")),
    ],
)
def test_a_forgotten_fact_is_found(fact, name):
    metric, (silent, *_) = metrics.get(name), CLAIMS[fact]
    assert left_undeclared(replace(metric, **{fact: silent}), fact) is not None


def every_pair_of_lumps():
    for side in product((0, 1, 2), repeat=4):  # which lump holds each cell, if any
        held = list(zip(CELLS, side, strict=True))
        first, second = (tuple(c for c, s in held if s == i) for i in (1, 2))
        if first and second:
            yield first, second


@pytest.mark.sweep(3, start=1)
@pytest.mark.parametrize("metric", BASE, ids=lambda m: m.name)
def test_no_lumps_are_left_undeclared(metric):
    if metric.lumps is None:
        for lumps in every_pair_of_lumps():
            assert laws.lumps(replace(metric, lumps=lumps), 8), lumps


def test_a_gap_inside_the_lumps_is_found():
    def gap(tp, fn, fp, tn):
        return np.where((tp == 2) & (fn == 2), np.nan, tp / (tp + fn))

    with pytest.raises(DefinitionError, match="lumps: contradicted by"):
        define("gap", gap, lumps=(("tp",), ("fn",)))


@pytest.mark.parametrize("lumps", [(("tp",), ("tp", "fp")), (("tp",), ()), (("hit",), ("fn",))])
def test_lumps_are_two_sets_of_cells(lumps):
    with pytest.raises(InvalidArgumentError, match=r"lumps must be two sets .* write for example"):
        replace(metrics.precision, lumps=lumps)


@pytest.mark.parametrize("metric", metrics.CATALOGUE, ids=lambda m: m.name)
def test_partners_are_mutual(metric):
    for side in ("class_swap", "transpose"):
        partner = getattr(metric, side)
        if partner is not None:
            assert metrics.get(getattr(metrics.get(partner), side)).name == metric.name


def test_undefined_reason_names_the_empty_margin():
    table = metrics.get("recall").undefined_reason
    from baserate import ConfusionMatrix

    assert table(ConfusionMatrix(tp=0, fn=0, fp=3, tn=4)) == "no positives (tp + fn = 0)"
    assert table(ConfusionMatrix(tp=1, fn=0, fp=3, tn=4)) is None
    nothing = ConfusionMatrix(tp=0, fn=2, fp=0, tn=4)
    assert "nothing predicted positive" in metrics.precision.undefined_reason(nothing)
    strict = metrics.prevalence_threshold_strict
    assert "denominator" in strict.undefined_reason(ConfusionMatrix(tp=1, fn=1, fp=2, tn=2))


def test_a_user_defined_metric_is_measured_when_it_is_defined():
    with pytest.raises(DefinitionError, match="affine_in_tp: contradicted by ConfusionMatrix"):
        define("mine", lambda tp, fn, fp, tn: tp / (tp + fn + fp), affine_in_tp=True)
    with pytest.raises(DefinitionError, match="NumPy operations"):
        define("scalar", lambda tp, fn, fp, tn: 1.0 if tp > fn else 0.0)
    with pytest.raises(DefinitionError, match="must be facts of a metric"):
        define("typo", lambda tp, fn, fp, tn: tp, afine=True)
    mine = define("mine", lambda tp, fn, fp, tn: tp / (tp + fn + fp), bounds=(0, 1))
    assert all(law(mine, 12) is None for law in laws.LAWS)
    assert mine.at_base_rate(0.5).name == "mine.at_base_rate(0.5)"


def test_multiples_are_asked_for_where_both_classes_are_there():
    metric, asked = metrics.get("prevalence_threshold_strict"), []

    def noted(p, q):
        asked.append((p, q))
        return metric.undefined_multiples(p, q)

    assert laws.undefined_multiples(replace(metric, undefined_multiples=noted), 6) is None
    assert {min(pair) for pair in asked} == {1, 2, 3}


def test_guessing_scores_its_mean_over_all_deals_of_every_number_of_alarms():
    curve = laws.guessing_curve(metrics.get("accuracy"), 2, 3)
    assert curve == pytest.approx([(3 * (5 - k) + 2 * k) / 25 for k in range(6)], rel=1e-13)


def test_class_totals_are_all_there():
    assert sorted(laws._class_totals(2)) == [(0, 1), (0, 2), (1, 0), (1, 1), (2, 0)]


def test_a_rise_is_wanted_from_tables_with_one_case_in_each_cell_on():
    """Flat at such tables alone, this metric does not increase wherever it should."""

    def formula(tp, fn, fp, tn):
        one_each = (tp == 1) & (fn == 1) & (fp == 1) & (tn == 1)
        return np.where(one_each, 10.0, 0.0) + tp - fn + tn - fp

    lie = replace(metrics.get("youden_j"), formula=formula)
    assert "tp=1, fn=1, fp=1, tn=1" in laws.increases_with_rates(lie, 4)


def test_of_a_chance_that_sinks_and_rises_none_is_unimodal():
    assert laws._has_shape([0, 2, 1], "unimodal")
    assert not laws._has_shape([1, 0, 1], "unimodal")
    assert not laws._has_shape([0, 1, 3], "concave")
    assert laws._has_shape([0, 2, 3], "concave")

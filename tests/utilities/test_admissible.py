"""Which metrics rank as utilities do: derived from formulas, checked by ranking random tables."""

from dataclasses import replace
from itertools import combinations
from math import isnan

import numpy as np
import pytest

from baserate import ConfusionMatrix, metrics
from baserate.errors import UnknownNameError
from baserate.metrics import CATALOGUE
from baserate.utilities import UtilityMatrix, admissible, compare_utilities

ALWAYS = {
    "accuracy": 1 / 2,
    "error_rate": 1 / 2,
    "recall": 0,
    "false_negative_rate": 0,
    "specificity": 1,
    "false_positive_rate": 1,
    "net_benefit(threshold=0.2)": 0.2,
    "weighted_accuracy(weight=0.75)": 0.25,
    "utility([[15, -335], [-35, 165]])": 10 / 11,
    "utility([[45, -335], [-65, 165]])": 50 / 61,
}


@pytest.mark.parametrize(("name", "tau"), ALWAYS.items())
def test_always(name, tau):
    found = admissible(name)
    assert found.answer == "always"
    assert found.tau == pytest.approx(tau, abs=1e-13)
    assert found.tau_at([0.1, 0.7]) == pytest.approx([tau, tau], abs=1e-12)


def test_values_of_yields_are_comparable_between_test_sets_and_recall_is_not():
    """Form (12) of the draft: a factor that depends on the class shares is free on one set only."""
    for name in ("accuracy", "net_benefit(threshold=0.2)", "utility([[15, -335], [-35, 165]])"):
        assert admissible(name).comparable
    for name in ("recall", "specificity", "balanced_accuracy", "f1"):
        assert not admissible(name).comparable


@pytest.mark.parametrize("name", ["balanced_accuracy", "informedness"])
def test_one_test_set_only(name):
    found = admissible(name)
    assert found.answer == "one test set"
    assert isnan(found.tau)
    assert found.tau_at(0.1) == pytest.approx(0.1)
    assert found.tau_at(np.array([0.02, 0.5])) == pytest.approx([0.02, 0.5])


def test_a_restated_metric_has_the_stakes_of_its_own_base_rate():
    """q recall + (1 - q) specificity: s : t is q/pi : (1 - q)/(1 - pi)."""
    found = admissible(metrics.accuracy.at_base_rate(0.2))
    s, t = 0.2 / 0.6, 0.8 / 0.4
    assert found.answer == "one test set"
    assert found.tau_at(0.6) == pytest.approx(t / (s + t))


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("precision", "not linear"),
        ("f1", "not linear"),
        ("mcc", "not linear"),
        ("kappa", "not linear"),
        ("g_mean_2", "not linear"),
        ("ppr", "neither more nor less"),
        ("base_rate", "neither more nor less"),
        ("utility([[0, 1], [1, 0]])", "neither more nor less"),
    ],
)
def test_no(name, reason):
    found = admissible(name)
    assert found.answer == "no"
    assert reason in found.reason
    assert isnan(found.tau)
    assert np.isnan(found.tau_at([0.2, 0.4])).all()


def test_stakes_may_change_with_the_number_of_cases():
    def formula(tp, fn, fp, tn):
        return tp / (tp + fn + fp + tn) - fp

    assert admissible(metrics.define("own", formula, direction="higher")).answer == "one test set"


def test_metrics_of_ones_own():
    cost = metrics.define(
        "cost", lambda tp, fn, fp, tn: (5 * fn + fp) / (tp + fn + fp + tn), direction="lower"
    )
    assert admissible(cost).tau == pytest.approx(1 / 6)
    bent = metrics.define(
        "bent", lambda tp, fn, fp, tn: np.sqrt(tp / (tp + fn)), direction="higher"
    )
    assert admissible(bent).answer == "no"
    wrong = replace(metrics.specificity, direction="lower")
    assert admissible(wrong).reason == "it rewards errors"
    constant = metrics.define(
        "constant", lambda tp, fn, fp, tn: (tp + fn) / (fp + tn), direction="higher"
    )
    assert admissible(constant).reason == "it depends on the class shares only"


@pytest.mark.sweep(45, start=7)
@pytest.mark.parametrize("metric", CATALOGUE, ids=lambda m: m.name)
def test_the_answer_is_how_it_ranks(metric):
    """On one test set an admissible metric orders every pair of tables as its tau does.

    And the others order some pair against each tau: each has two pairs that no tau explains.
    """
    found = admissible(metric)
    rng = np.random.default_rng(7)
    positives, negatives = 40, 90
    tp, fp = rng.integers(1, 40, (2, 400)), rng.integers(1, 90, (2, 400))
    tables = [
        ConfusionMatrix(tp=t, fn=positives - t, fp=f, tn=negatives - f)
        for t, f in zip(tp, fp, strict=True)
    ]
    sign = -1 if metric.direction == "lower" else 1
    lead = sign * (metric(tables[0]) - metric(tables[1]))
    hits, spared = tp[0] - tp[1], fp[1] - fp[0]
    clear = np.abs(lead) > 1e-12
    if found.answer != "no":
        tau = found.tau_at(positives / (positives + negatives))
        worth = (1 - tau) * hits + tau * spared
        assert (np.sign(lead) == np.sign(worth))[clear & (np.abs(worth) > 1e-9)].all()
        assert clear.sum() > 300
        return
    grid = np.linspace(0, 1, 2001)[:, None]
    worth = (1 - grid) * hits + grid * spared
    agree = (np.sign(worth) == np.sign(lead))[:, clear & ~np.isnan(lead)]
    assert not agree.size or not agree.all(axis=1).any()


def test_the_tau_is_that_of_the_half_plane():
    a = ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
    b = ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)
    region = compare_utilities(a, b, UtilityMatrix([[1, 0], [0, 1]])).region
    for name in ("utility([[15, -335], [-35, 165]])", "accuracy"):
        metric = metrics.get(name)
        assert region.contains(admissible(name).tau) == (metric(a) > metric(b))
    u = UtilityMatrix([[15, -335], [-35, 165]])
    assert admissible(u.as_metric()).tau == pytest.approx(u.threshold)


def test_unknown_names():
    with pytest.raises(UnknownNameError):
        admissible("acuracy")


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e9])
def test_the_unit_of_a_metric_does_not_matter(unit):
    for name in ("recall", "specificity", "accuracy", "false_positive_rate"):
        metric = metrics.get(name)
        scaled = replace(metric, name="scaled", formula=lambda *c, m=metric: unit * m.formula(*c))
        own, found = admissible(metric), admissible(scaled)
        assert (found.answer, found.tau) == (own.answer, pytest.approx(own.tau, abs=1e-12))


@pytest.mark.parametrize("share", [0.1, 2.0])
def test_a_reward_for_errors_is_none_of_utilities(share):
    rates = metrics.recall, metrics.specificity
    for one, other in (rates, rates[::-1]):

        def rewarding(*cells, a=one.formula, b=other.formula):
            return a(*cells) - share * b(*cells)

        found = admissible(replace(metrics.informedness, name="rewarding", formula=rewarding))
        assert (found.answer, found.reason) == ("no", "it rewards errors")


@pytest.mark.parametrize("name", ALWAYS)
def test_the_utilities_of_a_metric_rank_every_table_as_it_does(name):
    found, metric = admissible(name), metrics.get(name)
    tables = [(tp, 3 - tp, fp, 5 - fp) for tp in range(4) for fp in range(6)]
    values = [metric(ConfusionMatrix(tp=t[0], fn=t[1], fp=t[2], tn=t[3])) for t in tables]
    sign = -1 if metric.direction == "lower" else 1
    worth = [found.utilities[0, 0] * t[0] + found.utilities[1, 1] * t[3] for t in tables]
    for i, j in combinations(range(len(tables)), 2):
        ours, theirs = worth[i] - worth[j], sign * (values[i] - values[j])
        assert (ours > 1e-12) == (theirs > 1e-12)
        assert (ours < -1e-12) == (theirs < -1e-12)
    assert admissible("f1").utilities is None

"""A formula of the catalogue that a user enters again has the intervals that it has there."""

import numpy as np
import pytest

from baserate import ConfusionMatrix, interval, metrics
from baserate.errors import UnsupportedError
from baserate.inference.linearity import cell_weights, deciding_share, rate_weights
from baserate.inference.separate_samples import compare_separate

TABLES = [
    ConfusionMatrix(tp=3, fn=2, fp=1, tn=4),
    ConfusionMatrix(tp=35, fn=5, fp=10, tn=50),
    ConfusionMatrix(tp=6, fn=0, fp=1, tn=30),
]
OTHER = ConfusionMatrix(tp=5, fn=4, fp=6, tn=21)
EVERY = pytest.mark.parametrize("metric", metrics.CATALOGUE, ids=lambda metric: metric.name)


def mine(metric, **facts):
    return metrics.define(f"my {metric.name}", metric.formula, direction=metric.direction, **facts)


@pytest.mark.sweep(45)
@EVERY
def test_the_same_share_or_weights_decide(metric):
    own = mine(metric)
    assert deciding_share(own) == deciding_share(metric)
    for weights in (cell_weights, rate_weights):
        found, known = weights(own), weights(metric)
        assert (found is None) == (known is None)
        if found is not None:
            np.testing.assert_allclose(found, known, rtol=1e-12)
    assert own.proportion == metric.proportion


@pytest.mark.sweep(45, start=1)
@EVERY
def test_the_interval_is_the_same(metric):
    # Bounds are the user's to tell; laws are integrated to a millionth of their width.
    own = mine(metric, bounds=metric.bounds)
    for table in TABLES:
        found, known = interval(own, table), interval(metric, table)
        width = known.high - known.low
        wanted = pytest.approx([known.low, known.high], abs=3e-6 * width, nan_ok=True)
        assert [found.low, found.high] == wanted
        assert found.route == known.route


@pytest.mark.sweep(6)
@EVERY
def test_two_test_sets_are_compared_without_drawing(metric):
    own = mine(metric, bounds=metric.bounds)
    for table in TABLES[:1]:
        try:
            known = compare_separate(metric, table, OTHER)
        except UnsupportedError:
            with pytest.raises(UnsupportedError, match="pass rng"):
                compare_separate(own, table, OTHER)
            continue
        found = compare_separate(own, table, OTHER)
        for name in ("low", "high", "higher"):
            value = getattr(known, name)
            assert getattr(found, name) == pytest.approx(value, abs=2e-5, rel=2e-5, nan_ok=True)
        assert found.route == known.route


@pytest.mark.parametrize(
    ("formula", "lumps"),
    [
        (lambda tp, fn, fp, tn: tp / (tp + fn + fp), (("tp",), ("fn", "fp"))),
        (lambda tp, fn, fp, tn: np.log(tp / (fn + fp)), (("tp",), ("fn", "fp"))),
        (lambda tp, fn, fp, tn: -((tp / (tp + fp)) ** 3), (("fp",), ("tp",))),
        (lambda tp, fn, fp, tn: np.sqrt(tn / (tn + fp)), (("tn",), ("fp",))),
        (lambda tp, fn, fp, tn: 7.0 * (fn + fp) / (tp + tn), (("fn", "fp"), ("tp", "tn"))),
        (lambda tp, fn, fp, tn: (tp + fp) / (tp + fn + fp + tn), (("tp", "fp"), ("fn", "tn"))),
        (lambda tp, fn, fp, tn: (tp / (tp + fn)) * (tn / (tn + fp)), None),
        (lambda tp, fn, fp, tn: 2.0 * tp / (2 * tp + 3 * fn + fp), None),
        (lambda tp, fn, fp, tn: np.abs(tp / (tp + fn) - 0.5), None),  # one share, not monotone
        (lambda tp, fn, fp, tn: 0 * tp + 1.0, None),
        (lambda tp, fn, fp, tn: np.where(tp + fn < 100, tp / (tp + fn), 0.5), None),
    ],
)
def test_the_deciding_share_is_found_from_values(formula, lumps):
    assert metrics.define("one", formula, direction="neither").lumps == lumps


def test_a_jaccard_index_of_ones_own():
    # 3, 2, 1, 4: quantiles of Beta(3.5, 3.5), which scipy gives as 0.1674 and 0.8326.
    own = metrics.define("overlap", lambda tp, fn, fp, tn: tp / (tp + fn + fp))
    found = interval(own, TABLES[0])
    assert (round(found.low, 3), round(found.high, 3)) == (0.167, 0.833)


def test_told_facts_stay_as_they_are_told():
    told = {"lumps": None, "trend_in_fp": "unknown", "linear_in_rates": False}
    own = mine(metrics.get("recall"), **told)
    assert (own.lumps, own.proportion, own.trend_in_fp) == (None, None, "unknown")
    assert not own.linear_in_rates


def _recall_of_common(tp, fn, fp, tn):
    """Recall, but half of it where fewer than one case in a hundred is positive."""
    return np.where(100 * (tp + fn) < tp + fn + fp + tn, 0.5, 1.0) * tp / (tp + fn)


def _recall_of_precise(tp, fn, fp, tn):
    """Recall, but 0 where fewer than one alarm in ten is right."""
    return np.where(10 * tp < tp + fp, 0.0, 1.0) * tp / (tp + fn)


def _balanced_unless_rare(tp, fn, fp, tn):
    rare = tp + fn < 0.05 * (tp + fn + fp + tn)
    return np.where(rare, tp / (tp + fn), (tp / (tp + fn) + tn / (tn + fp)) / 2)


def _spared(tp, fn, fp, tn):
    """Specificity, but all false alarms are forgiven below one in two hundred."""
    return np.where(200 * fp < fp + tn, 1.0, tn / (fp + tn))


@pytest.mark.parametrize(
    ("formula", "wrong"),
    [
        (_recall_of_common, {"lumps", "proportion", "depends_on_base_rate"}),
        (_recall_of_precise, {"lumps", "proportion", "linear_in_rates"}),
        (_balanced_unless_rare, {"depends_on_base_rate"}),
        (_spared, {"proportion", "linear_in_rates"}),
    ],
)
def test_what_only_small_tables_say_is_not_taken_for_a_fact(formula, wrong):
    unknown = {"depends_on_base_rate": True, "linear_in_rates": False}
    own = metrics.define("own", formula)
    assert {fact: getattr(own, fact) for fact in wrong} == {
        fact: unknown.get(fact) for fact in wrong
    }


def test_a_rule_that_bites_far_from_small_tables_is_in_the_interval():
    # Five positives in a thousand: the value is half of recall, hardly ever recall.
    own = metrics.define("own", _recall_of_common, bounds=(0, 1))
    found = interval(own, ConfusionMatrix(tp=5, fn=5, fp=200, tn=1790))
    rng = np.random.default_rng(1)
    drawn = own.formula(*rng.dirichlet([5.5, 5.5, 200.5, 1790.5], size=400_000).T)
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert found.low == pytest.approx(low, abs=0.003)
    assert found.high == pytest.approx(high, abs=0.01)

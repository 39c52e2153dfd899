"""The downsampling experiment against sums in fractions and its own smaller parts."""

from fractions import Fraction

import numpy as np
import pytest

from baserate import ConfusionMatrix, metrics
from baserate.errors import InvalidArgumentError
from baserate.groups import Estimator, downsample, downsampling, risks
from baserate.models import Multinomial
from oracles import small_sample_twins as twins

CELLS = {"a": (2, 1, 3, 2), "b": (4, 2, 1, 9)}
GROUPS = {
    name: ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True)))
    for name, cells in CELLS.items()
}
NAMES = ["accuracy", "recall", "f1", "matthews_correlation"]


def expected(name, group, estimator, n, law):
    other = CELLS["b" if group == "a" else "a"]
    priors = {
        "raw": (0,) * 4,
        "add_one": (1,) * 4,
        "strength=5": [5 * Fraction(c, sum(other)) for c in other],
    }
    mass, _, mse = twins.risk(name, n, CELLS[group], priors[estimator], law)
    return float(mass), float(mse)


@pytest.mark.parametrize("replace", [True, False])
def test_every_error_in_fractions(replace):
    law = twins.multinomial if replace else twins.hypergeometric
    found = downsample(GROUPS, NAMES, sizes=[2, 5], strengths=[5], replace=replace)
    assert found.estimators == ("raw", "epsilon", "add_one", "strength=5")
    assert found.mse.shape == (2, 4, 4, 2)
    for g, group in enumerate(found.groups):
        for m, name in enumerate(found.metrics):
            for estimator in ("raw", "add_one", "strength=5"):
                e = found.estimators.index(estimator)
                for i, n in enumerate(found.sizes):
                    mass, mse = expected(name, group, estimator, n, law)
                    assert found.mse[g, m, e, i] == pytest.approx(mse, rel=1e-11)
                    assert found.probability_defined[g, m, e, i] == pytest.approx(mass, rel=1e-12)
            assert found.truth[g, m] == pytest.approx(float(metrics.get(name)(GROUPS[group])))


def test_no_error_is_left_when_everyone_is_drawn_and_more_cannot_be():
    found = downsample(GROUPS, NAMES, sizes=[8, 9], strengths=[])
    np.testing.assert_allclose(found.of("raw")[0, :, 0], 0, atol=1e-30)
    assert np.isnan(found.of("raw")[0, :, 1]).all()
    assert not np.isnan(found.of("raw")[1]).any()
    assert np.isnan(found.ratios("add_one")[0]).all()
    assert {(row["group"], row["n"]) for row in found.rows} == {("a", 8), ("b", 8), ("b", 9)}


def test_failures_are_where_the_ratio_is_above_one():
    far = {"a": ConfusionMatrix(tp=50, fn=1, fp=1, tn=1)}
    how = {"reference": (1, 1, 50, 50), "strengths": (40,), "replace": True}
    found = downsample(far, ["base_rate", "recall"], sizes=[5, 50], **how)
    ratios = found.ratios("strength=40", against="epsilon")
    assert ratios[0, 0, 1] == pytest.approx(
        found.of("strength=40")[0, 0, 1] / found.of("epsilon")[0, 0, 1]
    )
    failures = found.worse("strength=40", against="epsilon")
    assert [f.metric for f in failures] == ["base_rate", "recall"]
    assert failures[0].worst >= failures[1].worst
    assert found.worse("raw") == ()


def test_references_of_each_group():
    by_name = {"a": (1, 2, 3, 4), "b": GROUPS["a"]}
    how = {"reference": by_name, "strengths": (5,), "replace": True}
    found = downsample(GROUPS, ["f1"], sizes=[7], **how)
    smooth = Estimator.toward((1, 2, 3, 4), strength=5)
    [one] = risks("f1", Multinomial(n=7, cells=GROUPS["a"]), [smooth])
    assert found.of("strength=5")[0, 0, 0] == pytest.approx(one.mse, rel=1e-13)
    assert found.bias[0, 0, 3, 0] == pytest.approx(one.bias, rel=1e-13)


def test_rows_of_a_single_table_have_no_smoothing():
    """One case of eight: right in four, and raw accuracy is unbiased with variance p(1 - p)."""
    [raw, epsilon, one] = downsample(GROUPS["a"], "accuracy", sizes=[1]).rows
    assert [row["estimator"] for row in (raw, epsilon, one)] == ["raw", "epsilon", "add_one"]
    assert (raw["truth"], raw["bias"], raw["rmse"], raw["ratio"]) == pytest.approx((0.5, 0, 0.5, 1))
    assert raw["undefined"] == 0
    assert one["rmse"] == pytest.approx(0.1)  # (1 + 2) / 5 or (0 + 2) / 5
    half = ConfusionMatrix(tp=1, fn=1, fp=3, tn=3)
    assert downsample(half, "recall", sizes=[1]).rows[0]["undefined"] == pytest.approx(0.75)


def test_usual_sizes_stop_where_every_table_is_summed():
    large = {"a": ConfusionMatrix(tp=200, fn=100, fp=300, tn=900)}
    assert downsample(large, "accuracy").sizes[-1] == 1500
    assert downsampling.usual_sizes(large, [metrics.matthews_correlation])[-1] == 150


@pytest.mark.parametrize(
    ("given", "asked", "how", "message"),
    [
        (GROUPS, "f1", {"sizes": [0]}, "sizes must be a whole number of at least 1"),
        (GROUPS, "f1", {"sizes": []}, "sizes must hold one at least"),
        (GROUPS, [], {}, "metrics must hold one at least"),
        ({}, "f1", {}, "groups must hold one at least"),
        (GROUPS, "f1", {"strengths": None}, "strengths must be one or several"),
        (
            {"a": ConfusionMatrix(tp=0.5, fn=1, fp=1, tn=1)},
            "f1",
            {},
            "population.tp must be a whol",
        ),
    ],
)
def test_refusals(given, asked, how, message):
    with pytest.raises(InvalidArgumentError, match=message):
        downsample(given, asked, **how)

"""Algorithmic Accountability in Small Data: published tables, and statements that hold or fail.

Numbers: the paper's, or full enumeration over all tables of n <= 150 cases where the paper errs.
"""

import numpy as np
import pytest

from baserate import ConfusionMatrix
from papers import small_data


def total(groups):
    tables = list(groups.values())
    return sum(tables[1:], tables[0])


def test_published_tables():
    assert len(small_data.GROUPS) == 10
    assert total(small_data.FOLKTABLES) == small_data.FOLKTABLES_ALL
    assert small_data.COMPAS_ALL.n == 6454
    assert small_data.GROUPS["FT Multiracial"].n == 5956  # caption of figure 1
    assert len(small_data.METRICS) == 15
    assert len(small_data.DISTINCT) == 11


def test_the_rest_is_everyone_else():
    assert small_data.rest_of("COMPAS Black") == ConfusionMatrix(tp=116, fn=177, fp=554, tn=2429)
    for name in small_data.FOLKTABLES:
        whole = small_data.rest_of(name) + small_data.GROUPS[name]
        assert whole == small_data.FOLKTABLES_ALL


def test_table_2_corrected():
    found = small_data.table_2()
    np.testing.assert_allclose(found.reference, [0.0354, 0.0540, 0.1691, 0.7415], atol=5e-5)
    by_cell = [0.0505, 0.0005, 0.1591, 0.2090]
    np.testing.assert_allclose(found.reference_by_cell, by_cell, atol=5.1e-5)
    assert round(found.reference_l1, 3) == 0.419
    assert round(found.uniform_l1, 3) == 0.721
    assert round(found.uniform_by_cell.fp, 3) == 0.078


def test_table_1_corrected():
    found = small_data.table_1(5, 7)
    assert found["treatment_equality"] == 3780  # C.6 prints 56
    assert found["prevalence_threshold_strict"] == 20  # C.5 bounds it by 11.1
    assert found["recall"] == 6
    assert found["matthews_correlation"] == 20
    assert found["f1"] == 1
    assert found["f1_harmonic"] == 21
    assert found["objective_fairness_index"] == 0


# "CPS improves the error in every experiment": (failing pairs, share of cells, worst ratio) of 150
# pairs and 145 sizes, n = 5..149, multinomial samples.
FAILING = {5: (1, 0.0063, 1.03), 10: (4, 0.025, 1.53), 20: (13, 0.077, 2.72), 40: (32, 0.159, None)}
NEVER = {
    "accuracy", "marginal_benefit", "recall", "false_negative_rate", "precision",
    "false_discovery_rate", "f1", "matthews_correlation", "prevalence_threshold",
}  # fmt: skip


@pytest.fixture(scope="module")
def errors(smoothing_errors):
    return smoothing_errors()


@pytest.mark.slow
@pytest.mark.parametrize("strength", FAILING)
def test_failing_pairs(errors, strength):
    found = small_data.failing_pairs(errors, strength)
    pairs, share, worst = FAILING[strength]
    assert len(found) == pairs
    cells = sum(len(failure.sizes) for failure in found)
    assert cells / (150 * 145) == pytest.approx(share, abs=6e-4)
    if worst is not None:
        assert (found[0].group, found[0].metric) == ("FT Other", "base_rate")
        assert round(found[0].worst, 2) == worst
        assert not NEVER & {failure.metric for failure in found}


@pytest.mark.slow
def test_where_strength_20_fails(errors):
    found = {(f.group, f.metric): f for f in small_data.failing_pairs(errors, 20)}
    first = {
        ("FT Other", "base_rate"): (5, 2.72),
        ("FT Other", "predicted_positive_rate"): (6, 1.73),
        ("FT Other", "negative_predictive_value"): (30, 1.05),
        ("FT American Indian and Alaska Native", "predicted_positive_rate"): (7, 1.60),
        ("FT American Indian and Alaska Native", "base_rate"): (7, 1.57),
        ("FT Pacific Islander", "base_rate"): (37, 1.05),
        ("COMPAS Black", "predicted_positive_rate"): (13, 1.25),
        ("COMPAS Black", "false_positive_rate"): (23, 1.12),
        ("COMPAS White", "predicted_positive_rate"): (16, 1.19),
        ("COMPAS White", "specificity"): (36, 1.05),
    }
    for pair, (size, worst) in first.items():
        assert found[pair].sizes[0] == size
        assert found[pair].sizes[-1] == 149
        assert round(found[pair].worst, 2) == worst


@pytest.mark.slow
def test_pooled_averages(errors):
    def pooled(estimator):
        return errors.of(estimator).mean(axis=0)

    for strength in (5, 10, 20):
        assert (pooled(f"strength={strength}") < pooled("epsilon")).all()
    worse = pooled("strength=40") > pooled("epsilon")
    starts = {
        m: errors.sizes[int(np.argmax(w))]
        for m, w in zip(errors.metrics, worse, strict=True)
        if w.any()
    }
    assert starts["predicted_positive_rate"] == 24
    assert starts["base_rate"] == 29
    # The rise of eps = 1e-10 for the pooled recall, up to n = 8, and its fall: .0512, .1232, .0899.
    recall = pooled("epsilon")[errors.metrics.index("recall")]
    assert round(recall[errors.sizes.index(8)], 4) == 0.1232
    assert round(recall[errors.sizes.index(20)], 4) == 0.0899
    # Add-one is worse than raw at every n for these two.
    for name in ("negative_predictive_value", "base_rate"):
        m = errors.metrics.index(name)
        assert (pooled("add_one")[m] > pooled("raw")[m]).all()


@pytest.mark.slow
def test_without_replacement_more_fails():
    found = small_data.smoothing_errors(
        metrics=["base_rate", "predicted_positive_rate", "accuracy", "recall", "precision", "f1"],
        strengths=[5, 20],
        replace=False,
    )
    five = {(f.group, f.metric): f.sizes[0] for f in small_data.failing_pairs(found, 5)}
    native = "FT American Indian and Alaska Native"
    assert five[native, "predicted_positive_rate"] == 128
    assert five[native, "base_rate"] == 133
    twenty = {(f.group, f.metric): f.sizes[0] for f in small_data.failing_pairs(found, 20)}
    assert twenty["COMPAS Black", "accuracy"] == 101
    assert twenty[native, "recall"] == 96
    assert twenty[native, "precision"] == 85
    assert twenty[native, "f1"] == 80

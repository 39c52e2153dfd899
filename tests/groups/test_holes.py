"""How many tables are undefined: closed forms against looking at every table."""

from math import comb
from operator import attrgetter

import numpy as np
import pytest

from baserate import metrics
from baserate.errors import InvalidArgumentError, UnknownNameError, UnsupportedError
from baserate.groups.holes import count_tables, count_undefined, n_tables
from oracles import small_sample_twins as twins


def looked_at(metric, n):
    return count_tables(n, lambda t: np.isnan(metric(t)), subject="", remedy="")


@pytest.mark.sweep(45, start=1)
@pytest.mark.parametrize("metric", metrics.CATALOGUE, ids=attrgetter("name"))
def test_every_closed_form_is_what_looking_at_each_table_finds(metric):
    for n in (*range(1, 13), 40):
        assert metric.count_undefined(n) is not None
        assert count_undefined(metric, n) == looked_at(metric, n), n


@pytest.mark.parametrize(
    "name", ["recall", "pt_strict", "f1_harmonic", "mcc", "error_ratio", "dor"]
)
@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_against_the_definitions_in_fractions(name, n):
    name = metrics.get(name).name
    assert count_undefined(name, n) == twins.holes(name, n)


# The counts of Briscoe et al. (2025), section 4 and appendix A, and those that correct C.5.
@pytest.mark.parametrize(
    ("name", "closed"),
    [
        ("accuracy", lambda n: 0),
        ("recall", lambda n: n + 1),
        ("mcc", lambda n: 4 * n),
        ("f1", lambda n: 1),
        ("f1_harmonic", lambda n: comb(n + 2, 2)),
        ("prevalence_threshold", lambda n: 3 * n + 1),
        ("fowlkes_mallows", lambda n: 2 * n + 1),
        ("informedness", lambda n: 2 * n + 2),
        ("kappa", lambda n: 2),
        ("lr_plus", lambda n: comb(n + 2, 2) + n),
        ("dor", lambda n: (n + 1) ** 2),
    ],
)
def test_published_closed_forms(name, closed):
    for n in (1, 2, 7, 60):
        assert count_undefined(name, n) == closed(n)


def test_prevalence_threshold_as_published_exceeds_its_published_bound():
    # Counts of the corrected C.5: 12 at n = 3, 17 at 4, 20 at 5, 65 at 12.
    assert [count_undefined("pt_strict", n) for n in (3, 4, 5, 12)] == [12, 17, 20, 65]


@pytest.mark.parametrize(("sizes", "holes"), [((3, 3), 300), ((5, 7), 3780)])
def test_treatment_equality(sizes, holes):
    # C.6 as printed has 19 and 56.
    assert count_undefined("treatment_equality", sizes) == holes
    a, b = (twins.tables(n) for n in sizes)
    assert holes == sum(x[2] == 0 or y[2] == 0 for x in a for y in b)


def test_no_table_at_all_has_no_value():
    assert count_undefined("recall", 0) == n_tables(0) == 1
    assert count_undefined("accuracy", 0) == 1


def own():
    return metrics.define("own", lambda tp, fn, fp, tn: tp * tn / (fp - fn), direction="neither")


def test_a_users_metric_without_sums_is_looked_at():
    metric = own()
    assert metric.count_undefined(6) is None
    expected = sum(fp == fn for tp, fn, fp, tn in twins.tables(6))
    assert count_undefined(metric, 6) == expected


def test_too_many_tables_are_refused_with_what_to_do():
    with pytest.raises(
        UnsupportedError, match=r"own has no closed form.*declare undefined_if_zero"
    ):
        count_undefined(own(), 600)


def test_holes_of_a_pair():
    assert count_undefined("difference(recall)", (3, 4)) == 20 * 35 - 16 * 30


def test_many_sizes_and_metrics_at_once():
    """Recall has n + 1 holes and mcc 4n, of C(n + 3, 3) tables; sizes of two tables are pairs."""
    found = count_undefined(["recall", "mcc"], np.arange(1, 4))
    assert (found.counts, found.tables) == (((2, 3, 4), (4, 8, 12)), (4, 10, 20))
    assert found.shares[1].tolist() == [1.0, 0.8, 0.6]
    last = {"metric": "matthews_correlation", "n": 3, "undefined": 12, "tables": 20, "share": 0.6}
    assert found.rows[-1] == last
    assert found.to_frame("polars")["share"].sum() == pytest.approx(0.5 + 0.3 + 0.2 + 2.4)
    assert count_undefined(["recall", "mcc"], 3).counts == ((4,), (12,))
    pairs = count_undefined("treatment_equality", [(3, 3), (5, 7)])
    assert (pairs.counts, pairs.tables) == (((300, 3780),), (20 * 20, 56 * 120))
    assert pairs.rows[1]["n2"] == 7
    assert count_undefined("recall", [10**7]).tables == (comb(10**7 + 3, 3),)  # beyond 64 bits


@pytest.mark.parametrize(
    ("metric", "n", "message"),
    [
        ([], 3, "metric must be a metric, or a list"),
        ("recall", [], "n must hold a size"),
        (["ofi", "recall"], [(3, 3)], r"several are a list, n=\[3, 3\]"),
        ("recall", (3, 4), r'write "difference\(recall\)"'),
        ("ofi", 3, r"must be \(n1, n2\).*objective_fairness_index.*n=\(20, 35\)"),
        ("ofi", (3, 4, 5), "sizes .n1, n2. of two tables"),
        ("recall", -1, "n must be a whole number"),
        ("ofi", (3, 1.5), "n2 must be a whole number"),
    ],
)
def test_refusals(metric, n, message):
    with pytest.raises(InvalidArgumentError, match=message):
        count_undefined(metric, n)


def test_a_misspelt_metric_inside_a_pair_is_named():
    with pytest.raises(UnknownNameError, match=r"'recal'. Did you mean 'recall'"):
        count_undefined("difference(recal)", (3, 4))

"""All class totals at once say what a search at each of them says."""

import pytest

from baserate import dutch_draw
from baserate.baselines.over_totals import over_all_totals
from baserate.baselines.totals import possible_totals
from baserate.metrics import CATALOGUE, get

# Where the metric is defined depends on the totals, or its curve has neither ends nor one hill.
ONE_BY_ONE = {
    "f1_harmonic", "prevalence_threshold_strict", "gilbert_skill_score", "diagnostic_odds_ratio",
    "positive_likelihood_ratio", "negative_likelihood_ratio", "error_ratio",
}  # fmt: skip


@pytest.mark.parametrize("metric", CATALOGUE, ids=str)
def test_the_same_as_a_search_at_each_pair_of_totals(metric):
    for n in (3, 4, 37):
        found = over_all_totals(metric, possible_totals(None, None, n, None))
        assert (found is None) == (metric.name in ONE_BY_ONE)
        if found is not None:
            [each] = dutch_draw([metric], n=n).over_totals
            assert found.low == pytest.approx(each.low, rel=1e-13, abs=1e-15, nan_ok=True)
            assert found.high == pytest.approx(each.high, rel=1e-13, abs=1e-15, nan_ok=True)
            assert (found.theta_star, found.reason) == (each.theta_star, each.reason)


@pytest.mark.sweep(3, start=2)
@pytest.mark.parametrize(
    ("metric", "positives", "n"),
    [
        ("geometric_mean", range(1, 400), 500),  # hills between those that are climbed alone
        ("geometric_mean", range(499, 100, -1), 500),
        ("accuracy", range(5, 10), 10),  # of one of which all draws are alike
    ],
)
def test_some_of_the_totals(metric, positives, n):
    found = over_all_totals(get(metric), [(p, n - p) for p in positives])
    [each] = dutch_draw(metric, n_positive=[*positives], n=n).over_totals
    assert found.low == pytest.approx(each.low, rel=1e-13)
    assert found.high == pytest.approx(each.high, rel=1e-13)
    assert found.theta_star == each.theta_star


def test_totals_of_several_sizes_or_without_one_class_are_searched_one_by_one():
    assert over_all_totals(CATALOGUE[4], [(3, 5), (3, 6)]) is None
    assert over_all_totals(CATALOGUE[4], [(0, 8), (3, 5)]) is None

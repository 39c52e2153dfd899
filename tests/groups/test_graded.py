"""Tables graded in bins, beside the same tables sorted; many metrics of large groups at once."""

import numpy as np
import pytest

from baserate import ConfusionMatrix
from baserate.groups import family_adjust, match_test
from baserate.groups.tables import Graded, Tables
from baserate.metrics import get
from baserate.models import DirichletMultinomial

GROUP = ConfusionMatrix(tp=30, fn=50, fp=9, tn=160)
REST = ConfusionMatrix(tp=400, fn=700, fp=250, tn=2200)
MODEL = DirichletMultinomial(n=249, concentration=tuple(cell + 0.5 for cell in REST))
TABLES = Tables.of(GROUP, "classes")
WEIGHTS = TABLES.weights(MODEL)
METRICS = ("precision", "f1", "matthews_correlation", "accuracy", "diagnostic_odds_ratio")


def sorted_values(name):
    """Distinct values up to rounding, and the mass of each, by sorting all tables."""
    values = TABLES.values(get(name))
    known = ~np.isnan(values)
    _, first, which = np.unique(np.round(values[known], 10), return_index=True, return_inverse=True)
    return values[known][first], np.bincount(which, WEIGHTS[known])


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("at", [0.0003, 0.02, 0.5, 0.97])
def test_tails_and_kept_values_are_those_of_sorted_tables(name, at):
    graded = Graded(get(name), TABLES.values(get(name)), WEIGHTS)
    values, mass = sorted_values(name)
    share = np.cumsum(mass) / mass.sum()
    i = int(np.searchsorted(share, at))
    lower, upper = graded.tails(float(values[i]))
    assert lower == pytest.approx(share[i], rel=1e-9)
    assert upper == pytest.approx(1 - share[i] + mass[i] / mass.sum(), rel=1e-9)
    # A test at this level keeps the first value at which its tail is passed.
    level = np.array([at])
    low, _ = graded.kept(level, "less")
    _, high = graded.kept(level, "greater")
    from_above = np.cumsum(mass[::-1]) / mass.sum()
    assert low[0] == pytest.approx(values[np.searchsorted(share, at, side="right")], abs=1e-9)
    last = values[::-1][np.searchsorted(from_above, at, side="right")]
    assert high[0] == pytest.approx(last, rel=1e-9)


@pytest.mark.parametrize("name", METRICS)
def test_steps_count_the_ranges_that_hold_a_table(name):
    values = TABLES.values(get(name))
    graded = Graded(get(name), values, WEIGHTS)
    low, high = graded.kept(np.array([0.001, 0.05, 0.4]), "two-sided")
    held = (values[:, None] >= low) & (values[:, None] <= high)
    held[np.isnan(values)] = True
    assert np.array_equal(graded.steps(low, high), held.sum(axis=1))


def test_the_adjusted_p_of_many_likely_tables_is_that_of_all_tables_sorted():
    tests = [match_test(name, GROUP, REST, condition="classes") for name in METRICS]
    found = family_adjust(tests, ["a"] * len(tests)).p_values
    lowest = np.ones(TABLES.size)
    for name in METRICS:
        values, mass = sorted_values(name)
        lower, upper = np.cumsum(mass), np.cumsum(mass[::-1])[::-1]
        p = np.minimum(1.0, 2 * np.minimum(lower, upper) / mass.sum())
        every = TABLES.values(get(name))
        known = ~np.isnan(every)
        place = np.searchsorted(np.round(values, 10), np.round(every[known], 10))
        lowest[known] = np.minimum(lowest[known], p[place])
    for test, adjusted in zip(tests, found, strict=True):
        expected = WEIGHTS[lowest <= test.p_value * (1 + 1e-8)].sum()
        assert adjusted == pytest.approx(max(expected, test.p_value), rel=1e-8)


def test_a_complement_has_the_adjusted_p_of_what_it_completes():
    pairs = (("accuracy", "error_rate"), ("precision", "false_discovery_rate"))
    names = [name for pair in pairs for name in pair] + ["f1"]
    tests = [match_test(name, GROUP, REST, condition="classes") for name in names]
    p = dict(zip(names, family_adjust(tests, ["a"] * 5).p_values, strict=True))
    assert len(set(p.values())) == 3
    for one, other in pairs:
        assert p[one] == p[other]


@pytest.mark.parametrize("left_out", [1e-6, 1e-13])
def test_likely_tables_leave_out_no_more_than_they_may(left_out):
    short = Tables.likely(GROUP, "classes", MODEL, left_out)
    missing = 1 - short.weights(MODEL).sum()
    assert short.size < TABLES.size
    assert missing <= left_out + 1e-14

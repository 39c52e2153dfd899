"""Intervals of every metric: turned with the table, nested, narrower with more cases."""

import numpy as np

import baserate as br
from baserate.inference.intervals import class_intervals
from laws.subjects import (
    CLASS_CELLS,
    CLASS_METRICS,
    METRICS,
    QUICK,
    batch,
    swapped_metric,
    transposed_metric,
)
from laws.sweep import law

SWAPS = [metric for metric in QUICK if metric.class_swap is not None]
TRANSPOSES = [metric for metric in QUICK if metric.transpose is not None]
CELLS = np.array([[14, 5, 3, 28], [2, 1, 0, 9], [0, 4, 2, 3], [120, 31, 17, 240], [3, 0, 0, 5]]).T
TABLES = batch(CELLS)
LEVELS = (0.5, 0.9, 0.99)
METHODS = ["bayes", "wilson", "exact"]
TOLERANCE = 3e-6  # of the width; an end is found to 1e-6 of it


def limits(metric, table, **how):
    found = br.interval(metric, table, **how)
    return np.array([found.low, found.high])


def close(one, other):
    """Equal up to what intervals promise: a millionth of their width."""
    width = np.nan_to_num(np.abs(one[1] - one[0]))
    where = np.isnan(one) == np.isnan(other)
    assert where.all()
    off = np.nan_to_num(np.abs(one - other))
    assert (off <= TOLERANCE * width + 1e-12 * np.nan_to_num(np.abs(one))).all(), (one, other)


@law(SWAPS, few=6)
def test_classes_that_trade_places_keep_the_interval(metric):
    close(limits(metric, TABLES), limits(swapped_metric(metric), TABLES.swap_classes()))


@law(TRANSPOSES, few=6)
def test_truth_and_prediction_that_trade_places_keep_the_interval(metric):
    close(limits(metric, TABLES), limits(transposed_metric(metric), TABLES.transpose()))


@law(QUICK, few=6)
def test_no_table_feels_its_neighbours(metric):
    """Rounding apart, a table alone has the interval that it has in any batch."""
    found = br.interval(metric, TABLES)
    for i in range(TABLES.shape[0]):
        alone = br.interval(metric, TABLES[i])
        one, other = (alone.low, alone.high), (found.low[i], found.high[i])
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-13)
        assert alone.route == found.route[i]
    backwards = br.interval(metric, TABLES[::-1])
    np.testing.assert_allclose(backwards.low[::-1], found.low, rtol=1e-12, atol=1e-13)


@law(QUICK, few=6)
def test_the_value_lies_inside_and_more_confidence_reaches_further(metric):
    value = metric(TABLES)
    low, high = np.array([limits(metric, TABLES, confidence_level=c) for c in LEVELS]).swapaxes(
        0, 1
    )
    defined = ~np.isnan(value)
    assert (np.isnan(low) == ~defined).all()
    low, high, value = low[:, defined], high[:, defined], value[defined]
    slack = TOLERANCE * (high - low)
    assert (low <= value + slack).all()
    assert (high >= value - slack).all()
    assert (np.diff(low, axis=0) <= slack[1:]).all()
    assert (np.diff(high, axis=0) >= -slack[1:]).all()
    assert (low >= metric.bounds[0] - 1e-12).all()
    assert (high <= metric.bounds[1] + 1e-12).all()


@law([m for m in QUICK if m.scale_invariant], few=12)
def test_ten_times_the_cases_at_the_same_rates_leave_less_than_half_the_width(metric):
    """Where no cell is empty: about a square root of ten."""
    table = batch(CELLS[:, [0, 3]])
    more = batch(10 * CELLS[:, [0, 3]])
    (low, high), (lower, higher) = limits(metric, table), limits(metric, more)
    assert (higher - lower < (high - low) / 2).all()
    assert (higher - lower > (high - low) / 8).all()


PROPORTIONS = [metric for metric in METRICS if metric.proportion is not None]


@law(PROPORTIONS, METHODS)
def test_a_share_and_what_it_leaves_have_mirrored_intervals(metric, method):
    """The interval of 1 - share is 1 - the interval."""
    hits, misses = metric.proportion
    other = br.metrics.define(
        "rest",
        lambda *cells: 1 - metric.formula(*cells),
        direction="neither",
        bounds=(0, 1),
        proportion=(misses, hits),
        undefined_if_zero=metric.undefined_if_zero,
    )
    found, mirrored = (limits(m, TABLES, method=method) for m in (metric, other))
    np.testing.assert_allclose(found, 1 - mirrored[::-1], rtol=1e-9, atol=1e-12)


@law([m for m in PROPORTIONS if m.scale_invariant], METHODS)
def test_one_more_success_moves_both_ends_up(metric, method):
    hits, misses = metric.proportion
    cells = {**dict.fromkeys(("tp", "fn", "fp", "tn"), 0)}
    counts = np.arange(13)
    cells[hits[0]], cells[misses[0]] = counts, 12 - counts
    low, high = limits(metric, br.ConfusionMatrix(**cells), method=method)
    assert (np.diff(low) >= -1e-12).all()
    assert (np.diff(high) >= -1e-12).all()
    assert (np.diff(low[1:]) > 0).all()


ORDERED = ("weighted_kappa", "utility")
UNORDERED = [m for m in CLASS_METRICS if not m.name.startswith(ORDERED)]


@law(UNORDERED)
def test_labels_in_another_order_are_the_same_classes(metric):
    """Exact intervals are those of any order; of draws up to what the draws leave open."""
    order = [2, 0, 1]
    turned = br.ClassTable(
        CLASS_CELLS.counts[order][:, order], [CLASS_CELLS.labels[i] for i in order]
    )
    one, other = (class_intervals([metric], table)[metric.name] for table in (CLASS_CELLS, turned))
    assert one.value == other.value or np.isclose(one.value, other.value, rtol=1e-14)
    slack = 1e-9 + max(one.error, other.error)  # of draws; other routes state none
    np.testing.assert_allclose((one.low, one.high), (other.low, other.high), rtol=0, atol=slack)

"""What any metric may be within a box of tables: against every table of it."""

import numpy as np
import pytest

import baserate as br
from baserate.curves.score_bins import Boxes, boxes_at, metric_ranges, turns_back
from baserate.metrics import CATALOGUE, define
from tests.oracles.binned_twins import table

TOTALS = 7, 9
OWN = define("own", lambda tp, fn, fp, tn: (tp - fp) ** 2 / (tp + fn + 1), direction="neither")
MORE = [OWN, br.metrics.net_benefit(threshold=0.3), br.metrics.get("f1").at_base_rate(0.2)]


def every(metric, box):
    """Return all values in a box that are defined."""
    a, b, p, q = box
    cells = np.array([(a + i, b + j) for i in range(p + 1) for j in range(q + 1)]).T
    tp, fp = cells
    tables = br.ConfusionMatrix(tp=tp, fn=TOTALS[0] - tp, fp=fp, tn=TOTALS[1] - fp)
    values = np.asarray(metric(tables), dtype=float)
    return values[~np.isnan(values)]


@pytest.mark.sweep(48, start=38)
@pytest.mark.parametrize("metric", [*CATALOGUE, *MORE], ids=lambda metric: metric.name)
def test_a_range_is_that_of_all_tables(metric):
    rng = np.random.default_rng(1)
    above = [rng.integers(0, total + 1, 150) for total in TOTALS]
    inside = [rng.integers(0, total - side + 1) for total, side in zip(TOTALS, above, strict=True)]
    low, high = metric_ranges(metric, Boxes(*above, *inside, TOTALS))
    for at, box in enumerate(zip(*(part.tolist() for part in (*above, *inside)), strict=True)):
        values = every(metric, box)
        if not len(values):
            assert np.isnan([low[at], high[at]]).all()
            continue
        assert low[at] <= values.min()
        assert values.max() <= high[at]
        assert low[at] == pytest.approx(values.min(), rel=1e-12, abs=1e-12)
        assert high[at] == pytest.approx(values.max(), rel=1e-12, abs=1e-12)


def test_most_metrics_need_no_more_than_corners():
    turning = {metric.name for metric in CATALOGUE if any(turns_back(metric))}
    odd = {"prevalence_threshold", "prevalence_threshold_strict", "negative_likelihood_ratio"}
    assert turning == odd | {"error_ratio", "chi_squared"}


def test_beyond_the_budget_the_declared_bounds_are_left():
    one, many = np.array([0]), np.array([10**6])
    low, high = metric_ranges(OWN, Boxes(one, one, many, many, (10**6, 10**6)))
    assert (low[0], high[0]) == (-np.inf, np.inf)


def test_a_threshold_within_a_bin_has_a_box_and_an_edge_has_a_table():
    rng = np.random.default_rng(2)
    scores = rng.random(9_000)
    truth = rng.random(9_000) < scores
    swept = br.ScoreHistogram(bins=4096).add(truth, scores).sweep()
    asked = np.concatenate((scores[:80], swept.thresholds[1:60], swept.highest[1:60], [2, -1]))
    boxes = boxes_at(swept, asked)
    for at, threshold in enumerate(asked.tolist()):
        tp, _, fp, _ = table(truth, scores, threshold)
        assert boxes.tp[at] <= tp <= boxes.tp[at] + boxes.positive[at]
        assert boxes.fp[at] <= fp <= boxes.fp[at] + boxes.negative[at]
    assert not boxes.positive[80:139].any()
    assert not boxes.negative[-2:].any()

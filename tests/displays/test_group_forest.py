"""Forest plots: rows against published tables, SciPy's laws, and what an audit finds."""

import csv
from fractions import Fraction
from math import inf, isnan, nan
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import beta

import baserate as br
from baserate.displays import GroupForestDisplay
from baserate.displays.forest_plot import ForestRow
from baserate.errors import InvalidArgumentError
from baserate.groups.null import Null
from baserate.groups.power import smallest_of
from baserate.groups.trials import MetricTrial, trial_of

GROUPS = {
    "Black": br.ConfusionMatrix(tp=273, fn=170, fp=1043, tn=1692),
    "White": br.ConfusionMatrix(tp=77, fn=129, fp=380, tn=1679),
    "other": br.ConfusionMatrix(tp=39, fn=48, fp=174, tn=750),
}
EMPTY = br.ConfusionMatrix(tp=0, fn=0, fp=3, tn=9)
AFFAIRS = Path(__file__).parents[2] / "examples" / "affairs.csv"


def rows_of(*_, **how):
    return {row.name: row for row in GroupForestDisplay(GROUPS, **how).rows}


def test_rows_hold_value_interval_reference_and_smoothed_value():
    row = rows_of(metric="recall")["White"]
    assert row.value == float(Fraction(77, 206))
    assert (row.n, row.events) == (206, 77)  # found of its positives
    assert row.reference == pytest.approx(float(Fraction(273 + 39, 443 + 87)), rel=1e-14)
    ends = beta.ppf([0.025, 0.975], 77.5, 129.5)
    np.testing.assert_allclose((row.low, row.high), ends, rtol=1e-9)
    rest = 443 + 87 + 2735 + 924
    tp, fn = 77 + Fraction(10 * 312, rest), 129 + Fraction(10 * 218, rest)
    assert row.smoothed == pytest.approx(float(tp / (tp + fn)), rel=1e-12)


def test_zone_is_the_gap_that_would_have_gone_unseen():
    row = rows_of(metric="recall")["other"]
    rest = GROUPS["Black"] + GROUPS["White"]
    null = Null.of(GROUPS["other"], rest, uncertain=True, law="permutation")
    recall = br.metrics.get("recall")
    tried = trial_of(MetricTrial(recall, "auto", uncertain=True), null)
    seen = smallest_of(tried, recall, 0.05 / 3, 0.8)
    gap = max(seen.below, seen.above)
    assert row.unseen_high - row.reference == pytest.approx(gap, rel=1e-9)
    display = GroupForestDisplay(GROUPS, metric="recall")
    [zone] = display.picture.of("zone")
    assert (min(zone.x), max(zone.x)) == pytest.approx((row.unseen_low, row.unseen_high))
    assert GroupForestDisplay(GROUPS, metric="recall", unseen=False).picture.of("zone") == ()


@pytest.mark.sweep(12, start=8)
@pytest.mark.parametrize("metric", ["recall", "precision", "f1", "predicted_positive_rate"])
@pytest.mark.parametrize("reference", ["rest", "overall", "White"])
def test_rows_are_those_of_an_audit(metric, reference):
    facts = br.audit(GROUPS, metrics=[metric], reference=reference, adjust="holm").facts
    told = GroupForestDisplay.from_audit(facts, metric)
    own = GroupForestDisplay(GROUPS, metric=metric, reference=reference)
    assert [row.name for row in told.rows] == [row.name for row in own.rows]
    for one, other in zip(told.rows, own.rows, strict=True):
        assert (one.verdict, one.differs) == (other.verdict, other.differs)
        for name in ("value", "low", "high", "smoothed", "reference", "unseen_low", "unseen_high"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), nan_ok=True)


def test_marks_stand_where_the_rows_are():
    picture = GroupForestDisplay(GROUPS, metric="recall").picture
    [plain], [better, worse] = picture.of("curve"), picture.of("differs")
    assert (plain.x, plain.y) == ([39 / 87], [2.0])
    assert (better.x, better.y, better.color) == ([273 / 443], [0.0], "good")
    assert (worse.x, worse.y, worse.color) == ([77 / 206], [1.0], "bad")
    assert picture.y.low == 2.5
    assert picture.y.high == -0.5
    assert picture.y.ticks[0] == (0.0, "Black\n273 of 443")
    assert picture.right.ticks[1][1].startswith("0.37 (0.31 to 0.44)\nlower")
    assert "2 of 3 groups differ from the rest (6,366 cases" not in picture.title
    assert "2 of 3 groups differ from the rest, 1 too small to tell (6,454" in picture.title


def test_a_title_tells_no_difference_from_groups_too_small_and_weights_not_tested(on_record):
    cells = {
        "no difference": (600, 400, 500, 1500),
        "small": (6, 4, 5, 15),
        "weights": (6.5, 4, 5, 15),
    }
    titles = {}
    for name, (tp, fn, fp, tn) in cells.items():
        alike = dict.fromkeys("abc", br.ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn))
        titles[name] = GroupForestDisplay(alike, metric="recall").picture.title
    on_record(titles)


def test_undefined_rows_are_hatched_and_say_why():
    display = GroupForestDisplay({**GROUPS, "none": EMPTY}, metric="recall")
    [hatch] = display.picture.of("undefined")
    assert hatch.hatch
    assert np.mean(hatch.y) == 3
    assert display.picture.right.ticks[3][1] == "undefined\nno positives"


def test_one_table_has_a_row_per_metric_beside_luck():
    display = GroupForestDisplay.from_table(
        GROUPS["White"], metric=["recall", "precision", "mcc"], plot=False
    )
    recall, precision, mcc = display.rows
    assert recall.reference == pytest.approx(457 / 2265)
    assert precision.reference == pytest.approx(206 / 2265)
    assert mcc.reference == pytest.approx(0, abs=1e-12)
    assert "by luck" in {mark.name for mark in display.picture.legend}


def test_colour_says_harm_and_a_rate_has_its_own_denominator():
    """Black defendants have more false alarms, White fewer: that is no harm to these."""
    picture = GroupForestDisplay(GROUPS, metric="false_positive_rate").picture
    colors = {x: mark.color for mark in picture.of("differs") for x in mark.x}
    assert colors[1043 / 2735] == "bad"
    assert colors[380 / 2059] == "good"
    assert picture.y.ticks[1] == (1.0, "White\n380 of 2,059")
    assert picture.y.label == "of negatives"
    alarms = GroupForestDisplay(GROUPS, metric="predicted_positive_rate").picture
    assert {mark.color for mark in alarms.of("differs")} == {"ink"}
    audited = br.audit(GROUPS, metrics="fpr").facts
    drawn = GroupForestDisplay.from_audit(audited, "false_positive_rate").picture
    assert {x: mark.color for mark in drawn.of("differs") for x in mark.x} == colors
    assert drawn.y.ticks == picture.y.ticks


def test_of_many_rows_those_that_differ_and_the_largest_are_shown():
    rows = [ForestRow(name=str(k), value=0.5, n=float(k), differs=k in {3, 7}) for k in range(200)]
    display = GroupForestDisplay.from_rows(rows, metric="recall", limit=5, order="size")
    assert [row.name for row in display.shown] == ["199", "198", "197", "7", "3"]
    assert "195 of 200 not shown" in display.picture.title
    assert len(display.to_frame("pandas")) == 5


def test_long_names_and_undefined_everything():
    rows = [ForestRow(name="<b>" * 4000, value=nan, reason="no cases")] * 2
    display = GroupForestDisplay.from_rows(rows, title="nothing")
    assert len(display.to_svg()) < 20_000
    assert "&lt;b&gt;" in display.to_svg()
    far = ForestRow(name="any", value=0.5, reference=0.4, unseen_low=-inf, unseen_high=inf)
    [zone] = GroupForestDisplay.from_rows([far], bounds=(0, 1)).picture.of("zone")
    assert np.isfinite(zone.x).all()


def test_weights_have_no_test_and_no_interval():
    tables = {"a": br.ConfusionMatrix(tp=1.5, fn=1, fp=1, tn=1), "b": GROUPS["White"]}
    rows = GroupForestDisplay(tables, metric="recall").rows
    assert all(isnan(row.low) and row.verdict == "weights: not tested" for row in rows)
    assert rows[0].value == 0.6


def test_own_metrics_and_unbounded_ones_are_drawn():
    own = br.metrics.define("found", lambda tp, fn, fp, tn: tp - fn, direction="higher")
    assert GroupForestDisplay(GROUPS, metric=own).picture.x.label == "Found"
    odds = GroupForestDisplay(GROUPS, metric="diagnostic_odds_ratio", unseen=False)
    assert odds.picture.x.low >= 0


@pytest.mark.slow
def test_rows_of_facts_are_drawn_without_a_new_test_of_each(calls_of):
    with AFFAIRS.open() as file:
        cases = list(csv.DictReader(file))
    truth, guess, group = ([c[k] for c in cases] for k in ("affair", "predicted", "occupation"))
    facts = br.audit(truth, guess, groups=group, positive="yes").facts
    for metric in ("recall", "precision", "f1", "matthews_correlation"):
        made = calls_of(lambda metric=metric: GroupForestDisplay.from_audit(facts, metric).to_svg())
        assert made < 100_000


@pytest.mark.parametrize(
    ("how", "match"),
    [
        ({"metric": ["recall", "f1"]}, "one table only"),
        ({"reference": "nobody"}, "or a group"),
        ({"limit": 0}, "limit"),
        ({"order": "up"}, "order"),
    ],
)
def test_wrong_options_are_refused(how, match):
    with pytest.raises(br.errors.BaserateError, match=match):
        GroupForestDisplay(GROUPS, **how)
    facts = br.audit(GROUPS, metrics=["recall"]).facts
    with pytest.raises(InvalidArgumentError, match="one of the audit's, recall"):
        GroupForestDisplay.from_audit(facts, "f1")


def test_one_classifier_by_name_has_metrics_as_rows():
    truth, predicted = [1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 1]
    named = GroupForestDisplay.from_predictions(truth, predicted, name="mine", plot=False)
    alone = GroupForestDisplay.from_predictions(truth, predicted, plot=False)
    assert [row.name for row in named.rows] == [row.name for row in alone.rows]
    assert len(named.rows) > 1


def test_a_row_that_differs_is_a_square_though_nobody_said_for_whom_it_is_better():
    """As the caption of differences in each class says; colour says harm, and here is none."""
    rows = [ForestRow(name="a", value=0.3, differs=True), ForestRow(name="b", value=0.1)]
    picture = GroupForestDisplay.from_rows(rows, reference="zero").picture
    [square] = picture.of("differs")
    assert (square.x, square.shape, square.color, square.name) == (
        [0.3], "square", "ink", "differs from zero",
    )  # fmt: skip

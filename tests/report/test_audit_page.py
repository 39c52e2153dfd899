"""An audit on a page: colours with signs, pictures in their place, room for very many groups."""

import math
from dataclasses import replace
from functools import partial

import pytest

from baserate.counts import ConfusionMatrix
from baserate.facts.audit import AuditedGroup, AuditFacts, Finding, GapFact
from baserate.facts.scores import EstimateFact, GroupCalibrationFact
from baserate.report import audit as audit_report
from baserate.report.audit_shown import MOST_METRICS, SHOWN_GROUPS, shown_of, strongest
from baserate.report.opening import Pictures
from baserate.report.opening import render as rendered

render_audit = partial(rendered, audit_report.sheet_of)

TABLE = ConfusionMatrix(tp=20, fn=20, fp=10, tn=50)
SAME = Finding(
    name="recall", direction="higher", value=0.5, span=(0.4, 0.6), reference=0.5, p_value=0.7,
    adjusted_p=1.0, unseen=0.05, verdict="consistent", condition="denominator",
)  # fmt: skip
LOW = replace(SAME, value=0.2, p_value=1e-4, adjusted_p=0.01, unseen=math.nan, verdict="lower")
SMALL = replace(SAME, value=0.44, unseen=0.31, verdict="too_small")
GONE = replace(SAME, value=math.nan, verdict="undefined", reason="no positives (tp + fn = 0)")


def named(name, *findings):
    return tuple(replace(finding, name=name) for finding in findings)


def group(label, *findings, table=TABLE):
    return AuditedGroup(group={"ward": label}, table=table, reference=TABLE, findings=findings)


def facts(*groups, **more):
    return AuditFacts(
        positive="ill", n=100 * len(groups), missing=0, table=TABLE, reference="rest",
        condition="auto", alpha=0.05, gap=0.1, strength=10.0, confidence_level=0.95, adjust="auto",
        adjustment="holm", groups=groups, group_names=("ward",), **more,
    )  # fmt: skip


AUDIT = facts(
    group("north", SAME, *named("precision", LOW)),
    group("south", SMALL, *named("precision", SAME)),
    group("east", GONE, *named("precision", SMALL)),
    gaps=(GapFact(name="recall", difference=0.06), GapFact(name="precision", difference=0.3)),
)
DRAWN = Pictures({"recall": "<svg>R</svg>", "precision": "<svg>P</svg>"}, "svg{}", ())


def test_a_cell_has_the_sign_and_the_colour_of_its_verdict_and_what_it_is_judged_by():
    page = render_audit(AUDIT, "html", drawn=DRAWN)
    cells = "".join(page.split("\n"))
    assert '<td class="worse">↓0.20<span class="small">against 0.50</span></td>' in cells
    assert '<td class="too_small">?0.44<span class="small">0.31</span></td>' in cells
    assert '<td class="consistent">0.50</td>' in cells
    assert '<td class="undefined"><span class="undefined">–</span></td>' in cells
    for words in ("↓ lower than the rest", "? too few cases to tell a gap of 0.10", "unmarked:"):
        assert words in page
    assert "higher than the rest" not in page


def test_the_gap_that_decides_is_written_with_the_digits_that_show_it():
    tight = facts(group("north", replace(SMALL, unseen=0.1004, gap=0.1)), group("south", SAME))
    assert '<span class="small">0.1004</span>' in render_audit(tight, "html")


def test_the_picture_of_what_was_found_stands_open_and_others_above_their_table():
    page = render_audit(AUDIT, "html", drawn=DRAWN)
    places = [page.index(words) for words in ("<svg>P", "<h2>Largest gaps", "<svg>R")]
    assert places == sorted(places)
    assert page.count("<svg>P") == page.count("<svg>R") == 1
    assert page.index("<summary>Recall: no difference seen, 1 too small to tell, 1 undefined") < (
        page.index("<svg>R")
    )
    assert "<summary>Precision: one group differs, 1 too small to tell" in page
    assert "svg{}" in page


def test_the_nearest_picture_stands_open_where_nothing_was_found():
    near = replace(SAME, p_value=0.04, adjusted_p=0.4)
    north, south = (SAME, *named("precision", near)), (SMALL, *named("precision", SAME))
    calm = facts(group("north", *north), group("south", *south))
    page = render_audit(calm, "html", drawn=DRAWN)
    assert strongest(calm) == ("precision", "recall")
    assert page.index("<svg>P") < page.index("<details>") < page.index("<svg>R")


def test_a_picture_that_was_refused_is_named():
    lacking = Pictures({}, "", (("recall", "No law is known."),))
    assert "No law is known." in render_audit(AUDIT, "html", drawn=lacking)


@pytest.mark.parametrize("form", ["table", "markdown"])
def test_text_is_short_unless_details_are_asked_for(form):
    short, long = (render_audit(AUDIT, form, details=details) for details in (False, True))
    assert "percentile" not in short
    assert "--details" in short
    assert "Smallest gap" not in short
    for words in ("Percentile", "Unseen", "What was tested", "Recall: no difference seen"):
        assert words in " ".join(long.split())
    assert len(long) > 2 * len(short)


def many(n_groups, n_metrics, label="ward {}"):
    names = [f"metric_{k}" for k in range(n_metrics)]
    groups = []
    for i in range(n_groups):
        size = ConfusionMatrix(tp=i + 1, fn=1, fp=1, tn=1)
        found = [replace(SMALL, name=name, p_value=0.1 + i / 1e4) for name in names]
        if i == n_groups - 1:
            found[-1] = replace(LOW, name=names[-1])
        groups.append(group(label.format(i), *found, table=size))
    return facts(*groups)


def test_of_very_many_groups_those_that_differ_come_first_then_the_nearest_then_the_largest():
    whole = many(200, 20)
    shown = shown_of(whole)
    labels = [one.group["ward"] for one in shown.groups]
    assert len(labels) == SHOWN_GROUPS
    assert labels[:3] == ["ward 199", "ward 0", "ward 1"]
    assert labels[-2:] == ["ward 192", "ward 191"]  # of the rest the largest
    metrics = [finding.name for finding in shown.groups[0].findings]
    assert len(metrics) == MOST_METRICS
    assert metrics[:2] == ["metric_19", "metric_0"]


def test_a_page_of_very_many_groups_says_how_many_it_leaves_to_the_json():
    text = " ".join(render_audit(many(200, 20), "markdown").split())
    assert f"{SHOWN_GROUPS} of 200 groups are shown: those that differ" in text
    assert f"{MOST_METRICS} of 20 metrics are shown" in text
    assert "are shown" not in render_audit(AUDIT, "markdown")
    assert len(render_audit(many(200, 20), "json")) > 1_000_000


def test_long_labels_keep_both_ends_and_the_json_has_all_of_them():
    label = "W" * 5_000 + " end {}"
    audit = many(3, 2, label)
    for form in ("html", "table", "markdown"):
        shown = render_audit(audit, form, details=True)
        assert "W" * 81 not in shown
        assert "end 2" in shown
    assert label.format(2) in render_audit(audit, "json")


def calibrated(ward, observed, p):
    oe = EstimateFact(name="observed_expected", value=observed / 20, low=0.5, high=2.0, p_value=p)
    return GroupCalibrationFact(
        group={"ward": ward}, n=40, observed=observed, expected=20.0, observed_expected=oe,
        adjusted_p_value=p, below=0.6, above=1.5,
    )  # fmt: skip


def test_groups_whose_risks_are_wrong_are_named_the_surest_first(on_record):
    found = (calibrated("north", 30, 0.03), calibrated("south", 8, 0.001), calibrated("e", 21, 1.0))
    on_record(render_audit(replace(AUDIT, calibration=found), "table"))
    assert "Risks are wrong" not in render_audit(AUDIT, "markdown")
    absent = replace(AUDIT, calibration_reason="no_probabilities")
    assert "no probabilities" in render_audit(absent, "markdown")

"""An audit in words, in every format, from facts made by hand."""

import json
import math

import pytest

from baserate.counts import ConfusionMatrix
from baserate.facts import AuditedGroup, AuditFacts, Finding, GapFact
from baserate.report.audit import render_audit, verdict

FORMATS = ("table", "json", "markdown", "html")


def table(tp, fn, fp, tn):
    return ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn)


def finding(name="recall", **facts):
    return Finding(name=name, direction="higher", bounds=(0, 1), **facts)


def group(label, cells, *findings, smoothing=""):
    return AuditedGroup(
        group={"occupation": label},
        table=table(*cells),
        reference=table(50, 50, 20, 80),
        findings=findings,
        smoothing=smoothing,
    )


LOW = finding(
    value=0.2, low=0.1, high=0.35, smoothed=0.25, reference=0.5, percentile=0.002, p_value=0.004,
    adjusted_p=0.012, condition="denominator", verdict="lower",
)  # fmt: skip
SMALL = finding(
    value=0.4, reference=0.5, percentile=0.4, p_value=0.8, adjusted_p=1.0, unseen=0.31,
    condition="denominator", verdict="too_small",
)  # fmt: skip
SAME = finding(
    value=0.5, reference=0.5, percentile=0.6, p_value=0.9, adjusted_p=1.0, unseen=0.05,
    condition="classes", verdict="consistent",
)  # fmt: skip
EMPTY = finding(value=math.nan, verdict="undefined", reason="no positives (tp + fn = 0)")


def facts(*groups, **changes):
    return AuditFacts(
        **{
            "positive": "yes", "n": 260, "missing": 0, "table": table(60, 50, 30, 120),
            "reference": "rest", "condition": "auto", "alpha": 0.05, "gap": 0.1, "strength": 10.0,
            "confidence_level": 0.95, "adjust": "auto",
            "adjustment": "p-values are adjusted by Holm's method",
            "groups": groups, "group_names": ("occupation",),
        }
        | changes
    )  # fmt: skip


AUDIT = facts(
    group("farming", (4, 16, 10, 30), LOW, smoothing="Strength 10 helps."),
    group("student", (2, 3, 3, 7), SMALL),
    group("clerk", (10, 10, 4, 16), SAME),
    group("other", (0, 0, 3, 5), EMPTY),
    gaps=(
        GapFact(
            name="recall", difference=0.3, low=0.05, high=0.5,
            largest={"occupation": "clerk"}, smallest={"occupation": "farming"},
            undefined=(({"occupation": "other"}, "no positives (tp + fn = 0)"),),
        ),
    ),
)  # fmt: skip


def test_the_answer_comes_first():
    lines = " ".join(render_audit(AUDIT, "markdown").splitlines()[2].split())
    assert lines.startswith(
        "One group differs from the rest by more than luck (3 comparisons, 5% chance of any false "
        "alarm). Farming: recall 0.20 is lower than 0.50 in the rest (adjusted p = 0.012)."
    )
    assert "Too small to tell a gap of 0.10 by any metric: student; other." in lines
    assert "Undefined: recall in other (no positives (tp + fn = 0))." in lines


def test_nothing_found_is_said_plainly():
    text = render_audit(facts(group("clerk", (10, 10, 4, 16), SAME)), "markdown")
    assert "No group differs from the rest by more than luck (1 comparisons" not in text
    assert "No group differs from the rest by more than luck (1 comparison," in text


def test_nothing_tested_is_said_plainly():
    text = render_audit(facts(group("other", (0, 0, 3, 5), EMPTY)), "markdown")
    assert "No group could be tested." in text


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (LOW, "lower than the rest"),
        (SAME, "consistent with the rest"),
        (SMALL, "too small to tell: a gap under 0.31 would go unseen"),
        (
            finding(value=0.5, verdict="unresolved"),
            "no difference seen; what would go unseen is not known",
        ),
        (EMPTY, "undefined: no positives (tp + fn = 0)"),
        (finding(value=0.5, verdict="untested", reason="weights"), "not tested: weights"),
        (
            finding(value=0.5, verdict="too_small", unseen=math.inf),
            "too small to tell: any gap would go unseen",
        ),
    ],
)
def test_verdicts_in_words(found, words):
    assert verdict(AUDIT, found) == words


@pytest.mark.parametrize(("reference", "words"), [("overall", "all cases"), ("clerk", "clerk")])
def test_the_reference_is_named(reference, words):
    assert verdict(facts(reference=reference), LOW) == f"lower than {words}"


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_shows_every_group(form):
    shown = render_audit(AUDIT, form)
    for label in ("farming", "student", "clerk", "other"):
        assert label in shown
    assert "nan" not in shown


def test_json_holds_the_facts():
    document = json.loads(render_audit(AUDIT, "json"))
    assert document["schema"] == 1
    first = document["groups"][0]
    assert first["group"] == {"occupation": "farming"}
    assert first["table"] == {"tp": 4, "fn": 16, "fp": 10, "tn": 30}
    assert first["metrics"][0]["verdict"] == "lower"
    assert first["metrics"][0]["adjusted_p"] == 0.012
    assert document["groups"][3]["metrics"][0]["value"] is None
    assert document["gaps"][0]["largest"] == {"occupation": "clerk"}
    assert document["gaps"][0]["undefined"][0]["reason"] == "no positives (tp + fn = 0)"


def test_differing_names_group_and_finding():
    [(found, fact)] = AUDIT.differing
    assert (found.group["occupation"], fact.name) == ("farming", "recall")


def test_labels_are_escaped():
    hostile = group("<b>|x", (10, 10, 4, 16), SAME)
    assert "<b>" not in render_audit(facts(hostile), "html")
    assert "&lt;b&gt;\\|x" in render_audit(facts(hostile), "markdown")

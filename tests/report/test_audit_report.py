"""An audit in words, in every format, from facts made by hand."""

import json
import math
from dataclasses import replace
from functools import partial

import pytest

import baserate as br
from baserate._result import Deferred
from baserate.counts import ConfusionMatrix
from baserate.facts.audit import AuditedGroup, AuditFacts, Finding, GapFact, LeftOut, SmoothingFact
from baserate.report import audit as audit_report
from baserate.report.audit import sheet_of
from baserate.report.audit_words import verdict
from baserate.report.opening import render as rendered
from baserate.report.text import sheet_as_text

render_audit = partial(rendered, audit_report.sheet_of)


def table(tp, fn, fp, tn):
    return ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn)


def finding(name="recall", **facts):
    return Finding(name=name, direction="higher", bounds=(0, 1), **facts)


def group(label, cells, *findings, smoothing=None):
    return AuditedGroup(
        group={"occupation": label},
        table=table(*cells),
        reference=table(50, 50, 20, 80),
        findings=findings,
        smoothings=() if smoothing is None else (smoothing,),
    )


LOW = finding(
    value=0.2, span=(0.1, 0.35), smoothed=0.25, reference=0.5, percentile=0.002, p_value=0.004,
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
HELPS = SmoothingFact(checked=9, median=0.5, worst="recall", worst_ratio=0.8)
EMPTY = finding(value=math.nan, verdict="undefined", reason="no positives (tp + fn = 0)")


def facts(*groups, **changes):
    return AuditFacts(
        **{
            "positive": "yes", "n": 260, "missing": 0, "table": table(60, 50, 30, 120),
            "reference": "rest", "condition": "auto", "alpha": 0.05, "gap": 0.1, "strength": 10.0,
            "confidence_level": 0.95, "adjust": "auto",
            "adjustment": "holm",
            "groups": groups, "group_names": ("occupation",),
        }
        | changes
    )  # fmt: skip


AUDIT = facts(
    group("farming", (4, 16, 10, 30), LOW, smoothing=HELPS),
    group("student", (2, 3, 3, 7), SMALL),
    group("clerk", (10, 10, 4, 16), SAME),
    group("other", (0, 0, 3, 5), EMPTY),
    gaps=(
        GapFact(
            name="recall", difference=0.3, low=0.05, high=0.5,
            largest={"occupation": "clerk"}, smallest={"occupation": "farming"},
            undefined=(LeftOut({"occupation": "other"}, "no positives (tp + fn = 0)"),),
        ),
    ),
)  # fmt: skip


def test_the_answer_comes_first(on_record):
    """What is found, or that nothing is, or that nothing was tested."""
    on_record(
        {
            "found": answer(AUDIT),
            "nothing": answer(facts(group("clerk", (10, 10, 4, 16), SAME))),
            "not tested": answer(facts(group("other", (0, 0, 3, 5), EMPTY))),
        }
    )


def answer(found):
    return render_audit(found, "markdown").splitlines()[2]


@pytest.mark.slow
def test_of_groups_that_are_all_too_small_nothing_is_said_but_that():
    tables = {
        "a": ConfusionMatrix(tp=3, fn=1, fp=1, tn=4), "b": ConfusionMatrix(tp=2, fn=2, fp=0, tn=5),
        "c": ConfusionMatrix(tp=3, fn=2, fp=1, tn=3),
    }  # fmt: skip
    said = str(br.audit(tables, metrics="recall")).partition("\n\n")[0]
    assert said.startswith(
        "Cannot tell whether any group differs from the rest (allowing for all 3\n"
    )
    assert "seen to differ" not in said
    two = {name: tables[name] for name in ("a", "b")}
    assert str(br.audit(two)).startswith("Cannot tell whether the two groups differ (")
    large = ConfusionMatrix(tp=3_000, fn=1_000, fp=1_000, tn=4_000)
    assert "not seen to differ" in str(br.audit({"a": large, "b": large}, metrics="recall"))


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


def test_differing_names_group_and_finding():
    [(found, fact, *_)] = AUDIT.differing
    assert (found.group["occupation"], fact.name) == ("farming", "recall")


SCORED = finding(
    "f1", value=0.6, reference=0.51, reference_value=0.672, p_value=1e-9, adjusted_p=1e-9,
    condition="classes", verdict="higher",
)  # fmt: skip


def test_a_headline_gives_the_reference_s_own_score_too(on_record):
    def said(cells, **changes):
        return answer(facts(group("clerk", cells, replace(SCORED, **changes))))

    low = replace(LOW, adjusted_p=0.004)
    mirror = replace(LOW, value=0.5, reference=0.2, verdict="higher", adjusted_p=0.004)
    pair = facts(group("farming", (4, 16, 10, 30), low), group("clerk", (10, 10, 4, 16), mirror))
    close = {"value": 0.9531, "reference": 0.9479, "reference_value": 0.82}
    on_record(
        {
            "which points the other way": said((10, 10, 4, 36)),
            "which points the same way": said((10, 10, 4, 16), reference_value=0.55),
            "which is the same": said((10, 10, 4, 16), reference_value=0.51),
            "with the digits that show a difference": said((10, 10, 4, 16), **close),
            "of two groups once": answer(pair),
        }
    )
    whole = render_audit(facts(group("clerk", (10, 10, 4, 16), SCORED)), "markdown")
    assert "is judged by what the rest would have" in whole
    assert "is judged by" not in render_audit(AUDIT, "markdown")


def test_text_fits_eighty_columns_whatever_the_names():
    long = group("a_department_with_a_rather_long_name_2021", (4, 16, 10, 30), LOW, SCORED)
    others = (replace(g, findings=(*g.findings, SCORED)) for g in AUDIT.groups)
    wide = facts(long, *others, gaps=AUDIT.gaps, group_names=("occupation_of_the_customer",))
    for details in (False, True):
        text = sheet_as_text(sheet_of(wide), width=80, details=details)
        assert max(map(len, text.splitlines())) <= 80
    assert "0.200" in text
    assert "0.012" in text


def test_the_matrix_comes_before_details_and_marks_what_differs(on_record):
    on_record(sheet_as_text(sheet_of(AUDIT), width=80))


def test_a_tiny_percentage_is_bounded():
    tiny = finding(value=0.2, percentile=1e-30, verdict="consistent", adjusted_p=0.5)
    text = sheet_as_text(sheet_of(facts(group("clerk", (10, 10, 4, 16), tiny))), details=True)
    assert "< 0.001%" in text


@pytest.mark.parametrize(
    ("form", "details", "looked_at"),
    [("table", False, False), ("markdown", False, False), ("markdown", True, True),
     ("table", True, True), ("html", False, True)],
)  # fmt: skip
def test_only_what_shows_details_has_them_laid_out(form, details, looked_at):
    looked = []
    smoothings = Deferred(lambda: looked.append("smoothing") or (HELPS,))
    span = Deferred(lambda: looked.append("interval") or (0.1, 0.35))
    clerk = group("clerk", (10, 10, 4, 16), replace(LOW, span=span))
    text = render_audit(facts(replace(clerk, smoothings=smoothings)), form, details=details)
    assert {*looked} == ({"smoothing", "interval"} if looked_at else set())
    assert ("Strength 10 helps" in text) == looked_at


def test_nothing_is_laid_out_for_the_json():
    def no_sheet(*_, **__):
        raise AssertionError

    document = json.loads(rendered(no_sheet, AUDIT, "json"))
    assert [one["group"]["occupation"] for one in document["groups"]] == [
        *("farming", "student", "clerk", "other")
    ]


def test_columns_of_a_frame_may_be_called_by_a_number():
    pandas = pytest.importorskip("pandas")
    data = pandas.DataFrame({0: [1, 0] * 20, 1: [1, 0, 0, 0] * 10, 2: list("ab") * 20})
    for truth, said in ((0, 1), (1, 0)):
        text = str(br.audit(data, target=truth, prediction=said, groups=2))
        assert f'Truth: "{truth}"   Prediction: "{said}"' in text

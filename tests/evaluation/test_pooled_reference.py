"""A range of groups as the reference is the same as a group that holds all their cases."""

import numpy as np
import pandas as pd
import pytest

import baserate as br
from baserate.errors import InvalidArgumentError, UnknownNameError

MONTHS = [f"2026-{month:02}" for month in range(1, 9)]
RANGE = "2026-02..2026-05"


def cases(n=80):
    rng = np.random.default_rng(3)
    month = np.repeat(MONTHS, n)
    truth = rng.integers(0, 2, len(month))
    right = rng.random(len(month)) < np.where(month > "2026-06", 0.6, 0.85)
    frame = pd.DataFrame({"month": month, "y": truth, "p": np.where(right, truth, 1 - truth)})
    frame["unit"] = rng.integers(0, 60, len(month))
    frame["weight"] = rng.integers(1, 4, len(month))
    frame["score"] = np.clip(0.5 * frame["p"] + rng.random(len(month)) / 2, 0, 1)
    frame["of"] = np.where(frame["p"] == 1, "a", np.where(right, "b", "c"))
    frame["is"] = np.where(rng.random(len(month)) < 0.8, frame["of"], "a")
    # The same by hand: one label for all months of the range, of which it comes first.
    inside = frame["month"].between("2026-02", "2026-05")
    return frame.assign(own=frame["month"].where(~inside, RANGE))


FRAME = cases()
DESIGNS = {
    "plain": {},
    "score": {"prediction": None, "score": "score"},
    "weights": {"weight": "weight"},
    "clusters": {"cluster": "unit"},
    "classes": {"target": "is", "prediction": "of"},
}


@pytest.mark.sweep(5, start=1)
@pytest.mark.parametrize("design", DESIGNS)
def test_a_range_is_one_group(design):
    named = {"target": "y", "prediction": "p", **DESIGNS[design]}
    found = br.audit(FRAME, groups="month", reference=RANGE, **named)
    by_hand = br.audit(FRAME, groups="own", reference=RANGE, **named)
    facts, wanted = found.facts, by_hand.facts
    assert facts.reference == wanted.reference == RANGE
    assert facts.pooled == tuple(MONTHS[1:5])
    by_month = {group.group["month"]: group for group in facts.groups}
    assert [*by_month] == [m for m in MONTHS if m not in facts.pooled]
    for group in wanted.groups:
        assert by_month[group.group["own"]].findings == group.findings


def test_tables_of_a_range_are_added():
    tables = {m: br.confusion_matrix(x["y"], x["p"]) for m, x in FRAME.groupby("month")}
    found = br.audit(tables, reference=RANGE, metrics="recall").facts
    wanted = br.audit(
        FRAME, target="y", prediction="p", groups="own", reference=RANGE, metrics="recall"
    ).facts
    assert [g.findings[0].p_value for g in found.groups] == [
        next(w for w in wanted.groups if w.group["own"] in g.group.values()).findings[0].p_value
        for g in found.groups
    ]
    added = sum((tables[m] for m in MONTHS[2:5]), tables[MONTHS[1]])
    assert found.groups[0].reference == added


def test_a_report_names_the_groups():
    how = {"target": "y", "prediction": "p", "groups": "month", "metrics": "recall"}
    text = " ".join(br.audit(FRAME, reference=RANGE, **how).render().split())
    assert f"Groups: 4, compared with {RANGE}, together 2026-02, 2026-03, 2026-04, 2026-05" in text
    assert f"in {RANGE}" in text
    assert br.audit(FRAME, reference="2026-02", **how).facts.pooled == ()


@pytest.mark.parametrize(
    ("reference", "groups", "kind", "told"),
    [
        ("2026-05..2026-02", "month", InvalidArgumentError, "write 2026-02..2026-05"),
        ("2026-02..2027-05", "month", UnknownNameError, "Did you mean '2026-02..2026-05'"),
        ("2026-2..2026-5", "month", UnknownNameError, "Did you mean '2026-02..2026-05'"),
        ("2026-5..2026-2", "month", UnknownNameError, "Did you mean '2026-02..2026-05'"),
        ("2026-2-2026-5", "month", InvalidArgumentError, "write 2026-02..2026-05"),
        ("2026", "month", InvalidArgumentError, r"write 2026-\d\d\.\.2026-\d\d"),
        ("2026-02..June", "month", UnknownNameError, "No group is called 'June'"),
        (RANGE, ["month", "unit"], InvalidArgumentError, "a range of one group column"),
    ],
)
def test_what_is_no_range_is_refused(reference, groups, kind, told):
    with pytest.raises(kind, match=told):
        br.audit(
            FRAME, target="y", prediction="p", groups=groups, reference=reference, many_groups=True
        )


@pytest.mark.slow
def test_a_group_may_be_called_like_a_range():
    frame = FRAME.assign(month=FRAME["own"])
    found = br.audit(frame, target="y", prediction="p", groups="month", reference=RANGE).facts
    assert (found.reference, found.pooled) == (RANGE, ())


@pytest.mark.slow
def test_numbers_run_by_size():
    frame = FRAME.assign(month=FRAME["month"].str[-2:].astype(int) + 4)
    found = br.audit(frame, target="y", prediction="p", groups="month", reference="8..11").facts
    assert found.pooled == ("8", "9", "10", "11")


@pytest.mark.sweep(3)
@pytest.mark.parametrize("write", ["{}", "week {}", "{}-{}"])
def test_a_range_goes_by_the_numbers_in_text(write, tmp_path):
    """In a file all labels are text, and "10" stands before "2" by alphabet."""
    labels = {month: write.format(n, n + 4) for n, month in enumerate(MONTHS, 7)}
    path = tmp_path / "cases.csv"
    FRAME.assign(month=FRAME["month"].map(labels)).to_csv(path, index=False)
    asked = {"target": "y", "prediction": "p", "groups": "month"}
    found = br.audit(path, reference=f"{labels[MONTHS[1]]}..{labels[MONTHS[4]]}", **asked)
    assert found.facts.pooled == tuple(labels[month] for month in MONTHS[1:5])
    tested = [group.group["month"] for group in found.facts.groups]
    assert tested == [labels[month] for month in (*MONTHS[:1], *MONTHS[5:])]

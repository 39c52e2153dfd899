"""Every engine gives the tables that plain Python counts, and the report of the same lists."""

from collections import Counter
from fractions import Fraction
from functools import cache

import pytest

import baserate as br
from baserate.adapters.frames import read_frame
from baserate.errors import LabelError, MissingValueError
from baserate.evaluation import scoring
from engines.rows import ROWS, column
from oracles import engine_twins as twins

NAMES = {"target", "prediction", "score", "source", "fold"}  # what a frame says and lists do not
ROLES = {"missing": "drop", "metrics": "recall, precision"}
CHOSEN = {
    "f1": lambda tp, fn, fp, tn: 2 * tp / (2 * tp + fn + fp),
    "accuracy": lambda tp, fn, fp, tn: (tp + tn) / (tp + fn + fp + tn),
}


def sick(row):
    return row["sick"]


def reaches(score, at):
    return lambda row: row[score] >= at


def lists(*names):
    return {name: column(name) for name in names}


def unnamed(document):
    """Leave out the names of columns."""
    if isinstance(document, dict):
        return {k: unnamed(v) for k, v in document.items() if k not in NAMES}
    return [unnamed(part) for part in document] if isinstance(document, list) else document


def assert_same(found, expected, where="document"):
    """Compare documents: numbers to the rounding of sums, anything else exactly."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), where
        for key in expected:
            assert_same(found[key], expected[key], f"{where}.{key}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for i, (one, other) in enumerate(zip(found, expected, strict=True)):
            assert_same(one, other, f"{where}[{i}]")
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9), where
    else:
        assert found == expected, where


def assert_tables_by_group(document, rows, groups, count):
    parts = twins.by_group(rows, groups)
    tables = {tuple(group["group"].values()): group["table"] for group in document["groups"]}
    assert tables == {key: count(part) for key, part in parts.items()}


@cache
def by_lists(test):
    """Return what the same call says of plain lists."""
    door, arguments, named = {
        "predictions": (
            br.evaluate,
            [column("outcome"), column("call")],
            {"positive": "ja", "groups": lists("city", "insured")},
        ),
        "scores": (
            br.evaluate,
            [column("sick")],
            {"score": column("risk"), "threshold": 0.45, "groups": lists("city")},
        ),
        "audit": (br.audit, [column("sick")], {"score": column("risk"), "groups": lists("city")}),
        "thresholds": (
            br.thresholds,
            [column("sick"), column("risk")],
            {"metrics": list(CHOSEN), "groups": lists("insured")},
        ),
        "compare": (
            br.compare,
            [column("sick"), lists("alarm", "second")],
            {"groups": lists("insured")},
        ),
        "compare scores": (br.compare, [column("sick")], {"score": lists("risk", "other_risk")}),
    }[test]
    return unnamed(door(*arguments, **ROLES | named).to_dict())


@cache
def best_cuts(metric):
    rows = twins.complete(ROWS, ["sick", "risk", "insured"])
    return twins.best_cuts(rows, sick, "risk", CHOSEN[metric])


@cache
def roc_area(score, *columns):
    return float(twins.roc_area(twins.complete(ROWS, ["sick", score, *columns]), sick, score))


@pytest.mark.sweep(2, start=1)
def test_predictions_of_groups_of_two_columns(frame):
    groups = ["city", "insured"]
    roles = {"target": "outcome", "prediction": "call", "positive": "ja", "groups": groups}
    found = br.evaluate(frame(), **roles, **ROLES).to_dict()
    rows = twins.complete(ROWS, ["outcome", "call", *groups])

    def count(rows):
        return twins.table(rows, lambda r: r["outcome"] == "ja", lambda r: r["call"] == "ja")

    assert found["table"] == count(rows)
    assert found["missing"] == len(ROWS) - len(rows)
    assert_tables_by_group(found, rows, groups, count)
    assert_same(unnamed(found), by_lists("predictions"))


@pytest.mark.sweep(2)
def test_several_classes_of_groups(frame):
    roles = {"target": "stars", "predictions": ["guess"], "groups": ["insured"], "missing": "drop"}
    found = read_frame(frame(), **roles).classes().counted()
    rows = twins.complete(ROWS, ["stars", "guess", "insured"])
    assert found.table.labels == tuple(range(6))
    assert (found.n, found.n_missing) == (len(rows), len(ROWS) - len(rows))
    parts = {(): rows} | twins.by_group(rows, ["insured"])
    for key, part in parts.items():
        cells = Counter((row["stars"], row["guess"]) for row in part)
        table = found.groups[key] if key else found.table
        assert table.counts.tolist() == [[cells[t, p] for p in range(6)] for t in range(6)]


def test_weighted_nullable_booleans(frame):
    roles = {"target": "sick", "prediction": "alarm", "groups": "year", "weight": "weight"}
    found = br.evaluate(frame(), **roles, **ROLES).to_dict()
    rows = twins.complete(ROWS, ["sick", "alarm", "year", "weight"])

    def count(rows):
        cells = twins.table(rows, sick, lambda row: row["alarm"], "weight")
        return pytest.approx({name: float(amount) for name, amount in cells.items()}, rel=1e-12)

    assert found["table"] == count(rows)
    every, kept = (sum(row["weight"] != 0 for row in some) for some in (ROWS, rows))
    assert found["missing"] == every - kept  # a row of weight 0 is none that is left out
    assert_tables_by_group(found, rows, ["year"], count)
    squares = sum(Fraction(row["weight"]) ** 2 for row in rows)
    total = sum(Fraction(row["weight"]) for row in rows)
    assert found["effective_n"] == pytest.approx(float(total**2 / squares), rel=1e-12)


@pytest.mark.sweep(11, start=1)
@pytest.mark.parametrize("hold", ["held", "counted"])
def test_scores(frame, hold, monkeypatch):
    if (
        hold == "counted"
    ):  # as millions of rows are; without those that lack something they could be held
        monkeypatch.setattr(scoring, "LARGEST", len(ROWS) - 1)
    roles = {"target": "sick", "score": "risk", "threshold": 0.45, "groups": "city"}
    found = br.evaluate(frame(), **roles, **ROLES).to_dict()
    rows = twins.complete(ROWS, ["sick", "risk", "city"])

    def count(rows):
        return twins.table(rows, sick, reaches("risk", 0.45))

    assert found["table"] == count(rows)
    assert found["missing"] == len(ROWS) - len(rows)
    assert_tables_by_group(found, rows, ["city"], count)
    if hold == "held":
        assert_same(unnamed(found), by_lists("scores"))


@pytest.mark.parametrize(("score", "at"), [("rank", 2**53 + 17), ("stars", 2.5)])
def test_whole_numbers_as_scores(frame, score, at, monkeypatch):
    """Without nulls they are compared as they are, beyond the whole numbers of a double too."""
    monkeypatch.setattr(scoring, "LARGEST", 0)
    found = br.evaluate(frame(), target="sick", score=score, threshold=at, **ROLES).to_dict()
    rows = twins.complete(ROWS, ["sick", score])
    assert found["table"] == twins.table(rows, sick, reaches(score, at))


@pytest.mark.sweep(5, start=2)
def test_audit_of_scores(frame):
    found = br.audit(frame(), target="sick", score="risk", groups="city", **ROLES).to_dict()
    rows = twins.complete(ROWS, ["sick", "risk", "city"])
    assert_tables_by_group(
        found, rows, ["city"], lambda rows: twins.table(rows, sick, reaches("risk", 0.5))
    )
    parts = twins.by_group(rows, ["city"])
    for group in found["calibration"]:
        own = parts.pop(tuple(group["group"].values()))
        assert group["observed"] == sum(map(sick, own))
        assert group["expected"] == pytest.approx(sum(row["risk"] for row in own), rel=1e-12)
    assert not parts
    assert_same(unnamed(found), by_lists("audit"))


@pytest.mark.sweep(7, start=3)
def test_thresholds_and_calibration(frame):
    roles = {"target": "sick", "score": "risk", "groups": "insured", "metrics": list(CHOSEN)}
    found = br.thresholds(frame(), **ROLES | roles).to_dict()
    rows = twins.complete(ROWS, ["sick", "risk", "insured"])
    for cut in found["thresholds"]:
        best, cuts = best_cuts(cut["name"])
        assert cut["value"] == pytest.approx(float(best), rel=1e-12)
        assert cut["table"] == cuts[cut["threshold"]]
    area = next(one["value"] for one in found["ranking"] if one["name"] == "roc_auc")
    assert area == pytest.approx(roc_area("risk", "insured"), rel=1e-12)
    assert found["calibration"]["observed"] == sum(map(sick, rows))
    expected = float(sum(Fraction(row["risk"]) for row in rows))
    assert found["calibration"]["expected"] == pytest.approx(expected, rel=1e-12)
    assert_same(unnamed(found), by_lists("thresholds"))


@pytest.mark.sweep(5, start=3)
def test_comparison_of_predictions(frame):
    roles = {"target": "sick", "prediction": ["alarm", "second"], "groups": "insured"}
    found = br.compare(frame(), **roles, **ROLES).to_dict()
    rows = twins.complete(ROWS, ["sick", "alarm", "second", "insured"])
    a, b = (lambda row: row["alarm"]), (lambda row: row["second"])
    expected = [twins.table(rows, sick, decided) for decided in (a, b)]
    assert [one["table"] for one in found["classifiers"]] == expected
    assert found["pairs"][0]["discordant"] == twins.discordant(rows, sick, a, b)
    assert_same(unnamed(found), by_lists("compare"))


@pytest.mark.sweep(7, start=2)
def test_comparison_of_scores(frame):
    names = ["risk", "other_risk"]
    found = br.compare(frame(), target="sick", score=names, **ROLES).to_dict()
    rows = twins.complete(ROWS, ["sick", *names])
    for name, one in zip(names, found["classifiers"], strict=True):
        assert one["table"] == twins.table(rows, sick, reaches(name, 0.5))
    areas = [roc_area("risk", "other_risk"), roc_area("other_risk", "risk")]
    assert [one["auc"] for one in found["scores"]] == pytest.approx(areas, rel=1e-12)
    assert_same(unnamed(found), by_lists("compare scores"))


def refusal(columns):
    counted = twins.gaps(ROWS, columns)
    return "has missing values: " + ", ".join(f"{n} in '{name}'" for name, n in counted.items())


@pytest.mark.sweep(5, start=2)
def test_missing_values_are_refused_with_their_numbers(frame, monkeypatch):
    with pytest.raises(MissingValueError, match=refusal(["sick", "alarm", "city"])):
        br.evaluate(frame(), target="sick", prediction="alarm", groups="city")
    with pytest.raises(MissingValueError, match=refusal(["sick", "risk"])):
        br.thresholds(frame(), target="sick", score="risk")
    monkeypatch.setattr(scoring, "LARGEST", 0)
    with pytest.raises(MissingValueError, match=refusal(["sick", "risk", "weight"])):
        br.evaluate(frame(), target="sick", score="risk", weight="weight")


def test_labels_of_two_kinds_are_refused_alike(frame):
    with pytest.raises(
        LabelError, match="sick holds False, True and call holds 'ja', 'nein'; say which"
    ):
        br.evaluate(frame(), target="sick", prediction="call", missing="drop")

"""Net benefit over a range of risks: the decision curve as numbers, by its formula."""

import re

import pandas as pd
import pytest

import baserate as br
from baserate.errors import InvalidArgumentError

TWO = pd.read_csv("examples/two_models.csv")
TWO["ward"] = TWO.index // 4
TWO["w"] = 1 + TWO.index % 3
HOW = {"target": "label", "score": "probability"}


def formula(risk, weight=1):
    """Return TP/n - FP/n odds(risk), of those treated from this risk on."""
    called, true = TWO["probability"] >= risk, TWO["label"] == 1
    weight = TWO["w"] if weight != 1 else pd.Series(1.0, TWO.index)
    found = weight[called & true].sum() - weight[called & ~true].sum() * risk / (1 - risk)
    return found / weight.sum()


@pytest.mark.sweep(4)
@pytest.mark.parametrize("door", [br.evaluate, br.thresholds])
@pytest.mark.parametrize("weight", [1, "w"])
def test_every_hundredth_of_the_range_has_a_row(door, weight):
    how = HOW if weight == 1 else {**HOW, "weight": weight}
    found = door(TWO, metrics="net_benefit(0.1..0.3)", **how)
    facts = found.facts if door is br.thresholds else found.facts.thresholds
    rows = [row for row in facts.net_benefit if row.threshold != 0.5]
    assert [row.threshold for row in rows] == [k / 100 for k in range(10, 31)]
    expected = [formula(row.threshold, weight) for row in rows]
    assert [row.value for row in rows] == pytest.approx(expected, abs=1e-12)
    assert float(found["net_benefit(0.17)"]) == pytest.approx(formula(0.17, weight), abs=1e-12)
    assert "Net benefit per 1,000 cases" in found.render()


@pytest.mark.sweep(2)
@pytest.mark.parametrize("door", [br.evaluate, br.thresholds])
def test_cases_in_clusters_have_them_too(door):
    found = door(TWO, metrics="net_benefit(0.1..0.2)", cluster="ward", **HOW)
    facts = found.facts if door is br.thresholds else found.facts.thresholds
    rows = [row for row in facts.net_benefit if row.threshold != 0.5]
    assert [row.threshold for row in rows] == [k / 100 for k in range(10, 21)]
    assert all(row.low < row.value < row.high for row in rows)
    assert [row.value for row in rows] == pytest.approx([formula(row.threshold) for row in rows])
    assert "Net benefit per 1,000 cases" in found.render()


def test_the_command_writes_them_as_a_frame(tmp_path):
    from baserate.cli import main

    path = tmp_path / "curve.csv"
    asked = ["--metrics", "recall, net_benefit(0.001..0.006)", "--output", str(path)]
    data = ["examples/two_models.csv", "--target", "label", "--score", "probability"]
    assert main(["evaluate", *data, *asked]) == 0
    frame = pd.read_csv(path).set_index("name")["value"]
    assert frame["net_benefit(threshold=0.0025)"] == pytest.approx(formula(0.0025), abs=1e-12)
    assert frame.index.str.startswith("net_benefit").sum() >= 11
    assert "recall" in frame.index


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"metrics": "net_benefit(0.3..0.1)"}, "between two risks above 0 and below 1"),
        ({"metrics": "net_benefit(low..0.1)"}, "between two risks above 0 and below 1"),
        ({"metrics": "net_benefit(0.1..1)"}, "between two risks above 0 and below 1"),
        ({"score": None, "prediction": "new"}, "where there is no score"),
        ({"prediction": "new"}, "metrics of the predictions"),
    ],
)
def test_what_has_no_such_curve_is_refused(change, told):
    asked = {**HOW, "metrics": "net_benefit(0.1..0.2)", **change}
    with pytest.raises(InvalidArgumentError, match=told):
        br.evaluate(TWO, **asked)


@pytest.mark.parametrize("door", [br.evaluate, br.thresholds])
def test_several_classes_have_no_one_curve(door):
    frame = pd.DataFrame({"t": list("abcabc"), **{f"p_{x}": [0.2, 0.3, 0.5] * 2 for x in "ab"}})
    frame["p_c"] = 1 - frame["p_a"] - frame["p_b"]
    with pytest.raises(InvalidArgumentError, match="one positive class"):
        door(frame, target="t", score=["p_a", "p_b", "p_c"], metrics="net_benefit(0.1..0.2)")


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize("cut", [None, 0.4])
def test_the_risk_that_is_asked_for_is_the_cut_unless_one_is_named(cut):
    """One number by every way of asking, and of every door."""
    name, at = "net_benefit(0.17)", 0.17 if cut is None else cut
    called, true = TWO["probability"] >= at, TWO["label"] == 1
    expected = ((called & true).sum() - (called & ~true).sum() * 0.17 / 0.83) / len(TWO)
    found = br.evaluate(TWO, metrics=name, threshold=cut, **HOW)
    assert float(found[name]) == pytest.approx(expected, abs=1e-12)
    assert found.facts.threshold == at
    assert found.check(f"{name} >= {expected - 1e-6}")
    groups = br.audit(
        TWO.assign(site=TWO.index % 2), groups="site", metrics=name, threshold=cut, **HOW
    )
    assert groups.facts.threshold == at
    both = br.compare(
        TWO.assign(other=1 - TWO["probability"]), target="label", metrics=name, threshold=cut,
        score=["probability", "other"],
    )  # fmt: skip
    assert float(both[name, "probability"]) == pytest.approx(expected, abs=1e-12)


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize("design", [{}, {"cluster": "ward"}])
def test_the_answer_says_at_which_risks_of_the_range_it_is_worth_using(design):
    found = br.evaluate(TWO, metrics="net_benefit(0.05..0.95)", **HOW, **design)
    useful = {row.threshold: row.useful for row in found.facts.thresholds.net_benefit}
    [said] = re.findall(r"Worth using by risk acted from: (.*?) \(", " ".join(str(found).split()))
    told = set()
    for part in said.split(", "):
        answer, low, _, high = re.fullmatch(r"(.+?) (?:at|from) (\S+)( to (\S+))?", part).groups()
        within = {t: p for t, p in useful.items() if float(low) <= t <= float(high or low)}
        assert {"yes" if p >= 0.95 else "no" if p <= 0.05 else "cannot tell"
                for p in within.values()} == {answer}  # fmt: skip
        told |= set(within)
    assert told == set(useful)


def test_what_has_no_risk_or_two_is_refused():
    with pytest.raises(InvalidArgumentError, match=r"ask for a range, net_benefit\(0.1..0.2\)"):
        br.evaluate(TWO, metrics="net_benefit(0.1), net_benefit(0.2)", **HOW)
    with pytest.raises(InvalidArgumentError, match=r"when scores lie outside \[0, 1\]"):
        br.evaluate(TWO.assign(probability=TWO.index), metrics="net_benefit(0.1)", **HOW)

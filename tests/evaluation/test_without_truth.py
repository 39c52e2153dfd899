"""Selection rates need no true labels: an audit of decisions alone."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import baserate as br
from baserate.errors import BaserateError

RNG = np.random.default_rng(5)
RACE = RNG.choice(["asian", "black", "white"], 900, p=[0.2, 0.3, 0.5])
HIRED = (RNG.random(900) < np.where(RACE == "black", 0.15, 0.3)).astype(int)
FRAME = pd.DataFrame({"race": RACE, "hired": HIRED, "truth": 1, "shop": np.arange(900) // 9})
FRAME["weight"] = 1 + np.arange(900) % 3
NAMED = {"prediction": "hired", "groups": "race", "metrics": "selection_rate"}


@pytest.mark.sweep(3)
@pytest.mark.parametrize("design", [{}, {"weight": "weight"}, {"cluster": "shop"}])
def test_a_truth_changes_nothing(design):
    found = br.audit(FRAME, **NAMED, **design).facts
    wanted = br.audit(FRAME, **NAMED, **design, target="truth", positive=1).facts
    assert [g.findings for g in found.groups] == [g.findings for g in wanted.groups]
    assert found.target is None
    other = br.audit(FRAME.assign(truth=HIRED[::-1]), **NAMED, **design, target="truth").facts
    values = [[g.findings[0].value for g in facts.groups] for facts in (found, other)]
    assert values[0] == pytest.approx(values[1])


def test_any_frame_and_any_file(tmp_path):
    FRAME.to_csv(tmp_path / "hiring.csv", index=False)
    wanted = br.audit(FRAME, **NAMED).facts.groups
    for data in (pl.from_pandas(FRAME), pl.from_pandas(FRAME).lazy(), tmp_path / "hiring.csv"):
        assert br.audit(data, **NAMED).facts.groups == wanted


def test_the_four_fifths_rule_by_its_names():
    shares = FRAME.groupby("race")["hired"].mean()
    wanted = shares.min() / shares.max()
    for name in ("adverse impact", "four-fifths rule", "disparate_impact_ratio", "selection_rate"):
        found = br.audit(FRAME, **{**NAMED, "metrics": name})
        assert found["ratio(selection_rate)"].value == pytest.approx(wanted)
        assert not found.check("ratio(selection_rate) >= 0.8")
        text = " ".join(found.render().split())
        assert f"Cases: 900: {HIRED.sum()} called positive; no true labels" in text
        told = "Adverse impact: black is called positive" in text
        assert told == (name != "selection_rate")  # which months have too


def test_words_need_a_positive_label():
    words = FRAME.assign(hired=np.where(HIRED == 1, "yes", "no"))
    with pytest.raises(BaserateError, match="which class is positive"):
        br.audit(words, **NAMED)
    found = br.audit(words, **NAMED, positive="yes").facts
    assert found.groups == br.audit(FRAME, **NAMED).facts.groups


def test_what_is_missing_is_told_of_the_decisions():
    gaps = FRAME.assign(hired=FRAME["hired"].where(FRAME.index != 3))
    with pytest.raises(BaserateError, match="1 in 'hired'"):
        br.audit(gaps, **NAMED)
    assert br.audit(gaps, **NAMED, missing="drop").facts.n == 899


@pytest.mark.parametrize(
    "asked",
    [
        {"metrics": "recall"},
        {"metrics": None},
        {"base_rate": 0.5},
        {"metrics": "selection_rate,f1"},
    ],
)
def test_anything_else_needs_a_truth(asked):
    with pytest.raises(BaserateError, match="target must be given"):
        br.audit(FRAME, **{**NAMED, **asked})


def test_on_the_command_line(tmp_path, capsys):
    from baserate.cli import main

    FRAME.to_csv(tmp_path / "hiring.csv", index=False)
    typed = ["audit", str(tmp_path / "hiring.csv"), "--prediction", "hired", "--group", "race"]
    assert main([*typed, "--metrics", "adverse_impact", "--require", "ratio(ppr) >= 0.8"]) == 1
    assert "Adverse impact" in capsys.readouterr().out
    assert main([*typed, "--require", "ratio(selection_rate) >= 0.8"]) == 1
    assert "ratio(predicted_positive_rate) is" in capsys.readouterr().err
    assert main(typed) == 2
    assert "--metrics selection_rate" in capsys.readouterr().err


def test_groups_of_what_is_judged_are_refused():
    data = {"y": [1, 0, 1, 0] * 5, "p": [1, 1, 0, 0] * 5, "site": list("aabb") * 5}
    frame = pd.DataFrame(data)
    with pytest.raises(br.errors.InvalidArgumentError, match="group must differ from target"):
        br.audit(frame, target="y", prediction="p", groups="y")
    with pytest.raises(br.errors.InvalidArgumentError, match="group must differ from prediction"):
        br.audit(frame, target="y", prediction="p", groups=["site", "p"])
    with pytest.raises(br.errors.InvalidArgumentError, match="group must differ from prediction"):
        br.audit(frame, prediction="p", groups="p", metrics="adverse_impact")
    alone = br.audit(frame, prediction="p", groups="y", metrics="adverse_impact")
    assert len(alone.facts.groups) == 2

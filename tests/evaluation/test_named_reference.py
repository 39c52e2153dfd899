"""Gaps and ratios beside a named reference: of each group to it, not of the two furthest apart."""

import numpy as np
import pandas as pd
import pytest

import baserate as br
from baserate.cli import main

SIZES = {"asian": (680, 1750), "black": (610, 2860), "white": (2290, 7390)}
RATES = {race: k / n for race, (k, n) in SIZES.items()}
ROWS = [(race, k < yes) for race, (yes, n) in SIZES.items() for k in range(n)]
HIRED = pd.DataFrame(ROWS, columns=["race", "hired"])
HIRED["unit"] = np.arange(len(HIRED)) % 97
HIRED["k"] = np.where(HIRED["hired"], "yes", np.where(HIRED["unit"] % 2, "no", "wait"))
NAMED = {"prediction": "hired", "groups": "race", "metrics": "selection_rate"}
GAP, RATIO = "gap(selection_rate)", "ratio(selection_rate)"


def beside(reference):
    """Return the gap and the ratio by plain arithmetic."""
    others = [rate for race, rate in RATES.items() if race != reference]
    own = RATES[reference]
    return max(abs(rate - own) for rate in others), min(others) / own


@pytest.mark.parametrize("how", [{}, {"cluster": "unit"}], ids=["cases", "clusters"])
@pytest.mark.parametrize("reference", SIZES)
def test_every_group_is_beside_the_reference(reference, how):
    found = br.audit(HIRED, **NAMED, **how, reference=reference)
    gap, ratio = beside(reference)
    assert found[GAP].value == pytest.approx(gap)
    assert found[RATIO].value == pytest.approx(ratio)
    assert found[GAP].low <= gap <= found[GAP].high
    [fact] = found.facts.gaps
    assert {"race": reference} in (fact.largest, fact.smallest)
    assert fact.ratios[0].largest == {"race": reference}
    held = found.check(f"{RATIO} >= 0.8", f"{GAP} <= 0.1")
    assert [one.kept for one in held.promises] == [ratio >= 0.8, gap <= 0.1]


def test_without_one_the_two_furthest_apart_are_compared():
    for reference in ("rest", "overall"):
        found = br.audit(HIRED, **NAMED, reference=reference)
        assert found[GAP].value == pytest.approx(RATES["asian"] - RATES["black"])
        assert found[RATIO].value == pytest.approx(RATES["black"] / RATES["asian"])
        assert " beside " not in str(found.check(f"{RATIO} >= 0.8"))


def test_the_sentence_says_which_group_is_beside_it(tmp_path, capsys):
    HIRED.to_csv(tmp_path / "hired.csv")
    typed = ["audit", str(tmp_path / "hired.csv"), "--prediction", "hired", "--group", "race"]
    typed += ["--metrics", "adverse_impact", "--reference", "white"]
    assert main([*typed, "--require", "ratio(selection_rate) >= 0.8"]) == 1
    shown = capsys.readouterr()
    said = "ratio(predicted_positive_rate) of black beside white is 0.688292, under 0.8"
    assert said in " ".join(shown.err.split())
    assert "black is called positive 0.69 times as often as white" in " ".join(shown.out.split())
    assert main([*typed, "--require", "gap(selection_rate) <= 0.1"]) == 0


@pytest.mark.slow
def test_a_group_too_small_to_show_a_gap_has_a_part_if_it_shows_one():
    few = pd.DataFrame({"race": ["few"] * 6, "hired": [True, False, False, False, False, False]})
    found = br.audit(pd.concat([HIRED, few]), **NAMED, reference="white")
    assert found[GAP].value == pytest.approx(beside("white")[0])
    assert found[RATIO].value == pytest.approx(beside("white")[1])  # 1/6 would be the smallest
    assert found.facts.gaps[0].too_small == ({"race": "few"},)
    none = pd.DataFrame({"race": ["none"] * 400, "hired": [False] * 400})
    assert br.audit(pd.concat([HIRED, none]), **NAMED, reference="white")[RATIO].value == 0


def test_several_classes_and_tables():
    own = {"target": "k", "prediction": "k", "groups": "race", "metrics": "accuracy"}
    wrong = HIRED.assign(q=HIRED["k"])
    wrong.loc[wrong["hired"] & (wrong["race"] == "black"), "q"] = "no"
    found = br.audit(wrong, **{**own, "prediction": "q"}, reference="asian")
    assert found["gap(accuracy)"].value == pytest.approx(610 / 2860)
    tables = {
        race: br.ConfusionMatrix(tp=k, fn=n - k, fp=0, tn=0) for race, (k, n) in SIZES.items()
    }
    for race in SIZES:
        gap = br.groups.group_difference("recall", tables, reference=race)
        ratio = br.groups.group_ratio("recall", tables, reference=race)
        assert (gap.value, ratio.value) == pytest.approx(beside(race))
    with pytest.raises(br.errors.UnknownNameError, match="No reference is called 'red'"):
        br.groups.group_ratio("recall", tables, reference="red")

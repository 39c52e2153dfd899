"""Criteria of fairness by name, beside fairlearn, and the four-fifths rule."""

import re
from itertools import product

import fairlearn.metrics as peer
import numpy as np
import pandas as pd
import pytest

import baserate as br
from baserate.facts.audit import RatioFact
from baserate.report.fairness import adverse_impact

PEERS = {
    "demographic parity": peer.demographic_parity_difference,
    "Statistical-Parity": peer.demographic_parity_difference,
    "equal_opportunity": peer.equal_opportunity_difference,
    "equalized_odds": peer.equalized_odds_difference,
}


@pytest.fixture(scope="module")
def cases() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"y": rng.integers(0, 2, 300), "d": rng.integers(0, 2, 300)})
    frame["g"] = rng.choice(["a", "b", "c"], 300)
    return frame


@pytest.mark.parametrize("criterion", PEERS)
def test_a_criterion_stands_for_the_gaps_that_fairlearn_takes(cases, criterion) -> None:
    found = br.audit(cases, target="y", prediction="d", groups="g", metrics=criterion)
    gap = PEERS[criterion](cases["y"], cases["d"], sensitive_features=cases["g"])
    assert max(one.difference for one in found.facts.gaps) == pytest.approx(gap, abs=1e-12)


def test_adverse_impact_is_the_ratio_of_selection_rates(cases) -> None:
    found = br.audit(cases, target="y", prediction="d", groups="g", metrics="adverse_impact")
    ratio = peer.demographic_parity_ratio(cases["y"], cases["d"], sensitive_features=cases["g"])
    [seen] = found.facts.gaps[0].ratios
    assert seen.value == pytest.approx(ratio, abs=1e-12)
    assert f"called positive {ratio:.2f} times as often" in " ".join(str(found).split())


@pytest.mark.slow
def test_a_group_of_reference_counts_among_the_groups_whose_ratios_compete(cases) -> None:
    frame = cases.assign(d=np.where(cases["g"] == "c", cases["d"], 1))
    asked = {"target": "y", "prediction": "d", "groups": "g", "metrics": "adverse_impact"}
    pairs = "3 ratios between two groups"
    for reference, of in (("rest", pairs), ("overall", pairs), ("a", "2 such ratios")):
        text = " ".join(str(br.audit(frame, reference=reference, **asked)).split())
        assert f"below four fifths, the smallest of {of}, for which" in text


def hired() -> pd.DataFrame:
    called = {"a": (22, 64), "b": (20, 131), "c": (124, 412), "few": (1, 7)}
    rows = [(int(k < yes), group) for group, (yes, n) in called.items() for k in range(n)]
    return pd.DataFrame(rows, columns=["d", "g"])


@pytest.mark.parametrize("metrics", ["adverse_impact", ["selection_rate", "error_rate"]])
def test_the_smallest_ratio_names_the_groups_that_it_leaves_out_as_too_small(metrics) -> None:
    known = {"target": "y", "prediction": "d", "groups": "g", "positive": 1, "metrics": metrics}
    found = br.audit(hired().assign(y=lambda frame: frame["d"]), **known)
    text = " ".join(found.render("table", details=True).split())
    assert "b is called positive 0.44 times as often as a" in text
    assert (
        "the smallest of 3 ratios between two groups, for which the interval does not allow; left "
        "out as too small to tell: few (0.42, n 7)" in text
    )
    if metrics == "adverse_impact":
        assert "below 0.8" in text
        assert re.search(r"b 131 0\.44 \([^)]*\) yes c 412 0\.88 \([^)]*\) cannot tell few 7", text)


@pytest.mark.parametrize("asked", [{"metrics": "adverse_impact"}, {"reference": "a"}])
def test_every_group_has_its_ratio_where_fairness_or_a_reference_is_named(asked) -> None:
    known = {"prediction": "d", "groups": "g", "positive": 1} | {"metrics": "selection_rate"}
    found = br.audit(hired(), **(known | asked))
    text = found.render("table", details=True).split("Ratios to a")[1]
    rates = {"b": 20 / 131, "c": 124 / 412, "few": 1 / 7}
    frame = found.to_frame("pandas").query("name == 'ratio(predicted_positive_rate)'")
    [gap] = found.to_dict()["gaps"]
    for group, rate in rates.items():
        one = found["ratio(selection_rate)", group]
        assert one.value == pytest.approx(rate / (22 / 64), rel=1e-12)
        assert one.low < one.value < one.high
        assert f"ratio of predicted positive rate of {group}" in str(one)
        [row] = frame[frame["g"] == group].to_dict("records")
        assert (row["value"], row["low"], row["high"]) == (one.value, one.low, one.high)
        [told] = [x for x in gap["group_ratios"] if x["smallest"] == {"g": group}]
        assert (told["value"], told["largest"]) == (one.value, {"g": "a"})
        assert f"{one.value:.2f} ({one.low:.3f} to " in text
    assert ("Ratios to a" in str(found)) == ("metrics" in asked)
    [none] = br.audit(hired(), **known).to_dict()["gaps"]
    assert none["group_ratios"] == []


def test_ratios_of_a_few_weighted_cases_are_told_a_bit_less_surely() -> None:
    """1 of 7 beside 22 of 64, each of weight 2: Student's quantile in place of the normal one."""
    known = {"prediction": "d", "groups": "g", "positive": 1, "metrics": "adverse_impact"}
    one = br.audit(hired().assign(w=2.0), weight="w", **known)["ratio(selection_rate)", "few"]
    alone = br.audit(hired(), **known)["ratio(selection_rate)", "few"]
    assert one.value == pytest.approx(64 / 7 / 22)
    assert one.low < alone.low < one.value < alone.high < one.high < 1.25 * alone.high


@pytest.mark.parametrize(
    ("low", "high", "of", "words"),
    [
        (0.5, 0.79, "", ": below four fifths"),
        (0.5, 0.79, "3 such ratios", "of 3 such ratios, for which the interval does not allow"),
        (0.8, 0.9, "3 such ratios", ": not below four fifths"),
        (0.7, 0.8, "", ": cannot tell whether that is below four fifths"),
        (float("nan"), float("nan"), "", "; no interval"),
    ],
)
def test_the_four_fifths_rule_has_three_states(low, high, of, words) -> None:
    ends = {"largest": {"g": "a"}, "smallest": {"g": "b"}}
    ratio = RatioFact(name="predicted_positive_rate", value=0.75, low=low, high=high, **ends)
    assert adverse_impact(ratio, of).endswith(words)


def test_three_rates_are_equal_at_other_base_rates_only_where_no_call_is_wrong_or_none_right() -> (
    None
):
    """What the report says of criteria that conflict, of all tables of six cases."""
    tables = [t for t in product(range(7), repeat=4) if sum(t) == 6 and t[0] + t[2]]
    tables = [t for t in tables if t[0] + t[1] and t[2] + t[3]]  # all three are defined
    by: dict[tuple[float, ...], list[tuple[int, ...]]] = {}
    for tp, fn, fp, tn in tables:
        rates = tp / (tp + fp), tp / (tp + fn), fp / (fp + tn)
        by.setdefault(rates, []).append((tp, fn, fp, tn))
    apart = [t for same in by.values() if len({a + b for a, b, *_ in same}) > 1 for t in same]
    assert apart
    assert all(tp == 0 or fp == 0 for tp, _, fp, _ in apart)


def test_the_command_takes_a_criterion(cases, tmp_path, capsys) -> None:
    from baserate.cli import main

    cases.to_csv(tmp_path / "cases.csv", index=False)
    how = ["--target", "y", "--prediction", "d", "--group", "g", "--criterion", "equalized_odds"]
    assert main(["audit", str(tmp_path / "cases.csv"), *how]) == 0
    assert "fpr: false positive rate" in capsys.readouterr().out


def test_the_group_of_reference_has_a_row_of_its_own() -> None:
    known = {"prediction": "d", "groups": "g", "positive": 1, "metrics": "selection_rate"}
    text = " ".join(str(br.audit(hired(), reference="c", **known)).split())
    assert "c 412 0.30 " in text  # 124 of 412
    assert "c 412" in " ".join(str(br.audit(hired(), **known)).split())

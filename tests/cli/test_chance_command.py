"""Chance, skill and p on the command line, and `baserate baseline`."""

import json
from math import comb

import pytest


def counts(tmp_path, *cells):
    path = tmp_path / "counts.csv"
    path.write_text("tp,fn,fp,tn\n" + ",".join(map(str, cells)) + "\n")
    return path


@pytest.mark.slow
def test_a_supremum_beyond_the_budget_says_so_and_keeps_the_verdict(run, tmp_path):
    path = counts(tmp_path, *(10**6 * n for n in (18, 12, 12, 58)))
    code, out, _ = run("evaluate", path, "--counts", "--p-value", "sup", "--details")
    assert code == 0
    assert "\nBetter than guessing: yes (informedness 0.4" in out
    assert "No p-value" in out
    report = json.loads(
        run("evaluate", path, "--counts", "--p-value", "sup", "--format", "json")[1]
    )
    f1 = next(m for m in report["metrics"] if m["name"] == "f1")
    assert f1["p_value"] is None
    assert "20,000,000" in f1["p_value_reason"]
    assert f1["chance"] == pytest.approx(6 / 13)


def test_baseline_command(run):
    code, out, _ = run("baseline", "--positives", "30", "--negatives", "70", "--metrics", "all",
                       "--format", "json")  # fmt: skip
    facts = {m["name"]: m for m in json.loads(out)["metrics"]}
    assert code == 0
    assert facts["f1"]["chance"] == pytest.approx(6 / 13)
    assert facts["f1"]["high_at"] == [[100, 100]]
    assert facts["informedness"]["high_at"] == [[0, 100]]
    assert facts["base_rate"]["chance"] is None
    text = run("baseline", "--positives", "30", "--negatives", "70", "--metric", "f1")[1]
    assert "30 positives, 70 negatives: the best guess scores 0.462 in F1." in text
    assert run("baseline", "--positives", "30", "--negatives", "-1")[0] == 2
    assert run("baseline", "--positives", "30")[0] == 2
    html = run("baseline", "--positives", "30", "--negatives", "70", "--format", "html")[1]
    assert "<script" not in html
    assert "http:" not in html
    assert "https:" not in html


def test_a_baseline_of_totals_that_are_not_known(run):
    def ranges(*words):
        code, out, _ = run("baseline", *words, "--metrics", "f1,acc", "--format", "json")
        assert code == 0
        found = json.loads(out)["metrics"]
        return [(one["chance_low"], one["chance_high"], one["theta_star"]) for one in found]

    everyone = [[1.0, 1.0]]  # 2 p/(p + n) where everyone is flagged, p positives of n
    assert ranges("--n", "10") == [(2 / 11, 18 / 19, everyone), (0.5, 0.9, [])]
    assert ranges("--base-rate", "0.3") == [(6 / 13, 6 / 13, everyone), (0.7, 0.7, [[0.0, 0.0]])]
    assert ranges() == [(None, None, everyone), (None, None, [])]
    coin = ranges("--n", "10", "--guess", "uniform")
    assert coin[1][:2] == pytest.approx((0.5, 0.5))
    # Of one positive among 10, F1 is 2/(1 + k) if it is flagged with k - 1 of the 9 others.
    least = sum(comb(9, k) / (k + 2) for k in range(10)) / 2**9
    assert coin[0][0] == pytest.approx(least)
    one = ranges("--n", "10", "--base-rate", "0.3")
    assert one == ranges("--positives", "3", "--n", "10") == ranges("--negatives", "7", "--n", "10")
    assert one[0][:2] == (6 / 13, 6 / 13)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--n", "10"], "10 cases, 1 to 9 of them positive: the best guess scores 0.500 to 0.900"),
        (
            ["--base-rate", "0.3"],
            "Any number of cases, 30% of them positive: the best guess ",
        ),
        (["--base-rate", "0.3"], "precision 0.300 above 0% to 100%"),
        (["--base-rate", "0.3"], "matthews_correlation 0.000 above 0% to below 100%"),
        ([], "Any number of cases, any share of them positive: the best guess scores what stands"),
        ([], "Depends on the base rate: accuracy, precision"),
    ],
)
def test_what_is_known_of_totals_is_said_first(run, words, said):
    text = run("baseline", *words)[1]
    assert said in " ".join(text.split())

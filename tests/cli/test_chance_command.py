"""Chance, skill and p on the command line, and `baserate baseline`."""

import json

import pytest

from baserate.metrics import get


def counts(tmp_path, *cells):
    path = tmp_path / "counts.csv"
    path.write_text("tp,fn,fp,tn\n" + ",".join(map(str, cells)) + "\n")
    return path


@pytest.mark.slow
def test_a_supremum_beyond_the_budget_says_so_and_keeps_the_verdict(run, tmp_path):
    path = counts(tmp_path, *(10**6 * n for n in (18, 12, 12, 58)))
    code, out, _ = run("evaluate", path, "--counts", "--p-value", "sup")
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
    markdown = run("evaluate", path, "--counts", "--metrics", "all", "--format", "markdown")[1]
    assert "diagnostic_odds_ratio" in markdown
    assert "No value of the guess, and no skill" in markdown


@pytest.mark.sweep(2)
@pytest.mark.parametrize("guess", ["uniform", "proportional", "mode", "0.3"])
def test_every_guess_is_named_and_scored(run, tmp_path, guess):
    path = counts(tmp_path, 30, 10, 15, 45)
    report = json.loads(run("evaluate", path, "--counts", "--guess", guess, "--format", "json")[1])
    accuracy = next(m for m in report["metrics"] if m["name"] == "accuracy")
    g = {"uniform": 0.5, "proportional": 0.4, "mode": 0.0, "0.3": 0.3}[guess]
    assert report["guess"] == guess
    assert accuracy["chance"] == pytest.approx(0.4 * g + 0.6 * (1 - g))
    assert accuracy["skill"] == pytest.approx(
        (0.75 - accuracy["chance"]) / (1 - accuracy["chance"])
    )


def test_metrics_without_direction_have_no_chance(run, tmp_path):
    path = counts(tmp_path, 30, 10, 15, 45)
    report = json.loads(run("evaluate", path, "--counts", "--format", "json")[1])
    for m in report["metrics"]:
        directed = get(m["name"]).direction != "neither"
        assert (m["p_value"] is not None) == directed
        assert directed or (m["chance"], m["skill"]) == (None, None)
        assert m["chance"] is not None or m["chance_reason"]


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

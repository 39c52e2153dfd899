"""`baserate compare --fail-on-worse`: the exit code says whether a classifier fell behind."""

import numpy as np
import pandas as pd
import pytest

COLUMNS = ["compare", "d.csv", "--target", "y", "--prediction"]


@pytest.fixture
def table(tmp_path):
    y = np.tile([0, 1], 50)
    same, bad = y.copy(), y.copy()
    same[:10] ^= 1
    bad[:40] ^= 1
    near = same.copy()
    near[10] ^= 1
    columns = {"y": y, "same": same, "copy": same, "bad": bad, "near": near}
    pd.DataFrame(columns).to_csv(tmp_path / "d.csv")


@pytest.mark.usefixtures("table")
def test_a_worse_classifier_fails_and_is_named(run):
    code, out, problem = run(*COLUMNS, "same", "bad", "--fail-on-worse")
    assert code == 1
    assert out
    assert problem == "baserate: failed: P(same better than bad) > 0.999\n"


@pytest.mark.usefixtures("table")
def test_a_better_one_passes_in_silence_and_a_doubtful_one_with_a_word(run):
    assert run(*COLUMNS, "bad", "same", "--fail-on-worse")[::2] == (0, "")
    code, _, problem = run(*COLUMNS, "same", "near", "--fail-on-worse")
    assert code == 0
    # One discordant case of 100, half a case on either side: P(A better) is 0.82 at most.
    assert problem.startswith("baserate: passed, but P(same better than near) = 0.")
    assert run(*COLUMNS, "same", "near", "--fail-on-worse", "--confidence", "0.6")[0] == 1


@pytest.mark.usefixtures("table")
def test_a_chance_of_just_what_was_asked_for_fails_and_is_told(run):
    code, _, problem = run(*COLUMNS, "same", "copy", "--fail-on-worse", "--confidence", "0.5")
    assert (code, problem) == (1, "baserate: failed: P(same better than copy) = 0.50\n")


@pytest.mark.slow
@pytest.mark.usefixtures("table")
def test_each_later_classifier_is_judged_against_the_first(run):
    code, _, problem = run(*COLUMNS, "same", "near", "bad", "--fail-on-worse")
    assert code == 1
    assert "better than near" in problem
    assert "failed: P(same better than bad)" in problem


@pytest.mark.slow
def test_three_classes_too(run, tmp_path):
    y = np.tile(["a", "b", "c"], 40)
    frame = pd.DataFrame({"y": y, "same": y, "bad": np.roll(y, 1)})
    frame.to_csv(tmp_path / "d.csv")
    assert run(*COLUMNS, "same", "bad", "--fail-on-worse")[0] == 1
    assert run(*COLUMNS, "bad", "same", "--fail-on-worse")[0] == 0

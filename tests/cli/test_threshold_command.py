"""`baserate threshold`, and thresholds that a metric chooses for `baserate evaluate`."""

import io
import json
import os
import subprocess
import sys

import duckdb
import numpy as np
import polars as pl
import pytest
from sklearn import metrics as sk

import baserate as br
from baserate._figures import number, short
from baserate.errors import InvalidArgumentError
from baserate.tuning import cross_validated_threshold


@pytest.fixture
def scores(tmp_path):
    """Two hundred scored cases in five folds."""
    rng = np.random.default_rng(7)
    truth = rng.random(200) < 0.3
    score = np.round(1 / (1 + np.exp(-rng.normal(2 * truth - 1.5, 1))), 2)
    path = tmp_path / "scores.csv"
    labels = np.where(truth, "ill", "well")
    rows = [f"{y},{s},{i % 5}" for i, (y, s) in enumerate(zip(labels, score, strict=True))]
    path.write_text("\n".join(["state,risk,fold", *rows]) + "\n")
    return path, truth, score


def columns(path, *more):
    return (path, "--target", "state", "--score", "risk", "--positive", "ill", *more)


def report(run, command, *arguments):
    code, out, err = run(command, *arguments, "--format", "json")
    assert (code, err) == (0, "")
    return json.loads(out)


@pytest.mark.slow
def test_groups_have_the_common_cut_and_their_own(run, scores, tmp_path):
    path, truth, score = scores
    lines = path.read_text().splitlines()
    sex = ["f" if i % 3 else "m" for i in range(len(truth))]
    grouped = tmp_path / "grouped.csv"
    grouped.write_text("\n".join(f"{a},{b}" for a, b in zip(lines, ["sex", *sex], strict=True)))
    asked = columns(grouped, "--group", "sex", "--metrics", "f1,mcc")
    found = report(run, "threshold", *asked)
    common = {cut["name"]: cut["threshold"] for cut in found["thresholds"]}
    assert found["group_names"] == ["sex"]
    assert [group["group"] for group in found["groups"]] == [{"sex": "f"}, {"sex": "m"}]
    peers = {"matthews_correlation": sk.matthews_corrcoef, "f1": sk.f1_score}
    for group in found["groups"]:
        inside = np.array(sex) == group["group"]["sex"]
        y, s = truth[inside], score[inside]
        assert (group["n"], group["n_positive"]) == (len(y), y.sum())
        for cut in group["thresholds"]:
            peer = peers[cut["name"]]
            assert cut["shared"] == pytest.approx(peer(y, s >= common[cut["name"]]))
            assert cut["value"] == pytest.approx(max(peer(y, s >= t) for t in np.unique(s)))


def test_a_group_without_positives_has_no_cut_of_its_own():
    truth, score = [1, 0, 1, 0, 0, 0], [0.9, 0.1, 0.8, 0.3, 0.2, 0.4]
    found = br.thresholds(truth, score, groups=list("aaaabb"), metrics="accuracy")
    _, group = found.facts.groups
    [cut] = group.cuts
    assert (group.n_positive, cut.shared, cut.reason) == (0, 1.0, "the group has no positives")
    assert "No cut of its own: the group has no positives." in found.render()


def test_rows_of_groups_and_of_all_cases_are_told_apart():
    truth, score = [1, 0, 1, 0], [0.9, 0.1, 0.8, 0.3]
    groups = {"threshold": ["a", "a", "b", "b"], "g": [1, 1, 1, 2]}
    frame = br.thresholds(truth, score, groups=groups, metrics="f1", n_resamples=5).to_frame(
        "polars"
    )
    assert frame["group_threshold"].to_list() == ["all cases", "a", "b", "b"]
    assert frame["g"].to_list() == ["all cases", "1", "1", "2"]
    assert frame["threshold"][0] == 0.8


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize("cost", ["fp=1,fn=20", "fp=20,fn=1"])
def test_costs_put_the_cut_with_the_least_cost_first(run, scores, cost):
    path, truth, score = scores
    found = report(run, "threshold", *columns(path, "--cost", cost))
    fp, fn = (1, 20) if cost == "fp=1,fn=20" else (20, 1)
    lost = {
        t: (fp * np.sum(~truth & (score >= t)) + fn * np.sum(truth & (score < t))) / len(truth)
        for t in [*np.unique(score), np.inf]
    }
    cut = found["thresholds"][0]
    assert cut["value"] == pytest.approx(min(lost.values()))
    assert cut["name"] == f"cost_per_case(fn={fn}, fp={fp})"
    text = " ".join(run("threshold", *columns(path, "--cost", cost))[1].split())
    assert f"Cost per case is lowest, {cut['value']:.2f}" in text


def test_a_default_in_percent_is_refused_for_probabilities(run, scores):
    path, truth, score = scores
    code, _, err = run("threshold", *columns(path, "--default", 40))
    assert code == 2
    told = " ".join(err.split())
    assert "--default must be on the scale of the scores" in told
    assert told.endswith("got 40: write a percentage as a share, 0.4.")
    with pytest.raises(InvalidArgumentError, match="default must be on the scale"):
        br.thresholds(truth, score, default=40)
    assert br.thresholds(truth, 100 * score, default=40, n_resamples=5).facts.default == 40


@pytest.mark.slow
def test_a_cut_that_is_expected_to_do_worse_than_the_default_is_not_preferred():
    """One lucky cut of sixty useless scores: keep the default."""
    rng = np.random.default_rng(1)
    truth, score = np.arange(60) % 3 == 0, rng.random(60)
    found = br.thresholds(truth, score, metrics="mcc", default=0.4)
    [cut] = found.facts.cuts
    assert cut.corrected < cut.default < cut.value
    text = " ".join(found.render().split())
    assert f"Keep 0.4: Matthews correlation is {number(cut.default)} there; the best cut of" in text
    assert f"shows {number(cut.value)} but is expected to have {number(cut.corrected)} on" in text
    unasked = " ".join(str(br.thresholds(truth, score, default=0.4)).split())
    assert "Keep 0.4" not in unasked


@pytest.mark.slow
def test_evaluating_a_score_advises_no_cut():
    """To report a metric is not to maximise it, and a named threshold is judged by net benefit."""
    rng = np.random.default_rng(1)
    truth = np.arange(900) % 9 == 0
    score = 1 / (1 + np.exp(-rng.normal(2 * truth - 3, 1)))
    for threshold in (None, 0.2, 0.6):
        text = str(br.evaluate(truth, score=score, metrics="mcc", threshold=threshold))
        assert "A better cut" not in text
        assert "Keep 0." not in text
        assert ("acting from a risk of 0." in text) == (threshold is not None)


@pytest.mark.slow
def test_a_score_that_may_rank_by_luck_is_no_reason_to_move_the_cut():
    """Sixty useless scores, of which another cut happens to be expected to do better."""
    rng = np.random.default_rng(0)
    truth, score = rng.random(60) < 0.4, rng.random(60)
    found = br.thresholds(truth, score, metrics="mcc")
    [cut] = found.facts.cuts
    assert cut.default < cut.corrected  # so the old rule would have advised it
    assert "these cases cannot tell which of the two is better on" in " ".join(str(found).split())


def test_folds_do_not_prefer_a_cut_to_a_better_default():
    rng = np.random.default_rng(10)
    truth, score, fold = np.arange(60) % 3 == 0, rng.random(60), np.arange(60) // 3 % 4
    found = br.thresholds(truth, score, fold=fold, metrics="mcc", default=0.4)
    [cut] = found.facts.cuts
    known = [sk.matthews_corrcoef(truth[fold == k], score[fold == k] >= 0.4) for k in range(4)]
    assert cut.default_skill == pytest.approx(np.mean(known))  # by chance 0, at best 1
    assert cut.corrected < cut.default_skill
    text = " ".join(found.render().split())
    assert "Keep 0.4: mean skill by Matthews correlation is" in text
    skills = f"{short(cut.default_skill)} there, {short(cut.corrected)} at cuts chosen on"
    assert skills in text


@pytest.mark.slow
def test_what_nobody_asked_to_cut_is_left_out(run, scores, tmp_path):
    text = run("evaluate", *columns(scores[0], "--metrics", "recall"))[1]
    assert "No best cut" not in text
    tied = small(tmp_path, ("0,1,1", "1,1,1"))
    assert "No best cut" not in run("threshold", *tied)[1]
    assert "No best cut" in run("threshold", *tied, "--metrics", "mcc")[1]


@pytest.mark.slow
def test_folds_refer_to_the_guess_asked_for(run, scores):
    path, truth, score = scores
    parts = [np.arange(len(truth)) % 5 == k for k in range(5)]
    known = cross_validated_threshold(
        "f1", [(truth[p], score[p]) for p in parts], guess="proportional", nested=True
    )
    more = ("--fold", "fold", "--guess", "proportional")
    found = report(run, "threshold", *columns(path, *more, "--metrics", "f1"))
    [cut] = found["thresholds"]
    assert cut["corrected"] == pytest.approx(known.value)
    assert (cut["threshold"], found["guess"]) == (known.threshold, "proportional")
    usual = report(run, "threshold", *columns(path, "--fold", "fold", "--metrics", "f1"))
    assert usual["thresholds"][0]["corrected"] < cut["corrected"] - 0.05
    text = " ".join(run("threshold", *columns(path, *more))[1].split())
    assert "(0 is guessing at the base rate)" in text
    through = report(run, "evaluate", *columns(path, *more, "--threshold", "f1"))["thresholds"]
    assert through["thresholds"][0]["corrected"] == pytest.approx(known.value)


def test_standard_input_is_read_once(run, scores, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(scores[0].read_bytes()))
    monkeypatch.setattr(sys, "stdin", stream)
    code, out, _ = run("evaluate", *columns("-", "--threshold", "mcc"))
    assert code == 0
    assert "standard input" in out


def small(tmp_path, rows, header="y,s,f"):
    path = tmp_path / "small.csv"
    path.write_text("\n".join([header, *rows]) + "\n")
    return path, "--target", "y", "--score", "s"


@pytest.mark.parametrize("top", ["inf", "5"])
def test_evaluate_says_where_nothing_positive_is_best(run, tmp_path, top):
    data = small(tmp_path, (f"0,{top},1", "0,4,1", "0,3,1", "1,1,1"))
    code, _, err = run("evaluate", *data, "--threshold", "accuracy")
    assert code == 2
    assert "accuracy is best when nothing is called positive" in err
    assert len(err.splitlines()) == 1
    text = run("threshold", *data, "--metrics", "accuracy")[1]
    assert "with nothing called positive" in " ".join(text.split())


def test_evaluate_cuts_at_infinite_scores(run, tmp_path):
    data = small(tmp_path, ("1,inf,1", "1,inf,1", "0,4,1", "0,3,1"))
    found = report(run, "evaluate", *data, "--threshold", "accuracy")
    assert (found["table"]["tp"], found["table"]["fp"]) == (2, 0)


@pytest.mark.slow
def test_the_printed_cut_counts_the_printed_table(run, tmp_path):
    """Scores that agree to six digits, and a table that only the seventh tells apart."""
    rng = np.random.default_rng(3)
    score = 0.12345678 + 1e-9 * rng.permutation(40)
    truth = rng.random(40) < 0.2 + 0.6 * (score > np.median(score))
    data = small(
        tmp_path, [f"{int(y)},{s!r},1" for y, s in zip(truth, score.tolist(), strict=True)]
    )
    for command, more in (("threshold", ()), ("evaluate", ("--threshold", "f1"))):
        text = run(command, *data, *more, "--format", "markdown")[1]
        cells = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("| f1 |")]
        [row] = [[cell.strip() for cell in line] for line in cells if len(line) > 8]
        cut, counts = float(row[1]), list(map(int, row[-7:-3]))
        called = score >= cut
        assert counts == [
            int(np.sum(cell))
            for cell in (truth & called, truth & ~called, ~truth & called, ~truth & ~called)
        ]
        assert len(row[1]) < 13


def test_integers_beyond_floats_are_cut_exactly_from_arrays():
    first = 2**53
    truth, score = [0, 1, 0, 1], [first, first + 1, first - 3, first + 2]
    [cut] = br.thresholds(truth, score, metrics="accuracy").facts.cuts
    assert (cut.threshold, cut.value) == (first + 1, 1.0)
    assert br.evaluate(truth, score=score, threshold="accuracy").table.tp == 2
    frame = pl.DataFrame({"y": truth, "s": score})
    [cut] = br.thresholds(frame, target="y", score="s", metrics="accuracy").facts.cuts
    assert (cut.threshold, cut.value) == (first + 1, 1.0)


@pytest.mark.parametrize("wrong", ["x", float("inf"), True])
def test_defaults_are_finite_numbers(wrong):
    with pytest.raises(InvalidArgumentError, match="default must be a finite number"):
        br.thresholds([0, 1], [0.1, 0.2], default=wrong)


MEASURED = """
import os, subprocess, sys
begun = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(begun.pid, 0)
print(status, used.ru_maxrss, used.ru_utime + used.ru_stime, file=sys.stderr)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "wait4"), reason="nothing tells the memory of one process")
def test_ten_million_scores_take_little_memory(tmp_path):
    """They are counted in the engine: row by row they took 2.2 GiB and 36 s."""
    path = tmp_path / "scores.parquet"
    rows = "SELECT (random() < s)::INT AS y, s FROM (SELECT random() AS s FROM range(10_000_000))"
    duckdb.connect(config={"memory_limit": "1GiB"}).execute(f"COPY ({rows}) TO '{path}'")
    words = [sys.executable, "-m", "baserate.cli", "threshold", path, "--target", "y"]
    # From a small process of its own: one that is forked counts what its parent held.
    begun = [sys.executable, "-c", MEASURED, *words, "--score", "s"]
    told = subprocess.run(begun, capture_output=True, text=True, check=True).stderr
    status, kibibytes, seconds = map(float, told.splitlines()[-1].split())
    assert status == 0
    assert kibibytes < 1 << 20
    assert seconds < 20

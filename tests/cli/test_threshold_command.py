"""`baserate threshold`, and thresholds that a metric chooses for `baserate evaluate`."""

import io
import json
import sys

import numpy as np
import pytest
from sklearn import metrics as sk


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


def test_best_cuts_equal_scikit_learn(run, scores):
    path, truth, score = scores
    found = report(run, "threshold", *columns(path, "--metrics", "mcc,f1"))
    peers = {"matthews_correlation": sk.matthews_corrcoef, "f1": sk.f1_score}
    for cut in found["thresholds"]:
        values = {t: peers[cut["name"]](truth, score >= t) for t in np.unique(score)}
        best = max(values.values())
        assert cut["value"] == pytest.approx(best)
        assert values[cut["threshold"]] == pytest.approx(best)
        assert cut["default"] == pytest.approx(peers[cut["name"]](truth, score >= 0.5))
        assert cut["low"] <= cut["threshold"] <= cut["high"] or cut["low"] <= cut["high"]
        assert cut["corrected"] < cut["value"]
    ranking = {fact["name"]: fact for fact in found["ranking"]}
    assert ranking["roc_auc"]["value"] == pytest.approx(sk.roc_auc_score(truth, score))
    known = sk.average_precision_score(truth, score)
    assert ranking["average_precision"]["value"] == pytest.approx(known)
    assert ranking["brier_score"]["value"] == pytest.approx(sk.brier_score_loss(truth, score))
    assert ranking["log_loss"]["value"] == pytest.approx(sk.log_loss(truth, score))


def test_the_answer_comes_first(run, scores):
    code, out, _ = run("threshold", *columns(scores[0]))
    assert code == 0
    assert out.startswith("Ranks better than chance: yes (p < 0.001).")
    for words in ("Matthews correlation is best,", "the default cut of 0.5 gives", "Best cuts"):
        assert words in " ".join(out.split())


def test_a_seed_repeats_the_report(run, scores):
    again = [run("threshold", *columns(scores[0], "--seed", "4"))[1] for _ in "ab"]
    assert again[0] == again[1]


def test_constraints_hold(run, scores):
    path, truth, score = scores
    found = report(
        run, "threshold", *columns(path, "--metrics", "precision", "--constraint", "recall >= 0.9")
    )
    [cut] = found["thresholds"]
    assert found["constraint"] == ["recall >= 0.9"]
    kept = [t for t in np.unique(score) if sk.recall_score(truth, score >= t) >= 0.9]
    best = max(sk.precision_score(truth, score >= t) for t in kept)
    assert cut["value"] == pytest.approx(best)


def test_a_metric_without_a_best_cut_says_so(run, scores):
    found = report(run, "threshold", *columns(scores[0], "--metrics", "recall,f1"))
    assert "without misses" in found["thresholds"][0]["reason"]
    assert found["thresholds"][0]["threshold"] is None
    assert "No best cut" in run("threshold", *columns(scores[0], "--metrics", "recall,f1"))[1]


def test_folds_are_cross_validated(run, scores):
    found = report(run, "threshold", *columns(scores[0], "--fold", "fold", "--metrics", "f1"))
    assert found["folds"] == 5
    [cut] = found["thresholds"]
    assert len(cut["fold_values"]) == 5
    assert cut["corrected"] == pytest.approx(np.mean(cut["fold_values"]))


@pytest.mark.parametrize("suffix", ["html", "md", "txt", "json"])
def test_every_format(run, scores, tmp_path, suffix):
    target = tmp_path / f"report.{suffix}"
    code, out, _ = run("threshold", *columns(scores[0], "--output", target))
    assert (code, out) == (0, "")
    text = target.read_text(encoding="utf-8")
    assert "nan" not in text.lower().replace("nannies", "")
    assert "risk" in text


BAD = {
    "no target": (["--score", "risk"], "--target must be given"),
    "no score": (["--target", "state"], "--score must be given"),
    "unknown column": (["--target", "state", "--score", "rsik"], "Did you mean 'risk'"),
    "text": (["--target", "risk", "--score", "state"], "holds text"),
    "constraint": (
        ["--target", "state", "--score", "risk", "--positive", "ill", "--constraint", "recall"],
        "METRIC >= VALUE",
    ),
    "resamples": (
        ["--target", "state", "--score", "risk", "--positive", "ill", "--resamples", "0"],
        "n_resamples",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_clear_line(run, scores, case):
    arguments, message = BAD[case]
    code, out, err = run("threshold", scores[0], *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1


def test_one_class_is_one_clear_line(run, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("y,s\n1,0.5\n1,0.2\n")
    code, _, err = run("threshold", path, "--target", "y", "--score", "s")
    assert code == 2
    assert "one class only" in err


def test_evaluate_cuts_where_a_metric_is_best(run, scores):
    path, truth, score = scores
    found = report(run, "evaluate", *columns(path, "--threshold", "mcc"))
    best = max(sk.matthews_corrcoef(truth, score >= t) for t in np.unique(score))
    known = {m["name"]: m["value"] for m in found["metrics"]}
    assert known["matthews_correlation"] == pytest.approx(best)
    assert found["cut_by"] == "matthews_correlation"
    assert found["thresholds"]["thresholds"][0]["threshold"] == found["threshold"]
    text = run("evaluate", *columns(path, "--threshold", "robust_mcc(d=0.05)"))[1]
    assert "chosen on these same cases, which flatters the figures" in text


def test_evaluate_cross_validates_the_cut(run, scores):
    text = run("evaluate", *columns(scores[0], "--threshold", "f1", "--fold", "fold"))[1]
    assert "The cut was cross-validated over 5 folds." in text


def test_evaluate_shows_ranking_and_best_cuts_of_a_score(run, scores):
    found = report(run, "evaluate", *columns(scores[0]))
    assert found["cut_by"] is None
    assert len(found["thresholds"]["thresholds"]) == 5
    text = run("evaluate", *columns(scores[0]))[1]
    assert "Ranking and calibration" in text
    assert "Best cuts" in text


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--threshold", "half"), "No metric is called 'half'"),
        (("--threshold", "base_rate"), "threshold cannot be chosen by base_rate"),
        (("--fold", "fold"), "fold has no meaning unless a metric cuts the score"),
        (("--threshold", "mcc", "--prediction", "state"), "drop the predictions"),
    ],
)
def test_thresholds_that_cannot_be_chosen(run, scores, more, message):
    code, _, err = run("evaluate", *columns(scores[0], *more))
    assert code == 2
    assert message in err
    assert len(err.splitlines()) == 1


def test_standard_input_is_read_once(run, scores, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(scores[0].read_bytes()))
    monkeypatch.setattr(sys, "stdin", stream)
    code, out, _ = run("evaluate", *columns("-", "--threshold", "mcc"))
    assert code == 0
    assert "standard input" in out

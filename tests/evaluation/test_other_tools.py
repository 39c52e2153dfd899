"""Inside the tools that people have: fairlearn, MLflow, group-by of pandas and polars."""

import json
import os
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from fairlearn.metrics import MetricFrame
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import (
    brier_score_loss,
    f1_score,
    matthews_corrcoef,
    recall_score,
    roc_auc_score,
)

import baserate as br

RNG = np.random.default_rng(5)
SITE = RNG.choice(["a", "b"], 300)
Y = RNG.random(300) < 0.4
SCORE = np.clip(0.3 * Y + 0.7 * RNG.random(300), 0, 1)
PREDICTED = SCORE >= 0.5


def test_a_metric_frame_calls_our_metrics():
    ours = {"mcc": br.metric_function("mcc"), "f1": br.metric_function("f1")}
    theirs = {"mcc": matthews_corrcoef, "f1": f1_score}
    frames = [
        MetricFrame(metrics=m, y_true=Y, y_pred=PREDICTED, sensitive_features=SITE)
        for m in (ours, theirs)
    ]
    pd.testing.assert_frame_equal(frames[0].by_group, frames[1].by_group)
    pd.testing.assert_series_equal(frames[0].difference(), frames[1].difference())


def test_a_metric_frame_shows_skill_and_weights():
    frame = MetricFrame(
        metrics=br.metric_function("recall", guess="same_alarms"),
        y_true=Y, y_pred=PREDICTED, sensitive_features=SITE,
    )  # fmt: skip
    for site in "ab":
        y, predicted = Y[site == SITE], PREDICTED[site == SITE]
        chance = predicted.mean()
        expected = (recall_score(y, predicted) - chance) / (1 - chance)
        assert frame.by_group[site] == pytest.approx(expected)
    weight = RNG.random(300)
    weighted = MetricFrame(
        metrics=br.metric_function("recall"), y_true=Y, y_pred=PREDICTED, sensitive_features=SITE,
        sample_params={"sample_weight": weight},
    )  # fmt: skip
    for site in "ab":
        of = site == SITE
        expected = recall_score(Y[of], PREDICTED[of], sample_weight=weight[of])
        assert weighted.by_group[site] == pytest.approx(expected)


def test_fairlearn_is_told_that_a_group_has_no_value():
    """A group without positives has no recall: nan with its reason, and no gap of 0.5 to it."""
    y, predicted, site = [1, 1, 0, 0, 0, 0], [1, 0, 0, 1, 1, 0], list("aaabbb")
    with pytest.warns(UndefinedMetricWarning, match=r"recall is undefined \(no positives"):
        frame = MetricFrame(
            metrics=br.metric_function("recall"), y_true=y, y_pred=predicted,
            sensitive_features=site,
        )  # fmt: skip
    assert frame.by_group["a"] == 0.5
    assert np.isnan(frame.by_group["b"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(br.metric_function("recall", undefined="nan")([0], [1], pos_label=1))


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize("name", ["a", "a\U0001f600 <b>"])
def test_flat_numbers_have_one_name_each(name):
    site = np.where(SITE == "a", name, "b")
    result = br.evaluate(Y, score=SCORE, groups={"site": site})
    flat = result.to_dict(flat=True)
    of = SITE == "a"
    assert flat["recall"] == pytest.approx(recall_score(Y, PREDICTED))
    called = "a" if name == "a" else "a_ _b_"
    assert flat[f"{called}/recall"] == pytest.approx(recall_score(Y[of], PREDICTED[of]))
    assert flat["recall_low"] < flat["recall"] < flat["recall_high"]
    areas = [("roc_auc", roc_auc_score), ("brier_score", brier_score_loss)]
    for measure, other in areas:
        assert flat[measure] == result.value(measure) == pytest.approx(other(Y, SCORE))
        assert flat[f"{measure}_low"] < flat[measure] < flat[f"{measure}_high"]
    assert flat[f"{called}/tp"] == (Y & PREDICTED & of).sum()
    assert result["n"].value == flat["n"] == len(Y)
    frame = result.to_frame("polars").filter(pl.col("site") == "all cases")
    assert frame.filter(pl.col("name") == "roc_auc")["chance"].to_list() == [0.5]
    assert all(isinstance(value, float | int) and np.isfinite(value) for value in flat.values())
    assert json.loads(json.dumps(flat)) == flat


@pytest.mark.slow
def test_flat_numbers_of_every_front_door():
    audit = br.audit(Y, PREDICTED, groups={"site": SITE}).to_dict(flat=True)
    assert audit["a/recall"] == pytest.approx(recall_score(Y[SITE == "a"], PREDICTED[SITE == "a"]))
    cuts = br.thresholds(Y, SCORE, metrics="f1", n_resamples=20).to_dict(flat=True)
    assert f1_score(Y, cuts["f1_threshold"] <= SCORE) == pytest.approx(cuts["f1"])
    scored = br.compare(Y, score={"A": SCORE, "B": 1 - SCORE}).to_dict(flat=True)
    assert scored["A/roc_auc"] == pytest.approx(1 - scored["B/roc_auc"])
    frame = br.audit(Y, PREDICTED, groups={"site": SITE}).to_frame("polars")
    better = dict(frame.select("name", "better").iter_rows())
    assert [better[x] for x in ("recall", "tp", "fp", "n")] == ["higher", "higher", "lower", None]
    several = br.compare(Y, {"A": PREDICTED, "B": SCORE >= 0.3}).to_dict(flat=True)
    assert several["A/accuracy"] == pytest.approx(np.mean(PREDICTED == Y))
    assert "A/recall_p_luck" in several
    assert "a/recall_p_difference" in audit
    recalls = [audit["a/recall"], audit["b/recall"]]
    assert audit["gap_recall_"] == pytest.approx(np.ptp(recalls))
    assert several["B/fp"] == ((SCORE >= 0.3) & ~np.asarray(Y, bool)).sum()
    assert not [name for name in (*several, *audit, *cuts) if name.endswith("_p_value")]


@pytest.mark.slow
def test_flat_numbers_of_each_class_have_its_name():
    truth = np.tile(["x", "y", "z"], 100)
    called = np.where(RNG.random(300) < 0.7, truth, "x")
    flat = br.evaluate(truth, called, groups={"site": SITE}).to_dict(flat=True)
    audited = br.audit(truth, called, groups={"site": SITE}).to_dict(flat=True)
    for label in "xyz":
        right = (truth == label) & (called == label)
        assert flat[f"{label}/tp"] == right.sum()
        assert flat[f"{label}/recall"] == pytest.approx(right.sum() / 100)
        assert audited[f"a/{label}/tp"] == (right & (SITE == "a")).sum()
    assert not {"tp", "recall"} & flat.keys()


SCRIPT = """
import json, sys, warnings
warnings.simplefilter("ignore")
import mlflow
import baserate as br
mlflow.set_tracking_uri("file://" + sys.argv[1])
y, predicted = [1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 1]
result = br.evaluate(y, predicted, groups={"site": list("aabbab")})
with mlflow.start_run() as run:
    mlflow.log_metrics(result.to_dict(flat=True))
    mlflow.log_text(result.to_html(), "evaluation.html")
logged = mlflow.get_run(run.info.run_id).data.metrics
files = [f.path for f in mlflow.MlflowClient().list_artifacts(run.info.run_id)]
print(json.dumps([logged, files]))
"""


@pytest.mark.slow
def test_mlflow_logs_numbers_and_the_page(tmp_path):
    own = {
        "MLFLOW_ALLOW_FILE_STORE": "true",
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "PYTHONPATH": ":".join(sys.path),
    }
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "runs")],
        capture_output=True, text=True, check=False, cwd=tmp_path, env=os.environ | own,
        timeout=300,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    logged, files = json.loads(run.stdout.splitlines()[-1])
    assert logged["recall"] == pytest.approx(2 / 3)
    assert logged["a/recall"] == 1
    assert files == ["evaluation.html"]

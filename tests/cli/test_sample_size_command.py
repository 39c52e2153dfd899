"""`baserate sample-size`: the same numbers as the function, in every format."""

import json

import pytest

import baserate as br
from baserate.inference.validation_size import validation_sample_size

LAW = ["sample-size", "--base-rate", "0.018", "--auc", "0.8", "--lp-mean", "-5", "--lp-sd", "2.5"]


def test_the_document_is_the_function_s(run):
    code, out, _ = run(*LAW, "--oe-width", "1", "--threshold", "0.08", "--format", "json")
    found = json.loads(out)
    wanted = validation_sample_size(
        base_rate=0.018, auc=0.8, linear_predictor=(-5, 2.5), oe_width=1, threshold=0.08
    )
    assert code == 0
    assert {key: found[key] for key in wanted.to_dict()} == wanted.to_dict()
    assert found["schema"] == 1


@pytest.mark.slow
def test_the_answer_names_what_binds(run):
    code, out, _ = run(*LAW, "--oe-width", "1")
    assert code == 0
    assert "4,554 cases, 82 of them with the event: the calibration slope asks" in out
    assert "one of mean 0.052 and ROC area 0.93" in out
    for form in ("markdown", "html"):
        assert "4,554" in run(*LAW, "--oe-width", "1", "--format", form)[1]


def test_area_and_base_rate_are_a_law(run):
    code, out, _ = run("sample-size", "--base-rate", "0.1", "--auc", "0.75", "--format", "json")
    assert code == 0
    assert json.loads(out)["n"] == validation_sample_size(base_rate=0.1, auc=0.75).n


def test_other_questions(run):
    code, out, _ = run("sample-size", "recall >= 0.9@low", "--expected", "0.95")
    assert (code, out) == (
        0, "255 positives show recall >= 0.9@low with probability 0.8 if it is 0.95.\n"
    )  # fmt: skip
    words = ["difference", "--only-a", "0.09", "--only-b", "0.22", "--certainty", "0.99"]
    code, out, _ = run("sample-size", *words, "--format", "json")
    assert code == 0
    assert json.loads(out)["n"] == int(
        br.sample_size("difference", discordant=(0.09, 0.22), certainty=0.99)
    )
    code, _, problem = run("sample-size", "recall", "--base-rate", "0.1")
    assert code == 2
    assert "--width must be known for 'recall'" in problem


def test_what_is_missing(run):
    code, _, problem = run("sample-size", "--base-rate", "0.1")
    assert code == 2
    assert "pass both auc and base_rate (--auc, --base-rate), linear_predictor" in problem
    code, _, problem = run("sample-size", "--base-rate", "0.1", "--lp-mean", "-5")
    assert code == 2
    assert "--lp-mean and --lp-sd must both be given" in problem


@pytest.mark.parametrize("asked", [{"gap": -0.2}, {"group": 50}, {"gap": -0.2, "group": 50}])
def test_gaps(run, asked):
    words = [word for name, value in asked.items() for word in (f"--{name}", str(value))]
    told = ("sample-size", "gap(recall)", "--reference", "4000,1000,500,4500", *words)
    code, out, _ = run(*told, "--format", "json")
    reference = br.ConfusionMatrix(tp=4000, fn=1000, fp=500, tn=4500)
    found = br.sample_size("gap(recall)", reference=reference, **asked)
    assert code == 0
    wanted = {"schema": 1, **found.to_dict()}
    assert {key: json.loads(out)[key] for key in wanted} == wanted
    assert " ".join(run(*told)[1].split()) == f"{found}."


def test_counts_that_are_none(run):
    code, _, err = run("sample-size", "gap(recall)", "--reference", "4000,10", "--gap", "-0.2")
    assert (code, err.count("\n")) == (2, 1)
    assert "--reference must be four whole numbers tp,fn,fp,tn, got '4000,10'" in err

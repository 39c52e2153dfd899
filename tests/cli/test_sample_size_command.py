"""`baserate sample-size`: the same numbers as the function, in every format."""

import json
import re

import numpy as np
import pytest
from scipy.stats import beta, binom

import baserate as br
from baserate.inference.validation_size import validation_sample_size

LAW = ["sample-size", "--base-rate", "0.018", "--auc", "0.8", "--lp-mean", "-5", "--lp-sd", "2.5"]


def test_the_document_is_the_function_s(run):
    widths = ("--oe-width", "1", "--slope-width", "0.2", "--threshold", "0.08")
    code, out, _ = run(*LAW, *widths, "--format", "json")
    found = json.loads(out)
    wanted = validation_sample_size(
        base_rate=0.018, auc=0.8, linear_predictor=(-5, 2.5), oe_width=1, threshold=0.08
    )
    assert code == 0
    assert {key: found[key] for key in wanted.to_dict()} == wanted.to_dict()
    assert found["schema"] == 1


def test_a_width_that_nobody_named_decides_nothing_where_others_are_named(run):
    model = ["sample-size", "--base-rate", "0.08", "--auc", "0.78"]
    _, out, _ = run(*model, "--oe-width", "0.4", "--auc-width", "0.1")
    assert out.startswith("1,120 cases, 90 of them with the event: the O:E asks for so many.")
    assert "The calibration slope takes 5,569 to be 0.200 wide, which nobody named." in out
    assert run(*model)[1].startswith("5,569 cases")
    _, out, _ = run("sample-size", "--base-rate", "0.08", "--oe-width", "0.4")  # needs no law
    assert out.startswith("1,120 cases")
    found = br.sample_size("calibration", base_rate=0.08, auc=0.78, auc_width=0.1, threshold=0.1)
    assert {found.validation.binding} <= {"auc", "net_benefit"}


def test_how_probably_so_many_cases_show_a_promise(run):
    told = (
        "20 positives show recall >= 0.8@low (Clopper-Pearson, 95%) with probability\n"
        "0.122 if it is 0.9.\n"
    )
    words = ["sample-size", "recall >= 0.8@low", "--expected", "0.9"]
    assert run(*words, "--n", "20")[:2] == (0, told)
    for n in (20, 60, 113):  # by Clopper and Pearson's lower limit of every number of hits
        hits = np.arange(n + 1)
        enough = beta.ppf(0.025, hits, n - hits + 1) >= 0.8
        shown = br.sample_size("recall >= 0.8@low", expected=0.9, n=n)
        assert float(shown) == pytest.approx(binom.pmf(hits, n, 0.9)[enough].sum(), rel=1e-9)
        below = br.sample_size("false_positive_rate <= 0.2@high", expected=0.1, n=n)
        assert (float(below), below.counted) == (pytest.approx(float(shown)), "negatives")
    half = br.sample_size("recall >= 0.8@low", expected=0.9, n=40, design_effect=2)
    assert float(half) == float(br.sample_size("recall >= 0.8@low", expected=0.9, n=20))
    assert "the answer is the power" in run(*words, "--n", "20", "--power", "0.8")[2]


def test_a_bare_command_is_told_what_may_be_asked(run):
    code, _, problem = run("sample-size")
    assert code == 2
    assert 'question must say what the cases are for: ask "recall >= 0.8@low"' in problem


def test_other_questions(run):
    code, out, _ = run("sample-size", "recall >= 0.9@low", "--expected", "0.95")
    assert code == 0
    assert " ".join(out.split()) == (
        "255 positives show recall >= 0.9@low (Clopper-Pearson, 95%) with probability 0.8 "
        "if it is 0.95."
    )
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


@pytest.mark.sweep(2)
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


@pytest.mark.parametrize(
    ("asked", "then", "said"),
    [
        ("difference", "--only-a 0.09 --only-b 0.22", None),
        ("difference --margin 0.2", "--only-a 0.09 --only-b 0.22", None),
        ("gap(recall)", "--reference 40,10,5,45 --gap -0.1", "(tp,fn,fp,tn such as 40,10,5,45)"),
        ("gap(recall) --reference 40,10,5,45", "--gap -0.1", None),
        ("gap(recall) --reference 40,10,5,45", "--group 120", None),
        ("recall --width 0.1", "--expected 0.85", None),
        (
            "f1 --width 0.1",
            "--recall 0.9 --specificity 0.8 --base-rate 0.3",
            "--recall 0.9, --specificity 0.8 and --base-rate 0.3",
        ),
        (
            "difference(roc_auc) --base-rate 0.1 --correlation 0.5 --auc 0.8",
            "--auc 0.80 --other-auc 0.85",
            None,
        ),
    ],
)
def test_what_is_missing_is_written_as_it_is_typed_and_then_answered(run, asked, then, said):
    code, _, problem = run("sample-size", *asked.split())
    assert code == 2
    assert (said or then) in problem
    assert not re.search(r"discordant|joint|\w=|None, or", problem)
    assert run("sample-size", *asked.replace(" --auc 0.8", "").split(), *then.split())[0] == 0


@pytest.mark.parametrize("asked", ["difference(recall)", "difference(recall, a, b) >= -0.02@low"])
def test_a_question_about_two_classifiers_is_written_as_a_promise(run, asked):
    _, _, problem = run("sample-size", asked)
    assert 'ask "difference(recall) >= -0.02@low"' in problem
    told = ("--only-a", "0.05", "--only-b", "0.05")
    assert run("sample-size", "difference(recall) >= -0.02@low", *told)[0] == 0


def test_the_question_is_no_option(run):
    told = ("--only-a", "0.05", "--only-b", "0.05")
    _, _, problem = run("sample-size", "difference(recall) >= 0.02@low", *told)
    assert problem.startswith("baserate: question must leave room")

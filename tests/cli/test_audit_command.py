"""`baserate audit` on the command line."""

import json
from pathlib import Path

import pytest

AFFAIRS = Path(__file__).parents[2] / "examples" / "affairs.csv"
COMPAS = "race,tp,fn,fp,tn\nBlack,273,170,1043,1692\nWhite,77,129,380,1679\nother,39,48,174,750\n"


@pytest.fixture
def compas(tmp_path):
    path = tmp_path / "compas.csv"
    path.write_text(COMPAS)
    return path


def affairs(*more):
    columns = ("--target", "affair", "--prediction", "predicted", "--positive", "yes")
    return ("audit", AFFAIRS, *columns, "--group", "occupation", *more)


def test_fail_on_difference(run, compas, tmp_path):
    code, out, err = run("audit", compas, "--counts", "--metrics", "recall", "--fail-on-difference")
    assert code == 1
    assert "groups differ" in err
    assert out
    same = tmp_path / "same.csv"
    same.write_text("g,tp,fn,fp,tn\na,10,10,5,25\nb,20,20,10,50\n")
    assert run("audit", same, "--counts", "--fail-on-difference")[0] == 0


def test_reference_strength_and_alpha(run, compas):
    words = ("--reference", "White", "--strength", "20", "--alpha", "0.01", "--metrics", "recall")
    found = json.loads(run("audit", compas, "--counts", *words, "--format", "json")[1])
    assert (found["reference"], found["strength"], found["alpha"]) == ("White", 20.0, 0.01)


def test_a_known_reference(run, tmp_path):
    """The worked example of Briscoe et al. (2025): 80 of 100, where three of four are right."""
    counts = tmp_path / "counts.csv"
    counts.write_text("group,tp,fn,fp,tn\nours,45,5,15,35\ntheirs,39,13,12,36\n")
    options = ("--counts", "--reference", "theirs", "--metrics", "accuracy", "--condition", "none")
    found = {}
    for how in ((), ("--known-reference",)):
        code, out, err = run("audit", counts, *options, *how, "--format", "json")
        assert (code, err) == (0, "")
        told = json.loads(out)
        found[told["uncertain_reference"]] = told["groups"][0]["metrics"][0]["percentile"]
    assert round(found[False], 3) == 0.900
    assert round(found[True], 3) == 0.845

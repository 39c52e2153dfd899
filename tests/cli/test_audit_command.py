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


@pytest.mark.slow
def test_the_example(run):
    code, out, err = run(*affairs("--metrics", "recall, false_positive_rate"))
    assert (code, err) == (0, "")
    assert out.startswith(
        "Two groups differ from the rest by more than luck (allowing for all 12\n"
    )
    text = " ".join(out.split())
    assert "false positive rate 0.080 is lower than 0.12 in the rest" in text
    for words in ("? too few cases to tell", "unmarked: consistent with the rest", "--details"):
        assert words in text
    assert max(map(len, out.splitlines())) <= 80
    assert "percentile" not in text


@pytest.mark.slow
def test_details_on_request(run):
    code, out, _ = run(*affairs("--metrics", "recall, false_positive_rate", "--details"))
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    text = " ".join(out.split())
    details = ("percentile", "smoothed", "too small to tell: a gap", "Strength 10 helps")
    for words in (*details, "What was tested", "Recall: no difference seen, 4 too small to tell"):
        assert words in text
    assert "(details=True)" not in text


def test_fail_on_difference(run, compas, tmp_path):
    code, out, err = run("audit", compas, "--counts", "--metrics", "recall", "--fail-on-difference")
    assert code == 1
    assert "groups differ" in err
    assert out
    same = tmp_path / "same.csv"
    same.write_text("g,tp,fn,fp,tn\na,10,10,5,25\nb,20,20,10,50\n")
    assert run("audit", same, "--counts", "--fail-on-difference")[0] == 0


def test_reference_and_strength(run, compas):
    found = json.loads(
        run("audit", compas, "--counts", "--reference", "White", "--strength", "20",
            "--metrics", "recall", "--format", "json")[1]
    )  # fmt: skip
    assert (found["reference"], found["strength"]) == ("White", 20.0)
    [recall] = found["groups"][1]["metrics"]
    # (39 + 20 q_tp) / (87 + 20 (q_tp + q_fn)), with White's shares q of 2,265 cases
    expected = (39 + 20 * 77 / 2265) / (87 + 20 * 206 / 2265)
    assert recall["smoothed"] == pytest.approx(expected)


def test_a_missing_group_label_is_one_clear_line(run, tmp_path):
    path = tmp_path / "missing.csv"
    path.write_text("y,p,g\n1,1,a\n0,0,b\n1,0,\n")
    code, _, err = run("audit", path, "--target", "y", "--prediction", "p", "--group", "g")
    assert code == 2
    assert "missing values: 1 in 'g'" in err
    code, out, _ = run(
        "audit", path, "--target", "y", "--prediction", "p", "--group", "g", "--missing", "drop"
    )
    assert code == 0
    assert "1 row dropped as missing" in out


@pytest.fixture
def triage(tmp_path):
    path = tmp_path / "triage.csv"
    rows = ["truth,called,site"]
    for site, found in (("north", 45), ("south", 15)):
        for label, hits in (("ill", found), ("sick", 45), ("well", 45)):
            wrong = "well" if label != "well" else "sick"
            rows += [f"{label},{label},{site}"] * hits + [f"{label},{wrong},{site}"] * (50 - hits)
    path.write_text("\n".join(rows) + "\n")
    return path


def classes(triage, *more):
    return (
        "audit",
        triage,
        "--target",
        "truth",
        "--prediction",
        "called",
        "--group",
        "site",
        *more,
    )


@pytest.mark.slow
def test_several_classes_as_json_and_as_a_gate(run, triage):
    code, out, err = run(*classes(triage, "--format", "json", "--fail-on-difference"))
    assert (code, err) == (1, "baserate: failed: 2 groups differ\n")
    document = json.loads(out)
    assert [one["label"] for one in document["classes"]] == ["ill", "sick", "well"]
    assert [group["group"] for group in document["groups"]] == [
        {"site": "north"},
        {"site": "south"},
    ]


@pytest.mark.parametrize("more", [("--weight", "truth"), ("--positive", "nobody")])
def test_several_classes_refused(run, triage, more):
    code, out, err = run(*classes(triage, *more))
    assert (code, out) == (2, "")
    assert err.count("\n") == 1


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

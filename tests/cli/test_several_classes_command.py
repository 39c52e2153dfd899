"""`baserate evaluate` on a file of several classes."""

import json
import re
import struct

import pytest
from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

NAMED = ("evaluate", "digits.csv", "--target", "digit", "--prediction", "called")


@pytest.fixture(scope="module")
def digits():
    """Return 1,797 digits and what naive Bayes calls them out of fold."""
    data, truth = load_digits(return_X_y=True)
    return truth, cross_val_predict(GaussianNB(), data, truth)


@pytest.fixture
def evaluate(run, tmp_path, digits):
    cases = zip(*digits, strict=True)
    rows = (f"{y},{p},{'odd' if k % 2 else 'even'},{k % 20}" for k, (y, p) in enumerate(cases))
    (tmp_path / "digits.csv").write_text("\n".join(["digit,called,half,part", *rows, ""]))
    return lambda *words: run(*NAMED, *words)


@pytest.mark.sweep(4, start=1)
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--fail-under", "recall=0.8"],
            "write recall=0.8@classes, recall=0.8@class=LABEL or balanced_accuracy=0.8",
        ),
        (["--fail-under", "recall=0.8@class=77"], "the classes are 0, 1, 2, 3, 4, 5, 6, 7, 8, 9."),
        (["--fail-under", "macro_f1=0.8@class=7"], "leave @class out"),
        (["--fail-under", "macro_nonsense=0.8"], "No metric is called 'macro_nonsense'"),
        (["--fail-under", "recall=1@class=3", "--positive", "3"], "one of several classes"),
        (["--fail-under", "macro_f1=0.8@classes@class=3"], "must have the form METRIC=VALUE"),
        (["--metrics", "nonsense"], "No metric is called 'nonsense'"),
        (["--base-rate", "0.5"], "--base-rate speaks of one positive class"),
        (["--cluster", "half", "--interval", "wilson"], "takes cases as independent"),
        (["--guess", "0.3"], 'pass "proportional"'),
        (
            ["--picture", "roc", "--plot", "x.svg"],
            "must be one of confusion, recall, precision",
        ),
    ],
)
def test_errors_are_one_line(evaluate, words, said):
    code, out, err = evaluate(*words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


@pytest.mark.slow
def test_clusters_are_an_option(evaluate):
    code, out, _ = evaluate("--cluster", "part", "--format", "json")
    report = json.loads(out)
    assert (code, report["n_clusters"], report["cluster"]) == (0, 20, "part")
    assert (report["interval"], report["p_value_route"]) == ("jackknife", "clusters")
    low = report["metrics"][0]["low"]
    asked = evaluate("--cluster", "part", "--fail-under", f"accuracy={low + 1e-6}@low")
    assert asked[0] == 1  # a gate vouches for no more than the interval shows
    limit = float(re.search(r"interval of accuracy is ([\d.]+)", asked[2])[1])
    assert low - 0.05 < limit <= low
    for bar, passes in ((limit - 1e-5, 0), (limit + 1e-5, 1)):
        assert evaluate("--cluster", "part", "--fail-under", f"accuracy={bar}@low")[0] == passes


@pytest.mark.sweep(6, start=2)
@pytest.mark.parametrize("picture", [None, "recall", "f1"])
@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_pictures(evaluate, tmp_path, picture, suffix):
    words = [] if picture is None else ["--picture", picture]
    code, _, err = evaluate("--plot", f"x{suffix}", *words)
    assert (code, err) == (0, f"baserate: x{suffix} written.\n")
    assert (tmp_path / f"x{suffix}").stat().st_size > 5_000
    if suffix == ".svg":
        title = "Confusion matrix" if picture is None else f"{picture.capitalize()} of each class"
        assert title in (tmp_path / "x.svg").read_text()


@pytest.mark.slow
def test_rows_of_many_classes_have_their_room(run, tmp_path):
    lines = (f"class {k},class {(k + (i == 0)) % 40}" for k in range(40) for i in range(5))
    (tmp_path / "many.csv").write_text("\n".join(["y,p", *lines, ""]))
    code, _, err = run(
        "evaluate", "many.csv", "--target", "y", "--prediction", "p", "--plot", "x.png"
    )
    assert (code, err) == (0, "baserate: x.png written.\n")
    width, height = struct.unpack(">II", (tmp_path / "x.png").read_bytes()[16:24])
    assert height > 2 * width


def test_the_catalogue_names_metrics_of_several_classes_and_averages(run):
    for form in ("table", "markdown", "html"):
        text = run("metrics", "--format", form)[1].replace("\\", "")
        assert "Of several classes" in text
        assert "macro_robust_mcc(d=0.05)" in text
    records = {r["name"]: r for r in json.loads(run("metrics", "--format", "json")[1])}
    assert records["accuracy"]["several_classes"] == "Σ n[c, c] / n"
    assert records["recall"]["several_classes"] is None

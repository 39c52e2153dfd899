"""A column that is no prediction, or no group, is refused rather than counted in silence."""

import numpy as np
import pandas as pd
import pytest

import baserate as br
from baserate.cases.binary import choose_positive
from baserate.errors import DataError, LabelError

MISMATCH = "Truth and prediction must use the same labels"


def frame(n=600, seed=3):
    rng = np.random.default_rng(seed)
    ill = rng.random(n) < 0.4
    return pd.DataFrame(
        {
            "truth": np.where(ill, "ill", "well"),
            "code": ill.astype(int),
            "kind": np.array(["cat", "dog", "bird"])[rng.integers(0, 3, n)],
            "species": rng.integers(0, 3, n),
            "score": [f"{x:.3f}" for x in rng.random(n)],
            "children": rng.integers(0, 30, n),
            "guess": np.where(rng.random(n) < 0.3, "ill", "well"),
            "site": rng.integers(0, 30, n),
            "income": [f"{x:.6f}" for x in rng.random(n)],
        }
    )


@pytest.mark.sweep(3, start=1)
@pytest.mark.parametrize(
    ("target", "prediction", "positive"),
    [
        ("truth", "score", "ill"),  # which was "599 labels found", recall 0
        ("code", "children", "1"),
        ("kind", "species", "cat"),
        ("truth", "code", "ill"),
    ],
)
def test_a_column_that_is_no_prediction(run, tmp_path, target, prediction, positive):
    frame().to_csv(tmp_path / "d.csv", index=False)
    words = ["evaluate", "d.csv", "--target", target, "--positive", positive]
    code, out, err = run(*words, "--prediction", prediction)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"baserate: {MISMATCH}: {target} holds ")
    assert f" and {prediction} holds " in err
    assert "pass scores as score (--score)" in err
    both = ["--prediction", prediction, "--prediction", "guess"]
    assert run("compare", *words[1:], *both)[0] == 2
    data, named = frame(), int(positive) if target == "code" else positive
    with pytest.raises(LabelError, match=MISMATCH):
        br.confusion_matrix(data[target], data[prediction], pos_label=named)
    with pytest.raises(LabelError, match=MISMATCH):
        br.evaluate(data, target=target, prediction=prediction, positive=named)


@pytest.mark.parametrize(
    ("truth", "prediction"),
    [
        (("a", "b"), ("c",)),  # constant, and never right
        ((1, 2, 3), (4, 5)),
        (("cat", "dog", "bird"), ("0", "1", "2")),
        ((0, 1), tuple(range(13))),  # 11 others, more than twice as many
        ((1,), tuple(range(2, 13))),
    ],
)
def test_the_rule(truth, prediction):
    with pytest.raises(LabelError, match=MISMATCH):
        choose_positive(truth, prediction, truth[0])


@pytest.mark.parametrize(
    ("truth", "prediction"),
    [
        (("no", "yes"), ("no",)),  # constant
        (("a", "b", "c", "d"), ("a", "c")),  # rare labels are never predicted
        (("no",), ("yes",)),  # one class, all wrong
        (("no",), ("no", "yes")),
        ((7,), (1, 2, 3, 4, 5, 6, 8, 9)),
        ((0, 1), tuple(range(12))),  # a small batch of a question with twelve classes
        (tuple(range(6)), tuple(range(18))),
    ],
)
def test_what_stays_allowed(truth, prediction):
    assert choose_positive(truth, prediction, truth[0]) == truth[0]


@pytest.mark.sweep(4)
@pytest.mark.parametrize("command", ["evaluate", "audit", "compare", "threshold"])
def test_a_number_is_no_group(run, tmp_path, command):
    data = frame(n=400)
    data["other"], data["score"] = data["guess"], data["income"]
    data.to_csv(tmp_path / "d.csv", index=False)
    words = [command, "d.csv", "--target", "truth", "--positive", "ill"]
    words += ["--score", "score"] if command == "threshold" else ["--prediction", "guess"]
    words += {
        "compare": ["--prediction", "other"],
        "threshold": ["--metrics", "f1", "--resamples", "2"],
    }.get(command, ["--metrics", "recall"])
    code, out, err = run(*words, "--group", "income")
    assert (code, out, err.count("\n")) == (2, "", 1)
    belong = " If it says which cases belong together, as a patient does, pass it as cluster "
    instead = f"{belong}(--cluster) instead."
    assert err == (
        "baserate: The group column 'income' has 400 different values in 400 cases, fewer than 10 "
        "cases each: pass a column with fewer values, such as ranges of this one, or pass "
        f"many_groups=True (--many-groups) to have them all.{instead}\n"
    )
    code, _, err = run(*words, "--group", "site", "--group", "children")
    assert (code, "The group columns 'site', 'children' have " in err) == (2, True)
    assert run(*words, "--group", "site")[0] == 0  # 30 groups are not many
    if command == "evaluate":
        assert run(*words, "--group", "income", "--many-groups")[0] == 0


def test_groups_in_python():
    rng = np.random.default_rng(1)
    data = pd.DataFrame({"y": [1, 0] * 155, "p": rng.integers(0, 2, 310), "g": [*range(31)] * 10})
    assert len(br.evaluate(data, target="y", prediction="p", groups="g", metrics="f1").facts.groups)
    few = data[:309]
    with pytest.raises(DataError, match="The group column 'g' has 31 different values in 309"):
        br.evaluate(few, target="y", prediction="p", groups="g")
    with pytest.raises(DataError, match="The group column 'group' has 31"):
        br.evaluate(few["y"], few["p"], groups=few["g"])
    with pytest.raises(DataError, match="The group column 'group' has 31"):
        br.compare(few["y"], {"a": few["p"], "b": few["y"]}, groups=few["g"])
    found = br.evaluate(few["y"], few["p"], groups=few["g"], many_groups=True, metrics="recall")
    assert len(found.facts.groups) == 31

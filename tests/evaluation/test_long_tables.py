"""A long table, with a row for each case and model, has the answer of the wide one."""

import numpy as np
import pandas as pd
import pytest

import baserate as br
from baserate.errors import BaserateError

RNG = np.random.default_rng(4)
N = 200
TRUTH = RNG.integers(0, 2, N)
WIDE = pd.DataFrame({"case": np.arange(N), "y": TRUTH, "ward": np.arange(N) // 8})
WIDE["site"] = np.where(np.arange(N) < 80, "north", "south")
WIDE["weight"] = 1 + np.arange(N) % 3
for name, share in (("a", 0.7), ("b", 0.8), ("c", 0.85)):
    WIDE[name] = np.where(RNG.random(N) < share, TRUTH, 1 - TRUTH)
MODELS = ["a", "b", "c"]
COMMON = ["case", "y", "ward", "site", "weight"]


def melted(wide, models=MODELS, value="said"):
    long = wide.melt(COMMON, models, "model", value)
    return long.sample(frac=1, random_state=3)


LONG = melted(WIDE)
NAMED = {"model": "model", "case_id": "case"}
DESIGNS = {
    "plain": {},
    "groups": {"groups": "site"},
    "clusters": {"cluster": "ward"},
    "weights": {"weight": "weight"},
    "costs": {"cost": "fn=5,fp=1"},
}


def compared(wide, long):
    return wide.facts.pairs, wide.facts.classifiers, long.facts.pairs, long.facts.classifiers


@pytest.mark.sweep(6, start=4)
@pytest.mark.parametrize("design", DESIGNS)
def test_predictions(design):
    wide = br.compare(WIDE, target="y", prediction=MODELS, **DESIGNS[design])
    long = br.compare(LONG, target="y", prediction="said", **NAMED, **DESIGNS[design])
    pairs, classifiers, own_pairs, own_classifiers = compared(wide, long)
    assert (own_pairs, own_classifiers) == (pairs, classifiers)
    assert long.facts.case_id is None


@pytest.mark.slow
def test_scores_marks_and_classes(tmp_path):
    scores = WIDE.assign(**{m: 0.6 * WIDE[m] + 0.4 * RNG.random(N) for m in MODELS})
    wide = br.compare(scores, target="y", score=MODELS)
    long = br.compare(melted(scores), target="y", score="said", **NAMED)
    assert long.facts.score_pairs == wide.facts.score_pairs
    marks = WIDE.assign(**{m: 1 * (WIDE[m] == TRUTH) for m in MODELS})
    wide = br.compare(marks, correct=MODELS)
    melted(marks).to_csv(tmp_path / "marks.csv", index=False)
    for data in (melted(marks), tmp_path / "marks.csv"):
        assert br.compare(data, correct="said", **NAMED).facts.pairs == wide.facts.pairs
    words = WIDE.assign(y=np.where(np.arange(N) % 3, TRUTH.astype(str), "x"))
    words[MODELS] = words[MODELS].astype(str)
    wide = br.compare(words, target="y", prediction=MODELS)
    long = br.compare(melted(words), target="y", prediction="said", **NAMED)
    assert [p.metrics for p in long.facts.pairs] == [p.metrics for p in wide.facts.pairs]


@pytest.mark.slow
def test_numbers_of_models_run_by_size():
    renamed = LONG.assign(model=LONG["model"].map({"a": 10, "b": 9, "c": 2}))
    found = br.compare(renamed, target="y", prediction="said", **NAMED).facts
    assert [one.name for one in found.classifiers] == ["2", "9", "10"]


@pytest.mark.parametrize(
    ("change", "how", "told"),
    [
        (lambda x: x.iloc[1:], {}, "has no row of"),
        (lambda x: pd.concat([x, x.iloc[:1]]), {}, "keep as many runs of each model"),
        (lambda x: x.assign(y=np.where(x.index == 5, 1 - x["y"], x["y"])), {}, "'y' of case"),
        (
            lambda x: x.assign(weight=np.where(x.index == 5, 9, x["weight"])),
            {"weight": "weight"},
            "'weight' of case",
        ),
        (lambda x: x, {"case_id": None}, "case_id must be given beside model"),
        (lambda x: x[x["model"] == "a"], {}, "one only"),
        (lambda x: x.assign(other=1), {"prediction": ["said", "other"]}, "one column of answers"),
        (lambda x: x, {"model": "kind"}, "no column 'kind'"),
        (
            lambda x: x,
            {"weight": "weight", "replicate_weights": ["ward"], "replicate_scale": 1},
            "case_id says what replicate weights say already",
        ),
    ],
)
def test_what_does_not_fit_is_refused(change, how, told):
    with pytest.raises(BaserateError, match=told):
        br.compare(change(LONG), **{"target": "y", "prediction": "said", **NAMED, **how})


def test_other_calls_take_no_model():
    with pytest.raises(BaserateError, match="only compare does"):
        br.evaluate(LONG, target="y", prediction="said", model="model")
    with pytest.raises(BaserateError, match="not of arrays"):
        br.compare(TRUTH, {"a": TRUTH, "b": 1 - TRUTH}, model=TRUTH)


def test_on_the_command_line(tmp_path, capsys):
    from baserate.cli import main

    LONG.to_csv(tmp_path / "long.csv", index=False)
    typed = ["compare", str(tmp_path / "long.csv"), "--target", "y", "--prediction", "said"]
    assert main([*typed, "--model", "model", "--id", "case", "--metrics", "accuracy"]) == 0
    assert capsys.readouterr().out.startswith("Accuracy: c 0.")
    assert main([*typed, "--model", "model"]) == 2
    assert "--id must be given beside model" in capsys.readouterr().err
    assert main(typed) == 2
    assert "--model" in capsys.readouterr().err


@pytest.mark.parametrize("read", ["frame", "file"])
def test_rows_of_one_item_are_runs_of_it(read, tmp_path):
    """Which run of one model goes with which of another changes nothing but the floor."""
    rng = np.random.default_rng(6)
    item = np.repeat(np.arange(60), 5)
    hard = rng.random(60)[item]
    wide = pd.DataFrame({"item": item, **{m: (rng.random(300) > hard) * 1 for m in "ab"}})
    long = wide.melt("item", ["a", "b"], "model", "right").sample(frac=1, random_state=1)
    if read == "file":  # where rows alike are counted together
        long.to_csv(tmp_path / "long.csv", index=False)
    data = long if read == "frame" else tmp_path / "long.csv"
    found = br.compare(data, correct="right", model="model", case_id="item")
    known = br.compare(wide, correct=["a", "b"], case_id="item")
    assert found.facts.n == known.facts.n == 300
    assert found.facts.n_clusters == known.facts.n_clusters == 60
    assert found.facts.case_id == known.facts.case_id == "item"
    for name in "ab":
        one, other = (r["accuracy", name] for r in (found, known))
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))
    one, other = (r["difference(accuracy, a, b)"] for r in (found, known))
    assert one.value == pytest.approx(other.value)
    # By hand: the jackknife over items, of differences within each.
    apart = (wide["a"] - wide["b"]).groupby(wide["item"]).mean()
    least = apart.std(ddof=1) / np.sqrt(60)
    assert (one.high - one.low) / 2 > 1.96 * least * 0.999
    assert one.high - one.low == pytest.approx(other.high - other.low, rel=0.1)


@pytest.mark.parametrize("seed", [1, 2])
def test_runs_answer_alike_in_whatever_order_rows_come(seed):
    """Which run of one model meets which of another is left to chance, not to the table."""
    rng = np.random.default_rng(8)
    item, model = np.tile(np.repeat(np.arange(40), 5), 2), np.repeat(["a", "b"], 200)
    right = (rng.random(400) > rng.random(40)[item]) * 1
    long = pd.DataFrame({"item": item, "model": model, "right": right})
    ends = []
    for data in (long, long.sample(frac=1, random_state=seed)):
        found = br.compare(data, correct="right", model="model", case_id="item")
        ends.append([(one.low, one.high, one.p_value) for one in found.facts.pairs[0].metrics])
    assert ends[0] == ends[1]

"""Cases that were read once answer every call as the data they came from."""

import inspect
import io
import warnings

import numpy as np
import pandas as pd
import pytest

import baserate as br
from baserate.errors import BaserateError, InvalidArgumentError, MissingValueError
from baserate.evaluation.keywords import KEYWORDS

N = 90
RNG = np.random.default_rng(5)
TRUTH = RNG.integers(0, 2, N)
RISK = (0.5 * TRUTH + 0.5 * RNG.random(N)).round(3)
CALL, OTHER = (RISK > 0.45) * 1, (RISK > 0.6) * 1
SITE, WARD, FOLD = np.array(list("abc"))[np.arange(N) % 3], np.arange(N) // 3, np.arange(N) % 4
WEIGHT = RNG.integers(1, 4, N) / 2
FRAME = pd.DataFrame(
    {"y": TRUTH, "p": CALL, "q": OTHER, "s": RISK, "t": RISK**2, "site": SITE, "ward": WARD,
     "fold": FOLD, "w": WEIGHT}
)  # fmt: skip
REPLICATES = WEIGHT[:, None] * (WARD[:, None] % 4 != np.arange(4))
WORD = np.array(["ant", "bee", "cat"])
THREE = RNG.integers(0, 3, N)
SHARES = np.exp(1.5 * np.eye(3)[THREE] + RNG.normal(size=(N, 3)))
SHARES /= SHARES.sum(axis=1, keepdims=True)
SHARED = pd.DataFrame({f"p_{name}": SHARES[:, k] for k, name in enumerate(WORD)})
SHARED = SHARED.assign(y=WORD[THREE], p=WORD[SHARES.argmax(1)], q=WORD[RNG.integers(0, 3, N)])
DOORS = {"evaluate": br.evaluate, "audit": br.audit, "compare": br.compare, "cut": br.thresholds}
FEW = {"n_resamples": 5}


def held(folder, kind):
    """Return the cases in every kind of source that has columns."""
    if kind == "csv":
        FRAME.to_csv(folder / "c.csv", index=False)
        return folder / "c.csv"
    if kind == "parquet":
        FRAME.to_parquet(folder / "c.parquet")
        return str(folder / "c.parquet")
    makers = {
        "pandas": lambda: FRAME,
        "stream": lambda: io.BytesIO(FRAME.to_csv(index=False).encode()),
        "arrow": lambda: pytest.importorskip("pyarrow").Table.from_pandas(FRAME),
        "relation": lambda: pytest.importorskip("duckdb").from_df(FRAME),
        "polars": lambda: pytest.importorskip("polars").from_pandas(FRAME),
        "lazy": lambda: pytest.importorskip("polars").from_pandas(FRAME).lazy(),
    }
    return makers[kind]()


KINDS = ["pandas", "csv", "parquet", "stream", "arrow", "polars", "lazy", "relation"]
CALLS = {
    "labels": ("evaluate", {"prediction": "p", "groups": "site", "cluster": "ward"}, {}),
    "score": ("evaluate", {"score": "s", "groups": ["site"]}, {"threshold": 0.4}),
    "groups": ("audit", {"prediction": "p", "groups": "site", "weight": "w"}, {}),
    "several": ("compare", {"prediction": ["p", "q"], "score": "s", "case_id": "ward"}, {}),
    "folds": ("cut", {"score": "s", "fold": "fold"}, FEW),
}


@pytest.mark.sweep(40, start=25)
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_every_source_answer_as_the_source_does(tmp_path, kind, name):
    door, reading, asked = CALLS[name]
    reading = {"target": "y", **reading}
    read = br.cases(held(tmp_path, kind), **reading)
    direct = DOORS[door](held(tmp_path, kind), **reading, **asked).to_dict()
    assert DOORS[door](read, **asked).to_dict() == direct


ARRAYS = {
    "labels": ("evaluate", (TRUTH, CALL), {"groups": SITE, "weight": WEIGHT}, {}),
    "score": ("evaluate", (TRUTH,), {"score": RISK, "groups": {"site": SITE}}, {}),
    "both": ("evaluate", (TRUTH, CALL), {"score": RISK}, {}),
    "a cut by folds": ("evaluate", (TRUTH,), {"score": RISK, "fold": FOLD}, {"threshold": "mcc"}),
    "matrix": ("evaluate", (WORD[THREE],), {"score": SHARES}, {}),
    "frame": ("evaluate", (WORD[THREE],), {"score": SHARED[["p_ant", "p_bee", "p_cat"]]}, {}),
    "by label": ("evaluate", (WORD[THREE],), {"score": dict(zip(WORD, SHARES.T, strict=True))}, {}),
    "one of three": ("evaluate", (WORD[THREE],), {"score": SHARES, "positive": "bee"}, {}),
    "three": ("evaluate", (WORD[THREE], SHARED["p"]), {"cluster": WARD}, {}),
    "replicates": (
        "evaluate",
        (TRUTH, CALL),
        {"weight": WEIGHT, "replicate_weights": REPLICATES, "replicate_scale": 0.5},
        {},
    ),
    "audit": ("audit", (TRUTH, CALL), {"groups": {"site": SITE}, "case_id": WARD}, {}),
    "compare": ("compare", (TRUTH, {"p": CALL, "q": OTHER}), {"groups": {"site": SITE}}, {}),
    "scores": ("compare", (TRUTH,), {"score": {"s": RISK, "t": RISK[::-1]}, "cluster": WARD}, {}),
    "three compared": ("compare", (WORD[THREE], {"p": SHARED["p"], "q": SHARED["q"]}), {}, {}),
    "cut": ("cut", (TRUTH, RISK), {"groups": {"site": SITE}}, FEW),
    "cut by folds": ("cut", (TRUTH, RISK), {"fold": FOLD}, FEW),
    "weights of classes": ("cut", (WORD[THREE], SHARES), {}, FEW),
}  # fmt: skip


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_answer_as_they_do(name):
    door, data, reading, asked = ARRAYS[name]
    direct = DOORS[door](*data, **reading, **asked).to_dict()
    if door == "cut":  # there the second array is the score
        data, reading = data[:1], {**reading, "score": data[1]}
    assert DOORS[door](br.cases(*data, **reading), **asked).to_dict() == direct


def tables():
    return {"A": br.ConfusionMatrix(tp=27, fn=23, fp=15, tn=35),
            "B": br.ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)}  # fmt: skip


def histogram(score=RISK):
    return br.ScoreHistogram().add(TRUTH, score)


@pytest.mark.sweep(7, start=6)
@pytest.mark.parametrize(
    ("door", "data"),
    [
        (br.evaluate, tables()["A"]),
        (br.audit, tables()),
        (br.compare, tables()),
        (br.evaluate, br.ClassTable([[9, 1, 0], [2, 7, 1], [0, 3, 8]], list("abc"))),
        (br.evaluate, histogram()),
        (br.thresholds, histogram()),
        (br.compare, {"s": histogram(), "t": histogram(RISK[::-1])}),
    ],
)
def test_what_was_counted_elsewhere_answers_as_it_does(door, data):
    asked = FEW if door is br.thresholds else {}
    assert door(br.cases(data), **asked).to_dict() == door(data, **asked).to_dict()
    with pytest.raises(InvalidArgumentError, match=r"^weight has no meaning"):
        br.cases(data, weight=WEIGHT)


def test_a_file_of_counted_scores_is_read_once(tmp_path):
    histogram().save(tmp_path / "h.arrow")
    read = br.cases(tmp_path / "h.arrow")
    direct = br.evaluate(tmp_path / "h.arrow").to_dict()
    (tmp_path / "h.arrow").unlink()
    assert br.evaluate(read).to_dict() == direct


def test_held_out_cases_answer_as_they_do():
    from baserate.cases.unseen_cases import HeldOut

    found = HeldOut(TRUTH, CALL, RISK, FOLD, np.arange(N), 1)
    assert br.evaluate(br.cases(found)).to_dict() == br.evaluate(found).to_dict()
    read, direct = br.thresholds(br.cases(found), **FEW), br.thresholds(found, **FEW)
    assert read.to_dict() == direct.to_dict()


def test_what_was_read_is_said():
    holes = np.where(np.arange(N) == 4, None, TRUTH)
    read = br.cases(
        holes, CALL, score=RISK, groups={"site": SITE}, cluster=WARD, weight=WEIGHT, missing="drop"
    )
    kept = np.arange(N) != 4
    sizes = [int((TRUTH[kept] == label).sum()) for label in (0, 1)]
    assert read.to_dict() == {
        "n": N - 1, "missing": 1, "source": None, "target": "y_true",
        "classes": [{"label": k, "n": n} for k, n in enumerate(sizes)], "positive": 1,
        "predictions": ["y_pred"], "scores": ["score"], "groups": ["site"], "n_groups": 3,
        "n_clusters": 30, "n_strata": None, "n_runs": None, "weighted": True,
    }  # fmt: skip
    assert repr(read) == (
        f"89 cases: {sizes[0]} of class 0, {sizes[1]} of 1 (positive). Prediction: y_pred. "
        "Score: score. 3 groups by site. 30 clusters. Weighted. 1 case lacked something and was "
        "left out."
    )
    assert br.evaluate(read).facts.missing == 1
    assert br.cases(WORD[THREE], SHARED["p"]).facts.positive is None
    with pytest.raises(MissingValueError, match="1 in 'y_true'"):
        br.cases(holes, CALL)


def test_text_is_read_as_numbers_are(tmp_path):
    read = br.cases(held(tmp_path, "csv"), target="y", prediction="p")
    assert [label for label, _ in read.facts.classes] == [0, 1]
    assert (read.facts.positive, read.facts.source) == (1, f"{tmp_path / 'c.csv'} (CSV)")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c: br.evaluate(c, groups=SITE), "groups comes too late beside cases that were re"),
        (lambda c: br.evaluate(c, CALL), "y_pred comes too late beside cases that were read"),
        (lambda c: br.cases(c, weight=WEIGHT), "weight comes too late beside cases that were rea"),
        (br.compare, "there is one only"),
        (lambda c: br.thresholds(c, fold=FOLD), "fold comes too late beside cases that were read"),
        (lambda c: br.thresholds(TRUTH, RISK, fold=FOLD, weight=WEIGHT), "weight has no meaning b"),
        (lambda c: br.audit(TRUTH, CALL, groups=SITE, fold=FOLD), "fold has no meaning where no m"),
        (lambda c: br.compare(TRUTH, {"p": CALL, "q": OTHER}, fold=FOLD), "fold has no meaning"),
        (lambda c: br.evaluate(histogram(), cluster=WARD), "cluster has no meaning beside a hist"),
        (lambda c: br.cases(TRUTH), "y_pred must be given"),
        (lambda c: br.cases(FRAME, target="y"), "prediction must be given"),
        (lambda c: br.cases(TRUTH, CALL, positive="ill"), "positive must be a label that occurs"),
        (lambda c: br.cases(TRUTH, CALL, groups=RISK), "many_groups=True"),
        (
            lambda c: br.evaluate(FRAME, target="y", prediction=["p", "q"]),
            "prediction must be one column here, got 'p, q': name one, or compare them by compare",
        ),
    ],
)
def test_what_would_be_ignored_is_refused(call, message):
    with pytest.raises(BaserateError, match=message):
        call(br.cases(TRUTH, CALL, cluster=WARD))


@pytest.mark.parametrize("door", [br.cases, *DOORS.values()])
def test_every_call_shows_and_tells_every_keyword(door):
    known = inspect.signature(door).parameters
    for name, key in KEYWORDS.items():
        assert known[name].default == key.default
        assert f"\n{name} : {key.kind}\n" in door.__doc__
    assert "**reading" not in door.__doc__
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'colour'"):
        door(TRUTH, CALL, colour=1)


def test_the_name_is_that_of_the_call():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        import baserate.cases.arrays  # noqa: F401

    assert callable(br.cases)

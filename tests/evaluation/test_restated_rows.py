"""A row that stands for several cases is as many rows, and labels of another name are the same."""

import numpy as np
import pandas as pd
import pytest

import baserate as br
from baserate.errors import InvalidArgumentError, MissingValueError

N = 60
RNG = np.random.default_rng(8)
TRUTH = np.arange(N) % 3 == 0
RISK = np.round((TRUTH + RNG.normal(size=N) + 3) / 8, 2).clip(0.01, 0.99)
WORD = np.array(["ant", "bee", "cat"])
KIND = RNG.integers(0, 3, N)
SHARES = np.exp(1.5 * np.eye(3)[KIND] + RNG.normal(size=(N, 3)))
SHARES /= SHARES.sum(axis=1, keepdims=True)
ROWS = pd.DataFrame(
    {"y": np.where(TRUTH, "ill", "well"), "p": np.where(RISK > 0.4, "ill", "well"),
     "q": np.where(RNG.random(N) < 0.3, "ill", "well"), "s": RISK, "t": np.round(RISK**2, 3),
     "site": np.arange(N) % 2, "ward": np.arange(N) // 4, "w": RNG.integers(1, 4, N) / 2,
     "fold": np.arange(N) % 4, "kind": WORD[KIND], "said": WORD[SHARES.argmax(1)],
     "also": WORD[RNG.integers(0, 3, N)], "n": RNG.integers(0, 5, N),
     **{f"k_{name}": SHARES[:, k] for k, name in enumerate(WORD)}}
)  # fmt: skip
ILL, SHARED = {"target": "y", "positive": "ill"}, ["k_ant", "k_bee", "k_cat"]
# A call each: the door, and what it is given.
CALLS = {
    "table": (br.evaluate, {**ILL, "prediction": "p"}),
    "groups and clusters": (
        br.evaluate,
        {**ILL, "prediction": "p", "groups": "site", "cluster": "ward"},
    ),
    "score": (br.evaluate, {**ILL, "score": "s", "threshold": 0.4}),
    "weights": (br.evaluate, {**ILL, "score": "s", "threshold": 0.4, "weight": "w"}),
    "clustered score": (br.evaluate, {**ILL, "score": "s", "threshold": 0.4, "cluster": "ward"}),
    "classes": (br.evaluate, {"target": "kind", "prediction": "said"}),
    "class scores": (br.evaluate, {"target": "kind", "score": SHARED}),
    "audit": (br.audit, {**ILL, "prediction": "p", "groups": "site"}),
    "audit of classes": (br.audit, {"target": "kind", "prediction": "said", "groups": "site"}),
    "compare": (br.compare, {**ILL, "prediction": ["p", "q"], "score": ["s", "t"]}),
    "compare classes": (br.compare, {"target": "kind", "prediction": ["said", "also"]}),
    "thresholds": (br.thresholds, {**ILL, "score": "s", "n_resamples": 5}),
}


def told(answer):
    """Return what an answer says, but for where the data came from and rows that were read."""
    found = answer.to_dict()
    return {key: x for key, x in found.items() if key not in {"source", "origins"}}


@pytest.mark.sweep(36, start=25)
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("kind", ["frame", "file", "read before"])
def test_a_row_of_many_cases_is_as_many_rows(tmp_path, name, kind):
    call, asked = CALLS[name]

    def source(rows):
        if kind != "file":
            return rows
        rows.to_csv(tmp_path / "rows.csv", index=False)
        return tmp_path / "rows.csv"

    rest = {k: asked[k] for k in ("threshold", "n_resamples") if k in asked}
    reading = {k: x for k, x in asked.items() if k not in rest}
    if kind == "read before":
        found = call(br.cases(ROWS, **reading, frequency="n"), **rest)
    else:
        found = call(source(ROWS), **asked, frequency="n")
    expected = call(source(ROWS.loc[ROWS.index.repeat(ROWS.n)].reset_index(drop=True)), **asked)
    assert str(found) == str(expected)
    same = pd.testing.assert_frame_equal
    same(found.to_frame("pandas"), expected.to_frame("pandas"), rtol=1e-9)


def test_arrays_take_frequencies_too():
    found = br.evaluate(TRUTH, RISK > 0.4, frequency=ROWS.n)
    again = np.repeat(np.arange(N), ROWS.n)
    assert told(found) == told(br.evaluate(TRUTH[again], RISK[again] > 0.4))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"frequency": "w"}, "frequency must hold whole numbers, cases of each row, got "),
        ({"frequency": "n", "case_id": "ward"}, "case_id tells cases apart, and a row is many"),
        ({"relabel": "sick=ill"}, "relabel must name labels that occur, got 'sick': there are"),
        ({"relabel": "ill"}, "relabel must say what labels are called, got 'ill': write"),
    ],
)
def test_what_is_no_count_or_no_label_is_refused(wrong, message):
    with pytest.raises(InvalidArgumentError, match=message):
        br.evaluate(ROWS, **ILL, prediction="p", **wrong)


@pytest.mark.sweep(9, start=8)
@pytest.mark.parametrize("names", ["+=ill,-=well", {"+": "ill", "-": "well"}, ["+=ill", "-=well"]])
@pytest.mark.parametrize("kind", ["frame", "file", "arrays"])
def test_labels_of_another_name_are_the_same(tmp_path, names, kind):
    called = ROWS.assign(p=np.where(ROWS.p == "ill", "+", "-"))
    asked = {**ILL, "prediction": "p"}
    expected = br.evaluate(ROWS, **asked).value("recall")
    if kind == "arrays":
        found = br.evaluate(called.y, called.p, positive="ill", relabel=names)
    else:
        called.to_csv(tmp_path / "called.csv", index=False)
        data = called if kind == "frame" else tmp_path / "called.csv"
        found = br.evaluate(data, **asked, relabel=names)
    assert found.value("recall") == expected


def test_numbers_are_renamed_by_their_text_and_classes_are_joined():
    grades = [1, 2, 3, 4, 4, 3, 1, 2], [1, 1, 3, 3, 2, 4, 2, 2]
    joined = br.evaluate(*grades, relabel="1=0,2=0,3=1,4=1", positive=1)
    assert joined["recall"].value == 3 / 4


def test_a_label_of_no_name_is_missing():
    names = {"void": None}
    truth, said = ["yes", "no", "yes", "no"], ["yes", "void", "no", "no"]
    with pytest.raises(MissingValueError, match="1 in 'y_pred'"):
        br.evaluate(truth, said, positive="yes", relabel=names)
    found = br.evaluate(truth, said, positive="yes", relabel=names, missing="drop")
    assert found.facts.n == 3
    assert found.facts.missing == 1


def test_labels_are_named_before_rows_are_counted():
    """Rows that are left out are as many cases as they stand for."""
    rows = pd.DataFrame({"y": ["yes", "no", "no"], "p": ["yes", "void", "no"], "n": [3, 4, 5]})
    asked = {"target": "y", "prediction": "p", "positive": "yes", "missing": "drop"}
    found = br.evaluate(rows, **asked, relabel="void=", frequency="n")
    assert (found.facts.n, found.facts.missing) == (8, 4)


def test_missing_predictions_are_filled_in_and_a_missing_truth_is_not():
    rows = pd.DataFrame({"y": ["yes", "no", None], "p": [None, "no", None]})
    asked = {"target": "y", "prediction": "p", "positive": "yes", "relabel": "=no"}
    with pytest.raises(MissingValueError, match="1 in 'y'"):
        br.evaluate(rows, **asked)
    assert br.evaluate(rows, **asked, missing="drop").value("recall") == 0


def test_labels_that_only_predictions_have_are_told_of():
    truth, said = ["yes", "no", "yes", "no"], ["yes", "void", "no", "no"]
    found = br.evaluate(truth, said, positive="yes")
    told = " ".join(str(found).split())
    assert told.startswith(
        'Beware: predictions that the truth never has (1 of "void") count as not positive; '
        "--relabel void= with --missing drop leaves them out."
    )
    assert found.facts.only_predicted == {"void": 1}
    assert "Beware" not in str(br.evaluate(["yes", "yes"], ["yes", "no"], positive="yes"))
    several = br.compare([1, 2, 3, 2], {"a": [1, 2, 2, 2], "b": [1, 1, 2, 2]}, positive=2)
    assert 'All labels but "2" count as negative' in " ".join(str(several).split())


def test_labels_that_only_predictions_have_are_counted_over_all_classifiers():
    truth = [1, 0, 1, 0, 1, 0]
    found = br.compare(truth, {"a": [9, 9, 1, 0, 1, 0], "b": [1, 0, 9, -1, 1, 0]}, positive=1)
    assert found.facts.only_predicted == {"-1": 1, "9": 3}
    told = " ".join(str(found).split())
    assert '(1 of "-1", 3 of "9")' in told
    assert "--relabel=-1=,9= with --missing drop" in told  # a word that begins with - is an option
    said = str(br.evaluate(truth, ["a=b", 0, 1, 0, 1, 0], positive=1))
    assert "relabel={LABEL: None} in Python" in " ".join(said.split())

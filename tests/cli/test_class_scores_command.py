"""`baserate evaluate` and `baserate audit` on a score for each of several classes."""

import io
import json

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

NAMED = ("evaluate", "digits.csv", "--target", "digit")
COLUMNS = tuple(f"p_{k}" for k in range(10))


@pytest.fixture(scope="module")
def digits():
    """Return 1,797 digits and their out-of-fold probabilities."""
    data, truth = load_digits(return_X_y=True)
    found = cross_val_predict(GaussianNB(), data, truth, method="predict_proba")
    return truth, (found + 1e-3) / 1.01  # no probability so small that scikit-learn clips it


@pytest.fixture
def evaluate(run, tmp_path, digits):
    truth, scores = digits
    header = ",".join(["digit", "half", *COLUMNS])
    rows = np.column_stack((truth, np.arange(len(truth)) % 2, scores))
    formats = ["%d", "%d", *(["%.17g"] * 10)]
    np.savetxt(
        tmp_path / "digits.csv", rows, delimiter=",", header=header, comments="", fmt=formats
    )
    return lambda *words: run(*NAMED, *words)


@pytest.mark.slow
def test_columns_by_name_by_label_and_by_pattern_say_the_same(evaluate):
    ways = [("p_*",), COLUMNS, COLUMNS[::-1], [f"{k}=p_{k}" for k in range(10)]]
    found = [json.loads(evaluate("--score", *way, "--format", "json")[1]) for way in ways]
    for document in found:
        del document["baserate"]
    assert found[1:] == found[:-1]


def test_what_cannot_be_read_is_one_line(evaluate, run):
    for words in (("p_1", "p_2"), ("1=p_1", "2=p_2"), ("q_*",), ("p_*", "--threshold", "0.3")):
        code, out, err = evaluate("--score", *words)
        assert (code, out) == (2, "")
        assert err.count("\n") == 1


def test_a_stream_whose_columns_are_named(run, monkeypatch):
    rows = ["y,one,two,three", "a,0.7,0.2,0.1", "b,0.1,0.8,0.1", "c,0.2,0.2,0.6"]
    text = "\n".join(rows).encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    columns = ("a=one", "b=two", "c=three")
    code, out, err = run("evaluate", "-", "--target", "y", "--score", *columns)
    assert (code, err) == (0, "")
    assert 'columns "one", "two", "three"' in out

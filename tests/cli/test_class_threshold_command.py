"""`baserate threshold` on a file with a probability for each of several classes."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def threshold(run, tmp_path):
    rng = np.random.default_rng(3)
    y = rng.choice(3, 300, p=[0.1, 0.3, 0.6])
    z = np.exp(rng.normal(size=(300, 3)) + 1.5 * np.eye(3)[y] + np.log([0.1, 0.3, 0.6]))
    p = np.round(z / z.sum(axis=1, keepdims=True), 4)
    columns = {"y": np.array(["x", "y", "z"])[y], "p_x": p[:, 0], "p_y": p[:, 1], "p_z": p[:, 2]}
    pd.DataFrame(columns).to_csv(tmp_path / "scores.csv", index=False)
    return lambda *words: run("threshold", "scores.csv", "--target", "y", *words)


@pytest.mark.sweep(10, start=5)
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--score", "p_*", "--metrics", "f1"], 'for example "macro_f1"'),
        (["--score", "p_*", "--constraint", "recall >= 0.9"], "got 'recall >= 0.9': leave it out"),
        (["--score", "p_x", "p_y"], "a column for every label ('x', 'y', 'z'), got"),
        (["--score", "x=p_x", "x=p_y", "z=p_z"], "name each class once"),
        (["--score", "p_x", "p_y", "p_x"], "must name each column once"),
        (["--score", "x=p_x", "y=p_y"], "must have a column for every label"),
        (["--score", "q_*"], "fit some by a pattern"),
        (["--score", "p_x", "--metrics", "macro_f1"], "3 labels were found"),
        (["--score", "p_x", "--positive", "x", "--metrics", "macro_f1"], "--score 'p_*'"),
        (["--score", "p_*", "--plot", "x.svg"], "has nothing to draw"),
    ],
)
def test_errors_are_one_line(threshold, tmp_path, words, said):
    code, out, err = threshold(*words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
    assert not (tmp_path / "x.svg").exists()

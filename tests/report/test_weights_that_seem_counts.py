"""A column of how many cases a row stands for, given as weights."""

import numpy as np
import pandas as pd
import pytest

import baserate as br

HINT = "Weights are not counts: if a weight says how many cases a row stands for"
PATTERNS = pd.DataFrame(
    {
        "y": [1, 1, 1, 1, 0, 0, 0, 0],
        "a": [1, 1, 0, 0, 1, 1, 0, 0],
        "b": [1, 0, 1, 0, 1, 0, 1, 0],
        "n": [58, 12, 3, 10, 6, 13, 3, 98],
    }
)
DOORS = {
    "evaluate": lambda frame: br.evaluate(frame, target="y", prediction="a", weight="n"),
    "compare": lambda frame: br.compare(frame, target="y", prediction=["a", "b"], weight="n"),
    "audit": lambda frame: br.audit(frame, target="y", prediction="a", groups="b", weight="n"),
}


@pytest.mark.sweep(3)
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("classes", [2, 3])
def test_few_rows_with_whole_weights_that_add_up_to_many_are_spoken_of(door, classes) -> None:
    frame = PATTERNS if classes == 2 else pd.concat((PATTERNS, PATTERNS.tail(2).assign(y=2, a=2)))
    assert str(DOORS[door](frame)).startswith(HINT[:60])
    shares = frame.assign(n=frame["n"] / 7)
    assert HINT not in " ".join(str(DOORS[door](shares)).split())


@pytest.mark.sweep(3, start=1)
@pytest.mark.parametrize("door", DOORS)
def test_weights_of_a_sample_are_not(door) -> None:
    frame = PATTERNS.loc[PATTERNS.index.repeat(PATTERNS["n"])]
    frame = frame.assign(n=np.tile([5, 1, 1, 1, 1, 1, 12], 29))
    assert HINT not in " ".join(str(DOORS[door](frame)).split())

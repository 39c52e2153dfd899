"""Rows that lack a prediction, and are of other classes than those kept."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import fisher_exact

import baserate as br

DOORS = {
    "evaluate": lambda frame, **known: br.evaluate(frame, prediction="a", **known),
    "audit": lambda frame, **known: br.audit(frame, prediction="a", groups="g", **known),
    "compare": lambda frame, **known: br.compare(frame, prediction=["a", "b"], **known),
    "thresholds": lambda frame, **known: br.thresholds(frame, score="s", **known),
}


def tickets(lost: int) -> pd.DataFrame:
    """Return 100 rows with a truth, of which 20 are "yes", and `lost` of these unanswered."""
    truth = np.repeat(["yes", "no"], [20, 80])
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"y": truth, "s": rng.random(100), "g": np.tile(["u", "v"], 50)})
    for name in ("a", "b"):
        frame[name] = rng.permutation(truth)
    return frame.assign(
        a=frame["a"].where(frame.index >= lost), s=frame["s"].where(frame.index >= lost)
    )


@pytest.mark.sweep(4)
@pytest.mark.parametrize("door", DOORS)
def test_every_door_tells_first_that_dropped_rows_are_of_another_class(door) -> None:
    known = {"target": "y", "positive": "yes", "missing": "drop"}
    found = DOORS[door](tickets(6), **known)
    told = found.to_dict()["unanswered"]
    p_value = 2 * fisher_exact([[6, 0], [14, 80]], alternative="greater").pvalue
    assert (told["n"], told["of_label"], told["kept"], told["kept_of_label"]) == (6, 6, 94, 14)
    assert told["p_value"] == pytest.approx(p_value, rel=1e-9)
    said = " ".join(str(found).split())
    assert said.startswith(
        'Beware: of 6 rows dropped as missing 6 are "yes" (100%), of the 94 kept 15% (p < 0.001): '
        "fill in what a missing value counts as"
    )
    few = DOORS[door](tickets(1), **known)
    assert few.to_dict()["unanswered"]["p_value"] > 0.05
    assert "Beware" not in str(few)
    assert DOORS[door](tickets(0), **known).to_dict()["unanswered"] is None


def test_of_several_classes_the_one_whose_share_differs_most_surely_is_told() -> None:
    frame = tickets(6).assign(y=np.repeat(["x", "y", "z"], [20, 40, 40]))
    frame["a"] = frame["y"].where(frame.index >= 6)
    told = br.evaluate(frame, target="y", prediction="a", missing="drop").to_dict()["unanswered"]
    assert (told["label"], told["of_label"], told["kept_of_label"]) == ("x", 6, 14)
    assert told["p_value"] == pytest.approx(
        6 * fisher_exact([[6, 0], [14, 80]], alternative="greater").pvalue
    )


def test_a_file_tells_the_same_whatever_its_weights(tmp_path) -> None:
    frame = tickets(6).assign(w=0.5)
    frame.to_csv(tmp_path / "t.csv", index=False)
    known = {"target": "y", "positive": "yes", "missing": "drop", "prediction": "a"}
    told = br.evaluate(tmp_path / "t.csv", weight="w", **known).to_dict()["unanswered"]
    assert told == br.evaluate(frame, **known).to_dict()["unanswered"]

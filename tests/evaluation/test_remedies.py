"""No refusal advises what misleads: to drop what says how cases were sampled, or was not given."""

import numpy as np
import pandas as pd
import pytest

import baserate as br
from baserate.cli import main
from baserate.errors import BaserateError
from baserate.evaluation.reading import DESIGN, refuse_given

SIZE = 60
DATA = pd.DataFrame({
    "y": list("abc") * 20, "p": list("aab") * 20, "q": list("abb") * 20, "two": [0, 1] * 30,
    "right": 1, "said": [1, 0, 1] * 20, "s": np.arange(SIZE) / SIZE, "g": list("xxyz") * 15,
    "cluster": np.arange(SIZE) // 5, "case_id": np.arange(SIZE) // 2,
    "weight": 1 + np.arange(SIZE) % 3,
})  # fmt: skip


def refused(call, *given, **how):
    with pytest.raises(BaserateError) as told:
        call(*given, **how)
    return str(told.value)


@pytest.mark.parametrize("name", DESIGN)
def test_tables_counted_elsewhere_are_not_told_to_drop_the_design(name):
    assert "leave it out" not in refused(refuse_given, "has no meaning here", {name: "column"})
    assert "leave it out" in refused(refuse_given, "has no meaning here", {"fold": "column"})


@pytest.mark.parametrize("door", [br.evaluate, br.audit])
def test_three_decisions_about_two_classes(door):
    how = {"groups": "g"} if door is br.audit else {}
    text = refused(
        door, DATA, target="two", prediction="said", utility=[[1, 0], [0, 0], [0, 1]], **how
    )
    assert "positive" not in text
    assert "UtilityMatrix.decide" in text


def test_a_truth_with_one_class_may_be_marks():
    for text in (
        refused(br.evaluate, DATA, target="right", prediction="said"),
        refused(br.compare, DATA, target="right", prediction=["said", "two"]),
    ):
        assert "collect" not in text
        assert "If each row is an answer marked right or wrong, no class is lacking" in text
        assert "`baserate evaluate` shows beside --positive" in text


def test_marks_in_words_lack_no_class_either():
    with pytest.raises(br.errors.LabelError, match="no class is lacking"):
        br.evaluate(["right"] * 4, ["right", "wrong", "right", "right"])


def test_who_passed_a_score_is_not_told_to_pass_one(tmp_path, capsys):
    DATA.to_csv(tmp_path / "cases.csv", index=False)
    asked = ["evaluate", str(tmp_path / "cases.csv"), "--target", "two", "--score", "s"]
    assert main([*asked, "--fail-under", "roc_auc=0.8"]) == 2
    told = capsys.readouterr().err
    assert "Pass score" not in told
    assert "leave it out" not in told
    assert "roc_auc is a measure of scores" in told

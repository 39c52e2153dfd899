"""The guess with as many alarms as the table, against sums over all draws in exact fractions."""

from math import isnan

import pytest

from baserate import ConfusionMatrix, compare, cross_validated_threshold, evaluate, metrics, skill
from baserate.baselines.guessing import chosen_guess
from baserate.errors import InvalidArgumentError, UnsupportedError


def test_recall_by_chance_is_the_share_of_alarms_also_of_weights():
    table = ConfusionMatrix(tp=1.5, fn=0.75, fp=2.25, tn=3.0)
    assert skill("recall", table, guess="same_alarms").chance == pytest.approx(3.75 / 7.5)
    with pytest.raises(UnsupportedError, match="random denominator"):
        skill("f1", table, guess="same_alarms")


def test_at_another_base_rate_alarms_are_a_share_of_all():
    table = ConfusionMatrix(tp=18, fn=12, fp=12, tn=58)
    restated = metrics.get("predicted_positive_rate").at_base_rate(0.02)
    assert skill("recall", table, guess="same_alarms").chance == pytest.approx(0.3)
    found = skill(metrics.recall.at_base_rate(0.02), table, guess="same_alarms")
    assert found.chance == pytest.approx(0.3)
    assert restated.direction == "neither"


def test_nothing_flagged_leaves_precision_undefined():
    found = skill("precision", ConfusionMatrix(tp=0, fn=3, fp=0, tn=7), guess="same_alarms")
    assert isnan(found.value)
    assert found.reason


def test_an_evaluation_takes_it_and_says_so():
    truth, flagged = [1] * 30 + [0] * 70, [1] * 18 + [0] * 12 + [1] * 12 + [0] * 58
    found = evaluate(truth, flagged, guess="same_alarms", metrics="recall")
    [fact] = found.facts.metrics
    assert (found.facts.guess, round(fact.chance, 12)) == ("same_alarms", 0.3)
    assert "guessing with as many alarms" in found.render().lower()


@pytest.mark.parametrize(
    "call",
    [
        lambda: chosen_guess("same_alarms"),
        lambda: cross_validated_threshold("f1", [([0, 1], [0.1, 0.2])] * 2, guess="same_alarms"),
        lambda: compare([0, 1, 0, 1], {"a": [0, 1, 1, 1], "b": [0, 1, 0, 0]}, guess="same_alarms"),
    ],
)
def test_where_there_is_no_one_table_it_is_refused(call):
    with pytest.raises(InvalidArgumentError, match="guess must be"):
        call()

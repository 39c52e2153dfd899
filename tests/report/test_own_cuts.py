"""Groups with a cut of their own: whichever way is better, gains are told, losses are not."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from baserate.facts.threshold import CutFact, GroupCutsFact
from baserate.report.class_threshold import is_expected_better
from baserate.report.own_cuts import most_helped, of_groups

CUT = CutFact(name="error_rate", direction="lower", corrected=0.1, shared=0.3)


def told(*cuts):
    groups = [
        GroupCutsFact(group={"site": k}, n=9, n_positive=4, cuts=(cut,))
        for k, cut in enumerate(cuts)
    ]
    found = of_groups(((group, group.cuts) for group in groups), "error_rate")
    return most_helped(found, "a cut", "is", lambda cut: f"{cut.corrected:g}")


def test_fewer_errors_help():
    said = ('A cut of its own is expected to help site "0": 0.1.',)
    assert told(CUT) == said
    assert told(replace(CUT, direction="higher", corrected=0.3, shared=0.1))[0].startswith("A cut")


@pytest.mark.parametrize(("direction", "corrected"), [("lower", 0.5), ("higher", 0.1)])
def test_what_is_worse_is_no_gain(direction, corrected):
    worse = replace(CUT, direction=direction, corrected=corrected)
    assert told(worse) == ("No gain from a cut of its own is seen in any group.",)
    assert told() == ()


def test_the_largest_of_several_gains_is_said_to_be_picked():
    [said] = told(CUT, replace(CUT, corrected=0.05), replace(CUT, corrected=0.4))
    assert said == (
        'A cut of its own is expected to help site "1", the most of 3 groups, which flatters it: '
        "0.05."
    )


@pytest.mark.parametrize(
    ("direction", "difference", "better"),
    [("higher", 0.1, True), ("lower", -0.1, True), ("lower", 0.1, False)],
)
def test_weights_of_classes_help_whichever_way_is_better(direction, difference, better):
    fact = SimpleNamespace(direction=direction, difference=difference)
    assert is_expected_better(fact) == better

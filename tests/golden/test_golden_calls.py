"""The doors answer what they answered: the record is written anew on purpose only."""

from copy import deepcopy

import pytest

from quick import one_in
from tests.golden.calls import KINDS, answer, differences, recorded

CALLS = [(kind, name) for kind, calls in KINDS.items() for name in calls]
ANEW = "; if that is meant, write the record anew: python -m tests.golden.calls"


@pytest.mark.parametrize(("kind", "name"), one_in(4, CALLS))
def test_the_answer_is_that_on_record(kind, name):
    found = list(differences(recorded(kind)[name], answer(kind, name)))
    assert not found, "\n".join(found[:20]) + ANEW


@pytest.mark.parametrize(("kind", "name"), one_in(9, CALLS[::3]))
def test_cases_that_were_read_before_have_the_same_answer(kind, name):
    found = list(differences(recorded(kind)[name], answer(kind, name, read=True)))
    assert not found, "\n".join(found[:20])


def test_the_record_holds_these_calls_alone():
    assert [(kind, name) for kind in KINDS for name in recorded(kind)] == CALLS


def test_a_difference_is_seen():
    one = {"n": 3, "rates": [0.5, {"low": None}], "text": ["a", "b"]}
    other = deepcopy(one)
    other["rates"][0] += 1e-12
    assert not list(differences(one, other))
    other["rates"][0] += 1e-6
    other["rates"][1]["low"] = 0.0
    other["text"].append("c")
    where = [found.split(":")[0] for found in differences(one, other)]
    assert where == [".rates[0]", ".rates[1].low", ".text"]

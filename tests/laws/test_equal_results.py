"""Two answers are equal when they say the same, and what is undefined twice is the same.

The law of dataclasses does not say so: nan is not equal to nan, but Python before 3.13 looked at
what object it is first, so that two equal answers were equal there by chance.
"""

import math
import pickle
from dataclasses import dataclass, replace

import numpy as np
import pytest

import baserate as br
from baserate._result import Result
from laws.test_results import EXAMPLES

NAMELESS = br.ConfusionMatrix(tp=0, fn=0, fp=3, tn=5)  # no positives: many metrics are undefined
# It holds what its clusters are, which is equal to nothing but itself.
OF_CLUSTERS = type(br.count_labels([1, 0], [1, 0]))


@dataclass(frozen=True, slots=True)
class Found(Result):
    value: float
    span: tuple[float, float] = (math.nan, 1.0)
    curve: object = None


@dataclass(frozen=True, slots=True, eq=False)
class Held(Result):
    value: float


def other_nan():
    return float("nan")


@pytest.mark.sweep(5, start=1)
@pytest.mark.parametrize("make", [make for make, _ in EXAMPLES])
def test_an_answer_is_equal_to_its_copy(make):
    """A copy through bytes holds numbers of its own."""
    answer = make()
    kind = getattr(type(answer), "__dataclass_params__", None)
    if kind is not None and kind.eq and not isinstance(answer, OF_CLUSTERS):
        assert pickle.loads(pickle.dumps(answer)) == answer  # noqa: S301  our own


def test_facts_with_undefined_numbers_are_equal():
    one, other = (br.evaluate(NAMELESS, metrics=["recall", "f1"]).facts for _ in range(2))
    fact = one.metrics[0]
    assert math.isnan(fact.value)
    assert one == other
    assert fact == replace(fact, value=other_nan(), low=other_nan())
    assert fact != replace(fact, value=0.0)
    assert hash(fact) == hash(replace(fact, value=other_nan()))


@pytest.mark.parametrize(
    ("curve", "twin", "equal"),
    [
        (np.array([1.0, math.nan]), np.array([1.0, math.nan]), True),
        (np.array([1.0, math.nan]), np.array([1.0, 2.0]), False),
        (np.array([1.0]), np.array([1.0, 1.0]), False),
        (np.array(["a"], dtype=object), np.array(["a"], dtype=object), True),
        ({"a": math.nan}, {"a": other_nan()}, True),
        ({"a": 1.0}, {"b": 1.0}, False),
        ([math.nan], (math.nan,), False),
        ((1.0, other_nan()), (1.0, other_nan()), True),
        ((1.0, other_nan()), (1.0,), False),
        (None, math.nan, False),
    ],
)
def test_what_a_record_holds_is_compared(curve, twin, equal):
    assert (Found(math.nan, curve=curve) == Found(other_nan(), curve=twin)) is equal


def test_equal_answers_have_equal_hashes():
    answers = {Found(other_nan(), (1.0, other_nan())), Found(other_nan(), (1.0, other_nan()))}
    assert len(answers) == 1
    assert len(answers | {Found(0.5)}) == 2


def test_a_record_without_a_value_is_itself():
    one = Held(1.0)
    assert one == one  # noqa: PLR0124  the question
    assert one != Held(1.0)
    assert len({one, Held(1.0)}) == 2
    assert Found(1.0) != Held(1.0)

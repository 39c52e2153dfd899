"""A copy of an answer, or one that was sent to another process, is equal to it."""

import copy
import pickle

import pytest

import baserate as br

Y, S = [1, 0, 1, 0] * 10, [0.9, 0.2, 0.6, 0.5] * 10
MADE = {
    "sweep": lambda: br.sweep(Y, S),
    "calibration": lambda: br.calibration(Y, S),
    "counted": lambda: br.calibration(br.ScoreHistogram().add(Y, S)),
    "scorer": lambda: br.scorer("mcc"),
    "of groups": lambda: br.scorer("recall", groups="worst"),
    "of utility": lambda: br.scorer(utility=br.UtilityMatrix([[1, -1], [0, 0]])),
}


@pytest.mark.parametrize("name", MADE)
def test_copies_are_equal_and_hash_alike(name):
    made = MADE[name]()
    for other in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made), MADE[name]()):  # noqa: S301
        assert other == made
        assert hash(other) == hash(made)


def test_others_are_not_equal():
    assert br.calibration(Y, S) != br.calibration(Y, [0.4, *S[1:]])
    assert br.sweep(Y, S) != br.sweep(Y, [0.4, *S[1:]])
    assert br.scorer("mcc") != br.scorer("f1")
    assert br.scorer("mcc") != br.scorer("mcc", undefined="nan")
    assert br.scorer("mcc") != br.scorer("mcc", pos_label=1)

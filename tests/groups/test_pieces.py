"""What the pieces of tests of groups return, in one table."""

import numpy as np
import pytest

from baserate import ConfusionMatrix, match_test
from baserate.class_counts import ClassTable
from baserate.groups.class_deals import DealSides, places_apart
from baserate.groups.class_permutation import permutation_tests
from baserate.groups.cluster_permutation import tails_of_deals
from baserate.groups.count_laws import Chances, tail_model
from baserate.groups.match import null_law
from baserate.groups.power import group_size, match_power
from baserate.metrics import class_metric

PLACES = places_apart([(3, 1), (4, 2)], 1000, np.random.default_rng(1))
SIDES = DealSides(
    ClassTable([[0, 2, 0], [0, 2, 0], [0, 0, 2]]), ClassTable([[4, 0, 0], [0, 4, 0], [0, 0, 4]])
)
[RIGHT] = permutation_tests([class_metric("accuracy")], SIDES)
PAIRS = tails_of_deals(np.array([1.0, 3, 2, 5, 9]), 2)
ROWS = Chances.known(np.array([0.5, 0.75])).rows(np.array([2, 1])) * 16
TWO, REST = ConfusionMatrix(tp=2, fn=0, fp=0, tn=1), ConfusionMatrix(tp=1, fn=1, fp=0, tn=1)
ATOMS = null_law(match_test("recall", TWO, REST))
FISHER = tail_model(
    ConfusionMatrix(tp=1, fn=2, fp=0, tn=0), ConfusionMatrix(tp=2, fn=0, fp=0, tn=1), wrong=True
)
LARGE = ConfusionMatrix(tp=4000, fn=1000, fp=500, tn=4500)
FIFTY = ConfusionMatrix(tp=40, fn=10, fp=5, tn=45)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (np.unique(PLACES[:, 0]).tolist(), [0, 1, 2]),
        (np.unique(PLACES[:, 1:]).tolist(), [3, 4, 5, 6]),
        (bool(np.all(PLACES[:, 1] != PLACES[:, 2])), True),
        ((round(RIGHT.value, 3), RIGHT.expected), (0.667, 1.0)),
        ((round(RIGHT.p_value, 4), RIGHT.route), (0.1333, "convolution")),
        # Of the ten pairs of five numbers one has a smaller sum than 1 + 3, and no other that one.
        ([round(tail, 9) for tail in PAIRS[:3]], [0.1, 0.1, 0.8]),
        (PAIRS.route, "convolution"),
        (ROWS.tolist(), [[4.0, 8.0, 4.0], [4.0, 12.0, 0.0]]),
        # Two of two positives, where one of two was found: x + 1/2 to 5/2 - x chances a time.
        (ATOMS.values.tolist(), [0.0, 0.5, 1.0]),
        (ATOMS.probabilities.round(4).tolist(), [0.3125, 0.375, 0.3125]),
        # Fisher's test of 1 of 3 against 2 of 2 has a lower tail of 3/10.
        (round(float(FISHER.true_positives(3).window().pmf[:2].sum()), 3), 0.3),
        # 50 positives show a recall of 0.6 against 0.8, in a large reference, 5 times in 6.
        (round(match_power("recall", FIFTY, LARGE, gap=-0.2), 2), 0.84),
        (group_size("recall", LARGE, gap=-0.2), (92, "positives", 46, None)),
    ],
)
def test_piece(found, expected):
    assert found == expected

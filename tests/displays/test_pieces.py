"""How the pieces of pictures are chosen and worded, in one table."""

from math import inf, nan

import pytest

from baserate import ClassTable, ConfusionMatrix
from baserate.curves import calibration, sweep
from baserate.displays import class_matrix
from baserate.displays.audit_rows import finding_of, nearest
from baserate.displays.calibration import outline, regions_told
from baserate.displays.contract import cases_told
from baserate.displays.decision_curve import within
from baserate.displays.forest_rows import briefly, said, share_of, told_of
from baserate.displays.score_axes import score_ends

SMALL, LARGE = sweep([0, 0, 1], [0.1, 0.2, 0.3]), sweep([0, 1, 1, 1], [1, 2, 3, 4])
TABLE = ConfusionMatrix(tp=5, fn=3, fp=2, tn=10)
SURE = calibration([1] * 40 + [0] * 60, [0.2] * 100)
BAND = outline(calibration([1] * 10 + [0] * 90, [0.1] * 100).band())
SHARES = class_matrix.shares_of([[48.0, 2.0]], [[50.0]], 0.95)
CONFUSED = ClassTable([[9, 0, 1], [0, 9, 0], [5, 0, 4]])


@pytest.mark.parametrize(
    ("found", "shown"),
    [
        (nearest([3, 1, 2], 2), [1, 2]),
        ([part.round(4).tolist() for part in BAND], [[0.1], [0.049], [0.1762]]),
        (regions_told(SURE.regions()), "surely too low at least at 0.20"),
        (cases_told([SMALL]), "3 cases, 1 positive"),
        (cases_told([SMALL, SMALL]), "3 cases, 1 positive"),
        (cases_told([SMALL, LARGE]), "2 samples of 3 to 4 cases, 1 to 3 positive"),
        (SHARES.value.tolist(), [[0.96, 0.04]]),
        (SHARES.low.round(3).tolist(), [[0.878, 0.008]]),
        (
            class_matrix.lacking(independent=False, weighted=False),
            "no intervals: weights or clusters",
        ),
        (class_matrix.most_confused(CONFUSED, 2), [0, 2]),
        (
            [class_matrix._brief(x) for x in (0, 0.004, 0.0449, 0.996, 1)],
            ["0", "<1", "4", ">99", "100"],
        ),
        (within([(0.104, 0.301), (0.8, 0.8)]), [(0.11, 0.3)]),
        (share_of("false_positive_rate", TABLE), (2.0, 12.0)),
        (share_of("f1", TABLE), (8.0, 20.0)),
        (told_of("false_positive_rate"), "of negatives"),
        (told_of("accuracy"), "of cases"),
        (told_of("f1"), "positives of cases"),
        (said("lower", 0.0123, nan), "lower, adjusted p = 0.012"),
        (said("too_small", 0.3, 0.2), "a gap of 0.20 could hide"),
        (said("too_small", 1, inf), "any gap could hide"),
        (briefly("no positives (tp + fn = 0)"), "no positives"),
        (
            finding_of("Recall", "the rest", ["consistent", "too_small", "worse"]),
            "Recall: 1 of 3 groups differs from the rest, 1 too small to tell",
        ),
        (
            finding_of("Recall", "the rest", ["untested", "untested"]),
            "Recall: 2 groups, not tested against the rest",
        ),
        (
            finding_of("Recall", "the rest", ["too_small", "too_small"]),
            "Recall: cannot tell, 2 groups are too small to show how they differ from the rest",
        ),
        (score_ends([sweep([0, 1], [0.02, 0.17])]), (0.0, 0.2)),
        (score_ends([sweep([0, 1], [-3.0, 5.5])]), (-3.0, 5.5)),
    ],
)
def test_piece(found, shown):
    assert found == shown

"""How long the top of a list is, as people write it."""

import numpy as np
import pytest

import baserate as br
from baserate.errors import InvalidArgumentError
from baserate.evaluation.list_tops import tops_of

TRUTH = np.arange(40) % 4 == 0
SCORE = np.linspace(0.01, 0.99, 40)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (50, (50,)),
        (np.int64(7), (7,)),
        (0.05, (0.05,)),
        ("50", (50,)),
        ("5%", (0.05,)),
        ("50, 0.05,50", (50, 0.05)),
        (["50", "5%"], (50, 0.05)),
        ([1, 0.5], (1, 0.5)),
    ],
)
def test_counts_and_shares_are_told_apart(given, read):
    found = tops_of(given)
    assert found == read
    assert [type(x) for x in found] == [type(x) for x in read]


@pytest.mark.parametrize("given", [0, -3, 1.5, 1.0, True, "many", "", "150%", "0%", [None], "nan"])
def test_anything_else_is_refused_with_what_was_given(given):
    with pytest.raises(InvalidArgumentError, match="top must be whole numbers of cases"):
        tops_of(given)


def test_more_than_there_are_cases_and_no_score_at_all():
    with pytest.raises(InvalidArgumentError, match="top must be at most the number of cases, 40"):
        br.thresholds(TRUTH, SCORE, top=41, n_resamples=5)
    with pytest.raises(InvalidArgumentError, match="top has no meaning unless a score"):
        br.evaluate(TRUTH, SCORE > 0.5, top=5)
    with pytest.raises(InvalidArgumentError, match="top has no meaning beside weights"):
        br.evaluate(TRUTH, score=SCORE, weight=SCORE, top=5)


@pytest.mark.slow
def test_the_top_is_counted_by_hand():
    """The highest 6 of 40 scores are cases 34 to 39; of these 36 is positive, of 10 in all."""
    for found in (
        br.thresholds(TRUTH, SCORE, top=6, n_resamples=5).facts,
        br.evaluate(TRUTH, score=SCORE, top="6", metrics="f1").facts.thresholds,
    ):
        [top] = found.top
        assert (top.k, top.tied, top.threshold) == (6, 0, SCORE[34])
        assert (top.precision.value, top.recall.value) == (1 / 6, 1 / 10)
    [tenth] = br.thresholds(TRUTH, SCORE, n_resamples=5).facts.top
    assert (tenth.k, tenth.share) == (4, 0.1)

"""Sizes of test sets, against normal theory and closed forms; one case fewer is too few."""

from math import comb

import numpy as np
import pytest
from scipy import stats

from baserate import ConfusionMatrix
from baserate.errors import InvalidArgumentError
from baserate.inference import sample_size
from baserate.inference.sample_size import (
    sample_size_discordant,
    sample_size_interval,
    sample_size_paired,
    sample_size_separate,
)
from baserate.inference.utility_posterior import probability_a_better_separate
from baserate.utilities import UtilityMatrix

A, B = np.array([[27, 15], [23, 35]]), np.array([[43, 18], [7, 32]])
B_TABLE = ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)
FOUR = [[15, -335], [-35, 165]]
ACCURACY = [[1, 0], [0, 1]]


@pytest.mark.slow
def test_the_published_story_needs_more_than_four_thousand_cases():
    # Theory page B2: about 4350 units per classifier for 97.5%, by normal scaling.
    needed = sample_size_separate(B, A, FOUR)
    assert needed == pytest.approx(4350, rel=0.01)
    a = ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
    turned = UtilityMatrix([row[::-1] for row in FOUR[::-1]], positive=1)
    assert sample_size_separate(a, B_TABLE, turned) == needed


def test_with_free_class_shares_one_case_fewer_is_too_few():
    n = sample_size_separate(B, A, ACCURACY, certainty=0.9, class_shares="free")
    reached = [
        probability_a_better_separate(
            *(size * x / x.sum() for x in (B, A)), ACCURACY, class_shares="free"
        )
        for size in (n - 1, n)
    ]
    assert reached[0] < 0.9 <= reached[1]


def beats(shares_a, shares_b, n):
    """P(recall A > recall B) when all cases are positive, by a sum over a fine grid."""
    x = (np.arange(20_000) + 0.5) / 20_000
    first, second = (stats.beta(n * p + 1, n * (1 - p) + 1) for p in (shares_a, shares_b))
    return float((first.pdf(x) * second.cdf(x)).sum() / x.size)


def test_one_case_fewer_is_too_few():
    a, b = [[8, 5], [2, 5]], [[6, 5], [4, 5]]
    n = sample_size_separate(a, b, [[1, 0], [0, 0]], certainty=0.9)
    # half of the n cases are positive
    assert beats(0.8, 0.6, n / 2) >= 0.9 > beats(0.8, 0.6, (n - 1) / 2)


def test_paired_cases_by_accuracy_have_a_closed_form():
    joint = np.array([[[25, 13], [2, 4]], [[18, 7], [5, 26]]])
    n = sample_size_paired(joint, ACCURACY, certainty=0.99)

    def certainty(size):
        only_a, only_b = ((2 + 7) * size / 100 + 2, (18 + 4) * size / 100 + 2)
        return stats.beta(only_b, only_a).sf(0.5)

    assert certainty(n) >= 0.99 > certainty(n - 1)


@pytest.mark.parametrize("half_width", [0.1, 0.03])
def test_an_interval_for_a_share_has_a_closed_form(half_width):
    pilot = ConfusionMatrix(tp=35, fn=5, fp=10, tn=50)
    n = sample_size_interval("accuracy", pilot, half_width=half_width, confidence_level=0.9)

    def half(size):
        low, high = stats.beta(0.85 * size + 0.5, 0.15 * size + 0.5).ppf([0.05, 0.95])
        return (high - low) / 2

    assert half(n) <= half_width < half(n - 1)


@pytest.mark.sweep(7)
@pytest.mark.parametrize(
    ("message", "call"),
    [
        (
            "yields must differ as observed, got 0.0: no number of cases",
            lambda: sample_size_separate(A, A, FOUR),
        ),
        (
            r"certainty must exceed 0.5",
            lambda: sample_size_separate(A, B, FOUR, certainty=0.5),
        ),
        (
            "the goal is out of reach with 10⁹ cases",
            lambda: sample_size_separate(
                [[500_001, 5], [499_999, 5]], [[5, 5], [5, 5]], ACCURACY, class_shares=[1e-3, 0.999]
            ),
        ),
        (
            "must hold cases of every class",
            lambda: sample_size_separate([[1, 0], [2, 0]], [[2, 0], [1, 0]], ACCURACY,
                                         class_shares=[0.5, 0.5]),
        ),
        (
            "joint must be counts by",
            lambda: sample_size_paired([[1, 2], [3, 4]], ACCURACY),
        ),
        (
            "half_width must lie in",
            lambda: sample_size_interval("f1", B_TABLE, half_width=0),
        ),
        (
            "table must be a table at which recall is defined",
            lambda: sample_size_interval(
                "recall", ConfusionMatrix(tp=0, fn=0, fp=1, tn=1), half_width=0.1
            ),
        ),
    ],
)  # fmt: skip
def test_impossible_wishes_say_why(message, call):
    with pytest.raises(InvalidArgumentError, match=message):
        call()


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("least", "hoped", "size"), [(0.9, 0.9001, None), (0.5, 0.5014, None), (0.9, 0.902, 176_190)]
)
def test_few_of_many_numbers_of_cases_are_tried(least, hoped, size, monkeypatch):
    """A refusal took 13 seconds, and as many looks as there are numbers."""
    tried, power = [], sample_size._power
    monkeypatch.setattr(
        sample_size, "_power", lambda m, *how: (tried.append(len(m)), power(m, *how))[1]
    )
    if size is None:
        with pytest.raises(InvalidArgumentError, match="too near to at_least for 524,288 cases"):
            sample_size.sample_size_at_least(least, hoped)
    else:
        assert sample_size.sample_size_at_least(least, hoped) == size
    assert sum(tried) < 100_000


def test_discordant_cases_have_their_power():
    """Enumerated with Python's own integers, by McNemar's mid-p at 5% of both sides."""

    def mid_p(more, fewer):
        n = more + fewer
        beyond = sum(comb(n, k) for k in range(more + 1, n + 1))
        return min(1.0, (2 * beyond + comb(n, more)) / 2**n)

    def power(n, first, second):
        neither = 1 - first - second
        return sum(
            comb(n, a) * comb(n - a, b) * first**a * second**b * neither ** (n - a - b)
            for a in range(n + 1)
            for b in range(n - a + 1)
            if a > b and mid_p(a, b) <= 0.05
        )

    for first, second in ((0.4, 0.1), (0.3, 0.02)):
        n = sample_size_discordant(first, second, power=0.8)
        assert power(n, first, second) >= 0.8 > power(n - 1, first, second)
        assert n == sample_size_discordant(second, first, power=0.8)


def test_many_discordant_cases_are_those_of_the_formula():
    # Connor (1987), Biometrics 43:207: (z sqrt(p) + z' sqrt(p - d²))² / d²; p discordant, d apart.
    for first, second in ((0.15, 0.12), (0.02, 0.01)):
        p, d = first + second, first - second
        formula = (1.959964 * p**0.5 + 0.841621 * (p - d * d) ** 0.5) ** 2 / d**2
        assert sample_size_discordant(first, second) == pytest.approx(formula, rel=0.02)

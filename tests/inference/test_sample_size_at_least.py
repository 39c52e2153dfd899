"""How many cases show a share of at least so much: binomial sums and beta quantiles of SciPy."""

import pytest
from scipy.stats import beta, binom

from baserate.errors import InvalidArgumentError
from baserate.inference.sample_size import sample_size_at_least


def power(m, least, expected, tail=0.025):
    return sum(
        binom.pmf(x, m, expected)
        for x in range(m + 1)
        if x > 0 and beta.ppf(tail, x, m - x + 1) >= least
    )


@pytest.mark.parametrize(("least", "expected"), [(0.5, 0.9), (0.9, 0.99), (0.6, 0.8), (0.01, 0.2)])
def test_one_case_fewer_is_too_few_and_none_up_to_twice_as_many(least, expected):
    found = sample_size_at_least(least, expected)
    assert power(found - 1, least, expected) < 0.8
    assert all(power(m, least, expected) >= 0.8 for m in range(found, 2 * found, 1 + found // 20))


def test_the_contract_of_the_command_line_is_what_is_shown():
    # By normal scaling (z_0.975 sqrt(.9 .1) + z_0.8 sqrt(.95 .05))^2 / .05^2 = 239, and with the
    # correction for continuity (1 + sqrt(1 + 2 / (239 * .05)))^2 / 4 times as many: 259.
    assert sample_size_at_least(0.9, 0.95) == pytest.approx(259, abs=10)


def test_more_power_and_more_confidence_take_more_cases():
    plain = sample_size_at_least(0.9, 0.95)
    assert sample_size_at_least(0.9, 0.95, power=0.9) > plain
    assert sample_size_at_least(0.9, 0.95, confidence_level=0.99) > plain
    assert sample_size_at_least(0.9, 0.95, power=1e-9) < plain


@pytest.mark.parametrize(
    ("least", "expected", "named"),
    [
        (0.9, 0.9, "expected"), (0.9, 0.8, "expected"), (0.9, 0.9001, "expected"),
        (0, 0.5, "at_least"), (0.5, 1, "expected"), ("0.x", 0.5, "at_least"),
        (float("nan"), 0.5, "at_least"),
    ],
)  # fmt: skip
def test_what_no_number_of_cases_shows_is_refused(least, expected, named):
    with pytest.raises(InvalidArgumentError, match=f"^{named}"):
        sample_size_at_least(least, expected)

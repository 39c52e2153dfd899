"""McNemar's test, against statsmodels, binomial sums in fractions and a published table."""

from fractions import Fraction
from math import comb

import pytest
from statsmodels.stats.contingency_tables import mcnemar

from baserate.errors import InvalidArgumentError, UnknownNameError
from baserate.inference import mcnemar_test

PAIRS = [(1, 7), (0, 1), (0, 12), (5, 5), (18, 2), (9, 22), (140, 111), (3000, 2890)]


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_exact_p_value_is_that_of_statsmodels(a, b):
    theirs = mcnemar([[10, a], [b, 10]], exact=True).pvalue
    found = mcnemar_test(a, b, method="exact")
    assert found.p_value == found.exact_p == pytest.approx(theirs, rel=1e-11)


@pytest.mark.sweep(4)
@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_mid_p_is_a_binomial_sum(a, b):
    n, k = a + b, min(a, b)
    weight = Fraction(1, 2**n)
    below = sum(comb(n, i) for i in range(k)) * weight
    exact = min(Fraction(1), 2 * below + comb(n, k) * weight)
    found = mcnemar_test(a, b)
    assert found.p_value == found.mid_p == pytest.approx(float(exact), rel=1e-11)
    assert found.method == "mid-p"
    assert mcnemar_test(b, a).mid_p == mcnemar_test(a, b).mid_p


def test_published_example():
    # Fagerland, Lydersen and Laake (2013), Table 1 and results: exact 0.070, mid-p 0.039.
    found = mcnemar_test(1, 7)
    assert (round(found.exact_p, 3), round(found.p_value, 3)) == (0.070, 0.039)


def test_no_discordant_case_is_no_evidence():
    found = mcnemar_test(0, 0)
    assert (found.p_value, found.exact_p) == (1.0, 1.0)


def test_tiny_p_values_keep_their_digits():
    assert mcnemar_test(0, 900).exact_p == pytest.approx(2.0**-899, rel=1e-12)
    assert mcnemar_test(0, 900).mid_p == pytest.approx(2.0**-900, rel=1e-9)


@pytest.mark.parametrize("count", [-1, 2.5, "many"])
def test_counts_are_whole_numbers(count):
    with pytest.raises(InvalidArgumentError, match="only_b must be a whole number of at least 0"):
        mcnemar_test(3, count)


def test_no_other_method():
    with pytest.raises(UnknownNameError, match="mid-p, exact"):
        mcnemar_test(1, 7, method="chi2")


def test_mid_p_comes_nearer_to_the_size_asked_for_than_the_exact_test():
    # Each of 100 cases tells them apart with probability 1/2; all outcomes, nothing drawn.
    size = {"mid_p": 0.0, "exact_p": 0.0}
    for n in range(101):
        for k in range(n + 1):
            found = mcnemar_test(k, n - k)
            for name in size:
                rejected = getattr(found, name) <= 0.05
                size[name] += comb(100, n) * comb(n, k) / 2 ** (100 + n) * rejected
    assert size["exact_p"] == pytest.approx(0.0367, abs=1e-4)
    assert size["mid_p"] == pytest.approx(0.0494, abs=1e-4)

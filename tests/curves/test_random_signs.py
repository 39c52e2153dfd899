"""The law of random signs, against all signs, the binomial test and many random signs."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from baserate.curves import permutation_laws
from baserate.curves.permutation_laws import two_sided


@pytest.mark.parametrize("seed", range(12))
def test_every_sign_is_counted(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 13))
    whole = rng.integers(-3, 4, n)  # sums in integers: ties are ties
    sums = np.array(list(product((-1, 1), repeat=n))) @ whole
    p_value, route = two_sided(whole * 0.1)  # ties that rounding parts
    assert p_value == pytest.approx((np.abs(sums) >= abs(whole.sum())).mean(), rel=1e-12)
    assert route == "exact"


@pytest.mark.parametrize(("more", "less"), [(3, 0), (40, 60), (900, 1000)])
def test_differences_of_one_size_are_mcnemars_exact_test(more, less):
    p_value, route = two_sided(np.repeat([0.3, -0.3, 0.0], [more, less, 7]))
    assert p_value == pytest.approx(stats.binomtest(more, more + less).pvalue, rel=1e-10)
    assert route == "exact"


def test_no_difference_is_no_evidence():
    assert two_sided(np.zeros(5)) == (1.0, "exact")
    assert two_sided(np.array([0.2, -0.2]))[0] == 1


@pytest.mark.parametrize("shape", ["normal", "skewed", "one case dominates"])
@pytest.mark.parametrize("shift", [0.05, 0.3, 0.8])
def test_the_saddle_point_is_within_a_tenth_of_all_signs(shape, shift):
    rng = np.random.default_rng(7)
    d = {
        "normal": rng.normal(shift, 1, 30),
        "skewed": rng.gamma(0.5, 1, 30) - 0.5 + shift / 2,
        "one case dominates": np.append(rng.normal(shift, 1, 29), 3.0),
    }[shape]
    exact, route = two_sided(d)
    assert route == "exact"
    sizes, copies = permutation_laws._alike(np.abs(d), 0.0)
    near = permutation_laws._saddle_point(sizes, copies.astype(float), abs(d.sum()))
    assert near == pytest.approx(exact, rel=0.1)


def test_many_cases_are_nearly_normal():
    d = np.random.default_rng(8).normal(0.004, 1, 200_000)
    p_value, route = two_sided(d)
    z = abs(d.sum()) / np.sqrt((d * d).sum())
    assert p_value == pytest.approx(2 * stats.norm.sf(z), rel=1e-3)
    assert route == "asymptotic"


def test_all_cases_for_one_side():
    d = np.linspace(0.1, 1, 50)
    p_value, route = two_sided(d)
    assert p_value == pytest.approx(2.0**-49)
    assert route == "asymptotic"

"""Gauss rules for Beta weights, against the moments of the Beta law as exact fractions."""

from fractions import Fraction
from math import prod

import numpy as np
import pytest
from scipy.special import roots_legendre

from baserate._quadrature import beta_nodes, legendre_nodes

LAWS = [(0.5, 0.5), (0.5, 10.5), (10.5, 0.5), (36, 61), (0.5, 1e9), (1e9, 3.5), (1e9, 7e8)]


def moment(a, b, power):
    a, b = Fraction(a), Fraction(b)
    return float(prod((a + i) / (a + b + i) for i in range(power)))


@pytest.mark.parametrize(("a", "b"), LAWS)
@pytest.mark.parametrize("power", [1, 2, 7, 23])
def test_twelve_nodes_are_exact_for_powers_up_to_23_at_both_ends(a, b, power):
    odds, weights = beta_nodes(a, b, 12)
    np.testing.assert_allclose(weights @ (odds / (1 + odds)) ** power, moment(a, b, power), 1e-13)
    np.testing.assert_allclose(weights @ (1 / (1 + odds)) ** power, moment(b, a, power), 1e-13)


def test_nodes_of_the_uniform_law_are_legendre_nodes():
    x, weights = roots_legendre(20)
    odds, ours = beta_nodes(1.0, 1.0, 20)
    # Half of x + 1 cancels near -1: there its last digits are those of SciPy's rounding.
    np.testing.assert_allclose(odds / (1 + odds), (x + 1) / 2, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(ours, weights / 2, rtol=1e-12)
    np.testing.assert_allclose(legendre_nodes(20)[0], (x + 1) / 2, rtol=1e-13, atol=1e-15)


def test_cached_nodes_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        beta_nodes(2.0, 3.0, 5).odds[0] = 1.0

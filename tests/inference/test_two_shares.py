"""Differences and ratios of two independent shares, against one integral by SciPy."""

import numpy as np
import pytest
from scipy import integrate, stats

from baserate.inference.credible_limits import two_shares

FIRST = [(7.5, 3.5), (0.5, 9.5), (28.5, 23.5), (150.5, 28.5), (1.5, 0.5)]
SECOND = [(4.5, 2.5), (3.5, 0.5), (72.5, 2680.5), (60.5, 30.5), (0.5, 1.5)]
BELOW = {
    "difference": lambda x, s, y: x.cdf(s + y),
    "ratio": lambda x, s, y: x.cdf(s * y),
}


@pytest.mark.parametrize("operation", BELOW)
def test_the_limits_leave_the_tails_outside(operation):
    sides = (tuple(np.array(side).T) for side in (FIRST, SECOND))
    found = two_shares(operation, *sides, confidence_level=0.9, tolerance=1e-9)
    for i, laws in enumerate(zip(FIRST, SECOND, strict=True)):
        x, y = (stats.beta(*law) for law in laws)
        for end, wanted in ((found.low[i], 0.05), (found.high[i], 0.95)):
            reached, _ = integrate.quad(
                lambda u, s=end, x=x, y=y: BELOW[operation](x, s, y.ppf(u)),
                0,
                1,
                epsabs=1e-10,
                limit=400,
            )
            assert reached == pytest.approx(wanted, abs=2e-7)
    assert found.low.shape == (len(FIRST),)

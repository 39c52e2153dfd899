"""Intercept and slope where scores hardly differ: in sums of 50 digits, which are not ours."""

import mpmath
import numpy as np
import pytest

from baserate import calibration

SIZE, POSITIVE = 20_000, 10_066


def sample(spread):
    rng = np.random.default_rng(3)
    y = np.zeros(SIZE, dtype=int)
    y[rng.choice(SIZE, POSITIVE, replace=False)] = 1
    return y, 0.5 + spread * rng.random(SIZE)


def logits(scores):
    return [mpmath.log(p) - mpmath.log(1 - p) for p in map(mpmath.mpf, scores.tolist())]


@pytest.mark.sweep(4, start=2)
@pytest.mark.parametrize("spread", [1e-9, 3e-7, 1e-4, 0.3])
def test_the_intercept_solves_its_equation_to_1e_10(spread):
    # The sum of risks grows with the intercept: its root lies between two signs.
    y, scores = sample(spread)
    found = float(calibration(y, scores).intercept)
    with mpmath.workdps(50):
        x = logits(scores)
        excess = [
            sum(1 / (1 + mpmath.exp(-found - side - each)) for each in x) - POSITIVE
            for side in (mpmath.mpf("-1e-11"), mpmath.mpf("1e-11"))
        ]
    assert excess[0] < 0 < excess[1]
    if spread == 1e-9:
        assert found == pytest.approx(float(np.log(10066 / 9934)), abs=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("spread", [1e-9, 3e-7, 1e-4, 0.3])
def test_no_step_of_newtons_rule_is_left_of_the_slope(spread):
    y, scores = sample(spread)
    found = calibration(y, scores)
    slope = float(found.slope)
    with mpmath.workdps(50):
        x = logits(scores)
        centre = sum(x) / SIZE
        level = found.joint_intercept + slope * centre
        gradient, curvature = mpmath.matrix(2, 1), mpmath.matrix(2, 2)
        for outcome, each in zip(y.tolist(), x, strict=True):
            row = (1, (each - centre) / spread)
            p = 1 / (1 + mpmath.exp(-level - slope * (each - centre)))
            for i in range(2):
                gradient[i] += (outcome - p) * row[i]
                for j in range(2):
                    curvature[i, j] += p * (1 - p) * row[i] * row[j]
        step = mpmath.lu_solve(curvature, gradient)
        assert abs(step[1] / spread) < 1e-8 * abs(slope)

"""A paired test of any metric, against every way of swapping cases and against McNemar's mid-p."""

import itertools
from math import isnan

import numpy as np
import pytest
from scipy.stats import binom

from baserate import metrics
from baserate.inference import mcnemar_test
from baserate.inference.paired import swapped_cases


def drawn(seed, most=4):
    joint = np.random.default_rng(seed).integers(0, most, (2, 2, 2)).astype(float)
    joint[0, 0, 0] += 1
    joint[1, 1, 1] += 1
    return joint


def moved(name, joint):
    """The derivatives of a metric in tp and fp at the mean table, given both class totals."""
    a, b = (joint.sum(axis=other).T.ravel() for other in (1, 0))
    tp, fn, fp, tn = (a + b) / 2
    p, q, step = tp + fn, fp + tn, 1e-5
    at = lambda x, y: metrics.get(name).formula(tp + x, p - tp - x, fp + y, q - fp - y)  # noqa: E731
    return ((at(step, 0) - at(-step, 0)) / 2 / step, (at(0, step) - at(0, -step)) / 2 / step)


@pytest.mark.parametrize("name", ["f1", "mcc", "precision", "accuracy", "informedness"])
@pytest.mark.parametrize("seed", range(4))
def test_every_swap_is_counted(name, seed):
    joint = drawn(seed)
    u, v = moved(name, joint)
    steps = ([u] * int(joint[0, 1, 0]) + [-u] * int(joint[1, 0, 0])
             + [v] * int(joint[0, 1, 1]) + [-v] * int(joint[1, 0, 1]))  # fmt: skip
    seen = abs(sum(steps))
    ways = [abs(np.dot(signs, steps)) for signs in itertools.product((1, -1), repeat=len(steps))]
    near = 1e-7 * max(1.0, abs(u), abs(v))
    wanted = np.mean([1.0 if w > seen + near else 0.5 if w > seen - near else 0 for w in ways])
    wanted = 1.0 if seen < near else min(1.0, wanted)
    assert swapped_cases(name, joint) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("scale", [1, 30, 10_000])
def test_shares_of_cases_have_mcnemars_mid_p(scale):
    joint = scale * drawn(7, most=6)
    p_a, p_b, n_b, n_a = joint[0, 1, 0], joint[1, 0, 0], joint[0, 1, 1], joint[1, 0, 1]
    wanted = {"recall": (p_a, p_b), "specificity": (n_a, n_b), "accuracy": (p_a + n_a, p_b + n_b)}
    for name, alone in wanted.items():
        found = mcnemar_test(*map(int, alone)).p_value
        assert swapped_cases(name, joint) == pytest.approx(found, rel=1e-6, abs=1e-300)


def test_a_small_tail_keeps_its_digits():
    joint = np.zeros((2, 2, 2))
    joint[0, 1, 0], joint[0, 0, 0], joint[1, 1, 1] = 900, 5, 3
    assert swapped_cases("recall", joint) == pytest.approx(binom.pmf(0, 900, 0.5), rel=1e-9)


def test_what_tells_them_not_apart_is_no_evidence():
    joint = np.zeros((2, 2, 2))
    joint[0, 0, 0], joint[1, 1, 1], joint[0, 1, 1] = 5, 5, 3
    assert swapped_cases("recall", joint) == 1.0
    assert isnan(swapped_cases("recall", np.where(np.arange(2) == 0, 0.0, joint)))

"""Differences of mean utilities of ordered classes reach about as far as normal ones, both ways."""

import numpy as np

from baserate import ClassTable
from baserate.inference.class_pairs import class_differences
from baserate.metrics import class_utility


def test_gross_errors_that_nobody_made_do_not_push_the_interval_off_its_value():
    rng, k = np.random.default_rng(1), 12
    apart = -((np.arange(k)[:, None] - np.arange(k)) ** 2.0)
    tables, spread = [], 0.0
    for n in (200, 2000):
        truth = rng.integers(k, size=n)
        call = np.clip(truth + rng.choice([-1, 0, 1], n, p=[0.15, 0.7, 0.15]), 0, k - 1)
        counts = np.zeros((k, k), int)
        np.add.at(counts, (truth, call), 1)
        tables.append(ClassTable(counts))
        spread += apart[truth, call].var() / n
    [found] = class_differences([class_utility(apart)], *tables, confidence_level=0.95)
    assert found.high - found.value > 1.2 * np.sqrt(spread)
    assert found.value - found.low > 1.2 * np.sqrt(spread)

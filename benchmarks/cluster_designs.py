"""Designs at which intervals by clusters are judged, in the order in which they were written down.

Each group was written before what it judges was tried; see `bench_clusters_corners.py`.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

MANY = 400_000  # clusters that stand for the population


class Decisions(NamedTuple):
    """Clusters, their sizes, how hard they are and how many cases are positive."""

    name: str
    m: int
    sizes: object  # of (rng, shape)
    right: object  # of (rng, sizes): the share of right decisions of both classifiers
    base_rate: float = 0.5
    base_icc: float = 0.1


def fixed(*sizes):
    """Sizes that are given, one after the other."""
    return lambda _, shape: np.broadcast_to(np.resize(sizes, shape[1]), shape)


def uniform(low, high):
    return lambda rng, shape: rng.integers(low, high + 1, shape)


def skewed(mean, spread=1.3):
    return lambda rng, shape: 1 + rng.negative_binomial(spread, spread / (spread + mean - 1), shape)


def lognormal(median, sigma):
    return lambda rng, shape: np.ceil(rng.lognormal(np.log(median), sigma, shape)).astype(int)


def beta(mean, icc, apart=0.0, alike=0.6):
    """Beta shares; the second classifier has its own with weight 1 - `alike`."""

    def shares(rng, n):
        k = 1 / icc - 1
        one, own = (rng.beta(mean * k, (1 - mean) * k, n.shape) for _ in range(2))
        other = np.where(rng.random(n.shape) < alike, one, own)
        return one, np.clip(other - apart * other, 0, 1)

    return shares


def intercepts(mean, sigma, by_size=0.0, apart=0.0, alike=0.8):
    """Normal log odds, which may go with the logarithm of the size."""

    def shares(rng, n):
        common, *own = (rng.normal(size=n.shape) for _ in range(3))
        odds = logit(mean) + by_size * (np.log(n) - np.log(15))
        both = (sigma * (sqrt(alike) * common + sqrt(1 - alike) * each) for each in own)
        one, other = (odds + each for each in both)
        return expit(one), expit(other - apart)

    return shares


def wrong(share, otherwise, icc=None):
    """Whole clusters wrong, each with this probability, by each classifier on its own."""

    def shares(rng, n):
        rest = (np.full(n.shape, otherwise),) * 2
        if icc is not None:
            rest = beta(otherwise, icc)(rng, n)
        return tuple(np.where(rng.random(n.shape) < share, 0.0, each) for each in rest)

    return shares


def mixed(shares, weights):
    """Each cluster has one of few shares of right decisions, the same of both classifiers."""

    def of(rng, n):
        found = rng.choice(shares, p=weights, size=n.shape)
        return found, found

    return of


def heavy(mean, scale):
    """Log odds by Student's law with 3 degrees of freedom."""

    def shares(rng, n):
        one, other = (logit(mean) + scale * rng.standard_t(3, n.shape) for _ in range(2))
        return expit(one), expit(0.8 * one + 0.2 * other)

    return shares


def other_wrong(share, right):
    """The second classifier alone fails in whole clusters."""

    def shares(rng, n):
        one = np.full(n.shape, right)
        return one, np.where(rng.random(n.shape) < share, 0.0, one)

    return shares


def favoured(mean, sigma, by_size):
    """The second classifier is better where clusters are large."""

    def shares(rng, n):
        odds = logit(mean) + sigma * rng.normal(size=n.shape)
        return expit(odds), expit(odds + by_size * (np.log(n) - np.log(15)))

    return shares


def partly(share, right, there):
    """The second classifier alone has this share `there` in some clusters."""

    def shares(rng, n):
        one = np.full(n.shape, right)
        return one, np.where(rng.random(n.shape) < share, there, one)

    return shares


ONE_OF_500 = (500, *[5] * 19)
# The first three are those at which the jackknife alone was seen to fail; all others are new.
DECISIONS = (
    Decisions("a tenth of 20 all wrong, sizes 20", 20, fixed(20), wrong(0.1, 0.95)),
    Decisions("45 single cases and 5 of 40", 50, fixed(*[1] * 45, *[40] * 5), beta(0.8, 0.3)),
    Decisions("one of 500 and 19 of 5", 20, fixed(*ONE_OF_500), beta(0.8, 0.3)),
    Decisions("8, beta .1, 5 to 50", 8, uniform(5, 50), beta(0.8, 0.1)),
    Decisions("12, beta .5, lognormal sizes", 12, lognormal(15, 1.0), beta(0.7, 0.5)),
    Decisions("30, beta .3, a tenth positive", 30, skewed(12), beta(0.85, 0.3), 0.1),
    Decisions("10, logit sd 1, sizes 25", 10, fixed(25), intercepts(0.8, 1.0)),
    Decisions("25, logit sd 2, skewed sizes", 25, skewed(15), intercepts(0.8, 2.0)),
    Decisions("20, large ones hard", 20, lognormal(15, 1.0), intercepts(0.8, 1.0, -0.8)),
    Decisions("60, large ones easy", 60, lognormal(15, 1.0), intercepts(0.8, 1.0, 0.8)),
    Decisions("a fifth of 10 all wrong, sizes 30", 10, fixed(30), wrong(0.2, 0.9)),
    Decisions("a twentieth of 60 all wrong", 60, fixed(10), wrong(0.05, 0.98)),
    Decisions("a tenth of 40 all wrong, 5 to 40", 40, uniform(5, 40), wrong(0.1, 0.85, 0.1)),
    Decisions("100, beta .05, 1 to 20", 100, uniform(1, 20), beta(0.75, 0.05)),
    Decisions("400, beta .3, 1 to 10", 400, uniform(1, 10), beta(0.8, 0.3)),
    Decisions("200, logit sd 1.5, .97 right", 200, skewed(10), intercepts(0.97, 1.5)),
    Decisions("8, logit sd .7, sizes 100", 8, fixed(100), intercepts(0.85, 0.7, apart=0.3)),
    Decisions("15, beta .2, sizes 4", 15, fixed(4), beta(0.75, 0.2)),
    Decisions(
        "100 single cases and 10 of 20", 110, fixed(*[1] * 100, *[20] * 10), intercepts(0.8, 1.5)
    ),
    Decisions("2 of 200 and 30 of 10", 32, fixed(200, 200, *[10] * 30), beta(0.8, 0.2, 0.1)),
)


# Written down after F1 had failed on the first, and before the rule with its repair was tried.
SECOND = (
    Decisions("one of 300 and 29 of 5", 30, fixed(300, *[5] * 29), beta(0.8, 0.3)),
    Decisions("3 of 100 and 60 of 3", 63, fixed(*[100] * 3, *[3] * 60), intercepts(0.8, 1.5)),
    Decisions("an eighth of 16 all wrong, 10 to 40", 16, uniform(10, 40), wrong(0.125, 0.9)),
    Decisions("16, half .97 right, half .6", 16, uniform(5, 30), mixed([0.97, 0.6], [0.5, 0.5])),
    Decisions("10, logit sd 2, large ones hard", 10, skewed(20), intercepts(0.8, 2.0, -0.5)),
    Decisions("30, heavy tails", 30, skewed(15), heavy(0.85, 1.0)),
    Decisions("25 of 8, beta .3, .95 right", 25, fixed(8), beta(0.95, 0.3)),
    Decisions("80, one wrong in a twentieth", 80, uniform(3, 15), other_wrong(0.05, 0.9)),
    Decisions("12 of 50, one wrong in a tenth", 12, fixed(50), other_wrong(0.1, 0.9)),
    Decisions("50, beta .2, lognormal sizes", 50, lognormal(6, 1.4), beta(0.7, 0.2, 0.05)),
    Decisions("300, logit sd 1, 1 to 5", 300, uniform(1, 5), intercepts(0.75, 1.0, apart=0.2)),
    Decisions("9, a fifth positive, 3 to 12", 9, uniform(3, 12), beta(0.8, 0.2), 0.2),
)


# Written down after differences had failed on the second, and before another rule was tried.
THIRD = (
    Decisions("10 of 40, one wrong in a fifth", 10, fixed(40), other_wrong(0.2, 0.85)),
    Decisions("15, one at half in a fifth", 15, uniform(5, 50), partly(0.2, 0.9, 0.45)),
    Decisions(
        "20, logit sd 1, little alike", 20, lognormal(12, 0.8), intercepts(0.8, 1, 0, 0.5, 0.5)
    ),
    Decisions("40 of 10, one wrong in .08", 40, fixed(10), other_wrong(0.08, 0.9)),
    Decisions("25, one better in large ones", 25, skewed(15), favoured(0.75, 1.0, 0.5)),
    Decisions("8 of 20, logit sd 1.5", 8, fixed(20), intercepts(0.75, 1.5, alike=0.3)),
    Decisions("150, beta .1, 1 to 8", 150, uniform(1, 8), beta(0.8, 0.1, alike=0.9)),
    Decisions("one of 100, 20 of 10", 21, fixed(100, *[10] * 20), other_wrong(0.1, 0.9)),
    Decisions(
        "60 single cases and 6 of 30", 66, fixed(*[1] * 60, *[30] * 6), other_wrong(0.15, 0.9)
    ),
    Decisions("14 of 25, a seventh all wrong", 14, fixed(25), wrong(1 / 7, 0.9, 0.05)),
    Decisions("35, a tenth wrong, a third positive", 35, skewed(8), wrong(0.1, 0.9), 0.33),
    Decisions("11, beta .4, 10 to 60", 11, uniform(10, 60), beta(0.85, 0.4)),
    Decisions("90, heavy tails, .9 right", 90, skewed(6), heavy(0.9, 1.2)),
)


# Written down before cases were weighed by their true class, not by the cells that decide F1.
FOURTH = (
    Decisions("18 of 12, a sixth all wrong", 18, fixed(12), wrong(1 / 6, 0.85), 0.3),
    Decisions("24, .08 all wrong, .15 positive", 24, skewed(20), wrong(0.08, 0.9, 0.1), 0.15),
    Decisions(
        "13, logit sd 1.2, a quarter positive",
        13,
        lognormal(20, 0.7),
        intercepts(0.8, 1.2),
        0.25,
        0.3,
    ),
    Decisions("50, .04 all wrong, 2 to 30", 50, uniform(2, 30), wrong(0.04, 0.95)),
    Decisions("9 of 60, beta .15", 9, fixed(60), beta(0.9, 0.15)),
    Decisions(
        "70 of 1, 2, 3, 10, logit sd 2", 70, fixed(1, 2, 3, 10), intercepts(0.7, 2.0, alike=0.5)
    ),
    Decisions("120, large ones hard", 120, lognormal(4, 1.2), intercepts(0.85, 1.0, -0.4)),
    Decisions("20 of 5, 50 and 100", 22, fixed(*[5] * 20, 50, 100), partly(0.25, 0.95, 0.6)),
    Decisions("250, heavy tails", 250, skewed(5), heavy(0.8, 1.0)),
)


# Written down long after, when nothing was changed any more: few clusters, some all wrong, so few
# that a sample may well have none of them.
FIFTH = tuple(
    Decisions(f"{m} of {size}, {share} all wrong", m, fixed(size), wrong(share, otherwise))
    for m, size, share, otherwise in (
        (8, 50, 0.2, 0.9), (10, 60, 0.15, 0.95), (16, 30, 0.1, 0.95), (20, 20, 0.1, 0.98),
        (30, 20, 0.07, 0.95), (40, 10, 0.06, 0.97), (100, 10, 0.03, 0.97),
    )
) + tuple(
    Decisions(f"{m} of {size}, one wrong in {share}", m, fixed(size), other_wrong(share, otherwise))
    for m, size, share, otherwise in (
        (8, 50, 0.2, 0.9), (10, 60, 0.15, 0.95), (12, 40, 0.15, 0.9), (14, 30, 0.12, 0.9),
        (16, 30, 0.1, 0.95), (25, 30, 0.06, 0.95), (40, 20, 0.04, 0.97),
    )
)  # fmt: skip


def independent(mean):
    """Cases that are no more alike in a cluster than elsewhere."""
    return lambda _, n: (np.full(n.shape, mean),) * 2


# Written down before what the data exclude bounded the floor: surveys and patients, many clusters
# that are hardly alike, and beside them as many of which some are all wrong.
SIXTH = (
    Decisions("30 of 60, independent", 30, fixed(60), independent(0.97), 0.06, 1e-6),
    Decisions("30 of 60, beta .01", 30, fixed(60), beta(0.97, 0.01), 0.06, 0.01),
    Decisions("30 of 60, beta .02", 30, fixed(60), beta(0.97, 0.02), 0.06, 0.02),
    Decisions("30 of 60, .07 all wrong", 30, fixed(60), wrong(0.07, 0.97), 0.06, 0.02),
    Decisions("140 of 1 to 10, independent", 140, uniform(1, 10), independent(0.92), 0.32, 0.1),
    Decisions("140 of 1 to 10, beta .1", 140, uniform(1, 10), beta(0.92, 0.1), 0.32, 0.1),
    Decisions("140 of 1 to 10, .02 all wrong", 140, uniform(1, 10), wrong(0.02, 0.92), 0.32, 0.1),
    Decisions("60 of 30, independent", 60, fixed(30), independent(0.9), 0.3, 0.02),
    Decisions("60 of 30, .04 all wrong", 60, fixed(30), wrong(0.04, 0.95), 0.3, 0.02),
)


class Scores(NamedTuple):
    """Clusters whose scores tell the classes apart by so much, and lie so much higher or lower."""

    name: str
    m: int
    sizes: object
    shift: object  # of (rng, sizes): how much higher the positives of each cluster score
    level: float = 0.3  # standard deviation of what all scores of a cluster have in common
    base_rate: float = 0.4
    base_icc: float = 0.1


def normal(mean, sigma, by_size=0.0):
    return lambda rng, n: mean + sigma * rng.normal(size=n.shape) + by_size * np.log(n / 15)


def turned(share, shift, otherwise=-1):
    """Whole clusters turned round, or with another share of the shift."""
    return lambda rng, n: shift * np.where(rng.random(n.shape) < share, otherwise, 1)


SCORES = (
    Scores("8 of 100, a tenth turned round", 8, fixed(100), turned(0.1, 1.5), 0.0),
    Scores("8, 5 to 50", 8, uniform(5, 50), normal(1.2, 0.3), 0.6),
    Scores("12 of 30, nearly one class each", 12, fixed(30), normal(1.5, 0.2), 0.4, 0.5, 0.9),
    Scores("20, lognormal sizes", 20, lognormal(15, 1.0), normal(1.5, 1.0)),
    Scores("30 of 10, a tenth turned round", 30, fixed(10), turned(0.1, 1.5)),
    Scores("45 single cases and 5 of 40", 50, fixed(*[1] * 45, *[40] * 5), normal(1.5, 0.8)),
    Scores("60, a tenth positive", 60, skewed(10), normal(1.5, 0.5), 0.5, 0.1),
    Scores("100, 1 to 10", 100, uniform(1, 10), normal(1.0, 0.5)),
    Scores("400, 1 to 5", 400, uniform(1, 5), normal(1.5, 0.3), 0.5),
    Scores("15 of 40, a fifth at random", 15, fixed(40), turned(0.2, 2.0, 0)),
    Scores("10 of 200", 10, fixed(200), normal(2.0, 0.5)),
    Scores("25, large ones hard", 25, skewed(20), normal(1.5, 0.5, -0.5)),
    Scores("9 of 60, a third positive", 9, fixed(60), normal(1.0, 0.7), 0.8, 0.33, 0.3),
)


# Written down after the log loss had failed on the first, and before its repair was tried.
MORE_SCORES = (
    Scores("12 of 80, an eighth turned round", 12, fixed(80), turned(0.125, 1.2), 0.2),
    Scores("16, logit sd 1", 16, uniform(10, 60), normal(1.5, 0.8), 1.0),
    Scores("40 of 5, .08 turned round", 40, fixed(5), turned(0.08, 1.5), 0.2),
    Scores("9, lognormal sizes", 9, lognormal(30, 0.7), normal(2.0, 0.3)),
    Scores("3 of 100 and 40 of 4", 43, fixed(*[100] * 3, *[4] * 40), normal(1.2, 0.6)),
    Scores("50, a fifth at random, .2 positive", 50, skewed(12), turned(0.2, 1.8, 0), 0.3, 0.2),
    Scores("150, 1 to 8, level .8", 150, uniform(1, 8), normal(1.2, 0.4), 0.8),
    Scores("20 of 30, mostly one class each", 20, fixed(30), normal(1.0, 0.5), 0.5, 0.5, 0.8),
    Scores("12 of 20 and 80, large ones hard", 12, fixed(20, 80), normal(1.6, 0.3, -0.4)),
    Scores("70 of 10, a twentieth turned round", 70, fixed(10), turned(0.05, 1.5)),
)


# Written down after area and log loss had failed on one of the second, before the floor of single
# scores was raised and that of their differences lowered.
LAST_SCORES = (
    Scores("10 of 150, a tenth turned round", 10, fixed(150), turned(0.1, 1.5), 0.4),
    Scores("14 of 60, a seventh turned round", 14, fixed(60), turned(1 / 7, 1.0), 0.2),
    Scores("18, a sixth at random", 18, uniform(5, 80), turned(1 / 6, 2.0, 0)),
    Scores("25, shifts sd 1.2", 25, lognormal(20, 0.8), normal(1.8, 1.2)),
    Scores("8 of 30, level .5", 8, fixed(30), normal(1.5, 0.5), 0.5),
    Scores("60 of 8, .07 turned round", 60, fixed(8), turned(0.07, 2.0)),
    Scores("one of 150 and 25 of 10", 26, fixed(150, *[10] * 25), normal(1.3, 0.6)),
    Scores("200, .15 positive", 200, skewed(6), normal(1.5, 0.6), 0.4, 0.15),
    Scores("35 of 20, mostly one class each", 35, fixed(20), normal(1.2, 0.4), 0.3, 0.4, 0.7),
    Scores("9 of 40, weak scores", 9, fixed(40), normal(0.7, 0.4)),
)


# One cluster outweighs all others, or there are two: tried before their refusal was dropped.
UNEVEN = (
    Decisions("50 and 51, beta .3", 2, fixed(50, 51), beta(0.8, 0.3)),
    Decisions("60 and 50, a fifth wrong", 2, fixed(60, 50), wrong(0.2, 0.9)),
    Decisions("200 and 20, beta .1", 2, fixed(200, 20), beta(0.8, 0.1)),
    Decisions("100, 90 and 3, beta .5", 3, fixed(100, 90, 3), beta(0.7, 0.5)),
    Decisions("2000 and 3 of 2, beta .2", 4, fixed(2000, 2, 2, 2), beta(0.9, 0.2)),
    Decisions("500 and 19 of 5, beta .8", 20, fixed(500, *[5] * 19), beta(0.8, 0.8)),
    Decisions("500 and 19 of 5, .1 wrong", 20, fixed(500, *[5] * 19), wrong(0.1, 0.9)),
    Decisions("500 and 19 of 5, .3 wrong", 20, fixed(500, *[5] * 19), wrong(0.3, 0.95)),
    Decisions(
        "500 and 3 of 50, .3 wrong, one class", 4, fixed(500, *[50] * 3), wrong(0.3, 0.95), 0.5, 0.9
    ),
    Decisions("300 and 60 of 1, one wrong in .3", 61, fixed(300, *[1] * 60), other_wrong(0.3, 0.9)),
    Decisions("300 and 20 of 8, hard", 21, fixed(300, *[8] * 20), intercepts(0.8, 1, -0.8)),
)
UNEVEN_SCORES = (
    Scores("60 and 50", 2, fixed(60, 50), normal(1.2, 0.4)),
    Scores("500 and 19 of 5, a tenth turned", 20, fixed(500, *[5] * 19), turned(0.1, 1.5)),
    Scores("300 and 60 of 1, sd 1", 61, fixed(300, *[1] * 60), normal(1.5, 1.0)),
    Scores("300 and 5 of 20, .3 at random", 6, fixed(300, *[20] * 5), turned(0.3, 1.5, 0)),
    Scores("1000 and 5 of 30, sd 1", 6, fixed(1000, *[30] * 5), normal(1.2, 1.0)),
    Scores(
        "300 and 20 of 6, one class", 21, fixed(300, *[6] * 20), normal(1.3, 0.6), 0.5, 0.4, 0.8
    ),
)


def drawn(rng, design, runs, m=None):
    """Return cells of shape (runs, clusters, 2 classes, 2, 2): positive first; A, then B right."""
    shape = runs, m or design.m
    n = np.array(design.sizes(rng, shape))
    k = 1 / design.base_icc - 1
    rate = rng.beta(design.base_rate * k, (1 - design.base_rate) * k, shape)
    positive = rng.binomial(n, rate)
    one, other = design.right(rng, n)
    cells = np.empty((*shape, 2, 2, 2))
    for c, cases in enumerate((positive, n - positive)):
        right = rng.binomial(cases, one)
        for a, some in enumerate((right, cases - right)):
            cells[:, :, c, a, 0] = rng.binomial(some, other)
            cells[:, :, c, a, 1] = some - cells[:, :, c, a, 0]
    return cells


def tables(cells, side):
    """Return tp, fn, fp, tn of the first or second classifier, of shape (..., 4)."""
    right = cells.sum(axis=-1 if side == 0 else -2)  # class, right or not
    tp, fn, tn, fp = (right[..., c, r] for c in (0, 1) for r in (0, 1))
    return np.stack([tp, fn, fp, tn], axis=-1)


def population(design, seed=1):
    """Return the cells of many clusters together."""
    rng, total = np.random.default_rng(seed), 0.0
    for _ in range(20):
        total = total + drawn(rng, design, 1, MANY // 20 // design.m * design.m).sum(axis=(0, 1))
    return total


def scored(rng, design, m=None):
    """Return the classes of cases, two scores that are probabilities, and their clusters."""
    n = np.array(design.sizes(rng, (1, m or design.m)))[0]
    k, cluster = 1 / design.base_icc - 1, np.repeat(np.arange(len(n)), n)
    rate = rng.beta(design.base_rate * k, (1 - design.base_rate) * k, len(n))
    y = rng.random(len(cluster)) < rate[cluster]
    shift, typical = design.shift(rng, n), design.shift(np.random.default_rng(0), np.array([15]))
    hard = (y - 0.5) * shift[cluster] + design.level * rng.normal(size=len(n))[cluster]
    own = rng.normal(size=(2, len(y)))
    both = hard + sqrt(0.5) * own[0], 0.8 * hard + sqrt(0.5) * (0.6 * own[0] + 0.8 * own[1])
    slope = max(0.5, 2 * float(abs(typical[0])))
    odds = logit(design.base_rate)
    return y, [expit(odds + slope * one) for one in both], cluster

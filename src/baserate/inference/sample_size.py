"""How many test cases it takes, if what has been observed persists."""

from collections.abc import Callable
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from scipy.special import ndtri

from baserate._arith import TIE
from baserate._arrays import Array, Whole
from baserate._checks import confidence, number_in
from baserate.counts import CELLS, ConfusionMatrix, single_table
from baserate.curves.area_spread import AreaSpread
from baserate.curves.paired_auc import joined_limits
from baserate.errors import InvalidArgumentError
from baserate.inference.intervals import interval
from baserate.inference.paired import score_of
from baserate.inference.utility_posterior import (
    known_shares,
    probability_a_better_paired,
    probability_a_better_separate,
    shares_of_classes,
    utility_array,
)
from baserate.metrics import Metric, binary_metric
from baserate.metrics.utilities import decision_counts

LARGEST = 10**9  # cases; beyond this no test set is worth planning
MOST_TRIED = 2**20  # up to where no number of cases may fall short
UNSEEN = 1e-12  # probability of numbers of cases that are left out, on either side
STEP = 64  # as many are tried one by one


def sample_size_separate(
    a: Any,
    b: Any,
    utilities: Any,
    *,
    certainty: float = 0.975,
    class_shares: Any = "pooled",
    prior: Any = 1.0,
) -> int:
    """Return how many cases per classifier make it this certain which of two yields more.

    The smallest n at which `probability_a_better_separate`, whose other arguments these are,
    reaches `certainty`, or falls to 1 - certainty, when both tables are scaled to n cases each: the
    observed shares persist. It is found by bisection, which takes for granted that certainty grows
    with n.
    """
    first, second = decision_counts("a", a, utilities), decision_counts("b", b, utilities)
    if first.ndim != 2 or first.shape != second.shape:
        rule, remedy = "must be one table, as a is", "pass counts of as many decisions and classes"
        raise InvalidArgumentError.from_rule("b", rule, second.shape, remedy)
    u = utility_array(utilities, first.shape)
    free = isinstance(class_shares, str) and class_shares == "free"
    shares = class_shares if free else known_shares(class_shares, first, second)
    gap = _yield(first, u, shares) - _yield(second, u, shares)

    def certain(n: int) -> float:
        tables = n * first / first.sum(), n * second / second.sum()
        return probability_a_better_separate(
            tables[0], tables[1], u, class_shares=shares, prior=prior
        )

    return _smallest(*_towards(certain, gap, np.ptp(u), certainty))


def sample_size_paired(
    joint: Any, utilities: Any, *, certainty: float = 0.975, prior: Any = 1.0
) -> int:
    """Return how many common test cases make it this certain which of two classifiers yields more.

    The smallest n at which `probability_a_better_paired` reaches `certainty`, or falls to
    1 - certainty, when the joint counts are scaled to n cases: how often A decided i and B decided
    j in class c, also where they agree.
    """
    counts = decision_counts("joint", joint)
    u = utility_array(utilities, counts.shape[-2:])
    if counts.ndim != 3 or len(counts) != counts.shape[1] or not counts.sum():
        rule, given = "must be counts by (decision of A, decision of B, class)", counts.shape
        remedy = "include the cases on which both agree"
        raise InvalidArgumentError.from_rule("joint", rule, given, remedy)
    shares = counts / counts.sum()
    gap = float((shares * (u[:, None, :] - u[None, :, :])).sum())

    def certain(n: int) -> float:
        return probability_a_better_paired(n * shares, u, prior=prior)

    return _smallest(*_towards(certain, gap, np.ptp(u), certainty))


def sample_size_interval(
    metric: str | Metric,
    table: ConfusionMatrix,
    *,
    half_width: float,
    confidence_level: float = 0.95,
) -> int:
    """Return how many cases make the interval for a metric this narrow.

    The smallest n at which half the width of `interval` is at most `half_width` when the table, of
    a pilot study or of shares that are expected, is scaled to n cases.
    """
    chosen = binary_metric(metric)
    width = number_in("half_width", half_width, "(0, inf)", "pass 0.05")
    if np.isnan(chosen(single_table("table", table))):
        rule = f"must be a table at which {chosen.name} is defined"
        raise InvalidArgumentError.from_rule("table", rule, table, "pass another pilot table")
    shares = {name: float(cell) / float(table.n) for name, cell in zip(CELLS, table, strict=True)}

    def narrowness(n: int) -> float:
        scaled = ConfusionMatrix(**{name: n * share for name, share in shares.items()})
        found = interval(chosen, scaled, confidence_level=confidence_level)
        return width - (found.high - found.low) / 2

    return _smallest(narrowness, 0.0)


def sample_size_at_least(
    at_least: float, expected: float, *, power: float = 0.8, confidence_level: float = 0.95
) -> int:
    """Return how many cases show that a share of them, such as recall, is at least so large.

    The smallest m such that, of m cases and of any number from there to twice as many at least,
    Clopper and Pearson's lower limit is at `at_least` or above with probability `power` or more,
    where X ~ Binomial(m, expected) of them are hits. In (1 - confidence_level) / 2 of samples at
    most it lies above the true share, and ``--fail-under recall=0.9@low`` demands it. Cases are
    those that the share is of: positives for recall, negatives for specificity, alarms for
    precision. Power rises and falls with m, since X is whole; every m counts.
    """
    least = number_in("at_least", at_least, "(0, 1)", "pass 0.9")
    hoped = number_in("expected", expected, "(0, 1)", "pass 0.95")
    goal = number_in("power", power, "(0, 1)", "0.8 is usual")
    tail = (1 - confidence(confidence_level)) / 2
    if hoped <= least:
        rule, remedy = "must be above at_least", "no number of cases shows what is not so"
        raise InvalidArgumentError.from_rule("expected", rule, expected, remedy)
    lowest, first, last = 0, 1, STEP
    while last <= MOST_TRIED:
        short = _last_short(first, last, (least, hoped, tail), goal)
        if not short and first > lowest + 1:
            return lowest + 1
        lowest = short or lowest
        first, last = last + 1, 2 * last
    rule, remedy = "is too near to at_least for 524,288 cases", "expect more, or demand less"
    raise InvalidArgumentError.from_rule("expected", rule, expected, remedy)


def power_at_least(
    n: int, at_least: float, expected: float, *, confidence_level: float = 0.95
) -> float:
    """Return how probably so many cases show it; see `sample_size_at_least`."""
    tail = (1 - confidence(confidence_level)) / 2
    return float(_power(np.array([n]), at_least, expected, tail)[0])


def sample_size_discordant(
    only_first: float, only_second: float, *, power: float = 0.8, certainty: float = 0.975
) -> int:
    """Return how many common cases show which of two classifiers is more often right.

    The smallest n at which McNemar's mid-p test finds the better one better with probability
    `power`, where only the first gets a share `only_first` of cases right and only the second
    `only_second`: one-sided at 1 - `certainty`, so that 0.975 is the two-sided test at 5%. The
    number of cases on which they differ is Binomial(n, only_first + only_second). Enumerated; found
    by bisection, which takes for granted that power grows with n, as it does but for its last
    digits.
    """
    goal = number_in("power", power, "(0, 1)", "0.8 is usual")
    tail = 1 - _certainty(certainty)
    apart = only_first + only_second
    if abs(only_first - only_second) <= TIE:
        rule, remedy = "must differ", "no number of cases separates equal classifiers"
        given = (only_first, only_second)
        raise InvalidArgumentError.from_rule("discordant", rule, given, remedy)
    ahead = max(only_first, only_second) / apart

    def seen(n: int) -> float:
        from scipy.stats import binom

        low, high = binom.ppf([UNSEEN, 1 - UNSEEN], n, apart).astype(np.int64)
        m = np.arange(max(low, 1), high + 1)
        return (
            float(binom.pmf(m, n, apart) @ _power(m, 0.5, ahead, tail, mid=True)) if m.size else 0
        )

    return _smallest(seen, goal)


def sample_size_not_worse(
    only_first: float,
    only_second: float,
    margin: float,
    *,
    power: float = 0.8,
    certainty: float = 0.975,
) -> int:
    """Return how many common cases show that the second of two is not worse by a margin.

    The smallest n at which the limit of Tango's score test, one-sided at 1 - `certainty`, lies
    above -`margin` with probability `power`, as `compare` decides: of n cases only the first gets a
    share `only_first` right and only the second `only_second`. Enumerated over both numbers, but
    for 1e-12 at either end; nor does power fall short at any of the next 64 n.
    """
    from scipy.stats import binom

    goal = number_in("power", power, "(0, 1)", "0.8 is usual")
    far = NormalDist().inv_cdf(1 - _certainty(certainty))
    room = number_in("margin", margin, "(0, 1)", "pass 0.02 for two points")
    if only_second - only_first <= TIE - room:
        rule, remedy = "must differ by less than the margin", "no number of cases shows what is not"
        given = (only_first, only_second)
        raise InvalidArgumentError.from_rule("discordant", rule, given, remedy)

    def seen(n: int) -> float:
        low, high = binom.ppf([UNSEEN, 1 - UNSEEN], n, only_first).astype(np.int64)
        first = np.arange(low, high + 1)
        few, enough = np.full_like(first, -1), n - first + 1
        while (apart := enough - few > 1).any():
            middle = np.maximum((few + enough) // 2, 0)
            shown = apart & (score_of(first, middle, n, room) <= far)
            few = np.where(apart & ~shown, middle, few)
            enough = np.where(shown, middle, enough)
        others = only_second / (1 - only_first) if only_second else 0.0
        return float(binom.pmf(first, n, only_first) @ binom.sf(enough - 1, n - first, others))

    n = _smallest(seen, goal)
    while short := [k for k in range(n, n + STEP) if seen(k) < goal]:
        n = short[-1] + 1
    return n


def _last_short(first: int, last: int, how: tuple[float, float, float], goal: float) -> int:
    """Return the last of these numbers of cases whose power falls short; 0 if none does.

    Power grows with m, but for its ups and downs by the probability of one number of hits: where
    both ends are further from the goal than that, all between them are on their side.
    """
    if last - first < STEP:
        m = np.arange(first, last + 1)
        short = m[_power(m, *how) < goal]
        return int(short[-1]) if short.size else 0
    least, most = _power(np.array([first, last]), *how)
    room = 2 / (first * how[1] * (1 - how[1])) ** 0.5  # five times the likeliest number of hits
    if least > goal + room:
        return 0
    if most < goal - room:
        return last
    middle = (first + last) // 2
    return _last_short(middle + 1, last, how, goal) or _last_short(first, middle, how, goal)


def _power(m: Whole, least: float, hoped: float, tail: float, *, mid: bool = False) -> Array:
    """Return, for each number of cases, how probably as many of them are hits as are needed.

    Of a `mid` p the number that is found counts half.
    """
    from scipy.special import bdtrc

    def luck(hits: Whole) -> Array:
        beyond = bdtrc(hits - 1, m, least)
        return (beyond + bdtrc(hits, m, least)) / 2 if mid else beyond

    low, high = np.full_like(m, -1), m + 1  # too few, enough
    while (high - low).max() > 1:
        middle = np.clip((low + high) // 2, 0, m)
        enough = (high - low > 1) & (luck(middle) <= tail)
        low, high = (
            np.where((high - low > 1) & ~enough, middle, low),
            np.where(enough, middle, high),
        )
    return np.asarray(bdtrc(high - 1, m, hoped))


def _yield(table: Array, u: Array, class_shares: Any) -> float:
    """Return the observed yield, at given class shares or, if they are free, at the table's own."""
    if isinstance(class_shares, str):
        return float((table * u).sum() / table.sum())
    shares = shares_of_classes(class_shares, table.shape[1])
    totals = table.sum(axis=0)
    if not totals.all():
        rule, remedy = "must hold cases of every class", "pass a pilot table with all classes"
        raise InvalidArgumentError.from_rule("a, b", rule, totals.tolist(), remedy)
    return float((table * u).sum(axis=0) / totals @ shares)


def _towards(
    probability: Callable[[int], float], gap: float, size: float, goal: float
) -> tuple[Callable[[int], float], float]:
    """Return the certainty about the classifier that yields more as observed, and the goal.

    Gaps that are rounding beside the `size` of the utilities are none.
    """
    if abs(gap) <= TIE * size:
        rule, remedy = "must differ as observed", "no number of cases separates equal classifiers"
        raise InvalidArgumentError.from_rule("yields", rule, gap, remedy)
    certainty = _certainty(goal)
    return (probability if gap > 0 else lambda n: 1 - probability(n)), certainty


def sample_size_areas(
    auc: tuple[float, float],
    correlation: float,
    base_rate: float,
    *,
    power: float = 0.8,
    certainty: float = 0.975,
) -> int:
    """Return how many cases show with this power which of two scores has the larger ROC area.

    Shown is it where the limits of `compare_auc` leave out 0. Both scores are of the same cases,
    normal in each class with one variance, and correlated there. The difference found is taken for
    normal: the limits are those at areas nearer to each other by as much as it falls short in
    1 - power of samples.
    """
    better, worse = max(auc), min(auc)
    if better == worse:
        rule, remedy = "must be two areas that differ", "no number of cases tells equals apart"
        raise InvalidArgumentError.from_rule("auc", rule, auc, remedy)
    tail, away = 1 - _certainty(certainty), float(ndtri(power))

    def lower(n: int) -> float:
        sizes = n * base_rate, n * (1 - base_rate)
        each = 1 / sizes[0] + 1 / sizes[1]
        one, other, common = _placements(better, worse, correlation)
        short = away * sqrt(max(0.0, one + other - 2 * common) * each) / 2
        areas = better - short, worse + short
        if areas[0] <= areas[1]:
            return -1.0
        one, other, common = _placements(*areas, correlation)
        a, b = (AreaSpread(x, v, v, *sizes) for x, v in zip(areas, (one, other), strict=True))
        return joined_limits((a, b), common * each, tail)[0]

    return _smallest(lower, 0.0)


def _placements(first: float, second: float, correlation: float) -> tuple[float, float, float]:
    """Return the variances of the share of pairs that a case wins, by both scores; the covariance.

    Of a positive that share is Φ(X), X normal with variance 1 around √2 Φ⁻¹(area), and of a
    negative alike. E Φ(X₁) Φ(X₂) is the bivariate normal probability below Φ⁻¹ of both areas, of
    half the correlation of the scores.
    """
    from scipy.stats import multivariate_normal

    def both(x: float, y: float, r: float) -> float:
        at: Any = ndtri([x, y])
        law: Any = [[1.0, r / 2], [r / 2, 1.0]]
        return float(multivariate_normal.cdf(at, cov=law)) - x * y

    return both(first, first, 1), both(second, second, 1), both(first, second, correlation)


def _certainty(given: float) -> float:
    certainty = number_in("certainty", given, "(0, 1)", "0.975 is usual")
    if certainty <= 0.5:
        rule, remedy = "must exceed 0.5, which no test needs", "0.975 is usual"
        raise InvalidArgumentError.from_rule("certainty", rule, certainty, remedy)
    return certainty


def _smallest(function: Callable[[int], float], goal: float) -> int:
    """Return the smallest n with function(n) >= goal: doubling, then bisection."""
    high = 1
    while function(high) < goal:
        if high >= LARGEST:
            rule, remedy = "is out of reach with 10⁹ cases", "ask for less"
            raise InvalidArgumentError.from_rule("the goal", rule, goal, remedy)
        high = min(2 * high, LARGEST)
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if function(middle) >= goal else (middle, high)
    return high

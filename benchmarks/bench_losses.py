"""How often intervals of mean losses hold the truth, and how wide they are beside t and bootstrap.

Positives have x ~ N(d, 1), negatives N(0, 1), with d for a given area under the ROC curve; the
forecast is the true probability, or over-confident (its logit times 2.5). Where the area is .5 the
forecast believes in one of .75. The other forecast, of comparisons, has 0.7 times the logit and
noise. Classes are drawn, not fixed. Truths by integration, of differences by two million cases.

Whether a limit of Gaffke's passes the truth is asked of the law at the truth, many data sets at
once; the intervals that join two, and widths, are those of the public functions.

    python benchmarks/bench_losses.py [--speed]
"""

import sys
import time
import warnings

import numpy as np
from scipy import stats
from scipy.special import expit, ndtri

from baserate import curves
from baserate._gamma_sums import upper_tail
from baserate.curves.bounded_means import difference_limits
from baserate.curves.losses import compare_brier, compare_log_loss

SIZES = ((20, 0.25), (50, 0.1), (50, 0.5), (200, 0.025), (200, 0.5), (500, 0.01))
AREAS = (0.5, 0.8, 0.95, 0.99)
CONFIDENCE = (1.0, 2.5)
CELLS = 30_000  # cases of all data sets of a population together, at least 150 data sets
JOINED, SHOWN, RESAMPLES = 150, 20, 200
TAIL = 0.025
ROUNDING = 1e-9


class Population:
    def __init__(self, base_rate, area, over):
        self.base_rate, self.over = base_rate, over
        self.shift = np.sqrt(2) * ndtri(area)
        self.believed = np.sqrt(2) * ndtri(max(area, 0.75) if area == 0.5 else area)

    def logit(self, x):
        odds = np.log(self.base_rate / (1 - self.base_rate))
        return self.over * (odds + self.believed * x - self.believed**2 / 2)

    def draw(self, rng, n):
        """Return labels and two forecasts of these many cases, or of an array of them."""
        y = rng.random(n) < self.base_rate
        logit = self.logit(rng.normal(size=n) + self.shift * y)
        return y, expit(logit), expit(0.7 * logit + rng.normal(size=n) / 2)

    def mean(self, of, y):
        z = np.linspace(-9, 9, 8001)
        weights = stats.norm.pdf(z)
        return weights @ of(y, self.logit(z + self.shift * y)) / weights.sum()

    def mean_loss(self, loss):
        return self.base_rate * self.mean(loss, True) + (1 - self.base_rate) * self.mean(
            loss, False
        )


def squared(y, logit):
    return (expit(logit) - y) ** 2


def surprise(y, logit):
    return np.logaddexp(0, np.where(y, -logit, logit))


def truths(population, rng):
    pi = population.base_rate
    brier, log = (population.mean_loss(loss) for loss in (squared, surprise))
    null, entropy = pi * (1 - pi), -pi * np.log(pi) - (1 - pi) * np.log1p(-pi)
    gained = -np.expm1(2 * (log - entropy))
    y, a, b = population.draw(rng, 2_000_000)
    shown = [population.mean(lambda _, logit: expit(logit), side) for side in (True, False)]
    with np.errstate(divide="ignore"):
        logs = np.where(y, np.log(b / a), np.log((1 - b) / (1 - a)))
    return {
        "Brier": brier,
        "log loss": log,
        "slope": shown[0] - shown[1],
        "McFadden": 1 - log / entropy,
        "Cox-Snell": gained,
        "Nagelkerke": gained / -np.expm1(-2 * entropy),
        "scaled Brier": 1 - brier / null,
        "paired Brier": float(((a - y) ** 2 - (b - y) ** 2).mean()),
        "paired log": float(logs[np.isfinite(logs)].mean()),
    }


def beyond(x):
    """P(Σ D x > 0), row by row, D uniform on the simplex."""
    chance = (x.max(axis=1) > ROUNDING).astype(float)
    inside = (x.max(axis=1) > ROUNDING) & (x.min(axis=1) < -ROUNDING)
    rows = x[inside]
    falls = rows.mean(axis=1) > 0
    rows = np.where(falls[:, None], -rows, rows)
    ones, block = np.ones(x.shape[1]), max(1, 40_000 // x.shape[1])
    starts = range(0, len(rows), block)
    tails = [upper_tail(rows[start : start + block], ones)[0] for start in starts]
    if tails:
        tail = np.concatenate(tails)
        chance[inside] = np.where(falls, 1 - tail, tail)
    return chance


def missed(values, least, most, truth=0.0):
    """Return the shares of data sets whose interval lies above the truth, and below it."""
    size = (len(values), 1)
    with_least, with_most = (
        np.concatenate((values, np.broadcast_to(end, size)), axis=1) - truth
        for end in (least, most)
    )
    return 1 - beyond(with_least) < TAIL, beyond(with_most) < TAIL


def tangent(kind, r, entropy):
    """Return slope and shift of the loss that a coefficient allows, as a function of H."""
    if kind in {"McFadden", "scaled Brier"}:
        return 1 - r, 0 * entropy
    if kind == "Cox-Snell":
        return 1.0, np.log1p(-r) / 2 + 0 * entropy
    m = r + (1 - r) * np.exp(2 * entropy)
    slope = (1 - r) * np.exp(2 * entropy) / m
    return slope, np.log(m) / 2 - slope * entropy


def missed_coefficient(kind, y, losses, most, r):
    """Return how often r lies below the lower limit of R², and above the upper one."""
    n, ruled_out = y.shape[1], []
    for loss in (most, 0 * most):
        each = []
        for further in (True, False):
            share = (y.sum(axis=1, keepdims=True) + further) / (n + 1)
            if kind == "scaled Brier":
                null = (1 - share) ** 2, share**2
            else:
                null = -np.log(share), -np.log1p(-share)
            slope, shift = tangent(kind, r, share * null[0] + (1 - share) * null[1])
            of_case = losses - slope * np.where(y, *null) - shift
            of_further = loss - slope * (null[0] if further else null[1]) - shift
            each.append(beyond(np.concatenate((of_case, of_further), axis=1)))
        ruled_out.append(each)
    return np.max(ruled_out[0], axis=0) < TAIL, np.min(ruled_out[1], axis=0) > 1 - TAIL


class Tally(dict):
    def add(self, name, low, high, width=None):
        self[name] = 100 * np.mean(low), 100 * np.mean(high), width


def simulate(n, base_rate, area, over, seed):
    rng, tally = np.random.default_rng(seed), Tally()
    population = Population(base_rate, area, over)
    truth = truths(population, rng)
    y, a, b = population.draw(rng, (max(150, CELLS // n), n))
    both = (y.sum(axis=1) >= 2) & (y.sum(axis=1) <= n - 2)
    y, a, b = y[both], *(np.clip(p[both], 1e-15, 1 - 1e-15) for p in (a, b))
    sides = {
        "Brier": [((1 - p) ** 2, p**2) for p in (a, b)],
        "log": [(-np.log(p), -np.log1p(-p)) for p in (a, b)],
    }
    lost = {name: [np.where(y, *each) for each in found] for name, found in sides.items()}
    surprise_most = np.maximum(*sides["log"][0]).max(axis=1, keepdims=True)
    widths = shown(y, a, b)
    for name, key, most in (("Brier", "Brier", 1.0), ("log loss", "log", surprise_most)):
        tally.add(name, *missed(lost[key][0], 0.0, most, truth[name]), widths[name])
        rivals(tally, name, lost[key][0], truth[name], rng)
    for name, key in (("paired Brier", "Brier"), ("paired log", "log")):
        most = np.max([np.abs(p - q).max(axis=1) for p, q in zip(*sides[key], strict=True)], axis=0)
        apart = lost[key][0] - lost[key][1]
        low, high = missed(apart, -most[:, None], most[:, None], truth[name])
        tally.add(name, low, high, widths[name])
    half = len(y) // 2
    for kind in ("McFadden", "Cox-Snell", "Nagelkerke", "scaled Brier"):
        key = "Brier" if kind == "scaled Brier" else "log"
        most = np.ones((half, 1)) if key == "Brier" else surprise_most[:half]
        losses = lost[key][0][:half]
        low, high = missed_coefficient(kind, y[:half], losses, most, truth[kind])
        tally.add(kind, low, high, widths[kind])
    joined(tally, truth, y, a, b)
    return tally


def shown(y, a, b):
    """Return median widths of the public functions."""
    found = {}
    kinds = {
        "McFadden": "mcfadden",
        "Cox-Snell": "cox_snell",
        "Nagelkerke": "nagelkerke",
        "scaled Brier": "brier",
    }
    for i in range(SHOWN):
        swept = curves.sweep(y[i], a[i])
        answers = {
            "Brier": curves.brier_score(swept),
            "log loss": curves.log_loss(swept),
            "paired Brier": compare_brier(y[i], a[i], b[i]),
            "paired log": compare_log_loss(y[i], a[i], b[i]),
            **{
                name: curves.r_squared(swept, kind=kind)
                for name, kind in kinds.items()
                if i < SHOWN // 2
            },
        }
        for name, answer in answers.items():
            found.setdefault(name, []).append(answer.high - answer.low)
    return {name: float(np.median(widths)) for name, widths in found.items()}


def joined(tally, truth, y, a, b):
    """Ask the public functions for the intervals that join two."""
    slopes, separate = [], []
    for i in range(JOINED):
        found = curves.discrimination_slope(y[i], a[i])
        slopes.append((found.low, found.high))
        one, other = curves.brier_score(y[i], a[i]), curves.brier_score(y[-1 - i], b[-1 - i])
        limits = (one.low, one.high), (other.low, other.high)
        separate.append(difference_limits((one.value, other.value), limits))
    for name, key, found in (
        ("discrimination slope", "slope", slopes),
        ("separate Brier", "paired Brier", separate),
    ):
        low, high = np.array(found).T
        width = float(np.median(high - low))
        tally.add(name, low > truth[key] + ROUNDING, high < truth[key] - ROUNDING, width)


def rivals(tally, name, values, truth, rng):
    """Add Student's t and the percentile bootstrap."""
    n, means = values.shape[1], values.mean(axis=1)
    reach = stats.t.ppf(1 - TAIL, n - 1) * values.std(axis=1, ddof=1) / n**0.5
    low, high = means - reach > truth + ROUNDING, means + reach < truth - ROUNDING
    tally.add(f"{name}, t", low, high, float(np.median(2 * reach)))
    shares = rng.multinomial(n, np.full(n, 1 / n), RESAMPLES) / n
    resampled = values[: max(100, len(values) // 4)] @ shares.T
    low, high = np.quantile(resampled, (TAIL, 1 - TAIL), axis=1)
    width = float(np.median(high - low))
    outside = low > truth + ROUNDING, high < truth - ROUNDING
    tally.add(f"{name}, bootstrap", *outside, width)


def coverage():
    every = {}
    for k, (n, base_rate) in enumerate(SIZES):
        of_size = {}
        for area in AREAS:
            for over in CONFIDENCE:
                tally = simulate(n, base_rate, area, over, [k, int(100 * area), int(over)])
                for name, row in tally.items():
                    of_size.setdefault(name, []).append(row)
        print(f"\n{n} cases, base rate {base_rate}, 8 populations: worst and mean coverage (%),")
        print("the worst share below and above the interval, mean of median widths")
        for name, rows in of_size.items():
            low, high, width = np.array(rows).T
            held = 100 - low - high
            print(
                f"  {name:22s} {held.min():6.1f} {held.mean():6.1f}   {low.max():5.1f} "
                f"{high.max():5.1f}   {width.mean():.4f}",
                flush=True,
            )
            every.setdefault(name, []).extend(held)
    print("\nall: worst and mean coverage (%)")
    for name, held in every.items():
        print(f"  {name:22s} {min(held):6.1f} {np.mean(held):6.1f}")


def speed():
    rng = np.random.default_rng(0)
    for n in (100, 10_000, 1_000_000):
        y, a, b = Population(0.2, 0.8, 1.5).draw(rng, n)
        swept = curves.sweep(y, a)
        questions = {
            "brier_score": lambda s=swept: curves.brier_score(s),
            "log_loss": lambda s=swept: curves.log_loss(s),
            "discrimination_slope": lambda s=swept: curves.discrimination_slope(s),
            "r_squared": lambda s=swept: curves.r_squared(s, kind="nagelkerke"),
            "compare_brier": lambda y=y, a=a, b=b: compare_brier(y, a, b),
            "compare_log_loss": lambda y=y, a=a, b=b: compare_log_loss(y, a, b),
        }
        for name, ask in questions.items():
            ask()
            start = time.process_time()
            ask()
            print(f"{n:9,d}  {name:22s} {time.process_time() - start:.3f} s")


if __name__ == "__main__":
    warnings.simplefilter("ignore", RuntimeWarning)
    if "--speed" in sys.argv:
        speed()
    else:
        coverage()

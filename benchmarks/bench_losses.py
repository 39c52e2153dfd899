"""How often intervals of mean losses hold the truth, and how wide they are beside t and bootstrap.

Positives have x ~ N(d, 1), negatives N(0, 1), with d for a given area under the ROC curve; the
forecast is the true probability, or over-confident (its logit times 2.5). Where the area is .5 the
forecast believes in one of .75. The other forecast, of comparisons, has 0.7 times the logit and
noise. Classes are drawn, not fixed. Truths by integration, of differences by two million cases.

    python benchmarks/bench_losses.py [--speed]
"""

import sys
import time
import warnings

import numpy as np
from scipy import stats
from scipy.special import expit, ndtri

from baserate import curves

SIZES = ((20, 0.25), (50, 0.1), (50, 0.5), (200, 0.025), (200, 0.5), (500, 0.01))
AREAS = (0.5, 0.8, 0.95, 0.99)
CONFIDENCE = (1.0, 2.5)
MANY, SOME, FEW = 300, 100, 60  # data sets: cheap answers, R², separate cases
RESAMPLES = 300
LEVEL = 0.95


class Population:
    def __init__(self, base_rate, area, over):
        self.base_rate, self.over = base_rate, over
        self.shift = np.sqrt(2) * ndtri(area)
        self.believed = np.sqrt(2) * ndtri(max(area, 0.75) if area == 0.5 else area)

    def logit(self, x):
        odds = np.log(self.base_rate / (1 - self.base_rate))
        return self.over * (odds + self.believed * x - self.believed**2 / 2)

    def draw(self, rng, n):
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
        "separate Brier": float(((a - y) ** 2 - (b - y) ** 2).mean()),
    }


def asked(y, a, b, turn):
    """Yield every interval that this data set is asked for, by name."""
    swept = curves.sweep(y, a)
    yield "Brier", curves.brier_score(swept)
    yield "log loss", curves.log_loss(swept)
    yield "slope", curves.discrimination_slope(swept)
    yield "paired Brier", curves.compare_brier(y, a, b)
    yield "paired log", curves.compare_log_loss(y, a, b)
    if turn < SOME:
        kinds = ("mcfadden", "cox_snell", "nagelkerke", "brier")
        names = ("McFadden", "Cox-Snell", "Nagelkerke", "scaled Brier")
        for name, kind in zip(names, kinds, strict=True):
            yield name, curves.r_squared(swept, kind=kind)


def rivals(y, a, rng):
    """Yield Student's t and the percentile bootstrap of both losses."""
    n = len(y)
    for name, loss in (("Brier", squared), ("log loss", surprise)):
        values = loss(y, np.log(a) - np.log1p(-a))
        reach = stats.t.ppf((1 + LEVEL) / 2, n - 1) * values.std(ddof=1) / n**0.5
        yield f"{name}, t", (values.mean() - reach, values.mean() + reach)
        means = rng.multinomial(n, np.full(n, 1 / n), RESAMPLES) @ values / n
        yield f"{name}, bootstrap", np.quantile(means, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))


class Tally:
    def __init__(self):
        self.missed, self.widths = {}, {}

    def add(self, name, low, high, truth):
        slack = 1e-9 * (1 + abs(truth))
        self.missed.setdefault(name, []).append((low > truth + slack, high < truth - slack))
        self.widths.setdefault(name, []).append(high - low)


def simulate(n, base_rate, area, over, seed):
    rng, tally = np.random.default_rng(seed), Tally()
    population = Population(base_rate, area, over)
    truth = truths(population, rng)
    turn = 0
    while turn < MANY:
        y, a, b = population.draw(rng, n)
        a, b = (np.clip(p, 1e-15, 1 - 1e-15) for p in (a, b))
        if not 2 <= y.sum() <= n - 2:
            continue
        for name, found in asked(y, a, b, turn):
            tally.add(name, found.low, found.high, truth[name])
        if turn < FEW:
            y2, _, b2 = population.draw(rng, n)
            found = curves.compare_brier(y, a, b2, y_true_b=y2)
            tally.add("separate Brier", found.low, found.high, truth["separate Brier"])
        for name, (low, high) in rivals(y, a, rng):
            tally.add(name, low, high, truth[name.split(",")[0]])
        turn += 1
    return tally


def coverage():
    every = {}
    for k, (n, base_rate) in enumerate(SIZES):
        of_size = {}
        for area in AREAS:
            for over in CONFIDENCE:
                tally = simulate(n, base_rate, area, over, [k, int(100 * area), int(over)])
                for name, missed in tally.missed.items():
                    share = np.mean(missed, axis=0)
                    width = float(np.median(tally.widths[name]))
                    of_size.setdefault(name, []).append((*share, width))
        print(
            f"\n{n} cases, base rate {base_rate}: worst and mean coverage over 8 populations (%),"
        )
        print("the worst share below and above the interval, mean of median widths")
        for name, rows in of_size.items():
            low, high, width = np.array(rows).T
            held = 100 * (1 - low - high)
            print(
                f"  {name:20s} {held.min():6.1f} {held.mean():6.1f}   {100 * low.max():5.1f} "
                f"{100 * high.max():5.1f}   {width.mean():.4f}",
                flush=True,
            )
            every.setdefault(name, []).extend(held)
    print("\nall: worst and mean coverage (%)")
    for name, held in every.items():
        print(f"  {name:20s} {min(held):6.1f} {np.mean(held):6.1f}")


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
            "compare_brier": lambda y=y, a=a, b=b: curves.compare_brier(y, a, b),
            "compare_log_loss": lambda y=y, a=a, b=b: curves.compare_log_loss(y, a, b),
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

"""Whether intervals of ROC areas hold with few cases, and how fast they are beside two peers.

Coverage: per cent of 95% intervals above the truth and below it, by simulation of nine laws of
scores; differences of two areas with correlated scores; partial areas; bands. Size: per cent of
p-values of at most .05 where the two areas are equal. Speed: MLstatkit and confidenceinterval.

    python benchmarks/bench_auc.py [cover|differences|parts|bands|speed]
"""

import sys
import time
from functools import partial
from itertools import product

import numpy as np
from scipy.integrate import quad
from scipy.stats import expon, norm, rankdata

from baserate.curves import compare_auc, partial_auc, roc_auc, roc_band
from baserate.curves.area_spread import Spread, area_limits

AREAS = (0.5, 0.7, 0.85, 0.95, 0.99)
RUNS = 3000
CUTS = np.array([-1.0, -0.35, 0.35, 1.0])  # of five categories, around the middle of both means


# ruff: noqa: ARG005  lambdas of one signature
# Scores of positives and of negatives at probabilities u, of the area a; d is its normal score.
POSITIVES = {
    "normal": lambda u, a, d: norm.ppf(u) + d * np.sqrt(2),
    "wide positives": lambda u, a, d: 3 * norm.ppf(u) + d * np.sqrt(10),
    "narrow positives": lambda u, a, d: norm.ppf(u) / 3 + d * np.sqrt(10) / 3,
    "exponential": lambda u, a, d: expon.ppf(u) * a / (1 - a),
    "reversed exponential": lambda u, a, d: -expon.ppf(u),
    "some like negatives": lambda u, a, d: np.where(u < 2 - 2 * a, u / (2 - 2 * a), 1 + u),
    "some below all": lambda u, a, d: np.where(u < 1 - a, -1.0, 2.0) + u / 100,
    "negatives above all": lambda u, a, d: u / 2,
    "five categories": lambda u, a, d: norm.ppf(u) + d * np.sqrt(2),
}
NEGATIVES = {
    "exponential": lambda u, a: expon.ppf(u),
    "reversed exponential": lambda u, a: -expon.ppf(u) * a / (1 - a),
    "some like negatives": lambda u, a: u,
    "some below all": lambda u, a: u,
    "negatives above all": lambda u, a: np.where(u < a, -2.0, 2.0) + u / 100,
}
LAWS = tuple(POSITIVES)


def samples(law, area, u, v):
    """Return scores of positives and negatives, and the area that they come from."""
    x = POSITIVES[law](u, area, norm.ppf(area))
    y = NEGATIVES[law](v, area) if law in NEGATIVES else norm.ppf(v)
    if law != "five categories":
        return x, y, area
    shift = norm.ppf(area) * np.sqrt(2)
    cuts = shift / 2 + CUTS
    p, q = (np.diff(norm.cdf(np.concatenate(([-np.inf], cuts - m, [np.inf])))) for m in (shift, 0))
    return np.searchsorted(cuts, x), np.searchsorted(cuts, y), float(p @ (np.cumsum(q) - q / 2))


def spreads(x, y):
    """Yield the spread of each row."""
    p, q = x.shape[1], y.shape[1]
    both = rankdata(np.concatenate([x, y], axis=1), axis=1)
    won = (both[:, :p] - rankdata(x, axis=1)) / q
    lost = 1 - (both[:, p:] - rankdata(y, axis=1)) / p
    for row in zip(won.mean(1), won.var(1), lost.var(1), strict=True):
        yield Spread(*map(float, row), p, q)


def delong(spread, tail):
    """Return DeLong's limits on the logit scale; the exact bound where classes are separated."""
    area, m = spread.area, spread.fewer
    if area in {0.0, 1.0}:
        return (0.0, 1 - tail ** (1 / m)) if area == 0 else (tail ** (1 / m), 1.0)
    variance = spread.positive / (spread.n_positive - 1) + spread.negative / (spread.n_negative - 1)
    reach = -norm.ppf(tail) * np.sqrt(variance) / (area * (1 - area))
    logit = np.log(area / (1 - area))
    return 1 / (1 + np.exp(reach - logit)), 1 / (1 + np.exp(-reach - logit))


def sides(ends, truth):
    """Return per cent of intervals above the truth and below it, and their mean width."""
    low, high = np.array(ends).T
    slack = 1e-12
    return (
        100 * np.mean(truth < low - slack),
        100 * np.mean(truth > high + slack),
        np.mean(high - low),
    )


def cover():
    print("Per cent of 95% intervals above the truth / below it: the worst of nine laws, each side")
    print(f"{'':>18}" + "".join(f"{area:>22}" for area in AREAS) + "   (ours; DeLong)")
    width = {}
    for p, n in [
        *((5, n) for n in (20, 50, 100, 200, 500)),
        (10, 200),
        (10, 500),
        (5, 5000),
        (250, 500),
        (50, 5000),
    ]:
        worst = {}
        for area in AREAS:
            for law in LAWS:
                rng = np.random.default_rng([p, n, int(100 * area)])
                runs = min(RUNS, 2_000_000 // n)
                u, v = rng.random((runs, p)), rng.random((runs, n - p))
                x, y, truth = samples(law, area, u, v)
                found = list(spreads(x, y))
                for name, limits in (("ours", area_limits), ("delong", delong)):
                    above, below, wide = sides([limits(one, 0.025) for one in found], truth)
                    old = worst.get((area, name), (0, 0, 0))
                    least = max(old[2], above + below)
                    worst[area, name] = max(above, old[0]), max(below, old[1]), least
                    if law == "normal":
                        width[p, n, area, name] = wide
        line = ""
        for area in AREAS:
            (a, b, c), (e, f, g) = worst[area, "ours"], worst[area, "delong"]
            line += f"  {a:4.1f}/{b:3.1f} ({c:3.1f}); {e:4.1f}/{f:3.1f} ({g:4.1f})"
        print(f"{p:4} of {n:6}{line}", flush=True)
    print("\nMean width under the normal law (ours; DeLong, which does not hold)")
    for p, n in dict.fromkeys(key[:2] for key in width):
        row = (f"{width[p, n, a, 'ours']:.3f}; {width[p, n, a, 'delong']:.3f}" for a in AREAS)
        print(f"{p:4} of {n:6}   " + "   ".join(row))


def correlated(rng, runs, size, rho):
    """Return two arrays of probabilities whose normal scores are correlated."""
    first = rng.normal(size=(runs, size))
    second = rho * first + np.sqrt(1 - rho * rho) * rng.normal(size=(runs, size))
    return norm.cdf(first), norm.cdf(second)


METHODS = (None, "delong", "exact")


SIZES = ((5, 20), (5, 100), (5, 500), (20, 200), (50, 200))


def differences(sizes=SIZES):
    laws = ("normal", "wide positives", "exponential", "some like negatives", "five categories")
    pairs = ((0.5, 0.5), (0.8, 0.8), (0.9, 0.7), (0.95, 0.95), (0.99, 0.95), (0.99, 0.99))
    print("Difference of two areas: above / below (both); worst of five laws, rho 0 and .7")
    print("then per cent of p <= .05 where areas are equal, default; DeLong; exact: scores of one")
    print("law, and of two laws (curves that cross)")
    for p, n in sizes:
        for separate in (False, True):
            worst = np.zeros(3)
            rejected = np.zeros((2, len(METHODS)))
            for (a, b), (k, law) in product(pairs, enumerate(laws)):
                for second in dict.fromkeys((law, laws[k - 1])) if a == b else (law,):
                    for rho in (0,) if separate else (0, 0.7):
                        rng = np.random.default_rng([p, n, int(100 * a), k])
                        misses, shares = compared(
                            (law, a), (second, b), (p, n), rho, rng, separate=separate
                        )
                        worst = np.maximum(worst, misses)
                        if a == b:
                            crossing = int(law != second)
                            rejected[crossing] = np.maximum(rejected[crossing], shares)
            sizes = "   ".join("; ".join(f"{x:4.1f}" for x in row) for row in rejected)
            kind = "separate" if separate else "paired"
            above, below, both = worst
            print(
                f"{p:4} of {n:4} {kind:9} {above:4.1f} / {below:4.1f} ({both:4.1f})   p: {sizes}",
                flush=True,
            )


def compared(first, second, sizes, rho, rng, *, separate, runs=400):
    """Return how often intervals miss, and how often p-values are at most .05, in per cent."""
    p, n = sizes
    truth = np.arange(n) < p
    (u, u2), (v, v2) = (correlated(rng, runs, size, rho) for size in (p, n - p))
    x, y, one = samples(*first, u, v)
    x2, y2, two = samples(*second, u2, v2)
    ends, rejected = [], np.zeros(len(METHODS))
    for a, b in zip(np.hstack([x, y]), np.hstack([x2, y2]), strict=True):
        for j, method in enumerate(METHODS[: 2 if separate else 3]):
            if method and first[1] != second[1]:
                continue
            found = compare_auc(truth, a, b, y_true_b=truth if separate else None, method=method)
            rejected[j] += found.p_value <= 0.05
            if method is None:
                ends.append((found.low, found.high))
    above, below, _ = sides(ends, one - two)
    # Five categories have another area than what they are made of.
    return (above, below, above + below), 100 * rejected / runs * (abs(one - two) < 1e-9)


def parts():
    print("Partial area: above / below, the worst of three laws; areas .7, .85, .95")
    runs = 1500
    for argument, limit in (("max_fpr", 0.1), ("max_fpr", 0.3), ("min_recall", 0.8)):
        for p, n in ((5, 50), (5, 500), (20, 100), (50, 200), (200, 2000)):
            above = below = both = 0.0
            truth = np.arange(n) < p
            for law in ("normal", "wide positives", "exponential"):
                for area in (0.7, 0.85, 0.95):
                    rng = np.random.default_rng([p, n, int(100 * area)])
                    value = true_partial(law, area, argument, limit)
                    ends = []
                    for _ in range(runs):
                        x, y, _ = samples(law, area, rng.random(p), rng.random(n - p))
                        found = partial_auc(
                            truth, np.concatenate([x, y]), **{argument: limit}, standardized=False
                        )
                        ends.append((found.low, found.high))
                    up, down, _ = sides(ends, value)
                    above, below, both = max(above, up), max(below, down), max(both, up + down)
            print(
                f"{argument} {limit}  {p:4} of {n:5}  {above:4.1f} / {below:4.1f} ({both:4.1f})",
                flush=True,
            )


def true_partial(law, area, argument, limit):
    """Integrate recall over false positive rates, or specificity over recalls."""
    p = norm.ppf(area)
    if law == "exponential":
        r = area / (1 - area)
        recall, fpr = (lambda f: f ** (1 / r)), (lambda t: t**r)
    else:
        s = 3.0 if law == "wide positives" else 1.0
        m = p * np.sqrt(1 + s * s)
        recall = lambda f: norm.sf((norm.isf(f) - m) / s)  # noqa: E731
        fpr = lambda t: norm.sf(m + s * norm.isf(t))  # noqa: E731
    if argument == "max_fpr":
        return quad(recall, 0, limit)[0]
    return quad(lambda t: 1 - fpr(t), limit, 1)[0]


def bands():
    print("Per cent of 95% bands that hold every cut (simultaneous), and one cut (pointwise)")
    runs = 1000
    for p, n in ((5, 20), (10, 100), (50, 500), (500, 5000)):
        for ties in (None, 1):
            rng = np.random.default_rng([p, n])
            truth = np.arange(n) < p
            held = one = 0
            for _ in range(runs if n < 5000 else 200):
                s = rng.normal(size=n) + truth
                s = s if ties is None else np.round(s * ties)
                for kind in ("simultaneous", "pointwise"):
                    band = roc_band(truth, s, kind=kind)
                    cut = band.at if ties is None else band.at - 0.5 / ties
                    low, high = rectangle(cut)
                    inside = (
                        (band.recall_low <= high)
                        & (high <= band.recall_high)
                        & (band.false_positive_rate_low <= low)
                        & (low <= band.false_positive_rate_high)
                    )
                    if kind == "simultaneous":
                        held += inside.all()
                    else:
                        one += inside[np.searchsorted(-band.at, -0.5)] if ties is None else 0
            total = runs if n < 5000 else 200
            print(
                f"{p:4} of {n:5} ties {ties}: {100 * held / total:5.1f}"
                + ("" if ties else f"  {100 * one / total:5.1f}"),
                flush=True,
            )


def rectangle(cut):
    return norm.sf(cut), norm.sf(cut - 1)


def timed(call):
    start = time.process_time()
    call()
    return time.process_time() - start


def speed():
    rng = np.random.default_rng(0)
    print("CPU seconds, with intervals and tests")
    for n in (1000, 10_000, 100_000, 1_000_000):
        y = rng.random(n) < 0.1
        hard = rng.normal(size=n)
        a, b = (hard + rng.normal(size=n) + k * y for k in (1, 0.9))
        ours = {
            "roc_auc": partial(roc_auc, y, a),
            "partial_auc": partial(partial_auc, y, a, max_fpr=0.1),
            "compare_auc": partial(compare_auc, y, a, b),
            "roc_band": partial(roc_band, y, a),
        }
        times = {name: min(timed(call) for _ in range(3)) for name, call in ours.items()}
        print(f"{n:9,} " + "  ".join(f"{name} {t:.4f}" for name, t in times.items()), end="  ")
        print("  ".join(f"{name} {t:.3f}" for name, t in peers(y, a, b, n).items()), flush=True)


def peers(y, a, b, n):
    """Time what is installed, as far as it gets within some memory and a minute."""
    found = {}
    try:
        from MLstatkit import Delong_test

        if n <= 1_000_000:
            found["MLstatkit"] = timed(lambda: Delong_test(y.astype(int), a, b))
    except ImportError:
        pass
    try:
        from confidenceinterval import roc_auc_score

        if n <= 100_000:
            found["confidenceinterval (one area, DeLong)"] = timed(
                lambda: roc_auc_score(y.astype(int), a)
            )
        if n <= 10_000:
            found["(one area, 9,999 bootstraps)"] = timed(
                lambda: roc_auc_score(y.astype(int), a, method="bootstrap_percentile")
            )
    except ImportError:
        pass
    return found


if __name__ == "__main__":
    known = {f.__name__: f for f in (cover, differences, parts, bands, speed)}
    for part in sys.argv[1:] or known:
        known[part]()
        print()

"""Whether intervals of ROC areas hold with few cases, and how fast they are beside two peers.

Coverage: per cent of 95% intervals above the truth and below it, by simulation of eleven laws of
scores, and how often an area above 1/2 is found; differences of two areas with correlated scores;
partial areas; bands. Size: per cent of p-values of at most .05 where the two areas are equal.
Speed: MLstatkit and confidenceinterval.

    python benchmarks/bench_auc.py [cover|power|differences|parts|bands|speed]
"""

import sys
import time
from functools import partial
from itertools import product

import numpy as np
from scipy.integrate import quad
from scipy.stats import expon, norm, rankdata

from baserate.curves import compare_auc, partial_auc, roc_auc, roc_band
from baserate.curves.area_spread import AreaSpread, area_limits, wilson_limits

AREAS = (0.5, 0.7, 0.85, 0.95, 0.99)
RUNS = 2000
CUTS = np.array([-1.0, -0.35, 0.35, 1.0])  # of five categories, around the middle of both means


# ruff: noqa: ARG005  lambdas of one signature
# Scores of positives and of negatives at probabilities u, of the area a; d is its normal score.
POSITIVES = {
    "normal": lambda u, a, d: norm.ppf(u) + d * np.sqrt(2),
    "wider positives": lambda u, a, d: 2 * norm.ppf(u) + d * np.sqrt(5),
    "narrower positives": lambda u, a, d: norm.ppf(u) / 2 + d * np.sqrt(5) / 2,
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
EXTREME = LAWS[3:5] + LAWS[7:10]


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
    tied = np.zeros(len(x))
    if x.dtype.kind == "i":
        tied = sum((x == k).mean(1) * (y == k).mean(1) for k in range(len(CUTS) + 1))
    for *row, t in zip(won.mean(1), won.var(1), lost.var(1), tied, strict=True):
        yield AreaSpread(*map(float, row), p, q, float(t))


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


RULES = {"wilson": wilson_limits, "conservative": area_limits, "delong": delong}
DESIGNS = ((5, 10), (10, 20), (20, 40), (100, 200), (3, 33), (5, 20), (5, 100), (10, 100))
LARGER = ((30, 330), (5, 1005), (10, 1010), (50, 5000))


def cover():
    print(
        "Per cent of 95% intervals above the truth / below it (both): the worst of six usual laws"
    )
    print("[of those and five extreme ones]")
    width = {}
    for p, n in DESIGNS + LARGER:
        usual, worst = ({(a, name): np.zeros(3) for a in AREAS for name in RULES} for _ in (0, 1))
        for area, law in product(AREAS, LAWS):
            rng = np.random.default_rng([p, n, int(100 * area)])
            runs = min(RUNS, 2_000_000 // n)
            u, v = rng.random((runs, p)), rng.random((runs, n - p))
            x, y, truth = samples(law, area, u, v)
            found = list(spreads(x, y))
            for name, limits in RULES.items():
                above, below, wide = sides([limits(one, 0.025) for one in found], truth)
                misses = np.array([above, below, above + below])
                for kind in (worst,) if law in EXTREME else (usual, worst):
                    kind[area, name] = np.maximum(kind[area, name], misses)
                if law == "normal":
                    width[p, n, area, name] = wide
        for name in RULES:
            line = "".join(
                "  {:4.1f}/{:4.1f} ({:4.1f})".format(*usual[area, name])
                + f" [{worst[area, name][2]:4.1f}]"
                for area in AREAS
            )
            print(f"{p:4} of {n:5} {name:13}{line}", flush=True)
    print(f"\nMean width under the normal law ({'; '.join(RULES)})")
    for p, n in dict.fromkeys(key[:2] for key in width):
        row = ("; ".join(f"{width[p, n, a, name]:.3f}" for name in RULES) for a in AREAS)
        print(f"{p:4} of {n:5}   " + "   ".join(row))


def power():
    print("Per cent of samples of normal scores that show an area above 1/2, two-sided at 5%:")
    print("wilson; conservative; twice the one-sided p of random labels")
    areas = (0.5, 0.7, 0.8, 0.87)
    for p, n in DESIGNS + LARGER[:3]:
        line = ""
        for area in areas:
            rng = np.random.default_rng([p, n])
            x, y, _ = samples("normal", area, rng.random((1500, p)), rng.random((1500, n - p)))
            found = list(spreads(x, y))
            shown = [np.mean([RULES[k](s, 0.025)[0] > 0.5 for s in found]) for k in list(RULES)[:2]]
            u = np.array([s.area for s in found]) * p * (n - p)
            shown.append(np.mean(u > mann_whitney(p, n - p)))
            line += "   " + "; ".join(f"{100 * s:5.1f}" for s in shown)
        print(f"{p:4} of {n:5}{line}", flush=True)


def mann_whitney(p, q, tail=0.025):
    """Return the largest U that random labels reach with more than a probability."""
    ways = np.zeros(p * q + 1)
    ways[0] = 1.0
    for i in range(1, p + 1):
        more = ways.copy()
        if q + i < len(ways):
            more[q + i :] -= ways[: -(q + i)]
        for start in range(i):
            more[start::i] = np.cumsum(more[start::i])
        ways = more / more.sum()
    reached = np.cumsum(ways[::-1])[::-1]
    return np.flatnonzero(reached > tail).max()


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
    known = {f.__name__: f for f in (cover, power, differences, parts, bands, speed)}
    for part in sys.argv[1:] or known:
        known[part]()
        print()

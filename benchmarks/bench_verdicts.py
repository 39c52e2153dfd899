"""How often verdicts err: "yes" without any advantage, and "no" where it is worth having.

Small tables: exact sums over all tables of so many positives and negatives, at the worst of 99
false positive rates; Fisher's test and the binomial laws are SciPy's, the interval is our own.
Large ones, which alone can say "no": 2,000 drawn tables each.
"""

import argparse

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, hypergeom

from baserate import ConfusionMatrix, interval
from baserate.facts.verdict import VerdictFact

Array = NDArray[np.float64]
SMALL = ((5, 15), (10, 30), (20, 20), (10, 90), (30, 30))
LARGE = ((1000, 1000), (300, 2700), (2000, 2000))
RATES = np.arange(1, 100) / 100
DRAWN = 2000


def answers(tp: Array, fp: Array, positives: int, negatives: int) -> Array:
    """Return 1 for "yes", -1 for "no", 0 for "cannot tell"."""
    table = ConfusionMatrix(tp=tp, fn=positives - tp, fp=fp, tn=negatives - fp)
    found = interval("informedness", table)
    n = positives + negatives
    p = hypergeom.sf(tp - 1, n, positives, tp + fp)
    code = {"yes": 1, "no": -1, "cannot tell": 0}
    ends = zip(found.value, found.low, found.high, p, strict=True)
    judged = (VerdictFact.of("informedness", (v, lo, hi), p_value=q) for v, lo, hi, q in ends)
    return np.array([code[verdict.answer] for verdict in judged])


def exact(positives: int, negatives: int) -> tuple[float, float, float]:
    """Return how often "yes" is said at no advantage (worst rate), and at 0.3 and 0.5 (best)."""
    tp, fp = (x.ravel() for x in np.mgrid[: positives + 1, : negatives + 1])
    yes = (answers(tp, fp, positives, negatives) == 1).reshape(positives + 1, -1).astype(float)
    said: dict[float, list[float]] = {0.0: [], 0.3: [], 0.5: []}
    for advantage, each in said.items():
        for rate in RATES[RATES + advantage < 1]:
            recall = binom.pmf(np.arange(positives + 1), positives, rate + advantage)
            alarms = binom.pmf(np.arange(negatives + 1), negatives, rate)
            each.append(float(recall @ yes @ alarms))
    return max(said[0.0]), min(said[0.3]), min(said[0.5])


def drawn(positives: int, negatives: int, advantage: float, rate: float = 0.3) -> dict[str, float]:
    """Return how often each is said of drawn tables."""
    rng = np.random.default_rng(1)
    tp = rng.binomial(positives, rate + advantage, DRAWN)
    fp = rng.binomial(negatives, rate, DRAWN)
    found = answers(tp, fp, positives, negatives)
    return {name: float((found == code).mean()) for name, code in (("yes", 1), ("no", -1))}


def main() -> None:
    """Print both tables."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    print('said "yes":          worst at no advantage   least at 0.3   least at 0.5')
    for positives, negatives in SMALL:
        size, some, much = exact(positives, negatives)
        print(f"{positives:5d} + {negatives:<5d} {size:22.4f} {some:18.3f} {much:14.3f}")
    print('drawn:               "yes", "no" at advantages of 0, 0.03, 0.05, 0.1')
    for positives, negatives in LARGE:
        told = (drawn(positives, negatives, at) for at in (0.0, 0.03, 0.05, 0.1))
        cells = "   ".join(f"{one['yes']:.3f}, {one['no']:.3f}" for one in told)
        print(f"{positives:5d} + {negatives:<5d} {cells}")


if __name__ == "__main__":
    main()

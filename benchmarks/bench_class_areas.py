"""Do intervals of the areas of several classes hold the truth? Per cent that lie above or below it.

Scores are the softmax of normal variates, of which that of the own class is `distance` higher. The
truth is the area of 400,000 cases by scikit-learn. Samples that lack a class are drawn again.
"""

import argparse

import numpy as np
from sklearn.metrics import roc_auc_score

import baserate as br

SHARES = {
    "3 alike": [0.34, 0.33, 0.33],
    "3, one of 5%": [0.6, 0.35, 0.05],
    "6, two of 5%": [0.5, 0.2, 0.1, 0.1, 0.05, 0.05],
}


def draw(rng, n, shares, distance):
    k = len(shares)
    while True:
        y = rng.choice(k, n, p=shares)
        if len(np.unique(y)) == k:
            break
    z = rng.normal(size=(n, k))
    z[np.arange(n), y] += distance
    p = np.exp(2 * z)
    return y, p / p.sum(axis=1, keepdims=True)


def errors(rng, n, shares, distance, multi_class, repeats):
    """Return per cent of intervals that lie above and below the truth, and their mean width."""
    truth = roc_auc_score(*draw(rng, 400_000, shares, distance), multi_class=multi_class)
    found = [
        br.roc_auc(*draw(rng, n, shares, distance), multi_class=multi_class) for _ in range(repeats)
    ]
    low, high = np.array([(each.low, each.high) for each in found]).T
    return 100 * (low > truth).mean(), 100 * (high < truth).mean(), (high - low).mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=40)
    parser.add_argument("--only", help="classes, such as '3 alike'")
    repeats, only = vars(parser.parse_args()).values()
    rng = np.random.default_rng(0)
    print(f"{'classes':14}{'n':>5}{'distance':>9}  {'rest: above below width':26}pairs")
    for name, shares in SHARES.items():
        for n in (30, 100, 300):
            for distance in (0, 1, 2.5):
                if only not in (None, name):
                    continue
                cells = [errors(rng, n, shares, distance, how, repeats) for how in ("ovr", "ovo")]
                shown = "".join(f"{a:7.1f}{b:6.1f}{w:7.3f}      " for a, b, w in cells)
                print(f"{name:14}{n:5}{distance:9}{shown}", flush=True)


if __name__ == "__main__":
    main()

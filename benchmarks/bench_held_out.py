"""Held-out cases of a cross-validation: intervals of the ROC area, pooled over folds and within.

Cases are drawn from two normal classes `distance` apart, a linear discriminant is fitted without
each fold, and the truth is the mean over folds of the areas that these models have in the
population. Printed are the per cent of 95% intervals that lie wholly below it and wholly above it,
pooled and within folds; how often the test within folds says "better than chance" at 5% (without a
distance: wrongly); and, without a distance, the per cent of intervals of accuracy that miss 1/2
(balanced classes only).

With `learners`, other learners take the place of the discriminant: how many times the variance of
the mean area is that of independent folds, the per cent of intervals wholly below and above, and of
p at most .05.

    python benchmarks/bench_held_out.py [replicates] [learners]
"""

import sys
from itertools import product
from math import sqrt

import numpy as np
from scipy.special import ndtr

import baserate as br
from baserate.curves.cut_points import sweep

SIZES = ((50, 0.5, 5), (50, 0.5, 10), (100, 0.1, 5), (100, 0.2, 5), (200, 0.5, 10), (500, 0.1, 10))
FEATURES = (2, 10)
DISTANCES = (0.0, 1.5)


def discriminant(x, y):
    """Score by Fisher's linear discriminant, with the log odds of the training cases."""
    means = [x[y == side].mean(axis=0) for side in (0, 1)]
    apart = x - np.where(y[:, None] == 1, means[1], means[0])
    direction = np.linalg.solve(apart.T @ apart / (len(x) - 2), means[1] - means[0])
    odds = np.log(y.mean() / (1 - y.mean()))
    return direction, odds - direction @ (means[0] + means[1]) / 2


def folds_of(y, k, rng, *, stratified):
    if not stratified:
        return rng.permutation(np.arange(len(y)) % k)
    fold = np.empty(len(y), dtype=int)
    for side in (0, 1):
        fold[y == side] = rng.permutation(np.arange((y == side).sum()) % k)
    return fold


def misses(found, truth):
    return found.high < truth, found.low > truth


def measured(size, features, distance, *, stratified, replicates, rng):
    n, share, k = size
    y = np.zeros(n, dtype=int)
    y[: round(n * share)] = 1
    apart = np.zeros(features)
    apart[0] = distance
    rows = []
    while len(rows) < replicates:
        x = rng.normal(size=(n, features)) + y[:, None] * apart
        fold = folds_of(y, k, rng, stratified=stratified)
        if any(len(set(y[fold == f])) < 2 for f in range(k)):
            continue
        score, areas = np.empty(n), []
        for f in range(k):
            direction, start = discriminant(x[fold != f], y[fold != f])
            score[fold == f] = x[fold == f] @ direction + start
            areas.append(ndtr(direction @ apart / sqrt(2 * direction @ direction)))
        truth = float(np.mean(areas))
        pooled = br.roc_auc(y, score, method="conservative")
        within = br.roc_auc(y, score, fold=fold)
        right = int(np.sum((score >= 0) == y))
        accuracy = br.interval("accuracy", br.ConfusionMatrix(tp=right, fn=n - right, fp=0, tn=0))
        widths = pooled.high - pooled.low, within.high - within.low
        missed = not accuracy.low <= 0.5 <= accuracy.high
        beats = within.low > 0.5
        rows.append((*misses(pooled, truth), *misses(within, truth), *widths, beats, missed))
    return np.mean(np.array(rows, dtype=float), axis=0)


def learners(replicates):
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    kinds = {
        "logistic regression": lambda: LogisticRegression(C=1e4),
        "five neighbours": lambda: KNeighborsClassifier(5),
        "tree": lambda: DecisionTreeClassifier(random_state=0),
        "tree of one split": lambda: DecisionTreeClassifier(max_depth=1, random_state=0),
    }
    cases = (
        *((name, (100, 0.5, 5), 5, distance) for name in list(kinds)[:3] for distance in (0, 1.5)),
        ("logistic regression", (100, 0.5, 5), 5, 3.0),
        ("logistic regression", (200, 0.2, 10), 1, 0),
        ("tree", (60, 0.5, 10), 20, 0),
        ("tree of one split", (100, 0.5, 5), 5, 0),
        ("tree of one split", (200, 0.2, 10), 3, 0),
        ("tree of one split", (200, 0.5, 10), 3, 0),
    )
    heading = "learner", "cases, positive, folds", "features", "distance", "variance"
    print("|", " | ".join((*heading, "below/above", "p <= .05")), "|")
    print("|---|---|" + "---:|" * 5)
    for name, (n, share, k), features, distance in cases:
        told = ratio_of(kinds[name], (n, share, k), features, distance, replicates)
        law = name, f"{n}, {share:g}, {k}", features, f"{distance:g}"
        print("|", " | ".join(map(str, (*law, *told))), "|", flush=True)


def ratio_of(learner, size, features, distance, replicates):
    n, share, k = size
    rng = np.random.default_rng(5)
    y = (np.arange(n) < round(n * share)).astype(int)
    new = (np.arange(4000) < 2000).astype(int)
    unseen = rng.normal(size=(4000, features))
    unseen[:, 0] += distance * new
    off, rows = [], []
    for _ in range(replicates):
        x = rng.normal(size=(n, features))
        x[:, 0] += distance * y
        fold, score, true = folds_of(y, k, rng, stratified=True), np.empty(n), []
        for f in range(k):
            model = learner().fit(x[fold != f], y[fold != f])
            score[fold == f] = model.predict_proba(x[fold == f])[:, 1]
            known = sweep(new, model.predict_proba(unseen)[:, 1]) if distance else None
            true.append(br.roc_auc(known).value if known else 0.5)
        areas = [br.roc_auc(y[fold == f], score[fold == f]).value for f in range(k)]
        off.append(np.subtract(areas, true))
        found = br.roc_auc(y, score, fold=fold)
        rows.append((*misses(found, np.mean(true)), found.low > 0.5))
    spread = np.cov(np.transpose(off))
    below, above, beats = (f"{100 * x:.1f}" for x in np.mean(rows, axis=0))
    return f"{spread.sum() / np.trace(spread):.2f}", f"{below}/{above}", beats


def main():
    replicates = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    if "learners" in sys.argv:
        learners(replicates)
        return
    rng = np.random.default_rng(1)
    heading = "cases, positive, folds", "features", "distance", "strata"
    print("|", " | ".join((*heading, "pooled", "within", "widths", "p <= .05", "accuracy")), "|")
    print("|---|" + "---:|" * 8)
    for size, features, distance in product(SIZES, FEATURES, DISTANCES):
        for stratified in (True, False):
            if distance and not stratified:
                continue
            n, share, k = size
            if not stratified and n * share < 5 * k:
                continue  # most samples have a fold without positives
            found = measured(
                size, features, distance, stratified=stratified, replicates=replicates, rng=rng,
            )  # fmt: skip
            shares = [f"{100 * x:.1f}" for x in found]
            told = (f"{shares[0]}/{shares[1]}", f"{shares[2]}/{shares[3]}",
                    f"{found[4]:.2f}/{found[5]:.2f}", shares[6],
                    shares[7] if share == 0.5 and not distance else "")  # fmt: skip
            law = (f"{n}, {share:g}, {k}", features, f"{distance:g}", "yes" if stratified else "no")
            print("|", " | ".join(map(str, (*law, *told))), "|", flush=True)


if __name__ == "__main__":
    main()

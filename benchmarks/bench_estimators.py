"""scikit-learn estimators and scorers beside scikit-learn's own: what they cost and promise.

    python benchmarks/bench_estimators.py [replicates]

- a grid of 20 settings and 5 folds with ten of our scorers, beside scikit-learn's f1 alone;
- the choice of a threshold on 10^6 scores, beside ``TunedThresholdClassifierCV``;
- on rare positives: what each threshold tuner promises, and what its cut gives on new cases.
"""

import sys
import time
import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    TunedThresholdClassifierCV,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import baserate as br

TEN = {
    "f1": br.scorer("f1"),
    "mcc": br.scorer("mcc"),
    "kappa": br.scorer("kappa"),
    "recall": br.scorer("recall"),
    "precision": br.scorer("precision"),
    "balanced_accuracy": br.scorer("balanced_accuracy"),
    "skill of f1": br.scorer("f1", guess="dutch_draw"),
    "skill of g_mean": br.scorer("g_mean", guess="dutch_draw"),
    "skill of jaccard": br.scorer("jaccard", guess="proportional"),
    "skill of fm": br.scorer("fowlkes_mallows", guess="same_alarms"),
}


class Known(ClassifierMixin, BaseEstimator):
    """A classifier whose probabilities are its first column: fitting costs nothing."""

    def fit(self, x, y):
        """Learn the labels."""
        self.classes_ = np.unique(y)
        self.n_features_in_ = x.shape[1]
        return self

    def predict_proba(self, x):
        """Return the first column and what is left of 1."""
        return np.column_stack((1 - x[:, 0], x[:, 0]))

    def predict(self, x):
        """Cut at one half."""
        return (x[:, 0] >= 0.5).astype(int)


def cpu(work, *data, repeats=3):
    """Return the least CPU seconds of some runs."""
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        work(*data)
        best = min(best, time.process_time() - start)
    return best


def grid():
    """Print the cost of ten scorers."""
    print("GridSearchCV, 20 settings, 5 folds: f1 of scikit-learn, ten of ours, ratio")
    for n in (1_000, 5_000, 20_000):
        x, y = make_classification(n, 20, random_state=0)
        settings = {"max_depth": list(range(1, 21))}
        tree = DecisionTreeClassifier(random_state=0)
        theirs, ours = (
            cpu(GridSearchCV(tree, settings, scoring=s, refit="f1", cv=5).fit, x, y)
            for s in ("f1", TEN)
        )
        print(f"  {n:6d} cases  {theirs:7.3f} s  {ours:7.3f} s  {ours / theirs:5.2f}")


def tuning(n=1_000_000):
    """Print the cost of choosing a threshold."""
    rng = np.random.default_rng(1)
    y = (rng.random(n) < 0.05).astype(int)
    x = 1 / (1 + np.exp(-rng.normal(1.5 * y - 3, 1)))[:, None]
    theirs = cpu(TunedThresholdClassifierCV(Known(), scoring="f1").fit, x, y, repeats=1)
    ours = cpu(br.ThresholdClassifierCV(Known(), "f1").fit, x, y, repeats=1)
    print(f"threshold for f1 on {n:,} scores: TunedThresholdClassifierCV (100 candidates)")
    print(f"  {theirs:.2f} s, ours (every score, nested) {ours:.2f} s, ratio {theirs / ours:.1f}")


def synthetic(seed):
    """Return 1,500 cases to learn from and 5,000 new ones, 2% positives."""
    x, y = make_classification(
        6_500, 6, n_informative=2, weights=[0.98], class_sep=0.6, random_state=seed
    )
    return x[:1500], y[:1500], x[1500:], y[1500:]


def digits(seed):
    """Return handwritten digits, 8 (one in three is kept, 4%) against the rest, in halves."""
    x, label = load_digits(return_X_y=True)
    rng = np.random.default_rng(seed)
    keep = (label != 8) | (rng.random(len(label)) < 1 / 3)
    x, y = x[keep] + rng.normal(0, 6, x[keep].shape), (label[keep] == 8).astype(int)
    return [part for half in _halves(x, y, rng) for part in half]


def cancer(seed):
    """Return breast masses, malignant ones (one in ten is kept, 6%) against benign, in halves."""
    x, benign = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(seed)
    keep = (benign == 1) | (rng.random(len(benign)) < 1 / 10)
    return [part for half in _halves(x[keep][:, :2], 1 - benign[keep], rng) for part in half]


def _halves(x, y, rng):
    """Split both classes at random."""
    order = rng.permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    return [(x[order[k::2]], y[order[k::2]]) for k in (0, 1)]


def promises(name, draw, replicates):
    """Print what tuners promise on rare positives, and what new cases give."""
    rows = {"ThresholdClassifierCV": [], "TunedThresholdClassifierCV": [], "cut at 0.5": []}
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    for seed in range(replicates):
        x, y, x_new, y_new = draw(seed)
        tuners = (
            br.ThresholdClassifierCV(model, "f1", guess=None),
            TunedThresholdClassifierCV(model, scoring="f1"),
            FixedThresholdClassifier(model, threshold=0.5),
        )
        for called, tuner in zip(rows, tuners, strict=True):
            tuner.fit(x, y)
            got = f1_score(y_new, tuner.predict(x_new), zero_division=0.0)
            rows[called].append((getattr(tuner, "best_score_", np.nan), got))
    print(f"F1, {name}, {replicates} samples: promised, got on new cases, promise less what it got")
    for called, found in rows.items():
        promised, got = np.mean(found, axis=0)
        off = np.subtract(*np.transpose(found))
        error = off.std(ddof=1) / np.sqrt(len(off))
        print(f"  {called:26s} {promised:.3f} {got:.3f}  {off.mean():+.3f} ± {error:.3f}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    grid()
    tuning()
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    promises("2% of 1,500 simulated cases", synthetic, samples)
    promises("4% of 800 digits", digits, samples)
    promises("6% of 190 breast masses", cancer, samples)

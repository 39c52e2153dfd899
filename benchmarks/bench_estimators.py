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
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV
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


def promises(replicates):
    """Print what tuners promise on rare positives, and what new cases give."""
    rows = {"ours": [], "scikit-learn": []}
    for seed in range(replicates):
        x, y = make_classification(
            6_500, 6, n_informative=2, weights=[0.98], class_sep=0.6, random_state=seed
        )
        seen, new = slice(1500), slice(1500, None)
        ours = br.ThresholdClassifierCV(LogisticRegression(), "f1", guess=None)
        theirs = TunedThresholdClassifierCV(LogisticRegression(), scoring="f1")
        for name, tuner in (("ours", ours), ("scikit-learn", theirs)):
            tuner.fit(x[seen], y[seen])
            got = f1_score(y[new], tuner.predict(x[new]), zero_division=0.0)
            rows[name].append((tuner.best_score_, got))
    print(f"F1 on 2% positives, {replicates} samples of 1,500 cases: promised, on 5,000 new cases")
    for name, found in rows.items():
        promised, got = np.mean(found, axis=0)
        off = np.subtract(*np.transpose(found))
        error = off.std(ddof=1) / np.sqrt(len(off))
        print(f"  {name:13s} {promised:.3f} {got:.3f}  bias {off.mean():+.3f} ± {error:.3f}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    grid()
    tuning()
    promises(int(sys.argv[1]) if len(sys.argv) > 1 else 60)

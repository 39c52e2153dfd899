"""How much a histogram of 2^16 bins leaves open of scores of models, and what counting costs.

Scores are those of scikit-learn models on bundled data, held out; a million cases are drawn from
them with replacement, each score moved by noise on its log odds, so that next to none are tied.
What is printed is the width of the bounds of every measure, that they hold the exact value, and how
long `ScoreHistogram.add` takes beside NumPy's sort of the same scores.
"""

import argparse
import csv
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import baserate as br
from baserate.curves import average_precision, discrimination_slope, partial_auc

EXAMPLES = Path(__file__).parent.parent / "examples"
MEASURES: dict[str, Callable[..., Any]] = {
    "ROC area": br.roc_auc,
    "partial area": lambda *data: partial_auc(*data, max_fpr=0.1),
    "average precision": average_precision,
    "Brier score": br.brier_score,
    "log loss": br.log_loss,
    "discrimination slope": discrimination_slope,
    "O:E ratio": lambda *data: br.calibration(*data).observed_expected,
    "intercept": lambda *data: br.calibration(*data).intercept,
    "slope": lambda *data: br.calibration(*data).slope,
    "ICI": lambda *data: br.calibration(*data).ici,
    "best MCC": lambda *data: br.optimal_threshold("mcc", *data),
    "best F1": lambda *data: br.optimal_threshold("f1", *data),
}


def scored() -> Iterator[tuple[str, Any, Any]]:
    """Yield labels and held-out probabilities of a few models."""
    linear = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    for name, data, positive in (
        ("breast cancer", load_breast_cancer(), 0),
        ("digit 8", load_digits(), 8),
    ):
        truth = data.target == positive
        for model in (linear, RandomForestClassifier(random_state=0), GaussianNB()):
            found = cross_val_predict(model, data.data, truth, cv=5, method="predict_proba")
            yield f"{name}, {type(model).__name__}", truth, found[:, 1]


def example() -> Iterator[tuple[str, Any, Any]]:
    """Yield the scores that come with the library."""
    for path in sorted(EXAMPLES.glob("*.csv")):
        with path.open() as file:
            rows = list(csv.DictReader(file))
        for column in rows[0]:
            if "score" in column or "probability" in column or "risk" in column:
                values = np.array([float(row[column]) for row in rows])
                target = next(iter(rows[0]))
                labels = [row.get("y", row.get("outcome", row[target])) for row in rows]
                if len(set(labels)) == 2 and ((values >= 0) & (values <= 1)).all():
                    yield f"{path.name}, {column}", np.array(labels) == max(labels), values


def many(truth: Any, scores: Any, size: int) -> tuple[Any, Any]:
    """Draw cases with replacement, their log odds moved a little."""
    rng = np.random.default_rng(20_261_122)
    drawn = rng.integers(0, len(scores), size)
    p = np.clip(scores[drawn], 1e-6, 1 - 1e-6)
    odds = np.log(p / (1 - p)) + rng.normal(0, 0.3, size)
    return truth[drawn], np.clip(1 / (1 + np.exp(-odds)), 1e-9, 1 - 1e-9)


def once(function: Callable[[], object]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--bins", type=int, default=1 << 16)
    asked = parser.parse_args()
    widest = dict.fromkeys(MEASURES, 0.0)
    for name, truth, scores in (*scored(), *example()):
        data = many(truth, scores, asked.size)
        histogram = br.ScoreHistogram(bins=asked.bins).add(*data)
        print(f"\n{name}: {histogram!r}")
        for measure, of in MEASURES.items():
            found, exact = of(histogram), of(*data)
            if found.bounds is None:
                print(f"  {measure:22} {getattr(found, 'reason', None)}")
                continue
            (low, high), value = found.bounds, exact.value
            held = "holds" if low <= value <= high else "MISSES"
            widest[measure] = max(widest[measure], high - low)
            print(f"  {measure:22} {value:10.6f}  width {high - low:8.1e}  {held}")
    print("\nwidest:", ", ".join(f"{name} {width:.1e}" for name, width in widest.items()))
    rng = np.random.default_rng(1)
    scores = rng.random(asked.size)
    truth, group = rng.random(asked.size) < scores, rng.integers(0, 20, asked.size)
    tasks = {
        "sort": lambda: np.sort(scores),
        "add": lambda: br.ScoreHistogram().add(truth, scores),
        "add, 20 groups": lambda: br.ScoreHistogram().add(truth, scores, group),
        "sweep": lambda: br.sweep(truth, scores),
    }
    rounds = [[once(task) for task in tasks.values()] for _ in range(5)]
    times = dict(zip(tasks, map(min, zip(*rounds, strict=True)), strict=True))
    print(f"\nseconds for {asked.size:,} distinct scores:")
    for name, took in times.items():
        print(f"  {name:16} {took:.3f}, {took / times['sort']:.1f} times the sort")


if __name__ == "__main__":
    main()

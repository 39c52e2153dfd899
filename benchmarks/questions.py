"""The questions of the table: how ours, and each peer at its best, answers them for n cases.

A peer is given what it reads fastest (tensors, cached frames), made before the clock starts. A peer
that answers less is asked all the same, and its name says what is missing.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

import baserate as br

Call = Callable[["Cases"], Callable[[], object]]


class Cases:
    """Labels, predictions, scores and six groups of n cases; columns are made when asked for."""

    def __init__(self, n: int) -> None:
        self.n = n
        rng = np.random.default_rng(20_261_122)
        self.score = rng.beta(2, 5, n)
        self.truth = rng.random(n) < self.score
        self.group = rng.integers(0, 6, n, dtype=np.int8)
        self.weight = rng.random(n)

    @cached_property
    def said(self) -> np.ndarray:
        return self.score > 0.4

    @cached_property
    def tables(self) -> tuple[br.ConfusionMatrix, br.ConfusionMatrix]:
        """The table of one group, and of all others."""
        inside = self.group == 0
        return tuple(br.confusion_matrix(self.truth[k], self.said[k]) for k in (inside, ~inside))


@dataclass(frozen=True)
class Question:
    """One row of the table.

    `read` and `written` are the bytes that any program has to move for one case; `room` those that
    ours or a peer takes in memory.
    """

    name: str
    ours: Call
    peers: dict[str, Call] = field(default_factory=dict)
    read: int = 2
    written: int = 0
    room: int = 32


def torch_pair(cases: Cases, values: np.ndarray):
    import torch

    return torch.from_numpy(values), torch.from_numpy(cases.truth.astype(np.int64))


def by_torch(metric: str, column: str, **options) -> Call:
    def prepare(cases: Cases) -> Callable[[], object]:
        from torchmetrics.functional import classification

        given = torch_pair(cases, getattr(cases, column).astype(np.float32))
        return lambda: getattr(classification, metric)(*given, **options)

    return prepare


def by_scikit_learn(function: str, column: str, *, weighted: bool = False, **options) -> Call:
    def prepare(cases: Cases) -> Callable[[], object]:
        from sklearn import calibration, metrics

        call = getattr(metrics, function, None) or getattr(calibration, function)
        given = (cases.truth, getattr(cases, column))
        if weighted:
            options["sample_weight"] = cases.weight
        return lambda: call(*given, **options)

    return prepare


def by_pycm(cases: Cases) -> Callable[[], object]:
    from pycm import ConfusionMatrix

    lists = cases.truth.tolist(), cases.said.tolist()
    return lambda: ConfusionMatrix(*lists)


def by_fairlearn(cases: Cases) -> Callable[[], object]:
    from fairlearn import metrics as fair
    from sklearn import metrics

    asked = {
        "accuracy": metrics.accuracy_score,
        "precision": metrics.precision_score,
        "recall": fair.true_positive_rate,
        "specificity": fair.true_negative_rate,
        "selection": fair.selection_rate,
    }
    truth, said = cases.truth.astype(int), cases.said.astype(int)
    return lambda: (
        fair.MetricFrame(
            metrics=asked, y_true=truth, y_pred=said, sensitive_features=cases.group
        ).by_group
    )


def by_dutch_draw(cases: Cases) -> Callable[[], object]:
    import DutchDraw

    truth = cases.truth.astype(int)
    return lambda: DutchDraw.optimized_baseline_statistics(truth, "MCC")


def by_dcurves(cases: Cases) -> Callable[[], object]:
    import pandas as pd
    from dcurves import dca

    frame = pd.DataFrame({"y": cases.truth.astype(int), "p": cases.score})
    grid = np.arange(1, 100) / 100
    return lambda: dca(data=frame, outcome="y", modelnames=["p"], thresholds=grid)


def by_confidenceinterval(function: str, column: str, **options) -> Call:
    def prepare(cases: Cases) -> Callable[[], object]:
        import confidenceinterval

        given = cases.truth.astype(int), getattr(cases, column)
        return lambda: getattr(confidenceinterval, function)(*given, **options)

    return prepare


def by_spark(cases: Cases) -> Callable[[], object]:
    import pandas as pd
    from pyspark.ml.evaluation import BinaryClassificationEvaluator
    from pyspark.ml.functions import array_to_vector
    from pyspark.sql import SparkSession, functions

    spark = SparkSession.builder.master("local[*]").config("spark.ui.enabled", "false")
    session = spark.config("spark.driver.memory", "4g").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    session.conf.set("spark.sql.execution.arrow.pyspark.enabled", "true")
    columns = pd.DataFrame({"label": cases.truth.astype(float), "score": cases.score})
    vector = array_to_vector(functions.array("score", "score")).alias("rawPrediction")
    frame = session.createDataFrame(columns).select("label", vector).cache()
    frame.count()
    evaluator = BinaryClassificationEvaluator(numBins=0)
    return lambda: evaluator.evaluate(frame)


def by_draws(cases: Cases) -> Callable[[], object]:
    """The paper's null law of F1, from 10,000 tables of the same size."""
    group, rest = (np.array([t.tp, t.fn, t.fp, t.tn], float) for t in cases.tables)
    rng, size = np.random.default_rng(1), int(group.sum())

    def draw() -> float:
        tp, fn, fp, _ = rng.multinomial(size, (rest + 0.5) / (rest + 0.5).sum(), 10_000).T
        f1 = 2 * tp / np.maximum(2 * tp + fn + fp, 1)
        value = 2 * group[0] / (2 * group[0] + group[1] + group[2])
        return float(np.mean(f1 <= value))

    return draw


def every_metric(cases: Cases) -> Callable[[], object]:
    names = tuple(br.metrics.CATALOGUE)
    return lambda: br.evaluate(cases.truth, cases.said, metrics=names).to_dict()


def guessing(cases: Cases) -> Callable[[], object]:
    def best() -> object:
        positive = int(np.count_nonzero(cases.truth))
        counts = {"n_positive": positive, "n_negative": cases.n - positive}
        return [br.dutch_draw("mcc", goal=goal, **counts) for goal in ("max", "min")]

    return best


def net_benefit(cases: Cases) -> Callable[[], object]:
    grid = np.arange(1, 100) / 100
    return lambda: br.net_benefit_curve(cases.truth, cases.score, thresholds=grid).net_benefit


def calibrated(cases: Cases) -> Callable[[], object]:
    return lambda: br.calibration(cases.truth, cases.score).to_dict()


QUESTIONS = (
    Question(
        "counting",
        lambda c: lambda: br.confusion_matrix(c.truth, c.said),
        {
            "scikit-learn": by_scikit_learn("confusion_matrix", "said"),
            "torchmetrics": by_torch("binary_confusion_matrix", "said", validate_args=False),
            "PyCM": by_pycm,
        },
        room=40,
    ),
    Question(
        "every metric, interval, chance",
        every_metric,
        {
            "PyCM (no chance)": by_pycm,
            "confidenceinterval (F1 only)": by_confidenceinterval("f1_score", "said"),
        },
        room=40,
    ),
    Question(
        "sweep",
        lambda c: lambda: br.sweep(c.truth, c.score),
        {
            "scikit-learn": by_scikit_learn("roc_curve", "score", drop_intermediate=False),
            "torchmetrics (single)": by_torch("binary_roc", "score", validate_args=False),
        },
        read=9,
        written=24,
        room=130,
    ),
    Question(
        "sweep, weights",
        lambda c: lambda: br.sweep(c.truth, c.score, sample_weight=c.weight),
        {
            "scikit-learn": by_scikit_learn(
                "roc_curve", "score", weighted=True, drop_intermediate=False
            )
        },
        read=17,
        written=40,
        room=160,
    ),
    Question(
        "ROC area, interval, test",
        lambda c: lambda: br.roc_auc(c.truth, c.score),
        {
            "confidenceinterval": by_confidenceinterval("roc_auc_score", "score"),
            "scikit-learn (no interval)": by_scikit_learn("roc_auc_score", "score"),
            "torchmetrics (single, no interval)": by_torch(
                "binary_auroc", "score", validate_args=False
            ),
            "Spark (no interval)": by_spark,
        },
        read=9,
        room=150,
    ),
    Question(
        "calibration, intervals, tests",
        calibrated,
        {
            "scikit-learn (10 bins)": by_scikit_learn("calibration_curve", "score", n_bins=10),
            "torchmetrics (10 bins)": by_torch(
                "binary_calibration_error", "score", n_bins=10, validate_args=False
            ),
        },
        read=9,
        room=150,
    ),
    Question(
        "audit, six groups",
        lambda c: lambda: br.audit(c.truth, c.said, groups=c.group).to_dict(),
        {"fairlearn (5 metrics, no tests)": by_fairlearn},
        read=3,
        room=80,
    ),
    Question("guessing optimum, MCC", guessing, {"DutchDraw": by_dutch_draw}, read=1, room=32),
    Question(
        "MATCH test, F1, from tables",
        lambda c: lambda: br.match_test("f1", *c.tables),
        {"NumPy (10,000 draws)": by_draws},
        read=0,
    ),
    Question(
        "net benefit, 99 thresholds",
        net_benefit,
        {"dcurves": by_dcurves},
        read=9,
        room=150,
    ),
)

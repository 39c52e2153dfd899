"""Holzmann and Klar (2024), Robust performance metrics for imbalanced classification problems.

arXiv:2404.07661. Tables 5, 6 and 10 to 18 hold best density ratios in normal populations and are
recomputed here to full precision; Tables 2 and 3 are one simulation each, and are simulated anew.
The rows of Table 17 that the paper labels d₁ = 1 hold results for d₁ = 4 (from a distance of 1 on);
here they are what their label says. Table 10 lists a threshold for Yule's Q that is a minimum.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import baserate as br

PUBLISHED = Path(__file__).with_name("robust_metrics_tables.json")
NAMES = {"mcc": "matthews_correlation", "kappa": "cohen_kappa"}

_TINY = tuple(10.0**-k for k in range(10, 0, -1))
_BOTH_SIDES = (0.0001, 0.001, 0.01, 0.1, 0.9, 0.99, 0.999, 0.9999)
_WIDE, _NEAR, _FAR = (1.0, 1.5, 2.0, 3.0), (0.5, 1.0, 2.0, 3.0), (0.5, 1.0, 2.0, 4.0)
_ROBUST_F = "robust_f(d0={}, d1={}, c={})"
_ROBUST_MCC = tuple(f"robust_mcc(d={d})" for d in (0, 0.01, 0.05, 0.1, 0.5, 1))

# Table -> metrics, Mahalanobis distances, base rates.
_GRIDS: dict[int, tuple[tuple[str, ...], tuple[float, ...], tuple[float, ...]]] = {
    5: (("jaccard",), _WIDE, _TINY),
    6: (("jaccard", "f_beta(beta=1.5)", "f_beta(beta=0.5)"), (1.0,), _BOTH_SIDES[:4]),
    10: (
        ("jaccard", "f_beta(beta=1.5)", "f_beta(beta=0.5)", "cohen_kappa", "yule_q"),
        _FAR,
        _BOTH_SIDES,
    ),
    11: (("f_beta(beta=1.5)",), _WIDE, _TINY),
    12: (("f_beta(beta=0.5)",), _WIDE, _TINY),
    13: (("cohen_kappa",), _WIDE, _TINY),
    14: (("matthews_correlation",), _WIDE, _TINY),
    15: (tuple(_ROBUST_F.format(d0, 1, 0) for d0 in (0, 0.1, 0.4, 1)), _NEAR, _BOTH_SIDES),
    16: (tuple(_ROBUST_F.format(0.1, d1, 0) for d1 in (0.25, 0.5, 2, 4)), _NEAR, _BOTH_SIDES),
    17: (
        tuple(_ROBUST_F.format(d0, d1, 1) for d0, d1 in ((1, 1), (2, 1), (0.5, 1), (0.5, 4))),
        _NEAR,
        _BOTH_SIDES,
    ),
    18: (_ROBUST_MCC, _FAR, _BOTH_SIDES),
}
TABLES = tuple(_GRIDS)

# Example 1: cutoffs of three classifiers, and the metrics that each is best for.
_CUTOFFS = (0.244, 0.436, 0.636)
_EXAMPLE_1 = ("f_beta(beta=1.5)", "matthews_correlation", "f_beta(beta=0.5)")
# The paper does not state the parameters of its robust F in Table 3; only these fit.
_EXAMPLE_2 = (*_EXAMPLE_1, "robust_f(d0=0.3, d1=1, c=0)", "robust_mcc(d=0.1)", "robust_mcc(d=0.05)")


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCell:
    """One cell of Tables 5, 6 and 10 to 18: normal classes at a Mahalanobis distance.

    Attributes
    ----------
    metric : str
    distance, base_rate : float
    ratio, recall, specificity : float
        Of the best rule; for Yule's Q of the worst, as in the paper.
    is_best : bool
    """

    metric: str
    distance: float
    base_rate: float
    ratio: float
    recall: float
    specificity: float
    is_best: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleOptimum:
    """One cell of Table 3: the threshold that maximises a metric in a sample.

    Attributes
    ----------
    metric : str
    value : float
    probability, ratio : float
        The threshold of P(positive | x) on the paper's grid, and the density ratio it amounts to.
    recall, specificity : float
    """

    metric: str
    value: float
    probability: float
    ratio: float
    recall: float
    specificity: float


def published(number: int) -> list[dict[str, Any]]:
    """Return the cells of a table as printed, each with what is known to be wrong in it."""
    return json.loads(PUBLISHED.read_text("utf-8"))["tables"][str(number)]["cells"]


def called(row: Mapping[str, Any]) -> str:
    """Return the metric of a printed cell as the library names it."""
    values = ", ".join(f"{name}={value:g}" for name, value in row["params"].items())
    name = NAMES.get(row["metric"], row["metric"])
    return f"{name}({values})" if values else name


def population_table(number: int) -> tuple[TableCell, ...]:
    """Recompute one of the Tables 5, 6 and 10 to 18.

    Parameters
    ----------
    number : int

    Examples
    --------
    The last row of Table 6: F with β = 1/2 at a distance of 1 and a base rate of 10%.

    >>> cell = population_table(6)[-1]
    >>> round(cell.ratio, 2), round(cell.recall, 2), round(cell.specificity, 2)
    (3.34, 0.24, 0.96)
    """
    if number not in TABLES:
        raise br.errors.UnknownNameError.from_name(
            "table", str(number), map(str, TABLES), f"Choose one of {', '.join(map(str, TABLES))}"
        )
    names, distances, base_rates = _GRIDS[number]
    return tuple(
        bayes_cell(name, distance, base_rate)
        for name in names
        for distance in distances
        for base_rate in base_rates
    )


def simulate_table_2(rng: np.random.Generator) -> NDArray[np.float64]:
    """Simulate Example 1: three cutoffs (rows) under F₁.₅, Matthews correlation and F₀.₅ (columns).

    3000 positives and 7000 negatives of two normal classes at a distance of 2, and a logistic
    regression judged on the cases it was fitted to.
    """
    scores, truth = _fitted_scores(rng, 3000, 7000)
    tables = _tables_at(scores, truth, np.array(_CUTOFFS))
    return np.stack([br.metrics.get(name)(tables) for name in _EXAMPLE_1], axis=1)


def simulate_table_3(
    rng: np.random.Generator, *, base_rate: float, n: int = 100_000
) -> tuple[SampleOptimum, ...]:
    """Simulate Example 2 at one base rate: the best cutoff among 0.001, 0.002, ..., 0.999.

    Parameters
    ----------
    rng : numpy.random.Generator
    base_rate : float
        The paper has 0.3, 0.1, 0.05, 0.025 and 0.01.
    n : int
        Number of cases.
    """
    n_positive = round(base_rate * n)
    scores, truth = _fitted_scores(rng, n_positive, n - n_positive)
    grid = np.arange(1, 1000) / 1000
    sweep = br.sweep(truth, scores)
    return tuple(_best_cutoff(name, sweep, grid) for name in _EXAMPLE_2)


def bayes_cell(name: str, distance: float, base_rate: float) -> TableCell:
    """Return the best rule of a metric, of which both rates follow; for Yule's Q the worst.

    Examples
    --------
    >>> round(bayes_cell("jaccard", 1.0, 0.01).ratio, 2)
    4.85
    """
    metric = br.metrics.get(name)
    population = br.populations.LDA(distance=distance)
    is_best = metric.name != "yule_q"
    if is_best:
        ratio = br.bayes_threshold(metric, population, base_rate=base_rate).ratio
    else:
        (ratio,) = br.tuning.stationary_ratios(metric, population, base_rate=base_rate).minima
    return TableCell(
        metric=metric.name,
        distance=distance,
        base_rate=base_rate,
        ratio=ratio,
        recall=population.recall(ratio),
        specificity=population.specificity(ratio),
        is_best=is_best,
    )


def _fitted_scores(rng: np.random.Generator, n_positive: int, n_negative: int) -> Any:
    """Draw the two classes of Example 1, fit a logistic regression, return its probabilities."""
    from sklearn.linear_model import LogisticRegression

    covariance = [[4.0, 1.0], [1.0, 1.0]]  # σ = 2, τ = 1, ρ = 1/2
    positive = rng.multivariate_normal([2.0, 2.0], covariance, size=n_positive)
    negative = rng.multivariate_normal([0.0, 0.0], covariance, size=n_negative)
    x = np.concatenate((positive, negative))
    truth = np.arange(len(x)) < n_positive
    model = LogisticRegression(C=np.inf).fit(x, truth)  # without a penalty, as in the paper
    return model.predict_proba(x)[:, 1], truth


def _tables_at(scores: Any, truth: Any, cutoffs: Any) -> br.ConfusionMatrix:
    """Count the tables of the rules score >= cutoff."""
    positive, negative = np.sort(scores[truth]), np.sort(scores[~truth])
    fn, tn = (np.searchsorted(side, cutoffs, side="left") for side in (positive, negative))
    return br.ConfusionMatrix(tp=positive.size - fn, fn=fn, fp=negative.size - tn, tn=tn)


def _best_cutoff(name: str, sweep: Any, grid: Any) -> SampleOptimum:
    found = br.optimal_threshold(name, sweep, thresholds=grid)
    table = found.table
    return SampleOptimum(
        metric=found.metric,
        value=found.value,
        probability=found.threshold,
        ratio=br.tuning.density_ratio(found.threshold, base_rate=table.base_rate),
        recall=table.tp / table.n_positive,
        specificity=table.tn / table.n_negative,
    )

"""Briscoe et al. (2025), appendices A, B and D: counts of tables, definitions, marginal benefit."""

from collections.abc import Callable, Iterator
from itertools import product
from math import comb, factorial, floor, sqrt

import baserate as br
from papers.cells import Cell, Table

Definition = Callable[[int, int, int, int], float]  # of tp, fn, fp, tn

# Tables 3 to 5.
DEFINITIONS: dict[str, Definition] = {
    "accuracy": lambda tp, fn, fp, tn: (tp + tn) / (tp + fn + fp + tn),
    "base_rate": lambda tp, fn, fp, tn: (tp + fn) / (tp + fn + fp + tn),
    "predicted_positive_rate": lambda tp, fn, fp, tn: (tp + fp) / (tp + fn + fp + tn),
    "error_rate": lambda tp, fn, fp, tn: (fp + fn) / (tp + fn + fp + tn),
    "negative_base_rate": lambda tp, fn, fp, tn: (tn + fp) / (tp + fn + fp + tn),
    "predicted_negative_rate": lambda tp, fn, fp, tn: (tn + fn) / (tp + fn + fp + tn),
    "recall": lambda tp, fn, fp, tn: tp / (tp + fn),
    "false_positive_rate": lambda tp, fn, fp, tn: fp / (fp + tn),
    "specificity": lambda tp, fn, fp, tn: tn / (tn + fp),
    "false_negative_rate": lambda tp, fn, fp, tn: fn / (fn + tp),
    "precision": lambda tp, fn, fp, tn: tp / (tp + fp),
    "negative_predictive_value": lambda tp, fn, fp, tn: tn / (tn + fn),
    "false_discovery_rate": lambda tp, fn, fp, tn: fp / (fp + tp),
    "false_omission_rate": lambda tp, fn, fp, tn: fn / (fn + tn),
    "f1_harmonic": lambda tp, fn, fp, tn: 2 / ((tp + fp) / tp + (tp + fn) / tp),
    "f1": lambda tp, fn, fp, tn: 2 * tp / (2 * tp + fp + fn),
    "matthews_correlation": lambda tp, fn, fp, tn: (
        (tp * tn - fp * fn) / sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    ),
    "prevalence_threshold_strict": lambda tp, fn, fp, tn: _threshold(
        tp / (tp + fn), fp / (fp + tn)
    ),
    "marginal_benefit": lambda tp, fn, fp, tn: (fp - fn) / (tp + fn + fp + tn),
}
OF_TWO: dict[str, Callable[[br.ConfusionMatrix, br.ConfusionMatrix], float]] = {
    "objective_fairness_index": lambda a, b: (a.fp - a.fn) / a.n - (b.fp - b.fn) / b.n,
    "treatment_equality": lambda a, b: float(a.fn) / float(a.fp) - float(b.fn) / float(b.fp),
}
N = 6
LAW = (5, 0.15, 0.05)  # n, P(FP), P(FN)


def _threshold(recall: float, alarms: float) -> float:
    return (sqrt(recall * alarms) - alarms) / (recall - alarms)


def definitions() -> Table:
    """Compare each definition on every table of six cases, and where it has no value."""
    cells = [
        Cell(where=f"{name}, {comb(N + 3, 3)} tables", published="the same", ours=_compared(name))
        for name in DEFINITIONS
    ]
    cells += [
        Cell(where=f"{name}, every two tables of three cases", published="the same",
             ours=_compared_two(name))
        for name in OF_TWO
    ]  # fmt: skip
    note = "The prevalence threshold in the paper's form, without a value where both rates are one."
    return Table(name="Appendix B, definitions", cells=tuple(cells), notes=(note,))


def _tables(n: int) -> Iterator[tuple[int, int, int, int]]:
    for tp, fn, fp in product(range(n + 1), repeat=3):
        if tp + fn + fp <= n:
            yield tp, fn, fp, n - tp - fn - fp


def _compared(name: str) -> str:
    metric, printed = br.metrics.get(name), DEFINITIONS[name]
    for tp, fn, fp, tn in _tables(N):
        table = br.ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn)
        said = _value(lambda cells=(tp, fn, fp, tn): printed(*cells))
        if not _alike(said, float(metric(table))):
            return f"not at tp = {tp}, fn = {fn}, fp = {fp}, tn = {tn}"
    return "the same"


def _compared_two(name: str) -> str:
    metric, printed = getattr(br.groups, name), OF_TWO[name]
    every = [br.ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn) for tp, fn, fp, tn in _tables(3)]
    for a, b in product(every, repeat=2):
        said = _value(lambda pair=(a, b): float(printed(*pair)))
        if not _alike(said, float(metric(a, b))):
            return f"not of {a} and {b}"
    return "the same"


def _value(formula: Callable[[], float]) -> float:
    try:
        return formula()
    except ZeroDivisionError:
        return float("nan")


def _alike(first: float, second: float) -> bool:
    return abs(first - second) <= 1e-12 or (first != first and second != second)  # noqa: PLR0124


def counts() -> Table:
    """Compare Theorem A.2, in how many tables a cell is x, with the law of equally likely ones."""
    law = br.pmf("true_positives", br.models.UniformTables(n=N))
    cells = (
        Cell(
            where=f"tables of {N} cases with {x} true positives",
            published=comb(N - x + 2, 2),
            ours=float(probability) * comb(N + 3, 3),
            within=1e-9,
        )
        for x, probability in enumerate(law.probabilities)
    )
    return Table(name="Appendix A, counts of tables", cells=tuple(cells))


def marginal_benefit() -> Table:
    """Compare Theorems D.1 and D.2, the exact law of (FP - FN)/n."""
    n, up, down = LAW
    model = br.models.Multinomial(n=n, cells=(0.4, down, up, 0.4))
    law = br.pmf("marginal_benefit", model)
    ours = {
        round(n * float(x)): float(p) for x, p in zip(law.values, law.probabilities, strict=True)
    }
    cells = [
        Cell(where=f"D.1: P(FP - FN = {k}), {n} cases", published=_mass(k),
             ours=ours.get(k, 0.0), within=1e-12)
        for k in range(-n, n + 1)
    ]  # fmt: skip
    cells += [
        Cell(
            where=f"D.2: P(B ≤ {b}), {n} cases",
            published=sum(_mass(k) for k in range(-n, floor(n * b) + 1)),
            ours=float(br.cdf("marginal_benefit", model, b)),
            within=1e-12,
        )
        for b in (-0.9, -0.5, -0.1, 0.1, 0.3, 0.7)
    ]
    return Table(name="Appendix D, marginal benefit", cells=tuple(cells))


def _mass(k: int) -> float:
    n, up, down = LAW
    rest = 1 - up - down
    return sum(
        factorial(n) / (factorial(k + m) * factorial(m) * factorial(n - k - 2 * m))
        * up ** (k + m) * down**m * rest ** (n - k - 2 * m)
        for m in range(max(0, -k), (n - k) // 2 + 1)
    )  # fmt: skip

"""Holzmann and Klar (2024): quotients (4.4), robust metrics of section 5, their bounds."""

from collections.abc import Callable, Iterator
from math import inf, sqrt

import baserate as br
from papers.cells import Cell, Finding, Table

Formula = Callable[[float, float, float], float]  # of recall s, specificity t and share p

# Recall, specificity and share of positives, in general position.
POINTS = (
    (0.55, 0.6, 0.3),
    (0.65, 0.9, 0.01),
    (0.7, 0.75, 0.5),
    (0.8, 0.7, 0.1),
    (0.95, 0.85, 0.2),
    (0.6, 0.95, 0.05),
)


def _flagged(s: float, t: float, p: float) -> float:
    return p * s + (1 - p) * (1 - t)


def _f(b2: float) -> Formula:
    return lambda s, t, p: s * (1 - p) / (b2 * p + (1 - t) * (1 - p))


def _robust_f(d0: float, d1: float, c: float) -> Formula:
    return lambda s, t, p: (c + s) * (1 - p) / (d0 + (d1 - c) * p + (1 - t) * (1 - p))


def _robust_mcc(d: float) -> Formula:
    def quotient(s: float, t: float, p: float) -> float:
        above = (2 * s - 1) * t - (t + s - 1) * (2 * s - 1) * p - s + 1 + 2 * d
        return above / ((2 * t - 1) * (t + s - 1) * p + 2 * t * (1 - t) + 2 * d)

    return quotient


def _mcc(s: float, t: float, p: float) -> float:
    above = (t + s - 1) * (2 * s - 1) * p + (1 - 2 * s) * t + s - 1
    return above / ((1 - 2 * t) * (t + s - 1) * p + 2 * t**2 - 2 * t)


def _yule(s: float, t: float, p: float) -> float:
    return s * (1 - s) / (t * (1 - t))


# Example 6 of appendix A, and sections 5.1 and 5.2.
QUOTIENTS: dict[str, Formula] = {
    "yule_q": _yule,
    "yule_y": _yule,
    "jaccard": lambda s, t, p: s * (1 - p) / (1 - t * (1 - p)),
    "f1": lambda s, t, p: s * (1 - p) / (1 - t * (1 - p)),  # "coincides with" Jaccard's
    "f_beta(beta=1.5)": _f(2.25),
    "f_beta(beta=0.5)": _f(0.25),
    "matthews_correlation": _mcc,
    "cohen_kappa": lambda s, t, p: (s + p * (1 - 2 * s)) / (1 - t - p * (1 - 2 * t)),
    "robust_f(d0=0.1, d1=1, c=0)": _robust_f(0.1, 1, 0),
    "robust_f(d0=0.5, d1=4, c=1)": _robust_f(0.5, 4, 1),
    "robust_mcc(d=0.05)": _robust_mcc(0.05),
    "robust_mcc(d=1)": _robust_mcc(1),
}

# Section 3.2 and example 6 of appendix A: the metrics themselves, by rates and share.
METRICS: dict[str, Formula] = {
    "accuracy": lambda s, t, p: p * s + (1 - p) * t,
    "weighted_accuracy(weight=0.3)": lambda s, t, p: 0.3 * p * s + 0.7 * (1 - p) * t,
    "balanced_accuracy": lambda s, t, p: (s + t) / 2,
    "yule_q": lambda s, t, p: (s * t - (1 - s) * (1 - t)) / (s * t + (1 - s) * (1 - t)),
    "yule_y": lambda s, t, p: (
        (sqrt(s * t) - sqrt((1 - s) * (1 - t))) / (sqrt(s * t) + sqrt((1 - s) * (1 - t)))
    ),
    "jaccard": lambda s, t, p: p * s / (1 - t * (1 - p)),
    "f_beta(beta=1.5)": lambda s, t, p: 3.25 * p * s / (2.25 * p + p * s + (1 - t) * (1 - p)),
    "f_beta(beta=0.5)": lambda s, t, p: 1.25 * p * s / (0.25 * p + p * s + (1 - t) * (1 - p)),
    "matthews_correlation": lambda s, t, p: (
        (p * s - _flagged(s, t, p) * p)
        / sqrt(_flagged(s, t, p) * (1 - _flagged(s, t, p)) * p * (1 - p))
    ),
    "cohen_kappa": lambda s, t, p: (
        2 * p * (1 - p) * (s + t - 1) / (2 * p * (1 - p) * (s + t - 1) - p * s - (1 - p) * t + 1)
    ),
}

# Section 5: no best density ratio is above these, for shares of positives up to a half.
BOUNDS = {
    "robust_f(d0=0.1, d1=1, c=0)": 1 / 0.1,
    "robust_f(d0=0.5, d1=1, c=1)": (1 + 1) / min(0.5, 0.5 + 1 - 1),
    "robust_mcc(d=0.05)": (1 + 2 * 0.05) / (2 * 0.05),
    "robust_mcc(d=1)": (1 + 2) / 2,
}


def formulas() -> Table:
    """Return the quotients, the robust metrics, their bounds and special cases."""
    cells = (*_quotients(), *_values(), *_bounds(), _literally(), _boundary_value())
    note = "Quotients and values at six triples of both rates and the share; the worst is a cell."
    return Table(name="Sections 4 and 5, formulas", cells=cells, notes=(note,))


def _quotients() -> Iterator[Cell]:
    for metric, formula in QUOTIENTS.items():
        yield _farthest(f"quotient (4.4) of {metric}", formula, lambda s, t, p, m=metric: (
            br.tuning.quotient(m, recall=s, specificity=t, base_rate=p)
        ))  # fmt: skip


def _farthest(where: str, printed: Formula, ours: Formula) -> Cell:
    """Compare two formulas where they are farthest apart."""
    pairs = [(printed(*point), float(ours(*point))) for point in POINTS]
    theirs, mine = max(pairs, key=lambda pair: abs(pair[0] - pair[1]) / abs(pair[1]))
    return Cell(where=where, published=theirs, ours=mine, within=1e-11 * abs(mine))


def _values() -> Iterator[Cell]:
    """Yield every metric as written in recall, specificity and share."""

    def robust_mcc(s: float, t: float, p: float, d: float = 0.05) -> float:
        flagged = p * s + (1 - p) * (1 - t)
        chance = sqrt(d + flagged * (p * (1 - s) + (1 - p) * t))
        return sqrt(d + p * (1 - p)) * (s * t - (1 - s) * (1 - t)) / chance

    def robust_f(s: float, t: float, p: float, d0: float = 0.1) -> float:
        below = d0 + p + p * s + (1 - t) * (1 - p)  # β² = d1 = 1
        return (d0 / p + 1 + 1) * p * s / below

    for metric, formula in (
        ("robust_mcc(d=0.05)", robust_mcc),
        ("robust_f(d0=0.1, d1=1, c=0)", robust_f),
        *METRICS.items(),
    ):
        yield _farthest(f"definition of {metric}", formula, lambda s, t, p, m=metric: (
            br.metrics.get(m).at_rates(recall=s, specificity=t, base_rate=p)
        ))  # fmt: skip


def _bounds() -> Iterator[Cell]:
    far = br.populations.LDA(distance=4.0)
    for metric, bound in BOUNDS.items():
        largest = max(
            br.bayes_threshold(metric, far, base_rate=p).ratio for p in (1e-6, 0.001, 0.1, 0.5)
        )
        yield Cell(
            where=f"(5.1): bound of the best density ratio under {metric}, Δ = 4",
            published="not above",
            ours="not above" if 0 < largest <= bound < inf else f"{largest:.3f} above",
        )


def _literally() -> Cell:
    """Return the quotient of Matthews correlation, set three times with minuses between."""
    s, t, p = 0.7, 0.8, 0.1
    return Cell(
        where="example 6, the quotient of MCC as read, at π_1|1 = 0.7, π_0|0 = 0.8, π = 0.1",
        published=_mcc(s, t, p) - _mcc(s, t, p) - _mcc(s, t, p),
        ours=br.tuning.quotient("mcc", recall=s, specificity=t, base_rate=p),
        finding=Finding(
            kind="our copy",
            value=1.714285714,
            why="the right formula stands three times with minuses between, and has a parenthesis "
            "too many",
            proof="each is (0.02 - 0.32 - 0.3)/(-0.03 - 0.32) = 12/7 there; the first less the "
            "two others has the sign reversed everywhere",
        ),
    )


def _boundary_value() -> Cell:
    """Return the robust F where recall and the share flagged are the share of positives."""
    share = 0.3
    value = br.metrics.get("robust_f(d0=0.1, d1=1, c=0)").at_rates(
        recall=share, specificity=1 - share, base_rate=share
    )
    return Cell(
        where="section 5.1: robust F where π = π_1|1 = γ, at 0.3, d0 = 0.1, β = 1",
        published=1,
        ours=float(value),
        finding=Finding(
            kind="misprint",
            value=0.3,
            why="the boundary value 1 is reached for π = π_11 = γ: as many hits as positives and "
            "as flagged",
            proof="(1/3 + 2) · 0.09/(0.1 + 0.3 + 0.3) = 0.21/0.7",
        ),
    )

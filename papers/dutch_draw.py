"""Bhulai et al., The Dutch Draw: the 23 measures of the supplementary material.

Each measure is printed as X = a TP + b with an expectation, its smallest and largest value over the
share that is drawn positive, and where these are. All of it is compared for every M up to 10, every
P from 1 to M - 1 and every number drawn, in exact fractions against the library; three measures are
no linear functions of TP. What is printed for P = 0 and P = M is compared apart.
"""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from math import sqrt
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import baserate as br
from papers.cells import Cell, Finding, Table
from papers.dutch_draw_laws import draws, laws, shares, totals
from papers.dutch_draw_symbols import identities

REFERENCE = (
    "van de Bijl, E., Klein, J., Pries, J., Bhulai, S., Hoogendoorn, M. and van der Mei, R. "
    "(2025). The Dutch Draw: constructing a universal baseline for binary classification problems. "
    "Journal of Applied Probability 62; read here: its supplementary material. Preprint by van de "
    "Bijl and others (2022): doi:10.48550/arXiv.2203.13084."
)
NO_FLAG = (
    "P from 1 to M - 1. The paper has no F for k = 0; the library has 0 there, which its own "
    "dutch_draw(goal='min') finds; here k starts at 1."
)
F = Fraction
Whole = Callable[[int, int, int], Any]  # of P, N and k
Drawn = Callable[[int, int], set[int]]  # of P and N


class Measure(NamedTuple):
    """One section: the slope and intercept in TP, extremes, and where they are."""

    metric: str
    slope: Whole
    intercept: Whole
    low: Callable[[int, int], Any]
    high: Callable[[int, int], Any]
    at_low: Drawn
    at_high: Drawn
    drawn: Drawn = lambda p, n: set(range(p + n + 1))  # where it has a value


def _none(p: int, n: int) -> set[int]:
    return {0}


def _all(p: int, n: int) -> set[int]:
    return {p + n}


def _any(p: int, n: int) -> set[int]:
    return set(range(p + n + 1))


def _some(p: int, n: int) -> set[int]:
    return set(range(1, p + n + 1))


def _not_all(p: int, n: int) -> set[int]:
    return set(range(p + n))


def _inside(p: int, n: int) -> set[int]:
    return set(range(1, p + n))


def _one(p: int, n: int) -> set[int]:
    return {1}


def _constant(
    metric: str, slope: Whole, intercept: Whole, value: Callable[[int, int], Any], drawn: Drawn
) -> Measure:
    return Measure(metric, slope, intercept, value, value, drawn, drawn, drawn)


def _accuracy_at(most: bool) -> Drawn:  # noqa: FBT001
    def drawn(p: int, n: int) -> set[int]:
        return _any(p, n) if p == n else {p + n if (p > n) is most else 0}

    return drawn


def _f(beta: Fraction) -> Measure:
    b = beta * beta
    return Measure(
        f"f_beta(beta={float(beta):g})",
        lambda p, n, k: (1 + b) / (b * p + k),
        lambda p, n, k: 0,
        lambda p, n: (1 + b) * p / ((p + n) * (b * p + 1)),
        lambda p, n: (1 + b) * p / (b * p + p + n),
        _one,
        _all,
        _some,
    )


MEASURES: Mapping[str, Measure] = MappingProxyType(
    {
        "1 TP": Measure("true_positives", lambda p, n, k: 1, lambda p, n, k: 0,
                        lambda p, n: 0, lambda p, n: p, _none, _all),
        "2 TN": Measure("true_negatives", lambda p, n, k: 1, lambda p, n, k: n - k,
                        lambda p, n: 0, lambda p, n: n, _all, _none),
        "3 FN": Measure("false_negatives", lambda p, n, k: -1, lambda p, n, k: p,
                        lambda p, n: 0, lambda p, n: p, _all, _none),
        "4 FP": Measure("false_positives", lambda p, n, k: -1, lambda p, n, k: k,
                        lambda p, n: 0, lambda p, n: n, _none, _all),
        "5 TPR": Measure("recall", lambda p, n, k: F(1, p), lambda p, n, k: 0,
                         lambda p, n: 0, lambda p, n: 1, _none, _all),
        "6 TNR": Measure("specificity", lambda p, n, k: F(1, n), lambda p, n, k: F(n - k, n),
                         lambda p, n: 0, lambda p, n: 1, _all, _none),
        "7 FNR": Measure("false_negative_rate", lambda p, n, k: F(-1, p), lambda p, n, k: 1,
                         lambda p, n: 0, lambda p, n: 1, _all, _none),
        "8 FPR": Measure("false_positive_rate", lambda p, n, k: F(-1, n), lambda p, n, k: F(k, n),
                         lambda p, n: 0, lambda p, n: 1, _none, _all),
        "9 PPV": _constant("precision", lambda p, n, k: F(1, k), lambda p, n, k: 0,
                           lambda p, n: F(p, p + n), _some),
        "10 NPV": _constant("negative_predictive_value", lambda p, n, k: F(1, p + n - k),
                            lambda p, n, k: 1 - F(p, p + n - k), lambda p, n: F(n, p + n),
                            _not_all),
        "11 FDR": _constant("false_discovery_rate", lambda p, n, k: F(-1, k), lambda p, n, k: 1,
                            lambda p, n: F(n, p + n), _some),
        "12 FOR": _constant("false_omission_rate", lambda p, n, k: F(-1, p + n - k),
                            lambda p, n, k: F(p, p + n - k), lambda p, n: F(p, p + n), _not_all),
        "13 F1": _f(F(1)),
        "13 F2": _f(F(2)),
        "13 F1/2": _f(F(1, 2)),
        "14 J": _constant("informedness", lambda p, n, k: F(p + n, p * n),
                          lambda p, n, k: F(-k, n), lambda p, n: 0, _any),
        "15 MK": _constant("markedness", lambda p, n, k: F(p + n, k * (p + n - k)),
                           lambda p, n, k: F(-p, p + n - k), lambda p, n: 0, _inside),
        "16 Acc": Measure("accuracy", lambda p, n, k: F(2, p + n), lambda p, n, k: F(n - k, p + n),
                          lambda p, n: F(min(p, n), p + n), lambda p, n: F(max(p, n), p + n),
                          _accuracy_at(most=False), _accuracy_at(most=True)),
        "17 BAcc": _constant("balanced_accuracy", lambda p, n, k: F(p + n, 2 * p * n),
                             lambda p, n, k: F(n - k, 2 * n), lambda p, n: F(1, 2), _any),
        "18 MCC": _constant("matthews_correlation",
                            lambda p, n, k: (p + n) / sqrt(k * p * n * (p + n - k)),
                            lambda p, n, k: -p * k / sqrt(k * p * n * (p + n - k)),
                            lambda p, n: 0, _inside),
        "19 kappa": _constant("cohen_kappa",
                              lambda p, n, k: F(2 * (p + n), p * (p + n - k) + n * k),
                              lambda p, n, k: F(-2 * k * p, p * (p + n - k) + n * k),
                              lambda p, n: 0, _any),
        "20 FM": Measure("fowlkes_mallows", lambda p, n, k: 1 / sqrt(p * k), lambda p, n, k: 0,
                         lambda p, n: sqrt(p) / (p + n), lambda p, n: sqrt(p / (p + n)),
                         _one, _all, _some),
    }
)  # fmt: skip


def tables() -> Iterator[Callable[[], Table]]:
    """Yield what recomputes the sections."""
    yield partial(identities, MEASURES)
    yield linear_forms
    yield distributions
    yield expectations
    yield extremes
    yield optimisers
    yield partial(optimal_shares, "min")
    yield partial(optimal_shares, "max")
    yield not_linear
    yield single_classes


def _compared(name: str, job: Callable[[Measure], Iterator[tuple[bool, str]]], note: str) -> Table:
    """Make one cell for each measure: how many of its settings agree."""
    cells = []
    for section, measure in MEASURES.items():
        held = list(job(measure))
        wrong = [where for agrees, where in held if not agrees]
        said = "all" if not wrong else f"not {wrong[0]} and {len(wrong) - 1} more"
        cells.append(Cell(where=f"{section}, {len(held)} settings", published="all", ours=said))
    return Table(name=name, cells=tuple(cells), notes=(note,))


def linear_forms() -> Table:
    """Compare a and b with the slope and intercept that the library finds."""
    return _compared("Definitions: X = a TP + b", _forms, "Every k at which there is a value.")


def _forms(measure: Measure) -> Iterator[tuple[bool, str]]:
    for p, n in totals():
        for k in sorted(measure.drawn(p, n)):
            model = br.models.Hypergeometric(n_positive=p, n_negative=n, n_predicted=k)
            line = br.affine(measure.metric, model)
            printed = (measure.slope(p, n, k), measure.intercept(p, n, k))
            fixed = k in (0, p + n)  # one value of TP: a line through it has any slope
            agrees = line is not None and (fixed or _close(line, printed))
            yield agrees, f"P={p}, N={n}, k={k}"


def _close(ours: Any, printed: Any) -> bool:
    return all(
        abs(a - float(b)) <= 1e-12 * (1 + abs(a)) for a, b in zip(ours, printed, strict=True)
    )


def distributions() -> Table:
    """Compare the law of X with that of TP, and its range with the values a i + b."""
    note = "Every k at which there is a value: the range, and the probability of each value."
    return _compared("Distributions and ranges", laws, note)


def optimal_shares(goal: Literal["min", "max"]) -> Table:
    """Compare the shares θ of the smallest, or of the largest, expectation."""
    name = f"Optimal baselines: θ_{goal}"
    return _compared(name, partial(shares, goal=goal), "As intervals of θ.")


def expectations() -> Table:
    """Compare E[X] = a k P/M + b."""
    return _compared("Expectations", _means, "E[X] = a k P/M + b at every k with a value.")


def _means(measure: Measure) -> Iterator[tuple[bool, str]]:
    for p, n in totals():
        for k in sorted(measure.drawn(p, n)):
            model = br.models.Hypergeometric(n_positive=p, n_negative=n, n_predicted=k)
            hits = F(k * p, p + n)
            printed = measure.slope(p, n, k) * hits + measure.intercept(p, n, k)
            yield (
                _close((float(br.expect(measure.metric, model)),), (printed,)),
                f"P={p}, N={n}, k={k}",
            )


def extremes() -> Table:
    """Compare the smallest and the largest expectation."""
    return _compared("Optimal baselines: values", _ends, NO_FLAG)


def _ends(measure: Measure) -> Iterator[tuple[bool, str]]:
    for p, n in totals():
        for goal, printed in (("min", measure.low(p, n)), ("max", measure.high(p, n))):
            value, _ = _extreme(measure, p, n, goal)
            yield _close((value,), (printed,)), f"{goal} at P={p}, N={n}"


def optimisers() -> Table:
    """Compare every number drawn at which an extreme is reached."""
    return _compared("Optimal baselines: optimisers", _places, "As sets of k = M θ*.")


def _places(measure: Measure) -> Iterator[tuple[bool, str]]:
    for p, n in totals():
        for goal, printed in (("min", measure.at_low(p, n)), ("max", measure.at_high(p, n))):
            yield _extreme(measure, p, n, goal)[1] == printed, f"{goal} at P={p}, N={n}"


def _extreme(measure: Measure, p: int, n: int, goal: Any) -> tuple[float, set[int]]:
    """Return an extreme over the numbers drawn that the paper admits, and where it is.

    F has a value at k = 0 in the library, and none in the paper: its minimum is sought by hand.
    """
    if not measure.metric.startswith("f_beta") or goal == "max":
        found = br.dutch_draw(measure.metric, n_positive=p, n_negative=n, goal=goal)
        return found.value, _numbers(found)
    models = {
        k: br.models.Hypergeometric(n_positive=p, n_negative=n, n_predicted=k)
        for k in measure.drawn(p, n)
    }
    means = {k: float(br.expect(measure.metric, model)) for k, model in models.items()}
    low = min(means.values())
    return low, {k for k, mean in means.items() if mean <= low * (1 + 1e-12)}


def _drawn(metric: str, p: int, n: int, goal: Any) -> set[int]:
    return _numbers(br.dutch_draw(metric, n_positive=p, n_negative=n, goal=goal))


def _numbers(found: Any) -> set[int]:
    return {k for low, high in found.n_predicted for k in range(low, high + 1)}


def not_linear() -> Table:
    """Compare the three measures that are no linear functions: sums over TP, extremes."""
    cells = [
        _sums("21 G-mean 2", "geometric_mean", lambda p, n, k, i: sqrt(F(i * (n - k + i), p * n)))
    ]
    cells.append(_sums("23 TS", "jaccard", lambda p, n, k, i: F(i, p + k - i)))
    wrong = [
        f"P={p}, N={n}"
        for p, n in totals()
        if _drawn("geometric_mean", p, n, "min") != {0, p + n}
        or br.dutch_draw("geometric_mean", n_positive=p, n_negative=n, goal="min").value != 0
    ]
    cells.append(Cell(where="21 G-mean 2: 0 at k = 0 and M", published="all", ours=_all_or(wrong)))
    wrong = [
        f"P={p}, N={n}"
        for p, n in totals()
        if _drawn("jaccard", p, n, "max") != (set(range(1, p + n + 1)) if p == 1 else {p + n})
    ]
    cells.append(Cell(where="23 TS: largest at k = M, P = 1 at every k > 0", published="all",
                      ours=_all_or(wrong)))  # fmt: skip
    cells += _prevalence_threshold()
    return Table(name="Sections 21 to 23", cells=tuple(cells))


def _all_or(wrong: list[str]) -> str:
    return "all" if not wrong else f"not {wrong[0]}"


def _sums(section: str, metric: str, value: Callable[[int, int, int, int], Any]) -> Cell:
    wrong = []
    for p, n in totals():
        for k in range(1, p + n):
            mean = sum(weight * value(p, n, k, hits) for hits, weight in draws(p, n, k))
            model = br.models.Hypergeometric(n_positive=p, n_negative=n, n_predicted=k)
            if not _close((float(br.expect(metric, model)),), (mean,)):
                wrong.append(f"P={p}, N={n}, k={k}")
    return Cell(where=f"{section}: mean as a sum over TP", published="all", ours=_all_or(wrong))


def _prevalence_threshold() -> Iterator[Cell]:
    low = br.dutch_draw("prevalence_threshold", n_positive=3, n_negative=7, goal="min")
    yield Cell(
        where="22 PT: smallest mean, its baseline if small is good, P = 3, N = 7",
        published="no statistics are derived",
        ours=f"{low.value:.3f}",
        finding=Finding(
            kind="remark",
            value="0.500",
            why="left out for the division by zero at TPR = FPR, which is removable: PT = "
            "√FPR/(√TPR + √FPR) there and everywhere else, undefined only where nothing is flagged",
            proof="multiply numerator and denominator of (√(TPR FPR) - FPR)/(TPR - FPR) by "
            "√TPR + √FPR; by enumeration the mean lies between 1/2 (k = M) and N/M (k = 1)",
        ),
    )


def single_classes() -> Table:
    """Compare what is printed for P = 0 and P = M."""
    return Table(name="Cases of one class", cells=tuple(_single()))


def _single() -> Iterator[Cell]:
    for section, metric, p, n, printed in (
        ("1.3 TP", "true_positives", 0, 5, {5}),
        ("2.3 TN", "true_negatives", 5, 0, {0}),
        ("3.3 FN", "false_negatives", 0, 5, {0}),
        ("4.3 FP", "false_positives", 5, 0, {5}),
    ):
        found = _drawn(metric, p, n, "max")
        yield Cell(
            where=f"{section}: k = M θ* where it is largest, P = {p}, N = {n}",
            published=_shown(printed),
            ours=_shown(found),
            finding=Finding(
                kind="remark",
                value=_shown(set(range(6))),
                why="without cases of the class the count is 0 whatever is drawn",
                proof="every k gives the mean 0; the section does not ask for P > 0 or N > 0",
            ),
        )
    yield Cell(
        where="19.1 kappa: k = M θ* where it has a value, P = 0, N = 5",
        published=_shown(set(range(6))),
        ours=_shown(_drawn("cohen_kappa", 0, 5, "max")),
        finding=Finding(
            kind="remark",
            value=_shown(set(range(1, 6))),
            why='"when P < M, then all θ ∈ [0, 1] are allowed in κ_θ": but for P = 0, where k = 0 '
            "is 0/0",
            proof="the denominator P (M - k) + N k is 0 at P = 0, k = 0",
        ),
    )
    yield Cell(
        where="19.3 kappa: k = M θ* where it is largest, P = 5, N = 0",
        published=_shown(set(range(5))),
        ours=_shown(_drawn("cohen_kappa", 5, 0, "max")),
    )
    defined = br.metrics.get("jaccard").undefined_reason
    without = [
        f"P={p}, N={n}, k={k}"
        for p, n in totals()
        for k in range(p + n + 1)
        for hits, _ in draws(p, n, k)
        if defined(br.ConfusionMatrix(tp=hits, fn=p - hits, fp=k - hits, tn=n - k + hits))
    ]
    yield Cell(where="23.1 TS: well-defined whenever P > 0", published="all",
               ours=_all_or(without))  # fmt: skip


def _shown(drawn: set[int]) -> str:
    return "{" + ", ".join(map(str, sorted(drawn))) + "}"


FIGURES = ()

"""Burger and Meertens, The algorithm versus the chimps.

Tables 2 to 4, the numbers of sections 1, 2 and 5 and of the appendices. Chance is exact here; what
the paper has up to order 1/n² is compared with its own formulas, and the order of what it leaves
out is measured.
"""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from math import log2, sqrt
from types import MappingProxyType
from typing import NamedTuple

import baserate as br
from papers import chimps_bounds as bounds
from papers import chimps_moments as moments
from papers import chimps_sections as text
from papers.cells import Cell, Figure, Finding, Table

REFERENCE = (
    "Burger, J. and Meertens, Q. The algorithm versus the chimps: On the minima of classifier "
    "performance metrics. Statistics Netherlands, University of Amsterdam and Leiden University."
)
HALF = 0.5

Formula = Callable[[float, float, float], float]  # of alpha, g and n


class Line(NamedTuple):
    """A row of Table 2 or 4: a metric here, its definition and its chance as printed."""

    metric: str
    definition: Callable[[int, int, int, int], float]  # of x, y, n1, n2
    chance: Formula
    error: bool  # whether the print has an error term of order 1/n²


def _f1(a: float, g: float, n: float) -> float:
    return 2 * a * g * (1 / (a + g) - a * (1 - g) / (n * (a + g) ** 3))


def _mcc(x: int, y: int, n1: int, n2: int) -> float:
    n, k = n1 + n2, x + y
    return (n2 * x - n1 * y) / sqrt(n1 * n2 * k * (n - k))


TABLE_2: Mapping[str, Line] = MappingProxyType(
    {
        "ACC": Line(
            "accuracy",
            lambda x, y, n1, n2: (n2 + x - y) / (n1 + n2),
            lambda a, g, n: a * g + (1 - a) * (1 - g),
            error=False,
        ),
        "TPR": Line("recall", lambda x, y, n1, n2: x / n1, lambda a, g, n: g, error=False),
        "TNR": Line(
            "specificity", lambda x, y, n1, n2: 1 - y / n2, lambda a, g, n: 1 - g, error=False
        ),
        "PPV": Line("precision", lambda x, y, n1, n2: x / (x + y), lambda a, g, n: a, error=True),
        "NPV": Line(
            "negative_predictive_value",
            lambda x, y, n1, n2: (n2 - y) / (n1 + n2 - x - y),
            lambda a, g, n: 1 - a,
            error=True,
        ),
        "AUC": Line(
            "balanced_accuracy",
            lambda x, y, n1, n2: (x / n1 + 1 - y / n2) / 2,  # equation 11
            lambda a, g, n: HALF,
            error=False,
        ),
        "J": Line(
            "informedness",
            lambda x, y, n1, n2: x / n1 + (1 - y / n2) - 1,
            lambda a, g, n: 0.0,
            error=False,
        ),
        "MRK": Line(
            "markedness",
            lambda x, y, n1, n2: x / (x + y) + (n2 - y) / (n1 + n2 - x - y) - 1,
            lambda a, g, n: 0.0,
            error=True,
        ),
        "MCC": Line("matthews_correlation", _mcc, lambda a, g, n: 0.0, error=True),
        "PF1": Line("f1", lambda x, y, n1, n2: 2 * x / (n1 + x + y), _f1, error=True),
        "NF1": Line(
            "negative_f1",
            lambda x, y, n1, n2: 2 * (n2 - y) / (n1 + n2 + n2 - x - y),
            lambda a, g, n: _f1(1 - a, 1 - g, n),
            error=True,
        ),
    }
)


def _balanced(numerator: Formula) -> Formula:
    """Return 1/(2n(1+δ)(1-δ)) times a numerator in δ and g, the term of order 1/n of Table 4."""

    def term(a: float, g: float, n: float) -> float:
        d = 2 * a - 1
        return numerator(d, g, n) / (2 * n * (1 + d) * (1 - d))

    return term


_PPV = _balanced(lambda d, g, n: d * (1 - g) / g)
_NPV = _balanced(lambda d, g, n: -d * g / (1 - g))
_MRK = _balanced(lambda d, g, n: d * (1 - 2 * g) / (g * (1 - g)))
_MCC = _balanced(lambda d, g, n: d * (1 - 2 * g) / sqrt(g * (1 - g)))


def _f1_balanced(a: float, g: float, n: float) -> float:
    d = 2 * a - 1
    first = 2 * (1 - d * (1 + 2 * g)) * (1 - g) / (n * (1 + d) * (1 - d) * (1 + 2 * g) ** 3)
    return 2 * g * (1 / (1 + 2 * g) - first)


def _of_rates(formula: Callable[[float, float], float]) -> Callable[[int, int, int, int], float]:
    return lambda x, y, n1, n2: formula(x / n1, 1 - y / n2)


TABLE_4: Mapping[str, Line] = MappingProxyType(
    {
        "ACC": Line(
            "accuracy", _of_rates(lambda s, t: (s + t) / 2), lambda a, g, n: HALF, error=False
        ),
        "TPR": Line("recall", _of_rates(lambda s, t: s), lambda a, g, n: g, error=False),
        "TNR": Line("specificity", _of_rates(lambda s, t: t), lambda a, g, n: 1 - g, error=False),
        "PPV": Line(
            "precision",
            _of_rates(lambda s, t: s / (s + t + 1)),
            lambda a, g, n: HALF + _PPV(a, g, n),
            error=True,
        ),
        "NPV": Line(
            "negative_predictive_value",
            _of_rates(lambda s, t: t / (t - s + 1)),
            lambda a, g, n: HALF + _NPV(a, g, n),
            error=True,
        ),
        "AUC": Line(
            "informedness",  # twice the area less one
            _of_rates(lambda s, t: 2 * ((s + t) / 2) - 1),
            lambda a, g, n: 0.0,
            error=False,
        ),
        "J": Line(
            "informedness", _of_rates(lambda s, t: s + t - 1), lambda a, g, n: 0.0, error=False
        ),
        "MRK": Line(
            "markedness",
            _of_rates(lambda s, t: s / (s - t + 1) + t / (t - s + 1) - 1),
            _MRK,
            error=True,
        ),
        "MCC": Line(
            "matthews_correlation",
            _of_rates(lambda s, t: (s + t - 1) / sqrt((s - t + 1) * (t - s + 1))),
            _MCC,
            error=True,
        ),
        "PF1": Line("f1", _of_rates(lambda s, t: 2 * s / (s - t + 2)), _f1_balanced, error=True),
        "NF1": Line(
            "negative_f1",
            _of_rates(lambda s, t: 2 * t / (t - s + 2)),
            lambda a, g, n: _f1_balanced(1 - a, 1 - g, n),
            error=True,
        ),
    }
)


def tables() -> Iterator[Callable[[], Table]]:
    """Yield what recomputes each table, and the numbers of each section."""
    yield text.section_1
    yield text.table_1
    yield text.section_2
    yield lambda: _definitions("Table 2, definitions", TABLE_2, balanced=False)
    yield lambda: _chances("Table 2, E[Q(g)]", TABLE_2, balanced=False)
    yield lambda: moments.double_sums(TABLE_2, TABLE_4)
    yield table_3
    yield lambda: _definitions("Table 4, definitions", TABLE_4, balanced=True)
    yield lambda: _chances("Table 4, E[Qb(g)]", TABLE_4, balanced=True)
    yield text.section_4
    yield text.section_5
    yield text.appendix_a
    yield bounds.bounds
    yield moments.derivatives
    yield text.appendix_b


def _metric(line: Line, *, balanced: bool) -> br.metrics.Metric:
    found = br.metrics.get(line.metric)
    return found.at_base_rate(HALF) if balanced else found


def _definitions(name: str, lines: Mapping[str, Line], *, balanced: bool) -> Table:
    """Compare each definition on every table of 2 and 3, and of 3 and 5, cases."""
    cells = []
    for row, line in lines.items():
        theirs, ours = _farthest(line, _metric(line, balanced=balanced))
        cells.append(
            Cell(
                where=f"{row} by the printed definition, where farthest from ours among all "
                "tables of 2 and 3, and of 3 and 5, cases",
                published=theirs,
                ours=ours,
                within=1e-12,
                finding=_PPV_BALANCED if balanced and row == "PPV" else None,
            )
        )
    return Table(name=name, cells=(*cells, *(_gini() if balanced else _harmonic())))


def _farthest(line: Line, metric: br.metrics.Metric) -> tuple[float, float]:
    """Return the two values at the first table where they differ most."""
    pairs = []
    for n1, n2 in ((2, 3), (3, 5)):
        for x in range(n1 + 1):
            for y in range(n2 + 1):
                table = br.ConfusionMatrix(tp=x, fn=n1 - x, fp=y, tn=n2 - y)
                if metric.undefined_reason(table) is None:
                    pairs.append((line.definition(x, y, n1, n2), float(metric(table))))
    return max(pairs, key=lambda pair: abs(pair[0] - pair[1]))


_PPV_BALANCED = Finding(
    kind="misprint",
    value=1.0,
    why="the denominator is printed TPR + TNR + 1; it must be TPR - TNR + 1",
    proof="precision at recall s and specificity t, base rate 1/2: (s/2)/(s/2 + (1 - t)/2); "
    "at one hit of three positives and no false alarm the print gives 1/7, and precision is 1",
)


def _harmonic() -> Iterator[Cell]:
    """Yield the harmonic forms of F1, which lack a factor of two."""
    table = br.ConfusionMatrix(tp=30, fn=20, fp=10, tn=40)
    for row, name, rates, beside in (
        ("PF1", "f1", ("recall", "precision"), "2X/(n1 + X + Y)"),
        ("NF1", "negative_f1", ("specificity", "negative_predictive_value"),
         "2(n2 - Y)/(n + n2 - X - Y)"),
    ):  # fmt: skip
        first, second = (float(br.metrics.get(rate)(table)) for rate in rates)
        yield Cell(
            where=f"{row}, the first form printed, at 30 hits, 20 misses, 10 false alarms and 40 "
            "others",
            published=1 / (1 / first + 1 / second),
            ours=float(br.metrics.get(name)(table)),
            finding=Finding(
                kind="misprint",
                value=float(Fraction(60, 90) if row == "PF1" else Fraction(80, 110)),
                why="1/(1/a + 1/b) is half a harmonic mean: it must be 2/(1/a + 1/b)",
                proof=f"the form beside it in the same row, {beside}, has the two",
            ),
        )


def _gini() -> Iterator[Cell]:
    """Yield the balanced area, which is not what setting the imbalance to 0 gives."""
    table = br.ConfusionMatrix(tp=30, fn=20, fp=10, tn=40)
    area = br.metrics.get("balanced_accuracy")
    yield Cell(
        where="AUCb as printed, 2 AUC - 1, at TPR 0.6 and TNR 0.8",
        published=2 * float(area(table)) - 1,
        ours=float(area.at_base_rate(HALF)(table)),
        finding=Finding(
            kind="remark",
            value=0.7,
            why="2 AUC - 1, which Table 4 gives as the definition of the cited work, is Gini's "
            "coefficient; section 3 sets the imbalance to 0, which leaves an area as it is, as it "
            "knows TPR and TNR only",
            proof="equation 11 of the paper: AUC = (TPR + TNR)/2",
        ),
    )


CASES = ((30, 70), (300, 700))
GUESSES = (0.2, 0.5, 0.9)


def _chances(name: str, lines: Mapping[str, Line], *, balanced: bool) -> Table:
    """Compare chance with the printed formula, and the order of what the formula leaves out."""
    cells = []
    for row, line in lines.items():
        metric = _metric(line, balanced=balanced)
        for g in GUESSES:
            cells += _chance(row, line, metric, g)
    note = (
        "Where the print has an error term, a cell asks whether it is of order 1/n² at most: ten "
        "times the cases, a hundredth of the difference. Precision, negative predictive value, "
        "markedness and correlation have none: their chance is exact for every n."
    )
    return Table(name=name, cells=tuple(cells), notes=(note,))


def _chance(row: str, line: Line, metric: br.metrics.Metric, g: float) -> Iterator[Cell]:
    apart = []
    for n1, n2 in CASES:
        exact = br.random_guess(metric, n_positive=n1, n_negative=n2, strategy=g).value
        formula = line.chance(n1 / (n1 + n2), g, n1 + n2)
        apart.append(exact - formula)
        if not line.error:
            where = f"{row}, {n1} and {n2} cases, g = {g}"
            yield Cell(where=where, published=formula, ours=exact, within=1e-12)
    if line.error:
        yield Cell(
            where=f"{row}, g = {g}: order of the error in 1/n",
            published="at least 2",
            ours="at least 2" if _order(*apart) > 1.9 else f"{_order(*apart):.2f}",
        )


def _order(first: float, second: float) -> float:
    """Return by which power of n an error falls when there are ten times as many cases."""
    return 99.0 if abs(second) < 1e-13 else log2(abs(first / second)) / log2(10)


def table_3() -> Table:
    """Return the expected counts of guessing."""
    n1, n2, g = 30, 70, 0.3
    model = br.models.BinomialPair(n_positive=n1, n_negative=n2, recall=g, false_positive_rate=g)
    expected = {
        "true_positives": n1 * g,
        "false_negatives": n1 * (1 - g),
        "false_positives": n2 * g,
        "true_negatives": n2 * (1 - g),
    }
    cells = (
        Cell(where=f"{name}, 30 and 70 cases, g = 0.3", published=value,
             ours=float(br.expect(name, model)), within=1e-12)
        for name, value in expected.items()
    )  # fmt: skip
    return Table(name="Table 3", cells=tuple(cells))


FIGURES = (
    Figure(
        name="Figure 1",
        pictures=("chimps_1", "chimps_1_balanced"),
        differs="against the base rate; chance exact; crossings solved, not read off",
    ),
    Figure(
        name="Figure 2",
        pictures=("chimps_2", "chimps_2_balanced"),
        differs="as figure 1; the sentence on it says g_prop and means g_unif",
    ),
    Figure(name="Figure 3", pictures=("chimps_3", "chimps_3_balanced"), differs="as figure 1"),
    Figure(name="Figure 4", pictures=("chimps_4", "chimps_4_balanced"), differs="as figure 1"),
)

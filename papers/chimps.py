"""Burger and Meertens, The algorithm versus the chimps: On the minima of classifier performance metrics.

Tables 2 to 4, the numbers of sections 1 and 5 and of the appendices. Chance is exact here; what the
paper has up to order 1/n² is compared with its own formulas, and the order of what it leaves out is
measured. Table 1 defines the cells of a confusion matrix and holds no number.
"""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from math import log2, nan, sqrt
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize_scalar

import baserate as br
from papers.cells import Cell, Erratum, Figure, Table, printed

REFERENCE = (
    "Burger, J. and Meertens, Q. The algorithm versus the chimps: On the minima of classifier "
    "performance metrics. Statistics Netherlands and University of Amsterdam."
)
RECALL, SPECIFICITY, N = 0.6, 0.8, 1000  # the fictitious classifier of section 5
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
        "PPV": Line(
            "precision", lambda x, y, n1, n2: x / (x + y), lambda a, g, n: a, error=True
        ),
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
        "J": Line("informedness", _of_rates(lambda s, t: s + t - 1), lambda a, g, n: 0.0, error=False),
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
    yield section_1
    yield lambda: _definitions("Table 2, definitions", TABLE_2, balanced=False)
    yield lambda: _chances("Table 2, E[Q(g)]", TABLE_2, balanced=False)
    yield table_3
    yield lambda: _definitions("Table 4, definitions", TABLE_4, balanced=True)
    yield lambda: _chances("Table 4, E[Qb(g)]", TABLE_4, balanced=True)
    yield section_5
    yield appendix_a
    yield appendix_b


def section_1() -> Table:
    """Return the grades of the two schools: hits of four, or two, classes of equal size."""
    cells = (
        Cell(
            where="60 of 100 right, four answers: grade",
            published=4.7,
            ours=_grade(60, 4),
            within=printed(4.7, 1),
        ),
        Cell(where="right answers for a 6, four answers", published=70, ours=_passing(4)),
        Cell(where="right answers for a 6, two answers", published=80, ours=_passing(2)),
    )
    return Table(name="Section 1, the exam", cells=cells)


def _grade(right: int, answers: int) -> float:
    """Return ten times the skill in accuracy of an exam of a hundred questions."""
    counts = np.full((answers, answers), (100 - right) / (answers * (answers - 1)))
    np.fill_diagonal(counts, right / answers)
    return 10 * float(br.skill("accuracy", br.ClassTable(counts), guess="uniform"))


def _passing(answers: int) -> int:
    return next(right for right in range(101) if _grade(right, answers) >= 6 - 1e-9)


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
                where=f"{row}, where definitions are farthest apart",
                published=theirs,
                ours=ours,
                within=1e-12,
                erratum=_PPV_BALANCED if balanced and row == "PPV" else None,
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


_PPV_BALANCED = Erratum(
    value=1.0,
    why="the denominator is printed TPR + TNR + 1; it must be TPR - TNR + 1",
    proof="precision at recall s and specificity t, base rate 1/2: (s/2)/(s/2 + (1 - t)/2); "
    "at one hit, no false alarm the print gives 1/5, and precision is 1",
)


def _harmonic() -> Iterator[Cell]:
    """Yield the harmonic forms of F1, which lack a factor of two."""
    table = br.ConfusionMatrix(tp=30, fn=20, fp=10, tn=40)
    for row, name, rates in (
        ("PF1", "f1", ("recall", "precision")),
        ("NF1", "negative_f1", ("specificity", "negative_predictive_value")),
    ):
        first, second = (float(br.metrics.get(rate)(table)) for rate in rates)
        yield Cell(
            where=f"{row} as a harmonic mean, at 30 hits, 20 misses, 10 false alarms, 40 others",
            published=1 / (1 / first + 1 / second),
            ours=float(br.metrics.get(name)(table)),
            erratum=Erratum(
                value=float(Fraction(60, 90) if row == "PF1" else Fraction(80, 110)),
                why="1/(1/a + 1/b) is half a harmonic mean: it must be 2/(1/a + 1/b)",
                proof="the form beside it in the same row, 2X/(n1 + X + Y), has the two",
            ),
        )


def _gini() -> Iterator[Cell]:
    """Yield the balanced area, which is not what setting the imbalance to 0 gives."""
    table = br.ConfusionMatrix(tp=30, fn=20, fp=10, tn=40)
    area = br.metrics.get("balanced_accuracy")
    yield Cell(
        where="AUCb by section 3 (imbalance set to 0), at TPR 0.6 and TNR 0.8",
        published=2 * float(area(table)) - 1,
        ours=float(area.at_base_rate(HALF)(table)),
        erratum=Erratum(
            value=0.7,
            why="2 AUC - 1 is Gini's coefficient; an area knows TPR and TNR only, so that setting "
            "the imbalance to 0 leaves it as it is",
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
    notes = (
        "Where the print has an error term, a cell asks whether it is of order 1/n² at most: ten "
        "times the cases, a hundredth of the difference. Precision, negative predictive value, "
        "markedness and correlation have none: their chance is exact for every n.",
    )
    return Table(name=name, cells=tuple(cells), notes=notes)


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


def _at(delta: float) -> br.ConfusionMatrix:
    return br.ConfusionMatrix.from_rates(
        recall=RECALL, specificity=SPECIFICITY, base_rate=(1 + delta) / 2, n=N
    )


def _skill(metric: str, delta: float, strategy: str) -> float:
    """Return the rescaled value of the fictitious classifier, at any imbalance."""
    value = float(br.metrics.get(metric)(_at(delta)))
    chance = _exact_chance(metric, delta, strategy)
    return (value - chance) / (1 - chance)


def _exact_chance(metric: str, delta: float, strategy: str) -> float:
    """Return chance between whole class totals by what is linear in between."""
    a = (1 + delta) / 2
    g = HALF if strategy == "uniform" else a
    low = int(a * N)
    weights = {low: 1 - (a * N - low), low + 1: a * N - low}
    return sum(
        weight * br.random_guess(metric, n_positive=k, n_negative=N - k, strategy=g).value
        for k, weight in weights.items()
        if weight
    )


def _crossing(strategy: str, low: float, high: float) -> float:
    def apart(delta: float) -> float:
        return _skill("f1", delta, strategy) - _skill("negative_f1", delta, strategy)

    return float(brentq(apart, low, high, xtol=1e-7))  # pyright: ignore[reportArgumentType]


def section_5() -> Table:
    """Return the numbers of the example: recall 0.6, specificity 0.8, 1,000 cases."""
    f1, negative = br.metrics.get("f1"), br.metrics.get("negative_f1")
    best = minimize_scalar(lambda d: -_skill("f1", d, "uniform"), bounds=(-0.5, 0.2))
    raw = brentq(lambda d: float(f1(_at(d)) - negative(_at(d))), -0.5, 0.5)
    cells = (
        Cell(where="PF1 at δ = 0", published=2 / 3, ours=float(f1(_at(0))), within=1e-12),
        Cell(where="NF1 at δ = 0", published=8 / 11, ours=float(negative(_at(0))), within=1e-12),
        Cell(where="largest PF1 as δ grows", published=0.75, ours=float(f1(_at(1 - 1e-12))), within=1e-9),
        Cell(where="δ of the best rescaled PF1", published=-0.18, ours=float(best.x), within=0.005),
        Cell(where="the best rescaled PF1", published=0.34, ours=-float(best.fun), within=0.005),
        Cell(where="δ where PF1 = NF1", published=1 / 7, ours=float(raw), within=1e-9),  # pyright: ignore[reportArgumentType]
        Cell(where="δ where rescaled PF1 = NF1, g = 1/2", published=0.5,
             ours=_crossing("uniform", 0.3, 0.7), within=0.05),
    )  # fmt: skip
    note = "Printed as ≈ 0.5, which one decimal allows; for 1,000 cases it is 0.4994."
    return Table(name="Section 5, normalised F1", cells=cells, notes=(note,))


def appendix_a() -> Table:
    """Return the numbers and the slips of the proofs."""
    n1, n2, g = 300, 700, 0.2
    n = n1 + n2
    last = -n2 * (1 - 2 * g) / (n**2 * sqrt(n1 * n2 * g**3 * (1 - g) ** 3))
    k = n * g
    d = n * k - k**2
    common = 2 * n2 * -0.5 * d**-1.5 / sqrt(n1 * n2)
    low = _where_largest(lambda g: 2 * g * (1 - g**2) / (2 * g + 1) ** 3)
    cells = (
        Cell(
            where="equation 14, first line (last factor 2 - n(x0 + y0)), 300 and 700 cases, g = 0.2",
            published=common * (2 - n * k),
            ours=_second_derivative(n1, n2, g),
            erratum=Erratum(
                value=last,
                why="the last factor must be n - 2(x0 + y0); equation 15 has the same slip",
                proof="the second line of the same equation, and a numerical second derivative",
            ),
        ),
        Cell(where="PF1b: upper bound 8/243 of the 1/n term", published=0.033,
             ours=_largest(lambda g: 2 * g**2 * (1 - g) / (2 * g + 1) ** 3), within=0.0005),
        Cell(where="PF1b: lower bound", published=-0.14,
             ours=-_largest(lambda g: 2 * g * (1 - g**2) / (2 * g + 1) ** 3), within=0.005),
        Cell(where="PF1b: g of the lower bound", published=0.22, ours=low, within=0.005),
        Cell(
            where="NF1b: upper bound 8/243 of the 1/n term",
            published=0.044,
            ours=_largest(lambda g: 2 * g * (1 - g) ** 2 / (2 * (1 - g) + 1) ** 3),
            erratum=Erratum(
                value=0.0329218106996,
                why="8/243 is printed as 0.044; the same fraction is 0.033 a few lines above",
                proof="8/243 = 0.0329218...",
            ),
        ),
        Cell(where="NF1b: lower bound", published=-0.14,
             ours=-_largest(lambda g: 2 * (1 - g) * (1 - (1 - g) ** 2) / (2 * (1 - g) + 1) ** 3),
             within=0.005),
        *_conditional(),
    )  # fmt: skip
    return Table(name="Appendix A", cells=cells)


def _second_derivative(n1: int, n2: int, g: float) -> float:
    """Return d²MCC/dx² where guessing is expected to be, by Richardson's differences."""

    def mcc(x: float) -> float:
        table = br.ConfusionMatrix(tp=x, fn=n1 - x, fp=n2 * g, tn=n2 * (1 - g))
        return float(br.metrics.get("mcc")(table))

    x = n1 * g
    rough, fine = ((mcc(x + h) - 2 * mcc(x) + mcc(x - h)) / h**2 for h in (4.0, 2.0))
    return (4 * fine - rough) / 3


def _largest(formula: Callable[[float], float]) -> float:
    return formula(_where_largest(formula))


def _where_largest(formula: Callable[[float], float]) -> float:
    return float(minimize_scalar(lambda g: -formula(g), bounds=(0, 1)).x)


def _conditional() -> Iterator[Cell]:
    """Yield what guessing the mode does, and what a sum of conditional means is not."""
    two, rest, g = 2, 18, 0.1
    how = {"n_positive": two, "n_negative": rest, "strategy": g}
    balanced = {
        name: br.random_guess(br.metrics.get(name).at_base_rate(HALF), **how).value
        for name in ("precision", "negative_predictive_value", "markedness")
    }
    yield Cell(
        where="equation 24, E[MRKb] as E[PPVb] + E[NPVb] - 1, 2 and 18 cases, g = 0.1",
        published=balanced["precision"] + balanced["negative_predictive_value"] - 1,
        ours=balanced["markedness"],
        erratum=Erratum(
            value=-0.30675,
            why="each mean is conditional on its own event that the metric has a value, so that "
            "they do not add up; the difference is of no order in 1/n but exponentially small",
            proof="sum over all pairs of binomial counts: -0.30675, against -0.30794",
        ),
    )
    mode = br.random_guess("precision", n_positive=30, n_negative=70, strategy="mode")
    yield Cell(
        where="Table 2 at g = mode = 0: E[PPV], 30 and 70 cases",
        published=0.3,
        ours=mode.value,
        erratum=Erratum(
            value=nan,
            why="always guessing the same class leaves PPV (g = 0), NPV (g = 1), MRK and MCC "
            "without a value with probability one, though Table 2 has numbers for them",
            proof="0/0 in every table of that guess",
        ),
    )
    rare = br.random_guess("precision", n_positive=2, n_negative=998, strategy="proportional")
    yield Cell(
        where='section 2, "very small" probability of 0/0: PPV, 2 and 998 cases, g = base rate',
        published="under 0.05",
        ours=f"{1 - rare.p_defined:.3f}",
        erratum=Erratum(
            value="0.135",
            why="with a rare class, guessing at the base rate often guesses it not once",
            proof="(1 - 0.002)^1000 = 0.135",
        ),
    )


def appendix_b() -> Table:
    """Return the numbers of the fictitious classifier's accuracy and of F1, g = base rate."""
    low, high = (-1 - sqrt(41)) / 10, (-1 + sqrt(41)) / 10
    skill = "proportional"
    cells = [
        Cell(
            where="E[ACC(g_prop)] in the sentence on Figure 2, at δ = 0.5",
            published=0.5,
            ours=_exact_chance("accuracy", 0.5, "proportional"),
            erratum=Erratum(
                value=0.625,
                why="the sentence means g_unif, by which chance is 1/2 at every imbalance",
                proof="Table 2: α g + (1 - α)(1 - g) at α = g = 3/4 is 5/8",
            ),
        ),
        Cell(where="E[ACC(g_unif)], at δ = 0.5", published=0.5,
             ours=_exact_chance("accuracy", 0.5, "uniform"), within=1e-12),
        Cell(where="lower δ of no skill in accuracy", published=low,
             ours=_zero(-0.9, -0.5), within=1e-5),
        Cell(where="the same, printed", published=-0.74, ours=_zero(-0.9, -0.5), within=0.005),
        Cell(where="upper δ of no skill in accuracy", published=high,
             ours=_zero(0.3, 0.8), within=1e-5),
        Cell(where="the same, printed", published=0.54, ours=_zero(0.3, 0.8), within=0.005),
        Cell(where="δ where rescaled PF1 = NF1, g = α", published=-1 / 3,
             ours=_crossing(skill, -0.6, 0.0), within=1e-4),
    ]  # fmt: skip
    return Table(name="Appendix B", cells=tuple(cells))


def _zero(low: float, high: float) -> float:
    """Return the imbalance at which the fictitious classifier has no skill in accuracy."""
    return float(brentq(lambda d: _skill("accuracy", d, "proportional"), low, high))  # pyright: ignore[reportArgumentType]


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

"""Burger and Meertens: the exam of section 1, sections 2, 4 and 5 and the appendices."""

from collections.abc import Callable, Iterator
from math import nan, sqrt

import numpy as np
from scipy.optimize import brentq, minimize_scalar

import baserate as br
from papers.cells import Cell, Finding, Table, printed

RECALL, SPECIFICITY, N = 0.6, 0.8, 1000  # the fictitious classifier of section 5
HALF = 0.5


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
        *(
            Cell(
                where=f"right answers of a hundred that are graded 0, {answers} answers",
                published=right,
                ours=_worthless(answers),
            )
            for answers, right in ((4, 25), (2, 50))
        ),
        Cell(
            where="accuracy of always calling the most common class, 95% of the cases",
            published=0.95,
            ours=br.random_guess("accuracy", n_positive=95, n_negative=5, strategy="mode").value,
            within=1e-12,
        ),
    )
    return Table(name="Section 1, the exam", cells=cells)


def _worthless(answers: int) -> int:
    """Return the right answers that are graded 0: as many as guessing finds."""
    return next((right for right in range(101) if abs(_grade(right, answers)) < 1e-9), 101)


def table_1() -> Table:
    """Return the margins and rates of the confusion matrix, at 30 and 70 cases, X = 20, Y = 7."""
    n1, n2, x, y = 30, 70, 20, 7
    table = br.ConfusionMatrix(tp=x, fn=n1 - x, fp=y, tn=n2 - y)
    published = {
        "recall": x / n1,
        "specificity": (n2 - y) / n2,
        "precision": x / (x + y),
        "negative_predictive_value": (n2 - y) / (n1 + n2 - x - y),
        "base_rate": n1 / (n1 + n2),
    }
    margins = {
        "n1": (n1, table.n_positive),
        "n2 = n - n1": (n2, table.n_negative),
        "X + Y": (x + y, table.n_predicted),
        "n": (n1 + n2, table.n),
    }
    cells = [
        Cell(where=f"{name}, {n1} and {n2} cases, X = {x}, Y = {y}", published=value,
             ours=float(br.metrics.get(name)(table)), within=1e-12)
        for name, value in published.items()
    ]  # fmt: skip
    cells += [
        Cell(where=name, published=theirs, ours=int(ours))
        for name, (theirs, ours) in margins.items()
    ]
    return Table(name="Table 1", cells=tuple(cells))


def section_4() -> Table:
    """Return what the normalised accuracy is where chance guesses as often as the classifier."""
    table = br.ConfusionMatrix(tp=20, fn=10, fp=7, tn=63)
    share = float(table.n_predicted / table.n)
    chance = br.random_guess("accuracy", n_positive=30, n_negative=70, strategy=share).value
    accuracy = float(br.metrics.get("accuracy")(table))
    cell = Cell(
        where="normalised accuracy at g = (X + Y)/n is Cohen's kappa, 20, 10, 7 and 63 cases",
        published=(accuracy - chance) / (1 - chance),
        ours=float(br.metrics.get("cohen_kappa")(table)),
        within=1e-12,
    )
    return Table(name="Section 4, normalisation", cells=(cell,))


def _grade(right: int, answers: int) -> float:
    """Return ten times the skill in accuracy of an exam of a hundred questions."""
    counts = np.full((answers, answers), (100 - right) / (answers * (answers - 1)))
    np.fill_diagonal(counts, right / answers)
    return 10 * float(br.skill("accuracy", br.ClassTable(counts), guess="uniform"))


def _passing(answers: int) -> int:
    return next((right for right in range(101) if _grade(right, answers) >= 6 - 1e-9), 101)


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

    return _root(apart, low, high)


def _root(formula: Callable[[float], float], low: float, high: float) -> float:
    """Return where a formula is 0, or nan where it has one sign at both ends."""
    if formula(low) * formula(high) > 0:
        return nan
    try:
        return float(brentq(formula, low, high, xtol=1e-7))
    except ValueError:  # the signs were others when asked again
        return nan


def section_5() -> Table:
    """Return the numbers of the example: recall 0.6, specificity 0.8, 1,000 cases."""
    f1, negative = br.metrics.get("f1"), br.metrics.get("negative_f1")
    best = minimize_scalar(lambda d: -_skill("f1", d, "uniform"), bounds=(-0.5, 0.2))
    raw = _root(lambda d: float(f1(_at(d)) - negative(_at(d))), -0.5, 0.5)
    cells = (
        Cell(where="PF1 at δ = 0", published=2 / 3, ours=float(f1(_at(0))), within=1e-12),
        Cell(where="NF1 at δ = 0", published=8 / 11, ours=float(negative(_at(0))), within=1e-12),
        Cell(where="largest PF1 as δ grows", published=0.75, ours=float(f1(_at(1 - 1e-12))),
             within=1e-9),
        Cell(where="δ of the best rescaled PF1", published=-0.18, ours=float(best.x), within=0.005),
        Cell(where="the best rescaled PF1", published=0.34, ours=-float(best.fun), within=0.005),
        Cell(where="δ where PF1 = NF1", published=1 / 7, ours=raw, within=1e-7),
        Cell(where="δ where rescaled PF1 = NF1, g = 1/2", published=0.5,
             ours=_crossing("uniform", 0.3, 0.7), within=0.05),
        *_disagreements("uniform", (0.0, 0.3, 0.6), low=1 / 7, high=0.5),
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
            where="equation 14, first line (last factor 2 - n(x0 + y0)), at 300 and 700, g = 0.2",
            published=common * (2 - n * k),
            ours=_second_derivative(n1, n2, g),
            finding=Finding(
                kind="misprint",
                value=last,
                why="the last factor must be n - 2(x0 + y0); equation 15 has the same slip",
                proof="the second line of the same equation, and a numerical second derivative",
            ),
        ),
        Cell(where="PF1b: upper bound 8/243 of the 1/n term", published=0.033,
             ours=_largest(lambda g: 2 * g**2 * (1 - g) / (2 * g + 1) ** 3), within=0.0005,
             basis="arithmetic"),
        Cell(where="PF1b: lower bound", published=-0.14,
             ours=-_largest(lambda g: 2 * g * (1 - g**2) / (2 * g + 1) ** 3), within=0.005,
             basis="arithmetic"),
        Cell(where="PF1b: g of the lower bound", published=0.22, ours=low, within=0.005,
             basis="arithmetic"),
        Cell(
            where="NF1b: upper bound 8/243 of the 1/n term",
            published=0.044,
            ours=_largest(lambda g: 2 * g * (1 - g) ** 2 / (2 * (1 - g) + 1) ** 3),
            basis="arithmetic",
            finding=Finding(
                kind="misprint",
                value=0.0329218106996,
                why="8/243 is printed as 0.044; the same fraction is 0.033 a few lines above",
                proof="8/243 = 0.0329218...",
            ),
        ),
        Cell(where="NF1b: lower bound", published=-0.14,
             ours=-_largest(lambda g: 2 * (1 - g) * (1 - (1 - g) ** 2) / (2 * (1 - g) + 1) ** 3),
             within=0.005, basis="arithmetic"),
        _sum_of_means(),
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


def _sum_of_means() -> Cell:
    """Return what a sum of conditional means is not."""
    two, rest, g = 2, 18, 0.1
    how = {"n_positive": two, "n_negative": rest, "strategy": g}
    balanced = {
        name: br.random_guess(br.metrics.get(name).at_base_rate(HALF), **how).value
        for name in ("precision", "negative_predictive_value", "markedness")
    }
    return Cell(
        where="equation 24, E[MRKb] as E[PPVb] + E[NPVb] - 1, 2 and 18 cases, g = 0.1",
        published=balanced["precision"] + balanced["negative_predictive_value"] - 1,
        ours=balanced["markedness"],
        finding=Finding(
            kind="remark",
            value=-0.30675,
            why="right up to the printed order; exactly they do not add up, as each mean is "
            "conditional on its own event that the metric has a value: exponentially small in n",
            proof="sum over all pairs of binomial counts: -0.30675, against -0.30794",
        ),
    )


def section_2() -> Table:
    """Return where Table 2 has no error, no value, and what 0/0 does to it."""
    return Table(name="Section 2", cells=(*_undefined(), *_exact()))


def _undefined() -> Iterator[Cell]:
    """Yield what guessing the mode does, and how often a rare class leaves no value."""
    mode = br.random_guess("precision", n_positive=30, n_negative=70, strategy="mode")
    yield Cell(
        where="Table 2 at g = mode = 0: E[PPV] = α, 30 and 70 cases",
        published=0.3,
        ours=mode.value,
        finding=Finding(
            kind="remark",
            value=nan,
            why="the proofs have g between 0 and 1; always guessing the same class leaves PPV "
            "(g = 0), NPV (g = 1), MRK and MCC without a value with probability one",
            proof="0/0 in every table of that guess",
        ),
    )
    rare = br.random_guess("precision", n_positive=2, n_negative=998, strategy="proportional")
    yield Cell(
        where="probability of 0/0: PPV, 2 and 998 cases, g = base rate",
        published="very small",
        ours=f"{1 - rare.p_defined:.3f}",
        finding=Finding(
            kind="remark",
            value="0.135",
            why="small unless the class is: at g = α and with a rare class it is about exp(-n1), "
            "however many cases there are",
            proof="(1 - 0.002)^1000 = 0.135",
        ),
    )


def _exact() -> Iterator[Cell]:
    """Yield the four means that have no error at all."""
    n1, n2, g = 3, 7, 0.2
    a = n1 / (n1 + n2)
    for name, mean in (
        ("precision", a),
        ("negative_predictive_value", 1 - a),
        ("markedness", 0.0),
        ("matthews_correlation", 0.0),
    ):
        apart = br.random_guess(name, n_positive=n1, n_negative=n2, strategy=g).value - mean
        yield Cell(
            where=f"Table 2, E[{name}], error of the print at 3 and 7 cases, g = 0.2",
            published="O(1/n²)",
            ours="none" if abs(apart) < 1e-14 else f"{apart:.2g}",
            finding=Finding(
                kind="remark",
                value="none",
                why="right, and more holds: given that the metric has a value its mean is exact, "
                "however few cases there are",
                proof="given k flags the hits are hypergeometric with mean k α, whatever k is; "
                "all four metrics are then linear in the hits",
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
            finding=Finding(
                kind="misprint",
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
        *_disagreements("proportional", (-0.5, -0.2, 0.3), low=-1 / 3, high=1 / 7),
        *_courses(),
    ]  # fmt: skip
    return Table(name="Appendix B", cells=tuple(cells))


def _courses() -> Iterator[Cell]:
    """Yield which way the curves of figures 1 and 4 go as δ grows, as sections 5 and B say."""
    table = br.ConfusionMatrix.from_rates(recall=0.6, specificity=0.8, base_rate=0.5)
    said = {("f1", "value", False): "higher", ("negative_f1", "value", False): "lower",
            ("f1", "value", True): "insensitive", ("negative_f1", "value", True): "insensitive",
            ("f1", "skill", True): "lower", ("negative_f1", "skill", True): "higher"}  # fmt: skip
    for (name, of, balanced), published in said.items():
        metric = br.metrics.get(name).at_base_rate(0.5) if balanced else name
        [curve] = br.tuning.base_rate_curves(metric, table, guess="proportional", n=1000)
        steps = np.diff(getattr(curve, of))
        ours = "higher" if (steps > 0).all() else "lower" if (steps < 0).all() else "neither"
        ours = "insensitive" if (abs(steps) < 1e-12).all() else ours
        figure, kind = (4 if of == "skill" else 1), "balanced " * balanced
        yield Cell(where=f"Figure {figure}: {of} of {kind}{name} as δ grows",
                   published=published, ours=ours)  # fmt: skip


def _disagreements(
    strategy: str, places: tuple[float, ...], *, low: float, high: float
) -> Iterator[Cell]:
    """Yield whether raw and normalised F1 call another class the better one, as is said."""
    for delta in places:
        f1, negative = (float(br.metrics.get(name)(_at(delta))) for name in ("f1", "negative_f1"))
        apart = _skill("f1", delta, strategy) - _skill("negative_f1", delta, strategy)
        inside = low < delta < high
        yield Cell(
            where=f"raw and normalised F1 on the better class, g {strategy}, δ = {delta}",
            published="disagree" if inside is (strategy == "uniform") else "agree",
            ours="disagree" if (f1 > negative) != (apart > 0) else "agree",
        )


def _zero(low: float, high: float) -> float:
    """Return the imbalance at which the fictitious classifier has no skill in accuracy."""
    return _root(lambda d: _skill("accuracy", d, "proportional"), low, high)

"""Dyrland, Lundervold and Porta Mana: every number of the draft that can be computed."""

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np

import baserate as br
from papers import utility as paper
from papers.cells import Cell, Figure, Finding, Table, printed

REFERENCE = (
    "Dyrland, K., Lundervold, A. S. and Porta Mana, P.G.L. (2022). Does the evaluation stand up to "
    "evaluation? A first-principle approach to the evaluation of classifiers. "
    "doi:10.31219/osf.io/7rz8t; read here: its draft of 12 May 2022, Is the evaluation evaluated?"
)
ROWS = {
    "accuracy": "Accuracy",
    "precision": "Precision",
    "f1": "F1",
    "matthews_correlation": "Matthews",
    "recall": "True-positive rate",
    "specificity": "True-negative rate",
}


def tables() -> Iterator[Callable[[], Table]]:
    """Yield what recomputes Table 1 and the numbers of the sections."""
    yield table_1
    yield story
    yield lotteries
    yield admissible
    yield triangle


def table_1() -> Table:
    """Return Table 1, class 0 positive, which the draft does not say."""
    cells = tuple(
        Cell(
            where=f"{ROWS[name]} of {which}",
            published=theirs,
            ours=ours,
            within=printed(theirs, 2),
        )
        for name, pair in paper.table_1().items()
        for which, theirs, ours in zip("AB", paper.PRINTED_1[name], pair, strict=True)
    )
    note = "With class 1 positive precision, F1 and both rates are other numbers."
    return Table(name="Table 1", cells=cells, notes=(note,))


def story() -> Table:
    """Return equations 3 to 6: what both classifiers are worth, and deciding without one."""
    yields, without = paper.yields(), paper.constant_decisions()
    published = {"eq. 4": (3.5, -3.5), "eq. 5": (4.7, 7.3), "eq. 6": (338.5, 331.5)}
    cells = [
        Cell(
            where=f"yield of {which}, {name}",
            published=theirs,
            ours=ours,
            within=printed(theirs, 1),
        )
        for name, pair in published.items()
        for which, theirs, ours in zip("AB", pair, yields[name], strict=True)
    ]
    months = yields["eq. 6"][0] - yields["eq. 6"][1]
    cells.append(
        Cell(
            where='A over B in months of life, "more than six"',
            published="more than 6",
            ours="more than 6" if months > 6 else f"{months}",
        )
    )
    chosen = "A" if yields["eq. 4"][0] > without["eq. 4"].value else "neither"
    cells.append(
        Cell(
            where="what to do under equation 4",
            published="A",
            ours=chosen,
            finding=Finding(
                kind="remark",
                value="neither",
                why="of the two classifiers it is A, as the story asks; choosing class 1 for every "
                "component, which it leaves out, yields more than either: 65 "
                "under equation 4 (A 3.5), 50 under equation 5 (B 7.3), 400 months under 6",
                proof="half of the components are of each class: (-35 + 165)/2 = 65, "
                "(-65 + 165)/2 = 50, (300 + 500)/2 = 400",
            ),
        )
    )
    cells += _comparisons()
    return Table(name="The story and section 1", cells=tuple(cells))


def _comparisons() -> Iterator[Cell]:
    """Yield by how much A has the better rate, and how sure a hundred components make the ranking.

    The matrices are counts of one test set each; both have flat priors here.
    """
    first, second = paper.table_1()["specificity"]
    yield Cell(
        where="relative difference of the true-negative rates",
        published=0.09,
        ours=(first - second) / ((first + second) / 2),
        within=printed(0.09, 2),
    )
    found = paper.comparisons()
    for name, better, right, proof in (
        ("eq. 4", "A", "0.62", "0.616; some 4,350 components each would be needed for 97.5%"),
        ("eq. 5", "B", "0.54", "0.541; some 32,600 components each would be needed for 97.5%"),
    ):
        probability = found[name].probability_a_better
        sure = probability if better == "A" else 1 - probability
        yield Cell(
            where=f"{better} is better under {name}, for matrices of a hundred components each",
            published=better,
            ours=f"{sure:.2f}",
            finding=Finding(
                kind="remark",
                value=right,
                why="right, as the paper takes the matrices as exact; were they of a hundred "
                f"components each, {better} would be better with this probability",
                proof=f"beta posteriors of both rates of both, flat priors: {proof}",
            ),
        )


def lotteries() -> Table:
    """Return sections 2.3 and 2.5: a ticket costs 1 and wins 11."""
    found = paper.lottery()
    cells = [
        Cell(
            where=f"buying, {ticket.win:.0%} of tickets win",
            published=theirs,
            ours=ticket.buy,
            within=printed(theirs, 2),
        )
        for theirs, ticket in zip((1.2, -0.89, 4.5), found, strict=True)
    ]
    cells += [
        Cell(where=f"best, {ticket.win:.0%} of tickets win", published=theirs, ours=ticket.best)
        for theirs, ticket in zip(("buy", "not-buy", "buy"), found, strict=True)
    ]
    return Table(name="Sections 2.3 and 2.5, the lottery", cells=tuple(cells))


ADMISSIBLE = {
    "accuracy": "yes",
    "recall": "yes",
    "specificity": "yes",
    "precision": "no",
    "f1": "no",
    "matthews_correlation": "no",
    "fowlkes_mallows": "no",
}


def admissible() -> Table:
    """Return which metrics rank as some utility does, whatever the class frequencies."""
    cells = [
        Cell(where=ROWS.get(name, name), published=said, ours=_admissible(name))
        for name, said in ADMISSIBLE.items()
    ]
    cells.append(
        Cell(
            where="balanced accuracy, on one test set",
            published="no",
            ours="no" if _disagreements() else "yes",
            finding=Finding(
                kind="remark",
                value="yes",
                why="if coefficients may know the class frequencies: on one test set it ranks as "
                "the utility whose threshold is the share of positives; only across test sets of "
                "different frequencies does it not",
                proof="(tp/N+ + tn/N-)/2 is linear in the counts once the class totals are fixed; "
                "every pair of tables of 5 positives and 7 negatives is ranked alike",
            ),
        )
    )
    return Table(name="Section 3, admissible metrics", cells=tuple(cells))


def _admissible(name: str) -> str:
    return "no" if br.admissible(name).answer == "no" else "yes"


def _disagreements() -> int:
    """Count pairs of tables of 5 and 7 cases that the two rank differently."""
    positives, negatives = 5, 7
    share = positives / (positives + negatives)
    utility = br.UtilityMatrix([[1 - share, 0], [0, share]])
    tp, tn = map(np.ravel, np.meshgrid(np.arange(positives + 1), np.arange(negatives + 1)))
    tables = br.ConfusionMatrix(tp=tp, fn=positives - tp, fp=negatives - tn, tn=tn)
    ranks = [np.sign(_apart(v)) for v in (
        br.metrics.get("balanced_accuracy")(tables), utility.as_metric()(tables)
    )]  # fmt: skip
    return int(np.sum(ranks[0] != ranks[1]))


def _apart(values: np.ndarray) -> np.ndarray:
    difference = np.subtract.outer(values, values)
    return np.where(np.abs(difference) < 1e-12, 0.0, difference)


def triangle() -> Table:
    """Return the space of utility matrices: what can be told apart by any data."""
    thresholds = {u.threshold for u in _shifted(paper.UTILITIES["eq. 4"])}
    cells = (
        Cell(
            where="parameters of a binary utility that decisions depend on",
            published=2,
            ours=1 if len({round(t, 12) for t in thresholds}) == 1 else 2,
            finding=Finding(
                kind="remark",
                value=1,
                why="right for the shifts that this section admits, of all utilities alike; a "
                "shift by class changes no decision either, nor, as section 3.1 has it, a ranking "
                "on one test set",
                proof="argmax over decisions of sum U[d][c] p(c) is the same for U[d][c] + b[c]; "
                "n_c (n_d - 1) - 1 parameters remain, which is 1 for two of each",
            ),
        ),
        Cell(
            where="dimension n_d n_c - 1 of the sphere of utilities, 2 × 2",
            published=3,
            ours=_dimension(2, 2),
            basis="arithmetic",
            finding=Finding(
                kind="misprint",
                value=2,
                why="scale and shift take two of the n_d n_c parameters: n_d n_c - 2 are left, as "
                "the same sentence says before it names the sphere",
                proof="n_d n_c directions less two that change nothing: a constant, and U itself",
            ),
        ),
    )
    return Table(name="Section 2.4, the space of utilities", cells=cells)


def _shifted(utility: br.UtilityMatrix) -> Iterator[br.UtilityMatrix]:
    """Yield the same utilities shifted class by class, and rescaled."""
    values = np.array([[15.0, -335.0], [-35.0, 165.0]])
    yield utility
    for first, second, scale in product((0, 7), (0, -40), (1, 3)):
        yield br.UtilityMatrix(scale * values + np.array([first, second]))


def _dimension(decisions: int, classes: int) -> int:
    """Return the dimension of utilities up to scale and shift."""
    rng = np.random.default_rng(1)
    utility = rng.normal(size=(decisions, classes))
    fixed = np.stack([np.ones(decisions * classes), utility.ravel()])
    return decisions * classes - int(np.linalg.matrix_rank(fixed))


FIGURES = (
    Figure(
        name="The map of utilities (published version)",
        pictures=("utility_published", "utility_stakes"),
        differs="the whole region, a square without two corners; also drawn in the coordinates of "
        "stakes",
    ),
)

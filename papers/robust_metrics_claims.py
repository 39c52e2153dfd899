"""What section 6 of Holzmann and Klar (2024) says of Tables 7 to 9 and 19 to 21.

Each sentence is asked of each cell that it speaks of: of the printed tables here, and of tables
made again from other data in `robust_metrics_rare`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median

from papers import robust_metrics as paper
from papers.cells import Cell, Finding, Kind, Table, printed

TEST, TRAINING = (7, 8, 9), (19, 20, 21)
NUMBERS = (*TEST, *TRAINING)
STANDARD = (7, 19)  # the tables of metrics that are not robust, of the test and the training set
MODELS = {"logistic": "logistic regression", "random_forest": "random forest"}
# Words for a fall, for no change and for a rise; the paper's own come first where it has one.
SIZES = ("smaller", "equal", "larger")
MOVES = ("decreases", "stays", "increases")
BETTER = ("logistic regression", "neither", "random forest")
SAMPLES = {"full": "all cases", "subset": "a fifth of the positives"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One cell of these tables: the cut that maximises a metric in a sample.

    Attributes
    ----------
    table : int
    model : {"logistic", "random_forest"}
    sample : {"full", "subset"}
    metric : str
    value : float
        Of the metric.
    probability : float
        Positive where P(positive | x) is at least this.
    recall, specificity : float
    """

    table: int
    model: str
    sample: str
    metric: str
    value: float
    probability: float
    recall: float
    specificity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A sentence about some cells of a table, and what these cells show.

    Attributes
    ----------
    about : str
        The sentence's subject.
    cells : str
    said, found : str
    numbers : str
        That `found` follows from.
    """

    about: str
    cells: str
    said: str
    found: str
    numbers: str

    @property
    def where(self) -> str:
        """The cells and the subject."""
        return f"{self.cells}: {self.about}"


def sentences() -> Table:
    """Hold what section 6 says of its tables against the numbers printed there."""
    rules = {number: printed_rules(number) for number in NUMBERS}
    cells = (
        Cell(
            where=f"Table {number}, {one.where}",
            published=one.said,
            ours=one.found,
            finding=_slip(number, one),
            basis="consistency",
        )
        for number in NUMBERS
        for one in claims(rules[number], rules[standard(number)])
    )
    note = '"Generally" is taken to mean by the median of the columns, "low" to be below 1/2.'
    return Table(name="Section 6, sentences on the tables", cells=tuple(cells), notes=(note,))


def repeats() -> Table:
    """Hold the first columns of Tables 8, 9, 20 and 21 against what they repeat.

    Robust F with d0 = 0 and d1 = 1 is F1, which is 2J/(1 + J) of Jaccard's coefficient J; the
    robust correlation with d = 0 is Matthews correlation.
    """
    cells = []
    for number in (n for n in NUMBERS if n not in STANDARD):
        beside = {(r.model, r.sample, r.metric): r for r in printed_rules(standard(number))}
        rules = printed_rules(number)
        for rule in (r for r in rules if r.metric == rules[0].metric):
            name = "matthews_correlation" if "mcc" in rule.metric else "jaccard"
            other = beside[rule.model, rule.sample, name]
            cells += _repeated(rule, other, of_jaccard=name == "jaccard")
    note = "Printed numbers on both sides; where F1 follows from J, as far as J is printed."
    return Table(name="Tables 8, 9, 20 and 21, first columns", cells=tuple(cells), notes=(note,))


def _repeated(rule: Rule, other: Rule, *, of_jaccard: bool) -> Iterator[Cell]:
    value, within = other.value, 0.0
    if of_jaccard:
        low, high = (2 * j / (1 + j) for j in (value - 5e-4, value + 5e-4))
        value, within = (low + high) / 2, (high - low) / 2 + printed(rule.value, 3)
    pairs = (
        ("value", rule.value, value, within),
        ("cut", rule.probability, other.probability, 0.0),
        ("recall", rule.recall, other.recall, 0.0),
        ("specificity", rule.specificity, other.specificity, 0.0),
    )
    for field, theirs, ours, margin in pairs:
        yield Cell(
            where=f"Table {rule.table}, {MODELS[rule.model]}, {SAMPLES[rule.sample]}: {field}, "
            f"beside Table {other.table}",
            published=theirs,
            ours=ours,
            within=margin,
            basis="consistency",
        )


def printed_rules(number: int) -> tuple[Rule, ...]:
    """Return one of the tables as printed.

    Examples
    --------
    >>> rule = printed_rules(7)[0]
    >>> rule.metric, rule.probability, rule.recall
    ('jaccard', 0.122, 0.32)
    """
    return tuple(
        Rule(
            table=number,
            model=row["model"],
            sample="subset" if row["data"].startswith("subset") else "full",
            metric=paper.called(row),
            value=row["value"],
            probability=row["delta_tilde"],
            recall=row["tpr"],
            specificity=row["tnr"],
        )
        for row in paper.published(number)
    )


def standard(number: int) -> int:
    """Return the table of the metrics that are not robust, of the same cases."""
    return STANDARD[0] if number in TEST else STANDARD[1]


def claims(rules: Sequence[Rule], beside: Sequence[Rule]) -> Iterator[Claim]:
    """Yield what section 6 says of one table; `beside` is Table 7 or 19, of the same cases."""
    yield from _cuts_fall(rules)
    yield from _forest_is_better(rules)
    if rules[0].table in STANDARD:
        yield from _recalls_fall(rules)
        yield from _recalls_are_low(rules)
    else:
        yield from _robust_recalls(rules, beside)


def _cuts_fall(rules: Sequence[Rule]) -> Iterator[Claim]:
    # "For all measures, the optimal threshold is smaller for the more imbalanced sample."
    for cells, full, subset in _pairs(rules):
        yield Claim(
            about="the cut, where positives are rarer",
            cells=cells,
            said="smaller",
            found=_course(full.probability, subset.probability, SIZES),
            numbers=f"{full.probability:.3f} and {subset.probability:.3f}",
        )


def _recalls_fall(rules: Sequence[Rule]) -> Iterator[Claim]:
    # "Nevertheless, the true positive rate decreases sharply for the more imbalanced samples."
    for cells, full, subset in _pairs(rules):
        yield Claim(
            about="recall, where positives are rarer",
            cells=cells,
            said="decreases",
            found=_course(full.recall, subset.recall, MOVES),
            numbers=f"{full.recall:.3f} and {subset.recall:.3f}",
        )


def _recalls_are_low(rules: Sequence[Rule]) -> Iterator[Claim]:
    # "... which is already quite low for most measures"
    for (model, sample), recall in _median_recalls(rules).items():
        if sample == "full":
            yield Claim(
                about="recall of most metrics",
                cells=MODELS[model],
                said="below 1/2",
                found="below 1/2" if recall < 0.5 else "at least 1/2",
                numbers=f"median {recall:.3f}",
            )


def _forest_is_better(rules: Sequence[Rule]) -> Iterator[Claim]:
    # "Overall the random forest classifier outperforms logistic regression."
    value = {(rule.model, rule.sample, rule.metric): rule.value for rule in rules}
    for (model, sample, metric), forest in value.items():
        if model == "random_forest":
            logistic = value["logistic", sample, metric]
            yield Claim(
                about="the better model",
                cells=f"{SAMPLES[sample]}, {metric}",
                said="random forest",
                found=_course(logistic, forest, BETTER),
                numbers=f"random forest {forest:.3f}, logistic regression {logistic:.3f}",
            )


def _robust_recalls(rules: Sequence[Rule], beside: Sequence[Rule]) -> Iterator[Claim]:
    # "... where the TPR is generally higher and decreases less or is stable"
    not_robust = rules[0].metric  # d = 0 or d0 = 0, in the first column
    ours = _median_recalls(rule for rule in rules if rule.metric != not_robust)
    theirs = _median_recalls(beside)
    for (model, sample), recall in ours.items():
        yield Claim(
            about=f"median recall of robust metrics, beside Table {beside[0].table}",
            cells=f"{MODELS[model]}, {SAMPLES[sample]}",
            said="higher",
            found="higher" if recall > theirs[model, sample] else "not higher",
            numbers=f"{recall:.3f} and {theirs[model, sample]:.3f}",
        )
    for model, spoken in MODELS.items():
        falls = [side[model, "full"] - side[model, "subset"] for side in (ours, theirs)]
        yield Claim(
            about=f"how far it falls where positives are rarer, beside Table {beside[0].table}",
            cells=spoken,
            said="less",
            found="less" if falls[0] < falls[1] else "not less",
            numbers=f"{falls[0]:.3f} and {falls[1]:.3f}",
        )


def _pairs(rules: Iterable[Rule]) -> Iterator[tuple[str, Rule, Rule]]:
    """Yield the rules of both samples, and what they have in common."""
    found: dict[str, dict[str, Rule]] = {}
    for rule in rules:
        found.setdefault(f"{MODELS[rule.model]}, {rule.metric}", {})[rule.sample] = rule
    for cells, pair in found.items():
        yield cells, pair["full"], pair["subset"]


def _median_recalls(rules: Iterable[Rule]) -> dict[tuple[str, str], float]:
    """Return the median over metrics, by model and sample."""
    panels = groupby(rules, key=lambda rule: (rule.model, rule.sample))
    return {key: median(rule.recall for rule in panel) for key, panel in panels}


def _course(before: float, after: float, words: Sequence[str]) -> str:
    """Return the first word for a fall, the second for none and the third for a rise."""
    return words[1 + (after > before) - (after < before)]


_ENDS = "Yule's Q is best at an end, where nearly all or nearly nothing is flagged: "
_NOTHING = "Yule's Q is best at an end, here the one where nearly nothing is flagged: "
SLIPS: Mapping[tuple[int, str], tuple[Kind, str, str]] = {
    (7, "random forest, yule_q: the cut, where positives are rarer"): (
        "substance",
        "larger",
        _ENDS + "its cut jumps from one end to the other",
    ),
    (7, "logistic regression, matthews_correlation: recall, where positives are rarer"): (
        "remark",
        "increases",
        "an exception: by (3.1) the cut is a density ratio of 2.6 before, and of 2.4 after",
    ),
    (19, "logistic regression, yule_q: recall, where positives are rarer"): (
        "remark",
        "increases",
        _NOTHING + "its recall can hardly fall",
    ),
    (19, "random forest, yule_q: recall, where positives are rarer"): (
        "remark",
        "stays",
        _NOTHING + "its recall can hardly fall",
    ),
}


def _slip(number: int, claim: Claim) -> Finding | None:
    """Return why a sentence does not hold in print, for those that are known not to."""
    known = SLIPS.get((number, claim.where))
    if known is None:
        return None
    kind, value, why = known
    proof = f"printed where all positives are, and where a fifth is: {claim.numbers}"
    return Finding(kind=kind, value=value, why=why, proof=proof)

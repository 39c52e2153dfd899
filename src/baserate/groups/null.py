"""What a group is compared with: the law of its table if it were like the reference.

And how much of it lies below, at and above a group's score, and where there is none.
"""

from dataclasses import dataclass
from math import isnan, nan
from typing import Any, Literal, NamedTuple

import numpy as np

from baserate._checks import numbers, one_of, yes_or_no
from baserate._windows import DEEP, Window
from baserate.counts import CELLS, ConfusionMatrix, single_table
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import Metric
from baserate.models import (
    DirichletMultinomial,
    GivenClasses,
    Multinomial,
    MultivariateHypergeometric,
)
from baserate.models.model import ALL, FLAGGED, NEGATIVE, PASSED, POSITIVE, summed
from baserate.questions import probability_defined
from baserate.questions.law import InheritedLaw
from baserate.questions.probabilities import parted

Law = Literal["permutation", "contained"]
Condition = Literal["auto", "none", "denominator", "classes"]
Alternative = Literal["two-sided", "less", "greater"]
Cells = frozenset[str]

# Models whose cells can be merged, and of which some can be fixed.
Drawn = Multinomial | DirichletMultinomial | MultivariateHypergeometric

NO_OTHER = "no other value is possible"
# Without a closed form, P(defined) is summed over so many tables at most: all those of 200 cases.
TABLES = 1_373_701
SLACK = 1e-6  # of shares that add up to one
_NAMES = {
    POSITIVE: "positives",
    NEGATIVE: "negatives",
    FLAGGED: "cases predicted positive",
    PASSED: "cases predicted negative",
    ALL: "cases",
}


@dataclass(frozen=True, slots=True)
class Null:
    """A group, its reference, and the law of a table of as many cases drawn like the reference.

    `law` names it: "multinomial", "dirichlet-multinomial" or "permutation". `model` is None if the
    reference is empty.
    """

    group: ConfusionMatrix
    reference: ConfusionMatrix
    model: Drawn | None
    law: str
    uncertain: bool

    @classmethod
    def of(cls, group: Any, reference: Any, *, uncertain: bool, law: Law | None) -> "Null":
        """Check both tables, and choose the law."""
        uncertain = yes_or_no("uncertain_reference", uncertain)
        group = counted("group", group)
        if law is not None:
            return _permuted(group, reference, one_of("law", law, Law), uncertain=uncertain)
        known = not isinstance(reference, ConfusionMatrix)
        table = _shares(reference) if known else single_table("reference", reference)
        if known or not uncertain:
            model = Multinomial(n=group.n, cells=tuple(table)) if table.n else None
            return cls(group, table, model, "multinomial", uncertain=False)
        if table.is_weighted:
            raise UnsupportedError(
                "A reference of weights does not say how many cases it rests on: pass "
                "uncertain_reference=False to take its shares as known, or the unweighted table."
            )
        cells = tuple(cell + 0.5 for cell in table)
        model = DirichletMultinomial(n=group.n, concentration=cells) if table.n else None
        return cls(group, table, model, "dirichlet-multinomial", uncertain=True)

    def weight(self, cells: Cells) -> float:
        """Return how much these cells weigh in the law; 0 where there is none."""
        return 0 if self.model is None else summed(cells, self.model.weights)

    def seen(self, cells: Cells) -> float:
        """Return how much of the cases outside the group lies in these cells."""
        if self.law == "permutation":
            return self.weight(cells) - summed(cells, self.group)
        return summed(cells, self.reference)

    @property
    def other(self) -> str:
        """What the cases outside the group are called: the rest, if the reference holds all."""
        if not isinstance(self.model, MultivariateHypergeometric):
            return "reference"
        return "rest" if sum(self.model.weights) == self.reference.n else "reference"

    def one_count(self, successes: Cells, whole: Cells) -> tuple[float, float]:
        """Return the weights of successes and failures in the law of this one count.

        An uncertain count gets 1/2 on either side, however many cells it merges: 1/2 per cell would
        pull the rate of a small reference away from 0 and 1, where the test then errs too often.
        """
        sides = (successes, whole - successes)
        if isinstance(self.model, DirichletMultinomial):
            a, b = (self.seen(cells) + 0.5 for cells in sides)
        else:
            a, b = (self.weight(cells) for cells in sides)
        return a, b

    def in_words(self, metric: Metric, condition: str) -> str:
        """Say which hypothesis is tested."""
        return in_words(metric, condition, f"the {self.other}'s", self.group)


def condition_of(metric: Metric, asked: str) -> str:
    """Return the condition to test under: what "auto" means for this metric, or what was asked."""
    asked = one_of("condition", asked, Condition)
    if asked == "denominator" and metric.proportion is None:
        rule = 'can be "denominator" for proportions only'
        remedy = f'{metric.name} is none: pass "classes" or "none"'
        raise InvalidArgumentError.from_rule("condition", rule, asked, remedy)
    if asked != "auto":
        return asked
    if metric.direction == "neither":
        return "none"
    # One cell's share of two: recall, precision and their kin.
    is_rate = metric.proportion is not None and all(len(side) == 1 for side in metric.proportion)
    return "denominator" if is_rate else "classes"


def sides(metric: Metric) -> tuple[Cells, Cells]:
    """Return the successes of a proportion, and its denominator."""
    assert metric.proportion is not None
    successes, failures = map(frozenset, metric.proportion)
    return successes, successes | failures


def sides_of(metric: Metric, cells: Any) -> tuple[float, float]:
    """Return how much lies in the successes of a proportion, and how much in its failures."""
    successes, whole = sides(metric)
    return float(summed(successes, cells)), float(summed(whole - successes, cells))


def whole_of(metric: Metric, condition: str) -> Cells | None:
    """Return the denominator if the test is of one count out of a number that is held fixed."""
    if metric.proportion is None:
        return None
    whole = sides(metric)[1]
    return whole if condition == "denominator" or (condition == "none" and whole == ALL) else None


def count(table: ConfusionMatrix, cells: Cells) -> int:
    """Return how many cases of a table lie in these cells."""
    return int(summed(cells, table))


def name_of(cells: Cells) -> str:
    """Say in words which cases these are."""
    return _NAMES.get(cells) or f"cases in {' + '.join(c for c in CELLS if c in cells)}"


def in_words(
    metric: Metric, condition: str, other: str, group: ConfusionMatrix | None = None
) -> str:
    """Say which hypothesis is tested, of how many cases if the group's are counted."""

    def some(cells: Cells) -> str:
        return name_of(cells) if group is None else f"{count(group, cells)} {name_of(cells)}"

    name = metric.name.replace("_", " ")
    if condition == "classes":
        given = f"given its {some(POSITIVE)} and {some(NEGATIVE)}"
        return f"{given}, the group has {other} recall and false positive rate"
    whole = sides(metric)[1] if metric.proportion is not None else frozenset[str]()
    if whole == ALL:
        return f"the group{'' if group is None else f' of {some(ALL)}'} has {other} {name}"
    if condition == "denominator":
        return f"given its {some(whole)}, the group has {other} {name}"
    return f"the group's {some(ALL)} fall into the four cells with {other} chances"


def counted(argument: str, table: Any) -> ConfusionMatrix:
    """Return a single table of whole numbers."""
    table = single_table(argument, table)
    if table.is_weighted:
        raise UnsupportedError(
            f"The test counts cases, and the counts of {argument} are weights: pass the "
            "unweighted table."
        )
    return ConfusionMatrix(**{name: int(cell) for name, cell in table.to_dict().items()})


def _permuted(group: ConfusionMatrix, reference: Any, law: str, *, uncertain: bool) -> Null:
    if not uncertain:
        rule = f"must stay True with law={law!r}, which compares two sets of counted cases"
        remedy = "leave out one of the two"
        raise InvalidArgumentError.from_rule("uncertain_reference", rule, uncertain, remedy)
    table = counted("reference", reference)
    population = group + table if law == "permutation" else _containing(table, group)
    model = MultivariateHypergeometric(n=group.n, population=population) if table.n else None
    return Null(group, table, model, "permutation", uncertain=True)


def _containing(reference: ConfusionMatrix, group: ConfusionMatrix) -> ConfusionMatrix:
    pairs = zip(CELLS, group, reference, strict=True)
    if more := [name for name, mine, all_ in pairs if mine > all_]:
        rule = "must contain the group when law='contained'"
        given = f"fewer {' and '.join(more)} than the group"
        remedy = "pass the table of all cases, or law='permutation' with the other cases alone"
        raise InvalidArgumentError.from_rule("reference", rule, given, remedy)
    return reference


def _shares(reference: Any) -> ConfusionMatrix:
    """Return four probabilities as a table."""
    try:
        cells = numbers([*reference])
    except Exception:  # noqa: BLE001  a foreign object may raise anything
        cells = None
    if cells is None or cells.shape != (4,) or min(cells) < 0 or abs(sum(cells) - 1) > SLACK:
        rule = "must be a ConfusionMatrix, or the four probabilities of tp, fn, fp, tn"
        remedy = "pass counts as ConfusionMatrix(tp=, fn=, fp=, tn=)"
        raise InvalidArgumentError.from_rule("reference", rule, reference, remedy)
    return ConfusionMatrix(**dict(zip(CELLS, cells, strict=True)))


class Masses(NamedTuple):
    """P(M < v), P(M = v) and P(M > v), given that M is defined, and the route to them.

    Each tail may be short by `error`.
    """

    below: float
    equal: float
    above: float
    route: str
    error: float = 0.0

    @classmethod
    def around(cls, at: int, law: Window, route: str) -> "Masses":
        """Return what a law of a count has below, at and above one value."""
        place, pmf = at - law.start, law.pmf
        below, above = pmf[: max(place, 0)], pmf[max(place + 1, 0) :]
        equal = float(pmf[place]) if 0 <= place < len(pmf) else 0.0
        return cls(float(below.sum()), equal, float(above[::-1].sum()), route)

    def tails(self, side: str) -> dict[str, Any]:
        """Return both tails and what is made of them, by the names that tests have."""
        below, above = (tail + self.error for tail in (self.below, self.above))
        lower, upper = (min(tail + self.equal, 1.0) for tail in (below, above))  # nan stays nan
        return {
            "percentile": lower,
            "lower": lower,
            "upper": upper,
            "p_value": p_value(lower, upper, side),
            "mid_p": p_value(below + self.equal / 2, above + self.equal / 2, side),
            "error": self.error,
            "route": self.route,
        }


NO_MASSES = Masses(nan, nan, nan, "")


def no_law(null: Null, metric: Metric, condition: str) -> str | None:
    """Say why the reference gives no law for this group, or return None if it does."""
    if null.model is None:
        return "the reference has no cases"
    held = {"classes": (POSITIVE, NEGATIVE), "none": ()}
    for whole in held[condition] if condition in held else (sides(metric)[1],):
        if count(null.group, whole) and not null.seen(whole):
            return f"the {null.other} has no {name_of(whole)}"
    return None


def masses(null: Null, metric: Metric, condition: str, value: float) -> tuple[Masses, str | None]:
    """Return the masses around a score, or why there are none."""
    reason = metric.undefined_reason(null.group) or no_law(null, metric, condition)
    if reason is None and condition == "classes":
        reason = _only_value(metric, null.group)
    if reason is not None or null.model is None:
        return NO_MASSES, reason
    if whole_of(metric, condition) is not None:
        return _one_count(null, null.model, metric), None
    model = null.model
    if condition == "classes":
        model = GivenClasses(model, n_positive=int(null.group.n_positive))
    found, _ = parted(InheritedLaw(metric, model), value)
    if isnan(found["below"]):
        return NO_MASSES, "under the reference no table has a value"
    return Masses(**found), None


def _only_value(metric: Metric, group: ConfusionMatrix) -> str | None:
    """Say so if a group of one class cannot score anything else, whatever is predicted."""
    p, q = int(group.n_positive), int(group.n_negative)
    if p and q:
        return None
    hits, alarms = np.arange(p + 1.0), np.arange(q + 1.0)
    values = np.asarray(metric.formula(hits, p - hits, alarms, q - alarms), dtype=float)
    values = values[~np.isnan(values)]
    absent = name_of(POSITIVE if q else NEGATIVE)
    return f"without {absent} {NO_OTHER}" if np.ptp(values) == 0 else None


def _one_count(null: Null, model: Drawn, metric: Metric) -> Masses:
    """Sum the law of the successes, given the denominator; ties are decided in integers."""
    successes, whole = sides(metric)
    a, b = null.one_count(successes, whole)
    window = model.split(a, b, count(null.group, whole)).window(depth=DEEP)
    return Masses.around(count(null.group, successes), window, "closed form")


def how_often_defined(null: Null, metric: Metric) -> float:
    """Return the probability that the metric is defined; nan where its sum is too long."""
    if null.model is None:
        return nan
    if not null.group.n:
        return float(not metric.undefined(null.group))
    if metric.undefined_also is not None and null.model.n_tables > TABLES:
        return nan
    return float(probability_defined(metric, null.model))


def p_value(lower: Any, upper: Any, alternative: str) -> Any:
    """Return the p-value of two tails; arrays broadcast, and nan stays nan."""
    if alternative != "two-sided":
        return lower if alternative == "less" else upper
    if isinstance(lower, float):
        return nan if isnan(lower) or isnan(upper) else min(1.0, 2 * float(min(lower, upper)))
    return np.minimum(1.0, 2 * np.minimum(lower, upper))

"""`sample_size`: how many cases a question takes, whatever the question."""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import wraps
from math import ceil
from typing import Any

from baserate._checks import number_in
from baserate._result import HIDDEN, Result
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnknownNameError
from baserate.evaluation.contracts import SYNTAX
from baserate.groups.null import name_of, sides
from baserate.groups.power import SmallestGap, group_size, match_power, smallest_gap
from baserate.inference.sample_size import (
    sample_size_at_least,
    sample_size_interval,
    sample_size_paired,
    sample_size_separate,
)
from baserate.inference.validation_size import ValidationSize, validation_sample_size
from baserate.metrics import CATALOGUE, Metric, binary_metric
from baserate.models.model import ALL, NEGATIVE, POSITIVE
from baserate.report.no_data import power_in_words, size_in_words

GAP = re.compile(r"gap\((?P<metric>.+)\)")
ENDS = {">=": "low", "<=": "high"}  # of the interval that keeps the promise
QUESTIONS = (
    '"recall >= 0.8@low" (a promise), "recall" (to within a width), "difference" (of two '
    'classifiers), "calibration", "roc_auc", or "gap(recall)" (between groups)'
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SampleSize(Result):
    """How many cases a question takes; ``int()`` and ``float()`` give it, printed it is a sentence.

    Attributes
    ----------
    question : str
    n : int or None
        How many are needed of what is `counted`. None, with the `reason`, if no number is enough.
    counted : str
        "cases", or those that the share is of: "positives" for recall.
    cases : int or None
        Cases that are expected to hold so many; None if their share is not known.
    route : {"enumerated", "posterior", "normal approximation", "exact test"}
    known : dict of name to number
        What the size rests on.
    validation : ValidationSize or None
        Of "calibration" and "roc_auc": what each measure takes.
    reason : str or None
    """

    question: str
    n: int | None
    counted: str = "cases"
    cases: int | None = None
    route: str
    known: Mapping[str, float] = field(default_factory=dict)
    validation: ValidationSize | None = None
    reason: str | None = None

    def __int__(self) -> int:
        if self.n is None:
            rule, remedy = "must have a size to be a number", "ask for less"
            raise InvalidArgumentError.from_rule("sample_size", rule, self.reason, remedy)
        return self.n

    def __float__(self) -> float:
        return float("nan") if self.n is None else float(self.n)

    def __repr__(self) -> str:
        return size_in_words(self)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GapPower(Result):
    """How probably a group shows a gap; ``float()`` gives it.

    Attributes
    ----------
    metric : str
    gap, alpha, power : float
    """

    metric: str = field(metadata=HIDDEN)
    gap: float
    alpha: float
    power: float

    def __float__(self) -> float:
        return self.power

    def __repr__(self) -> str:
        return power_in_words(self)


def sample_size(question: str | Metric, **known: Any) -> SampleSize | SmallestGap | GapPower:
    """Return how many cases a question takes, before there are any.

    Parameters
    ----------
    question : str or Metric
        What is to be found out; each asks for what is `known`, and says so if it is missing. A
        metric of one's own stands for its name.

        - ``"recall >= 0.8@low"``, a promise about a share: the lower limit is at least 0.8
          (Clopper and Pearson's; ``"false_positive_rate <= 0.1@high"`` for an upper one), with
          probability `power`. Needs `expected`, the share that is hoped for; `base_rate` tells how
          many cases hold so many positives. Enumerated.
        - ``"recall"``, or any other metric, to within a `width` (upper less lower limit). Needs a
          pilot `table`, or `recall`, `specificity` and `base_rate` as they are expected.
        - ``"difference"``: until it is `certainty` (0.975) which of two classifiers is better. On
          the same cases `discordant`, the shares of cases that only the first and only the second
          gets right, or `joint` counts with a `utility`; on cases of their own the tables `a` and
          `b`, with a `utility` if not all errors count the same.
        - ``"calibration"``: the criteria of Riley et al. for a model of probabilities. Needs
          `base_rate` and `auc`, or a law of the risks (`scores`, `linear_predictor`, `beta`); may
          take `oe_width`, `slope_width`, `auc_width`, and `threshold` with `net_benefit_width`.
        - ``"roc_auc"``, to within a `width` (0.1). Needs `auc` and `base_rate`.
        - ``"gap(recall)"``: a group that shows a `gap` to its `reference` by the exact test, with
          probability `power`. With a `group` (its table, or its number of cases) and no gap, the
          smallest gap that it shows; with both, how probably it does.
    **known
        Of a promise and a width also `confidence_level` (0.95), of a promise and a gap `power`
        (0.8), of a promise, a width and a difference `design_effect`: clustered cases, such as
        several images of a patient, tell less than as many independent ones, by this factor.

    Returns
    -------
    SampleSize
        Or, of a given group, a `SmallestGap` or a `GapPower`.

    Raises
    ------
    InvalidArgumentError
        Another question; something is missing, unknown or out of its range; 10⁹ cases do not
        suffice.

    References
    ----------
    Clopper and Pearson (1934), Biometrika 26:404, doi:10.1093/biomet/26.4.404. Joseph, du Berger
    and Bélisle (1997), Statistics in Medicine 16:769,
    doi:10.1002/(SICI)1097-0258(19970415)16:7<769::AID-SIM495>3.0.CO;2-V, for sizes by the posterior
    width. Riley et al. (2021), Statistics in Medicine 40:4230, doi:10.1002/sim.9025. Kish (1965),
    Survey Sampling, Wiley, for the design effect.

    Examples
    --------
    A recall of at least 0.9, where 0.95 is expected:

    >>> import baserate as br
    >>> br.sample_size("recall >= 0.9@low", expected=0.95, base_rate=0.1)
    255 positives, in about 2,550 cases, show recall >= 0.9@low with probability 0.8 if it is 0.95

    Riley et al.'s model for the failure of heart valves, of which 1.8% fail, with the law of
    pmvalsampsize's manual (where 905, 4544 as a simulated law has it, and 4252 are found):

    >>> found = br.sample_size(
    ...     "calibration", base_rate=0.018, auc=0.8, linear_predictor=(-5, 2.5), oe_width=1
    ... )
    >>> {name: one.n for name, one in found.validation.criteria.items()}, int(found)
    ({'oe': 906, 'slope': 4554, 'auc': 4252}, 4554)

    How large a group must be, or what a group of 50 positives shows:

    >>> rest = br.ConfusionMatrix(tp=4000, fn=1000, fp=500, tn=4500)
    >>> found = br.sample_size("gap(recall)", reference=rest, gap=-0.2)
    >>> found.n, found.counted, found.cases
    (46, 'positives', 92)
    >>> group = br.ConfusionMatrix(tp=40, fn=10, fp=5, tn=45)
    >>> round(br.sample_size("gap(recall)", reference=rest, group=group).below, 3)
    0.188
    """
    if isinstance(question, Metric):
        return _asked(question.name, _width, {"metric": question}, known)
    if not isinstance(question, str):
        remedy = f"ask {QUESTIONS}"
        raise InvalidArgumentError.from_rule("question", "must be text", question, remedy)
    asked = question.strip()
    if asked in NAMED:
        return _asked(asked, NAMED[asked], {}, known)
    promised = SYNTAX.fullmatch(asked)
    if promised and (way := promised["operator"]) in ENDS:
        metric, bound = promised["name"], promised["limit"]
        if promised["rest"] != f"@{ENDS[way]}":
            rule = f"must say which limit keeps the promise, as {metric} {way} {bound}@{ENDS[way]}"
            remedy = "a value found keeps a promise about the truth half of the time"
            raise InvalidArgumentError.from_rule("a promise", rule, question, remedy)
        return _asked(asked, _promise, {"metric": metric, "way": way, "bound": bound}, known)
    if gap := GAP.fullmatch(asked):
        return _asked(asked, _gap, {"metric": gap["metric"]}, known)
    try:
        binary_metric(asked)
    except UnknownNameError:
        near = get_close_matches(asked, [*NAMED, *(metric.name for metric in CATALOGUE)], n=1)
        remedy = f"Ask {QUESTIONS}"
        raise UnknownNameError.from_name("question", question, near, remedy) from None
    return _asked(asked, _width, {"metric": asked}, known)


def _asked(
    question: str, route: Callable[..., Any], of: Mapping[str, Any], known: Mapping[str, Any]
) -> Any:
    """Ask one route, once all that it needs is known and nothing else."""
    takes = {
        name: one
        for name, one in inspect.signature(route).parameters.items()
        if one.kind is one.KEYWORD_ONLY
    }
    needs = [name for name, one in takes.items() if one.default is one.empty]
    may = [name for name in takes if name not in needs]
    told = f"{question!r} needs {', '.join(needs)}, and may take {', '.join(may)}"
    told = told if needs else f"{question!r} takes {', '.join(may)}"
    if unknown := [name for name in known if name not in takes]:
        near = get_close_matches(unknown[0], takes, n=1)
        meant = f"did you mean {near[0]}? " if near else ""
        message = f"{question!r} does not ask for {unknown[0]}: {meant}{told}."
        raise InvalidArgumentError(message)
    if missing := [name for name in needs if known.get(name) is None]:
        rule = f"must be known for {question!r}"
        raise InvalidArgumentError.from_rule(", ".join(missing), rule, None, told)
    return route(question, **of, **known)


def _promise(
    question: str,
    metric: str,
    way: str,
    bound: str,
    *,
    expected: Any,
    base_rate: Any = None,
    power: Any = 0.8,
    confidence_level: Any = 0.95,
    design_effect: Any = 1.0,
) -> SampleSize:
    chosen = binary_metric(metric)
    if chosen.proportion is None:
        rule = "must promise a share of cases, such as recall or accuracy"
        remedy = f'ask for "{chosen.name}" to within a width'
        raise InvalidArgumentError.from_rule("question", rule, question, remedy)
    try:
        limit = float(bound)
    except ValueError:
        rule, remedy = "must name a number between 0 and 1", 'write "recall >= 0.8@low"'
        raise InvalidArgumentError.from_rule("question", rule, question, remedy) from None
    least = number_in("the promise", limit, "(0, 1)", "write for example recall >= 0.8@low")
    hoped = number_in("expected", expected, "(0, 1)", "pass the share that is hoped for")
    if (hoped <= least) if way == ">=" else (hoped >= least):
        rule = f"must keep the promise {way} {bound} by itself"
        raise InvalidArgumentError.from_rule(
            "expected", rule, expected, "no number of cases shows what is not so"
        )
    ends = (least, hoped) if way == ">=" else (1 - least, 1 - hoped)
    n = _clustered(
        sample_size_at_least(*ends, power=power, confidence_level=confidence_level), design_effect
    )
    whole = sides(chosen)[1]
    return SampleSize(
        question=question,
        n=n,
        counted=name_of(whole),
        cases=_cases(n, whole, base_rate),
        route="enumerated",
        known={
            "expected": hoped,
            "power": power,
            "confidence_level": confidence_level,
            "design_effect": float(design_effect),
        },
    )


def _width(
    question: str,
    metric: str | Metric,
    *,
    width: Any,
    table: ConfusionMatrix | None = None,
    recall: Any = None,
    specificity: Any = None,
    base_rate: Any = None,
    confidence_level: Any = 0.95,
    design_effect: Any = 1.0,
) -> SampleSize:
    rates = {"recall": recall, "specificity": specificity, "base_rate": base_rate}
    if table is None:
        if missing := [name for name, rate in rates.items() if rate is None]:
            rule = f"must be known for {question!r} without a pilot table"
            remedy = "pass table=, or recall, specificity and base_rate as they are expected"
            raise InvalidArgumentError.from_rule(", ".join(missing), rule, None, remedy)
        table = ConfusionMatrix.from_rates(**rates)
    else:
        _refuse_beside("table", rates, "a pilot table has rates of its own")
    half = number_in("width", width, "(0, inf)", "pass upper less lower limit, as 0.1") / 2
    n = sample_size_interval(metric, table, half_width=half, confidence_level=confidence_level)
    n = _clustered(n, design_effect)
    how = {"width": width, "confidence_level": confidence_level}
    how["design_effect"] = float(design_effect)
    return SampleSize(question=question, n=n, cases=n, route="posterior", known=how)


def _difference(
    question: str,
    *,
    discordant: Any = None,
    joint: Any = None,
    a: Any = None,
    b: Any = None,
    utility: Any = None,
    certainty: Any = 0.975,
    class_shares: Any = None,
    prior: Any = 1.0,
    design_effect: Any = 1.0,
) -> SampleSize:
    given = (discordant is not None, joint is not None, a is not None and b is not None)
    if sum(given) != 1:
        rule = "must be known by exactly one of discordant, joint, or both a and b"
        remedy = "pass discordant=(0.09, 0.22): the shares that only one of the two gets right"
        raise InvalidArgumentError.from_rule("the two classifiers", rule, None, remedy)
    if discordant is not None:
        _refuse_beside("discordant", {"utility": utility}, "pass joint= for errors of other costs")
    if a is None or b is None:
        apart = {"a": a, "b": b, "class_shares": class_shares}
        _refuse_beside("discordant or joint", apart, "both are of the same cases")
    how: dict[str, Any] = {"certainty": certainty, "prior": prior}
    if discordant is not None:
        joint, utility = _of_discordance(discordant), [[1], [0]]
    utility = [[1, 0], [0, 1]] if utility is None else utility
    if joint is not None:
        n = sample_size_paired(joint, utility, **how)
    else:
        shares = "pooled" if class_shares is None else class_shares
        n = sample_size_separate(a, b, utility, class_shares=shares, **how)
    n = _clustered(n, design_effect)
    each = "cases" if joint is not None else "cases for each"
    return SampleSize(
        question=question, n=n, counted=each, cases=n if joint is not None else 2 * n,
        route="posterior", known={"certainty": certainty, "design_effect": float(design_effect)},
    )  # fmt: skip


def _refuse_beside(known: str, others: Mapping[str, Any], why: str) -> None:
    for name, value in others.items():
        if value is not None:
            rule = f"has no meaning beside {known}"
            raise InvalidArgumentError.from_rule(name, rule, value, f"leave it out: {why}")


def _of_discordance(discordant: Any) -> list[list[list[float]]]:
    """Return joint shares of being right or wrong, where agreement is split evenly."""
    try:
        first, second = (
            number_in("discordant", share, "[0, 1]", "pass two shares") for share in discordant
        )
    except (TypeError, ValueError):
        first = second = 1.0
    if first + second > 1:
        rule = "must be two shares of all cases: right by the first only, by the second only"
        remedy = "pass for example (0.09, 0.22)"
        raise InvalidArgumentError.from_rule("discordant", rule, discordant, remedy)
    alike = (1 - first - second) / 2
    return [[[alike], [first]], [[second], [alike]]]


@wraps(validation_sample_size)
def _calibration(question: str, **known: Any) -> SampleSize:
    return _validated(question, validation_sample_size(**known))


def _area(
    question: str, *, auc: Any, base_rate: Any, width: Any = 0.1, confidence_level: Any = 0.95
) -> SampleSize:
    found = validation_sample_size(
        auc=auc, base_rate=base_rate, auc_width=width, confidence_level=confidence_level,
        oe_width=None, slope_width=None, net_benefit_width=None,
    )  # fmt: skip
    return _validated(question, found)


def _validated(question: str, found: ValidationSize) -> SampleSize:
    return SampleSize(
        question=question, n=found.n, cases=found.n, route="normal approximation", validation=found,
        known={"base_rate": found.base_rate, "confidence_level": found.confidence_level},
    )  # fmt: skip


def _gap(
    question: str,
    metric: str,
    *,
    reference: Any,
    gap: Any = None,
    group: Any = None,
    power: Any = None,
    alpha: Any = 0.05,
    condition: Any = "auto",
    uncertain_reference: bool = True,
    alternative: Any = "two-sided",
) -> SampleSize | SmallestGap | GapPower:
    how: dict[str, Any] = {
        "alpha": alpha, "condition": condition, "alternative": alternative,
        "uncertain_reference": uncertain_reference,
    }  # fmt: skip
    wanted = 0.8 if power is None else power
    if group is not None and gap is None:
        return smallest_gap(metric, group, reference, power=wanted, **how)
    if group is not None:
        _refuse_beside("group and gap", {"power": power}, "the answer is the power")
        seen = match_power(metric, group, reference, gap=gap, **how)
        return GapPower(metric=metric, gap=gap, alpha=alpha, power=seen)
    if gap is None:
        rule = f"must be known for {question!r}: one of the two"
        remedy = "pass the gap that matters, such as gap=-0.1, or the group that there is"
        raise InvalidArgumentError.from_rule("gap and group", rule, None, remedy)
    found = group_size(metric, reference, gap=gap, power=wanted, **how)
    return SampleSize(
        question=question,
        n=found.size,
        counted=found.counted,
        cases=found.n,
        route="exact test",
        known={"gap": gap, "power": wanted, "alpha": alpha},
        reason=found.reason,
    )


def _clustered(n: int, design_effect: Any) -> int:
    remedy = "1 + (cases per cluster - 1) times their correlation is usual"
    return ceil(n * number_in("design_effect", design_effect, "(0, inf)", remedy))


def _cases(n: int, whole: frozenset[str], base_rate: Any) -> int | None:
    """Return how many cases hold so many positives or negatives, if their share is known."""
    if whole == ALL:
        return n
    if base_rate is None or whole not in {POSITIVE, NEGATIVE}:
        return None
    share = number_in("base_rate", base_rate, "(0, 1)", "pass the share of positives")
    return ceil(n / (share if whole == POSITIVE else 1 - share) - 1e-9)


NAMED = {"difference": _difference, "calibration": _calibration, "roc_auc": _area}

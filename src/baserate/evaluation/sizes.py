"""Sizes of samples: promises, widths, differences, margins, calibration and gaps, one by one."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from math import ceil
from typing import Any

from baserate._checks import number_in, whole_number
from baserate._result import HIDDEN, Result
from baserate.counts import CELLS, ConfusionMatrix
from baserate.errors import InvalidArgumentError
from baserate.evaluation.margins import refuse_beyond
from baserate.groups.null import name_of, sides
from baserate.groups.power import SmallestGap, group_size, match_power, smallest_gap
from baserate.inference.sample_size import (
    power_at_least,
    sample_size_areas,
    sample_size_at_least,
    sample_size_discordant,
    sample_size_interval,
    sample_size_not_worse,
    sample_size_paired,
    sample_size_separate,
)
from baserate.inference.validation_size import ValidationSize, validation_sample_size
from baserate.metrics import Metric, binary_metric
from baserate.models.model import ALL, NEGATIVE, POSITIVE
from baserate.report.no_data import power_in_words, promise_in_words, size_in_words

CRITERIA = ("oe", "slope", "auc", "net_benefit")
LAWS = ("scores", "linear_predictor", "beta")


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


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PromisePower(Result):
    """How probably so many cases show a promise; ``float()`` gives it.

    Attributes
    ----------
    question : str
    n : int
        Of what is `counted`: "positives" for recall.
    counted : str
    expected, confidence_level, power : float
    """

    question: str
    n: int
    counted: str
    expected: float
    confidence_level: float
    power: float

    def __float__(self) -> float:
        return self.power

    def __repr__(self) -> str:
        return promise_in_words(self)


def promise_size(
    question: str,
    metric: str,
    way: str,
    bound: str,
    *,
    expected: Any,
    n: Any = None,
    base_rate: Any = None,
    power: Any = None,
    confidence_level: Any = 0.95,
    design_effect: Any = 1.0,
) -> SampleSize | PromisePower:
    """Return how many cases show that a share keeps a promise, or how probably `n` of them do."""
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
    whole, how = sides(chosen)[1], {"confidence_level": confidence_level}
    if n is not None:
        _refuse_beside("n", {"power": power, "base_rate": base_rate}, "the answer is the power")
        size = whole_number("n", n, minimum=1)
        independent = max(1, int(size / _effect(design_effect)))
        shown = power_at_least(independent, *ends, **how)
        about = {"n": size, "counted": name_of(whole), "expected": hoped}
        return PromisePower(question=question, power=shown, **about, **how)
    power = 0.8 if power is None else power
    return _size(
        question, sample_size_at_least(*ends, power=power, **how), "enumerated",
        {"expected": hoped, "power": power, **how}, design_effect, whole, base_rate,
    )  # fmt: skip


def width_size(
    question: str,
    metric: str | Metric,
    *,
    width: Any,
    expected: Any = None,
    table: ConfusionMatrix | None = None,
    recall: Any = None,
    specificity: Any = None,
    base_rate: Any = None,
    confidence_level: Any = 0.95,
    design_effect: Any = 1.0,
) -> SampleSize:
    """Return how many cases make an interval this narrow; see `sample_size`."""
    rates = {"recall": recall, "specificity": specificity, "base_rate": base_rate}
    half = number_in("width", width, "(0, inf)", "pass upper less lower limit, as 0.1") / 2
    how: dict[str, Any] = {"width": width, "confidence_level": confidence_level}
    chosen = binary_metric(metric)
    refuse_beyond("width", 2 * half, chosen.name, chosen.bounds)
    if expected is None and chosen.name in rates and None in rates.values():
        expected, rates[chosen.name] = rates[chosen.name], None
    if expected is not None:
        beside = {"table": table, **rates, "base_rate": None}
        _refuse_beside("expected", beside, "a share has one")
        share, whole = _of_share(question, chosen, expected)
        n = sample_size_interval(chosen, share, half_width=half, confidence_level=confidence_level)
        found = _size(question, n, "posterior", how, design_effect, whole, base_rate)
        return replace(found, known={**found.known, "hoped": float(expected)})
    if table is None:
        if missing := [name for name, rate in rates.items() if rate is None]:
            rule = f"must be known for {question!r} without a pilot table"
            remedy = "pass recall=0.9, specificity=0.8 and base_rate=0.3, if these are to expect"
            if chosen.proportion is not None:
                missing = ["expected"]
                remedy = f"pass expected=0.85, if that is the {chosen.name} to expect"
            remedy += ", or a table="
            raise InvalidArgumentError.from_rule(", ".join(missing), rule, None, remedy)
        table = ConfusionMatrix.from_rates(**rates)
    else:
        _refuse_beside("table", rates, "a pilot table has rates of its own")
    n = sample_size_interval(metric, table, half_width=half, confidence_level=confidence_level)
    return _size(question, n, "posterior", how, design_effect)


def _of_share(
    question: str, metric: Metric, expected: Any
) -> tuple[ConfusionMatrix, frozenset[str]]:
    """Return the shares of the cells that a share of cases is of, and which these cells are."""
    if metric.proportion is None:
        rule = f"is of a share of cases, which {metric.name} is not"
        remedy = f"pass recall=, specificity= and base_rate= for {question!r}, or a table="
        raise InvalidArgumentError.from_rule("expected", rule, expected, remedy)
    share = number_in("expected", expected, "[0, 1]", "pass the share that is expected")
    hits, whole = sides(metric)
    cells = {**dict.fromkeys(map(str, CELLS), 0.0), min(hits): share, min(whole - hits): 1 - share}
    return ConfusionMatrix(**cells), whole


def margin_size(
    question: str,
    metric: str,
    way: str,
    bound: str,
    *,
    discordant: Any,
    base_rate: Any = None,
    power: Any = 0.8,
    certainty: Any = 0.975,
    design_effect: Any = 1.0,
) -> SampleSize:
    """Return how many cases show that one is not worse by more than a margin; see `sample_size`."""
    chosen = binary_metric(metric)
    whole: frozenset[str] = sides(chosen)[1] if chosen.proportion is not None else frozenset()
    if whole not in {ALL, POSITIVE, NEGATIVE}:
        rule, remedy = "must be of a share of the same cases for both", "ask for recall or accuracy"
        raise InvalidArgumentError.from_rule("question", rule, question, remedy)
    try:
        lead = float(bound) if way == ">=" else -float(bound)
    except ValueError:
        lead = 0.0
    better = {">=": "higher", "<=": "lower"}[way]
    if not -1 < lead < 0 or chosen.direction != better:
        rule = "must leave room for the second to be worse, by less than 1"
        remedy = 'write "difference(recall) >= -0.02@low" or "difference(error_rate) <= 0.02@high"'
        raise InvalidArgumentError.from_rule("question", rule, question, remedy)
    how = {"power": power, "certainty": certainty}
    n = sample_size_not_worse(*_two_shares(discordant), -lead, **how)
    known = {"margin": -lead, **how}
    return _size(question, n, "enumerated", known, design_effect, whole, base_rate)


def difference_size(
    question: str,
    *,
    discordant: Any = None,
    margin: Any = None,
    joint: Any = None,
    a: Any = None,
    b: Any = None,
    utility: Any = None,
    power: Any = None,
    certainty: Any = 0.975,
    class_shares: Any = None,
    prior: Any = 1.0,
    design_effect: Any = 1.0,
) -> SampleSize:
    """Return how many cases tell two classifiers apart; see `sample_size`."""
    if margin is not None:
        others = {"joint": joint, "a": a, "b": b, "utility": utility, "class_shares": class_shares}
        _refuse_beside("margin", others, "pass discordant=")
        room = number_in("margin", margin, "(0, 1)", "pass 0.02 for two points")
        how = {"certainty": certainty, "design_effect": design_effect}
        how["power"] = 0.8 if power is None else power
        return margin_size(
            question, "accuracy", ">=", repr(-room), discordant=discordant, **how
        )  # fmt: skip
    given = (discordant is not None, joint is not None, a is not None and b is not None)
    if sum(given) != 1:
        rule = f"must be known for {question!r}, or in its place joint, or both a and b"
        remedy = "pass discordant=(0.09, 0.22): the shares that only one of the two gets right"
        raise InvalidArgumentError.from_rule("discordant", rule, discordant, remedy)
    if discordant is not None:
        _refuse_beside("discordant", {"utility": utility}, "pass joint= for errors of other costs")
    if a is None or b is None:
        apart = {"a": a, "b": b, "class_shares": class_shares}
        _refuse_beside("discordant or joint", apart, "both are of the same cases")
    else:
        _refuse_beside("joint, or a and b", {"power": power}, "pass discordant= for a power")
    if power is not None:
        known = {"certainty": certainty, "power": power}
        n = sample_size_discordant(*_two_shares(discordant), **known)
        return _size(question, n, "exact test", known, design_effect)
    how: dict[str, Any] = {"certainty": certainty, "prior": prior}
    if discordant is not None:
        joint, utility = _of_discordance(discordant), [[1], [0]]
    utility = [[1, 0], [0, 1]] if utility is None else utility
    if joint is not None:
        n = sample_size_paired(joint, utility, **how)
    else:
        shares = "pooled" if class_shares is None else class_shares
        n = sample_size_separate(a, b, utility, class_shares=shares, **how)
    found = _size(question, n, "posterior", {"certainty": certainty}, design_effect)
    if joint is not None:
        return found
    return replace(found, counted="cases for each", cases=2 * int(found))


def _refuse_beside(known: str, others: Mapping[str, Any], why: str) -> None:
    for name, value in others.items():
        if value is not None:
            rule = f"has no meaning beside {known}"
            raise InvalidArgumentError.from_rule(name, rule, value, f"leave it out: {why}")


def _of_discordance(discordant: Any) -> list[list[list[float]]]:
    """Return joint shares of being right or wrong, where agreement is split evenly."""
    first, second = _two_shares(discordant)
    alike = (1 - first - second) / 2
    return [[[alike], [first]], [[second], [alike]]]


def _two_shares(discordant: Any) -> tuple[float, float]:
    """Return the shares of cases that only the first and only the second gets right."""
    try:
        first, second = (
            number_in("discordant", share, "[0, 1]", "pass two shares") for share in discordant
        )
    except (TypeError, ValueError):
        first = second = 1.0
    if first + second > 1:
        rule = "must be two shares of all cases: right by the first only, by the second only"
        remedy = "pass for example discordant=(0.09, 0.22)"
        raise InvalidArgumentError.from_rule("discordant", rule, discordant, remedy)
    return first, second


@wraps(validation_sample_size)
def calibration_size(question: str, **known: Any) -> SampleSize:
    """Return how many cases a validation takes: by the widths that are named, else by all.

    A threshold is named for its net benefit.
    """
    for rate in ("recall", "specificity") if known.get("threshold") is None else ():
        if known.get(rate) is not None:
            rule = "is of the net benefit at a threshold, and none is named"
            remedy = f'ask "{rate}" to within a width, a question of its own, or pass threshold=0.1'
            raise InvalidArgumentError.from_rule(rate, rule, known[rate], remedy)
    named = [name for name in CRITERIA if known.get(f"{name}_width") is not None]
    if named and known.get("threshold") is not None:
        named.append("net_benefit")
    told = [name for name in LAWS if known.get(name) is not None]
    if named and "slope" not in named and not (told or {"auc", "base_rate"} <= known.keys()):
        known["slope_width"] = None
    return _validated(question, validation_sample_size(**known).bound_by(named))


def area_size(
    question: str, *, auc: Any, base_rate: Any, width: Any = 0.1, confidence_level: Any = 0.95
) -> SampleSize:
    """Return how many cases make the interval of the ROC area this narrow."""
    number_in("width", width, "(0, 1)", "pass upper less lower limit, as 0.1")
    found = validation_sample_size(
        auc=auc, base_rate=base_rate, auc_width=width, confidence_level=confidence_level,
        oe_width=None, slope_width=None, net_benefit_width=None,
    )  # fmt: skip
    return _validated(question, found)


def area_difference_size(
    question: str,
    *,
    auc: Any,
    base_rate: Any,
    correlation: Any,
    power: Any = 0.8,
    certainty: Any = 0.975,
    design_effect: Any = 1.0,
) -> SampleSize:
    """Return how many cases show which of two scores has the larger ROC area; see `sample_size`."""
    if not isinstance(auc, tuple | list) or len(auc) != 2:
        rule, remedy = "must be two areas, one of each score", "pass for example auc=(0.80, 0.85)"
        raise InvalidArgumentError.from_rule("auc", rule, auc, remedy)
    remedy = "0 asks for the most cases; scores of the same cases often have 0.5 to 0.9"
    first, second = (number_in("auc", area, "(0, 1)", "pass for example 0.8") for area in auc)
    n = sample_size_areas(
        (first, second),
        number_in("correlation", correlation, "[-1, 1)", remedy),
        number_in("base_rate", base_rate, "(0, 1)", "pass the share of positives"),
        power=number_in("power", power, "(0, 1)", "0.8 is usual"),
        certainty=certainty,
    )
    known = {"certainty": certainty, "power": power}
    return _size(question, n, "normal approximation", known, design_effect)


def _validated(question: str, found: ValidationSize) -> SampleSize:
    return SampleSize(
        question=question, n=found.n, cases=found.n, route="normal approximation", validation=found,
        known={"base_rate": found.base_rate, "confidence_level": found.confidence_level},
    )  # fmt: skip


def gap_size(
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
    """Return how large a group shows a gap, or what a given one shows; see `sample_size`."""
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
        remedy = "pass the gap that matters, such as gap=-0.1, or the cases there are, as group=120"
        raise InvalidArgumentError.from_rule("gap, group", rule, None, remedy)
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


def _size(
    question: str, n: int, route: str, known: Mapping[str, Any], design_effect: Any,
    whole: frozenset[str] = ALL, base_rate: Any = None,
) -> SampleSize:  # fmt: skip
    """Return a size, which of clustered cases is larger by their design effect."""
    n = ceil(n * _effect(design_effect))
    return SampleSize(
        question=question,
        n=n,
        counted=name_of(whole),
        cases=_cases(n, whole, base_rate),
        route=route,
        known={**known, "design_effect": float(design_effect)},
    )


def _effect(given: Any) -> float:
    remedy = "1 + (cases per cluster - 1) times their correlation is usual"
    return number_in("design_effect", given, "(0, inf)", remedy)


def _cases(n: int, whole: frozenset[str], base_rate: Any) -> int | None:
    """Return how many cases hold so many positives or negatives, if their share is known."""
    if whole == ALL:
        return n
    if base_rate is None or whole not in {POSITIVE, NEGATIVE}:
        return None
    share = number_in("base_rate", base_rate, "(0, 1)", "pass the share of positives")
    return ceil(n / (share if whole == POSITIVE else 1 - share) - 1e-9)

"""The answer about a score in words: whether its probabilities can be believed, how it ranks."""

import math
from collections.abc import Iterable

from baserate.facts import CalibrationFact, EstimateFact, RegionFact, ThresholdFacts
from baserate.report import figures
from baserate.report.figures import short
from baserate.report.words import SIGNIFICANT, reason_of, sentence_case

ROOM = 0.2  # risks that may be off by more than this share are worth a warning
NO_PROBABILITY = (
    "The score is no probability, since it runs from {} to {}: only its order and its cuts are "
    "judged."
)
REVERSED = (
    "Worse than chance: the score looks reversed. Turned round it would have {}; check which label "
    "is positive, and whether a higher score means positive."
)
WAYS = {"under": "underestimated", "over": "overestimated"}
TELLS = ("underestimates", "overestimates")
SHAPES = {
    "extreme": "too extreme, the high ones too high and the low ones too low",
    "timid": "too timid, the high ones too low and the low ones too high",
}


def answer(facts: ThresholdFacts) -> tuple[str, ...]:
    """Say whether probabilities can be believed, and whether the score ranks better than chance."""
    return (*believed(facts), *ranks(facts))


def believed(facts: ThresholdFacts) -> tuple[str, ...]:
    """Say whether the probabilities can be believed, or why there is no saying."""
    found = facts.calibration
    if found is None:
        why = facts.absent.get("calibration")
        if why == "no_probabilities":
            return (NO_PROBABILITY.format(*map(figures.short, facts.score_range)),)
        return (f"Whether risks can be believed is not known: {reason_of(why)}.",) if why else ()
    whole, shape, places = _whole(found), _shape(found), _places(found)
    if whole:
        sentences = (f"Risks are {WAYS[whole]}: {_large(found)}.", *_shaped(found, shape))
    elif shape:
        said = f"Risks are {SHAPES[shape]} ({_slope(found)})."
        sentences = (said, f"On the whole they fit: {_large(found)}.")
    elif places:
        sentences = (f"Risks fit on the whole, not everywhere: {_large(found)}.",)
    else:
        return (f"No evidence that risks are wrong: {_large(found)}.", *_room(found, facts))
    return (*sentences, *places)


def _oe(found: CalibrationFact) -> EstimateFact | None:
    return found.measure("observed_expected")


def _whole(found: CalibrationFact) -> str:
    """Tell by the test of calibration in the large, or by the interval where there is no test."""
    fact = _oe(found)
    if fact is None or math.isnan(fact.value):
        return ""
    if not math.isnan(fact.p_value):
        wrong = fact.p_value < SIGNIFICANT
    else:
        wrong = fact.low > 1 or fact.high < 1
    return ("under" if fact.value > 1 else "over") if wrong else ""


def _shape(found: CalibrationFact) -> str:
    """Tell by the interval of the slope."""
    fact = found.measure("calibration_slope")
    if fact is None:
        return ""
    return "extreme" if fact.high < 1 else "timid" if fact.low > 1 else ""


def _shaped(found: CalibrationFact, shape: str) -> tuple[str, ...]:
    return (f"They are also {SHAPES[shape]} ({_slope(found)}).",) if shape else ()


def _slope(found: CalibrationFact) -> str:
    fact = found.measure("calibration_slope")
    return "" if fact is None else f"calibration slope {_with_interval(fact)}"


def _large(found: CalibrationFact) -> str:
    """Write what was observed and what was expected."""
    seen = f"{figures.count(found.observed)} observed for {_expected(found)} expected"
    fact = _oe(found)
    if fact is None or math.isnan(fact.value):
        return seen
    return f"{seen} (O:E {_with_interval(fact)})"


def _expected(found: CalibrationFact) -> str:
    """Write the number expected, with a decimal where it tells it from the number observed."""
    close = abs(found.expected - found.observed) < 10
    return figures.count(round(found.expected, 1) if close else round(found.expected))


def _with_interval(fact: EstimateFact) -> str:
    parts = [ratio(fact.value)]
    if not math.isnan(fact.low + fact.high):
        parts.append(f", {ratio(fact.low)} to {ratio(fact.high)}")
    if not math.isnan(fact.p_value):
        parts.append(f"; {figures.p_stated(fact.p_value)}")
    return "".join(parts)


def ratio(value: float) -> str:
    """Write a ratio that is compared with 1: two decimals, more where these would say 1.

    Examples
    --------
    >>> [ratio(x) for x in (1.2288, 0.65, 1.0, 1.004, 0.997, 0.0123, 12.0)]
    ['1.23', '0.65', '1.00', '1.004', '0.997', '0.012', '12.00']
    """
    written = f"{value:.2f}"
    return written if 0.1 <= value < 10 and (written != "1.00" or value == 1) else short(value)


def _room(found: CalibrationFact, facts: ThresholdFacts) -> tuple[str, ...]:
    """Say which errors so few cases cannot exclude."""
    fact = _oe(found)
    if fact is None or math.isnan(fact.low + fact.high):
        return ()
    high = 1 / fact.low - 1 if fact.low else math.inf  # how far stated risks may be too high
    low = 1 - 1 / fact.high
    if max(high, low) <= ROOM:
        return ()
    too_high = f"{figures.percent(high)} too high" if math.isfinite(high) else "far too high"
    sizes = f"{figures.count(facts.n)} cases"
    return (f"These {sizes} leave room for risks {too_high} or {figures.percent(low)} too low.",)


def _places(found: CalibrationFact) -> tuple[str, ...]:
    """Say where risks are wrong, for sure and all at once."""
    of_way = {way: [r for r in found.regions if r.direction == way] for way in TELLS}
    told = " and ".join(f"{way} {_spans(regions)}" for way, regions in of_way.items() if regions)
    return (f"The score {told} ({figures.level(found.band_level)} band).",) if told else ()


def _spans(regions: Iterable[RegionFact]) -> str:
    return " and ".join(
        f"at {low}" if low == high else f"between {low} and {high}"
        for low, high in ((short(r.low), short(r.high)) for r in regions)
    )


def ranks(facts: ThresholdFacts) -> tuple[str, ...]:
    """Say whether the score ranks better than chance."""
    auc = next((fact for fact in facts.ranking if fact.name == "roc_auc"), None)
    if auc is None or math.isnan(auc.value):
        return ()
    interval = ""
    if not math.isnan(auc.low + auc.high):
        low, high = short(auc.low), short(auc.high)
        level = figures.level(facts.confidence_level)
        interval = f" ({level} interval {low} to {high})"
    scored = f"ROC AUC is {short(auc.value)}{interval}; a score that knows nothing has 0.5"
    if math.isnan(auc.p_value):
        return (f"{scored}.",)
    better = "yes" if auc.p_value < SIGNIFICANT and auc.value > 0.5 else "no"
    better = "cannot tell" if better == "no" and auc.value > 0.5 else better
    turned = auc.high < 0.5
    return (
        f"Ranks better than chance: {better} ({figures.p_stated(auc.p_value)}).",
        f"{sentence_case(scored)}.",
        *((REVERSED.format(short(1 - auc.value)),) if turned else ()),
    )

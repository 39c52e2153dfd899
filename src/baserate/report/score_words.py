"""The answer about a score in words: whether its probabilities can be believed, how it ranks."""

import math

from baserate import _figures as figures
from baserate._figures import short
from baserate.facts import (
    CalibrationFact,
    EstimateFact,
    GroupCalibrationFact,
    RegionFact,
    ThresholdFacts,
)
from baserate.report.score_rows import bounded
from baserate.report.words import SIGNIFICANT, in_words, reason_of, sentence_case

ROOM = 0.2  # risks that may be off by more than this share are worth a warning
TIMES = 1.0  # shares beyond are said as a factor
PLACES = 2  # stretches that a sentence names one by one
NAMED = 3  # groups that a sentence names
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
    "reversed": "the wrong way round, with fewer positives where they are high",
    "extreme": "too extreme, the high ones too high and the low ones too low",
    "timid": "too timid, the high ones too low and the low ones too high",
}
ONE_RISK = "Every case has the same score, {}, so it tells no case from another."
ONE_BIN = (
    "All scores came counted in one bin, so nothing is known of their order: count the cases in "
    "finer bins, such as without groups or with a smaller minimum."
)
HOLDS_ONE = (
    "The interval holds 1 all the same: it allows for any true risks, the test for the stated ones."
)
LEAVES_OUT_ONE = "The interval leaves out 1 and the test does not reject it: a borderline case."
BORDERLINE = (
    "Of two tests (O:E and slope), the smaller p must be below 0.025 to count (Holm's rule)."
)
HOLDS_CHANCE = (
    "The test says that it ranks better than chance; how much better is open, as the interval "
    "holds 0.5."
)


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
    return (*_on_the_whole(found, facts), *_in_groups(found))


def _on_the_whole(found: CalibrationFact, facts: ThresholdFacts) -> tuple[str, ...]:
    alike = ONE_BIN if facts.bins is not None else ONE_RISK.format(risk(facts.score_range[0]))
    one = (alike,) if facts.n_cut_points == 1 else ()
    whole, shape, places = _whole(found), _shape(found), _places(found)
    if whole:
        large = f"Risks are {WAYS[whole]}: {_large(found)}."
        sentences = (large, *_discord(found), *_shaped(found, shape))
    elif shape:
        said = f"Risks are {SHAPES[shape]} ({_slope(found)})."
        sentences = (said, f"On the whole they fit: {_large(found)}.", *_discord(found))
    elif places:
        sentences = (f"Risks fit on the whole, not everywhere: {_large(found)}.",)
    else:
        evidence = "clear evidence" if _is_borderline(found) else "evidence"
        where = " on the whole" if _wrong_groups(found) else ""
        fits = f"No {evidence} that risks are wrong{where}: {_large(found)}."
        borderline = (BORDERLINE,) if _is_borderline(found) else _discord(found)
        sentences = (fits, *borderline, *_room(found))
    return (*one, *sentences, *places)


def _wrong(found: CalibrationFact) -> set[str]:
    """Tell which of two tests are evidence, by Holm's rule: both are right in 95% of cases.

    The first is that of calibration in the large (of the intercept, where weights leave no exact
    one), the second that of the slope.
    """
    tests = {"observed_expected": _p_in_the_large(found), "calibration_slope": math.nan}
    slope = found.measure("calibration_slope")
    if slope is not None:
        tests["calibration_slope"] = slope.p_value
    known = sorted((p, name) for name, p in tests.items() if not math.isnan(p))
    wrong: set[str] = set()
    oe = _oe(found)
    if oe is not None and math.isnan(tests["observed_expected"]) and (oe.low > 1 or oe.high < 1):
        wrong.add("observed_expected")  # without a test the interval tells
    for place, (p, name) in enumerate(known):
        if not p * (len(known) - place) < SIGNIFICANT:
            break
        wrong.add(name)
    return wrong


def _p_in_the_large(found: CalibrationFact) -> float:
    for name in ("observed_expected", "calibration_intercept"):
        fact = found.measure(name)
        if fact is not None and not math.isnan(fact.p_value):
            return fact.p_value
    return math.nan


def is_wrong(found: CalibrationFact) -> bool:
    """Whether there is evidence that risks are wrong: of O:E or of the slope."""
    return bool(_wrong(found))


def _oe(found: CalibrationFact) -> EstimateFact | None:
    return found.measure("observed_expected")


def _whole(found: CalibrationFact) -> str:
    """Tell which way risks are wrong on the whole, if they are."""
    fact = _oe(found)
    if fact is None or math.isnan(fact.value) or "observed_expected" not in _wrong(found):
        return ""
    return "under" if fact.value > 1 else "over"


def _shape(found: CalibrationFact) -> str:
    """Tell in which way risks are spread too far or too little, if they are."""
    fact = found.measure("calibration_slope")
    if fact is None or "calibration_slope" not in _wrong(found):
        return ""
    return "reversed" if fact.high < 0 else "extreme" if fact.value < 1 else "timid"


def _discord(found: CalibrationFact) -> tuple[str, ...]:
    """Say why interval and test of the O:E ratio differ, where they do."""
    fact = _oe(found)
    if fact is None or math.isnan(fact.low + fact.high):
        return ()
    holds, wrong = fact.low <= 1 <= fact.high, bool(_whole(found))
    if holds == wrong:
        return (HOLDS_ONE if wrong else LEAVES_OUT_ONE,)
    return ()


def _is_borderline(found: CalibrationFact) -> bool:
    """Whether one of the tests alone would be evidence, and both together are not."""
    slope = found.measure("calibration_slope")
    alone = (_p_in_the_large(found), math.nan if slope is None else slope.p_value)
    return not _wrong(found) and any(p < SIGNIFICANT for p in alone)


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
    >>> from baserate.report.score_words import ratio
    >>> [ratio(x) for x in (1.2288, 0.65, 1.0, 1.0001, 1.004, 0.997, 0.0123, -1.03)]
    ['1.23', '0.65', '1.00', '1.00', '1.004', '0.997', '0.012', '-1.03']
    """
    written = f"{value:.2f}"
    if written == "1.00" and short(value) == "1.000":
        return written
    return written if 0.1 <= abs(value) < 10 and (written != "1.00" or value == 1) else short(value)


def _room(found: CalibrationFact) -> tuple[str, ...]:
    """Say which errors so few cases cannot exclude."""
    fact = _oe(found)
    if fact is None or math.isnan(fact.low + fact.high):
        return ()
    high = 1 / fact.low - 1 if fact.low else math.inf  # how far stated risks may be too high
    low = 1 - 1 / fact.high
    if max(high, low) <= ROOM or low <= 0 or high <= 0:
        return ()
    below = figures.percent(low)
    return (f"The interval leaves room for risks {_too_high(high)} or {below} too low.",)


def _too_high(share: float) -> str:
    if math.isinf(share):
        return "far too high"
    return (
        f"{1 + share:.2g} times too high" if share > TIMES else f"{figures.percent(share)} too high"
    )


def _places(found: CalibrationFact) -> tuple[str, ...]:
    """Say where risks are wrong, all at once."""
    of_way = {way: [r for r in found.regions if r.direction == way] for way in TELLS}
    told = " and ".join(f"{way} {_spans(regions)}" for way, regions in of_way.items() if regions)
    return (f"The score {told} ({figures.level(found.band_level)} band).",) if told else ()


def _spans(regions: list[RegionFact]) -> str:
    if len(regions) > PLACES:
        low, high = risk(min(r.low for r in regions)), risk(max(r.high for r in regions))
        return f"in {in_words(len(regions)).lower()} stretches between {low} and {high}"
    return " and ".join(
        f"at {low}" if low == high else f"between {low} and {high}"
        for low, high in ((risk(r.low), risk(r.high)) for r in regions)
    )


def risk(value: float) -> str:
    """Write a probability for a sentence; 0 and 1 only where it is exactly that.

    Examples
    --------
    >>> from baserate.report.score_words import risk
    >>> risk(0.0), risk(1.0), risk(0.3456), risk(0.0421)
    ('0', '1', '0.35', '0.042')
    """
    return f"{value:.0f}" if value in {0, 1} else short(value)


def _in_groups(found: CalibrationFact) -> tuple[str, ...]:
    """Name the groups whose risks are wrong, the surest first."""
    wrong = _wrong_groups(found)
    sentences = tuple(map(_in_group, wrong[:NAMED]))
    more = len(wrong) - NAMED
    groups = "group is" if more == 1 else "groups are"
    return (*sentences, *((f"{in_words(more)} more {groups} in the table.",) if more > 0 else ()))


def _wrong_groups(found: CalibrationFact) -> list[GroupCalibrationFact]:
    wrong = [group for group in found.groups if group.adjusted_p_value < SIGNIFICANT]
    return sorted(wrong, key=lambda group: group.adjusted_p_value)


def _in_group(group: GroupCalibrationFact) -> str:
    where = " and ".join(
        f"{figures.label(name)} {figures.quoted(value)}" for name, value in group.group.items()
    )
    oe = group.observed_expected
    way = WAYS["under" if oe.value > 1 else "over"]
    stated = f"O:E {ratio(oe.value)}, {ratio(oe.low)} to {ratio(oe.high)}"
    p = figures.p_stated(group.adjusted_p_value)
    return f"For {where} risks are {way} ({stated}; adjusted {p})."


def ranked(facts: ThresholdFacts) -> tuple[str, ...]:
    """Say in one sentence how well the score ranks, for a report that answers another question."""
    auc = _auc(facts)
    return () if auc is None else area(auc, facts.confidence_level)


def area(auc: EstimateFact, confidence_level: float) -> tuple[str, ...]:
    """Say in one sentence how well a score ranks, and whether its interval and test disagree."""
    beside = [] if math.isnan(auc.p_value) else [figures.p_stated(auc.p_value)]
    if not math.isnan(auc.low + auc.high):
        level = figures.level(confidence_level)
        beside.insert(0, f"{level} interval {short(auc.low)} to {short(auc.high)}")
    told = f" ({'; '.join(beside)})" if beside else ""
    area = bounded(short(auc.value), auc.bounds, short)
    return (
        f"Over all cuts, the ROC area is {area}{told}; chance is 0.5.",
        *_ranks_in_discord(auc),
    )


def _auc(facts: ThresholdFacts) -> EstimateFact | None:
    auc = next((fact for fact in facts.ranking if fact.name == "roc_auc"), None)
    return None if auc is None or math.isnan(auc.value) else auc


def ranks_surely(facts: ThresholdFacts) -> bool:
    """Whether the score surely ranks better than chance: by the test, else by the interval."""
    auc = _auc(facts)
    if auc is None or not auc.value > 0.5:
        return False
    return auc.low > 0.5 if math.isnan(auc.p_value) else auc.p_value < SIGNIFICANT


def _ranks_in_discord(auc: EstimateFact) -> tuple[str, ...]:
    """Say why the interval may hold what the test excludes."""
    differ = auc.value > 0.5 >= auc.low and auc.p_value < SIGNIFICANT
    return (HOLDS_CHANCE,) if differ else ()


def ranks(facts: ThresholdFacts) -> tuple[str, ...]:
    """Say whether the score ranks better than chance."""
    auc = _auc(facts)
    if auc is None:
        return ()
    interval = ""
    if not math.isnan(auc.low + auc.high):
        low, high = short(auc.low), short(auc.high)
        level = figures.level(facts.confidence_level)
        interval = f" ({level} interval {low} to {high})"
    area = bounded(short(auc.value), auc.bounds, short)
    scored = f"ROC AUC is {area}{interval}; a score that knows nothing has 0.5"
    if math.isnan(auc.p_value):
        return (f"{scored}.",)
    better = "yes" if auc.p_value < SIGNIFICANT and auc.value > 0.5 else "no"
    better = "cannot tell" if better == "no" and auc.value > 0.5 else better
    turned = auc.high < 0.5
    return (
        f"Ranks better than chance: {better} ({figures.p_stated(auc.p_value)}).",
        f"{sentence_case(scored)}.",
        *_ranks_in_discord(auc),
        *((REVERSED.format(short(1 - auc.value)),) if turned else ()),
    )

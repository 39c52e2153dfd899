"""The answer about a score in words: whether its probabilities can be believed, how it ranks."""

import math
from collections.abc import Iterable

from baserate import _figures as figures
from baserate._figures import sentence_case, short
from baserate._holm import not_one
from baserate._measures import RANGE
from baserate.facts.scores import CalibrationFact, EstimateFact, GroupCalibrationFact, RegionFact
from baserate.facts.threshold import ThresholdFacts
from baserate.report import verdicts
from baserate.report.score_rows import bounded, measure
from baserate.report.words import SIGNIFICANT, and_joined, in_words, reason_of

ROOM = 0.2  # risks that may be off by more than this share are worth a warning
TIMES = 1.0  # shares beyond are said as a factor
PLACES = 2  # stretches that a sentence names one by one
TOLD = {"roc_auc", "observed_expected"}  # of which other sentences tell
CERTAIN = (0.0, 1.0)
NAMED = 3  # groups that a sentence names
NO_PROBABILITY = (
    "The score is no probability, since it runs from {} to {}: only its order and its cuts are "
    "judged."
)
WAYS = {"under": "underestimated", "over": "overestimated"}
TELLS = {"underestimates": "too low", "overestimates": "too high"}
SHAPES = {
    "reversed": "the wrong way round, with fewer positives where they are high",
    "extreme": "too extreme",
    "timid": "too timid",
}
# What the fitted line says of risks below and above the one that it leaves as it is.
ENDS = {"extreme": ("too low", "too high"), "timid": ("too high", "too low")}
ONE_RISK = "Every case has the same score, {}, so it tells no case from another."
DECISIONS = (
    "The score is 0 or 1 only, as decisions are: as risks both would be certain. Pass it as the "
    "prediction (prediction=, --prediction)."
)
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
FOLDED = (
    "Each of {} folds was scored by a model of its own: ranks are those within folds, and ROC AUC, "
    "average precision and discrimination slope are means over them, as scores of different models "
    "are not comparable; chance is that of lists as short."
)


def answer(facts: ThresholdFacts, worth: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Say whether the score ranks better than chance, then whether its risks can be believed.

    Between the two comes the top of the list, where it was asked for; after them what the score is
    worth, or before them where a range of risks was asked for.
    """
    known = (*facts.ranking, *(() if facts.calibration is None else facts.calibration.measures))
    named = [m for name in facts.named for m in known if m.name == name and name not in TOLD]
    told, ranked = asked(named, facts.confidence_level), ranks(facts)
    told = (*ranked, *told) if is_reversed(facts) else (*told, *ranked)
    told = (*told, *_top(facts), *believed(facts))
    return (*worth, *told) if any(map(RANGE.fullmatch, facts.named)) else (*told, *worth)


def asked(measures: Iterable[EstimateFact], confidence_level: float) -> tuple[str, ...]:
    """Say what measures are that were asked for by name."""
    known = [fact for fact in measures if not math.isnan(fact.value)]
    return tuple(_is(fact, figures.level(confidence_level)) for fact in known)


def _is(fact: EstimateFact, level: str) -> str:
    text = (
        f"{sentence_case(measure(fact.name))} is {bounded(short(fact.value), fact.bounds, short)}"
    )
    if not math.isnan(fact.low + fact.high):
        text += f" ({level} interval {short(fact.low)} to {short(fact.high)})"
    if not math.isnan(fact.chance):
        text += f"; a score that knows nothing has {short(fact.chance)}"
    return f"{text}."


def _top(facts: ThresholdFacts) -> tuple[str, ...]:
    """Say of the first length asked for how many there are positive, and what that finds."""
    if not ("top" in facts.named and facts.top):
        return ()
    first = facts.top[0]
    scores = "highest score" if first.k == 1 else f"{figures.count(first.k)} highest scores"
    level = f"{figures.level(facts.confidence_level)} interval "
    right = f"{figures.percent(first.precision.value)} are positive"
    found = f"{figures.percent(first.recall.value)} of all positives"
    ends = _of_share("precision", first.precision, level), _of_share("recall", first.recall)
    return (f"Of the {scores}, {right} ({ends[0]}), which finds {found} ({ends[1]}).",)


def _of_share(name: str, fact: EstimateFact, level: str = "") -> str:
    if math.isnan(fact.low + fact.high):
        return name
    return f"{name}; {level}{figures.percents(fact.low, fact.high)}"


def believed(facts: ThresholdFacts) -> tuple[str, ...]:
    """Say whether the probabilities can be believed, or why there is no saying."""
    found = facts.calibration
    if found is None:
        if facts.is_designed and (told := by_design(facts.ranking, facts.group_calibration)):
            return told
        why = facts.absent.get("calibration")
        if why == "no_probabilities":
            return (NO_PROBABILITY.format(*map(figures.short, facts.score_range)),)
        return (f"Whether risks can be believed is not known: {reason_of(why)}.",) if why else ()
    if facts.bins is None and facts.n_cut_points == len(CERTAIN) and facts.score_range == CERTAIN:
        return (DECISIONS,)
    alike = facts.n_cut_points == 1
    return (*_one_score(facts), *_on_the_whole(found, alike=alike), *_in_groups(found))


def by_design(
    measures: tuple[EstimateFact, ...], groups: tuple[GroupCalibrationFact, ...]
) -> tuple[str, ...]:
    """Say the same of cases in clusters, whose risks are judged by these measures alone."""
    known = CalibrationFact(observed=math.nan, expected=math.nan, measures=measures, groups=groups)
    oe, slope = _oe(known), known.measure("calibration_slope")
    whole = () if oe is None or math.isnan(oe.low) or slope is None else _on_the_whole(known)
    return (*whole, *_in_groups(known))


def _one_score(facts: ThresholdFacts) -> tuple[str, ...]:
    alike = ONE_BIN if facts.bins is not None else ONE_RISK.format(risk(facts.score_range[0]))
    return (alike,) if facts.n_cut_points == 1 else ()


def _on_the_whole(found: CalibrationFact, *, alike: bool = False) -> tuple[str, ...]:
    whole, shape, places = _whole(found), _shape(found), _places(found)
    if whole:
        large = f"Risks are {WAYS[whole]}: {_large(found)}."
        sentences = (large, *_discord(found), *_shaped(found, shape))
    elif shape:
        said = f"Risks are {SHAPES[shape]} ({_slope(found)}){_ends(found, shape)}."
        sentences = (said, f"On the whole they fit: {_large(found)}.", *_discord(found))
    elif places:
        sentences = (f"Risks fit on the whole, not everywhere: {_large(found)}.",)
    else:
        evidence = "clear evidence" if _is_borderline(found) else "evidence"
        untested = () if alike else _untested(found)
        where = " on the whole" if untested or _wrong_groups(found) else ""
        fits = f"No {evidence} that risks are wrong{where}: {_large(found)}."
        borderline = (BORDERLINE,) if _is_borderline(found) else _discord(found)
        sentences = (fits, *untested, *borderline, *_room(found))
    return (*sentences, *places)


def wrong_measures(measures: Iterable[EstimateFact]) -> set[str]:
    """Tell which of two measures are evidence that risks are wrong, of both tests together."""
    return _wrong(CalibrationFact(observed=math.nan, expected=math.nan, measures=tuple(measures)))


def _wrong(found: CalibrationFact) -> set[str]:
    """Tell which of two tests are evidence.

    The first is that of calibration in the large (of the intercept, where weights leave no exact
    one), the second that of the slope.
    """
    large, slope = (found.measure(name) for name in ("observed_expected", "calibration_slope"))
    return not_one(
        ("observed_expected", _p_in_the_large(found), large),
        ("calibration_slope", math.nan if slope is None else slope.p_value, slope),
    )


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
    fact = _oe(found)
    if fact is None or math.isnan(fact.value) or "observed_expected" not in _wrong(found):
        return ""
    return "under" if fact.value > 1 else "over"


def _shape(found: CalibrationFact) -> str:
    fact = found.measure("calibration_slope")
    if fact is None or "calibration_slope" not in _wrong(found):
        return ""
    return "reversed" if fact.high < 0 else "extreme" if fact.value < 1 else "timid"


def _untested(found: CalibrationFact) -> tuple[str, ...]:
    """Say that nothing tells whether risks are too extreme or too timid, if so."""
    fact = found.measure("calibration_slope")
    if fact is None or not (fact.reason and math.isnan(fact.p_value) and math.isnan(fact.low)):
        return ()
    return (f"Whether they are too extreme or too timid was not tested: {reason_of(fact.reason)}.",)


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
    slope = found.measure("calibration_slope")
    alone = (_p_in_the_large(found), math.nan if slope is None else slope.p_value)
    return not _wrong(found) and any(p < SIGNIFICANT for p in alone)


def _shaped(found: CalibrationFact, shape: str) -> tuple[str, ...]:
    if not shape:
        return ()
    return (f"They are also {SHAPES[shape]} ({_slope(found)}){_ends(found, shape)}.",)


def _ends(found: CalibrationFact, shape: str) -> str:
    """Say which risks the fitted line calls too high and which too low, and how many cases each."""
    if math.isnan(found.crossing) or shape not in ENDS:
        return ""
    at = risk(found.crossing)
    every = zip(ENDS[shape], ("below", "above"), (found.n_below, found.n_above), strict=True)
    sides = [(what, side, n) for what, side, n in every if n]
    if len(sides) == 1:
        return f": by the fitted line {sides[0][0]} in every case"
    told = " and ".join(f"{what} {side} {at} ({_of_cases(n)})" for what, side, n in sides)
    return f": by the fitted line {told}"


def _of_cases(n: float) -> str:
    return "1 case" if n == 1 else f"{figures.count(n)} cases"


def _slope(found: CalibrationFact) -> str:
    fact = found.measure("calibration_slope")
    return "" if fact is None else f"calibration slope {_with_interval(fact)}"


def _large(found: CalibrationFact) -> str:
    fact = _oe(found)
    if fact is not None and math.isnan(found.observed):
        return f"O:E {_with_interval(fact)}"
    seen = f"{figures.count(found.observed)} observed for {_expected(found)} expected"
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
    """Write a ratio that is compared with 1: two decimals, more where these would say 1."""
    written = f"{value:.2f}"
    if written == "1.00" and short(value) == "1.000":
        return written
    return written if 0.1 <= abs(value) < 10 and (written != "1.00" or value == 1) else short(value)


def _room(found: CalibrationFact) -> tuple[str, ...]:
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
    """Say where risks are surely wrong, all at once: there at least, and maybe elsewhere too."""
    of_way = {way: [r for r in found.regions if r.direction == way] for way in TELLS}
    told = " and ".join(
        f"{TELLS[way]} at least {_spans(regions)}" for way, regions in of_way.items() if regions
    )
    return (f"Surely {told} ({figures.level(found.band_level)} band).",) if told else ()


def _spans(regions: list[RegionFact]) -> str:
    cases = _of_cases(sum(r.n for r in regions))
    if len(regions) > PLACES:
        low, high = risk(min(r.low for r in regions)), risk(max(r.high for r in regions))
        return f"in {in_words(len(regions)).lower()} stretches between {low} and {high}, {cases}"
    spans = " and ".join(
        f"at {low}" if low == high else f"between {low} and {high}"
        for low, high in ((risk(r.low), risk(r.high)) for r in regions)
    )
    return f"{spans}, {cases}"


def risk(value: float) -> str:
    """Write a probability for a sentence; 0 and 1 only where it is exactly that."""
    return f"{value:.0f}" if value in {0, 1} else short(value)


def _in_groups(found: CalibrationFact) -> tuple[str, ...]:
    wrong = _wrong_groups(found)
    sentences = tuple(map(_in_group, wrong[:NAMED]))
    more = len(wrong) - NAMED
    groups = "group is" if more == 1 else "groups are"
    return (*sentences, *((f"{in_words(more)} more {groups} in the table.",) if more > 0 else ()))


def _wrong_groups(found: CalibrationFact) -> list[GroupCalibrationFact]:
    wrong = [group for group in found.groups if group.adjusted_p_value < SIGNIFICANT]
    return sorted(wrong, key=lambda group: group.adjusted_p_value)


def _in_group(group: GroupCalibrationFact) -> str:
    oe = group.observed_expected
    way = WAYS["under" if oe.value > 1 else "over"]
    stated = f"O:E {ratio(oe.value)}, {ratio(oe.low)} to {ratio(oe.high)}"
    p = figures.p_stated(group.adjusted_p_value)
    return f"For {and_joined(group.group)} risks are {way} ({stated}; adjusted {p})."


def folded(folds: int) -> tuple[str, ...]:
    """Say that ranks are those within folds, if they are."""
    return (FOLDED.format(folds),) if folds else ()


def _auc(facts: ThresholdFacts) -> EstimateFact | None:
    auc = next((fact for fact in facts.ranking if fact.name == "roc_auc"), None)
    return None if auc is None or math.isnan(auc.value) else auc


def is_reversed(facts: ThresholdFacts) -> bool:
    """Whether the score surely ranks the wrong way round, which spoils whatever else is told."""
    return facts.ranks is not None and facts.ranks.reversed


def ranks(facts: ThresholdFacts) -> tuple[str, ...]:
    """Say whether the score ranks better than chance, and by how much: the ROC area."""
    auc, verdict = _auc(facts), facts.ranks
    if auc is None:
        return ()
    if verdict is None:
        return verdicts.area(auc, facts.confidence_level, facts.ranked_within)
    return verdicts.by_area(auc, verdict, facts.confidence_level, facts.ranked_within)

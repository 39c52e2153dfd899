"""The parts of a report about a score: rank, calibration, net benefit, risks, top of the list."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from baserate import _figures as figures
from baserate._measures import MEASURES
from baserate.facts.scores import (
    CalibrationFact,
    EstimateFact,
    GroupCalibrationFact,
    ScoreBinsFact,
    SmoothCurveFact,
)
from baserate.facts.threshold import ThresholdFacts
from baserate.report import score_rows
from baserate.report.columns import SPAN, each, exactly, grid, number, span, text
from baserate.report.net_benefit import decision_curve
from baserate.report.score_rows import ESTIMATE, P, lacking, tests, valued
from baserate.report.score_words import folded, is_wrong
from baserate.report.sheet import Grid, Remarks
from baserate.report.words import foremost, reason_of

PARTS = {"calibration": "Calibration", "net_benefit": "Net benefit", "thresholds": "Best cuts",
         "top": "Top of the list", "spread": "Spread and optimism of best cuts"}  # fmt: skip
RANKED = (
    "Chance: what a score that knows nothing has on average; for losses, what always saying the "
    "base rate loses. Skill: 0 is chance, 1 perfect."
)
CALIBRATED = (
    "O:E: positives observed over expected; above 1, risks are too low. Intercept: the same on "
    "the scale of log odds, above 0. Slope below 1: too extreme, above 1: too timid. Errors: "
    "distance between risk and calibration curve, above 0 by luck even where risks are right. "
    "ECI: 100 times the mean squared error."
)
REGIONS = (
    "By the band that holds the whole calibration curve (share of positives at each risk, rising) "
    "with {level} confidence."
)
NOWHERE = "The {level} band of the whole calibration curve nowhere excludes the stated risk."
UNPLACED = "At which risks they are wrong cannot be told: the {level} band excludes none of them."
SMOOTH = (
    "Restricted cubic spline of the log odds with {} knots, at {}; risks are among those of 90% "
    "of the cases. Intervals are asymptotic, of each risk by itself. By this curve ICI is {}, E50 "
    "{}, E90 {}{}."
)
ISOTONIC = "; above they are by the isotonic curve, which never falls and has no knots"
BINS = "Cases in order of risk, in bins of about as many each."
OF_BINS = "Intervals of the share observed are {}, each by itself."
OF_GROUPS = "Intervals are {}, of each group by itself."
GROUPS_TESTED = (
    "p: by the same law, adjusted for the number of groups (Holm). Unseen: errors of "
    "O:E between these are missed in more than one of five samples."
)
GROUPS_IN_BINS = GROUPS_TESTED.replace(
    "by the same law,", "at most this, wherever scores lie in their bins (binomial);"
)
GROUPS_BY_DESIGN = "p: as intervals are, adjusted for the number of groups (Holm)."
GROUPS_UNTESTED = "No p: the test counts cases, and these have weights."
OTHER_GROUPS = "{} with a larger p left out: in the JSON."
RISKS = "5%: one in twenty of the class has at most that score."
SHOWN_OF_BINS = "A score shown is the lowest of its bin."
TOP = "Of the highest scores: how many are positive (precision), and of all positives (recall)."
BINNED = (
    "The scores of {cases} cases came counted in {bins}, the widest {width} wide: tables at cuts "
    "between bins are known; where the order within bins could change a printed digit, what holds "
    "the value of the scores themselves follows it in brackets."
)
SHOWN = 12  # groups in a table
SHARED = (
    "A bin straddles the cut: {tied} cases from {at} on were counted together (values are expected "
    "over their order)."
)
TIED = "Ties straddle the cut: {tied} cases score {at} (values are expected over their order)."


def parts(facts: ThresholdFacts, *, asked: bool = False) -> tuple[Grid | Remarks, ...]:
    """Return the parts, those first that clinical guidance asks for."""
    return (
        replace(_ranking(facts), asked=asked or _names(facts, facts.ranking)),
        *_calibration(facts),
        calibration_by_group(facts.group_calibration),
        *_smooth(facts.smooth_calibration, ISOTONIC if facts.calibration else ""),
        decision_curve(facts),
        _risks(facts),
        _top(facts),
        Remarks("What is lacking, and why", _reasons(facts)),
        Remarks("Not in this report", tuple(_absent(facts))),
    )


def _names(facts: ThresholdFacts, measures: tuple[EstimateFact, ...]) -> bool:
    """Whether the user named one of these."""
    return any(fact.name in facts.named for fact in measures)


def method(facts: ThresholdFacts) -> str:
    """Say what the intervals are."""
    every = (*_estimates(facts), *facts.net_benefit)
    known = [fact.route for fact in every if not math.isnan(fact.low + fact.high)]
    if facts.calibration is not None:
        band = "band" if facts.calibration.regions else None
        known += [facts.calibration.bins_route, band]
    promised = score_rows.promises(known, figures.level(facts.confidence_level))
    return " ".join(filter(None, (promised, binned(facts.bins), facts.bins and SHOWN_OF_BINS)))


def binned(found: ScoreBinsFact | None) -> str:
    """Say that scores came counted in bins, and how far apart those of a bin may be."""
    if found is None:
        return ""
    bins, width = score_rows.bins_of(found), f"{found.widest:.2g}"
    return BINNED.format(bins=bins, cases=figures.count(found.n), width=width)


def _estimates(facts: ThresholdFacts) -> Iterator[EstimateFact]:
    yield from facts.ranking
    if facts.calibration is not None:
        yield from facts.calibration.measures
    for fact in facts.top:
        yield from (fact.precision, fact.recall)


def _ranking(facts: ThresholdFacts) -> Grid:
    return grid(
        "Ranking (ROC area) and losses",
        facts.ranking,
        *score_rows.RANKED,
        note=" ".join(
            (*folded(facts.ranked_within), RANKED, *_glosses(facts.ranking), *tests(facts.ranking))
        ),
    )


def _glosses(estimates: tuple[EstimateFact, ...]) -> Iterator[str]:
    return filter(None, (MEASURES[fact.name].gloss for fact in estimates))


def _calibration(facts: ThresholdFacts) -> tuple[Grid, ...]:
    found = facts.calibration
    if found is None:
        return ()
    kind = score_rows.kind(found.bins_route)
    return (
        grid(
            "Calibration",
            found.measures,
            *ESTIMATE,
            number("ideal", "perfect", figures.or_nothing),
            P,
            asked=_names(facts, found.measures),
            note=" ".join((CALIBRATED, *tests(found.measures), *_nowhere(found))),
        ),
        grid(
            "Where the band excludes the stated risks",
            found.regions,
            text("the score", "direction", str),
            number("from", "low"),
            number("to", "high"),
            number("cases", "n", figures.count),
            number("by at least", "at_least"),
            number("there", "at"),
            note=REGIONS.format(level=figures.level(found.band_level)),
        ),
        grid(
            "Calibration by risk",
            found.bins,
            text("risk", SPAN, _from_to),
            number("cases", "n", figures.count),
            number("mean risk", "mean"),
            number("observed"),
            span(("observed_low", "observed_high")),
            note=f"{BINS} {OF_BINS.format(kind)}" if kind else BINS,
        ),
        calibration_by_group(found.groups),
    )


def _smooth(found: SmoothCurveFact | None, beside: str = "") -> tuple[Grid, ...]:
    if found is None or not found.points:
        return ()
    knots = ", ".join(map(figures.short, found.knots))
    errors = (figures.number(error) for error in (found.ici, found.e50, found.e90))
    note = SMOOTH.format(len(found.knots), knots, *errors, beside)
    return (
        grid(
            "Smooth calibration curve",
            found.points,
            number("risk", "score"),
            number("curve", "level"),
            span(),
            note=note,
        ),
    )


def _smooth_lacks(found: SmoothCurveFact | None) -> dict[str, str]:
    return {"smooth calibration curve": found.reason} if found and found.reason else {}


def _from_to(low: float, high: float) -> str:
    return f"{figures.number(low)} to {figures.number(high)}"


def calibration_by_group(found: Sequence[GroupCalibrationFact]) -> Grid:
    """Return the groups, those with the smallest p-values if there are many."""
    names = tuple(map(figures.label, found[0].group)) if found else ()
    shown = foremost(
        found, SHOWN, lambda g: (math.isnan(g.adjusted_p_value), g.observed_expected.p_value)
    )
    left_out = len(found) - len(shown)
    return grid(
        "Calibration by group",
        shown,
        *each(names, lambda group: group.group.values()),
        number("cases", "n", figures.count),
        number("observed", write=figures.count),
        number("expected", write="{:,.1f}".format),
        text("O:E", "observed_expected", valued),
        span(("observed_expected.low", "observed_expected.high")),
        number("p", "adjusted_p_value", figures.p_value),
        number("unseen", ("below", "above"), _unseen),
        labels=len(names),
        note=" ".join((*_kind_of_groups(found), *_left_out(left_out))),
    )


def _kind_of_groups(found: Sequence[GroupCalibrationFact]) -> tuple[str, ...]:
    kinds = (score_rows.kind(group.observed_expected.route) for group in found)
    known = " or ".join(dict.fromkeys(filter(None, kinds)))
    tested = any(not math.isnan(group.adjusted_p_value) for group in found)
    told = (OF_GROUPS.format(known),) if known else ()
    if any(g.observed_expected.p_value_route == "conservative" for g in found):
        return (*told, GROUPS_IN_BINS)
    if any(g.observed_expected.p_value_route == "asymptotic" for g in found):
        return (*told, GROUPS_BY_DESIGN)
    return (*told, GROUPS_TESTED if tested else GROUPS_UNTESTED)


def _left_out(size: int) -> tuple[str, ...]:
    groups = "group" if size == 1 else "groups"
    return (OTHER_GROUPS.format(f"{figures.count(size)} {groups}"),) if size else ()


def _unseen(below: float, above: float) -> str:
    lower, upper = (figures.NOTHING if math.isnan(x) else f"{x:.2f}" for x in (below, above))
    return figures.NOTHING if lower == upper else f"{lower} to {upper}"


def _nowhere(found: CalibrationFact) -> tuple[str, ...]:
    if math.isnan(found.band_level) or found.regions:
        return ()
    wrong = is_wrong(found)
    return ((UNPLACED if wrong else NOWHERE).format(level=figures.level(found.band_level)),)


def _risks(facts: ThresholdFacts) -> Grid:
    other = f"not {figures.quoted(facts.positive)}"
    probabilities = facts.score_range[0] >= 0 and facts.score_range[1] <= 1
    return grid(
        "Risks by outcome" if probabilities else "Scores by outcome",
        facts.risks,
        text("outcome", write=lambda x: other if x is None else figures.quoted(x)),
        number("cases", "n", figures.count),
        number("mean"),
        *each(("5%", "25%", "50%", "75%", "95%"), "quantiles", exactly),
        note=RISKS,
    )


def _top(facts: ThresholdFacts) -> Grid:
    routes = (e.route for fact in facts.top for e in (fact.precision, fact.recall))
    return grid(
        "Top of the list",
        facts.top,
        text("highest scores", ("k", "share"), _highest),
        number("score from", "threshold"),
        text("precision", write=valued),
        span(("precision.low", "precision.high")),
        text("recall", write=valued),
        span(("recall.low", "recall.high")),
        asked="top" in facts.named,
        note=" ".join((TOP, *score_rows.kinds_told(routes), *_tied(facts))),
    )


def _tied(facts: ThresholdFacts) -> Iterator[str]:
    words = TIED if facts.bins is None else SHARED
    for fact in filter(lambda fact: fact.tied > 0, facts.top):
        yield words.format(tied=figures.count(fact.tied), at=figures.number(fact.threshold))


def _highest(k: int, share: float) -> str:
    return f"{figures.count(k)} ({figures.percent(share)})"


def _reasons(facts: ThresholdFacts) -> tuple[tuple[str, str], ...]:
    known = facts.calibration
    beside: dict[str, str] = {}
    if known is not None and known.band_reason:
        beside["calibration band"] = known.band_reason
        if not known.bins_route:
            beside["intervals by risk"] = known.band_reason
    beside |= _smooth_lacks(facts.smooth_calibration)
    return lacking(_estimates(facts), beside)


def _absent(facts: ThresholdFacts) -> Iterator[tuple[str, str]]:
    for part, why in facts.absent.items():
        yield PARTS[part], reason_of(why)

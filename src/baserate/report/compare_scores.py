"""Scores compared: which ranks better, and whose probabilities are better, on the same cases."""

import math
from collections.abc import Iterator
from operator import itemgetter

from baserate import _figures as figures
from baserate.facts.comparison import AnyComparison
from baserate.facts.scores import ScoreBinsFact
from baserate.report import compare_lead as lead
from baserate.report import score_rows
from baserate.report.columns import PAIR, grid, number, span, text, within
from baserate.report.compare_lead import Race
from baserate.report.score_rows import ESTIMATE, KIND, SKILL
from baserate.report.score_words import wrong_measures
from baserate.report.sheet import Grid, Remarks
from baserate.report.words import SIGNIFICANT, UNADJUSTED, reason_of

CALIBRATED = (
    "O:E: positives observed over expected; above 1, risks are too low. Slope below 1: too "
    "extreme, above 1: too timid."
)
SKILLED = "Skill: 0 is chance, 1 perfect."
AREAS = {"roc_auc": "ROC area", "roc_auc_ovr": "Mean ROC area, each class against the rest"}
FEW = 3  # scores that one sentence names

BINNED = (
    "Scores of {cases} cases of {name} came counted in {bins}, the widest {width} wide: cuts lie "
    "between bins, where tables are known, and a better one within a bin would not be seen; what "
    "holds the value of the scores themselves is in brackets where it would change a printed digit."
)
ADJUSTED = f" All of them are adjusted together, by Holm's method.{UNADJUSTED}"


def answer(facts: AnyComparison) -> tuple[str, ...]:
    """Say which score ranks better, then which loses less, by what, and whose risks are wrong."""
    if len(facts.scores) < 2 or not facts.score_pairs:
        return ()
    area = max(
        (lead.of_scores(facts, name, said, "ranks better", 1) for name, said in AREAS.items()),
        key=lambda race: len(race.values),
    )
    lines = lead.told(area) if len(area.values) > 1 else ()
    brier = lead.of_scores(facts, "brier_score", "Brier score", "has the lower Brier score", -1)
    if len(brier.values) < 2:
        return lines
    return (*lines, *lead.told(brier), *_by_what(facts, brier), *_wrong_risks(facts))


def _by_what(facts: AnyComparison, race: Race) -> tuple[str, ...]:
    """Say of two Brier scores that differ beyond luck how much is calibration, how much ranking."""
    if len(race.values) != 2:
        return ()
    first, second = race.ranked
    [gap] = race.pairs.values()
    by_name = {score.name: score for score in facts.scores}
    better, worse = by_name[first], by_name[second]
    calibration = worse.miscalibration - better.miscalibration
    ranking = better.discrimination - worse.discrimination
    if not gap.p < SIGNIFICANT or math.isnan(calibration + ranking):
        return ()
    parts = f"{figures.number(calibration)} is calibration and {figures.number(ranking)} ranking"
    return (f"Of that difference {parts} (isotonic curves of these cases).",)


def _wrong_risks(facts: AnyComparison) -> tuple[str, ...]:
    told = []
    for score in facts.scores:
        by_name = {measure.name: measure for measure in score.measures}
        wrong, found = wrong_measures(score.measures), list[str]()
        for name, called in (("observed_expected", "O:E"), ("calibration_slope", "slope")):
            fact = by_name.get(name)
            if fact is not None and name in wrong:
                ends = figures.interval(fact.low, fact.high)
                found.append(f"{called} {figures.short(fact.value)}, {ends}")
        if found:
            told.append(f"{figures.label(score.name)} ({'; '.join(found)})")
    if not told:
        return ()
    more = [] if len(told) <= FEW else [f"{len(told) - FEW} more"]
    return (f"Risks that are wrong beyond luck: {', '.join([*told[:FEW], *more])}.",)


def parts(facts: AnyComparison) -> tuple[Grid | Remarks, ...]:
    """Return each score by itself, every two of them, and what is lacking."""
    return _scores(facts), _score_pairs(facts), _lacking(facts)


def method(facts: AnyComparison) -> str:
    """Say what the intervals of scores are."""
    every = (*(fact for score in facts.scores for fact in score.measures), *facts.score_pairs)
    known = (fact.route for fact in every if not math.isnan(fact.low + fact.high))
    promised = score_rows.promises(known, figures.level(facts.confidence_level))
    counted = (_binned(figures.label(score.name), score.bins) for score in facts.scores)
    return " ".join(filter(None, (promised, *counted)))


def _binned(name: str, found: ScoreBinsFact | None) -> str:
    if found is None:
        return ""
    bins, width = score_rows.bins_of(found), f"{found.widest:.2g}"
    return BINNED.format(name=name, cases=figures.count(found.n), bins=bins, width=width)


def _scores(facts: AnyComparison) -> Grid:
    return grid(
        "Scores by themselves",
        ((score.name, fact) for score in facts.scores for fact in score.measures),
        text("score", itemgetter(0)),
        *within(itemgetter(1), *ESTIMATE, SKILL),
        labels=2,
        note=" ".join(_explained(facts)),
        detail=True,
    )


def _explained(facts: AnyComparison) -> Iterator[str]:
    shown = {measure.name for score in facts.scores for measure in score.measures}
    if "observed_expected" in shown:
        yield CALIBRATED
    if any(not math.isnan(one.skill) for score in facts.scores for one in score.measures):
        yield SKILLED


def _score_pairs(facts: AnyComparison) -> Grid:
    kinds = {
        score_rows.kind_of_p(pair.p_value_route) for pair in facts.score_pairs if pair.p_value_route
    }
    told = f" p, two-sided: {' or '.join(sorted(kinds))}." if kinds else ""
    several = len(facts.scores) > 2
    told += ADJUSTED if several and kinds else ""
    return grid(
        "Scores compared on the same cases",
        facts.score_pairs,
        *PAIR,
        text("measure", write=score_rows.measure),
        number("first less second", "difference"),
        span(),
        KIND,
        number("adjusted\np", "adjusted_p", figures.p_value)
        if several
        else number("p", "p_value", figures.p_value),
        labels=3,
        asked=not facts.cut_named,
        note=f"Of the ROC AUC more is better, of the losses less.{told}",
    )


def _lacking(facts: AnyComparison) -> Remarks:
    pairs: list[tuple[str, str]] = []
    for score in facts.scores:
        found = score_rows.lacking(score.measures)
        pairs += [(f"{of}, {figures.label(score.name)}", why) for of, why in found]
    for pair in facts.score_pairs:
        for why in dict.fromkeys((pair.reason, pair.p_value_reason)):
            if why:
                both = f"{figures.label(pair.a)} and {figures.label(pair.b)}"
                pairs.append((f"{score_rows.measure(pair.measure)}, {both}", reason_of(why)))
    return Remarks("What is lacking, and why", tuple(dict.fromkeys(pairs)))

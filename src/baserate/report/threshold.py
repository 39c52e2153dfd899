"""Thresholds in words: how well the score ranks, where to cut it, what the default cut costs."""

import math
from collections.abc import Sequence
from decimal import ROUND_FLOOR, Context, Decimal
from statistics import stdev

from baserate import _figures as figures
from baserate._figures import guess, sentence_case, spoken
from baserate.facts.report import SampledFacts
from baserate.facts.threshold import CutFact, ThresholdFacts
from baserate.report import constraints, own_cuts, score_words, scores
from baserate.report.audit_words import clusters_of
from baserate.report.columns import Column, each, grid, text
from baserate.report.evaluation_methods import OWN_BASE_RATE, of_scores
from baserate.report.methods import for_paper
from baserate.report.net_benefit import worth_using
from baserate.report.opening import UNDRAWN, Pictures, about_lines, captioned, cases_dropped, opened
from baserate.report.score_rows import bounded
from baserate.report.sheet import Grid, Remarks, Sheet
from baserate.report.words import plain_name, small_cells

FLAGGED = ("flags", "tp", "fn", "fp", "tn", "recall", "specificity")
RATIO = (
    "Density ratio: the same cut as a ratio of the densities of positive and negative cases, which "
    "holds where the base rate is another."
)
SPREAD = (
    "Spread holds {level} of the best cuts of {n} bootstrap samples{of}. Expected anew: what the "
    "cut has in the population, estimated as its value less what choosing it on these cases "
    "flatters."
)
FOLDED = (
    "Cut where the mean skill over {folds} folds is best (0 is {guess}); nested skill: the mean "
    "skill of each fold at the cut that the other folds choose, and under folds the least, the "
    "greatest and the standard deviation of these."
)
NONE = "nothing called positive"
DEPENDS = (
    "Where to cut depends on what errors cost: name that, or a metric to maximise (--metrics f1)."
)
UNTOLD = "these cases cannot tell which of the two is better on new ones"
RESTATED = (
    "{:.3f} in the data. Cuts are those for a base rate of {:g}, if recall and specificity stay as "
    "they are"
)
IMPLIED = (
    "What errors cost implies a cut of {:.3g}, the right one if risks are right; {} fits these "
    "cases best."
)
RULE = "A case is called positive if its score is at least the cut."


def answer(facts: ThresholdFacts) -> tuple[str, ...]:
    """Say where to cut the score, how it ranks, whether risks fit, and whether it is worth using.

    Where to cut comes first where it was asked for, by what to maximise or to keep, and the score
    does not rank the wrong way round. Else nobody but
    the user can know it, which is said last.
    """
    asked = facts.asked_for or facts.constraint
    worth = () if facts.base_rate else worth_using(facts)  # which is that of these cases
    unnamed = facts.constraint and not facts.asked_for
    best = _asked_to_keep(facts) if unnamed else (*_costs(facts), *_constrained(facts))
    told = (*best, *_implied(facts), *_gains(facts))
    of_score = score_words.answer(facts, worth)
    if asked and score_words.is_reversed(facts):  # no cut of it is any good
        return (*of_score, *told)
    return (*told, *of_score) if asked else (*of_score, *((DEPENDS,) if facts.cuts else ()))


def parts(facts: ThresholdFacts) -> tuple[Grid | Remarks, ...]:
    """Return the tables of best cuts, for a report of their own or as part of another."""
    known = [cut for cut in facts.cuts if cut.reason is None]
    return (
        _cuts(facts, known),
        constraints.on_new_cases(known, facts),
        _groups(facts, known),
        Remarks(
            "No best cut",
            tuple((plain_name(c.name), c.reason) for c in facts.cuts if c.reason),
            asked=True,
        ),
    )


def sheet_of(facts: ThresholdFacts, drawn: Pictures = UNDRAWN, *, in_full: bool = True) -> Sheet:
    """Arrange the facts; what only details show is computed only if they are shown."""
    paper = (for_paper(of_scores(facts)),) if in_full else ()
    spread = _method(facts).partition(". ")[0].rstrip(".")
    lines = (
        _method(facts),
        RATIO if any(not math.isnan(cut.ratio) for cut in facts.cuts) else "",
        scores.method(facts),
        OWN_BASE_RATE if facts.base_rate else "",
    )
    return opened(
        "Thresholds",
        facts,
        drawn,
        answer=answer(facts),
        about=_about(facts),
        parts=(*captioned(drawn), *parts(facts), *scores.parts(facts), *paper),
        how=(RULE, *((f"{spread}.",) if spread else ())) if facts.cuts else (),
        more=("methods",),
        method=(RULE, *filter(None, lines)),
    )


def _costs(facts: ThresholdFacts) -> tuple[str, ...]:
    cut, default = _headline(facts), facts.default
    if cut is None:
        return ()
    best = _best(cut, facts)
    if _keeps_default(facts):
        return (*_kept(facts), *((f"{best}.",) if facts.folds else ()))
    unknown = facts.folds or math.isnan(cut.corrected)
    said = best if unknown else f"{best}: expect {figures.short(cut.corrected)} on new cases"
    if default is None or math.isnan(cut.default) or facts.constraint:
        return (f"{said}.",)
    there = figures.short(cut.default)
    untold = "" if facts.folds or _is_surely_better(cut, facts) else f", and {UNTOLD}"
    return (f"{said}; the default cut of {exact(default)} gives {there}{untold}.",)


def _implied(facts: ThresholdFacts) -> tuple[str, ...]:
    """Say how the cut that costs imply for right risks is related to the one of these cases."""
    cut, implied = _headline(facts), facts.act_at
    # Costs alone say nothing of these, nor of scores that are no probabilities.
    low, high = facts.score_range
    elsewhere = facts.base_rate or facts.constraint or low < 0 or high > 1
    if cut is None or elsewhere or implied in {None, facts.default, cut.threshold}:
        return ()
    return (IMPLIED.format(implied, _where(cut)),)


def _constrained(facts: ThresholdFacts) -> tuple[str, ...]:
    cut = _headline(facts)
    return () if cut is None else constraints.answer(cut)


def _asked_to_keep(facts: ThresholdFacts) -> tuple[str, ...]:
    cut = _headline(facts)
    if cut is None:
        return ()
    at = sentence_case(f"with {NONE}" if _calls_nothing(cut) else f"at a cut of {_score(cut)}")
    return (
        f"{at} these cases keep {' and '.join(facts.constraint)}.",
        *_constrained(facts),
        constraints.CHOSEN.format(metric=_named(cut), value=figures.short(cut.value)),
    )


def _is_surely_better(cut: CutFact, facts: ThresholdFacts) -> bool:
    """Whether the data vouch for another cut than the default one.

    The score surely ranks better than chance, and the best cuts of resampled cases lie on one side
    of the default.
    """
    if facts.default is None or not facts.ranks:
        return False
    return facts.default < cut.low or facts.default > cut.high


def _keeps_default(facts: ThresholdFacts) -> bool:
    """Whether no new cut is expected to beat the default one on new cases.

    What a new cut has on the cases that chose it is never compared with the default, which these
    cases did not choose.
    """
    cut = _headline(facts)
    if cut is None or facts.default is None or facts.constraint:
        return False
    if facts.folds:
        return cut.default_skill >= cut.corrected
    return _is_same(cut, facts.default) or _gain(cut, cut.default) <= 0


def _is_same(cut: CutFact, default: float) -> bool:
    low, high = cut.step
    return low < default <= high


def _kept(facts: ThresholdFacts) -> tuple[str, ...]:
    cut, default = _headline(facts), facts.default
    if cut is None or default is None or not _keeps_default(facts):
        return ()
    keep = sentence_case(f"{_at_base_rate(facts)}keep {exact(default)}")
    if _is_same(cut, default):
        there = figures.short(cut.value)
        others = "of these cases" if facts.bins is None else "between bins of scores"
        return (f"{keep}: no other cut {others} has a better {_named(cut)} than {there}.",)
    if facts.folds:
        there, anew = figures.told_apart(cut.default_skill, cut.corrected)
        by = f"mean skill by {_named(cut)}"
        return (f"{keep}: {by} is {there} there, {anew} at cuts chosen on the other folds.",)
    there, here, anew = map(figures.number, (cut.default, cut.value, cut.corrected))
    best = (
        f"the best cut of these cases, {_where(cut)}, shows {here} but is expected to have {anew}"
    )
    return (f"{keep}: {_named(cut)} is {there} there; {best} on new ones.",)


def _headline(facts: ThresholdFacts) -> CutFact | None:
    return next((cut for cut in facts.cuts if cut.reason is None), None)


def _named(cut: CutFact) -> str:
    return "mean utility per case" if cut.name.startswith("utility(") else spoken(cut.name)


def _gain(cut: CutFact, other: float) -> float:
    """Return how much better than another value this cut is expected to be; nan if unknown."""
    return cut.corrected - other if cut.direction == "higher" else other - cut.corrected


def _gains(facts: ThresholdFacts) -> tuple[str, ...]:
    return own_cuts.most_helped(_of_groups(facts), "a cut", "is", _at_its_own)


def _at_its_own(cut: CutFact) -> str:
    own, shared = figures.short(cut.corrected), figures.short(cut.shared)
    return f"{_named(cut)} {own} at {_score(cut)}, {shared} at the cut of all cases"


def _of_groups(facts: ThresholdFacts) -> list[own_cuts.Own]:
    headline = _headline(facts)
    groups = ((group, group.cuts) for group in facts.groups)
    return [] if headline is None else own_cuts.of_groups(groups, headline.name)


def _groups(facts: ThresholdFacts, known: list[CutFact]) -> Grid:
    return own_cuts.table(
        _of_groups(facts),
        text("common cut", "shared", figures.number),
        Column("own cut", lambda cut: figures.NOTHING if cut.reason else _where(cut)),
        text("value", write=figures.or_nothing),
        text("expected anew", "corrected", figures.or_nothing),
        title=f"Groups: {plain_name(known[0].name) if known else ''}",
        names=facts.group_names,
        sizes=(
            text("cases", "group.n", figures.count),
            text("positive", "group.n_positive", figures.count),
        ),
        lacking="cut",
        more=len(known) > 1,
    )


def _where(cut: CutFact) -> str:
    return NONE if _calls_nothing(cut) else _score(cut)


def _best(cut: CutFact, facts: ThresholdFacts) -> str:
    name, value = sentence_case(f"{_at_base_rate(facts)}{_named(cut)}"), figures.short(cut.value)
    where = f"with {NONE}" if _calls_nothing(cut) else f"at a cut of {_score(cut)}"
    if facts.folds:
        best = f"best by mean skill over {facts.folds} folds {where}"
        return f"{name} is {best}, and is {value} there on all cases"
    best = "lowest" if cut.direction == "lower" else "best"
    kept = f", of the cuts with {' and '.join(facts.constraint)}" if facts.constraint else ""
    return f"{name} is {best}, {value}, {where}{kept}"


def _at_base_rate(facts: ThresholdFacts) -> str:
    return "" if facts.base_rate is None else f"at a base rate of {facts.base_rate:g}, "


def _cuts(facts: ThresholdFacts, known: list[CutFact]) -> Grid:
    default = None if facts.default is None else f"at {exact(facts.default)}"
    return grid(
        "Best cuts",
        known,
        text("metric", "name", plain_name),
        Column("cut at", _where),
        Column("folds" if facts.folds else "spread", _spread),
        text("value", ("value", "bounds"), _bounded),
        text("nested skill" if facts.folds else "expected anew", "corrected", figures.or_nothing),
        default is not None and text(default, "default", figures.number),
        *each(FLAGGED, _flagged, str),
        text("density ratio", "ratio", _ratio_written),
        asked=True,
        note=f"Constraint: {' and '.join(facts.constraint)}." if facts.constraint else "",
    )


def _bounded(value: float, bounds: tuple[float, float] | None) -> str:
    return bounded(figures.number(value), bounds)


def _flagged(cut: CutFact) -> tuple[str, ...]:
    table = cut.table
    if table is None:
        return ("",) * len(FLAGGED)
    rates = (table.tp / table.n_positive, table.tn / table.n_negative)
    counts = (table.n_predicted, *table)
    return (*map(figures.count, counts), *map(figures.number, rates))


def _ratio_written(ratio: float) -> str:
    return figures.NOTHING if math.isnan(ratio) else f"{ratio:.4g}"


def _spread(cut: CutFact) -> str:
    """Write the interval of best cuts, or of the skill of folds; nan calls nothing positive."""
    if cut.fold_values:
        low, high = map(figures.short, (min(cut.fold_values), max(cut.fold_values)))
        return f"{low} to {high}, sd {figures.short(stdev(cut.fold_values))}"
    if math.isnan(cut.low) and math.isnan(cut.high):
        return figures.NOTHING
    ends = (cut.low, cut.high)
    low, high = ("nothing" if math.isnan(end) or end == math.inf else f"{end:.4g}" for end in ends)
    return f"{low} to {high}"


def _calls_nothing(cut: CutFact) -> bool:
    return cut.table is not None and not cut.table.n_predicted


def _score(cut: CutFact) -> str:
    return cut_at(cut.threshold, (cut,))


def cut_at(threshold: float, cuts: Sequence[CutFact]) -> str:
    """Write a threshold with as many digits as it takes to count the same table."""
    step = next((cut.step for cut in cuts if cut.threshold == threshold), None)
    return exact(threshold) if step is None else shortest(step[0], threshold)


def shortest(low: float, high: float) -> str:
    """Write the shortest number in (low, high]; high itself where six digits are all of it."""
    short = f"{high:.6g}"
    if float(short) == high or not math.isfinite(high):
        return short
    for digits in range(1, 17):
        down = Context(prec=digits, rounding=ROUND_FLOOR).plus(Decimal(high))
        if low < float(down) <= high:
            return f"{float(down):.{digits}g}"
    return exact(high)


def exact(value: float) -> str:
    """Write all of a number."""
    return repr(value).removesuffix(".0")


def _about(facts: ThresholdFacts) -> tuple[tuple[str, str], ...]:
    show = figures.count
    cases = f"{show(facts.n)}: {show(facts.n_positive)} positive, {show(facts.n_negative)} negative"
    of_one = "distinct score" if facts.bins is None else "bin of scores"
    of_many = "distinct scores" if facts.bins is None else "bins of scores"
    steps = of_one if facts.n_cut_points == 1 else of_many
    return about_lines(
        ("Positive", figures.quoted(facts.positive)),
        ("Cases", f"{cases}{cases_dropped(facts)}"),
        ("Small cells", small_cells(facts.suppression)),
        ("Base rate", "" if facts.base_rate is None else _restated(facts)),
        ("Truth", "" if facts.target is None else figures.quoted(facts.target)),
        ("Score", "" if facts.score is None else figures.quoted(facts.score)),
        ("Weights", worth_of_weights(facts)),
        ("Clusters", clusters_of(facts)),
        ("Cut points", f"{facts.n_cut_points:,} {steps}"),
        ("Folds", f"{facts.folds}" if facts.folds else ""),
    )


def _restated(facts: ThresholdFacts) -> str:
    return RESTATED.format(
        facts.n_positive / (facts.n_positive + facts.n_negative), facts.base_rate
    )


def worth_of_weights(facts: SampledFacts) -> str:
    """Say how many cases that count once say as much."""
    if facts.effective_n is None:
        return ""
    return f"worth {figures.count(round(facts.effective_n))} effective cases (Kish)"


def _method(facts: ThresholdFacts) -> str:
    if facts.folds:
        return FOLDED.format(folds=facts.folds, guess=guess(facts.guess or "dutch_draw"))
    if facts.n_clusters == 1:
        return ""
    of = f" of {drawn_of(facts)}" if facts.sampled else ""
    return SPREAD.format(level=figures.level(facts.confidence_level), n=facts.n_resamples, of=of)


def drawn_of(facts: SampledFacts) -> str:
    """Name what bootstrap samples draw."""
    if facts.n_clusters is not None:
        return "whole clusters"
    if facts.n_strata is not None:
        return "whole clusters within strata"
    return "cases" if facts.effective_n is None else "cases with their weights"

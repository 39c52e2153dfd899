"""What a comparison rests on: posteriors, clusters, weights; below its tables and for a paper."""

import math
from collections.abc import Iterator
from typing import Any

from baserate import _figures as figures
from baserate._figures import sentence_case
from baserate.facts.comparison import AnyComparison, ComparisonFacts
from baserate.report import compare_scores, score_rows
from baserate.report import compare_words as words
from baserate.report.clustering import FLOOR, crossed, in_strata, replicates
from baserate.report.methods import Statement
from baserate.report.words import reason_of

SAME_STATED = (
    "All classifiers decided the same cases: the probability that one yields more than another has "
    "a Dirichlet posterior over the outcomes of both, with half a case on either side of a share"
)
SEPARATE_STATED = (
    "Every classifier has test cases of its own: recall and specificity have independent Beta "
    "posteriors, with half a case for each outcome"
)
MCNEMAR_STATED = (
    "{of} of two classifiers {were} compared by McNemar's two-sided test (mid-p) on the cases that "
    "one alone gets right"
)
CLUSTERED_STATED = (
    "All classifiers decided the same cases, which lie in {n} clusters: intervals and two-sided "
    "p-values of differences come from the jackknife over clusters, by Student's law with "
    "Satterthwaite's degrees of freedom and up to two more, " + FLOOR
)
TOTALS_STATED = ", all of weighted totals"
WEIGHTED_STATED = (
    "All classifiers decided the same cases, which have weights: variances of differences were "
    "linearised from sums of weights and of squared weights, intervals come from Student's "
    "quantiles with Kish's effective cases less one as degrees of freedom, and p-values from "
    "McNemar's test with weights (two-sided); all of these are approximate"
)
BEST_STATED = (
    "How probably each is the best was found under a normal law of what they are worth, of which "
    "mean and spread were integrated out with flat priors, so that the highest of equals is drawn "
    "towards the others; it was simulated, with a standard error of at most {error}"
)
HOLM_STATED = "p-values were adjusted for all pairs of classifiers by Holm's method"
REPLICATED_STATED = (
    "All classifiers decided the same cases, which have {sets}: differences were recomputed under "
    "each, and intervals and p-values come from Student's law with that many degrees of freedom "
    "less {less}; all of these are approximate"
)
CROSSED_STATED = (
    "All classifiers answered the same cases ({sets}): intervals and p-values of differences come "
    "from the two-way clustered variance by the jackknife, at least that by items, and Student's "
    "law with Satterthwaite's degrees of freedom; all of these are approximate"
)

TAU = (
    "The threshold tau stands for all stakes: deciding positive pays where its probability exceeds "
    "tau. The cost of a false alarm is to the benefit of a true positive as tau to 1 - tau."
)
SAME = (
    "Tested on the same cases, so only those that one classifier alone gets right tell them apart. "
    "Posteriors are Dirichlet, with half a case in each cell of a classifier's own table (half a "
    "case each for right and wrong answers where their share decides), so that it has one interval "
    "alone and compared; of two, those that only one gets right have half a case on either side. "
    "McNemar's p-values are of these cases as they are, two-sided mid-p."
)
CLUSTERED = (
    "Cases of one cluster are alike, so whole clusters are what is independent: intervals are "
    "Student's, from leaving out each cluster in turn (jackknife), no narrower than so few "
    "clusters allow (they cannot show how alike their cases are). p is of the same law, "
    "two-sided, and P(first better) and P(beats constant) are one-sided confidence levels of it. "
    "Design effect: how many times the variance of as many independent cases."
)
TOTALS = " Totals of clusters are sums of weights."
WEIGHTED = (
    "Cases are independent and have weights, so everything is approximate: the interval of a "
    "difference is Student's, linearised from sums of weights and of squared weights, with Kish's "
    "effective cases less one as degrees of freedom, and P(first better) and P(beats constant) are "
    "one-sided confidence levels of the same law. p: McNemar's test with weights, two-sided. "
    "Design effect: how many times the variance of as many cases of equal weight."
)
REPLICATED = (
    "Cases have replicate weights, so everything is approximate: differences are recomputed under "
    "each set of them, intervals, p and chances are Student's with as many degrees of freedom as "
    "sets less {less}. Design effect: how many times the variance of as many cases of equal weight."
)
CROSSED = (
    "Items and runs are both taken as drawn, so everything is approximate: differences are "
    "recomputed without each item, each run and each item of a run, and their variance is that by "
    "items and that by runs, less that by items of a run (two-way clustering), at least that by "
    "items. Intervals, p and chances are Student's, with Satterthwaite's degrees of freedom. "
    "Design effect: how many times the variance of as many independent cases."
)
SHRUNK = (
    "P(best) allows for the choice among {k}: what each is worth is drawn towards the others, as "
    "far as they scatter like equals (a normal law of which the spread is integrated out)."
)
HOLM = "Beyond two classifiers p-values are adjusted for their number by Holm's method."
NO_BANDS = "Curves have no bands: these are known of independent cases of equal weight only."
UNCERTAIN = "Class shares are as uncertain as the counts."
RESTATED = (
    "At a stated base rate class shares are known, and the outcomes of each class have a posterior "
    "of their own."
)
SEPARATE = (
    "Tested on separate cases: for differences recall and specificity have independent Beta "
    "posteriors, with half a case for each outcome, at known class shares, {shares}. What "
    "one classifier is worth has half a case in each cell, its class shares as uncertain as counts."
)
UNPRICED = (
    "Tested on separate cases: recall and specificity have independent Beta posteriors, with half "
    "a case for each outcome. Class shares differ, and none is stated: what decisions are worth, "
    "accuracy too, is not compared."
)
SIDES = ("positive", "negative")
CHOSEN = "Cut points of metrics were chosen on these same cases, which flatters them."
CALIBRATED = "A cut at tau is the best one only for calibrated probabilities."


def clusters(facts: AnyComparison) -> str:
    """Say how many clusters there are, and which column names them."""
    if facts.n_runs is not None:
        return crossed(facts)
    if facts.n_clusters is None:
        return in_strata(facts)
    column = figures.quoted(facts.cluster or facts.case_id)
    return f"{figures.count(facts.n_clusters)} of column {column}"


def weights(facts: AnyComparison) -> str:
    """Say how many cases the weighted ones are worth."""
    if facts.effective_n is None:
        return ""
    worth = f"worth {figures.count(round(facts.effective_n))} effective cases (Kish)"
    if facts.n_replicates is not None:
        return worth if facts.n_strata or facts.n_runs else f"{worth}; {replicates(facts)}"
    sizes = facts.effective_sizes if all(facts.effective_sizes) else ()
    counts = (figures.count(round(size or 0)) for size in sizes)
    of_each = (f"{n} among the {which}s" for n, which in zip(counts, SIDES, strict=False))
    return ": ".join(filter(None, (worth, ", ".join(of_each))))


def method(facts: ComparisonFacts) -> tuple[str, ...]:
    """Say by which laws intervals, tests and chances were found."""
    shrunk, error = best(facts)
    lines = (
        *_priors(facts),
        shrunk,
        HOLM if facts.paired and len(facts.pairs) > 1 else "",
        TAU if facts.by_threshold else "",
        intervals(facts, words.unit(facts)),
        compare_scores.method(facts),
        NO_BANDS if facts.sampled and facts.scores else "",
        error,
        *no_chance(facts),
        *caveats(facts),
    )
    return tuple(filter(None, lines))


def best(facts: AnyComparison) -> tuple[str, str]:
    """Say what P(best) allows for, and how sure it is, where it was simulated."""
    if not facts.best_error > 0:
        return "", ""
    error = f"P(best) is simulated, standard error at most {facts.best_error:.2g}."
    return SHRUNK.format(k=len(facts.classifiers)), error


def how(facts: AnyComparison) -> tuple[str, ...]:
    """Say in a clause each what intervals and p are, and what nobody may miss."""
    level = figures.level(facts.confidence_level)
    if not facts.cut_named:
        return (f"Intervals of {level}, each of the kind beside it.", *caveats(facts))
    promised = f"have level {level}" if facts.sampled else f"hold {level} of the posterior"
    by = "of the law of intervals" if facts.sampled else "of shares McNemar's mid-p"
    adjusted = ", adjusted for all pairs (Holm)" if len(facts.pairs) > 1 else ""
    by = by if facts.paired else "of the same law"
    tested = (
        f"; p is two-sided, {by}{adjusted}"
        if facts.pairs and (facts.paired or _is_tested(facts))
        else ""
    )
    return (f"Intervals {promised}{tested}.", *caveats(facts))


def _is_tested(facts: AnyComparison) -> bool:
    return any(not math.isnan(one.p_value) for pair in facts.pairs for one in pair.metrics)


def caveats(facts: AnyComparison) -> tuple[str, ...]:
    """Say what nobody may miss, whether or not how it was computed is shown."""
    classifiers: tuple[Any, ...] = facts.classifiers
    cut = [fact for fact in classifiers if getattr(fact, "cut_by", None) is not None]
    by = {by for fact in cut for by in (fact.cut_by, *fact.cut_also)}
    lines = (
        f"P(best) is missing: {reason_of(facts.best_reason)}." if facts.best_reason else "",
        CHOSEN if any(map(words.is_metric, by)) else "",
        CALIBRATED if "tau" in by else "",
    )
    return tuple(filter(None, lines))


def intervals(facts: AnyComparison, unit: str) -> str:
    """Say what intervals of a unit promise."""
    level = figures.level(facts.confidence_level)
    if facts.is_designed:
        return f"Intervals of {unit} have level {level}."
    posterior = f"Intervals of {unit} hold {level} of the posterior"
    if facts.effective_n is None:
        return f"{posterior}."
    return (
        f"{posterior}, scaled to Kish's effective number of cases or fewer (a pseudo-posterior); "
        f"those of differences have level {level}."
    )


def of_sample(facts: AnyComparison) -> str:
    """Say what goes by clusters or weights; nothing of independent cases of equal weight."""
    if facts.n_clusters is not None:
        return CLUSTERED + ("" if facts.effective_n is None else TOTALS)
    if facts.n_replicates is not None:
        return CROSSED if facts.n_runs else REPLICATED.format(less=_less(facts))
    return "" if facts.effective_n is None else WEIGHTED


def _less(facts: AnyComparison) -> str:
    return "the strata" if facts.n_strata else "one"


def _priors(facts: ComparisonFacts) -> tuple[str, ...]:
    if facts.sampled:
        return (of_sample(facts),)
    if not facts.paired:
        shares = "as stated" if facts.restated else "those of all cases together"
        return (UNPRICED if math.isnan(facts.base_rate) else SEPARATE.format(shares=shares),)
    shares = RESTATED if facts.restated else UNCERTAIN
    return (SAME,) if math.isnan(facts.base_rate) else (SAME, shares)


def no_chance(facts: AnyComparison) -> tuple[str, ...]:
    """Say why a classifier has no probability of beating the best constant decision."""
    return tuple(
        f"P(beats constant) of {figures.label(fact.name)} is missing: {why}."
        for fact in facts.classifiers
        if (why := reason_of(fact.beats_reason or ""))
    )


def of_comparison(facts: ComparisonFacts) -> Iterator[Statement]:
    """Yield by what classifiers were compared, how surely, and the same of their scores."""
    yield from _worth_stated(facts)
    yield from _surely(facts)
    yield from _several_stated(facts)
    yield from _scores(facts)


def _worth_stated(facts: ComparisonFacts) -> Iterator[Statement]:
    at = "stated" if facts.restated else "of the cases"
    stakes = words.stakes(facts)
    by = f"{words.unit(facts)} per case ({stakes})" if stakes else words.unit(facts)
    compared = f"{figures.count(len(facts.classifiers))} classifiers were compared by {by}"
    if not facts.by_threshold:
        yield Statement(compared)
        return
    yield Statement(
        f"{compared}, at the base rate {at}, {figures.short(facts.base_rate)}, and with the "
        "constant decisions",
        ("dyrland",),
    )
    yield Statement(
        "What yields most in these cases at each threshold tau and base rate was computed from "
        "recall and specificity",
        ("dyrland",),
    )


def _surely(facts: ComparisonFacts) -> Iterator[Statement]:
    if facts.n_clusters is not None:
        totals = "" if facts.effective_n is None else TOTALS_STATED
        yield Statement(CLUSTERED_STATED.format(n=figures.count(facts.n_clusters)) + totals)
        return
    if facts.n_replicates is not None:
        if facts.n_runs is not None:
            yield Statement(CROSSED_STATED.format(sets=replicates(facts)), ("cameron",))
            return
        yield Statement(REPLICATED_STATED.format(sets=replicates(facts), less=_less(facts)))
        return
    if facts.effective_n is not None:
        yield Statement(WEIGHTED_STATED, ("kish", "mcnemar"))
        return
    apart = ", for either class by itself" if facts.restated else ""
    same = f"{SAME_STATED}{apart}"
    yield Statement(same if facts.paired else SEPARATE_STATED, ("caelen",) if facts.paired else ())
    of = "metrics" if math.isnan(facts.base_rate) and not facts.paired else words.unit(facts)
    interval = f"Intervals of {of} hold {figures.level(facts.confidence_level)}"
    yield Statement(f"{interval} of the posterior")
    if any(pair.discordant is not None for pair in facts.pairs):
        tested = words.tested(facts)
        of, were = sentence_case(words.listed(tested)), "were" if tested[1:] else "was"
        yield Statement(MCNEMAR_STATED.format(of=of, were=were), ("mcnemar", "fagerland"))


def _several_stated(facts: ComparisonFacts) -> Iterator[Statement]:
    if facts.best_error > 0:
        yield Statement(BEST_STATED.format(error=f"{facts.best_error:.2g}"), ("gelman",))
    if facts.paired and len(facts.pairs) > 1:
        yield Statement(HOLM_STATED, ("holm",))


def _scores(facts: ComparisonFacts) -> Iterator[Statement]:
    tested = [pair for pair in facts.score_pairs if not math.isnan(pair.p_value)]
    kinds = sorted(
        {score_rows.kind_of_p(pair.p_value_route) for pair in tested if pair.p_value_route}
    )
    if kinds:
        yield Statement(
            f"Two scores were compared on the same cases; p-values are {' or '.join(kinds)}"
        )

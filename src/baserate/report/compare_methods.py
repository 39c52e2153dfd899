"""What a comparison did, as sentences for a paper: only what it shows."""

import math
from collections.abc import Iterator

from baserate import _figures as figures
from baserate.facts.comparison import ComparisonFacts
from baserate.report import compare_words as words
from baserate.report import routes
from baserate.report.clustering import FLOOR
from baserate.report.methods import Statement

SAME = (
    "All classifiers decided the same cases: the probability that one yields more than another has "
    "a Dirichlet posterior over the outcomes of both, with half a case on either side of a share"
)
SEPARATE = (
    "Every classifier has test cases of its own: recall and specificity have independent Beta "
    "posteriors, with half a case for each outcome"
)
MCNEMAR = (
    "Accuracy, recall and specificity of two classifiers were compared by McNemar's "
    "two-sided test (mid-p) on the cases that one alone gets right"
)


CLUSTERED = (
    "All classifiers decided the same cases, which lie in {n} clusters: intervals and two-sided "
    "p-values of differences come from the jackknife over clusters, by Student's law with "
    "Satterthwaite's degrees of freedom and up to two more, " + FLOOR
)


TOTALS = ", all of weighted totals"
WEIGHTED = (
    "All classifiers decided the same cases, which have weights: variances of differences were "
    "linearised from sums of weights and of squared weights, intervals come from Student's "
    "quantiles with Kish's effective cases less one as degrees of freedom, and p-values from "
    "McNemar's test with weights (two-sided); all of these are approximate"
)


BEST = (
    "How probably each is the best was found under a normal law of what they are worth, of which "
    "mean and spread were integrated out with flat priors, so that the highest of equals is drawn "
    "towards the others; it was simulated, with a standard error of at most {error}"
)
HOLM = "p-values were adjusted for all pairs of classifiers by Holm's method"
REPLICATED = (
    "All classifiers decided the same cases, which have {n} sets of replicate weights: differences "
    "were recomputed under each, and intervals and p-values come from Student's law with that many "
    "degrees of freedom less one; all of these are approximate"
)


def of_comparison(facts: ComparisonFacts) -> Iterator[Statement]:
    """Yield by what classifiers were compared, how surely, and the same of their scores."""
    yield from _worth(facts)
    yield from _surely(facts)
    yield from _several(facts)
    yield from _scores(facts)


def _worth(facts: ComparisonFacts) -> Iterator[Statement]:
    at = "stated" if facts.restated else "of the cases"
    stakes = words.stakes(facts)
    by = f"{words.unit(facts)} per case ({stakes})" if stakes else words.unit(facts)
    yield Statement(
        f"{figures.count(len(facts.classifiers))} classifiers were compared by {by}, at the base "
        f"rate {at}, "
        f"{figures.short(facts.base_rate)}, and with the constant decisions",
        ("dyrland",),
    )
    yield Statement(
        "What yields most in these cases at each threshold tau and base rate was computed from "
        "recall "
        "and specificity",
        ("dyrland",),
    )


def _surely(facts: ComparisonFacts) -> Iterator[Statement]:
    if facts.n_clusters is not None:
        totals = "" if facts.effective_n is None else TOTALS
        yield Statement(CLUSTERED.format(n=figures.count(facts.n_clusters)) + totals)
        return
    if facts.n_replicates is not None:
        yield Statement(REPLICATED.format(n=f"{facts.n_replicates:,}"))
        return
    if facts.effective_n is not None:
        yield Statement(WEIGHTED, ("kish", "mcnemar"))
        return
    apart = ", for either class by itself" if facts.restated else ""
    same = f"{SAME}{apart}"
    yield Statement(same if facts.paired else SEPARATE, ("caelen",) if facts.paired else ())
    interval = f"Intervals of {words.unit(facts)} hold {figures.level(facts.confidence_level)}"
    yield Statement(f"{interval} of the posterior")
    if any(pair.discordant is not None for pair in facts.pairs):
        yield Statement(MCNEMAR, ("mcnemar", "fagerland"))


def _several(facts: ComparisonFacts) -> Iterator[Statement]:
    if facts.best_error > 0:
        yield Statement(BEST.format(error=f"{facts.best_error:.2g}"), ("gelman",))
    if facts.paired and len(facts.pairs) > 1:
        yield Statement(HOLM, ("holm",))


def _scores(facts: ComparisonFacts) -> Iterator[Statement]:
    tested = [pair for pair in facts.score_pairs if not math.isnan(pair.p_value)]
    kinds = sorted({routes.kind_of_p(pair.p_value_route) for pair in tested if pair.p_value_route})
    if kinds:
        yield Statement(
            f"Two scores were compared on the same cases; p-values are {' or '.join(kinds)}"
        )

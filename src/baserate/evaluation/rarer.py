"""The same classifier at smaller base rates, for a table that pages and details show."""

from math import isnan

from baserate.cases.two_classes import BinaryCases
from baserate.counts import has_both
from baserate.curves.cut_points import Sweep, sweeps_of
from baserate.errors import BaserateError
from baserate.evaluation.evaluation_facts import Evaluating, Source
from baserate.facts.evaluation import EvaluationFacts
from baserate.metrics import Metric, binary_metric
from baserate.report.evaluation_rows import ASKED, BEST_BY, THESE, AtBaseRate, BestCut
from baserate.tuning import optimal_threshold

SHARES = (1.0, 1 / 2, 1 / 5, 1 / 20)  # of the base rate of these cases
HEADLINE = "f1"  # which the base rate moves most, besides precision


def at_base_rates(facts: EvaluationFacts, cases: BinaryCases | None) -> tuple[AtBaseRate, ...]:
    """Return key metrics at base rates from that of the data down, the one asked for among them.

    None for several classifiers, one class, or weights and clusters, whose intervals need the
    cases.
    """
    t = facts.table
    weighted = facts.effective_n is not None or (t is not None and t.is_weighted)
    if t is None or weighted or facts.is_designed or not has_both(t):
        return ()
    swept = _sweep(cases)
    return tuple(
        _at(base_rate, name, facts, swept) for base_rate, name in _base_rates(facts).items()
    )


def _base_rates(facts: EvaluationFacts) -> dict[float, str]:
    """Return base rates with the names of those that were not made up, the largest first."""
    own = facts.classes.base_rate
    found = {float(f"{share * own:.2g}"): "" for share in SHARES[1:]} | {own: THESE}
    if facts.restated:
        found |= {facts.base_rate: ASKED}
    return dict(sorted(found.items(), reverse=True))


def _at(base_rate: float, name: str, facts: EvaluationFacts, swept: Sweep | None) -> AtBaseRate:
    assert facts.table is not None
    asked = ["precision", HEADLINE]
    guess = facts.guess if facts.guess.replace("_", "").isalpha() else float(facts.guess)
    evaluating = Evaluating.of(asked, guess, base_rate, facts.confidence_level)
    [(precision, headline)] = evaluating.facts([Source(facts.table)])
    best = (
        None
        if swept is None
        else _best(binary_metric(BEST_BY).at_base_rate(base_rate), base_rate, swept)
    )
    return AtBaseRate(base_rate, name, precision, headline, best)


def _best(metric: Metric, base_rate: float, swept: Sweep) -> BestCut | None:
    try:
        found = optimal_threshold(metric, swept)
    except BaserateError:  # no cut is best: a dash says so
        return None
    rates = (binary_metric("recall"), binary_metric("precision").at_base_rate(base_rate))
    recall, precision = (float(rate(found.table)) for rate in rates)
    return None if isnan(found.threshold) else BestCut(found.threshold, recall, precision)


def _sweep(cases: BinaryCases | None) -> Sweep | None:
    if cases is None:
        return None
    [swept] = sweeps_of(cases).values()
    return swept

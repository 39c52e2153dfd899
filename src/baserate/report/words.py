"""Words that reports share: names of metrics and guesses, reasons, small numbers, what was read."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from baserate._figures import BRIEF, count, label, quoted, spoken
from baserate.errors import BaserateError
from baserate.facts.cases import CasesFacts
from baserate.facts.evaluation import MetricFact
from baserate.facts.report import SampledFacts
from baserate.facts.scores import SuppressionFact
from baserate.metrics import Metric, binary_metric
from baserate.report.sheet import Cell

T = TypeVar("T")
# The same above a column of a table.
HEADINGS = {
    "dutch_draw": "best guess",
    "same_alarms": "by luck",
    "uniform": "coin",
    "proportional": "base rate",
    "mode": "commoner",
}
# Why something is missing, where the facts hold a code and no message.
REASONS = {
    "cases_in_clusters": "this needs independent cases, and these lie in clusters",
    "clusters_alike": "clusters do not differ, or there is only one: nothing shows what luck does",
    "counted_scores": "cases are drawn anew one by one, and these were counted by ranges of scores",
    "difference_without_law": "a difference of two of them has no law: it does not vary, or is "
    "undefined without one cluster",
    "fitted_to_clusters": "it is fitted to all cases as if they were independent, and they are not",
    "decides_constantly": "it takes the best constant decision in every case",
    "one_class": "the cases are of one class",
    "nothing_to_guess": "",  # of one class: what the cases are says it
    "many_pairs": "of so many pairs none is simulated, and this metric needs that",
    "no_probabilities": "the scores do not all lie in [0, 1], so they are no probabilities",
    "replicate_weights": "this needs independent cases, and these have replicate weights",
    "scores_of_several_models": "scores of several models, one a fold, make no one list",
    "risks_of_several_models": "a fold with more positives was scored by a model that saw fewer, "
    "so that the slope of all folds together leans low",
    "too_many_cases": "there are over a million cases; baserate threshold looks at all",
    "too_many_tables": "too many tables to sum",
    "too_many_pairs": 'there are over 5,000 pairs of classes; br.roc_auc with multi_class="ovo" '
    "looks at all",
    "too_many_scores": "there are over 100 million scores; br.roc_auc, br.brier_score and "
    "br.log_loss look at all",
    "weighted": "Fisher's test counts cases, not weights.",
    "weighted_list": "the highest scores are whole cases, and these have weights",
    "weighted_not_linear": "Weighted cases: what guessing scores is known only of metrics that "
    "are linear in recall and specificity.",
}
UNADJUSTED = " Intervals are of each pair by itself, not adjusted."
GROUP_ROWS = 40  # rows of a table of groups
SIGNIFICANT = 0.05  # p-values below are evidence
COUNTS = frozenset({"true_positives", "false_negatives", "false_positives", "true_negatives"})
SHORT = 6  # letters of a name that needs no shorter one
SMALL = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")


YES_OR_NO = {"true", "false", "yes", "no", "none", "nan", ""}
UNNAMED = (
    "Items occur more than once, and no cluster is named, so each item counts as one. If items "
    "share {shared}, name that (--cluster, cluster=), or {so}. {runs}"
)
NARROW = "the intervals are too narrow"
RUNS = "Runs are taken to be alike: where they differ as a whole, as by their seed, {so}. {see}"
SEE = "Name the run (--run, run=), and that is allowed for."


def unnamed(shared: str, so: str, see: str = SEE) -> str:
    """Say that items count as clusters, and what that overlooks."""
    return UNNAMED.format(shared=shared, so=so, runs=RUNS.format(so=so, see=see))


ALONE = (
    "All cases lie in one {kind}, which does not show how much {kind}s differ: collect more of "
    "them."
)


def reason_of(found: str) -> str:
    """Write out why something is missing."""
    return REASONS.get(found, found)


def small_cells(found: SuppressionFact | None) -> str:
    """Say what was done so that counts tell nothing about few people."""
    if found is None:
        return ""
    joined = f"below {found.minimum} cases, joined before the counts left their site"
    if not found.groups:
        return joined
    cases = "cases" if found.cases is None else f"{count(found.cases)} cases"
    groups = "1 group" if found.groups == 1 else f"{count(found.groups)} groups"
    return f"{joined}; {cases} in {groups} were left out"


def left_out(shown: int, all_of_them: int) -> str:
    """Say which groups a table leaves out, if it does."""
    if shown == all_of_them:
        return ""
    more = all_of_them - shown
    others = "one more is" if more == 1 else f"{count(more)} more are"
    return f"The {shown} groups with the most cases; {others} in the JSON."


def first_of(
    parts: Iterable[str], most: int, joined: str = ", ", last: str = " and ",
    write: Callable[[int], str] = str,
) -> str:  # fmt: skip
    """Join the first of several texts, and say how many more there are."""
    found = list(parts)
    more = len(found) - most
    return joined.join(found[:most]) + (f"{last}{write(more)} more" if more > 0 else "")


def foremost(rows: Iterable[T], most: int, key: Callable[[T], Any]) -> list[T]:
    """Return the rows that come first by a key, as many as may be, in their own order."""
    every = list(rows)
    kept = {id(row) for row in sorted(every, key=key)[:most]}
    return [row for row in every if id(row) in kept]


def and_joined(group: Mapping[str, Any]) -> str:
    """Name a group by columns and quoted labels."""
    return " and ".join(f"{label(name)} {quoted(value)}" for name, value in group.items())


def guess_heading(name: str) -> str:
    """Name the guess above a column."""
    return HEADINGS.get(name, "guess")


def size_heading(facts: SampledFacts) -> str:
    """Name the sizes of classes above a column: weights count no cases."""
    return "cases" if facts.effective_n is None else "weight"


def in_words(size: int) -> str:
    """Write a small number as a word that opens a sentence."""
    return SMALL[size] if size < len(SMALL) else count(size)


def label_of(group: Mapping[str, Any]) -> str:
    """Name a group by its labels, in brief, below or beside the names of their columns."""
    return ", ".join(label(each, BRIEF) for each in group.values())


def called(group: Mapping[str, Any], *, first: bool = False) -> str:
    """Name a group where nothing else names its columns: first in a sentence, or a number."""
    first = first and "name" not in group  # of tables by name, which no column holds
    if not (first or any(map(_says_nothing, group.values()))):
        return label_of(group)
    return ", ".join(_called(name, label_of({name: x})) for name, x in group.items())


def _called(name: str, text: str) -> str:
    """Name a label by its column, unless it begins with that: "site 7" of site."""
    named = text.casefold().startswith(str(name).casefold())
    return text if named else f"{label(name)} {text}"


def _says_nothing(label: Any) -> bool:
    """Whether a label alone does not tell what it is of: a number, a yes or no, none at all."""
    text = str(label).strip().lower()
    return text in YES_OR_NO or text.lstrip("+-").replace(".", "", 1).isdecimal()


def in_short(facts: CasesFacts) -> str:
    """Return what was read as a line of short sentences."""
    return " ".join(_sentences(facts))


def _sentences(facts: CasesFacts) -> Iterator[str]:
    shown = [
        f"{count(one.n)} of {'class ' * (k == 0)}{label(one.label)}"
        f"{' (positive)' * (one.label == facts.positive)}"
        for k, one in enumerate(facts.classes)
    ]
    where = "" if facts.source is None else f" of {facts.source}"
    yield f"{_many(facts.n, 'case')}{where}{': ' * bool(shown)}{', '.join(shown)}."
    for columns, one in ((facts.predictions, "Prediction"), (facts.scores, "Score")):
        if columns:
            yield f"{one}{'s' * (len(columns) > 1)}: {', '.join(columns)}."
    if facts.groups:
        yield f"{_many(facts.n_groups, 'group')} by {' and '.join(facts.groups)}."
    if facts.n_clusters is not None:
        strata = f" in {count(facts.n_strata)} strata" if facts.n_strata else ""
        runs = f", answered in {_many(facts.n_runs, 'run')}" if facts.n_runs else ""
        yield f"{_many(facts.n_clusters, 'cluster')}{strata}{runs}."
    if facts.weighted:
        yield "Weighted."
    if facts.missing:
        verb = "was" if facts.missing == 1 else "were"
        yield f"{_many(facts.missing, 'case')} lacked something and {verb} left out."


def _many(size: float, what: str) -> str:
    return f"{count(size)} {what}{'s' * (size != 1)}"


def described(fact: MetricFact) -> str:
    """Write formula and meaning: what the fact says, else the catalogue under its name."""
    known = _in_catalogue(fact.name)
    definition = fact.definition or (known.definition if known else "")
    meaning = fact.meaning or (known.meaning if known else "")
    return f"{definition}. {meaning}" if definition else ""


def ends_of_scale(fact: MetricFact) -> tuple[float, float] | None:
    """Return the bounds, if they are finite."""
    known = _in_catalogue(fact.name)
    bounds = fact.bounds or (known.bounds if known else None)
    return bounds if bounds and all(map(math.isfinite, bounds)) else None


def plain_name(name: str) -> str:
    """Return the name without the base rate that it may be restated at."""
    return label(name.split(".at_base_rate", maxsplit=1)[0])


def name_at(name: str, base_rate: float | None) -> str:
    """Return the name without the base rate that the whole report is stated at, if it is that."""
    plain, restated, rate = name.partition(".at_base_rate(")
    return label(plain if restated and base_rate == float(rate.rstrip(")")) else name)


def stated_at(facts: Any) -> str:
    """Write at which base rate a report is stated, if not at that of the cases."""
    return f" at a base rate of {facts.base_rate:g}" if facts.restated else ""


def listed(names: Iterable[str], most: int | None = None) -> str:
    """Write names as "a, b and c", or the first of them as "a, b and 7 more"."""
    found = list(names)
    more = [] if most is None or len(found) <= most else [f"{len(found) - most} more"]
    *head, last = [*(found[:most] if more else found), *more]
    return f"{', '.join(head)} and {last}" if head else last


def short_name(name: str) -> str:
    """Return the shortest name of a metric, for a narrow column; short names stay as they are."""
    name = plain_name(name)
    if name.startswith("cost_per_case("):
        return "cost"
    metric = None if len(name) <= SHORT else _in_catalogue(name)
    return name if metric is None else min((name, *metric.synonyms), key=len)


def sides_of(name: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the cells that count for a share of cases, and those that do not; None of others."""
    metric = _in_catalogue(plain_name(name))
    return None if metric is None else metric.proportion


def named(name: str) -> Cell:
    """Write a metric's name, on a page as it is spoken."""
    return Cell(plain_name(name), page=spoken(name))


def _in_catalogue(name: str) -> Metric | None:
    try:
        return binary_metric(name)
    except BaserateError:  # a user's own metric is in no catalogue
        return None

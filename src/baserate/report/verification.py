"""What is said first where rows without a truth differ from those with one."""

import math

from baserate import _figures as figures
from baserate.facts.unverified import UnverifiedFact

LEVEL = 0.05


def unverified(fact: UnverifiedFact | None) -> tuple[str, ...]:
    """Say that the rows kept are no sample of all, if that is beyond luck.

    Examples
    --------
    >>> from baserate.report.verification import unverified, UnverifiedFact
    >>> fact = UnverifiedFact(n=800, alarms=8, kept=200, kept_alarms=100, p_value=1e-9, recall=0.95,
    ...                       corrected=0.7)
    >>> for sentence in unverified(fact):
    ...     print(sentence)
    Beware: of 800 rows without a truth 1% are alarms, of the 200 kept 50% (p < 0.001): the rows \
kept are no sample of all.
    Recall, specificity and what rests on them mislead: recall is 0.95 of the rows kept, and about \
0.70 of all if the truth was looked up by the alarm alone.
    """
    if fact is None or not fact.p_value <= LEVEL:
        return ()
    share, other = (
        figures.percent(part / whole)
        for part, whole in ((fact.alarms, fact.n), (fact.kept_alarms, fact.kept))
    )
    alarms = "are alarms" if fact.name is None else f"are alarms of {figures.label(fact.name)}"
    if fact.label is not None:
        by = "" if fact.name is None else f" by {figures.label(fact.name)}"
        alarms = f"are called {figures.quoted(fact.label)}{by}"
    if not math.isnan(fact.above):
        alarms = f"score {figures.short(fact.above)} or more"
    first = (
        f"Beware: of {figures.count(fact.n)} rows without a truth {share} {alarms}, of the "
        f"{figures.count(fact.kept)} kept {other} ({figures.p_stated(fact.p_value)}): the rows "
        "kept are no sample of all."
    )
    if fact.label is not None:
        return first, "Recall of the classes, accuracy and what rests on them mislead."
    second = "Recall, specificity and what rests on them mislead"
    if not math.isnan(fact.corrected):
        second += (
            f": recall is {figures.short(fact.recall)} of the rows kept, and about "
            f"{figures.short(fact.corrected)} of all if the truth was looked up by the alarm alone"
        )
    return first, f"{second}."

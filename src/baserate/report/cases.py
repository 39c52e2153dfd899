"""What was read, in a few words."""

from collections.abc import Iterator

from baserate import _figures as figures
from baserate.facts.cases import CasesFacts


def in_short(facts: CasesFacts) -> str:
    """Return what was read as a line of short sentences."""
    return " ".join(_sentences(facts))


def _sentences(facts: CasesFacts) -> Iterator[str]:
    shown = [
        f"{figures.count(one.n)} of {'class ' * (k == 0)}{figures.label(one.label)}"
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
        yield f"{_many(facts.n_clusters, 'cluster')}."
    if facts.weighted:
        yield "Weighted."
    if facts.missing:
        verb = "was" if facts.missing == 1 else "were"
        yield f"{_many(facts.missing, 'case')} lacked something and {verb} left out."


def _many(size: float, what: str) -> str:
    return f"{figures.count(size)} {what}{'s' * (size != 1)}"

"""A page for each metric, made of the facts that it declares and of what the library finds."""

from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import repeat
from math import isfinite, isnan
from pathlib import Path
from typing import NamedTuple

from class_metric_pages import class_pages
from set_formulas import set_formula

import baserate as br
from baserate.errors import BaserateError
from baserate.metrics import (
    CATALOGUE,
    CLASS_CATALOGUE,
    FAMILIES,
    Metric,
)
from baserate.metrics._metric import EMPTY

# A member of each family that takes parameters, as one would first choose them.
MEMBERS = {
    "f_beta": "f_beta(2)",
    "weighted_accuracy": "weighted_accuracy(0.8)",
    "robust_f": "robust_f(d0=0.1)",
    "robust_mcc": "robust_mcc(d=0.05)",
    "utility": "utility([[1, -1], [-10, 0]])",
    "cost_per_case": "cost_per_case(fn=10, fp=1)",
    "net_benefit": "net_benefit(0.1)",
}
TABLE = br.ConfusionMatrix(tp=80, fn=20, fp=10, tn=90)
EXAMPLE = "br.ConfusionMatrix(tp=80, fn=20, fp=10, tn=90)"
SHARES = (0.5, 0.1, 0.01)
CASES = 1_000
CONSTANT = ({"tp": 1, "fn": 0, "fp": 2, "tn": 0}, {"tp": 0, "fn": 1, "fp": 0, "tn": 2})
POPULATION = br.populations.LDA(distance=2.0)
INDEX = """# All metrics

A page for each, made of the facts that it declares, which tests measure on every table of up to
twelve cases. *By guessing*: what every guess scores on average, where that is one number. *Base
rate*: does it change the value while recall and specificity stay? *Robust*: does its best cut still
find positives when they become rare? *Admissible*: does it rank classifiers by what their decisions
are worth?

| metric | range | by guessing | base rate matters | robust | admissible |
|---|---|---|---|---|---|
{rows}

## Several classes

[Averages](averages.md) of all of these are made by `br.metrics.average`, or named: `macro_f1`,
`weighted_precision`, `micro_jaccard`. Each stands for the average of a metric over the classes.

```{{toctree}}
:maxdepth: 1

averages
{classes}
```

```{{toctree}}
:hidden:

{names}
```
"""
TRENDS = {
    "increasing": "rises",
    "decreasing": "falls",
    "constant": "stays the same",
}
SHAPES = {
    "constant": "every guess scores the same",
    "increasing": "its mean grows with the number of alarms",
    "decreasing": "its mean falls with the number of alarms",
}


def said(value: float | None) -> str:
    """Return a number as a page shows it."""
    if value is None or isnan(value):
        return "undefined"
    if not isfinite(value):
        return "∞" if value > 0 else "-∞"
    return f"{value:.4g}"


def _facts(metric: Metric) -> list[str]:
    low, high = metric.bounds
    best = "depends on the table" if metric.best is None else said(metric.best)
    better = {"higher": "more is better", "lower": "less is better"}.get(
        metric.direction, "neither more nor less is better"
    )
    lines = [
        f"- **Range**: {said(low)} to {said(high)}; {better}; without errors: {best}.",
        f"- **Undefined**: {_undefined(metric)}",
        f"- **Base rate**: {_base_rate(metric)}",
    ]
    if metric.trend_in_fp in TRENDS:
        told = TRENDS[metric.trend_in_fp]
        lines.append(f"- **One more false alarm** (of the same cases): it {told}.")
    swaps = [
        (metric.class_swap, "Classes trade places"),
        (metric.transpose, "Truth and prediction trade places"),
    ]
    for other, what in swaps:
        if other:
            told = "it stays the same" if other == metric.name else f"it becomes {_link(other)}"
            lines.append(f"- **{what}**: {told}.")
    if not metric.scale_invariant:
        lines.append("- **Ten times the counts**: another value; compare it on equal numbers only.")
    return lines


def _link(name: str) -> str:
    return f"[{name}]({name}.md)" if name in CATALOGUE else f"`{name}`"


def _undefined(metric: Metric) -> str:
    sums = [f"{EMPTY[s]} ({s.replace('+', ' + ')} = 0)" for s in metric.undefined_if_zero]
    if metric.undefined_also is not None:
        sums.append("where its formula divides by zero")
    if not sums:
        return "never, once there is a case."
    return "; ".join(sums) + ". Then it is nan with that reason, not 0."


def _base_rate(metric: Metric) -> str:
    if metric.depends_on_base_rate:
        return "the same recall and specificity give another value where positives are rarer."
    return "recall and specificity alone decide it; it keeps its value where positives are rarer."


def _guessing(metric: Metric) -> str:
    if metric.direction == "neither":
        return "It has no better or worse, so there is no best guess."
    if metric.chance is not None:
        scores = f"scores {said(metric.chance)} on average, whatever the base rate"
        lost = [isnan(metric(br.ConfusionMatrix(**cells))) for cells in CONSTANT]
        if any(lost):  # flagging everybody, flagging nobody
            who = "some cases and not all" if all(lost) else "some cases" if lost[1] else "not all"
            return f"Every guess that flags {who} {scores}; others have no value."
        return f"Every guess {scores}."
    rows = []
    for share in SHARES:
        positives = round(CASES * share)
        try:
            found = br.dutch_draw(metric, n_positive=positives, n_negative=CASES - positives)
            anew = br.random_guess(metric, n_positive=positives, n_negative=CASES - positives)
        except BaserateError:
            continue
        rows.append(f"| {share:g} | {said(found.value)} | {said(anew.value)} |")
    shape = SHAPES.get(metric.chance_shape)
    text = f"On average, of {CASES:,} cases{f'; {shape}' if shape else ''}:\n\n"
    head = "| base rate | the best guess | a coin for each case |\n|---|---|---|\n"
    return text + head + "\n".join(rows) if rows else "Not known for all guesses."


class Robust(NamedTuple):
    """The short answer, for the table of all metrics, and the sentence."""

    answer: str
    told: str


@cache
def robust(metric: Metric) -> Robust:
    """Say whether recall at the best cut stays away from 0 as positives become rare."""
    try:
        found = br.is_robust(metric)
    except BaserateError as error:
        return Robust("–", f"The question is not posed: {error}")
    if found:
        return Robust(
            "yes",
            f"Yes: the density ratio at the best cut stays below {said(found.bound)}, however rare "
            "positives become, so that recall stays away from 0.",
        )
    try:
        normal = br.is_robust(metric, POPULATION)
    except BaserateError as error:
        return Robust("no", f"No: {error}")
    if normal:
        return Robust(
            "for some data",
            "For some data: no bound holds for all, but for scores that are normal in each class "
            f"(two standard deviations apart) that ratio stays below {said(normal.bound)}.",
        )
    return Robust("no", "No: as positives become rare, the best cut for it finds none of them.")


def _admissible(metric: Metric) -> str:
    found = br.admissible(metric)
    if found.answer == "always":
        return f"Yes, everywhere: it acts at a probability of {said(found.tau)}."
    if found.answer == "one test set":
        return (
            "On one test set: it ranks classifiers as a utility does, but which one depends on the "
            f"base rate (at 0.1 it acts at a probability of {said(found.tau_at(0.1))})."
        )
    return f"No: {found.reason}. It may prefer the classifier whose decisions are worth less."


def _rule(metric: Metric) -> str:
    rows = []
    for share in SHARES:
        try:
            found = br.bayes_threshold(metric, POPULATION, base_rate=share)
        except BaserateError as error:
            return f"None: {error}"
        cells = (share, found.ratio, found.probability, found.recall)
        rows.append(f"| {' | '.join(map(said, cells))} |")
    head = (
        "Call positive what is denser among positives by more than δ*. For scores that are normal "
        "in each class, two standard deviations apart:\n\n"
        "| base rate | density ratio δ* | as a probability | recall there |\n|---|---|---|---|\n"
    )
    return head + "\n".join(rows)


def _picture(metric: Metric, name: str, folder: Path) -> str:
    path = folder / f"{name}.svg"
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        br.displays.BaseRateDisplay(TABLE, metric=metric).to_svg(path)
    except BaserateError:
        return ""
    told = "Recall 0.8, specificity 0.9, from 200 cases, at every base rate; grey is the best guess"
    return f"![{told}]({path.name})\n\n*{told}.*"


def _example(spelled: str, metric: Metric) -> str:
    found = br.interval(metric, TABLE)
    return (
        "```python\nimport baserate as br\n\n"
        f"table = {EXAMPLE}\n"
        f"found = br.interval({spelled}, table)\n"
        'print(f"{found.value:.4g} ({found.low:.4g} to {found.high:.4g})")\n```\n\n'
        f"```text\n{found.value:.4g} ({found.low:.4g} to {found.high:.4g})\n```"
    )


def _page(name: str, spelled: str, metric: Metric, folder: Path) -> str:
    names = ", ".join(f"`{each}`" for each in metric.synonyms)
    parts = [
        f"({name}_score)=\n# {name}",  # docstrings inherited from scikit-learn link to such names
        metric.meaning,
        f"$$\n{set_formula(metric.definition)}\n$$",
        f"Also called {names}." if names else "",
        _example(spelled, metric),
        "## Facts",
        "\n".join(_facts(metric)),
        "## What guessing scores",
        _guessing(metric),
        _picture(metric, name, folder),
        "## Robust to rare positives?",
        robust(metric).told,
        "## Admissible: does it rank by what decisions are worth?",
        _admissible(metric),
        "## Where to cut: its Bayes rule",
        _rule(metric),
        f"## Reference\n\n{metric.reference}" if metric.reference else "",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def metric_pages(folder: Path) -> dict[str, str]:
    """Return the pages by their paths; pictures are written into the folder.

    Bounds and bands take most of the time, so that processors share the metrics.
    """
    names = [*(m.name for m in CATALOGUE), *FAMILIES]
    with ProcessPoolExecutor() as workers:
        made = dict(zip(names, workers.map(_made, names, repeat(folder / "metrics")), strict=True))
    pages = {name: page for name, (page, _) in made.items()}
    pages |= class_pages()
    pages["index"] = _index({name: row for name, (_, row) in made.items()})
    return {f"metrics/{name}.md": text for name, text in pages.items()}


def _made(name: str, pictures: Path) -> tuple[str, str]:
    """Return the page of a metric or of a family's member, and its row in the table of all."""
    if name in MEMBERS:
        spelled = f"br.metrics.{MEMBERS[name]}"
        metric = eval(MEMBERS[name], vars(br.metrics))  # noqa: S307 - our own words
    else:
        spelled, metric = f'"{name}"', br.metrics.get(name)
    return _page(name, spelled, metric, pictures), _row(name, metric)


def _index(rows: dict[str, str]) -> str:
    classes = "\n".join(f"class_{m.name}" for m in CLASS_CATALOGUE)
    names = "\n".join(rows)
    return INDEX.format(rows="\n".join(rows.values()), names=names, classes=classes)


def _row(name: str, metric: Metric) -> str:
    low, high = metric.bounds
    chance = "–" if metric.chance is None else said(metric.chance)
    found, admissible = robust(metric).answer, br.admissible(metric).answer
    base = "yes" if metric.depends_on_base_rate else "no"
    link, span = f"[{name}]({name}.md)", f"{said(low)} to {said(high)}"
    cells = [link, span, chance, base, found, admissible]
    return f"| {' | '.join(cells)} |"

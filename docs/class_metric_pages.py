"""Pages of the metrics of several classes, and one of all their averages."""

import baserate as br
from baserate.errors import BaserateError
from baserate.metrics import CATALOGUE, CLASS_CATALOGUE, ClassMetric

KINDS = ("macro", "weighted", "micro")
TABLE = br.ClassTable([[50, 3, 2], [6, 30, 4], [1, 2, 12]], ["cat", "dog", "fox"])
EXAMPLE = """```python
import baserate as br

table = br.ClassTable([[50, 3, 2], [6, 30, 4], [1, 2, 12]], ["cat", "dog", "fox"])
found = br.interval("{name}", table)
print(f"{{found.value:.4g}} ({{found.low:.4g}} to {{found.high:.4g}})")
```

```text
{value:.4g} ({low:.4g} to {high:.4g})
```"""
AVERAGES = r"""# Averages over classes

Any metric of four counts becomes one of several classes: $f_c$ is its value where class $c$ stands
against the rest, $n_c$ are the cases of that class, $n$ all cases, $K$ the classes.

| average | value | says |
|---|---|---|
| macro | $\sum_c f_c / K$ | every class counts the same, however rare |
| weighted | $\sum_c n_c f_c / n$ | every class counts as often as it occurs |
| micro | $f$ of the sum of the $K$ tables | every decision counts the same |

{example}

Where one $f_c$ is undefined, so is the macro or weighted average, with the class as its reason;
`br.metrics.average("f1", undefined="omit")` leaves that class out, which looks better than it is.
Intervals are those of the table of all classes: {{py:obj}}`baserate.inference.class_intervals`.
A metric of your own is averaged too: {{py:obj}}`baserate.metrics.average`.

## Names

Some averages are another metric by another name: the macro recall is the balanced accuracy, and
the accuracy is both the weighted recall and the micro F1.

| metric | its averages |
|---|---|
{rows}

## Reference

Sokolova and Lapalme (2009), Information Processing & Management 45:427-437,
doi:10.1016/j.ipm.2009.03.002 (whose macro F is that of the macro precision and recall). Opitz and
Burst (2019), Macro F1 and macro F1, doi:10.48550/arXiv.1911.03347.
"""


def said(value: float) -> str:
    """Return a bound as a page shows it."""
    return f"{value:.4g}".replace("inf", "∞")


def class_pages() -> dict[str, str]:
    """Return the pages by the names under which they stand beside those of two classes."""
    pages = {f"class_{metric.name}": _page(metric) for metric in CLASS_CATALOGUE}
    return pages | {"averages": AVERAGES.format(example=_example("macro_f1"), rows=_rows())}


def _rows() -> str:
    rows = []
    for metric in CATALOGUE:
        cells = [_named(f"{kind}_{metric.name}") for kind in KINDS]
        rows.append(f"| [{metric.name}]({metric.name}.md) | {'; '.join(filter(None, cells))} |")
    return "\n".join(rows)


def _named(average: str) -> str:
    """Return the name, and what else it is called; nothing where the name means another metric."""
    try:
        name = br.metrics.get(average).name
    except BaserateError:
        return ""
    return f"`{average}`" if name == average else f"`{average}`, the {name}"


def _example(name: str) -> str:
    found = br.interval(name, TABLE)
    return EXAMPLE.format(name=name, value=found.value, low=found.low, high=found.high)


def _page(metric: ClassMetric) -> str:
    names = ", ".join(f"`{name}`" for name in metric.synonyms)
    low, high = metric.bounds
    facts = [f"- **Range**: {said(low)} to {said(high)}; without errors: {said(metric.best)}."]
    if metric.chance is not None:
        facts.append(f"- **Guessing** scores {said(metric.chance)} on average, whatever the guess.")
    parts = [
        f"# {metric.name} of several classes",
        metric.meaning,
        f"```text\n{metric.name} = {metric.definition}\n```",
        f"Also called {names}." if names else "",
        _example(metric.name),
        "## Facts",
        "\n".join(facts),
        f"## Reference\n\n{metric.reference or _elsewhere(metric)}",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _elsewhere(metric: ClassMetric) -> str:
    kind, _, name = metric.name.partition("_")
    if kind in KINDS:
        return f"Those of [averages](averages.md) and of [{name}]({name}.md)."
    return f"That of [{metric.name}]({metric.name}.md) of two classes."

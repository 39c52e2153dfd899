"""Sentences of an audit: how p-values were adjusted, and whether smoothing helps a group."""

from baserate.facts import SmoothingFact

ADJUSTED = {
    "holm": "p-values are adjusted by Holm's method",
    "benjamini-hochberg": (
        "p-values are adjusted by Benjamini and Hochberg's method, which bounds the share of false "
        "alarms among alarms, not the chance of any"
    ),
    "min-p": (
        "p-values are adjusted by the exact law of the smallest over the metrics of a group, and "
        "by Holm's method over groups"
    ),
    "min-p or holm": (
        "p-values are adjusted over the metrics of a group by the exact law of the smallest (by "
        "Holm's method where the group is too large), and by Holm's method over groups"
    ),
}


def on_smoothing(fact: SmoothingFact, strength: float) -> str:
    """Say whether smoothing helps, and then what could not be judged.

    Examples
    --------
    >>> fact = SmoothingFact(checked=9, median=0.5, worst="recall", worst_ratio=1.25,
    ...                      best_strength=3.21)
    >>> on_smoothing(fact, 10).split(": ")
    ['Strength 10 may hurt, because recall gets 1.25 times the raw mean squared error',
     'the reference is far from this group there, and its best strength is 3.2.']
    """
    verdict = f"Strength {strength:g} {_verdict(fact, strength)}."
    if not fact.unjudged:
        return verdict
    left_out = f"Not judged, because the observed table shows no error: {', '.join(fact.unjudged)}."
    return f"{verdict} {left_out}"


def _verdict(fact: SmoothingFact, strength: float) -> str:
    if not fact.checked:
        return "cannot be judged"
    if fact.worst_ratio <= 1:
        return (
            f"helps: none of the {fact.checked} metrics checked gets a larger mean squared error, "
            f"and the median one falls to {fact.median:.0%} of the raw one"
        )
    hurt = f"{fact.worst} gets {fact.worst_ratio:.2f} times the raw mean squared error"
    if fact.best_strength < strength:
        hurt += ": the reference is far from this group there, and its best strength is "
        hurt += f"{fact.best_strength:.1f}"
    return f"may hurt, because {hurt}"

"""What guessing would score by every metric, before there is any classifier."""

from collections.abc import Iterable
from math import isnan, nan
from typing import Any

from baserate.baselines import dutch_draw, random_guess
from baserate.errors import UnsupportedError
from baserate.evaluation.asked import chosen_metrics, chosen_reference
from baserate.evaluation.once import each_once
from baserate.facts import BaselineFact, BaselineFacts
from baserate.metrics import Metric


def baseline(
    *,
    n_positive: Any,
    n_negative: Any,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    reference: str | float = "dutch_draw",
) -> BaselineFacts:
    """Gather what a guess scores by each metric, and the best and worst that guessing can score.

    Parameters
    ----------
    n_positive, n_negative : int
        Cases of each class.
    metrics : str, Metric or iterable, optional
        Names or metrics, each listed once; default all scalar metrics of the catalogue.
    reference : {"dutch_draw", "uniform", "proportional", "mode"} or float
        The guess: the best blind draw, a coin, the base rate, the commoner class, or a probability.

    Examples
    --------
    >>> facts = baseline(n_positive=30, n_negative=70, metrics="f1")
    >>> round(facts.metrics[0].chance, 4), facts.metrics[0].high_at
    (0.4615, ((100, 100),))
    """
    guess, totals = (
        chosen_reference(reference),
        {"n_positive": n_positive, "n_negative": n_negative},
    )
    facts = (_fact(metric, guess, totals) for metric in chosen_metrics(each_once(metrics)))
    return BaselineFacts(**totals, reference=str(guess), metrics=tuple(facts))


def _fact(metric: Metric, guess: str | float, totals: dict[str, Any]) -> BaselineFact:
    try:
        ends = {goal: dutch_draw(metric, goal=goal, **totals) for goal in ("min", "max")}
        chance, p_defined, reason = _guessed(metric, guess, totals)
    except UnsupportedError as error:
        return BaselineFact(name=metric.name, direction=metric.direction, reason=str(error))
    if guess == "dutch_draw" and metric.direction != "neither":
        best = ends["max" if metric.direction == "higher" else "min"]
        chance, p_defined = best.value, nan if isnan(best.value) else 1.0
        reason = "may be undefined however one guesses" if isnan(best.value) else None
    return BaselineFact(
        name=metric.name,
        direction=metric.direction,
        chance=chance,
        p_defined=p_defined,
        low=ends["min"].value,
        low_at=ends["min"].n_predicted,
        high=ends["max"].value,
        high_at=ends["max"].n_predicted,
        reason=reason,
    )


def _guessed(metric: Metric, guess: Any, totals: dict[str, Any]) -> tuple[float, float, str | None]:
    if guess == "dutch_draw":
        return nan, nan, "neither more nor less is better, so no guess is best"
    found = random_guess(metric, strategy=guess, **totals)
    reason = "undefined under this guess" if isnan(found.value) else None
    return found.value, found.p_defined, reason

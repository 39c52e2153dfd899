"""What guessing would score by every metric, before there is any classifier."""

from collections.abc import Iterable
from math import isnan, nan
from typing import Any

from baserate.baselines import dutch_draw, random_guess
from baserate.baselines.draws import DutchDraw
from baserate.baselines.guessing import chosen_guess
from baserate.errors import UnsupportedError
from baserate.evaluation.metric_choice import chosen_metrics
from baserate.facts.baseline import BaselineFact, BaselineFacts
from baserate.metrics import Metric


def baseline(
    *,
    n_positive: Any,
    n_negative: Any,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    guess: str | float = "dutch_draw",
) -> BaselineFacts:
    """Gather what a guess scores by each metric, and the best and worst that guessing can score.

    Parameters
    ----------
    n_positive, n_negative : int
        Cases of each class.
    metrics : str, Metric or iterable, optional
        Names or metrics, each listed once. Default "headline", the dozen that people read; "all" is
        the catalogue.
    guess : {"dutch_draw", "uniform", "proportional", "mode"} or float
        The guess: the best blind draw, a coin, the base rate, the commoner class, or a probability.

    Examples
    --------
    >>> from baserate.evaluation.guesses import baseline
    >>> facts = baseline(n_positive=30, n_negative=70, metrics="f1")
    >>> round(facts.metrics[0].chance, 4), facts.metrics[0].high_at
    (0.4615, ((100, 100),))
    """
    guess, totals = (
        chosen_guess(guess),
        {"n_positive": n_positive, "n_negative": n_negative},
    )
    facts = (_fact(metric, guess, totals) for metric in chosen_metrics(metrics))
    return BaselineFacts(**totals, guess=str(guess), metrics=tuple(facts))


def _fact(metric: Metric, guess: str | float, totals: dict[str, Any]) -> BaselineFact:
    ends, no_ends = _ends(metric, totals)
    chance, p_defined, no_chance = _chance(metric, guess, totals, ends)
    low, high = ends.get("min"), ends.get("max")
    return BaselineFact(
        name=metric.name,
        direction=metric.direction,
        chance=chance,
        p_defined=p_defined,
        low=low.value if low else nan,
        low_at=low.n_predicted if low else (),
        high=high.value if high else nan,
        high_at=high.n_predicted if high else (),
        reason="; ".join(filter(None, (no_chance, no_ends))) or None,
    )


def _ends(metric: Metric, totals: dict[str, Any]) -> tuple[dict[str, DutchDraw], str | None]:
    try:
        return {goal: dutch_draw(metric, goal=goal, **totals) for goal in ("min", "max")}, None
    except UnsupportedError as error:
        return {}, str(error)


def _chance(
    metric: Metric, guess: Any, totals: dict[str, Any], ends: dict[str, DutchDraw]
) -> tuple[float, float, str | None]:
    if guess == "dutch_draw":
        return _best(metric, ends)
    try:
        found = random_guess(metric, strategy=guess, **totals)
    except UnsupportedError as error:
        return nan, nan, str(error)
    reason = "undefined under this guess" if isnan(found.value) else None
    return found.value, found.p_defined, reason


def _best(metric: Metric, ends: dict[str, DutchDraw]) -> tuple[float, float, str | None]:
    if metric.direction == "neither":
        return nan, nan, "neither more nor less is better, so no guess is best"
    if not ends:
        return nan, nan, None
    best = ends["max" if metric.direction == "higher" else "min"].value
    if isnan(best):
        return nan, nan, "may be undefined however one guesses"
    return best, 1.0, None

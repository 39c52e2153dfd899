"""What guessing would score by every metric, before there is any classifier."""

from collections.abc import Iterable
from math import isnan, nan
from typing import Any

from baserate.baselines import random_guess
from baserate.baselines.draw_tables import extremes
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
    [found] = extremes(metric, [(*totals.values(),)])
    low, high = found.minimum, found.maximum
    chance, p_defined, reason = float(found), 1.0, found.reason
    if guess != "dutch_draw":
        chance, p_defined, no_chance = _chance(metric, guess, totals)
        reason = "; ".join(filter(None, (no_chance, None if low else reason))) or None
    return BaselineFact(
        name=metric.name,
        direction=metric.direction,
        chance=chance,
        p_defined=nan if isnan(chance) and guess == "dutch_draw" else p_defined,
        low=low.value if low else nan,
        low_at=low.n_predicted if low else (),
        high=high.value if high else nan,
        high_at=high.n_predicted if high else (),
        reason=reason,
    )


def _chance(metric: Metric, guess: Any, totals: dict[str, Any]) -> tuple[float, float, str | None]:
    try:
        found = random_guess(metric, strategy=guess, **totals)
    except UnsupportedError as error:
        return nan, nan, str(error)
    reason = "undefined under this guess" if isnan(found.value) else None
    return found.value, found.p_defined, reason

"""What guessing would score by every metric, before there is any classifier."""

from collections.abc import Iterable
from math import isnan, nan
from typing import Any

import numpy as np

from baserate._checks import number_in
from baserate.baselines import random_guess
from baserate.baselines.draw_tables import (
    NEEDS_TOTALS,
    dutch_draw,
    extremes,
)
from baserate.baselines.guessing import chosen_guess
from baserate.baselines.over_totals import over_all_totals
from baserate.baselines.totals import SIZES, possible_totals, same
from baserate.errors import UnsupportedError
from baserate.evaluation.metric_choice import chosen_metrics
from baserate.facts.baseline import BaselineFact, BaselineFacts
from baserate.metrics import Metric


def baseline(
    *,
    n_positive: Any = None,
    n_negative: Any = None,
    n: Any = None,
    base_rate: float | None = None,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    guess: str | float = "dutch_draw",
) -> BaselineFacts:
    """Gather what a guess scores by each metric, and the best and worst that guessing can score.

    Parameters
    ----------
    n_positive, n_negative, n, base_rate : int, int, int and float, optional
        Cases of each class, of both, and the share of positives, as in `baserate.dutch_draw`: of
        what is not known, the answer holds whatever it is.
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
    guess, known = chosen_guess(guess), {"n": n, "base_rate": base_rate}
    asked = dict[str, Any](zip(SIZES, (n_positive, n_negative), strict=True))
    for name, total in asked.items():
        if total is not None:
            number_in(name, total, "[0, inf)", "pass a number of cases, or a sum of weights")
    totals = possible_totals(**asked, **known)
    if isinstance(totals, tuple):
        asked = dict(zip(SIZES, totals, strict=True))
        known = {"n": sum(totals), "base_rate": totals[0] / sum(totals) if any(totals) else None}
        facts = [_fact(metric, guess, totals) for metric in chosen_metrics(metrics)]
    else:
        facts = [_whatever(metric, guess, totals, known) for metric in chosen_metrics(metrics)]
    return BaselineFacts(**asked, **known, guess=str(guess), metrics=tuple(facts))


def _whatever(metric: Metric, guess: Any, totals: Any, known: dict[str, Any]) -> BaselineFact:
    """Return what holds whichever of these totals are the true ones."""
    found = None if totals is None else over_all_totals(metric, totals)
    if found is None:
        [found] = dutch_draw([metric], **known).over_totals
    low, high, reason = found.low, found.high, found.reason
    if guess != "dutch_draw":
        low, high, reason = nan, nan, NEEDS_TOTALS
    if guess != "dutch_draw" and totals is not None:
        values, _, reason = _chance(metric, guess, np.transpose(totals))
        low, high = float(np.min(values)), float(np.max(values))
    return BaselineFact(
        name=metric.name,
        direction=metric.direction,
        chance=low if same(low, high) else nan,
        chance_low=low,
        chance_high=high,
        theta_star=found.theta_star,
        reason=reason,
    )


def _fact(metric: Metric, guess: str | float, totals: Any) -> BaselineFact:
    [found] = extremes(metric, [totals])
    low, high = found.minimum, found.maximum
    chance, p_defined, reason = float(found), 1.0, found.reason
    if guess != "dutch_draw":
        chance, p_defined, no_chance = _chance(metric, guess, totals)
        reason = "; ".join(filter(None, (no_chance, None if low else reason))) or None
    return BaselineFact(
        name=metric.name,
        direction=metric.direction,
        chance=chance,
        chance_low=chance,
        chance_high=chance,
        p_defined=nan if isnan(chance) and guess == "dutch_draw" else p_defined,
        low=low.value if low else nan,
        low_at=low.n_predicted if low else (),
        high=high.value if high else nan,
        high_at=high.n_predicted if high else (),
        theta_star=found.best.theta_star if found.best else (),
        reason=reason,
    )


def _chance(metric: Metric, guess: Any, totals: Any) -> tuple[Any, Any, str | None]:
    try:
        found = random_guess(metric, strategy=guess, **dict(zip(SIZES, totals, strict=True)))
    except UnsupportedError as error:
        return nan, nan, str(error)
    reason = "undefined under this guess" if np.isnan(found.value).any() else None
    return found.value, found.p_defined, reason

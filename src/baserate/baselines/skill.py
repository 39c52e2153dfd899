"""Skill: how far a score is on the way from guessing to perfection."""

from dataclasses import dataclass
from math import isnan, nan
from typing import Any

from baserate.baselines._totals import same, totals_of
from baserate.baselines.dutch_draw import dutch_draw
from baserate.baselines.guessing import chosen_guess, guess_in_population, random_guess
from baserate.counts import ConfusionMatrix, single_table
from baserate.metrics import Metric, get


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """Skill of a table; ``float()`` gives it.

    Attributes
    ----------
    metric : str
    value : float
        (score - chance) / (perfect - chance): 0 is guessing, 1 perfect, negative worse than
        guessing. nan if `reason` says why.
    score, chance, perfect : float
    guess : str or float
        The guess that chance refers to.
    reason : str or None
    """

    metric: str
    value: float
    score: float
    chance: float
    perfect: float
    guess: str | float
    reason: str | None = None

    def __float__(self) -> float:
        return self.value


def skill(
    metric: str | Metric, table: ConfusionMatrix, *, guess: str | float = "dutch_draw"
) -> Skill:
    """Return (score - chance) / (perfect - chance), for metrics of either direction.

    Perfect is the metric's value at tp = n_positive, tn = n_negative: 1 for most, the base rate for
    net benefit, its inverse for lift.

    Parameters
    ----------
    metric : Metric or str
        One that is restated at another base rate (``metric.at_base_rate``) speaks of a population
        in which that is the base rate, and so does its chance: what the guess scores there, whose
        recall and false positive rate are equal. Precision at a base rate of 0.02 has chance 0.02,
        whatever the base rate of the table.
    table : ConfusionMatrix
        A single table. Its class totals must be whole, as those of a table made from rates may be,
        since chance is that of so many cases; any other totals are taken for metrics that are
        linear in recall and specificity. Weights that add up to whole totals cannot be told from
        cases.
    guess : {"dutch_draw", "uniform", "proportional", "mode"} or float
        What chance is: the best blind draw, or random guessing with g = 1/2, the base rate, the
        more frequent class, or any g.

    Returns
    -------
    Skill
        With nan and a reason where the score, chance or perfect is undefined, where perfect equals
        chance, and for metrics that have no direction.

    Raises
    ------
    InvalidArgumentError
        `guess` is neither a guess nor a probability.
    UnsupportedError
        Chance has no exact value here (see `dutch_draw`, `random_guess`).

    References
    ----------
    Murphy (1988), Monthly Weather Review 116:2417. Burger and Meertens, The algorithm versus the
    chimps, equation 1.

    Examples
    --------
    >>> t = ConfusionMatrix(tp=18, fn=12, fp=12, tn=58)
    >>> s = skill("f1", t)
    >>> round(s.score, 4), round(s.chance, 4), round(s.value, 4)
    (0.6, 0.4615, 0.2571)

    Cohen's kappa is its own skill, and accuracy's at g = its own share of alarms:

    >>> from baserate import metrics
    >>> round(float(skill("kappa", t)), 6), round(float(metrics.cohen_kappa(t)), 6)
    (0.428571, 0.428571)
    >>> round(float(skill("accuracy", t, guess=0.3)), 6)
    0.428571

    At a base rate of 0.02 a blind guess has precision 0.02:

    >>> round(skill(metrics.precision.at_base_rate(0.02), t).chance, 12)
    0.02
    """
    metric, table = get(metric), single_table("table", table)
    guess = chosen_guess(guess)
    totals = totals_of(table)
    score, perfect = float(metric(table)), float(metric.perfect(*totals))
    reason = _no_skill(metric, table, score, perfect)
    chance = nan if metric.direction == "neither" or not table.n else _chance(metric, totals, guess)
    reason = reason or _no_chance(metric, chance, perfect)
    return Skill(
        metric=metric.name,
        value=nan if reason else (score - chance) / (perfect - chance),
        score=score,
        chance=chance,
        perfect=perfect,
        guess=guess,
        reason=reason,
    )


def _chance(metric: Metric, totals: tuple[float, float], guess: Any) -> float:
    if "base_rate" in metric.parameters:
        return guess_in_population(metric, metric.parameters["base_rate"], guess, sum(totals))
    sizes = dict(zip(("n_positive", "n_negative"), totals, strict=True))
    if guess == "dutch_draw":
        return float(dutch_draw(metric, **sizes))
    return float(random_guess(metric, **sizes, strategy=guess))


def _no_skill(metric: Metric, table: ConfusionMatrix, score: float, perfect: float) -> str | None:
    if metric.direction == "neither":
        return f"of {metric.name} neither more nor less is better"
    if isnan(score):
        return metric.undefined_reason(table)
    if isnan(perfect):
        return f"{metric.name} is undefined for a table without errors"
    return None


def _no_chance(metric: Metric, chance: float, perfect: float) -> str | None:
    if isnan(chance):
        return f"{metric.name} is undefined, or may be, however one guesses"
    if same(perfect, chance):
        return "guessing is perfect here"
    return None

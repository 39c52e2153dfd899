"""A score on the way from guessing to perfection: skill."""

from dataclasses import dataclass
from functools import lru_cache
from math import isnan, nan
from typing import Any

import numpy as np

from baserate._arith import ratio
from baserate._result import Result
from baserate.baselines.draws import best_draw, best_guess
from baserate.baselines.guessing import SAME_ALARMS, chosen_guess, guess_in_population, random_guess
from baserate.baselines.multiclass import class_chance
from baserate.baselines.totals import (
    at_share,
    class_totals,
    needs_fixed_weights,
    same,
    settled,
    totals_of,
    whole_if_near,
)
from baserate.class_counts import ClassTable, single_class_table
from baserate.counts import ConfusionMatrix, single_table
from baserate.errors import InvalidArgumentError
from baserate.metrics import ClassMetric, Metric, binary_metric, class_metric
from baserate.models import Hypergeometric
from baserate.questions import expect


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill(Result):
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

    Of a batch of tables value, score, chance and perfect are arrays of its shape, and reason has
    one entry for each table.
    """

    metric: str
    value: Any
    score: Any
    chance: Any
    perfect: Any
    guess: str | float
    reason: Any = None

    def __float__(self) -> float:
        return float(self.value)


def skill(
    metric: str | Metric | ClassMetric,
    table: ConfusionMatrix | ClassTable,
    *,
    guess: str | float = "dutch_draw",
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
    table : ConfusionMatrix or ClassTable
        A table, or a batch of tables of two classes. Of several classes a single one; the metric is
        one of class tables, such as "macro_f1", and its chance that of `dutch_draw_multiclass`,
        `random_guess_multiclass`, or of a draw that
        calls as many cases each class. Of two classes, class totals must be whole, as those of a
        table made from rates may be, since chance is that of so many cases; any other totals are
        taken for metrics that are linear in recall and specificity. Weights that add up to whole
        totals cannot be told from cases.
    guess : {"dutch_draw", "same_alarms", "uniform", "proportional", "mode"} or float
        What chance is: the best blind draw, or the draw of as many cases as the table calls
        positive; or random guessing with g = 1/2, the base rate, the more frequent class, or any g.

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
    >>> from baserate import ConfusionMatrix, skill
    >>> t = ConfusionMatrix(tp=18, fn=12, fp=12, tn=58)
    >>> s = skill("f1", t)
    >>> round(s.score, 4), round(s.chance, 4), round(s.value, 4)
    (0.6, 0.4615, 0.2571)

    Guessing with as many alarms finds 30% of the positives by chance:

    >>> s = skill("recall", t, guess="same_alarms")
    >>> round(s.chance, 4), round(s.value, 4)
    (0.3, 0.4286)

    Cohen's kappa is its own skill, and accuracy's at g = its own share of alarms:

    >>> from baserate import metrics
    >>> round(float(skill("kappa", t)), 6), round(float(metrics.cohen_kappa(t)), 6)
    (0.428571, 0.428571)
    >>> round(float(skill("accuracy", t, guess=0.3)), 6)
    0.428571

    Of many tables at once:

    >>> both = ConfusionMatrix(tp=[18, 30], fn=[12, 0], fp=[12, 0], tn=[58, 70])
    >>> skill("f1", both).value.round(4)
    array([0.2571, 1.    ])

    At a base rate of 0.02 a blind guess has precision 0.02:

    >>> round(skill(metrics.precision.at_base_rate(0.02), t).chance, 12)
    0.02

    Fisher's irises by linear discriminant analysis:

    >>> from baserate import ClassTable
    >>> iris = ClassTable([[50, 0, 0], [0, 48, 2], [0, 1, 49]])
    >>> s = skill("macro_f1", iris, guess="same_alarms")
    >>> round(s.chance, 4), round(s.value, 4)
    (0.3333, 0.97)
    """
    if isinstance(table, ClassTable):
        return _of_several(class_metric(metric), single_class_table("table", table), guess)
    metric, guess = binary_metric(metric), chosen_guess(guess, of_table=True)  # pyright: ignore[reportArgumentType]
    if isinstance(table, ConfusionMatrix) and table.shape:
        return _of_batch(metric, table, guess)
    table = single_table("table", table)
    totals = totals_of(table)
    score, perfect = float(metric(table)), float(metric.perfect(*totals))
    chance = (
        nan
        if metric.direction == "neither" or not table.n
        else _chance(metric, table, totals, guess)
    )
    reason = _no_skill(metric, table, score, chance, perfect)
    return _skill(metric, score, chance, perfect, guess, reason)


def _skill(
    metric: Metric | ClassMetric,
    score: float,
    chance: float,
    perfect: float,
    guess: str | float,
    reason: str | None,
) -> Skill:
    return Skill(
        metric=metric.name,
        value=nan if reason else (score - chance) / (perfect - chance) + 0.0,  # never -0
        score=score,
        chance=chance,
        perfect=perfect,
        guess=guess,
        reason=reason,
    )


def _of_batch(metric: Metric, tables: ConfusionMatrix, guess: str | float) -> Skill:
    """Return the skill of each table; those of the same class totals share one chance."""
    decisive = [tables.n_positive, tables.n_negative]
    if guess == SAME_ALARMS:
        decisive.append(tables.n_predicted)
    rows = np.stack([np.ravel(column) for column in decisive], axis=-1)
    _, firsts, places = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    flat = tables[np.unravel_index(np.arange(len(rows)), tables.shape)]
    each = [skill(metric, flat[int(first)], guess=guess) for first in firsts]
    chance, perfect = (
        np.array([getattr(one, name) for one in each])[places.ravel()].reshape(tables.shape)
        for name in ("chance", "perfect")
    )
    score = np.asarray(metric(tables))
    levels = zip(score.flat, chance.flat, perfect.flat, strict=True)
    reasons = [_no_skill(metric, flat[i], *map(float, level)) for i, level in enumerate(levels)]
    none = np.array([reason is not None for reason in reasons]).reshape(tables.shape)
    return Skill(
        metric=metric.name,
        value=np.where(none, nan, ratio(score - chance, perfect - chance) + 0.0),
        score=score,
        chance=chance,
        perfect=perfect,
        guess=guess,
        reason=tuple(reasons),
    )


def _of_several(metric: ClassMetric, table: ClassTable, guess: Any) -> Skill:
    """Return the skill of a class table; of two classes that of the second against the first."""
    guess = chosen_guess(guess, of_table=True)
    if not isinstance(guess, str):
        rule = "must be the name of a guess where there are several classes"
        raise InvalidArgumentError.from_rule("guess", rule, guess, 'pass "proportional"')
    two = metric.form_of(table.n_classes)
    if two is not None:
        return skill(two, table.one_vs_rest(table.labels[1]), guess=guess)
    score = float(metric(table))
    perfect = float(metric(ClassTable(np.diag(table.class_counts), table.labels)))
    chance = nan if metric.direction == "neither" else class_chance(metric, table, guess)
    reason = metric.undefined_reason(table) if isnan(score) else no_room(metric, chance, perfect)
    if isnan(chance) and metric.undefined_classes == "omit" and not isnan(score):
        reason = f"{metric.name} averages classes here of which a guess may leave one without value"
    if metric.direction == "neither":
        reason = f"of {metric.name} neither more nor less is better"
    return _skill(metric, score, chance, perfect, guess, reason)


def _chance(
    metric: Metric, table: ConfusionMatrix, totals: tuple[float, float], guess: Any
) -> float:
    if "base_rate" in metric.parameters:
        g = table.n_predicted / table.n if guess == SAME_ALARMS else guess
        return guess_in_population(metric, metric.parameters["base_rate"], g, sum(totals))
    if guess == SAME_ALARMS:
        return _by_as_many_alarms(metric, table, totals)
    sizes = dict(zip(("n_positive", "n_negative"), totals, strict=True))
    if guess == "dutch_draw":
        whole = class_totals(*totals)
        return float(best_draw(metric, **sizes)) if whole is None else best_guess(metric, *whole)
    return _random_guess(metric, *totals, guess)


@lru_cache(maxsize=4096)
def _random_guess(metric: Metric, n_positive: float, n_negative: float, guess: Any) -> float:
    """Return what guessing scores; searches ask for the same class totals again and again."""
    return float(random_guess(metric, n_positive=n_positive, n_negative=n_negative, strategy=guess))


def _by_as_many_alarms(
    metric: Metric, table: ConfusionMatrix, totals: tuple[float, float]
) -> float:
    """Return the mean over all draws of as many cases as the table calls positive."""
    whole, alarms = class_totals(*totals), whole_if_near(table.n_predicted)
    if whole is None or alarms % 1:
        needs_fixed_weights(metric)
        return at_share(metric, *totals, table.n_predicted / table.n)
    model = Hypergeometric(n_positive=whole[0], n_negative=whole[1], n_predicted=int(alarms))
    return settled(metric, expect(metric, model).value)


def _no_skill(
    metric: Metric, table: ConfusionMatrix, score: float, chance: float, perfect: float
) -> str | None:
    if metric.direction == "neither":
        return f"of {metric.name} neither more nor less is better"
    if isnan(score):
        return metric.undefined_reason(table)
    return no_room(metric, chance, perfect)


def no_room(metric: Metric | ClassMetric, chance: float, perfect: float) -> str | None:
    """Say why nothing lies between chance and perfection."""
    if isnan(perfect):
        return f"{metric.name} is undefined for a table without errors"
    if isnan(chance):
        return f"{metric.name} is undefined, or may be, however one guesses"
    return "guessing is perfect here" if same(perfect, chance) else None

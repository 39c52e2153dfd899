"""A score on the way from guessing to perfection: skill, and what mixes a perfect labeller in."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import isnan, nan
from typing import Any

import numpy as np

from baserate._arith import ratio
from baserate._result import Result
from baserate._saddlepoint import thinned_hypergeometric
from baserate.baselines.chance_curve import tables
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
    idle = metric.direction == "neither" or not table.n
    chance = nan if idle else _chance(metric, table, totals, guess)
    reason = _no_skill(metric, table, score, chance, perfect)
    return _skill(metric, guess, reason, score, chance, perfect)


def _skill(metric: Any, guess: Any, reason: str | None, *levels: float) -> Skill:
    score, chance, perfect = levels
    value = nan if reason else (score - chance) / (perfect - chance) + 0.0  # never -0
    named = dict(zip(("score", "chance", "perfect"), levels, strict=True))
    return Skill(metric=metric.name, value=value, guess=guess, reason=reason, **named)


def _of_batch(metric: Metric, batch: ConfusionMatrix, guess: str | float) -> Skill:
    """Return the skill of each table; those of the same class totals share one chance."""
    decisive = [batch.n_positive, batch.n_negative]
    if guess == SAME_ALARMS:
        decisive.append(batch.n_predicted)
    rows = np.stack([np.ravel(column) for column in decisive], axis=-1)
    _, firsts, places = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    flat = batch[np.unravel_index(np.arange(len(rows)), batch.shape)]
    each = [skill(metric, flat[int(first)], guess=guess) for first in firsts]
    chance, perfect = (
        np.array([getattr(one, name) for one in each])[places.ravel()].reshape(batch.shape)
        for name in ("chance", "perfect")
    )
    score = np.asarray(metric(batch))
    levels = zip(score.flat, chance.flat, perfect.flat, strict=True)
    reasons = [_no_skill(metric, flat[i], *map(float, level)) for i, level in enumerate(levels)]
    none = np.array([reason is not None for reason in reasons]).reshape(batch.shape)
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
    if (two := metric.form_of(table.n_classes)) is not None:
        return skill(two, table.one_vs_rest(table.labels[1]), guess=guess)
    score = float(metric(table))
    perfect = float(metric(ClassTable(np.diag(table.class_counts), table.labels)))
    chance = nan if metric.direction == "neither" else class_chance(metric, table, guess)
    reason = _no_skill(metric, table, score, chance, perfect)
    directed = metric.direction != "neither"
    if directed and isnan(chance) and metric.undefined_classes == "omit" and not isnan(score):
        reason = f"{metric.name} averages classes here of which a guess may leave one without value"
    return _skill(metric, guess, reason, score, chance, perfect)


def _chance(
    metric: Metric, table: ConfusionMatrix, totals: tuple[float, float], guess: Any
) -> float:
    if "base_rate" in metric.parameters:
        g = table.n_predicted / table.n if guess == SAME_ALARMS else guess
        return guess_in_population(metric, metric.parameters["base_rate"], g, sum(totals))
    if guess == SAME_ALARMS:
        return _by_as_many_alarms(metric, table, totals)
    if guess != "dutch_draw":
        return _random_guess(metric, *totals, guess)
    if (whole := class_totals(*totals)) is not None:
        return best_guess(metric, *whole)
    return float(best_draw(metric, n_positive=totals[0], n_negative=totals[1]))


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


def _no_skill(metric: Any, table: Any, score: float, chance: float, perfect: float) -> str | None:
    if metric.direction == "neither":
        return f"of {metric.name} neither more nor less is better"
    if isnan(score):
        return metric.undefined_reason(table)
    return _no_room(metric, chance, perfect)


def _no_room(metric: Metric | ClassMetric, chance: float, perfect: float) -> str | None:
    """Say why nothing lies between chance and perfection."""
    if isnan(perfect):
        return f"{metric.name} is undefined for a table without errors"
    if isnan(chance):
        return f"{metric.name} is undefined, or may be, however one guesses"
    return "guessing is perfect here" if same(perfect, chance) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class DutchScale(Result):
    """The share of a perfect labeller that explains a score; ``float()`` gives it.

    Attributes
    ----------
    metric : str
    value : float
        Between 0, the best blind draw, and 1, perfect labels. nan if `reason` says why.
    score, chance : float
    reason : str or None
    """

    metric: str
    value: float
    score: float
    chance: float
    reason: str | None = None

    def __float__(self) -> float:
        return self.value


def dutch_scaler(metric: str | Metric, table: ConfusionMatrix) -> DutchScale:
    """Return the least share a of a perfect labeller that, mixed with blind draws, scores as much.

    The mixture labels each case by the truth with share a, and else by the best blind draw, so its
    table is a · perfect + (1 - a) · draw. Its score is the mean of the metric over the draws; a is
    solved from it. For metrics linear in recall and specificity that is the skill; for ratios it is
    not: skill mixes scores, this mixes labellers.

    Two flaws of the published code are avoided. The baseline of F_β is that of its own β, not that
    of F1. And where the metric is not linear in the draw (geometric mean, Jaccard, prevalence
    threshold), its mean is taken instead of its value at the mean table, so that scores just above
    chance do not come out negative.

    Parameters
    ----------
    metric : Metric or str
    table : ConfusionMatrix
        A single table. Weighted counts are taken for metrics that are linear in recall and
        specificity.

    Returns
    -------
    DutchScale
        With nan and a reason where the score, chance or perfect is undefined, where guessing is
        perfect, and where the score is worse than the best guess.

    Raises
    ------
    InvalidArgumentError
        The metric has no direction.
    UnsupportedError
        Chance has no exact value here (see `dutch_draw`).

    References
    ----------
    van de Bijl, Klein, Pries, Bhulai, van der Mei (2025), The Dutch Scaler performance indicator,
    Journal of Classification 42.

    Examples
    --------
    With 30 positives of 100 and t = 1 the closed form for F1 is 1 - 2 P (1 - s)/(N s):

    >>> from baserate import ConfusionMatrix, dutch_scaler
    >>> t = ConfusionMatrix(tp=18, fn=12, fp=12, tn=58)
    >>> round(float(dutch_scaler("f1", t)), 12), round(1 - 2 * 30 * 0.4 / (70 * 0.6), 12)
    (0.428571428571, 0.428571428571)
    """
    metric, table = binary_metric(metric), single_table("table", table)
    if table.is_weighted:  # class totals alone may happen to be whole
        needs_fixed_weights(metric)
    draw = best_draw(metric, n_positive=table.n_positive, n_negative=table.n_negative)
    score, perfect = float(metric(table)), float(metric.perfect(table.n_positive, table.n_negative))
    reason = _no_share(metric, table, score, draw.value, perfect)
    if reason:
        share = nan
    elif metric.linear_in_rates:
        share = max(0.0, (score - draw.value) / (perfect - draw.value))
    else:
        sizes = int(table.n_positive), int(table.n_negative)
        sign = 1 if perfect > draw.value else -1
        ends = {k for span in draw.n_predicted for k in span}  # of every range; the least counts
        share = min(_solved(_mixture(metric, *sizes, k), score, sign) for k in ends)
    return DutchScale(
        metric=metric.name, value=share, score=score, chance=draw.value, reason=reason
    )


def _no_share(
    metric: Metric, table: ConfusionMatrix, score: float, chance: float, perfect: float
) -> str | None:
    if isnan(score - chance):
        return metric.undefined_reason(table) or "no blind draw has a value"
    if reason := _no_room(metric, chance, perfect):
        return reason
    if (score - chance) / (perfect - chance) < 0 and not same(score, chance):
        return "the score is worse than that of the best guess"
    return None


def _mixture(metric: Metric, p: int, q: int, k: int) -> Callable[[float], float]:
    """Return the mean of the metric as a function of the share of perfect labels."""
    if metric.affine_in_tp:
        tp, weights = np.array([k * p / (p + q)]), np.ones(1)
    else:
        tp, weights = thinned_hypergeometric(p, q, k)
    draw = tables(p, q, k, tp)

    def score(share: float) -> float:
        cells = [(1 - share) * cell for cell in draw]
        cells[0], cells[3] = cells[0] + share * p, cells[3] + share * q
        return float(weights @ np.asarray(metric.formula(*cells)))

    return score


def _solved(mixture: Callable[[float], float], score: float, sign: int) -> float:
    from scipy.optimize import root_scalar

    def gap(share: float) -> float:
        return sign * (mixture(share) - score)

    if gap(0.0) >= 0:
        return 0.0
    if gap(1.0) <= 0:
        return 1.0
    return float(root_scalar(gap, bracket=(0.0, 1.0), xtol=1e-300, rtol=1e-15).root)

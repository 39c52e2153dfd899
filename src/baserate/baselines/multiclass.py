"""Chance with more than two classes: closed forms where there are some, else exact curves."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heapreplace
from math import floor, fsum, isnan, nan, sqrt
from typing import Any

import numpy as np

from baserate._checks import each_of, finite, float_array, whole_number
from baserate._result import Result
from baserate.baselines.class_chance import of_draw, of_guess, of_guess_in, of_margins
from baserate.baselines.class_draws import best_draw
from baserate.baselines.guessing import SAME_ALARMS
from baserate.class_counts import ClassTable
from baserate.errors import InvalidArgumentError, UnknownNameError, UnsupportedError
from baserate.metrics import ClassMetric, class_metric

Counts = tuple[int, ...]

_CLOSED = ("balanced_accuracy", "macro_f1", "weighted_f1")


@dataclass(frozen=True, slots=True, kw_only=True)
class MulticlassChance(Result):
    """What guessing scores; ``float()`` gives it.

    Attributes
    ----------
    metric : str
    value : float
        nan if the metric is undefined under this guess.
    guess : tuple
        The best number of cases to put into each class (Dutch Draw), or the chance of each class
        (random guessing). Where several are best, this is one of them.
    perfect : float
        The value of a table without errors.
    """

    metric: str
    value: float
    guess: tuple[float, ...]
    perfect: float = 1.0
    reason: str | None = None

    def __float__(self) -> float:
        return self.value

    def skill(self, score: float) -> float:
        """Return (score - chance) / (perfect - chance); nan where these are equal or undefined."""
        score = finite("score", score, "pass what the metric gave")
        room = self.perfect - self.value
        return (score - self.value) / room + 0.0 if room and not isnan(room) else nan  # never -0

    def score_at(self, skill: float) -> float:
        """Return the score that has this skill: a pass mark on the scale of the metric."""
        room = self.perfect - self.value
        return self.value + finite("skill", skill, "pass for example 0.5") * room


def dutch_draw_multiclass(
    metric: str | ClassMetric, class_counts: Sequence[int]
) -> MulticlassChance:
    """Return the best expected value of a blind draw among any number of classes.

    The draw gives k_c of the M cases the label c, at random. Then E[n_cc] = k_c P_c / M, with P_c
    cases of class c, and

    - accuracy, micro F1: max P_c / M, all cases in the largest class;
    - balanced accuracy: 1/C; kappa, Matthews correlation: 0, whatever the draw;
    - macro F1: 1/C, at k_c = P_c;
    - weighted F1: Σ 2 k_c P_c² / (M² (P_c + k_c)), concave in each k_c: largest gains first;
    - other averages: Σ of one exact curve E_c(k_c) per class, by largest gains where all are
      concave, else by dynamic programming; means over cases, at a constant draw. Draws at which
      the metric could be undefined do not compete. Metrics of which nothing of this is known are
      searched in full, while there are few ways to share the cases out.

    Parameters
    ----------
    metric : ClassMetric or str
        Any metric of class tables.
    class_counts : sequence of int
        Cases of each class, at least one each, of at least two classes. The F1 of a class that is
        never predicted is 0.

    Returns
    -------
    MulticlassChance

    Raises
    ------
    InvalidArgumentError, UnknownNameError

    References
    ----------
    van de Bijl et al. (2025), The Dutch Draw, Journal of Applied Probability 62, for two classes.

    Examples
    --------
    >>> from baserate import dutch_draw_multiclass
    >>> float(dutch_draw_multiclass("accuracy", [50, 30, 20]))
    0.5
    >>> b = dutch_draw_multiclass("weighted_f1", [50, 30, 20])
    >>> round(b.value, 6), b.guess
    (0.391152, (67, 24, 9))
    """
    chosen, counts = class_metric(metric), _class_counts(class_counts)
    return _told(metric, chosen, counts, *_best(chosen, counts))


def random_guess_multiclass(
    metric: str | ClassMetric, class_counts: Sequence[int], *, strategy: Any = "uniform"
) -> MulticlassChance:
    """Return the expected value when each case gets class c with chance g_c, independently.

    Parameters
    ----------
    metric, class_counts
        As in `dutch_draw_multiclass`.
    strategy : {"uniform", "proportional", "mode"} or sequence of float
        g_c = 1/C; the class shares; always the largest class (the first of them); any chances that
        sum to one.

    Returns
    -------
    MulticlassChance
        nan for the Matthews correlation of a guess that knows one class only.

    Raises
    ------
    InvalidArgumentError, UnknownNameError

    References
    ----------
    Burger and Meertens, The algorithm versus the chimps, section 1.

    Examples
    --------
    An exam of 100 questions with four options each. Sixty right answers are not a pass:

    >>> from baserate import random_guess_multiclass
    >>> chance = random_guess_multiclass("accuracy", [25, 25, 25, 25])
    >>> chance.value, round(chance.skill(0.6), 3), chance.score_at(0.6)
    (0.25, 0.467, 0.7)
    """
    chosen, counts = class_metric(metric), _class_counts(class_counts)
    shares = _guess_shares(counts, strategy)
    return _told(metric, chosen, counts, of_guess(chosen, counts, shares), shares)


def _told(
    asked: Any, metric: ClassMetric, counts: Counts, value: float, guess: tuple[float, ...]
) -> MulticlassChance:
    name = "micro_f1" if asked == "micro_f1" else metric.name
    perfect = float(metric(ClassTable(np.diag(counts))))
    reason = f"{metric.name} is undefined, or may be, however one guesses" if isnan(value) else None
    return MulticlassChance(metric=name, value=value, guess=guess, perfect=perfect, reason=reason)


def class_chance(metric: ClassMetric, table: ClassTable, guess: str) -> float:
    """Return what a guess by name scores on average on the cases of this table.

    Sums of weights are taken for means over cases, and for metrics of which all guesses score the
    same. Without a case, or a case that has a weight, it is nan.
    """
    if not table.n:
        return nan
    truth, called = table.class_counts, table.predicted_counts
    if guess != SAME_ALARMS:
        strategy = "proportional" if guess == "dutch_draw" else guess
        called = np.asarray(_guess_shares(truth.tolist(), strategy))
    if table.is_weighted:
        return _weighted(metric, truth, called, guess)
    counts = tuple(map(int, truth))
    if guess == SAME_ALARMS:
        return of_draw(metric, counts, tuple(map(int, called)))
    shares, kept = tuple(called.tolist()), _averaged_over(metric, table)
    if guess == "dutch_draw":
        return (_best(metric, counts) if kept is None else best_draw(metric, counts, kept))[0]
    if kept is not None:
        return of_guess_in(metric, counts, shares, kept)
    return of_guess(metric, counts, shares)


def _averaged_over(metric: ClassMetric, table: ClassTable) -> Any:
    """Return which classes an average is over that leaves out those without a value, else None."""
    if metric.undefined_classes != "omit" or metric.part is None:
        return None
    return ~np.asarray(metric.part.undefined(table.one_vs_rest()))


def _weighted(metric: ClassMetric, truth: Any, called: Any, guess: str) -> float:
    if guess == "dutch_draw" and (metric.weights is not None or metric.of_lines):
        draws = (of_margins(metric, truth, row) for row in np.eye(len(truth)))
        found = [value for value in draws if value is not None]
        return min(found) if metric.direction == "lower" else max(found)
    value = of_margins(metric, truth, called)
    if value is None:
        raise UnsupportedError(
            f"{metric.name} has random denominators under weights, so its chance level depends on "
            "each weight: pass whole numbers of cases, or a mean over cases or over rates of "
            "classes, such as accuracy or balanced accuracy."
        )
    return value


def _best(metric: ClassMetric, counts: Counts) -> tuple[float, Counts]:
    """Return the best mean of a draw, and the draw; by a closed form where that is much shorter."""
    if min(counts) < 1 or metric.name not in _CLOSED or metric != class_metric(metric.name):
        return best_draw(metric, counts)
    if metric.name != "weighted_f1":
        return 1 / len(counts), counts
    guess, n = _largest_gains(counts), sum(counts)
    each = (p * Fraction(2 * k * p, n * (p + k)) for p, k in zip(counts, guess, strict=True))
    return float(sum(each) / n), guess


def _class_counts(class_counts: Any) -> Counts:
    counts = tuple(
        whole_number("class_counts", c, minimum=1)
        for c in each_of("class_counts", class_counts, ())
    )
    if len(counts) < 2:
        rule = "must have at least two classes"
        raise InvalidArgumentError.from_rule("class_counts", rule, counts, "pass a count for each")
    return counts


def _guess_shares(counts: Counts, strategy: Any) -> tuple[float, ...]:
    n, size = sum(counts), len(counts)
    largest = counts.index(max(counts))
    known: dict[str, list[float]] = {
        "uniform": [1 / size] * size,
        "proportional": [c / n for c in counts],
        "mode": [float(c == largest) for c in range(size)],
    }
    if isinstance(strategy, str):
        if strategy not in known:
            remedy = f"Choose one of {', '.join(known)}, or pass a chance for each class"
            raise UnknownNameError.from_name("strategy", strategy, known, remedy)
        return tuple(known[strategy])
    shares = float_array("strategy", strategy)
    if shares.shape != (size,) or not (shares >= 0).all() or abs(shares.sum() - 1) > 1e-9:
        rule = f"must be {size} chances that sum to one"
        raise InvalidArgumentError.from_rule("strategy", rule, strategy, "pass one for each class")
    return tuple(shares.tolist())


def _largest_gains(counts: Counts) -> Counts:
    """Return the k_c, summing to M, that maximise Σ k P² / (P + k): largest gains first.

    One more case gains P³ / ((P + k)(P + k + 1)). Every k_c lies above x_c - C, where x is the
    continuous optimum P (sqrt(P/μ) - 1): else some other class would hold more than x + 1, and its
    last case would gain more here. So at most C (C + 1) gains remain to be compared, in fractions.
    """
    n, size = sum(counts), len(counts)
    k = [max(0, floor(x) - size) for x in _continuous(counts, n)]

    def gain(c: int) -> Fraction:
        return Fraction(counts[c] ** 3, (counts[c] + k[c]) * (counts[c] + k[c] + 1))

    heap = [(-gain(c), c) for c in range(size)]
    heapify(heap)
    for _ in range(n - sum(k)):
        c = heap[0][1]
        k[c] += 1
        heapreplace(heap, (-gain(c), c))
    return tuple(k)


def _continuous(counts: Counts, n: int) -> list[float]:
    """Solve Σ P (sqrt(P/μ) - 1) = n over the classes for which that is positive."""
    active = sorted(counts, reverse=True)
    while True:
        root = fsum(p * sqrt(p) for p in active) / (n + sum(active))  # sqrt(μ)
        if sqrt(active[-1]) >= root:
            return [max(0.0, p * (sqrt(p) / root - 1)) for p in counts]
        active.pop()

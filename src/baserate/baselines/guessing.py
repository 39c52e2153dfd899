"""Random guessing: every case is called positive with the same chance, independently."""

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from math import isfinite, isnan, nan, sqrt
from typing import Any, Literal, NamedTuple

import numpy as np

from baserate._arith import plain
from baserate._checks import as_number, can_be_looked_up, number_in, numbers_in, one_of, shape_of
from baserate._result import Result
from baserate.baselines.totals import at_share, class_totals, needs_fixed_weights, settled
from baserate.errors import InvalidArgumentError, UnknownNameError, UnsupportedError
from baserate.metrics import Metric, binary_metric
from baserate.models import BinomialPair
from baserate.questions import expect

GUESSES = ("dutch_draw", "uniform", "proportional", "mode")
SAME_ALARMS = "same_alarms"  # a guess that needs a table, whose number predicted positive it takes
_SHARES = 2001  # of a grid, refined once: a smooth peak is met to 1e-12 of its height


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomGuess(Result):
    """The expected value of a guess, given that the metric is defined; ``float()`` gives it.

    Attributes
    ----------
    metric : str
    value : float
        nan if the metric is undefined whatever is guessed.
    p_defined : float
        Probability that the metric is defined.
    strategy : str or float
    g : float
        Chance of calling a case positive.
    method : {"exact", "paper"}
        What was asked for.
    route : str
        How it was computed.

    Of many class totals value, p_defined and g are arrays of their shape, and so is strategy if
    chances were given; route has one entry for each.
    """

    metric: str
    value: Any
    p_defined: Any
    strategy: Any
    g: Any
    method: str
    route: Any

    def __float__(self) -> float:
        return float(self.value)


def random_guess(
    metric: str | Metric,
    *,
    n_positive: Any,
    n_negative: Any,
    strategy: Any = "uniform",
    method: Literal["exact", "paper"] = "exact",
) -> RandomGuess:
    """Return what a metric is expected to be if every case is called positive with chance g.

    Parameters
    ----------
    metric : Metric or str
    n_positive, n_negative : int, float or array
        Class totals. Sums of weights are taken for metrics that are linear in recall and
        specificity.
    strategy : {"uniform", "proportional", "mode"}, float or array of float
        g = 1/2; g = base rate; g = 1 if more than half of the cases are positive, else 0; any g.
        Arrays broadcast against each other.
    method : {"exact", "paper"}
        "paper" gives the published Taylor approximations. Those for F1 are good to about
        0.002. Those for the balanced metrics are not safe: they need many expected hits, n₁ g well
        above 10. With 2 positives of 1000 and g = 0.002 the balanced precision comes out as -30.6;
        the truth is 0.0046.

    Returns
    -------
    RandomGuess

    Raises
    ------
    InvalidArgumentError, UnknownNameError
        A total or g is out of range, or the strategy is unknown.
    UnsupportedError
        The paper has no approximation for the metric, or totals are weights and the metric's
        denominators are random.

    References
    ----------
    Burger and Meertens, The algorithm versus the chimps: on the minima of classifier performance
    metrics, tables 2 and 4.

    Examples
    --------
    >>> from baserate import random_guess
    >>> r = random_guess("f1", n_positive=30, n_negative=70, strategy="proportional")
    >>> round(r.value, 4), r.g, r.route
    (0.2982, 0.3, 'tower')

    >>> sizes = {"n_positive": 2, "n_negative": 998, "strategy": "proportional"}
    >>> from baserate.metrics import get
    >>> balanced = get("precision").at_base_rate(0.5)
    >>> print(round(float(random_guess(balanced, **sizes)), 4))
    0.0046
    >>> print(round(float(random_guess(balanced, **sizes, method="paper")), 1))
    -30.6

    Among ever more cases, 2% of them positive:

    >>> many = random_guess("precision", n_positive=[1, 2, 20], n_negative=[49, 98, 980])
    >>> many.value.round(4)
    array([0.02, 0.02, 0.02])
    """
    metric = binary_metric(metric)
    one_of("method", method, ("exact", "paper"))
    sizes = {"n_positive": n_positive, "n_negative": n_negative, "strategy": strategy}
    if any(shape_of(name, size) for name, size in sizes.items()):
        for name, size in list(sizes.items())[:2]:
            numbers_in(name, size, "[0, inf)", "pass numbers of cases")
        return _of_many(metric, n_positive, n_negative, strategy, method)
    totals = class_totals(n_positive, n_negative)
    g = guessing_rate(strategy, n_positive, n_negative)
    if totals is None:
        needs_fixed_weights(metric)
        value, p_defined, route = _weighted(metric, float(n_positive), float(n_negative), g)
    else:
        model = BinomialPair(
            n_positive=totals[0], n_negative=totals[1], recall=g, false_positive_rate=g
        )
        answer = expect(metric, model)
        value = settled(metric, answer.value)
        p_defined, route = 1 - answer.undefined, answer.route
    if method == "paper":
        value, route = approximation(metric, n_positive, n_negative, g), "Taylor approximation"
        value = value if p_defined else nan
    return RandomGuess(
        metric=metric.name,
        value=value,
        p_defined=p_defined,
        strategy=strategy,
        g=g,
        method=method,
        route=route,
    )


def _of_many(metric: Metric, *given: Any) -> RandomGuess:
    """Answer for each of several class totals and chances; equal ones once."""
    *settings, method = given
    try:
        settings = np.broadcast_arrays(*(np.asarray(each, dtype=object) for each in settings))
    except ValueError:
        rule = "must have shapes that fit each other"
        shapes = " and ".join(str(np.shape(each)) for each in settings)
        names, remedy = "n_positive, n_negative and strategy", "pass arrays of one length"
        raise InvalidArgumentError.from_rule(names, rule, shapes, remedy) from None
    asked = list(zip(*(each.ravel().tolist() for each in settings), strict=True))
    if not all(map(can_be_looked_up, asked)):
        rule, remedy = "must be chances, or names of strategies", "pass numbers in [0, 1]"
        raise InvalidArgumentError.from_rule("strategy", rule, given[2], remedy)
    known = {
        (p, q, g): random_guess(metric, n_positive=p, n_negative=q, strategy=g, method=method)
        for p, q, g in dict.fromkeys(asked)
    }
    found, shape = [known[each] for each in asked], settings[0].shape

    def column(read: Callable[[RandomGuess], Any]) -> Any:
        return np.array([read(one) for one in found], dtype=float).reshape(shape)

    return RandomGuess(
        metric=metric.name,
        value=column(lambda one: one.value),
        p_defined=column(lambda one: one.p_defined),
        strategy=given[2],
        g=column(lambda one: one.g),
        method=method,
        route=tuple(one.route for one in found),
    )


def guessing_rate(strategy: Any, n_positive: Any, n_negative: Any) -> float:
    """Return the chance g of calling a case positive."""
    if not isinstance(strategy, str):
        return number_in("strategy", strategy, "[0, 1]", "pass a chance, or a strategy's name")
    n_positive, n_negative = (plain(total) for total in (n_positive, n_negative))
    n = n_positive + n_negative
    if not isfinite(as_number(n)):
        rule, remedy = "must have a finite sum", "choose a larger unit of weight"
        given = (n_positive, n_negative)
        raise InvalidArgumentError.from_rule("n_positive, n_negative", rule, given, remedy)
    rates = {
        "uniform": 0.5,
        "proportional": n_positive / n if n else 0.0,
        "mode": float(2 * n_positive > n),
    }
    if strategy not in rates:
        remedy = f"Choose one of {', '.join(rates)}, or pass a chance g"
        raise UnknownNameError.from_name("strategy", strategy, rates, remedy)
    return float(rates[strategy])


def guess_in_population(metric: Metric, base_rate: float, guess: Any, n: float) -> float:
    """Return what guessing scores in a population with this base rate, not in a finite sample.

    Whoever calls a share g of all cases positive blindly finds that share of either class: recall
    and false positive rate are both g. "dutch_draw" is the best g; the others are as in
    `random_guess`, "proportional" and "mode" at this base rate.
    """

    def score(g: Any) -> Any:
        with np.errstate(all="ignore"):  # a user's formula may divide by zero
            return np.asarray(metric.on_rates(g, g, base_rate, n), dtype=float)

    if guess != "dutch_draw":
        g = guessing_rate(guess, base_rate, 1 - base_rate)
        return settled(metric, float(score(np.float64(g))))
    sign = -1.0 if metric.direction == "lower" else 1.0
    shares = np.linspace(0, 1, _SHARES)
    scores = sign * score(shares)
    if np.isnan(scores).all():
        return nan
    top = int(np.nanargmax(scores))
    ends = shares[max(top - 1, 0)], shares[min(top + 1, _SHARES - 1)]
    finer = sign * score(np.linspace(*ends, _SHARES))
    return settled(metric, sign * float(max(scores[top], np.nanmax(finer))))


def chosen_guess(guess: Any, *, of_table: bool = False) -> str | float:
    """Return the name of a guess (hyphens will do), or the probability of guessing positive.

    "same_alarms" is the guess of one table, and a guess only where there is one.
    """
    name = guess.replace("-", "_") if isinstance(guess, str) else ""
    known = (*GUESSES, SAME_ALARMS) if of_table else GUESSES
    if name in known:
        return name
    named = ", ".join(f'"{each}"' for each in known)
    if isinstance(guess, str) and isnan(as_number(guess)):
        near = get_close_matches(name, known, n=1)
        remedy = f'did you mean "{near[0]}"?' if near else "pass one of them"
        rule = f"must be {named} or a probability"
        raise InvalidArgumentError.from_rule("guess", rule, guess, remedy)
    return number_in("guess", guess, "[0, 1]", f"pass {named} or a probability")


def _weighted(
    metric: Metric, n_positive: float, n_negative: float, g: float
) -> tuple[float, float, str]:
    value = at_share(metric, n_positive, n_negative, g)
    return value, float(not isnan(value)), "closed form"


class Setting(NamedTuple):
    """Base rate a, chance g of calling a case positive, and number of cases n.

    What Burger and Meertens print in their tables 2 and 4: second-order Taylor terms around the
    mean table, in their own letters, a = n₁/n and d = 2a - 1.
    """

    a: float
    g: float
    n: int

    @property
    def d(self) -> float:
        """Imbalance: 2a - 1."""
        return 2 * self.a - 1

    @property
    def q(self) -> float:
        """Return n (1 + d)(1 - d)."""
        return self.n * (1 + self.d) * (1 - self.d)

    @property
    def swapped(self) -> "Setting":
        """The other class called positive."""
        return Setting(1 - self.a, 1 - self.g, self.n)


def _f1(s: Setting) -> float:
    a, g, n = s
    return 2 * a * g * (1 / (a + g) - a * (1 - g) / (n * (a + g) ** 3))


def _balanced_f1(s: Setting) -> float:
    c = 1 + 2 * s.g
    return 2 * s.g * (1 / c - 2 * (1 - s.d * c) * (1 - s.g) / (s.q * c**3))


def _balanced_precision(s: Setting) -> float:
    return 0.5 + s.d * (1 - s.g) / (2 * s.q * s.g)


def _skew(s: Setting) -> float:
    return s.d * (1 - 2 * s.g) / (2 * s.q)


Approximation = Callable[[Setting], float]

_SHARED: dict[str, Approximation] = {
    "recall": lambda s: s.g,
    "specificity": lambda s: 1 - s.g,
    "balanced_accuracy": lambda _: 0.5,
    "informedness": lambda _: 0.0,
}
PLAIN: dict[str, Approximation] = _SHARED | {
    "accuracy": lambda s: s.a * s.g + (1 - s.a) * (1 - s.g),
    "precision": lambda s: s.a,
    "negative_predictive_value": lambda s: 1 - s.a,
    "markedness": lambda _: 0.0,
    "matthews_correlation": lambda _: 0.0,
    "f1": _f1,
    "negative_f1": lambda s: _f1(s.swapped),
}
BALANCED: dict[str, Approximation] = _SHARED | {
    "accuracy": lambda _: 0.5,
    "precision": _balanced_precision,
    "negative_predictive_value": lambda s: _balanced_precision(s.swapped),
    "markedness": lambda s: _skew(s) / (s.g * (1 - s.g)),
    "matthews_correlation": lambda s: _skew(s) / sqrt(s.g * (1 - s.g)),
    "f1": _balanced_f1,
    "negative_f1": lambda s: _balanced_f1(s.swapped),
}
TABLES = PLAIN | {f"{name}.at_base_rate(0.5)": rule for name, rule in BALANCED.items()}


def approximation(metric: Metric, n_positive: int, n_negative: int, g: float) -> float:
    """Return the printed approximation; nan where the formula divides by zero."""
    if metric.name not in TABLES:
        raise UnsupportedError(
            f"The paper has no approximation for {metric.name}, only for {', '.join(PLAIN)} and "
            f"these at base rate 0.5: use method='exact'."
        )
    n = n_positive + n_negative
    try:
        return float(TABLES[metric.name](Setting(n_positive / n, g, n)))
    except ZeroDivisionError:
        return nan

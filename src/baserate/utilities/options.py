"""The options of someone who has to decide: follow a classifier, or decide the same for all.

Each is worth a linear function of the shares of cells, whose posterior is a Dirichlet law.
"""

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from math import comb, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from baserate._arrays import Array
from baserate._checks import each_of, generator, number_in
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, InvalidCountError, UnsupportedError, shown
from baserate.inference.beta import Beta
from baserate.inference.sums import TwoBetas
from baserate.inference.utility_posterior import utility_array, with_prior
from baserate.metrics.utilities import decision_counts
from baserate.models import DirichletMultinomial
from baserate.models.factors import BetaBinomialCount, BinomialCount
from baserate.questions.maximum import expect_maximum
from baserate.questions.question import Answer
from baserate.utilities.perfect_information import (
    Prospects,
    contenders,
    linear_options,
    three_options,
    without_data,
)

TABLES = 1_000_000  # of more than four cells, listed one by one
LONGEST = 100_000_000  # stretches of tables, where one of five cells is peeled off
NOTHING = 1e-18
NEAR_ALL = 100_000, 2_000, 1_000  # cases from which on the rest is taken to shrink like 1/(n + m)
AS_MODEL = [0, 2, 1, 3]  # cells row by row, in the order tp, fn, fp, tn
BUDGET = 20_000_000  # values of a count that are summed up at a stated base rate


class Stakes(NamedTuple):
    """Of one classifier with two decisions and two classes, the first ones called positive."""

    alpha: Array
    benefit: float
    cost: float


@dataclass(frozen=True, eq=False)
class Options:
    """Options by name, worth `worths` for each cell, of which there are `alpha` with the prior.

    First every decision for all, in the order of the utilities, then the `n_models` classifiers.
    `base_rate` is the share of the first class where decisions will be taken, None if that is as
    uncertain as the counts.
    """

    names: tuple[str, ...]
    n_models: int
    worths: Array
    alpha: Array
    stakes: Stakes | None
    base_rate: float | None

    @classmethod
    def of(
        cls, counts: Any, threshold: Any, utility: Any, prior: Any, base_rate: Any, names: Any
    ) -> "Options":
        """Read the counts, and what decisions are worth."""
        u, decisions = _utilities(threshold, utility)
        if isinstance(counts, ConfusionMatrix) and counts.shape:
            rule, remedy = "must be a single table", "pass a threshold for each table of a batch"
            raise InvalidArgumentError.from_rule("counts", rule, counts.shape, remedy)
        table = decision_counts("counts", counts, utility)
        k = table.ndim - 1
        if table.shape != (u.shape[0],) * k + (u.shape[1],):
            rule = f"must have {u.shape[0]} decisions for each classifier, and {u.shape[1]} classes"
            remedy = "count cases by (decision of A, decision of B, ..., class)"
            raise InvalidCountError.from_rule("counts", rule, table.shape, remedy)
        alpha = with_prior(table, prior)
        pair = k == 1 and u.shape == (2, 2)
        if base_rate is not None and not pair:
            message = (
                "A stated base rate needs one classifier with two decisions and two classes: leave "
                "base_rate out, which makes the class shares as uncertain as the counts."
            )
            raise UnsupportedError(message)
        if getattr(utility, "positive", 0) == 1 and base_rate is not None:
            base_rate = 1 - base_rate
        stakes = Stakes(alpha, float(u[0, 0] - u[1, 0]), float(u[1, 1] - u[0, 1]))
        return cls(
            (*decisions, *_models(names, k)),
            k,
            _worths(u, k),
            alpha.ravel(),
            stakes if pair else None,
            base_rate,
        )

    @cached_property
    def means(self) -> Array:
        """What each option is expected to be worth."""
        shares = self.alpha / self.alpha.sum()
        if self.base_rate is not None:
            by_class = self.alpha.reshape(2, 2)
            known = np.array([self.base_rate, 1 - self.base_rate])
            shares = (by_class / by_class.sum(axis=0) * known).ravel()
        return self.worths @ shares

    @cached_property
    def contenders(self) -> list[int]:
        """Options that may be best at all; of one classifier, all of them."""
        if self.stakes is not None:
            return list(range(len(self.names)))
        return contenders(self.worths, self.alpha)

    def prospects(self, rng: Any, n_draws: int) -> Prospects:
        """Return who is probably best, and what it is worth to know; in the order of the names."""
        if self.stakes is None:
            return linear_options(self.worths, self.alpha, rng=rng, n_draws=n_draws)
        if self.base_rate is None:
            found = three_options(*self.stakes)
        else:
            found = prospects_at(*self.stakes, self.base_rate)
        none, model, all_ = found.probabilities
        return found._replace(probabilities=(all_, none, model))

    def sample(self, m: int, rng: Any, n_draws: int) -> Answer:
        """Return what m more cases are worth."""
        if not m:
            return Answer(value=0.0, route="closed form")
        if self.stakes is not None and self.base_rate is not None:
            return Answer(value=sample_at(*self.stakes, self.base_rate, m), route="enumeration")
        gains, alpha = self._merged()
        if len(alpha) <= 4:
            return self._of_four(gains, alpha, m)
        if len(alpha) == 5 and (found := _peeled(gains, alpha, m)) is not None:
            return found
        n_tables = comb(m + len(alpha) - 1, m)
        if n_tables <= TABLES:
            return Answer(value=_enumerated(gains, alpha, m), route="enumeration")
        if rng is None:
            message = (
                f"What {m:,} more cases are worth is a sum over {n_tables:,} tables of "
                f"{len(alpha)} cells, and at most {TABLES:,} are listed: pass rng to simulate it, "
                "or take one classifier at a time."
            )
            raise UnsupportedError(message)
        return _simulated(gains, alpha, m, rng, n_draws)

    def _merged(self) -> tuple[Array, Array]:
        """Return what options gain on the one best now, cells that all gain alike taken as one."""
        gains = (self.worths - self.worths[self.means.argmax()])[self.contenders]
        _, first, place = np.unique(gains, axis=1, return_index=True, return_inverse=True)
        order = np.argsort(first)
        return gains[:, first[order]], np.bincount(np.ravel(place), self.alpha).astype(float)[order]

    def _of_four(self, gains: Array, alpha: Array, m: int) -> Answer:
        """Ask for the mean of a maximum of functions of a table; missing cells are impossible."""
        try:
            return _asked(gains, alpha, m)
        except UnsupportedError:
            known = self._known
            if known is None or known[0] >= m:
                raise
            return self._beyond(*known, m)

    @cached_property
    def _known(self) -> tuple[int, Answer] | None:
        """So many cases that their value is nearly that of perfect information, and that value."""
        for size in NEAR_ALL:
            with suppress(UnsupportedError):
                return size, _asked(*self._merged(), size)
        return None

    def _beyond(self, fewer: int, known: Answer, m: int) -> Answer:
        """Return the value of more cases than can be summed: it lies between two that are known."""
        most, total = self.prospects(None, 0).perfect, float(self.alpha.sum())
        value = most - (most - known.value) * (total + fewer) / (total + m)
        error = max(most - value, value - known.value + known.error)
        return Answer(value=value, route="bounds", error=error)


def _asked(gains: Array, alpha: Array, m: int) -> Answer:
    missing = 4 - len(alpha)
    worths = np.pad(gains, ((0, 0), (0, missing)))[:, AS_MODEL]
    model = DirichletMultinomial(n=m, concentration=np.pad(alpha, (0, missing))[AS_MODEL])
    found, size = expect_maximum(worths, model, offsets=gains @ alpha), float(alpha.sum()) + m
    return Answer(value=found.value / size, route=found.route, error=found.error / size)


def prospects_at(alpha: Array, benefit: float, cost: float, base_rate: float) -> Prospects:
    """Return the same at a known share of positives, with the arguments of `three_options`.

    Then deciding the same for all is worth a known amount, and the classifier π s R - (1 - π) t A
    for its recall R and false positive rate A, which are independent Beta variables. Of m more
    cases, Binomial(m, π) are positive.
    """
    if benefit + cost < 0:
        return prospects_at(alpha[:, ::-1], -cost, -benefit, 1 - base_rate)
    if benefit <= 0 or cost <= 0:
        return Prospects(without_data(benefit, cost), 0.0, "closed form")
    (tp, fp), (fn, tn) = alpha.tolist()
    s, t = base_rate * benefit, (1 - base_rate) * cost
    all_, bar = s - t, max(s - t, 0.0)

    def above(found: Beta, spared: Beta) -> float:
        return float(TwoBetas(found, spared, s, t, -t).sf(bar))

    recall, specificity = Beta(tp, fn), Beta(tn, fp)
    win = above(recall, specificity)
    part = (
        s * recall.mean * above(Beta(tp + 1, fn), specificity)
        + t * specificity.mean * above(recall, Beta(tn + 1, fp))
        - (t + bar) * win
    )
    mean = s * recall.mean - t * (1 - specificity.mean) - bar
    shares = (0.0, win, 1 - win) if all_ > 0 else (1 - win, win, 0.0)
    return Prospects(shares, max(part - mean if mean > 0 else part, 0.0), "integral")


def sample_at(alpha: Array, benefit: float, cost: float, base_rate: float, m: int) -> float:
    """Return what m more cases are worth, summed over all of their tables that matter."""
    if benefit + cost < 0:
        return sample_at(alpha[:, ::-1], -cost, -benefit, 1 - base_rate, m)
    (tp, fp), (fn, tn) = alpha.tolist()
    s, t = base_rate * benefit, (1 - base_rate) * cost
    bar = max(s - t, 0.0)
    lead = s * tp / (tp + fn) - t * fp / (fp + tn) - bar
    positives = BinomialCount(m, base_rate).window()
    if len(positives.pmf) * m > BUDGET:
        message = (
            f"What {m:,} more cases are worth at a stated base rate has {len(positives.pmf) * m:,} "
            f"values to sum, and at most {BUDGET:,} are: leave out base_rate, or ask for fewer."
        )
        raise UnsupportedError(message)
    total = 0.0
    for p, mass in zip(positives.values.tolist(), positives.pmf.tolist(), strict=True):
        hits = BetaBinomialCount(int(p), tp, fn).window()
        alarms = BetaBinomialCount(m - int(p), fp, tn).window()
        gain = s * (tp + hits.values) / (tp + fn + p)
        loss = t * (fp + alarms.values) / (fp + tn + m - p) + bar
        total += mass * _mean_excess(gain, hits.pmf, loss, alarms.pmf, flip=lead > 0)
    return total


def _mean_excess(gain: Array, p: Array, loss: Array, q: Array, *, flip: bool) -> float:
    """Return E max(0, gain - loss), or E max(0, loss - gain), of independent increasing values."""
    if flip:
        return _mean_excess(loss, q, gain, p, flip=False)
    mass = np.append(np.cumsum(p[::-1])[::-1], 0.0)
    moment = np.append(np.cumsum((p * gain)[::-1])[::-1], 0.0)
    first = np.searchsorted(gain, loss)
    return float(q @ np.maximum(moment[first] - loss * mass[first], 0.0))


def _utilities(threshold: Any, utility: Any) -> tuple[Array, tuple[str, ...]]:
    """Return the utilities, and what each decision is called that is taken for all."""
    if (threshold is None) == (utility is None):
        rule, given = "must be given, and not both", (threshold, utility)
        raise InvalidArgumentError.from_rule("threshold or utility", rule, given, "pass one")
    if utility is None:
        tau = number_in("threshold", threshold, "(0, 1)", "pass a probability")
        return np.array([[1.0, -tau / (1 - tau)], [0.0, 0.0]]), ("treat all", "treat none")
    shape = np.shape(getattr(utility, "matrix", utility))
    if len(shape) != 2:
        rule, remedy = "must be one matrix", "pass one utility for each decision and class"
        raise InvalidArgumentError.from_rule("utility", rule, shape, remedy)
    u = utility_array(utility, shape)
    return u, tuple(f"always {d}" for d in getattr(utility, "decision_names", range(shape[0])))


def _models(names: Any, k: int) -> tuple[str, ...]:
    names = () if names is None else each_of("names", names, str)
    if not names:
        return ("model",) if k == 1 else tuple(f"model {i + 1}" for i in range(k))
    if len(names) != k or len({*map(shown, names)}) != k:
        rule, remedy = f"must be {k} different names", "name each classifier"
        raise InvalidArgumentError.from_rule("names", rule, names, remedy)
    return tuple(map(str, names))


def _worths(u: Array, k: int) -> Array:
    """Return what each option is worth in each cell (decision of each classifier, class)."""
    shape = (u.shape[0],) * k + (u.shape[1],)
    everybody = [np.broadcast_to(row, shape).ravel() for row in u]
    followed = [
        np.broadcast_to(np.expand_dims(u, tuple(i for i in range(k) if i != j)), shape).ravel()
        for j in range(k)
    ]
    return np.array([*everybody, *followed])


def _peeled(gains: Array, alpha: Array, m: int) -> Answer | None:
    """Sum over the cases in the fullest of five cells; None where that is too long.

    Of two classifiers on the same cases that is what both decide alike.
    """
    cell = int(alpha.argmax())
    rest, others = float(alpha[cell]), np.delete(alpha, cell)
    window = BetaBinomialCount(m, rest, float(others.sum())).window()
    held = window.pmf > NOTHING
    if held.sum() * (m * others.sum() / alpha.sum()) ** 2 > LONGEST:
        return None
    worths, offsets = np.delete(gains, cell, axis=1)[:, AS_MODEL], gains @ alpha
    total = 0.0
    for x, share in zip(window.values[held].tolist(), window.pmf[held].tolist(), strict=True):
        model = DirichletMultinomial(n=m - int(x), concentration=others[AS_MODEL])
        found = expect_maximum(worths, model, offsets=offsets + gains[:, cell] * x)
        total += share * found.value
    return Answer(value=total / (float(alpha.sum()) + m), route="enumeration")


def _enumerated(gains: Array, alpha: Array, m: int) -> float:
    """Sum over every table of m cases."""
    tables = _compositions(m, len(alpha)).astype(float)
    total = float(alpha.sum())
    log_pmf = (gammaln(alpha + tables) - gammaln(alpha) - gammaln(tables + 1)).sum(axis=1)
    log_pmf += gammaln(total) + gammaln(m + 1) - gammaln(total + m)
    pmf = np.exp(log_pmf)
    best = ((tables + alpha) @ gains.T).max(axis=1)
    return float(pmf @ best / pmf.sum() / (total + m))


def _compositions(m: int, cells: int) -> NDArray[np.int64]:
    """Return every way to put m cases into so many cells, one a row."""
    if cells == 1:
        return np.array([[m]])
    parts = []
    for first in range(m + 1):
        rest = _compositions(m - first, cells - 1)
        parts.append(np.column_stack((np.full(len(rest), first), rest)))
    return np.concatenate(parts)


def _simulated(gains: Array, alpha: Array, m: int, rng: Any, n_draws: int) -> Answer:
    random, total = generator(rng), float(alpha.sum())
    tables = random.multinomial(m, random.dirichlet(alpha, n_draws))
    best = ((tables + alpha) @ gains.T).max(axis=1) / (total + m)
    error = float(best.std(ddof=1)) / sqrt(n_draws)
    return Answer(value=float(best.mean()), route="simulation", error=error)

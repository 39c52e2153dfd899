"""The same questions of metrics of several classes, under models of class tables.

Means over cases have closed forms; averages over classes need one class at a time; what only the
number of right cases decides goes by the law of that; two classes, and the accuracy of a group, are
asked of their binary twin. Everything else lists all tables, while there are few.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import isnan, nan
from typing import Any, NamedTuple, TypeVar

import numpy as np

from baserate._arrays import Array
from baserate._checks import DRAWS, generator, one_of, whole_number
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import ClassMetric, Metric, class_metric
from baserate.models import ClassModel, Model
from baserate.models.class_hits import BUDGET as HITS_BUDGET
from baserate.models.class_hits import hits_law, hits_law_cost, size_in_words
from baserate.questions.law import InheritedLaw
from baserate.questions.listed_laws import Listed, listed_law
from baserate.questions.question import (
    SIMULATION,
    Answer,
    Question,
    of_draws,
    share_error,
    simulates,
)
from baserate.questions.undefined import policy_of, stopped

BUDGET = 3_000_000  # tables that are listed
_NEVER = 1e-14  # a probability that rounding of a mean hides
_NAMES = ("closed form", "one versus rest", "hits", "enumeration", "simulation")


class Moments(NamedTuple):
    """Mean and variance (nan where the route does not give it), and how they were found."""

    mean: float
    variance: float
    route: str
    undefined: float = 0.0


@dataclass(frozen=True, slots=True)
class ClassLaw:
    """The law of a metric of several classes under a model of class tables."""

    metric: ClassMetric
    model: ClassModel

    @classmethod
    def of(cls, metric: Any, model: ClassModel) -> "ClassLaw":
        """Look up the metric."""
        return cls(class_metric(metric), model)

    def twin(self) -> tuple[Metric, Model] | None:
        """Return the metric and the model of four counts that have the same law, if any do."""
        two, model = self.metric.two_classes, self.model
        form = self.metric.form_of(model.n_classes)
        if form is not None:
            return form, model.one_vs_rest(model.labels[1])
        if two is None or (right := model.right_or_wrong()) is None:
            return None
        return (two, right) if self.is_right_or_wrong() else None

    def is_right_or_wrong(self) -> bool:
        """Whether it is a mean over cases that asks of each only if it is right."""
        if self.metric.weights is None:
            return False
        weights = np.asarray(self.metric.weights(self.model.n_classes), dtype=float)
        errors = weights[~np.eye(len(weights), dtype=bool)]
        return not np.ptp(np.diagonal(weights)) and not np.ptp(errors)

    def linear(self) -> Moments | None:
        """Return mean and variance of a mean over cases."""
        n = self.model.n
        w = mean_weights(self.metric, n, self.model.n_classes) if n else None
        if w is None:
            return None
        shares = np.asarray(self.model.mean.counts, dtype=float) / n
        mean = float((w * shares).sum())
        return Moments(mean, self.model.variance_of(w - mean), "closed form")

    def chance(self) -> Moments | None:
        """Return what every blind draw scores on average, where that is one number."""
        metric, model = self.metric, self.model
        if metric.chance is None or metric.part is not None or not model.fixes_margins:
            return None
        value = float(metric(model.mean))
        return Moments(
            nan if isnan(value) else float(metric.chance), nan, "closed form", float(isnan(value))
        )

    def by_classes(self, of_two: Question) -> Moments | None:
        """Return the mean of an average over classes, each by its own exact law.

        None where some class may or may not have a value: the classes then depend on each other.
        """
        metric, model = self.metric, self.model
        weighted = metric.kind == "weighted"
        if metric.part is None or metric.kind == "micro" or (weighted and not model.fixes_margins):
            return None
        weights = (
            np.asarray(model.mean.class_counts, float) if weighted else np.ones(model.n_classes)
        )
        there = np.flatnonzero(weights > 0).tolist()
        seen: dict[Any, Any] = {}
        for c in there:
            law = model.one_vs_rest(model.labels[c])
            if law not in seen:
                seen[law] = of_two.ask(InheritedLaw.of(metric.part, law), *PLAINLY)
            weights[c] = 0 if isnan(seen[law].value) else weights[c]
            if not isnan(seen[law].value) and seen[law].undefined > _NEVER / len(there):
                return None
        means = [seen[model.one_vs_rest(model.labels[c])].value for c in there]
        lacking = any(map(isnan, means))
        if not weights.sum() or (lacking and metric.undefined_classes != "omit"):
            return Moments(nan, nan, "one versus rest", 1.0)
        values = np.array([m for m in means if not isnan(m)])
        mean = float(weights[weights > 0] @ values / weights.sum())
        mass = sum(a.undefined for a in seen.values() if not isnan(a.value)) * len(there)
        return Moments(mean, nan, "one versus rest", min(mass, _NEVER))

    def by_hits(self) -> Listed | None:
        """List the values of a metric that the number of right cases decides, given the margins."""
        model: Any = self.model
        if not model.fixes_margins or not self.metric.of_hits:
            return None
        margins = model.class_counts, model.predicted_counts
        if hits_law_cost(*margins) > HITS_BUDGET:
            return None
        return listed_law(self.at_hits(), hits_law(*margins)[1], "hits")

    def at_hits(self) -> Array:
        """Return the values of such a metric from 0 right cases to as many as there can be."""
        sides = np.array([self.model.class_counts, self.model.predicted_counts])  # pyright: ignore[reportAttributeAccessIssue]
        hits = np.arange(sides.min(0).sum() + 1)
        if self.metric.part is not None:
            return micro_at_hits(self.metric, hits, self.model.n, self.model.n_classes)
        right = _spread(hits, sides)
        margins = (np.broadcast_to(side, right.shape) for side in sides)
        return np.atleast_1d(self.metric.at_margins(right, *margins))

    def by_tables(self, budget: int = BUDGET) -> Listed | None:
        """List the values at all tables, if these are few."""
        if self.model.n_tables > budget:
            return None
        labels, blocks = self.model.labels, self.model.blocks()
        parts = [(self.values(ClassTable(t, labels)), np.exp(w)) for t, w in blocks]
        values, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
        return listed_law(values, weights, "enumeration")

    def values(self, tables: ClassTable) -> Array:
        """Return the metric at a batch of tables."""
        return np.atleast_1d(np.asarray(self.metric(tables), dtype=float))

    def drawn(self, rng: Any, n_samples: int) -> Array:
        """Return the metric at so many random tables."""
        if rng is None:
            rule = "must be given for method='simulation'"
            raise InvalidArgumentError.from_rule("rng", rule, None, "pass a seed or a generator")
        size = whole_number("n_samples", n_samples, minimum=2, maximum=DRAWS)
        step = max(1, 4_000_000 // self.model.n_classes**2)
        rng = generator(rng)
        sizes = [min(step, size - start) for start in range(0, size, step)]
        return np.concatenate([self.values(self.model.sample(m, rng)) for m in sizes])

    def listed(self, method: str | None) -> Listed:
        """Return all values by the first route that applies, or the one named."""
        _checked(method)
        for name, route in (("hits", self.by_hits), ("enumeration", self.by_tables)):
            found = route() if method in {None, name} else None
            if found is not None:
                return found
        raise self.refusal(method)

    def moments(self, of_two: Question, method: str | None, *, variance: bool) -> Moments:
        """Return mean and variance by the first route that gives what is asked for.

        `of_two` asks for the mean of a metric of four counts.
        """
        _checked(method)
        for name, route in (
            ("closed form", self.linear),
            ("closed form", self.chance),
            ("one versus rest", partial(self.by_classes, of_two)),
        ):
            found = route() if method in {None, name} else None
            if found is not None and (found.undefined == 1 or not variance or found.variance >= 0):
                return found
        listed = self.listed(method)
        values, weights = listed.filled(None)
        mean = float(weights @ values) if len(values) else nan
        spread = float(weights @ (values - mean) ** 2) if len(values) else nan
        return Moments(mean, spread, listed.route, listed.undefined)

    def refusal(self, method: str | None) -> UnsupportedError:
        """Say how many tables there are, and what works."""
        subject = f"{self.metric.name} under {type(self.model).__name__}"
        if method is not None:
            return UnsupportedError(
                f"{subject} has no route {method!r} to this answer: use method='simulation' "
                "(needs rng=)."
            )
        return UnsupportedError(
            f"{subject} has up to {size_in_words(self.model.n_tables)} tables to list, more than "
            f"{BUDGET:,}, and no shorter exact route: use method='simulation' (needs rng=), or ask "
            "of one class, model.one_vs_rest(label)."
        )


def micro_at_hits(metric: ClassMetric, hits: Any, n: int, n_classes: int) -> Array:
    """Return a micro average by the number of right cases: all classes' tables have known sums."""
    assert metric.part is not None
    hits = np.asarray(hits, dtype=float)
    wrong, tn = n - hits, n * (n_classes - 2) + hits
    return np.asarray(metric.part(ConfusionMatrix(tp=hits, fn=wrong, fp=wrong, tn=tn)), dtype=float)


def affine_in_hits(metric: ClassMetric, n: int, n_classes: int) -> tuple[float, float] | None:
    """Return a micro average without right cases, and what it gains up to all; None if curved."""
    hits = np.linspace(0, n, min(n, 500) + 1).round()
    at = micro_at_hits(metric, hits, n, n_classes)
    start, slope = float(at[0]), float(at[-1] - at[0])
    off = np.abs(at - (start + slope * (hits / n)))
    near = off <= 1e-12 * max(1.0, float(np.abs(at).max()))
    return (start, slope) if near.all() else None


def mean_weights(metric: ClassMetric, n: int, n_classes: int) -> Array | None:
    """Return what a case in each cell counts in a mean over n cases, if the metric is one.

    A micro average is, where it is affine in the right cases.
    """
    if metric.weights is not None:
        return np.asarray(metric.weights(n_classes), dtype=float)
    line = affine_in_hits(metric, n, n_classes) if metric.kind == "micro" else None
    return None if line is None else line[0] + line[1] * np.eye(n_classes)


def mean_answer(
    of_two: Question, law: ClassLaw, method: str | None, undefined: Any, *, variance: bool
) -> Any:
    """Return (value, route, mass) of an expectation or a variance."""
    instead = policy_of(undefined)
    found = law.moments(of_two, method, variance=variance)
    value, mass = (found.variance if variance else found.mean), found.undefined
    if instead is not None and mass > _NEVER:
        if mass < 1:
            values, weights = law.listed(None).filled(instead)
            mean = float(weights @ values)
            value = float(weights @ (values - mean) ** 2) if variance else mean
        else:
            value = 0.0 if variance else instead
    if stopped(law, undefined, mass, gaps=mass > 0):
        value = nan
    return value, found.route, mass


def _checked(method: str | None) -> None:
    if method is not None:
        one_of("method", method, _NAMES)


def _spread(hits: Array, sides: Array) -> Array:
    """Return hits of each class that add up to these, of a table that there may be.

    A class of most cases and most predictions has some hits whatever happens.
    """
    least, most = np.maximum(0, sides.sum(0) - sides[0].sum()), sides.min(0)
    before = np.cumsum(most - least) - (most - least)
    return least + np.clip(hits[:, None] - least.sum() - before, 0, most - least)


Exact = Callable[[ClassLaw, str | None, Any], tuple[float, str, float]]


class Asking(NamedTuple):
    """How a question is asked: the arguments that all of them have, as in `expect`."""

    method: str | None
    undefined: Any
    rng: Any
    n_samples: int


PLAINLY = Asking(None, "omit", None, 0)  # exactly, given that there is a value
Found = TypeVar("Found")


def either(
    metric: Any,
    model: Any,
    method: Any,
    of_several: Callable[[ClassLaw], Found],
    of_two: Callable[[InheritedLaw], Found],
) -> Found:
    """Ask the law under a model of four counts, or of class tables; of these a binary twin if any.

    Draws are those of the model itself.
    """
    if isinstance(model, ClassModel):
        law = ClassLaw.of(metric, model)
        if simulates(method) or (twin := law.twin()) is None:
            return of_several(law)
        metric, model = twin
    return of_two(InheritedLaw.of(metric, model))


def ask(
    metric: Any,
    model: Any,
    how: Asking,
    of_two: Callable[[Metric], Question],
    exact: Exact,
    estimate: Callable[[Array], tuple[float, float]],
) -> Answer:
    """Answer a question under a model of four counts, or of class tables.

    `of_two` is the question of a metric of four counts. Of several classes `exact` answers where no
    binary twin does; `estimate` returns the value and its standard error, given a sample of the
    metric's values.
    """
    method, undefined, rng, n_samples = how

    def of_several(law: ClassLaw) -> Answer:
        if not simulates(method):
            value, route, mass = exact(law, method, undefined)
            return Answer(value=value, route=route, undefined=mass)
        instead, values = policy_of(undefined), law.drawn(rng, n_samples)
        value, error, mass = of_draws(values, instead, estimate)
        value = nan if stopped(law, undefined, mass, gaps=mass > 0) else value
        return Answer(value=value, route=SIMULATION, undefined=mass, error=error)

    return either(metric, model, method, of_several, lambda law: of_two(law.metric).ask(law, *how))


def off_list(read: Callable[[Listed, float | None], float]) -> Exact:
    """Return how a question is answered that is read off the list of all values."""

    def exact(law: ClassLaw, method: str | None, undefined: Any) -> tuple[float, str, float]:
        found = law.listed(method)
        value = read(found, policy_of(undefined))
        stops = stopped(law, undefined, found.undefined, gaps=found.gaps)
        return (nan if stops else value), found.route, found.undefined

    return exact


def class_share(x: Any, values: Array, *, above: bool) -> tuple[float, float]:
    """Return the share of values on that side of x, or at it, and its standard error."""
    beyond = values > float(x) + 1e-12 * max(1.0, abs(float(x)))
    share = float(np.mean(beyond if above else ~beyond))
    return share, share_error(share, len(values))

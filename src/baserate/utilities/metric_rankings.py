"""Which metrics rank classifiers as utilities would: by their form, and on given tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from math import isnan, nan
from typing import Any, Literal

import numpy as np

from baserate._arith import TIE, plain, ratio
from baserate._arrays import Array
from baserate._checks import each_of, instance_of, numbers_in
from baserate._result import Result
from baserate.counts import ConfusionMatrix
from baserate.errors import UnsupportedError
from baserate.metrics import Metric, binary_metric
from baserate.utilities.exact_yields import common_base_rate, exact, rates_by_name
from baserate.utilities.matrix import UtilityMatrix

Answer = Literal["always", "one test set", "no"]

GRID = np.linspace(0.07, 0.91, 7)  # rates at which no metric of the catalogue is undefined
BASE_RATES = np.array([0.03, 0.11, 0.29, 0.5, 0.64, 0.83, 0.98])
SIZES = (1.0, 1000.0)  # some metrics depend on how many cases there are
EXACT = 1e-9  # residual of the fit and spread of tau, relative to the size of the values
ROUNDING = 1e-14

USUAL = (
    "accuracy",
    "balanced_accuracy",
    "precision",
    "recall",
    "specificity",
    "f1",
    "matthews_correlation",
    "cohen_kappa",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Admissible(Result):
    """Whether a metric ranks classifiers as the yield of some 2x2 utilities does.

    ``bool()`` is False if the answer is "no".

    Attributes
    ----------
    metric : str
    answer : {"always", "one test set", "no"}
        "always": as utilities with one threshold tau, whatever the class shares. "one test set": as
        utilities whose tau depends on the class shares, so that it ranks classifiers that were
        tested on the same cases, by stakes that nobody chose. "no": as no utilities.
    tau : float
        The threshold, if the answer is "always"; else nan. `tau_at` gives it for a base rate.
    comparable : bool
        Whether also values from test sets with different class shares rank as yields do: the metric
        is itself a yield, up to unit and zero.
    reason : str
    """

    metric: str
    answer: Answer
    tau: float = nan
    comparable: bool = False
    reason: str
    _metric: Metric = field(repr=False)

    def __bool__(self) -> bool:
        return self.answer != "no"

    @property
    def utilities(self) -> Array | None:
        """2x2 utilities of that threshold, errors worth 0 and one class 1; None unless "always".

        Decisions in rows, the positive class first.
        """
        worth = np.diag([1 - self.tau, self.tau])
        return None if isnan(self.tau) else worth / worth.max()

    def tau_at(self, base_rate: Any) -> Any:
        """Return tau at these shares of positives, in (0, 1); nan if the answer is "no"."""
        pi = np.asarray(numbers_in("base_rate", base_rate, "(0, 1)", "pass a share"))
        if self.answer == "no":
            return plain(np.full(pi.shape, nan))
        return plain(_thresholds(_Fit.of(self._metric, np.atleast_1d(pi), 1.0)).reshape(pi.shape))


def admissible(metric: str | Metric) -> Admissible:
    """Say whether a metric ranks classifiers as expected utility does, and by which stakes.

    On one test set, utilities rank by benefit tp + cost tn. A metric does the same if, the class
    totals being given, it is linear in recall and specificity and rises with no
    error: alpha recall + beta specificity + gamma with alpha, beta >= 0. The threshold is then

        tau = (beta/(1 - pi)) / (alpha/pi + beta/(1 - pi)).

    This is measured on the formula, at 7 base rates and 49 pairs of rates, so it holds for a metric
    of one's own as well.

    Parameters
    ----------
    metric : Metric or str

    References
    ----------
    Dyrland, Lundervold and Porta Mana (2022), doi:10.31219/osf.io/7rz8t, section 3.

    Examples
    --------
    >>> from baserate import admissible
    >>> admissible("accuracy").answer, admissible("accuracy").tau
    ('always', 0.5)
    >>> admissible("accuracy").utilities.tolist(), admissible("recall").utilities.tolist()
    ([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 0.0]])
    >>> found = admissible("balanced_accuracy")
    >>> found.answer, round(found.tau_at(0.1), 6)
    ('one test set', 0.1)
    >>> admissible("f1").reason
    'not linear in recall and specificity'
    """
    metric = binary_metric(metric)
    found = partial(Admissible, metric=metric.name, _metric=metric)
    if metric.direction == "neither":
        return found(answer="no", reason="of it neither more nor less is better")
    sizes = (1.0,) if metric.scale_invariant else SIZES
    fits = [_Fit.of(metric, BASE_RATES, size) for size in sizes]
    if reason := next(filter(None, map(_objection, fits)), None):
        return found(answer="no", reason=reason)
    taus = np.stack([_thresholds(fit) for fit in fits])
    if np.ptp(taus) > EXACT:
        return found(answer="one test set", reason="its stakes change with the class shares")
    tau = float(taus.mean())
    tau = round(tau, 12) if abs(tau - round(tau, 12)) < ROUNDING else tau  # 0.5 up to rounding
    same = all(_is_yield(fit) for fit in fits)
    words = "it is a yield" if same else "its stakes stay, its unit changes with the class shares"
    return found(answer="always", reason=words, tau=tau, comparable=same)


@dataclass(frozen=True, slots=True)
class _Fit:
    """A metric fitted as alpha recall + beta specificity + gamma, at each base rate."""

    base_rates: Array
    alpha: Array
    beta: Array
    gamma: Array
    linear: bool

    @classmethod
    def of(cls, metric: Metric, base_rates: Array, n: float) -> "_Fit":
        recall, specificity = (axis.ravel() for axis in np.meshgrid(GRID, GRID))
        design = np.stack([recall, specificity, np.ones_like(recall)], axis=1)
        values = metric.at_rates(
            recall=recall[:, None], specificity=specificity[:, None], base_rate=base_rates, n=n
        )
        sign = -1.0 if metric.direction == "lower" else 1.0
        found, *_ = np.linalg.lstsq(design, sign * np.nan_to_num(values), rcond=None)
        off = np.abs(design @ found - sign * values).max(axis=0)
        slack = EXACT * np.ptp(values, axis=0) + ROUNDING * np.abs(values).max(axis=0)
        linear = bool((off <= slack).all())  # False where any is nan
        noise = EXACT * np.abs(found).max(axis=0)
        alpha, beta, gamma = np.where(np.abs(found) <= noise, 0.0, found)
        return cls(base_rates, alpha, beta, gamma, linear)


def _objection(fit: _Fit) -> str | None:
    if not fit.linear:
        return "not linear in recall and specificity"
    if (fit.alpha < 0).any() or (fit.beta < 0).any():
        return "it rewards errors"
    if not (fit.alpha + fit.beta > 0).all():
        return "it depends on the class shares only"
    return None


def _thresholds(fit: _Fit) -> Array:
    cost = fit.beta / (1 - fit.base_rates)
    return ratio(cost, fit.alpha / fit.base_rates + cost)


def _is_yield(fit: _Fit) -> bool:
    """Whether benefit and cost are the same, and the rest affine, at all base rates."""
    benefit, cost = fit.alpha / fit.base_rates, fit.beta / (1 - fit.base_rates)
    size = max(float((benefit + cost).max()), float(np.abs(fit.gamma).max()))
    line = np.polynomial.Polynomial.fit(fit.base_rates, fit.gamma, 1)(fit.base_rates)
    spread = max(float(np.ptp(benefit)), float(np.ptp(cost)), float(np.abs(fit.gamma - line).max()))
    return spread <= EXACT * size


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking(Result):
    """How a metric orders pairs of classifiers, against how their yields do.

    Attributes
    ----------
    metric : str
    wrong : tuple of (name, name)
        Pairs that the metric puts the wrong way round; the one that yields more comes first.
    undecided : tuple of (name, name)
        Pairs with different yields, whose metric is equal or undefined.
    right : tuple of (name, name)
    """

    metric: str
    wrong: tuple[tuple[Any, Any], ...]
    undecided: tuple[tuple[Any, Any], ...]
    right: tuple[tuple[Any, Any], ...]


def rankings(
    tables: Mapping[Any, ConfusionMatrix],
    u: UtilityMatrix,
    metrics: Sequence[str | Metric] = USUAL,
    *,
    base_rate: float | None = None,
) -> tuple[Ranking, ...]:
    """Return, for each metric, the pairs of classifiers that it ranks wrongly.

    Yields are compared in fractions. Pairs that yield the same are left out.

    Parameters
    ----------
    tables : mapping of name to ConfusionMatrix
        Single tables with both classes.
    u : UtilityMatrix
        2x2.
    metrics : sequence of Metric or str
        Metrics of which more is better, or less.
    base_rate : float, optional
        Share of positives at which yields and metrics are compared. Default: the one at which all
        were tested.

    Raises
    ------
    InvalidArgumentError
        Class shares differ and no base rate is stated.
    UnsupportedError
        Of a metric neither more nor less is better, or the matrix is not 2x2.

    References
    ----------
    Dyrland, Lundervold and Porta Mana (2022), doi:10.31219/osf.io/7rz8t.

    Examples
    --------
    >>> from baserate import ConfusionMatrix, UtilityMatrix
    >>> from baserate.utilities import rankings
    >>> a = ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
    >>> b = ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)
    >>> found = rankings({"A": a, "B": b}, UtilityMatrix([[15, -335], [-35, 165]]))
    >>> [ranking.metric for ranking in found if not ranking.wrong]
    ['specificity']
    """
    instance_of("u", u, UtilityMatrix, "pass UtilityMatrix([[...]])")
    known, own = rates_by_name(tables)
    if not known:
        return tuple(
            Ranking(metric=binary_metric(m).name, wrong=(), undecided=(), right=()) for m in metrics
        )
    pi = common_base_rate(own, base_rate)
    benefit, cost = pi * exact(u.benefit), (1 - pi) * exact(u.cost)
    # The yield less what class shares alone contribute.
    worth = {name: benefit * r.recall + cost * r.specificity for name, r in known.items()}
    pairs = [
        (x, y) if worth[x] > worth[y] else (y, x)
        for x, y in combinations(tables, 2)
        if worth[x] != worth[y]
    ]
    if base_rate is not None:
        tables = {name: table.at_base_rate(base_rate) for name, table in tables.items()}
    return tuple(
        _ranking(binary_metric(metric), tables, pairs)
        for metric in each_of("metrics", metrics, str | Metric)
    )


def _ranking(
    metric: Metric, tables: Mapping[Any, ConfusionMatrix], pairs: Sequence[tuple[Any, Any]]
) -> Ranking:
    if metric.direction == "neither":
        raise UnsupportedError(
            f"{metric.name} ranks nothing, because of it neither more nor less is better: pass "
            "metrics with a direction."
        )
    sign = -1 if metric.direction == "lower" else 1
    values = {name: sign * float(metric(table)) for name, table in tables.items()}
    found: dict[str, list[tuple[Any, Any]]] = {"wrong": [], "undecided": [], "right": []}
    for better, worse in pairs:
        found[_verdict(values[better], values[worse])].append((better, worse))
    return Ranking(metric=metric.name, **{verdict: tuple(of) for verdict, of in found.items()})


def _verdict(better: float, worse: float) -> str:
    gap = better - worse
    if isnan(gap) or abs(gap) <= TIE * max(abs(better), abs(worse)):
        return "undecided"
    return "right" if gap > 0 else "wrong"

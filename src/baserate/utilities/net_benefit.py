"""Decision curves: what probabilities are worth at every threshold, beside treating all or none."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from baserate._arith import ROUNDING, ratio
from baserate._arrays import Array
from baserate._checks import confidence, number_in, numbers_in, one_of
from baserate._figures import count, short
from baserate._result import HIDDEN, Drawable, json_ready
from baserate.counts import CELLS, ConfusionMatrix, as_float
from baserate.curves.cut_points import Sweep, as_sweep, tables_above
from baserate.curves.losses import probabilities
from baserate.curves.score_bins import boxes_at, middle, need_scores
from baserate.errors import InvalidArgumentError
from baserate.inference import interval
from baserate.metrics import utility
from baserate.utilities.more_data import ValueOfInformation, value_of_information

GRID = np.arange(1, 100) / 100
PRIOR = 0.5  # pseudo-count of each cell, as `interval` has it
Unit = Literal["net_benefit", "interventions_avoided"]


class BenefitBand(NamedTuple):
    """Intervals for the net benefit at some thresholds."""

    thresholds: Array
    low: Array
    high: Array

    def to_dict(self) -> dict[str, Any]:
        """Return the arrays as lists, by name."""
        return json_ready(self._asdict())


@dataclass(frozen=True, kw_only=True, eq=False)
class NetBenefitCurve(Drawable):
    """What is gained by deciding positive where the probability reaches a threshold.

    All arrays have the shape of `thresholds`. Values are per case, in units of the benefit of one
    true positive, unless said otherwise.

    Attributes
    ----------
    thresholds : array of shape (k,)
        tau in (0, 1), ascending: cost of a false alarm : benefit of a true positive =
        tau : 1 - tau.
    tables : ConfusionMatrix
        A batch: who is called positive at each threshold, at the base rate of the curve.
    base_rate : float
    sweep : Sweep

    Where scores were counted in bins, a table whose threshold is within a bin holds the cases above
    the bin only: `worst` and `best` are the curves that call all its negatives positive besides, or
    all its positives, and every value of the scores themselves lies between theirs.
    """

    thresholds: Array
    tables: ConfusionMatrix
    base_rate: float
    sweep: Sweep = field(metadata=HIDDEN)
    restated: bool = field(default=False, metadata=HIDDEN)
    derived: ClassVar[tuple[str, ...]] = (
        "net_benefit",
        "standardized_net_benefit",
        "treat_all",
        "bounds",
    )
    display: ClassVar[str] = "DecisionCurveDisplay"

    def __repr__(self) -> str:
        tau = self.thresholds
        spread = f" from {tau[0]:.3g} to {tau[-1]:.3g}" if len(tau) else ""
        rate = f"base rate {short(self.base_rate)}{', restated' if self.restated else ''}"
        return f"<NetBenefitCurve: {count(len(tau))} thresholds{spread}, {rate}, {self.sweep!r}>"

    @cached_property
    def net_benefit(self) -> Array:
        """tp/n - fp/n tau/(1 - tau) of deciding by the probabilities."""
        tau, t = self.thresholds, self.tables
        found, alarms = (ratio(as_float(cell), as_float(t.n)) for cell in (t.tp, t.fp))
        return found - alarms * ratio(tau, 1 - tau)

    @property
    def bounds(self) -> tuple[Array, Array] | None:
        """What holds the net benefit of the scores themselves, at each threshold; None if exact."""
        if self.worst is None or self.best is None:
            return None
        ends = self.worst.net_benefit, self.best.net_benefit
        room = ROUNDING * np.maximum(1, np.abs(ends[0]))
        return ends[0] - room, ends[1] + room

    @cached_property
    def worst(self) -> "NetBenefitCurve | None":
        """The curve with all negatives of a bin in which a threshold lies; None if exact."""
        return self._with(positive=False)

    @cached_property
    def best(self) -> "NetBenefitCurve | None":
        """The curve with all positives of a bin in which a threshold lies; None if exact."""
        return self._with(positive=True)

    def _with(self, *, positive: bool) -> "NetBenefitCurve | None":
        if self.sweep.highest is None:
            return None
        tables = _corner(self.sweep, self.thresholds, positive=positive)
        exact = replace(self.sweep, highest=None)
        if self.restated:
            tables = tables.at_base_rate(self.base_rate)
        return replace(self, tables=tables, sweep=exact)

    @cached_property
    def standardized_net_benefit(self) -> Array:
        """Net benefit over the base rate: at most 1; nan without positives."""
        return ratio(self.net_benefit, self.tables.base_rate)

    @cached_property
    def treat_all(self) -> Array:
        """Net benefit of always deciding positive, pi - (1 - pi) tau/(1 - tau)."""
        return self.base_rate - (1 - self.base_rate) * self.thresholds / (1 - self.thresholds)

    @property
    def treat_none(self) -> Array:
        """Net benefit of always deciding negative: zero."""
        return np.zeros_like(self.thresholds)

    @property
    def advantage(self) -> Array:
        """Net benefit less that of the better constant decision: negative where it does harm."""
        return self.net_benefit - np.maximum(self.treat_all, 0.0)

    @property
    def interventions_avoided(self) -> Array:
        """Interventions avoided beside treating all, per case, less what missed positives cost.

        (net benefit - that of treating all) (1 - tau)/tau = tn/n - fn/n (1 - tau)/tau: a missed
        positive undoes (1 - tau)/tau interventions avoided. Other names: net reduction in
        interventions, usually per 100 cases.

        Vickers, Cronin, Elkin and Gonen (2008), BMC Medical Informatics and Decision Making 8:53,
        doi:10.1186/1472-6947-8-53.
        """
        shares, odds = self.tables, self.thresholds / (1 - self.thresholds)
        missed, spared = (as_float(cell) / as_float(shares.n) for cell in (shares.fn, shares.tn))
        return spared - missed / odds

    @property
    def murphy(self) -> Array:
        """Murphy diagram: mean loss (1 - tau) fn/n + tau fp/n, lower is better.

        Ehm, Gneiting, Jordan and Krüger (2016), doi:10.1111/rssb.12154.
        """
        tau, t = self.thresholds, self.tables
        return ratio((1 - tau) * as_float(t.fn) + tau * as_float(t.fp), as_float(t.n))

    @property
    def brier(self) -> Array:
        """Brier curve: twice that loss. Its integral over tau is the Brier score.

        Hernández-Orallo, Flach and Ferri (2011), Brier curves: a new cost-based visualisation of
        classifier performance, ICML.
        """
        return 2 * self.murphy

    def band(
        self, thresholds: Any = None, *, confidence_level: float = 0.95, unit: Unit = "net_benefit"
    ) -> BenefitBand:
        """Return exact credible intervals for the net benefit, one by one.

        Net benefit is linear in the cell shares, whose posterior is Dirichlet(counts + 1/2), as in
        `interval`; at a stated base rate the two classes are independent. Within a bin of counted
        scores the interval holds those of the worst and of the best table. Where nobody is flagged
        nobody is treated, and both ends are exactly 0. Each interval takes about two milliseconds,
        and each holds at its own threshold only, not for the whole curve.

        Parameters
        ----------
        thresholds : array, optional
            In (0, 1). Default: 0.01, 0.02, ..., 0.99.
        confidence_level : float
        unit : {"net_benefit", "interventions_avoided"}
        """
        one_of("unit", unit, Unit)
        tau = _thresholds(GRID if thresholds is None else thresholds)
        level = confidence(confidence_level)
        rules, corners = self.sweep.rules_at(tau), [self.sweep.tables[self.sweep.rules_at(tau)]]
        if self.sweep.highest is not None:
            corners = [_corner(self.sweep, tau, positive=best) for best in (False, True)]
        ends = [
            [
                self._ends(t, int(rule), tables[i], level, unit)
                for i, (t, rule) in enumerate(zip(tau.tolist(), rules, strict=True))
            ]
            for tables in corners
        ]
        found = np.array(ends).reshape(len(corners), -1, 2)
        low, high = found[..., 0].min(axis=0), found[..., 1].max(axis=0)
        if unit == "net_benefit":
            tp, fp = (np.array([getattr(one, cell) for one in corners]) for cell in ("tp", "fp"))
            nobody = (tp.min(axis=0) == 0) & (fp.min(axis=0) == 0)  # may be flagged
            low, high = (np.where((tp + fp).any(axis=0), end, 0.0) for end in (low, high))
            low = np.where(nobody, np.minimum(low, 0.0), low)
            high = np.where(nobody, np.maximum(high, 0.0), high)
        return BenefitBand(tau, low, high)

    def information(
        self, thresholds: Any = None, *, m: Any = None, prior: float = PRIOR
    ) -> ValueOfInformation:
        """Return how probably deciding by the probabilities is best, and what more data are worth.

        That of `value_of_information`, with one entry for each threshold: P(better than treating
        all and none), the expected value of perfect information and, if asked for, that of m
        further cases; net benefit per case. A threshold takes some tenths of a millisecond, and m
        further cases some milliseconds for m = 500.

        Parameters
        ----------
        thresholds : array, optional
            In (0, 1). Default: 0.01, 0.02, ..., 0.99.
        m : int or sequence of int, optional
            Further cases.
        prior : float
            Pseudo-count of each cell, as for `band`. Weighted cases are counted as the
            (Σ w)² / Σ w² cases that would say as much.

        Examples
        --------
        At 0.3, 10 of 15 cases above it are positive and none of 5 below; both shares are Beta:
        P(Beta(10.5, 5.5) > 0.3) P(Beta(0.5, 5.5) < 0.3).

        >>> from baserate import net_benefit_curve
        >>> curve = net_benefit_curve([1, 0, 1, 0] * 5, [0.9, 0.2, 0.6, 0.4] * 5)
        >>> found = curve.information([0.3], m=20)
        >>> found.best.tolist(), found.probability_useful.round(3)
        (['model'], array([0.946]))
        """
        tau = _thresholds(GRID if thresholds is None else thresholds)
        return value_of_information(
            counted_at(self, tau),
            threshold=tau,
            m=m,
            prior=prior,
            base_rate=self.base_rate if self.restated else None,
        )

    def _ends(
        self, tau: float, rule: int, table: ConfusionMatrix, level: float, unit: str
    ) -> tuple[float, float]:
        worth = [[1.0, -tau / (1 - tau)], [0.0, 0.0]]
        if unit == "interventions_avoided":
            worth = [[0.0, 0.0], [-(1 - tau) / tau, 1.0]]
        metric, squares = utility(worth), self.sweep.squared_weights
        found = interval(
            metric.at_base_rate(self.base_rate) if self.restated else metric,
            table,
            confidence_level=level,
            squared_weights=None if squares is None else tables_above(*squares)[rule],
        )
        return found.low, found.high


def counted_at(curve: NetBenefitCurve, tau: Array) -> ConfusionMatrix:
    """Return the table of each threshold, of weighted cases that of the effective number."""
    swept = curve.sweep
    if _within(swept, tau).any():
        need_scores("What more data are worth at a threshold within a bin", swept)
    tables, squares = swept.tables[swept.rules_at(tau)], swept.squared_weights
    if squares is None:
        return tables
    effective = as_float(tables.n) / float(squares[0][-1] + squares[1][-1])
    return ConfusionMatrix(**{name: effective * as_float(getattr(tables, name)) for name in CELLS})


def net_benefit_curve(
    y_true: Any,
    y_score: Any = None,
    *,
    thresholds: Any = None,
    base_rate: float | None = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> NetBenefitCurve:
    """Return the decision curve of probabilities: net benefit against the threshold.

    At threshold tau, cases with a probability of at least tau are decided positive. That is the
    best rule for utilities with this tau if probabilities are calibrated. Every threshold is looked
    up in one sort of the scores. Divided by the base rate it is the standardised net benefit; the
    base rate less the net benefit is the expected cost, where a missed positive costs 1 and a false
    alarm tau/(1 - tau).

    Parameters
    ----------
    y_true, y_score : array-like of shape (n,)
        Labels and probabilities; or a `Sweep` of them alone.
    thresholds : array, optional
        In (0, 1). Default: 0.01, 0.02, ..., 0.99 and every distinct probability between 0 and 1.
    base_rate : float, optional
        In (0, 1). Share of positives where decisions will be taken, such as the population's for a
        case-control sample; each class keeps its probabilities. Default: that of the cases.
    pos_label, sample_weight : optional
        As in `sweep`.

    Raises
    ------
    InvalidArgumentError
        Scores or thresholds are no probabilities; or a base rate is stated for one class only.

    References
    ----------
    Vickers and Elkin (2006), Medical Decision Making 26:565, doi:10.1177/0272989X06295361.

    Examples
    --------
    >>> from baserate import net_benefit_curve
    >>> curve = net_benefit_curve([1, 0, 1, 0], [0.9, 0.2, 0.6, 0.4], thresholds=[0.25, 0.5])
    >>> curve.net_benefit.round(4), curve.treat_all.round(4)
    (array([0.4167, 0.5   ]), array([0.3333, 0.    ]))
    """
    swept = as_sweep(y_true, y_score, pos_label, sample_weight)
    probabilities(swept)
    if thresholds is None:
        eta = swept.thresholds[1:]  # of a bin the lowest: the table there is exact
        tau = np.union1d(GRID, eta[(eta > 0) & (eta < 1)])
    else:
        tau = _thresholds(thresholds)
    order = middle(swept)  # where a threshold lies within a bin, a table between those it may have
    tables, pi = order.tables[order.rules_at(tau)], swept.base_rate
    if base_rate is not None:
        pi = number_in("base_rate", base_rate, "(0, 1)", "pass the share of positives")
        tables = tables.at_base_rate(pi)
    return NetBenefitCurve(
        thresholds=tau, tables=tables, base_rate=pi, sweep=swept, restated=base_rate is not None
    )


def _within(swept: Sweep, tau: Array) -> Any:
    """Return which thresholds lie within a bin of scores."""
    boxes = boxes_at(swept, tau)
    return (boxes.positive > 0) | (boxes.negative > 0)


def _corner(swept: Sweep, tau: Array, *, positive: bool) -> ConfusionMatrix:
    """Return the best tables that thresholds may have, or the worst."""
    boxes = boxes_at(swept, tau)
    more = (boxes.positive, 0) if positive else (0, boxes.negative)
    return boxes.tables(boxes.tp + more[0], boxes.fp + more[1])


def _thresholds(given: Any) -> Array:
    tau = np.atleast_1d(numbers_in("thresholds", given, "(0, 1)", "pass probabilities"))
    if tau.ndim != 1:
        rule = "must be one number or a sequence of numbers"
        raise InvalidArgumentError.from_rule("thresholds", rule, tau.shape, "pass a flat sequence")
    return np.sort(tau)

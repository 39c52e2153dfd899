"""How far estimates of a metric are from a group's own value, when few of its cases are drawn."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import Any, ClassVar

import numpy as np

from baserate._arith import ratio
from baserate._arrays import Array
from baserate._checks import each_of, one_of, whole_number, yes_or_no
from baserate._result import Drawable, Framed, Result
from baserate.counts import ConfusionMatrix, named_tables
from baserate.errors import InvalidArgumentError
from baserate.groups.estimation import Sampling, risks
from baserate.groups.pseudo_cases import Estimator, references
from baserate.metrics import Metric, binary_metric
from baserate.models import Multinomial, MultivariateHypergeometric

POINTS = 25  # sizes, unless some are asked for
ROUNDING = 1e-14  # of a probability, and of a variance per case
LARGEST = 150  # of them, for metrics that need a sum over every table


@dataclass(frozen=True, slots=True, kw_only=True)
class WorseSizes(Result):
    """A group and a metric of which one estimator is worse than another at some sizes.

    Attributes
    ----------
    group : hashable
    metric : str
    sizes : tuple of int
    worst : float
        The largest ratio of mean squared errors.
    """

    group: Hashable
    metric: str
    sizes: tuple[int, ...]
    worst: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Downsampled(Framed, Drawable):
    """Exact errors of estimators of metrics in samples of groups.

    Attributes
    ----------
    groups, metrics, estimators, sizes : tuple
        What the axes of the arrays stand for, in this order. Estimators are "raw", "epsilon"
        (1e-10 in every cell), "add_one" and "strength=..." for each strength of smoothing.
    mse, bias : arrays of shape (groups, metrics, estimators, sizes)
        Given that the estimate is defined; nan for more cases than a group has.
    probability_defined : array of that shape
    truth : array of shape (groups, metrics)
        The metric of the whole group.
    replace : bool
    """

    display: ClassVar[str] = "SampleSizeDisplay"
    groups: tuple[Hashable, ...]
    metrics: tuple[str, ...]
    estimators: tuple[str, ...]
    sizes: tuple[int, ...]
    mse: Array
    bias: Array
    probability_defined: Array
    truth: Array
    replace: bool

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row for each group, metric, size and estimator.

        `rmse` is the root of the mean squared error, `undefined` the share of samples without a
        value, `ratio` the mean squared error over that of the raw estimate.
        """
        ratios = {e: self.ratios(e) for e in self.estimators}
        undefined = 1 - self.probability_defined
        undefined[undefined < ROUNDING] = 0.0
        return [
            {
                "group": group, "metric": metric, "n": n, "estimator": name,
                "truth": float(self.truth[g, m]), "bias": float(self.bias[g, m, e, i]),
                "rmse": float(self.mse[g, m, e, i]) ** 0.5,
                "undefined": float(undefined[g, m, e, i]),
                "ratio": float(ratios[name][g, m, i]),
            }
            for g, group in enumerate(self.groups)
            for m, metric in enumerate(self.metrics)
            for i, n in enumerate(self.sizes)
            for e, name in enumerate(self.estimators)
            if not isnan(self.probability_defined[g, m, e, i])
        ]  # fmt: skip

    def of(self, estimator: str) -> Array:
        """Return the mean squared errors of one estimator, of shape (groups, metrics, sizes)."""
        one_of("estimator", estimator, self.estimators)
        return self.mse[:, :, self.estimators.index(estimator)]

    def ratios(self, estimator: str, *, against: str = "raw") -> Array:
        """Return the errors of one estimator over those of another; below 1 it is better.

        Raw errors leave samples without a value out; those of "epsilon" do not. nan where the other
        has no error, as with all cases of a group drawn: nothing is to be compared with that.
        """
        top, bottom = self.of(estimator), self.of(against)
        return np.where(
            bottom * np.array(self.sizes, dtype=float) > ROUNDING, ratio(top, bottom), nan
        )

    def worse(self, estimator: str, *, against: str = "raw") -> tuple[WorseSizes, ...]:
        """Return the pairs of group and metric at which an estimator is worse at some size.

        The worst pair comes first. Differences within 1e-9 of the error are rounding.
        """
        ratios = self.ratios(estimator, against=against)
        bad = ratios > 1 + 1e-9
        found = [
            WorseSizes(
                group=self.groups[g],
                metric=self.metrics[m],
                sizes=tuple(np.array(self.sizes)[bad[g, m]].tolist()),
                worst=float(ratios[g, m][bad[g, m]].max()),
            )
            for g, m in np.argwhere(bad.any(axis=-1)).tolist()
        ]
        return tuple(sorted(found, key=lambda one: -one.worst))


def downsample(
    groups: ConfusionMatrix | Mapping[Any, ConfusionMatrix],
    metrics: str | Metric | Sequence[str | Metric],
    *,
    sizes: Iterable[int] | None = None,
    reference: Any = "rest",
    strengths: Sequence[float] = (5, 10, 20),
    replace: bool = False,
) -> Downsampled:
    """Return the exact error of raw and smoothed estimates in samples of each group.

    The experiment of Briscoe et al. on groups of your own: n cases are drawn of a group, the metric
    is estimated from them, and the whole group's value is the truth. The paper averages random
    samples; here the average is computed (see `risks` for how). A group is taken for a population:
    what a small one shows is not sure to hold for people like them.

    Parameters
    ----------
    groups : ConfusionMatrix, or mapping of group to such
        Whole counts.
    metrics : Metric or str, or several
    sizes : iterable of int, optional
        Cases in a sample, at least 1. Without replacement at most those of the group. Default: 25
        sizes from 1 to the largest group, up to 150 cases if a metric needs a sum over every table.
    reference : "rest", ConfusionMatrix, (tp, fn, fp, tn), or mapping of group to one of these two
        What smoothing borrows from; "rest" is the sum of the other groups. A single table has no
        rest: without a reference it is not smoothed.
    strengths : sequence of float
        Pseudo-cases that smoothing borrows (see `smooth`).
    replace : bool
        False draws without replacement (`MultivariateHypergeometric`), True from `Multinomial`.

    Returns
    -------
    Downsampled
        ``.to_frame()``, ``.plot(metric=, group=)``, ``.worse("strength=10")``.

    Raises
    ------
    InvalidArgumentError
        A size below 1, a batch of tables, an empty reference.
    UnsupportedError
        More than 20 million tables to sum, for some size and metric; weights without replacement.

    See Also
    --------
    baserate.displays.SmallSampleDisplay : with ``replace=False`` the law of the raw metric itself.
    smooth : its ``.checks.ratios`` are these ratios at the group's own size, drawn with
        replacement.

    References
    ----------
    Briscoe, Kepler, DeFord and Gebremedhin (2025), Algorithmic Accountability in Small Data,
    AISTATS, section 6.

    Examples
    --------
    Recall and predicted positive rate of Black defendants of COMPAS, smoothed towards all others:
    smoothing more than halves the error of ten cases, and from 13 on makes that of the rate larger.

    >>> import baserate as br
    >>> black = br.ConfusionMatrix(tp=273, fn=170, fp=1043, tn=1692)
    >>> how = {"reference": (116, 177, 554, 2429), "sizes": range(5, 150), "replace": True}
    >>> found = br.groups.downsample(black, ["recall", "ppr"], **how)
    >>> found.ratios("strength=20")[0, :, 5].round(2).tolist()
    [0.28, 0.92]
    >>> [(one.metric, one.sizes[0], round(one.worst, 2)) for one in found.worse("strength=20")]
    [('predicted_positive_rate', 13, 1.25)]
    """
    alone = isinstance(groups, ConfusionMatrix)
    tables = dict(named_tables("groups", {"": groups} if alone else groups))
    replace = yes_or_no("replace", replace)
    chosen = [binary_metric(metric) for metric in each_of("metrics", metrics, (str, Metric))]
    smoothed = len(tables) > 1 or not isinstance(reference, str)
    borrowings = each_of("strengths", strengths, (int, float)) if smoothed else []
    borrowed = references(tables, reference) if smoothed else {}
    known = (Estimator.raw(), Estimator.epsilon(), Estimator.add_one())
    listed = each_of("sizes", usual_sizes(tables, chosen) if sizes is None else sizes, int)
    for argument, given in (("groups", tables), ("metrics", chosen), ("sizes", listed)):
        if not given:
            rule, remedy = "must hold one at least", "name what is to be drawn"
            raise InvalidArgumentError.from_rule(argument, rule, "none", remedy)
    ns = tuple(whole_number("sizes", n, minimum=1) for n in listed)
    found = np.full((3, len(tables), len(chosen), 3 + len(borrowings), len(ns)), nan)
    truth = np.array([[float(metric(t)) for metric in chosen] for t in tables.values()])
    names: list[str] = []
    for g, (group, table) in enumerate(tables.items()):
        own = [Estimator.toward(borrowed[group], strength=s) for s in borrowings]
        names = [estimator.name for estimator in (*known, *own)]
        for i, model in _models(table, ns, replace=replace):
            for m, metric in enumerate(chosen):
                for e, risk in enumerate(risks(metric, model, (*known, *own))):
                    found[:, g, m, e, i] = risk.mse, risk.bias, risk.probability_defined
    return Downsampled(
        groups=tuple(tables),
        metrics=tuple(metric.name for metric in chosen),
        estimators=tuple(names),
        sizes=ns,
        mse=found[0],
        bias=found[1],
        probability_defined=found[2],
        truth=truth,
        replace=replace,
    )


def _models(
    table: ConfusionMatrix, sizes: Sequence[int], *, replace: bool
) -> Iterator[tuple[int, Sampling]]:
    """Yield how cases are drawn, for each size that there may be."""
    for i, n in enumerate(sizes):
        if replace:
            yield i, Multinomial(n=n, cells=table)
        elif n <= table.n:
            yield i, MultivariateHypergeometric(n=n, population=table)


def usual_sizes(tables: Mapping[Any, ConfusionMatrix], metrics: Sequence[Metric]) -> list[int]:
    """Return 25 sizes from one case to the largest group, or to 150 cases."""
    quick = all(m.proportion is not None or m.lumps is not None for m in metrics)
    most = max([1, *(int(table.n) for table in tables.values())])
    top = most if quick else min(most, LARGEST)
    return np.unique(np.geomspace(1, top, POINTS).round().astype(int)).tolist()

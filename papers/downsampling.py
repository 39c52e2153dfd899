"""The downsampling experiment as a computation: exact errors of every estimator at every size."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import baserate as br
from baserate.errors import InvalidArgumentError
from baserate.groups import Estimator, risks

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Downsampling:
    """Exact errors of estimators of metrics in samples of groups.

    Attributes
    ----------
    groups, metrics, estimators, sizes : tuple
        What the axes of the arrays stand for, in this order. Estimators are "raw", "epsilon",
        "add_one" and "strength=..." for each strength.
    mse, bias : arrays of shape (groups, metrics, estimators, sizes)
        Given that the estimate is defined.
    probability_defined : array of that shape
    truth : array of shape (groups, metrics)
    replace : bool
    """

    groups: tuple[Hashable, ...]
    metrics: tuple[str, ...]
    estimators: tuple[str, ...]
    sizes: tuple[int, ...]
    mse: Array
    bias: Array
    probability_defined: Array
    truth: Array
    replace: bool

    def of(self, estimator: str) -> Array:
        """Return the mean squared errors of one estimator, of shape (groups, metrics, sizes)."""
        if estimator not in self.estimators:
            rule = f"must be one of {', '.join(self.estimators)}"
            remedy = "or pass its strength to downsampling"
            raise InvalidArgumentError.from_rule("estimator", rule, estimator, remedy)
        return self.mse[:, :, self.estimators.index(estimator)]

    def ratios(self, estimator: str, *, against: str = "epsilon") -> Array:
        """Return the errors of one estimator over those of another; below 1 it is better."""
        top, bottom = self.of(estimator), self.of(against)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(top == bottom, 1.0, top / bottom)

    def failures(self, estimator: str, *, against: str = "epsilon") -> "tuple[Failure, ...]":
        """Return the pairs of group and metric at which an estimator is worse at some size.

        The worst pair comes first. Differences within 1e-9 of the error are rounding.
        """
        ratios = self.ratios(estimator, against=against)
        worse = ratios > 1 + 1e-9
        found = [
            Failure(
                group=self.groups[g],
                metric=self.metrics[m],
                sizes=tuple(n for n, bad in zip(self.sizes, worse[g, m], strict=True) if bad),
                worst=float(ratios[g, m][worse[g, m]].max()),
            )
            for g, m in np.argwhere(worse.any(axis=-1)).tolist()
        ]
        return tuple(sorted(found, key=lambda failure: -failure.worst))


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A group and a metric at which an estimator is worse than another at some sizes.

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


def downsampling(
    groups: Mapping[Any, br.ConfusionMatrix],
    metrics: Sequence[str | br.metrics.Metric],
    *,
    sizes: Iterable[int] = range(5, 150),
    reference: Any = "rest",
    strengths: Sequence[float] = (5, 10, 20, 40),
    replace: bool = True,
    processes: int = 1,
) -> Downsampling:
    """Return the exact error of each estimator in samples of each group, for every sample size.

    Briscoe et al. draw a million samples for each size, metric and group; here their average is
    computed (see `risk` for how). Each group's own shares are the truth.

    Parameters
    ----------
    groups : mapping of group to br.ConfusionMatrix
    metrics : sequence of br.metrics.Metric or str
    sizes : iterable of int
        Cases in a sample, at least 1. Without replacement at most those of the group: larger
        sizes are nan for that group.
    reference : "rest", ConfusionMatrix, (tp, fn, fp, tn), or mapping of group to one of these two
        What smoothing borrows from; "rest" is the sum of the other groups.
    strengths : sequence of float
        Pseudo-cases that smoothing borrows.
    replace : bool
        True draws from the multinomial law, False without replacement.
    processes : int
        With more than one, groups and metrics are shared out; metrics must then be given by name,
        and a script needs the usual ``if __name__ == "__main__":``.

    Returns
    -------
    Downsampling

    Raises
    ------
    InvalidArgumentError
        A size below 1, a batch of tables, an empty reference.
    UnsupportedError
        More than 20 million tables to sum, for some size and metric.

    References
    ----------
    Briscoe, Kepler, DeFord and Gebremedhin (2025), Algorithmic Accountability in Small Data,
    AISTATS, section 6.

    Examples
    --------
    >>> black = br.ConfusionMatrix(tp=273, fn=170, fp=1043, tn=1692)
    >>> rest = br.ConfusionMatrix(tp=116, fn=177, fp=554, tn=2429)
    >>> found = downsampling({"Black": black}, ["acc", "ppr"], reference=rest, strengths=[20])
    >>> [(f.metric, f.sizes[0], round(f.worst, 2)) for f in found.failures("strength=20")]
    [('predicted_positive_rate', 13, 1.25)]
    """
    tables = dict(groups)
    chosen = [br.metrics.get(metric) for metric in metrics]
    ns = tuple(sizes)
    if min(ns) < 1:
        remedy = "draw a case or more"
        raise InvalidArgumentError.from_rule("sizes", "must be at least 1", min(ns), remedy)
    borrowed = _references(tables, reference)
    jobs = [
        _Job(metric, table, _estimators(borrowed[group], strengths), ns, replace)
        for group, table in tables.items()
        for metric in chosen
    ]
    results = _run(jobs, metrics, processes)
    shape = (len(tables), len(chosen), -1, len(ns))
    truth, mse, bias, defined = (np.array(part) for part in zip(*results, strict=True))
    return Downsampling(
        groups=tuple(tables),
        metrics=tuple(metric.name for metric in chosen),
        estimators=tuple(e.name for e in jobs[0].estimators),
        sizes=ns,
        mse=mse.reshape(shape),
        bias=bias.reshape(shape),
        probability_defined=defined.reshape(shape),
        truth=truth.reshape(shape[:2]),
        replace=replace,
    )


@dataclass(frozen=True, slots=True)
class _Job:
    """One metric of one group, at all sizes; processes can only share a metric by name."""

    metric: str | br.metrics.Metric
    table: br.ConfusionMatrix
    estimators: tuple[Estimator, ...]
    sizes: tuple[int, ...]
    replace: bool

    def __call__(self) -> tuple[float, Array, Array, Array]:
        """Return the truth, and errors, biases and P(defined) of shape (estimators, sizes)."""
        found = np.full((3, len(self.estimators), len(self.sizes)), np.nan)
        truth = float(br.metrics.get(self.metric)(self.table))
        for i, n in enumerate(self.sizes):
            model = self._model(n)
            if model is None:
                continue
            for j, risk in enumerate(risks(self.metric, model, self.estimators)):
                found[:, j, i] = risk.mse, risk.bias, risk.probability_defined
        return truth, *found  # type: ignore[return-value]

    def _model(self, n: int) -> Any:
        if self.replace:
            return br.models.Multinomial(n=n, cells=self.table)
        if n > self.table.n:
            return None
        return br.models.MultivariateHypergeometric(n=n, population=self.table)


def _call(job: _Job) -> tuple[float, Array, Array, Array]:
    return job()


def _run(
    jobs: list[_Job], metrics: Sequence[str | br.metrics.Metric], processes: int
) -> list[tuple[float, Array, Array, Array]]:
    if processes == 1:
        return [job() for job in jobs]
    own = [metric for metric in metrics if isinstance(metric, br.metrics.Metric)]
    if own:
        rule = "must be 1 unless all metrics are given by name"
        remedy = f"write for example {own[0].name!r}, or processes=1"
        raise InvalidArgumentError.from_rule("processes", rule, processes, remedy)
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    named = [
        _Job(metrics[i % len(metrics)], job.table, job.estimators, job.sizes, job.replace)
        for i, job in enumerate(jobs)
    ]
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        return list(pool.map(_call, named))


def _estimators(reference: Any, strengths: Sequence[float]) -> tuple[Estimator, ...]:
    smoothing = (Estimator.toward(reference, strength=s) for s in strengths)
    return (Estimator.raw(), Estimator.epsilon(), Estimator.add_one(), *smoothing)


def _references(tables: Mapping[Any, br.ConfusionMatrix], reference: Any) -> dict[Hashable, Any]:
    """Return what each group borrows from: the sum of the others for "rest", or what is given."""
    if isinstance(reference, Mapping):
        for group in tables:
            if group not in reference:
                rule, given = "must hold a reference for every group", f"none for {group!r}"
                raise InvalidArgumentError.from_rule("reference", rule, given, "add its table")
        return dict(reference)
    if reference != "rest":
        return dict.fromkeys(tables, reference)
    return {g: sum(t for other, t in tables.items() if other != g) for g in tables}

"""Classifiers against the base rate: value, chance, skill and best cut, and where two cross."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, pairwise
from math import nan
from typing import Any

import numpy as np

from baserate._arrays import Array
from baserate._checks import each_of, numbers_in, whole_number, yes_or_no
from baserate._result import Result, frame_of
from baserate.baselines.guessing import chosen_guess
from baserate.counts import ConfusionMatrix
from baserate.curves import Population
from baserate.curves.cut_points import Sweep
from baserate.errors import InvalidArgumentError
from baserate.metrics import Metric, binary_metric
from baserate.tuning.base_rate_series import SPLIT, BaseRateCurve, Of, RateSeries, series_of
from baserate.tuning.jumps import jump_column

Gap = Callable[[Array], Array]
Ends = tuple[float, float]

_POINTS = 199
_SHOWN = ("value", "chance", "skill", "recall", "specificity", "ratio", "odds", "probability")
_EQUAL = 1e-13  # differences of values of size one that rounding alone makes
_FLAT = 1e-9  # of skills that are the same at every base rate
_CLEAR = 16.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing(Result):
    """A base rate at which two curves meet and change places.

    Attributes
    ----------
    first, second : str
        Names of the curves.
    of : {"value", "skill"}
    base_rate, height : float
        Where they meet, and what both are there; on the lines between neighbouring shares of n.
    between : (low, high)
        Ends between which they change places: equal up to rounding, or neighbouring shares of n
        cases, or the stretch along which the two coincide.
    """

    first: str
    second: str
    of: Of
    base_rate: float
    height: float
    between: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BaseRateCurves(Result):
    """Metrics of classifiers against the base rate.

    Attributes
    ----------
    curves : tuple of BaseRateCurve
        For every classifier each metric.
    crossings : tuple of Crossing
        Of two classifiers under one metric, or of two metrics of one classifier.
    guess : str or float
        The guess that chance and skill refer to.
    n : int or None
        Cases in a sample whose chance is meant; None for a population.
    """

    curves: tuple[BaseRateCurve, ...]
    crossings: tuple[Crossing, ...]
    guess: str | float
    n: int | None

    def __iter__(self) -> Iterator[BaseRateCurve]:
        return iter(self.curves)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each curve and base rate; `jump` as in `BayesThreshold.to_frame`."""
        return [
            {
                "metric": one.metric,
                "classifier": one.classifier,
                **dict(zip(names, row, strict=True)),
            }
            for one in self.curves
            for names, columns in [_columns(one)]
            for row in zip(*columns, strict=True)
        ]

    def to_frame(self, backend: Any = None) -> Any:
        """Return the curves as a data frame, a row for each of them and each base rate.

        Parameters
        ----------
        backend : str, optional
            "pandas", "polars" or "pyarrow". Default: the first of them that is installed.
        """
        return frame_of(self.rows(), backend)


def _columns(one: BaseRateCurve) -> tuple[list[str], list[list[Any]]]:
    found = {"base_rate": one.base_rates} | {name: getattr(one, name) for name in _SHOWN}
    found |= {"jump": jump_column(one.jumps, one.base_rates), "reason": one.reason}
    return [*found], [np.asarray(column).tolist() for column in found.values()]


def base_rate_curves(
    metrics: str | Metric | Sequence[str | Metric],
    classifiers: Any,
    *,
    base_rates: Any = None,
    guess: str | float = "dutch_draw",
    n: int | None = None,
    crossings: bool = True,
) -> BaseRateCurves:
    """Return value, chance, skill and best cut of classifiers at many base rates.

    A table keeps its recall and specificity; a sweep or a population is cut where the metric is
    best at each base rate (`bayes_threshold`). Chance is what `guess` scores, and skill is
    (value - chance)/(perfect - chance).

    Crossings are changes of sign of a difference, looked for eight times finer than `base_rates`
    (for sweeps and populations at these), and in every dip of its size on that grid; each is then
    bracketed to 1e-15. Two that are closer together than the grid and leave no dip on it are
    missed, and a finer grid finds them. Curves that touch without changing places do not cross.

    Parameters
    ----------
    metrics : Metric, str, or several
        ``metric.at_base_rate(0.5)`` is the balanced metric: its value is the same everywhere, its
        chance in samples is not quite.
    classifiers : ConfusionMatrix, Sweep, Population, or mapping of names to these
    base_rates : array of shape (m,), optional
        Rising, in (0, 1). Default: 199 from 0.005 to 0.995.
    guess : {"dutch_draw", "uniform", "proportional", "mode"} or float
        Proportional guessing follows the base rate, for balanced metrics too.
    n : int, optional
        Chance is that of samples of n cases, exactly; base rates are rounded to whole numbers of
        positives, and a crossing of skills is stated between two of them. Default: of a population,
        where a guess finds the same share of either class.
    crossings : bool
        Whether crossings are looked for; that takes seconds of a pair of curves of LDA, minutes of
        several of QDA.

    Raises
    ------
    InvalidArgumentError
        A base rate lies outside (0, 1) or they do not rise; a table lacks a class; `guess` is none.
    UnsupportedError
        Chance has no exact value for samples of n cases.

    References
    ----------
    Burger and Meertens, The algorithm versus the chimps, section 5 and appendix B. Holzmann and
    Klar (2024), arXiv:2404.07661, figures 1 to 4.

    Examples
    --------
    Recall 0.6 and specificity 0.8: F1 of the positive class overtakes that of the negative one at
    an imbalance of 1/7, a base rate of 4/7; their skills cross at 3/4 (Burger and Meertens).

    >>> from baserate import ConfusionMatrix
    >>> from baserate.tuning import base_rate_curves
    >>> table = ConfusionMatrix(tp=60, fn=40, fp=20, tn=80)
    >>> found = base_rate_curves(["f1", "negative_f1"], table, guess="uniform")
    >>> [(c.of, round(c.base_rate, 12), round(c.height, 12)) for c in found.crossings]
    [('value', 0.571428571429, 0.685714285714), ('skill', 0.75, 0.3)]

    A classifier that guessing in proportion overtakes on both sides (their appendix B):

    >>> [curve] = base_rate_curves("f1", table, guess="proportional")
    >>> [round(x, 3) for x in curve.no_skill], [round(x, 3) for x in curve.most_skill]
    ([0.714], [0.309, 0.401])

    Curves as the papers draw them, of several metrics and populations, as a frame:

    >>> from baserate.curves.populations import LDA
    >>> near_and_far = {"D = 1": LDA(1.0), "D = 2": LDA(2.0)}
    >>> found = base_rate_curves(["f1", "mcc"], near_and_far, base_rates=[0.01, 0.1],
    ...                          crossings=False)
    >>> frame = found.to_frame(backend="polars")
    >>> frame["ratio"].round(2).to_list()
    [4.85, 1.87, 2.46, 1.86, 18.93, 3.97, 20.92, 4.55]
    """
    crossings = yes_or_no("crossings", crossings)
    asked = [binary_metric(one) for one in _several(metrics)]
    guess, size = (
        chosen_guess(guess),
        None if n is None else whole_number("n", n, minimum=2, maximum=10**15),
    )
    rates = _base_rates(base_rates, size)
    named = classifiers if isinstance(classifiers, Mapping) else {"": classifiers}
    series = [
        one
        for name, classifier in named.items()
        for one in series_of(asked, str(name), classifier, rates, guess, size)
    ]
    pairs = [(a, b) for a, b in combinations(series, 2) if crossings]
    pairs = [(a, b) for a, b in pairs if a.name == b.name or a.metric == b.metric]
    return BaseRateCurves(
        curves=tuple(_landmarks(one) if crossings else one.curve for one in series),
        crossings=tuple(c for a, b in pairs for c in _crossings(a, b)),
        guess=guess,
        n=size,
    )


def _several(metrics: Any) -> list[Any]:
    if isinstance(metrics, ConfusionMatrix | Sweep | Population | Mapping):
        rule, remedy = "must name metrics, which come first", 'pass ("f1", table)'
        given = type(metrics).__name__
        raise InvalidArgumentError.from_rule("metrics", rule, given, remedy)
    found = each_of("metrics", metrics, str | Metric)
    if not found:
        remedy = "pass for example 'f1'"
        raise InvalidArgumentError.from_rule("metrics", "must be one or more", metrics, remedy)
    return found


def _base_rates(given: Any, n: int | None) -> Array:
    """Return rising base rates; of n cases, those that whole numbers of positives make."""
    if given is None:
        rates = np.linspace(0.005, 0.995, _POINTS)
    else:
        rates = np.atleast_1d(numbers_in("base_rates", given, "(0, 1)", "pass shares of positives"))
    if rates.ndim != 1 or not rates.size or (np.diff(rates) <= 0).any():
        rule, remedy = "must be a list of rising numbers", "pass numpy.linspace(0.01, 0.99, 99)"
        raise InvalidArgumentError.from_rule("base_rates", rule, given, remedy)
    return rates if n is None else np.unique(np.clip(np.round(rates * n), 1, n - 1)) / n


def _landmarks(one: RateSeries) -> BaseRateCurve:
    """Return the curve with the base rates at which there is no skill, and the most.

    The most is solved for of tables alone: of others each base rate costs a search.
    """
    skill, at = one.curve.skill, one.rates
    if np.isnan(skill).all():
        return one.curve
    solved = one.n is None and one.finer > 1
    if one.n is not None:
        totals = np.round(at * one.n).astype(int)
        zeros = [high for _, high in crossing_totals(one.skills, skill, totals, one.n)]
    else:
        zeros = [_refined(one.skills, at[i], at[j])[0] for i, j in _changes(skill)]
    if np.nanmax(skill) - np.nanmin(skill) <= _FLAT and skill.size > 1:
        return replace(one.curve, no_skill=tuple(zeros), most_skill=(nan, float(np.nanmax(skill))))
    top = int(np.nanargmax(skill))
    best, most = float(at[top]), float(skill[top])
    if solved and at.size > 1:
        near = _lowest(one.skills, at[max(top - 1, 0)], at[min(top + 1, at.size - 1)], -1.0, 1e-5)
        most, best = max((most, best), (float(one.skills(np.array([near]))[0]), near))
    return replace(one.curve, no_skill=tuple(zeros), most_skill=(best, most))


def _crossings(a: RateSeries, b: RateSeries) -> Iterator[Crossing]:
    of: Of
    for of in ("value", "skill"):
        for ends in _places(a, b, of):
            base_rate, height = _meeting(a, b, of, np.array(ends))
            yield Crossing(
                first=a.curve.name,
                second=b.curve.name,
                of=of,
                base_rate=base_rate,
                height=height,
                between=ends,
            )


def _meeting(a: RateSeries, b: RateSeries, of: Of, ends: Array) -> tuple[float, float]:
    """Return where the curves meet and how high, on the lines between both ends."""
    mine, theirs = a.heights(of, ends), b.heights(of, ends)
    before, after = mine - theirs
    share = before / (before - after) if before * after < 0 else 0.5
    base_rate, height = (float(low + share * (high - low)) for low, high in (ends, mine))
    return base_rate, height


def _places(a: RateSeries, b: RateSeries, of: Of) -> list[tuple[float, float]]:
    def gap(base_rates: Array, *, rough: bool = False) -> Array:
        ours, theirs = (one.heights(of, base_rates, rough=rough) for one in (a, b))
        return ours - theirs

    at = a.rates
    gaps = getattr(a.curve, of) - getattr(b.curve, of)
    if of == "skill" and a.n is not None:
        return crossing_totals(gap, gaps, np.round(at * a.n).astype(int), a.n)
    if min(a.finer, b.finer) > 1:
        steps = np.arange(at.size * SPLIT - SPLIT + 1) / SPLIT
        at = np.interp(steps, np.arange(at.size), at)
        gaps = gap(at)
    return crossing_points(gap, at, gaps, partial(gap, rough=True))


def crossing_points(gap: Gap, at: Array, gaps: Array, rough: Gap | None = None) -> list[Ends]:
    """Return the ends of each crossing, equal but where the curves coincide for a stretch.

    `gap` gives the difference at an array of places; `at` are rising places and `gaps` the
    differences there, nan where unknown. `rough` gives about the same at less cost.
    """
    at, gaps = _with_dips(gap, at, gaps, rough or gap)
    return [
        (float(at[i + 1]), float(at[j - 1]))
        if j > i + 1
        else _refined(gap, float(at[i]), float(at[j]))
        for i, j in _changes(gaps)
    ]


def crossing_totals(gap: Gap, gaps: Array, totals: Any, n: int) -> list[Ends]:
    """Return neighbouring shares of n between which the difference changes sign.

    `gaps` are the differences at the rising whole numbers `totals`, at which alone it is known.
    """
    found: list[Ends] = []
    for i, j in _changes(gaps):
        low, high = int(totals[i]), int(totals[j])
        while high - low > 1:
            middle = (low + high) // 2
            same = np.sign(gap(np.array([middle / n]))[0]) == np.sign(gaps[i])
            low, high = (middle, high) if same else (low, middle)
        found.append((low / n, high / n))
    return found


def _changes(gaps: Array) -> Iterator[tuple[int, int]]:
    """Yield the neighbouring places with clear differences of other signs, none unknown between."""
    signs = np.where(np.abs(gaps) <= _EQUAL, 0, np.sign(gaps))
    for i, j in pairwise(np.flatnonzero(signs).tolist()):
        if signs[i] != signs[j] and not np.isnan(signs[i : j + 1]).any():
            yield i, j


def _refined(gap: Gap, low: float, high: float) -> Ends:
    from scipy.optimize import brentq

    root: Any = brentq(lambda x: float(gap(np.array([x]))[0]), low, high, xtol=1e-15)
    return root, root


def _with_dips(gap: Gap, at: Array, gaps: Array, rough: Gap) -> tuple[Array, Array]:
    """Add the places between which the difference comes closest to zero without changing sign.

    Where it is many times larger than it changes from place to place, it stays clear of zero. What
    is lowest at an end may come lower still next to it.
    """
    every, last = np.arange(at.size), at.size - 1
    before, after = np.maximum(every - 1, 0), np.minimum(every + 1, last)
    sizes, signs = np.abs(gaps), np.sign(gaps)
    change = np.maximum(sizes[before], sizes[after]) - sizes
    if last > 1:  # at an end the next place may lie as high beyond the dip
        change[[0, last]] = np.maximum(change[[0, last]], sizes[[2, last - 2]] - sizes[[0, last]])
    dips = every[
        (np.minimum(sizes[before], sizes[after]) >= sizes)
        & ((change > np.maximum(_EQUAL, sizes / _CLEAR)) | (last == 1))
        & (signs[before] == signs)
        & (signs[after] == signs)
    ]
    found = [_dip(gap, rough, at[[before[i], after[i]]], gaps[[before[i], after[i]]]) for i in dips]
    lowest = np.array(found).reshape(-1, 2).T
    places, heights = np.concatenate(([at, gaps], lowest), axis=1)
    places, order = np.unique(places, return_index=True)
    return places, heights[order]


def _dip(gap: Gap, rough: Gap, ends: Array, gaps: Array) -> tuple[float, float]:
    """Return where the difference comes closest to zero, and the difference there.

    Where it stays clear of zero by much more than the rough one is wrong, that one's place will do.
    """
    (low, high), sign = ends.tolist(), float(np.sign(gaps[0]))
    near = _lowest(rough, low, high, sign)
    height = float(gap(np.array([near]))[0])
    wrong = np.abs(np.r_[gaps, height] - rough(np.r_[ends, near])).max()
    if not sign * height > _CLEAR * wrong:
        near = _lowest(gap, low, high, sign)
        height = float(gap(np.array([near]))[0])
    return near, height


def _lowest(gap: Gap, low: float, high: float, sign: float, within: float = 1e-9) -> float:
    from scipy.optimize import minimize_scalar

    def size(x: float) -> float:
        return float(sign * gap(np.array([x]))[0])

    found: Any = minimize_scalar(
        size, bounds=(low, high), method="bounded", options={"xatol": within}
    )
    return float(found.x)

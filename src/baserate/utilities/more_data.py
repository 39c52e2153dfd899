"""The value of more data: what is lost by choosing now, and what further cases would save of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from baserate._checks import (
    DRAWS,
    broadcast,
    each_of,
    float_array,
    generator,
    number_in,
    numbers_in,
    shape_of,
    whole_number,
)
from baserate._result import Result
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError
from baserate.utilities.options import Options


@dataclass(frozen=True, kw_only=True, eq=False)
class ValueOfInformation(Result):
    """What is known about which option is best, and what it is worth to know more.

    Values are per case to be decided, in the unit of the utilities: with a threshold, in net true
    positives. So `sample` of 0.0003 for 500 cases reads: 500 more cases are worth 0.3 net true
    positives per 1,000 patients. Numbers of one table; arrays with one entry for each of a batch.

    Attributes
    ----------
    expected_value : dict of name to float
        Of each option, given what is known now: each classifier, and every decision for all.
    best : str
        The option of the highest expected value: what to do if nothing more will be known.
    probability_best : dict of name to float
        Posterior probability that the option has the highest value.
    probability_useful : float
        That a classifier has it: that it does better than any decision taken for all.
    perfect : float
        Expected value of perfect information, E[max of the values] - max of E[value]: what is lost
        on average by choosing now, and the most that any amount of data can bring. Never negative.
    m : int, tuple of int or None
        Further cases.
    sample : float or array
        Expected value of sample information of `m` further cases, E[max over options of the
        posterior mean after them] - max of E[value]: between 0 and `perfect`, rising with m. With
        several m, they are the last axis. None if no `m` was given.
    sample_error : float or array
        0 if exact up to rounding; else how far two rules differ, a bound, or a standard error.
    route : str or tuple of str
        Of `probability_best` and `perfect`: "closed form", "quadrature", "integral", "simulation".
    sample_route : str, tuple or None
        Of each `sample`: "closed form", "threshold", "quadrature", "enumeration", "simulation",
        "bounds".
    perfect_error : float or array
        Standard error if simulated; with very many cases, how far two rules differ; 0 else.
    """

    expected_value: dict[str, Any]
    best: Any
    probability_best: dict[str, Any]
    probability_useful: Any
    perfect: Any
    m: Any
    sample: Any
    sample_error: Any
    route: Any
    sample_route: Any
    perfect_error: Any = 0.0


def value_of_information(
    counts: Any,
    *,
    threshold: Any = None,
    utility: Any = None,
    m: Any = None,
    prior: Any = 1.0,
    base_rate: float | None = None,
    names: Any = None,
    rng: Any = None,
    n_draws: int = 100_000,
) -> ValueOfInformation:
    """Return how probably a classifier is useful, and what more data about it are worth.

    The shares of the cells have the posterior Dirichlet(counts + prior), and each option (treat
    none, treat all, treat those flagged) is worth a linear function of them. After m further cases
    each posterior mean is linear in their counts, which are Dirichlet-multinomial; so what the data
    are worth is the mean of a maximum of linear functions of a table. It is summed, and what
    perfect information is worth integrated; nothing is simulated unless `rng` is given.

    Parameters
    ----------
    counts : ConfusionMatrix, array of shape (n_decisions, ..., n_classes), or {name: either}
        Of one classifier: a table, or an array with decisions in rows and classes in columns. Of k
        classifiers on the same cases: the joint counts, one axis of decisions each and then the
        classes. A batch of tables needs as many thresholds.
    threshold : float or array, optional
        tau in (0, 1): values are net benefits, tp/n - fp/n tau/(1 - tau). Positives come first.
    utility : UtilityMatrix or array of shape (n_decisions, n_classes), optional
        Instead of a threshold: what each decision is worth in each class.
    m : int or sequence of int, optional
        Further cases, each classified and its class known.
    prior : float or array of the shape of the counts
        Positive pseudo-count of each cell.
    base_rate : float, optional
        In (0, 1). Share of positives where decisions will be taken, if it is known. Default: as
        uncertain as the counts.
    names : str or sequence of str, optional
        Of the classifiers. Default: "model", or "model 1", "model 2".
    rng : seed or numpy.random.Generator, optional
        To simulate what has no exact route.
    n_draws : int
        Of a simulation.

    Raises
    ------
    InvalidArgumentError
        Neither or both of threshold and utility; shapes that do not fit; a base rate with other
        than two classes.
    UnsupportedError
        Three options or more that may all be best, other than those of one classifier with two
        decisions and two classes, and no `rng`.

    Notes
    -----
    What is exact. One classifier, two decisions, two classes: `perfect` to 1e-12, `sample` by O(m²)
    stretches of tables up to a few thousand cases; by every few of them beyond, with an error that
    is stated; past some 10⁵ cases by what is missing of `perfect`, which shrinks like 1/(n + m) and
    bounds the error. Other shapes, where all but two options are out of the question (they would
    gain less than 1e-13 however much were known), as two good classifiers on the same cases often
    are: `perfect` by an integral, `sample` by the cases on which they differ. Else `perfect` is
    simulated, and `sample` summed over up to a million tables of all cells, or simulated.

    References
    ----------
    Raiffa and Schlaifer (1961), Applied Statistical Decision Theory. Sadatsafavi, Lee, Wynants,
    Vickers, Gustafson (2023), Medical Decision Making 43:564, doi:10.1177/0272989X231178317;
    Sadatsafavi, Vickers, Lee, Gustafson, Wynants (2025), Medical Decision Making,
    doi:10.1177/0272989X251314010: both by simulation.

    Examples
    --------
    A test set of 100 cases with 10 positives, decided at a threshold of 0.2. Treating the flagged
    is best for now, and probably in truth:

    >>> from baserate import value_of_information
    >>> from baserate import ConfusionMatrix
    >>> table = ConfusionMatrix(tp=6, fn=4, fp=9, tn=81)
    >>> found = value_of_information(table, threshold=0.2, m=[100, 500])
    >>> found.best, round(found.probability_useful, 3)
    ('model', 0.973)

    Deciding now costs 0.17 net true positives per 1,000 patients on average. 100 more cases would
    hardly save any of it, 500 more almost half:

    >>> round(1000 * found.perfect, 3), (1000 * found.sample).round(3).tolist()
    (0.17, [0.002, 0.075])

    With no case seen, a uniform prior and even stakes, nothing is better than treating none. A
    first case is positive with probability 1/2. Then 3/5 are expected to be, and treating all is
    worth 3/5 - 2/5; otherwise still nothing is: one case is worth 1/10.

    >>> found = value_of_information([[0, 0], [0, 0]], threshold=0.5, m=1)
    >>> round(found.sample, 12)
    0.1
    """
    if isinstance(counts, Mapping):
        names, counts = _one_named(counts)
    if m is not None:
        many = float_array("m", m).shape
        sizes = tuple(whole_number("m", size) for size in np.ravel(m).tolist())
        m = sizes if many else sizes[0]
    if base_rate is not None:
        base_rate = number_in("base_rate", base_rate, "(0, 1)", "pass the share of positives")
    if names is not None:
        names = (names,) if isinstance(names, str) else tuple(each_of("names", names, str))
    rng = None if rng is None else generator(rng)
    n_draws = whole_number("n_draws", n_draws, minimum=2, maximum=DRAWS)

    def answer(table: Any, tau: Any) -> ValueOfInformation:
        options = Options.of(table, tau, utility, prior, base_rate, names or ())
        return _answer(options, m, rng, n_draws)

    batch = isinstance(counts, ConfusionMatrix) and counts.shape != ()
    if not batch and shape_of("threshold", threshold) == ():
        return answer(counts, threshold)
    if not isinstance(counts, ConfusionMatrix) or threshold is None or utility is not None:
        rule, remedy = "must be a batch of tables, with thresholds", "ask for one table at a time"
        raise InvalidArgumentError.from_rule("counts", rule, np.shape(counts), remedy)
    tau = np.asarray(numbers_in("threshold", threshold, "(0, 1)", "pass probabilities"))
    broadcast(counts=counts.tp, threshold=tau)
    shape = np.broadcast_shapes(counts.shape, tau.shape)
    if 0 in shape:
        rule, remedy = "must hold a table and a threshold at least", "pass more"
        raise InvalidArgumentError.from_rule("counts and threshold", rule, shape, remedy)
    cells = [np.broadcast_to(cell, shape).ravel() for cell in (*counts, tau)]
    return _stacked(
        [
            answer(ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn), t)
            for tp, fn, fp, tn, t in zip(*(cell.tolist() for cell in cells), strict=True)
        ],
        shape,
    )


def _one_named(counts: Mapping[str, Any]) -> tuple[str, Any]:
    if len(counts) != 1:
        rule, given = "must be a single table if it has a name", list(counts)
        remedy = "pass the joint counts of classifiers that were tested on the same cases"
        raise InvalidArgumentError.from_rule("counts", rule, given, remedy)
    ((name, table),) = counts.items()
    return name, table


def _answer(options: Options, m: Any, rng: Any, n_draws: int) -> ValueOfInformation:
    """Return what is asked, of one table."""
    found = options.prospects(rng, n_draws)
    sizes = () if m is None else m if isinstance(m, tuple) else (m,)
    answers = [options.sample(size, rng, n_draws) for size in sizes]

    def given(parts: Sequence[Any], shaped: Callable[[Sequence[Any]], Any]) -> Any:
        if isinstance(m, tuple):
            return shaped(parts)
        return parts[0] if parts else None

    return ValueOfInformation(
        expected_value=dict(zip(options.names, options.means.tolist(), strict=True)),
        best=options.names[int(options.means.argmax())],
        probability_best=dict(zip(options.names, found.probabilities, strict=True)),
        probability_useful=float(sum(found.probabilities[-options.n_models :])),
        perfect=found.perfect,
        m=m,
        sample=given([answer.value for answer in answers], np.array),
        sample_error=given([answer.error for answer in answers], np.array),
        route=found.route,
        sample_route=given([answer.route for answer in answers], tuple),
        perfect_error=found.perfect_error,
    )


def _stacked(found: list[ValueOfInformation], shape: tuple[int, ...]) -> ValueOfInformation:
    """Return the answers of a batch as one, with arrays for numbers."""

    def column(values: list[Any]) -> Any:
        if values[0] is None:
            return None
        if isinstance(values[0], dict):
            return {name: column([value[name] for value in values]) for name in values[0]}
        array = np.array(values)
        return array.reshape(*shape, *array.shape[1:])

    names = [name for name in ValueOfInformation.__dataclass_fields__ if name != "m"]
    columns = {name: column([getattr(one, name) for one in found]) for name in names}
    return ValueOfInformation(m=found[0].m, **columns)
